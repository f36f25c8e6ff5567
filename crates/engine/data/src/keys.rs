//! Keys listed in a public table.

use crate::public::{MOST_ROWS, first_rows};
use crate::{Source, SourceError};
use deniable_core::schema::{ALL, Key};
use deniable_core::text::{is_hidden, shown};
use deniable_expression::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The keys in a column of a public table, integers or texts, in the order of its rows, each with its label if `label`
/// names a column of labels. `taken` are the labels of other groups of the column.
///
/// The table is public: errors name its rows, which are counted from 1 over all files.
///
/// # Errors
/// When the table cannot be read, lacks these columns, has a missing or repeated key, no keys or more than 10,000, and
/// when a label cannot be displayed or is not unique.
pub fn listed(
    source: &Source,
    column: &str,
    label: Option<&str>,
    taken: &BTreeSet<String>,
) -> Result<Vec<(Key, Option<String>)>, SourceError> {
    let table = source.table();
    let wrong = |problem: String| SourceError::PublicKeys {
        path: source.files().first().cloned().unwrap_or_default(),
        table: table.name.clone(),
        column: column.to_owned(),
        problem,
    };
    let position = |name: &str| table.position(name).ok_or_else(|| wrong(format!("need the column `{}`", shown(name))));
    let columns: Vec<usize> = [Some(column), label].into_iter().flatten().map(position).collect::<Result<_, _>>()?;
    let rows = first_rows(source, &columns)?.into_iter();
    let (mut seen, mut labels, mut found) = (HashSet::new(), taken.clone(), Vec::new());
    for (row, mut values) in (1..).zip(rows) {
        if row > MOST_ROWS {
            return Err(wrong(format!("are more than {MOST_ROWS}")));
        }
        let label = values.get_mut(1).and_then(Option::take);
        let key = match values.swap_remove(0) {
            Some(Value::Integer(number)) => Key::Integer(number),
            Some(Value::Text(text)) => Key::Text(text.to_string()),
            _ => return Err(wrong(format!("are missing or unreadable in row {row}"))),
        };
        if !seen.insert(key.clone()) {
            return Err(wrong(format!("repeat `{}` in row {row}", shown(&key.to_string()))));
        }
        let label = if let Some(Value::Text(text)) = label { Some(text.trim().to_owned()) } else { None };
        let label = label.filter(|label| !label.is_empty());
        let told = label.clone().unwrap_or_else(|| key.to_string());
        if label.is_some() && (told.contains(is_hidden) || told == ALL) {
            return Err(wrong(format!("have a label in row {row} that cannot be shown")));
        }
        if !labels.insert(told.clone()) {
            return Err(wrong(format!("repeat the label `{}` in row {row}", shown(&told))));
        }
        found.push((key, label));
    }
    if found.is_empty() { Err(wrong("are missing".to_owned())) } else { Ok(found) }
}
/// The coarser value of each key in a column of a public table, from another column of texts. Keys are as returned by
/// [`listed`]: each in one row.
///
/// # Errors
/// When the table cannot be read, lacks these columns, or a row with a key has no coarser value, or one that cannot be
/// displayed.
pub fn parents(source: &Source, column: &str, parent: &str) -> Result<BTreeMap<Key, String>, SourceError> {
    let table = source.table();
    let wrong = |problem: String| SourceError::PublicKeys {
        path: source.files().first().cloned().unwrap_or_default(),
        table: table.name.clone(),
        column: parent.to_owned(),
        problem,
    };
    let position = |name: &str| table.position(name).ok_or_else(|| wrong(format!("need the column `{}`", shown(name))));
    let rows = first_rows(source, &[position(column)?, position(parent)?])?;
    let mut found = BTreeMap::new();
    for (row, mut values) in (1..).zip(rows) {
        let parent = values.get_mut(1).and_then(Option::take);
        let key = match values.swap_remove(0) {
            Some(Value::Integer(number)) => Key::Integer(number),
            Some(Value::Text(text)) => Key::Text(text.to_string()),
            _ => return Err(wrong(format!("have no key in row {row}"))),
        };
        let Some(Value::Text(parent)) = parent.filter(|parent| !matches!(parent, Value::Text(text) if text.is_empty()))
        else {
            return Err(wrong(format!("have no coarser value for `{}` in row {row}", shown(&key.to_string()))));
        };
        if parent.contains(is_hidden) || &*parent == ALL {
            return Err(wrong(format!("have a text in row {row} that cannot be shown")));
        }
        if let Some(other) = found.insert(key.clone(), parent.to_string())
            && other != *parent
        {
            let (key, both) = (shown(&key.to_string()), [shown(&other), shown(&parent)]);
            return Err(wrong(format!("have `{key}` within both `{}` and `{}`", both[0], both[1])));
        }
    }
    Ok(found)
}
