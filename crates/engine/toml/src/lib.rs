//! TOML as a small tree in which every value keeps its place. Policies and mechanisms are read from it; values that are
//! built in code are written into it ([`write()`]).
//!
//! Numbers remain text as written: neither this crate nor its users read a number through a float.

mod write;

pub use write::{Table, Value, key, write};

use std::ops::Range;
use toml_edit::{Item, TableLike};

/// A value with its place, in bytes of the source.
#[derive(Debug)]
pub struct Node {
    /// The kind and content of the value.
    pub shape: Shape,
    /// The value itself; for a table its header, for a dotted table its key.
    pub span: Range<usize>,
}

/// The kind and content of a value.
#[derive(Debug)]
pub enum Shape {
    /// A text, without its quotes.
    Text(String),
    /// An integer or float, as written.
    Number(String),
    /// True or false.
    Boolean(bool),
    /// A date, a time or both, as written.
    Date(String),
    /// A list, or an array of tables.
    List(Vec<Node>),
    /// The members in the order of the file.
    Table(Vec<Member>),
}

/// One key of a table.
#[derive(Debug)]
pub struct Member {
    /// The key.
    pub key: String,
    /// The place of the key, in bytes of the source.
    pub key_span: Range<usize>,
    /// The value of the key.
    pub value: Node,
}

impl Shape {
    /// The kind in words for error messages, as in "expected a number, found ...".
    #[must_use]
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Boolean(_) => "true or false",
            Self::Date(_) => "a date",
            Self::Table(_) => "a table",
            Self::List(items) => match items.first().map(|item| &item.shape) {
                None => "an empty list",
                Some(Self::Text(_)) => "a list of texts",
                Some(Self::Number(_)) => "a list of numbers",
                Some(Self::Boolean(_)) => "a list of true and false",
                Some(Self::Table(_)) => "a list of tables",
                Some(Self::Date(_) | Self::List(_)) => "a list",
            },
        }
    }
}

/// A text that is not TOML.
#[derive(Debug)]
pub struct SyntaxError {
    /// The parser's message.
    pub message: String,
    /// The place of the error, in bytes of the source.
    pub span: Range<usize>,
}

/// Parses a whole document. Nesting is limited by `toml_edit`, so the recursion below is too.
///
/// # Errors
/// When the text is not TOML.
pub fn parse(source: &str) -> Result<Node, SyntaxError> {
    let document = toml_edit::Document::parse(source).map_err(|error| SyntaxError {
        message: error.message().to_owned(),
        span: error.span().unwrap_or(source.len()..source.len()),
    })?;
    Ok(Node { shape: Shape::Table(members(source, document.as_table())), span: 0..0 })
}

fn members(source: &str, table: &dyn TableLike) -> Vec<Member> {
    table
        .iter()
        .filter_map(|(key, item)| {
            let key_span = table.key(key).and_then(toml_edit::Key::span).or(item.span()).unwrap_or(0..0);
            let value = from_item(source, item, &key_span)?;
            Some(Member { key: key.to_owned(), key_span, value })
        })
        .collect()
}

fn from_item(source: &str, item: &Item, key_span: &Range<usize>) -> Option<Node> {
    let span = item.span().unwrap_or_else(|| key_span.clone());
    match item {
        Item::None => None,
        Item::Value(value) => Some(from_value(source, value, span)),
        Item::Table(table) => Some(Node { shape: Shape::Table(members(source, table)), span }),
        Item::ArrayOfTables(tables) => {
            let items = tables.iter().map(|table| Node {
                shape: Shape::Table(members(source, table)),
                span: table.span().unwrap_or_else(|| key_span.clone()),
            });
            Some(Node { shape: Shape::List(items.collect()), span: key_span.clone() })
        }
    }
}

fn from_value(source: &str, value: &toml_edit::Value, span: Range<usize>) -> Node {
    let shape = match value {
        toml_edit::Value::String(text) => Shape::Text(text.value().clone()),
        toml_edit::Value::Integer(_) | toml_edit::Value::Float(_) => Shape::Number(written(source, &span)),
        toml_edit::Value::Boolean(truth) => Shape::Boolean(*truth.value()),
        toml_edit::Value::Datetime(_) => Shape::Date(written(source, &span)),
        toml_edit::Value::Array(items) => Shape::List(
            items.iter().map(|item| from_value(source, item, item.span().unwrap_or_else(|| span.clone()))).collect(),
        ),
        toml_edit::Value::InlineTable(table) => Shape::Table(members(source, table)),
    };
    Node { shape, span }
}

/// The text of a value in the source. A span outside the source cannot occur; it would give an empty text, which is
/// refused.
fn written(source: &str, span: &Range<usize>) -> String {
    source.get(span.clone()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<'a>(source: &'a str, node: &Node) -> &'a str {
        source.get(node.span.clone()).unwrap()
    }

    #[test]
    fn every_value_has_its_place() {
        let source = "a = 0.10\nb = [\"x\", { c = 2024-01-31 }]\n\n[d]\ne = true\n[[f]]\ng = '1'\n";
        let root = parse(source).unwrap();
        let Shape::Table(members) = &root.shape else { panic!("{root:?}") };
        let keys: Vec<&str> = members.iter().map(|member| source.get(member.key_span.clone()).unwrap()).collect();
        assert_eq!(keys, ["a", "b", "d", "f"]);
        let [a, b, d, f] = members.as_slice() else { panic!("{members:?}") };
        assert!(matches!(&a.value.shape, Shape::Number(text) if text == "0.10"));
        let Shape::List(items) = &b.value.shape else { panic!("{b:?}") };
        assert_eq!([said(source, &items[0]), said(source, &items[1])], ["\"x\"", "{ c = 2024-01-31 }"]);
        assert_eq!((said(source, &d.value), said(source, &f.value)), ("[d]", "f"));
        assert_eq!(f.value.shape.describe(), "a list of tables");
    }

    #[test]
    fn syntax_errors_have_a_place() {
        let SyntaxError { message, span } = parse("a = 1\nb = = 2\n").unwrap_err();
        assert!(!message.is_empty() && (6..12).contains(&span.start), "{message} {span:?}");
        assert!(parse(&"[".repeat(10_000)).is_err() && parse(&format!("a = {}", "[".repeat(10_000))).is_err());
    }
}
