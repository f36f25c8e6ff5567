//! What is shown in place of the keys of a group, and what is meant where somebody writes that instead.

use crate::declared;
use deniable_core::schema::{Column, Key, TableSchema};
use deniable_core::text::shown;
use deniable_expression::{Id, Node, Program};
use std::collections::BTreeMap;

/// The labels of a group: those of a column, where the group is that column itself.
pub fn labels(value: Id, program: &Program, tables: &[TableSchema]) -> BTreeMap<Key, String> {
    match program.node(value) {
        Node::Column(position) => {
            declared(tables, *position as usize).map(|(_, column)| column.labels.clone()).unwrap_or_default()
        }
        Node::Constant(..) | Node::Call(..) => BTreeMap::new(),
    }
}

/// What to write where a column is compared with the label of one of its keys; `None` where the text is no label of it.
pub fn meant(column: &Column, text: &str) -> Option<String> {
    meant_by(&column.name, &column.labels, text)
}

/// The same of a group.
pub fn meant_by(name: &str, labels: &BTreeMap<Key, String>, text: &str) -> Option<String> {
    let (key, label) = labels.iter().find(|(_, label)| *label == text)?;
    let (name, label) = (in_sql(name), shown(label));
    Some(match key {
        Key::Null => format!("`{label}` is the label of rows without a value: write {name} IS NULL"),
        Key::Other => {
            format!("`{label}` is the label of the values that are none of the keys: write {name} NOT IN (...)")
        }
        Key::Text(text) => {
            let text = shown(text).replace('\'', "''");
            format!("`{label}` is the label of '{text}': write {name} = '{text}'")
        }
        key => format!("`{label}` is the label of {key}: write {name} = {key}"),
    })
}

/// A name as SQL has it, in double quotes where it needs them.
fn in_sql(name: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(plain) {
        true => format!("\"{}\"", shown(name).replace('"', "\"\"")),
        false => name.to_owned(),
    }
}
