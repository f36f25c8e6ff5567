//! Distinct rows in memory: each value is stored once, and a row as the numbers of its values.

use super::Rows;
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
    known: HashTable<(u64, u32)>,
}

/// Distinct rows, with the number of times that each was added.
#[derive(Clone)]
pub(super) struct Distinct {
    hasher: RandomState,
    columns: Vec<Values>,
    /// The numbers of the values, row after row.
    rows: Vec<u32>,
    times: Vec<u64>,
    known: HashTable<(u64, u32)>,
}

/// A row of another set: its values, and its count.
pub(super) struct Row<'a> {
    pub(super) times: u64,
    pub(super) values: Vec<Option<&'a [u8]>>,
}

impl Values {
    fn new(kind: Type) -> Self {
        Self { kind, bytes: Vec::new(), ends: vec![0], known: HashTable::new() }
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
        let number = |value: Option<T>| value.map_or(Some(NULL), |value| self.number(hasher, &bytes(value)));
        values.into_iter().map(number).collect()
    }

    fn of_views(&mut self, hasher: &RandomState, texts: &StringViewArray) -> Option<Vec<u32>> {
        texts.iter().map(|text| text.map_or(Some(NULL), |text| self.number(hasher, text.as_bytes()))).collect()
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
            return Some(vec![NULL; array.len()]);
        }
        let mut found: Vec<Option<u32>> = vec![None; values.len()];
        let keys = dictionary.normalized_keys().into_iter().enumerate();
        let number = |(row, key): (usize, usize)| {
            let found = found.get_mut(key)?;
            if array.is_null(row) || values.is_null(key) {
                return Some(NULL);
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

impl Distinct {
    /// An empty set of rows with columns of these types.
    pub(super) fn new(kinds: Vec<Type>) -> Self {
        let columns = kinds.into_iter().map(Values::new).collect();
        let (rows, times, known) = (Vec::new(), Vec::new(), HashTable::new());
        Self { hasher: RandomState::default(), columns, rows, times, known }
    }

    /// Removes all rows.
    pub(super) fn clear(&mut self) {
        *self =
            Self { hasher: self.hasher.clone(), ..Self::new(self.columns.iter().map(|values| values.kind).collect()) };
    }

    /// The number of bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(Values::size).sum();
        let times = self.times.capacity() * size_of::<u64>();
        columns + self.rows.capacity() * size_of::<u32>() + times + self.known.allocation_size()
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
            self.count(&row, 1)?;
        }
        Some(())
    }

    /// Adds a row of another set.
    pub(super) fn add_row(&mut self, row: &Row<'_>) -> Option<()> {
        let columns = self.columns.iter_mut().zip(&row.values);
        let number = |(values, value): (&mut Values, &Option<&[u8]>)| {
            value.map_or(Some(NULL), |value| values.number(&self.hasher, value))
        };
        let numbers = columns.map(number).collect::<Option<Vec<_>>>()?;
        self.count(&numbers, row.times)
    }

    /// Adds all rows of another set.
    pub(super) fn merge(&mut self, other: &Self) -> Option<()> {
        let mut translated = Vec::with_capacity(self.columns.len());
        for (values, others) in self.columns.iter_mut().zip(&other.columns) {
            let number = |number: usize| match others.value(u32::try_from(number).ok()?) {
                Some(value) => values.number(&self.hasher, value),
                None => Some(NULL),
            };
            translated.push((0..others.ends.len()).map(number).collect::<Option<Vec<u32>>>()?);
        }
        let mut row = Vec::with_capacity(translated.len());
        for at in 0..other.times.len() {
            row.clear();
            let numbers = other.row(at).iter().zip(&translated);
            row.extend(numbers.filter_map(|(number, numbers)| numbers.get(*number as usize)));
            self.count(&row, other.times.get(at).copied().unwrap_or_default())?;
        }
        Some(())
    }

    fn count(&mut self, row: &[u32], times: u64) -> Option<()> {
        let width = self.columns.len();
        let hash = self.hasher.hash_one(row);
        let rows = &self.rows;
        let same = |(other, at): &(u64, u32)| {
            let begin = *at as usize * width;
            *other == hash && rows.get(begin..begin + width) == Some(row)
        };
        match self.known.entry(hash, same, |(hash, _)| *hash) {
            Entry::Occupied(known) => {
                let counted = self.times.get_mut(known.get().1 as usize)?;
                *counted = counted.saturating_add(times);
            }
            Entry::Vacant(free) => {
                free.insert((hash, u32::try_from(self.times.len()).ok()?));
                self.rows.extend_from_slice(row);
                self.times.push(times);
            }
        }
        Some(())
    }

    fn row(&self, at: usize) -> &[u32] {
        let width = self.columns.len();
        self.rows.get(at * width..(at + 1) * width).unwrap_or_default()
    }

    /// All rows, one by one.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.times.iter().enumerate().map(|(at, times)| {
            let numbers = self.row(at).iter().zip(&self.columns);
            Row { times: *times, values: numbers.map(|(number, values)| values.value(*number)).collect() }
        })
    }

    /// All rows, as texts.
    pub(super) fn batches(&self) -> impl Iterator<Item = Rows> {
        (0..self.times.len()).step_by(BATCH_ROWS).map(move |begin| {
            let end = (begin + BATCH_ROWS).min(self.times.len());
            let numbers = |column| (begin..end).map(move |at| self.row(at).get(column).copied().unwrap_or(NULL));
            let columns = self.columns.iter().enumerate().map(|(at, values)| values.texts(numbers(at))).collect();
            Rows { columns, times: self.times.get(begin..end).unwrap_or_default().to_vec() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    type GroupCounts = BTreeMap<(Option<String>, Option<String>), u64>;

    fn counted(distinct: &Distinct) -> GroupCounts {
        let mut all = GroupCounts::new();
        for rows in distinct.batches() {
            for row in 0..rows.len() {
                let value = |column| rows.value(row, column).map(str::to_owned);
                let before = all.insert((value(0), value(1)), rows.times(row));
                assert_eq!(before, None, "a row comes once");
            }
        }
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
        merged.rows().for_each(|row| from_rows.add_row(&row).unwrap());
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
        let all: Vec<Rows> = distinct.batches().collect();
        assert_eq!((all.len(), all[0].len(), all[0].times(0)), (1, 1, 7));
    }
}
