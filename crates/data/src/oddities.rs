//! What is odd about the values of one column.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_schema::DataType;
use deniable_policy::{Bounds, Column, ColumnType, Key};
use num_traits::ToPrimitive;
use std::collections::HashSet;

/// Counts of one column's oddities, with the first place of each.
#[derive(Default)]
pub(crate) struct Oddities {
    values: u64,
    unreadable: Option<(u64, String)>,
    outside: Option<(u64, String)>,
    /// Rows whose group is not declared, NULL among them.
    undeclared: Option<(u64, String)>,
    /// Values that are no declared key.
    strange: Option<(u64, String)>,
}

/// A column of which most values do not read as declared: more likely a wrong declaration than odd data.
///
/// For the curator: it depends on private rows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{count} of {values} values of column `{column}` {} (first at {first})", wrong.in_words())]
pub struct Misread {
    /// The column.
    pub column: String,
    /// What its values are not.
    pub wrong: Wrong,
    /// How many values are not that.
    pub count: u64,
    /// How many values there are.
    pub values: u64,
    /// The place of the first, as `file:line`.
    pub first: String,
}

/// What values are not that they are declared to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// Of this type.
    Type(ColumnType),
    /// Among the declared keys.
    Keys,
}

impl Wrong {
    fn in_words(self) -> String {
        match self {
            Self::Type(kind) => format!("do not read as {} and would count as NULL", kind.name()),
            Self::Keys => "are no declared key and would be left out where it is grouped by".to_owned(),
        }
    }
}

impl Misread {
    /// The likely mends in the policy.
    #[must_use]
    pub fn mend(&self) -> &'static str {
        let kind = match self.wrong {
            Wrong::Type(kind) => kind,
            Wrong::Keys => {
                return "look there, and at `keys` of the column: keys must be spelt as the file spells them, in capitals and \
                        small letters, too";
            }
        };
        match kind {
            ColumnType::Decimal => {
                "look there. Under [data.csv], `decimal = \",\"` reads 1,5, `nulls` lists texts that mean no value, `trim` \
                 drops spaces, and `delimiter`, `quote` and `encoding` must be the file's"
            }
            ColumnType::Integer => {
                "look there. Numbers with a fraction are type = \"decimal\"; under [data.csv], `nulls` lists texts that \
                 mean no value, `trim` drops spaces, and `delimiter`, `quote` and `encoding` must be the file's"
            }
            ColumnType::Date | ColumnType::Timestamp => {
                "look there. `format` of the column says how the file writes it, as in format = \"%d.%m.%Y\"; under \
                 [data.csv], `nulls` lists texts that mean no value, and `trim` drops spaces"
            }
            ColumnType::Boolean | ColumnType::Text => {
                "look there. Codes such as Y and N are type = \"text\" with `keys`; under [data.csv], `nulls` lists texts \
                 that mean no value, `trim` drops spaces, and `encoding` must be the file's"
            }
        }
    }
}

/// Some rows of one column: where values should be, and the values that were read.
pub(crate) struct Values<'a> {
    pub(crate) present: &'a BooleanArray,
    pub(crate) typed: &'a ArrayRef,
}

impl Values<'_> {
    /// Whether something stands in a row that cannot be read.
    pub(crate) fn is_unreadable(&self, row: usize) -> bool {
        self.typed.is_null(row) && self.present.is_valid(row) && self.present.value(row)
    }
}

fn count(oddity: &mut Option<(u64, String)>, place: impl FnOnce() -> String) {
    match oddity {
        Some((count, _)) => *count += 1,
        None => *oddity = Some((1, place())),
    }
}

impl Oddities {
    /// Looks at some rows. Groups matter in protected tables only: joins with others keep all of their rows.
    pub(crate) fn take(
        &mut self,
        column: &Column,
        values: &Values<'_>,
        grouped: bool,
        place: &dyn Fn(usize) -> String,
    ) {
        let rows = 0..values.typed.len();
        self.values += values.present.true_count() as u64;
        for row in rows.clone().filter(|row| values.is_unreadable(*row)) {
            count(&mut self.unreadable, || place(row));
        }
        if let Some(bounds) = &column.bounds {
            let outside = outside(values.typed, bounds);
            rows.clone().filter(|row| outside(*row)).for_each(|row| count(&mut self.outside, || place(row)));
        }
        if let Some(keys) = column.keys.as_ref().filter(|_| grouped) {
            let declared = declared(values.typed, keys);
            for row in rows.filter(|row| !declared(*row)) {
                count(&mut self.undeclared, || place(row));
                if values.typed.is_valid(row) {
                    count(&mut self.strange, || place(row));
                }
            }
        }
    }

    /// Whether more than half of the values do not read as declared.
    pub(crate) fn misread(&self, column: &Column) -> Option<Misread> {
        let all = [(Wrong::Type(column.kind), &self.unreadable), (Wrong::Keys, &self.strange)];
        let most = all.into_iter().filter_map(|(wrong, found)| Some((wrong, found.clone()?)));
        let (wrong, (count, first)) = most.into_iter().find(|(_, (count, _))| *count > self.values / 2)?;
        Some(Misread { column: column.name.clone(), wrong, count, values: self.values, first })
    }

    /// What a curator should know.
    pub(crate) fn notes(&self, column: &Column) -> Vec<String> {
        let (name, kind) = (&column.name, column.kind.name());
        let unreadable = format!("of {} values do not read as {kind} and count as NULL", self.values);
        let outside = "values lie outside the declared bounds and are clamped";
        let undeclared = "rows have a key that is not declared (or NULL, without null_key) and are left out where it is \
                          grouped by";
        [(&self.unreadable, unreadable.as_str()), (&self.outside, outside), (&self.undeclared, undeclared)]
            .into_iter()
            .filter_map(|(oddity, what)| {
                let (count, first) = oddity.as_ref()?;
                Some(format!("{name}: {count} {what} (first at {first})"))
            })
            .collect()
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
    let null = keys.contains(&Key::Null);
    let known: HashSet<&Key> = keys.iter().collect();
    Box::new(move |row| key(typed, row).map_or(null, |key| known.contains(&key)))
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
