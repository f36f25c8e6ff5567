//! Conditions of a row taken apart: the conditions that they consist of, comparisons of a value with constants, and the
//! truth values at each place of a value.

use super::places::{Places, Truths};
use deniable_expression::{Comparison, Id, Node, Operation, Program, Value};
use std::collections::{BTreeMap, BTreeSet};

/// All conditions that these consist of, themselves included.
pub fn conditions_in(program: &Program, list: &[Id]) -> BTreeSet<Id> {
    let (mut found, mut wanted) = (BTreeSet::new(), list.to_vec());
    while let Some(id) = wanted.pop() {
        if found.insert(id)
            && let Node::Call(Operation::And | Operation::Or | Operation::Not | Operation::IsTrue, inner) =
                program.node(id)
        {
            wanted.extend(inner);
        }
    }
    found
}

/// A comparison of a value with constants.
pub struct ConstantComparison<'a> {
    pub subject: Id,
    pub comparison: Comparison,
    /// `None` is NULL.
    pub constants: Vec<Option<&'a Value>>,
    /// Whether the value is also compared with expressions that are not constant.
    pub more: bool,
}

/// Returns `None` unless the condition compares a value with constants.
pub fn comparison<'a>(program: &'a Program, condition: Id) -> Option<ConstantComparison<'a>> {
    let Node::Call(operation, arguments) = program.node(condition) else { return None };
    let constant = |id: Id| program.constant_of(id);
    match (operation, arguments.as_slice()) {
        (Operation::In, [subject, list @ ..]) => {
            let constants: Vec<_> = list.iter().filter_map(|id| constant(*id)).collect();
            let more = constants.len() < list.len();
            Some(ConstantComparison { subject: *subject, comparison: Comparison::Equal, constants, more })
        }
        (Operation::Compare(comparison), [left, right]) => {
            let (subject, comparison, value) = match (constant(*left).flatten(), constant(*right).flatten()) {
                (None, Some(value)) => (*left, *comparison, value),
                (Some(value), None) => (*right, turned(*comparison), value),
                _ => return None,
            };
            Some(ConstantComparison { subject, comparison, constants: vec![Some(value)], more: false })
        }
        _ => None,
    }
}

fn turned(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        Comparison::Equal | Comparison::NotEqual | Comparison::Distinct | Comparison::NotDistinct => comparison,
    }
}

/// The value that a condition depends on. A combined condition is a value itself: it excludes its own negation.
pub fn subject(program: &Program, condition: Id) -> Id {
    match program.node(condition) {
        Node::Call(Operation::IsNull, arguments) => arguments.first().copied().unwrap_or(condition),
        _ => comparison(program, condition).map_or(condition, |asked| asked.subject),
    }
}

/// The possible truth values of a condition at each place of the subject, given those of its parts and, by `other`,
/// those of a condition that is neither combined nor a comparison of the subject with constants.
pub fn truths(
    program: &Program,
    condition: Id,
    subject: Id,
    places: &Places,
    known: &BTreeMap<Id, Truths>,
    other: &dyn Fn(Id) -> Truths,
) -> Truths {
    if condition == subject {
        return places.itself();
    }
    let Node::Call(operation, arguments) = program.node(condition) else { return other(condition) };
    let inner = |id: &Id| known.get(id).cloned().unwrap_or_else(|| places.any());
    match (operation, arguments.as_slice()) {
        (Operation::And, all) => all.iter().fold(places.always(true), |left, right| left.and(&inner(right))),
        (Operation::Or, all) => all.iter().fold(places.always(false), |left, right| left.or(&inner(right))),
        (Operation::Not, [only]) => inner(only).not(),
        (Operation::IsTrue, [only]) => inner(only).known(),
        (Operation::IsNull, [value]) if *value == subject => places.missing(),
        _ => match comparison(program, condition).filter(|asked| asked.subject == subject) {
            Some(asked) => {
                let compared = match operation {
                    Operation::In => places.listed(&asked.constants),
                    _ => {
                        let [constant] = asked.constants.as_slice() else { return places.any() };
                        constant.map_or_else(|| places.any(), |constant| places.compared(asked.comparison, constant))
                    }
                };
                if asked.more { compared.or(&places.any()) } else { compared }
            }
            None => other(condition),
        },
    }
}
