//! Presence: the conditions under which an expression is not NULL.

use deniable_expression::{Comparison, Id, Node, Operation, Program};
use std::collections::BTreeSet;

/// A condition on a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    True(Id),
    /// The value is not NULL.
    Known(Id),
}

/// Whether every row with one value has the other, decided by the form of both alone; `false` if the form does not show
/// it.
pub fn implies(program: &Program, one: Id, other: Id) -> bool {
    let of = |value| {
        let mut facts = BTreeSet::new();
        known(program, value, &mut facts);
        facts
    };
    of(other).is_subset(&of(one))
}

/// The facts of a value that is not NULL. They hold exactly where it is not NULL.
fn known(program: &Program, value: Id, facts: &mut BTreeSet<Fact>) {
    if let Some(Some(_)) = program.constant_of(value) {
        return;
    }
    match program.node(value) {
        // A value with FILTER has this form.
        Node::Call(Operation::Case, parts)
            if let [condition, then, otherwise] = parts.as_slice()
                && program.constant_of(*otherwise) == Some(None) =>
        {
            holds(program, *condition, facts);
            known(program, *then, facts);
        }
        Node::Column(_) | Node::Constant(..) | Node::Call(..) => {
            facts.insert(Fact::Known(value));
        }
    }
}

/// The facts of a condition that is true. They hold exactly where it is true.
fn holds(program: &Program, condition: Id, facts: &mut BTreeSet<Fact>) {
    match program.node(condition) {
        Node::Call(Operation::And, both) => both.iter().for_each(|one| holds(program, *one, facts)),
        Node::Call(Operation::Not, inner) if let Node::Call(Operation::IsNull, value) = program.node(inner[0]) => {
            known(program, value[0], facts);
        }
        // A comparison with NULL is not true.
        Node::Call(Operation::Compare(comparison), both)
            if !matches!(comparison, Comparison::Distinct | Comparison::NotDistinct) =>
        {
            facts.insert(Fact::True(condition));
            both.iter().for_each(|side| known(program, *side, facts));
        }
        Node::Column(_) | Node::Constant(..) | Node::Call(..) => {
            facts.insert(Fact::True(condition));
        }
    }
}
