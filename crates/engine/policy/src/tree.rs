//! The TOML of policies: the tree that they are read from, and texts as they are written into one.

pub(crate) use deniable_toml::{Member, Node, Shape, SyntaxError, parse};

use deniable_core::text::is_hidden;
use std::ops::Range;
use toml_edit::Value;

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
