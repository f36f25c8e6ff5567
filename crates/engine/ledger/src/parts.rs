//! The parts of an account's budget: what is set aside for whom, and what each may come to know (C-7).
//!
//! A part is a share of ln R. What is not reserved for anybody pays for what is public, and for parts that overlap.
//!
//! | who asks | is charged | and sees |
//! |---|---|---|
//! | the curator, for everybody | what is not reserved | what was charged so |
//! | one with a reserved part, R^s | R^s | that, and what this part was charged for |
//! | one with a part that overlaps, R^s | R^s, and what is not reserved | the same |
//!
//! So one with a reserved part alone learns at most R^s times what is not reserved, whatever others ask: nothing that is seen, or
//! refused, depends on them. One whose part overlaps is refused because of what others spent, and learns from that what they were
//! answered: for such a one only the bound of all together holds. An answer that another has paid for costs this one's part all the
//! same, and the whole nothing more. What is left of a part is handed on to nobody, once anything was charged to it: how much that is
//! depends on answers.

use crate::entry::{AccountId, Event, Part, PartSetAside};
use crate::ledger::Ledger;
use crate::store::StoreError;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::{Rational, whole};
use num_traits::{Signed, Zero};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a part stands to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// It is this one's alone: its owner learns nothing from what others ask.
    Reserved,
    /// It is a cap on what its owner takes of what is not reserved, which others take from, too: its owner alone has no bound of its own.
    Overlapping,
}

/// What is set aside under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The share of ln R, in (0, 1].
    pub share: Rational,
    /// How it stands to others.
    pub sharing: Sharing,
    /// The odds ratio that was charged to it.
    pub spent: Spend,
}

/// What may be spent, and what is spent of it. Whoever asks has one or two of them, and what is asked must fit into each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The odds ratio spent.
    pub spent: Spend,
    /// The largest that it may become; of nothing, nothing is allowed.
    pub limit: Spend,
}

/// A part that cannot be set aside so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartFault {
    /// It needs a name that people can read.
    #[error("a part of a budget needs a name of 1 to {LONGEST} letters, digits and `_.@-`")]
    Name,
    /// A share that is none.
    #[error("a part is a share of the promise between 0 and 1, and not {0}")]
    Share(Rational),
    /// Nothing would change.
    #[error("\"{0}\" has this part already")]
    Same(String),
    /// Nothing was set aside, and nothing is given back.
    #[error("nothing is set aside for \"{0}\"")]
    Nothing(String),
    /// What is left of it depends on answers.
    #[error(
        "\"{0}\" has been answered questions, and what is left of that part depends on the answers: it may grow, but it is not handed on"
    )]
    InUse(String),
    /// More would be reserved than there is.
    #[error("with it, {reserved} of the promise would be reserved, and there is only 1")]
    TooMuch {
        /// The sum.
        reserved: Rational,
    },
    /// More would be reserved than is left of what is public.
    #[error("with it, {left} of the promise would be left for everybody, and {} is spent of that already", .spent.in_words())]
    Spent {
        /// What would be left.
        left: Rational,
        /// What is spent.
        spent: Spend,
    },
    /// Too close to tell.
    #[error(transparent)]
    Undecided(#[from] SpendError),
}

/// A part that was not set aside.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No such account, or one in the words of the first format.
    #[error("the ledger has no account for {0}; the first release or data check of a policy opens it")]
    NoAccount(Box<AccountId>),
    /// The rules.
    #[error(transparent)]
    Fault(#[from] PartFault),
}

/// Most bytes of a name: what PostgreSQL's protocol gives a role.
const LONGEST: usize = 63;

/// The parts of one account, and what was spent of what is not reserved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parts {
    set_aside: BTreeMap<String, SetAside>,
    /// By what is public, and by parts that overlap; each question once.
    unreserved: Spend,
    /// The share that is reserved by parts which are not listed here.
    reserved_elsewhere: Rational,
}

impl Parts {
    pub(crate) fn none() -> Self {
        Self { set_aside: BTreeMap::new(), unreserved: Spend::nothing(), reserved_elsewhere: Rational::zero() }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&SetAside> {
        self.set_aside.get(name)
    }

    pub(crate) fn all(&self) -> &BTreeMap<String, SetAside> {
        &self.set_aside
    }

    /// The same with this part alone; of the others it is known what they reserve, which nobody's answers decide.
    pub(crate) fn only(&self, part: &Part) -> Self {
        let name = match part {
            Part::Named(name) => name.as_str(),
            Part::Whole => "",
        };
        let own = self.set_aside.get_key_value(name).map(|(name, part)| (name.clone(), part.clone()));
        Self {
            set_aside: own.into_iter().collect(),
            unreserved: Spend::nothing(),
            reserved_elsewhere: self.reserved_but(name),
        }
    }

    /// The share of ln R that nobody has to himself.
    pub(crate) fn unreserved_share(&self) -> Rational {
        whole(1) - self.reserved_but("")
    }

    fn reserved_but(&self, name: &str) -> Rational {
        let others = self.set_aside.iter().filter(|(known, part)| *known != name && part.sharing == Sharing::Reserved);
        others.fold(self.reserved_elsewhere.clone(), |sum, (_, part)| sum + &part.share)
    }

    /// What one who asks may spend, when `limit` is the whole; `None` where nothing is set aside for this one.
    pub(crate) fn allowances(&self, part: &Part, limit: &Spend) -> Option<Vec<Allowance>> {
        let unreserved =
            || Allowance { spent: self.unreserved.clone(), limit: share_of(limit, &self.unreserved_share()) };
        let Part::Named(name) = part else { return Some(vec![unreserved()]) };
        let own = self.set_aside.get(name)?;
        let mut all = vec![Allowance { spent: own.spent.clone(), limit: share_of(limit, &own.share) }];
        if own.sharing == Sharing::Overlapping {
            all.push(unreserved());
        }
        Some(all)
    }

    /// Whether a charge of this part takes from what is not reserved.
    pub(crate) fn takes_unreserved(&self, part: &Part) -> bool {
        match part {
            Part::Whole => true,
            Part::Named(name) => self.get(name).is_some_and(|part| part.sharing == Sharing::Overlapping),
        }
    }

    /// Whether all that is spent fits a promise of this limit.
    pub(crate) fn fit(&self, limit: &Spend) -> Result<bool, SpendError> {
        let unreserved = self.unreserved.fits(&share_of(limit, &self.unreserved_share()))?;
        self.set_aside
            .values()
            .try_fold(unreserved, |so_far, part| Ok(so_far && part.spent.fits(&share_of(limit, &part.share))?))
    }

    /// Whether this may be set aside, when `limit` is the whole. A share of 0 gives back what was never used.
    pub(crate) fn check(&self, name: &str, share: &Rational, sharing: Sharing, limit: &Spend) -> Result<(), PartFault> {
        let is_readable = |c: char| c.is_alphanumeric() || "_.@-".contains(c);
        if name.is_empty() || name.len() > LONGEST || !name.chars().all(is_readable) {
            return Err(PartFault::Name);
        }
        if share.is_negative() || *share > whole(1) {
            return Err(PartFault::Share(share.clone()));
        }
        match self.get(name) {
            None if share.is_zero() => return Err(PartFault::Nothing(name.to_owned())),
            Some(known) if known.share == *share && known.sharing == sharing => {
                return Err(PartFault::Same(name.to_owned()));
            }
            Some(known) if !known.spent.is_nothing() && (*share < known.share || sharing != known.sharing) => {
                return Err(PartFault::InUse(name.to_owned()));
            }
            _ => {}
        }
        let own = if sharing == Sharing::Reserved { share.clone() } else { Rational::zero() };
        let reserved = self.reserved_but(name) + own;
        if reserved > whole(1) {
            return Err(PartFault::TooMuch { reserved });
        }
        let left = whole(1) - reserved;
        if !self.unreserved.fits(&share_of(limit, &left))? {
            return Err(PartFault::Spent { left, spent: self.unreserved.clone() });
        }
        Ok(())
    }

    /// Takes in what was checked.
    pub(crate) fn set_aside(&mut self, name: String, share: Rational, sharing: Sharing) {
        if share.is_zero() {
            self.set_aside.remove(&name);
            return;
        }
        let spent = self.get(&name).map_or_else(Spend::nothing, |known| known.spent.clone());
        self.set_aside.insert(name, SetAside { share, sharing, spent });
    }

    /// Takes in a charge. `again` when what is not reserved has paid for the same question before.
    pub(crate) fn record(&mut self, part: &Part, cost: &Spend, again: bool) {
        if self.takes_unreserved(part) && !again {
            self.unreserved = self.unreserved.and(cost);
        }
        if let Part::Named(name) = part
            && let Some(own) = self.set_aside.get_mut(name)
        {
            own.spent = own.spent.and(cost);
        }
    }
}

/// A share of a limit; of none of it, an odds ratio of 1.
fn share_of(limit: &Spend, share: &Rational) -> Spend {
    limit.share(share).unwrap_or_else(|_| Spend::nothing())
}

impl Ledger {
    /// Sets a share of an account's promise aside under a name, or changes what is set aside; a share of 0 gives back what was never used.
    /// On disk when this returns.
    ///
    /// # Errors
    /// When there is no such account, or the rules of this page do not allow it.
    pub fn set_aside(
        &mut self,
        account: &AccountId,
        name: &str,
        share: &Rational,
        sharing: Sharing,
    ) -> Result<(), PartError> {
        let act = self.book.begin()?;
        let known = act.state.account(account);
        let known = known.ok_or_else(|| PartError::NoAccount(account.clone().into()))?;
        known.parts.check(name, share, sharing, known.guarantee.limit())?;
        let (account, part) = (account.clone(), name.to_owned());
        act.append(Event::PartSetAside(PartSetAside { account, part, share: share.clone().into(), sharing }))?;
        Ok(())
    }
}
