//! The files of the declared versions, and the curator's acceptance of what a scan finds in them. Everything here is
//! for the curator: it depends on private rows.
//!
//! Data that cannot be read as declared, and caps and bounds that leave out much ([`crate::losses`]), stop a version
//! here only, before it is registered. After the registration, no answer depends on the findings of a scan or on losses:
//! near the threshold a single row would decide them.

use crate::accepted::{AcceptedFindings, GivenNames, full_name};
use crate::losses::{
    LargeLoss, MOST_LEFT_OUT, Quantity, large, outside_period, recorded_name, statements, understated,
};
use crate::new_entities::{KnownEntitiesFound, NewEntities, entities_of};
use crate::plan::{Plan, QueryPlan, plan_sql};
use crate::read_once::ReadOnce;
use crate::release::{Event, UnreadableColumn, salt};
use crate::simulate::simulated;
use deniable_core::noise::Decay;
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Data, DeclaredTable, Role, reading};
use deniable_data::check::{ColumnReport, Report, ToAccept};
use deniable_data::{Connections, EntityHashes, InMemory};
use deniable_data::{Resources, Source, SourceError};
use deniable_ledger::versions::Contents;
use deniable_ledger::{
    EntitiesError, Ledger, OpenError, Part, Purpose, RegistrationOutcome, RowEntities, Summary, VersionError,
};
use deniable_policy::{Policy, QuerySubject};
use deniable_pushdown::look;
use deniable_query::Query;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// The purpose of the fingerprint's key.
const FINGERPRINT: &str = "deniable 2026-11 fingerprint of data files";

/// The purpose of digests of readings.
const READING: &str = "deniable 2026-11 reading of data files";

/// Data that must not be used. Only the curator sees the reason.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// Files are missing, unreadable or lack columns.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The scan found broken rows.
    #[error("the data cannot be used; problems listed above: {}", .0.problems.len())]
    Unusable(Report),
    /// Columns cannot be read as declared or the text has quirks, and no curator has accepted that.
    #[error("{}", in_words(.found))]
    Bad {
        /// The findings to accept; never empty.
        found: Vec<UnacceptedFinding>,
        /// The names that were accepted.
        given: GivenNames,
        /// Whether the versions are already registered under this reading; they remain registered.
        registered: bool,
    },
    /// Caps or bounds leave out much of some queries, and no curator has accepted that.
    #[error("{}", losses_in_words(.found))]
    Losses {
        /// The losses to accept; never empty.
        found: Vec<LargeLoss>,
        /// The names that were accepted.
        given: GivenNames,
        /// Whether the versions are already registered under this reading; they remain registered.
        registered: bool,
    },
    /// Entities of other versions are in tables of which each version contains only new ones (C-9).
    #[error("{}", crate::new_entities::in_words(.found))]
    KnownEntities {
        /// The tables with such entities; never empty.
        found: Vec<KnownEntitiesFound>,
    },
    /// The entities of other versions cannot be read, or those of this version not be written.
    #[error(transparent)]
    Entities(#[from] EntitiesError),
    /// The files, or a database's relation and its columns, differ from the registered ones.
    #[error("the data of `{table}` have changed since version \"{version}\" was registered")]
    Changed {
        /// The table.
        table: String,
        /// The declared version.
        version: String,
    },
    /// The ledger could not register or look up the version.
    #[error(transparent)]
    Ledger(#[from] VersionError),
}

/// A column that cannot be read as declared, or a quirk of a table's text, that the curator has not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnacceptedFinding {
    /// Its table.
    pub table: String,
    /// The finding.
    pub found: ToAccept,
}

impl UnacceptedFinding {
    /// The name by which it is accepted.
    #[must_use]
    pub fn name(&self) -> String {
        full_name(&self.table, self.found.name())
    }
}

fn in_words(found: &[UnacceptedFinding]) -> String {
    let is_column = |one: &&UnacceptedFinding| matches!(one.found, ToAccept::Column(_));
    match found {
        [UnacceptedFinding { table, found: ToAccept::Column(column) }] => {
            let fault = match column.is_only_out_of_bounds() {
                true => "has many values outside its bounds",
                false => "cannot be read as declared",
            };
            format!("column `{}` of `{table}` {fault}, and is not accepted", column.column)
        }
        [UnacceptedFinding { table, found: ToAccept::SameRows(version) }] => {
            format!("`{table}` has the rows of version \"{version}\", and that is not accepted")
        }
        [UnacceptedFinding { table, found: ToAccept::Quirk(..) }] => {
            format!("unusual quotes or line ends of `{table}` are not accepted")
        }
        [UnacceptedFinding { table, found: ToAccept::Entities { .. } }] => {
            format!("`{table}` has an unlikely number of entities, and that is not accepted")
        }
        several if several.iter().any(|one| matches!(one.found, ToAccept::SameRows(_) | ToAccept::Entities { .. })) => {
            format!("{} findings in the data are not accepted", several.len())
        }
        several => match several.iter().filter(is_column).count() {
            0 => format!("{} kinds of unusual quotes or line ends are not accepted", several.len()),
            columns if columns == several.len() => {
                let bounds = |one: &UnacceptedFinding| matches!(&one.found, ToAccept::Column(column) if column.is_only_out_of_bounds());
                let fault = match (several.iter().any(bounds), several.iter().all(bounds)) {
                    (_, true) => "have many values outside their bounds",
                    (true, false) => "cannot be read as declared or have many values outside their bounds",
                    (false, false) => "cannot be read as declared",
                };
                format!("{columns} columns {fault}, and are not accepted")
            }
            1 => {
                "a column that cannot be read as declared, and unusual quotes or line ends, are not accepted".to_owned()
            }
            columns => format!(
                "{columns} columns that cannot be read as declared, and unusual quotes or line ends, are not accepted"
            ),
        },
    }
}

fn losses_in_words(found: &[LargeLoss]) -> String {
    let queries: BTreeSet<&str> = found.iter().map(|loss| loss.query.as_str()).collect();
    let queries = match (queries.len(), queries.first()) {
        (1, Some(name)) => format!("query \"{name}\""),
        (several, _) => format!("{several} queries"),
    };
    let is_stated = |loss: &LargeLoss| matches!(loss.of, Quantity::Number(_));
    let limit = match (found.iter().any(is_stated), found.iter().all(is_stated)) {
        (_, true) => "than `typical_left_out` states".to_owned(),
        (false, false) => format!("than {MOST_LEFT_OUT}%"),
        (true, false) => format!("than {MOST_LEFT_OUT}%, or than `typical_left_out` states,"),
    };
    format!("caps or bounds leave out more {limit} of {queries}, and that is not accepted")
}

/// The treatment of a version that is not registered under the policy's reading. In both modes it is scanned and
/// registered first, unless the curator must accept a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistrationMode {
    /// Stop after the registration, whatever was found.
    Stop,
    /// Continue if the registration succeeds.
    GoOn,
}

/// The rows of one table with their declared version.
#[derive(Debug, Clone)]
pub struct TableVersion {
    /// The rows.
    pub source: Source,
    /// The declared version.
    pub version: String,
    /// A digest of the table's reading and key: see [`deniable_core::schema::reading`].
    pub reading: String,
    /// The entities in its rows, as the policy declares them.
    pub entities: RowEntities,
}

impl TableVersion {
    /// Finds the rows of every table of a plan, in its order: in memory, by table, or in files. For a rehearsal, the
    /// protected rows are made up, whatever is in memory or in files.
    ///
    /// # Errors
    /// When a table has no rows, or a folder cannot be read.
    pub fn locate_all(plan: &Plan, rows: &BTreeMap<String, InMemory>) -> Result<Vec<Self>, SourceError> {
        let folder = plan.policy().folder();
        if let Some(size) = plan.policy().rehearsal() {
            let sources = simulated(plan.policy(), size)?.into_iter().map(|table| table.source);
            let version = |(source, table): (Source, DeclaredTable)| Self {
                source,
                reading: digest(&table),
                entities: entities_of(&table, plan.policy()),
                version: table.data.version,
            };
            return Ok(sources.zip(plan.policy().tables()).map(version).collect());
        }
        let mut connections = Connections::default();
        let locate = |((table, data), read): ((TableSchema, Data), DeclaredTable)| {
            let source = match rows.get(&table.name) {
                Some(rows) => Source::memory(table, rows.clone()),
                None => Source::locate_with(table, &data, folder, &mut connections)?,
            };
            let entities = entities_of(&read, plan.policy());
            Ok(Self { source, version: data.version, reading: digest(&read), entities })
        };
        plan.tables().into_iter().zip(plan.policy().tables()).map(locate).collect()
    }

    pub(crate) fn name(&self) -> &str {
        &self.source.table().name
    }

    /// The rows; a scan compares them with the registered ones if only reading them can reveal a difference.
    pub(crate) fn registered(&self, ledger: &Ledger) -> Source {
        self.source.clone().of_version(key(ledger), ledger.registered(self.name(), &self.version))
    }

    /// The accepted findings under this reading; `None` if the version was never registered under it.
    fn accepted<'a>(&self, ledger: &'a Ledger) -> Option<&'a BTreeSet<String>> {
        ledger.accepted(self.name(), &self.version, &self.reading)
    }
}

/// The digest in the ledger for the reading of all declared columns of a table.
fn digest(table: &DeclaredTable) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(READING);
    hasher.update(&reading(table, &|_| true));
    hasher.finalize().to_hex().to_string()
}

/// Scans the data, computes the losses of the plan's queries, and registers all versions, or none: `deniable data check`.
/// The findings and losses that the curator accepts remain accepted for the version under this reading.
///
/// # Errors
/// When files cannot be read or are broken, when columns that are not accepted cannot be read as declared, when caps or
/// bounds leave out much of a query that is not accepted, and when a version is registered with other contents.
pub fn check(
    ledger: &mut Ledger,
    plan: &Plan,
    tables: &[TableVersion],
    accepted: &AcceptedFindings,
    resources: &Resources,
    tell: &dyn Fn(Event<'_>),
) -> Result<Vec<RegistrationOutcome>, DataError> {
    let all: Vec<&TableVersion> = tables.iter().collect();
    let new = NewVersions {
        tables: &all,
        all: tables,
        judged: Some(plan),
        is_rehearsal: plan.policy().rehearsal().is_some(),
    };
    scan_and_register(ledger, &new, accepted, resources, tell)
}

/// Computes the exact losses of each query of a plan through caps and bounds, with the rows that this ledger's answers
/// would keep, and returns the large ones, by the position of the query: for the curator only. Caps that are chosen by
/// these figures depend on the data. Errors are reported and stop nothing: such losses are not judged. Queries on
/// engines that hold rows, and those of which no new version is read, are skipped.
fn losses(
    ledger: &Ledger,
    plan: &Plan,
    new: &NewVersions<'_>,
    scans: &[ScannedData],
    resources: &Resources,
    tell: &dyn Fn(Event<'_>),
) -> Vec<(usize, Vec<LargeLoss>)> {
    let scanned = |table: &TableVersion| {
        let at = new.tables.iter().position(|new| new.name() == table.name())?;
        Some(table.source.clone().of_version(key(ledger), Some(&scans[at].fingerprint)))
    };
    let sources = new.all.iter().map(|table| scanned(table).unwrap_or_else(|| table.registered(ledger)));
    let sources: Vec<Source> = sources.collect();
    let is_judged = |planned: &QueryPlan| {
        planned.declared().about == QuerySubject::Cells
            && planned.for_engine(plan.policy()).is_none()
            && planned.query().tables().any(|read| new.tables.iter().any(|table| table.name() == read))
    };
    let judged = || plan.queries().iter().enumerate().filter(|(_, planned)| is_judged(planned));
    let Some((_, first)) = judged().next() else { return Vec::new() };
    let reading = |progress| tell(Event::ComputingLosses(&first.declared().name, progress));
    let rows = ReadOnce::new(sources, judged().map(|(_, planned)| planned.query()), resources, &reading);
    let salt = salt(ledger);
    let mut all = Vec::new();
    for (at, planned) in judged() {
        let query = planned.declared().name.as_str();
        let progress = |progress| tell(Event::ComputingLosses(query, progress));
        let of = |query: &Query| {
            rows.compute(|sources, resources| deniable_execute::losses(sources, query, &salt, resources, &progress))
        };
        let losses = of(planned.query());
        let unreadable = unreadable(planned, new, scans);
        tell(Event::LeftOut { query, losses: losses.as_ref(), unreadable: &unreadable });
        let exact = |query: &Query| {
            rows.compute(|sources, resources| deniable_execute::exact(sources, query, &salt, resources, &progress))
        };
        let noise: Vec<Decay> = planned.measures().iter().map(|measure| measure.decay().clone()).collect();
        let errors = deniable_answers::true_errors(planned.query(), &noise, &exact);
        let columns = errors.as_ref().map(|errors| errors.as_ref().map(|errors| errors.columns.as_slice()));
        let (stated, is_unbounded) = statements(plan, planned);
        tell(Event::TrueErrors { query, errors: columns, stated: stated.as_ref(), is_unbounded });
        if let Ok(losses) = losses {
            let errors = errors.ok().flatten();
            let sums = errors.as_ref().map(|errors| errors.sums.as_slice()).unwrap_or_default();
            let stated = understated(plan, planned, &losses, errors.as_ref());
            let of_period = every_day(plan.policy(), planned)
                .and_then(|query| of(&query).ok())
                .and_then(|every_day| outside_period(planned, &losses, &every_day));
            let large = large(planned, &losses, sums).into_iter();
            all.push((at, large.chain(stated).chain(of_period).collect()));
        }
    }
    all
}

/// A repeated query over the rows of all days, if the file should contain the rows of its period only.
fn every_day(policy: &Policy, planned: &QueryPlan) -> Option<Query> {
    let declared = planned.declared();
    declared.every.as_ref().filter(|node| !node.every.has_all_rows())?;
    plan_sql(policy, declared).ok()
}

/// The columns of new versions that a query reads and that have unreadable values.
fn unreadable(planned: &QueryPlan, new: &NewVersions<'_>, scans: &[ScannedData]) -> Vec<UnreadableColumn> {
    let read = planned.query().columns_read();
    let scanned = new.tables.iter().zip(scans).flat_map(|(table, scanned)| {
        scanned.report.columns.iter().filter(|column| read.contains(&(table.name(), column.column.as_str())))
    });
    let column = |found: &ColumnReport| {
        let unreadable = found.unreadable.as_ref()?.count;
        Some(UnreadableColumn { column: found.column.clone(), unreadable, values: found.present })
    };
    scanned.filter_map(column).collect()
}

/// Checks that the files of all tables are the registered versions, scans and registers versions that are not
/// registered under the policy's reading, and returns those. The other versions are only compared with the registered
/// contents. `all` are the tables of the plan, `tables` those that are used.
///
/// # Errors
/// When the files are not the registered ones, or a version needs a curator's decision before its registration.
pub fn ensure<'v>(
    ledger: &mut Ledger,
    plan: &Plan,
    all: &'v [TableVersion],
    tables: &[&'v TableVersion],
    resources: &Resources,
    tell: &dyn Fn(Event<'_>),
) -> Result<Vec<&'v TableVersion>, DataError> {
    let (known, new): (Vec<&TableVersion>, Vec<&TableVersion>) =
        tables.iter().copied().partition(|table| table.accepted(ledger).is_some());
    let key = key(ledger);
    for table in known {
        // A version that was registered without the option, or with it, under a policy that now states the other.
        crate::new_entities::check_registered(ledger, table)?;
        let registered = ledger.registered(table.name(), &table.version);
        let is_same = match table.source.marks(&key) {
            // All that can be compared without reading rows; the pass that computes compares the rest.
            Some(marks) => {
                registered.and_then(|registered| registered.split_once('.')).is_some_and(|(known, _)| known == marks)
            }
            None => registered == Some(table.source.fingerprint(&key)?.as_str()),
        };
        if !is_same {
            return Err(changed(table));
        }
    }
    // A refusal would tell the author of a query about the data: only the policy's own queries are judged. What caps leave
    // out of made-up rows is no fact about the data.
    let is_judged = |plan: &&Plan| {
        let policy = plan.policy();
        !policy.is_asked() && *plan.part() == Part::Whole && policy.rehearsal().is_none()
    };
    let judged = Some(plan).filter(is_judged);
    let versions = NewVersions { tables: &new, all, judged, is_rehearsal: plan.policy().rehearsal().is_some() };
    scan_and_register(ledger, &versions, &AcceptedFindings::default(), resources, tell)?;
    Ok(new)
}

/// Whether files were written to after their version was registered, by their time stamps: they may have changed, and
/// only reading them could show it. `false` if there are no time stamps to compare.
#[must_use]
pub fn written_since(ledger: &Ledger, table: &TableVersion) -> bool {
    let registered = ledger.registered_at(&table.source.table().name, &table.version);
    // The ledger keeps whole seconds, and a file written within that second was most likely the registered one.
    let end = registered.and_then(|at| at.checked_add(Duration::from_secs(1)));
    end.is_some_and(|end| table.source.last_written().is_some_and(|written| written >= end))
}

/// The report of a scan, the fingerprint of the files that it read, and the hashes of their entities, if these are
/// compared with those of other versions.
struct ScannedData {
    report: Report,
    fingerprint: String,
    entities: EntityHashes,
}

/// Versions to register.
struct NewVersions<'a> {
    tables: &'a [&'a TableVersion],
    /// All tables of the plan, which queries may read beside these.
    all: &'a [TableVersion],
    /// The plan whose large losses stop the registration, if any.
    judged: Option<&'a Plan>,
    /// Whether the rows are made up: versions may have the same ones.
    is_rehearsal: bool,
}

fn scan_and_register(
    ledger: &mut Ledger,
    new: &NewVersions<'_>,
    accepted: &AcceptedFindings,
    resources: &Resources,
    tell: &dyn Fn(Event<'_>),
) -> Result<Vec<RegistrationOutcome>, DataError> {
    let tables = new.tables;
    let scans = tables.iter().map(|table| {
        let scanned = scan(ledger, table, resources, &|rows| tell(Event::Checking(rows)))?;
        tell(Event::Scanned { table, report: &scanned.report });
        Ok(scanned)
    });
    let scans: Vec<ScannedData> = scans.collect::<Result<_, DataError>>()?;
    let is_accepted = |table: &TableVersion, name: &str| {
        accepted.of(table.name()).contains(name) || table.accepted(ledger).is_some_and(|before| before.contains(name))
    };
    let registered = tables.iter().all(|table| table.accepted(ledger).is_some());
    // All tables are judged before any is registered: a partial registration would count as accepted.
    let mut bad = Vec::new();
    for (table, ScannedData { report, fingerprint, .. }) in tables.iter().zip(&scans) {
        if !report.is_usable() {
            return Err(DataError::Unusable(report.clone()));
        }
        let open = report.to_accept().filter(|found| !is_accepted(table, found.name()));
        bad.extend(open.map(|found| UnacceptedFinding { table: table.name().to_owned(), found }));
        let same = if new.is_rehearsal { None } else { earlier(ledger, table, fingerprint) };
        let odd = new.judged.and_then(|plan| unlikely_entities(plan, table, report));
        let open = same.map(ToAccept::SameRows).into_iter().chain(odd);
        let open = open.filter(|found| !is_accepted(table, found.name()));
        bad.extend(open.map(|found| UnacceptedFinding { table: table.name().to_owned(), found }));
    }
    if !bad.is_empty() {
        return Err(DataError::Bad { found: bad, given: accepted.given().clone(), registered });
    }
    if let Some(plan) = new.judged {
        let is_open = |planned: &QueryPlan| {
            let reads = |table: &&TableVersion| planned.query().tables().any(|read| read == table.name());
            !new.all.iter().filter(reads).all(|table| is_accepted(table, &recorded_name(plan, planned)))
        };
        let losses = losses(ledger, plan, new, &scans, resources, tell);
        let open = losses.into_iter().filter(|(at, _)| is_open(&plan.queries()[*at]));
        let found: Vec<LargeLoss> = open.flat_map(|(_, large)| large).collect();
        if !found.is_empty() {
            return Err(DataError::Losses { found, given: accepted.given().clone(), registered });
        }
    }
    let compared = NewEntities::compare(ledger, tables, scans.iter().map(|scanned| &scanned.entities))?;
    for (table, scanned) in tables.iter().zip(&scans) {
        compared.store(ledger, table, &scanned.fingerprint, &scanned.entities)?;
    }
    let register = |(table, scanned): (&&TableVersion, ScannedData)| {
        let contents = Contents {
            source: table.name(),
            version: &table.version,
            fingerprint: &scanned.fingerprint,
            reading: &table.reading,
            entities: compared.stated(ledger, table),
        };
        Ok(ledger.register_contents(&contents, &accepted.of(table.name()))?)
    };
    tables.iter().zip(scans).map(register).collect()
}

/// The number of entities of the main table, if it is far from the policy's guess: more than three times as many, or less
/// than a tenth in a table of at least that many rows.
fn unlikely_entities(plan: &Plan, table: &TableVersion, report: &Report) -> Option<ToAccept> {
    const TIMES_MORE: u64 = 3;
    const TIMES_FEWER: u64 = 10;
    let policy = plan.policy();
    let (found, typical) = (report.entities?, policy.typical().entities?);
    let is_far = found > typical.saturating_mul(TIMES_MORE)
        || (found.saturating_mul(TIMES_FEWER) < typical && report.rows >= typical);
    (table.name() == policy.data().table && is_far).then_some(ToAccept::Entities { found, typical })
}

/// The earlier version of a protected table with the same rows, if this version is not registered yet.
fn earlier(ledger: &Ledger, table: &TableVersion, fingerprint: &str) -> Option<String> {
    if table.source.table().public_key.is_some() || ledger.registered(table.name(), &table.version).is_some() {
        return None;
    }
    let is_same = |known: &str| table.source.has_contents(known, fingerprint);
    ledger.version_with(table.name(), is_same).map(str::to_owned)
}

fn scan(
    ledger: &Ledger,
    table: &TableVersion,
    resources: &Resources,
    progress: &dyn Fn(u64),
) -> Result<ScannedData, DataError> {
    let key = key(ledger);
    let source = table.source.clone().of_version(key, None);
    let known = ledger.registered(table.name(), &table.version);
    let is_other = |found: &str| known.is_some_and(|known| !source.has_contents(known, found));
    // One statement returns both, as of one moment.
    if let Some((report, fingerprint)) = look(&source, &salt(ledger))? {
        let entities = EntityHashes::default();
        let scanned = ScannedData { report, fingerprint, entities };
        return if is_other(&scanned.fingerprint) { Err(changed(table)) } else { Ok(scanned) };
    }
    // Rows of a database stay as they are at one moment, and the scan computes their fingerprint. Files may change
    // meanwhile.
    let before = if source.is_in_database() { None } else { Some(source.fingerprint(&key)?) };
    if before.as_deref().is_some_and(is_other) {
        return Err(changed(table));
    }
    let is_compared = table.entities == RowEntities::New && !ledger.is_rehearsal();
    let secret = crate::new_entities::secret(ledger);
    let (report, entities) = source.check_entities(resources, Some(&secret).filter(|_| is_compared), progress)?;
    // The registered contents must be the scanned ones. Objects are read only as they were found.
    let after = match &before {
        Some(before) if source.marks(&key).is_some() => before.clone(),
        _ => source.fingerprint(&key)?,
    };
    if before.is_some_and(|before| before != after) || is_other(&after) {
        return Err(changed(table));
    }
    // The same contents in another place are the same rows: the registration of the version stays.
    Ok(ScannedData { report, fingerprint: known.map_or(after, str::to_owned), entities })
}

fn changed(table: &TableVersion) -> DataError {
    DataError::Changed { table: table.name().to_owned(), version: table.version.clone() }
}

/// Opens the ledger of a policy, or creates it: see [`deniable_ledger::people`]. `head` is a second file that keeps the
/// head, besides the one next to the ledger.
///
/// # Errors
/// When it cannot be opened or created.
pub fn open_ledger(policy: &Policy, other_people: bool, head: Option<&Path>) -> Result<Ledger, OpenError> {
    let tables = policy.tables();
    let protected = tables.iter().filter(|table| matches!(table.role, Role::Protected { .. }));
    let purpose = Purpose {
        population: policy.population(),
        policy: Some(policy.name()),
        sources: protected.map(|table| table.data.table.as_str()).collect(),
        other_people,
        head,
        rehearsal: policy.rehearsal().is_some(),
    };
    Ledger::open_for(policy.ledger(), &purpose)
}

/// Reads the ledger of a policy, which must exist, without writing to it.
///
/// # Errors
/// When it cannot be read; and when it is the ledger of a rehearsal and the policy is real, or the reverse.
pub fn read_ledger(policy: &Policy) -> Result<Summary, OpenError> {
    let path = policy.ledger();
    let summary = deniable_ledger::show(path)?;
    match (summary.rehearsal, policy.rehearsal().is_some()) {
        (true, false) => Err(OpenError::Rehearsal(path.to_owned())),
        (false, true) => Err(OpenError::NotRehearsal(path.to_owned())),
        (true, true) | (false, false) => Ok(summary),
    }
}

/// The key of all fingerprints of a ledger.
pub(crate) fn key(ledger: &Ledger) -> [u8; 32] {
    ledger.key().derive(FINGERPRINT)
}
