//! What the engine that holds a table is asked: a question, a look at all rows, and a trial.

use super::{Answer, Dialect, Refusal, Statement, Survey, Trial, statement, survey};
use deniable_core::text::hexadecimal;
use deniable_data::SourceError;
use deniable_data::check::Report;
use deniable_data::{EngineTable, Source};
use deniable_execute::{Exact, Salt};
use deniable_query::Query;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A question that an engine is ready to be asked.
#[derive(Debug)]
pub struct EngineQuery {
    query: Query,
    source: Source,
    table: Arc<EngineTable>,
    statement: Statement,
    trials: Vec<Trial>,
}

impl EngineQuery {
    /// Writes the statement; `None` where no engine holds the rows.
    ///
    /// # Errors
    /// What is not computed by an engine, and a question that ranks rows as those of files are ranked.
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

    /// The engine, as it is known again under this key.
    #[must_use]
    pub fn engine_mark(&self, key: &[u8; 32]) -> String {
        self.table.engine_mark(key)
    }

    /// The engine's version and settings, in a line.
    #[must_use]
    pub fn about(&self) -> &str {
        self.table.about()
    }

    /// SHA-256 of the statement and of those that it is tried with, one after the other, a line break behind each.
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

    /// Tries the statement on rows that nobody is in.
    ///
    /// # Errors
    /// When the engine fails, or answers something else than this program.
    pub fn try_out(&self) -> Result<(), SourceError> {
        self.trials.iter().try_for_each(|trial| trial.ask(&|sql, salt| self.table.numbers(sql, salt)))
    }

    /// Asks it, and gives the exact totals.
    ///
    /// # Errors
    /// When the engine fails, its rows are not those that were registered, or its answer is none.
    pub(crate) fn compute(&self, salt: &Salt) -> Result<Exact, SourceError> {
        let table = &self.source.table().name;
        let lied = |what: String| SourceError::Lied { table: table.clone(), what };
        let rows = self.table.numbers(&self.statement.sql, &salt.digits())?;
        let answer =
            Answer::of(&rows, &self.statement).ok_or_else(|| lied("its answer is of another shape".to_owned()))?;
        // First whether the answer is one: what an engine that does not do as it is told says of its rows is worth nothing.
        let exact = answer.totals(&self.query).map_err(|lie| lied(lie.to_string()))?;
        match self.source.known_again(answer.contents.rows, &answer.contents.sums) {
            Some((_, false)) => Err(SourceError::Changed { table: table.clone() }),
            Some((_, true)) | None => Ok(exact),
        }
    }
}

/// Looks at all rows of a table that an engine holds: what was found in them, and their fingerprint. `None` where no engine holds them.
///
/// # Errors
/// When the engine fails, answers something else than counts, or keeps a declared column in a type of which not all values mean the same
/// everywhere.
pub fn look(source: &Source, salt: &Salt) -> Result<Option<(Report, String)>, SourceError> {
    let Some(table) = source.engine() else { return Ok(None) };
    let schema = source.table();
    let question: Survey =
        survey(schema, Dialect::of(table.kind()), table.relation(), &table.stored()).map_err(refused)?;
    let rows = table.numbers(&question.sql, &salt.digits())?;
    let lied = || SourceError::Lied { table: schema.name.clone(), what: "its counts are none".to_owned() };
    let (contents, report) = question.read(&rows).ok_or_else(lied)?;
    let (fingerprint, _) = source.known_again(contents.rows, &contents.sums).ok_or_else(lied)?;
    Ok(Some((report, fingerprint)))
}

fn refused(refusal: Refusal) -> SourceError {
    SourceError::Remote { problem: refusal.to_string(), help: refusal.help }
}
