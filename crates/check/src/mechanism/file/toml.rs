//! TOML, by `toml_edit`: every value keeps its place, every number its text.

use super::error::{FileError, FileErrorKind};
use super::tree::{Lines, Node, Shape};
use std::ops::Range;
use toml_edit::{Item, TableLike, Value};

/// Parses a whole document. Nesting is limited by `toml_edit`, so the recursion below is too.
pub(super) fn parse(source: &str) -> Result<Node, FileError> {
    let lines = Lines::of(source);
    let reader = Reader { source, lines };
    match toml_edit::Document::parse(source) {
        Ok(document) => Ok(reader.table(document.as_table(), 0..0)),
        Err(error) => {
            let at = error.span().map_or(source.len(), |span| span.start);
            // The message of `toml_edit` may have several lines; the first says what is wrong.
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            Err(FileErrorKind::Syntax { format: "TOML", message }.at(reader.lines.place(at)))
        }
    }
}

struct Reader<'a> {
    source: &'a str,
    lines: Lines,
}

impl Reader<'_> {
    fn node(&self, shape: Shape, span: &Range<usize>) -> Node {
        Node { shape, place: self.lines.place(span.start) }
    }

    fn table(&self, table: &dyn TableLike, span: Range<usize>) -> Node {
        let members = table.iter().filter_map(|(key, item)| {
            let at = table.key(key).and_then(toml_edit::Key::span).or(item.span()).unwrap_or_else(|| span.clone());
            Some((key.to_owned(), self.item(item, at)?))
        });
        self.node(Shape::Table(members.collect()), &span)
    }

    fn item(&self, item: &Item, key: Range<usize>) -> Option<Node> {
        let span = item.span().unwrap_or_else(|| key.clone());
        match item {
            Item::None => None,
            Item::Value(value) => Some(self.value(value, span)),
            Item::Table(table) => Some(self.table(table, span)),
            Item::ArrayOfTables(tables) => {
                let items = tables.iter().map(|table| self.table(table, table.span().unwrap_or_else(|| key.clone())));
                Some(self.node(Shape::List(items.collect()), &key))
            }
        }
    }

    fn value(&self, value: &Value, span: Range<usize>) -> Node {
        let shape = match value {
            Value::String(text) => Shape::Text(text.value().clone()),
            // As it stands in the source; a span outside cannot be, and the empty text would be refused.
            Value::Integer(_) | Value::Float(_) => {
                Shape::Number(self.source.get(span.clone()).unwrap_or_default().to_owned())
            }
            Value::Boolean(_) => Shape::Other("a truth value"),
            Value::Datetime(_) => Shape::Other("a date"),
            Value::Array(items) => {
                let item = |item: &Value| self.value(item, item.span().unwrap_or_else(|| span.clone()));
                Shape::List(items.iter().map(item).collect())
            }
            Value::InlineTable(table) => return self.table(table, span),
        };
        self.node(shape, &span)
    }
}
