//! The errors of answers and the remaining budget in a plan, a ledger and `data check`.

use crate::support::Place;
use std::collections::BTreeMap;
use std::fmt::Write;

const POLICY: &str = r#"
name = "labels"
population = "people"
data = { table = "t", path = "data.csv", version = "1" }
entity = { key = "id", rows_per_group = 1, groups = 20 }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }
budget = { spend = "1/2" }

[columns]
id = { type = "integer" }
g = { type = "integer", bounds = [1, 20] }
x = { type = "integer", bounds = [0, 10] }

[[query]]
name = "people"
sql = "SELECT g, COUNT(DISTINCT id) AS people FROM t GROUP BY g"
"#;

fn data() -> String {
    let mut text = String::from("id,g,x\n");
    for id in 0..40 {
        // One person has many rows, with values beyond the bounds.
        for row in 0..if id == 0 { 60 } else { 2 } {
            writeln!(text, "{id},{},{}", (id + row) % 20 + 1, if id == 0 { 50 } else { 5 }).unwrap();
        }
    }
    text
}

/// The plan of a person who may count in twenty groups assumes as many groups as the rows typically reach.
#[test]
fn people_in_several_groups_are_planned_in_all_of_them() {
    let guessed = POLICY
        .replace("version = \"1\"", "version = \"1\", typical_rows = 100_000")
        .replace("groups = 20", "groups = 20, typical_entities = 1_000");
    let plan = Place::new(&guessed, data()).run(&["plan", "policy.toml", "--format", "json"]).done().json();
    // 1000 (1 − 0.95^100)
    assert_eq!(plan["queries"][0]["answers"][0]["typical"], "994", "{plan}");
    assert_eq!(plan["hints"].as_array().map(Vec::len), Some(0), "{plan}");
    // Without that guess the number of rows per person is unknown.
    let people = POLICY.replace("groups = 20", "groups = 20, typical_entities = 1_000");
    let plan = Place::new(&people, data()).run(&["plan", "policy.toml", "--format", "json"]).done().json();
    assert!(plan["queries"][0]["answers"][0]["relative"].is_null(), "{plan}");
    assert!(plan["notes"].to_string().contains("`typical_rows` to [data]"), "{plan}");
    assert_eq!(plan["hints"].as_array().map(Vec::len), Some(0), "{plan}");
}

/// A policy that has used up its own spend leaves the rest of the promise to others.
#[test]
fn a_spend_that_is_used_up_leaves_the_rest_of_the_promise() {
    let place = Place::new(POLICY, data());
    place.release(&[]).done();
    place.edit("policy.toml", "COUNT(DISTINCT id) AS people", "COUNT(*) AS people");
    let run = place.release(&[]).refused();
    let words = run.stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(words.contains("this policy's spend is used up, but 1/2 of the promise is left"), "{words}");
    assert!(words.contains("Raise `spend` under [budget]") && !words.contains("no share fits"), "{words}");
    // Once the promise is used up as well, raising the spend does not help.
    place.run(&["ask", "policy.toml", "--register", "SELECT COUNT(*) FROM t", "--spend", "1/2"]).done();
    let run = place.release(&[]).refused();
    assert!(run.stderr.contains("no share fits any more"), "{}", run.stderr);
    let plan = place.run(&["plan", "policy.toml"]).done().stdout;
    assert!(plan.contains("the rest of the promise does not cover these queries"), "{plan}");
}

/// One query at two prices is listed once, at its last price.
#[test]
fn the_ledger_names_a_query_once() {
    let place = Place::new(POLICY, data());
    let sql = "SELECT COUNT(*) FROM t";
    for spend in ["1/4", "1/8"] {
        place.run(&["ask", "policy.toml", "--register", sql, "--spend", spend, "--name", "rows", "--again"]).done();
    }
    let shown = place.run(&["ledger", "show", "policy.toml"]).done().stdout;
    let lines: Vec<&str> = shown.lines().filter(|line| line.contains(" like ")).map(str::trim).collect();
    assert_eq!(lines, ["5 more queries like \"rows\""], "{shown}");
    // Two queries of one name are distinguished by their SQL.
    place.run(&["ask", "policy.toml", "SELECT SUM(x) FROM t", "--spend", "1/16", "--name", "rows"]).done();
    let shown = place.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(shown.contains("like \"rows: SELECT SUM(x) FROM t\""), "{shown}");
    assert!(shown.contains("like \"rows: SELECT COUNT(*) FROM t\""), "{shown}");
}

/// For the curator: the cell of each number with the largest error.
#[test]
fn the_curator_sees_the_true_error_of_each_query() {
    let queries = "[[query]]\nname = \"rows\"\nsql = \"SELECT g, COUNT(*) AS n, SUM(x) AS total, AVG(x) AS mean FROM t GROUP BY g\"\n\
                   [[query]]\nname = \"median\"\nsql = \"SELECT MEDIAN(x) AS m, COUNT(DISTINCT id) AS people FROM t\"\n\
                   [[query]]\nname = \"few groups\"\nsql = \"SELECT g, COUNT(DISTINCT id) AS people FROM t GROUP BY g\"\ngroups = 1\n";
    let place = Place::new(&format!("{}{queries}", POLICY.split_once("[[query]]").unwrap().0), data());
    place.accept_losses(&["rows", "median", "few groups"]);
    let json = place.run(&["data", "check", "policy.toml", "--format", "json"]).done().json();
    let text = place.read("data.csv");
    let rows: Vec<Vec<i64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|n| n.parse().unwrap()).collect()).collect();
    let mut groups: BTreeMap<i64, Vec<&Vec<i64>>> = BTreeMap::new();
    rows.iter().for_each(|row| groups.entry(row[1]).or_default().push(row));
    let column = |query: usize, at: usize| json["true_errors"][query]["columns"][at].clone();
    // Each group has 3 rows of the person with many rows, of which 1 counts, and the bounds take 40 of each value.
    for (cell, rows) in &groups {
        let own = rows.iter().filter(|row| row[0] == 0).count();
        assert_eq!(own, 3, "{cell}");
    }
    let worst = column(0, 0)["worst"].clone();
    let cell: i64 = worst["cell"].as_str().unwrap().parse().unwrap();
    let truth = groups[&cell].len();
    assert_eq!(worst["truth"], truth.to_string(), "{json}");
    assert_eq!(worst["answer"], (truth - 2).to_string(), "{json}");
    let total = column(0, 1)["worst"].clone();
    let cell: i64 = total["cell"].as_str().unwrap().parse().unwrap();
    let sum: i64 = groups[&cell].iter().map(|row| row[2]).sum();
    assert_eq!(total["truth"], sum.to_string(), "{json}");
    // The 150 of that person become 10, from one row at the bound.
    assert_eq!(total["answer"], (sum - 140).to_string(), "{json}");
    let mean = column(0, 2)["worst"].clone();
    assert!(mean["truth"].as_str().unwrap().parse::<f64>().unwrap() > 10.0, "{json}");
    // The median is 5 either way, the caps leave out no entity, and columns without an error list no worst cell.
    assert_eq!((&column(1, 0)["worst"], &column(1, 1)["worst"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    assert_eq!(column(0, 0)["cells"], 20);
    assert!(column(2, 0)["worst"]["relative"].as_str().unwrap().starts_with('-'), "{json}");
    let table = place.run(&["data", "check", "policy.toml"]).done();
    assert!(table.stderr.contains("true error of each query before noise") && table.stdout.is_empty(), "{table:?}");
}
