//! Random typed trees over every operation and every combination of types that it takes.

use super::dice::Dice;
use super::values::{letters, value};
use deniable_expression::program::InputColumn;
use deniable_expression::{Id, Operation, Pattern, Program, Type, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Columns of each type.
pub const COLUMNS_OF_A_TYPE: usize = 2;

/// An expression as a tree, without sharing. Equality is that of trees, by derivation.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    Column(usize),
    Constant(Type, Option<Value>),
    Call(Operation, Vec<Tree>),
}

/// An operation with the types of its arguments.
pub struct Form {
    pub operation: Operation,
    pub types: Vec<Type>,
    /// The name under which it is counted: patterns and sets of characters are one kind each.
    pub name: String,
}

/// All forms of up to four arguments, and CASE with two conditions, by the type of their result and the operation.
static FORMS: LazyLock<BTreeMap<Type, Vec<Vec<Form>>>> = LazyLock::new(|| {
    // Operations of many forms are chosen more often, casts most of all, since they connect types.
    let families = Operation::examples().into_iter().flat_map(|family| {
        let times = match family[0] {
            Operation::Compare(_) => 3,
            Operation::Round(_) => 2,
            Operation::Cast(_) => 4,
            _ => 1,
        };
        std::iter::repeat_n(family, times)
    });
    let mut lists: Vec<Vec<Type>> = vec![vec![]];
    let mut begin = 0;
    for _ in 0..4 {
        let end = lists.len();
        for number in begin..end {
            for kind in Type::ALL {
                let longer = [lists[number].as_slice(), &[kind]].concat();
                lists.push(longer);
            }
        }
        begin = end;
    }
    for kind in Type::ALL {
        lists.push(vec![Type::Boolean, kind, Type::Boolean, kind, kind]);
    }
    let mut forms: BTreeMap<Type, Vec<Vec<Form>>> = BTreeMap::new();
    for family in families {
        let mut by_result: BTreeMap<Type, Vec<Form>> = BTreeMap::new();
        for operation in &family {
            for types in &lists {
                if let Some(kind) = operation.result(types) {
                    let name = match operation {
                        Operation::Compare(_) | Operation::Round(_) | Operation::Truncate(_) | Operation::Part(_) => {
                            format!("{operation:?} {types:?}")
                        }
                        _ => {
                            format!("{} {types:?}", operation.name()) + if kind == types[0] { "" } else { kind.name() }
                        }
                    };
                    let form = Form { operation: operation.clone(), types: types.clone(), name };
                    by_result.entry(kind).or_default().push(form);
                }
            }
        }
        for (kind, found) in by_result {
            forms.entry(kind).or_default().push(found);
        }
    }
    forms
});

/// The names of all forms.
pub fn all_forms() -> impl Iterator<Item = &'static Form> {
    FORMS.values().flatten().flatten()
}

/// The name under which a call is counted.
pub fn form_name(operation: &Operation, types: &[Type]) -> String {
    static NAMES: LazyLock<BTreeMap<String, &'static str>> =
        LazyLock::new(|| all_forms().map(|form| (key(&form.operation, &form.types), form.name.as_str())).collect());
    NAMES.get(&key(operation, types)).copied().unwrap_or_default().to_owned()
}

fn key(operation: &Operation, types: &[Type]) -> String {
    match operation {
        Operation::Like(pattern) => format!("like {}", pattern.ignores_case()),
        Operation::Trim(_) => "trim".to_owned(),
        Operation::Substring { .. } => "substr".to_owned(),
        other => format!("{other:?} {types:?}"),
    }
}

/// The columns that trees read.
pub fn columns() -> Vec<InputColumn> {
    let of_a_type = |kind: Type| {
        let column = move |number| InputColumn { table: "t".into(), name: format!("{}_{number}", kind.name()), kind };
        (0..COLUMNS_OF_A_TYPE).map(column)
    };
    Type::ALL.into_iter().flat_map(of_a_type).collect()
}

fn pattern(dice: &mut Dice, ignore_case: bool) -> Pattern {
    let (escape, most) = (*dice.pick(&[None, None, Some('!'), Some('%'), Some('a')]), *dice.pick(&[3, 6, 6, 60]));
    let text = match dice.below(20) {
        0 => "_".repeat(200),
        1 => format!("{}_", "k".repeat(199)),
        2 => "%a".repeat(100),
        3 => format!("%{}b", "a".repeat(100)),
        _ => letters(dice, most),
    };
    Pattern::new(&text, escape, ignore_case).unwrap_or_else(|_| Pattern::new("%", None, ignore_case).unwrap())
}

/// The operation with a random pattern, set of characters, or position.
pub fn with_random_words(dice: &mut Dice, operation: &Operation) -> Operation {
    match operation {
        Operation::Like(like) => Operation::Like(Box::new(pattern(dice, like.ignores_case()))),
        Operation::Trim(_) if dice.once_in(2) => Operation::Trim(" ".into()),
        Operation::Trim(_) => Operation::Trim(letters(dice, 6).into()),
        Operation::Substring { .. } => {
            let mut number = || *dice.pick(&[0, 1, 2, 3, 11, 12, 13, 40, u32::MAX]);
            let (skipped, length) = (number(), number());
            Operation::Substring { skipped, length: if dice.once_in(3) { None } else { Some(length) } }
        }
        other => other.clone(),
    }
}

/// A tree with values of this type. Texts are long with probability `1 / rare`.
pub fn tree(dice: &mut Dice, kind: Type, depth: usize, rare: usize) -> Tree {
    if depth == 0 || dice.once_in(8) {
        return if dice.once_in(3) {
            Tree::Constant(kind, value(dice, kind, rare))
        } else {
            let first = Type::ALL.iter().position(|other| *other == kind).unwrap() * COLUMNS_OF_A_TYPE;
            Tree::Column(first + dice.below(COLUMNS_OF_A_TYPE))
        };
    }
    let family = dice.pick(&FORMS[&kind]);
    let form = dice.pick(family);
    let operation = with_random_words(dice, &form.operation);
    // Long lists, sometimes of constants only.
    let mut types = form.types.clone();
    if matches!(operation, Operation::In | Operation::Coalesce | Operation::Greatest) && dice.once_in(8) {
        types.extend(std::iter::repeat_n(types[0], 8 + dice.below(12)));
        let rest = types[1..].iter().map(|kind| Tree::Constant(*kind, value(dice, *kind, rare))).collect::<Vec<_>>();
        return Tree::Call(operation, [vec![tree(dice, types[0], depth - 1, rare)], rest].concat());
    }
    let arguments = types.iter().map(|kind| tree(dice, *kind, depth - 1, rare));
    Tree::Call(operation, arguments.collect())
}

/// Adds the tree to a program; `place` maps the tree's columns to those of the program.
pub fn add(program: &mut Program, tree: &Tree, place: &impl Fn(usize) -> usize) -> Id {
    match tree {
        Tree::Column(column) => program.column(place(*column)).unwrap(),
        Tree::Constant(kind, None) => program.null(*kind).unwrap(),
        Tree::Constant(_, Some(value)) => program.constant(value.clone()).unwrap(),
        Tree::Call(operation, arguments) => {
            let arguments: Vec<Id> = arguments.iter().map(|argument| add(program, argument, place)).collect();
            program.call(operation.clone(), &arguments).unwrap()
        }
    }
}
