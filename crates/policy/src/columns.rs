//! `[columns]` and `[entity]`: what is publicly known about the columns, and whose rows belong together.

use crate::bounds::{Bounds, BoundsError};
use crate::data::{CsvOptions, Data, Format};
use crate::error::PolicyErrorKind;
use crate::reader::{Field, Read, Section, all, did_you_mean, shown};
use deniable_core::exact::{Rational, whole};
use deniable_core::sensitivity::Caps;
use std::collections::BTreeSet;

/// A column and the public facts about it. Nothing here is read from the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name, exactly as in the data; not empty.
    pub name: String,
    /// The declared type.
    pub kind: ColumnType,
    /// Where values are clamped; only on numbers. Whole numbers when `kind` is [`ColumnType::Integer`].
    pub bounds: Option<Bounds>,
    /// The groups that exist, each once, [`Key::Null`] last; never on decimals, never empty.
    pub keys: Option<Vec<Key>>,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Whole numbers of 64 bits.
    Integer,
    /// Numbers with a fraction.
    Decimal,
    /// Text.
    Text,
    /// True or false.
    Boolean,
}

impl ColumnType {
    /// Every type.
    pub const ALL: [Self; 4] = [Self::Integer, Self::Decimal, Self::Text, Self::Boolean];

    /// The name used in a policy.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::Text => "text",
            Self::Boolean => "boolean",
        }
    }

    /// Whether values are numbers.
    #[must_use]
    pub fn is_number(self) -> bool {
        match self {
            Self::Integer | Self::Decimal => true,
            Self::Text | Self::Boolean => false,
        }
    }
}

/// A declared group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Rows without a value.
    Null,
    /// Of a text column.
    Text(String),
    /// Of an integer column.
    Integer(i64),
    /// Of a boolean column.
    Boolean(bool),
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Text(text) => f.write_str(text),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Boolean(truth) => write!(f, "{truth}"),
        }
    }
}

/// Whose rows belong together, and how many of them count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// The declared column, integer or text, that names the entity.
    pub key: String,
    /// How many rows of one entity count (S-CAP).
    pub caps: Caps,
}

pub(crate) const KEYS: [&str; 5] = ["type", "bounds", "step", "keys", "null_key"];
pub(crate) const ENTITY_KEYS: [&str; 3] = ["key", "rows_per_group", "groups"];

/// Reads `[columns]`, in the order of the file. `data` is `None` when it could not be read.
pub(crate) fn read(section: &Section<'_>, data: Option<&Data>) -> Read<Vec<Column>> {
    let csv = match data.map(|data| &data.format) {
        Some(Format::Csv(options)) => Some(options),
        Some(Format::Parquet) | None => None,
    };
    all(section.fields().zip(section.names()).map(|(field, name)| read_column(&field, name, csv)))
}

fn read_column(field: &Field<'_>, name: &str, csv: Option<&CsvOptions>) -> Read<Column> {
    let named = if name.is_empty() || name.chars().any(char::is_control) {
        let kind = PolicyErrorKind::Text { key: shown(name), problem: "is no name for a column".to_owned() };
        Err(field.report.fail(&field.key_span, kind, "write the name as it stands in the data"))
    } else {
        Ok(())
    };
    let listed = in_file(field, name, csv);
    let section = field.section(&format!("[columns.{}]", field.key), &KEYS)?;
    let kind = section.need("type", "add `type = \"integer\"`").and_then(|field| column_type(&field))?;
    let bounds = read_bounds(&section, kind);
    let keys = read_keys(&section, kind, csv);
    named?;
    listed?;
    Ok(Column { name: name.to_owned(), kind, bounds: bounds?, keys: keys? })
}

/// A file without a header has the columns that `[data.csv]` lists, and no others.
fn in_file(field: &Field<'_>, name: &str, csv: Option<&CsvOptions>) -> Read<()> {
    match csv.and_then(|options| options.columns.as_ref()) {
        Some(listed) if !listed.iter().any(|column| column == name) => {
            let known: Vec<&str> = listed.iter().map(String::as_str).collect();
            let kind = PolicyErrorKind::NoColumn { column: field.key.clone(), list: "`columns` of [data.csv]" };
            Err(field.report.fail(&field.key_span, kind, did_you_mean(name, &known)))
        }
        _ => Ok(()),
    }
}

fn column_type(field: &Field<'_>) -> Read<ColumnType> {
    let text = field.text()?;
    ColumnType::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
        let help = did_you_mean(text, &ColumnType::ALL.map(ColumnType::name));
        field.bad_text(format!("= \"{}\" is not known", shown(text)), help)
    })
}

fn read_bounds(section: &Section<'_>, kind: ColumnType) -> Read<Option<Bounds>> {
    let (step, bounds) = (section.get("step"), section.get("bounds"));
    let (step, bounds) = (step?, bounds?);
    let Some(field) = bounds else {
        return match step {
            None => Ok(None),
            Some(step) => {
                let kind = PolicyErrorKind::Alone { key: "step", other: "bounds" };
                Err(step.fail(kind, "add `bounds = [low, high]`, or remove `step`"))
            }
        };
    };
    if !kind.is_number() {
        let kind = PolicyErrorKind::Misplaced { key: "bounds", when: "for a column that is not a number" };
        return Err(field.fail(kind, "declare `keys` for groups, or another `type`"));
    }
    let number = |field: &Field<'_>| {
        field.decided()?;
        match kind {
            ColumnType::Integer => field.integer().map(whole),
            _ => field.number(),
        }
    };
    let ends = all(field.list("a list of two numbers")?.iter().map(number))?;
    let Ok([low, high]) = <[Rational; 2]>::try_from(ends) else {
        return Err(field.wrong_type("a list of two numbers", "write `bounds = [low, high]`"));
    };
    let step = match step {
        Some(step) => number(&step)?,
        None if kind == ColumnType::Integer => whole(1),
        None => return Err(section.missing("step", "add `step = 0.01`: how finely the values of this column count")),
    };
    Bounds::new(low, high, step).map(Some).map_err(|error| {
        let key = if matches!(error, BoundsError::StepNotPositive(_) | BoundsError::StepDoesNotDivide { .. }) {
            "step"
        } else {
            "bounds"
        };
        let help = bounds_help(&error);
        // A default step has no place of its own.
        let place = if section.has(key) { key } else { "bounds" };
        section.report.fail(&section.place_of(place), error, help)
    })
}

fn bounds_help(error: &BoundsError) -> String {
    match error {
        BoundsError::Inverted { low, high } if low > high => format!("write `bounds = [{high}, {low}]`"),
        BoundsError::Inverted { .. } => "the bounds must leave room between them".to_owned(),
        BoundsError::StepNotPositive(_) => "write how far neighbouring values lie apart, above 0".to_owned(),
        BoundsError::StepDoesNotDivide { step, low, high } => {
            let steps = ((high - low) / step).floor();
            let (below, above) = (low + &steps * step, low + (steps + whole(1)) * step);
            let choice = if below > *low { format!("{below} or {above}") } else { above.to_string() };
            format!("use {choice} as the upper bound, or a step that divides {}", high - low)
        }
        BoundsError::TooFine { .. } => "use narrower bounds or a coarser step".to_owned(),
    }
}

fn read_keys(section: &Section<'_>, kind: ColumnType, csv: Option<&CsvOptions>) -> Read<Option<Vec<Key>>> {
    let null_key = section.optional("null_key", Field::boolean)?;
    let Some(field) = section.get("keys")? else {
        return match section.get("null_key")? {
            None => Ok(None),
            Some(null_key) => {
                let kind = PolicyErrorKind::Alone { key: "null_key", other: "keys" };
                Err(null_key.fail(kind, "add `keys = [...]`, or remove `null_key`"))
            }
        };
    };
    if kind == ColumnType::Decimal {
        let kind =
            PolicyErrorKind::Misplaced { key: "keys", when: "for decimals, which are not compared for equality" };
        return Err(field.fail(kind, "declare an integer or text column, or remove `keys`"));
    }
    let entries = field.list("a list of keys")?;
    if entries.is_empty() {
        let kind = PolicyErrorKind::EmptyList { key: field.key.clone() };
        return Err(field.fail(kind, "name at least one group, or remove `keys`"));
    }
    let mut seen = BTreeSet::new();
    let mut keys = all(entries.iter().map(|entry| {
        let key = read_key(entry, kind)?;
        if !seen.insert(key.clone()) {
            let kind = PolicyErrorKind::Repeated { what: format!("the key `{}`", shown(&key.to_string())) };
            return Err(entry.fail(kind, "remove it"));
        }
        can_occur(entry, &key, csv)?;
        Ok(key)
    }))?;
    if null_key == Some(true) {
        keys.push(Key::Null);
    }
    Ok(Some(keys))
}

fn read_key(entry: &Field<'_>, kind: ColumnType) -> Read<Key> {
    match kind {
        ColumnType::Integer => match &entry.node.shape {
            crate::tree::Shape::Number(_) => entry.integer().map(Key::Integer),
            _ => Err(entry.wrong_type("a whole number, as its column is", "")),
        },
        ColumnType::Boolean => entry.boolean().map(Key::Boolean),
        ColumnType::Text | ColumnType::Decimal => entry.text().map(|text| Key::Text(text.to_owned())),
    }
}

/// A key that the reading of the file turns into something else would be a group that is always empty.
fn can_occur(entry: &Field<'_>, key: &Key, csv: Option<&CsvOptions>) -> Read<()> {
    let Some(options) = csv else { return Ok(()) };
    let text = key.to_string();
    let dead = |why, help: String| {
        let kind = PolicyErrorKind::DeadKey { key: shown(&text), why };
        Err(entry.fail(kind, help))
    };
    if options.nulls.contains(&text) {
        let help = "write `null_key = true` instead, or take it out of `nulls` in [data.csv]";
        return dead("`nulls` of [data.csv] reads it as NULL", help.to_owned());
    }
    if options.trim && text.trim() != text {
        return dead("`trim` of [data.csv] drops the spaces around it", format!("write \"{}\"", shown(text.trim())));
    }
    Ok(())
}

/// Reads `[entity]`. Without columns its key cannot be looked up.
pub(crate) fn read_entity(field: &Field<'_>, columns: Read<&[Column]>) -> Read<Entity> {
    let section = field.section("[entity]", &ENTITY_KEYS)?;
    let key = section.need("key", "add `key = \"patient\"`").and_then(|field| entity_key(&field, columns));
    let rows = section.need("rows_per_group", "add `rows_per_group = 1`").and_then(|field| field.count());
    let groups = section.need("groups", "add `groups = 1`").and_then(|field| field.count());
    Ok(Entity { key: key?, caps: Caps { rows_per_group: rows?, groups: groups? } })
}

fn entity_key(field: &Field<'_>, columns: Read<&[Column]>) -> Read<String> {
    let key = field.text()?;
    let columns = columns?;
    match columns.iter().find(|column| column.name == key).map(|column| column.kind) {
        Some(ColumnType::Integer | ColumnType::Text) => Ok(key.to_owned()),
        Some(ColumnType::Decimal | ColumnType::Boolean) => {
            Err(field.bad_text("names a column that is neither integer nor text", "declare it as `type = \"text\"`"))
        }
        None => {
            let known: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
            let kind = PolicyErrorKind::NoColumn { column: shown(key), list: "[columns]" };
            let help =
                if known.is_empty() { format!("add `[columns.{}]`", shown(key)) } else { did_you_mean(key, &known) };
            Err(field.fail(kind, help))
        }
    }
}
