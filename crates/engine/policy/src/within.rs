//! `within` of a column: the coarser columns that follow from its keys, such as the county and the region of a municipality.

use crate::error::PolicyErrorKind;
use crate::keys::{DeclaredKeys, named_key};
use crate::reader::{Field, ReadResult, Section, all, shown};
use deniable_core::schema::{ALL, Column, ColumnType, Key, Parents};
use deniable_core::text::is_hidden;
use std::collections::BTreeMap;

/// Reads `within = { county = { "0101" = "01", ... } }` beside `keys`, or `within = { county = "county" }`, the columns of the public
/// table, beside `keys_from`.
pub(crate) fn read(section: &Section<'_>, kind: ColumnType, declared: &mut DeclaredKeys) -> ReadResult<Vec<Parents>> {
    let Some(field) = section.get("within")? else { return Ok(Vec::new()) };
    if !matches!(kind, ColumnType::Integer | ColumnType::Text) {
        let kind =
            PolicyErrorKind::Misplaced { key: "within", when: "for a column that is neither an integer nor a text" };
        return Err(field.fail(kind, "remove it, or declare another `type`"));
    }
    if declared.keys.is_none() && declared.from.is_none() {
        let kind = PolicyErrorKind::Alone { key: "within", other: "keys" };
        return Err(field.fail(kind, "add `keys = [...]`, or remove `within`"));
    }
    let coarser = Section::open_free(field.report, "within", field.node)?;
    let fields = || coarser.fields().zip(coarser.names());
    match (&mut declared.from, &declared.keys) {
        (Some(from), _) => {
            let columns = fields().map(|(field, name)| {
                may_be_named(&field, name)?;
                Ok((name.to_owned(), field.text()?.to_owned()))
            });
            let (names, columns): (Vec<String>, Vec<String>) = all(columns)?.into_iter().unzip();
            from.parents = columns;
            Ok(names.into_iter().map(|name| Parents { name, of: BTreeMap::new() }).collect())
        }
        (None, keys) => {
            let keys = keys.as_deref().unwrap_or_default();
            all(fields().map(|(field, name)| {
                may_be_named(&field, name)?;
                Ok(Parents { name: name.to_owned(), of: read_list(&field, kind, keys)? })
            }))
        }
    }
}

fn may_be_named(field: &Field<'_>, name: &str) -> ReadResult<()> {
    if name.is_empty() || name.chars().any(char::is_control) {
        let kind = PolicyErrorKind::Text { key: shown(name), problem: "is not a valid column name".to_owned() };
        return Err(field.report.fail(&field.key_span, kind, "write the name that queries are to use"));
    }
    Ok(())
}

/// Reads the parent of every key of the column; other keys are errors.
fn read_list(field: &Field<'_>, kind: ColumnType, keys: &[Key]) -> ReadResult<BTreeMap<Key, String>> {
    let section = Section::open_free(field.report, &format!("within.{}", field.key), field.node)?;
    let mut found = BTreeMap::new();
    for (entry, name) in section.fields().zip(section.names()) {
        let Some(key) = named_key(name, kind).filter(|key| keys.contains(key)) else {
            let problem = format!("has an entry for `{}`, which is not among the `keys`", shown(name));
            let kind = PolicyErrorKind::Text { key: field.key.clone(), problem };
            return Err(field.report.fail(&entry.key_span, kind, "add it to `keys`, or remove it here"));
        };
        let parent = entry.line()?.to_owned();
        if parent == ALL || parent.contains(is_hidden) {
            return Err(entry.bad_text("cannot be shown as the name of a group", "choose another"));
        }
        if let Some(other) = found.insert(key, parent) {
            // Whole numbers have several notations.
            let kind = PolicyErrorKind::Text {
                key: field.key.clone(),
                problem: format!("has two entries for `{}`: `{}` and `{}`", shown(name), shown(&other), entry.line()?),
            };
            return Err(field.report.fail(&entry.key_span, kind, "each key lies within one: remove one of them"));
        }
    }
    let is_missing = |key: &&Key| !matches!(key, Key::Null | Key::Other) && !found.contains_key(*key);
    match keys.iter().find(is_missing) {
        None => Ok(found),
        Some(key) => {
            let key = shown(&key.to_string());
            let problem = format!("has no entry for `{key}`");
            Err(field.bad_text(problem, format!("add \"{key}\" = \"...\"")))
        }
    }
}

/// Checks that each name is that of one column. `columns` of the table is open.
pub(crate) fn check_names(section: &Section<'_>, columns: &[Column]) -> ReadResult<()> {
    let mut known: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let checked = section.fields().zip(columns).map(|(field, column)| {
        for Parents { name, of: _ } in &column.parents {
            if known.contains(&name.as_str()) {
                let kind = PolicyErrorKind::Repeated { what: format!("column `{}`", shown(name)) };
                let help = "`within` and `columns` name it: choose another name in `within`, or leave the column of the file \
                            undeclared";
                return Err(field.report.fail(&field.key_span, kind, help));
            }
            known.push(name);
        }
        Ok(())
    });
    all(checked.collect::<Vec<_>>().into_iter()).map(drop)
}
