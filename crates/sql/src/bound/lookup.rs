//! Which declared cell a row falls into, if any.

use super::UnexpectedBatch;
use crate::rows::keys::decimal_key;
use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::cast::{
    as_boolean_array, as_date32_array, as_float64_array, as_int64_array, as_string_array,
    as_timestamp_microsecond_array,
};
use deniable_policy::Key;
use std::collections::HashMap;

/// The positions of one group column's declared keys.
pub(super) struct KeyLookup {
    size: usize,
    null: Option<usize>,
    texts: HashMap<String, usize>,
    integers: HashMap<i64, usize>,
    booleans: HashMap<bool, usize>,
    /// By the bits of the float, -0 as 0.
    decimals: HashMap<u64, usize>,
    dates: HashMap<i32, usize>,
    timestamps: HashMap<i64, usize>,
}

impl KeyLookup {
    pub(super) fn new(keys: &[Key]) -> Self {
        let mut lookup = Self {
            size: keys.len(),
            null: None,
            texts: HashMap::new(),
            integers: HashMap::new(),
            booleans: HashMap::new(),
            decimals: HashMap::new(),
            dates: HashMap::new(),
            timestamps: HashMap::new(),
        };
        for (position, key) in keys.iter().enumerate() {
            match key {
                Key::Null => lookup.null = Some(position),
                Key::Text(text) => drop(lookup.texts.insert(text.clone(), position)),
                Key::Integer(value) => drop(lookup.integers.insert(*value, position)),
                Key::Boolean(truth) => drop(lookup.booleans.insert(*truth, position)),
                Key::Decimal(_) => {
                    if let Some(value) = decimal_key(key) {
                        lookup.decimals.insert((value + 0.0).to_bits(), position);
                    }
                }
                Key::Date(day) => drop(lookup.dates.insert(*day, position)),
                Key::Timestamp(time) => drop(lookup.timestamps.insert(*time, position)),
            }
        }
        lookup
    }

    /// Refines the cells of a batch by this column; rows with an undeclared key are in no cell.
    pub(super) fn refine(&self, column: &ArrayRef, cells: &mut [Option<usize>]) -> Result<(), UnexpectedBatch> {
        let unexpected = |_| UnexpectedBatch;
        match column.data_type() {
            DataType::Utf8 => {
                let values = as_string_array(column).map_err(unexpected)?;
                self.place(cells, |row| values.is_valid(row).then(|| self.texts.get(values.value(row)).copied()));
            }
            DataType::Int64 => {
                let values = as_int64_array(column).map_err(unexpected)?;
                self.place(cells, |row| values.is_valid(row).then(|| self.integers.get(&values.value(row)).copied()));
            }
            DataType::Boolean => {
                let values = as_boolean_array(column).map_err(unexpected)?;
                self.place(cells, |row| values.is_valid(row).then(|| self.booleans.get(&values.value(row)).copied()));
            }
            DataType::Float64 => {
                let values = as_float64_array(column).map_err(unexpected)?;
                let place = |value: f64| self.decimals.get(&(value + 0.0).to_bits()).copied();
                self.place(cells, |row| values.is_valid(row).then(|| place(values.value(row))));
            }
            DataType::Date32 => {
                let values = as_date32_array(column).map_err(unexpected)?;
                self.place(cells, |row| values.is_valid(row).then(|| self.dates.get(&values.value(row)).copied()));
            }
            DataType::Timestamp(TimeUnit::Microsecond, None) => {
                let values = as_timestamp_microsecond_array(column).map_err(unexpected)?;
                self.place(cells, |row| values.is_valid(row).then(|| self.timestamps.get(&values.value(row)).copied()));
            }
            DataType::Null => self.place(cells, |_| None),
            _ => return Err(UnexpectedBatch),
        }
        Ok(())
    }

    /// `key_at` gives `None` for NULL, and `Some(None)` for a key that is not declared.
    fn place(&self, cells: &mut [Option<usize>], key_at: impl Fn(usize) -> Option<Option<usize>>) {
        for (row, cell) in cells.iter_mut().enumerate() {
            let key = key_at(row).unwrap_or(self.null);
            *cell = cell.zip(key).map(|(cell, key)| cell * self.size + key);
        }
    }
}
