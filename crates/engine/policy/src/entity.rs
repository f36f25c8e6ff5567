//! `[entity]`: the privacy unit and its contribution bounds.

use crate::blanks;
use crate::data::{Names, find_column};
use crate::reader::{Field, ReadResult, did_you_mean, shown};
use deniable_core::schema::{Column, ColumnType, Entity};
use deniable_core::sensitivity::Caps;

pub(crate) const KEYS: [&str; 6] = ["key", "rows_per_group", "groups", "rows_in_joins", "levels", "typical_entities"];

/// Reads `[entity]`. Its key is validated only if the columns could be read.
pub(crate) fn read(field: &Field<'_>, columns: ReadResult<&[Column]>) -> ReadResult<Entity> {
    let section = field.section("[entity]", &KEYS)?;
    let key = section.need("key", "add `key = \"patient\"`").and_then(|field| {
        let key = field.text()?;
        identifying(&field, key, columns?, &Names::main()).map(|column| column.name.clone())
    });
    // No number is suggested: it determines the loss of rows and the noise.
    let count =
        |key| section.need(key, &format!("add `{key}`: {}", blanks::entity(key))).and_then(|field| field.count());
    let (rows, groups) = (count("rows_per_group"), count("groups"));
    let joined = section.optional("rows_in_joins", Field::count);
    let together = section.optional("levels", read_levels);
    Ok(Entity {
        key: key?,
        caps: Caps { rows_per_group: rows?, groups: groups? },
        rows_in_joins: joined?.unwrap_or(Entity::ROWS_IN_JOINS),
        levels_together: together?.unwrap_or(false),
    })
}

/// Whether caps are applied below all levels of a query.
fn read_levels(field: &Field<'_>) -> ReadResult<bool> {
    match field.text()? {
        "together" => Ok(true),
        "apart" => Ok(false),
        other => {
            Err(field
                .bad_text(format!("= \"{}\" is not known", shown(other)), did_you_mean(other, &["together", "apart"])))
        }
    }
}

/// A declared column whose values can identify people or things: compared for equality, with many values.
pub(crate) fn identifying<'c>(
    field: &Field<'_>,
    name: &str,
    columns: &'c [Column],
    names: &Names,
) -> ReadResult<&'c Column> {
    let column = find_column(field, name, columns, names)?;
    match column.kind {
        ColumnType::Integer | ColumnType::Text => Ok(column),
        ColumnType::Decimal | ColumnType::Boolean | ColumnType::Date | ColumnType::Timestamp => {
            Err(field.bad_text("names a column that is neither integer nor text", "declare it as `type = \"text\"`"))
        }
    }
}
