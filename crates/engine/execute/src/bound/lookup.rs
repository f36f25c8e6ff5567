//! Finds the declared cell of a row.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};
use deniable_core::schema::Key;
use deniable_query::facts::keys::decimal_key;
use std::collections::HashMap;

/// The cell of a row whose key is not declared.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Longest table of integers that is indexed directly instead of hashed.
const MOST_DENSE: usize = 1 << 12;

/// The positions of one group column's declared keys.
pub(super) struct KeyLookup {
    size: u32,
    null: u32,
    /// The position of values outside the keys.
    other: u32,
    short: Table,
    /// Positions of integers in a small range, by their distance from the lowest.
    dense: Option<(i64, Vec<u32>)>,
    long: HashMap<String, u32>,
    booleans: [u32; 2],
}

impl KeyLookup {
    pub(super) fn new(keys: &[Key]) -> Self {
        let mut lookup = Self {
            size: keys.len() as u32,
            null: NOWHERE,
            other: NOWHERE,
            short: Table::for_keys(keys.len()),
            dense: dense(keys),
            long: HashMap::new(),
            booleans: [NOWHERE; 2],
        };
        for (position, key) in (0_u32..).zip(keys) {
            match key {
                Key::Null => lookup.null = position,
                Key::Other => lookup.other = position,
                Key::Text(text) => match PackedKey::text(text.as_bytes()) {
                    Some(packed) => lookup.short.insert(packed, position),
                    None => drop(lookup.long.insert(text.clone(), position)),
                },
                Key::Integer(value) => lookup.short.insert(PackedKey::integer(*value), position),
                Key::Decimal(_) => {
                    if let Some(value) = decimal_key(key) {
                        lookup.short.insert(PackedKey::decimal(value), position);
                    }
                }
                Key::Date(day) => lookup.short.insert(PackedKey::date(*day), position),
                Key::Timestamp(time) => lookup.short.insert(PackedKey::timestamp(*time), position),
                Key::Boolean(truth) => lookup.booleans[usize::from(*truth)] = position,
            }
        }
        lookup
    }

    /// Refines the cells of a batch by this column; rows with an undeclared key get no cell.
    pub(super) fn refine(&self, column: &ArrayRef, cells: &mut [u32]) {
        // Logical: a column of type Null, or a dictionary, may be NULL without a bitmap of its own.
        let nulls = column.logical_nulls();
        let nulls = nulls.as_ref().filter(|nulls| nulls.null_count() > 0);
        match column.data_type() {
            DataType::Utf8 => {
                let values = column.as_string::<i32>();
                self.place(cells, nulls, |row| self.text(values.value(row)));
            }
            DataType::LargeUtf8 => {
                let values = column.as_string::<i64>();
                self.place(cells, nulls, |row| self.text(values.value(row)));
            }
            DataType::Utf8View => {
                let values = column.as_string_view();
                let views = values.views();
                self.place(cells, nulls, |row| match PackedKey::view(views[row]) {
                    Some(packed) => self.short.find(packed),
                    None => self.text(values.value(row)),
                });
            }
            DataType::Dictionary(..) => {
                // Each distinct key is looked up once for the whole batch.
                let dictionary = column.as_any_dictionary();
                let values = dictionary.values();
                let positions = self.positions(values);
                let keys = dictionary.normalized_keys();
                self.place(cells, nulls, |row| positions.get(keys[row]).copied().unwrap_or(NOWHERE));
            }
            DataType::Int64 => {
                let values = column.as_primitive::<Int64Type>().values();
                match &self.dense {
                    Some((lowest, positions)) => self.place(cells, nulls, |row| {
                        let at = values[row].wrapping_sub(*lowest) as u64;
                        positions.get(usize::try_from(at).unwrap_or(usize::MAX)).copied().unwrap_or(NOWHERE)
                    }),
                    None => self.place(cells, nulls, |row| self.short.find(PackedKey::integer(values[row]))),
                }
            }
            DataType::Boolean => {
                let values = column.as_boolean();
                self.place(cells, nulls, |row| self.booleans[usize::from(values.value(row))]);
            }
            DataType::Float64 => {
                let values = column.as_primitive::<Float64Type>().values();
                self.place(cells, nulls, |row| self.short.find(PackedKey::decimal(values[row])));
            }
            DataType::Date32 => {
                let values = column.as_primitive::<Date32Type>().values();
                self.place(cells, nulls, |row| self.short.find(PackedKey::date(values[row])));
            }
            DataType::Timestamp(TimeUnit::Microsecond, None) => {
                let values = column.as_primitive::<TimestampMicrosecondType>().values();
                self.place(cells, nulls, |row| self.short.find(PackedKey::timestamp(values[row])));
            }
            DataType::Null => self.place(cells, nulls, |_| NOWHERE),
            // Keys have no other type.
            _ => cells.fill(NOWHERE),
        }
    }

    /// The position of every value of a dictionary.
    fn positions(&self, values: &ArrayRef) -> Vec<u32> {
        let mut positions = vec![0; values.len()];
        if values.data_type().is_string() {
            self.refine(values, &mut positions);
        } else {
            positions.fill(NOWHERE);
        }
        positions
    }

    fn text(&self, text: &str) -> u32 {
        match PackedKey::text(text.as_bytes()) {
            Some(packed) => self.short.find(packed),
            None => self.long.get(text).copied().unwrap_or(NOWHERE),
        }
    }

    fn place(&self, cells: &mut [u32], nulls: Option<&NullBuffer>, position_of: impl Fn(usize) -> u32) {
        for (row, cell) in cells.iter_mut().enumerate() {
            let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
            let position = if is_null { self.null } else { position_of(row) };
            let position = if position == NOWHERE && !is_null { self.other } else { position };
            let nowhere = *cell == NOWHERE || position == NOWHERE;
            // Does not wrap for cells that count: the planner ensures that combinations fit.
            *cell = if nowhere { NOWHERE } else { cell.wrapping_mul(self.size).wrapping_add(position) };
        }
    }
}

/// The positions of integers, from the lowest to the highest, if that takes little memory.
fn dense(keys: &[Key]) -> Option<(i64, Vec<u32>)> {
    let number = |key: &Key| if let Key::Integer(value) = key { Some(*value) } else { None };
    let (lowest, highest) = (keys.iter().filter_map(number).min()?, keys.iter().filter_map(number).max()?);
    let room = usize::try_from(highest.checked_sub(lowest)?).ok().filter(|room| *room < MOST_DENSE)?;
    let mut positions = vec![NOWHERE; room + 1];
    for (position, key) in (0_u32..).zip(keys) {
        if let Some(value) = number(key) {
            positions[(value - lowest) as usize] = position;
        }
    }
    Some((lowest, positions))
}

/// A number, a time, or a text of up to 12 bytes, in words: equal exactly when the keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PackedKey {
    first: u64,
    last: u64,
}

/// The longest text that a view stores inline.
const SHORT: usize = 12;

impl PackedKey {
    /// The low half of the first word is the length of a text, 0 to 12; kinds of numbers have higher values.
    fn number(kind: u64, bits: u64) -> Self {
        Self { first: kind, last: bits }
    }

    fn integer(value: i64) -> Self {
        Self::number(0xd0, value as u64)
    }

    /// The bits of the float, with -0 as 0.
    fn decimal(value: f64) -> Self {
        Self::number(0xd1, (value + 0.0).to_bits())
    }

    fn date(day: i32) -> Self {
        Self::number(0xd2, i64::from(day) as u64)
    }

    fn timestamp(micros: i64) -> Self {
        Self::number(0xd3, micros as u64)
    }

    /// A short text as a view stores it: its length in 32 bits, then its bytes, then zeros.
    #[inline]
    fn view(view: u128) -> Option<Self> {
        (view as u32 as usize <= SHORT).then_some(Self { first: view as u64, last: (view >> 64) as u64 })
    }

    #[inline]
    fn text(text: &[u8]) -> Option<Self> {
        if text.len() > SHORT {
            return None;
        }
        let mut bytes = [0; 16];
        bytes[0] = text.len() as u8;
        bytes[4..4 + text.len()].copy_from_slice(text);
        Self::view(u128::from_le_bytes(bytes))
    }

    #[inline]
    fn hash(self) -> u64 {
        let mixed = (self.first ^ self.last.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

/// A small open hash table. It is sparse and never changes while rows are read, so that each lookup inspects only a few
/// neighbouring entries.
struct Table {
    slots: Vec<(PackedKey, u32)>,
    shift: u32,
}

impl Table {
    fn for_keys(keys: usize) -> Self {
        let size = (keys * 4).next_power_of_two().max(4);
        Self { slots: vec![(PackedKey::integer(0), NOWHERE); size], shift: 64 - size.trailing_zeros() }
    }

    fn slot_of(&self, key: PackedKey) -> usize {
        let mut at = (key.hash() >> self.shift) as usize;
        loop {
            let (found, position) = self.slots[at];
            if position == NOWHERE || found == key {
                return at;
            }
            at = (at + 1) % self.slots.len();
        }
    }

    fn insert(&mut self, key: PackedKey, position: u32) {
        let at = self.slot_of(key);
        self.slots[at] = (key, position);
    }

    #[inline]
    fn find(&self, key: PackedKey) -> u32 {
        self.slots[self.slot_of(key)].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int8Type;
    use arrow_array::{
        BooleanArray, DictionaryArray, Int64Array, LargeStringArray, NullArray, StringArray, StringViewArray,
    };
    use std::sync::Arc;

    fn cells(keys: &[Key], column: ArrayRef) -> Vec<u32> {
        let mut cells = vec![0; column.len()];
        KeyLookup::new(keys).refine(&column, &mut cells);
        cells
    }

    #[test]
    fn texts_of_every_length_are_distinguished() {
        // All texts over two letters up to length 5, and long texts that agree at both ends.
        let mut texts: Vec<String> = vec![String::new()];
        for length in 1..=5 {
            texts
                .extend((0..1 << length).map(|bits| {
                    (0..length).map(|at| if bits >> at & 1 == 1 { 'b' } else { '\0' }).collect::<String>()
                }));
        }
        for length in [6, 7, 8, 9, 12, 15, 16, 17, 18, 40] {
            texts.push("x".repeat(length));
            for at in 0..length {
                texts.push(format!("{}y{}", "x".repeat(at), "x".repeat(length - at - 1)));
            }
        }
        let (declared, other): (Vec<_>, Vec<_>) = texts.iter().enumerate().partition(|(at, _)| at % 2 == 0);
        let keys: Vec<Key> = declared.iter().map(|(_, text)| Key::Text((*text).clone())).collect();
        let columns = |texts: &[(usize, &String)]| -> [ArrayRef; 3] {
            let texts = || texts.iter().map(|(_, text)| Some(text.as_str()));
            [
                Arc::new(texts().collect::<StringArray>()),
                Arc::new(texts().collect::<LargeStringArray>()),
                Arc::new(texts().collect::<StringViewArray>()),
            ]
        };
        for column in columns(&declared) {
            assert_eq!(cells(&keys, column), (0..keys.len() as u32).collect::<Vec<_>>());
        }
        for column in columns(&other) {
            assert!(cells(&keys, column).iter().all(|cell| *cell == NOWHERE));
        }
    }

    #[test]
    fn nulls_dictionaries_and_other_types() {
        let keys = [Key::Text("a".into()), Key::Null, Key::Text("b".into())];
        let texts = [Some("b"), None, Some("zzz"), Some("a")];
        assert_eq!(cells(&keys, Arc::new(StringArray::from(texts.to_vec()))), [2, 1, NOWHERE, 0]);
        let dictionary: DictionaryArray<Int8Type> = texts.into_iter().collect();
        assert_eq!(cells(&keys, Arc::new(dictionary)), [2, 1, NOWHERE, 0]);
        assert_eq!(cells(&keys, Arc::new(NullArray::new(2))), [1, 1]);
        assert_eq!(cells(&keys[..1], Arc::new(NullArray::new(1))), [NOWHERE]);
        let numbers = [Key::Integer(7), Key::Null, Key::Integer(-2), Key::Integer(3)];
        let column =
            Int64Array::from(vec![Some(-2), Some(7), Some(8), Some(-3), None, Some(3), Some(i64::MIN), Some(0)]);
        assert_eq!(cells(&numbers, Arc::new(column)), [2, 0, NOWHERE, NOWHERE, 1, 3, NOWHERE, NOWHERE]);
        let numbers = [Key::Integer(i64::MIN), Key::Integer(0), Key::Integer(-1)];
        let column = Int64Array::from(vec![Some(-1), Some(0), Some(i64::MIN), Some(i64::MAX), None]);
        assert_eq!(cells(&numbers, Arc::new(column)), [2, 1, 0, NOWHERE, NOWHERE]);
        let column = BooleanArray::from(vec![Some(true), Some(false), None]);
        assert_eq!(cells(&[Key::Boolean(false)], Arc::new(column)), [NOWHERE, 0, NOWHERE]);
    }

    #[test]
    fn cells_are_counted_with_the_last_column_fastest() {
        let first = KeyLookup::new(&[Key::Boolean(false), Key::Boolean(true)]);
        let second = KeyLookup::new(&[Key::Integer(7), Key::Integer(8), Key::Integer(9)]);
        let mut cells = vec![0; 4];
        first.refine(&(Arc::new(BooleanArray::from(vec![true, false, true, true])) as ArrayRef), &mut cells);
        second.refine(&(Arc::new(Int64Array::from(vec![9, 8, 7, 1])) as ArrayRef), &mut cells);
        assert_eq!(cells, [5, 1, 3, NOWHERE]);
    }
}
