//! The odds spent on each version of the data, and the limit that a policy sets for them.
//!
//! A limit by version is a share of each allowance of the payer: of the unreserved share, and of the part that pays. So
//! the charges of all payers together stay within this share of the promise, and a refusal depends on the payer's own
//! allowances only (C-7, C-8). Public tables have no limit: the caller names the protected tables.

use crate::entry::Charge;
use crate::parts::Allowance;
use deniable_core::budget::Spend;
use deniable_core::exact::Rational;
use std::collections::BTreeMap;

/// Separates tables, and their versions, in a charge.
const SEPARATOR: &str = " + ";

/// A version of a table or cohort, by its declared name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionName {
    /// The table.
    pub source: String,
    /// Its version.
    pub version: String,
}

impl std::fmt::Display for VersionName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "version \"{}\" of `{}`", self.version, self.source)
    }
}

/// The share of each allowance that all charges on one version may use together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionLimit {
    /// The share, in (0, 1].
    pub share: Rational,
    /// The versions that the query reads.
    pub versions: Vec<VersionName>,
}

impl Charge {
    /// Whether the query reads this version. Charges join the names of several tables, and of their versions, by
    /// ` + `; a name that contains this text counts wherever it may be meant.
    #[must_use]
    pub fn reads(&self, version: &VersionName) -> bool {
        reads(&self.source, &self.version, version)
    }
}

fn reads(sources: &str, versions: &str, wanted: &VersionName) -> bool {
    let names = |text: &str| text.split(SEPARATOR).count();
    let is_plain = |text: &str| !text.contains(SEPARATOR);
    if is_plain(&wanted.source) && is_plain(&wanted.version) && names(sources) == names(versions) {
        let mut pairs = sources.split(SEPARATOR).zip(versions.split(SEPARATOR));
        return pairs.any(|pair| pair == (wanted.source.as_str(), wanted.version.as_str()));
    }
    let within =
        |all: &str, one: &str| format!("{SEPARATOR}{all}{SEPARATOR}").contains(&format!("{SEPARATOR}{one}{SEPARATOR}"));
    within(sources, &wanted.source) && within(versions, &wanted.version)
}

/// The odds spent, by the tables and versions of charges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpentByVersion(BTreeMap<(String, String), Spend>);

impl SpentByVersion {
    pub(crate) fn record(&mut self, query: &Charge, cost: &Spend) {
        let key = (query.source.clone(), query.version.clone());
        let spent = self.0.entry(key).or_insert_with(Spend::nothing);
        *spent = spent.and(cost);
    }

    /// The odds spent on queries that read this version.
    #[must_use]
    pub fn on(&self, version: &VersionName) -> Spend {
        let of_version = self.0.iter().filter(|((sources, versions), _)| reads(sources, versions, version));
        of_version.fold(Spend::nothing(), |sum, (_, spent)| sum.and(spent))
    }
}

impl Allowance {
    /// The share of this allowance that charges on one version may use, and the odds spent of it.
    #[must_use]
    pub fn on_version(&self, version: &VersionName, share: &Rational) -> Self {
        let limit = self.limit.share(share).unwrap_or_else(|_| Spend::nothing());
        Self { spent: self.by_version.on(version), limit, by_version: SpentByVersion::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_names_are_compared_in_pairs() {
        let name = |source: &str, version: &str| VersionName { source: source.into(), version: version.into() };
        let reads = |sources, versions, source, version| reads(sources, versions, &name(source, version));
        assert!(reads("visits", "1", "visits", "1") && !reads("visits", "1", "visits", "2"));
        let both = |source, version| reads("visits + stays", "1 + 2", source, version);
        assert!(both("visits", "1") && both("stays", "2"));
        assert!(!both("visits", "2") && !both("stays", "1") && !both("visit", "1"));
        // Names that contain the separator are never missed, and may count for a join, too.
        assert!(both("visits", "1 + 2"));
        assert!(reads("a + b", "1", "a + b", "1") && reads("a + b + c", "1 + 2", "a + b", "1"));
        assert!(reads("visits", "1 + 2", "visits", "1 + 2") && reads("visits + stays", "1 + 2 + 3", "stays", "2 + 3"));
        assert!(reads("visits + stays", "1 + 2 + 3", "stays", "3") && !reads("visits", "1 + 2", "stays", "1 + 2"));
    }
}
