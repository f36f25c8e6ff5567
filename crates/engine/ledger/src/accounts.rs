//! Accounts: their guarantees and charges, and the view of each analyst.

use crate::answer::StoredAnswer;
use crate::approvals::Request;
use crate::by_version::{SpentByVersion, VersionName};
use crate::disjoint::DisjointTables;
use crate::entry::{AccountId, Charge, Charged, Event, GuaranteeChanged, GuaranteeStated, Part};
use crate::ledger::Ledger;
use crate::losses::{CoinsOfCost, Losses, MOST_ANSWERS, OverChance, Size};
use crate::numbers::Numbers;
use crate::parts::{Allowance, PartFault, PartTerms, Parts, SetAside, Sharing};
use crate::state::Contradiction;
use crate::store::StoreError;
use crate::withdrawals::Withdrawal;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::Rational;
use deniable_core::guarantee::Guarantee;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The state of the noise of a charge (P-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Draw {
    /// No noise was drawn.
    Open,
    /// The draw began with the entry of this number.
    Begun(u64),
    /// The noise was drawn; these are the numbers.
    Done(Arc<Numbers>),
    /// Noise will never be drawn: the contents, the program or the price have changed, or the ledger continues an older
    /// copy.
    Closed,
}

/// A charge, with its answer if there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// The number of the charge's entry.
    pub seq: u64,
    /// The time of the charge.
    pub at: Timestamp,
    /// The policy of the query.
    pub policy: String,
    /// The query.
    pub query: Charge,
    /// The odds ratio spent.
    pub cost: Spend,
    /// The part of the account's budget that paid.
    pub part: Part,
    /// A digest of the inputs on which the charge may resume.
    pub basis: String,
    /// The state of its noise.
    pub draw: Draw,
    /// The stored answer besides its numbers, read on demand; `None` if the process died before storing it.
    pub answer: Option<StoredAnswer>,
    /// The numbers of the answer. They may have been drawn for a charge of another part.
    pub numbers: Option<Arc<Numbers>>,
    /// The number of the answer's entry: answers may be stored in another order than their charges.
    pub answered: Option<u64>,
    /// The curator's withdrawal of the answer, if any.
    pub withdrawn: Option<Withdrawal>,
}

impl Release {
    /// Whether it has no answer and never will: the same query is charged anew.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.answer.is_none()
            && match &self.draw {
                Draw::Begun(_) | Draw::Closed => true,
                Draw::Open | Draw::Done(_) => false,
            }
    }

    /// Whether its noise may still be drawn.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.answer.is_none() && self.draw == Draw::Open
    }

    /// Its size.
    #[must_use]
    pub fn size(&self) -> Size {
        Size { cost: self.cost.clone(), coins: self.query.coins.clone() }
    }

    /// Whether the owner of `part` may see it: it is public, or a charge of that part.
    #[must_use]
    pub fn seen_by(&self, part: &Part) -> bool {
        self.part == Part::Whole || self.part == *part
    }
}

/// A recorded change of an account's guarantee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromiseChange {
    /// The number of its entry.
    pub seq: u64,
    /// The time of the change.
    pub at: Timestamp,
    /// The guarantee until then.
    pub from: Guarantee,
    /// The guarantee since.
    pub to: Guarantee,
    /// The curator's reason.
    pub reason: String,
    /// Whether the new limit allows larger odds.
    pub weaker: bool,
}

/// An account with its history, or the view of it for the owner of a part ([`Account::seen_by`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// The key of the account.
    pub id: AccountId,
    /// The time when it was opened.
    pub opened: Timestamp,
    /// The guarantee in force.
    pub guarantee: Guarantee,
    /// The bound on the odds about every person after all releases ([`SpentByVersion::total`]); a query that several
    /// parts paid for counts once.
    pub spent: Spend,
    /// The odds ratios by version of the data.
    pub by_version: SpentByVersion,
    /// Every charge, in order.
    pub releases: Vec<Release>,
    /// Every change of the guarantee, in order.
    pub changes: Vec<PromiseChange>,
    /// Every request for approval, in order.
    pub requests: Vec<Request>,
    /// The parts of the budget.
    pub(crate) parts: Parts,
    /// The part that this view is for, with its allowances; `None` if everything is visible.
    own: Option<(Part, Vec<Allowance>)>,
    /// The places in `releases` of each query's identity: one for each part that paid for it.
    identities: BTreeMap<String, Vec<usize>>,
    /// The tables whose versions share no entity.
    disjoint: Arc<DisjointTables>,
    /// The sizes of all charges, for the promise that holds but for a chance.
    pub(crate) losses: Losses,
}

impl Account {
    pub(crate) fn opened(id: AccountId, opened: Timestamp, guarantee: Guarantee) -> Self {
        Self {
            id,
            opened,
            guarantee,
            spent: Spend::nothing(),
            by_version: SpentByVersion::default(),
            releases: Vec::new(),
            changes: Vec::new(),
            requests: Vec::new(),
            parts: Parts::none(),
            own: None,
            identities: BTreeMap::new(),
            disjoint: Arc::default(),
            losses: Losses::default(),
        }
    }

    /// Counts all charges under another set of tables whose versions share no entity (C-9).
    pub(crate) fn set_disjoint(&mut self, disjoint: &DisjointTables) {
        let disjoint = Arc::new(disjoint.of_account(&self.id));
        if self.disjoint != disjoint {
            self.parts.set_disjoint(&disjoint);
            self.by_version.set_disjoint(&disjoint);
            self.spent = self.by_version.total().clone();
            self.disjoint = disjoint;
        }
    }

    /// The tables of which each version contains only entities that are in no other version, as far as that counts for
    /// this account (C-9).
    #[must_use]
    pub fn disjoint(&self) -> &DisjointTables {
        &self.disjoint
    }

    /// The charge that pays for a query of this identity: preferably one that is answered. Dead charges pay for
    /// nothing.
    #[must_use]
    pub fn release(&self, identity: &str) -> Option<&Release> {
        let all = || self.charged(identity);
        all().find(|release| release.answer.is_some()).or_else(|| all().next())
    }

    /// Whether a query of this identity, basis and cost is paid for: it is answered, or its noise was drawn, or may
    /// still be drawn, on the same basis and at the same cost. Without a basis every open charge counts.
    #[must_use]
    pub fn is_paid(&self, identity: &str, basis: Option<&str>, cost: &Spend) -> bool {
        self.release(identity).is_some_and(|release| {
            release.answer.is_some() || (basis.is_none_or(|basis| release.basis == basis) && release.cost == *cost)
        })
    }

    /// Every charge for a query of this identity that is not dead.
    pub(crate) fn charged(&self, identity: &str) -> impl Iterator<Item = &Release> {
        let places = self.identities.get(identity).into_iter().flatten();
        places.filter_map(|place| self.releases.get(*place)).filter(|release| !release.is_dead())
    }

    /// Closes the open charges of an identity that were made on another basis, or at another price.
    pub(crate) fn close_others(&mut self, identity: &str, basis: &str, cost: Option<&Spend>) {
        for place in self.identities.get(identity).into_iter().flatten() {
            if let Some(release) = self.releases.get_mut(*place)
                && release.is_open()
                && (release.basis != basis || cost.is_some_and(|cost| *cost != release.cost))
            {
                release.draw = Draw::Closed;
            }
        }
    }

    /// The odds that one policy has spent of this account.
    #[must_use]
    pub fn spent_by(&self, policy: &str) -> SpentByVersion {
        let mut spent = SpentByVersion::nothing(self.disjoint.clone());
        for release in self.releases.iter().filter(|release| release.policy == policy) {
            spent.record(&release.query, &release.cost);
        }
        spent
    }

    /// The part of this name.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<&SetAside> {
        self.parts.get(name)
    }

    /// All parts, by name; in the view for a part, that part only.
    #[must_use]
    pub fn parts(&self) -> &BTreeMap<String, SetAside> {
        self.parts.all()
    }

    /// The share of ln R that is not reserved; it pays for public answers.
    #[must_use]
    pub fn unreserved_share(&self) -> Rational {
        self.parts.unreserved_share()
    }

    /// The allowances of the viewer: a query must fit into each. At least one.
    #[must_use]
    pub fn allowances(&self) -> Vec<Allowance> {
        let all = || Allowance {
            spent: self.spent.clone(),
            limit: self.guarantee.limit().clone(),
            by_version: self.by_version.clone(),
        };
        self.own.as_ref().map_or_else(|| vec![all()], |(_, own)| own.clone())
    }

    /// The allowance of which least remains for further charges about these versions ([`SpentByVersion::before`]): a
    /// query that fits into it fits into each.
    #[must_use]
    pub fn tightest_allowance(&self, versions: &[VersionName]) -> Allowance {
        let remaining = |allowed: &Allowance| allowed.limit.ln(128).low() - allowed.spent.ln(128).high();
        let nothing = || Allowance::unspent(Spend::nothing());
        self.allowances().iter().map(|all| all.before(versions)).min_by_key(remaining).unwrap_or_else(nothing)
    }

    /// The limit of the first allowance, of which [`Self::spent`] is spent.
    #[must_use]
    pub fn limit(&self) -> Spend {
        self.allowances().into_iter().next().map_or_else(Spend::nothing, |own| own.limit)
    }

    /// The view of the account for the owner of a part: public charges, and those of this part (C-7). All decisions
    /// about the owner's answers and refusals depend on this view only. `spent` and the allowances are those of the
    /// part. For [`Part::Whole`], public charges only.
    #[must_use]
    pub fn seen_by(&self, part: &Part) -> Self {
        // A view for another part understates the allowances.
        let known = match &self.own {
            Some((who, _)) if who == part => return self.clone(),
            Some(_) => None,
            None => self.parts.allowances(part, self.guarantee.limit()),
        };
        let own = known.unwrap_or_else(|| vec![Allowance::unspent(Spend::nothing())]);
        let mut seen = Self {
            spent: own.first().map_or_else(Spend::nothing, |own| own.spent.clone()),
            by_version: own.first().map(|own| own.by_version.clone()).unwrap_or_default(),
            parts: self.parts.only(part),
            disjoint: self.disjoint.clone(),
            own: Some((part.clone(), own)),
            changes: self.changes.clone(),
            losses: self.losses_seen_by(part),
            requests: self
                .requests
                .iter()
                .filter(|request| *part == Part::Named(request.part.clone()))
                .cloned()
                .collect(),
            ..Self::opened(self.id.clone(), self.opened, self.guarantee.clone())
        };
        for release in self.releases.iter().filter(|release| release.seen_by(part)) {
            seen.keep(release.clone());
        }
        seen
    }

    /// The account before some of its charges; their odds remain spent.
    #[must_use]
    pub fn without(&self, hidden: &dyn Fn(&Release) -> bool) -> Self {
        let mut left = Self { releases: Vec::new(), identities: BTreeMap::new(), ..self.clone() };
        for release in self.releases.iter().filter(|release| !hidden(release)) {
            left.keep(release.clone());
        }
        left
    }

    fn keep(&mut self, release: Release) {
        self.identities.entry(release.query.identity.clone()).or_default().push(self.releases.len());
        self.releases.push(release);
    }

    /// Whether this charge may come next, but for the promise that holds but for a chance ([`Self::check_losses`]).
    pub(crate) fn check(&self, charge: &Charged) -> Result<(), Contradiction> {
        // Open charges on another basis, or at another price, are closed by this one: it pays for itself.
        let is_closed = |known: &Release| known.is_open() && (known.basis != charge.basis || known.cost != charge.cost);
        let same = || self.charged(&charge.query.identity).filter(|known| !is_closed(known));
        if same().any(|release| release.seen_by(&charge.part)) {
            return Err(Contradiction::ChargedTwice);
        }
        // The identity determines the noise of an answer, and so its price.
        if same().any(|release| release.cost != charge.cost) {
            return Err(Contradiction::OtherPrice);
        }
        let named = || match &charge.part {
            Part::Named(name) => Contradiction::NoPart(name.clone()),
            Part::Whole => Contradiction::OverLimit,
        };
        let with_charge = |by_version: &SpentByVersion| {
            let mut by_version = by_version.clone();
            by_version.record(&charge.query, &charge.cost);
            by_version.total().clone()
        };
        for Allowance { spent: _, limit, by_version } in
            self.parts.allowances(&charge.part, self.guarantee.limit()).ok_or_else(named)?
        {
            within(&with_charge(&by_version), &limit)?;
        }
        if !CoinsOfCost::are_valid(&charge.query.coins) {
            return Err(Contradiction::Sizes);
        }
        if same().next().is_some() { Ok(()) } else { within(&with_charge(&self.by_version), self.guarantee.limit()) }
    }

    /// Whether the guarantee's promise but for a chance allows this charge.
    pub(crate) fn check_losses(&self, charge: &Charged) -> Result<(), Contradiction> {
        if self.guarantee.but_for_a_chance().is_none() {
            return Ok(());
        }
        let size = Size { cost: charge.cost.clone(), coins: charge.query.coins.clone() };
        Ok(self.losses_seen_by(&charge.part).allow(size, &self.guarantee)?)
    }

    /// The sizes by which a charge of this part is decided: its own if it is reserved, none if it does not exist, or else
    /// all but those of reserved parts. Without a promise but for a chance nothing depends on them, and none are seen.
    fn losses_seen_by(&self, part: &Part) -> Losses {
        if self.guarantee.but_for_a_chance().is_none() {
            return Losses::default();
        }
        match part {
            Part::Named(name) => match self.parts.get(name) {
                Some(own) if own.sharing == Sharing::Reserved => own.losses.clone(),
                Some(_) => self.losses.of_chosen(),
                None => Losses::default(),
            },
            Part::Whole => self.losses.clone(),
        }
    }

    /// Whether these terms of a part may be recorded next.
    pub(crate) fn check_part(&self, name: &str, terms: &PartTerms) -> Result<(), PartFault> {
        self.parts.check(name, terms, self.guarantee.limit())?;
        let is_stated = terms.sharing == Sharing::Reserved && self.guarantee.but_for_a_chance().is_some();
        if !(1..=MOST_ANSWERS).contains(&terms.answers) || (terms.answers > 1 && !is_stated) {
            return Err(PartFault::Answers);
        }
        let mut with_part = self.clone();
        with_part.set_aside(name.to_owned(), terms.clone());
        Ok(with_part.all_losses_keep(&self.guarantee)?)
    }

    /// Sets a part aside after [`Self::check_part`].
    pub(crate) fn set_aside(&mut self, name: String, terms: PartTerms) {
        self.parts.set_aside(name, terms);
        self.losses.reserve(self.parts.reserved());
    }

    /// Whether the charges of every part and those of the unreserved share keep a guarantee's promise but for a chance.
    pub(crate) fn all_losses_keep(&self, guarantee: &Guarantee) -> Result<(), OverChance> {
        let reserved = self.parts.all().values().filter(|part| part.sharing == Sharing::Reserved);
        reserved.map(|part| &part.losses).chain([&self.losses]).try_for_each(|losses| losses.keep(guarantee))
    }

    /// Whether all charges keep another guarantee's promise but for a chance, if it has one.
    pub(crate) fn losses_keep(&self, guarantee: &Guarantee) -> Result<(), OverChance> {
        if self.losses.has_chosen() && self.tightens_chance(guarantee)? {
            return Err(OverChance::Later);
        }
        self.all_losses_keep(guarantee)
    }

    /// Whether another guarantee promises more but for a chance than the one in force.
    fn tightens_chance(&self, guarantee: &Guarantee) -> Result<bool, OverChance> {
        let (Some(new), known) = (guarantee.but_for_a_chance(), self.guarantee.but_for_a_chance()) else {
            return Ok(false);
        };
        let Some(known) = known else { return Ok(true) };
        let is_smaller = |one: &Spend, other: &Spend| one.compare(other).map(std::cmp::Ordering::is_lt);
        let is_odds = is_smaller(new.limit(), known.limit()).map_err(crate::losses::SizeError::from)?;
        let ((rises, falls), (known_rises, known_falls)) = (new.directions(), known.directions());
        let is_new_direction = (rises && !known_rises) || (falls && !known_falls);
        Ok(is_new_direction || is_odds || new.event_chance() < known.event_chance())
    }

    /// Whether these sizes may be fixed next.
    pub(crate) fn check_sizes(&self, sizes: &[Size]) -> Result<(), Contradiction> {
        let is_valid = |size: &Size| !size.cost.is_nothing() && CoinsOfCost::are_valid(&size.coins);
        if sizes.is_empty() || !self.losses.are_open() || !sizes.iter().all(is_valid) {
            return Err(Contradiction::Sizes);
        }
        let mut losses = self.losses.clone();
        losses.fix(sizes.to_vec());
        Ok(losses.keep(&self.guarantee)?)
    }

    /// Records a charge after [`Self::check`].
    pub(crate) fn record(&mut self, seq: u64, at: Timestamp, charge: Charged) {
        self.close_others(&charge.query.identity, &charge.basis, Some(&charge.cost));
        let again = self.charged(&charge.query.identity).any(|release| self.parts.takes_unreserved(&release.part));
        let is_paid = self.charged(&charge.query.identity).next().is_some();
        let Charged { policy, query, cost, part, basis, account: _ } = charge;
        let size = Size { cost: cost.clone(), coins: query.coins.clone() };
        if !self.parts.takes_unreserved(&part) {
            self.losses.asked_elsewhere();
        } else if !again {
            self.losses.record(size.clone());
        }
        if !is_paid {
            self.by_version.record(&query, &cost);
            self.spent = self.by_version.total().clone();
        }
        self.parts.record(&part, &query, size, again);
        self.use_approval(&part, &query.identity);
        let (draw, answer, numbers, answered, withdrawn) = (Draw::Open, None, None, None, None);
        self.keep(Release { seq, at, policy, query, cost, part, basis, draw, answer, numbers, answered, withdrawn });
    }
}

pub(crate) fn within(spent: &Spend, limit: &Spend) -> Result<(), Contradiction> {
    if spent.fits(limit)? { Ok(()) } else { Err(Contradiction::OverLimit) }
}

/// An account that cannot be opened or changed.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another promise is in force. A promise is made once for all policies over the same people.
    #[error(
        "the ledger records another promise for this account: {recorded}; this policy states {asked}. State the \
         recorded promise, or change it for everyone with `deniable ledger change-promise`"
    )]
    TermsDiffer {
        /// The terms in force.
        recorded: Box<Guarantee>,
        /// The terms asked for.
        asked: Box<Guarantee>,
    },
    /// Policies over the same people must agree on the entity key and the adjacency.
    #[error(
        "the ledger counts {recorded}, but this policy counts {asked}; over the same people the entity key and \
         whether the adversary knows the size cannot differ: state them as recorded"
    )]
    AccountDiffers {
        /// The existing account.
        recorded: Box<AccountId>,
        /// The account asked for.
        asked: Box<AccountId>,
    },
    /// The account does not exist.
    #[error("the ledger has no account for {0}; the first release or data check of a policy opens it")]
    NoAccount(Box<AccountId>),
    /// A change needs a reason.
    #[error("a promise is not changed without a reason; give one, it is kept in the ledger")]
    NoReason,
    /// The new terms are the old ones.
    #[error("these terms are already in force; nothing was changed")]
    NothingChanged,
    /// The new limit is below the odds spent.
    #[error(
        "the new limit is an odds ratio of {}, but {} is already spent; what was released cannot be taken back, so promise \
         at least that", .limit.in_words(), .spent.in_words()
    )]
    BelowSpent {
        /// The odds ratio spent.
        spent: Spend,
        /// The limit asked for.
        limit: Spend,
    },
    /// The new limit is below the odds charged to a part.
    #[error(
        "with a limit of {}, the charges of a part, or of the unreserved budget, would exceed its share; what was \
         released cannot be taken back, so promise more", .limit.in_words()
    )]
    PartBelowSpent {
        /// The limit asked for.
        limit: Spend,
    },
    /// The charges were computed for smaller groups.
    #[error(
        "answers were charged as odds about groups of at most {recorded}, which do not bound the odds about {asked} \
         people who move together; the ledger cannot promise that any more"
    )]
    GroupGrew {
        /// The size in force.
        recorded: u32,
        /// The size asked for.
        asked: u32,
    },
    /// What was released does not keep the new promise but for a chance.
    #[error("{0}; what was released cannot be taken back, so promise less")]
    OverChance(#[from] OverChance),
    /// The comparison of the limits cannot be decided.
    #[error(transparent)]
    Undecided(#[from] SpendError),
}

impl Ledger {
    /// Opens an account with this guarantee unless it exists.
    ///
    /// # Errors
    /// When the account has other terms, or its place is taken by an account with another entity key or
    /// adjacency. A population has one account of each [`Secret`](crate::Secret).
    pub fn open_account(&mut self, guarantee: &Guarantee) -> Result<(), AccountError> {
        let act = self.book.begin()?;
        let id = AccountId::of(guarantee);
        if let Some(account) = act.state.account_in_place(&id) {
            if account.id != id {
                return Err(AccountError::AccountDiffers { recorded: account.id.clone().into(), asked: id.into() });
            }
            if !account.guarantee.same_as(guarantee) {
                let (recorded, asked) = (account.guarantee.clone().into(), guarantee.clone().into());
                return Err(AccountError::TermsDiffer { recorded, asked });
            }
            return Ok(());
        }
        act.append(Event::GuaranteeStated(GuaranteeStated { guarantee: guarantee.clone() }.into()))?;
        Ok(())
    }

    /// Changes the guarantee of an account, on the record; returns whether the new one promises less.
    ///
    /// # Errors
    /// Without an account, a reason or a difference, and when the new limit is below the odds spent.
    pub fn change_promise(&mut self, to: &Guarantee, reason: &str) -> Result<bool, AccountError> {
        if reason.trim().is_empty() {
            return Err(AccountError::NoReason);
        }
        let act = self.book.begin()?;
        let id = AccountId::of(to);
        let account = act.state.account(&id).ok_or_else(|| AccountError::NoAccount(id.into()))?;
        if account.guarantee.same_as(to) {
            return Err(AccountError::NothingChanged);
        }
        if !account.spent.fits(to.limit())? {
            return Err(AccountError::BelowSpent { spent: account.spent.clone(), limit: to.limit().clone() });
        }
        if !account.parts.fit(to.limit())? {
            return Err(AccountError::PartBelowSpent { limit: to.limit().clone() });
        }
        if to.group() > account.guarantee.group() && !account.spent.is_nothing() {
            return Err(AccountError::GroupGrew { recorded: account.guarantee.group(), asked: to.group() });
        }
        account.losses_keep(to)?;
        let from = account.guarantee.clone();
        let weaker = to.weaker_than(&from)?;
        let change = GuaranteeChanged { from, to: to.clone(), reason: reason.to_owned(), weaker };
        act.append(Event::GuaranteeChanged(change.into()))?;
        Ok(weaker)
    }
}
