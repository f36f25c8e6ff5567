//! What is said under the tables: no more often than it takes, and what a reader may trip over.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use serde_json::Value;
use support::Place;

const POLICY: &str = r#"
name = "notes"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
columns.ward = { type = "text", keys = ["east", "north", "west"] }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.age = { type = "integer", bounds = [0, 90] }
columns.change = { type = "integer", bounds = [-5, 5] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }
"#;

/// What is published about one question, as JSON.
fn published(policy: &str, sql: &str) -> Value {
    let place = Place::new(&format!("{policy}\n[[ask]]\nsql = '{sql}'\n"), "ward,sex,age,change\neast,F,3,1\n");
    place.release(&["--format", "json"]).done().json()
}

fn noise(publication: &Value) -> Vec<String> {
    let all = publication["asks"][0]["noise"].as_array().unwrap();
    all.iter().map(|noise| noise["measure"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn equal_noise_of_several_groupings_is_said_once() {
    let sql = "SELECT ward, sex, COUNT(*), AVG(age) FROM visits GROUP BY ROLLUP (ward, sex)";
    assert_eq!(
        noise(&published(POLICY, sql)),
        ["COUNT(age) in each grouping", "COUNT(*) in each grouping", "SUM(age - 45) in each grouping"]
    );
    // One person exchanged for another moves a single cell less than several.
    let exchanged = POLICY.replace("{ preset = \"acquaintance\" }", "{ preset = \"insider\", prior = \"..1/2\" }");
    let sql = "SELECT ward, sex, SUM(age) FROM visits GROUP BY ROLLUP (ward, sex)";
    assert_eq!(noise(&published(&exchanged, sql)), ["SUM(age) by ward, sex; by ward", "SUM(age), all"]);
    assert_eq!(noise(&published(POLICY, "SELECT ward, COUNT(*) FROM visits GROUP BY ward")), ["COUNT(*)"]);
}

#[test]
fn averages_beside_their_sums_are_explained() {
    let note = |columns: &str| {
        let publication = published(POLICY, &format!("SELECT {columns} FROM visits"));
        let notes = publication["asks"][0]["warnings"].as_array().unwrap().clone();
        notes.iter().filter_map(Value::as_str).find(|note| note.starts_with("AVG")).map(str::to_owned)
    };
    insta::assert_snapshot!(note("AVG(age), SUM(age) / COUNT(age)").unwrap(), @"AVG(age) is not SUM(age) / COUNT(age): their sums have noise of their own, and each is as far off as its interval says");
    insta::assert_snapshot!(note("SUM(age), COUNT(*), AVG(age)").unwrap(), @"AVG(age) is not SUM(age) / COUNT(*): their sums have noise of their own, and each is as far off as its interval says");
    // Where the centre is 0, one sum serves both.
    for columns in [
        "AVG(change), SUM(change), COUNT(change)",
        "AVG(age), COUNT(age)",
        "AVG(age), SUM(change), COUNT(*)",
        "AVG(age), SUM(age)",
    ] {
        assert_eq!(note(columns), None, "{columns}");
    }
}
