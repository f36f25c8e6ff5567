//! Queries about a table that an engine holds: which they are, what the engine is asked, and whether it does as it is told.

use crate::data;
use crate::plan::QueryPlan;
use deniable_core::schema::{DeclaredTable, EngineKind, Format, RelationPath};
use deniable_data::SourceError;
use deniable_ledger::{EngineTried, Ledger, StoreError};
use deniable_policy::Policy;
use deniable_pushdown::{Dialect, EngineQuery, Refusal, as_declared};
use deniable_query::Query;

/// What an engine is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForEngine {
    /// Which engine.
    pub kind: EngineKind,
    /// The statement, of columns that the engine keeps as they are declared.
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

/// The query as it is asked where its rows are: another one, where an engine holds them.
pub(crate) fn placed(policy: &Policy, query: Query) -> Query {
    if is_held(policy, &query) { query.portable() } else { query }
}

/// What an engine is asked for a query; `None` where none holds its rows.
///
/// # Errors
/// What is not computed by an engine.
pub(crate) fn statement(policy: &Policy, query: &Query) -> Result<Option<ForEngine>, Refusal> {
    let Some((kind, table)) = held(policy, query) else { return Ok(None) };
    let unnamed =
        || Refusal { what: "this table".to_owned(), why: "it has no name there", help: "correct its `relation`" };
    let relation = RelationPath::parse(&table.data.path).ok_or_else(unnamed)?.in_sql(kind);
    let statement = deniable_pushdown::statement(query, Dialect::of(kind), &relation, &as_declared(&table.columns))?;
    Ok(Some(ForEngine { kind, sql: statement.sql }))
}

impl QueryPlan {
    /// What an engine is asked; `None` where rows are read here, and for what is taken from an earlier answer.
    #[must_use]
    pub fn for_engine(&self, policy: &Policy) -> Option<ForEngine> {
        // A plan has no query that an engine does not compute.
        statement(policy, self.query()).ok().flatten().filter(|_| self.within().is_none())
    }
}

/// How an engine did with a statement, as the ledger records it.
pub(crate) fn tried(ledger: &Ledger, asked: &EngineQuery, passed: bool) -> EngineTried {
    let (engine, about) = (asked.engine_mark(&data::key(ledger)), asked.about().to_owned());
    EngineTried { engine, about, statement: asked.digest(), passed }
}

/// Why an engine is not asked.
pub(crate) enum TrialError {
    /// It failed, or did not do as it was told.
    Failed(SourceError),
    /// That could not be recorded.
    Unrecorded(StoreError),
}

/// Makes sure that an engine passed the trial of a statement: what it passed before it is not tried with again. Says whether it was.
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
