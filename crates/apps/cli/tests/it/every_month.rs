//! The second month: the next version of the data, the part that each version may use (`per_version`), and the commands
//! of `docs/how-to/every-month.md`.

use crate::support::{Place, workspace};
use serde_json::Value;

/// The policy of the page.
fn policy() -> String {
    let page = std::fs::read_to_string(workspace().join("docs/how-to/every-month.md")).unwrap();
    let (_, rest) = page.split_once("```toml\n").expect("the policy of the page");
    rest.split_once("```").unwrap().0.to_owned()
}

/// A folder with the policy and two months of data.
fn place() -> Place {
    let place = Place::empty();
    place.write("policy.toml", policy());
    for (month, first) in [("2024-06", 0), ("2024-07", 20)] {
        let rows: String = (first..first + 60).map(|at| format!("{},{}\n", at / 2, ["F", "M"][at % 2])).collect();
        place.write(&format!("{month}.csv"), format!("patient,sex\n{rows}"));
    }
    place
}

/// Declares the next version, as the page does.
fn next_month(place: &Place) {
    place.edit("policy.toml", "path = \"2024-06.csv\"", "path = \"2024-07.csv\"");
    place.edit("policy.toml", "version = \"2024-06\"", "version = \"2024-07\"");
}

#[test]
fn each_month_has_its_part_of_the_promise() {
    let place = place();
    let planned = place.run(&["plan", "policy.toml"]).done().stdout;
    assert!(planned.contains("left of what version \"2024-06\" of `visits` may use (per_version = 1/12)"), "{planned}");
    place.release(&[]).done();
    // The queries of the policy use 1/15.
    let ask = |spend: &str, sql: &str| place.run(&["ask", "policy.toml", sql, "--spend", spend]);
    let sql = "SELECT COUNT(*) AS n FROM visits WHERE sex = 'F'";
    let head = place.ledger().unwrap()["head"].clone();
    let refused = ask("1/40", sql).refused();
    insta::assert_snapshot!(place.plain(&refused.stderr));
    assert_eq!(place.ledger().unwrap()["head"], head, "nothing was charged");
    let json =
        place.run(&["ask", "policy.toml", sql, "--spend", "1/40", "--dry-run", "--format", "json"]).done().json();
    let version = &json["spending"]["versions"][0];
    assert_eq!((&version["table"], &version["version"]), (&"visits".into(), &"2024-06".into()));
    assert_eq!((&version["per_version"], &version["left"]), (&"1/12".into(), &"-1/120".into()));
    ask("1/60", sql).done();
    // The next version has its own part.
    next_month(&place);
    place.release(&[]).done();
    ask("1/60", sql).done();
    let refused = ask("1/1000", "SELECT COUNT(*) AS n FROM visits WHERE sex = 'M'").refused();
    assert!(
        refused.says("what version \"2024-07\" of `visits` may use (per_version = 1/12) is used up"),
        "{refused:?}"
    );
}

#[test]
fn versions_are_headings_and_earlier_ones_are_folded() {
    let place = place();
    place.release(&[]).done();
    next_month(&place);
    place.release(&["--format", "json"]).done();
    let shown = place.run(&["ledger", "show", "policy.toml"]).done().stdout;
    insta::assert_snapshot!(place.plain(&shown));
    let all = place.run(&["ledger", "show", "policy.toml", "--all-versions"]).done().stdout;
    assert_eq!(all.matches("│ entry ").count(), 2, "{all}");
    assert!(all.find("version \"2024-07\": 2 charges") < all.find("version \"2024-06\": 2 charges"), "{all}");
    let json = place.ledger().unwrap();
    let versions = |of: &Value| -> Vec<String> {
        of.as_array().unwrap().iter().map(|one| one["version"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(versions(&json["versions"]), ["2024-07", "2024-06"]);
    assert_eq!(versions(&json["accounts"][0]["versions"]), ["2024-07", "2024-06"]);
    assert_eq!(versions(&json["accounts"][0]["releases"]), ["2024-06", "2024-06", "2024-07", "2024-07"]);
    for args in [["report", "policy.toml"], ["report", "--ledger=clinic-patients.ledger"]] {
        let page = place.run(&args).done().stdout;
        let open = "<details open><summary>visits, version &quot;2024-07&quot;";
        let folded = "<details><summary>visits, version &quot;2024-06&quot;";
        // Among the answers, and among the charges.
        assert_eq!((page.matches(open).count(), page.matches(folded).count()), (2, 2), "{page}");
        assert!(page.find(open) < page.find(folded));
    }
    // The page of an earlier policy shows its own answers.
    place.edit("policy.toml", "path = \"2024-07.csv\"", "path = \"2024-06.csv\"");
    place.edit("policy.toml", "version = \"2024-07\"", "version = \"2024-06\"");
    let page = place.run(&["report", "policy.toml"]).done().stdout;
    let answers = page.split("Spending and remainder</h2>").next().unwrap();
    assert!(answers.contains("<details open><summary>visits, version &quot;2024-06&quot;"), "{page}");
}

/// The shortcut that breaks the promise: a fresh budget for the same people under another name.
#[test]
fn another_name_for_the_same_people_is_refused() {
    let place = place();
    place.release(&[]).done();
    next_month(&place);
    place.edit("policy.toml", "population = \"clinic-patients\"", "population = \"clinic-patients-july\"");
    let refused = place.release(&[]).refused();
    // As the page cites it; folders differ.
    for part in [
        "clinic-patients-july.ledger would begin a new budget for `clinic-patients-july`, but",
        "clinic-patients.ledger is the ledger of `clinic-patients` with the same policy `clinic`: the same people are \
         charged to one ledger, so take its `population` and `ledger`",
        "only if no person is in both, state that with --other-people",
    ] {
        assert!(refused.says(part), "{part}: {refused:?}");
    }
    assert!(!place.path("clinic-patients-july.ledger").exists());
}
