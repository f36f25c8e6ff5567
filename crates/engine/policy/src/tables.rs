//! `[tables]`: further tables, about the same people or public.

use crate::columns::{self, Home};
use crate::data::{self, Names, TABLE_NAME_HELP, is_table_name, not_plain};
use crate::entity::identifying;
use crate::error::PolicyErrorKind;
use crate::query::{self, OwnCaps};
use crate::reader::{Field, ReadResult, Section, all, shown, told};
use crate::typical::{self, TypicalColumn};
use deniable_core::schema::Data;
use deniable_core::schema::Entity;
use deniable_core::schema::{Column, DeclaredTable, Format, Role};
use std::collections::BTreeMap;

/// Most tables beside the main one.
pub const MOST_TABLES: usize = 15;

pub(crate) const KEYS: [&str; 15] = [
    "path",
    "version",
    "new_entities_only",
    "format",
    "csv",
    "partitions",
    "columns",
    "entity",
    "unprotected",
    "key",
    "relation",
    "connect",
    "engine",
    "rows_per_group",
    "groups",
];

/// The facts of the main table that the other tables must agree with.
pub(crate) struct Main<'a> {
    pub(crate) data: ReadResult<&'a Data>,
    pub(crate) columns: ReadResult<&'a [Column]>,
    pub(crate) entity: ReadResult<Option<&'a Entity>>,
}

/// Reads the guesses at the columns of further tables.
pub(crate) fn read_typical(
    field: &Field<'_>,
    tables: &[DeclaredTable],
) -> ReadResult<Vec<((String, String), TypicalColumn)>> {
    let section = Section::open_free(field.report, "[tables]", field.node)?;
    let all = all(section.fields().zip(tables).map(|(field, table)| {
        let names = Names::of(&field.key);
        let section = Section::open_free(field.report, &format!("[{}]", names.table), field.node)?;
        typical::read_columns(&section, &table.data.table, &names, &table.columns)
    }))?;
    Ok(all.into_iter().flatten().collect())
}

/// Reads the caps that tables state in place of those of `[entity]`.
pub(crate) fn read_caps(field: &Field<'_>, is_capped: bool) -> ReadResult<BTreeMap<String, OwnCaps>> {
    let section = Section::open_free(field.report, "[tables]", field.node)?;
    let caps = section.fields().zip(section.names()).map(|(field, name)| {
        let table = Section::open_free(field.report, &format!("[tables.{name}]"), field.node)?;
        let public = table.optional("unprotected", Field::boolean)?.unwrap_or(false);
        let stated = ["rows_per_group", "groups"].into_iter().find_map(|key| Some((key, table.get(key).ok()??)));
        if let (true, Some((key, stated))) = (public, stated) {
            let kind = PolicyErrorKind::Misplaced { key, when: "in a table that is `unprotected`" };
            return Err(stated.fail(kind, "remove it: the rows of this table belong to no person"));
        }
        Ok((name.to_owned(), query::read_caps(&table, is_capped)?))
    });
    Ok(all(caps)?.into_iter().filter(|(_, caps)| *caps != OwnCaps::default()).collect())
}

/// Reads `[tables]`, in the order of the file.
pub(crate) fn read(field: &Field<'_>, main: &Main<'_>) -> ReadResult<Vec<DeclaredTable>> {
    let section = Section::open_free(field.report, "[tables]", field.node)?;
    let few = match section.fields().nth(MOST_TABLES) {
        None => Ok(()),
        Some(one_more) => {
            let kind = PolicyErrorKind::TooManyTables { most: MOST_TABLES };
            Err(field.report.fail(&one_more.key_span, kind, "join some of them into one file beforehand"))
        }
    };
    let tables = all(section.fields().zip(section.names()).map(|(field, name)| read_table(&field, name, main)))?;
    few?;
    Ok(tables)
}

fn read_table(field: &Field<'_>, name: &str, main: &Main<'_>) -> ReadResult<DeclaredTable> {
    let named = check_name(field, name, main);
    let names = Names::of(&field.key);
    let section = field.section(&format!("[{}]", names.table), &KEYS)?;
    let data = data::read_source(&section, &names, name.to_owned());
    let columns = columns::read(&section, Home { names: &names, format: data.as_ref().ok().map(|data| &data.format) });
    let role = read_role(&section, &names, told(&columns).map(Vec::as_slice), main);
    let (data, columns) = (data?, columns?);
    if let (Format::Engine { .. }, Ok(Role::Public { .. }), Some(field)) = (&data.format, &role, section.get("engine")?)
    {
        let kind = PolicyErrorKind::Misplaced { key: "engine", when: "in a table that is `unprotected`" };
        return Err(section.report.fail(
            &field.key_span,
            kind,
            "its rows are read here: name a file of them as `path`",
        ));
    }
    data::check_partitions(&section, &names, &columns)?;
    named?;
    Ok(DeclaredTable { data, columns, role: role? })
}

fn check_name(field: &Field<'_>, name: &str, main: &Main<'_>) -> ReadResult<()> {
    if !is_table_name(name) {
        let kind = PolicyErrorKind::Text { key: "tables".to_owned(), problem: not_plain(name) };
        return Err(field.report.fail(&field.key_span, kind, TABLE_NAME_HELP));
    }
    if main.data.is_ok_and(|data| data.table == name) {
        let kind = PolicyErrorKind::Repeated { what: format!("table `{name}`") };
        return Err(field.report.fail(&field.key_span, kind, "[data] has this name already; choose another"));
    }
    Ok(())
}

/// Reads exactly one of `entity = "column"` and `unprotected = true` with `key = "column"`: a table without either may
/// be about people, and is refused.
fn read_role(
    section: &Section<'_>,
    names: &Names,
    columns: ReadResult<&[Column]>,
    main: &Main<'_>,
) -> ReadResult<Role> {
    let entity = section.get("entity");
    let unprotected = section.optional("unprotected", Field::boolean);
    let key = section.get("key");
    let (entity, unprotected, key) = (entity?, unprotected?.unwrap_or(false), key?);
    let misplaced = |key, when, help: &str| {
        let kind = PolicyErrorKind::Misplaced { key, when };
        Err(section.report.fail(&section.key_of(key), kind, help))
    };
    match (entity, unprotected, key) {
        (Some(_), true, _) => misplaced(
            "entity",
            "in a table that is `unprotected`",
            "decide: are its rows about the protected people? Then remove `unprotected`; otherwise remove `entity`",
        ),
        (Some(_), false, Some(_)) => {
            misplaced("key", "in a table with an `entity`", "remove it: one of the people may have several rows here")
        }
        (Some(field), false, None) => {
            let column = read_entity(&field, names, columns, main)?;
            Ok(Role::Protected { entity: Some(column) })
        }
        (None, true, Some(field)) => {
            let column = identifying(&field, field.text()?, columns?, names)?;
            Ok(Role::Public { key: column.name.clone() })
        }
        (None, true, None) => Err(section.missing("key", "add `key = \"...\"`: the column that no two rows share")),
        (None, false, _) => {
            let kind = PolicyErrorKind::RoleUndecided { table: names.table.clone() };
            let help = "decide: is it about the protected people? Then name the column that identifies the person of \
                        each row, `entity = \"patient\"`. Or is it public knowledge, such as a list of towns? Then \
                        write `unprotected = true` and `key = \"...\"`, the column that no two rows share";
            Err(section.report.fail(&section.span, kind, help))
        }
    }
}

/// The column that identifies the same people as the key of `[entity]`; the types must agree, or no value could.
fn read_entity(
    field: &Field<'_>,
    names: &Names,
    columns: ReadResult<&[Column]>,
    main: &Main<'_>,
) -> ReadResult<String> {
    let name = field.text()?;
    let Some(entity) = main.entity? else {
        let kind = PolicyErrorKind::Alone { key: "entity", other: "[entity]" };
        let help = "add [entity] with its `key`: without it one row of the main table is one person, and none can be found \
                    again in another table";
        return Err(field.fail(kind, help));
    };
    let column = identifying(field, name, columns?, names)?;
    match main.columns?.iter().find(|other| other.name == entity.key).map(|other| other.kind) {
        Some(kind) if kind != column.kind => {
            let kind = PolicyErrorKind::EntityType {
                column: shown(name),
                kind: column.kind.name(),
                key: shown(&entity.key),
                key_kind: kind.name(),
            };
            Err(field.fail(kind, "declare both columns with the same `type`, such as \"text\""))
        }
        _ => Ok(column.name.clone()),
    }
}
