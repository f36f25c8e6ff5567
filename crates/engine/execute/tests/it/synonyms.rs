//! Forms of other dialects: those with the same meaning as a supported form are the same query, the others are rejected
//! at their place.

use deniable_answers::{Noisy, ShownValue};
use deniable_core::exact::{ratio, whole};
use deniable_core::noise::Decay;
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_query::{MeasureKind, Target};
use deniable_query::{Query, QueryError};

const DAY: i64 = 86_400_000_000;
/// 2024-12-28.
const FIRST: i64 = 20_085;

fn table() -> TableSchema {
    let within = |name: &str, kind, low: i64, high: i64| {
        Column::new(name, kind).within(Bounds::new(whole(low), whole(high), whole(1)).unwrap())
    };
    let columns = vec![
        Column::new("who", ColumnType::Integer),
        within("x", ColumnType::Integer, 0, 5),
        within("y", ColumnType::Integer, 0, 5),
        Column::new("k", ColumnType::Text).with_keys(["a", "b"].map(|key| Key::Text(key.to_owned())).to_vec()),
        Column::new("code", ColumnType::Text),
        within("day", ColumnType::Date, FIRST, FIRST + 9),
        within("ts", ColumnType::Timestamp, FIRST * DAY, (FIRST + 10) * DAY - 1),
        within("until", ColumnType::Timestamp, FIRST * DAY, (FIRST + 10) * DAY - 1),
    ];
    TableSchema::protected("t", columns, None)
}

fn people() -> TableSchema {
    TableSchema { entity: Some(Entity::new("who", Caps { rows_per_group: 9, groups: 9 })), ..table() }
}

const ROWS: &str = "\
who,x,y,k,code,day,ts,until
1,1,2,a,A01,2024-12-28,2024-12-28T10:59:59,2024-12-28T11:00:00
2,2,0,b,A012,2024-12-30,2024-12-30T00:00:00,2025-01-01T00:00:00
3,,1,,B0%,2025-01-01,2024-12-31T23:59:00,2025-01-06T00:01:30
4,5,4,a,a01,2025-01-06,2025-01-06T12:00:00,2025-01-06T12:00:00
";

fn query(sql: &str, table: &TableSchema) -> Result<Query, QueryError> {
    deniable_sql::plan(sql, std::slice::from_ref(table))
}

/// The answer without noise, each row joined by spaces.
fn answer(sql: &str) -> Vec<String> {
    let table = table();
    let query = query(sql, &table).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rows.csv"), ROWS).unwrap();
    let cells = super::groups::found(&query, folder.path(), &table).reveal();
    // Cells of ranks contain all values, in order.
    let value = |at: usize, cell: Vec<i128>| match query.measures()[at].kind {
        MeasureKind::Ranked { target: Target::Highest, .. } => *cell.last().unwrap(),
        _ => cell[0],
    };
    let all = |(at, cells): (usize, Vec<Vec<i128>>)| cells.into_iter().map(|cell| value(at, cell)).collect();
    let values = cells.into_iter().enumerate().map(all).collect();
    let decays = vec![Decay::exactly(ratio(1, 2)).unwrap(); query.measures().len()];
    let text = |shown: &ShownValue| match shown {
        ShownValue::Key(key) => key.to_string(),
        ShownValue::All => "(all)".to_owned(),
        ShownValue::Number { estimate, .. } => estimate.as_ref().map_or_else(|| "NULL".to_owned(), ToString::to_string),
        ShownValue::Text(text) => text.clone(),
    };
    let rows = deniable_answers::show(&query, &Noisy { values, consistent: None, decays }, &ratio(19, 20));
    rows.iter().map(|row| row.0.iter().map(text).collect::<Vec<_>>().join(" ")).collect()
}

/// Each form and the supported one: they are one query, with one price and one stored answer.
#[test]
fn synonyms_are_the_same_query() {
    for (form, same) in [
        ("SELECT VARIANCE(x) AS v FROM t", "SELECT VAR_SAMP(x) AS v FROM t"),
        ("SELECT SUM(MOD(x, 3)) AS v FROM t", "SELECT SUM(x % 3) AS v FROM t"),
        (
            "SELECT SUM(SIGN(x)) AS v FROM t",
            "SELECT SUM(CASE WHEN x > 0 THEN 1 WHEN x < 0 THEN -1 WHEN x = 0 THEN 0 END) AS v FROM t",
        ),
        (
            "SELECT SUM(TRUNC(x / 2.0)) AS v FROM t",
            "SELECT SUM(CASE WHEN x / 2.0 < 0 THEN CEIL(x / 2.0) ELSE FLOOR(x / 2.0) END) AS v FROM t",
        ),
        ("SELECT SUM(IF(x > 1, y, 0)) AS v FROM t", "SELECT SUM(CASE WHEN x > 1 THEN y ELSE 0 END) AS v FROM t"),
        ("SELECT SUM(IIF(x > 1, y)) AS v FROM t", "SELECT SUM(CASE WHEN x > 1 THEN y END) AS v FROM t"),
        ("SELECT COUNT_IF(x > 1) AS v FROM t", "SELECT COUNT(*) FILTER (WHERE x > 1) AS v FROM t"),
        (
            "SELECT COUNTIF(x > 1 OR y > 1) FILTER (WHERE x < 4 OR y < 4) AS v FROM t",
            "SELECT COUNT(*) FILTER (WHERE (x < 4 OR y < 4) AND (x > 1 OR y > 1)) AS v FROM t",
        ),
        ("SELECT SUM_IF(y, x > 1) AS v FROM t", "SELECT SUM(y) FILTER (WHERE x > 1) AS v FROM t"),
        ("SELECT AVG(IFNULL(x, 0)) AS v FROM t", "SELECT AVG(COALESCE(x, 0)) AS v FROM t"),
        ("SELECT ALL COUNT(*) AS v FROM t", "SELECT COUNT(*) AS v FROM t"),
        ("SELECT COUNT(*) AS v FROM \"public\".\"t\"", "SELECT COUNT(*) AS v FROM t"),
        (
            "SELECT COUNT(*) AS v FROM t WHERE k = ANY(ARRAY['a', 'z'])",
            "SELECT COUNT(*) AS v FROM t WHERE k IN ('a', 'z')",
        ),
        (
            "SELECT COUNT(*) AS v FROM t WHERE k <> ALL(ARRAY['a', 'z'])",
            "SELECT COUNT(*) AS v FROM t WHERE k NOT IN ('a', 'z')",
        ),
        (
            "SELECT COUNT(*) AS v FROM t WHERE SUBSTRING(code FROM 2 FOR 2) = '01'",
            "SELECT COUNT(*) AS v FROM t WHERE code LIKE '_01%'",
        ),
        (
            "SELECT COUNT(*) AS v FROM t WHERE SUBSTR(code, 1, 3) <> 'B0%'",
            "SELECT COUNT(*) AS v FROM t WHERE code NOT LIKE 'B0\\%%'",
        ),
        (
            "SELECT COUNT(*) AS v FROM t WHERE LEFT(code, 3) IN ('A01', 'A02')",
            "SELECT COUNT(*) AS v FROM t WHERE code LIKE 'A01%' OR code LIKE 'A02%'",
        ),
        (
            "SELECT COUNT(*) AS v FROM t WHERE SUBSTRING(code, 2) = '01'",
            "SELECT COUNT(*) AS v FROM t WHERE code LIKE '_01'",
        ),
        (
            "SELECT EXTRACT(isoyear FROM day) AS g, COUNT(*) AS v FROM t GROUP BY 1",
            "SELECT CAST(TO_CHAR(day, 'IYYY') AS BIGINT) AS g, COUNT(*) AS v FROM t GROUP BY 1",
        ),
        (
            "SELECT ts::date AS g, COUNT(*) AS v FROM t GROUP BY 1",
            "SELECT CAST(ts AS DATE) AS g, COUNT(*) AS v FROM t GROUP BY 1",
        ),
        (
            "SELECT SUM(DATE_DIFF('hour', ts, until)) AS v FROM t",
            "SELECT SUM(DATE_DIFF('day', ts, until) * 24 + (EXTRACT(hour FROM until) - EXTRACT(hour FROM ts))) AS v FROM t",
        ),
        (
            "SELECT COUNT(*) AS v FROM t WHERE day >= DATE '2025-01-31' - INTERVAL '30 days'",
            "SELECT COUNT(*) AS v FROM t WHERE day >= DATE '2025-01-01'",
        ),
        (
            "SELECT COUNT(*) AS v FROM t WHERE ts < TIMESTAMP '2024-11-30 12:00:00' + INTERVAL '3 months'",
            "SELECT COUNT(*) AS v FROM t WHERE ts < TIMESTAMP '2025-02-28 12:00:00'",
        ),
        (
            "SELECT COUNT(*) AS v FROM t WHERE DATE_ADD(day, INTERVAL 1 MONTH) < until",
            "SELECT COUNT(*) AS v FROM t WHERE day + INTERVAL '1' MONTH < until",
        ),
        (
            "SELECT COUNT(*) AS v FROM t WHERE DATE_SUB(day, 7) > until",
            "SELECT COUNT(*) AS v FROM t WHERE day - INTERVAL '1 week' > until",
        ),
        (
            "SELECT COUNT(*) AS v FROM t WHERE DATEADD(quarter, -1, ts) < DATE_ADD('hour', 2, until)",
            "SELECT COUNT(*) AS v FROM t WHERE INTERVAL '-3 months' + ts < until + INTERVAL '120 minutes'",
        ),
    ] {
        let of = |sql: &str| match query(sql, &table()) {
            Ok(query) => query.canonical().to_vec(),
            Err(error) => panic!("{sql}: {error}, {:?}", error.help()),
        };
        assert_eq!(of(form), of(same), "{form}");
    }
    let of = |sql: &str| query(sql, &people()).unwrap_or_else(|error| panic!("{sql}: {error}")).canonical().to_vec();
    assert_eq!(
        of("SELECT COUNT(DISTINCT CASE WHEN x > 3 THEN who END) AS v FROM t"),
        of("SELECT COUNT(DISTINCT who) FILTER (WHERE x > 3) AS v FROM t")
    );
}

#[test]
fn synonyms_give_the_right_numbers() {
    let one = |expression: &str| answer(&format!("SELECT {expression} AS v FROM t")).join(",");
    for (expression, expected) in [
        ("SUM(IF(x > 1, y, 0))", "4"),
        ("COUNT_IF(x > 1)", "2"),
        ("COUNT(*) FILTER (WHERE code LIKE 'B0!%' ESCAPE '!')", "1"),
        ("COUNT_IF(SUBSTRING(code FROM 2 FOR 2) = '01')", "3"),
        ("COUNT_IF(LEFT(code, 3) = 'A01')", "2"),
        // The text must end after the part.
        ("COUNT_IF(SUBSTRING(code FROM 1 FOR 4) = 'A01')", "1"),
        ("COUNT_IF(SUBSTRING(code, 2) = '01')", "2"),
        ("COUNT_IF(SUBSTRING(code FROM 1 FOR 3) = 'B0%')", "1"),
        ("COUNT_IF(SUBSTRING(code FROM 1 FOR 2) = SUBSTR(code, 1, 2))", "4"),
        ("COUNT_IF(LEFT(LOWER(code), 2) IN ('a0', 'zz'))", "3"),
        // Below all 64-bit integers, and above them.
        ("COUNT_IF(x < 9223372036854775808)", "3"),
        ("COUNT_IF(x > 9223372036854775808)", "0"),
        ("COUNT_IF(x > -9223372036854775809)", "3"),
        ("COUNT_IF(x >= -9223372036854775808)", "3"),
        ("COUNT_IF(x = 18446744073709551616)", "0"),
        ("COUNT_IF(k = ANY(ARRAY['a', 'z']))", "2"),
        ("COUNT_IF(EXTRACT(isoyear FROM day) = 2025)", "3"),
        ("COUNT_IF(DATE_PART('isoyear', ts) = 2024)", "1"),
        ("SUM(DATE_DIFF('year', ts, until))", "2"),
        ("SUM(DATE_DIFF('quarter', ts, until))", "2"),
        ("SUM(DATE_DIFF('month', ts, until))", "2"),
        ("SUM(DATE_DIFF('week', ts, until))", "1"),
        ("SUM(DATE_DIFF('day', ts, until))", "8"),
        ("SUM(DATE_DIFF('hour', ts, until))", "170"),
        ("SUM(DATE_DIFF('minute', ts, until))", "10083"),
        ("SUM(DATE_DIFF('second', ts, until))", "604951"),
        ("SUM(DATE_DIFF('hour', DATE '2025-01-01', until))", "167"),
    ] {
        assert_eq!(one(expression), expected, "{expression}");
    }
    let parts = answer("SELECT SUBSTRING(k FROM 1 FOR 1) AS g, COUNT(*) AS n FROM t GROUP BY 1");
    assert_eq!(parts, answer("SELECT LEFT(k, 1) AS g, COUNT(*) AS n FROM t GROUP BY LEFT(k, 1)"));
    assert_eq!(parts, answer("SELECT k AS g, COUNT(*) AS n FROM t GROUP BY k"));
    assert_eq!(answer("SELECT EXTRACT(isoyear FROM day) AS g, COUNT(*) AS n FROM t GROUP BY 1"), ["2024 1", "2025 3"]);
    let days = answer("SELECT ts::date AS g, COUNT(*) AS n FROM t GROUP BY ts::date HAVING n > 0");
    assert_eq!(days, ["2024-12-28 1", "2024-12-30 1", "2024-12-31 1", "2025-01-06 1"]);
}

/// INTERVAL moves dates and timestamps by the calendar, in conditions, sums, groups and one row of each entity.
#[test]
fn periods_move_dates_by_the_calendar() {
    let one = |expression: &str| answer(&format!("SELECT {expression} AS v FROM t")).join(",");
    for (expression, expected) in [
        // Of 2024-12-28, 2024-12-30, 2025-01-01 and 2025-01-06.
        ("COUNT_IF(day + INTERVAL '2 days' = DATE '2024-12-30')", "1"),
        ("COUNT_IF(day - INTERVAL '1 month' < DATE '2024-12-01')", "2"),
        ("COUNT_IF(day + INTERVAL '2 months' = DATE '2025-02-28')", "2"),
        ("COUNT_IF(ts + INTERVAL '1 minute' = until + INTERVAL '59 seconds')", "1"),
        ("COUNT_IF(until <= ts + INTERVAL '2 days')", "3"),
        ("COUNT_IF(day > ts - INTERVAL '12 hours')", "3"),
        ("SUM(DATE_DIFF('day', day, day + INTERVAL '1 month'))", "124"),
        ("COUNT_IF(day + INTERVAL '9000 years' IS NULL)", "4"),
        ("COUNT_IF(day < DATE '9999-12-31' + INTERVAL '1 day')", "0"),
        ("MAX(day + INTERVAL '1 year')", "20459"),
    ] {
        assert_eq!(one(expression), expected, "{expression}");
    }
    let by = |group: &str| answer(&format!("SELECT {group} AS g, COUNT(*) AS n FROM t GROUP BY 1 HAVING n > 0"));
    // A year that begins in October.
    assert_eq!(by("EXTRACT(year FROM day + INTERVAL '3 months')"), ["2025 4"]);
    assert_eq!(by("EXTRACT(year FROM ts - INTERVAL '1 day')"), ["2024 3", "2025 1"]);
    assert_eq!(by("DATE_TRUNC('month', ts + INTERVAL '1 day')"), ["2024-12-01 2", "2025-01-01 2"]);
    assert_eq!(by("day + INTERVAL '1 week'"), ["2025-01-04 1", "2025-01-06 1", "2025-01-08 1", "2025-01-13 1"]);
    let sql = "SELECT COUNT(*) AS n FROM (SELECT who, MIN(day) AS first, MAX(until) AS last FROM t GROUP BY who) AS p \
               WHERE last > first + INTERVAL '1 day'";
    assert!(query(sql, &people()).is_ok());
}

/// A released date or timestamp compared with a constant in the query.
#[test]
fn having_compares_released_days_with_dates() {
    let kept = |having: &str| {
        let select = "SELECT k, MAX(day) AS m, MAX(ts) AS at FROM t GROUP BY k";
        answer(&format!("{select} HAVING {having}")).iter().map(|row| row[..1].to_owned()).collect::<String>()
    };
    // The latest of `a` is 2025-01-06, at noon; that of `b` is 2024-12-30, at midnight.
    assert_eq!(kept("m >= DATE '2025-01-06'"), "a");
    assert_eq!(kept("m < DATE '2025-01-06'"), "b");
    assert_eq!(kept("DATE '2024-12-30' = m"), "b");
    assert_eq!(kept("m BETWEEN DATE '2024-12-30' AND DATE '2025-01-06'"), "ab");
    assert_eq!(kept("m IN (DATE '2024-12-30', DATE '2024-12-29')"), "b");
    assert_eq!(kept("at >= TIMESTAMP '2025-01-06 12:00:00'"), "a");
    assert_eq!(kept("at > TIMESTAMP '2025-01-06 12:00:00'"), "");
    assert_eq!(kept("at >= DATE '2025-01-06'"), "a");
    assert_eq!(kept("m > TIMESTAMP '2025-01-05 23:00:00'"), "a");
    assert_eq!(kept("m = TIMESTAMP '2024-12-30 00:00:00'"), "b");
    assert_eq!(kept("m BETWEEN TIMESTAMP '2024-12-29 12:00:00' AND TIMESTAMP '2024-12-30 00:00:00'"), "b");
    assert_eq!(kept("MAX(day) <> DATE '2025-01-06'"), "b");
}

/// Released groups that are dates or timestamps are compared with constants by the calendar, in CASE, HAVING and outer
/// queries.
#[test]
fn groups_that_are_dates_are_compared_with_dates() {
    let by_day =
        |shown: &str, rest: &str| answer(&format!("SELECT {shown} FROM t GROUP BY day HAVING COUNT(*) > 0 {rest}"));
    assert_eq!(
        by_day("day, CASE WHEN day < DATE '2025-01-01' THEN 'before' ELSE 'after' END AS period, COUNT(*) AS n", ""),
        ["2024-12-28 before 1", "2024-12-30 before 1", "2025-01-01 after 1", "2025-01-06 after 1"]
    );
    assert_eq!(by_day("day, COUNT(*) AS n", "AND day >= DATE '2025-01-06' - INTERVAL '5 days'").len(), 2);
    assert_eq!(by_day("day, COUNT(*) AS n", "AND day BETWEEN DATE '2024-12-29' AND DATE '2025-01-01'").len(), 2);
    assert_eq!(by_day("day, COUNT(*) AS n", "AND day NOT IN (DATE '2024-12-28', DATE '2025-01-06')").len(), 2);
    assert_eq!(by_day("day, COUNT(*) AS n", "AND DATE '2025-01-01' = day"), ["2025-01-01 1"]);
    assert_eq!(by_day("day, COUNT(*) AS n", "AND day >= TIMESTAMP '2024-12-30 00:00:00'").len(), 3);
    assert_eq!(by_day("day, COUNT(*) AS n", "AND day > TIMESTAMP '2024-12-30 00:00:01'").len(), 2);
    assert_eq!(
        by_day("CASE day WHEN DATE '2025-01-06' THEN 'last' END AS w, COUNT(*) AS n", "ORDER BY day DESC")[0],
        "last 1"
    );
    let by_hour = |condition: &str| {
        answer(&format!(
            "SELECT DATE_TRUNC('hour', ts) AS h, COUNT(*) AS n FROM t GROUP BY 1 HAVING n > 0 AND {condition}"
        ))
    };
    assert_eq!(by_hour("h = DATE '2024-12-30'"), ["2024-12-30T00:00:00 1"]);
    assert_eq!(by_hour("h >= TIMESTAMP '2024-12-31 23:00:00'").len(), 2);
    let periods = answer(
        "SELECT period, SUM(n) AS n FROM (SELECT CASE WHEN month < DATE '2025-01-01' THEN 'before' ELSE 'after' END AS \
         period, n FROM (SELECT DATE_TRUNC('month', day) AS month, COUNT(*) AS n FROM t GROUP BY 1)) GROUP BY period \
         ORDER BY period",
    );
    assert_eq!(periods, ["after 2", "before 2"]);
}

/// Refusals name the place of a form that is not supported, and the form to write.
#[test]
fn other_forms_are_refused_with_a_fix() {
    for (sql, construct, place, help) in [
        ("SELECT COUNT(*) AS n FROM t WHERE k || code = 'aA'", "the operator ||", "k ||", "a = 'x' AND b = 'y'"),
        (
            "SELECT COUNT(*) AS n FROM t WHERE SUBSTRING(code FROM x FOR 2) = 'A0'",
            "SUBSTRING at this position",
            "x",
            "the position of the first character",
        ),
        (
            "SELECT COUNT(*) AS n FROM t WHERE SUBSTRING(code FROM 1 FOR 2) = 'A01'",
            "a comparison of a part of a text with a longer text",
            "code FROM 1",
            "a text of the same length",
        ),
        (
            "SELECT COUNT(*) AS n FROM t WHERE LEFT(code, 2) IN ('A0', 'A01')",
            "a comparison of a part of a text with a longer text",
            "LEFT",
            "a text of the same length",
        ),
        (
            "SELECT COUNT(*) AS n FROM t WHERE x > ANY(ARRAY[1, 2])",
            "ANY or ALL of an array",
            "x > ANY",
            "comparisons with AND and OR",
        ),
        ("SELECT COUNT(*) AS n FROM t WHERE k = ANY('{a,b}')", "ANY or ALL of an array", "k = ANY", "IN ('a', 'b')"),
        ("SELECT COUNT(*) AS n FROM t LIMIT 9223372036854775808", "LIMIT or OFFSET", "9223372036854775808", "LIMIT 10"),
        ("SELECT DISTINCT k FROM t", "SELECT DISTINCT", "DISTINCT", "GROUP BY"),
        ("SELECT COUNT(DISTINCT k) AS n FROM t", "COUNT(DISTINCT ...)", "k)", "GROUP BY the column"),
        (
            "SELECT SUM(DATE_DIFF('decade', ts, until)) AS v FROM t",
            "DATE_DIFF in this unit",
            "'decade'",
            "'year', 'quarter'",
        ),
        (
            "SELECT COUNT(*) AS n FROM t WHERE day > until - INTERVAL '1.5 months'",
            "this INTERVAL",
            "'1.5 months'",
            "INTERVAL '1 month 2 days'",
        ),
        (
            "SELECT COUNT(*) AS n FROM t WHERE day + INTERVAL '3 hours' > until",
            "a part of a day added to a date",
            "INTERVAL '3 hours'",
            "CAST(x AS TIMESTAMP)",
        ),
        (
            "SELECT COUNT(*) AS n FROM t WHERE x + INTERVAL '3 days' > 2",
            "an INTERVAL beside a value that is not a date",
            "INTERVAL '3 days'",
            "CAST(x AS DATE)",
        ),
        ("SELECT COUNT(*) AS n FROM t WHERE day + 30 > until", "arithmetic on a date", "", "day + INTERVAL '30 days'"),
        (
            "SELECT COUNT(*) AS n FROM t WHERE until - ts > INTERVAL '1 day'",
            "arithmetic on a date",
            "",
            "DATE_DIFF('day', a, b)",
        ),
        ("SELECT COUNT(*) AS n FROM t WHERE EXTRACT(epoch FROM ts) > 0", "EXTRACT(EPOCH ...)", "epoch", "isoyear"),
        (
            "SELECT k FROM t GROUP BY k HAVING MAX(day) > DATE '2024-13-01'",
            "'2024-13-01' as a date",
            "'2024-13-01'",
            "DATE '2024-01-31'",
        ),
        (
            "SELECT k FROM t GROUP BY k HAVING MAX(day) = NULLIF(DATE '2024-01-01', MIN(day))",
            "a comparison of a date with this result",
            "DATE",
            "compare a group that is a date",
        ),
    ] {
        let error = query(sql, &table()).err().unwrap_or_else(|| panic!("{sql}: accepted"));
        assert!(error.to_string().contains(construct), "{sql}: {error}");
        assert!(error.help().is_some_and(|found| found.contains(help)), "{sql}: {error}, {:?}", error.help());
        let found = error.place().map(|place| &sql[place.column as usize - 1..]);
        assert!(place.is_empty() || found.is_some_and(|found| found.contains(place)), "{sql}: {error} at {found:?}");
    }
}
