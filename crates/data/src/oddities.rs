//! What is odd about the values of one column.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_schema::DataType;
use deniable_core::schema::{Bounds, Column, ColumnType, Key};
use num_traits::ToPrimitive;
use std::collections::HashSet;

/// A column reads badly from so many of a hundred values on that do not read as declared, or are none of its declared keys.
///
/// A few odd values are in most data. A few in a hundred are more often a declaration that does not fit: a decimal comma, a
/// second spelling, a code for "unknown" that is not among the `nulls`.
pub const BAD_PERCENT: u64 = 2;

/// How many values something is so with, and where the first is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// How many; never none.
    pub count: u64,
    /// The place of the first, as `file:line`.
    pub first: String,
}

/// What a scan found in one column. For the curator: it depends on private rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnReport {
    /// The column.
    pub column: String,
    /// Its declared type.
    pub kind: ColumnType,
    /// Rows in which something stands that should be a value.
    pub present: u64,
    /// Rows in which nothing does: NULL, or a text that means it.
    pub missing: Option<Found>,
    /// Of the present ones, those that do not read as the type.
    pub unreadable: Option<Found>,
    /// Of the others, those that are none of the declared keys.
    pub undeclared: Option<Found>,
    /// Of the readable ones, those outside the declared bounds.
    pub outside: Option<Found>,
    /// Rows that are left out where the column is grouped by: of an undeclared key, or NULL where that is none.
    pub left_out: Option<Found>,
}

fn count_of(found: Option<&Found>) -> u64 {
    found.map_or(0, |found| found.count)
}

impl ColumnReport {
    /// Present values that are of no use where they are asked about: unreadable, or none of the declared keys.
    #[must_use]
    pub fn useless(&self) -> u64 {
        count_of(self.unreadable.as_ref()) + count_of(self.undeclared.as_ref())
    }

    /// Whether the column reads badly: [`BAD_PERCENT`] of its values are of no use, or there are rows and no value at all.
    /// Missing values alone are a matter of the data, and not of how they are read; so are values outside the bounds.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        if self.present == 0 {
            return self.missing.is_some();
        }
        let useless = self.useless();
        useless > 0 && u128::from(useless) * 100 >= u128::from(self.present) * u128::from(BAD_PERCENT)
    }

    /// What a curator should know.
    pub(crate) fn notes(&self) -> Vec<String> {
        let kind = self.kind.name();
        let unreadable = format!("of {} values do not read as {kind} and count as NULL", self.present);
        let outside = "values lie outside the declared bounds and are clamped";
        let left_out = "rows have a key that is not declared (or NULL, without null_key) and are left out where it is \
                        grouped by";
        [(&self.unreadable, unreadable.as_str()), (&self.outside, outside), (&self.left_out, left_out)]
            .into_iter()
            .filter_map(|(found, what)| {
                let Found { count, first } = found.as_ref()?;
                Some(format!("{}: {count} {what} (first at {first})", self.column))
            })
            .collect()
    }

    /// Why the column reads badly, in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        let mut parts = Vec::new();
        if let Some(Found { count, first }) = &self.unreadable {
            parts.push(format!(
                "{count} do not read as {} and would count as NULL (first at {first})",
                self.kind.name()
            ));
        }
        if let Some(Found { count, first }) = &self.undeclared {
            parts.push(format!(
                "{count} are no declared key and would be left out where it is grouped by (first at {first})"
            ));
        }
        match &self.missing {
            _ if !parts.is_empty() => {
                format!("of {} values of column `{}`, {}", self.present, self.column, parts.join("; "))
            }
            Some(Found { count, .. }) => format!("none of {count} rows has a value of column `{}`", self.column),
            None => format!("column `{}` reads well", self.column),
        }
    }

    /// What to change in the policy, most likely.
    #[must_use]
    pub fn help(&self) -> &'static str {
        if self.present == 0 {
            return "look into the file: is it the right column, and are all of `nulls` under [data.csv] texts that mean no \
                    value? A column that holds nothing is better not declared";
        }
        if count_of(self.undeclared.as_ref()) > count_of(self.unreadable.as_ref()) {
            return "look there, and at `keys` of the column: keys must be spelt as the file spells them, in capitals and \
                    small letters, too. Under [data.csv], `nulls` lists texts that mean no value, and `trim` drops spaces";
        }
        match self.kind {
            ColumnType::Decimal => {
                "look there. Under [data.csv], `decimal = \",\"` reads 1,5, `nulls` lists texts that mean no value, `trim` \
                 drops spaces, and `delimiter`, `quote` and `encoding` must be the file's"
            }
            ColumnType::Integer => {
                "look there. Numbers that are written with a fraction, also 1.0 (as pandas writes whole numbers of a column \
                 with gaps), are type = \"decimal\"; ids of more than 18 digits are type = \"text\". Under [data.csv], \
                 `nulls` lists texts that mean no value, `trim` drops spaces, and `delimiter`, `quote` and `encoding` must be \
                 the file's"
            }
            ColumnType::Date | ColumnType::Timestamp => {
                "look there. `format` of the column says how the file writes it, as in format = \"%d.%m.%Y\"; under \
                 [data.csv], `nulls` lists texts that mean no value, and `trim` drops spaces"
            }
            ColumnType::Boolean | ColumnType::Text => {
                "look there. Codes other than true and false, yes and no, or 1 and 0 are type = \"text\" with `keys`; under \
                 [data.csv], `nulls` lists texts that mean no value, `trim` drops spaces, and `encoding` must be the file's"
            }
        }
    }
}

/// Counts of one column's oddities, with the first place of each.
#[derive(Default)]
pub(crate) struct Oddities {
    present: u64,
    missing: Option<Found>,
    unreadable: Option<Found>,
    undeclared: Option<Found>,
    outside: Option<Found>,
    left_out: Option<Found>,
}

/// Some rows of one column: where values should be, and the values that were read.
pub(crate) struct Values<'a> {
    pub(crate) present: &'a BooleanArray,
    pub(crate) typed: &'a ArrayRef,
}

impl Values<'_> {
    /// Whether something stands in a row that should be a value.
    fn is_present(&self, row: usize) -> bool {
        self.present.is_valid(row) && self.present.value(row)
    }

    /// Whether something stands in a row that cannot be read.
    pub(crate) fn is_unreadable(&self, row: usize) -> bool {
        self.typed.is_null(row) && self.is_present(row)
    }
}

fn count(found: &mut Option<Found>, place: impl FnOnce() -> String) {
    match found {
        Some(found) => found.count += 1,
        None => *found = Some(Found { count: 1, first: place() }),
    }
}

impl Oddities {
    /// Looks at some rows.
    pub(crate) fn take(&mut self, column: &Column, values: &Values<'_>, place: &dyn Fn(usize) -> String) {
        let rows = 0..values.typed.len();
        for row in rows.clone() {
            if !values.is_present(row) {
                count(&mut self.missing, || place(row));
                continue;
            }
            self.present += 1;
            if values.is_unreadable(row) {
                count(&mut self.unreadable, || place(row));
            }
        }
        if let Some(bounds) = &column.bounds {
            let outside = outside(values.typed, bounds);
            rows.clone().filter(|row| outside(*row)).for_each(|row| count(&mut self.outside, || place(row)));
        }
        if let Some(keys) = &column.keys {
            let declared = declared(values.typed, keys);
            for row in rows.filter(|row| !declared(*row)) {
                count(&mut self.left_out, || place(row));
                if values.typed.is_valid(row) {
                    count(&mut self.undeclared, || place(row));
                }
            }
        }
    }

    /// What was found.
    pub(crate) fn report(self, column: &Column) -> ColumnReport {
        let Self { present, missing, unreadable, undeclared, outside, left_out } = self;
        ColumnReport {
            column: column.name.clone(),
            kind: column.kind,
            present,
            missing,
            unreadable,
            undeclared,
            outside,
            left_out,
        }
    }
}

/// Whether the number, day or moment in a row lies outside the bounds; NULL does not.
fn outside<'a>(typed: &'a ArrayRef, bounds: &Bounds) -> Box<dyn Fn(usize) -> bool + 'a> {
    let low = bounds.low().to_f64().unwrap_or(f64::NEG_INFINITY);
    let high = bounds.high().to_f64().unwrap_or(f64::INFINITY);
    let value: Box<dyn Fn(usize) -> f64 + 'a> = match typed.data_type() {
        DataType::Float64 => Box::new(|row| typed.as_primitive::<Float64Type>().value(row)),
        DataType::Int64 => Box::new(|row| typed.as_primitive::<Int64Type>().value(row) as f64),
        DataType::Date32 => Box::new(|row| f64::from(typed.as_primitive::<Date32Type>().value(row))),
        DataType::Timestamp(..) => Box::new(|row| typed.as_primitive::<TimestampMicrosecondType>().value(row) as f64),
        _ => return Box::new(|_| false),
    };
    Box::new(move |row| typed.is_valid(row) && !(low..=high).contains(&value(row)))
}

/// Whether the key in a row is declared.
fn declared<'a>(typed: &'a ArrayRef, keys: &'a [Key]) -> Box<dyn Fn(usize) -> bool + 'a> {
    let (null, others) = (keys.contains(&Key::Null), keys.contains(&Key::Other));
    let known: HashSet<&Key> = keys.iter().collect();
    Box::new(move |row| key(typed, row).map_or(null, |key| others || known.contains(&key)))
}

/// The group that a row is in.
fn key(typed: &ArrayRef, row: usize) -> Option<Key> {
    if typed.is_null(row) {
        return None;
    }
    match typed.data_type() {
        DataType::Utf8View => Some(Key::Text(typed.as_string_view().value(row).to_owned())),
        DataType::Int64 => Some(Key::Integer(typed.as_primitive::<Int64Type>().value(row))),
        DataType::Boolean => Some(Key::Boolean(typed.as_boolean().value(row))),
        // No other columns have keys.
        _ => None,
    }
}
