//! The largest possible programs: no stack overflow, no doubling of time or memory.

use deniable_expression::program::{InputColumn, MOST_ARGUMENTS, MOST_NODES};
use deniable_expression::{Column, Comparison, Evaluator, Id, Operation, Program, ProgramError, Type, Value};
use std::time::Instant;

const ROWS: usize = 64;

fn program() -> (Program, Vec<Id>) {
    let column = |kind: Type| InputColumn { table: "t".into(), name: kind.name().into(), kind };
    let mut program = Program::new(Type::ALL.map(column).to_vec());
    let ids = (0..Type::ALL.len()).map(|position| program.column(position).unwrap()).collect();
    (program, ids)
}

fn inputs(program: &Program) -> Vec<Option<Column>> {
    let texts = ["a text that is longer than a view holds", "short", "", " and this one is longer as well "];
    let column = |input: &InputColumn| {
        let value = |row: usize| match input.kind {
            Type::Boolean => Some(Value::Boolean(row.is_multiple_of(2))),
            Type::Integer => Some(Value::Integer(row as i64 - 7)),
            Type::Text => Value::text(texts[row % texts.len()]).filter(|_| !row.is_multiple_of(5)),
            _ => None,
        };
        Column::from_values(input.kind, (0..ROWS).map(value))
    };
    program.columns().iter().map(|input| Some(column(input))).collect()
}

/// Applies every function of a program on a thread with a small stack, in little time.
fn all_of(program: Program, root: Id) {
    let work = move || {
        let begin = Instant::now();
        let bytes = program.canonical(&[root]);
        let (read, roots) = Program::from_canonical(&bytes).unwrap();
        assert_eq!(read.canonical(&roots), bytes);
        assert!(program.words(root, 1_000).chars().count() <= 1_001);
        assert!(program.reached(&[root])[root.position()]);
        let mut evaluator = Evaluator::new(&program, &[root]);
        let inputs = inputs(&program);
        let whole = evaluator.evaluate(ROWS, &inputs);
        let first = evaluator
            .evaluate(1, &inputs.iter().map(|input| input.as_ref().map(|i| i.slice(0, 1))).collect::<Vec<_>>());
        assert!(whole[0].slice(0, 1).same_as(&first[0]));
        drop(evaluator.clone());
        assert!(begin.elapsed().as_secs() < 120, "{:?}", begin.elapsed());
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn deepest_programs() {
    let (mut program, ids) = program();
    let mut id = ids[0];
    while let Ok(next) = program.call(Operation::Not, &[id]) {
        id = next;
    }
    assert_eq!(program.nodes().len(), MOST_NODES);
    assert_eq!(program.call(Operation::IsNull, &[id]), Err(ProgramError::TooLarge));
    all_of(program, id);
    let (mut program, ids) = self::program();
    let mut id = ids[1];
    // Casts that are not displayed.
    while let Ok(next) = program.call(Operation::Cast(Type::Decimal), &[id]) {
        let Ok(next) = program.call(Operation::Cast(Type::Integer), &[next]) else { break };
        id = next;
    }
    all_of(program, id);
}

#[test]
fn chains_that_use_each_node_twice() {
    let (program, ids) = program();
    let [flag, number, _, text, ..] = ids[..] else { panic!() };
    type Link = fn(&mut Program, Id, Id, Id) -> Result<Id, ProgramError>;
    let links: [(Id, Link); 7] = [
        (text, |p, _, id, first| p.call(Operation::Coalesce, &[id, first, id])),
        (text, |p, flag, id, _| {
            let turned = p.call(Operation::Not, &[flag])?;
            let trimmed = p.call(Operation::Trim("x ".into()), &[id])?;
            let first = p.call(Operation::Case, &[flag, id, trimmed])?;
            p.call(Operation::Case, &[turned, first, id])
        }),
        (text, |p, _, id, _| {
            let less = p.call(Operation::Trim("at".into()), &[id])?;
            p.call(Operation::Greatest, &[id, less, id])
        }),
        (text, |p, _, id, _| {
            let same = p.call(Operation::Compare(Comparison::Equal), &[id, id])?;
            let text = p.call(Operation::Cast(Type::Text), &[same])?;
            p.call(Operation::NullIf, &[id, text])
        }),
        (number, |p, _, id, _| p.call(Operation::Multiply, &[id, id])),
        (number, |p, flag, id, first| p.call(Operation::Case, &[flag, id, flag, first, id])),
        (flag, |p, flag, id, _| {
            let both = p.call(Operation::And, &[id, id])?;
            p.call(Operation::Or, &[both, flag])
        }),
    ];
    for (begin, link) in links {
        let mut program = program.clone();
        let mut id = begin;
        while let Ok(next) = link(&mut program, flag, id, begin) {
            if next == id {
                break;
            }
            id = next;
        }
        all_of(program, id);
    }
}

#[test]
fn widest_programs() {
    let (mut program, ids) = program();
    let constants = (0..MOST_ARGUMENTS as i64).map(|number| program.constant(Value::Integer(3 * number)).unwrap());
    let mut arguments: Vec<Id> = constants.collect();
    arguments[0] = ids[1];
    let found = program.call(Operation::In, &arguments).unwrap();
    let largest = program.call(Operation::Greatest, &arguments).unwrap();
    let pairs = [[found, largest].repeat(MOST_ARGUMENTS / 2 - 1), vec![ids[1]]].concat();
    let case = program.call(Operation::Case, &pairs).unwrap();
    let long = [arguments.as_slice(), &[ids[1]]].concat();
    assert_eq!(program.call(Operation::In, &long), Err(ProgramError::TooLarge));
    all_of(program, case);
}

/// Blocks of rows, and long texts that many rows share.
#[test]
fn many_rows_of_many_steps() {
    let (mut program, ids) = program();
    let constant = program.constant(Value::text(&"ß".repeat(1 << 15)).unwrap()).unwrap();
    let other = program.constant(Value::text("other").unwrap()).unwrap();
    let mut texts = Vec::new();
    for number in 0..12 {
        // The same long text in half of the rows, in upper case.
        let number = program.constant(Value::Integer(number)).unwrap();
        let flag = program.call(Operation::Compare(Comparison::Less), &[number, ids[1]]).unwrap();
        let text = program.call(Operation::Case, &[flag, constant, other]).unwrap();
        texts.push(program.call(Operation::Upper, &[text]).unwrap());
    }
    let mut root = program.call(Operation::Greatest, &texts).unwrap();
    let mut number = ids[1];
    while program.nodes().len() < MOST_NODES - 2 {
        number = program.call(Operation::Add, &[number, ids[1]]).unwrap();
    }
    let number = program.call(Operation::Cast(Type::Text), &[number]).unwrap();
    root = program.call(Operation::Least, &[root, number]).unwrap();
    let rows = 3_000;
    let value = |row: usize| Some(Value::Integer(row as i64 % 80 - 20));
    let inputs = |from: usize, count: usize| {
        vec![None, Some(Column::from_values(Type::Integer, (from..from + count).map(value)))]
    };
    let mut evaluator = Evaluator::new(&program, &[root, ids[1], ids[0]]);
    let whole = evaluator.evaluate(rows, &inputs(0, rows));
    assert!(whole.iter().all(|column| column.len() == rows));
    for from in [0, 19, 20, 21, 79, 1_047, 1_048, 1_049, 2_999] {
        for (one, whole) in evaluator.evaluate(1, &inputs(from, 1)).iter().zip(&whole) {
            assert!(one.same_as(&whole.slice(from, 1)), "{from}");
        }
    }
    // A column of another length is NULL in every block.
    assert!(evaluator.evaluate(rows, &inputs(0, 1_048))[1].same_as(&Column::nulls(Type::Integer, rows)));
}
