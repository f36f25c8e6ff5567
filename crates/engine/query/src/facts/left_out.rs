//! Completeness of keys: whether the keys of a group cover all values that a row can have.

use super::keys::passed_on_by_case;
use crate::declared;
use deniable_core::schema::{Key, TableSchema};
use deniable_expression::{Comparison, Id, Node, Operation, Program, Type};

/// Whether a row can have a value outside the derived keys. `is_counted` names the columns that are numbers of rows:
/// never NULL, and within their known range.
pub fn leaves_out(
    program: &Program,
    id: Id,
    keys: &[Key],
    tables: &[TableSchema],
    is_counted: &dyn Fn(usize) -> bool,
) -> bool {
    let (listed, present) = looked_at(program, id, tables, is_counted);
    !listed || !(present || keys.contains(&Key::Null))
}

/// Whether a value is never NULL, for all values of its columns.
pub fn never_null(program: &Program, id: Id) -> bool {
    looked_at(program, id, &[], &|_| false).1
}

/// Whether derived keys cover all values of a node except NULL, and whether it is never NULL.
fn looked_at(program: &Program, id: Id, tables: &[TableSchema], is_counted: &dyn Fn(usize) -> bool) -> (bool, bool) {
    let mut known: Vec<(bool, bool)> = Vec::new();
    for (at, node) in program.ids().take_while(|(at, _)| *at <= id) {
        let of = |id: &Id| known.get(id.position()).copied().unwrap_or_default();
        let (listed, present) = (|id: &Id| of(id).0, |id: &Id| of(id).1);
        let found = match node {
            Node::Constant(_, value) => (true, value.is_some()),
            Node::Column(position) => {
                let position = *position as usize;
                let both = [Key::Boolean(false), Key::Boolean(true)];
                let is_listed = declared(tables, position).is_some_and(|(_, column)| {
                    program.kind(at) == Type::Boolean
                        && column.keys.as_ref().is_none_or(|keys| both.iter().all(|key| keys.contains(key)))
                });
                let is_counted = is_counted(position);
                (is_listed || is_counted, is_counted)
            }
            Node::Call(operation, arguments) => {
                let all = arguments.as_slice();
                match operation {
                    Operation::Case => {
                        let values = passed_on_by_case(all);
                        (values.iter().all(listed), values.iter().all(present))
                    }
                    Operation::Coalesce | Operation::Least | Operation::Greatest => {
                        (all.iter().all(listed), all.iter().any(present))
                    }
                    Operation::NullIf => (all.first().is_some_and(listed), false),
                    Operation::IsNull
                    | Operation::IsTrue
                    | Operation::Compare(Comparison::Distinct | Comparison::NotDistinct) => (true, true),
                    Operation::Compare(_)
                    | Operation::And
                    | Operation::Or
                    | Operation::Not
                    | Operation::In
                    | Operation::Like(_) => (true, all.iter().all(present)),
                    _ => (program.kind(at) == Type::Boolean || all.iter().all(listed), false),
                }
            }
        };
        known.push(found);
    }
    known.get(id.position()).copied().unwrap_or_default()
}
