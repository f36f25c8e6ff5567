//! The keys of a group: declared for a column, derived from public facts for an expression.
//!
//! An expression over columns with few possible values is evaluated on all of them. That is not enough where a row has
//! NULL, an undeclared key or a number beyond the bounds: a computing operation has no key there, but a condition is
//! false or true and a CASE, COALESCE, NULLIF, LEAST or GREATEST may return a constant, or the key of another column.
//! Both truth values, and all such values, are keys as well (`Rule`). For columns with many values the form of the
//! expression decides: the months of a range of dates, the bands of a range of numbers (`forms`). Keys that cannot be
//! derived are an error; the data are never read.

use super::left_out::never_null;
use crate::QueryError;
use crate::{declared, section_of};
use deniable_core::exact::{Rounding, decimal, parse_rational, whole};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Column, ColumnType, Key};
use deniable_expression::{
    Column as Values, Comparison, Day, Decimal, Evaluator, Id, InputColumn, Moment, Node, Operation, Program, Type,
    Value,
};
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet};

/// Most combinations of values on which an expression is evaluated.
pub(crate) const MOST_COMBINATIONS: usize = 100_000;
/// Most keys that are derived for one group.
pub(crate) const MOST_KEYS: usize = 20_000;

/// The declarations from which the keys of an expression are derived.
pub struct Derivation<'a> {
    /// The expressions.
    pub program: &'a Program,
    /// The tables whose columns they read.
    pub tables: &'a [TableSchema],
}

impl Derivation<'_> {
    /// The keys of a node, in their natural order.
    pub fn keys(&self, id: Id) -> Result<Vec<Key>, QueryError> {
        if let Node::Column(position) = self.program.node(id) {
            return self.of_column(*position as usize);
        }
        if let Node::Call(Operation::Lookup(lookup), arguments) = self.program.node(id)
            && let [column] = arguments.as_slice()
        {
            // A value of the public table that no key maps to is not a group.
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

    /// The keys of a node, from those of the nodes that it consists of. Each node is processed once.
    fn derived(&self, id: Id) -> Result<Vec<Key>, QueryError> {
        let mut known: BTreeMap<Id, Vec<Key>> = BTreeMap::new();
        let mut wanted = BTreeSet::from([id]);
        let mut combined: Vec<(Id, Rule)> = Vec::new();
        // Later nodes depend on earlier ones: going backwards visits each node after all nodes that use it.
        while let Some(id) = wanted.pop_last() {
            let (keys, rule) = self.own_keys(id)?;
            known.insert(id, keys);
            wanted.extend(rule.nodes());
            combined.push((id, rule));
        }
        for (id, rule) in combined.into_iter().rev() {
            let more = self.combined(id, &rule, &known)?;
            let keys = known.entry(id).or_default();
            keys.extend(more);
            let mut seen = BTreeSet::new();
            keys.retain(|key| seen.insert(key.clone()));
            if keys.len() > MOST_COMBINATIONS {
                return Err(self.underived(id));
            }
        }
        Ok(known.remove(&id).unwrap_or_default())
    }

    /// The keys that follow from a node alone, and the rule by which other keys follow from other nodes.
    fn own_keys(&self, id: Id) -> Result<(Vec<Key>, Rule), QueryError> {
        let (operation, arguments) = match self.program.node(id) {
            Node::Column(position) => return Ok((self.inside(*position as usize)?, Rule::None)),
            Node::Constant(_, value) => {
                return Ok((vec![key_of(value.as_ref()).ok_or_else(|| self.underived(id))?], Rule::None));
            }
            Node::Call(operation, arguments) => (operation, arguments),
        };
        if let (Operation::Format(pattern), [time]) = (operation, arguments.as_slice()) {
            let is_made = self.combinations(*time).is_some() && !self.is_made_of_columns(*time);
            let keys = if is_made { Vec::new() } else { self.formatted(id, pattern, *time, None)? };
            return Ok((keys, if is_made { Rule::Written(*time) } else { Rule::None }));
        }
        let is_evaluated = self.is_evaluated(id, operation);
        let keys = if is_evaluated { self.evaluated(id)? } else { Vec::new() };
        let may_be_skipped = |value: Id, conditions: &[Id]| is_evaluated && self.decides(value, conditions);
        Ok(match operation {
            Operation::Case => {
                let (mut values, mut conditions): (Vec<Id>, Vec<Id>) = (Vec::new(), Vec::new());
                // The first branch of a bucket is its value for NULL.
                let skipped = if self.is_bucket(arguments) { 2 } else { 0 };
                for pair in arguments[skipped..].chunks(2) {
                    let value = *pair.last().unwrap_or(&id);
                    conditions.extend(pair.first().filter(|_| pair.len() == 2));
                    values.extend(Some(value).filter(|value| !may_be_skipped(*value, &conditions)));
                }
                (keys, Rule::Any(values))
            }
            Operation::Coalesce => {
                let passes_on = |at: usize| !may_be_skipped(arguments[at], &arguments[..at]);
                let values = (0..arguments.len()).filter(|at| passes_on(*at)).map(|at| arguments[at]).collect();
                (keys, Rule::FirstPresent(values))
            }
            Operation::NullIf => {
                let first = arguments[..1].iter().copied();
                (keys, Rule::OrNull(first.filter(|first| !may_be_skipped(*first, &arguments[1..])).collect()))
            }
            Operation::Least | Operation::Greatest if is_evaluated => (keys, Rule::Extreme(arguments.clone())),
            Operation::Least | Operation::Greatest => {
                let constants = arguments.iter().copied().filter(|id| self.is_constant(*id)).collect();
                (self.by_form(id, operation, arguments)?, Rule::Extreme(constants))
            }
            _ if self.program.kind(id) == Type::Boolean => {
                let both = [Key::Boolean(false), Key::Boolean(true)];
                let null = self.truth_is_null(id)?.then_some(Key::Null);
                (keys.into_iter().chain(both).chain(null).collect(), Rule::None)
            }
            // If all its inputs are columns, a value outside a column's keys gives no key here either.
            _ if is_evaluated && self.decides(id, &[]) => (keys, Rule::None),
            _ if is_evaluated => (keys, Rule::Computed(self.parts(id))),
            _ => {
                let null = self.may_be_null(id, true).then_some(Key::Null);
                match self.by_form(id, operation, arguments) {
                    Ok(keys) => (keys.into_iter().chain(null).collect(), Rule::None),
                    Err(_) if !self.parts(id).iter().any(|part| self.is_column(*part)) => {
                        (Vec::new(), Rule::Computed(self.parts(id)))
                    }
                    Err(error) => return Err(error),
                }
            }
        })
    }

    /// The keys that follow from those of other nodes.
    fn combined(&self, id: Id, rule: &Rule, known: &BTreeMap<Id, Vec<Key>>) -> Result<Vec<Key>, QueryError> {
        let of = |id: &Id| known.get(id).cloned().unwrap_or_default();
        let mut keys: Vec<Key> = Vec::new();
        match rule {
            Rule::None => {}
            Rule::Any(values) => values.iter().for_each(|value| keys.extend(of(value))),
            Rule::OrNull(values) => {
                values.iter().for_each(|value| keys.extend(of(value)));
                keys.push(Key::Null);
            }
            Rule::FirstPresent(values) => {
                let last = match self.program.node(id) {
                    Node::Call(_, arguments) => arguments.last().copied(),
                    Node::Column(_) | Node::Constant(..) => None,
                };
                for value in values {
                    keys.extend(of(value).into_iter().filter(|key| *key != Key::Null || Some(*value) == last));
                }
            }
            Rule::Extreme(values) => {
                let is_least = matches!(self.program.node(id), Node::Call(Operation::Least, _));
                let constants = values.iter().filter_map(|id| key_of(self.program.constant_of(*id)?));
                let constants = constants.filter(|key| *key != Key::Null);
                // With a constant, the result is never NULL and never beyond the constant. It is the constant itself if
                // all other arguments may be NULL.
                let limit = if is_least { constants.min() } else { constants.max() };
                let is_alone = values.iter().all(|id| self.is_constant(*id) || !never_null(self.program, *id));
                let is_reached = |key: &Key| match &limit {
                    Some(limit) if key == limit => is_alone,
                    Some(limit) => (key < limit) == is_least,
                    None => true,
                };
                keys.extend(values.iter().flat_map(of).filter(|key| *key != Key::Null && is_reached(key)));
            }
            Rule::Computed(parts) => {
                let parts: Vec<(Id, Vec<Key>)> = parts.iter().map(|part| (*part, of(part))).collect();
                keys = self.computed(id, &parts)?;
            }
            Rule::Written(time) => {
                if let Node::Call(Operation::Format(pattern), _) = self.program.node(id) {
                    keys = self.formatted(id, pattern, *time, known.get(time))?;
                }
            }
        }
        Ok(keys)
    }

    /// The keys of a column inside an expression: a value outside these keys has no key there.
    fn inside(&self, position: usize) -> Result<Vec<Key>, QueryError> {
        let listed = declared(self.tables, position).and_then(|(_, column)| domain(column));
        let mut keys = listed.map_or_else(|| self.of_column(position), Ok)?;
        keys.retain(|key| *key != Key::Other);
        Ok(keys)
    }

    /// Whether an operation may return a value, or a truth, for a row in which one of its columns is NULL or outside
    /// its keys.
    fn is_choice(&self, id: Id) -> bool {
        let Node::Call(operation, _) = self.program.node(id) else { return false };
        matches!(
            operation,
            Operation::Case | Operation::Coalesce | Operation::NullIf | Operation::Least | Operation::Greatest
        ) || self.program.kind(id) == Type::Boolean
    }

    /// Whether a CASE is a WIDTH_BUCKET: an operation that computes, whose NULL is not a constant of the query.
    fn is_bucket(&self, arguments: &[Id]) -> bool {
        let [missing, nothing, below, zero, after, _, _] = arguments else { return false };
        let subject = |id: &Id, wanted: &Operation| match self.program.node(*id) {
            Node::Call(operation, sides) if operation == wanted => sides.first().copied(),
            Node::Column(_) | Node::Constant(..) | Node::Call(..) => None,
        };
        let of = subject(missing, &Operation::IsNull);
        of.is_some()
            && of == subject(below, &Operation::Compare(Comparison::Less))
            && of == subject(after, &Operation::Compare(Comparison::GreaterOrEqual))
            && self.program.constant_of(*nothing) == Some(None)
            && self.program.constant_of(*zero) == Some(Some(&Value::Integer(0)))
    }

    fn is_constant(&self, id: Id) -> bool {
        matches!(self.program.node(id), Node::Constant(..))
    }

    fn is_column(&self, id: Id) -> bool {
        matches!(self.program.node(id), Node::Column(_))
    }

    /// The columns and choices whose values an operation computes with.
    fn parts(&self, id: Id) -> Vec<Id> {
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut wanted = vec![id];
        while let Some(next) = wanted.pop() {
            match self.program.node(next) {
                Node::Constant(..) => {}
                Node::Call(_, arguments) if next == id || !self.is_choice(next) => {
                    wanted.extend(arguments.iter().filter(|argument| seen.insert(**argument)));
                }
                Node::Column(_) | Node::Call(..) => {
                    found.insert(next);
                }
            }
        }
        found.into_iter().collect()
    }

    /// Whether a value contains no choice.
    fn is_made_of_columns(&self, id: Id) -> bool {
        !self.is_choice(id) && self.parts(id).iter().all(|part| self.is_column(*part))
    }

    /// Whether a value has no key for a row in which one of its columns, or of the columns of these conditions, is
    /// outside its keys. Then the rows with all columns inside their keys give all its keys.
    fn decides(&self, value: Id, conditions: &[Id]) -> bool {
        if self.is_choice(value) {
            return false;
        }
        let columns: BTreeSet<Id> = self.parts(value).into_iter().filter(|part| self.is_column(*part)).collect();
        let columns: BTreeSet<usize> = columns.iter().flat_map(|column| self.program.inputs(&[*column])).collect();
        let all: Vec<Id> = conditions.iter().copied().chain([value]).collect();
        self.program.inputs(&all).is_subset(&columns)
    }

    /// Whether NULL is a group of a condition: where a declared NULL, or a NULL in the query, leads to it.
    fn truth_is_null(&self, id: Id) -> Result<bool, QueryError> {
        let is_known = self.combinations(id).is_some();
        Ok(self.may_be_null(id, !is_known) || is_known && self.evaluated(id)?.contains(&Key::Null))
    }

    /// Whether a NULL in the query, or with `of_columns` a declared NULL, leads to NULL.
    fn may_be_null(&self, id: Id, of_columns: bool) -> bool {
        let mut known: Vec<bool> = Vec::new();
        for (_, node) in self.program.ids().take_while(|(at, _)| *at <= id) {
            let of = |id: &Id| known.get(id.position()).copied().unwrap_or_default();
            let leads_to_null = match node {
                Node::Constant(_, value) => value.is_none(),
                Node::Column(position) => {
                    let keys = declared(self.tables, *position as usize).and_then(|(_, column)| column.keys.as_ref());
                    of_columns && keys.is_some_and(|keys| keys.contains(&Key::Null))
                }
                Node::Call(operation, arguments) => match operation {
                    Operation::Case => passed_on_by_case(arguments).iter().any(of),
                    Operation::Coalesce | Operation::Least | Operation::Greatest => arguments.iter().all(of),
                    Operation::NullIf => true,
                    Operation::IsNull
                    | Operation::IsTrue
                    | Operation::Compare(Comparison::Distinct | Comparison::NotDistinct) => false,
                    _ => arguments.iter().any(of),
                },
            };
            known.push(leads_to_null);
        }
        known.get(id.position()).copied().unwrap_or_default()
    }
}

/// The rule by which further keys of a node follow from those of other nodes.
enum Rule {
    /// No further keys.
    None,
    Any(Vec<Id>),
    /// Any of these values, and NULL.
    OrNull(Vec<Id>),
    /// Any of these values; NULL only where the last argument gives it.
    FirstPresent(Vec<Id>),
    /// The smallest or largest of these values that is not NULL.
    Extreme(Vec<Id>),
    /// The operation, over all combinations of these values.
    Computed(Vec<Id>),
    /// The pattern, applied to these times.
    Written(Id),
}

impl Rule {
    fn nodes(&self) -> Vec<Id> {
        match self {
            Self::None => Vec::new(),
            Self::Any(nodes)
            | Self::OrNull(nodes)
            | Self::FirstPresent(nodes)
            | Self::Extreme(nodes)
            | Self::Computed(nodes) => nodes.clone(),
            Self::Written(time) => vec![*time],
        }
    }
}

/// The arguments of a CASE that it may return.
pub fn passed_on_by_case(arguments: &[Id]) -> Vec<Id> {
    let Some((otherwise, pairs)) = arguments.split_last() else { return Vec::new() };
    pairs.iter().skip(1).step_by(2).chain([otherwise]).copied().collect()
}

/// The keys that follow from the column alone: declared, or every value of a short declared range.
fn column_keys(column: &Column) -> Option<Vec<Key>> {
    match column.kind {
        ColumnType::Decimal | ColumnType::Timestamp => None,
        ColumnType::Integer | ColumnType::Date | ColumnType::Boolean | ColumnType::Text => {
            domain(column).filter(|keys| keys.len() <= MOST_KEYS)
        }
    }
}

/// Declaring the keys of entities would publish who is in the data.
fn a_group_each(key: &str) -> QueryError {
    let help = format!(
        "each group would be one person, and showing it would reveal that the person is in the data. Do not declare \
         keys for `{key}`; write COUNT(DISTINCT {key}) for the number of people, or group by a column whose values many \
         people share"
    );
    QueryError::refused(format!("GROUP BY the entity key `{key}`"), help)
}

fn no_keys(declared: Option<&Column>, name: &str, section: &str) -> QueryError {
    if declared.is_some_and(|declared| declared.step.is_some() && declared.bounds.is_none()) {
        let help = format!(
            "group by an expression with an upper bound: LEAST(n, 8), or BIN(LEAST(n, 100), 10), where n is {name}"
        );
        return QueryError::refused(format!("GROUP BY `{name}`, which has no upper bound,"), help);
    }
    let help = match declared.map(|declared| declared.kind) {
        Some(ColumnType::Decimal) => {
            "group by bands: FLOOR(x / 10) * 10, or CASE; decimals themselves cannot be groups".to_owned()
        }
        Some(ColumnType::Date | ColumnType::Timestamp) => format!(
            "group by DATE_TRUNC('month', {name}) or EXTRACT(year FROM {name}), and declare bounds in {section}"
        ),
        Some(ColumnType::Integer | ColumnType::Text | ColumnType::Boolean) | None => {
            let groups = format!("declare its groups, from public knowledge: keys = [...] in {section}");
            // The entity key is a column of the main table.
            match section.starts_with("[columns.") {
                true => format!("{groups}; if `{name}` identifies people, declare key = \"{name}\" under [entity]"),
                false => groups,
            }
        }
    };
    QueryError::refused(format!("GROUP BY `{name}`, which has no declared keys,"), help)
}

/// Every value that the declaration allows for a column, if they are few enough to list.
pub(super) fn domain(column: &Column) -> Option<Vec<Key>> {
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

/// The float that represents a decimal key in the data: the nearest one.
pub fn decimal_key(key: &Key) -> Option<f64> {
    let Key::Decimal(value) = key else { return None };
    decimal(value, 330, Rounding::Nearest).parse().ok()
}

/// A key as a value; `None` for NULL.
pub(super) fn value_of(key: &Key) -> Option<Value> {
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
pub fn key_of(value: Option<&Value>) -> Option<Key> {
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
    /// The input columns of a node with every value that their declarations allow; `None` if there are too many.
    pub(crate) fn combinations(&self, id: Id) -> Option<Vec<(usize, &Column, Vec<Key>)>> {
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

    /// Whether the keys of a node are its values over all combinations of its columns' keys. This is false where a
    /// column may have values outside its keys that still count: ELSE and FALSE then need their own groups, whatever
    /// the keys give.
    fn is_evaluated(&self, id: Id, operation: &Operation) -> bool {
        let Some(domains) = self.combinations(id) else { return false };
        let by_form =
            matches!(operation, Operation::Case | Operation::Coalesce) || self.program.kind(id) == Type::Boolean;
        !(by_form && domains.iter().any(|(_, column, _)| column.takes_others()))
    }

    /// The values of a node over all combinations of its columns' values.
    pub(crate) fn evaluated(&self, id: Id) -> Result<Vec<Key>, QueryError> {
        let domains = self.combinations(id).unwrap_or_default();
        let inputs =
            domains.iter().map(|(position, column, keys)| (*position, Type::from(column.kind), keys.as_slice()));
        values_over(self.program, id, &inputs.collect::<Vec<_>>())
    }

    /// The values of a node over all combinations of the values of its parts.
    fn computed(&self, id: Id, parts: &[(Id, Vec<Key>)]) -> Result<Vec<Key>, QueryError> {
        let rows = parts.iter().try_fold(1_usize, |rows, (_, keys)| rows.checked_mul(keys.len()));
        if rows.is_none_or(|rows| rows > MOST_COMBINATIONS) {
            return Err(self.underived(id));
        }
        let nodes: Vec<Id> = parts.iter().map(|(part, _)| *part).collect();
        let (program, places) = with_columns(self.program, id, &nodes).ok_or_else(|| self.underived(id))?;
        let root = places.get(&id).copied().ok_or_else(|| self.underived(id))?;
        let input = |(at, (part, keys)): (usize, &'_ (Id, Vec<Key>))| (at, self.program.kind(*part), keys.clone());
        let inputs: Vec<(usize, Type, Vec<Key>)> = parts.iter().enumerate().map(input).collect();
        let inputs = inputs.iter().map(|(at, kind, keys)| (*at, *kind, keys.as_slice()));
        values_over(&program, root, &inputs.collect::<Vec<_>>())
    }
}

/// The operations of a program up to `last` that depend on nothing but these nodes, with an input column in place of
/// each of the nodes, and the new position of each operation. `None` if the program would be too large.
pub(super) fn with_columns(program: &Program, last: Id, nodes: &[Id]) -> Option<(Program, BTreeMap<Id, Id>)> {
    let mut own = Program::default();
    let mut places: BTreeMap<Id, Id> = BTreeMap::new();
    for node in nodes {
        let (table, name) = (String::new(), node.position().to_string());
        places.insert(*node, own.input(InputColumn { table, name, kind: program.kind(*node) }).ok()?);
    }
    for (at, node) in program.ids().take_while(|(at, _)| *at <= last) {
        let place = match node {
            _ if nodes.contains(&at) => continue,
            Node::Column(_) => continue,
            Node::Constant(kind, None) => own.null(*kind),
            Node::Constant(_, Some(value)) => own.constant(value.clone()),
            Node::Call(operation, arguments) => {
                let placed = arguments.iter().map(|argument| places.get(argument).copied());
                let Some(placed) = placed.collect::<Option<Vec<Id>>>() else { continue };
                own.call(operation.clone(), &placed)
            }
        };
        places.insert(at, place.ok()?);
    }
    Some((own, places))
}

/// The values of a node over all combinations of the values of these input columns.
fn values_over(program: &Program, id: Id, domains: &[(usize, Type, &[Key])]) -> Result<Vec<Key>, QueryError> {
    let rows = domains.iter().map(|(_, _, values)| values.len()).product();
    // The first column varies slowest, so results appear in its order.
    let mut repeat = rows;
    let mut inputs: Vec<Option<Values>> = vec![None; program.columns().len()];
    for (position, kind, values) in domains {
        repeat /= values.len().max(1);
        let picked = (0..rows).map(|row| value_of(&values[row / repeat % values.len()]));
        inputs[*position] = Some(Values::from_values(*kind, picked));
    }
    let values = Evaluator::new(program, &[id]).evaluate(rows, &inputs);
    let mut seen = BTreeSet::new();
    let mut keys = Vec::new();
    for values in values {
        for row in 0..rows {
            let failed = || QueryError::refused("GROUP BY this expression", "write the bands as a CASE with constants");
            let key = key_of(values.value(row).as_ref()).ok_or_else(failed)?;
            if seen.insert(key.clone()) {
                keys.push(key);
            }
        }
    }
    Ok(keys)
}
