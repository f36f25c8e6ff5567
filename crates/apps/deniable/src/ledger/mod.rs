//! Ledgers: the queries about a population, the budget spent, and the budget remaining. Sessions write them; this
//! module reads and verifies them, withdraws answers, fixes sizes beforehand, and replaces a promise.

#[cfg(feature = "sql")]
mod changes;
#[cfg(feature = "sql")]
mod parts;

#[cfg(feature = "gwas")]
pub(crate) use changes::change_cohort_promise;
#[cfg(feature = "sql")]
pub use changes::{
    ChangeError, MOST_SIZES, PromiseChange, SizesFixed, WithdrawnAnswer, change_promise, fix_sizes, withdraw,
};
pub use deniable_ledger::{
    AcceptHeadError, AcceptedHead, Account, AccountError, AccountId, ChargeError, FixError, FixedSize, Head, OpenError,
    Part, PartError, PartFault, RegistrationOutcome, Release, Sharing, StoreError, Summary, VerifiedLedger,
    VerifyError, VersionName, WithdrawError, Withdrawal, accept_head, show,
};
// Only the function, without the module of the same name.
pub use deniable_ledger::verify::verify;
#[cfg(feature = "sql")]
pub use deniable_report::overview::Overview;
#[cfg(feature = "sql")]
pub use parts::{GivenBack, PartChangeError, PartSetAside, give_back, set_aside};

/// Reads a ledger for display. It contains the curator's notes: it is not for analysts.
///
/// # Errors
/// When the file is not a ledger, is damaged, or is older than its head.
#[cfg(feature = "sql")]
pub fn overview(path: &std::path::Path) -> Result<Overview, StoreError> {
    Ok(Overview::new(&show(path)?))
}
