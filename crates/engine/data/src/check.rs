//! The curator's check of the data before anything is released from it.
//!
//! It reads every row and reports broken records and values that do not match their declarations. The report depends on
//! private rows: it is for the curator alone, and no release runs the check.

pub use crate::number_forms::NumberForm;
pub use crate::oddities::{BAD_PERCENT, ColumnReport, Occurrences};
pub use crate::text::Quirk;

use crate::drive::watch;
use crate::entities::{Entities, EntityCounter};
use crate::entity_hashes::{EntityHasher, EntityHashes, HashedRows};
use crate::error::SourceError;
use crate::meter::Meter;
use crate::oddities::{ExpectedValues, OccurrenceCounter, Oddities, Place};
use crate::scan::{CheckedColumn, CheckedRows, WantedColumn};
use crate::{Resources, Source};
use deniable_core::schema::Entity;
use deniable_expression::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

const MOST_PROBLEMS: usize = 20;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Rows read.
    pub rows: u64,
    /// The number of entities, if the policy names an entity key.
    pub entities: Option<u64>,
    /// Errors that prevent a release, in the order of the rows, at most twenty.
    pub problems: Vec<Problem>,
    /// Findings that do not prevent a release, but that a curator should know.
    pub notes: Vec<String>,
    /// The findings in each declared column, in the order of the policy.
    pub columns: Vec<ColumnReport>,
    /// The quirks of quotes and line ends in delimited text, over all columns, including those that are not read.
    pub quirks: Vec<(Quirk, Occurrences)>,
    /// Rows whose entity key is missing or cannot be read as its type, if the policy names a key. They belong to no
    /// entity and never count.
    pub ownerless: Option<Occurrences>,
}

/// A broken record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Problem {
    /// The file, or the table of a database.
    pub path: PathBuf,
    /// The line (CSV) or row (Parquet), counted from 1; for a database, the components of the row's place.
    pub line: u64,
    /// Path and line as text: `file:line`, or the form by which the database finds the row again.
    pub place: String,
    /// The fault, without the value.
    pub what: String,
}

/// The declarations that the values of a table are compared with, and the entities counted.
struct Look<'a> {
    source: &'a Source,
    declared: Vec<ExpectedValues<'a>>,
    /// For a protected table: the position of its entity key, and the entities with rows.
    entities: Option<(usize, Entities)>,
    /// For a protected table, if entities are compared with those of other versions.
    hasher: Option<EntityHasher>,
    /// For a public table: the position of its key.
    public_key: Option<usize>,
}

/// The findings of one thread.
struct Findings {
    rows: u64,
    oddities: Vec<Oddities>,
    /// In the order of [`Quirk::ALL`].
    quirks: [OccurrenceCounter; Quirk::ALL.len()],
    problems: Vec<(Place, String)>,
    ownerless: OccurrenceCounter,
    entities: Option<EntityCounter>,
    hashed: Option<HashedRows>,
    /// For a public table: the places of its keys.
    keys: PublicKeys,
}

impl Source {
    /// Reads all rows and reports what does not match the declarations. The result does not depend on the number of
    /// threads. `progress` is called with the number of rows read so far.
    ///
    /// # Errors
    /// When files are missing, unreadable, empty, or lack declared columns, and when entities cannot be counted with the resources.
    pub fn check(&self, resources: &Resources, progress: &dyn Fn(u64)) -> Result<Report, SourceError> {
        Ok(self.check_entities(resources, None, progress)?.0)
    }

    /// The same, with the hashes of the entities under this secret key, from the same reading of the rows; empty without
    /// a secret key, and for tables without entities.
    ///
    /// # Errors
    /// As above, and when the hashes need more memory than allowed.
    pub fn check_entities(
        &self,
        resources: &Resources,
        secret: Option<&[u8; 32]>,
        progress: &dyn Fn(u64),
    ) -> Result<(Report, EntityHashes), SourceError> {
        let table = self.table();
        // Checked only here: the first bytes of a file are rows, too, and no release may depend on them.
        self.rows.check_kind()?;
        let entities = table.entity.as_ref().and_then(|entity| table.position(&entity.key));
        let look = Look {
            source: self,
            declared: table.columns.iter().map(ExpectedValues::of).collect(),
            entities: entities.map(|at| (at, Entities::new(resources))),
            hasher: secret.map(|secret| EntityHasher::new(*secret, resources.memory)),
            public_key: table.public_key.as_ref().and_then(|key| table.position(key)),
        };
        let wanted: Vec<WantedColumn> = (0..table.columns.len()).map(WantedColumn::typed).collect();
        let meter = Meter::new();
        let scan = self.scan(&wanted, &meter)?;
        watch(&meter, self.size(), &|told| progress(told.rows), || {
            let found = scan.look(resources.threads, || look.start(), |findings, seen| look.take(findings, seen))?;
            look.finish(found)
        })
    }

    /// A place as `file:line`, or in the database's form.
    fn place(&self, (file, line): Place) -> String {
        self.rows.place(file, line).unwrap_or_else(|| format!("{}:{line}", self.path(file).display()))
    }

    fn path(&self, file: usize) -> &Path {
        self.rows.path(file).unwrap_or(Path::new("memory"))
    }
}

impl Look<'_> {
    fn start(&self) -> Findings {
        Findings {
            rows: 0,
            oddities: self.declared.iter().map(|_| Oddities::default()).collect(),
            quirks: Default::default(),
            problems: Vec::new(),
            ownerless: OccurrenceCounter::default(),
            entities: self.entities.as_ref().map(|(_, entities)| entities.start()),
            hashed: self.hasher.as_ref().map(EntityHasher::start),
            keys: PublicKeys::default(),
        }
    }

    fn take(&self, findings: &mut Findings, seen: &CheckedRows<'_>) -> Result<(), SourceError> {
        let place = |row: usize| (seen.file, seen.line(row));
        findings.rows += (seen.rows + seen.remarks.broken.len()) as u64;
        for broken in seen.remarks.broken {
            findings.problem((seen.file, broken.line), || broken.what.clone());
        }
        for (line, quirks) in seen.remarks.quirks {
            let found = Quirk::ALL.iter().zip(&mut findings.quirks).filter(|(quirk, _)| quirks.has(**quirk));
            found.for_each(|(_, counted)| counted.add((seen.file, *line)));
        }
        for ((declared, oddities), looked) in self.declared.iter().zip(&mut findings.oddities).zip(&seen.columns) {
            oddities.take(declared, looked, &place);
        }
        if let (Some((at, entities)), Some(counting)) = (&self.entities, &mut findings.entities)
            && let Some(looked) = seen.columns.get(*at)
        {
            // Rows without a key belong to no entity; a release drops them.
            let nulls = looked.values.to_array().logical_nulls().filter(|nulls| nulls.null_count() > 0);
            let ownerless = nulls.iter().flat_map(|nulls| (0..seen.rows).filter(|row| nulls.is_null(*row)));
            ownerless.for_each(|row| findings.ownerless.add(place(row)));
            entities.add(counting, &looked.values).map_err(|error| self.spill(&error))?;
            if let (Some(hasher), Some(hashed)) = (&self.hasher, &mut findings.hashed) {
                hasher.add(hashed, &looked.values, &self.source.table().name)?;
            }
        }
        if let Some(at) = self.public_key
            && let (Some(looked), Some(column)) = (seen.columns.get(at), self.source.table().columns.get(at))
        {
            self.take_public_key(findings, &column.name, looked, &place);
        }
        Ok(())
    }

    /// Every row of a public table needs a unique key: joins find at most one row for a key.
    fn take_public_key(
        &self,
        findings: &mut Findings,
        name: &str,
        CheckedColumn { present, values, .. }: &CheckedColumn,
        place: &dyn Fn(usize) -> Place,
    ) {
        for row in 0..values.len() {
            let Some(value) = values.value(row) else {
                let problem = if present.value(row) { "cannot be read as its type" } else { "is missing" };
                findings.problem(place(row), || format!("the key `{name}` {problem}"));
                continue;
            };
            findings.keys.add(value, place(row));
        }
    }

    fn spill(&self, error: &std::io::Error) -> SourceError {
        SourceError::Spill { table: self.source.table().name.clone(), reason: error.to_string() }
    }

    fn finish(&self, all: Vec<Findings>) -> Result<(Report, EntityHashes), SourceError> {
        let mut whole = self.start();
        let (mut counted, mut hashed) = (Vec::new(), Vec::new());
        for findings in all {
            whole.rows += findings.rows;
            whole.oddities.iter_mut().zip(&findings.oddities).for_each(|(all, one)| all.merge(one));
            whole.quirks.iter_mut().zip(findings.quirks).for_each(|(all, one)| all.merge(one));
            whole.problems.extend(findings.problems);
            whole.ownerless.merge(findings.ownerless);
            whole.keys.merge(findings.keys);
            counted.extend(findings.entities);
            hashed.extend(findings.hashed);
        }
        let table = self.source.table();
        if let Some(key) = self.public_key.and_then(|at| table.columns.get(at)) {
            for (again, first) in whole.keys.again() {
                let (name, first) = (&key.name, self.source.place(first));
                whole.problems.push((again, format!("the key `{name}` is the same as at {first}")));
            }
        }
        whole.keep_first();
        let count = |(_, entities): &(usize, Entities)| entities.count(counted).map_err(|error| self.spill(&error));
        let entities = self.entities.as_ref().map(count).transpose()?;
        let key_type = self.entities.as_ref().and_then(|(at, _)| Some(table.columns.get(*at)?.kind.name()));
        let finish = |(hasher, key_type): (&EntityHasher, &str)| hasher.finish(hashed, key_type, &table.name);
        let hashes = self.hasher.as_ref().zip(key_type).map(finish).transpose()?.unwrap_or_default();
        let name = |place: Place| self.source.place(place);
        let columns: Vec<ColumnReport> =
            table.columns.iter().zip(&whole.oddities).map(|(column, found)| found.report(column, &name)).collect();
        let (rows, ownerless) = (whole.rows, whole.ownerless.found(&name));
        let problem = |(place, what): (Place, String)| {
            let (file, line) = place;
            Problem { path: self.source.path(file).to_owned(), line, place: self.source.place(place), what }
        };
        let quirks = Quirk::ALL.into_iter().zip(whole.quirks);
        let quirks = quirks.filter_map(|(quirk, counted)| Some((quirk, counted.found(&name)?))).collect();
        let problems = whole.problems.into_iter().map(problem).collect();
        let report = Report::new(rows, entities, problems, columns, ownerless);
        Ok((report.with_caps(table.entity.as_ref()).with_quirks(quirks), hashes))
    }
}

/// The first place of each key of a public table, and the places of repeated keys, collected by threads in any order.
#[derive(Default)]
struct PublicKeys {
    first: HashMap<Value, Place>,
    again: Vec<(Place, Value)>,
}

impl PublicKeys {
    fn add(&mut self, key: Value, place: Place) {
        match self.first.entry(key) {
            Entry::Vacant(free) => {
                free.insert(place);
            }
            Entry::Occupied(mut known) => {
                let first = *known.get().min(&place);
                let later = known.insert(first).max(place);
                let key = known.key().clone();
                self.again.push((later, key));
                if self.again.len() > 2 * MOST_PROBLEMS {
                    self.keep_first();
                }
            }
        }
    }

    /// Merges the findings of another thread.
    fn merge(&mut self, mut other: Self) {
        if self.first.len() < other.first.len() {
            std::mem::swap(self, &mut other);
        }
        other.first.into_iter().for_each(|(key, place)| self.add(key, place));
        self.again.extend(other.again);
        self.keep_first();
    }

    /// Keeps the first findings up to the limit of the report.
    fn keep_first(&mut self) {
        self.again.sort_by_key(|(place, _)| *place);
        self.again.truncate(MOST_PROBLEMS);
    }

    /// The places of repeated keys, each with the first place of the key.
    fn again(&self) -> Vec<(Place, Place)> {
        self.again.iter().filter_map(|(place, key)| Some((*place, *self.first.get(key)?))).collect()
    }
}

impl Findings {
    fn problem(&mut self, place: Place, what: impl FnOnce() -> String) {
        self.problems.push((place, what()));
        if self.problems.len() > 2 * MOST_PROBLEMS {
            self.keep_first();
        }
    }

    /// Keeps the first problems, in the order of the rows.
    fn keep_first(&mut self) {
        self.problems.sort_by_key(|(place, _)| *place);
        self.problems.truncate(MOST_PROBLEMS);
    }
}

impl Report {
    /// The report of these findings, with notes for the curator.
    #[must_use]
    pub fn new(
        rows: u64,
        entities: Option<u64>,
        problems: Vec<Problem>,
        columns: Vec<ColumnReport>,
        ownerless: Option<Occurrences>,
    ) -> Self {
        let mut notes: Vec<String> = columns.iter().flat_map(ColumnReport::notes).collect();
        if let Some(found) = &ownerless {
            notes.push(format!(
                "{} of {rows} rows have no readable entity key: they belong to no entity and never count{}",
                found.count,
                found.place()
            ));
        }
        if rows == 0 {
            notes.push("there are no rows: every answer will be noise around zero".to_owned());
        }
        Self { rows, entities, problems, notes, columns, quirks: Vec::new(), ownerless }
    }

    /// Adds a note if every entity has one row although caps allow several: `key` may not identify people.
    #[must_use]
    pub fn with_caps(mut self, entity: Option<&Entity>) -> Self {
        let owned = self.rows.saturating_sub(self.ownerless.as_ref().map_or(0, |found| found.count));
        if let Some(Entity { key, caps, .. }) = entity
            && (caps.rows_per_group > 1 || caps.groups > 1)
            && owned > 1
            && self.entities == Some(owned)
        {
            self.notes.push(format!(
                "every `{key}` has one row, although the caps are larger: if one person can have several rows, check \
                 `key` under [entity], which must name the column that identifies people"
            ));
        }
        self
    }

    /// Adds the quirks of delimited text, and a note on each.
    #[must_use]
    pub fn with_quirks(mut self, quirks: Vec<(Quirk, Occurrences)>) -> Self {
        self.notes.extend(quirks.iter().map(|(quirk, found)| quirk_in_words(*quirk, found)));
        Self { quirks, ..self }
    }

    /// Whether the report has no problems. The curator decides about columns that read badly.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.problems.is_empty()
    }

    /// The findings that a curator must accept by name: quirks of the text, and columns that read badly.
    pub fn to_accept(&self) -> impl Iterator<Item = ToAccept> {
        let quirks = self.quirks.iter().map(|(quirk, found)| ToAccept::Quirk(*quirk, found.clone()));
        let columns = self.columns.iter().filter(|column| column.is_bad());
        quirks.chain(columns.map(|column| ToAccept::Column(Box::new(column.clone()))))
    }
}

fn quirk_in_words(quirk: Quirk, found: &Occurrences) -> String {
    format!("{}{}", quirk.in_words(found.count), found.place())
}

/// The name by which a curator accepts that a version has the rows of an earlier one.
pub const SAME_ROWS: &str = "version:same-rows";

/// The name by which a curator accepts a number of entities that is far from the policy's guess.
pub const ENTITIES: &str = "key:entities";

/// A finding that a curator must accept by name before the data are registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToAccept {
    /// A column that reads badly.
    Column(Box<ColumnReport>),
    /// Records with a quirk.
    Quirk(Quirk, Occurrences),
    /// The rows are those of this version of the table, registered before.
    SameRows(String),
    /// The number of entities is far from the policy's guess: most often, `key` is another column.
    Entities {
        /// The number of entities.
        found: u64,
        /// The public guess.
        typical: u64,
    },
}

impl ToAccept {
    /// The name, within its table.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Column(found) => &found.column,
            Self::Quirk(quirk, _) => quirk.name(),
            Self::SameRows(_) => SAME_ROWS,
            Self::Entities { .. } => ENTITIES,
        }
    }

    /// Describes the finding, with its counts and lines.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Column(found) => found.in_words(),
            Self::Quirk(quirk, found) => quirk_in_words(*quirk, found),
            Self::SameRows(version) => format!("its rows are those of version \"{version}\", registered before"),
            Self::Entities { found, typical } => {
                format!("it has {found} entities, where `typical_entities` states {typical}")
            }
        }
    }

    /// Suggests a correction.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Column(found) => found.help(),
            Self::Quirk(quirk, _) => quirk.help(),
            Self::SameRows(_) => {
                "most often `path` is still that of the earlier version: a release would charge for the same rows again, under the \
                 name of another version. A table that did not change may have a new version: accept that"
            }
            Self::Entities { .. } => {
                "most often `key` under [entity] is not the column that identifies a person, and the promise would protect \
                 something else. If it is, correct `typical_entities`, which is public: state it from knowledge and not from \
                 this count; or accept the number"
            }
        }
    }
}
