//! Selects and sorts the shown rows: HAVING, GROUP BY over results, ORDER BY and LIMIT. They depend on released values
//! alone.

use crate::evaluate::{Evaluator, Place, key};
use crate::exact;
use crate::order::in_natural_order;
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::Key;
use deniable_expression::{Moment, parse_moment};
use deniable_query::Query;
use deniable_query::output::{Comparison, Condition, Sort, Step, Term};
use num_traits::ToPrimitive;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Whether conditions exclude rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    AsAsked,
    /// Keeps all rows, for forecasts, in which the values are unknown.
    Never,
}

/// A value in a comparison.
pub(crate) enum Value {
    Null,
    Number(Rational),
    Key(Key),
    /// In place of a key, in rows about all keys together.
    All,
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |value: &Self| match value {
            Self::Null => 0,
            Self::Number(_) => 1,
            Self::Key(_) => 2,
            Self::All => 3,
        };
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => exact::compare(one, other),
            (Self::Key(one), Self::Key(other)) => one.cmp(other),
            (one, other) => place(one).cmp(&place(other)),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

impl Evaluator<'_> {
    /// The rows that remain of these levels' cells after the steps. The views of windows are kept.
    pub(crate) fn run(&mut self, levels: &[usize], steps: &[Step], cut: Cut) -> Vec<Place> {
        let query = self.query;
        let places = |level: usize| in_natural_order(query, level).into_iter().map(move |cell| Place { level, cell });
        let mut rows: Vec<Place> = levels.iter().flat_map(|level| places(*level)).collect();
        for step in steps {
            match step {
                Step::Look(window) => {
                    let view = self.look(&query.output().windows[*window], &rows);
                    self.views.insert(*window, Arc::new(view));
                }
                Step::Group(by) => {
                    let mut known = BTreeSet::new();
                    rows.retain(|row| known.insert(self.values(by, *row)));
                    // Without keys there is one row, even if there was no row before.
                    if by.is_empty() && rows.is_empty() {
                        rows.extend(nothing(levels));
                    }
                }
                Step::Subquery { window, levels, steps } => {
                    let only = self.run(levels, steps, cut).first().copied();
                    let view = self.see_one(&rows, only);
                    self.views.insert(*window, Arc::new(view));
                }
                Step::Sort(by) => rows = self.sorted(by, rows).into_iter().map(|(_, row)| row).collect(),
                Step::Filter(_) | Step::Limit { .. } if cut == Cut::Never => {}
                Step::Filter(condition) => rows.retain(|row| self.holds(condition, *row) == Some(true)),
                Step::Limit { skip, fetch } => {
                    rows = rows.into_iter().skip(*skip).take(fetch.unwrap_or(usize::MAX)).collect();
                }
            }
        }
        rows
    }

    /// The values that rows are grouped by. A NULL key and all keys together are different values.
    pub(crate) fn values(&self, by: &[Term], row: Place) -> Vec<Value> {
        let value = |term: &Term| match self.settled(term, row) {
            (Term::Key(group), row) if key(self.query, *group, row).is_none() => Value::All,
            (term, row) => self.value(term, row),
        };
        by.iter().map(value).collect()
    }

    /// The term and the row that give a value, after conditions have chosen a branch and other rows have been followed:
    /// never a CASE, a lookup or a reference to another row.
    pub(crate) fn settled<'t>(&'t self, term: &'t Term, row: Place) -> (&'t Term, Place) {
        let (mut term, mut row) = (term, row);
        loop {
            #[cfg(test)]
            exact::counted::add(1);
            (term, row) = match term {
                Term::Case(branches, otherwise) => {
                    let chosen = branches.iter().find(|(condition, _)| self.decides(condition, row));
                    (chosen.map_or(&**otherwise, |(_, value)| value), row)
                }
                Term::Lookup(of, values) => {
                    let key = match self.value(of, row) {
                        Value::Null | Value::All => Key::Null,
                        Value::Key(key) => key,
                        // Integers from any source compare as integers.
                        Value::Number(number) => {
                            let whole = number.is_integer().then(|| number.to_integer().to_i64()).flatten();
                            whole.map_or(Key::Decimal(number), Key::Integer)
                        }
                    };
                    (values.get(&key).unwrap_or(&Term::Null), row)
                }
                Term::Window(window) => match self.other_row(*window, row) {
                    Some((argument, other)) => other.map_or((&Term::Null, row), |other| (argument, other)),
                    None => return (term, row),
                },
                _ => return (term, row),
            }
        }
    }

    /// Whether a condition is true for the shown values.
    fn decides(&self, condition: &Condition, row: Place) -> bool {
        if std::ptr::eq(self.values, self.deciding) {
            return self.holds(condition, row) == Some(true);
        }
        let (margins, ranks, views) = (BTreeMap::new(), BTreeMap::new(), self.views.clone());
        let shown = Self { values: self.deciding, measured: None, margins, ranks, views, ..*self };
        shown.holds(condition, row) == Some(true)
    }

    /// Sorts rows by values that are evaluated once for each row, and returns these values. Only estimates are
    /// compared.
    pub(crate) fn sorted(&self, by: &[Sort], rows: Vec<Place>) -> Vec<(Vec<Value>, Place)> {
        let values = |row: Place| by.iter().map(|by| self.value(&by.term, row)).collect();
        let mut all: Vec<(Vec<Value>, Place)> = rows.into_iter().map(|row| (values(row), row)).collect();
        all.sort_by(|(left, _), (right, _)| order(by, left, right));
        all
    }

    /// Whether a condition is true of a row; `None` when it is unknown.
    fn holds(&self, condition: &Condition, row: Place) -> Option<bool> {
        match condition {
            Condition::Compare(comparison, sides) => {
                let [left, right] = &**sides;
                let order = compare(&self.value(left, row), &self.value(right, row))?;
                Some(match comparison {
                    Comparison::Equal => order.is_eq(),
                    Comparison::NotEqual => order.is_ne(),
                    Comparison::Below => order.is_lt(),
                    Comparison::AtMost => order.is_le(),
                    Comparison::Above => order.is_gt(),
                    Comparison::AtLeast => order.is_ge(),
                })
            }
            Condition::And(sides) => {
                let [left, right] = &**sides;
                match (self.holds(left, row), self.holds(right, row)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            Condition::Or(sides) => {
                let [left, right] = &**sides;
                match (self.holds(left, row), self.holds(right, row)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Condition::Not(inner) => self.holds(inner, row).map(|truth| !truth),
            Condition::IsNull(term) => Some(matches!(self.value(term, row), Value::Null)),
            Condition::Holds(term) => match self.value(term, row) {
                Value::Key(Key::Boolean(truth)) => Some(truth),
                _ => None,
            },
        }
    }

    pub(crate) fn value(&self, term: &Term, row: Place) -> Value {
        let (term, row) = self.settled(term, row);
        match term {
            Term::Null | Term::Case(..) | Term::Lookup(..) => Value::Null,
            Term::Key(group) => match key(self.query, *group, row) {
                None | Some(Key::Null) => Value::Null,
                Some(Key::Integer(value)) => Value::Number(whole(*value)),
                Some(Key::Decimal(value)) => Value::Number(value.clone()),
                Some(key) => Value::Key(self.query.groups()[*group].shown(key)),
            },
            Term::Text(text) => Value::Key(Key::Text(text.clone())),
            Term::Level
            | Term::Grouping(_)
            | Term::Answer(_)
            | Term::Number(_)
            | Term::Arithmetic(..)
            | Term::Function(..)
            | Term::Window(_) => {
                let number = self.within_whole(self.number(term, row, None), term, row);
                number.estimate.map_or(Value::Null, Value::Number)
            }
        }
    }
}

/// Compares two rows by their sort values.
pub(crate) fn order(by: &[Sort], left: &[Value], right: &[Value]) -> Ordering {
    let each = by.iter().zip(left.iter().zip(right)).map(|(Sort { ascending, nulls_first, .. }, (left, right))| {
        let directed = |order: Ordering| if *ascending { order } else { order.reverse() };
        let nulls = |left_null: bool| if left_null == *nulls_first { Ordering::Less } else { Ordering::Greater };
        match (left, right) {
            (Value::Null, Value::Null) => Ordering::Equal,
            (Value::Null, _) => nulls(true),
            (_, Value::Null) => nulls(false),
            (left, right) => directed(compare(left, right).unwrap_or(Ordering::Equal)),
        }
    });
    each.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The order of two values of one kind; `None` when one is NULL or their kinds differ.
fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        // Values outside the keys come after all keys, and equal none of them.
        (Value::Key(Key::Other), Value::Key(Key::Other)) => Some(Ordering::Equal),
        (Value::Key(Key::Other), Value::Key(_) | Value::Number(_)) => Some(Ordering::Greater),
        (Value::Key(_) | Value::Number(_), Value::Key(Key::Other)) => Some(Ordering::Less),
        (Value::Number(left), Value::Number(right)) => Some(exact::compare(left, right)),
        (Value::Key(Key::Text(left)), Value::Key(Key::Text(right))) => Some(left.cmp(right)),
        (Value::Key(Key::Boolean(left)), Value::Key(Key::Boolean(right))) => Some(left.cmp(right)),
        (Value::Key(Key::Date(left)), Value::Key(Key::Date(right))) => Some(left.cmp(right)),
        (Value::Key(Key::Timestamp(left)), Value::Key(Key::Timestamp(right))) => Some(left.cmp(right)),
        (Value::Key(left @ (Key::Date(_) | Key::Timestamp(_))), Value::Key(Key::Text(right))) => {
            Some(beside_text(left, right))
        }
        (Value::Key(Key::Text(left)), Value::Key(right @ (Key::Date(_) | Key::Timestamp(_)))) => {
            Some(beside_text(right, left).reverse())
        }
        _ => None,
    }
}

/// Compares a date or timestamp with a text: a text that is a date or timestamp by its moment, others by what is written.
fn beside_text(key: &Key, text: &str) -> Ordering {
    let micros = match key {
        Key::Date(days) => Some(i64::from(*days).saturating_mul(Moment::DAY)),
        Key::Timestamp(micros) => Some(*micros),
        _ => None,
    };
    match micros.zip(parse_moment(text, None)) {
        Some((micros, moment)) => micros.cmp(&moment.get()),
        None => key.to_string().as_str().cmp(text),
    }
}

/// The row for an aggregate over no rows.
pub(crate) fn nothing(levels: &[usize]) -> Option<Place> {
    levels.first().map(|level| Place { level: *level, cell: 0 })
}

/// Whether a column contains texts or keys, if it contains anything.
pub(crate) fn is_of_texts(term: &Term, query: &Query) -> bool {
    match term {
        Term::Text(_) | Term::Key(_) => true,
        Term::Case(branches, otherwise) => {
            branches.iter().any(|(_, value)| is_of_texts(value, query)) || is_of_texts(otherwise, query)
        }
        Term::Lookup(_, values) => values.values().any(|value| matches!(value, Term::Text(_))),
        Term::Window(window) => is_of_texts(&query.output().windows[*window].argument, query),
        Term::Null
        | Term::Number(_)
        | Term::Answer(_)
        | Term::Arithmetic(..)
        | Term::Function(..)
        | Term::Level
        | Term::Grouping(_) => false,
    }
}
