//! The survey of a table in an engine before it is registered: the counts that `data check` reports of files, except
//! the places of first occurrences, and the contents of the rows.

use super::dialect::Dialect;
use super::expression::{double, integer, typed, wide};
use super::keys::place;
use super::refusal::Refusal;
use super::{Contents, StorageType, contents};
use deniable_core::schema::{Column, ColumnType, TableSchema};
use deniable_data::check::{ColumnReport, Occurrences, Report};
use deniable_expression::Type;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

const OF_COLUMN: usize = 5;

/// The query of a survey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// The statement, with a parameter for the salt. It returns one row of integers.
    pub sql: String,
    columns: Vec<(String, ColumnType)>,
    has_entities: bool,
}

/// Writes the statement.
///
/// # Errors
/// When the engine stores a declared column in a type whose values differ between engines, and for keys of such types.
pub fn survey(
    table: &TableSchema,
    dialect: Dialect,
    relation: &str,
    stored: &BTreeMap<String, StorageType>,
) -> Result<Survey, Refusal> {
    let (mut values, hash) = contents::hashed(dialect, stored);
    for (at, column) in table.columns.iter().enumerate() {
        let kind = Type::from(column.kind);
        let found = stored.get(&column.name).and_then(|found| typed(dialect, kind, *found, &column.name));
        values.push(format!("{} AS c{at}", found.ok_or_else(|| Refusal::column(&column.name))?));
    }
    let count = |condition: &str| wide(&format!("COALESCE(SUM(CASE WHEN {condition} THEN 1 ELSE 0 END), 0)"));
    let mut numbers: Vec<String> = contents::numbers(dialect);
    let key = table.entity.as_ref().and_then(|entity| table.position(&entity.key));
    match key {
        Some(key) => numbers.extend([count(&format!("c{key} IS NULL")), wide(&format!("COUNT(DISTINCT c{key})"))]),
        None => numbers.extend([wide("0"), wide("0")]),
    }
    for (at, column) in table.columns.iter().enumerate() {
        values.push(format!("{} IS NULL AS m{at}", dialect.name(&column.name)));
        let (value, is_value) = (format!("c{at}"), format!("c{at} IS NOT NULL"));
        let (mut undeclared, mut left_out) = ("FALSE".to_owned(), "FALSE".to_owned());
        if let Some(keys) = &column.keys {
            let none = format!("{} IS NULL", place(dialect, keys, Type::from(column.kind), &value)?);
            undeclared = format!("{is_value} AND {none}");
            left_out = none;
        }
        let outside = outside(dialect, column, &value).unwrap_or_else(|| "FALSE".to_owned());
        let odd = [format!("m{at}"), format!("NOT m{at} AND {value} IS NULL"), undeclared, outside, left_out];
        numbers.extend(odd.iter().map(|condition| count(condition)));
    }
    let named: Vec<String> = numbers.iter().enumerate().map(|(at, number)| format!("{number} AS a{at}")).collect();
    let sql = format!(
        "SELECT {} FROM (\nSELECT *, {hash} AS h FROM (\nSELECT {} FROM {relation}\n) typed_all\n) hashed",
        named.join(", "),
        values.join(", ")
    );
    let columns = table.columns.iter().map(|column| (column.name.clone(), column.kind)).collect();
    Ok(Survey { sql, columns, has_entities: key.is_some() })
}

/// Whether a value is outside the declared bounds.
fn outside(dialect: Dialect, column: &Column, value: &str) -> Option<String> {
    let bounds = column.bounds.as_ref()?;
    let ends = match Type::from(column.kind) {
        Type::Integer | Type::Date => {
            let low = bounds.low().ceil().to_integer().to_i64().unwrap_or(i64::MIN);
            let high = bounds.high().floor().to_integer().to_i64().unwrap_or(i64::MAX);
            [low, high].map(|end| integer(end.into()))
        }
        Type::Decimal => [bounds.low(), bounds.high()].map(|end| double(dialect, end.to_f64().unwrap_or(0.0))),
        Type::Boolean | Type::Text | Type::Timestamp => return None,
    };
    let [low, high] = ends;
    Some(format!("({value} < {low} OR {value} > {high})"))
}

impl Survey {
    /// Parses an answer: the contents of the rows, and the report; `None` if it does not have this form.
    #[must_use]
    pub fn read(&self, rows: &[Vec<i128>]) -> Option<(Contents, Report)> {
        let [numbers] = rows else { return None };
        let ([all, sums @ ..], rest) = numbers.split_first_chunk::<{ contents::NUMBERS }>()?;
        let ([ownerless, entities], rest) = rest.split_first_chunk::<2>()?;
        let counted = |number: &i128| u64::try_from(*number).ok().filter(|_| *number <= *all);
        // Rows of an engine have no line numbers.
        let found = |number: &i128| {
            counted(number).map(|count| if count == 0 { None } else { Some(Occurrences { count, first: None }) })
        };
        let columns: Option<Vec<ColumnReport>> = self
            .columns
            .iter()
            .zip(rest.chunks_exact(OF_COLUMN))
            .map(|((column, kind), counts)| {
                let [missing, unreadable, undeclared, outside, left_out] = counts else { return None };
                Some(ColumnReport {
                    column: column.clone(),
                    kind: *kind,
                    present: counted(all)?.checked_sub(counted(missing)?)?,
                    missing: found(missing)?,
                    unreadable: found(unreadable)?,
                    forms: Vec::new(),
                    exchanged: 0,
                    unreadable_texts: Vec::new(),
                    undeclared_values: Vec::new(),
                    undeclared: found(undeclared)?,
                    outside: found(outside)?,
                    odd_years: None,
                    left_out: found(left_out)?,
                })
            })
            .collect();
        let columns = columns.filter(|columns| columns.len() * OF_COLUMN == rest.len())?;
        let entities = if self.has_entities { Some(counted(entities)?) } else { None };
        let report = Report::new(counted(all)?, entities, Vec::new(), columns, found(ownerless)?);
        Some((Contents { rows: *all, sums: *sums }, report))
    }
}
