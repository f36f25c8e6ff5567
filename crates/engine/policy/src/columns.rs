//! `[columns]`: the publicly known facts about the columns.

use crate::data::Names;
use crate::dates;
use crate::error::PolicyErrorKind;
use crate::keys::{self, DeclaredKeys};
use crate::reader::{Field, ReadResult, Section, all, did_you_mean, shown};
use crate::within;
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::CsvOptions;
use deniable_core::schema::Format;
use deniable_core::schema::{Bounds, BoundsError, Column, ColumnType, has_short_year};
use deniable_core::zone::Zone;

pub(crate) const KEYS: [&str; 15] = [
    "type",
    "bounds",
    "step",
    "keys",
    "keys_from",
    "null_key",
    "other",
    "within",
    "format",
    "pivot",
    "zone",
    "typical",
    "typical_spread",
    "label",
    "unit",
];

/// The context for validating columns: the names for messages, and the format if it could be read.
#[derive(Clone, Copy)]
pub(crate) struct Home<'a> {
    pub(crate) names: &'a Names,
    pub(crate) format: Option<&'a Format>,
}

impl<'a> Home<'a> {
    pub(crate) fn csv(self) -> Option<&'a CsvOptions> {
        match self.format {
            Some(Format::Csv(options)) => Some(options),
            Some(Format::Parquet | Format::Postgres { .. } | Format::Engine { .. }) | None => None,
        }
    }
}

/// Reads `columns` of a table, in the order of the file; empty for a table without it.
pub(crate) fn read(table: &Section<'_>, home: Home<'_>) -> ReadResult<Vec<Column>> {
    let Some(field) = table.get("columns")? else { return Ok(Vec::new()) };
    let section = Section::open_free(field.report, &format!("[{}]", home.names.columns), field.node)?;
    all(section.fields().zip(section.names()).map(|(field, name)| read_column(&field, name, home)))
}

fn read_column(field: &Field<'_>, name: &str, home: Home<'_>) -> ReadResult<Column> {
    let named = if name.is_empty() || name.chars().any(char::is_control) {
        let kind = PolicyErrorKind::Text { key: shown(name), problem: "is not a valid column name".to_owned() };
        Err(field.report.fail(&field.key_span, kind, "write the name as in the data"))
    } else {
        Ok(())
    };
    let listed = in_file(field, name, home);
    let section = field.section(&format!("[{}.{}]", home.names.columns, field.key), &KEYS)?;
    let kind = section.need("type", "add `type = \"integer\"`").and_then(|field| column_type(&field))?;
    let bounds = read_bounds(&section, kind);
    let keys = keys::read(&section, kind, home);
    let format = read_format(&section, kind, home);
    let pivot = read_pivot(&section);
    let zone = read_zone(&section, kind, home);
    named?;
    listed?;
    let mut keys = keys?;
    let parents = within::read(&section, kind, &mut keys)?;
    let DeclaredKeys { keys, from: keys_from, labels } = keys;
    Ok(Column {
        bounds: bounds?,
        keys,
        keys_from,
        labels,
        parents,
        format: format?,
        pivot: pivot?,
        zone: zone?,
        ..Column::new(name, kind)
    })
}

/// A file without a header has the columns that `[data.csv]` lists, and no others.
fn in_file(field: &Field<'_>, name: &str, home: Home<'_>) -> ReadResult<()> {
    match home.csv().and_then(|options| options.columns.as_ref()) {
        Some(listed) if !listed.iter().any(|column| column == name) => {
            let known: Vec<&str> = listed.iter().map(String::as_str).collect();
            let list = format!("`columns` of [{}]", home.names.csv());
            let kind = PolicyErrorKind::NoColumn { column: field.key.clone(), list };
            Err(field.report.fail(&field.key_span, kind, did_you_mean(name, &known)))
        }
        _ => Ok(()),
    }
}

fn column_type(field: &Field<'_>) -> ReadResult<ColumnType> {
    let text = field.text()?;
    ColumnType::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
        let help = did_you_mean(text, &ColumnType::ALL.map(ColumnType::name));
        field.bad_text(format!("= \"{}\" is not known", shown(text)), help)
    })
}

fn read_bounds(section: &Section<'_>, kind: ColumnType) -> ReadResult<Option<Bounds>> {
    let (step, bounds) = (section.get("step"), section.get("bounds"));
    let (step, bounds) = (step?, bounds?);
    if let Some(step) = step.as_ref().filter(|_| kind.is_time()) {
        let kind = PolicyErrorKind::Misplaced { key: "step", when: "for dates and timestamps" };
        let help = "remove it: dates count in whole days, timestamps in whole microseconds";
        return Err(section.report.fail(&step.key_span, kind, help));
    }
    let Some(field) = bounds else {
        return match step {
            None => Ok(None),
            Some(step) => {
                let kind = PolicyErrorKind::Alone { key: "step", other: "bounds" };
                Err(step.fail(kind, "add `bounds = [low, high]`, or remove `step`"))
            }
        };
    };
    if kind.is_time() {
        return dates::read_bounds(&field, kind).map(Some);
    }
    if !kind.is_number() {
        let kind =
            PolicyErrorKind::Misplaced { key: "bounds", when: "for a column that is neither a number nor a date" };
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
        // A default step has no position in the file.
        let place = if section.has(key) { key } else { "bounds" };
        section.report.fail(&section.place_of(place), error, help)
    })
}

fn bounds_help(error: &BoundsError) -> String {
    match error {
        BoundsError::Inverted { low, high } if low > high => format!("write `bounds = [{high}, {low}]`"),
        BoundsError::Inverted { .. } => "the bounds must leave room between them".to_owned(),
        BoundsError::StepNotPositive(_) => "write the distance between neighbouring values, above 0".to_owned(),
        BoundsError::StepDoesNotDivide { step, low, high } => {
            let steps = ((high - low) / step).floor();
            let (below, above) = (low + &steps * step, low + (steps + whole(1)) * step);
            let choice = if below > *low { format!("{below} or {above}") } else { above.to_string() };
            format!("use {choice} as the upper bound, or a step that divides {}", high - low)
        }
        BoundsError::TooFine { .. } => "use narrower bounds or a coarser step".to_owned(),
    }
}

fn read_format(section: &Section<'_>, kind: ColumnType, home: Home<'_>) -> ReadResult<Option<String>> {
    let Some(field) = section.get("format")? else { return Ok(None) };
    let misplaced = |when, help| {
        let kind = PolicyErrorKind::Misplaced { key: "format", when };
        Err(field.report.fail(&field.key_span, kind, help))
    };
    if !kind.is_time() {
        return misplaced(
            "for a column that is neither a date nor a timestamp",
            "remove it, or declare another `type`",
        );
    }
    match home.format {
        Some(Format::Parquet) => return misplaced("in Parquet, which stores dates as such", "remove it"),
        Some(Format::Postgres { .. }) => return misplaced("in PostgreSQL, which stores dates as such", "remove it"),
        Some(Format::Engine { .. }) => return misplaced("in an engine, which stores dates as such", "remove it"),
        Some(Format::Csv(_)) | None => {}
    }
    dates::read_format(&field, kind).map(Some)
}

/// The last year that two digits may mean.
fn read_pivot(section: &Section<'_>) -> ReadResult<Option<i16>> {
    let Some(field) = section.get("pivot")? else { return Ok(None) };
    let pattern = section.get("format")?.map(|format| format.text().map(str::to_owned)).transpose()?;
    if !pattern.as_deref().is_some_and(has_short_year) {
        let kind =
            PolicyErrorKind::Misplaced { key: "pivot", when: "without a `format` that has years of two digits, %y" };
        return Err(field.report.fail(&field.key_span, kind, "remove it"));
    }
    if ["%a", "%A", "%u", "%w"]
        .iter()
        .any(|weekday| pattern.as_deref().is_some_and(|pattern| pattern.contains(weekday)))
    {
        let kind = PolicyErrorKind::Misplaced { key: "pivot", when: "beside a `format` that has days of the week" };
        return Err(field.report.fail(
            &field.key_span,
            kind,
            "remove it: the day of the week differs between centuries",
        ));
    }
    field.decided()?;
    let year = i16::try_from(field.integer()?).ok().filter(|year| (1900..=2200).contains(year));
    year.map(Some).ok_or_else(|| {
        let help =
            "write the last year that two digits may mean, such as `pivot = 2024`: 57 is then 1957, and 24 is 2024";
        field.bad_text("is not a year from 1900 to 2200", help)
    })
}

/// The zone whose local time applies to stored timestamps.
fn read_zone(section: &Section<'_>, kind: ColumnType, home: Home<'_>) -> ReadResult<Option<Zone>> {
    let Some(field) = section.get("zone")? else { return Ok(None) };
    let misplaced = |when, help| {
        let kind = PolicyErrorKind::Misplaced { key: "zone", when };
        Err(field.report.fail(&field.key_span, kind, help))
    };
    if kind != ColumnType::Timestamp {
        return misplaced("for a column that is not a timestamp", "remove it, or declare `type = \"timestamp\"`");
    }
    if matches!(home.format, Some(Format::Engine { .. })) {
        return misplaced("in an engine, from which no timestamps are read", "let a view keep local times as dates");
    }
    if section.has("format") {
        let help = "remove one of them: with `zone`, CSV has times such as 2024-07-01T01:30:00+02:00 or ...Z";
        return misplaced("beside `format`", help);
    }
    field.decided()?;
    let name = field.text()?;
    Zone::named(name).map(Some).ok_or_else(|| {
        let near = did_you_mean(name, &Zone::names());
        let help = if near.is_empty() {
            "write a zone of the IANA database, such as \"Europe/Berlin\", or \"UTC\"".to_owned()
        } else {
            near
        };
        field.bad_text(format!("= \"{}\" is not known", shown(name)), help)
    })
}
