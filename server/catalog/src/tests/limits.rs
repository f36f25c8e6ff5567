//! Queries that would take long or much memory, or use unsupported functions and tables.

use super::{CallOff, CatalogQueryError, catalog, parsed, rows};
use crate::limits::MOST_TIME;
use rusqlite::config::DbConfig;
use std::time::{Duration, Instant};

/// Upper bound of the time by which a query may exceed its limit: one call of a function, on a busy machine.
const LATE: Duration = Duration::from_secs(4);

/// The reason why a query ends without an answer, within the time limit.
fn ended(sql: &str) -> CatalogQueryError {
    let (catalog, statement) = (catalog(), parsed(sql));
    let begun = Instant::now();
    let answer = catalog.answer(&statement, &[], &CallOff::default());
    assert!(begun.elapsed() < MOST_TIME + LATE, "{:?} for {sql:.200}", begun.elapsed());
    match answer {
        Err(why) => why,
        Ok(rows) => panic!("{sql:.200}: {rows:?}"),
    }
}

#[test]
fn long_queries_end_at_a_limit() {
    // Each query contains all columns of the previous one twice.
    let doubled: String = (1..40).map(|at| format!(", v{at} AS (SELECT *, * FROM v{})", at - 1)).collect();
    let doubled = format!("WITH v0 AS (SELECT * FROM pg_class){doubled} SELECT * FROM v39");
    let doubled = catalog().answer(&parsed(&doubled), &[], &CallOff::default());
    assert!(doubled.is_err() || doubled.unwrap().is_unknown);
    let long = "x".repeat(200_000);
    for sql in [
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n".to_owned(),
        "SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c, pg_attribute d".to_owned(),
        "SELECT a.attname FROM pg_attribute a, pg_attribute b, pg_attribute c".to_owned(),
        "SELECT count(*) FROM (SELECT DISTINCT a.attname, b.attname, c.attname FROM pg_attribute a, pg_attribute b, pg_attribute c) t".to_owned(),
        // Long values: of functions, and of the query itself, each in many temporary rows.
        format!("SELECT count(*) FROM (SELECT DISTINCT '{long}' || a.attname || b.attname FROM pg_attribute a, pg_attribute b) t"),
        format!("SELECT count(*) FROM (SELECT DISTINCT '{long}', a.ctid, b.attname, a.attname FROM pg_attribute b, (SELECT attname, 1 AS ctid FROM pg_attribute) a) t"),
        format!("SELECT array_agg('{long}') FROM pg_attribute"),
        format!("SELECT string_agg('{long}', '') FROM pg_attribute"),
        format!("SELECT replace('{long}', 'x', '0123456789')"),
        format!("SELECT concat(x, x, x, x, x, x) FROM (SELECT '{long}' AS x) t"),
        // Patterns: a different one in each row, a large one, and one matched at many positions of a long text.
        "SELECT count(*) FROM pg_attribute a, pg_attribute b WHERE a.attname ~ ('(\\w{1,60}\\W?){5}' || b.attname)".to_owned(),
        "SELECT count(*) FROM pg_attribute a, pg_attribute b WHERE a.attname ~ ('^(a|b)*' || b.attname || b.attnum)".to_owned(),
        format!("SELECT '{long}' ~ '(x|y)*z'"),
        format!("SELECT 'a' ~ '{}'", "a".repeat(5_000)),
    ] {
        let why = ended(&sql);
        assert!(matches!(why, CatalogQueryError::Limit(_)), "{why} for {sql:.200}");
    }
    // Functions whose naive time is the product of two lengths are fast.
    let (text, part) = ("a".repeat(100_000), format!("{}b", "a".repeat(50_000)));
    let sql = format!(
        "SELECT instr, trimmed, replaced FROM (SELECT strpos('{text}', '{part}') AS instr, length(trim(BOTH '{part}' FROM '{text}')) AS trimmed, \
                       length(replace('{text}', '{part}', '')) AS replaced) t"
    );
    let begun = Instant::now();
    assert_eq!(rows(&sql), ["0, 0, 100000"]);
    assert!(begun.elapsed() < MOST_TIME, "{:?}", begun.elapsed());
}

#[test]
fn temporary_rows_stay_in_memory_and_the_database_is_defensive() {
    let catalog = catalog();
    catalog.meter.trust();
    let kept: i64 = catalog.connection.pragma_query_value(None, "temp_store", |row| row.get(0)).unwrap();
    assert_eq!(kept, 2, "MEMORY");
    assert!(catalog.connection.db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE).unwrap());
}

#[test]
fn functions_and_tables_of_sqlite_are_refused() {
    for (sql, function) in [
        (
            "SELECT count(*) FROM (SELECT DISTINCT hex(randomblob(300000)) AS x FROM pg_attribute a, pg_attribute b) t",
            "hex",
        ),
        ("SELECT randomblob(9)", "randomblob"),
        ("SELECT zeroblob(1000000000) FROM pg_class", "zeroblob"),
        ("SELECT printf('%.1000000c', 'x')", "printf"),
        ("SELECT load_extension('x')", "load_extension"),
        ("SELECT sqlite_version(), 1 FROM pg_class", "sqlite_version"),
        ("SELECT group_concat(relname) FROM pg_class", "group_concat"),
        ("SELECT random()", "random"),
        ("SELECT quote(relname) FROM pg_class", "quote"),
        ("SELECT likelihood(1, 0.5)", "likelihood"),
        ("SELECT rtreedepth(relname) FROM pg_class", "rtreedepth"),
    ] {
        assert_eq!(ended(sql), CatalogQueryError::Function(function.into()), "{sql}");
    }
    for table in ["sqlite_master", "pg_catalog.sqlite_schema", "pragma_function_list", "dbstat"] {
        let statement = parsed(&format!("SELECT * FROM {table}"));
        let answer = catalog().answer(&statement, &[], &CallOff::default());
        assert!(
            matches!(answer, Err(CatalogQueryError::Table(_))) || answer.as_ref().is_ok_and(|rows| rows.is_unknown),
            "{answer:?}"
        );
    }
    assert!(catalog().answer(&parsed("DELETE FROM pg_class"), &[], &CallOff::default()).unwrap().is_unknown);
}

/// A cancelled query ends at once, and the catalogs answer the next one.
#[test]
fn queries_can_be_cancelled() {
    let (catalog, call_off) = (catalog(), CallOff::default());
    let long = parsed("SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c, pg_attribute d");
    let other = call_off.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.call_off();
    });
    let begun = Instant::now();
    assert_eq!(catalog.answer(&long, &[], &call_off), Err(CatalogQueryError::CalledOff));
    assert!(begun.elapsed() < MOST_TIME, "{:?}", begun.elapsed());
    thread.join().unwrap();
    let answer = catalog.answer(&parsed("SELECT 7"), &[], &CallOff::default()).unwrap();
    assert_eq!(answer.rows, [[Some("7".to_owned())]]);
}

/// Filling a table is not a query: it does not fail after a refused query, and has no limits.
#[test]
fn tables_are_filled_after_a_refused_query() {
    let catalog = catalog();
    assert!(catalog.answer(&parsed("SELECT randomblob(9)"), &[], &CallOff::default()).is_err());
    catalog.put("deniable", "budget", &[vec![Some("0.5".to_owned())]]).unwrap();
    let answer = catalog.answer(&parsed("SELECT * FROM deniable.budget"), &[], &CallOff::default()).unwrap();
    assert_eq!(answer.rows, [[Some("0.5".to_owned())]]);
}

#[test]
fn texts_are_joined_replaced_and_trimmed() {
    assert_eq!(
        rows(
            "SELECT 'a' || 1 || 'b', 'a' || NULL, concat('a', NULL, 2), concat_ws('-', 'a', NULL, 'b'), replace('aXbX', 'X', 'yy')"
        ),
        ["a1b, -, a2, a-b, ayybyy"]
    );
    assert_eq!(
        rows("SELECT trim('  a '), ltrim('xxa', 'x'), rtrim('ab', 'b'), strpos('ébc', 'c'), strpos('a', '')"),
        ["a, a, a, 3, 1"]
    );
    assert_eq!(
        rows("SELECT string_agg(relname, '+') FROM pg_class WHERE relname IN ('visits', 'budget')"),
        ["visits+budget"]
    );
}
