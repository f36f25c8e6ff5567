//! `deniable ledger withdraw`: the answer stays charged and stored, and is marked wherever it is shown.

use crate::support::{Place, rows};
use serde_json::Value;

const POLICY: &str = r#"
name = "wards"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
columns.ward = { type = "text", keys = ["east", "north", "west"] }
columns.cost = { type = "integer", bounds = [0, 100] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }

[[query]]
name = "wards"
sql = "SELECT ward, COUNT(*) AS visits FROM visits GROUP BY ward"
share = "1/2"

[[query]]
name = "cost"
sql = "SELECT SUM(cost) AS cost FROM visits"
share = "1/4"
"#;
const REASON: &str = "the keys of `ward` were wrong <b>";

fn place() -> Place {
    let data: String = (0..60).map(|at| format!("{},{at}\n", ["east", "north", "west"][at % 3])).collect();
    Place::new(POLICY, format!("ward,cost\n{data}"))
}

/// The entry of the charge with this name.
fn entry(place: &Place, name: &str) -> String {
    let releases = place.releases();
    let found = releases.iter().find(|release| release["query"] == name).expect("the charge");
    found["entry"].to_string()
}

#[test]
fn a_withdrawn_answer_is_free_and_marked() {
    let place = place();
    let first = place.release(&["--format", "json"]).done().json();
    assert_eq!(first["answers"][0]["withdrawn"], Value::Null);
    let (spent, at) = (place.spent(), entry(&place, "wards"));
    let run = place.run(&["ledger", "withdraw", "policy.toml", &at, "--reason", REASON]).done();
    assert_eq!(run.stdout, "");
    assert!(run.says(&format!("the answer \"wards\" of entry {at} is withdrawn by entry ")), "{run:?}");
    assert!(run.says("it stays charged and stored"), "{run:?}");
    assert_eq!((place.spent(), place.charges()), (spent.clone(), 2));

    // The identical query: the same numbers, at no cost, with the mark.
    let again = place.release(&["--format", "json"]).done();
    assert!(again.stderr.contains("wards: stored answer, free"), "{}", again.stderr);
    let again = again.json();
    assert_eq!(rows(&again, 0), rows(&first, 0));
    let withdrawn = &again["answers"][0]["withdrawn"];
    let day = withdrawn["on"].as_str().unwrap().to_owned();
    assert!(day.len() == 10 && withdrawn["reason"] == REASON, "{withdrawn}");
    assert_eq!(again["answers"][1]["withdrawn"], Value::Null);
    let text = place.release(&[]).done().stdout;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(flat.matches("WITHDRAWN").count(), 1, "{text}");
    assert!(flat.contains(&format!("WITHDRAWN: the curator withdrew this answer on {day}: {REASON}")), "{text}");
    let csv = place.run(&["release", "policy.toml", "--query", "wards", "--format", "csv"]).done().stdout;
    assert!(csv.contains("WITHDRAWN: the curator withdrew this answer on"), "{csv}");

    // A query that the withdrawn answer contains is marked, too.
    let east = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward";
    let part = place.run(&["ask", "policy.toml", east, "--spend", "1/10", "--format", "json"]).done();
    assert!(part.stderr.contains("part of the stored answer \"wards\", free"), "{}", part.stderr);
    assert_eq!(part.json()["answers"][0]["withdrawn"]["reason"], REASON);
    assert_eq!((place.spent(), place.charges()), (spent, 2));
}

#[test]
fn the_ledger_and_the_report_show_withdrawals() {
    let place = place();
    place.release(&[]).done();
    let at = entry(&place, "wards");
    place.run(&["ledger", "withdraw", "--ledger", "patients.ledger", &at, "--reason", REASON]).done();
    let shown = place.run(&["ledger", "show", "policy.toml"]).done().stdout;
    let releases = place.releases();
    let withdrawn = &releases[0]["withdrawn"];
    insta::assert_snapshot!(place.plain(&shown).replace(withdrawn["at"].as_str().unwrap(), "<time>"));
    assert!(withdrawn["reason"] == REASON && withdrawn["entry"].as_u64() > releases[1]["entry"].as_u64());
    assert_eq!(releases[1].get("withdrawn"), None);
    // In the policy's words, and from the ledger alone.
    for args in [["report", "policy.toml"], ["report", "--ledger=patients.ledger"]] {
        let page = place.run(&args).done().stdout;
        assert!(page.contains("<s>wards</s>") && !page.contains("<s>cost</s>"), "{page}");
        assert!(page.contains("the keys of `ward` were wrong &lt;b&gt;"), "{page}");
        assert!(page.contains("<td>withdrawn</td>"), "{page}");
        // Numbers and intervals of three wards; the chart is left out, that of the cost is not.
        assert_eq!(page.matches("<td class=\"number\"><s>").count(), 6, "{page}");
        assert!(!page.contains("<title>visits by ward") && page.contains("class=\"large\""), "{page}");
    }
}

#[test]
fn invalid_withdrawals_are_refused() {
    let place = place();
    let missing = place.run(&["ledger", "withdraw", "policy.toml", "4", "--reason", "x"]).refused();
    place.release(&[]).done();
    let at = entry(&place, "wards");
    let long = "x".repeat(301);
    let mut told = vec![place.plain(&missing.stderr)];
    place.run(&["ledger", "withdraw", "policy.toml", &at, "--reason", "wrong keys"]).done();
    let head = place.ledger().unwrap()["head"].clone();
    for (entry, reason) in [("1", "x"), ("99", "x"), (at.as_str(), "again"), (at.as_str(), ""), (at.as_str(), &long)] {
        let run = place.run(&["ledger", "withdraw", "policy.toml", entry, "--reason", reason]).refused();
        told.push(place.plain(&run.stderr));
    }
    place.run(&["ledger", "withdraw", "policy.toml", &at]).misused();
    place.run(&["ledger", "withdraw", "policy.toml", "wards", "--reason", "x"]).misused();
    assert_eq!(place.ledger().unwrap()["head"], head);
    let told = told.join("\n\n");
    let day = told.split("was withdrawn on ").nth(1).expect("the day").split_whitespace().next().unwrap().to_owned();
    insta::assert_snapshot!(told.replace(&day, "<day>"));
}
