//! Classes of quality and rules of display: in tables, CSV and JSON, without a change of the stored answers.

use crate::support::Place;

/// ε = 200 for each of two queries: the noise is zero except with probability e^-100, so the output is the truth.
const POLICY: &str = r#"
name = "quality"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
adversary = { preset = "anyone" }
promise = { epsilon = 400 }

[columns]
ward = { type = "text", keys = ["east", "north", "west"] }
age = { type = "integer", bounds = [0, 100] }

[[query]]
name = "stays"
sql = "SELECT ward, COUNT(*) AS stays FROM visits GROUP BY ward"

[[query]]
name = "ages"
sql = "SELECT AVG(age) AS age FROM visits"
"#;

fn data() -> String {
    let row = |at: usize| format!("{},{}\n", if at < 37 { "east" } else { "north" }, 20 + at % 60);
    format!("ward,age\n{}", (0..44).map(row).collect::<String>())
}

#[test]
fn rules_hide_and_round_what_is_shown_and_change_nothing_that_is_stored() {
    let place = Place::new(POLICY, data());
    let first = place.release(&["--format", "json"]).done();
    let cells = first.json()["answers"][0]["rows"].clone();
    assert_eq!((&cells[0][1]["value"], &cells[0][1]["quality"]), (&37.into(), &"A".into()));
    // A number that is zero is not usable, however small its noise.
    assert_eq!((&cells[2][1]["value"], &cells[2][1]["quality"]), (&0.into(), &"not usable".into()));
    assert!(first.json()["answers"][1]["rows"][0][0]["standard_error"].as_f64().unwrap() > 0.0);
    assert!(first.json()["answers"][0]["warnings"].to_string().contains("1 of 3 numbers is not usable"));
    let (head, charges) = (first.head(), place.charges());

    place.edit("policy.toml", "[columns]", "[display]\nhide_below = 11\nround_to = 5\nlabel = \"<11\"\n\n[columns]");
    let shown = place.release(&["--query", "stays", "--format", "csv"]).done();
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(lines[0], "ward,stays,stays_low,stays_high,stays_quality,notes");
    // Notes are in the first row.
    assert!(
        lines[1].starts_with("east,35,35,40,A,\"rows whose `ward` is not among")
            && lines[1].contains("1 of 3 numbers is not usable")
    );
    assert_eq!(lines[2..], ["north,<11,,,A,", "west,<11,,,not usable,"]);
    let table = place.release(&[]).done();
    assert!(table.stdout.contains("│ north ┆   <11 ┆"), "{}", table.stdout);
    // Averages are not counts, and a query's own rules replace the policy's.
    assert!(table.stdout.contains("41.5"), "{}", table.stdout);
    place.edit("policy.toml", "name = \"stays\"", "name = \"stays\"\ndisplay = { hide_unusable = true }");
    let own = place.release(&["--query", "stays", "--format", "csv"]).done();
    assert!(own.stdout.contains("north,7,") && own.stdout.contains("west,hidden,,,not usable"), "{}", own.stdout);
    assert_eq!((own.head(), place.charges()), (head, charges), "what is stored stays as it is");
}

#[test]
fn policy_sets_the_classes_of_quality() {
    let place = Place::new(&POLICY.replace("epsilon = 400", "epsilon = 1"), data());
    place.edit("policy.toml", "[columns]", "[quality]\na = \"0.1%\"\nb = \"0.2%\"\nc = \"0.3%\"\n\n[columns]");
    let table = place.release(&["--query", "stays"]).done().stdout;
    assert_eq!(table.matches("not usable │").count(), 3, "{table}");
    place.edit("policy.toml", "c = \"0.3%\"", "c = \"0.1%\"");
    assert!(place.release(&[]).refused().stderr.contains("do not ascend"));
}
