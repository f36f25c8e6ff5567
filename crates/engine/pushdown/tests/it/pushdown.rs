//! Queries as statements for engines: the SQL, refusals, and their difference from queries about files. The tests in
//! `engines` compare the totals of engines.

use deniable_core::exact::{parse_rational, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_pushdown::{Dialect, StorageType, Trial};
use deniable_query::Query;
use std::collections::BTreeMap;

fn table() -> TableSchema {
    let step = parse_rational("1/4").unwrap();
    let columns = vec![
        Column::new("who`\"", ColumnType::Text),
        Column::new("ward", ColumnType::Text).with_keys(vec![Key::Text("'; DROP".to_owned()), Key::Null]),
        Column::new("n", ColumnType::Integer).within(Bounds::new(whole(0), whole(9), whole(1)).unwrap()),
        Column::new("x", ColumnType::Decimal).within(Bounds::new(whole(0), whole(9), step).unwrap()),
        Column::new("at", ColumnType::Timestamp),
    ];
    TableSchema::protected("t", columns, Some(Entity::new("who`\"", Caps { rows_per_group: 2, groups: 1 })))
}

fn stored() -> BTreeMap<String, StorageType> {
    let kinds = [
        ("who`\"", StorageType::Text),
        ("ward", StorageType::Text),
        ("n", StorageType::Whole),
        ("x", StorageType::Double),
    ];
    kinds.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect()
}

fn query(sql: &str) -> Query {
    deniable_sql::plan(sql, &[table()]).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Entities are grouped and ranked by a derived key: by the stored column an engine could do it within each partition
/// of the stored table.
#[test]
fn entities_are_grouped_by_a_derived_key() {
    let query = query("SELECT ward, SUM(x) AS s FROM t GROUP BY ward").portable();
    for (dialect, hash) in
        [(Dialect::Spark, "substr(sha2(:salt || 'e' || "), (Dialect::DuckDb, "substr(sha256($salt || 'e' || ")]
    {
        let sql = deniable_pushdown::statement(&query, dialect, "visits", &stored()).unwrap().sql;
        let name = dialect.name("who`\"");
        assert!(sql.contains(hash) && sql.contains(", 1, 32) AS e, "), "{sql}");
        assert!(sql.contains("GROUP BY e, c, u0"), "{sql}");
        for by in ["GROUP BY ", "PARTITION BY "] {
            for (at, _) in sql.match_indices(by) {
                let keys = &sql[at + by.len()..];
                assert!(keys.starts_with("e, c") || keys.starts_with("e ORDER BY") || keys.starts_with('c'), "{keys}");
                let keys = keys.split(['\n', ')']).next().unwrap();
                assert!(!keys.contains(&name), "{keys}");
            }
        }
    }
}

/// Names are quoted and constants are digits: no text of a policy or an analyst occurs literally in a statement.
#[test]
fn names_and_constants_do_not_occur_literally() {
    let query = query("SELECT ward, SUM(x) AS s FROM t WHERE ward <> 'it''s -- \\' GROUP BY ward").portable();
    for (dialect, name) in
        [(Dialect::Spark, "`who``\"`"), (Dialect::Postgres, "\"who`\"\"\""), (Dialect::DuckDb, "\"who`\"\"\"")]
    {
        let statement = deniable_pushdown::statement(&query, dialect, "clinic.visits", &stored()).unwrap();
        assert!(statement.sql.contains(name) && statement.sql.contains("FROM clinic.visits"), "{}", statement.sql);
        assert!(!["DROP", "it's", "--", ";"].iter().any(|part| statement.sql.contains(part)), "{}", statement.sql);
        // Keys are written as bytes.
        assert!(statement.sql.contains("273b2044524f50"), "{}", statement.sql);
    }
}

#[test]
fn operations_that_differ_between_engines_are_refused_with_a_fix() {
    for (sql, said) in [
        ("SELECT SUM(x + 1) AS s FROM t", "decimals overflow and round differently"),
        ("SELECT COUNT(*) AS k FROM t WHERE LOWER(ward) = 'a'", "case conversion and patterns differ"),
        ("SELECT COUNT(*) AS k FROM t WHERE ward LIKE 'a%'", "case conversion and patterns differ"),
        ("SELECT COUNT(*) AS k FROM t WHERE CAST(ward AS BIGINT) = 1", "engines convert values differently"),
        ("SELECT COUNT(*) AS k FROM t WHERE n / 2 = 1", "engines do not agree"),
        (
            "SELECT COUNT(*) AS k FROM t WHERE EXTRACT(YEAR FROM at) = 2020",
            "a type whose values differ between engines",
        ),
        ("SELECT MEDIAN(n) AS m FROM t", "it needs the values"),
        ("SELECT ward, COUNT(*) AS k FROM t GROUP BY ROLLUP (ward)", "each level is capped separately"),
    ] {
        for dialect in Dialect::ALL {
            let refusal = deniable_pushdown::statement(&query(sql).portable(), dialect, "t", &stored()).unwrap_err();
            assert!(refusal.to_string().contains(said) && !refusal.help.is_empty(), "{sql}: {refusal}");
        }
    }
    // A column that the engine stores in another type, or does not have.
    let kept = BTreeMap::from([("who`\"".to_owned(), StorageType::Text), ("n".to_owned(), StorageType::Double)]);
    let refusal =
        deniable_pushdown::statement(&query("SELECT SUM(n) AS s FROM t").portable(), Dialect::Spark, "t", &kept)
            .unwrap_err();
    assert!(refusal.what.contains("`n`"), "{refusal}");
}

/// The exact statement for each engine.
#[test]
fn statements_of_every_dialect() {
    let sql = "SELECT ward, COUNT(*) AS k, SUM(n) AS s, SUM(x) AS y FROM t WHERE n * 2 > 3 AND ward <> '\u{e4}' GROUP BY ward";
    for dialect in Dialect::ALL {
        let statement =
            deniable_pushdown::statement(&query(sql).portable(), dialect, "clinic.visits", &stored()).unwrap();
        insta::assert_snapshot!(format!("{dialect:?}"), statement.sql);
    }
}

/// Made-up rows contain each constant of a query, and the adjacent values.
#[test]
fn made_up_rows_meet_conditions() {
    let sql = "SELECT COUNT(*) AS k FROM t WHERE ward = 'nobody' AND n = 4711 AND x >= 5.25";
    let query = query(sql).portable();
    let trials = Trial::all(&query, Dialect::DuckDb).unwrap();
    assert_eq!(trials.len(), 2, "with its conditions, and without");
    let count = |trial: &Trial, text: &str| trial.statements()[1].sql.matches(text).count();
    for text in [
        "6e6f626f6479",
        "CAST(4711 AS BIGINT)",
        "CAST(4710 AS BIGINT)",
        "CAST(4712 AS BIGINT)",
        "CAST('5.25e0' AS DOUBLE)",
    ] {
        assert!(count(&trials[0], text) > 1 && count(&trials[1], text) > 1, "{text}");
    }
}

/// Another ranking function makes another query, with its own stored answers.
#[test]
fn a_portable_query_is_another_query() {
    let plain = query("SELECT SUM(n) AS s FROM t");
    let portable = plain.clone().portable();
    assert_ne!(plain.canonical(), portable.canonical());
    assert_eq!(portable.canonical(), query("SELECT SUM(n) AS s FROM t").portable().canonical());
}
