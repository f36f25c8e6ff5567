//! Warnings about constants that a query compares with a column and that are not declared keys of it. Such a comparison
//! is allowed, because keys need not cover all values, but it is usually a typo.

use super::labels::meant_by;
use crate::Group;
use crate::declared;
use crate::output::{Comparison, Condition, Output, Term};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Column, Key};
use deniable_core::text::{nearest, shown};
use deniable_expression::{Comparison as RowComparison, Id, Node, Operation, Program, Value};
use std::collections::BTreeMap;

/// Most keys that are listed.
const LISTED: usize = 12;

/// One warning for each comparison. Constants and keys are public.
pub fn undeclared(program: &Program, roots: &[Id], tables: &[TableSchema]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut look = |value: Id, constant: Id| {
        let (Node::Column(position), Node::Constant(_, Some(constant))) = (program.node(value), program.node(constant))
        else {
            return;
        };
        let sentence = declared(tables, *position as usize).and_then(|(_, column)| sentence(column, constant));
        found.extend(sentence.filter(|sentence| !found.contains(sentence)));
    };
    for (node, reached) in program.nodes().iter().zip(program.reached(roots)) {
        match node {
            Node::Call(Operation::Compare(RowComparison::Equal | RowComparison::NotEqual), both) if reached => {
                if let [left, right] = both.as_slice() {
                    look(*left, *right);
                    look(*right, *left);
                }
            }
            Node::Call(Operation::In, all) if reached => {
                if let [value, list @ ..] = all.as_slice() {
                    list.iter().for_each(|constant| look(*value, *constant));
                }
            }
            Node::Column(_) | Node::Constant(..) | Node::Call(..) => {}
        }
    }
    found
}

fn sentence(column: &Column, constant: &Value) -> Option<String> {
    let keys = column.keys.as_ref()?;
    let key = match constant {
        Value::Text(text) => Key::Text(text.to_string()),
        Value::Integer(number) => Key::Integer(*number),
        _ => return None,
    };
    compared(&column.name, keys, &column.labels, key)
}

/// Warnings about results that are compared with a text that is not a key of their group.
pub fn undeclared_results(output: &Output, groups: &[Group]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut look = |condition: &Condition| {
        let Condition::Compare(Comparison::Equal | Comparison::NotEqual, sides) = condition else { return };
        let (group, text) = match &**sides {
            [Term::Key(group), Term::Text(text)] | [Term::Text(text), Term::Key(group)] => (&groups[*group], text),
            _ => return,
        };
        // Dates and timestamps are compared as they are written.
        let is_text = group.keys.iter().all(|key| matches!(key, Key::Text(_) | Key::Null | Key::Other));
        if is_text || group.labels.values().any(|label| label == text) {
            let sentence = compared(&group.name, &group.keys, &group.labels, Key::Text(text.clone()));
            found.extend(sentence.filter(|sentence| !found.contains(sentence)));
        }
    };
    output.conditions(&mut look);
    found
}

/// The warning about comparing a value with these keys to a constant; `None` if the constant is one of them.
fn compared(name: &str, keys: &[Key], labels: &BTreeMap<Key, String>, key: Key) -> Option<String> {
    let written = key.to_string();
    if keys.contains(&key) {
        return None;
    }
    let known: Vec<String> = keys
        .iter()
        .filter_map(|key| match key {
            Key::Text(text) => Some(text.clone()),
            Key::Integer(number) => Some(number.to_string()),
            _ => None,
        })
        .collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let begins = known.iter().find(|key| written.chars().count() > 2 && key.starts_with(&written)).copied();
    // Only texts are matched with similar keys: numbers are seldom misspelt.
    let near = matches!(key, Key::Text(_)).then(|| nearest(&written, &known).or(begins)).flatten();
    let help = match (meant_by(name, labels, &written), near) {
        (Some(meant), _) => meant,
        (None, Some(near)) => format!("did you mean `{}`?", shown(near)),
        (None, None) => {
            let more = if known.len() > LISTED { ", ..." } else { "" };
            format!(
                "the keys are {}{more}",
                known.iter().take(LISTED).map(|key| shown(key)).collect::<Vec<_>>().join(", ")
            )
        }
    };
    Some(format!(
        "`{}` is compared with `{}`, which is not one of its declared keys; {help}",
        shown(name),
        shown(&written)
    ))
}
