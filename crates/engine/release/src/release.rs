//! Answers to SQL as a kind of release, with the steps in the order that `deniable_protocol` fixes.

use crate::data::{self, DataError, RegistrationMode, TableVersion};
use crate::engine::{TrialError, ensure_tried, tried};
use crate::periods::Series;
use crate::plan::{Plan, QueryPlan};
use crate::show;
use deniable_answers::{Consistency, Noisy, TrueError};
use deniable_core::exact::Rational;
use deniable_core::noise::Decay;
use deniable_core::schema::{Data, Format, TableSchema};
use deniable_core::secret::Secret;
use deniable_data::{Progress, Resources, Source, SourceError};
use deniable_execute::{Exact, Losses, Salt};
use deniable_ledger::{Charge, EngineTried, Form, Key, Ledger, Part, StoreError, Summary};
use deniable_protocol::{Kind, Payment, ProtocolError};
use deniable_publication::WithdrawalNotice;
use deniable_publication::shown::{PublishedForm, ShownAnswer};
use deniable_pushdown::{EngineQuery, PreparedPushdown, prepare};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub use deniable_protocol::Origin;

/// The purpose of the salt for the choice of an entity's kept rows.
const SALT: &str = "deniable 2026-11 choice of rows";

/// The context string with which digests of bases are derived.
const BASIS: &str = "deniable 2026-12 basis of an answer to SQL";

/// The form in which answers to SQL are stored.
pub const FORM: Form = Form::new("sql", 1);

/// A release that failed. For the curator: some of these depend on private files.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// The data must not be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Versions were not registered under this reading, and are registered now. No query was answered.
    #[error("the data was not registered as this policy reads it; it is registered now, and nothing was released yet")]
    OnlyRegistered,
    /// The ledger refuses the charge, or could not record it.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The ledger's promise is one that answers to SQL cannot be charged to.
    #[error("the ledger of `{0}` promises to hide who is a case, and answers to SQL cannot be charged to that promise")]
    LabelsPromised(String),
    /// The outcome of an engine's trial could not be recorded.
    #[error("the outcome of the engine's trial could not be recorded: {0}")]
    EngineUnrecorded(StoreError),
    /// The rows, or the engine that holds them, failed a check while an earlier query of the run was computed.
    #[error(
        "query \"{query}\" was neither computed nor charged: its rows, or the engine that holds them, failed a check \
         in an earlier query"
    )]
    NotAsked {
        /// The query.
        query: String,
    },
    /// The machine was exhausted after the charge. The same query resumes at no cost.
    #[error("query \"{query}\" is paid for but not answered: {error}")]
    Rows {
        /// The query.
        query: String,
        /// The error of the computation.
        error: SourceError,
    },
}

/// The curator's permissions for a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permissions {
    /// The treatment of versions that are not registered.
    pub registering: RegistrationMode,
    /// Whether a new ledger is about other people than the ledgers beside it that know the policy or its tables.
    pub other_people: bool,
    /// Whether queries whose numbers an earlier answer contains are charged and get new noise. The caller that makes
    /// the plan then leaves out [`Plan::with_earlier`].
    pub again: bool,
}

impl From<RegistrationMode> for Permissions {
    fn from(registering: RegistrationMode) -> Self {
        Self { registering, other_people: false, again: false }
    }
}

/// The outcome of a release.
#[derive(Debug)]
pub struct ReleaseOutcome {
    /// The answers, each with the position of its query.
    pub answers: Vec<(usize, QueryAnswer)>,
    /// The queries that are paid for and not answered, since the machine was exhausted. The same queries resume at no
    /// cost.
    pub unanswered: Vec<(usize, ReleaseError)>,
}

impl ReleaseOutcome {
    /// The answers to all queries.
    ///
    /// # Errors
    /// The error of the first query without an answer.
    pub fn complete(self) -> Result<Vec<QueryAnswer>, ReleaseError> {
        match self.unanswered.into_iter().next() {
            Some((_, error)) => Err(error),
            None => Ok(self.answers.into_iter().map(|(_, answer)| answer).collect()),
        }
    }
}

/// One released answer.
#[derive(Debug, Clone)]
pub struct QueryAnswer {
    /// The noisy cells.
    pub noisy: Noisy,
    /// Whether they were charged now, resumed, or stored.
    pub origin: Origin,
    /// The curator's withdrawal of the stored answer, if any.
    pub withdrawn: Option<WithdrawalNotice>,
    /// The released numbers of all periods so far, for a query that is repeated for each period.
    pub series: Option<Series>,
}

/// A column with values that cannot be read as declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableColumn {
    /// The column.
    pub column: String,
    /// The number of unreadable values.
    pub unreadable: u64,
    /// The number of values, readable or not.
    pub values: u64,
}

/// Progress of a running release. For the curator: timing and counts depend on private rows.
#[derive(Debug)]
pub enum Event<'a> {
    /// Reading the data to register it, with the number of rows read.
    Checking(u64),
    /// A table was scanned, because its version is not registered as it is read.
    Scanned {
        /// The table and its version.
        table: &'a TableVersion,
        /// The findings of the scan.
        report: &'a deniable_data::check::Report,
    },
    /// The losses of a query through caps and bounds, computed before a version is registered.
    LeftOut {
        /// The query's name.
        query: &'a str,
        /// The exact losses, or the error of computing them.
        losses: Result<&'a Losses, &'a SourceError>,
        /// The columns that it reads and that have unreadable values, which count as NULL.
        unreadable: &'a [UnreadableColumn],
    },
    /// The true errors of a query, because of caps and bounds, computed before a version is registered.
    TrueErrors {
        /// The query's name.
        query: &'a str,
        /// The exact error of each column; `None` if it is not computed for this query; or the error of the
        /// computation.
        errors: Result<Option<&'a [TrueError]>, &'a SourceError>,
        /// The part that the policy states is left out at most, if the class of any of its numbers rests on it.
        stated: Option<&'a Rational>,
        /// Whether no public statement bounds the loss of some of its numbers.
        is_unbounded: bool,
    },
    /// A table's version was registered by this release.
    Registered(&'a TableVersion),
    /// All answers about this table are stored ones, and its files were written to after its version was registered.
    WrittenSince(&'a TableVersion),
    /// Computing the losses of a query, before a version is registered.
    ComputingLosses(&'a str, Progress),
    /// Computing a query, with the progress of reading.
    Computing(&'a str, Progress),
    /// The levels of a query's answer, with this number of cells, are being made consistent.
    AddingUp(&'a str, usize),
    /// The engine that holds the rows of a query is tried with its statement, on rows of no person.
    Trying(&'a str),
    /// A query's engine, with its version and settings, passed the trial.
    Tried(&'a str, &'a str),
    /// The engine that holds the rows of a query computes it.
    Asking(&'a str),
    /// A query has its answer.
    Answered(&'a str, Origin),
    /// A query has its answer from the earlier answer of this name: free.
    AnsweredWithin(&'a str, &'a str),
}

/// The stored part of an answer besides its numbers. The decays of their noise follow from the query's identity.
///
/// Consistent numbers are stored so that the answer never changes: they are computed in floats. They are stored even
/// when the query does not show them, which is free, since the identity does not cover the numbers that a query shows.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// Numbers for each measure, in the order of the drawn ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    consistent: Option<Vec<Vec<i128>>>,
    /// A [`PublishedForm`]. It is not read with the numbers: an answer must not depend on another payer's wording.
    #[serde(default)]
    published: serde_json::Value,
}

/// The queries of a plan as releases of the protocol.
struct Queries<'a> {
    plan: &'a Plan,
    locate: &'a dyn Fn() -> Result<Vec<TableVersion>, SourceError>,
    resources: &'a Resources,
    tell: &'a dyn Fn(Event<'_>),
    allowed: Permissions,
    /// Prepared computations, to run after their charges, by position.
    prepared: BTreeMap<usize, PreparedPushdown>,
    /// The entries that would record a failure of an engine, by position.
    engines: BTreeMap<usize, EngineTried>,
    /// The stored numbers of the other periods of repeated queries, by position.
    series: BTreeMap<usize, Series>,
    /// Tables whose rows differ from the registered ones, or whose engine failed a check: no more queries about them
    /// are charged.
    spoilt: BTreeSet<String>,
}

/// Answers every query of a plan, in order.
///
/// Queries that were answered before are shown again at no cost, without reading the files. Everything that can be
/// refused is refused before the first charge. Tables that are not registered under the policy's reading are scanned
/// and registered first, unless caps or bounds leave out much of the policy's queries; the release stops there unless
/// `registering` is [`RegistrationMode::GoOn`].
///
/// # Errors
/// When the data, the ledger or the budget do not allow it; the error states the charges made.
pub fn release<R: CryptoRng>(
    plan: &Plan,
    locate: &dyn Fn() -> Result<Vec<TableVersion>, SourceError>,
    resources: &Resources,
    ledger: &mut Ledger,
    rng: &mut R,
    tell: &dyn Fn(Event<'_>),
    allowed: impl Into<Permissions>,
) -> Result<ReleaseOutcome, ReleaseError> {
    let mut queries = Queries::new(plan, locate, resources, tell, allowed.into());
    let told = |event: deniable_protocol::Event<'_>| match event {
        deniable_protocol::Event::Storing(_) => {}
        deniable_protocol::Event::Answered(name, origin) => {
            let planned = plan.queries().iter().find(|planned| planned.declared().name == name);
            match planned.and_then(QueryPlan::within) {
                Some(within) => tell(Event::AnsweredWithin(name, within.name())),
                None => tell(Event::Answered(name, origin)),
            }
        }
    };
    let released = deniable_protocol::release(&mut queries, ledger, rng, &told)?;
    for (at, error) in &released.exhausted {
        if let (SourceError::Lied { .. }, Some(tried)) = (error, queries.engines.remove(at)) {
            ledger.record_trial(tried).map_err(ReleaseError::EngineUnrecorded)?;
        }
    }
    let name = |at: usize| plan.queries()[at].declared().name.clone();
    let mut unanswered: BTreeMap<usize, ReleaseError> = BTreeMap::new();
    for (at, error) in released.exhausted {
        unanswered.insert(at, ReleaseError::Rows { query: name(at), error });
    }
    let seen = ledger.summary().seen_by(plan.part());
    let answers = released.answers.into_iter().map(|(at, noisy, origin)| {
        let series = Series::with_answer(plan, at, &noisy, &seen)?;
        Ok((at, QueryAnswer { noisy, origin, withdrawn: withdrawal(plan, at, &seen), series }))
    });
    let answers: Vec<(usize, QueryAnswer)> = answers.collect::<Result<_, ReleaseError>>()?;
    for at in 0..plan.queries().len() {
        if !unanswered.contains_key(&at) && answers.iter().all(|(known, _)| *known != at) {
            unanswered.insert(at, ReleaseError::NotAsked { query: name(at) });
        }
    }
    Ok(ReleaseOutcome { answers, unanswered: unanswered.into_iter().collect() })
}

/// The stored answers to the queries of a plan, where the ledger has them: free, and without reading the files.
///
/// # Errors
/// When a stored answer does not fit its query.
pub fn stored(plan: &Plan, ledger: &Summary) -> Result<Vec<Option<QueryAnswer>>, ReleaseError> {
    let resources = Resources::default();
    let allowed = RegistrationMode::Stop.into();
    let (locate, tell) = (|| Ok(Vec::new()), |_: Event<'_>| {});
    let queries = Queries::new(plan, &locate, &resources, &tell, allowed);
    let answers = deniable_protocol::stored(&queries, ledger)?.into_iter().enumerate();
    let seen = ledger.seen_by(plan.part());
    let stored = |(at, noisy): (usize, Option<Noisy>)| {
        let Some(noisy) = noisy else { return Ok(None) };
        let series = Series::with_answer(plan, at, &noisy, &seen)?;
        Ok(Some(QueryAnswer { noisy, origin: Origin::Stored, withdrawn: withdrawal(plan, at, &seen), series }))
    };
    answers.map(stored).collect()
}

/// The withdrawal of a query's answer; of a query taken from an earlier answer, that of the earlier answer.
fn withdrawal(plan: &Plan, at: usize, seen: &Summary) -> Option<WithdrawalNotice> {
    let identity = plan.queries()[at].for_ledger(plan.policy()).identity;
    let withdrawal = seen.withdrawal(&plan.account(), &identity)?;
    Some(WithdrawalNotice { on: withdrawal.day(), reason: withdrawal.reason.clone() })
}

/// Checks that the remaining budget pays for the queries without a stored answer, as far as the payer may know.
///
/// # Errors
/// When it does not suffice, or a stored answer does not fit its query.
pub fn fits(plan: &Plan, ledger: &Summary) -> Result<(), ReleaseError> {
    let resources = Resources::default();
    let allowed = RegistrationMode::Stop.into();
    let (locate, tell) = (|| Ok(Vec::new()), |_: Event<'_>| {});
    let queries = Queries::new(plan, &locate, &resources, &tell, allowed);
    deniable_protocol::fits(&queries, ledger)
}

impl Kind for Queries<'_> {
    type Answer = Noisy;
    type Record = Record;
    type Rejection = ReleaseError;
    type MachineError = SourceError;
    type Exact = Exact;

    const FORM: Form = FORM;

    fn asker(&self) -> &str {
        self.plan.policy().name()
    }

    fn part(&self) -> Part {
        self.plan.part().clone()
    }

    fn releases(&self) -> usize {
        self.plan.queries().len()
    }

    fn name(&self, at: usize) -> String {
        self.plan.queries()[at].declared().name.clone()
    }

    fn identity(&self, at: usize, _: &[Option<Noisy>]) -> Option<Charge> {
        let planned = &self.plan.queries()[at];
        // The query would fail the same check.
        if planned.query().tables().any(|table| self.spoilt.contains(table)) {
            return None;
        }
        Some(planned.for_ledger(self.plan.policy()))
    }

    fn price(&self, at: usize) -> Result<Vec<Payment>, ReleaseError> {
        Ok(vec![Payment {
            guarantee: self.plan.policy().guarantee().clone(),
            cost: self.plan.queries()[at].cost().clone(),
            own_limit: self.plan.policy_limit().map_err(ProtocolError::from)?,
            version_limit: self.plan.version_limit(&self.plan.queries()[at]),
        }])
    }

    fn answer(&self, at: usize, numbers: &[i128], record: Record) -> Result<Noisy, String> {
        let planned = &self.plan.queries()[at];
        match planned.within() {
            Some(within) => Ok(within.of(&noisy(&within.earlier, numbers, record)?)),
            None => noisy(planned, numbers, record),
        }
    }

    fn admit(&self, ledger: &Summary) -> Result<(), ReleaseError> {
        let population = self.plan.policy().population();
        let labels =
            |known: &deniable_ledger::Account| known.id.universe == population && known.id.kind == Secret::Label;
        if ledger.accounts.iter().any(labels) {
            return Err(ReleaseError::LabelsPromised(population.to_owned()));
        }
        Ok(())
    }

    fn agree(&self, ledger: &Ledger) -> Result<(), ReleaseError> {
        let population = self.plan.policy().population();
        let labels = ledger.account_of(population, Secret::Label);
        if labels { Err(ReleaseError::LabelsPromised(population.to_owned())) } else { Ok(()) }
    }

    fn ready(&mut self, ledger: &mut Ledger, pending: &[usize]) -> Result<(), ReleaseError> {
        let plan = self.plan;
        self.series = Series::all(plan, ledger)?;
        let reads = |table: &TableVersion, queries: &[&QueryPlan]| {
            queries.iter().any(|planned| planned.query().tables().any(|name| name == table.source.table().name))
        };
        let all: Vec<&QueryPlan> = plan.queries().iter().collect();
        let pending: Vec<(usize, &QueryPlan)> = pending.iter().map(|at| (*at, &plan.queries()[*at])).collect();
        let asked: Vec<&QueryPlan> = pending.iter().map(|(_, planned)| *planned).collect();
        // Only reading could show whether a database or an engine holds other rows now, and stored answers do not start
        // it.
        let is_file = |(_, data): &(TableSchema, Data)| matches!(data.format, Format::Csv(_) | Format::Parquet);
        if asked.is_empty() && !plan.tables().iter().all(is_file) {
            return Ok(());
        }
        // Stored answers need no files, so missing or changed files do not affect them; but the curator may have
        // meant to ask about the changed files.
        let tables = match (self.locate)() {
            Ok(tables) => tables,
            Err(_) if asked.is_empty() => Vec::new(),
            Err(error) => return Err(DataError::from(error).into()),
        };
        for table in &tables {
            if reads(table, &all) && !reads(table, &asked) && data::written_since(ledger, table) {
                (self.tell)(Event::WrittenSince(table));
            }
        }
        if asked.is_empty() {
            return Ok(());
        }
        let used: Vec<&TableVersion> = tables.iter().filter(|table| reads(table, &asked)).collect();
        let registered = data::ensure(ledger, plan, &tables, &used, self.resources, self.tell)?;
        registered.iter().for_each(|table| (self.tell)(Event::Registered(table)));
        if self.allowed.registering == RegistrationMode::Stop && !registered.is_empty() {
            return Err(ReleaseError::OnlyRegistered);
        }
        let sources: Vec<Source> = used.into_iter().map(|table| table.registered(ledger)).collect();
        // Files are opened and public tables read for all queries before the first charge.
        for (at, planned) in pending {
            let prepared = prepare(&sources, planned.query(), self.resources).map_err(DataError::from)?;
            if let Some(asked) = prepared.asked() {
                self.try_out(ledger, &planned.declared().name, asked)?;
                self.engines.insert(at, tried(ledger, asked, false));
            }
            self.prepared.insert(at, prepared);
        }
        Ok(())
    }

    /// A digest of the tables of the query, under the ledger's key, and of the law of each measure.
    fn basis(&self, at: usize, ledger: &Ledger) -> String {
        let planned = &self.plan.queries()[at];
        let mut hasher = blake3::Hasher::new_derive_key(BASIS);
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        };
        add(&FORM.to_string());
        for measure in planned.measures() {
            add(&measure.decay().ratio().to_string());
        }
        let tables = self.plan.tables();
        for name in planned.query().tables() {
            let version = tables.iter().find(|(table, _)| table.name == name).map(|(_, data)| data.version.as_str());
            add(name);
            add(ledger.registered(name, version.unwrap_or_default()).unwrap_or_default());
        }
        hasher.finalize().to_hex().to_string()
    }

    fn compute(&mut self, at: usize, _: &[Option<Noisy>], key: &Key) -> Result<Exact, SourceError> {
        let planned = &self.plan.queries()[at];
        let name = planned.declared().name.as_str();
        // A query taken from an earlier answer is never computed: if the ledger lacks that answer, no other one
        // replaces it.
        let Some(prepared) = self.prepared.remove(&at).filter(|_| planned.within().is_none()) else {
            return Err(SourceError::Rows { table: name.to_owned() });
        };
        if prepared.asked().is_some() {
            (self.tell)(Event::Asking(name));
        }
        let exact = prepared.compute(&salt_of(key), &|progress| (self.tell)(Event::Computing(name, progress)));
        if let Err(SourceError::Changed { .. } | SourceError::Lied { .. }) = &exact {
            self.spoilt.extend(planned.query().tables().map(str::to_owned));
        }
        exact
    }

    fn numbers(&self, at: usize) -> usize {
        let query = self.plan.queries()[at].query();
        let measures = query.measures().iter().enumerate();
        measures.map(|(measure, of)| query.cells(of.level) * query.width(measure)).sum()
    }

    fn draw<R: CryptoRng>(&self, at: usize, exact: Exact, rng: &mut R) -> Result<Vec<i128>, SourceError> {
        let (plan, planned) = (self.plan, &self.plan.queries()[at]);
        Ok(exact.with_noise(planned.query(), &decays(planned), plan.policy().confidence(), rng).concat())
    }

    fn finish(&self, at: usize, _: usize, numbers: &[i128], answers: &[Option<Noisy>]) -> Result<Record, String> {
        let planned = &self.plan.queries()[at];
        let query = planned.query();
        if deniable_answers::consistency(query) == Consistency::Applies {
            let cells = (0..query.levels().len()).map(|level| query.cells(level)).sum();
            (self.tell)(Event::AddingUp(&planned.declared().name, cells));
        }
        let values = by_measure(planned, numbers)?;
        let consistent = deniable_answers::made_consistent(query, &values, &decays(planned));
        self.record(at, numbers, consistent, answers)
    }

    /// The same numbers with the names of this query, which may differ from those of the query that paid first.
    fn for_payer(&self, at: usize, _: usize, numbers: &[i128], record: &Record) -> Result<Record, String> {
        self.record(at, numbers, record.consistent.clone(), &[])
    }
}

impl<'a> Queries<'a> {
    fn new(
        plan: &'a Plan,
        locate: &'a dyn Fn() -> Result<Vec<TableVersion>, SourceError>,
        resources: &'a Resources,
        tell: &'a dyn Fn(Event<'_>),
        allowed: Permissions,
    ) -> Self {
        let (prepared, engines, series) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { plan, locate, resources, tell, allowed, prepared, engines, series, spoilt: BTreeSet::new() }
    }

    /// The record of an answer with the names of a query.
    fn record(
        &self,
        at: usize,
        numbers: &[i128],
        consistent: Option<Vec<Vec<i128>>>,
        answers: &[Option<Noisy>],
    ) -> Result<Record, String> {
        let planned = &self.plan.queries()[at];
        let noisy =
            noisy(planned, numbers, Record { consistent: consistent.clone(), published: serde_json::Value::Null })?;
        let series = self.series.get(&at).map(|series| series.clone().with_run(self.plan, at, &noisy, answers));
        let answered = QueryAnswer { noisy, origin: Origin::Charged, withdrawn: None, series };
        let shown = shown_answer(self.plan, planned, &answered);
        let published = serde_json::to_value(PublishedForm::new(shown, None)).map_err(|error| error.to_string())?;
        Ok(Record { consistent, published })
    }

    /// Tries an engine with the statement of a query, unless it has passed that trial before.
    fn try_out(&self, ledger: &mut Ledger, name: &str, asked: &EngineQuery) -> Result<(), ReleaseError> {
        (self.tell)(Event::Trying(name));
        match ensure_tried(ledger, asked) {
            Ok(true) => (self.tell)(Event::Tried(name, asked.about())),
            Ok(false) => {}
            Err(TrialError::Failed(error)) => return Err(DataError::from(error).into()),
            Err(TrialError::Unrecorded(error)) => return Err(ReleaseError::EngineUnrecorded(error)),
        }
        Ok(())
    }
}

fn decays(planned: &QueryPlan) -> Vec<Decay> {
    planned.measures().iter().map(|measure| measure.decay().clone()).collect()
}

/// The salt that chooses the kept rows of each entity, from the ledger's key: the same for all releases of a ledger.
#[must_use]
pub fn salt(ledger: &Ledger) -> Salt {
    salt_of(ledger.key())
}

fn salt_of(key: &Key) -> Salt {
    Salt(key.derive(SALT))
}

/// An answer in the form for reports.
#[must_use]
pub fn shown_answer(plan: &Plan, planned: &QueryPlan, answered: &QueryAnswer) -> ShownAnswer {
    ShownAnswer { confidence: show::confidence(plan), table: show::table(plan, planned, answered) }
}

/// The numbers of a query, grouped by measure.
pub(crate) fn by_measure(planned: &QueryPlan, numbers: &[i128]) -> Result<Vec<Vec<i128>>, String> {
    let shape = || "it has another shape".to_owned();
    let query = planned.query();
    let mut left = numbers;
    let mut values = Vec::with_capacity(query.measures().len());
    for (measure, of) in query.measures().iter().enumerate() {
        let (own, rest) = left.split_at_checked(query.cells(of.level) * query.width(measure)).ok_or_else(shape)?;
        values.push(own.to_vec());
        left = rest;
    }
    if left.is_empty() { Ok(values) } else { Err(shape()) }
}

/// The answer of a query from its numbers and its record.
fn noisy(planned: &QueryPlan, numbers: &[i128], record: Record) -> Result<Noisy, String> {
    let values = by_measure(planned, numbers)?;
    let has_shape = |other: &Vec<Vec<i128>>| {
        other.len() == values.len() && other.iter().zip(&values).all(|(other, own)| other.len() == own.len())
    };
    if !record.consistent.iter().all(has_shape) {
        return Err("it has another shape".to_owned());
    }
    // The policy decides whether consistent numbers are shown; the record has both.
    let consistent = record.consistent.filter(|_| planned.declared().consistent);
    Ok(Noisy { values, consistent, decays: decays(planned) })
}

#[cfg(test)]
mod tests {
    /// Pages are written from the ledger alone, whatever kind of release an answer is of.
    #[test]
    fn pages_know_the_form() {
        assert!(deniable_publication::shown::HELD_BY.contains(&super::FORM.to_string().as_str()));
    }
}
