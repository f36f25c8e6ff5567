//! The keys of random groups under random conditions, beside those of every row that meets the conditions.

use super::*;
use crate::facts::keys::{Derivation, key_of};
use deniable_core::exact::whole;
use deniable_core::schema::{Bounds, Column};
use deniable_expression::{Decimal, InputColumn, Moment, TimePattern};
use deniable_testing::sized;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// One table with a column of each type, and a program over it.
struct Case {
    tables: [TableSchema; 1],
    program: Program,
    /// The columns.
    columns: Vec<Id>,
    /// Values that rows may have, inside and outside the declarations.
    values: Vec<Vec<Option<Value>>>,
}

fn day(text: &str) -> i64 {
    deniable_expression::parse_day(text, None).unwrap().get().into()
}

fn case() -> Case {
    let bounds = |low: i64, high: i64| Bounds::new(whole(low), whole(high), whole(1)).unwrap();
    let (first, last) = (day("2023-11-20"), day("2024-02-10"));
    let columns = vec![
        Column::new("n", ColumnType::Integer).within(bounds(0, 9)),
        Column {
            keys: Some(["a", "b", "c"].map(|key| Key::Text(key.to_owned())).into_iter().chain([Key::Other]).collect()),
            ..Column::new("t", ColumnType::Text)
        },
        Column::new("d", ColumnType::Date).within(bounds(first, last)),
        Column::new("s", ColumnType::Timestamp).within(bounds(first * Moment::DAY, last * Moment::DAY + 3_600_000_000)),
        Column::new("x", ColumnType::Decimal).within(bounds(0, 50)),
        Column::new("f", ColumnType::Boolean),
    ];
    let input =
        |column: &Column| InputColumn { table: "r".to_owned(), name: column.name.clone(), kind: column.kind.into() };
    let mut program = Program::new(columns.iter().map(input).collect());
    let ids = (0..columns.len()).map(|at| program.column(at).unwrap()).collect();
    let days: Vec<i64> = (first - 400..first - 30)
        .step_by(37)
        .chain((first - 30..last + 30).step_by(3))
        .chain(last - 2..last + 3)
        .chain((last + 30..last + 400).step_by(37))
        .collect();
    let moments = days.iter().flat_map(|day| [0, 1, 3_599_999_999, 50_000_000_000].map(|at| day * Moment::DAY + at));
    let numbers = (-40..600).map(|tenth| f64::from(tenth) / 10.0).chain([-1e300, 1e300, 9.999_999]);
    let values: Vec<Vec<Value>> = vec![
        (-4..14).chain([i64::MIN, i64::MAX]).map(Value::Integer).collect(),
        ["", "a", "aa", "b", "bz", "c", "d"].into_iter().filter_map(Value::text).collect(),
        days.iter().filter_map(|day| Day::new(*day)).map(Value::Date).collect(),
        moments.filter_map(Moment::new).map(Value::Timestamp).collect(),
        numbers.filter_map(Decimal::new).map(Value::Decimal).collect(),
        vec![Value::Boolean(false), Value::Boolean(true)],
    ];
    let values = values.into_iter().map(|values| values.into_iter().map(Some).chain([None]).collect()).collect();
    let tables = [TableSchema::protected("r", columns, None)];
    Case { tables, program, columns: ids, values }
}

/// The groups of a column, each with keys.
fn groups(program: &mut Program, column: Id) -> Vec<Id> {
    let mut call = |operation: Operation, arguments: &[Id]| program.call(operation, arguments).unwrap();
    let pattern = |text: &str| Operation::Format(Box::new(TimePattern::new(text).unwrap()));
    match call(Operation::IsNull, &[column]) {
        _ if program.kind(column) == Type::Timestamp || program.kind(column) == Type::Date => {
            let time = match program.kind(column) {
                Type::Date => program.call(Operation::Cast(Type::Timestamp), &[column]).unwrap(),
                _ => column,
            };
            let all = [
                Operation::Truncate(Unit::Month),
                Operation::Truncate(Unit::Week),
                Operation::Cast(Type::Date),
                Operation::Part(Part::Year),
                Operation::Part(Part::Month),
                Operation::Part(Part::DayOfWeek),
                Operation::Part(Part::Hour),
                pattern("YYYY-MM"),
                pattern("Mon YY"),
                Operation::MonthName,
            ];
            all.into_iter().map(|operation| program.call(operation, &[time]).unwrap()).collect()
        }
        is_null => {
            let mut groups = vec![is_null];
            let number = |program: &mut Program, value: i64| match program.kind(column) {
                Type::Decimal => program.constant(Value::Decimal(Decimal::new(value as f64).unwrap())).unwrap(),
                _ => program.constant(Value::Integer(value)).unwrap(),
            };
            match program.kind(column) {
                Type::Integer | Type::Decimal => {
                    let (three, four) = (number(program, 3), number(program, 4));
                    let is_less = program.call(Operation::Compare(Comparison::Less), &[column, four]).unwrap();
                    let low = program.constant(Value::text("low").unwrap()).unwrap();
                    let high = program.constant(Value::text("high").unwrap()).unwrap();
                    let divided = program.call(Operation::Divide, &[column, three]).unwrap();
                    let floor = program.call(Operation::Floor, &[divided]).unwrap();
                    groups.push(program.call(Operation::Case, &[is_less, low, high]).unwrap());
                    groups.push(program.call(Operation::Multiply, &[floor, three]).unwrap());
                    groups.push(program.call(Operation::Least, &[floor, three]).unwrap());
                    groups.extend((program.kind(column) == Type::Integer).then_some(column));
                }
                _ => groups.push(column),
            }
            groups
        }
    }
}

/// A random condition about these values.
fn condition(case: &mut Case, about: &[Id], depth: u64, below: &mut impl FnMut(usize) -> usize) -> Id {
    let program = &mut case.program;
    if depth == 0 {
        let value = about[below(about.len())];
        if program.kind(value) == Type::Boolean {
            return value;
        }
        if below(8) == 0 {
            return program.call(Operation::IsNull, &[value]).unwrap();
        }
        let constants: Vec<Value> = match program.kind(value) {
            Type::Integer if program.inputs(&[value]).contains(&0) => (0..6).map(Value::Integer).collect(),
            Type::Integer => [1, 2, 6, 11, 12, 2023, 2024].map(Value::Integer).to_vec(),
            Type::Text => ["a", "b", "zz", "low", "high", "2023-12", "January", "Jan 24"]
                .into_iter()
                .filter_map(Value::text)
                .collect(),
            kind => {
                let column = program.inputs(&[value]).into_iter().next().unwrap();
                let known: Vec<Value> = case.values[column].iter().flatten().cloned().collect();
                let of_kind = |value: Value| match (kind, value) {
                    (Type::Timestamp, Value::Date(day)) => Value::Timestamp(day.midnight()),
                    (Type::Date, Value::Timestamp(moment)) => Value::Date(moment.day()),
                    (_, value) => value,
                };
                known.into_iter().map(of_kind).collect()
            }
        };
        let program = &mut case.program;
        let mut constant = |below: &mut dyn FnMut(usize) -> usize| {
            program.constant(constants[below(constants.len())].clone()).unwrap()
        };
        let (one, other) = (constant(below), constant(below));
        return match below(4) {
            0 => case.program.call(Operation::In, &[value, one, other]).unwrap(),
            _ => {
                let comparison = Comparison::ALL[below(Comparison::ALL.len())];
                let sides = if below(2) == 0 { [value, one] } else { [one, value] };
                case.program.call(Operation::Compare(comparison), &sides).unwrap()
            }
        };
    }
    let one = condition(case, about, depth - 1, below);
    let other = condition(case, about, depth - 1, below);
    let operation = [Operation::And, Operation::And, Operation::Or, Operation::Not][below(4)].clone();
    let sides = if operation == Operation::Not { vec![one] } else { vec![one, other] };
    case.program.call(operation, &sides).unwrap()
}

/// The condition, for values of a column between two of its values.
fn within(case: &mut Case, column: usize, condition: Id, below: &mut impl FnMut(usize) -> usize) -> Id {
    let most = case.values[column].len() - 2;
    let low = below(most);
    let [low, high] = [low, (low + below(30)).min(most)]
        .map(|end| case.program.constant(case.values[column][end].clone().unwrap()).unwrap());
    let own = case.columns[column];
    let mut call = |comparison, with| case.program.call(Operation::Compare(comparison), &[own, with]).unwrap();
    let (from, to) = (call(Comparison::GreaterOrEqual, low), call(Comparison::Less, high));
    let range = case.program.call(Operation::And, &[from, to]).unwrap();
    case.program.call(Operation::And, &[condition, range]).unwrap()
}

/// The keys of all rows over these values that meet a condition, and whether one has no key.
fn brute(case: &Case, column: usize, filter: Id, group: Id, keys: &[Key]) -> Reachable {
    let mut found = Reachable { keys: vec![false; keys.len()], outside: false };
    let flags = [None, Some(Value::Boolean(false)), Some(Value::Boolean(true))];
    for flag in flags {
        let values = &case.values[column];
        let mut inputs = vec![None; case.columns.len()];
        inputs[5] = Some(Values::repeat(Type::Boolean, flag.as_ref(), values.len()));
        let kind = case.program.kind(case.columns[column]);
        inputs[column] = Some(Values::from_values(kind, values.iter().cloned()));
        let results = Evaluator::new(&case.program, &[filter, group]).evaluate(values.len(), &inputs);
        for row in 0..values.len() {
            if results[0].value(row) != Some(Value::Boolean(true)) {
                continue;
            }
            let value = results[1].value(row);
            // As rows are counted: decimals by the nearest number.
            let is_key = |key: &Key| match key {
                Key::Decimal(_) => value_of(key) == value,
                _ => key_of(value.as_ref()).as_ref() == Some(key),
            };
            let at = keys.iter().position(is_key).or(keys.iter().position(|key| *key == Key::Other));
            match at {
                Some(at) => found.keys[at] = true,
                None => found.outside = true,
            }
        }
    }
    found
}

#[test]
fn every_key_of_a_row_that_meets_the_conditions_is_reachable() {
    let mut rng = ChaCha20Rng::seed_from_u64(46);
    let mut below = move |most: usize| usize::try_from(rng.next_u64() % most as u64).unwrap();
    let (mut narrowed, mut exact, mut tried) = (0, 0, 0);
    for round in 0..sized(20, 150) {
        for column in 0..5 {
            let mut case = case();
            let own = case.columns[column];
            let groups = groups(&mut case.program, own);
            let about: Vec<Id> = groups.iter().copied().chain([own, own, own, case.columns[5]]).collect();
            let mut filter = condition(&mut case, &about, round % 3, &mut below);
            if round % 2 == 1 {
                filter = within(&mut case, column, filter, &mut below);
            }
            for group in groups {
                let Ok(keys) = (Derivation { program: &case.program, tables: &case.tables }).keys(group) else {
                    continue;
                };
                let keys: Vec<Key> = keys.into_iter().chain((round % 2 == 0).then_some(Key::Null)).collect();
                let conditions =
                    Conditions { program: &case.program, tables: &case.tables, filters: &[filter], groups: 1 };
                let (found, wanted) = (conditions.reachable(group, &keys), brute(&case, column, filter, group, &keys));
                let words = || format!("{} by {}", case.program.words(filter, 300), case.program.words(group, 300));
                for (at, key) in keys.iter().enumerate() {
                    assert!(found.keys[at] || !wanted.keys[at], "{key:?} of {}", words());
                }
                assert!(found.outside || !wanted.outside, "outside {}", words());
                tried += 1;
                narrowed += usize::from(found.keys.contains(&false));
                exact += usize::from(found.keys == wanted.keys);
            }
        }
    }
    assert!(narrowed * 3 > tried && exact * 10 > tried * 6, "{narrowed} narrowed, {exact} exact, of {tried}");
}
