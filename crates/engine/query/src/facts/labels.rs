//! Labels: the texts shown in place of the keys of a group, and hints for queries that compare a column with a label.

use crate::declared;
use deniable_core::schema::{Column, Key, TableSchema};
use deniable_core::text::shown;
use deniable_expression::{Id, Node, Program};
use std::collections::BTreeMap;

/// The labels of a group: those of the column, if the group is a plain column.
pub fn labels(value: Id, program: &Program, tables: &[TableSchema]) -> BTreeMap<Key, String> {
    match program.node(value) {
        Node::Column(position) => {
            declared(tables, *position as usize).map(|(_, column)| column.labels.clone()).unwrap_or_default()
        }
        Node::Constant(..) | Node::Call(..) => BTreeMap::new(),
    }
}

/// A hint for a column that is compared with the label of one of its keys; `None` if the text is not a label.
pub fn meant(column: &Column, text: &str) -> Option<String> {
    meant_by(&column.name, &column.labels, text)
}

/// A hint for a group that is compared with the label of one of its keys; `None` if the text is not a label.
pub fn meant_by(name: &str, labels: &BTreeMap<Key, String>, text: &str) -> Option<String> {
    let (key, label) = labels.iter().find(|(_, label)| *label == text)?;
    let (name, label) = (in_sql(name), shown(label));
    Some(match key {
        Key::Null => format!("`{label}` is the label of rows without a value: write {name} IS NULL"),
        Key::Other => {
            format!("`{label}` is the label of the values outside the keys: write {name} NOT IN (...)")
        }
        Key::Text(text) => {
            let text = shown(text).replace('\'', "''");
            format!("`{label}` is the label of '{text}': write {name} = '{text}'")
        }
        key => format!("`{label}` is the label of {key}: write {name} = {key}"),
    })
}

/// A name as SQL writes it, in double quotes where it needs them.
fn in_sql(name: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(plain) {
        true => format!("\"{}\"", shown(name).replace('"', "\"\"")),
        false => name.to_owned(),
    }
}
