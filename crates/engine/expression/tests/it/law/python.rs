//! The evaluator against `scripts/expressions.py`: an independent implementation of the same page in plain Python.
//!
//! Unicode versions of Python and Rust differ; the letters of [`super::values`] are older than either, and their
//! mappings have not changed.

use super::dice::Dice;
use super::trees::{Tree, add, all_forms, columns, form_name, tree};
use super::values::column;
use deniable_expression::{Column, Entries, Evaluator, Node, Operation, Program, Type, Value};
use deniable_testing::sized;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::process::{Command, Stdio};

const ROWS: usize = 4;

fn value_json(value: Option<&Value>) -> Json {
    match value {
        None => Json::Null,
        Some(Value::Boolean(value)) => json!(value),
        Some(Value::Integer(value)) => json!(value.to_string()),
        Some(Value::Decimal(value)) => json!(format!("{:016x}", value.get().to_bits())),
        Some(Value::Text(value)) => json!(&**value),
        Some(Value::Date(value)) => json!(value.get().to_string()),
        Some(Value::Timestamp(value)) => json!(value.get().to_string()),
    }
}

fn entries_json(entries: &Entries) -> Json {
    match entries {
        Entries::Texts(list) => list.iter().map(|(key, value)| (key.to_string(), json!(&**value))).collect(),
        Entries::Integers(list) => list.iter().map(|(key, value)| (key.to_string(), json!(&**value))).collect(),
    }
}

fn tree_json(tree: &Tree) -> Json {
    let (operation, arguments) = match tree {
        Tree::Column(column) => return json!({ "column": column }),
        Tree::Constant(kind, value) => return json!({ "constant": kind.name(), "value": value_json(value.as_ref()) }),
        Tree::Call(operation, arguments) => (operation, arguments),
    };
    let name = match operation {
        Operation::Negate => "negate",
        other => other.name(),
    };
    let mut call = json!({ "call": name, "arguments": arguments.iter().map(tree_json).collect::<Vec<_>>() });
    match operation {
        Operation::Round(digits) => call["digits"] = json!(digits),
        Operation::Cast(kind) => call["to"] = json!(kind.name()),
        Operation::Trim(characters) => call["characters"] = json!(&**characters),
        Operation::Substring { skipped, length } => {
            call["skipped"] = json!(skipped);
            call["length"] = json!(length);
        }
        Operation::Like(pattern) => {
            call["pattern"] = json!(pattern.text());
            call["escape"] = json!(pattern.escape().to_string());
        }
        Operation::Lookup(lookup) => call["entries"] = entries_json(&lookup.entries),
        Operation::Truncate(unit) => call["unit"] = json!(unit.name()),
        Operation::Format(pattern) => call["pattern"] = json!(pattern.text()),
        Operation::Shift(period) => call["period"] = json!([period.months(), period.days(), period.micros()]),
        Operation::Part(part) => call["unit"] = json!(part.name()),
        _ => {}
    }
    call
}

/// 4·10^4 rows of 10^4 trees; ten times as many at full scale.
#[test]
fn python_gives_the_same_values() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../scripts/expressions.py");
    let python = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut python = match python {
        Ok(python) => python,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            deniable_testing::skipped("there is no python3 here, and nothing was compared", "install it");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let mut dice = Dice::new(2024);
    let (mut lines, mut expected) = (String::new(), Vec::new());
    let mut counts: HashMap<String, usize> = HashMap::new();
    let kinds: Vec<&str> = columns().iter().map(|column| column.kind.name()).collect();
    for number in 0..sized(4_000, 100_000) {
        let kind = *dice.pick(&Type::ALL);
        let depth = 1 + dice.below(4);
        // A few texts of 65,536 bytes.
        let rare = if number % 50 == 0 { 10 } else { 100_000 };
        let tree = tree(&mut dice, kind, depth, rare);
        let mut program = Program::new(columns());
        let root = add(&mut program, &tree, &|column| column);
        let inputs: Vec<Option<Column>> =
            program.columns().iter().map(|input| Some(column(&mut dice, input.kind, ROWS, rare))).collect();
        let found = Evaluator::new(&program, &[root]).evaluate(ROWS, &inputs).remove(0);
        let row = |row: usize| -> Vec<Json> {
            inputs.iter().flatten().map(|column| value_json(column.value(row).as_ref())).collect()
        };
        let rows: Vec<Vec<Json>> = (0..ROWS).map(row).collect();
        lines.push_str(&json!({ "columns": kinds, "rows": rows, "tree": tree_json(&tree) }).to_string());
        lines.push('\n');
        let values: Vec<Json> = (0..ROWS).map(|row| value_json(found.value(row).as_ref())).collect();
        for (id, node) in program.ids() {
            if let Node::Call(operation, arguments) = node {
                let types: Vec<Type> = arguments.iter().map(|id| program.kind(*id)).collect();
                assert!(operation.result(&types) == Some(program.kind(id)));
                *counts.entry(form_name(operation, &types)).or_default() += 1;
            }
        }
        expected.push((values, program.words(root, 2_000), rows));
    }
    let mut input = python.stdin.take().unwrap();
    let output = BufReader::new(python.stdout.take().unwrap());
    let writing = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let (mut compared, mut nulls) = (0, 0);
    for (line, (values, words, rows)) in output.lines().zip(&expected) {
        let found: Vec<Json> = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(found.len(), ROWS);
        for ((found, value), row) in found.iter().zip(values).zip(rows) {
            assert_eq!(found, value, "Python on the left: {words}\nof {row:?}");
            compared += 1;
            nulls += usize::from(found.is_null());
        }
    }
    writing.join().unwrap().unwrap();
    assert!(python.wait().unwrap().success());
    assert_eq!(compared, expected.len() * ROWS);
    let never: Vec<&str> =
        all_forms().filter(|form| !counts.contains_key(&form.name)).map(|form| form.name.as_str()).collect();
    println!("compared {compared} rows, {nulls} of them NULL; forms that did not come up: {never:?}");
    assert!(nulls < compared / 2 && never.len() < 20, "{nulls} NULLs, {never:?}");
}
