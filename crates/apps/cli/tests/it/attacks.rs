//! Attacks that once revealed a single person or exhausted the machine, tried through the command. On tables with and
//! without that person, a query behaves the same, and a query that cannot be answered is refused before it is charged.

use crate::support::{self, Place, Run, without_quality};
use deniable_testing::sized;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Far longer than any of these queries needs, far shorter than exponential growth would take.
const QUICK: Duration = Duration::from_secs(120);
const VICTIM: &str = "victim,hello,7,a,true\n";
const ENTITY: &str = "entity = { key = \"id\", rows_per_group = 2, groups = 2 }\n";
const TOWNS: &str = "[tables.towns]\npath = \"towns.csv\"\nversion = \"1\"\nunprotected = true\nkey = \"code\"\n\
                     [tables.towns.columns]\ncode = { type = \"text\" }\nregion = { type = \"text\" }\n";

/// A policy over the table `t`, with further keys and tables.
fn policy(top: &str, tables: &str) -> String {
    format!(
        "name = \"study\"\npopulation = \"people\"\ndata = {{ table = \"t\", path = \"data.csv\", version = \"1\" }}\n{top}\
         adversary = {{ preset = \"acquaintance\" }}\npromise = {{ posterior_at_most = 0.75 }}\n\n[columns]\n\
         id = {{ type = \"text\" }}\nnote = {{ type = \"text\" }}\nnum = {{ type = \"integer\", bounds = [0, 100] }}\n\
         grp = {{ type = \"text\", keys = [\"a\", \"b\"] }}\nflag = {{ type = \"boolean\" }}\n{tables}\n\
         [[query]]\nname = \"rows\"\nsql = \"SELECT COUNT(*) FROM t\"\n"
    )
}

/// Forty people and the rows of `more`.
fn people(more: &str) -> String {
    let mut data = String::from("id,note,num,grp,flag\n");
    for person in 0..40 {
        let (group, flag) = (["a", "b"][person % 2], person % 3 == 0);
        writeln!(data, "p{person},n{person},{},{group},{flag}", person + 10).unwrap();
    }
    data + more
}

fn ask(place: &Place, sql: &str) -> Run {
    place.run(&["ask", "policy.toml", sql, "--spend", "1/200", "--register"])
}

/// Replaces every number by `#` and removes the widths of tables.
fn shape(place: &Place, text: &str) -> String {
    let mut shape = String::new();
    // Table borders are as wide as the numbers.
    let bare = place.plain(&without_quality(text)).replace(['─', '═'], "");
    for word in bare.split_whitespace() {
        let number = word.trim_matches(|sign| "-,;()%".contains(sign)).parse::<f64>().is_ok();
        shape.push_str(if number { "#" } else { word });
        shape.push(' ');
    }
    shape
}

/// The observable behaviour of a query on people with one more row: the exit status, standard output and standard error
/// without their numbers, and the number of charges.
fn seen(top: &str, more: &str, sql: &str) -> (Option<i32>, String, String, usize) {
    let place = Place::new(&policy(top, ""), people(more));
    let run = ask(&place, sql);
    (run.code, shape(&place, &run.stdout), shape(&place, &run.stderr), place.charges())
}

/// Uses a condition in every place where SQL allows one, with and without the entity, on people with and without the
/// victim. At small scale in two of the five places, which depend on the condition.
#[track_caller]
fn same_for_all(condition: &str, expected: (Option<i32>, usize)) {
    let places = [
        format!("SELECT COUNT(*) FROM t WHERE {condition}"),
        format!("SELECT COUNT(*) FILTER (WHERE {condition}) FROM t"),
        format!("SELECT CASE WHEN {condition} THEN 'x' ELSE 'y' END AS g, COUNT(*) FROM t GROUP BY 1"),
        format!("SELECT SUM(CASE WHEN {condition} THEN num ELSE 0 END) FROM t"),
        format!("WITH c AS (SELECT num FROM t WHERE {condition}) SELECT COUNT(*) FROM c"),
    ];
    let first = condition.len() % places.len();
    for sql in places.iter().cycle().skip(first).take(sized(1, places.len())) {
        let start: String = sql.chars().take(160).collect();
        for top in ["", ENTITY] {
            let without = seen(top, "", sql);
            assert_eq!((without.0, without.3), expected, "{start}: {}", without.2);
            assert_eq!(seen(top, VICTIM, sql), without, "{top}{start}");
        }
    }
}

/// A condition that is evaluated only for the victim's row.
fn reached(value: &str) -> String {
    format!("CASE WHEN id = 'victim' AND note >= 'h' THEN {value} ELSE 0 END")
}

#[test]
fn casts_over_timestamps_cannot_fail() {
    for extreme in ["9223372036854775807", "-9223372036854775808", "9223372036854775807 + num"] {
        let value = reached(extreme);
        same_for_all(&format!("CAST(CAST({value} AS TIMESTAMP) AS DATE) IS NOT NULL"), (Some(0), 1));
        same_for_all(&format!("CAST(CAST({value} AS TIMESTAMP) AS VARCHAR) IS NOT NULL"), (Some(0), 1));
    }
}

#[test]
fn casts_over_dates_cannot_fail() {
    for extreme in ["2147483647", "-2147483648"] {
        let value = reached(extreme);
        same_for_all(&format!("CAST(CAST({value} AS DATE) AS VARCHAR) IS NOT NULL"), (Some(0), 1));
        same_for_all(&format!("CAST(CAST({value} AS DATE) AS TIMESTAMP) IS NOT NULL"), (Some(0), 1));
    }
}

/// Operations that overflow, are undefined, or have no meaning return NULL, also if only the victim's row computes
/// them.
#[test]
fn arithmetic_and_texts_cannot_fail() {
    let extremes = [
        "num / (num - num) = 1",
        "9223372036854775807 + num > 0",
        "-9223372036854775808 % -1 = 0",
        "ABS(CAST('-9223372036854775808' AS BIGINT)) > 0",
        "CAST(note AS BIGINT) = 7",
        "CAST(1e300 * num * 1e300 AS BIGINT) > 0",
        "TRIM(UPPER(note)) = CAST(num * 1e307 AS VARCHAR)",
        "DATE_TRUNC('week', CAST(num AS TIMESTAMP)) < TIMESTAMP '0001-01-01 00:00:00'",
    ];
    for extreme in extremes {
        same_for_all(&format!("CASE WHEN id = 'victim' AND note >= 'h' THEN {extreme} ELSE false END"), (Some(0), 1));
    }
}

/// Refused with the query, whatever the rows: the pattern is compiled before any row is read.
#[test]
fn long_patterns_are_refused_before_the_charge() {
    let (long, longer) = ("_".repeat(11_000), "k".repeat(48_000));
    let behind = |value: &str| format!("CASE WHEN id = 'victim' AND note >= 'h' THEN {value} ELSE false END");
    same_for_all(&behind(&format!("note LIKE '{long}'")), (Some(1), 0));
    same_for_all(&behind(&format!("note ILIKE '{longer}_'")), (Some(1), 0));
    // Allowed patterns are answered, whatever the rows.
    same_for_all(&behind(&format!("note LIKE '{}'", &long[..200])), (Some(0), 1));
    same_for_all(&behind(&format!("note ILIKE '{}_'", &longer[..199])), (Some(0), 1));
}

/// A query of a release that failed on a row once prevented all answers.
#[test]
fn one_ask_does_not_hold_back_the_others() {
    let sql = format!(
        "SELECT COUNT(*) FROM t WHERE CAST(CAST({} AS TIMESTAMP) AS DATE) IS NOT NULL",
        reached("9223372036854775807")
    );
    let policy = policy("", "") + &format!("\n[[query]]\nname = \"extreme\"\nsql = \"{sql}\"\n");
    let place = Place::new(&policy, people(VICTIM));
    let run = place.release(&[]).done();
    assert!(run.stdout.contains("rows (") && run.stdout.contains("extreme ("), "{run:?}");
    assert_eq!(place.charges(), 2);
}

/// A public table that differs from its registered version is checked before anything is charged.
#[test]
fn a_public_key_must_stay_unique() {
    let join = |key: &str| format!("SELECT COUNT(*) FROM t JOIN towns ON t.note = towns.{key}");
    let mut towns = String::from("code,region\n");
    for row in 0..200 {
        writeln!(towns, "{}{},north", "0".repeat(row), 7).unwrap();
    }
    let both =
        |place: &Place, from: &str, to: &str| place.write("policy.toml", place.read("policy.toml").replace(from, to));
    type Change<'a> = (&'a dyn Fn(&Place), &'a str, &'a str);
    let spaced = "code,region\n7,north\n 7,north\n";
    let changes: [Change<'_>; 3] = [
        (&|place| place.edit("policy.toml", "key = \"code\"", "key = \"region\""), &towns, "region"),
        (
            &|place| {
                both(place, "code = { type = \"text\"", "code = { type = \"integer\"");
                both(place, "note = { type = \"text\"", "note = { type = \"integer\"");
            },
            &towns,
            "code",
        ),
        (&|place| place.edit("policy.toml", "key = \"code\"", "key = \"code\"\ncsv = { trim = true }"), spaced, "code"),
    ];
    for (change, towns, key) in changes {
        let place = Place::new(&policy("", TOWNS), people("victim,7,7,a,true\n"));
        place.write("towns.csv", towns);
        ask(&place, &join("code")).done();
        change(&place);
        let before = place.ledger();
        for more in [&["--register"][..], &[]] {
            let args = ["ask", "policy.toml", &join(key), "--spend", "1/40"];
            let run = place.run(&[&args, more].concat()).refused();
            let told = ["is the same as at", "is the same in rows", "cannot be read"];
            assert!(told.iter().any(|told| run.stderr.contains(told)), "{run:?}");
        }
        assert_eq!(place.ledger(), before, "nothing is charged or registered");
    }
}

/// The queries are distinct: each is charged, and none gets another query's answer.
#[track_caller]
fn all_are_charged(place: &Place, questions: &[&str]) {
    for (at, sql) in questions.iter().enumerate() {
        ask(place, sql).done();
        assert_eq!(place.charges(), at + 1, "{sql}");
    }
    // The same queries are free.
    for sql in questions {
        assert!(ask(place, sql).done().stderr.contains("stored answer, free"), "{sql}");
    }
    assert_eq!(place.charges(), questions.len());
}

#[test]
fn questions_that_print_alike_are_two() {
    let place = Place::new(&policy("", ""), people(VICTIM));
    all_are_charged(
        &place,
        &[
            "SELECT COUNT(*) FROM t WHERE NOT flag AND num > 30",
            "SELECT COUNT(*) FROM t WHERE NOT (flag AND num > 30)",
            "SELECT COUNT(*) FROM t WHERE t.note = 'x\") OR t.note = Utf8(\"y'",
            "SELECT COUNT(*) FROM t WHERE t.note = 'x' OR t.note = 'y'",
            "SELECT COUNT(*) FROM t WHERE t.note IN ('x, y')",
            "SELECT COUNT(*) FROM t WHERE t.note IN ('x\"), Utf8(\"y', 'z')",
            "SELECT COUNT(*) FROM t WHERE t.note IN ('x', 'y', 'z')",
            "SELECT COUNT(*) FROM t WHERE num - (10 - num) > 3",
            "SELECT COUNT(*) FROM t WHERE num - 10 - num > 3",
            "SELECT COUNT(*) FROM t WHERE note = '1'",
            "SELECT COUNT(*) FROM t WHERE num = 1",
        ],
    );
}

/// A stored answer is valid only for the rows as they are currently read.
#[test]
fn another_way_of_reading_is_another_question() {
    const SQL: &str = "SELECT COUNT(*) FROM t WHERE num > 30";
    let plain = "data = { table = \"t\", path = \"data.csv\", version = \"1\" }";
    let with = |more: &str| plain.replace(" }", &format!(", {more} }}"));
    let accept = ["id", "note", "num", "grp", "flag"].map(|name| ["--accept", name]).concat();
    for (what, changed) in [
        // This policy cannot read the data at all.
        ("delimiter", with("csv = { delimiter = \";\" }")),
        ("quote", with("csv = { quote = \"'\" }")),
        ("trim", with("csv = { trim = true }")),
        ("headerless", with("csv = { header = false, columns = [\"id\", \"note\", \"num\", \"grp\", \"flag\"] }")),
        ("swapped", with("csv = { header = false, columns = [\"note\", \"id\", \"num\", \"grp\", \"flag\"] }")),
        ("encoding", with("csv = { encoding = \"latin1\" }")),
    ] {
        let place = Place::new(&policy("", ""), people(VICTIM));
        ask(&place, SQL).done();
        place.edit("policy.toml", plain, &changed);
        // The new reading has no stored answer, and no answer is given before it is registered.
        let run = place.run(&["ask", "policy.toml", SQL, "--spend", "1/200"]);
        assert_eq!(run.code, Some(1), "{what}: {run:?}");
        assert_eq!((run.stdout.as_str(), place.charges()), ("", 1), "{what}: {run:?}");
        let _ = place.run(&[&["data", "check", "policy.toml"][..], &accept].concat());
        let run = place.run(&["ask", "policy.toml", SQL, "--spend", "1/200"]);
        assert!(!run.stderr.contains("stored answer"), "{what}: {run:?}");
        let answers = usize::from(run.code == Some(0));
        assert_eq!(answers, usize::from(what != "delimiter"), "{what}: {run:?}");
        assert_eq!(place.charges(), 1 + answers, "{what}");
    }
}

/// The same file, with and without a partition column in its folder's name.
#[test]
fn other_partitions_are_another_question() {
    const SQL: &str = "SELECT COUNT(*) FROM t WHERE output = 'yes'";
    let policy = policy("", "")
        .replace("path = \"data.csv\"", "path = \"rows\", format = \"parquet\"")
        .replace("[[query]]", "output = { type = \"text\" }\n\n[[query]]");
    let columns = policy.find("[columns]").unwrap();
    let queries = policy.find("output = {").unwrap();
    let policy = format!("{}[columns]\n{}", &policy[..columns], &policy[queries..]);
    let place = Place::new(&policy, "");
    std::fs::create_dir_all(place.path("rows/part=a")).unwrap();
    std::fs::copy(support::workspace().join("testdata/check/response.parquet"), place.path("rows/part=a/x.parquet"))
        .unwrap();
    ask(&place, SQL).done();
    assert_eq!(place.charges(), 1);
    place.edit("policy.toml", "format = \"parquet\"", "format = \"parquet\", partitions = [\"part\"]");
    place.edit("policy.toml", "output = {", "part = { type = \"text\" }\noutput = {");
    let run = place.run(&["ask", "policy.toml", SQL, "--spend", "1/200"]).refused();
    assert!(run.stderr.contains("registered version"), "{run:?}");
    let run = ask(&place, SQL).done();
    assert!(!run.stderr.contains("stored answer, free"), "{run:?}");
    assert_eq!(place.charges(), 2);
}

/// Nested `COALESCE`, five in each CTE over the previous one.
fn nested(levels: usize) -> String {
    let mut sql = "WITH c0 AS (SELECT num x FROM t)".to_owned();
    for level in 1..=levels / 5 {
        let before = level - 1;
        let (open, close) = ("COALESCE(".repeat(5), ",1)".repeat(5));
        write!(sql, ", c{level} AS (SELECT {open}x{close} x FROM c{before})").unwrap();
    }
    sql + &format!(" SELECT COUNT(*) FROM c{} WHERE x > 3", levels / 5)
}

#[test]
fn shared_expressions_are_computed_once() {
    let place = Place::new(&policy("", ""), people(VICTIM));
    ask(&place, "SELECT COUNT(*) FROM t").done();
    for levels in [20, 65] {
        let begun = Instant::now();
        let args = ["ask", "policy.toml", &nested(levels), "--spend", "1/200"];
        place.run(&[&args[..], &["--dry-run"]].concat()).done();
        place.run(&args).done();
        assert!(begun.elapsed() < QUICK, "{levels} levels took {:?}", begun.elapsed());
    }
    assert_eq!(place.charges(), 3);
}

#[test]
fn a_chain_that_joins_itself_is_refused_at_once() {
    for top in ["", ENTITY] {
        let place = Place::new(&policy(top, ""), people(VICTIM));
        let mut sql = "WITH c0 AS (SELECT id FROM t)".to_owned();
        for level in 1..=30 {
            let before = level - 1;
            write!(sql, ", c{level} AS (SELECT id FROM c{before} a JOIN c{before} b USING (id))").unwrap();
        }
        sql += " SELECT COUNT(*) FROM c30";
        let begun = Instant::now();
        let run = ask(&place, &sql).refused();
        assert!(!run.stderr.contains("operators and keywords"), "{run:?}");
        assert!(begun.elapsed() < QUICK, "it took {:?}", begun.elapsed());
        assert_eq!(place.charges(), 0);
    }
}

#[test]
fn missing_values_can_be_a_group_by_name() {
    for top in ["", ENTITY] {
        let place = Place::new(&policy(top, ""), people("nobody,n,7,,true\n"));
        place.edit("policy.toml", "keys = [\"a\", \"b\"]", "keys = [\"a\", \"b\"], null_key = true");
        let sql = "SELECT COALESCE(grp, 'z') AS g, COUNT(*) FROM t GROUP BY COALESCE(grp, 'z')";
        let args = ["ask", "policy.toml", sql, "--spend", "1", "--register", "--format", "json"];
        let json = place.run(&args).done().json();
        let mut groups: Vec<String> =
            support::rows(&json, 0).iter().map(|row| row[0].as_str().unwrap().to_owned()).collect();
        groups.sort();
        assert_eq!(groups, ["a", "b", "z"]);
    }
}
