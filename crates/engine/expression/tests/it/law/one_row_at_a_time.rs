//! Evaluating a table equals evaluating its rows one at a time, bit for bit, for any split and any order of the rows.

use super::dice::Dice;
use super::trees::{COLUMNS_OF_A_TYPE, Tree, add, all_forms, columns, form_name, tree, with_random_words};
use super::values::column;
use arrow_array::UInt32Array;
use deniable_expression::{Column, Evaluator, Id, Node, Operation, Program, Type};
use deniable_testing::{sized, sized_to_slow};
use std::collections::{HashMap, HashSet};
use std::mem::discriminant;

const ROOTS: usize = 8;
const MOST_ROWS: usize = 7;

/// Expressions and a table. Failures are reported with their seed.
struct Case {
    seed: u64,
    program: Program,
    roots: Vec<Id>,
    rows: usize,
    inputs: Vec<Column>,
    dice: Dice,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let mut program = Program::new(columns());
        // Texts of 65,536 bytes take time, and twelve columns contain some.
        let rare = if dice.once_in(60) { 10 } else { 100_000 };
        let depth = 1 + dice.below(4);
        let roots = (0..ROOTS).map(|_| {
            let kind = *dice.pick(&Type::ALL);
            let tree: Tree = tree(&mut dice, kind, depth, rare);
            add(&mut program, &tree, &|column| column)
        });
        let mut roots: Vec<Id> = roots.collect();
        if rare < 100 {
            roots.extend(of_long_texts(&mut program, &mut dice));
        }
        let rows = 2 + dice.below(MOST_ROWS - 1);
        let inputs = program.columns().iter().map(|input| column(&mut dice, input.kind, rows, rare));
        let inputs = inputs.collect();
        Self { seed, program, roots, rows, inputs, dice }
    }

    fn check(mut self, counts: &mut HashMap<String, usize>) {
        let inputs = |change: &dyn Fn(&Column) -> Column| -> Vec<Option<Column>> {
            self.inputs.iter().map(|column| Some(change(column))).collect()
        };
        let mut evaluator = Evaluator::new(&self.program, &self.roots);
        let whole = evaluator.evaluate(self.rows, &inputs(&Column::clone));
        assert_eq!(whole.len(), self.roots.len());
        for (column, root) in whole.iter().zip(&self.roots) {
            assert_eq!((column.kind(), column.len()), (self.program.kind(*root), self.rows), "seed {}", self.seed);
            // Results are valid for their type: in range, without -0, not too long.
            assert!(column.clone().checked().same_as(column), "seed {}: {column:?}", self.seed);
        }
        let same = |found: &[Column], expected: &dyn Fn(&Column) -> Column, how: &str| {
            for ((found, whole), root) in found.iter().zip(&whole).zip(&self.roots) {
                let expected = expected(whole);
                assert!(
                    found.same_as(&expected),
                    "seed {}, {how}: {}\nfound {found:?}\nexpected {expected:?}",
                    self.seed,
                    self.program.words(*root, 2_000)
                );
            }
        };
        for row in 0..self.rows {
            let cut = |column: &Column| column.slice(row, 1);
            same(&evaluator.evaluate(1, &inputs(&cut)), &cut, &format!("row {row} alone"));
        }
        // A new evaluator has not computed constants yet.
        let mut evaluator = Evaluator::new(&self.program, &self.roots);
        let middle = self.dice.below(self.rows + 1);
        for (from, count) in [(0, middle), (middle, self.rows - middle)] {
            let cut = |column: &Column| column.slice(from, count);
            same(&evaluator.evaluate(count, &inputs(&cut)), &cut, &format!("rows {from}..{}", from + count));
        }
        // Other rows, in another order, do not change the values.
        let order: UInt32Array = (0..2 * self.rows).map(|_| Some(self.dice.below(self.rows) as u32)).collect();
        let mixed = |column: &Column| column.take(&order);
        same(&evaluator.evaluate(order.len(), &inputs(&mixed)), &mixed, &format!("in the order {order:?}"));
        // Other expressions do not change the values.
        let number = self.dice.below(self.roots.len());
        let alone =
            Evaluator::new(&self.program, &self.roots[number..=number]).evaluate(self.rows, &inputs(&Column::clone));
        assert!(alone[0].same_as(&whole[number]), "seed {}, root {number} alone", self.seed);
        for (id, node) in self.program.ids() {
            if let Node::Call(operation, arguments) = node {
                let types: Vec<Type> = arguments.iter().map(|id| self.program.kind(*id)).collect();
                assert!(operation.result(&types) == Some(self.program.kind(id)));
                *counts.entry(form_name(operation, &types)).or_default() += 1;
            }
        }
    }
}

/// Operations on every text column: results may be too long, and patterns take long.
fn of_long_texts(program: &mut Program, dice: &mut Dice) -> Vec<Id> {
    let texts = (0..program.columns().len()).filter(|column| program.columns()[*column].kind == Type::Text);
    let mut roots = Vec::new();
    for column in texts.collect::<Vec<_>>() {
        let text = program.column(column).unwrap();
        for form in all_forms().filter(|form| form.types == [Type::Text]) {
            let operation = with_random_words(dice, &form.operation);
            roots.push(program.call(operation, &[text]).unwrap());
        }
    }
    roots
}

/// 5·10^4 trees, eight for each table; 4·10^5 at full scale, and 10^6 in `scripts/slow`.
#[test]
fn a_table_equals_its_rows() {
    let programs = sized_to_slow(50_000 / ROOTS, 400_000 / ROOTS, 1_000_000 / ROOTS) as u64;
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let counts = std::thread::scope(|scope| {
        let part = |thread: u64| {
            move || {
                let mut counts = HashMap::new();
                for seed in (thread..programs).step_by(threads as usize) {
                    Case::new(seed).check(&mut counts);
                }
                counts
            }
        };
        let parts: Vec<_> = (0..threads).map(|thread| scope.spawn(part(thread))).collect();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for part in parts {
            for (name, count) in part.join().unwrap() {
                *counts.entry(name).or_default() += count;
            }
        }
        counts
    });
    let mut fewest: Vec<(usize, &str)> =
        all_forms().map(|form| (counts.get(&form.name).copied().unwrap_or_default(), form.name.as_str())).collect();
    fewest.sort_unstable();
    println!("{} forms of operations; fewest: {:?}", fewest.len(), &fewest[..5]);
    assert!(fewest.len() > 200);
    assert!(fewest[0].0 >= sized(40, 100), "{:?}", &fewest[..20]);
}

/// An operation that always gives NULL would satisfy the law.
#[test]
fn every_operation_gives_values() {
    const ROWS: usize = 1_000;
    let mut dice = Dice::new(64);
    let program = Program::new(columns());
    let inputs: Vec<Option<Column>> =
        program.columns().iter().map(|input| Some(column(&mut dice, input.kind, ROWS, 100_000))).collect();
    let mut with_values = HashSet::new();
    for form in all_forms() {
        let mut program = program.clone();
        let place = |kind: &Type| Type::ALL.iter().position(|other| other == kind).unwrap() * COLUMNS_OF_A_TYPE;
        let argument = |(at, kind): (usize, &Type)| program.column(place(kind) + at % COLUMNS_OF_A_TYPE).unwrap();
        let arguments: Vec<Id> = form.types.iter().enumerate().map(argument).collect();
        let root = program.call(form.operation.clone(), &arguments).unwrap();
        let found = Evaluator::new(&program, &[root]).evaluate(ROWS, &inputs).remove(0);
        if (0..ROWS).any(|row| found.value(row).is_some()) {
            with_values.insert(discriminant(&form.operation));
        }
    }
    for examples in Operation::examples() {
        assert!(with_values.contains(&discriminant(&examples[0])), "{} is NULL of everything", examples[0].name());
    }
}
