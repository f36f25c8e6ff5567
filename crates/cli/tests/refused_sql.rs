//! Questions that are refused: each message names what was found and what to write instead.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::fmt::Write;
use support::Place;

const POLICY: &str = r#"
name = "refused"
population = "patients"

[data]
table = "visits"
path = "data.csv"
version = "1"

[entity]
key = "patient"
rows_per_group = 2
groups = 2

[columns]
patient = { type = "text" }
age = { type = "integer", bounds = [0, 110] }
cost = { type = "decimal", bounds = [0, 100], step = 0.01 }
weight = { type = "decimal" }
sex = { type = "text", keys = ["F", "M"] }
ward = { type = "text" }
smoker = { type = "boolean" }

[adversary]
preset = "acquaintance"

[promise]
posterior_at_most = 0.75
"#;

const QUESTIONS: &[&str] = &[
    // Several tables, or none of ours.
    "SELECT COUNT(*) FROM visits JOIN people ON visits.patient = people.id",
    "SELECT COUNT(*) FROM visits, visits AS again",
    "SELECT COUNT(*) FROM people",
    "SELECT COUNT(*) FROM hospital.visits",
    "SELECT COUNT(*) FROM read_csv('visits.csv')",
    "SELECT 1",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex UNION ALL SELECT 'all', COUNT(*) FROM visits",
    // Groups.
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex HAVING MAX(weight) > 10",
    "SELECT DISTINCT sex FROM visits",
    "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    "SELECT cost, COUNT(*) FROM visits GROUP BY cost",
    "SELECT patient, COUNT(*) FROM visits GROUP BY patient",
    "SELECT age / cost, COUNT(*) FROM visits GROUP BY age / cost",
    "SELECT sex, COUNT(*) FROM visits GROUP BY ROLLUP (ward)",
    "SELECT sex, COUNT(*) FROM visits GROUP BY ALL",
    "SELECT sex FROM visits GROUP BY sex",
    "SELECT age, COUNT(*) FROM visits GROUP BY sex",
    "SELECT age, COUNT(*) FROM visits",
    // Order before the aggregate.
    "SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 10) AS some",
    "SELECT AVG(age) FROM (SELECT * FROM visits ORDER BY age LIMIT 10) AS youngest",
    "SELECT COUNT(*) FROM visits LIMIT 1 + 1",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex LIMIT -1",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex ORDER BY age",
    "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex ORDER BY SQRT(n)",
    // Aggregates.
    "SELECT patient, age FROM visits",
    "SELECT * FROM visits",
    "SELECT MAX(weight) FROM visits",
    "SELECT MEDIAN(ward) FROM visits",
    "SELECT STDDEV(weight) FROM visits",
    "SELECT SUM(COUNT(*)) FROM visits",
    "SELECT AVG(n) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) AS per_patient",
    "SELECT SUM(weight) FROM visits",
    "SELECT SUM(cost / 3) FROM visits",
    "SELECT AVG(LEAST(GREATEST(cost / age, 0), 10)) FROM visits",
    "SELECT SUM(sex) FROM visits",
    "SELECT SUM(0) FROM visits",
    "SELECT COUNT(DISTINCT sex) FROM visits",
    "SELECT SUM(DISTINCT age) FROM visits",
    "SELECT COUNT(NULL) FROM visits",
    "SELECT COUNT(age, cost) FROM visits",
    "SELECT COUNT(*) FILTER (WHERE aeg > 60) FROM visits",
    "SELECT COUNT(*) OVER (PARTITION BY sex) FROM visits",
    "SELECT ROUND(AVG(weight)) FROM visits",
    "SELECT CASE WHEN COUNT(*) > 5 THEN 1 ELSE 0 END FROM visits",
    // Expressions.
    "SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)",
    "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT patient FROM visits WHERE smoker)",
    "SELECT COUNT(*) FROM visits WHERE aeg > 60",
    "SELECT COUNT(*) FROM visits WHERE weekday = 'Monday'",
    "SELECT COUNT(*) FROM visits WHERE LENGTH(ward) > 3",
    "SELECT COUNT(*) FROM visits WHERE SQRT(cost) > 3",
    "SELECT COUNT(*) FROM visits WHERE random() < 0.1",
    "SELECT COUNT(*) FROM visits WHERE ward ~ '^c'",
    "SELECT COUNT(*) FROM visits WHERE ward SIMILAR TO 'c%'",
    "SELECT COUNT(*) FROM visits WHERE ward LIKE sex",
    "SELECT COUNT(*) FROM visits WHERE ward || sex = 'aF'",
    "SELECT SUM(ward + 1) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE ward + 1 > 2",
    "SELECT COUNT(*) FROM visits WHERE CAST(ward AS TIME) > '12:00'",
    "SELECT COUNT(*) FROM visits WHERE CAST(cost AS DECIMAL(10, 2)) > 3",
    "SELECT COUNT(*) FROM visits WHERE age > ?",
    "SELECT COUNT(*) FROM visits WHERE age > $1",
    "SELECT COUNT(*) FROM visits WHERE age",
    "SELECT COUNT(*) FROM visits WHERE sex = \"F\"",
    // Statements.
    "EXPLAIN SELECT COUNT(*) FROM visits",
    "INSERT INTO visits VALUES ('p', 1)",
    "DROP TABLE visits",
    "SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM visits",
    "SELECT COUNT(*) FORM visits WHERE age > 3",
    "SELECT COUNT(* FROM visits",
    "SELECT sex COUNT(*) FROM visits GROUP BY sex",
    "SELECT COUNT(*) FROM visits WHERE sex = 'F",
    "how many visits were there?",
];

/// All questions in one policy: every one of them is complained about, and nothing is begun.
#[test]
fn every_refusal_names_its_place_and_its_mend() {
    let mut policy = POLICY.to_owned();
    for sql in QUESTIONS {
        write!(policy, "\n[[ask]]\nsql = '''\n{sql}'''\n").unwrap();
    }
    let place = Place::new(&policy, "patient,age,cost,weight,sex,ward,smoker\np,1,1,1,F,a,true\n");
    let run = place.release(&[]).refused();
    assert_eq!(place.files(), ["data.csv", "policy.toml"]);
    let complaints = run.stderr.matches("  × ").count();
    assert_eq!(complaints, QUESTIONS.len(), "some questions were not refused:\n{}", run.stderr);
    insta::assert_snapshot!("refusals", place.plain(&run.stderr));
}

/// A place inside a question of several lines.
#[test]
fn places_are_found_in_long_questions() {
    let sql = "WITH adults AS (\n    SELECT * FROM visits\n    WHERE age >= 18 AND LENGTH(patient) > 3\n)\nSELECT COUNT(*) FROM adults";
    let place = Place::new(&format!("{POLICY}\n[[ask]]\nname = \"adults\"\nsql = '''\n{sql}\n'''\n"), "");
    let run = place.release(&[]).refused();
    insta::assert_snapshot!(place.plain(&run.stderr));
}

/// One bad ask stops all of them before anything is charged.
#[test]
fn one_refusal_stops_the_others() {
    let asks = "[[ask]]\nsql = 'SELECT COUNT(*) FROM visits'\n[[ask]]\nsql = 'SELECT MIN(weight) FROM visits'\n";
    let place = Place::new(&format!("{POLICY}\n{asks}"), "patient,age,cost,weight,sex,ward,smoker\n");
    place.release(&[]).refused();
    place.release(&["--ask", "ask 1"]).refused();
    assert_eq!(place.ledger(), None);
}
