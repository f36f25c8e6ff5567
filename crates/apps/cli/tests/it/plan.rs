//! `deniable plan`: errors and costs without reading data, sweeps, and target errors.

use crate::support::Place;
use std::fmt::Write;
use std::fs;

/// Twelve queries of all kinds, some of them too noisy.
const TWELVE: &str = r#"
name = "twelve"
population = "patients"

[data]
table = "visits"
path = "data.csv"
version = "1"
typical_rows = 20_000

[entity]
key = "patient"
rows_per_group = 2
groups = 2

[columns]
patient = { type = "text" }
age = { type = "integer", bounds = [0, 110] }
cost = { type = "decimal", bounds = [0, 5000], step = 0.01 }
admitted = { type = "date", bounds = ["2020-01-01", "2024-12-31"] }
sex = { type = "text", keys = ["F", "M"] }
ward = { type = "integer", keys = [1, 2, 3, 4, 5, 6, 7, 8] }

[adversary]
preset = "insider"

[promise]
gain = 3

[budget]
spend = "4/5"

[[query]]
name = "visits"
sql = "SELECT COUNT(*) AS visits FROM visits"
target_error = 300

[[query]]
name = "patients"
sql = "SELECT COUNT(DISTINCT patient) AS patients FROM visits"
share = "1/50"

[[query]]
name = "by sex"
sql = "SELECT sex, COUNT(*) AS n, AVG(age) AS age FROM visits GROUP BY sex"
weight = 3

[[query]]
name = "by ward and sex"
sql = "SELECT ward, sex, COUNT(*) AS n FROM visits GROUP BY ward, sex"

[[query]]
name = "totals"
sql = "SELECT ward, sex, COUNT(*) AS n, SUM(cost) AS cost FROM visits GROUP BY GROUPING SETS ((ward), (sex), ())"
weight = 2

[[query]]
name = "cost"
sql = "SELECT SUM(cost) AS cost FROM visits WHERE age < 18"

[[query]]
name = "median age"
sql = "SELECT MEDIAN(age) AS median FROM visits"

[[query]]
name = "quartiles"
sql = "SELECT PERCENTILE_CONT(age, 0.25) AS low, MEDIAN(age), PERCENTILE_CONT(age, 0.75) AS high FROM visits"

[[query]]
name = "first"
sql = "SELECT MIN(admitted) AS first FROM visits"

[[query]]
name = "spread"
sql = "SELECT STDDEV(age) AS deviation, VAR_POP(age) AS variance FROM visits"

[[query]]
name = "costly part"
sql = "SELECT 100.0 * SUM(CASE WHEN cost > 1000 THEN 1 ELSE 0 END) / COUNT(*) AS percent FROM visits"

[[query]]
name = "old"
sql = "SELECT ward, COUNT(*) AS n FROM visits WHERE age > 80 GROUP BY ward HAVING COUNT(*) > 10 ORDER BY n DESC LIMIT 3"
"#;

fn twelve() -> Place {
    let place = Place::empty();
    place.write("policy.toml", TWELVE);
    place
}

fn with_asks(queries: &str) -> Place {
    let place = Place::empty();
    place.write("policy.toml", format!("{}{queries}", TWELVE.split_once("[[query]]").unwrap().0));
    place
}

#[test]
fn the_clinic_as_a_statistician_reads_it() {
    let clinic = Place::clinic();
    fs::remove_file(clinic.path("visits.csv")).unwrap();
    let run = clinic.run(&["plan", "policy.toml"]).done();
    assert_eq!(run.stderr, "");
    insta::assert_snapshot!("clinic", run.stdout);
    assert_eq!(clinic.files(), ["policy.toml"], "nothing is begun");
}

#[test]
fn twelve_asks_of_all_kinds() {
    let run = twelve().run(&["plan", "policy.toml"]).done();
    insta::assert_snapshot!("twelve", run.stdout);
}

/// The guesses that the plan without them requests.
#[test]
fn twelve_asks_with_guesses() {
    let place = twelve();
    for (key, more) in [
        ("groups = 2\n", "groups = 2\ntypical_entities = 8_000\n"),
        ("bounds = [0, 110]", "bounds = [0, 110], typical = 45, typical_spread = 20"),
        ("step = 0.01", "step = 0.01, typical = 350"),
        ("WHERE age < 18\"\n", "WHERE age < 18\"\ntypical_share = \"1/5\"\n"),
        ("AS percent FROM visits\"\n", "AS percent FROM visits\"\ntypical = { \"cost > 1000\" = \"5%\" }\n"),
        ("ORDER BY n DESC LIMIT 3\"\n", "ORDER BY n DESC LIMIT 3\"\ntypical_share = \"4%\"\n"),
    ] {
        place.edit("policy.toml", key, more);
    }
    let run = place.run(&["plan", "policy.toml"]).done();
    assert!(!run.stdout.contains("typical_"), "nothing is missing: {}", run.stdout);
    insta::assert_snapshot!("twelve_with_guesses", run.stdout);
}

#[test]
fn json_says_the_same() {
    let run =
        twelve().run(&["plan", "policy.toml", "--query", "median age", "--query", "spread", "--format", "json"]).done();
    insta::assert_snapshot!("json", run.stdout);
}

#[test]
fn stored_answers_are_shown_as_paid() {
    let clinic = Place::clinic();
    clinic.release(&["--query", "patients", "--query", "total cost"]).done();
    let head = clinic.ledger().unwrap()["head"].clone();
    let plan = clinic.run(&["plan", "policy.toml", "--format", "json"]).done().json();
    let paid: Vec<bool> =
        plan["queries"].as_array().unwrap().iter().map(|ask| ask["paid"].as_bool().unwrap()).collect();
    assert_eq!(paid, [false, false, true, true, false]);
    let spending = &plan["spending"];
    assert_eq!((&spending["queries"], &spending["to_pay"]), (&"3/4".into(), &"9/16".into()));
    assert_eq!((&spending["left_of_spend"], &spending["left_of_promise"]), (&"0".into(), &"1/4".into()));
    let table = clinic.run(&["plan", "policy.toml"]).done().stdout;
    assert!(
        table.contains("3/32 (paid)")
            && table.contains("left of the promise after these queries: 1/4 (25%, ε = 0.2746)"),
        "{table}"
    );
    assert_eq!(clinic.ledger().unwrap()["head"], head, "a plan writes nothing");
}

#[test]
fn the_plan_says_what_the_release_publishes() {
    let place = with_asks("[[query]]\nsql = 'SELECT COUNT(*) FROM visits'\ntarget_error = 40\n");
    place.write("data.csv", "patient,age,cost,admitted,sex,ward\np1,3,4,2020-02-02,F,1\n");
    let plan = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
    let answered = place.release(&["--format", "json"]).done().json();
    assert_eq!(plan["queries"][0]["share"], answered["answers"][0]["share"]);
    assert_eq!(plan["queries"][0]["answers"][0]["error"], answered["answers"][0]["noise"][0]["margin"]);
    // The solved share is the charged share, and repeating the query is free.
    let share = plan["queries"][0]["share"].as_str().unwrap();
    assert_eq!(place.releases()[0]["cost"], format!("3^({share})"));
    place.release(&[]).done();
    assert_eq!(place.charges(), 1);
}

#[test]
fn sweeps() {
    let clinic = Place::clinic();
    let mut told = String::new();
    for sweep in ["gain=1.1..4", "posterior=0.6..0.9:4"] {
        writeln!(told, "# {sweep}\n{}", clinic.run(&["plan", "policy.toml", "--sweep", sweep]).done().stdout).unwrap();
    }
    insta::assert_snapshot!("sweeps", told);
    let args = ["plan", "policy.toml", "--sweep", "epsilon=1/3..2:4", "--query", "patients", "--format", "json"];
    let json = clinic.run(&args).done().json();
    let values: Vec<&str> =
        json["points"].as_array().unwrap().iter().map(|point| point["value"].as_str().unwrap()).collect();
    assert_eq!(values, ["1/3", "8/9", "13/9", "2"]);
    assert_eq!(json["points"][0]["answers"].as_array().unwrap().len(), 1);
}

/// The error of an average assumes `typical_rows` divided by the cells, and a target of that error takes that share.
#[test]
fn an_average_is_planned_for_the_rows_of_one_cell() {
    let plan = |rows: u32, ask: &str| {
        let place = Place::empty();
        place.write(
            "policy.toml",
            format!(
                "name = 'n'\npopulation = 'p'\n[data]\ntable = 't'\npath = 't.csv'\nversion = '1'\ntypical_rows = {rows}\n\
                 [columns]\nage = {{ type = 'integer', bounds = [0, 110] }}\nward = {{ type = 'integer', keys = [1, 2, 3, 4, 5] }}\n\
                 [adversary]\npreset = 'acquaintance'\n[promise]\nposterior_at_most = 0.75\n[[query]]\n{ask}\n"
            ),
        );
        let json = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        (text(&json["queries"][0]["share"]), text(&json["queries"][0]["answers"][0]["error"]))
    };
    let grouped = "sql = 'SELECT ward, AVG(age) AS a FROM t GROUP BY ward'";
    let (share, error) = plan(10_000, &format!("{grouped}\nshare = '1/10'"));
    assert_eq!((share, error.clone()), plan(2_000, "sql = 'SELECT AVG(age) AS a FROM t'\nshare = '1/10'"));
    assert_ne!(error, plan(10_000, "sql = 'SELECT AVG(age) AS a FROM t'\nshare = '1/10'").1);
    // The error is shown to three digits, rounded up, so a share smaller by a hundredth may still meet it.
    let (solved, kept) = plan(10_000, &format!("{grouped}\ntarget_error = {error}"));
    let (over, under) = solved.split_once('/').unwrap();
    let solved: f64 = over.parse::<f64>().unwrap() / under.parse::<f64>().unwrap();
    assert!(solved > 0.099 && solved <= 0.1 && kept == error, "{solved} {kept}");
}

/// A point of a sweep that cannot meet a target reports it; the other points are computed.
#[test]
fn a_target_out_of_reach_at_some_promises() {
    let place = with_asks("[[query]]\nsql = 'SELECT COUNT(*) FROM visits'\ntarget_error = 30\n");
    let json = place.run(&["plan", "policy.toml", "--sweep", "epsilon=0.1..3:3", "--format", "json"]).done().json();
    assert!(json["points"][0]["refused"].as_str().unwrap().contains("needs"), "{json}");
    assert!(json["points"][2]["refused"].is_null(), "{json}");
}

#[test]
fn sweeps_that_cannot_be_meant() {
    let clinic = Place::clinic();
    let mut told = String::new();
    for sweep in [
        "gain",
        "gain=",
        "gain=2",
        "gain=4..1.1",
        "gain=1..4",
        "gain=1.1..4:1",
        "gain=1.1..4:999",
        "gian=1.1..4",
        "gain=a..b",
        "posterior=0.4..0.9",
        "rho=0.1..0.5",
        "alpha=0.1..0.5",
        "epsilon=0..1",
        "epsilon=1..9999",
    ] {
        let run = clinic.run(&["plan", "policy.toml", "--sweep", sweep]).misused();
        writeln!(told, "# {sweep}\n{}", clinic.plain(&run.stderr)).unwrap();
    }
    insta::assert_snapshot!("bad_sweeps", told);
}

#[test]
fn targets_that_cannot_be_kept() {
    let mut told = String::new();
    let mut refuse = |what: &str, queries: &str| {
        let place = with_asks(queries);
        let run = place.run(&["plan", "policy.toml"]).refused();
        assert!(place.release(&[]).refused().stderr == run.stderr, "a release says the same");
        assert_eq!(place.files(), ["policy.toml"]);
        writeln!(told, "# {what}\n{}", place.plain(&run.stderr)).unwrap();
    };
    let count = "[[query]]\nname = 'count'\nsql = 'SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward'\n";
    refuse("too much", &format!("{count}target_error = 2\n"));
    refuse(
        "beside shares",
        &format!("{count}target_error = 30\n[[query]]\nsql = 'SELECT COUNT(*) FROM visits'\nshare = '3/4'\n"),
    );
    refuse(
        "all of the spend is shared out",
        &format!(
            "{count}target_error = 30\n[[query]]\nname = 'more'\nsql = 'SELECT COUNT(*) FROM visits'\ntarget_error = 7\n"
        ),
    );
    refuse("refused SQL beside it", &format!("{count}target_error = 30\n[[query]]\nsql = 'SELECT nix FROM visits'\n"));
    let queries = format!("{count}target_error = 30\n[[query]]\nname = 'rest'\nsql = 'SELECT COUNT(*) FROM visits'\n");
    for (what, spend, ask) in [
        ("all is spent on it", "1", format!("{count}target_error = 2\n")),
        ("a larger spend would do", "1/2", queries),
        (
            "others take it",
            "1",
            format!("{count}target_error = 30\n[[query]]\nsql = 'SELECT COUNT(*) FROM visits'\nshare = '3/4'\n"),
        ),
    ] {
        let place = with_asks(&ask);
        place.edit("policy.toml", "spend = \"4/5\"", &format!("spend = \"{spend}\""));
        let run = place.run(&["plan", "policy.toml"]).refused();
        assert!(spend != "1" || !run.stderr.contains("raise `spend`"), "{run:?}");
        writeln!(told, "# {what}\n{}", place.plain(&run.stderr)).unwrap();
    }
    let place = with_asks("[[query]]\nsql = 'SELECT AVG(age) FROM visits'\ntarget_error = 2\n");
    place.edit("policy.toml", "typical_rows = 20_000\n", "");
    let run = place.run(&["plan", "policy.toml"]).refused();
    writeln!(told, "# no typical rows\n{}", place.plain(&run.stderr)).unwrap();
    insta::assert_snapshot!("bad_targets", told);
}

#[test]
fn plans_that_cannot_be_made() {
    let clinic = Place::clinic();
    clinic.run(&["plan"]).misused();
    clinic.run(&["plan", "policy.toml", "--format", "csv"]).misused();
    let unknown = clinic.run(&["plan", "policy.toml", "--query", "nix"]).misused();
    assert!(unknown.stderr.contains("the policy has \"visits by sex\""), "{unknown:?}");
    clinic.run(&["plan", "nowhere.toml"]).refused();
    clinic.edit("policy.toml", "SELECT SUM(cost)", "SELECT SUM(sex)");
    for more in [&[] as &[&str], &["--sweep", "gain=2..3"]] {
        let run = clinic.run(&[&["plan", "policy.toml"], more].concat()).refused();
        assert!(run.stderr.contains("policy.toml:") && run.stderr.contains("SUM(sex)"), "{run:?}");
    }
    assert_eq!(clinic.files(), ["policy.toml", "visits.csv"]);
}
