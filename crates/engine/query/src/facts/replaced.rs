//! Warnings about LEAST and GREATEST of values that are NULL by construction: both ignore NULL, as PostgreSQL does, so
//! that a bound takes the place of a missing value.

use deniable_core::text::shown;
use deniable_expression::{Id, Node, Operation, Program};

/// Most characters of an expression in a warning.
const MOST_WORDS: usize = 60;

/// One warning for each LEAST or GREATEST in which a value may be NULL because it is one of another row, and another
/// is present. `is_shifted` states whether a column is such a value. Conditions about such a column, and CASE around it,
/// are the user's own decision.
pub fn replaced(program: &Program, roots: &[Id], filters: &[Id], is_shifted: &dyn Fn(usize) -> bool) -> Vec<String> {
    // Arguments come before the calls that use them.
    let mut shifted: Vec<bool> = Vec::new();
    let mut reads: Vec<bool> = Vec::new();
    for node in program.nodes() {
        let of = |known: &[bool], id: &Id| known.get(id.position()).copied().unwrap_or_default();
        let (may_be_null, read) = match node {
            Node::Column(position) => (is_shifted(*position as usize), is_shifted(*position as usize)),
            Node::Constant(..) => (false, false),
            Node::Call(operation, arguments) => {
                let all = arguments.as_slice();
                let may_be_null = match operation {
                    Operation::Coalesce | Operation::Case | Operation::IsNull | Operation::IsTrue => false,
                    Operation::Least | Operation::Greatest => all.iter().all(|id| of(&shifted, id)),
                    _ => all.iter().any(|id| of(&shifted, id)),
                };
                (may_be_null, all.iter().any(|id| of(&reads, id)))
            }
        };
        shifted.push(may_be_null);
        reads.push(read);
    }
    let is = |known: &[bool], id: Id| known.get(id.position()).copied().unwrap_or_default();
    if filters.iter().any(|filter| is(&reads, *filter)) {
        return Vec::new();
    }
    let (mut open, mut found) = (roots.to_vec(), Vec::new());
    let mut seen = vec![false; program.nodes().len()];
    while let Some(id) = open.pop() {
        let Node::Call(operation, arguments) = program.node(id) else { continue };
        if seen.get(id.position()).copied().unwrap_or(true) || matches!(operation, Operation::Case) {
            continue;
        }
        seen[id.position()] = true;
        let all = arguments.as_slice();
        let value = all.iter().find(|id| is(&shifted, **id));
        if let (Operation::Least | Operation::Greatest, Some(value), false) = (operation, value, is(&shifted, id)) {
            let (whole, value) = (program.words(id, MOST_WORDS), program.words(*value, MOST_WORDS));
            found.push(format!(
                "`{}` ignores NULL: where `{1}` is NULL, as in the first or last row of a person, the other value counts \
                 in its place. Add WHERE {1} IS NOT NULL to leave such rows out",
                shown(&whole),
                shown(&value)
            ));
        }
        open.extend(all);
    }
    found
}
