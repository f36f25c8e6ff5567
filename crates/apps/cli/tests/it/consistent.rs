//! Tables with totals: published totals are consistent, and the notes say so.

use crate::support::{Place, rows};
use serde_json::Value;

const POLICY: &str = r#"
name = "totals"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
columns.ward = { type = "text", keys = ["east", "north", "west"] }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.patient = { type = "text" }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }

[[query]]
name = "totals"
sql = "SELECT ward, sex, COUNT(*) AS visits FROM visits GROUP BY ROLLUP (ward, sex)"
"#;

fn data() -> String {
    let row = |at: usize| format!("{},{},p{at}\n", ["east", "north", "east"][at % 3], ["F", "M"][at / 3 % 2]);
    format!("ward,sex,patient\n{}", (0..40).map(row).collect::<String>())
}

/// The number of visits of a ward and a sex.
fn visits(publication: &Value, ward: &str, sex: &str) -> i64 {
    let all = rows(publication, 0);
    let row = all.iter().find(|row| row[0] == ward && row[1] == sex).unwrap();
    row[2].as_i64().unwrap()
}

fn note(publication: &Value) -> String {
    let notes = publication["answers"][0]["warnings"].as_array().unwrap();
    notes.iter().filter_map(Value::as_str).find(|note| note.contains("add up")).unwrap_or_default().to_owned()
}

#[test]
fn totals_are_the_sums_of_their_parts() {
    let place = Place::new(POLICY, data());
    let run = place.release(&["--format", "json"]).done();
    let publication = run.json();
    assert_eq!(publication["answers"][0]["consistent"], true);
    let wards = ["east", "north", "west"];
    for ward in wards {
        let parts = ["F", "M"].map(|sex| visits(&publication, ward, sex));
        assert!(parts.iter().all(|part| *part >= 0), "{publication}");
        assert_eq!(parts.iter().sum::<i64>(), visits(&publication, ward, "(all)"), "{publication}");
    }
    let sum: i64 = wards.iter().map(|ward| visits(&publication, ward, "(all)")).sum();
    assert_eq!(sum, visits(&publication, "(all)", "(all)"), "{publication}");
    for row in publication["answers"][0]["rows"].as_array().unwrap() {
        let number = |part: &str| row[2][part].as_i64().unwrap();
        assert!(number("low") <= number("value") && number("value") <= number("high"), "{row}");
    }
    insta::assert_snapshot!(note(&publication), @"the noisy answers were changed as little as possible so that the groupings add up and counts are not negative, at no cost in budget. The intervals are those of the noisy answers, extended to the shown numbers");
    let table = place.release(&[]).done().stdout;
    assert!(table.contains("note: the noisy answers were changed as little as possible"), "{table}");
    // Consistent totals can be switched off and on: free, and with the same numbers as before.
    place.edit("policy.toml", "name = \"totals\"\nsql", "name = \"totals\"\nconsistent = false\nsql");
    let without = place.release(&["--format", "json"]).done().json();
    assert_eq!(without["answers"][0]["consistent"], false);
    insta::assert_snapshot!(note(&without), @"the groupings do not add up exactly, as each has noise of its own; `consistent = false` keeps them so");
    place.edit("policy.toml", "consistent = false", "consistent = true");
    assert_eq!(place.release(&["--format", "json"]).done().stdout, run.stdout);
    assert_eq!(place.charges(), 1);
}

#[test]
fn people_with_several_rows_do_not_add_up() {
    let place = Place::new(POLICY, data());
    place.edit("policy.toml", "adversary", "entity = { key = \"patient\", rows_per_group = 2, groups = 2 }\nadversary");
    let publication = place.release(&["--format", "json"]).done().json();
    assert_eq!(publication["answers"][0]["consistent"], false);
    insta::assert_snapshot!(note(&publication), @r#"the groupings do not add up: caps apply to the rows of each patient in each grouping separately; `levels = "together"` in [entity] applies them once"#);
}

#[test]
fn a_single_grouping_has_nothing_to_add_up() {
    let place = Place::new(&POLICY.replace("ROLLUP (ward, sex)", "ward, sex"), data());
    let publication = place.release(&["--format", "json"]).done().json();
    assert_eq!((publication["answers"][0].get("consistent"), note(&publication)), (None, String::new()));
}
