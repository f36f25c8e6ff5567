//! The odds spent on each version of the data, and the limit that a policy sets for them.
//!
//! A limit by version is a share of each allowance of the payer: of the unreserved share, and of the part that pays. So
//! the charges of all payers together stay within this share of the promise, and a refusal depends on the payer's own
//! allowances only (C-7, C-8). Public tables have no limit: the caller names the protected tables.

use crate::disjoint::{DisjointTables, SpentByPart};
use crate::entry::Charge;
use crate::parts::Allowance;
use deniable_core::budget::Spend;
use deniable_core::exact::Rational;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Separates tables, and their versions, in a charge.
pub(crate) const SEPARATOR: &str = " + ";

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

    /// The versions that the query reads.
    #[must_use]
    pub fn versions(&self) -> Vec<VersionName> {
        versions(&self.source, &self.version)
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

/// Joined names in pairs; if they do not pair up, one name, which is that of no single table.
fn versions(sources: &str, versions: &str) -> Vec<VersionName> {
    let name = |(source, version): (&str, &str)| VersionName { source: source.into(), version: version.into() };
    if sources.split(SEPARATOR).count() != versions.split(SEPARATOR).count() {
        return vec![name((sources, versions))];
    }
    sources.split(SEPARATOR).zip(versions.split(SEPARATOR)).map(name).collect()
}

/// The odds spent, by the tables and versions of charges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpentByVersion {
    by_version: BTreeMap<(String, String), Spend>,
    /// The bound on the odds about every person.
    total: Spend,
    /// The tables whose versions share no entity.
    disjoint: Arc<DisjointTables>,
}

impl Default for SpentByVersion {
    fn default() -> Self {
        Self::nothing(Arc::default())
    }
}

impl SpentByVersion {
    pub(crate) fn nothing(disjoint: Arc<DisjointTables>) -> Self {
        Self { by_version: BTreeMap::new(), total: Spend::nothing(), disjoint }
    }

    pub(crate) fn record(&mut self, query: &Charge, cost: &Spend) {
        self.add(&query.source, &query.version, cost);
    }

    fn add(&mut self, source: &str, version: &str, cost: &Spend) {
        let spent = self.by_version.entry((source.to_owned(), version.to_owned())).or_insert_with(Spend::nothing);
        *spent = spent.and(cost);
        self.total = if self.disjoint.is_empty() { self.total.and(cost) } else { self.by_part().total() };
    }

    /// Counts under another set of tables whose versions share no entity.
    pub(crate) fn set_disjoint(&mut self, disjoint: &Arc<DisjointTables>) {
        self.disjoint = disjoint.clone();
        self.total = self.by_part().total();
    }

    fn by_part(&self) -> SpentByPart {
        let mut spent = SpentByPart::default();
        for ((sources, names), cost) in &self.by_version {
            spent.record(self.disjoint.part(&versions(sources, names)), cost);
        }
        spent
    }

    /// The bound on the odds about every person (C-1, C-9): the product of all charges, of which those about versions
    /// that share no entity count for the two largest versions only.
    #[must_use]
    pub fn total(&self) -> &Spend {
        &self.total
    }

    /// The odds that a further charge about these versions multiplies: [`Self::total`] stays within a limit exactly if
    /// their product does. It is less than the total where other versions that share no entity with these have spent
    /// more.
    #[must_use]
    pub fn before(&self, versions: &[VersionName]) -> Spend {
        match self.disjoint.part(versions) {
            Some(part) => self.by_part().before(part),
            None => self.total.clone(),
        }
    }

    /// The part of the population that these versions are about (C-9): the name of the versions. `None` if all charges
    /// multiply with one about them.
    #[must_use]
    pub fn part<'a>(&self, versions: &'a [VersionName]) -> Option<&'a str> {
        self.disjoint.part(versions)
    }

    /// As [`Self::before`], for a version of which nothing is registered yet; `None` if no versions are known to share no entity.
    #[must_use]
    pub fn before_next(&self) -> Option<Spend> {
        // No registered version has an empty name that was charged.
        (!self.disjoint.is_empty()).then(|| self.by_part().before(""))
    }

    /// These charges and further ones: for each, the versions that it reads, and its cost.
    #[must_use]
    pub fn and<'a>(&self, charges: impl IntoIterator<Item = (&'a [VersionName], &'a Spend)>) -> Self {
        let mut all = self.clone();
        for (read, cost) in charges {
            let joined = |name: fn(&VersionName) -> &str| read.iter().map(name).collect::<Vec<_>>().join(SEPARATOR);
            all.add(&joined(|read| &read.source), &joined(|read| &read.version), cost);
        }
        all
    }

    /// The odds spent on queries that read this version.
    #[must_use]
    pub fn on(&self, version: &VersionName) -> Spend {
        let of_version = self.by_version.iter().filter(|((sources, versions), _)| reads(sources, versions, version));
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

    /// This allowance for further charges about these versions: see [`SpentByVersion::before`].
    #[must_use]
    pub fn before(&self, versions: &[VersionName]) -> Self {
        Self { spent: self.by_version.before(versions), ..self.clone() }
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
