//! Questions that somebody has to allow before they are charged.
//!
//! A request, and what was decided about it, belong to the part that would pay: nobody else sees them (C-7). Whoever decides is asked to look at the
//! question, at what is public, and at that part alone; a decision that rests on what others were answered is outside what is promised about one
//! analyst alone, and the ledger cannot tell.
//!
//! Nothing is charged by a request, and nothing is kept for it: what is left when the question is asked again decides whether it is charged.

use crate::accounts::Account;
use crate::charges::{ChargeError, ChargeRequest};
use crate::entry::{ApprovalDecided, ApprovalRequested, Charge, Event, Part};
use crate::ledger::Ledger;
use crate::state::Contradiction;
use crate::store::StoreError;
use deniable_core::budget::Spend;
use jiff::Timestamp;

/// Requests of one part that nobody has decided about.
pub const MOST_WAITING: usize = 100;
const LONGEST_REASON: usize = 1_000;

/// A question for which somebody asked to be allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The number of its entry.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// The part that would pay.
    pub part: String,
    /// The policy that would ask.
    pub policy: String,
    /// The question.
    pub query: Charge,
    /// What it would cost.
    pub cost: Spend,
    /// What was decided last; nothing while nobody has decided.
    pub decision: Option<Decision>,
    /// Whether a charge followed the decision.
    pub(crate) is_used: bool,
}

/// What was decided about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// When.
    pub at: Timestamp,
    /// Whether the question may be charged.
    pub allowed: bool,
    /// Who decided.
    pub by: String,
    /// Why, in the words of that one; may be empty.
    pub reason: String,
}

/// A request, or a decision, that was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It could not be charged, were it allowed.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// Too many wait.
    #[error("{0} requests of this part wait already")]
    TooMany(usize),
    /// There is no such request.
    #[error("entry {0} is no request for approval")]
    NoRequest(u64),
    /// It is decided so already.
    #[error("request {0} was decided so already")]
    Same(u64),
    /// A reason that is too long.
    #[error("a reason has at most {LONGEST_REASON} characters")]
    Reason,
}

impl Account {
    /// The request of this part for an ask of this identity.
    #[must_use]
    pub fn request(&self, part: &Part, identity: &str) -> Option<&Request> {
        let Part::Named(name) = part else { return None };
        self.requests.iter().find(|request| request.part == *name && request.query.identity == identity)
    }

    pub(crate) fn check_request(&self, new: &ApprovalRequested) -> Result<(), Contradiction> {
        if self.part(&new.part).is_none() {
            return Err(Contradiction::NoPart(new.part.clone()));
        }
        match self.request(&Part::Named(new.part.clone()), &new.query.identity) {
            Some(_) => Err(Contradiction::RequestedTwice),
            None => Ok(()),
        }
    }

    pub(crate) fn record_request(&mut self, seq: u64, at: Timestamp, new: ApprovalRequested) {
        let ApprovalRequested { part, policy, query, cost, account: _ } = new;
        self.requests.push(Request { seq, at, part, policy, query, cost, decision: None, is_used: false });
    }

    /// The decision that holds for the next charge of a requested query. An approval allows one charge: when that
    /// charge died, an approver decides anew.
    #[must_use]
    pub fn decision<'a>(&self, request: &'a Request) -> Option<&'a Decision> {
        let part = Part::Named(request.part.clone());
        let is_paid = || self.charged(&request.query.identity).any(|release| release.seen_by(&part));
        request.decision.as_ref().filter(|decision| !decision.allowed || !request.is_used || is_paid())
    }

    pub(crate) fn check_decision(&self, request: &Request, new: &ApprovalDecided) -> Result<(), Contradiction> {
        match self.decision(request) {
            Some(decision) if decision.allowed == new.allowed => Err(Contradiction::DecidedTwice(request.seq)),
            _ => Ok(()),
        }
    }

    /// Marks the decision about a query as followed by a charge.
    pub(crate) fn use_approval(&mut self, part: &Part, identity: &str) {
        let Part::Named(name) = part else { return };
        let is_its = |request: &&mut Request| request.part == *name && request.query.identity == identity;
        if let Some(request) = self.requests.iter_mut().find(is_its) {
            request.is_used = request.decision.is_some();
        }
    }
}

impl Request {
    pub(crate) fn record(&mut self, at: Timestamp, new: ApprovalDecided) {
        let ApprovalDecided { allowed, by, reason, request: _ } = new;
        self.decision = Some(Decision { at, allowed, by, reason });
        self.is_used = false;
    }
}

impl Ledger {
    /// Records that somebody asks to be allowed a question, unless that was recorded before; gives the request as it stands. On disk when this
    /// returns.
    ///
    /// # Errors
    /// When there is no such account or part, the whole asks, or too many of this part's requests wait.
    pub fn request_approval(&mut self, asked: &ChargeRequest) -> Result<Request, ApprovalError> {
        let act = self.book.begin()?;
        let no_account = || ChargeError::NoAccount(asked.account.clone().into());
        let account = act.state.account(&asked.account).ok_or_else(no_account)?;
        let Part::Named(name) = &asked.part else { return Err(ChargeError::NoPart(String::new()).into()) };
        if account.part(name).is_none() {
            return Err(ChargeError::NoPart(name.clone()).into());
        }
        if let Some(known) = account.request(&asked.part, &asked.query.identity) {
            return Ok(known.clone());
        }
        let waiting =
            account.requests.iter().filter(|known| known.part == *name && account.decision(known).is_none()).count();
        if waiting >= MOST_WAITING {
            return Err(ApprovalError::TooMany(waiting));
        }
        let seq = act.append(Event::ApprovalRequested(ApprovalRequested {
            account: asked.account.clone(),
            part: name.clone(),
            policy: asked.policy.clone(),
            query: asked.query.clone(),
            cost: asked.cost.clone(),
        }))?;
        self.book.state.request(seq).cloned().ok_or(ApprovalError::NoRequest(seq))
    }

    /// Records what was decided about a request, by the number of its entry; it may be decided otherwise later. On disk when this returns.
    ///
    /// # Errors
    /// When there is no such request, or it is decided so already.
    pub fn decide(&mut self, seq: u64, allowed: bool, by: &str, reason: &str) -> Result<(), ApprovalError> {
        if reason.chars().count() > LONGEST_REASON {
            return Err(ApprovalError::Reason);
        }
        let act = self.book.begin()?;
        let (account, request) = act.state.request_of(seq).ok_or(ApprovalError::NoRequest(seq))?;
        let decided = ApprovalDecided { request: seq, allowed, by: by.to_owned(), reason: reason.to_owned() };
        account.check_decision(request, &decided).map_err(|_| ApprovalError::Same(seq))?;
        act.append(Event::ApprovalDecided(decided))?;
        Ok(())
    }
}
