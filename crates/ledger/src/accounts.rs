//! Accounts and what is promised for them.

use crate::entry::{AccountId, AccountOpened, Event, PromiseChanged, Terms};
use crate::ledger::Ledger;
use crate::store::StoreError;
use deniable_core::budget::{Spend, SpendError};

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
        asked: Box<Terms>,
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
    /// A change needs a reason.
    #[error("a promise is not changed without a reason; give one, it is kept in the ledger")]
    NoReason,
    /// The new terms are the old ones.
    #[error("these terms are already in force; nothing was changed")]
    NothingChanged,
    /// What was released cannot be taken back.
    #[error(
        "the new limit is an odds ratio of {limit}, but {spent} is already spent; what was released cannot be \
         taken back, so promise at least that"
    )]
    BelowSpent {
        /// The odds ratio spent.
        spent: Spend,
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
    /// Makes sure that there is an account on these terms.
    ///
    /// # Errors
    /// When the account's terms are others, or its place is taken by an account with another entity key or
    /// adjacency. A universe has one account of each [`Secret`](crate::Secret).
    pub fn open_account(&mut self, id: &AccountId, terms: &Terms) -> Result<(), AccountError> {
        let act = self.book.begin()?;
        match act.state.account_in_place(id) {
            None => {
                act.append(Event::AccountOpened(AccountOpened { account: id.clone(), terms: terms.clone() }))?;
                Ok(())
            }
            Some(account) if account.id != *id => {
                Err(AccountError::AccountDiffers { recorded: account.id.clone().into(), asked: id.clone().into() })
            }
            Some(account) if account.terms != *terms => {
                Err(AccountError::TermsDiffer { recorded: account.terms.clone().into(), asked: terms.clone().into() })
            }
            Some(_) => Ok(()),
        }
    }

    /// Changes the terms of an account, on the record; says whether the new limit is weaker.
    ///
    /// # Errors
    /// Without an account, a reason or a difference, and when the new limit is below what is spent.
    pub fn change_promise(&mut self, id: &AccountId, terms: &Terms, reason: &str) -> Result<bool, AccountError> {
        if reason.trim().is_empty() {
            return Err(AccountError::NoReason);
        }
        let act = self.book.begin()?;
        let account = act.state.account(id).ok_or_else(|| AccountError::NoAccount(id.clone().into()))?;
        if account.terms == *terms {
            return Err(AccountError::NothingChanged);
        }
        if !account.spent.fits(&terms.limit)? {
            return Err(AccountError::BelowSpent { spent: account.spent.clone(), limit: terms.limit.clone() });
        }
        if terms.group > account.terms.group && !account.spent.is_nothing() {
            return Err(AccountError::GroupGrew { recorded: account.terms.group, asked: terms.group });
        }
        let weaker = terms.weaker_than(&account.terms)?;
        let change = PromiseChanged {
            account: id.clone(),
            from: account.terms.clone(),
            to: terms.clone(),
            reason: reason.to_owned(),
            weaker,
        };
        act.append(Event::PromiseChanged(change))?;
        Ok(weaker)
    }
}
