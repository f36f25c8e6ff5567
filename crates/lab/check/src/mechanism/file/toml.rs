//! TOML: every value keeps its line, every number its text.

use super::error::{FileError, FileErrorKind};
use super::tree::{self, Lines};
use deniable_toml::{Node, Shape, SyntaxError};

pub(super) fn parse(source: &str) -> Result<tree::Node, FileError> {
    let lines = Lines::of(source);
    match deniable_toml::parse(source) {
        Ok(root) => Ok(node(&lines, root)),
        Err(SyntaxError { message, span }) => {
            // The message may have several lines; the first one contains the error.
            let message = message.lines().next().unwrap_or_default().to_owned();
            Err(FileErrorKind::Syntax { format: "TOML", message }.at(lines.place(span.start)))
        }
    }
}

/// The tree with lines as places. Types that a mechanism does not use become `Other`. The parser limits nesting, so the
/// recursion is limited too.
fn node(lines: &Lines, Node { shape, span }: Node) -> tree::Node {
    let shape = match shape {
        Shape::Text(text) => tree::Shape::Text(text),
        Shape::Number(text) => tree::Shape::Number(text),
        Shape::Boolean(_) => tree::Shape::Other("a truth value"),
        Shape::Date(_) => tree::Shape::Other("a date"),
        Shape::List(items) => tree::Shape::List(items.into_iter().map(|item| node(lines, item)).collect()),
        Shape::Table(members) => {
            let members = members.into_iter().map(|member| (member.key, node(lines, member.value)));
            tree::Shape::Table(members.collect())
        }
    };
    tree::Node { shape, place: lines.place(span.start) }
}
