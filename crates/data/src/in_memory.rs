//! Rows in memory, and the fingerprint of what they hold.

use crate::error::SourceError;
use crate::meter::Meter;
use crate::scan::{Looked, Wanted};
use crate::{Resources, Source};
use arrow_array::RecordBatch;
use deniable_core::schema::Column;
use deniable_expression::Value;
use siphasher::sip128::{Hasher128, SipHasher24};
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};

/// What fingerprints of rows in any order begin with. Others are of rows in their order, as they were made before.
const ANY_ORDER: &str = "rows-";
/// What the digests of fingerprints begin with, so that no file has the same.
const ROWS: &[u8] = b"deniable 2026-11 rows in memory, in any order\0";
const IN_ORDER: &[u8] = b"deniable 2026-11 rows in memory\0";
/// What the key of the sum over rows is derived for.
const SUM: &[u8] = b"deniable 2026-11 sum of rows in memory\0";

/// Rows that are in memory. Nobody may change what their arrays hold: their fingerprint is worked out once.
#[derive(Debug, Clone)]
pub struct InMemory(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    batches: Vec<RecordBatch>,
    known: Mutex<Option<Known>>,
}

/// A fingerprint, and what it is of.
#[derive(Debug)]
struct Known {
    key: [u8; 32],
    columns: Vec<Column>,
    in_order: bool,
    fingerprint: String,
}

impl From<Vec<RecordBatch>> for InMemory {
    fn from(batches: Vec<RecordBatch>) -> Self {
        Self(Arc::new(Shared { batches, known: Mutex::new(None) }))
    }
}

impl InMemory {
    /// The rows, in their order.
    #[must_use]
    pub fn batches(&self) -> &[RecordBatch] {
        &self.0.batches
    }

    /// The fingerprint of the declared columns' values, in the form that a registered one has; see [`Source::fingerprint_as`].
    pub(crate) fn fingerprint(
        &self,
        source: &Source,
        key: &[u8; 32],
        registered: Option<&str>,
    ) -> Result<String, SourceError> {
        let columns = &source.table().columns;
        let in_order = registered.is_some_and(|registered| !registered.starts_with(ANY_ORDER));
        let mut known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known
            && (&known.key, &known.columns, known.in_order) == (key, columns, in_order)
        {
            return Ok(known.fingerprint.clone());
        }
        let fingerprint = if in_order { ordered(source, key)? } else { unordered(source, key)? };
        *known = Some(Known { key: *key, columns: columns.clone(), in_order, fingerprint: fingerprint.clone() });
        Ok(fingerprint)
    }
}

/// A keyed sum over all rows, with their number: equal rows count as often as they stand there, in whatever order (V-1).
fn unordered(source: &Source, key: &[u8; 32]) -> Result<String, SourceError> {
    let columns = &source.table().columns;
    let wanted: Vec<Wanted> = (0..columns.len()).map(Wanted::typed).collect();
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
    Ok(format!("{ANY_ORDER}{}", all.finalize().to_hex()))
}

/// A keyed hash of the values of each column in the order of the rows: what ledgers remember that were written before the order did not count.
fn ordered(source: &Source, key: &[u8; 32]) -> Result<String, SourceError> {
    let columns = &source.table().columns;
    let wanted: Vec<Wanted> = (0..columns.len()).map(Wanted::typed).collect();
    // On one thread they come in their order; rows in memory have no other form, and are never broken.
    let start = || (0_u64, columns.iter().map(|_| blake3::Hasher::new_keyed(key)).collect::<Vec<_>>());
    let hashed = source.scan(&wanted, &Meter::new())?.look(1, start, |(rows, hashers), seen| {
        *rows += seen.rows as u64;
        for (hasher, column) in hashers.iter_mut().zip(&seen.columns) {
            (0..column.values.len()).for_each(|row| {
                write(column, row, &mut |part| {
                    hasher.update(part);
                })
            });
        }
        Ok(())
    })?;
    let (rows, hashers) = hashed.into_iter().next().unwrap_or_else(start);
    let mut all = blake3::Hasher::new_keyed(key);
    all.update(IN_ORDER);
    all.update(&rows.to_le_bytes());
    for (column, hasher) in columns.iter().zip(hashers) {
        all.update(&(column.name.len() as u64).to_le_bytes());
        all.update(column.name.as_bytes());
        all.update(hasher.finalize().as_bytes());
    }
    Ok(all.finalize().to_hex().to_string())
}

/// Writes a value in bytes that no other value of its type has, and with which no other begins.
fn write(column: &Looked, row: usize, to: &mut dyn FnMut(&[u8])) {
    let Some(value) = column.values.value(row) else {
        // What stands there and cannot be read is a matter of its own: `data check` counts it.
        return to(&[u8::from(column.present.value(row))]);
    };
    to(&[2]);
    match value {
        Value::Integer(number) => to(&number.to_le_bytes()),
        // One zero, as it is compared.
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
    use deniable_core::schema::{ColumnType, TableSchema};

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

    /// Ledgers remember fingerprints: neither form may ever change.
    #[test]
    fn fingerprints_stay_what_they_are() {
        let rows = || batch(&[Some(1), None], &[Some("a"), None], &[0.5, f64::NAN]);
        let before = "75b3e04b45493d347e3a66a9b6017d7a5218c566b99ddfd035f8a30bb99a63bc";
        assert_eq!(source(vec![rows()]).fingerprint_as(&KEY, Some(before)).unwrap(), before);
        assert_eq!(of(vec![rows()]), "rows-7226b975bae3ab2adbea6a5ccb02cdf89468e45ab62f2a19ba87f409b6e812ea");
        let known = source(vec![rows()]);
        let first = known.fingerprint(&KEY).unwrap();
        assert_eq!(known.fingerprint_as(&KEY, Some(before)).unwrap(), before, "each form is worked out by itself");
        assert_eq!(known.fingerprint_as(&KEY, Some(&first)).unwrap(), first);
        assert_ne!(known.fingerprint(&[2; 32]).unwrap(), first, "and under each key");
    }

    #[test]
    fn they_follow_values_and_neither_batches_nor_order() {
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
            // The same values of every column, and other rows.
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
