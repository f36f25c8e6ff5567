//! Types of the shown columns. They follow from the query alone, before anything is computed.

use super::{Function, Operator, Term, WindowFunction};
use crate::{Estimator, Query, ValueKind};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::Key;
use num_traits::Signed;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueType {
    /// Integers of at most 64 bits.
    Integer,
    /// Exact decimals.
    Decimal,
    /// Rounded numbers: ratios, roots and logarithms.
    Float,
    /// Truth values.
    Boolean,
    /// Dates.
    Date,
    /// Timestamps without a time zone.
    Timestamp,
    /// Texts, and columns with values of several types.
    Text,
}

/// Most bits of one value for which a sum of integers is certain to fit in 64 bits.
const BITS_OF_VALUE: usize = 31;

impl ValueType {
    /// The type that holds values of both.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (one, same) if one == same => one,
            // Among numeric types, the wider one.
            (one, other) if one.max(other) <= Self::Float => one.max(other),
            (Self::Date | Self::Timestamp, Self::Date | Self::Timestamp) => Self::Timestamp,
            _ => Self::Text,
        }
    }
}

impl Query {
    /// The types of the shown columns, in their order.
    #[must_use]
    pub fn column_types(&self) -> Vec<ValueType> {
        self.output().columns.iter().map(|term| self.type_of(term).unwrap_or(ValueType::Text)).collect()
    }

    /// The type of a term; `None` for NULL, which fits every type.
    fn type_of(&self, term: &Term) -> Option<ValueType> {
        let level = self.output().levels.first().copied().unwrap_or(0);
        Some(match term {
            Term::Null => return None,
            Term::Text(_) => ValueType::Text,
            Term::Key(group) => return self.type_of_keys(*group),
            Term::Answer(position) => self.type_of_answer(&self.answers(level)[*position]),
            Term::Number(number) if number.is_integer() => ValueType::Integer,
            Term::Number(_) => ValueType::Float,
            Term::Arithmetic(Operator::Divide, _) => ValueType::Float,
            Term::Arithmetic(_, sides) => {
                let sides = sides.iter().filter_map(|side| self.type_of(side));
                return sides.reduce(ValueType::with);
            }
            Term::Function(function, inner) => match (function, self.type_of(inner)?) {
                (Function::Ln | Function::Exp | Function::Sqrt, _) => ValueType::Float,
                (Function::Round(_) | Function::Floor | Function::Ceil, ValueType::Float) => ValueType::Decimal,
                (_, same) => same,
            },
            Term::Level | Term::Grouping(_) => ValueType::Integer,
            Term::Window(at) => {
                let window = &self.output().windows[*at];
                match window.function {
                    WindowFunction::Count
                    | WindowFunction::Present
                    | WindowFunction::Rank
                    | WindowFunction::DenseRank
                    | WindowFunction::RowNumber
                    | WindowFunction::Tile(_) => ValueType::Integer,
                    WindowFunction::PercentRank | WindowFunction::CumulativeShare => ValueType::Decimal,
                    WindowFunction::Average => ValueType::Float,
                    WindowFunction::Sum
                    | WindowFunction::Least
                    | WindowFunction::Greatest
                    | WindowFunction::Lag(_)
                    | WindowFunction::FromStart(_)
                    | WindowFunction::Last
                    | WindowFunction::Only => return self.type_of(&window.argument),
                }
            }
            Term::Case(branches, otherwise) => {
                let values = branches.iter().map(|(_, value)| value).chain([otherwise.as_ref()]);
                return values.filter_map(|value| self.type_of(value)).reduce(ValueType::with);
            }
            Term::Lookup(_, found) => {
                return found.values().filter_map(|value| self.type_of(value)).reduce(ValueType::with);
            }
        })
    }

    /// The type of a group's keys as they are shown: a label, and the text for values outside the keys, is a text.
    fn type_of_keys(&self, group: usize) -> Option<ValueType> {
        let group = &self.groups()[group];
        let kinds = group.keys.iter().filter_map(|key| {
            if group.label(key).is_some() {
                return Some(ValueType::Text);
            }
            Some(match group.shown(key) {
                Key::Null => return None,
                Key::Integer(_) => ValueType::Integer,
                Key::Decimal(_) => ValueType::Decimal,
                Key::Boolean(_) => ValueType::Boolean,
                Key::Date(_) => ValueType::Date,
                Key::Timestamp(_) => ValueType::Timestamp,
                Key::Text(_) | Key::Other => ValueType::Text,
            })
        });
        kinds.reduce(ValueType::with)
    }

    fn type_of_answer(&self, answer: &Estimator) -> ValueType {
        match answer {
            Estimator::Count { .. } => ValueType::Integer,
            Estimator::Sum { measure } => {
                let (low, high) = self.bounds(*measure);
                let most: Rational = low.abs().max(high.abs());
                let fits = most <= whole(1_i64 << BITS_OF_VALUE);
                if fits && self.measures()[*measure].unit.is_integer() {
                    ValueType::Integer
                } else {
                    ValueType::Decimal
                }
            }
            Estimator::Quantile { value: ValueKind::Date, .. } => ValueType::Date,
            Estimator::Quantile { value: ValueKind::Timestamp, .. } => ValueType::Timestamp,
            Estimator::Quantile { measure, .. } => {
                if self.measures()[*measure].unit.is_integer() {
                    ValueType::Integer
                } else {
                    ValueType::Decimal
                }
            }
            Estimator::Average(_) | Estimator::Weighted(_) | Estimator::Variance { .. } | Estimator::Regression(_) => {
                ValueType::Float
            }
        }
    }
}
