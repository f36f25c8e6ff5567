//! Properties of all bytes that are read as expressions: bytes, tree, identity, evaluation. Run by
//! `fuzz/targets/expression.rs` and by `crates/engine/expression/tests/it/fuzz.rs`.
//!
//! After a 0 the bytes are canonical ones, most of which are refused. After any other byte they are instructions of a
//! stack machine, most of which build an expression.

use deniable_expression::program::InputColumn;
use deniable_expression::value::{Day, Decimal, Moment};
use deniable_expression::{
    Column, Comparison, Evaluator, Id, Node, Operation, Part, Pattern, Program, Type, Unit, Value,
};
use std::collections::BTreeSet;
use std::sync::LazyLock;

const ROWS: usize = 3;
/// Most nodes that instructions may create: enough for every form, few enough for many executions per second.
const MOST_INSTRUCTIONS: usize = 40;

/// Some canonical bytes, as seeds.
#[allow(dead_code, reason = "the fuzz target has no use for it")]
pub fn good() -> Vec<Vec<u8>> {
    let column = |kind: Type| InputColumn { table: "t".into(), name: kind.name().into(), kind };
    let mut program = Program::new(Type::ALL.map(column).to_vec());
    let ids: Vec<Id> = (0..6).map(|position| program.column(position).unwrap()).collect();
    let [flag, integer, decimal, text, date, moment] = ids[..] else { unreachable!() };
    let constants = [
        Value::Boolean(true),
        Value::Integer(i64::MAX),
        Value::Decimal(Decimal::new(1e308).unwrap()),
        Value::text("9999-12-31").unwrap(),
        Value::Date(Day::LAST),
        Value::Timestamp(Day::LAST.midnight()),
    ];
    let constants: Vec<Id> = constants.into_iter().map(|value| program.constant(value).unwrap()).collect();
    let mut roots = Vec::new();
    for (column, constant) in ids.iter().zip(&constants) {
        roots.push(program.call(Operation::Compare(Comparison::Less), &[*column, *constant]).unwrap());
        roots.push(program.call(Operation::Coalesce, &[*column, *constant]).unwrap());
        roots.push(program.call(Operation::Case, &[flag, *column, *constant]).unwrap());
    }
    for (operation, argument) in [
        (Operation::Round(-3), integer),
        (Operation::Round(3), decimal),
        (Operation::Lower, text),
        (Operation::Trim(" a".into()), text),
        (Operation::Like(Box::new(Pattern::new("%a_b%", None, true).unwrap())), text),
        (Operation::Cast(Type::Timestamp), date),
        (Operation::Cast(Type::Text), moment),
        (Operation::Truncate(Unit::Week), moment),
        (Operation::Part(Part::DayOfYear), moment),
    ] {
        roots.push(program.call(operation, &[argument]).unwrap());
    }
    roots.push(program.call(Operation::DaysBetween, &[date, constants[4]]).unwrap());
    let mut seeds: Vec<Vec<u8>> = roots.iter().map(|root| [vec![0], program.canonical(&[*root])].concat()).collect();
    seeds.push([vec![0], program.canonical(&roots)].concat());
    // At least one of each instruction.
    seeds.push((1..=255).collect());
    seeds.push((1..=255).rev().collect());
    seeds
}

/// The bytes are refused, or are expressions with the same bytes whose table equals its rows. Returns the expressions.
pub fn check(bytes: &[u8]) -> bool {
    let (program, roots) = match bytes.split_first() {
        Some((0, canonical)) => match Program::from_canonical(canonical) {
            Some((program, roots)) => {
                assert_eq!(program.canonical(&roots), canonical);
                (program, roots)
            }
            None => return false,
        },
        Some((_, instructions)) => built(instructions),
        None => return false,
    };
    let canonical = program.canonical(&roots);
    let (read, read_roots) = Program::from_canonical(&canonical).expect("canonical bytes");
    assert_eq!(read_roots.len(), roots.len());
    for (one, two) in roots.iter().zip(&read_roots).take(2) {
        let words = program.words(*one, 200);
        assert!(words.chars().count() <= 201);
        assert_eq!(words, read.words(*two, 200));
    }
    evaluated(&read, &read_roots);
    true
}

/// Every row evaluated alone equals its value among the others.
fn evaluated(program: &Program, roots: &[Id]) {
    let roots: Vec<Id> = roots.iter().copied().collect::<BTreeSet<Id>>().into_iter().take(8).collect();
    let mut evaluator = Evaluator::new(program, &roots);
    let inputs: Vec<Option<Column>> = program.columns().iter().map(|column| Some(table(column.kind))).collect();
    let whole = evaluator.evaluate(ROWS, &inputs);
    for (column, root) in whole.iter().zip(&roots) {
        assert_eq!((column.kind(), column.len()), (program.kind(*root), ROWS));
        assert!(column.clone().checked().same_as(column));
    }
    for row in 0..ROWS {
        let cut: Vec<Option<Column>> =
            inputs.iter().map(|column| column.as_ref().map(|column| column.slice(row, 1))).collect();
        for (alone, whole) in evaluator.evaluate(1, &cut).iter().zip(&whole) {
            assert!(alone.same_as(&whole.slice(row, 1)), "row {row}: {alone:?}, {whole:?}");
        }
    }
}

/// A column of hostile values.
fn table(kind: Type) -> Column {
    thread_local! {
        static COLUMNS: Vec<Column> = {
            let decimal = |number| Decimal::new(number).map(Value::Decimal);
            let rows: [[Option<Value>; 6]; ROWS] = [
                [
                    Some(Value::Boolean(true)),
                    Some(Value::Integer(i64::MIN)),
                    decimal(f64::MAX),
                    Value::text("9999-12-31T23:59:59.999999999"),
                    Some(Value::Date(Day::FIRST)),
                    Some(Value::Timestamp(Day::FIRST.midnight())),
                ],
                [None, Some(Value::Integer(-719_163)), decimal(-5e-324), None, None, None],
                [
                    Some(Value::Boolean(false)),
                    None,
                    decimal(-0.5),
                    Value::text(" \u{130}ŉΑΣ a%b_\\"),
                    Some(Value::Date(Day::LAST)),
                    Moment::new(253_402_300_799_999_999).map(Value::Timestamp),
                ],
            ];
            let of = |number: usize| rows.iter().map(move |row| row[number].clone());
            Type::ALL.into_iter().enumerate().map(|(number, kind)| Column::from_values(kind, of(number))).collect()
        };
    }
    COLUMNS.with(|columns| columns.iter().find(|column| column.kind() == kind).cloned()).expect("every type")
}

/// The input bytes; when they are used up, zeros.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn below(&mut self, most: usize) -> usize {
        usize::from(self.byte()) % most
    }

    fn number(&mut self) -> i64 {
        let extreme = [0, 1, -1, i64::MIN, i64::MAX, 1 << 53, -719_163, 253_402_300_800_000_000];
        match self.byte() {
            choice @ 0..128 => extreme[usize::from(choice) % extreme.len()],
            128..192 => i64::from(self.byte().cast_signed()),
            _ => i64::from_le_bytes(std::array::from_fn(|_| self.byte())),
        }
    }

    fn text(&mut self) -> String {
        let length = self.below(24).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    fn value(&mut self, kind: Type) -> Option<Value> {
        match kind {
            Type::Boolean => Some(Value::Boolean(self.byte().is_multiple_of(2))),
            Type::Integer => Some(Value::Integer(self.number())),
            Type::Decimal => Decimal::new(f64::from_bits(self.number().cast_unsigned())).map(Value::Decimal),
            Type::Text => Value::text(&self.text()),
            Type::Date => Day::new(self.number()).map(Value::Date),
            Type::Timestamp => Moment::new(self.number()).map(Value::Timestamp),
        }
    }

    fn operation(&mut self) -> Operation {
        static EXAMPLES: LazyLock<Vec<Vec<Operation>>> = LazyLock::new(Operation::examples);
        let examples = &EXAMPLES[self.below(EXAMPLES.len())];
        match &examples[self.below(examples.len())] {
            Operation::Round(_) => Operation::Round(self.byte().cast_signed()),
            Operation::Trim(_) => Operation::Trim(self.text().into()),
            Operation::Substring { .. } => {
                let length = if self.byte().is_multiple_of(2) { Some(u32::from(self.byte())) } else { None };
                Operation::Substring { skipped: u32::from(self.byte()), length }
            }
            Operation::Like(like) => {
                let escape = [None, Some('!'), Some('%')][self.below(3)];
                let random = Pattern::new(&self.text(), escape, like.ignores_case());
                Operation::Like(random.map_or_else(|_| like.clone(), Box::new))
            }
            other => other.clone(),
        }
    }
}

fn built(instructions: &[u8]) -> (Program, Vec<Id>) {
    let mut bytes = Bytes(instructions);
    let mut program = Program::default();
    let mut ids: Vec<Id> = Vec::new();
    for _ in 0..MOST_INSTRUCTIONS {
        if bytes.0.is_empty() {
            break;
        }
        let made = match bytes.byte() {
            0..48 => {
                let kind = Type::ALL[bytes.below(6)];
                program.input(InputColumn { table: "t".into(), name: bytes.below(2).to_string(), kind })
            }
            48..80 => {
                let kind = Type::ALL[bytes.below(6)];
                match bytes.value(kind) {
                    Some(value) => program.constant(value),
                    None => program.null(kind),
                }
            }
            _ => {
                let operation = bytes.operation();
                let arguments = arguments(&program, &ids, &operation, &mut bytes);
                program.call(operation, &arguments)
            }
        };
        ids.extend(made);
    }
    // An unused node, or else the last one.
    let mut used = BTreeSet::new();
    for (_, node) in program.ids() {
        if let Node::Call(_, arguments) = node {
            used.extend(arguments.iter().copied());
        }
    }
    let mut roots: Vec<Id> = ids.iter().copied().filter(|id| !used.contains(id)).collect();
    roots.extend(ids.last());
    (program, roots)
}

/// Earlier nodes of fitting types, if there are any.
fn arguments(program: &Program, ids: &[Id], operation: &Operation, bytes: &mut Bytes<'_>) -> Vec<Id> {
    let Some(last) = ids.len().checked_sub(1) else { return Vec::new() };
    // From the latest on: the first node with a wanted type.
    let mut find = |wanted: &dyn Fn(Type) -> bool| {
        let from = last - bytes.below(4).min(last);
        let order = (0..=from).rev().chain((from..=last).rev());
        order.map(|place| ids[place]).find(|id| wanted(program.kind(*id)))
    };
    let one_type = |first: Type| move |kind: Type| kind == first;
    let Some(first) = find(&|kind| (1..=2).any(|count| operation.result(&vec![kind; count]).is_some())) else {
        return find(&|_| true)
            .into_iter()
            .flat_map(|value| {
                let flag = ids.iter().copied().find(|id| program.kind(*id) == Type::Boolean).unwrap_or(value);
                [flag, value, value]
            })
            .collect();
    };
    let kind = program.kind(first);
    if operation.result(&[kind]).is_some()
        && !matches!(operation, Operation::Coalesce | Operation::Greatest | Operation::Least)
    {
        return vec![first];
    }
    let second = find(&one_type(kind)).unwrap_or(first);
    vec![first, second]
}

/// The operations of the instructions.
#[allow(dead_code, reason = "the fuzz target has no use for it")]
pub fn operations(instructions: &[u8], mut saw: impl FnMut(&Operation)) {
    for (_, node) in built(instructions).0.ids() {
        if let Node::Call(operation, _) = node {
            saw(operation);
        }
    }
}
