//! Ledgers as the commands find them: one that a policy names, or by its own path.

use crate::args::policy::LedgerPlace;
use crate::console::shown;
use crate::error::Failure;
use deniable_ledger::Ledger;
use deniable_policy::Policy;
use std::path::{Path, PathBuf};

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

/// Opens a ledger that is there, to change what it promises.
pub fn existing(path: &Path, population: &str) -> Result<Ledger, Failure> {
    if !path.exists() {
        let help = "the first release makes the promise; there is nothing to change before it";
        return Err(Failure::refused(format!("there is no ledger {}", shown(path)), help));
    }
    Ok(Ledger::open_or_create(path, population)?)
}
