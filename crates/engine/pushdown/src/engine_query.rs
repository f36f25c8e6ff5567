//! Queries to the engine that holds a table: a query, a survey of all rows, and a trial.

use super::{Answer, Dialect, Refusal, Statement, Survey, Trial, statement, survey};
use deniable_core::text::hexadecimal;
use deniable_data::SourceError;
use deniable_data::check::Report;
use deniable_data::{EngineTable, Source};
use deniable_execute::{Exact, Salt};
use deniable_query::Query;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A query that is ready to be sent to an engine.
#[derive(Debug)]
pub struct EngineQuery {
    query: Query,
    source: Source,
    table: Arc<EngineTable>,
    statement: Statement,
    trials: Vec<Trial>,
}

impl EngineQuery {
    /// Writes the statement; `None` if the rows are not in an engine.
    ///
    /// # Errors
    /// When the engine cannot compute the query, or the query ranks rows in the way of files.
    pub(crate) fn new(query: &Query, source: &Source) -> Result<Option<Self>, SourceError> {
        let Some(table) = source.engine() else { return Ok(None) };
        let dialect = Dialect::of(table.kind());
        if !query.is_portable() {
            return Err(SourceError::Rows { table: source.table().name.clone() });
        }
        let statement = statement(query, dialect, table.relation(), &table.stored()).map_err(refused)?;
        let trials = Trial::all(query, dialect).map_err(refused)?;
        Ok(Some(Self { query: query.clone(), source: source.clone(), table: table.clone(), statement, trials }))
    }

    /// A mark of the engine, keyed, by which the ledger recognises it.
    #[must_use]
    pub fn engine_mark(&self, key: &[u8; 32]) -> String {
        self.table.engine_mark(key)
    }

    /// The engine's version and settings, in a line.
    #[must_use]
    pub fn about(&self) -> &str {
        self.table.about()
    }

    /// SHA-256 of the statement and of those of its trials, in turn, with a line break after each.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        let tried = self.trials.iter().flat_map(Trial::statements);
        for statement in std::iter::once(&self.statement).chain(tried) {
            hasher.update(statement.sql.as_bytes());
            hasher.update(b"\n");
        }
        hexadecimal(&hasher.finalize())
    }

    /// Tries the statement on made-up rows.
    ///
    /// # Errors
    /// When the engine fails, or its answer differs from this program's.
    pub fn try_out(&self) -> Result<(), SourceError> {
        self.trials.iter().try_for_each(|trial| trial.ask(&|sql, salt| self.table.numbers(sql, salt)))
    }

    /// Runs the statement and returns the exact totals.
    ///
    /// # Errors
    /// When the engine fails, its rows are not the registered ones, or its answer is invalid.
    pub(crate) fn compute(&self, salt: &Salt) -> Result<Exact, SourceError> {
        let table = &self.source.table().name;
        let lied = |what: String| SourceError::Lied { table: table.clone(), what };
        let rows = self.table.numbers(&self.statement.sql, &salt.digits())?;
        let answer =
            Answer::of(&rows, &self.statement).ok_or_else(|| lied("its answer has the wrong shape".to_owned()))?;
        // The answer is checked first: if it is invalid, the contents it reports cannot be trusted.
        let exact = answer.totals(&self.query).map_err(|lie| lied(lie.to_string()))?;
        match self.source.known_again(answer.contents.rows, &answer.contents.sums) {
            Some((_, false)) => Err(SourceError::Changed { table: table.clone() }),
            Some((_, true)) | None => Ok(exact),
        }
    }
}

/// Surveys all rows of a table in an engine: the report, and the fingerprint of the rows. `None` if the rows are not in
/// an engine.
///
/// # Errors
/// When the engine fails, its answer is not counts, or it stores a declared column in a type whose values differ
/// between engines.
pub fn look(source: &Source, salt: &Salt) -> Result<Option<(Report, String)>, SourceError> {
    let Some(table) = source.engine() else { return Ok(None) };
    let schema = source.table();
    let question: Survey =
        survey(schema, Dialect::of(table.kind()), table.relation(), &table.stored()).map_err(refused)?;
    let rows = table.numbers(&question.sql, &salt.digits())?;
    let lied = || SourceError::Lied { table: schema.name.clone(), what: "its counts are invalid".to_owned() };
    let (contents, report) = question.read(&rows).ok_or_else(lied)?;
    let (fingerprint, _) = source.known_again(contents.rows, &contents.sums).ok_or_else(lied)?;
    Ok(Some((report, fingerprint)))
}

fn refused(refusal: Refusal) -> SourceError {
    SourceError::Remote { problem: refusal.to_string(), help: refusal.help }
}
