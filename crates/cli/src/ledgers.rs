//! Ledgers as the commands open them: one that a policy names, or by its own path.

use crate::args::policy::LedgerPlace;
use crate::console::{say, shown};
use crate::error::Failure;
use crate::policies::locate;
use deniable_ledger::{Account, AccountId, Ledger};
use deniable_policy::Policy;
use deniable_release::Plan;
use std::path::{Path, PathBuf};

/// The account of the ledger that a policy is charged to, if there is one already. Begins no ledger.
pub fn account(policy: &Policy) -> Result<Option<Account>, Failure> {
    if !policy.ledger().exists() {
        return Ok(None);
    }
    let summary = deniable_ledger::show(policy.ledger())?;
    let id = AccountId::of(policy.guarantee());
    Ok(summary.accounts.into_iter().find(|account| account.id == id))
}

/// The ledger itself, or the one that a policy names.
pub fn path(path: &Path) -> Result<PathBuf, Failure> {
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Ok(Policy::load(path)?.ledger().to_owned());
    }
    Ok(path.to_owned())
}

/// The one that a command line names, by its place or its flag.
pub fn of(place: &LedgerPlace) -> Result<PathBuf, Failure> {
    let named = || Failure::usage("nothing says which ledger", "name a ledger, or a policy that names one");
    path(place.path().ok_or_else(named)?)
}

/// Opens the policy's ledger, and says so when it begins a new one.
pub fn open(plan: &Plan) -> Result<Ledger, Failure> {
    if !plan.policy().ledger().exists() {
        // A mistyped path to the data should not leave an empty ledger behind.
        locate(plan)?;
    }
    let ledger = Ledger::open_or_create(plan.policy().ledger(), plan.policy().population())?;
    if ledger.is_new() {
        say(format!("a new ledger begins: {}", shown(plan.policy().ledger())));
    }
    Ok(ledger)
}
