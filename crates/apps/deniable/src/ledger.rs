//! Ledgers: what was asked about a population, what is spent, and what is left. Sessions write them; this reads and verifies them.

pub use deniable_ledger::{
    AcceptHeadError, AcceptedHead, Account, AccountId, ChargeError, Head, OpenError, Part, RegistrationOutcome,
    Release, StoreError, Summary, VerifiedLedger, VerifyError, accept_head, show,
};
// The function alone, without the module of the same name.
pub use deniable_ledger::verify::verify;
