//! Data that does not read as the policy says: found out before the first charge, and never again after.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use support::Place;

const POLICY: &str = r#"name = "study"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1", csv = { delimiter = ";" } }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }

[columns]
cost = { type = "decimal", bounds = [0, 100], step = 0.5 }
day = { type = "date", bounds = [2000-01-01, 2030-12-31] }
age = { type = "integer", bounds = [0, 100] }
smoker = { type = "boolean" }

[[ask]]
name = "costs"
sql = "SELECT SUM(cost) FROM visits WHERE age > 3"
"#;
const DATA: &str = "cost;day;age;smoker\n3,5;31.12.2024;3;Y\n7;30.12.2024;4;N\n8,5;29.12.2024;5;Y\n";

#[test]
fn a_first_release_stops_before_it_pays_for_nothing() {
    let place = Place::new(POLICY, DATA);
    let run = place.release(&[]).refused();
    insta::assert_snapshot!("decimal_comma", place.plain(&run.stderr));
    assert_eq!(place.charges(), 0);
    place.edit("policy.toml", "delimiter = \";\"", "delimiter = \";\", decimal = \",\"");
    place.release(&[]).done();
    assert_eq!(place.charges(), 1);
}

#[test]
fn every_column_in_use_is_named_and_no_other() {
    let place = Place::new(POLICY, DATA);
    place.edit("policy.toml", "SUM(cost) FROM", "COUNT(*) FROM");
    place.release(&[]).done();
    let place = Place::new(POLICY, DATA);
    place.edit("policy.toml", "age > 3", "smoker AND day > DATE '2024-01-01'");
    let run = place.release(&[]).refused();
    insta::assert_snapshot!("several_columns", place.plain(&run.stderr));
}

/// Half of the values may be anything, and a question at the prompt is held to the same.
#[test]
fn most_is_more_than_half() {
    let place = Place::new(POLICY, "cost;day;age;smoker\n3,5;;3;\n7;;4;\n");
    place.release(&[]).done();
    let place = Place::new(POLICY, "cost;day;age;smoker\n3,5;;3;\n7;;4;\n7,5;;4;\n;;9;\n");
    place.run(&["ask", "policy.toml", "SELECT SUM(cost) FROM visits", "--spend", "1/40"]).refused();
    place.run(&["ask", "policy.toml", "SELECT COUNT(*) FROM visits", "--spend", "1/40"]).done();
    assert_eq!(place.charges(), 1);
}

/// Once a version is registered, no release differs by what its values are.
#[test]
fn a_registered_version_is_never_refused_for_its_values() {
    let place = Place::new(POLICY, DATA);
    let run = place.run(&["data", "check", "policy.toml"]).done();
    assert!(run.stderr.contains("cost: 2 of 3 values do not read as decimal"), "{run:?}");
    let run = place.release(&[]).done();
    assert!(!run.stderr.contains("do not read"), "{run:?}");
    assert_eq!(place.charges(), 1);
}

/// A table that is in order is not registered by a release that another table stops.
#[test]
fn a_refused_release_registers_nothing() {
    let more = "\n[tables.towns]\npath = \"towns.csv\"\nversion = \"1\"\nunprotected = true\nkey = \"town\"\n\
                [tables.towns.columns]\ntown = { type = \"integer\" }\nsize = { type = \"integer\" }\n";
    let join = "SELECT COUNT(*) FROM visits JOIN towns ON age = towns.town WHERE towns.size > 3";
    let policy = POLICY
        .replace("SELECT SUM(cost) FROM visits WHERE age > 3", join)
        .replace("\n[[ask]]", &format!("{more}\n[[ask]]"));
    let place = Place::new(&policy, DATA);
    place.write("towns.csv", "town,size\n3,many\n4,few\n");
    for _ in 0..2 {
        let run = place.release(&[]).refused();
        assert!(run.stderr.contains("column `size` do not read as integer"), "{run:?}");
    }
}

/// Dates read in another way are other values: the stored answer to the misread ones is not shown for them.
#[test]
fn a_mended_format_is_another_question() {
    let place = Place::new(POLICY, DATA);
    place.run(&["data", "check", "policy.toml"]).done();
    let ask = || place.run(&["ask", "policy.toml", "SELECT COUNT(day) FROM visits", "--spend", "1/40"]).done();
    ask();
    ask();
    assert_eq!(place.charges(), 1);
    place.edit("policy.toml", "day = { type = \"date\",", "day = { type = \"date\", format = \"%d.%m.%Y\",");
    ask();
    assert_eq!(place.charges(), 2);
}

/// Keys that are spelt otherwise are left out wherever they are grouped by: as bad as values of another type.
#[test]
fn keys_that_are_spelt_otherwise() {
    let policy =
        POLICY.replace("smoker = { type = \"boolean\" }", "sex = { type = \"text\", keys = [\"female\", \"male\"] }");
    let policy = policy.replace("SUM(cost) FROM visits WHERE age > 3", "sex, COUNT(*) FROM visits GROUP BY sex");
    let place = Place::new(&policy, "cost;day;age;sex\n1;;3;F\n1;;3;M\n1;;3;\n1;;3;female\n");
    let run = place.release(&[]).refused();
    insta::assert_snapshot!("keys", place.plain(&run.stderr));
    assert_eq!(place.charges(), 0);
    // Who has looked at the data may go on, and a column of which half is declared is no mistake.
    place.run(&["data", "check", "policy.toml"]).done();
    place.release(&[]).done();
    Place::new(&policy, "cost;day;age;sex\n1;;3;F\n1;;3;male\n1;;3;\n1;;3;\n").release(&[]).done();
}
