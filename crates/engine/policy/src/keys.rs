//! `keys` (or `keys_from`), `null_key` and `other` of a column: its groups, and their labels.

use crate::columns::Home;
use crate::data::Names;
use crate::error::PolicyErrorKind;
use crate::reader::{Field, ReadResult, Section, all, did_you_mean, shown};
use crate::tree::Shape;
use crate::within;
use deniable_core::schema::{ALL, Column, ColumnType, DeclaredTable, Key, KeysFrom, Role};
use deniable_core::text::is_hidden;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The keys of `keys_from`.
pub(crate) const SOURCE: [&str; 3] = ["table", "column", "label"];

/// The groups of a column.
#[derive(Debug, Default)]
pub(crate) struct DeclaredKeys {
    pub(crate) keys: Option<Vec<Key>>,
    pub(crate) from: Option<KeysFrom>,
    pub(crate) labels: BTreeMap<Key, String>,
}

/// A declared key with its position, and its label with its own position.
struct Entry<'a> {
    key: Key,
    span: Range<usize>,
    label: Option<Field<'a>>,
}

/// Reads the groups of a column: `keys` as a list, or as a table of labels, or `keys_from`, and beside them `null_key`
/// and `other`.
pub(crate) fn read(section: &Section<'_>, kind: ColumnType, home: Home<'_>) -> ReadResult<DeclaredKeys> {
    let (null, other) = (section.get("null_key"), section.get("other"));
    let (null, other) = (null?, other?);
    let (listed, from) = (section.get("keys"), section.get("keys_from"));
    let (listed, from) = (listed?, from?);
    if let (Some(_), Some(from)) = (&listed, &from) {
        let kind = PolicyErrorKind::Misplaced { key: "keys_from", when: "beside `keys`" };
        return Err(from.report.fail(&from.key_span, kind, "remove one of them"));
    }
    if let Some(from) = from {
        return read_from(&from, kind, null.as_ref(), other.as_ref());
    }
    let Some(field) = listed else {
        if let (Some(null), None, ColumnType::Boolean) = (&null, &other, kind) {
            return both_and_null(null);
        }
        let alone = |field: &Field<'_>, key| {
            let kind = PolicyErrorKind::Alone { key, other: "keys" };
            Err(field.fail(kind, format!("add `keys = [...]`, or remove `{key}`")))
        };
        return match (null, other) {
            (Some(null), _) => alone(&null, "null_key"),
            (None, Some(other)) => alone(&other, "other"),
            (None, None) => Ok(DeclaredKeys::default()),
        };
    };
    may_have_keys(&field, kind)?;
    let entries = entries(&field, kind)?;
    if entries.is_empty() {
        let kind = PolicyErrorKind::EmptyList { key: field.key.clone() };
        return Err(field.fail(kind, "name at least one group, or remove `keys`"));
    }
    let mut groups = Groups::default();
    // All further errors are reported as well.
    let listed = all(entries.into_iter().map(|entry| groups.add(entry, field.report, home)));
    let null = null.map_or(Ok(()), |null| groups.add_null(&null));
    let other = other.map_or(Ok(()), |other| groups.add_other(&other, kind));
    listed?;
    null?;
    other?;
    Ok(DeclaredKeys { keys: Some(groups.keys), from: None, labels: groups.labels })
}

/// The keys of a boolean column that declares `null_key` alone: both truth values are known.
fn both_and_null(null: &Field<'_>) -> ReadResult<DeclaredKeys> {
    let keys = vec![Key::Boolean(false), Key::Boolean(true)];
    let shown = keys.iter().map(ToString::to_string).collect();
    let mut groups = Groups { keys, shown, labels: BTreeMap::new() };
    groups.add_null(null)?;
    let keys = Some(groups.keys).filter(|keys| keys.contains(&Key::Null));
    Ok(DeclaredKeys { keys, from: None, labels: groups.labels })
}

/// `{ table = "regions", column = "code", label = "name" }`. The names are validated by [`check_sources`] when all
/// tables are read.
fn read_from(
    field: &Field<'_>,
    kind: ColumnType,
    null: Option<&Field<'_>>,
    other: Option<&Field<'_>>,
) -> ReadResult<DeclaredKeys> {
    if !matches!(kind, ColumnType::Integer | ColumnType::Text) {
        let kind =
            PolicyErrorKind::Misplaced { key: "keys_from", when: "for a column that is neither an integer nor a text" };
        return Err(field.fail(kind, "remove it, or declare another `type`"));
    }
    let section = field.section("keys_from", &SOURCE)?;
    let text = |field: &Field<'_>| field.text().map(str::to_owned);
    let table = section
        .need("table", "add `table = \"regions\"`, a table that is `unprotected`")
        .and_then(|field| text(&field));
    let column =
        section.need("column", "add `column = \"code\"`, the column with the keys").and_then(|field| text(&field));
    let label = section.optional("label", text);
    let mut groups = Groups::default();
    let null = null.map_or(Ok(()), |null| groups.add_null(null));
    let other = other.map_or(Ok(()), |other| groups.add_other(other, kind));
    null?;
    other?;
    let from = KeysFrom { table: table?, column: column?, label: label?, further: groups.keys, parents: Vec::new() };
    Ok(DeclaredKeys { keys: None, from: Some(from), labels: groups.labels })
}

/// Checks that the tables and columns of `keys_from` exist, and are public and of the right types. `table` is open.
pub(crate) fn check_sources(
    table: &Section<'_>,
    names: &Names,
    columns: &[Column],
    more: &[DeclaredTable],
) -> ReadResult<()> {
    let Some(field) = table.get("columns")? else { return Ok(()) };
    let section = Section::open_free(field.report, &format!("[{}]", names.columns), field.node)?;
    within::check_names(&section, columns)?;
    let checked = section.fields().zip(columns).map(|(field, column)| {
        let Some(from) = &column.keys_from else { return Ok(()) };
        let section = Section::open_free(field.report, &format!("[{}.{}]", names.columns, field.key), field.node)?;
        let Some(field) = section.get("keys_from")? else { return Ok(()) };
        let section = Section::open_free(field.report, "keys_from", field.node)?;
        check_source(&section, column, from, more)
    });
    all(checked).map(drop)
}

fn check_source(section: &Section<'_>, column: &Column, from: &KeysFrom, more: &[DeclaredTable]) -> ReadResult<()> {
    let fail = |key: &str, problem: String, help: String| {
        let kind = PolicyErrorKind::Text { key: key.to_owned(), problem };
        Err(section.report.fail(&section.place_of(key), kind, help))
    };
    let public: Vec<&DeclaredTable> = more.iter().filter(|table| matches!(table.role, Role::Public { .. })).collect();
    let Some(table) = public.iter().find(|table| table.data.table == from.table) else {
        let known: Vec<&str> = public.iter().map(|table| table.data.table.as_str()).collect();
        let help = match known.is_empty() {
            true => {
                "declare it in [tables.NAME], with `unprotected = true`: keys must not be taken from rows about people"
                    .to_owned()
            }
            false => did_you_mean(&from.table, &known),
        };
        return fail("table", format!("= \"{}\" is not an `unprotected` table", shown(&from.table)), help);
    };
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let keys = [("column", &from.column, column.kind)].into_iter();
    let label = from.label.iter().map(|label| ("label", label, ColumnType::Text));
    let parents = from.parents.iter().map(|parent| ("within", parent, ColumnType::Text));
    for (key, name, kind) in keys.chain(label).chain(parents) {
        match table.columns.iter().find(|known| known.name == *name) {
            None => {
                let problem = format!("= \"{}\" is not a declared column of `{}`", shown(name), from.table);
                return fail(key, problem, did_you_mean(name, &names));
            }
            Some(known) if known.kind != kind => {
                let problem = format!("= \"{}\" is {}, and must be {}", shown(name), known.kind.name(), kind.name());
                return fail(
                    key,
                    problem,
                    "declare both with the same `type`, and labels and what keys lie within as text".to_owned(),
                );
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn may_have_keys(field: &Field<'_>, kind: ColumnType) -> ReadResult<()> {
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

fn entries<'a>(field: &Field<'a>, kind: ColumnType) -> ReadResult<Vec<Entry<'a>>> {
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
                _ => ("not a whole number", "write the number as in the data, as in \"1\" = \"women\""),
            };
            let problem = format!("has a key `{}` that is {what}, unlike the values of its column", label.key);
            field.report.fail(&span, PolicyErrorKind::Text { key: field.key.clone(), problem }, help)
        })?;
        Ok(Entry { key, span, label: Some(label) })
    }))
}

/// A key of a list, of the column's type.
fn listed_key(entry: &Field<'_>, kind: ColumnType) -> ReadResult<Key> {
    match kind {
        ColumnType::Integer => match &entry.node.shape {
            Shape::Number(_) => entry.integer().map(Key::Integer),
            _ => Err(entry.wrong_type("a whole number, as its column is", "")),
        },
        ColumnType::Boolean => entry.boolean().map(Key::Boolean),
        // Columns of the other types were refused before.
        ColumnType::Text | ColumnType::Decimal | ColumnType::Date | ColumnType::Timestamp => {
            entry.text().map(|text| Key::Text(text.to_owned()))
        }
    }
}

/// A key in front of its label or its parent, which is always a text in TOML; `None` if it is not of the column's type.
pub(crate) fn named_key(name: &str, kind: ColumnType) -> Option<Key> {
    match kind {
        ColumnType::Integer => name.parse().ok().map(Key::Integer),
        ColumnType::Boolean => name.parse().ok().map(Key::Boolean),
        ColumnType::Text | ColumnType::Decimal | ColumnType::Date | ColumnType::Timestamp => {
            Some(Key::Text(name.to_owned()))
        }
    }
}

/// The groups read so far.
#[derive(Default)]
struct Groups {
    keys: Vec<Key>,
    labels: BTreeMap<Key, String>,
    /// The labels of the groups so far.
    shown: BTreeSet<String>,
}

impl Groups {
    fn add(&mut self, entry: Entry<'_>, report: &crate::reader::Report<'_>, home: Home<'_>) -> ReadResult<()> {
        let Entry { key, span, label } = entry;
        if self.keys.contains(&key) {
            let kind = PolicyErrorKind::Repeated { what: format!("key `{}`", shown(&key.to_string())) };
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
    fn add_null(&mut self, field: &Field<'_>) -> ReadResult<()> {
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
    fn add_other(&mut self, field: &Field<'_>, kind: ColumnType) -> ReadResult<()> {
        if kind == ColumnType::Boolean {
            let kind = PolicyErrorKind::Misplaced { key: "other", when: "for a boolean column, which has two values" };
            return Err(field.fail(kind, "list both among `keys`, or remove `other`"));
        }
        self.label(Key::Other, field)?;
        self.keys.push(Key::Other);
        Ok(())
    }

    /// Takes a label: a line of text that distinguishes its group from all others.
    fn label(&mut self, key: Key, field: &Field<'_>) -> ReadResult<()> {
        field.decided()?;
        if !matches!(field.node.shape, Shape::Text(_)) {
            return Err(field.wrong_type("the label that is shown, a text in quotes", ""));
        }
        let label = field.line()?;
        if label.contains(is_hidden) {
            return Err(field.bad_text("has invisible characters", "write the label without them"));
        }
        if label == ALL {
            return Err(field.bad_text("is reserved for the total of all groups", "choose another label"));
        }
        if !self.shown.insert(label.to_owned()) {
            let kind = PolicyErrorKind::Repeated { what: format!("label `{}`", shown(label)) };
            return Err(field.fail(kind, "two groups would look alike; choose another label"));
        }
        self.labels.insert(key, label.to_owned());
        Ok(())
    }
}

/// The reason why a group would always be empty: the reading of the file changes the key.
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
