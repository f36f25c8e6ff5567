//! First commands of users who know another library.

use crate::support::Place;

const POLICY: &str = r#"
name = "notes"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.age = { type = "integer", bounds = [0, 90] }
adversary = { knows_size = false }
promise = { epsilon = 1 }
[[query]]
sql = 'SELECT sex, AVG(age), COUNT(*) FROM visits GROUP BY sex'
share = "1/4"
"#;

fn place(promise: &str) -> Place {
    Place::new(&POLICY.replace("epsilon = 1", promise), "sex,age\nF,3\n")
}

/// A limit of e is shown as a number, with its ε, in the plan, in the publication and in the ledger.
#[test]
fn an_epsilon_of_one() {
    let place = place("epsilon = 1");
    let plan = place.run(&["plan", "policy.toml"]).done().stdout;
    assert!(plan.contains("an odds ratio of e^1 (at most 2.7183; ε = 1)"), "{plan}");
    assert!(plan.contains("parts of ε = 1"), "{plan}");
    // A quarter of ε = 1, and the scale in the answer.
    assert!(plan.contains("┆ 0.25 ┆"), "{plan}");
    assert!(plan.contains("COUNT(*) is a measure of its own beside the average; COUNT(age)"), "{plan}");
    let json = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
    assert_eq!((&json["odds"], &json["queries"][0]["epsilon"]), (&"e".into(), &"0.25".into()));
    let released = place.release(&[]).done().stdout;
    assert!(released.contains("by at most a factor e^1 (at most 2.7183; ε = 1)"), "{released}");
    let scale = json["queries"][0]["answers"][1]["noise"][0]["scale"].as_str().unwrap();
    assert!(scale == "8" || released.contains("COUNT(*) has scale 8"), "{scale}\n{released}");
    let ledger = place.run(&["ledger", "show", "policy.toml"]).done();
    assert!(ledger.stdout.contains("limit: an odds ratio of e^1 (at most 2.7183; ε = 1)"), "{ledger:?}");
    assert!(ledger.stdout.contains("3/4 of ε = 1 (about 75%)"), "{ledger:?}");
    let json = place.run(&["ledger", "show", "policy.toml", "--format", "json"]).done().json();
    assert_eq!(json["accounts"][0]["limit"], "e", "what programs read stays");
    let page = place.run(&["report", "policy.toml"]).done().stdout;
    assert!(page.contains("an odds ratio of e^1 (at most 2.7183)"));
}

/// ε = ln 3 is an odds ratio of 3, exactly, for every share.
#[test]
fn an_epsilon_of_ln_three() {
    let place = place("epsilon = \"ln(3)\"");
    let plan = place.run(&["plan", "policy.toml"]).done().stdout;
    assert!(plan.contains("an odds ratio of 3 (ε = 1.0987, rounded up)"), "{plan}");
    place.release(&[]).done();
    for age in [1, 2, 3] {
        let sql = format!("SELECT COUNT(*) FROM visits WHERE age = {age}");
        place.run(&["ask", "policy.toml", &sql, "--spend", "1/4"]).done();
    }
    assert_eq!(place.spent(), "3", "used up exactly");
    // The ledger parses its stored promise: nothing more fits, and the stored answer is shown again.
    assert!(
        place
            .run(&["ask", "policy.toml", "SELECT MAX(age) FROM visits", "--spend", "1/99"])
            .refused()
            .stdout
            .is_empty()
    );
    place.release(&[]).done();
    // Another promise with the same number is another promise.
    place.edit("policy.toml", "epsilon = \"ln(3)\"", "epsilon = 1");
    assert!(place.release(&[]).refused().stderr.contains("epsilon = ln(3)"));
}

/// With a promised ε every ε is a share; with another promise the message names the nearest share.
#[test]
fn an_epsilon_to_spend() {
    let ask = |promise: &str, spend: &str| {
        place(promise).run(&["ask", "policy.toml", "SELECT COUNT(*) FROM visits", "--dry-run", "--spend", spend])
    };
    let plan = ask("epsilon = 2", "epsilon=0.1").done().stdout;
    assert!(plan.contains("┆  1/20 ┆") && plan.contains("┆ 0.1 ┆"), "{plan}");
    let refused = ask("epsilon = \"ln(3)\"", "epsilon=0.1").refused().stderr;
    assert!(
        refused.contains("not an exact share of the promise, ln 3") && refused.contains("--spend 1/11"),
        "{refused}"
    );
    assert!(ask("epsilon = 1", "epsilon=1.5").refused().stderr.contains("exceeds the whole promise, ε = 1"));
    ask("epsilon = 1", "epsilon=0").misused();
    ask("epsilon = 1", "share=1").misused();
}

/// `report` takes a ledger as a flag, and so do the commands about ledgers.
#[test]
fn a_ledger_by_its_flag() {
    let place = place("epsilon = 1");
    place.release(&[]).done();
    for command in [["ledger", "show"], ["ledger", "verify"]] {
        let by = |more: &[&str]| place.run(&[&command, more].concat());
        let (path, flag) = (by(&["patients.ledger"]).done(), by(&["--ledger", "patients.ledger"]).done());
        assert_eq!(path.stdout, flag.stdout);
        assert_eq!(by(&["--ledger", "policy.toml"]).done().stdout, path.stdout);
        by(&[]).misused();
        by(&["patients.ledger", "--ledger", "patients.ledger"]).misused();
    }
}

/// A term of another library is explained, and for an unknown term the nearest is suggested.
#[test]
fn words_of_other_libraries() {
    let place = Place::empty();
    insta::assert_snapshot!(place.run(&["explain", "privacy unit"]).done().stdout);
    let json = place.run(&["explain", "MaxGroupsPerID", "--format", "json"]).done().json();
    assert_eq!(json[0]["here"], "cap `groups`");
    let unknown = place.run(&["explain", "privcy unit"]).misused().stderr;
    assert!(unknown.contains("did you mean `privacy unit`?"), "{unknown}");
    assert!(place.run(&["explain"]).done().stdout.contains("declared `keys`"));
}
