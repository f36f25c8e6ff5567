//! Tests of independence of two groups, from released numbers.

use crate::support::Place;
use serde_json::Value;

/// The noise is zero except with probability e^-100, so the numbers are the truth.
const POLICY: &str = r#"name = "survey"
population = "people"
data = { table = "answers", path = "data.csv", version = "1" }
entity = { key = "person", rows_per_group = 2, groups = 2 }
adversary = { preset = "anyone" }
promise = { epsilon = 200 }

[columns]
person = { type = "integer" }
sex = { type = "text", keys = ["F", "M"] }
smoker = { type = "text", keys = ["no", "yes"] }

[[query]]
name = "smokers"
sql = "SELECT sex, smoker, COUNT(DISTINCT person) AS n FROM answers GROUP BY sex, smoker"
groups = 1
share = "1/2"
"#;
const TEST: &str = "groups = 1\ntest = \"independence\"\n";

/// People in the cells (F, no), (F, yes), (M, no), (M, yes).
fn data(cells: [usize; 4]) -> String {
    let names = ["F,no", "F,yes", "M,no", "M,yes"];
    let people = cells.iter().zip(names).flat_map(|(people, name)| std::iter::repeat_n(name, *people));
    let rows = people.enumerate().map(|(person, name)| format!("{person},{name}\n"));
    format!("person,sex,smoker\n{}", rows.collect::<String>())
}

fn tested(place: &Place) -> Value {
    place.release(&["--format", "json"]).done().json()["answers"][0].clone()
}

/// The statistics are 3.93 and 66.7; the first has the p-value 0.047 in tables of the chi-square distribution.
#[test]
fn the_p_value_is_shown_and_free() {
    let place = Place::new(POLICY, data([60, 40, 46, 54]));
    assert_eq!(tested(&place)["independence"], Value::Null);
    let charges = place.charges();
    // Added later, it is about the stored answer.
    place.edit("policy.toml", "groups = 1\n", TEST);
    let answer = tested(&place);
    assert_eq!(answer["independence"]["groups"], serde_json::json!(["sex", "smoker"]));
    let p: f64 = answer["independence"]["p"].to_string().parse().unwrap();
    assert!((0.03..0.075).contains(&p), "{p}");
    assert_eq!(answer["independence"], tested(&place)["independence"], "the same each time");
    assert_eq!(place.charges(), charges);
    let note = answer["warnings"][0].as_str().unwrap();
    assert!(note.starts_with("test of independence of `sex` and `smoker`: p = 0.0"), "{note}");
    let strong = Place::new(&POLICY.replacen("groups = 1\n", TEST, 1), data([90, 10, 40, 60]));
    let answer = tested(&strong);
    assert_eq!(
        (answer["independence"]["p"].to_string(), &answer["independence"]["is_smallest"]),
        ("0.0005".into(), &true.into())
    );
    assert!(strong.release(&[]).done().stdout.contains("p ≤ 0.0005"));
}

#[test]
fn tables_without_independent_draws_are_refused() {
    for (from, to, said) in [
        ("groups = 1\n", "", "numbers to which one person adds more than 1"),
        ("COUNT(DISTINCT person)", "COUNT(*)", "numbers to which one person adds more than 1"),
        ("GROUP BY sex, smoker", "GROUP BY ROLLUP (sex, smoker)", "a query with several levels"),
        (
            "SELECT sex, smoker, COUNT(DISTINCT person) AS n FROM answers GROUP BY sex, smoker",
            "SELECT sex, COUNT(DISTINCT person) AS n FROM answers GROUP BY sex",
            "anything but two groups",
        ),
        ("keys = [\"F\", \"M\"]", "keys = [\"F\"]", "a table of this size"),
    ] {
        let policy = POLICY.replacen("groups = 1\n", TEST, 1);
        let place = Place::new(&policy, data([1, 1, 1, 1]));
        let (from, to) = if from == "groups = 1\n" { (TEST, "test = \"independence\"\n") } else { (from, to) };
        place.edit("policy.toml", from, to);
        let run = place.run(&["plan", "policy.toml"]).refused();
        assert!(run.says(said), "{said}: {run:?}");
    }
}
