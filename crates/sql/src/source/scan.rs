//! Rows of files in their declared types.

use super::columns::{Typed, from_stored, from_text};
use super::meter::Meter;
use super::parquet;
use super::reading::LONGEST_TEXT;
use super::text::{Layout, Records, raw_name};
use super::{Rows, Source};
use crate::error::SourceError;
use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DataFusionError, Result, plan_datafusion_err};
use datafusion::datasource::{MemTable, TableType};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use datafusion::prelude::{DataFrame, SessionContext};
use deniable_policy::{Column, CsvOptions, Format};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most files that are decoded at the same time.
const MOST_STREAMS: usize = 8;
/// Chunks that wait for the engine, of each file that is being decoded.
const CHUNKS_AHEAD: usize = 2;

impl Source {
    /// The declared columns, in their declared types, named as declared.
    pub(super) async fn typed(&self, context: &SessionContext) -> Result<DataFrame, SourceError> {
        self.frame(context, &|typed| typed.value).await
    }

    /// Of each declared column, the expression that `wanted` makes of it.
    pub(super) async fn frame(
        &self,
        context: &SessionContext,
        wanted: &(dyn Fn(Typed) -> Expr + Sync),
    ) -> Result<DataFrame, SourceError> {
        let unreadable = |_| SourceError::Rows { table: self.table.name.clone() };
        match &self.rows {
            Rows::Memory(batches) => {
                let stored = self.table.schema();
                let columns = self.table.columns.iter().map(|column| from_stored(&stored, column, Path::new("memory")));
                let columns = columns.collect::<Result<Vec<_>, _>>()?;
                let table = MemTable::try_new(Arc::new(stored), vec![batches.clone()]).map_err(unreadable)?;
                context
                    .read_table(Arc::new(table))
                    .and_then(|frame| frame.select(columns.into_iter().map(wanted)))
                    .map_err(unreadable)
            }
            Rows::Files { files, format: Format::Csv(options), .. } => {
                let layout = Layout::of(files, options, &self.table.columns)?;
                let table = TextTable { files: files.clone(), layout };
                let columns = from_texts(&self.table.columns, options);
                context
                    .read_table(Arc::new(table))
                    .and_then(|frame| frame.select(columns.into_iter().map(wanted)))
                    .map_err(unreadable)
            }
            Rows::Files { files, format: Format::Parquet, partitions } => {
                parquet::frame(context, &self.table, files, partitions, &|typed| vec![wanted(typed.clone())]).await
            }
        }
    }
}

/// The declared columns over the texts of a [`Layout`].
pub(super) fn from_texts(columns: &[Column], options: &CsvOptions) -> Vec<Typed> {
    columns.iter().enumerate().map(|(position, column)| from_text(&raw_name(position), column, options)).collect()
}

/// Delimited text whose fields are all texts: guesses at their types would depend on private values.
#[derive(Debug)]
struct TextTable {
    files: Vec<PathBuf>,
    layout: Layout,
}

#[async_trait]
impl TableProvider for TextTable {
    fn schema(&self) -> SchemaRef {
        self.layout.schema().clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let layout = match projection {
            Some(columns) => self.layout.project(columns).ok_or_else(|| plan_datafusion_err!("an unknown column"))?,
            None => self.layout.clone(),
        };
        let layout = Arc::new(layout);
        let schema = layout.schema().clone();
        // A table may have more files than a process may have open.
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let streams = cores.clamp(1, MOST_STREAMS).min(self.files.len());
        let streams = (0..streams).map(|first| {
            let files = self.files.iter().skip(first).step_by(streams).cloned().collect();
            Arc::new(TextStream { files, layout: layout.clone() }) as Arc<dyn PartitionStream>
        });
        Ok(Arc::new(StreamingTableExec::try_new(schema, streams.collect(), None, [], false, limit)?))
    }
}

/// Files that are decoded one after the other, beside the engine.
#[derive(Debug)]
struct TextStream {
    files: Vec<PathBuf>,
    layout: Arc<Layout>,
}

impl PartitionStream for TextStream {
    fn schema(&self) -> &SchemaRef {
        self.layout.schema()
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut stream = RecordBatchReceiverStreamBuilder::new(self.schema().clone(), CHUNKS_AHEAD);
        let (files, layout, sender) = (self.files.clone(), self.layout.clone(), stream.tx());
        let meter = context.session_config().get_extension::<Meter>().unwrap_or_default();
        stream.spawn_blocking(move || {
            // Neither the operating system's words nor the place would help the engine; the check has both.
            let unreadable = |_| DataFusionError::Execution("a file cannot be read to the end".to_owned());
            for path in &files {
                let mut keep = |line: u64, record: &csv::ByteRecord| {
                    if record.len() == layout.width() {
                        return Ok(true);
                    }
                    let reason = format!("line {line} has more or fewer fields than there are columns");
                    Err(SourceError::Unreadable { path: path.clone(), reason })
                };
                let mut records =
                    Records::open(path, layout.clone(), LONGEST_TEXT, meter.clone()).map_err(unreadable)?;
                while let Some(chunk) = records.next(&mut keep).map_err(unreadable)? {
                    if sender.blocking_send(Ok(chunk.texts)).is_err() {
                        // Nobody waits for more.
                        return Ok(());
                    }
                }
            }
            Ok(())
        });
        stream.build()
    }
}
