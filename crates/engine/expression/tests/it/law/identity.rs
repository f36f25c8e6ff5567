//! Canonical bytes are equal exactly when expressions are equal as trees, whatever their display.

use super::dice::Dice;
use super::trees::{COLUMNS_OF_A_TYPE, Tree, add, columns, tree};
use super::values::{column, value};
use deniable_expression::program::InputColumn;
use deniable_expression::{Column, Evaluator, Id, Operation, Pattern, Program, Type};
use deniable_testing::sized;

fn kind(tree: &Tree) -> Type {
    match tree {
        Tree::Column(column) => Type::ALL[column / COLUMNS_OF_A_TYPE],
        Tree::Constant(kind, _) => *kind,
        Tree::Call(operation, arguments) => operation.result(&arguments.iter().map(kind).collect::<Vec<_>>()).unwrap(),
    }
}

/// Another tree of the same type, or an equal tree.
fn changed(dice: &mut Dice, old: &Tree) -> Tree {
    match old {
        Tree::Call(operation, arguments) if !dice.once_in(3) => {
            let mut arguments = arguments.clone();
            let number = dice.below(arguments.len());
            match dice.below(4) {
                // The same types in another order.
                0 => {
                    let other = dice.below(arguments.len());
                    if kind(&arguments[number]) == kind(&arguments[other]) {
                        arguments.swap(number, other);
                    }
                    Tree::Call(operation.clone(), arguments)
                }
                // Another operation on the same arguments.
                1 => {
                    let operation = match operation {
                        Operation::And => Operation::Or,
                        Operation::Greatest => Operation::Least,
                        Operation::Add => Operation::Subtract,
                        Operation::Round(digits) => Operation::Round(-digits),
                        Operation::Trim(_) => Operation::Trim(" a".into()),
                        Operation::Substring { skipped, length } => Operation::Substring {
                            skipped: *skipped,
                            length: if length.is_none() { Some(*skipped) } else { None },
                        },
                        Operation::Like(pattern) => {
                            let escape = Some(pattern.escape());
                            let other = Pattern::new(pattern.text(), escape, !pattern.ignores_case());
                            Operation::Like(Box::new(other.unwrap()))
                        }
                        other => other.clone(),
                    };
                    Tree::Call(operation, arguments)
                }
                _ => {
                    arguments[number] = changed(dice, &arguments[number]);
                    Tree::Call(operation.clone(), arguments)
                }
            }
        }
        Tree::Call(Operation::Not, arguments) if dice.once_in(2) => arguments[0].clone(),
        other => match dice.below(3) {
            0 => Tree::Constant(kind(other), value(dice, kind(other), 1_000)),
            1 => tree(dice, kind(other), 1, 1_000),
            _ => other.clone(),
        },
    }
}

/// A program whose columns are in another order, and which contains more nodes than needed.
fn built(dice: &mut Dice, trees: &[&Tree]) -> (Program, Vec<Id>) {
    let mut columns: Vec<(usize, InputColumn)> = columns().into_iter().enumerate().collect();
    for number in (1..columns.len()).rev() {
        columns.swap(number, dice.below(number + 1));
    }
    let mut places = vec![0; columns.len()];
    for (place, (column, _)) in columns.iter().enumerate() {
        places[*column] = place;
    }
    let mut program = Program::new(columns.into_iter().map(|(_, column)| column).collect());
    for _ in 0..dice.below(3) {
        let more = some_tree(dice);
        add(&mut program, &more, &|column| places[column]);
    }
    let roots = trees.iter().map(|tree| add(&mut program, tree, &|column| places[column])).collect();
    (program, roots)
}

fn dice_kind(dice: &mut Dice) -> &'static Type {
    &Type::ALL[dice.below(Type::ALL.len())]
}

#[test]
fn bytes_are_equal_exactly_when_trees_are() {
    let mut dice = Dice::new(16);
    let (mut equal, all) = (0, sized(30_000, 300_000));
    for _ in 0..all {
        let (kind, depth) = (*dice_kind(&mut dice), dice.below(4));
        let first = tree(&mut dice, kind, depth, 1_000);
        let second = match dice.below(4) {
            0 => tree(&mut dice, kind, depth, 1_000),
            1 => first.clone(),
            _ => changed(&mut dice, &first),
        };
        let ((one, one_id), (two, two_id)) = (built(&mut dice, &[&first]), built(&mut dice, &[&second]));
        let (one, two) = (one.canonical(&one_id), two.canonical(&two_id));
        assert_eq!(one == two, first == second, "{first:?}\n{second:?}");
        equal += usize::from(first == second);
        // Several expressions at once, in their order.
        let (both, ids) = built(&mut dice, &[&first, &second]);
        let (again, again_ids) = built(&mut dice, &[&first, &second]);
        assert_eq!(both.canonical(&ids), again.canonical(&again_ids));
        let (turned, turned_ids) = built(&mut dice, &[&second, &first]);
        assert_eq!(both.canonical(&ids) == turned.canonical(&turned_ids), first == second);
        assert_ne!(both.canonical(&ids), one);
    }
    assert!(equal > all / 4 && equal < all * 3 / 4, "{equal} of {all}");
}

#[test]
fn expressions_are_parsed_from_their_bytes() {
    let mut dice = Dice::new(17);
    for _ in 0..sized(5_000, 50_000) {
        let trees: Vec<Tree> = (0..1 + dice.below(3)).map(|_| some_tree(&mut dice)).collect();
        let (program, roots) = built(&mut dice, &trees.iter().collect::<Vec<_>>());
        let bytes = program.canonical(&roots);
        let (read, read_roots) = Program::from_canonical(&bytes).unwrap();
        assert_eq!(read.canonical(&read_roots), bytes);
        let rows = 4;
        let inputs: Vec<Column> =
            program.columns().iter().map(|input| column(&mut dice, input.kind, rows, 1_000)).collect();
        let found_again = read.columns().iter().map(|input| {
            let place = program.columns().iter().position(|other| other == input).unwrap();
            Some(inputs[place].clone())
        });
        let found_again: Vec<Option<Column>> = found_again.collect();
        let inputs: Vec<Option<Column>> = inputs.into_iter().map(Some).collect();
        let expected = Evaluator::new(&program, &roots).evaluate(rows, &inputs);
        let found = Evaluator::new(&read, &read_roots).evaluate(rows, &found_again);
        assert!(found.iter().zip(&expected).all(|(found, expected)| found.same_as(expected)));
        for (one, two) in roots.iter().zip(&read_roots) {
            assert_eq!(program.words(*one, 500), read.words(*two, 500));
        }
    }
}

/// Names and texts that would be equal if they were only concatenated.
#[test]
fn adjacent_names_are_distinguished() {
    let names = ["", "a", "b", "ab", "\0", "a\0", "\") OR t.note = Utf8(\"", "'", "a', 'b", "\u{1}\0\0\0"];
    let mut known: Vec<(Vec<u8>, String)> = Vec::new();
    let mut meet = |bytes: Vec<u8>, what: String| {
        if let Some((_, other)) = known.iter().find(|(known, _)| *known == bytes) {
            panic!("{what} and {other}");
        }
        known.push((bytes, what));
    };
    for table in names {
        for name in names {
            for kind in Type::ALL {
                let column = InputColumn { table: table.into(), name: name.into(), kind };
                let mut program = Program::new(vec![column]);
                let id = program.column(0).unwrap();
                meet(program.canonical(&[id]), format!("{table:?}.{name:?} {kind}"));
            }
            let mut program = Program::default();
            let text = |program: &mut Program, text| {
                program.constant(deniable_expression::Value::text(text).unwrap()).unwrap()
            };
            let (one, two) = (text(&mut program, table), text(&mut program, name));
            let both = program.call(Operation::NullIf, &[one, two]).unwrap();
            meet(program.canonical(&[both]), format!("NULLIF {table:?} {name:?}"));
            let trimmed = program.call(Operation::Trim(name.into()), &[one]).unwrap();
            meet(program.canonical(&[trimmed]), format!("BTRIM {table:?} {name:?}"));
        }
    }
}

fn some_tree(dice: &mut Dice) -> Tree {
    let kind = *dice_kind(dice);
    tree(dice, kind, 3, 1_000)
}
