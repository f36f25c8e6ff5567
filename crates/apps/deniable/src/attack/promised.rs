//! The promise of a ledger about membership, as bounds on every test.

use super::error::Error;
use deniable_attack::Bounds;
use deniable_attack::report::{PromiseSource, Promised};
use deniable_core::budget::Spend;
use deniable_core::secret::Secret;
use deniable_ledger::{Account, Release, Summary};
use std::path::Path;

/// The bound on every test: that of all releases, unless one entry is selected, since a test that uses one release
/// alone is bounded by that release.
pub fn promised(ledger: Option<&Path>, entry: Option<u64>) -> Result<Promised, Error> {
    let Some(path) = ledger else { return Ok(Promised::NoLedger) };
    let summary = deniable_ledger::show(path)?;
    if let Some(entry) = entry {
        return of_entry(&summary, entry);
    }
    let population = summary.population.clone();
    let accounts: Vec<&Account> = summary.accounts.iter().filter(|one| one.id.kind == Secret::Membership).collect();
    if accounts.is_empty() {
        let is_empty = summary.accounts.is_empty();
        return Ok(if is_empty { Promised::NothingReleased { population } } else { Promised::Labels(None) });
    }
    let spent = accounts.iter().fold(Spend::nothing(), |sum, account| sum.and(&account.spent));
    let releases = accounts.iter().map(|account| account.releases.len()).sum();
    Ok(Promised::Bounded(Bounds::of(&spent), PromiseSource::All { population, releases }))
}

fn of_entry(summary: &Summary, entry: u64) -> Result<Promised, Error> {
    let all = || summary.accounts.iter().flat_map(|account| account.releases.iter().map(move |one| (account, one)));
    let membership: Vec<&Release> =
        all().filter(|(account, _)| account.id.kind == Secret::Membership).map(|(_, one)| one).collect();
    if let Some(release) = membership.iter().find(|release| release.seq == entry) {
        let source = PromiseSource::Entry { entry, name: release.query.name.clone() };
        return Ok(Promised::Bounded(Bounds::of(&release.cost), source));
    }
    if all().any(|(_, release)| release.seq == entry) {
        return Ok(Promised::Labels(Some(entry)));
    }
    let known = membership.iter().take(10).map(|release| (release.seq, release.query.name.clone())).collect();
    Err(Error::NoEntry { entry, known })
}
