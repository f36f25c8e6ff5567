//! Rows in memory, and their fingerprint.

use crate::error::SourceError;
use crate::meter::Meter;
use crate::rows::Rows;
use crate::scan::{self, CheckedColumn, ScanInput, WantedColumn};
use crate::{KnownVersion, Resources, Source};
use arrow_array::RecordBatch;
use deniable_core::schema::{Column, TableSchema};
use deniable_expression::Value;
use siphasher::sip128::{Hasher128, SipHasher24};
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};

/// The prefix of fingerprints of rows in memory.
const PREFIX: &str = "rows-";
/// Domain of the digests of fingerprints, so that no file has the same digest.
const ROWS: &[u8] = b"deniable 2026-11 rows in memory, in any order\0";
/// Domain of the derived key of the sum over rows.
const SUM: &[u8] = b"deniable 2026-11 sum of rows in memory\0";

/// Rows in memory. Their arrays must not be modified, because the fingerprint is computed once.
#[derive(Debug, Clone)]
pub struct InMemory(Arc<SharedBatches>);

#[derive(Debug)]
struct SharedBatches {
    batches: Vec<RecordBatch>,
    known: Mutex<Option<KnownFingerprint>>,
}

/// A computed fingerprint, with the key and the columns that it belongs to.
#[derive(Debug)]
struct KnownFingerprint {
    key: [u8; 32],
    columns: Vec<Column>,
    fingerprint: String,
}

impl From<Vec<RecordBatch>> for InMemory {
    fn from(batches: Vec<RecordBatch>) -> Self {
        Self(Arc::new(SharedBatches { batches, known: Mutex::new(None) }))
    }
}

impl InMemory {
    /// The rows, in their order.
    #[must_use]
    pub fn batches(&self) -> &[RecordBatch] {
        &self.0.batches
    }
}

impl Rows for InMemory {
    fn scan(
        &self,
        table: &TableSchema,
        wanted: &[WantedColumn],
        _version: Option<&KnownVersion>,
    ) -> Result<ScanInput, SourceError> {
        Ok(ScanInput::memory(scan::slices(self.batches(), &table.columns, wanted)?))
    }

    /// The fingerprint of the declared columns' values.
    fn fingerprint(&self, source: &Source, key: &[u8; 32]) -> Result<String, SourceError> {
        let columns = &source.table().columns;
        let mut known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known
            && (&known.key, &known.columns) == (key, columns)
        {
            return Ok(known.fingerprint.clone());
        }
        let fingerprint = sum_of_rows(source, key)?;
        *known = Some(KnownFingerprint { key: *key, columns: columns.clone(), fingerprint: fingerprint.clone() });
        Ok(fingerprint)
    }
}

/// A keyed sum over all rows, with their number. Equal rows count as often as they occur, in any order (V-1).
fn sum_of_rows(source: &Source, key: &[u8; 32]) -> Result<String, SourceError> {
    let columns = &source.table().columns;
    let wanted: Vec<WantedColumn> = (0..columns.len()).map(WantedColumn::typed).collect();
    let sum_key = blake3::keyed_hash(key, SUM);
    let (sum_key, _) = sum_key.as_bytes().split_first_chunk::<16>().unwrap_or((&[0; 16], &[]));
    let summed = source.scan(&wanted, &Meter::new())?.look(
        Resources::default().threads,
        || (0_u64, 0_u128, Vec::new()),
        |(rows, sum, bytes), seen| {
            for row in 0..seen.rows {
                bytes.clear();
                seen.columns.iter().for_each(|column| write(column, row, &mut |part| bytes.extend_from_slice(part)));
                let mut hasher = SipHasher24::new_with_key(sum_key);
                hasher.write(bytes);
                *sum = sum.wrapping_add(hasher.finish128().as_u128());
            }
            *rows += seen.rows as u64;
            Ok(())
        },
    )?;
    let (rows, sum) =
        summed.into_iter().fold((0_u64, 0_u128), |(rows, sum), (more, part, _)| (rows + more, sum.wrapping_add(part)));
    let mut all = blake3::Hasher::new_keyed(key);
    all.update(ROWS);
    all.update(&rows.to_le_bytes());
    all.update(&sum.to_le_bytes());
    for column in columns {
        all.update(&(column.name.len() as u64).to_le_bytes());
        all.update(column.name.as_bytes());
    }
    Ok(format!("{PREFIX}{}", all.finalize().to_hex()))
}

/// Writes a value as bytes that differ from, and are not a prefix of, those of any other value of its type.
fn write(column: &CheckedColumn, row: usize, to: &mut dyn FnMut(&[u8])) {
    let Some(value) = column.values.value(row) else {
        // A value that is present but unreadable is counted by `data check`.
        return to(&[u8::from(column.present.value(row))]);
    };
    to(&[2]);
    match value {
        Value::Integer(number) => to(&number.to_le_bytes()),
        // Zero without its sign, as in comparisons.
        Value::Decimal(number) => to(&(number.get() + 0.0).to_bits().to_le_bytes()),
        Value::Text(text) => {
            to(&(text.len() as u64).to_le_bytes());
            to(text.as_bytes());
        }
        Value::Boolean(truth) => to(&[u8::from(truth)]),
        Value::Date(day) => to(&day.get().to_le_bytes()),
        Value::Timestamp(moment) => to(&moment.get().to_le_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
    use deniable_core::schema::ColumnType;

    const KEY: [u8; 32] = [1; 32];

    fn source(batches: Vec<RecordBatch>) -> Source {
        let column = |(name, kind): (&str, ColumnType)| Column::new(name, kind);
        let columns =
            [("n", ColumnType::Integer), ("t", ColumnType::Text), ("x", ColumnType::Decimal)].map(column).to_vec();
        Source::memory(TableSchema::protected("t", columns, None), batches)
    }

    fn batch(n: &[Option<i64>], t: &[Option<&str>], x: &[f64]) -> RecordBatch {
        let arrays: [(&str, ArrayRef); 3] = [
            ("n", Arc::new(Int64Array::from(n.to_vec()))),
            ("t", Arc::new(StringArray::from(t.to_vec()))),
            ("x", Arc::new(Float64Array::from(x.to_vec()))),
        ];
        RecordBatch::try_from_iter(arrays).unwrap()
    }

    fn of(batches: Vec<RecordBatch>) -> String {
        source(batches).fingerprint(&KEY).unwrap()
    }

    /// Ledgers store fingerprints, so their form must not change.
    #[test]
    fn fingerprints_are_stable() {
        let rows = || batch(&[Some(1), None], &[Some("a"), None], &[0.5, f64::NAN]);
        assert_eq!(of(vec![rows()]), "rows-7226b975bae3ab2adbea6a5ccb02cdf89468e45ab62f2a19ba87f409b6e812ea");
        let known = source(vec![rows()]);
        let first = known.fingerprint(&KEY).unwrap();
        assert_eq!(known.fingerprint(&KEY).unwrap(), first);
        assert_ne!(known.fingerprint(&[2; 32]).unwrap(), first, "each key has its own");
    }

    #[test]
    fn fingerprints_depend_on_values_but_not_on_batches_or_order() {
        let whole = batch(&[Some(1), None, Some(3)], &[Some("a"), Some(""), None], &[0.5, 0.0, f64::NAN]);
        let known = of(vec![whole.clone()]);
        assert_eq!(known, of(vec![whole.slice(0, 1), whole.slice(1, 2)]));
        assert_eq!(known, of(vec![whole.slice(2, 1), whole.slice(0, 2)]), "in another order");
        let zero = batch(&[Some(1), None, Some(3)], &[Some("a"), Some(""), None], &[0.5, -0.0, f64::NAN]);
        assert_eq!(known, of(vec![zero]));
        for other in [
            vec![batch(&[Some(1), Some(0), Some(3)], &[Some("a"), Some(""), None], &[0.5, 0.0, f64::NAN])],
            vec![batch(&[Some(1), None, Some(3)], &[Some("a"), None, None], &[0.5, 0.0, f64::NAN])],
            vec![batch(&[Some(1), None, Some(3)], &[Some("a"), Some(""), None], &[0.5, 0.25, f64::NAN])],
            // The same values in every column, but other rows.
            vec![batch(&[None, Some(1), Some(3)], &[Some("a"), Some(""), None], &[0.5, 0.0, f64::NAN])],
            vec![whole.slice(0, 2)],
            // Equal rows do not cancel each other.
            vec![whole.clone(), whole.clone(), whole.clone()],
            Vec::new(),
        ] {
            assert_ne!(known, of(other));
        }
    }
}
