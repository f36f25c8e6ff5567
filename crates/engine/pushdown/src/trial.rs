//! Tests an engine before it reads private rows: the statement of a query, on rows made up from the declarations and
//! the constants of the query, must give the totals that this program computes; and without the rows of one person, the
//! totals may differ by at most the sensitivity. A query with conditions, which few of these rows may meet, is tested
//! without them as well.
//!
//! A trial does not detect errors that need many rows, several machines, or values that it does not contain.

use super::made_up::made_up;
use super::{Answer, AnswerMismatch, Dialect, Numbers, Refusal, Statement, statement};
use arrow_array::{Array, BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use deniable_core::adversary::Adjacency;
use deniable_data::SourceError;
use deniable_data::{Resources, Source};
use deniable_execute::exact;
use deniable_execute::{Exact, Salt};
use deniable_query::Query;
use num_bigint::BigInt;

/// A query about made-up rows, and about the same rows without those of one person.
#[derive(Debug)]
pub struct Trial {
    query: Query,
    rows: [RecordBatch; 2],
    statements: [Statement; 2],
}

impl Trial {
    /// The salt for made-up rows.
    pub const SALT: Salt = Salt([7; 32]);

    /// Makes up the rows and writes the statements.
    ///
    /// # Errors
    /// When engines cannot compute the query.
    pub fn new(query: &Query, dialect: Dialect) -> Result<Self, Refusal> {
        let table = query.main_table();
        let rows = made_up(query)
            .ok_or_else(|| Refusal::new("this table", "no rows can be generated for it", super::refusal::PULL))?;
        let key = table.entity.as_ref().and_then(|entity| table.position(&entity.key));
        let rows = [without_one(&rows, key), rows];
        let statement = |rows: &RecordBatch| {
            let (relation, stored) = dialect.relation_of(table, rows);
            statement(query, dialect, &relation, &stored)
        };
        let statements = [statement(&rows[0])?, statement(&rows[1])?];
        Ok(Self { query: query.clone(), rows, statements })
    }

    /// All trials of a query: the query itself, and if it has conditions, the query without them.
    ///
    /// # Errors
    /// When engines cannot compute the query.
    pub fn all(query: &Query, dialect: Dialect) -> Result<Vec<Self>, Refusal> {
        let mut all = vec![Self::new(query, dialect)?];
        if !query.rows().filters.is_empty() {
            all.push(Self::new(&query.without_filters(), dialect)?);
        }
        Ok(all)
    }

    /// The statements for the engine, with [`Self::SALT`].
    #[must_use]
    pub fn statements(&self) -> &[Statement; 2] {
        &self.statements
    }

    /// Runs the trial; `numbers` sends a statement and its salt to the engine.
    ///
    /// # Errors
    /// When the engine fails, or its answer differs from this program's.
    pub fn ask(&self, numbers: &dyn Fn(&str, &str) -> Result<Numbers, SourceError>) -> Result<(), SourceError> {
        let table = &self.query.main_table().name;
        let untrue =
            |lie: &AnswerMismatch| SourceError::Lied { table: table.clone(), what: format!("{lie}, on made-up rows") };
        let run = |statement: &Statement| {
            let rows = numbers(&statement.sql, &Self::SALT.digits())?;
            Answer::of(&rows, statement).ok_or_else(|| untrue(&AnswerMismatch("has the wrong shape")))
        };
        let [without, with] = &self.statements;
        self.verdict(&[run(without)?, run(with)?]).map_err(|lie| untrue(&lie))
    }

    /// Compares the engine's answers with the expected ones.
    ///
    /// # Errors
    /// When they differ.
    pub fn verdict(&self, answers: &[Answer; 2]) -> Result<(), AnswerMismatch> {
        let found = [answers[0].totals(&self.query)?, answers[1].totals(&self.query)?];
        let [without, with] = [0, 1].map(|at| answers[at].contents);
        let counts = |rows: i128, at: usize| usize::try_from(rows) == Ok(self.rows[at].num_rows());
        if !counts(without.rows, 0) || !counts(with.rows, 1) || without.sums == with.sums {
            return Err(AnswerMismatch("does not distinguish different rows"));
        }
        for (rows, found) in self.rows.iter().zip(&found) {
            if !self.expected(rows).is_some_and(|expected| expected.is_same(found)) {
                return Err(AnswerMismatch("differs from this program's"));
            }
        }
        for (measure, change) in found[0].changes(&found[1]).into_iter().enumerate() {
            if BigInt::from(change) > self.query.sensitivity(measure, Adjacency::AddRemove) {
                return Err(AnswerMismatch("changes more with one person than the caps allow"));
            }
        }
        Ok(())
    }

    fn expected(&self, rows: &RecordBatch) -> Option<Exact> {
        let source = Source::memory(self.query.main_table().clone(), vec![rows.clone()]);
        exact(&[source], &self.query, &Self::SALT, &Resources::default(), &|_| {}).ok()
    }
}

/// The rows without those of the first person, or without the first row if every row is a person.
fn without_one(rows: &RecordBatch, key: Option<usize>) -> RecordBatch {
    let keys = key.map(|key| rows.column(key));
    let first = keys.and_then(|keys| (0..keys.len()).find(|row| keys.is_valid(*row))).unwrap_or(0);
    let is_other = |row: usize| match keys {
        Some(keys) => keys.is_null(row) || keys.slice(row, 1) != keys.slice(first, 1),
        None => row > 0,
    };
    let others = BooleanArray::from_iter((0..rows.num_rows()).map(|row| Some(is_other(row))));
    filter_record_batch(rows, &others).unwrap_or_else(|_| rows.slice(0, 0))
}
