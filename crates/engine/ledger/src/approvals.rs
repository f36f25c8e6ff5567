//! Queries that need an approval before they are charged.
//!
//! A request and its decision belong to the part of the budget that would pay, and only the owner of that part sees
//! them (C-7). The approver is asked to consider the query, public data, and that part alone. A decision that depends
//! on answers to other analysts is not covered by the promise about one analyst, and the ledger cannot detect it.
//!
//! A request is not charged and reserves no budget: the budget that remains when the query is asked again decides about
//! the charge.

use crate::accounts::Account;
use crate::charges::{ChargeError, ChargeRequest};
use crate::entry::{ApprovalDecided, ApprovalRequested, Charge, Event, Part};
use crate::ledger::Ledger;
use crate::state::Contradiction;
use crate::store::StoreError;
use deniable_core::budget::Spend;
use jiff::Timestamp;

/// Most undecided requests of one part.
pub const MOST_WAITING: usize = 100;
const LONGEST_REASON: usize = 1_000;

/// A query that awaits, or has received, the decision of an approver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The number of its entry.
    pub seq: u64,
    /// The time of the request.
    pub at: Timestamp,
    /// The part that would pay.
    pub part: String,
    /// The policy of the query.
    pub policy: String,
    /// The query.
    pub query: Charge,
    /// The cost of the query.
    pub cost: Spend,
    /// The last decision; `None` while the request is undecided.
    pub decision: Option<Decision>,
    /// Whether a charge followed the decision.
    pub(crate) is_used: bool,
}

/// The decision about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The time of the decision.
    pub at: Timestamp,
    /// Whether the query may be charged.
    pub allowed: bool,
    /// The approver.
    pub by: String,
    /// The approver's reason; may be empty.
    pub reason: String,
}

/// A request or decision that was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The query could not be charged even with an approval.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// Too many requests of this part are undecided.
    #[error("{0} requests of this part are already waiting for a decision")]
    TooMany(usize),
    /// The entry is not a request.
    #[error("entry {0} is not a request for approval")]
    NoRequest(u64),
    /// The request has this decision already.
    #[error("request {0} already has this decision")]
    Same(u64),
    /// The reason is too long.
    #[error("a reason has at most {LONGEST_REASON} characters")]
    Reason,
}

impl Account {
    /// The request of this part for the query of this identity.
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
    /// charge is dead, an approver decides again.
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
    /// Records a request for approval of a query, or returns the request that exists, with its decision. On disk when
    /// this returns.
    ///
    /// # Errors
    /// When the account or part does not exist, the part is [`Part::Whole`], or too many requests of this part are
    /// undecided.
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

    /// Records the decision about a request, given by the number of its entry; a later decision may replace it. On disk
    /// when this returns.
    ///
    /// # Errors
    /// When the request does not exist, or has the same decision already.
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
