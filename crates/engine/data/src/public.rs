//! The rows of a small public table that results are joined with.

use crate::{Batch, Meter, ReadColumn, Source, SourceError, WantedColumn};
use deniable_core::text::shown;
use deniable_expression::Value;
use std::collections::HashSet;

/// Maximum number of rows.
pub const MOST_ROWS: usize = 10_000;

/// The value of each declared column; `None` if it is missing or unreadable.
pub type Row = Vec<Option<Value>>;

/// The first rows of a public table, in order: the values of some of its columns, given by position. At most
/// [`MOST_ROWS`] and one more.
///
/// # Errors
/// When the table cannot be read.
pub(crate) fn first_rows(source: &Source, columns: &[usize]) -> Result<Vec<Row>, SourceError> {
    let wanted: Vec<WantedColumn> = columns.iter().copied().map(WantedColumn::typed).collect();
    let take = |rows: &mut Vec<Row>, batch: Batch| {
        let cell = |column: &ReadColumn, row: usize| column.typed()?.value(row);
        let free = (MOST_ROWS + 1).saturating_sub(rows.len());
        rows.extend(
            (0..batch.rows.min(free)).map(|row| batch.columns.iter().map(|column| cell(column, row)).collect()),
        );
        Ok::<(), std::convert::Infallible>(())
    };
    let rows = source.scan(&wanted, &Meter::new())?.run(1, Vec::new, take);
    let rows = rows.map_err(|_| SourceError::Rows { table: source.table().name.clone() })?;
    Ok(rows.into_iter().flatten().collect())
}

/// All rows of a public table, in order.
///
/// # Errors
/// When the table cannot be read, has more than [`MOST_ROWS`] rows, or its key (given by position) is missing or
/// repeated.
pub fn rows(source: &Source, key: usize) -> Result<Vec<Row>, SourceError> {
    let table = source.table();
    let wrong = |problem: String| SourceError::PublicKeys {
        path: source.files().first().cloned().unwrap_or_default(),
        table: table.name.clone(),
        column: table.columns.get(key).map(|column| column.name.clone()).unwrap_or_default(),
        problem,
    };
    let columns: Vec<usize> = (0..table.columns.len()).collect();
    let rows = first_rows(source, &columns)?;
    if rows.len() > MOST_ROWS {
        return Err(wrong(format!("exceed the {MOST_ROWS} that results may be joined with")));
    }
    let mut seen = HashSet::new();
    for (row, values) in (1..).zip(&rows) {
        let Some(Some(value)) = values.get(key) else {
            return Err(wrong(format!("are missing or unreadable in row {row}")));
        };
        if !seen.insert(value.clone()) {
            let Value::Text(text) = value else { return Err(wrong(format!("repeat a key in row {row}"))) };
            return Err(wrong(format!("repeat `{}` in row {row}", shown(text))));
        }
    }
    Ok(rows)
}
