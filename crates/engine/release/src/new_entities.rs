//! Tables of which each version contains only entities that no version of another name contains (C-9).
//!
//! A version is compared with the others before its registration, by keyed hashes of the entities' keys. The comparison
//! depends on private rows: its result is for the curator alone, like the findings of a scan.

use crate::data::{DataError, TableVersion};
use deniable_core::schema::{DeclaredTable, Role};
use deniable_data::{EntityHash, EntityHashes};
use deniable_ledger::{
    ComparedEntities, DisjointFault, EntitiesError, KnownEntities, Ledger, RowEntities, VersionError, VersionName,
};
use deniable_policy::Policy;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The purpose of the key of the entities' hashes.
const HASHES: &str = "deniable 2026-11 hashes of entities";

/// Entities of other versions in a version that must not contain any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntitiesFound {
    /// The table.
    pub table: String,
    /// The version.
    pub version: String,
    /// The number of its entities that are in a version of another name.
    pub known: u64,
    /// The number of rows of these entities.
    pub rows: u64,
    /// The number of all its entities.
    pub entities: u64,
    /// The versions that contain them.
    pub versions: Vec<VersionName>,
    /// Whether the keys have another type than those of an earlier version, and cannot be compared; the counts are 0.
    pub other_type: bool,
}

impl std::fmt::Display for KnownEntitiesFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { table, version, known, rows, entities, versions, other_type } = self;
        let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
        let versions = versions.join(", ");
        if *other_type {
            return write!(f, "the keys of entities in `{table}` have another type than those in {versions}");
        }
        write!(
            f,
            "version \"{version}\" of `{table}`: {known} of {entities} entities, with {rows} rows, are in {versions} \
             already"
        )
    }
}

pub(crate) fn in_words(found: &[KnownEntitiesFound]) -> String {
    let tables: BTreeSet<&str> = found.iter().map(|found| found.table.as_str()).collect();
    let names: Vec<String> = tables.iter().map(|table| format!("`{table}`")).collect();
    if found.iter().all(|found| found.other_type) {
        return format!("the entities of {} cannot be compared with those of other versions", names.join(", "));
    }
    format!("{} has entities of other versions, against `new_entities_only`", names.join(", "))
}

/// The entities in the rows of a table, as a policy declares them. A public table matters only beside tables of new
/// entities.
pub(crate) fn entities_of(table: &DeclaredTable, policy: &Policy) -> RowEntities {
    match &table.role {
        Role::Protected { .. } if policy.new_entities().contains(&table.data.table) => RowEntities::New,
        Role::Public { .. } if !policy.new_entities().is_empty() => RowEntities::None,
        Role::Protected { .. } | Role::Public { .. } => RowEntities::Any,
    }
}

pub(crate) fn secret(ledger: &Ledger) -> [u8; 32] {
    ledger.key().derive(HASHES)
}

/// Checks that a registered version is still declared as it was registered.
///
/// # Errors
/// When the option was added or removed since.
pub(crate) fn check_registered(ledger: &Ledger, table: &TableVersion) -> Result<(), DataError> {
    let name = || table.name().to_owned();
    match (ledger.row_entities(table.name()), table.entities) {
        (RowEntities::New, RowEntities::Any | RowEntities::None) => {
            Err(VersionError::Disjoint(DisjointFault::Dropped(name())).into())
        }
        (RowEntities::Any | RowEntities::None, RowEntities::New) => {
            Err(VersionError::Disjoint(DisjointFault::Late(name())).into())
        }
        _ => Ok(()),
    }
}

/// The versions that the entities of some tables were compared with, by the name of their own versions.
pub(crate) struct NewEntities {
    compared: BTreeMap<String, BTreeSet<VersionName>>,
    is_rehearsal: bool,
}

impl NewEntities {
    /// Compares the entities of the tables with those of all registered versions of other names, and with each other.
    /// In a rehearsal nothing is compared: made-up rows of all versions are of the same made-up people.
    ///
    /// # Errors
    /// When they have entities in common, with their counts, and when a set of entities is missing.
    pub(crate) fn compare<'a>(
        ledger: &Ledger,
        tables: &[&TableVersion],
        entities: impl Iterator<Item = &'a EntityHashes>,
    ) -> Result<Self, DataError> {
        let is_new = |(table, _): &(&&TableVersion, &EntityHashes)| table.entities == RowEntities::New;
        let new: Vec<(&TableVersion, &EntityHashes)> =
            tables.iter().zip(entities).filter(is_new).map(|(table, hashes)| (*table, hashes)).collect();
        let names: BTreeSet<&str> = new.iter().map(|(table, _)| table.version.as_str()).collect();
        let compared = names.iter().map(|name| ((*name).to_owned(), ledger.disjoint_versions(name))).collect();
        let compared = Self { compared, is_rehearsal: ledger.is_rehearsal() };
        if compared.is_rehearsal {
            return Ok(compared);
        }
        for (table, _) in &new {
            check_unregistered(ledger, table)?;
        }
        let registered: BTreeSet<VersionName> = compared.compared.values().flatten().cloned().collect();
        let mut found: Vec<Overlap<'_>> = new.iter().map(|(table, hashes)| Overlap::new(table, hashes)).collect();
        for other in &registered {
            let known = ledger.read_entities(other)?;
            for found in &mut found {
                found.compare(other, &known.key_type, &mut known.hashes.iter());
            }
        }
        for (table, hashes) in &new {
            let other = VersionName { source: table.name().to_owned(), version: table.version.clone() };
            for found in &mut found {
                found.compare(&other, &hashes.key_type, &mut hashes.rows.keys());
            }
        }
        let found: Vec<KnownEntitiesFound> = found.into_iter().filter_map(Overlap::finish).collect();
        if found.is_empty() { Ok(compared) } else { Err(DataError::KnownEntities { found }) }
    }

    /// Writes the entities of a table's version, before it is registered. A version that was registered under another
    /// reading keeps the entities of both.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn store(
        &self,
        ledger: &Ledger,
        table: &TableVersion,
        fingerprint: &str,
        entities: &EntityHashes,
    ) -> Result<(), DataError> {
        if table.entities != RowEntities::New || self.is_rehearsal {
            return Ok(());
        }
        let version = VersionName { source: table.name().to_owned(), version: table.version.clone() };
        let mut hashes: BTreeSet<EntityHash> = entities.rows.keys().copied().collect();
        if ledger.registered(&version.source, &version.version).is_some() {
            match ledger.read_entities(&version) {
                Ok(known) => hashes.extend(known.hashes),
                // The same contents, read in the same way, restore the set; another reading may have other entities.
                Err(EntitiesError::Missing { .. } | EntitiesError::Damaged { .. })
                    if ledger.is_only_reading(&version.source, &version.version, &table.reading) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let known = KnownEntities { key_type: entities.key_type.clone(), hashes };
        Ok(ledger.store_entities(&version, fingerprint, &known)?)
    }

    /// The statement of a table's registration about its entities.
    pub(crate) fn stated<'a>(&'a self, ledger: &Ledger, table: &TableVersion) -> ComparedEntities<'a> {
        match (table.entities, self.compared.get(&table.version)) {
            (RowEntities::New, Some(compared)) => ComparedEntities::New(compared),
            // A public table that is registered as such remains so, in policies without such tables, too; one that was
            // used before stays as it was.
            (RowEntities::None, _) if !ledger.is_used(table.name()) => ComparedEntities::None,
            (RowEntities::None | RowEntities::Any, _)
                if table.source.table().public_key.is_some()
                    && ledger.row_entities(table.name()) == RowEntities::None =>
            {
                ComparedEntities::None
            }
            _ => ComparedEntities::Any,
        }
    }
}

/// A table that was registered or charged otherwise is refused before anything is compared.
fn check_unregistered(ledger: &Ledger, table: &TableVersion) -> Result<(), DataError> {
    let is_late = ledger.row_entities(table.name()) != RowEntities::New && ledger.is_used(table.name());
    if is_late { Err(VersionError::Disjoint(DisjointFault::Late(table.name().to_owned())).into()) } else { Ok(()) }
}

/// The entities of a table that are in other versions.
struct Overlap<'a> {
    table: &'a TableVersion,
    entities: &'a EntityHashes,
    known: HashSet<EntityHash>,
    versions: Vec<VersionName>,
    other_type: Vec<VersionName>,
}

impl<'a> Overlap<'a> {
    fn new(table: &'a TableVersion, entities: &'a EntityHashes) -> Self {
        Self { table, entities, known: HashSet::new(), versions: Vec::new(), other_type: Vec::new() }
    }

    fn compare(&mut self, other: &VersionName, key_type: &str, hashes: &mut dyn Iterator<Item = &EntityHash>) {
        // The people of one name of a version are one part, in all tables.
        if other.version == self.table.version {
            return;
        }
        if key_type != self.entities.key_type {
            self.other_type.push(other.clone());
            return;
        }
        let before = self.known.len();
        let mut is_in = false;
        for hash in hashes.filter(|hash| self.entities.rows.contains_key(*hash)) {
            is_in = true;
            self.known.insert(*hash);
        }
        if is_in || self.known.len() > before {
            self.versions.push(other.clone());
        }
    }

    fn finish(self) -> Option<KnownEntitiesFound> {
        let Self { table, entities, known, versions, other_type } = self;
        if known.is_empty() && other_type.is_empty() {
            return None;
        }
        let is_type = !other_type.is_empty();
        let rows = known.iter().filter_map(|hash| entities.rows.get(hash)).sum();
        Some(KnownEntitiesFound {
            table: table.name().to_owned(),
            version: table.version.clone(),
            known: if is_type { 0 } else { known.len() as u64 },
            rows: if is_type { 0 } else { rows },
            entities: entities.rows.len() as u64,
            versions: if is_type { other_type } else { versions },
            other_type: is_type,
        })
    }
}
