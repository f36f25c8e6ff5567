//! The TOML of policies: the tree that they are read from, and values that are written into one.

pub(crate) use deniable_toml::{Member, Node, Shape, SyntaxError, Table, Value, key, parse, write};

use std::ops::Range;

/// The first byte of the content of a quoted text: after its quotes, and after the line break that TOML drops
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
