//! The parts of an account's budget: reserved or overlapping shares of analysts, and what each analyst can learn (C-7).
//!
//! A part is a share of ln R. The unreserved share pays for public answers, and for overlapping parts.
//!
//! | analyst | is charged | and sees |
//! |---|---|---|
//! | the curator, for public answers | the unreserved share | public charges |
//! | owner of a reserved part, R^s | R^s | public charges, and those of this part |
//! | owner of an overlapping part, R^s | R^s, and the unreserved share | the same |
//!
//! So the owner of a reserved part alone learns at most R^s times the unreserved odds, whatever the other analysts ask:
//! neither the owner's answers nor refusals depend on other analysts. The owner of an overlapping part is refused
//! because of other analysts' charges, and learns about their answers from that: for overlapping parts only the bound
//! for all analysts together holds. An answer that another analyst has paid for is charged to the part in full, and to
//! the whole account not again. The rest of a part is never transferred once anything was charged to it: its size
//! depends on answers.
//!
//! Under a promise but for a chance a reserved part also has a filter of its own ([`crate::losses`]).

use crate::by_version::SpentByVersion;
use crate::disjoint::DisjointTables;
use crate::entry::{AccountId, Charge, Event, Part, PartSetAside};
use crate::ledger::Ledger;
use crate::losses::{Losses, MOST_ANSWERS, OverChance, ReservedPart, Size};
use crate::store::StoreError;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::{Rational, whole};
use deniable_core::guarantee::Guarantee;
use num_traits::{Signed, Zero};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The relation of a part to other parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// For its owner alone, who learns nothing about other analysts' queries.
    Reserved,
    /// A cap on what its owner takes from the unreserved share, as other analysts do: no bound holds for its owner
    /// alone.
    Overlapping,
}

/// A part of an account's budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The share of ln R, in (0, 1].
    pub share: Rational,
    /// The relation to other parts.
    pub sharing: Sharing,
    /// Under a promise but for a chance, the number of equal answers that give as much as all charges of a reserved part
    /// may; otherwise 1.
    pub answers: u32,
    /// The odds ratio that was charged to it: [`SpentByVersion::total`].
    pub spent: Spend,
    /// The same by version of the data.
    pub by_version: SpentByVersion,
    /// The sizes of its charges.
    pub(crate) losses: Losses,
}

impl SetAside {
    fn reserved(&self) -> Option<ReservedPart> {
        let (share, answers) = (self.share.clone(), self.answers);
        (self.sharing == Sharing::Reserved).then_some(ReservedPart { share, answers })
    }

    /// Whether its filter would hold less under these terms, for a promise of this limit.
    fn loses_by(&self, terms: &PartTerms, limit: &Spend) -> bool {
        let new = ReservedPart { share: terms.share.clone(), answers: terms.answers };
        self.reserved().is_some_and(|known| new.rho(limit) < known.rho(limit))
    }
}

/// A limit and the odds spent under it. An analyst has one or two allowances, and a query must fit into each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The odds ratio spent: [`SpentByVersion::total`], or for further charges about some versions
    /// [`SpentByVersion::before`].
    pub spent: Spend,
    /// The limit of `spent`; without any odds, nothing may be charged.
    pub limit: Spend,
    /// The odds spent on each version of the data.
    pub by_version: SpentByVersion,
}

impl Allowance {
    /// An allowance of which nothing was spent.
    #[must_use]
    pub fn unspent(limit: Spend) -> Self {
        Self { spent: Spend::nothing(), limit, by_version: SpentByVersion::default() }
    }
}

/// A part that cannot be set aside.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartFault {
    /// The name is empty, too long, or has other characters.
    #[error("a part of a budget needs a name of 1 to {LONGEST} letters, digits and `_.@-`")]
    Name,
    /// The share is not in [0, 1].
    #[error("the share {0} is not between 0 and 1; a part is a share of the promise")]
    Share(Rational),
    /// The part exists with the same share.
    #[error("\"{0}\" has this part already")]
    Same(String),
    /// A share of 0 for a part that does not exist.
    #[error("nothing is set aside for \"{0}\"")]
    Nothing(String),
    /// The rest of the part depends on answers.
    #[error(
        "queries were answered from the part of \"{0}\", so its rest depends on answers and cannot be given back; keep \
         or enlarge the part"
    )]
    InUse(String),
    /// More than 1 would be reserved.
    #[error("with this part, {reserved} of the promise would be reserved, more than all of it; set less aside")]
    TooMuch {
        /// The sum.
        reserved: Rational,
    },
    /// The unreserved share would become smaller than the odds spent of it.
    #[error(
        "with this part, {left} of the promise would remain unreserved, but {} of it is already spent; set less aside",
        .spent.in_words()
    )]
    Spent {
        /// The unreserved share that would remain.
        left: Rational,
        /// The odds already spent of it.
        spent: Spend,
    },
    /// A number of answers that counts for nothing, or is not one.
    #[error(
        "a number of answers, from 1 to {MOST_ANSWERS}, is for a reserved part of a promise that holds but for a chance; \
         leave it out"
    )]
    Answers,
    /// With the part, the promise but for a chance would not be kept.
    #[error("{0}; set less aside, or divide it into more answers")]
    OverChance(#[from] OverChance),
    /// The comparison cannot be decided.
    #[error(transparent)]
    Undecided(#[from] SpendError),
}

/// A part that was not set aside.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The ledger has no such account.
    #[error("the ledger has no account for {0}; the first release or data check of a policy opens it")]
    NoAccount(Box<AccountId>),
    /// The rules for parts are violated.
    #[error(transparent)]
    Fault(#[from] PartFault),
}

/// Most bytes of a name: PostgreSQL's limit on the names of roles.
const LONGEST: usize = 63;

/// The parts of one account, and the odds spent of the unreserved share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parts {
    set_aside: BTreeMap<String, SetAside>,
    /// Charged for public answers and overlapping parts; each query once.
    unreserved: SpentByVersion,
    /// The tables whose versions share no entity.
    disjoint: Arc<DisjointTables>,
    /// The share that is reserved by parts which are not listed here.
    reserved_elsewhere: Rational,
}

impl Parts {
    pub(crate) fn none() -> Self {
        Self {
            set_aside: BTreeMap::new(),
            unreserved: SpentByVersion::default(),
            disjoint: Arc::default(),
            reserved_elsewhere: Rational::zero(),
        }
    }

    /// Counts all charges under another set of tables whose versions share no entity.
    pub(crate) fn set_disjoint(&mut self, disjoint: &Arc<DisjointTables>) {
        self.disjoint = disjoint.clone();
        self.unreserved.set_disjoint(disjoint);
        for part in self.set_aside.values_mut() {
            part.by_version.set_disjoint(disjoint);
            part.spent = part.by_version.total().clone();
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&SetAside> {
        self.set_aside.get(name)
    }

    pub(crate) fn all(&self) -> &BTreeMap<String, SetAside> {
        &self.set_aside
    }

    /// The parts as the owner of `part` sees them: of the others only their reserved share, which does not depend on
    /// answers.
    pub(crate) fn only(&self, part: &Part) -> Self {
        let name = match part {
            Part::Named(name) => name.as_str(),
            Part::Whole => "",
        };
        let own = self.set_aside.get_key_value(name).map(|(name, part)| (name.clone(), part.clone()));
        Self {
            set_aside: own.into_iter().collect(),
            unreserved: SpentByVersion::nothing(self.disjoint.clone()),
            disjoint: self.disjoint.clone(),
            reserved_elsewhere: self.reserved_but(name),
        }
    }

    /// The share of ln R that is not reserved.
    pub(crate) fn unreserved_share(&self) -> Rational {
        whole(1) - self.reserved_but("")
    }

    fn reserved_but(&self, name: &str) -> Rational {
        let others = self.set_aside.iter().filter(|(known, part)| *known != name && part.sharing == Sharing::Reserved);
        others.fold(self.reserved_elsewhere.clone(), |sum, (_, part)| sum + &part.share)
    }

    /// The allowances of a part, when `limit` is that of the whole; `None` if the part does not exist.
    pub(crate) fn allowances(&self, part: &Part, limit: &Spend) -> Option<Vec<Allowance>> {
        let unreserved = || Allowance {
            spent: self.unreserved.total().clone(),
            limit: share_of(limit, &self.unreserved_share()),
            by_version: self.unreserved.clone(),
        };
        let Part::Named(name) = part else { return Some(vec![unreserved()]) };
        let own = self.set_aside.get(name)?;
        let (spent, by_version) = (own.spent.clone(), own.by_version.clone());
        let mut all = vec![Allowance { spent, limit: share_of(limit, &own.share), by_version }];
        if own.sharing == Sharing::Overlapping {
            all.push(unreserved());
        }
        Some(all)
    }

    /// Whether a charge of this part takes from the unreserved share.
    pub(crate) fn takes_unreserved(&self, part: &Part) -> bool {
        match part {
            Part::Whole => true,
            Part::Named(name) => self.get(name).is_some_and(|part| part.sharing == Sharing::Overlapping),
        }
    }

    /// Whether all charges fit a promise of this limit.
    pub(crate) fn fit(&self, limit: &Spend) -> Result<bool, SpendError> {
        let unreserved = self.unreserved.total().fits(&share_of(limit, &self.unreserved_share()))?;
        self.set_aside
            .values()
            .try_fold(unreserved, |so_far, part| Ok(so_far && part.spent.fits(&share_of(limit, &part.share))?))
    }

    /// The reserved parts, as a promise but for a chance counts them.
    pub(crate) fn reserved(&self) -> Vec<ReservedPart> {
        self.set_aside.values().filter_map(SetAside::reserved).collect()
    }

    /// Whether this part may be set aside, when `limit` is that of the whole. A share of 0 returns a part that was
    /// never charged.
    pub(crate) fn check(&self, name: &str, terms: &PartTerms, limit: &Spend) -> Result<(), PartFault> {
        let PartTerms { share, sharing, answers } = terms;
        let is_readable = |c: char| c.is_alphanumeric() || "_.@-".contains(c);
        if name.is_empty() || name.len() > LONGEST || !name.chars().all(is_readable) {
            return Err(PartFault::Name);
        }
        if share.is_negative() || *share > whole(1) {
            return Err(PartFault::Share(share.clone()));
        }
        match self.get(name) {
            None if share.is_zero() => return Err(PartFault::Nothing(name.to_owned())),
            Some(known) if (&known.share, &known.sharing, &known.answers) == (share, sharing, answers) => {
                return Err(PartFault::Same(name.to_owned()));
            }
            Some(known)
                if !known.spent.is_nothing()
                    && (*share < known.share || *sharing != known.sharing || known.loses_by(terms, limit)) =>
            {
                return Err(PartFault::InUse(name.to_owned()));
            }
            _ => {}
        }
        let own = if *sharing == Sharing::Reserved { share.clone() } else { Rational::zero() };
        let reserved = self.reserved_but(name) + own;
        if reserved > whole(1) {
            return Err(PartFault::TooMuch { reserved });
        }
        let left = whole(1) - reserved;
        let spent = self.unreserved.total();
        if !spent.fits(&share_of(limit, &left))? {
            return Err(PartFault::Spent { left, spent: spent.clone() });
        }
        Ok(())
    }

    /// Sets a part aside after [`Self::check`].
    pub(crate) fn set_aside(&mut self, name: String, terms: PartTerms) {
        let PartTerms { share, sharing, answers } = terms;
        if share.is_zero() {
            self.set_aside.remove(&name);
            return;
        }
        let reserved = ReservedPart { share: share.clone(), answers };
        let part = match self.set_aside.remove(&name) {
            Some(mut known) => {
                known.losses.resize(reserved);
                SetAside { share, sharing, answers, ..known }
            }
            None => {
                let (spent, by_version) = (Spend::nothing(), SpentByVersion::nothing(self.disjoint.clone()));
                SetAside { share, sharing, answers, spent, by_version, losses: Losses::of_part(reserved) }
            }
        };
        self.set_aside.insert(name, part);
    }

    /// Records a charge. `again` if the unreserved share has paid for the same query before.
    pub(crate) fn record(&mut self, part: &Part, query: &Charge, size: Size, again: bool) {
        let cost = &size.cost;
        if self.takes_unreserved(part) && !again {
            self.unreserved.record(query, cost);
        }
        if let Part::Named(name) = part
            && let Some(own) = self.set_aside.get_mut(name)
        {
            own.by_version.record(query, cost);
            own.spent = own.by_version.total().clone();
            own.losses.record(size);
        }
    }
}

/// The terms of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartTerms {
    /// The share of ln R; 0 returns a part that was never charged.
    pub(crate) share: Rational,
    /// Whether it is reserved.
    pub(crate) sharing: Sharing,
    /// [`SetAside::answers`].
    pub(crate) answers: u32,
}

impl PartTerms {
    /// The terms with a stated number of answers. Without one, a part keeps its own if its share stays or it would lose by
    /// others, and any other has the same share of the filter as of the promise. Whether it was charged does not matter.
    fn of(
        share: &Rational,
        sharing: Sharing,
        stated: Option<u32>,
        (known, guarantee): (Option<&SetAside>, &Guarantee),
    ) -> Result<Self, PartFault> {
        let with = |answers| Self { share: share.clone(), sharing, answers };
        let is_share = share.is_positive() && *share <= whole(1);
        let known = known.filter(|known| known.sharing == sharing);
        let same = known.filter(|known| known.share == *share).map(|known| known.answers);
        let Some(but_for) = guarantee.but_for_a_chance().filter(|_| is_share && sharing == Sharing::Reserved) else {
            return if stated.is_some() { Err(PartFault::Answers) } else { Ok(with(same.unwrap_or(1))) };
        };
        match (stated, same) {
            (Some(answers), _) if (1..=MOST_ANSWERS).contains(&answers) => Ok(with(answers)),
            (Some(_), _) => Err(PartFault::Answers),
            (None, Some(answers)) => Ok(with(answers)),
            (None, None) => {
                let part = ReservedPart::of_share(share, guarantee, but_for).map_err(OverChance::from)?;
                let terms = with(part.answers);
                let loser = known.filter(|known| *share >= known.share && known.loses_by(&terms, guarantee.limit()));
                Ok(loser.map_or(terms, |known| with(known.answers)))
            }
        }
    }
}

/// A share of a limit; an odds ratio of 1 for the share 0.
fn share_of(limit: &Spend, share: &Rational) -> Spend {
    limit.share(share).unwrap_or_else(|_| Spend::nothing())
}

impl Ledger {
    /// Sets a share of an account's promise aside under a name, or changes it; a share of 0 returns a part that was
    /// never charged. On disk when this returns.
    ///
    /// Under a promise but for a chance, all charges of a reserved part may give as much as a number of equal answers,
    /// together of its share: `answers`, or as few as take the same share of what the chance allows.
    ///
    /// # Errors
    /// When the account does not exist, the rules of [`crate::parts`] are violated, or the promise but for a chance would
    /// not be kept.
    pub fn set_aside(
        &mut self,
        account: &AccountId,
        name: &str,
        share: &Rational,
        sharing: Sharing,
        answers: Option<u32>,
    ) -> Result<(), PartError> {
        let act = self.book.begin()?;
        let known = act.state.account(account);
        let known = known.ok_or_else(|| PartError::NoAccount(account.clone().into()))?;
        let terms = PartTerms::of(share, sharing, answers, (known.part(name), &known.guarantee))?;
        known.check_part(name, &terms)?;
        let (account, part) = (account.clone(), name.to_owned());
        let PartTerms { share, sharing, answers } = terms;
        act.append(Event::PartSetAside(PartSetAside { account, part, share: share.into(), sharing, answers }))?;
        Ok(())
    }
}
