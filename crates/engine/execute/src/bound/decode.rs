//! Converts an argument's column to grid units, a batch at a time.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use deniable_query::Argument;
use deniable_query::facts::range::Grid;
use num_traits::ToPrimitive;

/// One argument's values in a batch. The buffer is reused for the next batch.
#[derive(Default)]
pub(super) struct Values {
    /// Grid units, 0 where NULL; empty if the argument has no grid and only presence counts.
    pub(super) units: Vec<i64>,
    /// The rows where the argument is NULL; `None` if there are no such rows.
    pub(super) nulls: Option<NullBuffer>,
}

impl Values {
    /// Sets all of `rows` rows to NULL.
    pub(super) fn nothing(&mut self, rows: usize) {
        self.units.clear();
        self.units.resize(rows, 0);
        self.nulls = Some(NullBuffer::new_null(rows));
    }

    #[inline]
    pub(super) fn is_present(&self, row: usize) -> bool {
        self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
    }
}

/// Maps one argument's values to its grid as [`Grid`] does, with faster code for small numbers.
pub(crate) struct Decoder {
    grid: Option<Grid>,
    /// The unit as `span / per`.
    span: i64,
    per: i64,
}

/// Below this bound two numbers can be multiplied, and a half added, in 64 bits.
const SMALL: i64 = 1 << 31;

impl Decoder {
    pub(crate) fn new(argument: &Argument) -> Self {
        let part = |number: fn(&Grid) -> Option<i64>| argument.grid.as_ref().and_then(number).unwrap_or(i64::MAX);
        Self {
            span: part(|grid| grid.unit.numer().to_i64()),
            per: part(|grid| grid.unit.denom().to_i64()),
            grid: argument.grid.clone(),
        }
    }

    /// The least and the greatest units, if there is a grid.
    pub(super) fn ends(&self) -> Option<(i64, i64)> {
        self.grid.as_ref().map(|grid| (grid.low, grid.high))
    }

    pub(super) fn decode(&self, column: &ArrayRef, values: &mut Values) {
        values.units.clear();
        // Logical: a column of type Null is all NULL without a bitmap.
        values.nulls = column.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        let Some(grid) = &self.grid else { return };
        match column.data_type() {
            DataType::Int64 => {
                let numbers = column.as_primitive::<Int64Type>().values();
                values.units.extend(numbers.iter().map(|number| self.of_integer(grid, *number)));
            }
            DataType::Float64 => {
                let numbers = column.as_primitive::<Float64Type>().values();
                values.units.extend(numbers.iter().map(|number| self.of_float(grid, *number)));
                // Total expressions give NULL instead of NaN; a NaN that remains counts as NULL.
                if numbers.iter().any(|number| number.is_nan()) {
                    let number = BooleanBuffer::collect_bool(numbers.len(), |row| !numbers[row].is_nan());
                    values.nulls = NullBuffer::union(values.nulls.as_ref(), Some(&NullBuffer::new(number)));
                }
            }
            DataType::Null => values.units.resize(column.len(), 0),
            _ => return values.nothing(column.len()),
        }
        if let Some(nulls) = &values.nulls {
            for (units, is_valid) in values.units.iter_mut().zip(nulls.iter()) {
                *units = if is_valid { *units } else { 0 };
            }
        }
    }

    /// The number of values in rows that count, and the number of these beyond the bounds. For the curator alone, so
    /// float comparisons at the bound itself are acceptable.
    pub(crate) fn beyond(&self, column: &ArrayRef, counts: impl Fn(usize) -> bool) -> (u64, u64) {
        let rows = (0..column.len()).filter(|row| counts(*row));
        let Some(grid) = &self.grid else { return (rows.count() as u64, 0) };
        let unit = grid.unit.to_f64().unwrap_or(1.0);
        let (low, high) = ((grid.low as f64 - 0.5) * unit, (grid.high as f64 + 0.5) * unit);
        let is_beyond = |value: f64| value < low || value > high;
        let both = |value: &dyn Fn(usize) -> f64| {
            rows.fold((0, 0), |(all, beyond), row| (all + 1, beyond + u64::from(is_beyond(value(row)))))
        };
        match column.data_type() {
            DataType::Int64 => both(&|row| column.as_primitive::<Int64Type>().value(row) as f64),
            DataType::Float64 => both(&|row| column.as_primitive::<Float64Type>().value(row)),
            _ => (0, 0),
        }
    }

    #[inline]
    fn of_integer(&self, grid: &Grid, value: i64) -> i64 {
        if self.span == 1 {
            // A saturated product is beyond every bound and gets clamped.
            value.saturating_mul(self.per).clamp(grid.low, grid.high)
        } else if self.span < SMALL && self.per < SMALL && (-SMALL..=SMALL).contains(&value) {
            let scaled = value * self.per;
            ((scaled + self.span / 2 * scaled.signum()) / self.span).clamp(grid.low, grid.high)
        } else {
            grid.of_integer(value)
        }
    }

    #[inline]
    fn of_float(&self, grid: &Grid, value: f64) -> i64 {
        let scaled = value * (self.per as f64) / (self.span as f64);
        if scaled.abs() < (1_i64 << 51) as f64 {
            // Equals `round`, without a call: the fraction is exact.
            let whole = scaled as i64;
            let fraction = scaled - whole as f64;
            let up = i64::from(fraction >= 0.5) - i64::from(fraction <= -0.5);
            (whole + up).clamp(grid.low, grid.high)
        } else {
            grid.of_float(value).unwrap_or(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{BooleanArray, Float64Array, Int64Array, NullArray};
    use deniable_core::exact::{parse_rational, whole};
    use deniable_core::schema::{Bounds, Column, ColumnType};
    use deniable_query::facts::range::Range;
    use rand_chacha::ChaCha20Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};
    use std::sync::Arc;

    fn argument(grid: Option<Grid>) -> Argument {
        Argument { value: crate::bound::nowhere(), grid }
    }

    /// A grid with this step, from `low` to `high` in steps.
    fn grid(low: i64, high: i64, step: &str) -> Grid {
        let step = parse_rational(step).unwrap();
        let bounds = Bounds::new(&step * whole(low), &step * whole(high), step).unwrap();
        let column = Column::new("x", ColumnType::Decimal).within(bounds);
        Range::declared(column.bounds.as_ref().unwrap()).grid().unwrap()
    }

    fn decoded(argument: &Argument, column: ArrayRef) -> Vec<Option<i64>> {
        let mut values = Values { units: vec![7; 3], nulls: None };
        let rows = column.len();
        Decoder::new(argument).decode(&column, &mut values);
        (0..rows).map(|row| values.is_present(row).then(|| values.units.get(row).copied().unwrap_or(0))).collect()
    }

    #[test]
    fn without_a_grid_only_presence_counts() {
        let column = BooleanArray::from(vec![Some(true), None, Some(false)]);
        assert_eq!(decoded(&argument(None), Arc::new(column)), [Some(0), None, Some(0)]);
        assert_eq!(decoded(&argument(None), Arc::new(NullArray::new(2))), [None, None]);
    }

    #[test]
    fn missing_values_have_zero_units() {
        let column = Float64Array::from(vec![Some(f64::NAN), None, Some(f64::INFINITY), Some(2.0)]);
        let argument = argument(Some(grid(-20, 80, "1/4")));
        assert_eq!(decoded(&argument, Arc::new(column)), [None, None, Some(80), Some(8)]);
        assert_eq!(decoded(&argument, Arc::new(NullArray::new(1))), [None]);
        // Arrow leaves the values of NULL entries undefined.
        let column = Int64Array::new(vec![3, 4].into(), Some(vec![false, true].into()));
        let mut values = Values::default();
        Decoder::new(&argument).decode(&(Arc::new(column) as ArrayRef), &mut values);
        assert_eq!(values.units, [0, 16]);
    }

    #[test]
    fn fast_paths_match_the_grid() {
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(1));
        for step in ["1", "1/4", "0.05", "3", "7/3", "1000003", "1/1000003", "5000000000"] {
            let grid = grid(-40, 10_000, step);
            let decoder = Decoder::new(&argument(Some(grid.clone())));
            let mut numbers = vec![i64::MIN, i64::MAX, 0, 1, -1, SMALL, -SMALL, SMALL + 1];
            // Numbers of every magnitude, from a few bits to 64.
            numbers.extend((0..20_000).map(|round| (rng.next_u64() as i64) >> (round % 64)));
            for number in numbers {
                assert_eq!(decoder.of_integer(&grid, number), grid.of_integer(number), "{number} by {step}");
                let near = number as f64 / 8.0;
                for float in [near, near / 1e7, f64::from_bits(number as u64), 0.499_999_999_999_999_94] {
                    if !float.is_nan() {
                        assert_eq!(Some(decoder.of_float(&grid, float)), grid.of_float(float), "{float} by {step}");
                    }
                }
            }
        }
    }
}
