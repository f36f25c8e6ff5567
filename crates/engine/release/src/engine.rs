//! Queries about tables that an engine holds: detection, the statement for the engine, and its trial.

use crate::data;
use crate::plan::QueryPlan;
use deniable_core::schema::{DeclaredTable, EngineKind, Format, RelationPath};
use deniable_data::SourceError;
use deniable_ledger::{EngineTried, Ledger, StoreError};
use deniable_policy::Policy;
use deniable_pushdown::{Dialect, EngineQuery, Refusal, as_declared};
use deniable_query::Query;

/// A statement for an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForEngine {
    /// The kind of engine.
    pub kind: EngineKind,
    /// The statement, on columns that the engine holds as declared.
    pub sql: String,
}

/// The engine's table that a query reads, if it reads one.
fn held(policy: &Policy, query: &Query) -> Option<(EngineKind, DeclaredTable)> {
    let kind = |table: &DeclaredTable| match table.data.format {
        Format::Engine { kind, .. } => Some(kind),
        Format::Csv(_) | Format::Parquet | Format::Postgres { .. } => None,
    };
    let read = |table: &DeclaredTable| query.tables().any(|name| name == table.data.table);
    policy.tables().into_iter().filter(read).find_map(|table| Some((kind(&table)?, table)))
}

/// Whether an engine holds the rows of a query.
pub(crate) fn is_held(policy: &Policy, query: &Query) -> bool {
    held(policy, query).is_some()
}

/// The query as computed where its rows are: rewritten if an engine holds them.
pub(crate) fn placed(policy: &Policy, query: Query) -> Query {
    if is_held(policy, &query) { query.portable() } else { query }
}

/// The statement for a query; `None` if no engine holds its rows.
///
/// # Errors
/// When the engine cannot compute a part of the query.
pub(crate) fn statement(policy: &Policy, query: &Query) -> Result<Option<ForEngine>, Refusal> {
    let Some((kind, table)) = held(policy, query) else { return Ok(None) };
    let unnamed =
        || Refusal { what: "this table".to_owned(), why: "it has no name there", help: "correct its `relation`" };
    let relation = RelationPath::parse(&table.data.path).ok_or_else(unnamed)?.in_sql(kind);
    let statement = deniable_pushdown::statement(query, Dialect::of(kind), &relation, &as_declared(&table.columns))?;
    Ok(Some(ForEngine { kind, sql: statement.sql }))
}

impl QueryPlan {
    /// The statement for an engine; `None` if this process reads the rows, or the query is taken from an earlier
    /// answer.
    #[must_use]
    pub fn for_engine(&self, policy: &Policy) -> Option<ForEngine> {
        // A plan contains no query that its engine cannot compute.
        statement(policy, self.query()).ok().flatten().filter(|_| self.within().is_none())
    }
}

/// The outcome of a statement's trial as the ledger records it.
pub(crate) fn tried(ledger: &Ledger, asked: &EngineQuery, passed: bool) -> EngineTried {
    let (engine, about) = (asked.engine_mark(&data::key(ledger)), asked.about().to_owned());
    EngineTried { engine, about, statement: asked.digest(), passed }
}

/// A trial that did not succeed.
pub(crate) enum TrialError {
    /// The engine failed, or its result was wrong.
    Failed(SourceError),
    /// The outcome could not be recorded.
    Unrecorded(StoreError),
}

/// Tries an engine with a statement unless it has passed that trial before. Returns whether it was tried.
pub(crate) fn ensure_tried(ledger: &mut Ledger, asked: &EngineQuery) -> Result<bool, TrialError> {
    let passed = tried(ledger, asked, true);
    if ledger.has_passed(&passed.engine, &passed.statement) {
        return Ok(false);
    }
    match asked.try_out() {
        Ok(()) => ledger.record_trial(passed).map_err(TrialError::Unrecorded)?,
        Err(error) => {
            if matches!(error, SourceError::Lied { .. }) {
                ledger.record_trial(EngineTried { passed: false, ..passed }).map_err(TrialError::Unrecorded)?;
            }
            return Err(TrialError::Failed(error));
        }
    }
    Ok(true)
}
