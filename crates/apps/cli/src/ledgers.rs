//! Paths of ledgers: a ledger's own path, or the path that a policy names.

use crate::args::policy::LedgerPlace;
use crate::error::Failure;
use deniable::Policy;
use std::path::{Path, PathBuf};

/// The path of a ledger; of a policy (`.toml`), the path that it names.
pub fn path(path: &Path) -> Result<PathBuf, Failure> {
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Ok(Policy::load(path)?.ledger().to_owned());
    }
    Ok(path.to_owned())
}

/// The ledger that the command line names, as an argument or a flag.
pub fn named(place: &LedgerPlace) -> Result<PathBuf, Failure> {
    let missing = || Failure::usage("no ledger is named", "name a ledger, or a policy that names one");
    path(place.path().ok_or_else(missing)?)
}
