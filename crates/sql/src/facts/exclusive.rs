//! Conditions that no row meets two of, by construction (C-2f).
//!
//! Both are evaluated at every place that one value can have among the constants it is compared with: at each of them, in each gap between
//! two, and where it is missing. What else a condition depends on may be anything. Where nowhere both can be true, they exclude each other.
//! The value is the same node of the program in both, casts included, and the order of the constants is that of the comparison that is
//! executed: whatever rows hold, a value has exactly one of these places.

use deniable_expression::{Comparison, Id, Node, Operation, Program, Type, Value};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Most constants that a value is looked at between.
const MOST_CONSTANTS: usize = 256;

/// Whether no row can meet all of these conditions and all of those.
pub(crate) fn exclude(program: &Program, these: &[Id], those: &[Id]) -> bool {
    let of = |conditions: &[Id]| conditions.iter().flat_map(|id| subjects(program, *id)).collect::<BTreeSet<Id>>();
    let (ours, theirs) = (of(these), of(those));
    ours.intersection(&theirs).any(|subject| {
        let both = || these.iter().chain(those);
        let mut constants: Vec<Value> = both().flat_map(|id| constants(program, *id, *subject)).collect();
        constants.sort_by(|left, right| order(left, right).unwrap_or(Ordering::Equal));
        constants.dedup();
        let ordered = constants.windows(2).all(|pair| order(&pair[0], &pair[1]) == Some(Ordering::Less));
        if !ordered || constants.len() > MOST_CONSTANTS {
            return false;
        }
        let met = |conditions: &[Id], place: Place| {
            conditions.iter().all(|id| truths(program, *id, *subject, &constants, place).contains(Truths::TRUE))
        };
        places(program.kind(*subject), &constants).into_iter().all(|place| !(met(these, place) && met(those, place)))
    })
}

/// Where a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Missing,
    /// At the constant of this position.
    At(usize),
    /// Below the constant of this position and above the one before.
    Below(usize),
    /// What is true or false itself.
    Truth(bool),
}

fn places(kind: Type, constants: &[Value]) -> Vec<Place> {
    if kind == Type::Boolean {
        return vec![Place::Missing, Place::Truth(false), Place::Truth(true)];
    }
    let is_empty = |gap: usize| match (gap.checked_sub(1).and_then(|before| constants.get(before)), constants.get(gap))
    {
        // Between neighbours there is none.
        (Some(Value::Integer(low)), Some(Value::Integer(high))) => low.checked_add(1) == Some(*high),
        _ => false,
    };
    let gaps = (0..=constants.len()).filter(|gap| !is_empty(*gap)).map(Place::Below);
    std::iter::once(Place::Missing).chain((0..constants.len()).map(Place::At)).chain(gaps).collect()
}

/// The order of the comparison that is executed: of decimals that of their bits, of texts that of their bytes.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    Some(match (left, right) {
        (Value::Boolean(left), Value::Boolean(right)) => left.cmp(right),
        (Value::Integer(left), Value::Integer(right)) => left.cmp(right),
        (Value::Decimal(left), Value::Decimal(right)) => left.get().total_cmp(&right.get()),
        (Value::Text(left), Value::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::Date(left), Value::Date(right)) => left.cmp(right),
        (Value::Timestamp(left), Value::Timestamp(right)) => left.cmp(right),
        _ => return None,
    })
}

/// What a condition asks of a value: how it compares with a constant.
struct Asked<'a> {
    subject: Id,
    comparison: Comparison,
    constant: &'a Value,
}

fn asked<'a>(program: &'a Program, comparison: Comparison, left: Id, right: Id) -> Option<Asked<'a>> {
    let constant = |id| program.constant_of(id).flatten();
    match (constant(left), constant(right)) {
        (None, Some(constant)) => Some(Asked { subject: left, comparison, constant }),
        (Some(constant), None) => {
            let turned = match comparison {
                Comparison::Less => Comparison::Greater,
                Comparison::LessOrEqual => Comparison::GreaterOrEqual,
                Comparison::Greater => Comparison::Less,
                Comparison::GreaterOrEqual => Comparison::LessOrEqual,
                Comparison::Equal | Comparison::NotEqual | Comparison::Distinct | Comparison::NotDistinct => comparison,
            };
            Some(Asked { subject: right, comparison: turned, constant })
        }
        _ => None,
    }
}

/// The values that a condition depends on.
fn subjects(program: &Program, condition: Id) -> Vec<Id> {
    let Node::Call(operation, arguments) = program.node(condition) else { return vec![condition] };
    match (operation, arguments.as_slice()) {
        // What is joined is one value as well: it and its opposite exclude each other, whatever it is made of.
        (Operation::And | Operation::Or | Operation::Not | Operation::IsTrue, all) => {
            std::iter::once(condition).chain(all.iter().flat_map(|id| subjects(program, *id))).collect()
        }
        (Operation::IsNull, [value]) | (Operation::In, [value, ..]) => vec![*value],
        (Operation::Compare(comparison), [left, right]) => {
            asked(program, *comparison, *left, *right).map_or_else(|| vec![condition], |asked| vec![asked.subject])
        }
        _ => vec![condition],
    }
}

/// The constants that a condition compares a value with.
fn constants(program: &Program, condition: Id, subject: Id) -> Vec<Value> {
    let Node::Call(operation, arguments) = program.node(condition) else { return Vec::new() };
    match (operation, arguments.as_slice()) {
        (Operation::And | Operation::Or | Operation::Not | Operation::IsTrue, all) => {
            all.iter().flat_map(|id| constants(program, *id, subject)).collect()
        }
        (Operation::In, [value, list @ ..]) if *value == subject => {
            list.iter().filter_map(|id| program.constant_of(*id).flatten().cloned()).collect()
        }
        (Operation::Compare(comparison), [left, right]) => {
            let asked = asked(program, *comparison, *left, *right).filter(|asked| asked.subject == subject);
            asked.map(|asked| asked.constant.clone()).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// What a condition may be: true, false, NULL, or one of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Truths(u8);

const EACH: [Truths; 3] = [Truths::TRUE, Truths::FALSE, Truths::NULL];

impl Truths {
    const TRUE: Self = Self(1);
    const FALSE: Self = Self(2);
    const NULL: Self = Self(4);
    const ANY: Self = Self(7);

    fn of(truth: bool) -> Self {
        if truth { Self::TRUE } else { Self::FALSE }
    }

    fn contains(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn or_also(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Every value that both together may have, one from each.
    fn with(self, other: Self, both: fn(Self, Self) -> Self) -> Self {
        let pairs = EACH.into_iter().flat_map(|left| EACH.into_iter().map(move |right| (left, right)));
        let possible = pairs.filter(|(left, right)| self.contains(*left) && other.contains(*right));
        possible.fold(Self(0), |all, (left, right)| all.or_also(both(left, right)))
    }

    /// What becomes of each of them.
    fn map(self, map: fn(Self) -> Self) -> Self {
        let each = EACH.into_iter().filter(|one| self.contains(*one));
        each.fold(Self(0), |all, one| all.or_also(map(one)))
    }
}

/// What a condition may be where the subject has this place.
fn truths(program: &Program, condition: Id, subject: Id, constants: &[Value], place: Place) -> Truths {
    if condition == subject {
        return match place {
            Place::Missing => Truths::NULL,
            Place::Truth(truth) => Truths::of(truth),
            Place::At(_) | Place::Below(_) => Truths::ANY,
        };
    }
    let Node::Call(operation, arguments) = program.node(condition) else { return Truths::ANY };
    let inner = |id: &Id| truths(program, *id, subject, constants, place);
    match (operation, arguments.as_slice()) {
        (Operation::And, all) => all.iter().map(inner).fold(Truths::TRUE, |left, right| left.with(right, and)),
        (Operation::Or, all) => all.iter().map(inner).fold(Truths::FALSE, |left, right| left.with(right, or)),
        (Operation::Not, [only]) => inner(only).map(not),
        (Operation::IsTrue, [only]) => inner(only).map(|truth| Truths::of(truth == Truths::TRUE)),
        (Operation::IsNull, [value]) if *value == subject => Truths::of(place == Place::Missing),
        (Operation::In, [value, list @ ..]) if *value == subject => {
            let each = list.iter().map(|id| match program.constant_of(*id) {
                Some(Some(constant)) => compared(Comparison::Equal, constant, constants, place),
                Some(None) => Truths::NULL,
                None => Truths::ANY,
            });
            each.fold(Truths::FALSE, |left, right| left.with(right, or))
        }
        (Operation::Compare(comparison), [left, right]) => match asked(program, *comparison, *left, *right) {
            Some(asked) if asked.subject == subject => compared(asked.comparison, asked.constant, constants, place),
            _ => Truths::ANY,
        },
        _ => Truths::ANY,
    }
}

/// How a value at this place compares with a constant.
fn compared(comparison: Comparison, constant: &Value, constants: &[Value], place: Place) -> Truths {
    let Some(position) = constants.iter().position(|known| known == constant) else { return Truths::ANY };
    let order = match place {
        Place::Missing => {
            return match comparison {
                Comparison::Distinct => Truths::TRUE,
                Comparison::NotDistinct => Truths::FALSE,
                _ => Truths::NULL,
            };
        }
        Place::At(at) => at.cmp(&position),
        Place::Below(gap) if gap <= position => Ordering::Less,
        Place::Below(_) => Ordering::Greater,
        Place::Truth(truth) => match order(&Value::Boolean(truth), constant) {
            Some(order) => order,
            None => return Truths::ANY,
        },
    };
    Truths::of(match comparison {
        Comparison::Equal | Comparison::NotDistinct => order.is_eq(),
        Comparison::NotEqual | Comparison::Distinct => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    })
}

fn and(left: Truths, right: Truths) -> Truths {
    match (left, right) {
        (Truths::FALSE, _) | (_, Truths::FALSE) => Truths::FALSE,
        (Truths::TRUE, Truths::TRUE) => Truths::TRUE,
        _ => Truths::NULL,
    }
}

fn not(truth: Truths) -> Truths {
    match truth {
        Truths::TRUE => Truths::FALSE,
        Truths::FALSE => Truths::TRUE,
        other => other,
    }
}

fn or(left: Truths, right: Truths) -> Truths {
    not(and(not(left), not(right)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_expression::InputColumn;

    /// Conditions over `n`, a whole number, `x`, a decimal, `t`, a text, and `f`, true or false, as a question has them.
    fn excluded(one: &str, other: &str) -> bool {
        use deniable_core::schema::{Column, ColumnType, TableSchema};
        let columns = [
            ("n", ColumnType::Integer),
            ("x", ColumnType::Decimal),
            ("t", ColumnType::Text),
            ("f", ColumnType::Boolean),
        ];
        let columns = columns.into_iter().map(|(name, kind)| Column::new(name, kind)).collect();
        let table = TableSchema::protected("r", columns, None);
        let sql = format!("SELECT COUNT(*) FILTER (WHERE {one}), COUNT(*) FILTER (WHERE {other}) FROM r");
        let query = crate::Query::new(&sql, &[table]).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let parts: Vec<_> = (0..2).map(|at| query.part(at)).collect();
        // Whichever way round.
        assert_eq!(parts[0], parts[1]);
        *parts[0] == deniable_core::exact::whole(1)
    }

    #[test]
    fn what_excludes_what() {
        for (one, other) in [
            ("t = 'a'", "t = 'b'"),
            ("t = 'a'", "t <> 'a'"),
            ("t IN ('a', 'b')", "t IN ('c')"),
            ("t = 'a'", "t IS NULL"),
            ("t IS NULL", "t IS NOT NULL"),
            ("f", "NOT f"),
            ("f", "f IS NULL"),
            ("f = TRUE", "f = FALSE"),
            ("n < 5", "n >= 5"),
            ("n < 5", "n > 4"),
            ("5 > n", "n BETWEEN 5 AND 9"),
            ("x < 5", "x >= 5"),
            ("n < 5 AND f", "n > 7 OR n = 6"),
            ("n > 3 AND t = 'a'", "n > 3 AND NOT t = 'a'"),
            ("n + 1 < 5", "n + 1 > 6"),
            ("NOT (n < 5 OR n > 9)", "n = 12"),
            (
                "CASE WHEN n < 3 THEN 'few' ELSE 'many' END = 'few'",
                "CASE WHEN n < 3 THEN 'few' ELSE 'many' END = 'many'",
            ),
            ("t LIKE 'a%'", "NOT t LIKE 'a%'"),
            ("n < x", "NOT n < x"),
            ("f AND n < x", "NOT (f AND n < x)"),
            ("f OR n < x", "NOT (f OR n < x) AND n > 3"),
            ("t IS NOT DISTINCT FROM 'a'", "t IS DISTINCT FROM 'a'"),
        ] {
            assert!(excluded(one, other), "{one} | {other}");
        }
    }

    #[test]
    fn what_does_not() {
        for (one, other) in [
            ("t = 'a'", "t = 'a' AND f"),
            ("t = 'a'", "n = 1"),
            ("t <> 'a'", "t <> 'b'"),
            ("n < 5", "n <= 5 AND f"),
            ("n <= 5", "n >= 5"),
            // A decimal lies between.
            ("x < 5", "x > 4"),
            // Different values, though nobody who reads them would say so.
            ("n < 5", "n + 0 >= 5"),
            ("n < 5", "CAST(n AS DOUBLE) >= 5"),
            // One of both may be anything.
            ("n < 5 OR f", "n > 5"),
            ("t LIKE 'a%'", "t LIKE 'b%'"),
            ("n < x", "n > x"),
            ("NOT (n < 5 AND f)", "n < 4"),
            ("t IS DISTINCT FROM 'a'", "t IS NULL"),
            ("LOWER(t) = 'a'", "t = 'b'"),
        ] {
            assert!(!excluded(one, other), "{one} | {other}");
        }
    }

    /// Where 2^53 + 1 is a decimal it is 2^53: both conditions are then about it.
    #[test]
    fn constants_are_those_that_are_compared() {
        assert!(!excluded("x < 9007199254740993", "x <= 9007199254740992 AND f"));
        assert!(excluded("x < 9007199254740993", "x >= 9007199254740992"));
        assert!(excluded("x = 0.0", "x > -0.0"));
    }

    /// Random conditions over one value against all values there are.
    #[test]
    fn no_row_meets_both_of_what_is_said_to_exclude_each_other() {
        use rand_chacha::ChaCha20Rng;
        use rand_core::{Rng, SeedableRng};
        let mut rng = ChaCha20Rng::seed_from_u64(6);
        let mut below = move |most: u64| rng.next_u64() % most;
        fn condition(program: &mut Program, (n, f): (Id, Id), depth: u64, below: &mut impl FnMut(u64) -> u64) -> Id {
            if depth == 3 {
                let constant = program.constant(Value::Integer(below(4) as i64)).unwrap();
                let all = [
                    Comparison::Equal,
                    Comparison::Less,
                    Comparison::GreaterOrEqual,
                    Comparison::NotEqual,
                    Comparison::Distinct,
                ];
                let comparison = all[below(5) as usize];
                let both = if below(2) == 0 { [n, constant] } else { [constant, n] };
                return program.call(Operation::Compare(comparison), &both).unwrap();
            }
            let left = condition(program, (n, f), depth + 1, below);
            let right = condition(program, (n, f), depth + 1, below);
            match below(6) {
                0 | 1 => program.call(Operation::And, &[left, right]).unwrap(),
                2 => program.call(Operation::Or, &[left, right]).unwrap(),
                3 => program.call(Operation::Not, &[left]).unwrap(),
                4 => program.call(Operation::IsNull, &[n]).unwrap(),
                _ => program.call(Operation::And, &[f, left]).unwrap(),
            }
        }
        let mut excluding = 0;
        for _ in 0..3_000 {
            let mut program = Program::default();
            let n = program
                .input(InputColumn { table: "r".to_owned(), name: "n".to_owned(), kind: Type::Integer })
                .unwrap();
            let f = program
                .input(InputColumn { table: "r".to_owned(), name: "f".to_owned(), kind: Type::Boolean })
                .unwrap();
            let one = condition(&mut program, (n, f), 0, &mut below);
            let other = condition(&mut program, (n, f), 0, &mut below);
            if !exclude(&program, &[one], &[other]) {
                continue;
            }
            excluding += 1;
            for value in [None, Some(-1), Some(0), Some(1), Some(2), Some(3), Some(4)] {
                for flag in [None, Some(false), Some(true)] {
                    let is_true = |id| holds(&program, id, (n, value), (f, flag)) == Some(true);
                    assert!(
                        !(is_true(one) && is_true(other)),
                        "{} | {}",
                        program.words(one, 200),
                        program.words(other, 200)
                    );
                }
            }
        }
        assert!(excluding > 100, "{excluding} of 3000 pairs exclude each other");
    }

    /// Three-valued logic once more, of one row.
    fn holds(program: &Program, id: Id, n: (Id, Option<i64>), f: (Id, Option<bool>)) -> Option<bool> {
        if id == f.0 {
            return f.1;
        }
        let Node::Call(operation, arguments) = program.node(id) else { panic!("a condition") };
        let truth = |at: usize| holds(program, arguments[at], n, f);
        let number = |id: Id| match program.constant_of(id) {
            Some(Some(Value::Integer(number))) => Some(*number),
            _ => n.1,
        };
        match operation {
            Operation::And => match (truth(0), truth(1)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Operation::Or => match (truth(0), truth(1)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Operation::Not => truth(0).map(|truth| !truth),
            Operation::IsNull => Some(n.1.is_none()),
            Operation::Compare(comparison) => {
                let (left, right) = (number(arguments[0]), number(arguments[1]));
                if *comparison == Comparison::Distinct {
                    return Some(left != right);
                }
                let (left, right) = (left?, right?);
                Some(match comparison {
                    Comparison::Equal => left == right,
                    Comparison::NotEqual => left != right,
                    Comparison::Less => left < right,
                    Comparison::GreaterOrEqual => left >= right,
                    _ => panic!("not made here"),
                })
            }
            _ => panic!("not made here"),
        }
    }
}
