//! `typical`: public guesses at usual values, from which `plan` computes relative errors. They affect neither noise nor
//! charges, nor the identity of a query, nor the reading of rows. So they are kept apart from the columns that queries
//! know.

use crate::data::Names;
use crate::dates;
use crate::error::PolicyErrorKind;
use crate::reader::{Field, ReadResult, Section, all, shown};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::{Bounds, Column, ColumnType};
use num_traits::{Signed, ToPrimitive};
use std::collections::BTreeMap;

/// The guesses of a policy, besides [`deniable_core::schema::Data::typical_rows`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typical {
    /// The number of people with rows in the main table.
    pub entities: Option<u64>,
    pub(crate) columns: BTreeMap<(String, String), TypicalColumn>,
}

/// The guesses at a column's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypicalColumn {
    /// Their mean; for dates and timestamps in days and microseconds, as their bounds.
    pub value: Rational,
    /// Their standard deviation.
    pub spread: Option<Rational>,
}

impl Typical {
    /// The guesses at a column.
    #[must_use]
    pub fn column(&self, table: &str, column: &str) -> Option<&TypicalColumn> {
        self.columns.get(&(table.to_owned(), column.to_owned()))
    }
}

/// Reads the guesses of the columns that a table declares. `table` is open; `name` is its name in SQL.
pub(crate) fn read_columns(
    table: &Section<'_>,
    name: &str,
    names: &Names,
    columns: &[Column],
) -> ReadResult<Vec<((String, String), TypicalColumn)>> {
    let Some(field) = table.get("columns")? else { return Ok(Vec::new()) };
    let section = Section::open_free(field.report, &format!("[{}]", names.columns), field.node)?;
    let read = section.fields().zip(columns).map(|(field, column)| {
        let section = Section::open_free(field.report, &format!("[{}.{}]", names.columns, field.key), field.node)?;
        let typical = read_column(&section, column)?;
        Ok(typical.map(|typical| ((name.to_owned(), column.name.clone()), typical)))
    });
    Ok(all(read)?.into_iter().flatten().collect())
}

fn read_column(section: &Section<'_>, column: &Column) -> ReadResult<Option<TypicalColumn>> {
    let is_value = column.kind.is_number() || column.kind.is_time();
    let misplaced = |key, when, help: &str| {
        Err(section.report.fail(&section.key_of(key), PolicyErrorKind::Misplaced { key, when }, help))
    };
    if section.has("typical") && !is_value {
        let help = "remove it; what part of the rows meets a condition is guessed for each query, \
                    `typical = { \"smoker\" = \"30%\" }` under [[query]]";
        return misplaced("typical", "for a column that is neither a number nor a date", help);
    }
    let bounds = column.bounds.as_ref();
    let value = section.optional("typical", |field| {
        let value = match column.kind {
            ColumnType::Date | ColumnType::Timestamp => dates::read_moment(field, column.kind)?,
            _ => field.number()?,
        };
        match bounds {
            Some(bounds) if value < *bounds.low() || value > *bounds.high() => {
                let [low, high, value] = [bounds.low(), bounds.high(), &value].map(|end| column.kind.written(end));
                let problem = format!("= {value} is outside the bounds, {low} to {high}");
                Err(field.bad_text(problem, "write a usual value within them, or correct the bounds"))
            }
            _ => Ok(value),
        }
    })?;
    let Some(value) = value else {
        return match section.get("typical_spread")? {
            Some(spread) => {
                let kind = PolicyErrorKind::Alone { key: "typical_spread", other: "typical" };
                Err(spread.fail(kind, "add `typical`, a usual value, or remove `typical_spread`"))
            }
            None => Ok(None),
        };
    };
    if section.has("typical_spread") && !column.kind.is_number() {
        return misplaced("typical_spread", "for a column that is not a number", "remove it");
    }
    let spread = section.optional("typical_spread", |field| read_spread(field, &value, bounds))?;
    Ok(Some(TypicalColumn { value, spread }))
}

/// A standard deviation. Values between two bounds around this mean have one of at most `√((high − mean)(mean − low))`.
fn read_spread(field: &Field<'_>, mean: &Rational, bounds: Option<&Bounds>) -> ReadResult<Rational> {
    let spread = field.number()?;
    if !spread.is_positive() {
        return Err(field.out_of_range(spread, "above 0", "write the usual standard deviation of the values"));
    }
    match bounds {
        Some(bounds) if &spread * &spread > (bounds.high() - mean) * (mean - bounds.low()) => {
            let (low, high) = (bounds.low(), bounds.high());
            let problem = format!("= {spread} is more than values from {low} to {high} around {mean} can have");
            Err(field.bad_text(problem, "write their usual standard deviation, or correct the bounds"))
        }
        _ => Ok(spread),
    }
}

/// A number of rows or people.
pub(crate) fn read_count(field: &Field<'_>) -> ReadResult<u64> {
    let value = field.number()?;
    let rows = if value.is_integer() { value.to_integer().to_u64() } else { None };
    rows.filter(|rows| *rows > 0).ok_or_else(|| {
        let help = "write a rough public guess, such as 10_000; it is never read from the data";
        field.out_of_range(value, "a whole number of at least 1", help)
    })
}

/// The part of the rows that a query is about.
pub(crate) fn read_share(field: &Field<'_>) -> ReadResult<Rational> {
    let share = field.number()?;
    if share.is_positive() && share <= whole(1) {
        return Ok(share);
    }
    let help = "write the part of the rows that usually passes the query's WHERE, such as \"30%\"";
    Err(field.out_of_range(share, "above 0 and at most 1", help))
}

/// `typical` of a query: expressions of its SQL with their typical values; for a condition, the part of the rows that
/// meets it.
pub(crate) fn read_expressions(field: &Field<'_>) -> ReadResult<Vec<(String, Rational)>> {
    if !matches!(field.node.shape, crate::tree::Shape::Table(_)) {
        let help = "write `typical = { \"age > 65\" = \"30%\" }`: an expression that `plan` lists, with a usual value";
        return Err(field.wrong_type("a table of expressions", help));
    }
    let section = Section::open_free(field.report, "`typical` of [[query]]", field.node)?;
    all(section.fields().zip(section.names()).map(|(field, name)| {
        if name.trim().is_empty() {
            let kind = PolicyErrorKind::Text { key: shown(name), problem: "is not an expression".to_owned() };
            return Err(field.report.fail(&field.key_span, kind, "write an expression of the query"));
        }
        Ok((name.to_owned(), field.number()?))
    }))
}
