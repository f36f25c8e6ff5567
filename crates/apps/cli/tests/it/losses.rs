//! Large losses to caps and bounds: reported before a version is registered, to the curator alone, and accepted by name.

use crate::support::{Place, Run};
use serde_json::{Value, json};

const POLICY: &str = r#"name = "laboratory"
population = "patients"
data = { table = "tests", path = "data.csv", version = "1" }
entity = { key = "patient", rows_per_group = 2, groups = 2 }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }
budget = { spend = "1/2" }

[columns]
patient = { type = "integer" }
kind = { type = "text", keys = ["blood", "urine"] }
cost = { type = "integer", bounds = [0, 10] }
change = { type = "integer", bounds = [-10, 10] }
"#;
const SUM: &str = "SELECT SUM(cost) FROM tests";
const CHANGE: &str = "SELECT SUM(change) FROM tests";
const KINDS: &str = "SELECT kind, COUNT(*) AS n FROM tests GROUP BY kind";

fn policy(queries: &[(&str, &str)]) -> String {
    let queries = queries.iter().map(|(name, sql)| format!("\n[[query]]\nname = \"{name}\"\nsql = \"{sql}\"\n"));
    POLICY.to_owned() + &queries.collect::<String>()
}

/// Patients with two rows each, and one with more: of these rows, 2 count.
fn data(others: usize, many: usize) -> String {
    let row = |patient: usize| format!("{patient},blood,5,5\n");
    let all = (1..=others).map(|patient| row(patient).repeat(2));
    format!("patient,kind,cost,change\n{}{}", all.collect::<String>(), row(0).repeat(many))
}

fn check(place: &Place, more: &[&str]) -> Run {
    place.run(&[&["data", "check", "policy.toml"], more].concat())
}

fn versions(place: &Place) -> usize {
    place.ledger().map_or(0, |ledger| ledger["versions"].as_array().unwrap().len())
}

/// Of 20 rows, 2 are left out; of 21, 3.
#[test]
fn a_tenth_of_the_rows_is_the_limit() {
    for (many, is_registered) in [(4, true), (5, false)] {
        let commands: [&[&str]; 3] =
            [&["data", "check", "policy.toml"], &["release", "policy.toml"], &["release", "policy.toml", "--register"]];
        for command in commands {
            let place = Place::new(&policy(&[("tests by kind", KINDS)]), data(8, many));
            let run = place.run(command);
            assert_eq!(versions(&place), usize::from(is_registered), "{many} {command:?}: {run:?}");
            if !is_registered {
                let run = run.refused();
                assert!(run.says("`rows_per_group = 2` leaves out 14.3% of its rows"), "{run:?}");
                assert!(run.says("deniable data check <policy> --accept-loss 'tests by kind'"), "{run:?}");
                assert_eq!(place.charges(), 0);
            }
        }
    }
}

/// The sums that answers add noise to, against the sum of absolute values without caps and bounds.
#[test]
fn a_tenth_of_a_sum_is_the_limit() {
    let losses = |sql: &str, rows: &[(i64, i64)]| {
        let rows = rows.iter().enumerate().map(|(at, (cost, change))| format!("{at},blood,{cost},{change}\n"));
        let data = format!("patient,kind,cost,change\n{}", rows.collect::<String>());
        let place = Place::new(&policy(&[("sum", sql)]), data);
        let run = check(&place, &[]);
        assert_eq!(versions(&place), usize::from(run.code == Some(0)), "{run:?}");
        let lines = run.stderr.replace("│ ", "").split_whitespace().collect::<Vec<_>>().join(" ");
        lines.split_once("sum: the ").map(|(_, rest)| rest.split_once(" help:").unwrap().0.to_owned())
    };
    // Of 100, the bounds leave out 10; of 101, 11.
    assert_eq!(
        losses(SUM, &[(80, 0), (10, 0), (10, 0)]).as_deref(),
        Some("bounds of cost leave out 70% of the sum of cost")
    );
    let nine = |last: i64| [[(10, 0); 8].as_slice(), &[(last, 0)]].concat();
    assert_eq!(losses(SUM, &nine(20)), None);
    let mean = "SELECT AVG(cost) FROM tests";
    for sql in
        [SUM, mean, "SELECT SUM(cost) / 7 FROM tests", "SELECT kind, SUM(cost) FROM tests GROUP BY ROLLUP (kind)"]
    {
        let found = losses(sql, &nine(21));
        assert_eq!(found.as_deref(), Some("bounds of cost leave out 10.9% of the sum of cost"), "{sql}");
    }
    // Values of both signs: the sum is 1 too small, of absolute values that add up to 61.
    let signed = [(0, 10), (0, -10), (0, 10), (0, -10), (0, 10), (0, -11)];
    assert_eq!(losses(CHANGE, &signed), None);
    assert_eq!(
        losses(CHANGE, &[&signed[..5], &[(0, -17)]].concat()).as_deref(),
        Some("bounds of change leave out 10.5% of the sum of change")
    );
}

/// Names both causes, and counts people where people are counted.
#[test]
fn every_large_loss_is_named_with_its_causes() {
    let queries = [
        ("tests by kind", KINDS),
        ("cost", "SELECT SUM(cost) AS cost FROM tests"),
        ("people by kind", "SELECT kind, COUNT(DISTINCT patient) AS n FROM tests GROUP BY kind"),
        ("people", "SELECT COUNT(DISTINCT patient) AS n FROM tests"),
        (
            "cost of a person",
            "SELECT AVG(LEAST(total, 20)) FROM (SELECT patient, SUM(cost) AS total FROM tests GROUP BY patient) AS p",
        ),
    ];
    let text = policy(&queries).replace("groups = 2", "groups = 1");
    let rows = (0..8).map(|at| ["blood", "urine"].map(|kind| format!("{at},{kind},50,0\n").repeat(3)).concat());
    let place = Place::new(&text, format!("patient,kind,cost,change\n{}", rows.collect::<String>()));
    let run = check(&place, &[]).refused();
    let told = place.plain(&run.stderr);
    insta::assert_snapshot!("every_large_loss", told.split_once("  ×").unwrap().1);
    // The same figures as JSON, although nothing is registered.
    let json = check(&place, &["--format", "json"]);
    assert_eq!((json.code, json.json()["queries"].as_array().unwrap().len()), (Some(1), 5));
    assert_eq!((versions(&place), place.charges()), (0, 0));
    // Advice on caps, and queries outside of the policy, are not stopped.
    let ask = ["ask", "policy.toml", KINDS, "--spend", "1/40", "--register"];
    place.run(&ask).done();
    assert_eq!((versions(&place), place.charges()), (1, 1));
    // The version stays registered, and the policy's queries are answered; the check still wants a decision.
    let again = check(&place, &[]).refused();
    assert!(again.says("the version stays registered, and nothing was added"), "{again:?}");
    place.run(&["release", "policy.toml"]).done();
}

/// The ledger records the name with the query, for the curator; no other view shows it.
#[test]
fn accepted_losses_are_recorded_and_not_shown() {
    let place = Place::new(&policy(&[("tests by kind", KINDS), ("all", "SELECT COUNT(*) FROM tests")]), data(8, 5));
    let some = check(&place, &["--accept-loss", "all"]).refused();
    assert!(some.says("more than 10% of query \"tests by kind\"") && !some.says("all: `rows"), "{some:?}");
    // The hint repeats what was accepted.
    assert!(some.says("check <policy> --accept-loss all --accept-loss 'tests by kind'"), "{some:?}");
    let both = ["--accept-loss", "all", "--accept-loss", "tests by kind"];
    let run = check(&place, &both).done();
    let accepted = |place: &Place| -> Vec<String> {
        let versions = place.ledger().unwrap()["versions"][0]["accepted"].clone();
        versions.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let names: Vec<String> = accepted(&place).iter().map(|name| name.split_once('#').unwrap().0.to_owned()).collect();
    assert_eq!(names, ["loss:all", "loss:tests by kind"]);
    // A recorded name need not be repeated, and repeating it adds no entry.
    assert_eq!(check(&place, &[]).done().head(), run.head());
    assert_eq!(check(&place, &both).done().head(), run.head());
    let released = place.run(&["release", "policy.toml", "--report", "page.html"]).done();
    let views = [
        released.stdout,
        place.run(&["plan", "policy.toml"]).done().stdout,
        place.run(&["plan", "policy.toml", "--format", "json"]).done().stdout,
        place.release(&["--format", "json"]).done().stdout,
        place.run(&["report", "policy.toml"]).done().stdout,
        place.read("page.html"),
    ];
    for view in views {
        assert!(!view.contains("accept") && !view.contains("loss:"), "{view}");
    }
    // An edited query is accepted anew; its order, its name in the answer and its share do not matter.
    place.edit("policy.toml", KINDS, &format!("{KINDS} ORDER BY n DESC\"\nweight = 2 #"));
    check(&place, &[]).done();
    place.edit("policy.toml", "weight = 2 #", "rows_per_group = 1 #");
    let edited = check(&place, &[]).refused();
    assert!(edited.says("`rows_per_group = 1` leaves out 57.2% of its rows"), "{edited:?}");
    check(&place, &["--accept-loss", "tests by kind"]).done();
    assert_eq!(accepted(&place).len(), 3);
}

#[test]
fn unknown_queries_are_refused_with_the_nearest_name() {
    let place = Place::new(&policy(&[("tests by kind", KINDS), ("all", "SELECT COUNT(*) FROM tests")]), data(8, 5));
    let near = check(&place, &["--accept-loss", "test by kind"]).misused();
    insta::assert_snapshot!(near.stderr.trim(), @r#"
    × --accept-loss: the policy has no query "test by kind"
      help: did you mean "tests by kind"? No data was read
    "#);
    let far = check(&place, &["--accept-loss", "cost"]).misused();
    assert!(far.says("its queries are \"tests by kind\", \"all\""), "{far:?}");
    assert!(place.ledger().is_none());
}

/// Two data sets that differ in the rows of one person, one just above the limit and one just below: whatever others than
/// the curator see is the same once the data are registered, apart from noisy numbers.
#[test]
fn one_person_at_the_limit_changes_nothing_that_analysts_see() {
    let seen = |many: usize| {
        let place = Place::new(&policy(&[("tests by kind", KINDS)]), data(8, many));
        let without = check(&place, &[]);
        // Accepting from the start, whatever the data.
        let place = Place::new(&policy(&[("tests by kind", KINDS)]), data(8, many));
        check(&place, &["--accept-loss", "tests by kind"]).done();
        let plan = place.run(&["plan", "policy.toml", "--format", "json"]).done().stdout;
        let shape = |answer: &Value| json!([answer["sql"], answer["share"], answer["odds"], answer["noise"]]);
        let ask = |sql: &str| {
            let run = place.run(&["ask", "policy.toml", sql, "--spend", "1/40", "--format", "json"]).done();
            (shape(&run.json()["answers"][0]), place.plain(&run.stderr))
        };
        let asked = [ask(KINDS), ask("SELECT SUM(cost) AS c FROM tests")];
        let released = place.run(&["release", "policy.toml", "--format", "json"]).done();
        let (json, words) = (released.json(), place.plain(&released.stderr));
        let answers: Vec<Value> = json["answers"].as_array().unwrap().iter().map(shape).collect();
        let ledger = place.ledger().unwrap();
        let charges: Vec<Value> = place
            .releases()
            .iter()
            .map(|release| json!([release["sql"], release["cost"], release["policy"]]))
            .collect();
        let refused = place.run(&["ask", "policy.toml", "SELECT COUNT(*) FROM tests WHERE cost > 11", "--spend", "1"]);
        let all = (plan, asked, answers, words, ledger["versions"].clone(), charges, refused.stderr);
        (without.code, all)
    };
    let (below, above) = (seen(4), seen(5));
    assert_eq!((below.0, above.0), (Some(0), Some(1)), "the two are on different sides of the limit");
    assert_eq!(below.1, above.1);
}

/// Of 1,000 patients, 990 have one test that costs 10 and 10 have 3 that cost 10 each: with one row of each, 2% of the
/// rows and of the sum of all are left out, and 9.1% in the region of 100.
#[test]
fn a_stated_loss_below_the_exact_one_needs_a_decision() {
    let text = |stated: &str| {
        let queries = [
            ("cost", "SELECT kind, SUM(cost) AS cost FROM tests GROUP BY kind"),
            ("middle", "SELECT MEDIAN(cost) AS middle FROM tests"),
        ];
        let text = policy(&queries).replace("rows_per_group = 2, groups = 2", "rows_per_group = 1, groups = 1");
        text.replace("[columns]", &format!("[quality]\ntypical_left_out = \"{stated}\"\n\n[columns]"))
    };
    let row = |patient: usize| format!("{patient},{},10,0\n", if patient < 100 { "urine" } else { "blood" });
    let rows = (0..1_000).map(|patient| row(patient).repeat(if (5..995).contains(&patient) { 1 } else { 3 }));
    let data = format!("patient,kind,cost,change\n{}", rows.collect::<String>());
    let lines = |run: &Run| run.stderr.replace("│ ", "").split_whitespace().collect::<Vec<_>>().join(" ");
    let place = Place::new(&text("1%"), data.clone());
    let refused = check(&place, &[]).refused();
    let told = lines(&refused);
    let urine = "cost: its caps and bounds change `cost` in urine by 9.1%, more than `typical_left_out = \"1%\"`, in 2 \
                 cells";
    assert!(told.contains(urine), "{told}");
    assert!(told.contains("middle: its caps and bounds leave out 2% of the rows behind `middle`, more than"), "{told}");
    assert!(told.contains("leave out more than `typical_left_out` states of 2 queries, and that is not accepted"));
    assert!(told.contains("Classes rest on `typical_left_out` = 1%") && !told.contains("bias unknown"), "{told}");
    assert_eq!((versions(&place), place.charges()), (0, 0));
    let json = check(&place, &["--format", "json"]).json();
    assert_eq!(json["true_errors"][0]["typical_left_out"], json!("1%"));
    // A statement that covers the part of all rows, but not of each shown group.
    place.edit("policy.toml", "\"1%\"", "\"5%\"");
    let told = lines(&check(&place, &[]).refused());
    assert!(told.contains("change `cost` in urine by 9.1%") && !told.contains("middle: its"), "{told}");
    check(&place, &["--accept-loss", "cost"]).done();
    assert_eq!(versions(&place), 1);
    // An acceptance is of the statement, too: a smaller one is accepted anew.
    check(&place, &[]).done();
    place.edit("policy.toml", "\"5%\"", "\"4%\"");
    check(&place, &[]).refused();
    // A true statement needs none.
    let place = Place::new(&text("10%"), data.clone());
    check(&place, &[]).done();
    // The price, the plan and the answers do not depend on the comparison.
    let shown = |stated: &str| {
        let place = Place::new(&text(stated), data.clone());
        check(&place, &["--accept-loss", "cost", "--accept-loss", "middle"]).done();
        place.run(&["plan", "policy.toml"]).done().stdout
    };
    assert_eq!(shown("1%"), shown("10%"));
}
