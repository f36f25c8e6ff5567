//! Parquet files, with values from the names of their folders beside their own.

use super::columns::{Typed, from_file};
use super::partitions::Partitions;
use crate::error::SourceError;
use crate::plan::Table;
use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, ScalarValue};
use datafusion::datasource::TableType;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingTableUrl, PartitionedFile};
use datafusion::datasource::physical_plan::{FileGroup, FileGroupPartitioner, FileScanConfigBuilder};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::Expr;
use datafusion::object_store::{ObjectMeta, ObjectStoreExt};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{DataFrame, SessionContext};
use deniable_policy::Column;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// Bytes of all files together that are worth splitting.
const SMALLEST_SPLIT: usize = 4 << 20;

/// Files that store the declared columns in the same types, and so can be read without a cast that could fail.
struct Alike {
    stored: Vec<FieldRef>,
    typed: Vec<Typed>,
    files: Vec<PartitionedFile>,
}

/// A frame over files: of each declared column, the expressions that `wanted` makes of it.
///
/// # Errors
/// When a file is not Parquet, or does not hold the declared columns in types that can be read as theirs.
pub(super) async fn frame(
    context: &SessionContext,
    table: &Table,
    files: &[PathBuf],
    partitions: &Partitions,
    wanted: &(dyn Fn(&Typed) -> Vec<Expr> + Sync),
) -> Result<DataFrame, SourceError> {
    let unreadable = || SourceError::Rows { table: table.name.clone() };
    let mut kinds: Vec<Alike> = Vec::new();
    for (number, path) in files.iter().enumerate() {
        let (meta, schema) = stored(context, path).await?;
        let typed = from_file(&schema, &table.columns, partitions, path)?;
        let stored = declared(&schema, &table.columns);
        let values = partitions.values(number).iter().map(|value| ScalarValue::Utf8(value.clone())).collect();
        let file = PartitionedFile::new_from_meta(meta).with_partition_values(values);
        match kinds.iter_mut().find(|kind| kind.stored == stored) {
            Some(kind) => kind.files.push(file),
            None => kinds.push(Alike { stored, typed, files: vec![file] }),
        }
    }
    let mut all: Option<DataFrame> = None;
    for kind in kinds {
        let columns: Vec<Expr> = kind.typed.iter().flat_map(wanted).collect();
        let table = StoredTable::of(kind, partitions);
        let frame = context.read_table(Arc::new(table)).and_then(|frame| frame.select(columns));
        let frame = frame.map_err(|_| unreadable())?;
        all = Some(match all {
            None => frame,
            Some(before) => before.union(frame).map_err(|_| unreadable())?,
        });
    }
    all.ok_or_else(unreadable)
}

/// The declared columns of a file's schema, in the order of the file. Nothing but names and types, which is all that files
/// must have in common.
fn declared(schema: &Schema, columns: &[Column]) -> Vec<FieldRef> {
    let is_declared = |field: &&FieldRef| columns.iter().any(|column| column.name == *field.name());
    let plain = |field: &FieldRef| Arc::new(Field::new(field.name(), field.data_type().clone(), true));
    let mut fields: Vec<FieldRef> = schema.fields().iter().filter(is_declared).map(plain).collect();
    fields.sort_by(|one, other| one.name().cmp(other.name()));
    fields
}

/// What a Parquet file says its columns are: part of its description, not of its rows.
async fn stored(context: &SessionContext, path: &Path) -> Result<(ObjectMeta, SchemaRef), SourceError> {
    let unreadable = |reason: &str| SourceError::Unreadable { path: path.to_owned(), reason: reason.to_owned() };
    let full = path.canonicalize().map_err(|error| unreadable(&error.to_string()))?;
    // Built from the path itself, so that characters that mean something in patterns or addresses do not here.
    let url = Url::from_file_path(&full).map_err(|()| unreadable("its name cannot be used"))?;
    let url = ListingTableUrl::try_new(url, None).map_err(|_| unreadable("its name cannot be used"))?;
    let state = context.state();
    let store = state.runtime_env().object_store(&url).map_err(|_| unreadable("it is not in the file system"))?;
    let meta = store.head(url.prefix()).await.map_err(|_| unreadable("it is not in the file system"))?;
    let schema = format().infer_schema(&state, &store, std::slice::from_ref(&meta)).await;
    Ok((meta, schema.map_err(|_| unreadable("it is not a Parquet file"))?))
}

fn format() -> ParquetFormat {
    // The old 96-bit times hold years that nanoseconds do not; those would come out as other years.
    ParquetFormat::default().with_coerce_int96(Some("us".to_owned()))
}

/// A table of exactly these files. The engine's own listing would take for a value of a partition whatever it finds, and
/// leave out the files that have none.
#[derive(Debug)]
struct StoredTable {
    schema: TableSchema,
    files: Vec<PartitionedFile>,
}

impl StoredTable {
    fn of(kind: Alike, partitions: &Partitions) -> Self {
        let folders: Vec<FieldRef> =
            partitions.names().iter().map(|name| Arc::new(Field::new(name, DataType::Utf8, true))).collect();
        let schema = TableSchema::builder(Arc::new(Schema::new(kind.stored))).with_table_partition_cols(folders);
        Self { schema: schema.build(), files: kind.files }
    }
}

#[async_trait]
impl TableProvider for StoredTable {
    fn schema(&self) -> SchemaRef {
        self.schema.table_schema().clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let format = format();
        // Parts of large files, too, so that all threads read.
        let threads = state.config().target_partitions();
        let files = vec![FileGroup::new(self.files.clone())];
        let parts = FileGroupPartitioner::new()
            .with_target_partitions(threads)
            .with_repartition_file_min_size(SMALLEST_SPLIT)
            .repartition_file_groups(&files);
        let groups = match parts {
            Some(parts) if threads > 1 => parts,
            _ => FileGroup::new(self.files.clone()).split_files(threads),
        };
        let config =
            FileScanConfigBuilder::new(ObjectStoreUrl::local_filesystem(), format.file_source(self.schema.clone()))
                .with_file_groups(groups)
                .with_projection_indices(projection.cloned())?
                .with_limit(limit)
                .build();
        format.create_physical_plan(state, config).await
    }
}
