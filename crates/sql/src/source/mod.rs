//! Where the rows are: files of CSV or Parquet, or batches in memory.
//!
//! A source knows the declared types and reads nothing but declared columns. Values that are not of their
//! declared type become NULL; that files have the right shape at all is checked beforehand, for the curator
//! alone, by [`check`].

pub mod check;
mod columns;
mod dates;
mod files;
mod header;
#[cfg(test)]
mod hostile;
pub mod names;
mod oddities;
mod parquet;
mod partitions;
pub(crate) mod reading;
mod scan;
mod text;

use crate::bound::{Exact, Salt, Totals};
use crate::error::SourceError;
use crate::plan::{Argument, Query, Table, session_state};
use crate::rows;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::JoinType;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{DataFrame, SessionContext};
use deniable_policy::{Data, Format};
use futures::StreamExt;
use partitions::Partitions;
use std::path::{Path, PathBuf};

/// The rows of one table.
#[derive(Debug, Clone)]
pub struct Source {
    table: Table,
    rows: Rows,
}

#[derive(Debug, Clone)]
enum Rows {
    Files { files: Vec<PathBuf>, format: Format, partitions: Partitions },
    Memory(Vec<RecordBatch>),
}

impl Source {
    /// Finds the files that a policy declares. `folder` is what a relative path is relative to.
    ///
    /// # Errors
    /// When there are none, a folder cannot be read, or a file lies in no folder of a declared partition.
    pub fn locate(table: Table, data: &Data, folder: &Path) -> Result<Self, SourceError> {
        let files = files::locate(&data.path, &data.format, folder)?;
        let partitions = Partitions::of(&files, &data.partitions, folder)?;
        Ok(Self { table, rows: Rows::Files { files, format: data.format.clone(), partitions } })
    }

    /// Rows that are in memory already, in the declared types and the declared order of columns.
    #[must_use]
    pub fn memory(table: Table, batches: Vec<RecordBatch>) -> Self {
        Self { table, rows: Rows::Memory(batches) }
    }

    /// The same rows, read into memory, in their declared types.
    ///
    /// # Errors
    /// When files cannot be read to the end, or lack declared columns.
    pub fn into_memory(self) -> Result<Self, SourceError> {
        let unreadable = || SourceError::Rows { table: self.table.name.clone() };
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|_| unreadable())?;
        let batches = runtime.block_on(async {
            let context = SessionContext::new_with_state(session_state());
            self.typed(&context).await?.collect().await.map_err(|_| unreadable())
        })?;
        Ok(Self { rows: Rows::Memory(batches), ..self })
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The files, in order; none for rows in memory.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        match &self.rows {
            Rows::Files { files, .. } => files,
            Rows::Memory(_) => &[],
        }
    }

    /// A keyed hash of the contents of all files, whatever their names and order. It is worth nothing without the
    /// key, and must not be published all the same.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn fingerprint(&self, key: &[u8; 32]) -> Result<String, SourceError> {
        files::fingerprint(self.files(), key)
    }
}

/// Reads all rows that a question is about and adds them up. `progress` is told the number of rows that passed the
/// conditions so far.
///
/// # Errors
/// When files cannot be read to the end, or lack declared columns, or a table is not among the sources.
pub fn exact(sources: &[Source], query: &Query, salt: &Salt, progress: &dyn Fn(u64)) -> Result<Exact, SourceError> {
    let unreadable = || SourceError::Rows { table: query.tables().collect::<Vec<_>>().join(", ") };
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|_| unreadable())?;
    runtime.block_on(async {
        let context = SessionContext::new_with_state(session_state());
        let mut frame = joined(sources, query, &context).await?;
        for filter in &query.rows.filters {
            frame = frame.filter(filter.clone()).map_err(|_| unreadable())?;
        }
        let entity = query.entity();
        let by_entity = entity.is_some();
        let groups = query.groups().iter().map(|group| group.expr.clone());
        let arguments = query.rows.arguments.iter().map(counted);
        // Names only keep the plan's columns apart; positions are what counts.
        let wanted: Vec<Expr> = entity
            .into_iter()
            .chain(groups)
            .chain(arguments)
            .enumerate()
            .map(|(position, expr)| expr.alias(format!("v{position}")))
            .collect();
        let mut totals = Totals::new(query, by_entity, salt);
        let mut rows = 0;
        // COUNT(*) alone needs rows, not columns; a constant stands for them.
        let none = || vec![datafusion::logical_expr::lit(true).alias("v0")];
        let frame = frame.select(if wanted.is_empty() { none() } else { wanted }).map_err(|_| unreadable())?;
        let mut stream = run(&context, frame).await.ok_or_else(unreadable)?;
        while let Some(batch) = stream.next().await {
            let batch = batch.map_err(|_| unreadable())?;
            totals.add(&batch).map_err(|_| unreadable())?;
            rows += batch.num_rows() as u64;
            progress(rows);
        }
        Ok(totals.finish())
    })
}

/// An argument as it is counted: dates and times on a grid are whole numbers of days and microseconds.
fn counted(argument: &Argument) -> Expr {
    let expr = argument.expr.clone();
    match &argument.grid {
        Some(grid) if grid.of_times => datafusion::logical_expr::try_cast(expr, DataType::Int64),
        _ => expr,
    }
}

/// The rows of all tables of a question, joined on their keys.
async fn joined(sources: &[Source], query: &Query, context: &SessionContext) -> Result<DataFrame, SourceError> {
    let named = |at: usize| {
        let table = &query.rows.tables[at];
        let source = sources.iter().find(|source| source.table.name == table.name);
        source.ok_or_else(|| SourceError::Rows { table: table.name.clone() })
    };
    let joins = &query.rows.joins;
    let mut frame = named(joins.first)?.named(context).await?;
    for join in &joins.others {
        let source = named(join.table)?;
        let unreadable = |_| SourceError::Rows { table: source.table.name.clone() };
        let key = source.table.join_key().map(|key| source.table.expr(key));
        let key = key.ok_or_else(|| SourceError::Rows { table: source.table.name.clone() })?;
        let kind = if join.keeps_unmatched { JoinType::Left } else { JoinType::Inner };
        let right = source.named(context).await?;
        frame = frame.join_on(right, kind, [join.on.clone().eq(key)]).map_err(unreadable)?;
    }
    Ok(frame)
}

impl Source {
    /// The declared columns, named with their table.
    async fn named(&self, context: &SessionContext) -> Result<DataFrame, SourceError> {
        let frame = self.typed(context).await?;
        frame.alias(&self.table.name).map_err(|_| SourceError::Rows { table: self.table.name.clone() })
    }
}

/// Runs a frame once its optimised plan has passed a last look: the optimiser, too, must leave only total expressions.
async fn run(context: &SessionContext, frame: DataFrame) -> Option<SendableRecordBatchStream> {
    let state = context.state();
    let optimised = state.optimize(frame.logical_plan()).ok()?;
    if !rows::is_total_plan(&optimised) {
        return None;
    }
    let physical = state.query_planner().create_physical_plan(&optimised, &state).await.ok()?;
    execute_stream(physical, context.task_ctx()).ok()
}
