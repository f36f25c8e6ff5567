//! Municipalities in counties in regions: declared by `within`, with consistent totals, also for people with several
//! rows.

use crate::support::{Place, rows};
use serde_json::Value;

const POLICY: &str = r#"
name = "nested"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
columns.patient = { type = "text" }
entity = { key = "patient", rows_per_group = 2, groups = 2, levels = "together" }
adversary = { preset = "anyone" }
promise = { epsilon = 200 }

[columns.municipality]
type = "text"
keys_from = { table = "places", column = "code" }
within = { region = "region", county = "county" }
other = "abroad"

[tables.places]
path = "places.csv"
version = "1"
unprotected = true
key = "number"

[tables.places.columns]
number = { type = "integer" }
code = { type = "text" }
county = { type = "text" }
region = { type = "text" }

[[query]]
name = "totals"
sql = "SELECT region, county, municipality, COUNT(*) AS n, COUNT(DISTINCT patient) AS p FROM visits GROUP BY ROLLUP (region, county, municipality)"
"#;

const PLACES: &str =
    "number,code,county,region\n1,0101,Hill,North\n2,0201,Lake,North\n3,0102,Hill,North\n4,0301,Sand,South\n";

/// Every patient has three visits to 0101, two to 0102 and one to 0201, more than the caps allow; the file has an
/// undeclared column of counties, which contradicts the declared ones.
fn place(policy: &str, places: &str) -> Place {
    let visits = |at: usize| {
        let to = ["0101", "0101", "0102", "0101", "0102", "0201"];
        to.map(|code| format!("p{at},{code},Sand\n")).concat()
    };
    let data: String = (0..30).map(visits).collect();
    let place = Place::new(policy, format!("patient,municipality,county\n{data}q,0301,Hill\nr,9999,Hill\n"));
    place.write("places.csv", places);
    place
}

/// The number of rows, or of people, in a row of the answer.
fn number(publication: &Value, keys: [&str; 3], column: usize) -> i64 {
    let all = rows(publication, 0);
    let is = |cell: &Value, key: &str| match key {
        "NULL" => cell.is_null(),
        "abroad" => cell["label"] == "abroad",
        key => cell == key,
    };
    let row = all.iter().find(|row| keys.iter().zip(row.iter()).all(|(key, cell)| is(cell, key)));
    row.unwrap_or_else(|| panic!("{keys:?}: {publication}"))[column].as_i64().unwrap()
}

fn note(publication: &Value) -> String {
    let notes = publication["answers"][0]["warnings"].as_array().unwrap();
    notes.iter().filter_map(Value::as_str).find(|note| note.contains("add up")).unwrap_or_default().to_owned()
}

#[test]
fn levels_together_make_totals_consistent() {
    let place = place(POLICY, PLACES);
    place.accept_losses(&["totals"]);
    let publication = place.release(&["--format", "json"]).done().json();
    let shown: Vec<String> = rows(&publication, 0)
        .iter()
        .map(|row| row.iter().take(3).map(ToString::to_string).collect::<Vec<_>>().join(" "))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
    assert_eq!(publication["answers"][0]["consistent"], true);
    let rows = |keys| number(&publication, keys, 3);
    let hill = rows(["North", "Hill", "0101"]) + rows(["North", "Hill", "0102"]);
    assert_eq!(hill, rows(["North", "Hill", "(all)"]));
    let north = hill + rows(["North", "Lake", "(all)"]);
    assert_eq!(north, rows(["North", "(all)", "(all)"]));
    let all = north + rows(["South", "(all)", "(all)"]) + rows(["NULL", "(all)", "(all)"]);
    assert_eq!(all, rows(["(all)", "(all)", "(all)"]));
    // Two municipalities of each patient count, with at most two rows: 3 to 4 of the 6. Noise is small: epsilon is 200.
    assert!((90..=122).contains(&all), "{all}");
    // A patient in two municipalities of a county counts once there.
    let people = |keys| number(&publication, keys, 4);
    let both = people(["North", "Hill", "0101"]) + people(["North", "Hill", "0102"]);
    assert!(people(["North", "Hill", "(all)"]) < both, "{publication}");
    insta::assert_snapshot!(note(&publication));
    // Without `levels`, the rows are capped at each level.
    let apart = POLICY.replace(", levels = \"together\"", "");
    let place = self::place(&apart, PLACES);
    place.accept_losses(&["totals"]);
    let apart = place.release(&["--format", "json"]).done().json();
    assert_eq!(apart["answers"][0]["consistent"], false);
}

#[test]
fn all_levels_are_charged_as_one_query() {
    let place = place(POLICY, PLACES);
    insta::assert_snapshot!(place.plain(&place.run(&["plan", "policy.toml"]).done().stdout));
    let charges = |place: &Place| {
        place.release(&[]).done();
        place.charges()
    };
    place.accept_losses(&["totals"]);
    assert_eq!(charges(&place), 1);
    // Another county is another query; the promise is used up.
    place.write("places.csv", PLACES.replace("3,0102,Hill", "3,0102,Lake"));
    place.release(&[]).refused();
    assert_eq!(place.charges(), 1);
}

#[test]
fn invalid_levels_are_refused() {
    let mut told = String::new();
    let mut tell = |policy: &str, places: &str| {
        let place = place(policy, places);
        told += &place.plain(&place.run(&["plan", "policy.toml"]).refused().stderr);
        told += "\n";
        assert!(place.ledger().is_none() || place.charges() == 0);
    };
    for (from, to) in [
        ("levels = \"together\"", "levels = \"both\""),
        ("county = \"county\" }", "county = \"shire\" }"),
        ("county = \"county\" }", "county = \"number\" }"),
        ("county = \"county\" }", "patient = \"county\" }"),
        ("within = {", "within = { county = { \"0101\" = \"Hill\" } } # "),
        ("keys_from = { table = \"places\", column = \"code\" }\n", ""),
        ("ROLLUP (region, county, municipality)", "ROLLUP (region, county, municipality), canton"),
    ] {
        assert!(POLICY.contains(from), "{from}");
        tell(&POLICY.replace(from, to), PLACES);
    }
    tell(POLICY, &PLACES.replace("3,0102,Hill", "3,0102,"));
    tell(POLICY, &PLACES.replace("3,0102,Hill", "3,0102,(all)"));
    tell(POLICY, &PLACES.replace("3,0102", "3,0101"));
    let of_list = |within: &str| {
        let keys = format!("keys = [\"0101\", \"0102\"]\nwithin.county = {{ {within} }}");
        let from = "keys_from = { table = \"places\", column = \"code\" }\nwithin = { region = \"region\", county = \"county\" }";
        assert!(POLICY.contains(from));
        POLICY.replace(from, &keys).replace("region, county, municipality", "county, municipality")
    };
    for within in [
        "\"0101\" = \"Hill\"",
        "\"0101\" = \"Hill\", \"0102\" = \"Hill\", \"0301\" = \"Sand\"",
        "\"0101\" = \"Hill\", \"0102\" = 2",
        "\"0101\" = \"Hill\", \"0102\" = \"Hill\", \"0101\" = \"Lake\"",
    ] {
        tell(&of_list(within), PLACES);
    }
    insta::assert_snapshot!(told);
    let place = place(&of_list("\"0101\" = \"Hill\", \"0102\" = \"Hill\""), PLACES);
    place.run(&["plan", "policy.toml"]).done();
}
