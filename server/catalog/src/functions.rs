//! PostgreSQL's functions that queries about catalogs use. They read only the described tables.

mod lists;
mod settings;
mod texts;

use crate::limits::Meter;
use crate::tables::{CatalogNames, PUBLIC};
use crate::types::Type;
use crate::{Description, types};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error};
pub(crate) use settings::SETTINGS;
pub use settings::setting;
use std::collections::BTreeSet;
use std::sync::Arc;

const PLAIN: FunctionFlags = FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_DETERMINISTIC);

/// Maximum number of bytes that a function returns, which is the maximum of all values.
const MOST_BYTES: usize = 1 << 20;

/// Functions about objects that do not exist here; they return NULL.
const NOTHING: [&str; 33] = [
    "_pg_expandarray",
    "field",
    "acldefault",
    "pg_get_expr",
    "pg_get_constraintdef",
    "pg_get_indexdef",
    "pg_get_viewdef",
    "pg_get_ruledef",
    "pg_get_triggerdef",
    "pg_get_function_result",
    "pg_get_function_arguments",
    "pg_get_function_identity_arguments",
    "pg_get_functiondef",
    "pg_get_serial_sequence",
    "pg_get_statisticsobjdef_columns",
    "pg_get_statisticsobjdef",
    "pg_get_partkeydef",
    "pg_get_partition_constraintdef",
    "pg_table_size",
    "pg_relation_size",
    "pg_total_relation_size",
    "pg_indexes_size",
    "pg_database_size",
    "pg_tablespace_size",
    "pg_tablespace_location",
    "pg_size_pretty",
    "shobj_description",
    "inet_server_addr",
    "inet_server_port",
    "inet_client_addr",
    "unnest",
    "generate_subscripts",
    "pg_stat_get_numscans",
];

/// The return type of a function; text by default.
pub(crate) fn returned(name: &str) -> Type {
    match name {
        "count"
        | "row_number"
        | "rank"
        | "dense_rank"
        | "sum"
        | "pg_table_size"
        | "pg_relation_size"
        | "pg_total_relation_size" => Type::INT8,
        "pg_backend_pid" | "array_upper" | "array_lower" | "array_length" | "cardinality" | "length" | "strpos" => {
            Type::INT4
        }
        "pg_is_in_recovery"
        | "pg_table_is_visible"
        | "pg_type_is_visible"
        | "pg_function_is_visible"
        | "bool_and"
        | "bool_or"
        | "every" => Type::BOOL,
        "current_database" | "current_schema" | "current_user" | "session_user" | "user" | "current_catalog"
        | "pg_get_userbyid" => Type::NAME,
        "current_schemas" => Type::NAMES,
        "array_agg" | "string_to_array" => Type::TEXTS,
        "to_regclass" => Type::OID,
        "now"
        | "transaction_timestamp"
        | "statement_timestamp"
        | "clock_timestamp"
        | "localtimestamp"
        | "current_timestamp" => Type::TIMESTAMP,
        _ if name.starts_with("has_") && name.ends_with("_privilege") => Type::BOOL,
        _ => Type::TEXT,
    }
}

fn argument(context: &Context<'_>, at: usize) -> Option<String> {
    if at >= context.len() {
        return None;
    }
    match context.get_raw(at) {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => Some(String::from_utf8_lossy(text).into_owned()),
    }
}

fn number(context: &Context<'_>, at: usize) -> Option<i64> {
    argument(context, at)?.trim().parse().ok()
}

/// The elements of a list in PostgreSQL's text format: `{a,"b c",NULL}`, or `1 2` for a vector.
pub(crate) fn elements(list: &str) -> Vec<Option<String>> {
    let Some(inner) = list.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return list.split_whitespace().map(|element| Some(element.to_owned())).collect();
    };
    let (mut all, mut element, mut quoted, mut was_quoted) = (Vec::new(), String::new(), false, false);
    let mut rest = inner.chars();
    let mut end = |element: &mut String, was_quoted: &mut bool| {
        let text = std::mem::take(element);
        all.push((*was_quoted || text != "NULL").then_some(text));
        *was_quoted = false;
    };
    while let Some(c) = rest.next() {
        match c {
            '"' => (quoted, was_quoted) = (!quoted, true),
            '\\' => element.extend(rest.next()),
            ',' if !quoted => end(&mut element, &mut was_quoted),
            c => element.push(c),
        }
    }
    if !inner.is_empty() {
        end(&mut element, &mut was_quoted);
    }
    all
}

/// A list in PostgreSQL's text format.
pub(crate) fn list(elements: impl Iterator<Item = Option<String>>) -> String {
    let written = elements.map(|element| match element {
        None => "NULL".to_owned(),
        Some(text) => {
            let is_plain = !text.is_empty()
                && !text.eq_ignore_ascii_case("null")
                && text.chars().all(|c| !c.is_whitespace() && !"{},\"\\".contains(c));
            if is_plain { text } else { format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")) }
        }
    });
    format!("{{{}}}", written.collect::<Vec<_>>().join(","))
}

/// Whether a pattern occurs in a text.
fn occurs(meter: &Meter, context: &Context<'_>, any_case: bool) -> Result<Option<bool>, Error> {
    let (Some(text), Some(pattern)) = (argument(context, 0), argument(context, 1)) else { return Ok(None) };
    meter.occurs(&text, &pattern, any_case).map(Some)
}

/// Counts the bytes of a function's result.
fn counted<T>(meter: &Meter, value: Option<T>, length: impl FnOnce(&T) -> usize) -> Result<Option<T>, Error> {
    meter.made(value.as_ref().map_or(0, length))?;
    Ok(value)
}

fn length_of(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        _ => 0,
    }
}

/// The name of a function by its OID; `-` for 0, as in PostgreSQL.
pub(crate) fn name_of(number: i64) -> String {
    let known = types::functions().remove(&number);
    known.unwrap_or_else(|| if number == 0 { "-".to_owned() } else { number.to_string() })
}

/// `format(pattern, ...)`: `%s`, `%I` and `%L`, with or without a position (`%1$I`).
fn formatted(context: &Context<'_>) -> Option<String> {
    let pattern = argument(context, 0)?;
    let (mut made, mut next, mut rest) = (String::new(), 1, pattern.chars().peekable());
    while let Some(c) = rest.next() {
        if c != '%' {
            made.push(c);
            continue;
        }
        let mut digits = String::new();
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        if !digits.is_empty() && rest.next_if_eq(&'$').is_some() {
            next = digits.parse().ok()?;
        }
        let kind = rest.next()?;
        if kind == '%' {
            made.push('%');
            continue;
        }
        let value = argument(context, next);
        next += 1;
        match kind {
            's' => made.push_str(&value.unwrap_or_default()),
            'I' => made.push_str(&identifier(value?)),
            'L' => made.push_str(&value.map_or_else(|| "NULL".to_owned(), |value| literal(&value))),
            _ => return None,
        }
        if made.len() > MOST_BYTES {
            return None;
        }
    }
    Some(made)
}

/// A name as an SQL identifier, quoted unless it is plain.
fn identifier(name: String) -> String {
    let is_plain = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if is_plain { name } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The parts of a dotted name, folded unless they are quoted.
fn parts_of_name(name: &str) -> Vec<String> {
    let (mut parts, mut part, mut quoted, mut was_quoted) = (Vec::new(), String::new(), false, false);
    for c in name.chars() {
        match c {
            '"' => (quoted, was_quoted) = (!quoted, true),
            '.' if !quoted => {
                parts.push(if was_quoted { part } else { part.to_lowercase() });
                (part, was_quoted) = (String::new(), false);
            }
            c => part.push(c),
        }
    }
    parts.push(if was_quoted { part } else { part.to_lowercase() });
    parts
}

/// Queries for the functions added to a connection, and for its modules.
const ADDED: &str = "SELECT name FROM pragma_function_list WHERE NOT builtin";
const MODULES: &str = "SELECT name FROM pragma_module_list";

fn listed(connection: &Connection, sql: &str) -> Result<BTreeSet<String>, Error> {
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// Adds the functions to a connection, and registers their names with the meter.
pub(crate) fn add(connection: &Connection, description: &Description, meter: &Arc<Meter>) -> Result<(), Error> {
    let before = listed(connection, ADDED)?;
    let known = Arc::new(CatalogNames::of(description));
    names(connection, description, &known, meter)?;
    lists::add(connection, meter)?;
    texts::add(connection, meter)?;
    scalars(connection, meter)?;
    let own = listed(connection, ADDED)?.difference(&before).cloned().collect();
    meter.offer(own, listed(connection, MODULES)?);
    Ok(())
}

fn scalars(connection: &Connection, meter: &Arc<Meter>) -> Result<(), Error> {
    let scalar = |name: &str, of: fn(&Context<'_>) -> Option<Value>| {
        let meter = Arc::clone(meter);
        connection.create_scalar_function(name, -1, PLAIN, move |context| counted(&meter, of(context), length_of))
    };
    for name in NOTHING {
        scalar(name, |_| None)?;
    }
    for (name, any_case) in [("matches", false), ("matches_any_case", true)] {
        let meter = Arc::clone(meter);
        connection.create_scalar_function(name, -1, PLAIN, move |context| occurs(&meter, context, any_case))?;
    }
    scalar("same", |context| Some(Value::Integer((argument(context, 0) == argument(context, 1)).into())))?;
    scalar("truth", |context| {
        let is_true =
            ["t", "true", "1", "on", "yes", "y"].contains(&argument(context, 0)?.to_ascii_lowercase().as_str());
        Some(Value::Integer(is_true.into()))
    })?;
    for name in ["pg_encoding_to_char", "getdatabaseencoding", "pg_client_encoding"] {
        scalar(name, |_| Some(Value::Text("UTF8".to_owned())))?;
    }
    scalar("pg_char_to_encoding", |_| Some(Value::Integer(6)))?;
    scalar("quote_ident", |context| argument(context, 0).map(|name| Value::Text(identifier(name))))?;
    scalar("quote_literal", |context| argument(context, 0).map(|text| Value::Text(literal(&text))))?;
    scalar("format", |context| formatted(context).map(Value::Text))?;
    scalar("parse_ident", |context| {
        Some(Value::Text(list(parts_of_name(&argument(context, 0)?).into_iter().map(Some))))
    })?;
    for name in ["pg_backend_pid", "pg_is_in_recovery", "pg_my_temp_schema", "pg_is_other_temp_schema"] {
        scalar(name, |_| Some(Value::Integer(0)))?;
    }
    for kind in [
        "collation",
        "conversion",
        "function",
        "opclass",
        "operator",
        "opfamily",
        "statistics_obj",
        "ts_config",
        "ts_dict",
        "ts_parser",
        "ts_template",
        "type",
    ] {
        scalar(&format!("pg_{kind}_is_visible"), |_| Some(Value::Integer(1)))?;
    }
    scalar("pg_relation_is_publishable", |_| Some(Value::Integer(0)))?;
    for name in [
        "table",
        "schema",
        "database",
        "column",
        "any_column",
        "sequence",
        "function",
        "tablespace",
        "type",
        "language",
    ] {
        scalar(&format!("has_{name}_privilege"), |context| {
            let wanted = argument(context, context.len().checked_sub(1)?)?.to_ascii_uppercase();
            let is_had = wanted.split(',').any(|one| ["SELECT", "USAGE", "CONNECT"].contains(&one.trim()));
            Some(Value::Integer(is_had.into()))
        })?;
    }
    scalar("format_type", |context| {
        let known = u32::try_from(number(context, 0)?).ok().and_then(Type::of_oid).and_then(Type::about);
        Some(Value::Text(known.map_or_else(|| "???".to_owned(), |about| about.sql.to_owned())))
    })
}

/// Functions that look up the described tables.
fn names(
    connection: &Connection,
    description: &Description,
    known: &Arc<CatalogNames>,
    meter: &Arc<Meter>,
) -> Result<(), Error> {
    let constant = |names: &[&str], value: String| {
        names.iter().try_for_each(|name| {
            let value = value.clone();
            connection.create_scalar_function(*name, -1, PLAIN, move |_| Ok(value.clone()))
        })
    };
    constant(&["current_database", "current_catalog"], description.database.clone())?;
    constant(&["current_user", "session_user", "user", "current_role", "pg_get_userbyid"], description.user.clone())?;
    constant(&["current_schema"], PUBLIC.to_owned())?;
    constant(&["version"], format!("PostgreSQL {} (Deniable)", description.version))?;
    connection.create_scalar_function("current_schemas", -1, PLAIN, |context| {
        let all = number(context, 0) == Some(1);
        Ok(if all { "{pg_catalog,public}" } else { "{public}" })
    })?;
    let settings = description.clone();
    connection.create_scalar_function("current_setting", -1, PLAIN, move |context| {
        Ok(argument(context, 0).and_then(|name| setting(&settings, &name)))
    })?;
    let own = Arc::clone(meter);
    connection.create_scalar_function("set_config", -1, PLAIN, move |context| {
        counted(&own, argument(context, 1), String::len)
    })?;
    let of = |name: &str, find: fn(&CatalogNames, &Context<'_>) -> Option<Value>| {
        let (known, meter) = (Arc::clone(known), Arc::clone(meter));
        connection
            .create_scalar_function(name, -1, PLAIN, move |context| counted(&meter, find(&known, context), length_of))
    };
    of("pg_table_is_visible", |known, context| Some(Value::Integer(known.is_visible(number(context, 0)?).into())))?;
    of("regclass_name", |known, context| {
        let shown = argument(context, 0)?;
        let name = shown.parse().ok().and_then(|oid| known.relation(oid)).map(|relation| relation.shown());
        Some(Value::Text(name.unwrap_or(shown)))
    })?;
    of("regclass_oid", |known, context| known.relation_named(&argument(context, 0)?).map(Value::Integer))?;
    of("to_regclass", |known, context| known.relation_named(&argument(context, 0)?).map(Value::Integer))?;
    of("regnamespace_name", |known, context| Some(Value::Text(known.schema_name(number(context, 0)?)?.to_owned())))?;
    of("regnamespace_oid", |known, context| known.schema_oid(&argument(context, 0)?).map(Value::Integer))?;
    of("regtype_name", |_, context| {
        let known = u32::try_from(number(context, 0)?).ok().and_then(Type::of_oid).and_then(Type::about);
        Some(Value::Text(known.map_or("-", |about| about.sql).to_owned()))
    })?;
    of("regtype_oid", |_, context| {
        let name = argument(context, 0)?;
        let named = types::Type::named(&name).map(|known| i64::from(known.oid()));
        named.or_else(|| name.parse().ok()).map(Value::Integer)
    })?;
    of("to_regtype", |_, context| {
        types::Type::named(&argument(context, 0)?).map(|known| Value::Integer(known.oid().into()))
    })?;
    of("regproc_name", |_, context| {
        let shown = argument(context, 0)?;
        Some(Value::Text(shown.parse().map_or(shown, name_of)))
    })?;
    of("regproc_oid", |_, context| {
        let name = argument(context, 0)?;
        let plain = name.strip_prefix("pg_catalog.").unwrap_or(&name);
        let known = types::functions().into_iter().find(|(_, known)| known == plain).map(|(number, _)| number);
        known.or_else(|| name.parse().ok()).map(Value::Integer)
    })?;
    for name in ["regrole_name", "regrole_oid"] {
        of(name, |_, context| argument(context, 0).map(Value::Text))?;
    }
    of("obj_description", |known, context| Some(Value::Text(known.comment(number(context, 0)?, 0)?.to_owned())))?;
    of("col_description", |known, context| {
        Some(Value::Text(known.comment(number(context, 0)?, number(context, 1)?)?.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_parsed_as_written() {
        let all = ["", "a", "a b", "NULL", "{", "\"", "\\", "a,b"].map(|text| Some(text.to_owned()));
        let written = list(all.iter().cloned().chain([None]));
        assert_eq!(written, r#"{"",a,"a b","NULL","{","\"","\\","a,b",NULL}"#);
        let read = elements(&written);
        assert_eq!((&read[..8], &read[8]), (&all[..], &None));
        assert_eq!(elements("{}"), []);
        assert_eq!(elements("1 2"), [Some("1".to_owned()), Some("2".to_owned())]);
    }
}
