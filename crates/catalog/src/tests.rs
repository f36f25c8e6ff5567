//! What clients ask, in our words: the shapes of their questions, and answers worked out by hand.

use crate::{Catalog, Column, Description, Rows, Table, Type};
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
    let statement = Parser::parse_sql(&PostgreSqlDialect {}, sql).unwrap().remove(0);
    let parameters: Vec<Option<String>> = parameters.iter().map(|text| text.map(str::to_owned)).collect();
    catalog().answer(&statement, &parameters)
}

/// The rows of an answer, values by commas and NULL as `-`.
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
fn tables_are_listed_as_psql_lists_them() {
    let sql = "SELECT n.nspname AS \"Schema\", c.relname, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' END AS \"Type\", \
               pg_catalog.pg_get_userbyid(c.relowner) FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
               WHERE c.relkind IN ('r', 'v') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' \
               AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1, 2";
    assert_eq!(rows(sql), ["public, visits, table, ana"]);
    let names: Vec<String> = asked(sql, &[]).columns.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Schema", "relname", "Type", "pg_get_userbyid"]);
    assert_eq!(types(sql), ["name", "name", "text", "name"]);
    // All schemas, but only what was described.
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
    // Rows are a public guess, and where there is none it is said that nothing is known.
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
fn names_are_matched_as_postgresql_matches_them() {
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
    assert_eq!(
        rows("SELECT g, (ARRAY['a', 'b'])[g] FROM generate_series(1, 3) g ORDER BY 1"),
        ["1, a", "2, b", "3, -"]
    );
}

#[test]
fn who_and_where() {
    assert_eq!(
        rows("SELECT current_user, current_database(), current_schema(), session_user"),
        ["ana, clinic, public, ana"]
    );
    assert!(rows("SELECT version()")[0].starts_with("PostgreSQL 16.0 "));
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

/// What is not there, or cannot be evaluated, has columns and no rows: whoever asks in a loop goes on.
#[test]
fn what_is_unknown_has_no_rows() {
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

/// Nothing can be made to take long, or to be long, and nothing can be changed.
#[test]
fn what_takes_long_is_ended() {
    for sql in [
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n",
        "SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c, pg_attribute d",
        "SELECT a.attname FROM pg_attribute a, pg_attribute b, pg_attribute c",
        "SELECT zeroblob(1000000000)",
        "SELECT replace(hex(zeroblob(500000)), '0', '0123456789')",
    ] {
        assert!(asked(sql, &[]).is_unknown, "{sql}");
    }
    let statement = Parser::parse_sql(&PostgreSqlDialect {}, "DELETE FROM pg_class").unwrap().remove(0);
    assert!(catalog().answer(&statement, &[]).is_unknown);
}

/// Tables outside of `public` have the rows that they are given, and may be asked like any.
#[test]
fn tables_with_rows() {
    let catalog = catalog();
    let left = |sql: &str| {
        let statement = Parser::parse_sql(&PostgreSqlDialect {}, sql).unwrap().remove(0);
        let answer = catalog.answer(&statement, &[]);
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
