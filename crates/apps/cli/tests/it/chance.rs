//! Promises but for a chance, at the command line.

use crate::support::Place;

const POLICY: &str = r#"name = "register"
population = "register-patients"
data = { table = "patients", path = "patients.csv", version = "2024" }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.9, but_for = { chance = "1/1000000", posterior_at_most = 0.75 } }

[columns]
age = { type = "integer", bounds = [0, 110] }

[[query]]
name = "old"
sql = "SELECT COUNT(*) AS n FROM patients WHERE age > 80"
share = "1/50"
"#;

fn place() -> Place {
    let place = Place::empty();
    place.write("policy.toml", POLICY);
    let rows: String = (0..200).map(|at| format!("{}\n", at % 100)).collect();
    place.write("patients.csv", format!("age\n{rows}"));
    place
}

/// Sizes that are fixed before the first charge pay for queries that are written later.
#[test]
fn sizes_are_fixed_for_later_queries() {
    let place = place();
    let fix = |sizes: &[&str]| {
        let sizes = sizes.iter().flat_map(|size| ["--size", size]);
        place.run(&["ledger", "fix-sizes", "policy.toml"].into_iter().chain(sizes).collect::<Vec<_>>())
    };
    assert!(fix(&["8x1/10"]).refused().says("promise but for that chance allows 3"));
    assert_eq!(place.files(), ["patients.csv", "policy.toml"], "a refusal begins no ledger");
    assert!(fix(&["0x1/10"]).misused().says("between 1 and 10000"));
    assert!(fix(&["manyx1/200"]).misused().says("as in 100x1/200"));
    assert!(fix(&["20x1/200", "1/50"]).done().says("the sizes of 21 queries are fixed"));
    assert!(fix(&["20x1/200"]).refused().says("sizes are fixed once"));
    place.run(&["data", "check", "policy.toml"]).done();
    let but_for = || {
        place.run(&["ledger", "show", "policy.toml", "--format", "json"]).done().json()["accounts"][0]["but_for"]
            .clone()
    };
    let before = but_for();
    assert_eq!(before["fixed"][0]["count"], 20);
    let ask = |sql: &str| place.run(&["ask", "policy.toml", sql, "--spend", "1/200", "--yes"]);
    ask("SELECT COUNT(*) AS n FROM patients WHERE age > 20").done();
    // A query of the policy has the size of the other.
    place.release(&[]).done();
    let after = but_for();
    assert_eq!(after["odds"], before["odds"]);
    let unused: Vec<u64> =
        after["fixed"].as_array().unwrap().iter().map(|size| size["unused"].as_u64().unwrap()).collect();
    assert_eq!(unused, [19, 0]);
    let shown = place.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(shown.contains("fixed beforehand: 20 answers") && shown.contains("19 of them not used yet"), "{shown}");
    // Of another size it is a chosen one.
    place.run(&["ask", "policy.toml", "SELECT COUNT(*) AS n FROM patients", "--spend", "1/201", "--yes"]).done();
    assert_ne!(but_for()["odds"], before["odds"]);
    place.run(&["ledger", "verify", "policy.toml"]).done();
}

#[test]
fn sizes_need_a_promise_but_for_a_chance() {
    let place = place();
    place.edit("policy.toml", ", but_for = { chance = \"1/1000000\", posterior_at_most = 0.75 }", "");
    let fix = place.run(&["ledger", "fix-sizes", "policy.toml", "--size", "1/50"]).refused();
    assert!(fix.says("no promise but for a chance"));
    assert_eq!(place.files(), ["patients.csv", "policy.toml"], "no ledger began");
}

/// Where the swept promise is stricter, the promise but for a chance follows from it, and is not shown.
#[test]
fn sweeps_show_both_promises() {
    let place = place();
    let sweep = ["plan", "policy.toml", "--sweep", "posterior_at_most=0.7..0.9:3"];
    let json = place.run(&[&sweep[..], &["--format", "json"]].concat()).done().json();
    let odds: Vec<&serde_json::Value> =
        json["points"].as_array().unwrap().iter().map(|point| &point["odds_but_for_a_chance"]).collect();
    assert!(odds[0].is_null() && odds[1] == "3" && odds[2] == "3", "{json}");
    assert!(place.run(&sweep).done().stdout.contains("but for the chance"));
}

/// An analyst's part counts for all when it is set aside, as that many equal answers.
#[cfg(feature = "serve")]
#[test]
fn analysts_have_parts() {
    use crate::serve::account;
    let place = place();
    place.write("serve.toml", "");
    let add = |args: &[&str]| account(&place, &[&["add", "policy.toml"], args].concat(), "a");
    let said = add(&["ana", "--share", "1/4"]).done().stderr;
    assert!(said.contains("as much as 38 equal ones"), "{said}");
    let said = add(&["bo", "--share", "1/4", "--answers", "100"]).done().stderr;
    assert!(said.contains("as much as 100 equal ones"), "{said}");
    let refused = add(&["cy", "--share", "1/4", "--answers", "1"]).refused();
    assert!(refused.says("divide it into more answers"), "{refused:?}");
    assert!(add(&["cy", "--answers", "2"]).misused().says("--share"));
    assert!(add(&["cy", "--share", "1/4", "--overlapping", "--answers", "2"]).misused().says("cannot be used with"));
    let listed = account(&place, &["list", "policy.toml", "--format", "json"], "").done().json();
    assert_eq!((listed[0]["answers"].as_u64(), listed[1]["answers"].as_u64()), (Some(38), Some(100)));
    let parts =
        place.run(&["ledger", "show", "policy.toml", "--format", "json"]).done().json()["accounts"][0]["parts"].clone();
    assert_eq!(parts[0]["but_for"]["odds"], "1");
    let shown = place.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(shown.contains("but for one chance in 1,000,000: odds of 1 are counted"), "{shown}");
}
