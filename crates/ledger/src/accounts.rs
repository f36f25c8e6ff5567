//! Accounts and what is promised for them.

use crate::entry::{AccountId, Event, GuaranteeChanged, GuaranteeStated};
use crate::ledger::Ledger;
use crate::state::Terms;
use crate::store::StoreError;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::guarantee::Guarantee;

/// An account that cannot be opened or changed so.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another promise holds. A promise is made once for all policies over the same people.
    #[error(
        "the ledger records another promise for this account: {recorded}; this policy states {asked}. State the \
         recorded promise, or change it for everyone with `deniable ledger change-promise`"
    )]
    TermsDiffer {
        /// The terms in force.
        recorded: Box<Terms>,
        /// The terms asked for.
        asked: Box<Guarantee>,
    },
    /// Policies over the same people must agree on the entity key and the adjacency.
    #[error(
        "the ledger counts {recorded}, but this policy counts {asked}; over the same people the entity key and \
         whether the adversary knows the size cannot differ: state them as recorded"
    )]
    AccountDiffers {
        /// The account that is there.
        recorded: Box<AccountId>,
        /// The account asked for.
        asked: Box<AccountId>,
    },
    /// No such account.
    #[error("the ledger has no account for {0}; the first release or data check of a policy opens it")]
    NoAccount(Box<AccountId>),
    /// Terms of the first format, which a change must not leave behind unstated.
    #[error(
        "the ledger records its promise in the words of an earlier format: {0}. State that promise in the policy and run \
         `deniable data check` or a release once, which records it as data; then change it"
    )]
    InWords(Box<Terms>),
    /// A change needs a reason.
    #[error("a promise is not changed without a reason; give one, it is kept in the ledger")]
    NoReason,
    /// The new terms are the old ones.
    #[error("these terms are already in force; nothing was changed")]
    NothingChanged,
    /// What was released cannot be taken back.
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
    /// What was charged to a part of the budget cannot be taken back either.
    #[error(
        "with a limit of {}, what was charged to a part of the budget, or to what is for everybody, would exceed its share of it; what \
         was released cannot be taken back, so promise more", .limit.in_words()
    )]
    PartBelowSpent {
        /// The limit asked for.
        limit: Spend,
    },
    /// What was charged was counted for smaller groups.
    #[error(
        "answers were charged as odds about groups of at most {recorded}, and about {asked} people who move together \
         they may have told more; the ledger cannot promise that any more"
    )]
    GroupGrew {
        /// The size in force.
        recorded: u32,
        /// The size asked for.
        asked: u32,
    },
    /// The limits are too close to tell apart.
    #[error(transparent)]
    Undecided(#[from] SpendError),
}

impl Ledger {
    /// Makes sure that there is an account with this guarantee. Where a ledger of the first format has its terms in words, and
    /// they say the same, they are stated as data.
    ///
    /// # Errors
    /// When the account's terms are others, or its place is taken by an account with another entity key or
    /// adjacency. A population has one account of each [`Secret`](crate::Secret).
    pub fn open_account(&mut self, guarantee: &Guarantee) -> Result<(), AccountError> {
        let act = self.book.begin()?;
        let id = AccountId::of(guarantee);
        if let Some(account) = act.state.account_in_place(&id) {
            if account.id != id {
                return Err(AccountError::AccountDiffers { recorded: account.id.clone().into(), asked: id.into() });
            }
            if !account.terms.are(guarantee) {
                let (recorded, asked) = (account.terms.clone().into(), guarantee.clone().into());
                return Err(AccountError::TermsDiffer { recorded, asked });
            }
            if let Terms::Data(_) = account.terms {
                return Ok(());
            }
        }
        act.append(Event::GuaranteeStated(GuaranteeStated { guarantee: guarantee.clone() }.into()))?;
        Ok(())
    }

    /// Changes the guarantee of an account, on the record; says whether the new one promises less.
    ///
    /// # Errors
    /// Without an account, a reason or a difference, when the new limit is below what is spent, and when the terms in force are
    /// words of the first format: they must be stated as data first ([`Self::open_account`] with what they promise).
    pub fn change_promise(&mut self, to: &Guarantee, reason: &str) -> Result<bool, AccountError> {
        if reason.trim().is_empty() {
            return Err(AccountError::NoReason);
        }
        let act = self.book.begin()?;
        let id = AccountId::of(to);
        let account = act.state.account(&id).ok_or_else(|| AccountError::NoAccount(id.into()))?;
        if account.terms.are(to) {
            return Err(AccountError::NothingChanged);
        }
        if !account.spent.fits(to.limit())? {
            return Err(AccountError::BelowSpent { spent: account.spent.clone(), limit: to.limit().clone() });
        }
        if !account.parts.fit(to.limit())? {
            return Err(AccountError::PartBelowSpent { limit: to.limit().clone() });
        }
        if to.group() > account.terms.group() && !account.spent.is_nothing() {
            return Err(AccountError::GroupGrew { recorded: account.terms.group(), asked: to.group() });
        }
        let Terms::Data(from) = account.terms.clone() else {
            return Err(AccountError::InWords(account.terms.clone().into()));
        };
        let weaker = to.weaker_than(&from)?;
        let change = GuaranteeChanged { from: *from, to: to.clone(), reason: reason.to_owned(), weaker };
        act.append(Event::GuaranteeChanged(change.into()))?;
        Ok(weaker)
    }
}
