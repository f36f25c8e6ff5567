//! The keys of a group: declared for a column, derived from public facts for an expression.
//!
//! An expression over columns with few possible values is simply evaluated on all of them. Otherwise its form
//! tells: the constants of a CASE, the truth values of a condition, the months of a range of dates, the bands of a
//! range of numbers. What cannot be derived is refused; nothing is ever discovered in the data.

use super::range::Ranges;
use crate::error::QueryError;
use crate::lower::{declared, section_of};
use deniable_core::exact::{Rational, Rounding, decimal, parse_rational, whole};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Column, ColumnType, Key};
use deniable_data::type_of;
use deniable_expression::{
    Column as Values, DAY_NAMES, Day, Decimal, Evaluator, Id, MONTH_NAMES, Moment, Node, Operation, Part, Program,
    TimePattern, Type, Unit, Value, civil,
};
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet};

/// Most combinations of values on which an expression is evaluated.
const MOST_COMBINATIONS: usize = 100_000;
/// Most keys that are derived for one group.
const MOST_KEYS: usize = 20_000;

/// What the keys of an expression are derived from.
pub(crate) struct Derivation<'a> {
    pub(crate) program: &'a Program,
    pub(crate) ranges: &'a mut Ranges,
    pub(crate) tables: &'a [TableSchema],
}

/// Most characters of an expression in a message.
const MOST_WORDS: usize = 200;

impl Derivation<'_> {
    /// The keys of a node, in their natural order.
    pub(crate) fn keys(&mut self, id: Id) -> Result<Vec<Key>, QueryError> {
        if let Node::Column(position) = self.program.node(id) {
            return self.of_column(*position as usize);
        }
        if let Node::Call(Operation::Lookup(lookup), arguments) = self.program.node(id)
            && let [column] = arguments.as_slice()
        {
            // What no key lies within is no group.
            let mut parents: Vec<Key> = self.keys(*column)?.iter().map(|key| lookup.parent(key)).collect();
            let mut seen = BTreeSet::new();
            parents.retain(|key| seen.insert(key.clone()));
            parents.sort_by_key(|key| *key == Key::Null);
            return Ok(parents);
        }
        let mut derived = self.derived(id)?;
        let mut seen = BTreeSet::new();
        derived.retain(|key| seen.insert(key.clone()));
        // NULL goes last, as where it is declared.
        derived.sort_by_key(|key| *key == Key::Null);
        if derived.len() > MOST_KEYS {
            let help = format!("group more coarsely; at most {MOST_KEYS} groups are derived");
            return Err(QueryError::refused("GROUP BY an expression with this many values", help));
        }
        Ok(derived)
    }

    /// The keys of an input column.
    fn of_column(&self, position: usize) -> Result<Vec<Key>, QueryError> {
        let facts = declared(self.tables, position);
        let column = facts.map(|(_, column)| column);
        let name = column.map_or("", |column| &column.name);
        let names_entities = facts.and_then(|(table, _)| self.tables.get(table)?.entity.as_ref());
        let missing = || match names_entities {
            Some(entity) if entity.key == name => a_group_each(name),
            _ => {
                let table = facts.and_then(|(table, _)| self.tables.get(table)).map_or("", |table| &table.name);
                no_keys(column, name, &section_of(self.tables, table, name))
            }
        };
        column.and_then(column_keys).ok_or_else(missing)
    }

    /// The keys of a node, out of those of the nodes whose values it passes on. Each is looked at once.
    fn derived(&mut self, id: Id) -> Result<Vec<Key>, QueryError> {
        let mut known: BTreeMap<Id, Vec<Key>> = BTreeMap::new();
        let mut wanted = BTreeSet::from([id]);
        let mut combined: Vec<Id> = Vec::new();
        // Later nodes rest on earlier ones: from the end to the beginning, each after all that pass on its values.
        while let Some(id) = wanted.pop_last() {
            let passes_on: Vec<Id> = match self.program.node(id) {
                Node::Column(position) => {
                    let mut keys = self.of_column(*position as usize)?;
                    // Values that are none of the keys are a group of the column, and of nothing that is made of it.
                    keys.retain(|key| *key != Key::Other);
                    known.insert(id, keys);
                    continue;
                }
                Node::Constant(_, value) => {
                    known.insert(id, vec![key_of(value.as_ref()).ok_or_else(|| self.underived(id))?]);
                    continue;
                }
                Node::Call(Operation::Format(pattern), arguments) => {
                    let time = arguments.first().copied().unwrap_or(id);
                    known.insert(id, self.formatted(id, pattern, time)?);
                    continue;
                }
                Node::Call(operation, _) if self.is_evaluated(id, operation) => {
                    known.insert(id, self.evaluated(id)?);
                    continue;
                }
                Node::Call(Operation::Case, arguments) => passed_on_by_case(arguments),
                Node::Call(Operation::Coalesce, arguments) => arguments.clone(),
                Node::Call(operation, arguments) => {
                    let keys = self.by_form(id, operation, arguments)?;
                    known.insert(id, keys);
                    continue;
                }
            };
            wanted.extend(passes_on);
            combined.push(id);
        }
        let of = |known: &BTreeMap<Id, Vec<Key>>, id: &Id| known.get(id).cloned().unwrap_or_default();
        for id in combined.into_iter().rev() {
            let mut keys: Vec<Key> = Vec::new();
            match self.program.node(id) {
                Node::Call(Operation::Case, arguments) => {
                    passed_on_by_case(arguments).iter().for_each(|argument| keys.extend(of(&known, argument)));
                }
                Node::Call(_, arguments) => {
                    for argument in arguments {
                        keys.retain(|key| *key != Key::Null);
                        keys.extend(of(&known, argument));
                    }
                }
                Node::Column(_) | Node::Constant(..) => {}
            }
            let mut seen = BTreeSet::new();
            keys.retain(|key| seen.insert(key.clone()));
            if keys.len() > MOST_COMBINATIONS {
                return Err(self.underived(id));
            }
            known.insert(id, keys);
        }
        Ok(known.remove(&id).unwrap_or_default())
    }
}

/// The values that a CASE may give.
pub(crate) fn passed_on_by_case(arguments: &[Id]) -> Vec<Id> {
    let Some((otherwise, pairs)) = arguments.split_last() else { return Vec::new() };
    pairs.iter().skip(1).step_by(2).chain([otherwise]).copied().collect()
}

/// The keys that a column has by itself: declared, or every value of a short declared range.
fn column_keys(column: &Column) -> Option<Vec<Key>> {
    match column.kind {
        ColumnType::Decimal | ColumnType::Timestamp => None,
        ColumnType::Integer | ColumnType::Date | ColumnType::Boolean | ColumnType::Text => {
            domain(column).filter(|keys| keys.len() <= MOST_KEYS)
        }
    }
}

/// To declare the keys of entities would be to publish who they are.
fn a_group_each(key: &str) -> QueryError {
    let help = format!(
        "each group would be one person, whose mere appearance tells that they are in the data; do not declare `{key}` as \
         keys. For how many there are write COUNT(DISTINCT {key}); otherwise group by what many people share"
    );
    QueryError::refused(format!("GROUP BY `{key}`, which says whose a row is,"), help)
}

fn no_keys(declared: Option<&Column>, name: &str, section: &str) -> QueryError {
    if declared.is_some_and(|declared| declared.step.is_some() && declared.bounds.is_none()) {
        let help = format!(
            "say which of its values are told apart: LEAST(n, 8), or BIN(LEAST(n, 100), 10), where n is {name}"
        );
        return QueryError::refused(format!("GROUP BY `{name}`, which can be of any size,"), help);
    }
    let help = match declared.map(|declared| declared.kind) {
        Some(ColumnType::Decimal) => {
            "group by bands: FLOOR(x / 10) * 10, or CASE; decimals themselves are no groups".to_owned()
        }
        Some(ColumnType::Date | ColumnType::Timestamp) => format!(
            "group by DATE_TRUNC('month', {name}) or EXTRACT(year FROM {name}), and declare bounds in {section}"
        ),
        Some(ColumnType::Integer | ColumnType::Text | ColumnType::Boolean) | None => {
            format!("declare its groups, from public knowledge: keys = [...] in {section}")
        }
    };
    QueryError::refused(format!("GROUP BY `{name}`, which has no declared keys,"), help)
}

/// Every value that public facts allow for a column, when they are few enough to list.
fn domain(column: &Column) -> Option<Vec<Key>> {
    if let Some(keys) = &column.keys {
        return Some(keys.clone());
    }
    let steps = || {
        let bounds = column.bounds.as_ref()?;
        let count = ((bounds.high() - bounds.low()) / bounds.step()).to_integer().to_usize()?;
        (count < MOST_COMBINATIONS).then(|| (0..=count).map(move |at| bounds.low() + bounds.step() * whole(at)))
    };
    match column.kind {
        ColumnType::Boolean => Some(vec![Key::Boolean(false), Key::Boolean(true)]),
        ColumnType::Integer => steps()?.map(|value| value.to_integer().to_i64().map(Key::Integer)).collect(),
        ColumnType::Decimal => Some(steps()?.map(Key::Decimal).collect()),
        ColumnType::Date => steps()?.map(|value| value.to_integer().to_i32().map(Key::Date)).collect(),
        ColumnType::Text | ColumnType::Timestamp => None,
    }
}

/// The float that a decimal key is in the data: the one nearest to it.
pub(crate) fn decimal_key(key: &Key) -> Option<f64> {
    let Key::Decimal(value) = key else { return None };
    decimal(value, 330, Rounding::Nearest).parse().ok()
}

fn texts(names: &[&str]) -> Vec<Key> {
    names.iter().map(|name| Key::Text((*name).to_owned())).collect()
}

/// A key as a value; NULL is none.
fn value_of(key: &Key) -> Option<Value> {
    match key {
        Key::Integer(value) => Some(Value::Integer(*value)),
        Key::Decimal(_) => decimal_key(key).and_then(Decimal::new).map(Value::Decimal),
        Key::Text(text) => Value::text(text),
        Key::Boolean(truth) => Some(Value::Boolean(*truth)),
        Key::Date(day) => Day::new((*day).into()).map(Value::Date),
        Key::Timestamp(micros) => Moment::new(*micros).map(Value::Timestamp),
        Key::Null | Key::Other => None,
    }
}

/// A value as a key.
pub(crate) fn key_of(value: Option<&Value>) -> Option<Key> {
    Some(match value {
        None => Key::Null,
        Some(Value::Integer(value)) => Key::Integer(*value),
        Some(Value::Decimal(value)) => Key::Decimal(parse_rational(&format!("{}", value.get())).ok()?),
        Some(Value::Text(text)) => Key::Text(text.to_string()),
        Some(Value::Boolean(truth)) => Key::Boolean(*truth),
        Some(Value::Date(day)) => Key::Date(day.get()),
        Some(Value::Timestamp(moment)) => Key::Timestamp(moment.get()),
    })
}

impl Derivation<'_> {
    /// The input columns of a node with every value that public facts allow for them; `None` when these are too many.
    fn combinations(&self, id: Id) -> Option<Vec<(usize, &Column, Vec<Key>)>> {
        let mut rows: usize = 1;
        let mut domains = Vec::new();
        for position in self.program.inputs(&[id]) {
            let (_, column) = declared(self.tables, position)?;
            let mut values = domain(column)?;
            values.retain(|key| *key != Key::Other);
            rows = rows.saturating_mul(values.len());
            domains.push((position, column, values));
        }
        (rows <= MOST_COMBINATIONS).then_some(domains)
    }

    /// Whether the keys of a node are its values over all combinations. Not where a column may have values that are none of its
    /// keys, and count: there ELSE and what is false must have their groups whatever the keys lead to.
    fn is_evaluated(&self, id: Id, operation: &Operation) -> bool {
        let Some(domains) = self.combinations(id) else { return false };
        let by_form =
            matches!(operation, Operation::Case | Operation::Coalesce) || self.program.kind(id) == Type::Boolean;
        !(by_form && domains.iter().any(|(_, column, _)| column.takes_others()))
    }

    /// The values of a node over all combinations of its columns' values.
    fn evaluated(&self, id: Id) -> Result<Vec<Key>, QueryError> {
        let domains = self.combinations(id).unwrap_or_default();
        let rows = domains.iter().map(|(_, _, values)| values.len()).product();
        // The first column varies slowest, so results appear in its order.
        let mut repeat = rows;
        let mut inputs: Vec<Option<Values>> = vec![None; self.program.columns().len()];
        for (position, column, values) in &domains {
            repeat /= values.len().max(1);
            let picked = (0..rows).map(|row| value_of(&values[row / repeat % values.len()]));
            inputs[*position] = Some(Values::from_values(type_of(column.kind), picked));
        }
        let values = Evaluator::new(self.program, &[id]).evaluate(rows, &inputs);
        let mut seen = BTreeSet::new();
        let mut keys = Vec::new();
        for values in values {
            for row in 0..rows {
                let failed =
                    || QueryError::refused("GROUP BY this expression", "write the bands as a CASE with constants");
                let key = key_of(values.value(row).as_ref()).ok_or_else(failed)?;
                if seen.insert(key.clone()) {
                    keys.push(key);
                }
            }
        }
        Ok(keys)
    }

    /// The keys that an operation's form allows, whatever its columns hold.
    fn by_form(&mut self, id: Id, operation: &Operation, arguments: &[Id]) -> Result<Vec<Key>, QueryError> {
        match (operation, arguments) {
            (Operation::Truncate(unit), [time]) => self.truncated(*unit, *time).ok_or_else(|| self.undated(*time)),
            (Operation::Part(part), [time]) => {
                let (low, high) = match part {
                    Part::Year => self.years(*time).ok_or_else(|| self.undated(*time))?,
                    part => part.range(),
                };
                Ok((low..=high).map(Key::Integer).collect())
            }
            (Operation::DayName, _) => Ok(texts(&DAY_NAMES)),
            (Operation::MonthName, _) => Ok(texts(&MONTH_NAMES)),
            _ if self.program.kind(id) == Type::Boolean => Ok(vec![Key::Boolean(false), Key::Boolean(true)]),
            _ => self.bands(id),
        }
    }

    /// Every multiple of the unit between the bounds of an arithmetic expression.
    fn bands(&mut self, id: Id) -> Result<Vec<Key>, QueryError> {
        let grid = self.ranges.of(self.program, id, self.tables).grid().map_err(|_| self.underived(id))?;
        if grid.high - grid.low >= MOST_KEYS as i64 {
            return Err(self.underived(id));
        }
        let value = |units: i64| whole(units) * &grid.unit;
        let key = |value: Rational| match self.program.kind(id) {
            Type::Integer => value.is_integer().then(|| value.to_integer().to_i64().map(Key::Integer)).flatten(),
            Type::Decimal => Some(Key::Decimal(value)),
            Type::Boolean | Type::Text | Type::Date | Type::Timestamp => None,
        };
        let keys: Option<Vec<Key>> = (grid.low..=grid.high).map(|units| key(value(units))).collect();
        keys.ok_or_else(|| self.underived(id))
    }

    /// The first and last moment that public facts allow for a date or timestamp.
    fn dated(&self, time: Id) -> Option<(Moment, Moment)> {
        let (mut id, mut units) = (time, Vec::new());
        loop {
            match self.program.node(id) {
                Node::Call(Operation::Cast(Type::Date | Type::Timestamp), arguments) => {
                    id = *arguments.first()?;
                    if !matches!(self.program.kind(id), Type::Date | Type::Timestamp) {
                        return None;
                    }
                }
                Node::Call(Operation::Truncate(unit), arguments) => {
                    units.push(*unit);
                    id = *arguments.first()?;
                }
                Node::Column(position) => {
                    let (_, facts) = declared(self.tables, *position as usize)?;
                    let (low, high) = facts.bounds.as_ref()?.in_units();
                    let (mut low, high) = match facts.kind {
                        ColumnType::Date => (Day::new(low)?.midnight(), Day::new(high)?.midnight()),
                        ColumnType::Timestamp => (Moment::new(low)?, Moment::new(high)?),
                        ColumnType::Integer | ColumnType::Decimal | ColumnType::Text | ColumnType::Boolean => {
                            return None;
                        }
                    };
                    for unit in units.into_iter().rev() {
                        low = unit.truncate(low)?;
                    }
                    return Some((low, high));
                }
                Node::Constant(..) | Node::Call(..) => return None,
            }
        }
    }

    fn truncated(&self, unit: Unit, time: Id) -> Option<Vec<Key>> {
        let (low, last) = self.dated(time)?;
        let mut begin = unit.truncate(low)?;
        let mut keys = Vec::new();
        while begin <= last && keys.len() <= MOST_KEYS {
            keys.push(Key::Timestamp(begin.get()));
            match unit.next(begin) {
                Some(next) => begin = next,
                None => break,
            }
        }
        Some(keys)
    }

    /// What a pattern writes of every moment that public facts allow, in the order of the calendar.
    fn formatted(&self, id: Id, pattern: &TimePattern, time: Id) -> Result<Vec<Key>, QueryError> {
        let mut keys: BTreeMap<(Vec<i64>, String), Key> = BTreeMap::new();
        let mut add = |moment: Moment| {
            let text = pattern.write(moment);
            keys.insert((pattern.rank(moment), text.clone()), Key::Text(text));
        };
        let mut has_null = false;
        if self.combinations(time).is_some() {
            for moment in self.evaluated(time)? {
                match moment {
                    Key::Timestamp(micros) => Moment::new(micros).into_iter().for_each(&mut add),
                    Key::Date(day) => Day::new(day.into()).into_iter().for_each(|day| add(day.midnight())),
                    _ => has_null = true,
                }
            }
        } else {
            let unit = pattern.unit();
            // Weekdays, months and hours are the same whatever the dates are.
            let any = pattern
                .repeats_after()
                .and_then(|days| Some((Moment::new(0)?, Moment::new(days.checked_mul(Moment::DAY)?)?)));
            let (low, last) = self.dated(time).or(any).ok_or_else(|| self.undated(time))?;
            let mut begin = unit.truncate(low);
            let span = pattern.repeats_after().and_then(|days| days.checked_mul(Moment::DAY));
            let last = span
                .zip(begin)
                .and_then(|(span, begin)| Moment::new(begin.get() + span))
                .map_or(last, |end| end.min(last));
            let mut steps = 0;
            while let Some(moment) = begin.filter(|begin| *begin <= last) {
                add(moment);
                begin = unit.next(moment);
                steps += 1;
                if steps > MOST_COMBINATIONS {
                    return Err(self.underived(id));
                }
            }
        }
        let null = has_null.then_some(Key::Null);
        Ok(keys.into_values().chain(null).collect())
    }

    fn years(&self, time: Id) -> Option<(i64, i64)> {
        let (low, high) = self.dated(time)?;
        Some((civil(low).year().into(), civil(high).year().into()))
    }

    fn undated(&self, time: Id) -> QueryError {
        let of = match self.program.inputs(&[time]).into_iter().collect::<Vec<_>>().as_slice() {
            [position] => {
                declared(self.tables, *position).map(|(table, column)| (&self.tables[table].name, &column.name))
            }
            _ => None,
        };
        let place = match of {
            Some((table, column)) => format!("in {}", section_of(self.tables, table, column)),
            None => "for the date columns".to_owned(),
        };
        let help = format!("declare bounds = [\"2020-01-01\", \"2024-12-31\"] {place}, from public knowledge");
        let time = self.program.words(time, MOST_WORDS);
        QueryError::refused(format!("GROUP BY parts of {time}, whose range of dates is not declared,"), help)
    }

    fn underived(&self, id: Id) -> QueryError {
        let help = "write bands as CASE WHEN x < 18 THEN 'child' ELSE 'adult' END or BIN(x, 10), over columns with \
                    declared bounds or keys";
        let expression = self.program.words(id, MOST_WORDS);
        QueryError::refused(format!("GROUP BY {expression}, whose groups do not follow from declared facts,"), help)
    }
}
