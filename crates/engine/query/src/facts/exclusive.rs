//! Detects conditions that no row can meet together, from their syntax alone (C-2f).
//!
//! The places of a value are: missing, equal to one of the constants that any condition compares it with, and
//! inside each gap between two neighbouring constants. Each condition is evaluated at all places of one value at
//! once; a bit set holds the places, so that a comparison costs one operation for 64 of them. Everything else that
//! a condition depends on is unknown. Two conditions exclude each other if no place makes both true. Both
//! conditions must refer to the same node of the program, casts included, and constants are ordered as the executed
//! comparison orders them, so that a value has exactly one place in every row.

use super::conditions::{comparison, conditions_in, subject, truths};
use super::places::{Bits, Places, Truths};
use deniable_expression::{Id, Program, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Most constants in all conditions of a query. Conditions with more are treated as not exclusive: each measure then
/// gets its own part of the share, which adds noise and never removes any.
pub const MOST_CONSTANTS: usize = 10_000;

/// Most steps for the comparison of a query's conditions. Beyond this, all conditions are treated as not exclusive.
pub const MOST_STEPS: u64 = 20_000_000;

/// The pairs of condition lists that exclude each other: no row meets all conditions of both lists.
#[derive(Debug)]
pub struct Exclusions {
    /// For each list, the set of lists that it excludes.
    excluded: Vec<Bits>,
    /// Comparisons of constants and operations on words of places.
    pub steps: u64,
}

impl Exclusions {
    /// No list excludes another.
    pub fn none(lists: usize) -> Self {
        Self { excluded: vec![Bits::none(lists); lists], steps: 0 }
    }

    pub fn new(program: &Program, lists: &[&[Id]]) -> Self {
        let mut found = Self::none(lists.len());
        let reached: Vec<BTreeSet<Id>> = lists.iter().map(|list| conditions_in(program, list)).collect();
        let all: BTreeSet<Id> = reached.iter().flatten().copied().collect();
        let count = |id: &Id| comparison(program, *id).map_or(0, |asked| asked.constants.len());
        let constants: usize = all.iter().map(count).sum();
        found.steps += (reached.iter().map(BTreeSet::len).sum::<usize>() + constants) as u64;
        if constants > MOST_CONSTANTS {
            return found;
        }
        // Only values that at least two lists depend on can separate lists.
        let mut about: BTreeMap<Id, Vec<usize>> = BTreeMap::new();
        for (at, reached) in reached.iter().enumerate() {
            let subjects: BTreeSet<Id> = reached.iter().map(|id| subject(program, *id)).collect();
            subjects.into_iter().for_each(|subject| about.entry(subject).or_default().push(at));
        }
        for (subject, concerned) in about.into_iter().filter(|(_, concerned)| concerned.len() > 1) {
            let nodes: BTreeSet<Id> = concerned.iter().flat_map(|at| &reached[*at]).copied().collect();
            found.look_at(program, subject, &nodes, lists, &concerned);
            if found.steps > MOST_STEPS {
                return Self { steps: found.steps, ..Self::none(lists.len()) };
            }
        }
        found
    }

    pub fn contains(&self, one: usize, other: usize) -> bool {
        self.excluded[one].get(other)
    }

    /// Adds the pairs of `concerned` lists that one value separates.
    fn look_at(&mut self, program: &Program, subject: Id, nodes: &BTreeSet<Id>, lists: &[&[Id]], concerned: &[usize]) {
        let about = nodes.iter().filter_map(|id| comparison(program, *id).filter(|asked| asked.subject == subject));
        let constants: Vec<&Value> = about.flat_map(|asked| asked.constants).flatten().collect();
        let sorted = constants.len() as u64 * u64::from(constants.len().max(1).ilog2() + 1);
        let Some(places) = Places::new(program.kind(subject), constants) else { return };
        let words = places.words();
        self.steps += sorted + words * nodes.len() as u64;
        // Arguments come before the nodes that use them.
        let mut known: BTreeMap<Id, Truths> = BTreeMap::new();
        for id in nodes {
            if let Some(asked) = comparison(program, *id).filter(|asked| asked.subject == subject) {
                self.steps += asked.constants.len() as u64 * u64::from(words.ilog2() + 1);
            }
            let truths = truths(program, *id, subject, &places, &known, &|_| places.any());
            known.insert(*id, truths);
        }
        let may_be_met = |list: &[Id]| {
            let each = list.iter().filter_map(|id| known.get(id));
            each.fold(places.all(), |met, truths| met.and(&truths.is_true))
        };
        let met: Vec<Bits> = concerned.iter().map(|at| may_be_met(lists[*at])).collect();
        for (one, at) in concerned.iter().enumerate() {
            for (other, also) in concerned.iter().enumerate().skip(one + 1) {
                self.steps += words;
                if !self.contains(*at, *also) && !met[one].meets(&met[other]) {
                    self.excluded[*at].set(*also);
                    self.excluded[*also].set(*at);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_expression::{Comparison, InputColumn, Node, Operation, Type};

    /// Random conditions over one value, tested at every value.
    #[test]
    fn exclusive_conditions_hold_in_no_common_row() {
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
            if !Exclusions::new(&program, &[&[one], &[other]]).contains(0, 1) {
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

    /// A second evaluator of three-valued logic, for one row.
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
                    _ => panic!("not generated"),
                })
            }
            _ => panic!("not generated"),
        }
    }
}
