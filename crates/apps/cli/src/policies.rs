//! Policies of commands: reading, pricing, input files and sessions.

use crate::args::policy::PolicyPlace;
use crate::error::Failure;
use deniable::{Plan, Policy, Session, SourceError, TableVersion, with_public_keys};
use deniable_core::schema::{url_scheme, without_credentials};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Reads the policy, and its keys from public tables. Paths of flags are relative to the working folder.
pub fn load(place: &PolicyPlace) -> Result<Policy, Failure> {
    let mut policy = Policy::load(&place.policy)?;
    if let Some(data) = &place.data {
        // A URL is not made absolute; the reader of the data validates it.
        let written = data.to_string_lossy();
        let path = match url_scheme(&written) {
            Some(_) => written.to_string(),
            None => absolute(data).to_string_lossy().into_owned(),
        };
        policy = policy.with_data_at(path).map_err(|format| {
            let help = "name data in the policy's format, or write another policy for this file";
            let shown = without_credentials(&written);
            Failure::refused(format!("--data {shown} is {format}, and the policy's data is not"), help)
        })?;
    }
    if let Some(ledger) = &place.ledger {
        policy = policy.with_ledger(absolute(ledger));
    }
    Ok(with_public_keys(policy)?)
}

/// Reads the policy and prices its queries.
pub fn plan(place: &PolicyPlace) -> Result<Plan, Failure> {
    Ok(Plan::new(load(place)?)?)
}

/// Reads the policy and begins a session with it.
pub fn session(place: &PolicyPlace) -> Result<Session, Failure> {
    Ok(Session::of_plan(plan(place)?)?)
}

/// Keeps the queries that were chosen by name.
pub fn choose(plan: &mut Plan, names: &[String]) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    *plan = plan.named(&names).map_err(deniable::Error::from)?;
    Ok(())
}

/// Checks that the policy's data can be found.
pub fn locate(plan: &Plan) -> Result<(), SourceError> {
    TableVersion::locate_all(plan, &BTreeMap::new()).map(drop)
}

/// Makes a path absolute; keeps it if that fails.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
