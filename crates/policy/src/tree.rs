//! The TOML document as a small tree in which every value remembers its place.
//!
//! Only this file knows `toml_edit`. Numbers stay the text that was written: nothing here, or after it, reads
//! a number through a float.

use deniable_core::text::is_hidden;
use std::ops::Range;
use toml_edit::{Item, TableLike, Value};

/// One value and where it stands, in bytes of the source.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) shape: Shape,
    /// The value itself; for a table its header, for a dotted table its key.
    pub(crate) span: Range<usize>,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Shape {
    Text(String),
    /// An integer or float, as written.
    Number(String),
    Boolean(bool),
    /// A date, a time or both, as written.
    Date(String),
    List(Vec<Node>),
    /// The members in the order of the file.
    Table(Vec<Member>),
}

/// One key of a table.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) value: Node,
}

impl Shape {
    /// For error messages: "expected a number, found ...".
    pub(crate) fn describe(&self) -> &'static str {
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

/// A text that is not TOML: what is wrong, and where.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    pub(crate) message: String,
    pub(crate) span: Range<usize>,
}

/// Parses a whole document. Nesting is limited by `toml_edit`, so the recursion below is too.
pub(crate) fn parse(source: &str) -> Result<Node, SyntaxError> {
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

fn from_value(source: &str, value: &Value, span: Range<usize>) -> Node {
    let shape = match value {
        Value::String(text) => Shape::Text(text.value().clone()),
        Value::Integer(_) | Value::Float(_) => Shape::Number(written(source, &span)),
        Value::Boolean(truth) => Shape::Boolean(*truth.value()),
        Value::Datetime(_) => Shape::Date(written(source, &span)),
        Value::Array(items) => Shape::List(
            items.iter().map(|item| from_value(source, item, item.span().unwrap_or_else(|| span.clone()))).collect(),
        ),
        Value::InlineTable(table) => Shape::Table(members(source, table)),
    };
    Node { shape, span }
}

/// A text as a value of TOML, in which whatever is not seen is escaped.
pub(crate) fn quoted(text: &str) -> String {
    // What ASCII has of it the library escapes, in shorter words.
    if !text.contains(|c: char| is_hidden(c) && !c.is_ascii()) {
        return Value::from(text).to_string();
    }
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

/// A name as a key of TOML, in quotes where it needs them.
pub(crate) fn quoted_key(name: &str) -> String {
    toml_edit::Key::new(name).to_string()
}

/// A value as it stands in the source. A span outside cannot be; the empty text would be refused, never guessed.
fn written(source: &str, span: &Range<usize>) -> String {
    source.get(span.clone()).unwrap_or_default().to_owned()
}

/// Where the content of a quoted text begins: after its quotes, and after the line break that TOML drops
/// behind `"""`.
pub(crate) fn text_start(source: &str, span: &Range<usize>) -> usize {
    let raw = source.get(span.clone()).unwrap_or_default();
    let skipped = match ["\"\"\"\r\n", "'''\r\n", "\"\"\"\n", "'''\n", "\"\"\"", "'''"]
        .into_iter()
        .find(|opening| raw.starts_with(opening))
    {
        Some(opening) => opening.len(),
        None => 1,
    };
    span.start + skipped
}
