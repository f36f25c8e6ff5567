//! The keys of a group that a row can have under the conditions of WHERE (S-ONE).
//!
//! Decided from the query and the declarations alone, as a superset. A *subject* is the group itself, or the only column
//! that it depends on. The values of a subject are divided into places: NULL, single values, and the gaps between them.
//! A place is reachable if all conditions can be true there; whatever else a condition depends on is unknown. A group
//! has those keys that its expression has at reachable places.
//!
//! At a single value, conditions and groups are evaluated. Across a gap this is possible where the gap has one value of
//! them: comparisons of the subject with constants that are places themselves, and the calendar within one day. Of
//! operations that never decrease, the values at both ends of a gap enclose those between them. Everything else is
//! unknown, so that the place is reachable and gives every key.
//!
//! A wrong result could lose rows but never break a promise: cells that are not reachable are not cells of the query.

use super::conditions::{ConstantComparison, comparison, conditions_in, truths};
use super::keys::{domain, value_of, with_columns};
use super::places::{Bits, Places, Truths, order};
use super::undeclared::undeclared;
use crate::{QueryError, declared};
use deniable_core::schema::{ColumnType, Key, TableSchema};
use deniable_expression::{
    Column as Values, Comparison, Day, Evaluator, Id, Node, Operation, Part, Program, Type, Unit, Value,
};
use num_traits::ToPrimitive;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Most days of a column's bounds that become places.
const MOST_DAYS: i32 = 50_000;
/// Most evaluated values, places times operations, of all groups of a query together. A group that would need more than
/// its part of them keeps all its keys.
const MOST_VALUES: usize = 20_000_000;

/// Conditions that must all be true, and the declarations of the columns that they depend on.
#[derive(Debug, Clone, Copy)]
pub struct Conditions<'a> {
    /// The expressions.
    pub program: &'a Program,
    /// The tables whose columns they read.
    pub tables: &'a [TableSchema],
    /// The conditions.
    pub filters: &'a [Id],
    /// Number of groups that are compared with them.
    pub groups: usize,
}

/// The keys of a group that rows can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reachable {
    /// For each key whether a row can have it.
    pub keys: Vec<bool>,
    /// Whether a row can have a value that is none of the keys.
    pub outside: bool,
}

impl Reachable {
    fn all(keys: usize) -> Self {
        Self { keys: vec![true; keys], outside: true }
    }

    fn and(self, other: &Self) -> Self {
        let keys = self.keys.iter().zip(&other.keys).map(|(one, other)| *one && *other).collect();
        Self { keys, outside: self.outside && other.outside }
    }
}

impl Conditions<'_> {
    /// The reachable ones of a group's keys.
    #[must_use]
    pub fn reachable(&self, group: Id, keys: &[Key]) -> Reachable {
        let all = Reachable::all(keys.len());
        let is_never = |filter: &Id| match self.program.constant_of(*filter) {
            Some(value) => value != Some(&Value::Boolean(true)),
            None => false,
        };
        if self.filters.iter().any(is_never) {
            return Reachable { keys: vec![false; keys.len()], outside: false };
        }
        let subjects = self.subjects(group);
        let found = subjects.into_iter().filter_map(|subject| self.through(subject, group, keys));
        found.fold(all, |all, found| all.and(&found))
    }

    /// The reachable ones of a group's keys, in their order.
    ///
    /// # Errors
    /// When there are none; a constant that is no declared key of its column is named as the likely cause.
    pub fn shown(&self, group: Id, mut keys: Vec<Key>) -> Result<Vec<Key>, QueryError> {
        let mut reachable = self.reachable(group, &keys).keys.into_iter();
        keys.retain(|_| reachable.next().unwrap_or(true));
        if keys.is_empty() {
            let hints = undeclared(self.program, self.filters, self.tables);
            let help = hints.into_iter().next().unwrap_or_else(|| {
                "no row can meet the condition and be in a group; compare the condition with the declared keys and \
                 bounds of the columns"
                    .to_owned()
            });
            return Err(QueryError::refused("a WHERE that excludes every group", help).about("WHERE"));
        }
        Ok(keys)
    }

    /// The group and its only column, as far as the conditions depend on them.
    fn subjects(&self, group: Id) -> BTreeSet<Id> {
        let mut subjects = BTreeSet::from([group]);
        if let [input] = self.program.inputs(&[group]).into_iter().collect::<Vec<_>>().as_slice() {
            let is_input = |node: &Node| matches!(node, Node::Column(position) if *position as usize == *input);
            subjects.extend(self.program.ids().find(|(_, node)| is_input(node)).map(|(id, _)| id));
        }
        let reached = self.program.reached(self.filters);
        subjects.retain(|subject| reached.get(subject.position()) == Some(&true));
        subjects
    }

    /// The reachable keys by the places of one subject; `None` where that is too much work.
    fn through(&self, subject: Id, group: Id, keys: &[Key]) -> Option<Reachable> {
        let (program, kind) = (self.program, self.program.kind(subject));
        let roots: Vec<Id> = self.filters.iter().copied().chain([group]).collect();
        let cuts = self.cuts(subject, &roots, (subject == group).then_some(keys));
        let places = Places::new(kind, cuts.iter().collect())?;
        let nodes = conditions_in(program, self.filters);
        let compared = nodes.iter().filter_map(|id| Some(comparison(program, *id)?.subject));
        let wanted: BTreeSet<Id> = nodes.iter().copied().chain(compared).chain([group]).collect();
        let most = MOST_VALUES / self.groups.max(1);
        let values = ValuesAtPlaces::new(program, subject, &places, &wanted, most)?;
        let mut known: BTreeMap<Id, Truths> = BTreeMap::new();
        // Arguments come before the nodes that use them.
        for id in &nodes {
            let truths = truths(program, *id, subject, &places, &known, &|other| values.truths(other));
            known.insert(*id, truths);
        }
        let met = self.filters.iter().filter_map(|id| known.get(id));
        let met = met.fold(places.all(), |met, truths| met.and(&truths.is_true));
        Some(values.keys(group, keys, &met))
    }

    /// The constants at which the places of a subject begin and end: those that it is compared with, the values that its
    /// declaration lists, and the days of its bounds.
    fn cuts(&self, subject: Id, roots: &[Id], keys: Option<&[Key]>) -> Vec<Value> {
        let program = self.program;
        let reached = program.ids().zip(program.reached(roots)).filter(|(_, is_reached)| *is_reached);
        let asked = reached.filter_map(|((id, _), _)| comparison(program, id)).filter(|asked| asked.subject == subject);
        let mut cuts: Vec<Value> = asked.flat_map(|asked| asked.constants).flatten().cloned().collect();
        cuts.extend(keys.iter().flat_map(|keys| keys.iter()).filter_map(value_of));
        if let Node::Column(position) = program.node(subject)
            && let Some((_, column)) = declared(self.tables, *position as usize)
        {
            cuts.extend(domain(column).unwrap_or_default().iter().filter_map(value_of));
            if let (ColumnType::Timestamp, Some(bounds)) = (column.kind, &column.bounds) {
                let day = |end: i64| deniable_expression::Moment::new(end).map(|moment| moment.day().get());
                let (low, high) = (bounds.low().to_integer().to_i64(), bounds.high().to_integer().to_i64());
                if let (Some(low), Some(high)) = (low.and_then(day), high.and_then(day))
                    && high.saturating_sub(low) < MOST_DAYS
                {
                    let days = (low..=high.saturating_add(1)).filter_map(|day| Day::new(day.into()));
                    cuts.extend(days.map(|day| Value::Timestamp(day.midnight())));
                }
            }
        }
        cuts.retain(|value| value.kind() == program.kind(subject));
        cuts
    }
}

/// How much of a subject's value must be known to know the value of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// The place.
    Place,
    /// The day.
    Day,
    /// The value itself.
    Value,
}

/// The values of operations at the ends of all places of a subject.
struct ValuesAtPlaces<'a> {
    program: &'a Program,
    places: &'a Places<'a>,
    /// What each operation needs; `None` if it depends on something else.
    needs: Vec<Option<Need>>,
    /// Whether an operation never decreases where its subject grows.
    grows: Vec<bool>,
    /// What is known of the subject at each place.
    known: Vec<Need>,
    /// The values at the least and greatest value of each place.
    ends: BTreeMap<Id, (Values, Values)>,
}

impl<'a> ValuesAtPlaces<'a> {
    fn new(
        program: &'a Program,
        subject: Id,
        places: &'a Places<'a>,
        wanted: &BTreeSet<Id>,
        most: usize,
    ) -> Option<Self> {
        let needs = needs(program, subject);
        let last = *wanted.last()?;
        let (own, moved) = with_columns(program, last, &[subject])?;
        let is_known = |id: &&Id| needs.get(id.position()).copied().flatten().is_some();
        let wanted: Vec<(Id, Id)> =
            wanted.iter().filter(is_known).filter_map(|id| Some((*id, *moved.get(id)?))).collect();
        let size = places.size();
        if own.nodes().len().saturating_mul(size) > most {
            return None;
        }
        let roots: Vec<Id> = wanted.iter().map(|(_, moved)| *moved).collect();
        let mut evaluator = Evaluator::new(&own, &roots);
        let ends: Vec<Option<(Value, Value)>> = (0..size).map(|place| places.ends(place)).collect();
        let kind = program.kind(subject);
        let mut at = |end: &dyn Fn(&(Value, Value)) -> Value| {
            let column = Values::from_values(kind, ends.iter().map(|ends| ends.as_ref().map(end)));
            evaluator.evaluate(size, &[Some(column)])
        };
        let (low, high) = (at(&|ends| ends.0.clone()), at(&|ends| ends.1.clone()));
        let evaluated = low.into_iter().zip(high);
        let known = ends.iter().enumerate().map(|(place, ends)| match ends {
            _ if Places::is_point(place) => Need::Value,
            Some((Value::Timestamp(low), Value::Timestamp(high))) if low.day() == high.day() => Need::Day,
            _ => Need::Place,
        });
        let known = known.collect();
        let ends = wanted.into_iter().map(|(id, _)| id).zip(evaluated).collect();
        Some(Self { program, places, grows: grows(program, subject), needs, known, ends })
    }

    /// The values of an operation at the ends of a place, and whether it has no other value there. `None` if its values
    /// at the place are unknown.
    fn at(&self, id: Id, place: usize) -> Option<(Option<Value>, Option<Value>, bool)> {
        let need = self.needs.get(id.position()).copied().flatten()?;
        let (low, high) = self.ends.get(&id)?;
        if need <= *self.known.get(place)? {
            let value = low.value(place);
            return Some((value.clone(), value, true));
        }
        let grows = self.grows.get(id.position()) == Some(&true);
        grows.then(|| (low.value(place), high.value(place), false))
    }

    /// The possible truth values of a condition at each place.
    fn truths(&self, condition: Id) -> Truths {
        let compared = comparison(self.program, condition).filter(|asked| !asked.more);
        let mut truths = Truths::none(self.places.size());
        for place in 0..self.places.size() {
            let (is_true, is_false, is_null) = self.truth(condition, compared.as_ref(), place);
            truths.add(place, is_true, is_false, is_null);
        }
        truths
    }

    /// Whether a condition can be true, false and NULL at a place.
    fn truth(&self, condition: Id, compared: Option<&ConstantComparison<'_>>, place: usize) -> (bool, bool, bool) {
        const UNKNOWN: (bool, bool, bool) = (true, true, true);
        if let Some((value, _, true)) = self.at(condition, place) {
            return match value {
                Some(Value::Boolean(truth)) => (truth, !truth, false),
                _ => (false, false, true),
            };
        }
        let Some(asked) = compared else { return UNKNOWN };
        let Some((Some(low), Some(high), _)) = self.at(asked.subject, place) else { return UNKNOWN };
        let constants: Vec<&Value> = asked.constants.iter().flatten().copied().collect();
        if constants.len() < asked.constants.len() {
            return UNKNOWN;
        }
        let (mut is_true, mut is_false) = (false, constants.len() > 1);
        for constant in constants {
            let (Some(from), Some(to)) = (order(&low, constant), order(&high, constant)) else { return UNKNOWN };
            let (less, equal, greater) = (from.is_lt(), from.is_le() && to.is_ge(), to.is_gt());
            let is_only = from == Ordering::Equal && to == Ordering::Equal;
            let (truth, untruth) = match asked.comparison {
                Comparison::Equal | Comparison::NotDistinct => (equal, !is_only),
                Comparison::NotEqual | Comparison::Distinct => (!is_only, equal),
                Comparison::Less => (less, to.is_ge()),
                Comparison::LessOrEqual => (from.is_le(), greater),
                Comparison::Greater => (greater, from.is_le()),
                Comparison::GreaterOrEqual => (to.is_ge(), less),
            };
            is_true |= truth;
            is_false |= untruth;
        }
        (is_true, is_false, false)
    }

    /// The keys that a group has at these places.
    fn keys(&self, group: Id, keys: &[Key], met: &Bits) -> Reachable {
        let mut found = Reachable { keys: vec![false; keys.len()], outside: false };
        let values: Vec<Option<Value>> = keys.iter().map(value_of).collect();
        let other = keys.iter().position(|key| *key == Key::Other);
        let null = keys.iter().position(|key| *key == Key::Null);
        let mut sorted: Vec<(&Value, usize)> =
            values.iter().enumerate().filter_map(|(at, value)| Some((value.as_ref()?, at))).collect();
        sorted.sort_by(|(one, _), (other, _)| order(one, other).unwrap_or(Ordering::Equal));
        let mut mark = |at: Option<usize>| match at.or(other) {
            Some(at) => found.keys[at] = true,
            None => found.outside = true,
        };
        for place in (0..self.places.size()).filter(|place| met.get(*place)) {
            let Some((low, high, is_only)) = self.at(group, place) else { return Reachable::all(keys.len()) };
            // An overflow towards an end is NULL, and the other end still encloses the values.
            if low.is_none() || high.is_none() {
                mark(null);
            }
            if low.is_none() && high.is_none() {
                continue;
            }
            let is_below = |value: &Value| low.as_ref().is_some_and(|low| order(value, low) == Some(Ordering::Less));
            let is_within =
                |value: &Value| high.as_ref().is_none_or(|high| order(value, high).is_some_and(Ordering::is_le));
            let begin = sorted.partition_point(|(value, _)| is_below(value));
            let inside = sorted[begin..].iter().take_while(|(value, _)| is_within(value));
            let inside: Vec<usize> = inside.map(|(_, at)| *at).collect();
            // Between its ends a group may have values that are no keys.
            if !is_only || inside.is_empty() {
                mark(None);
            }
            inside.into_iter().for_each(|at| mark(Some(at)));
        }
        found
    }
}

/// What each operation needs to know of the subject; `None` for those that depend on something else.
fn needs(program: &Program, subject: Id) -> Vec<Option<Need>> {
    let mut needs: Vec<Option<Need>> = Vec::new();
    // Whether an operation moves a time within its day, or not at all.
    let mut keeps_day: Vec<bool> = Vec::new();
    for (id, node) in program.ids() {
        let of = |id: &Id| needs.get(id.position()).copied().flatten();
        let keeps = |id: &Id| keeps_day.get(id.position()) == Some(&true);
        let (need, is_same_day) = match node {
            _ if id == subject => (Some(Need::Value), program.kind(id) == Type::Timestamp),
            Node::Column(_) => (None, false),
            Node::Constant(..) => (Some(Need::Place), false),
            Node::Call(operation, arguments) => {
                let most = arguments.iter().map(of).try_fold(Need::Place, |most, need| Some(most.max(need?)));
                let compared = comparison(program, id).filter(|asked| asked.subject == subject && !asked.more);
                let is_missing = *operation == Operation::IsNull && arguments.first() == Some(&subject);
                let first_keeps = arguments.first().is_some_and(keeps);
                let need = match operation {
                    _ if compared.is_some() || is_missing => Some(Need::Place),
                    _ if first_keeps && is_of_days(operation) => Some(Need::Day),
                    _ => most,
                };
                let is_within = matches!(operation, Operation::Truncate(Unit::Hour | Unit::Minute | Unit::Second));
                (need, is_within && first_keeps)
            }
        };
        needs.push(need);
        keeps_day.push(is_same_day);
    }
    needs
}

/// Whether an operation on a time depends on its day alone.
fn is_of_days(operation: &Operation) -> bool {
    match operation {
        Operation::Cast(kind) => *kind == Type::Date,
        Operation::DayName | Operation::MonthName => true,
        Operation::Truncate(unit) => is_of_whole_days(*unit),
        Operation::Format(pattern) => is_of_whole_days(pattern.unit()),
        Operation::Part(part) => !matches!(part, Part::Hour | Part::Minute | Part::Second),
        _ => false,
    }
}

fn is_of_whole_days(unit: Unit) -> bool {
    !matches!(unit, Unit::Hour | Unit::Minute | Unit::Second)
}

/// For each operation whether its values never decrease where the subject grows. NULL is possible only from one of the
/// ends on, by an overflow.
fn grows(program: &Program, subject: Id) -> Vec<bool> {
    let mut grows: Vec<bool> = Vec::new();
    for (id, node) in program.ids() {
        let of = |id: &Id| grows.get(id.position()) == Some(&true);
        let is_constant = |id: &Id| matches!(program.constant_of(*id), Some(Some(_)));
        let is_positive = |id: &Id| {
            // Integers are converted to decimals for a quotient.
            let inner = match program.node(*id) {
                Node::Call(Operation::Cast(Type::Decimal), inner) => inner.first().copied().unwrap_or(*id),
                Node::Column(_) | Node::Constant(..) | Node::Call(..) => *id,
            };
            match program.constant_of(inner) {
                Some(Some(Value::Integer(number))) => *number > 0,
                Some(Some(Value::Decimal(number))) => number.get() > 0.0,
                _ => false,
            }
        };
        let is_growing = match node {
            _ if id == subject => program.kind(id) != Type::Boolean,
            Node::Column(_) | Node::Constant(..) => false,
            Node::Call(operation, arguments) => match (operation, arguments.as_slice()) {
                (Operation::Cast(kind), [inner]) => of(inner) && is_ordered_cast(program.kind(*inner), *kind),
                (Operation::Truncate(_) | Operation::Floor | Operation::Ceil | Operation::Round(_), [inner]) => {
                    of(inner)
                }
                (Operation::Part(Part::Year), [time]) => of(time),
                // A month later, timestamps of different days can be in reverse order.
                (Operation::Shift(period), [time]) => {
                    of(time) && (program.kind(*time) == Type::Date || period.months() == 0)
                }
                (Operation::Format(pattern), [time]) => of(time) && pattern.is_in_order(),
                (Operation::Subtract, [left, right]) => of(left) && is_constant(right),
                (Operation::Add, [left, right]) => of(left) && is_constant(right) || is_constant(left) && of(right),
                (Operation::Multiply, [left, right]) => {
                    of(left) && is_positive(right) || is_positive(left) && of(right)
                }
                (Operation::Divide, [left, right]) => of(left) && is_positive(right),
                // They ignore NULL, so that an overflow inside would give the constant. A gap between texts has no
                // greatest text.
                (Operation::Least | Operation::Greatest, all) if program.kind(id) != Type::Text => {
                    all.iter().all(|id| *id == subject || is_constant(id))
                }
                _ => false,
            },
        };
        grows.push(is_growing);
    }
    grows
}

/// Whether a conversion keeps the order of values.
fn is_ordered_cast(from: Type, to: Type) -> bool {
    let is_number = |kind| matches!(kind, Type::Integer | Type::Decimal);
    let is_time = |kind| matches!(kind, Type::Date | Type::Timestamp);
    is_number(from) && is_number(to) || is_time(from) && is_time(to)
}

#[cfg(test)]
mod tests;
