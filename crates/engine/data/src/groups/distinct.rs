//! Distinct rows in memory: each value is stored once, and a row as the numbers of its values.

use crate::scan::{BATCH_ROWS, Batch, ReadColumn};
use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringViewArray};
use deniable_expression::{Column, Type};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::BuildHasher;

const NULL: u32 = 0;

/// The distinct values of one column, as bytes, numbered.
#[derive(Clone)]
struct Values {
    kind: Type,
    bytes: Vec<u8>,
    /// The end offset of each value; the first, NULL, has no bytes.
    ends: Vec<usize>,
    has_null: bool,
    known: HashTable<(u64, u32)>,
}

/// Distinct rows, with the number of times that each was added.
#[derive(Clone)]
pub(super) struct Distinct {
    hasher: RandomState,
    columns: Vec<Values>,
    rows: RowCounts,
}

/// Rows of numbers of values, with their counts.
#[derive(Clone)]
enum RowCounts {
    /// The numbers of a row in one word, each in the bits of its column, the first column lowest: one place in memory
    /// for each row.
    Packed { bits: Vec<u32>, known: HashTable<(u64, u64)> },
    /// The numbers, row after row, where one word is too short.
    Wide { width: usize, numbers: Vec<u32>, times: Vec<u64>, known: HashTable<(u64, u32)> },
}

/// A row of another set: its values, and its count.
pub(super) struct Row<'a> {
    pub(super) times: u64,
    pub(super) values: Vec<Option<&'a [u8]>>,
}

impl Values {
    fn new(kind: Type) -> Self {
        Self { kind, bytes: Vec::new(), ends: vec![0], has_null: false, known: HashTable::new() }
    }

    /// The number of a value; `None` if the numbers are exhausted.
    fn number(&mut self, hasher: &RandomState, value: &[u8]) -> Option<u32> {
        let hash = hasher.hash_one(value);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let same = |(other, number): &(u64, u32)| *other == hash && get(bytes, ends, *number) == value;
        match self.known.entry(hash, same, |(hash, _)| *hash) {
            Entry::Occupied(known) => Some(known.get().1),
            Entry::Vacant(free) => {
                let number = u32::try_from(self.ends.len()).ok()?;
                free.insert((hash, number));
                self.bytes.extend_from_slice(value);
                self.ends.push(self.bytes.len());
                Some(number)
            }
        }
    }

    /// The number of a value, which may be NULL.
    fn number_or_null(&mut self, hasher: &RandomState, value: Option<&[u8]>) -> Option<u32> {
        match value {
            Some(value) => self.number(hasher, value),
            None => {
                self.has_null = true;
                Some(NULL)
            }
        }
    }

    /// The bytes of a value; `None` for NULL.
    fn value(&self, number: u32) -> Option<&[u8]> {
        (number != NULL).then(|| get(&self.bytes, &self.ends, number))
    }

    fn size(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>() + self.known.allocation_size()
    }

    /// The numbers of a batch's values.
    fn numbers(&mut self, hasher: &RandomState, read: &ReadColumn) -> Option<Vec<u32>> {
        match read {
            ReadColumn::Stored(array) => self.of_texts(hasher, array),
            ReadColumn::Typed(Column::Text(texts)) => self.of_views(hasher, texts),
            ReadColumn::Typed(Column::Integer(numbers)) => self.all(hasher, numbers, |number| number.to_le_bytes()),
            ReadColumn::Typed(Column::Decimal(numbers)) => {
                self.all(hasher, numbers, |number| number.to_bits().to_le_bytes())
            }
            ReadColumn::Typed(Column::Date(days)) => self.all(hasher, days, |day| i64::from(day).to_le_bytes()),
            ReadColumn::Typed(Column::Timestamp(moments)) => self.all(hasher, moments, |moment| moment.to_le_bytes()),
            ReadColumn::Typed(Column::Boolean(truths)) => {
                self.all(hasher, truths, |truth| i64::from(truth).to_le_bytes())
            }
        }
    }

    fn all<T>(
        &mut self,
        hasher: &RandomState,
        values: impl IntoIterator<Item = Option<T>>,
        bytes: impl Fn(T) -> [u8; 8],
    ) -> Option<Vec<u32>> {
        let number =
            |value: Option<T>| self.number_or_null(hasher, value.map(&bytes).as_ref().map(<[u8; 8]>::as_slice));
        values.into_iter().map(number).collect()
    }

    fn of_views(&mut self, hasher: &RandomState, texts: &StringViewArray) -> Option<Vec<u32>> {
        texts.iter().map(|text| self.number_or_null(hasher, text.map(str::as_bytes))).collect()
    }

    /// For texts in any form. Each entry of a dictionary is looked up once, and only if a row uses it.
    fn of_texts(&mut self, hasher: &RandomState, array: &ArrayRef) -> Option<Vec<u32>> {
        if let Some(texts) = array.as_string_view_opt() {
            return self.of_views(hasher, texts);
        }
        let dictionary = array.as_any_dictionary_opt()?;
        let values = arrow_cast::cast(dictionary.values(), &arrow_schema::DataType::Utf8View).ok()?;
        let values = values.as_string_view_opt()?;
        if values.is_empty() {
            self.has_null |= !array.is_empty();
            return Some(vec![NULL; array.len()]);
        }
        let mut found: Vec<Option<u32>> = vec![None; values.len()];
        let keys = dictionary.normalized_keys().into_iter().enumerate();
        let number = |(row, key): (usize, usize)| {
            let found = found.get_mut(key)?;
            if array.is_null(row) || values.is_null(key) {
                return self.number_or_null(hasher, None);
            }
            if found.is_none() {
                *found = self.number(hasher, values.value(key).as_bytes());
            }
            *found
        };
        keys.map(number).collect()
    }

    fn texts(&self, numbers: impl Iterator<Item = u32>) -> StringViewArray {
        let values = numbers.map(|number| self.value(number));
        let whole = |value: Option<&[u8]>| value?.try_into().ok().map(i64::from_le_bytes);
        let column = match self.kind {
            Type::Text => {
                let mut texts = StringViewBuilder::new();
                values.for_each(|value| texts.append_option(value.and_then(|value| std::str::from_utf8(value).ok())));
                return texts.finish();
            }
            Type::Decimal => {
                // `1`, not `1.0`, because whole numbers are often stored as decimals.
                let numbers = values.map(|value| value?.try_into().ok().map(u64::from_le_bytes).map(f64::from_bits));
                return numbers.map(|number| number.map(|number| number.to_string())).collect();
            }
            Type::Boolean => Column::Boolean(values.map(|value| whole(value).map(|truth| truth != 0)).collect()),
            Type::Integer => Column::Integer(values.map(whole).collect()),
            Type::Date => Column::Date(values.map(|value| i32::try_from(whole(value)?).ok()).collect()),
            Type::Timestamp => Column::Timestamp(values.map(whole).collect()),
        };
        let len = column.len();
        let texts = arrow_cast::cast(&column.to_array(), &arrow_schema::DataType::Utf8View).ok();
        let texts = texts.and_then(|texts| texts.as_string_view_opt().cloned());
        texts.unwrap_or_else(|| StringViewArray::new_null(len))
    }
}

fn get<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let end = number as usize;
    let range = end.checked_sub(1).and_then(|begin| Some(*ends.get(begin)?..*ends.get(end)?));
    range.and_then(|range| bytes.get(range)).unwrap_or_default()
}

impl RowCounts {
    fn new(width: usize) -> Self {
        Self::Packed { bits: vec![0; width], known: HashTable::new() }
    }

    /// Adds a row; `None` if there are too many rows.
    fn count(&mut self, hasher: &RandomState, row: &[u32], times: u64) -> Option<()> {
        match self {
            Self::Packed { bits, known } => {
                let Some(key) = packed(bits, row) else {
                    self.widen(hasher, row)?;
                    return self.count(hasher, row, times);
                };
                match known.entry(hasher.hash_one(key), |(other, _)| *other == key, |(key, _)| hasher.hash_one(key)) {
                    Entry::Occupied(mut counted) => {
                        let (_, counted) = counted.get_mut();
                        *counted = counted.saturating_add(times);
                    }
                    Entry::Vacant(free) => {
                        free.insert((key, times));
                    }
                }
            }
            Self::Wide { width, numbers, times: counts, known } => {
                let hash = hasher.hash_one(row);
                let same = |(other, at): &(u64, u32)| {
                    let begin = *at as usize * *width;
                    *other == hash && numbers.get(begin..begin + *width) == Some(row)
                };
                match known.entry(hash, same, |(hash, _)| *hash) {
                    Entry::Occupied(known) => {
                        let counted = counts.get_mut(known.get().1 as usize)?;
                        *counted = counted.saturating_add(times);
                    }
                    Entry::Vacant(free) => {
                        free.insert((hash, u32::try_from(counts.len()).ok()?));
                        numbers.extend_from_slice(row);
                        counts.push(times);
                    }
                }
            }
        }
        Some(())
    }

    /// Makes room for the numbers of a row, and for twice as many values in its columns that were full.
    fn widen(&mut self, hasher: &RandomState, row: &[u32]) -> Option<()> {
        let Self::Packed { bits, .. } = self else { return Some(()) };
        let wider: Vec<u32> = bits
            .iter()
            .zip(row)
            .map(|(bits, number)| {
                let needed = u32::BITS - number.leading_zeros();
                if needed > *bits { (needed + 1).min(u32::BITS) } else { *bits }
            })
            .collect();
        let mut made = if wider.iter().sum::<u32>() <= u64::BITS {
            Self::Packed { bits: wider, known: HashTable::with_capacity(self.len()) }
        } else {
            Self::Wide { width: row.len(), numbers: Vec::new(), times: Vec::new(), known: HashTable::new() }
        };
        self.each(|row, times| made.count(hasher, row, times).ok_or(())).ok()?;
        *self = made;
        Some(())
    }

    fn len(&self) -> usize {
        match self {
            Self::Packed { known, .. } => known.len(),
            Self::Wide { times, .. } => times.len(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Packed { known, .. } => known.allocation_size(),
            Self::Wide { numbers, times, known, .. } => {
                numbers.capacity() * size_of::<u32>() + times.capacity() * size_of::<u64>() + known.allocation_size()
            }
        }
    }

    /// Calls `take` with the numbers and the count of each row, until it returns an error.
    fn each<E>(&self, mut take: impl FnMut(&[u32], u64) -> Result<(), E>) -> Result<(), E> {
        match self {
            Self::Packed { bits, known } => {
                let mut row = vec![0; bits.len()];
                known.iter().try_for_each(|(key, times)| {
                    unpack(bits, *key, &mut row);
                    take(&row, *times)
                })
            }
            Self::Wide { width, numbers, times, .. } => times.iter().enumerate().try_for_each(|(at, times)| {
                take(numbers.get(at * width..(at + 1) * width).unwrap_or_default(), *times)
            }),
        }
    }
}

/// The numbers of a row in one word; `None` if a number needs more bits than its column has.
fn packed(bits: &[u32], row: &[u32]) -> Option<u64> {
    let (mut key, mut shift) = (0_u64, 0);
    for (bits, number) in bits.iter().zip(row) {
        if u64::from(*number) >> bits != 0 {
            return None;
        }
        // A column without bits may come after 64 of them.
        key |= u64::from(*number).checked_shl(shift).unwrap_or(0);
        shift += bits;
    }
    Some(key)
}

fn unpack(bits: &[u32], mut key: u64, row: &mut [u32]) {
    for (bits, number) in bits.iter().zip(row) {
        *number = (key & ((1 << bits) - 1)) as u32;
        key >>= bits;
    }
}

impl Distinct {
    /// An empty set of rows with columns of these types.
    pub(super) fn new(kinds: Vec<Type>) -> Self {
        let rows = RowCounts::new(kinds.len());
        Self { hasher: RandomState::default(), columns: kinds.into_iter().map(Values::new).collect(), rows }
    }

    /// Removes all rows.
    pub(super) fn clear(&mut self) {
        *self =
            Self { hasher: self.hasher.clone(), ..Self::new(self.columns.iter().map(|values| values.kind).collect()) };
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.columns.iter().map(Values::size).sum::<usize>() + self.rows.bytes()
    }

    /// Adds the rows of a batch.
    pub(super) fn add(&mut self, batch: &Batch) -> Option<()> {
        let columns = self.columns.iter_mut().zip(&batch.columns);
        let numbers = columns.map(|(values, read)| values.numbers(&self.hasher, read)).collect::<Option<Vec<_>>>()?;
        if numbers.len() != self.columns.len() || numbers.iter().any(|column| column.len() != batch.rows) {
            return None;
        }
        let mut row = Vec::with_capacity(numbers.len());
        for at in 0..batch.rows {
            row.clear();
            row.extend(numbers.iter().filter_map(|column| column.get(at)));
            self.rows.count(&self.hasher, &row, 1)?;
        }
        Some(())
    }

    /// Adds a row of another set.
    pub(super) fn add_row(&mut self, row: &Row<'_>) -> Option<()> {
        let columns = self.columns.iter_mut().zip(&row.values);
        let numbers = columns.map(|(values, value)| values.number_or_null(&self.hasher, *value));
        let numbers = numbers.collect::<Option<Vec<_>>>()?;
        self.rows.count(&self.hasher, &numbers, row.times)
    }

    /// Adds all rows of another set.
    pub(super) fn merge(&mut self, other: &Self) -> Option<()> {
        let mut translated = Vec::with_capacity(self.columns.len());
        for (values, others) in self.columns.iter_mut().zip(&other.columns) {
            values.has_null |= others.has_null;
            let number = |number: usize| match others.value(u32::try_from(number).ok()?) {
                Some(value) => values.number(&self.hasher, value),
                None => Some(NULL),
            };
            translated.push((0..others.ends.len()).map(number).collect::<Option<Vec<u32>>>()?);
        }
        let (rows, hasher) = (&mut self.rows, &self.hasher);
        let mut row = Vec::with_capacity(translated.len());
        let added = other.each(|numbers, times| {
            row.clear();
            row.extend(numbers.iter().zip(&translated).filter_map(|(number, known)| known.get(*number as usize)));
            rows.count(hasher, &row, times).ok_or(())
        });
        added.ok()
    }

    /// Calls `take` with the numbers and the count of each row, until it returns an error.
    pub(super) fn each<E>(&self, take: impl FnMut(&[u32], u64) -> Result<(), E>) -> Result<(), E> {
        self.rows.each(take)
    }

    /// As [`Self::each`], with the values of each row.
    pub(super) fn each_row<E>(&self, mut take: impl FnMut(&Row<'_>) -> Result<(), E>) -> Result<(), E> {
        self.each(|numbers, times| {
            let values = numbers.iter().zip(&self.columns).map(|(number, values)| values.value(*number)).collect();
            take(&Row { times, values })
        })
    }

    /// The texts of a column's values, with their numbers; NULL only if a row has it.
    pub(super) fn each_text(&self, column: usize, each: &mut dyn FnMut(u32, Option<&str>)) {
        let Some(values) = self.columns.get(column) else { return };
        if values.has_null {
            each(NULL, None);
        }
        let count = u32::try_from(values.ends.len()).unwrap_or(u32::MAX);
        for begin in (1..count).step_by(BATCH_ROWS) {
            let end = begin.saturating_add(BATCH_ROWS as u32).min(count);
            (begin..end).zip(&values.texts(begin..end)).for_each(|(number, text)| each(number, text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    type GroupCounts = BTreeMap<(Option<String>, Option<String>), u64>;

    fn counted(distinct: &Distinct) -> GroupCounts {
        let texts = [0, 1].map(|column| {
            let mut texts = BTreeMap::new();
            distinct.each_text(column, &mut |number, text| {
                texts.insert(number, text.map(str::to_owned));
            });
            texts
        });
        let mut all = GroupCounts::new();
        let taken = distinct.each(|numbers, times| {
            let value = |column: usize| texts[column][&numbers[column]].clone();
            all.insert((value(0), value(1)), times).map_or(Ok(()), Err)
        });
        assert_eq!(taken, Ok(()), "a row comes once");
        all
    }

    fn of(rows: &[(Option<&str>, Option<i64>)]) -> Distinct {
        let mut distinct = Distinct::new(vec![Type::Text, Type::Integer]);
        let texts = rows.iter().map(|(text, _)| *text).collect();
        let numbers = rows.iter().map(|(_, number)| *number).collect();
        let columns = vec![ReadColumn::Typed(Column::Text(texts)), ReadColumn::Typed(Column::Integer(numbers))];
        distinct.add(&Batch { rows: rows.len(), columns }).unwrap();
        distinct
    }

    /// Rows counted in parts and merged have the same counts, including NULLs and the order of first occurrence.
    #[test]
    fn merged_counts_are_those_of_all_rows() {
        let long = "more than twelve bytes";
        let one = [(Some("a"), Some(1)), (None, None), (Some("a"), None), (Some(long), Some(-1)), (None, None)];
        let other = [(Some(long), None), (Some(""), Some(1)), (None, None), (None, Some(1)), (Some("a"), Some(1))];
        let mut merged = of(&one);
        merged.merge(&of(&other)).unwrap();
        let mut from_rows = Distinct::new(vec![Type::Text, Type::Integer]);
        merged.each_row(|row| from_rows.add_row(row).ok_or(())).unwrap();
        let together = counted(&of(&[one, other].concat()));
        assert_eq!(counted(&merged), together);
        assert_eq!(counted(&from_rows), together);
        let text = |text: &str| Some(text.to_owned());
        assert_eq!((together.len(), together[&(None, None)], together[&(text("a"), text("1"))]), (7, 3, 2));
        let bytes = merged.bytes();
        merged.clear();
        assert!(counted(&merged).is_empty() && merged.bytes() < bytes);
    }

    /// Without columns, all rows are equal.
    #[test]
    fn rows_without_columns() {
        let mut distinct = Distinct::new(Vec::new());
        for rows in [3, 4] {
            distinct.add(&Batch { rows, columns: Vec::new() }).unwrap();
        }
        let mut all = Vec::new();
        let taken: Result<(), ()> = distinct.each(|numbers, times| {
            all.push((numbers.to_vec(), times));
            Ok(())
        });
        assert_eq!(taken, Ok(()));
        assert_eq!((distinct.len(), all), (1, vec![(Vec::new(), 7)]));
    }

    /// Rows in one word, which becomes wider as values come, and beyond one word: the same counts.
    #[test]
    fn packed_rows_and_wide_rows_are_counted_alike() {
        let hasher = RandomState::default();
        let mut random = 1_u64;
        let mut below = |most: u32| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as u32 % most
        };
        for most in [1, 2, 300, 70_000, u32::MAX] {
            let mut counted = RowCounts::new(3);
            let mut expected: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for at in 0..2_000_u32 {
                // Small numbers first, so that columns outgrow their bits.
                let row: Vec<u32> = (0..3).map(|_| below(most.min((at / 4).pow(3) + 1))).collect();
                counted.count(&hasher, &row, 1 + u64::from(at % 3)).unwrap();
                *expected.entry(row).or_default() += 1 + u64::from(at % 3);
            }
            let is_packed = matches!(counted, RowCounts::Packed { .. });
            assert_eq!(is_packed, most <= 70_000, "{most}");
            let mut found = BTreeMap::new();
            counted.each(|row, times| found.insert(row.to_vec(), times).map_or(Ok(()), Err)).unwrap();
            assert_eq!(found, expected, "{most}");
            assert_eq!(counted.len(), expected.len());
        }
        // All 64 bits, and columns without bits after them.
        for (bits, row) in [([32, 32, 0], [u32::MAX, u32::MAX, 0]), ([0, 32, 32], [0, 7, u32::MAX])] {
            let mut back = [1; 3];
            unpack(&bits, packed(&bits, &row).unwrap(), &mut back);
            assert_eq!(back, row);
        }
        assert_eq!(packed(&[1, 2], &[1, 4]), None);
    }
}
