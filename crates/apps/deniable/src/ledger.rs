//! Ledgers: the queries about a population, the budget spent, and the budget remaining. Sessions write them; this
//! module reads and verifies them.

pub use deniable_ledger::{
    AcceptHeadError, AcceptedHead, Account, AccountId, ChargeError, Head, OpenError, Part, RegistrationOutcome,
    Release, StoreError, Summary, VerifiedLedger, VerifyError, VersionName, Withdrawal, accept_head, show,
};
// Only the function, without the module of the same name.
pub use deniable_ledger::verify::verify;
