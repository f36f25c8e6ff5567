//! Answers whose exact values are known: the promise is so weak that noise is practically always zero.
//!
//! Every query has its own ledger and an odds ratio of e^4000, which at most two aggregates with a sensitivity of at
//! most 100 units share: noise other than zero has a probability below 2·e^-20 in a cell. Counts, of sensitivity 1,
//! share one ledger.

use crate::support::{Place, rows};

const POLICY: &str = r#"
name = "known"
population = "known"
data = { table = "t", path = "data.csv", version = "1", csv = { nulls = [""] } }
columns.x = { type = "integer", bounds = [0, 20] }
columns.d = { type = "decimal", bounds = [0, 5], step = 0.05 }
columns.s = { type = "text" }
columns.g = { type = "text", keys = ["a", "b", "c"], null_key = true }
columns.i = { type = "integer", bounds = [-5, 5], keys = [-1, 0, 2] }
columns.b = { type = "boolean", keys = [true, false] }
adversary = { preset = "anyone" }
promise = { epsilon = 4000 }
"#;

/// x=40 and d=9.99 are outside their bounds; `z` is not a declared key; `junk` does not parse as a number.
const DATA: &str = "\
x,d,s,g,i,b
1,0.05,1,a,-1,true
2,0.10,01,a,0,false
5,2.50,cat,a,2,true
5,9.99,Cat,b,2,TRUE
40,-3,dog,b,-1,
,1.00,,,0,false
0,,catalogue,,9,true
7,junk,\"a,b\",z,,false
99999999999999999999,NaN,x,a,0,true
3,inf,-inf,c,0,nope
";

/// The values shown for some queries on fresh data: rows as JSON.
#[track_caller]
fn ask_of(policy: &str, data: &str, questions: &[&str]) -> Vec<String> {
    let queries: String = questions.iter().map(|sql| format!("[[query]]\nsql = '''{sql}'''\n")).collect();
    let place = Place::new(&format!("{policy}\n{queries}"), data);
    // Columns that cannot be read as declared, and losses, are accepted: the queries are about such values.
    let columns = policy.lines().filter_map(|line| line.strip_prefix("columns.")?.split_whitespace().next());
    let names: Vec<String> = (1..=questions.len()).map(|query| format!("query {query}")).collect();
    let losses = names.iter().flat_map(|query| ["--accept-loss", query]);
    let accept: Vec<&str> = columns.flat_map(|column| ["--accept", column]).chain(losses).collect();
    place.run(&[&["data", "check", "policy.toml"], accept.as_slice()].concat()).done();
    let publication = place.release(&["--format", "json"]).done().json();
    (0..questions.len()).map(|ask| serde_json::to_string(&rows(&publication, ask)).unwrap()).collect()
}

/// Each query has this answer, as rows in JSON; each query has its own ledger.
#[track_caller]
fn answers(all: &[(&str, &str)]) {
    let found: Vec<String> = all.iter().flat_map(|(sql, _)| ask_of(POLICY, DATA, &[sql])).collect();
    compare(all, &found);
}

/// Fails on every query whose answer differs.
#[track_caller]
fn compare(all: &[(&str, &str)], found: &[String]) {
    let wrong: Vec<String> = all
        .iter()
        .zip(found)
        .filter(|((_, expected), found)| found != expected)
        .map(|((sql, expected), found)| format!("{sql}\n  gave     {found}\n  expected {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[track_caller]
fn counts(conditions: &[(&str, u32)]) {
    let texts: Vec<(String, String)> = conditions
        .iter()
        .map(|(condition, expected)| (format!("SELECT COUNT(*) FROM t WHERE {condition}"), format!("[[{expected}]]")))
        .collect();
    let all: Vec<(&str, &str)> = texts.iter().map(|(sql, expected)| (sql.as_str(), expected.as_str())).collect();
    let questions: Vec<&str> = all.iter().map(|(sql, _)| *sql).collect();
    compare(&all, &ask_of(POLICY, DATA, &questions));
}

#[test]
fn conditions() {
    counts(&[
        ("x = 5 AND b", 2),
        ("x = 5 OR x = 7", 3),
        ("NOT (x = 5)", 6),
        ("x BETWEEN 2 AND 5", 4),
        ("x NOT BETWEEN 2 AND 5", 4),
        ("x IN (1, 2, 40)", 3),
        ("x NOT IN (1, 2)", 6),
        ("g IS NULL", 2),
        ("g IS NOT NULL AND x IS NULL", 1),
        ("s LIKE 'cat%'", 2),
        ("s LIKE '_at'", 2),
        ("s ILIKE 'CAT%'", 3),
        ("s NOT LIKE '%a%'", 5),
        ("b IS TRUE", 5),
        ("b IS NOT TRUE", 5),
        ("b IS UNKNOWN", 2),
        ("i IS DISTINCT FROM 0", 6),
        ("FALSE", 0),
        ("NULL", 0),
        ("x > 1.5 AND x < 4.5", 2),
        ("g = 'a' AND g = 'b'", 0),
    ]);
}

#[test]
fn conditions_that_would_fail_elsewhere() {
    counts(&[
        // A text and a number are compared as numbers; a text that is not a number is NULL.
        ("s = 1", 2),
        ("s <> 1", 0),
        ("s = '1'", 1),
        // Every division by zero is NULL, also without a guard.
        ("x <> 5 AND 1 / (x - 5) > 0", 0),
        ("x <> 5 AND 1.0 / (x - 5) > 0", 2),
        ("1 / (x - 5) IS NULL", 4),
        ("x % 0 IS NULL", 10),
        // No overflow.
        ("x * 9223372036854775807 IS NULL AND x IS NOT NULL", 6),
        ("CAST(s AS BIGINT) IS NULL", 8),
        ("CAST(s AS DOUBLE) = 1", 2),
        ("s::BIGINT = 1", 2),
        ("CAST(s AS INTEGER) = 1", 2),
    ]);
}

#[test]
fn whole_and_decimal_division() {
    counts(&[
        ("5 / 2 = 2 AND x = 5", 2),
        ("5 / 2.0 = 2.5 AND x = 5", 2),
        ("x / 2 = 2", 2),
        ("x / 2.0 = 2.5", 2),
        ("-7 / 2 = -3", 10),
    ]);
}

#[test]
fn functions_of_one_row() {
    counts(&[
        ("COALESCE(x, 5) = 5", 4),
        ("NULLIF(x, 5) IS NULL", 4),
        ("ABS(i) = 1", 2),
        ("GREATEST(x, 6) = 6", 8),
        ("LEAST(x, 2) = 2", 8),
        ("ROUND(d) = 3", 1),
        ("ROUND(d, 1) = 0.1", 2),
        ("FLOOR(d) = 2 AND CEIL(d) = 3", 1),
        ("LOWER(s) = 'cat'", 2),
        ("UPPER(s) = 'CAT'", 2),
        ("TRIM(s) = 'cat'", 1),
        ("CASE WHEN x > 4 THEN 'high' WHEN x IS NULL THEN 'none' ELSE 'low' END = 'high'", 4),
        ("CASE x WHEN 5 THEN TRUE ELSE FALSE END", 2),
        ("CASE WHEN x > 4 THEN 1 END IS NULL", 6),
    ]);
}

#[test]
fn aggregates() {
    answers(&[
        // x reads as 1, 2, 5, 5, 40, -, 0, 7, -, 3: 40 counts as 20, and a value too large for a number as NULL.
        ("SELECT COUNT(*), COUNT(x), SUM(x) FROM t", "[[10,8,43]]"),
        ("SELECT AVG(x) FROM t", "[[5.375]]"),
        ("SELECT SUM(x * 2) / 2 AS half FROM t WHERE x < 10", "[[23]]"),
        ("SELECT SUM(-x) FROM t WHERE x < 10", "[[-23]]"),
        ("SELECT SUM(CASE WHEN b THEN 1 ELSE 0 END), SUM(i) FROM t", "[[5,7]]"),
        ("SELECT COUNT(x + i), COUNT(*) FROM t WHERE b IS NOT NULL", "[[5,8]]"),
        ("SELECT AVG(x) FROM t WHERE x > 1000", "[[null]]"),
    ]);
}

#[test]
fn decimals_are_summed_on_their_grid() {
    answers(&[
        ("SELECT SUM(d) FROM t WHERE d < 3 AND d >= 0", "[[3.65]]"),
        // 9.99 counts as 5 and -3 as 0.
        ("SELECT SUM(d) FROM t WHERE x < 6 AND s <> '-inf'", "[[7.65]]"),
        ("SELECT SUM(d) FROM t WHERE x = 40", "[[0]]"),
        // Values between two grid points count as the nearest point.
        ("SELECT SUM(ROUND(d / 3, 1)) FROM t WHERE d = 2.5", "[[0.8]]"),
        ("SELECT SUM(ROUND(LEAST(GREATEST(d / 3, 0), 5), 1)) FROM t WHERE d = 2.5", "[[0.8]]"),
    ]);
}

#[test]
fn text_that_is_no_number_is_null() {
    answers(&[
        ("SELECT COUNT(d), SUM(d) FROM t WHERE x = 7", "[[0,0]]"),
        ("SELECT COUNT(i), COUNT(x), COUNT(b) FROM t", "[[9,8,8]]"),
        // Infinity is not a value.
        ("SELECT COUNT(d), SUM(d) FROM t WHERE x = 3", "[[0,0]]"),
    ]);
}

#[test]
fn infinite_values_are_null() {
    answers(&[
        ("SELECT COUNT(d), SUM(d) FROM t WHERE s = 'x'", "[[0,0]]"),
        ("SELECT COUNT(d) FROM t WHERE s = 'x'", "[[0]]"),
        ("SELECT COUNT(*) FROM t WHERE d > 1000", "[[0]]"),
        ("SELECT AVG(d) FROM t WHERE s = 'x' OR x = 1", "[[0.05]]"),
    ]);
}

#[test]
fn groups() {
    answers(&[
        // z is not declared; c has one row; NULL is a declared key.
        ("SELECT g, COUNT(*) FROM t GROUP BY g", r#"[["a",4],["b",2],["c",1],[null,2]]"#),
        ("SELECT COUNT(*), i FROM t GROUP BY i", "[[2,-1],[4,0],[2,2]]"),
        ("SELECT b, SUM(x) FROM t GROUP BY b", "[[true,11],[false,9]]"),
        (
            "SELECT g, b, COUNT(*) FROM t GROUP BY g, b",
            r#"[["a",true,3],["a",false,1],["b",true,1],["b",false,0],["c",true,0],["c",false,0],[null,true,1],[null,false,1]]"#,
        ),
        ("SELECT COUNT(*) FROM t GROUP BY i", "[[2],[4],[2]]"),
        ("SELECT g, COUNT(*) FROM t WHERE g = 'b' GROUP BY 1", r#"[["b",2]]"#),
        ("SELECT g, COUNT(*) FROM t WHERE g <> 'b' OR g IS NULL GROUP BY 1", r#"[["a",4],["c",1],[null,2]]"#),
    ]);
}

#[test]
fn results_are_ordered_and_cut() {
    answers(&[
        ("SELECT g, COUNT(*) AS n FROM t GROUP BY g ORDER BY n DESC, g", r#"[["a",4],["b",2],[null,2],["c",1]]"#),
        ("SELECT g, COUNT(*) AS n FROM t GROUP BY g ORDER BY g NULLS FIRST LIMIT 2", r#"[[null,2],["a",4]]"#),
        ("SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY COUNT(*) LIMIT 1 OFFSET 1", r#"[["b",2]]"#),
        (
            "SELECT g, COUNT(*) AS n FROM t GROUP BY g ORDER BY -n, g DESC NULLS LAST LIMIT 3",
            r#"[["a",4],["b",2],[null,2]]"#,
        ),
        ("SELECT g, COUNT(*) AS n FROM t GROUP BY g LIMIT 0", "[]"),
        ("SELECT g FROM t GROUP BY g ORDER BY COUNT(*) DESC LIMIT 1", r#"[["a"]]"#),
        ("SELECT i, COUNT(*) FROM t GROUP BY i ORDER BY i DESC", "[[2,2],[0,4],[-1,2]]"),
    ]);
}

#[test]
fn arithmetic_on_results() {
    answers(&[
        ("SELECT COUNT(*) * 2 + 1 AS n, COUNT(x) / COUNT(*) AS part FROM t", "[[21,0.8]]"),
        ("SELECT g, 100.0 * COUNT(x) / COUNT(*) AS percent FROM t GROUP BY g LIMIT 2", r#"[["a",75],["b",100]]"#),
        ("SELECT i + 1 AS next, COUNT(*) - 1 AS n FROM t GROUP BY i", "[[0,1],[1,3],[3,1]]"),
        ("SELECT COUNT(*) / (COUNT(*) - 10) AS undefined FROM t", "[[null]]"),
        ("SELECT 'all' AS which, COUNT(*) AS n FROM t", r#"[["all",10]]"#),
    ]);
}

#[test]
fn subqueries_that_filter_and_project() {
    answers(&[
        ("WITH v AS (SELECT x + 1 AS y FROM t WHERE x < 6) SELECT COUNT(*), SUM(y) FROM v", "[[6,22]]"),
        (
            "SELECT COUNT(*) FROM (SELECT * FROM (SELECT x, g FROM t WHERE b) AS u WHERE g = 'a') AS v WHERE v.x > 1",
            "[[1]]",
        ),
        ("WITH a AS (SELECT * FROM t WHERE x > 1), b AS (SELECT * FROM a WHERE x < 6) SELECT COUNT(*) FROM b", "[[4]]"),
        ("SELECT n + 1 AS m FROM (SELECT COUNT(*) AS n FROM t) AS counted", "[[11]]"),
        ("SELECT visits.g, COUNT(*) FROM t AS visits GROUP BY visits.g LIMIT 1", r#"[["a",4]]"#),
    ]);
}

#[test]
fn people_with_several_rows() {
    let policy = r#"
name = "people"
population = "people"
data = { table = "t", path = "data.csv", version = "1" }
entity = { key = "who", rows_per_group = 2, groups = 1 }
columns.who = { type = "integer" }
columns.x = { type = "integer", bounds = [0, 10] }
adversary = { preset = "anyone" }
promise = { epsilon = 4000 }
"#;
    let data = "who,x\n1,3\n1,3\n1,3\n2,7\n3,99\n";
    let ask = |sql: &str| ask_of(policy, data, &[sql]).remove(0);
    assert_eq!(ask("SELECT COUNT(DISTINCT who), COUNT(*) FROM t"), "[[3,4]]");
    assert_eq!(ask("SELECT SUM(x) FROM t"), "[[23]]");
    assert_eq!(ask("SELECT COUNT(DISTINCT who) FROM t WHERE x > 3"), "[[2]]");
    assert_eq!(ask("SELECT COUNT(*) FROM (SELECT x FROM t WHERE x = 3) AS v"), "[[2]]");
}
