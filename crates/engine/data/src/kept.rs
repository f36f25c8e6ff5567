//! Some columns of a source, read once and kept in memory for several scans.

use crate::drive::watch;
use crate::error::SourceError;
use crate::memory::{Memory, Reservation};
use crate::meter::{Meter, Progress};
use crate::rows::Rows;
use crate::scan::{self, Batch, ReadColumn, ScanError, ScanInput, WantedColumn};
use crate::{KnownVersion, Resources, Source};
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};
use deniable_core::schema::{Column, TableSchema};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rows of which some columns are in memory. Scans of other columns read the source.
#[derive(Debug)]
struct KeptColumns {
    /// The positions of the columns in memory among the declared ones.
    columns: BTreeSet<usize>,
    /// All declared columns in their types; those that are not in memory are NULL, and never read.
    batches: Vec<RecordBatch>,
    source: Arc<dyn Rows>,
    /// The memory of the batches.
    _reservations: Vec<Reservation>,
}

impl Rows for KeptColumns {
    fn scan(
        &self,
        table: &TableSchema,
        wanted: &[WantedColumn],
        version: Option<&KnownVersion>,
    ) -> Result<ScanInput, SourceError> {
        if wanted.iter().any(|wanted| !self.columns.contains(&wanted.column)) {
            return self.source.scan(table, wanted, version);
        }
        // Times in memory are local times already.
        let local = table.columns.iter().map(|column| Column { zone: None, ..column.clone() });
        Ok(ScanInput::memory(scan::slices(&self.batches, &local.collect::<Vec<_>>(), wanted)?))
    }

    fn fingerprint(&self, source: &Source, key: &[u8; 32]) -> Result<String, SourceError> {
        self.source.fingerprint(source, key)
    }
}

impl Source {
    /// The same rows with the columns of these names in memory, which are read here, once, on all threads; scans of
    /// other columns read them from their place. `None` if they do not fit in `memory`, or if the rows are in memory or
    /// in an engine, where reading them once more costs little.
    ///
    /// # Errors
    /// When the rows cannot be read completely, or lack declared columns.
    pub fn kept(
        &self,
        names: &BTreeSet<&str>,
        memory: &Memory,
        resources: &Resources,
        progress: &dyn Fn(Progress),
    ) -> Result<Option<Self>, SourceError> {
        if self.engine().is_some() || (self.files().is_empty() && !self.is_in_database()) {
            return Ok(None);
        }
        let declared = &self.table().columns;
        let columns: BTreeSet<usize> =
            (0..declared.len()).filter(|at| names.contains(declared[*at].name.as_str())).collect();
        let wanted: Vec<WantedColumn> = columns.iter().copied().map(WantedColumn::stored).collect();
        let start = || (Vec::new(), memory.reserve());
        let take = |(batches, reserved): &mut (Vec<RecordBatch>, Reservation), batch: Batch| {
            let arrays: Vec<ArrayRef> = batch.columns.iter().map(compact).collect();
            if !reserved.try_grow(arrays.iter().map(|array| array.get_array_memory_size()).sum()) {
                return Err(());
            }
            batches.push(whole(declared, &columns, batch.rows, arrays).ok_or(())?);
            Ok(())
        };
        let meter = Meter::new();
        let scan = self.scan(&wanted, &meter)?;
        let read = watch(&meter, self.size(), progress, || scan.run(resources.threads, start, take));
        let (batches, reservations): (Vec<Vec<RecordBatch>>, Vec<Reservation>) = match read {
            Ok(read) => read.into_iter().unzip(),
            Err(ScanError::Work(())) => return Ok(None),
            Err(ScanError::Source(error)) => return Err(error),
        };
        let batches = batches.into_iter().flatten().collect();
        let kept = KeptColumns { columns, batches, source: self.rows.clone(), _reservations: reservations };
        Ok(Some(Self { rows: Arc::new(kept), ..self.clone() }))
    }
}

/// The values of a column without the bytes around them: texts are ranges of whole blocks of a file.
fn compact(column: &ReadColumn) -> ArrayRef {
    let array = column.to_array();
    match array.as_string_view_opt() {
        Some(texts) => Arc::new(texts.gc()),
        None => array,
    }
}

/// A batch of all declared columns, of which these are read, in their order; `None` if a type is not the declared one.
fn whole(declared: &[Column], read: &BTreeSet<usize>, rows: usize, arrays: Vec<ArrayRef>) -> Option<RecordBatch> {
    let mut arrays = arrays.into_iter();
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (at, column) in declared.iter().enumerate() {
        let array = if read.contains(&at) { arrays.next()? } else { Arc::new(NullArray::new(rows)) };
        let kind: DataType = array.data_type().clone();
        fields.push(Field::new(&column.name, kind, true));
        columns.push(array);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::schema::{ColumnType, CsvOptions, Data, Format};
    use deniable_core::zone::Zone;

    const ROWS: &str = "n,t,seen,x\n1,short,2024-01-01T00:30:00Z,0.5\nno,a text of more than twelve bytes,2024-07-01T00:30:00Z,\n,,,7\n";

    fn source(folder: &std::path::Path) -> Source {
        std::fs::write(folder.join("t.csv"), ROWS).unwrap();
        let seen = Column { zone: Zone::named("Europe/Oslo"), ..Column::new("seen", ColumnType::Timestamp) };
        let columns = vec![
            Column::new("n", ColumnType::Integer),
            Column::new("t", ColumnType::Text),
            seen,
            Column::new("x", ColumnType::Decimal),
        ];
        let format = Format::Csv(CsvOptions::with_delimiter(b','));
        let (table, path, version) = ("t".to_owned(), "t.csv".to_owned(), "1".to_owned());
        let data = Data { table, path, version, format, partitions: Vec::new(), typical_rows: None };
        Source::locate(TableSchema::protected("t", columns, None), &data, folder).unwrap()
    }

    fn kept(source: &Source, names: &[&str], memory: &Memory) -> Option<Source> {
        source.kept(&names.iter().copied().collect(), memory, &Resources::default(), &|_| {}).unwrap()
    }

    /// The values of some columns, row by row.
    fn values(source: &Source, columns: &[usize], form: fn(usize) -> WantedColumn) -> Vec<String> {
        let wanted: Vec<WantedColumn> = columns.iter().copied().map(form).collect();
        let take = |all: &mut Vec<String>, batch: Batch| {
            let arrays: Vec<ArrayRef> = batch.columns.iter().map(ReadColumn::to_array).collect();
            all.extend((0..batch.rows).map(|row| {
                let shown = |array: &ArrayRef| format!("{:?}", array.slice(row, 1));
                arrays.iter().map(shown).collect()
            }));
            Ok::<(), ()>(())
        };
        source.scan(&wanted, &Meter::new()).unwrap().run(1, Vec::new, take).unwrap().concat()
    }

    #[test]
    fn kept_columns_have_the_values_of_their_source() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path());
        let kept = kept(&source, &["n", "t", "seen"], &Memory::new(None)).unwrap();
        let all: [&[usize]; 4] = [&[0, 1, 2], &[2], &[1, 0], &[]];
        let before =
            all.map(|columns| [WantedColumn::typed, WantedColumn::stored].map(|form| values(&source, columns, form)));
        // No file is read once more, and a column that was not kept is read from it.
        std::fs::write(folder.path().join("t.csv"), ROWS.replace("short", "other")).unwrap();
        let after =
            all.map(|columns| [WantedColumn::typed, WantedColumn::stored].map(|form| values(&kept, columns, form)));
        assert_eq!(before, after);
        let read = values(&kept, &[1, 3], WantedColumn::typed);
        assert!(read.len() == 3 && read[0].contains("other"), "{read:?}");
        assert_eq!(kept.fingerprint(&[1; 32]).unwrap(), source.fingerprint(&[1; 32]).unwrap());
    }

    #[test]
    fn columns_are_kept_within_the_memory() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path());
        let memory = Memory::new(Some(1 << 20));
        let first = kept(&source, &["t"], &memory).unwrap();
        assert!(memory.used() > 0);
        // Rows in memory are not copied.
        assert!(kept(&first, &["t"], &memory).is_none());
        drop(first);
        assert_eq!(memory.used(), 0);
        assert!(kept(&source, &["t"], &Memory::new(Some(10))).is_none());
    }
}
