//! JSON, by `serde_json`: raw values are slices of the source, which gives every value its line and every number its
//! text.

use super::error::{FileError, FileErrorKind, Place};
use super::tree::{Lines, Node, Shape};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The deepest nesting allowed: a mechanism needs four levels, and the recursion below needs a limit.
const DEEPEST: usize = 12;

pub(super) fn parse(source: &str) -> Result<Node, FileError> {
    let lines = Lines::of(source);
    let raw: &RawValue = serde_json::from_str(source).map_err(|error| syntax(&error, error.line()))?;
    Reader { source, lines }.node(raw, 0)
}

fn syntax(error: &serde_json::Error, line: usize) -> FileError {
    // serde_json appends the place, which is relative to the current value.
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    FileErrorKind::Syntax { format: "JSON", message }.at(Place::Line(line.max(1)))
}

struct Reader<'a> {
    source: &'a str,
    lines: Lines,
}

impl<'a> Reader<'a> {
    fn node(&self, raw: &'a RawValue, depth: usize) -> Result<Node, FileError> {
        let text = raw.get();
        let place = self.lines.place((text.as_ptr() as usize).saturating_sub(self.source.as_ptr() as usize));
        let fail = |error: serde_json::Error| syntax(&error, line(place));
        if depth > DEEPEST {
            return Err(FileErrorKind::Syntax { format: "JSON", message: "nested too deeply".to_owned() }.at(place));
        }
        let shape = match text.as_bytes().first() {
            Some(b'{') => {
                let Members(members) = serde_json::from_str(text).map_err(fail)?;
                let mut seen = std::collections::BTreeSet::new();
                let mut table = Vec::with_capacity(members.len());
                for (key, value) in members {
                    let value = self.node(value, depth + 1)?;
                    // Otherwise the last of two would silently replace the first.
                    if !seen.insert(key.clone()) {
                        return Err(FileErrorKind::RepeatedKey { key }.at(value.place));
                    }
                    table.push((key, value));
                }
                Shape::Table(table)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(fail)?;
                Shape::List(items.into_iter().map(|item| self.node(item, depth + 1)).collect::<Result<_, _>>()?)
            }
            Some(b'"') => Shape::Text(serde_json::from_str(text).map_err(fail)?),
            Some(b't' | b'f') => Shape::Other("a truth value"),
            Some(b'n') => Shape::Other("null"),
            _ => Shape::Number(text.to_owned()),
        };
        Ok(Node { shape, place })
    }
}

fn line(place: Place) -> usize {
    match place {
        Place::Line(number) | Place::Row(number) => number,
    }
}

/// A table with all its keys in the order of the file, including repeated ones.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AllVisitor;
        impl<'de> Visitor<'de> for AllVisitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(all)
            }
        }
        deserializer.deserialize_map(AllVisitor).map(Members)
    }
}
