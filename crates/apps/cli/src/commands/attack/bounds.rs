//! What a ledger promises about membership, as bounds on every test.

use crate::error::Failure;
use crate::ledgers;
use deniable_attack::Bounds;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal};
use deniable_core::secret::Secret;
use deniable_ledger::{Account, Release, Summary};
use std::path::Path;

/// The bound, or why there is none; in words either way.
pub struct PromisedBounds {
    /// The bounds; `None` where nothing was promised about membership.
    pub bounds: Option<Bounds>,
    /// Where they come from, as "entry 4", or why there are none: a sentence without its end.
    pub words: String,
    /// Whether there are none because the promise is about labels.
    pub is_about_labels: bool,
}

impl PromisedBounds {
    fn nothing(words: String) -> Self {
        Self { bounds: None, words, is_about_labels: false }
    }

    /// In one line: the odds and where they come from, or why there are none.
    pub fn line(&self) -> String {
        match &self.bounds {
            Some(bounds) => format!(
                "allowed by odds of at most {} from {}, if this table is of it",
                written(bounds.odds()),
                self.words
            ),
            None => format!("no bound: {}", self.words),
        }
    }

    fn labels(words: String) -> Self {
        Self { bounds: None, words, is_about_labels: true }
    }
}

/// What a ledger says of membership. Of everything that was released, unless one entry is chosen: a test that looks at one
/// release alone is bounded by that release.
///
/// # Errors
/// When the ledger cannot be read, or the entry is no charge for membership.
pub fn promised(ledger: Option<&Path>, entry: Option<u64>) -> Result<PromisedBounds, Failure> {
    let Some(path) = ledger else {
        return Ok(PromisedBounds::nothing(
            "no ledger is named (--ledger), so nothing is known to be promised".to_owned(),
        ));
    };
    let summary = deniable_ledger::show(&ledgers::path(path)?)?;
    if let Some(entry) = entry {
        return of_entry(&summary, entry);
    }
    let accounts: Vec<&Account> = summary.accounts.iter().filter(|one| one.id.kind == Secret::Membership).collect();
    if accounts.is_empty() {
        return Ok(if summary.accounts.is_empty() {
            PromisedBounds::nothing(format!("nothing has been released about {} under this ledger", summary.population))
        } else {
            PromisedBounds::labels(
                "the ledger's promise is about who is a case, and bounds no test of who took part".to_owned(),
            )
        });
    }
    let spent = accounts.iter().fold(Spend::nothing(), |sum, account| sum.and(&account.spent));
    let releases: usize = accounts.iter().map(|account| account.releases.len()).sum();
    let many = if releases == 1 { "1 release".to_owned() } else { format!("{releases} releases") };
    Ok(bounded(&spent, &format!("everything that was released about {} ({many})", summary.population)))
}

fn of_entry(summary: &Summary, entry: u64) -> Result<PromisedBounds, Failure> {
    let all = || summary.accounts.iter().flat_map(|account| account.releases.iter().map(move |one| (account, one)));
    let membership: Vec<&Release> =
        all().filter(|(account, _)| account.id.kind == Secret::Membership).map(|(_, one)| one).collect();
    if let Some(release) = membership.iter().find(|release| release.seq == entry) {
        return Ok(bounded(&release.cost, &format!("entry {entry}, \"{}\"", release.query.name)));
    }
    if all().any(|(_, release)| release.seq == entry) {
        let words = format!("entry {entry} was charged to labels, which bounds no test of who took part");
        return Ok(PromisedBounds::labels(words));
    }
    let known: Vec<String> =
        membership.iter().take(10).map(|release| format!("{} ({})", release.seq, release.query.name)).collect();
    let help = match known.is_empty() {
        true => "the ledger holds no charge for membership; `deniable ledger show` has all entries".to_owned(),
        false => format!("charges for membership are {}", known.join(", ")),
    };
    Err(Failure::usage(format!("--entry {entry} is no charge of this ledger"), help))
}

fn bounded(spent: &Spend, what: &str) -> PromisedBounds {
    let bounds = Bounds::of(spent);
    PromisedBounds { bounds: Some(bounds), words: what.to_owned(), is_about_labels: false }
}

/// Odds, as short as four decimals allow, upward.
pub fn written(odds: &Rational) -> String {
    let text = decimal(odds, 4, Rounding::Up);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
