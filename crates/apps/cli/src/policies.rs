//! Policies as the commands take them: read, priced, with the files that they need, and as sessions.

use crate::args::policy::PolicyPlace;
use crate::error::Failure;
use deniable::Session;
use deniable_core::schema::{Format, url_scheme, without_credentials};
use deniable_data::SourceError;
use deniable_policy::Policy;
use deniable_release::{Plan, TableVersion, with_public_keys};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Reads the policy, and the keys that it takes from public tables. The flags' paths start at the working folder.
pub fn load(place: &PolicyPlace) -> Result<Policy, Failure> {
    let mut policy = Policy::load(&place.policy)?;
    if let Some(data) = &place.data {
        // A URL is no path: it stays as it is written, and the data's reader says what becomes of it.
        let written = data.to_string_lossy();
        let path = match url_scheme(&written) {
            Some(_) => written.to_string(),
            None => absolute(data).to_string_lossy().into_owned(),
        };
        policy = policy.with_data_at(path).map_err(|format| {
            let help = "name data of the policy's format, or write another policy for these";
            let shown = without_credentials(&written);
            Failure::refused(format!("--data {shown} is {format}, and the policy's data is not"), help)
        })?;
    }
    if let Some(ledger) = &place.ledger {
        policy = policy.with_ledger(absolute(ledger));
    }
    Ok(with_public_keys(policy)?)
}

/// Reads the policy and prices its asks.
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

/// Whether the policy's data can be found.
pub fn locate(plan: &Plan) -> Result<(), SourceError> {
    TableVersion::locate_all(plan, &BTreeMap::new()).map(drop)
}

/// The files that a plan needs: its tables as far as they can be found, the policy and the ledger.
pub fn own_files(plan: &Plan) -> Vec<PathBuf> {
    let folder = plan.policy().folder();
    let files = |(table, data): (deniable_core::schema::TableSchema, deniable_core::schema::Data)| {
        if matches!(data.format, Format::Postgres { .. } | Format::Engine { .. }) {
            return Vec::new();
        }
        let found = deniable_data::Source::locate(table, &data, folder).map(|source| source.files());
        // Not found as a table, it may still be a file.
        found.unwrap_or_else(|_| vec![folder.join(&data.path)])
    };
    let tables = plan.tables().into_iter().flat_map(files);
    tables.chain([plan.policy().file().to_owned(), plan.policy().ledger().to_owned()]).collect()
}

/// A path that does not depend on the working folder.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
