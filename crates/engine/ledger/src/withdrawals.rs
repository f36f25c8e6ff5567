//! Withdrawn answers: a curator marks answers that turned out to be wrong.
//!
//! A withdrawal changes no charge, no price and no stored number: what was released cannot be taken back. The identical
//! query still returns the stored answer, free, and marked with the day and the reason. All answers of one identity are
//! withdrawn together, in every account and part, since their numbers are the same.
//!
//! A charge after the withdrawal is not marked: the mark would reveal that another analyst had the answer before (C-7).
//! The curator withdraws it, too, by its own entry.

use crate::accounts::{Account, Release};
use crate::entry::{AccountId, AnswerWithdrawn, Event};
use crate::ledger::Ledger;
use crate::state::{Contradiction, State, Summary};
use crate::store::StoreError;
use deniable_core::text::is_hidden;
use jiff::Timestamp;

/// Most characters of a reason, which is shown beside the answer.
pub const LONGEST_REASON: usize = 300;

/// The withdrawal of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawal {
    /// The number of its entry.
    pub seq: u64,
    /// The time of the withdrawal.
    pub at: Timestamp,
    /// The curator's reason: public, for all readers of the answer.
    pub reason: String,
}

impl Withdrawal {
    /// The day of the withdrawal (UTC), as `2026-11-27`.
    #[must_use]
    pub fn day(&self) -> String {
        self.at.strftime("%Y-%m-%d").to_string()
    }
}

/// An answer that was not withdrawn.
#[derive(Debug, thiserror::Error)]
pub enum WithdrawError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The entry is not a charge.
    #[error(
        "entry {0} is not the charge of an answer; name the charge by its number in `deniable ledger show`, in the \
         column \"entry\""
    )]
    NotACharge(u64),
    /// The charge has no answer.
    #[error("charge {0} has no answer, so there is nothing to withdraw; nothing was changed")]
    NotAnswered(u64),
    /// The answer is withdrawn.
    #[error(
        "the answer of charge {charge} was withdrawn on {} already, by entry {}: {}; nothing was changed",
        .earlier.day(), .earlier.seq, .earlier.reason
    )]
    Twice {
        /// The charge.
        charge: u64,
        /// Its withdrawal.
        earlier: Withdrawal,
    },
    /// The reason is empty, too long, or contains characters that a display would not show.
    #[error(
        "the reason is shown to all readers of the answer: write 1 to {LONGEST_REASON} characters on one line, without \
         control characters"
    )]
    Reason,
}

fn is_reason(reason: &str) -> bool {
    !reason.trim().is_empty() && reason.chars().count() <= LONGEST_REASON && !reason.contains(is_hidden)
}

impl Account {
    /// The withdrawal of an answer to a query of this identity, if any.
    #[must_use]
    pub fn withdrawal(&self, identity: &str) -> Option<&Withdrawal> {
        self.charged(identity).find_map(|release| release.withdrawn.as_ref())
    }
}

impl Summary {
    /// The withdrawal of an answer of an account, if any.
    #[must_use]
    pub fn withdrawal(&self, account: &AccountId, identity: &str) -> Option<&Withdrawal> {
        self.accounts.iter().find(|known| known.id == *account)?.withdrawal(identity)
    }
}

impl State {
    /// Every charge of an identity whose answer is not withdrawn, in all parts and accounts, by number.
    fn withdrawable(&self, identity: &str) -> Vec<u64> {
        let releases = self.accounts().iter().flat_map(|account| account.charged(identity));
        let is_open = |release: &&Release| release.answer.is_some() && release.withdrawn.is_none();
        let mut all: Vec<u64> = releases.filter(is_open).map(|release| release.seq).collect();
        all.sort_unstable();
        all
    }

    pub(crate) fn check_withdrawal(&self, new: &AnswerWithdrawn) -> Result<(), Contradiction> {
        let first = new.charges.first().and_then(|charge| self.release(*charge));
        let first = first.ok_or(Contradiction::NotWithdrawable)?;
        if is_reason(&new.reason) && self.withdrawable(&first.query.identity) == new.charges {
            Ok(())
        } else {
            Err(Contradiction::NotWithdrawable)
        }
    }
}

impl Ledger {
    /// Withdraws the answer of a charge, given by the number of its entry, with all other answers of the same identity.
    /// They stay charged and stored. On disk when this returns.
    ///
    /// # Errors
    /// When the entry is not a charge with an answer, the answer is withdrawn already, or the reason cannot be shown.
    pub fn withdraw(&mut self, charge: u64, reason: &str) -> Result<Withdrawal, WithdrawError> {
        let reason = reason.trim();
        if !is_reason(reason) {
            return Err(WithdrawError::Reason);
        }
        let act = self.book.begin()?;
        let release = act.state.release(charge).ok_or(WithdrawError::NotACharge(charge))?;
        if let Some(earlier) = &release.withdrawn {
            return Err(WithdrawError::Twice { charge, earlier: earlier.clone() });
        }
        if release.answer.is_none() {
            return Err(WithdrawError::NotAnswered(charge));
        }
        let charges = act.state.withdrawable(&release.query.identity);
        act.append(Event::AnswerWithdrawn(AnswerWithdrawn { charges, reason: reason.to_owned() }))?;
        let withdrawn = self.book.state.release(charge).and_then(|release| release.withdrawn.clone());
        withdrawn.ok_or(WithdrawError::NotACharge(charge))
    }
}
