//! Writes values that are built in code as TOML, together with the tree that the parser would read from that text.

use crate::{Member, Node, Shape};
use deniable_core::text::is_hidden;
use std::fmt;
use std::ops::Range;

/// A value that is built in code. Every value has exactly one text, and the text is read back as the same value. There
/// are no floats: exact numbers that are not whole are texts, such as `"3/4"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// True or false.
    Boolean(bool),
    /// A list.
    List(Vec<Value>),
    /// A table.
    Table(Table),
}

/// Keys with their values, in the order of insertion. Keys are unique.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table(Vec<(String, Value)>);

impl Table {
    /// Appends a key, or replaces its value if it exists.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        let key = key.into();
        self.0.retain(|(known, _)| *known != key);
        self.0.push((key, value.into()));
    }

    /// Inserts a value at a path of tables. A key on the path that has no table gets one, which replaces its value.
    pub fn insert_at(&mut self, path: &[&str], key: &str, value: impl Into<Value>) {
        let Some((first, rest)) = path.split_first() else { return self.insert(key, value) };
        let known = self.0.iter_mut().find_map(|(known, value)| match value {
            Value::Table(table) if known == first => Some(table),
            _ => None,
        });
        match known {
            Some(table) => table.insert_at(rest, key, value),
            None => {
                let mut table = Self::default();
                table.insert_at(rest, key, value);
                self.insert(*first, table);
            }
        }
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Table {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(keys: I) -> Self {
        let mut table = Self::default();
        keys.into_iter().for_each(|(key, value)| table.insert(key, value));
        table
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Boolean(truth)
    }
}

impl<V: Into<Value>> FromIterator<V> for Value {
    fn from_iter<I: IntoIterator<Item = V>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl From<Table> for Value {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

/// The value in TOML's inline notation.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut writer = Writer(String::new());
        writer.inline(self);
        f.write_str(&writer.0)
    }
}

/// A name as a key of TOML, quoted if necessary.
#[must_use]
pub fn key(name: &str) -> String {
    if name.contains(is_hidden) { escaped(name) } else { toml_edit::Key::new(name).to_string() }
}

/// Writes a document: keys first, then each table under its header, then lists of tables. Returns the text, and the tree that
/// [`parse`](crate::parse) reads from it.
#[must_use]
pub fn write(document: &Table) -> (String, Node) {
    let is_tables = |items: &[Value]| !items.is_empty() && items.iter().all(|item| matches!(item, Value::Table(_)));
    let order = |value: &Value| match value {
        Value::Table(_) => 1,
        Value::List(items) if is_tables(items) => 2,
        Value::Text(_) | Value::Integer(_) | Value::Boolean(_) | Value::List(_) => 0,
    };
    let mut ordered: Vec<&(String, Value)> = document.0.iter().collect();
    ordered.sort_by_key(|(_, value)| order(value));
    let mut writer = Writer(String::new());
    let members = ordered.into_iter().map(|(name, value)| match value {
        Value::Table(table) => {
            let (key_span, value) = writer.section(name, table, ["[", "]"]);
            Member { key: name.clone(), key_span, value }
        }
        Value::List(items) if is_tables(items) => {
            let tables =
                items.iter().filter_map(|item| if let Value::Table(table) = item { Some(table) } else { None });
            let (spans, tables): (Vec<_>, Vec<_>) =
                tables.map(|table| writer.section(name, table, ["[[", "]]"])).unzip();
            let span = spans.into_iter().next().unwrap_or_default();
            let value = Node { shape: Shape::List(tables), span: span.clone() };
            Member { key: name.clone(), key_span: span, value }
        }
        value => writer.line(name, value),
    });
    let members = members.collect();
    (writer.0, Node { shape: Shape::Table(members), span: 0..0 })
}

struct Writer(String);

impl Writer {
    /// Appends a text, and returns where it is.
    fn push(&mut self, text: &str) -> Range<usize> {
        let start = self.0.len();
        self.0.push_str(text);
        start..self.0.len()
    }

    /// A header between empty lines, and the keys below it.
    fn section(&mut self, name: &str, table: &Table, [open, close]: [&str; 2]) -> (Range<usize>, Node) {
        if !self.0.is_empty() {
            self.push("\n");
        }
        let start = self.push(open).start;
        let key_span = self.push(&key(name));
        let end = self.push(close).end;
        self.push("\n");
        let members = table.0.iter().map(|(name, value)| self.line(name, value)).collect();
        (key_span, Node { shape: Shape::Table(members), span: start..end })
    }

    fn line(&mut self, name: &str, value: &Value) -> Member {
        let member = self.member(name, value);
        self.push("\n");
        member
    }

    fn member(&mut self, name: &str, value: &Value) -> Member {
        let key_span = self.push(&key(name));
        self.push(" = ");
        Member { key: name.to_owned(), key_span, value: self.inline(value) }
    }

    fn inline(&mut self, value: &Value) -> Node {
        let start = self.0.len();
        let shape = match value {
            Value::Text(text) => {
                self.push(&quoted(text));
                Shape::Text(text.clone())
            }
            Value::Integer(number) => {
                let number = number.to_string();
                self.push(&number);
                Shape::Number(number)
            }
            Value::Boolean(truth) => {
                self.push(&truth.to_string());
                Shape::Boolean(*truth)
            }
            Value::List(items) => {
                self.push("[");
                let items = items.iter().enumerate().map(|(position, item)| {
                    self.push(if position > 0 { ", " } else { "" });
                    self.inline(item)
                });
                let items = items.collect();
                self.push("]");
                Shape::List(items)
            }
            Value::Table(table) => {
                self.push("{");
                let members = table.0.iter().enumerate().map(|(position, (name, value))| {
                    self.push(if position > 0 { ", " } else { " " });
                    self.member(name, value)
                });
                let members: Vec<Member> = members.collect();
                self.push(if members.is_empty() { "}" } else { " }" });
                Shape::Table(members)
            }
        };
        Node { shape, span: start..self.0.len() }
    }
}

/// A text with all invisible characters escaped.
fn quoted(text: &str) -> String {
    // toml_edit escapes the hidden characters of ASCII itself, and writes line breaks as such.
    if text.contains(|c: char| is_hidden(c) && !c.is_ascii()) {
        return escaped(text);
    }
    toml_edit::Value::from(text).to_string()
}

fn escaped(text: &str) -> String {
    let inside: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if is_hidden(c) => format!("\\U{:08x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{inside}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use proptest::prelude::*;

    #[test]
    fn document_is_laid_out_as_people_write_it() {
        let mut document = Table::default();
        document.insert_at(&["columns", "age"], "bounds", Value::from_iter([0, 110]));
        document.insert_at(&["columns", "a\u{202e}"], "type", "text");
        document.insert("query", Value::from_iter([Table::from_iter([("sql", "SELECT COUNT(*)\nFROM t")])]));
        document.insert("name", "first");
        document.insert("empty", Value::List(Vec::new()));
        // The last value of a key counts.
        document.insert("name", "a \"b\"\u{202e}");
        let (text, _) = write(&document);
        assert_eq!(
            text,
            "empty = []\nname = \"a \\\"b\\\"\\U0000202e\"\n\n[columns]\nage = { bounds = [0, 110] }\n\
             \"a\\U0000202e\" = { type = \"text\" }\n\n[[query]]\nsql = \"\"\"\nSELECT COUNT(*)\nFROM t\"\"\"\n"
        );
    }

    fn values() -> impl Strategy<Value = Value> {
        let text =
            prop_oneof!["\\PC{0,6}", any::<String>(), "[\"'\\\\\n\r\t\u{0}\u{7f}\u{85}\u{feff} =#\\[\\]{}]{0,8}"];
        let leaf = prop_oneof![
            text.prop_map(Value::Text),
            any::<i64>().prop_map(Value::Integer),
            any::<bool>().prop_map(Value::Boolean)
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
                tables(inner).prop_map(Value::Table)
            ]
        })
    }

    fn tables(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Table> {
        let names = prop_oneof!["[a-z_]{0,3}", any::<String>(), "[\"'\\\\\n\r\t\u{0}\u{202e}. =#]{0,5}"];
        prop::collection::btree_map(names, values, 0..4).prop_map(|map| map.into_iter().collect())
    }

    proptest! {
        /// The parser reads the same values at the same places from the text.
        #[test]
        fn written_tree_is_the_one_that_is_read(document in tables(values())) {
            let (text, tree) = write(&document);
            let read = parse(&text).unwrap_or_else(|error| panic!("{} in\n{text}", error.message));
            prop_assert_eq!(format!("{read:?}"), format!("{tree:?}"), "{}", text);
        }
    }
}
