//! Queries of clients, rephrased: their shapes, and answers worked out by hand.

mod introspection;
mod limits;

use crate::limits::{CallOff, CatalogQueryError};
use crate::{Catalog, Column, Description, Rows, Table, Type};
use sqlparser::ast::Statement;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

fn catalog() -> Catalog {
    let column = |name: &str, data_type| Column { name: name.into(), data_type, comment: None };
    let mut age = column("age", Type::INT8);
    age.comment = Some("0 to 110".into());
    let visits = Table {
        schema: "public".into(),
        name: "visits".into(),
        comment: Some("one row a visit".into()),
        rows: Some(5_000),
        columns: vec![column("patient", Type::TEXT), age, column("day", Type::DATE), column("Odd name", Type::BOOL)],
    };
    let budget = Table {
        schema: "deniable".into(),
        name: "budget".into(),
        comment: None,
        rows: None,
        columns: vec![column("left", Type::NUMERIC)],
    };
    let description = Description {
        database: "clinic".into(),
        user: "ana".into(),
        version: "16.0".into(),
        tables: vec![visits, budget],
    };
    Catalog::new(&description).unwrap()
}

fn asked(sql: &str, parameters: &[Option<&str>]) -> Rows {
    let parameters: Vec<Option<String>> = parameters.iter().map(|text| text.map(str::to_owned)).collect();
    catalog().answer(&parsed(sql), &parameters, &CallOff::default()).unwrap()
}

fn parsed(sql: &str) -> Statement {
    Parser::parse_sql(&PostgreSqlDialect {}, sql).unwrap().remove(0)
}

/// The rows of an answer: values separated by commas, NULL as `-`.
fn rows(sql: &str) -> Vec<String> {
    let answer = asked(sql, &[]);
    assert!(!answer.is_unknown, "{sql}");
    let row = |row: Vec<Option<String>>| {
        row.into_iter().map(|value| value.unwrap_or("-".into())).collect::<Vec<_>>().join(", ")
    };
    answer.rows.into_iter().map(row).collect()
}

fn types(sql: &str) -> Vec<&'static str> {
    asked(sql, &[]).columns.iter().map(|(_, of)| of.about().unwrap().name).collect()
}

#[test]
fn tables_are_listed_as_in_psql() {
    let sql = "SELECT n.nspname AS \"Schema\", c.relname, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' END AS \"Type\", \
               pg_catalog.pg_get_userbyid(c.relowner) FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
               WHERE c.relkind IN ('r', 'v') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' \
               AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1, 2";
    assert_eq!(rows(sql), ["public, visits, table, ana"]);
    let names: Vec<String> = asked(sql, &[]).columns.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Schema", "relname", "Type", "pg_get_userbyid"]);
    assert_eq!(types(sql), ["name", "name", "text", "name"]);
    // All schemas, but only described tables.
    let sql = "SELECT table_schema || '.' || table_name FROM information_schema.tables WHERE table_schema <> ALL (ARRAY['pg_catalog', \
               'information_schema']) ORDER BY 1";
    assert_eq!(rows(sql), ["deniable.budget", "public.visits"]);
}

#[test]
fn columns_have_types_comments_and_order() {
    let sql = "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_catalog.col_description(a.attrelid, a.attnum) \
               FROM pg_attribute a WHERE a.attrelid = 'public.visits'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";
    assert_eq!(
        rows(sql),
        ["patient, text, f, -", "age, bigint, f, 0 to 110", "day, date, f, -", "Odd name, boolean, f, -"]
    );
    assert_eq!(types(sql), ["name", "text", "bool", "text"]);
    let sql =
        "SELECT column_name, udt_name, ordinal_position FROM information_schema.columns WHERE table_name = 'budget'";
    assert_eq!(rows(sql), ["left, numeric, 1"]);
    // The number of rows is a public estimate; without one, -1 means unknown.
    assert_eq!(rows("SELECT reltuples FROM pg_class WHERE relname IN ('visits', 'budget') ORDER BY 1"), ["-1", "5000"]);
}

#[test]
fn relations_are_shown_by_name_and_compared_by_number() {
    let sql = "SELECT c.oid::pg_catalog.regclass, CAST(c.oid AS REGCLASS)::text FROM pg_class c WHERE c.oid = 'deniable.budget'::regclass";
    assert_eq!(rows(sql), ["deniable.budget, deniable.budget"]);
    assert_eq!(
        rows("SELECT description FROM pg_description WHERE classoid = 'pg_class'::regclass AND objsubid = 0"),
        ["one row a visit"]
    );
    assert_eq!(rows("SELECT to_regclass('nothing') IS NULL, to_regclass('visits') = 'visits'::regclass"), ["t, t"]);
    assert_eq!(
        rows("SELECT oid::regtype::text, typarray FROM pg_type WHERE oid = to_regtype('int8')"),
        ["bigint, 1016"]
    );
}

#[test]
fn names_are_matched_as_in_postgresql() {
    let of = |condition: &str| {
        rows(&format!("SELECT relname FROM pg_catalog.pg_class WHERE {condition} AND relnamespace = 2200"))
    };
    for found in [
        "relname OPERATOR(pg_catalog.~) '^(visits)$' COLLATE pg_catalog.default",
        "relname ~ '^vis'",
        "relname ~* '^VIS'",
        "relname ILIKE 'VIS%'",
        "relname LIKE 'vis%'",
        "relname = ANY (ARRAY['visits', 'x'])",
        "relname = ANY ('{visits,x}'::text[])",
        "relname IN (SELECT unnested FROM unnest(ARRAY['visits']) unnested)",
        "relname IS DISTINCT FROM NULL",
        "relkind = ANY (ARRAY['r', 'p'])",
    ] {
        assert_eq!(of(found), ["visits"], "{found}");
    }
    for not in [
        "relname ~ 'VIS'",
        "relname LIKE 'VIS%'",
        "relname !~ 'v'",
        "relname <> ALL (ARRAY['visits'])",
        "relname ~ '('",
    ] {
        assert!(of(not).is_empty(), "{not}");
    }
}

#[test]
fn lists_and_aggregates() {
    let sql = "SELECT array_agg(attname ORDER BY attnum DESC), bool_and(attnum > 0), count(*), array_to_string(ARRAY(SELECT nspname FROM \
               pg_namespace WHERE nspname LIKE 'p%' ORDER BY 1), ', ') FROM pg_attribute WHERE attrelid = 'visits'::regclass";
    assert_eq!(rows(sql), ["{\"Odd name\",day,age,patient}, t, 4, pg_catalog, public"]);
    assert_eq!(types(sql), ["_text", "bool", "int8", "text"]);
    assert_eq!(rows("SELECT ARRAY(SELECT conname FROM pg_constraint)"), ["{}"]);
    assert_eq!(
        rows("SELECT g, (ARRAY['a', 'b'])[g] FROM generate_series(1, 3) g ORDER BY 1"),
        ["1, a", "2, b", "3, -"]
    );
}

/// Tables from functions and from lists of values, and the names of them and their columns.
#[test]
fn sources_after_from_get_their_names() {
    assert_eq!(
        rows("SELECT s.i, s.i + 1 AS j FROM generate_series(1, 3) AS s(i) ORDER BY s.i DESC"),
        ["3, 4", "2, 3", "1, 2"]
    );
    let sql = "SELECT x, n FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS t(x, n) ORDER BY n";
    assert_eq!(rows(sql), ["a, 1", "b, 2"]);
    // Of an adjacent table.
    let sql = "SELECT c.relname, k.name, k.at FROM pg_class c CROSS JOIN LATERAL unnest(ARRAY[c.relname, 'b']) WITH ORDINALITY AS k(name, at) \
               WHERE c.relname = 'budget' ORDER BY at";
    assert_eq!(rows(sql), ["budget, budget, 1", "budget, b, 2"]);
    let names: Vec<String> = asked(sql, &[]).columns.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["relname", "name", "at"]);
    assert_eq!(rows("SELECT b FROM (VALUES (1, 'x'), (2, 'y')) AS v(a, b) WHERE a > 1"), ["y"]);
    assert_eq!(rows("SELECT s[i] FROM string_to_array('a,b', ',') s, generate_series(1, 2) i ORDER BY i"), ["a", "b"]);
    assert_eq!(rows("SELECT x[2] FROM current_schemas(true) AS s(x)"), ["public"]);
    assert_eq!(
        rows("SELECT c.tableoid::regclass, c.tableoid = 1259 FROM pg_class c WHERE c.oid = 'visits'::regclass"),
        ["pg_class, t"]
    );
    // Functions are shown by name, and are numbers.
    let sql = "SELECT typname, typinput, typreceive::oid, typsend::regproc::text FROM pg_type WHERE typinput = 'pg_catalog.array_in'::regproc \
               AND typelem = 25";
    assert_eq!(rows(sql), ["_text, array_in, 2400, array_send"]);
    let sql = "SELECT p.proname FROM pg_type t JOIN pg_proc p ON p.oid = t.typoutput WHERE t.typname = 'numeric'";
    assert_eq!(rows(sql), ["numeric_out"]);
}

#[test]
fn names_are_written_and_read() {
    let sql = "SELECT format('%I.%I', 'a', 'B c'), format('%2$s %1$L %%', 'x''', 'y'), format('%s', NULL), format('%L', NULL), \
               parse_ident('Public.\"Odd.x\"'), trim(BOTH '\"' FROM '\"a\"'), trim(LEADING 'x' FROM 'xax')";
    assert_eq!(rows(sql), ["a.\"B c\", y 'x''' %, , NULL, {public,Odd.x}, a, ax"]);
    // In the order of the table.
    let sql = "SELECT a.attname FROM pg_attribute a, pg_class c, pg_tables t WHERE a.attrelid = c.oid AND c.relname = tablename \
               AND schemaname = 'public' AND tableowner = 'ana'";
    assert_eq!(rows(sql), ["patient", "age", "day", "Odd name"]);
}

#[test]
fn session_functions() {
    assert_eq!(
        rows("SELECT current_user, current_database(), current_schema(), session_user"),
        ["ana, clinic, public, ana"]
    );
    assert!(rows("SELECT version()")[0].starts_with("PostgreSQL 16.0 "));
    assert!(rows("SELECT now(), current_timestamp, localtimestamp")[0].starts_with("20"));
    assert_eq!(types("SELECT now(), clock_timestamp(), localtimestamp"), ["timestamp", "timestamp", "timestamp"]);
    assert_eq!(rows("SELECT now() = current_timestamp AND now() > '2020-01-01'"), ["t"]);
    assert_eq!(rows("SELECT current_setting('server_version_num')"), ["160000"]);
    assert_eq!(rows("SELECT 1, 'a', NULL, true, 1.5, E'a\\nb'"), ["1, a, -, t, 1.5, a\nb"]);
    assert_eq!(types("SELECT 1, 'a', true, 1.5, 3000000000"), ["int4", "text", "bool", "numeric", "int8"]);
    assert_eq!(
        rows("SELECT has_table_privilege('visits', 'SELECT'), has_table_privilege('visits', 'INSERT')"),
        ["t, f"]
    );
}

#[test]
fn parameters_are_values() {
    let sql = "SELECT relname FROM pg_class WHERE relname = $2 AND relkind = $1::char";
    assert_eq!(asked(sql, &[Some("r"), Some("visits")]).rows, [[Some("visits".to_owned())]]);
    assert!(asked(sql, &[Some("r"), Some("visits' OR 'a' = 'a")]).rows.is_empty());
    assert!(asked(sql, &[Some("r"), None]).rows.is_empty());
}

/// A query about missing objects, or one that cannot be evaluated, has columns and no rows, because clients send such
/// queries in loops.
#[test]
fn unknown_objects_have_no_rows() {
    for sql in [
        "SELECT a, b AS c FROM pg_catalog.pg_nothing",
        "SELECT a, b AS c FROM pg_class, LATERAL (SELECT 1) x",
        "SELECT DISTINCT ON (a) a, b AS c FROM pg_class",
        "SELECT some_function(a) AS a, 1 AS c FROM pg_class",
    ] {
        let answer = asked(sql, &[]);
        let names: Vec<&str> = answer.columns.iter().map(|(name, _)| name.as_str()).collect();
        assert!(answer.is_unknown && answer.rows.is_empty() && names == ["a", "c"], "{answer:?}");
    }
}

/// Tables outside of `public` contain the rows that were put into them, and can be queried like others.
#[test]
fn tables_with_rows() {
    let catalog = catalog();
    let left = |sql: &str| {
        let answer = catalog.answer(&parsed(sql), &[], &CallOff::default()).unwrap();
        (answer.columns[0].1.about().unwrap().name, answer.rows)
    };
    assert_eq!(left("SELECT * FROM deniable.budget"), ("numeric", vec![]));
    for text in ["0.75", "0.5"] {
        catalog.put("deniable", "budget", &[vec![Some(text.to_owned())], vec![None]]).unwrap();
        assert_eq!(
            left("SELECT * FROM deniable.budget WHERE \"left\" > 0.1"),
            ("numeric", vec![vec![Some(text.to_owned())]])
        );
    }
    assert!(catalog.put("deniable", "budget", &[vec![]]).is_err());
    assert_eq!(left("SELECT count(*) FROM deniable.budget b").1, [[Some("0".to_owned())]]);
}
