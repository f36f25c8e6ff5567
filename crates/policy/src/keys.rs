//! `keys`, `null_key` and `other` of a column: which groups there are, and what is shown in their place.

use crate::columns::Home;
use crate::error::PolicyErrorKind;
use crate::reader::{Field, Read, Section, all, shown};
use crate::tree::Shape;
use deniable_core::schema::{ColumnType, Key};
use deniable_core::text::is_hidden;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What stands in tables where a row is about all keys: no label may say the same.
const ALL: &str = "(all)";

/// The groups of a column.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) keys: Option<Vec<Key>>,
    pub(crate) labels: BTreeMap<Key, String>,
}

/// A declared key, where it stands, and its label with its own place.
struct Entry<'a> {
    key: Key,
    span: Range<usize>,
    label: Option<Field<'a>>,
}

/// Reads the groups of a column: `keys` as a list, or as a table of labels, and beside them `null_key` and `other`.
pub(crate) fn read(section: &Section<'_>, kind: ColumnType, home: Home<'_>) -> Read<Declared> {
    let (null, other) = (section.get("null_key"), section.get("other"));
    let (null, other) = (null?, other?);
    let Some(field) = section.get("keys")? else {
        let alone = |field: &Field<'_>, key| {
            let kind = PolicyErrorKind::Alone { key, other: "keys" };
            Err(field.fail(kind, format!("add `keys = [...]`, or remove `{key}`")))
        };
        return match (null, other) {
            (Some(null), _) => alone(&null, "null_key"),
            (None, Some(other)) => alone(&other, "other"),
            (None, None) => Ok(Declared::default()),
        };
    };
    may_have_keys(&field, kind)?;
    let entries = entries(&field, kind)?;
    if entries.is_empty() {
        let kind = PolicyErrorKind::EmptyList { key: field.key.clone() };
        return Err(field.fail(kind, "name at least one group, or remove `keys`"));
    }
    let mut groups = Groups::default();
    // Whatever else is wrong is told as well.
    let listed = all(entries.into_iter().map(|entry| groups.add(entry, field.report, home)));
    let null = null.map_or(Ok(()), |null| groups.add_null(&null));
    let other = other.map_or(Ok(()), |other| groups.add_other(&other, kind));
    listed?;
    null?;
    other?;
    Ok(Declared { keys: Some(groups.keys), labels: groups.labels })
}

fn may_have_keys(field: &Field<'_>, kind: ColumnType) -> Read<()> {
    let misplaced = |when, help: &str| Err(field.fail(PolicyErrorKind::Misplaced { key: "keys", when }, help));
    match kind {
        ColumnType::Decimal => misplaced(
            "for decimals, which are not compared for equality",
            "declare an integer or text column, or remove `keys`",
        ),
        ColumnType::Date | ColumnType::Timestamp => misplaced(
            "for dates and timestamps, of which there are too many",
            "group by date_trunc('month', x) or extract(year FROM x)",
        ),
        ColumnType::Integer | ColumnType::Text | ColumnType::Boolean => Ok(()),
    }
}

fn entries<'a>(field: &Field<'a>, kind: ColumnType) -> Read<Vec<Entry<'a>>> {
    if !matches!(field.node.shape, Shape::Table(_)) {
        let listed = field.list("a list of keys, or a table of keys with their labels")?;
        return all(listed
            .iter()
            .map(|entry| Ok(Entry { key: listed_key(entry, kind)?, span: entry.node.span.clone(), label: None })));
    }
    let section = Section::open_free(field.report, "keys", field.node)?;
    all(section.fields().zip(section.names()).map(|(label, name)| {
        let span = label.key_span.clone();
        let key = named_key(name, kind).ok_or_else(|| {
            let (what, help) = match kind {
                ColumnType::Boolean => ("neither true nor false", "write true = \"yes\", false = \"no\""),
                _ => ("no whole number", "write the number as it stands in the data, as in \"1\" = \"women\""),
            };
            let problem = format!("has a key `{}` that is {what}, as its column is", label.key);
            field.report.fail(&span, PolicyErrorKind::Text { key: field.key.clone(), problem }, help)
        })?;
        Ok(Entry { key, span, label: Some(label) })
    }))
}

/// A key of a list, in the type of its column.
fn listed_key(entry: &Field<'_>, kind: ColumnType) -> Read<Key> {
    match kind {
        ColumnType::Integer => match &entry.node.shape {
            Shape::Number(_) => entry.integer().map(Key::Integer),
            _ => Err(entry.wrong_type("a whole number, as its column is", "")),
        },
        ColumnType::Boolean => entry.boolean().map(Key::Boolean),
        // Columns of the other types were refused: they have no keys.
        ColumnType::Text | ColumnType::Decimal | ColumnType::Date | ColumnType::Timestamp => {
            entry.text().map(|text| Key::Text(text.to_owned()))
        }
    }
}

/// A key in front of its label, which TOML has as a text whatever it is; `None` where it is not of the column's type.
fn named_key(name: &str, kind: ColumnType) -> Option<Key> {
    match kind {
        ColumnType::Integer => name.parse().ok().map(Key::Integer),
        ColumnType::Boolean => name.parse().ok().map(Key::Boolean),
        ColumnType::Text | ColumnType::Decimal | ColumnType::Date | ColumnType::Timestamp => {
            Some(Key::Text(name.to_owned()))
        }
    }
}

/// Groups as they are found.
#[derive(Default)]
struct Groups {
    keys: Vec<Key>,
    labels: BTreeMap<Key, String>,
    /// What is shown of the groups so far.
    shown: BTreeSet<String>,
}

impl Groups {
    fn add(&mut self, entry: Entry<'_>, report: &crate::reader::Report<'_>, home: Home<'_>) -> Read<()> {
        let Entry { key, span, label } = entry;
        if self.keys.contains(&key) {
            let kind = PolicyErrorKind::Repeated { what: format!("the key `{}`", shown(&key.to_string())) };
            return Err(report.fail(&span, kind, "remove it"));
        }
        if let Some((kind, help)) = cannot_occur(&key, home) {
            return Err(report.fail(&span, kind, help));
        }
        match label {
            Some(label) => self.label(key.clone(), &label)?,
            None => drop(self.shown.insert(key.to_string())),
        }
        self.keys.push(key);
        Ok(())
    }

    /// `true`, `false`, or the label of the group.
    fn add_null(&mut self, field: &Field<'_>) -> Read<()> {
        match &field.node.shape {
            Shape::Boolean(false) => return Ok(()),
            Shape::Boolean(true) => drop(self.shown.insert(Key::Null.to_string())),
            Shape::Text(_) => self.label(Key::Null, field)?,
            _ => return Err(field.wrong_type("true or false, or the label of the group", "")),
        }
        self.keys.push(Key::Null);
        Ok(())
    }

    /// The label of the group of all other values.
    fn add_other(&mut self, field: &Field<'_>, kind: ColumnType) -> Read<()> {
        if kind == ColumnType::Boolean {
            let kind = PolicyErrorKind::Misplaced { key: "other", when: "for a boolean column, which has two values" };
            return Err(field.fail(kind, "list both among `keys`, or remove `other`"));
        }
        self.label(Key::Other, field)?;
        self.keys.push(Key::Other);
        Ok(())
    }

    /// Takes a label: a line of text that tells its group from all others.
    fn label(&mut self, key: Key, field: &Field<'_>) -> Read<()> {
        field.decided()?;
        if !matches!(field.node.shape, Shape::Text(_)) {
            return Err(field.wrong_type("the label that is shown, a text in quotes", ""));
        }
        let label = field.line()?;
        if label.contains(is_hidden) {
            return Err(field.bad_text("has characters that are not seen", "write the label without them"));
        }
        if label == ALL {
            return Err(field.bad_text("is what stands for all groups together", "choose another label"));
        }
        if !self.shown.insert(label.to_owned()) {
            let kind = PolicyErrorKind::Repeated { what: format!("the label `{}`", shown(label)) };
            return Err(field.fail(kind, "two groups would look alike; choose another label"));
        }
        self.labels.insert(key, label.to_owned());
        Ok(())
    }
}

/// Why a group would always be empty: the reading of the file turns the key into something else.
fn cannot_occur(key: &Key, home: Home<'_>) -> Option<(PolicyErrorKind, String)> {
    let options = home.csv()?;
    let (text, csv) = (key.to_string(), home.names.csv());
    let dead = |why: String, help: String| Some((PolicyErrorKind::DeadKey { key: shown(&text), why }, help));
    if options.nulls.contains(&text) {
        let help = format!("write `null_key = true` instead, or take it out of `nulls` in [{csv}]");
        return dead(format!("`nulls` of [{csv}] reads it as NULL"), help);
    }
    if options.trim && text.trim() != text {
        let help = format!("write \"{}\"", shown(text.trim()));
        return dead(format!("`trim` of [{csv}] drops the spaces around it"), help);
    }
    None
}
