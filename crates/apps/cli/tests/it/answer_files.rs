//! Large answers in the folder beside the ledger: release, verification, and copies without the folder.

use crate::support::Place;
use std::fmt::Write;
use std::fs;

/// A query with 4,000 groups: its answer is too large for an entry of the ledger.
fn place() -> Place {
    let mut keys = String::new();
    (0..4000).for_each(|key| write!(keys, "\"key number {key}\", ").unwrap());
    let policy = format!(
        r#"
name = "wide"
population = "patients"
data = {{ table = "t", path = "data.csv", version = "1" }}
columns.k = {{ type = "text", keys = [{keys}] }}
adversary = {{ preset = "acquaintance" }}
promise = {{ posterior_at_most = 0.75 }}
[[query]]
name = "wide"
sql = "SELECT k, COUNT(*) AS n, COUNT(*) FILTER (WHERE k <> 'key number 1') AS m FROM t GROUP BY k"
"#
    );
    Place::new(&policy, "k\nkey number 1\nkey number 2\n")
}

#[test]
fn the_folder_of_answers_belongs_to_the_ledger() {
    let place = place();
    let first = place.release(&["--format", "json"]).done();
    assert!(place.files().contains(&"patients.ledger.answers".to_owned()), "{:?}", place.files());
    assert!(fs::metadata(place.path("patients.ledger")).unwrap().len() < 60_000);
    let verified = place.run(&["ledger", "verify", "policy.toml"]).done();
    assert!(verified.stdout.contains("1 large answer in its own file, unchanged"), "{}", verified.stdout);
    assert_eq!(place.release(&["--format", "json"]).done().stdout, first.stdout);
    place.run(&["report", "--ledger", "patients.ledger", "--out", "page.html"]).done();
    // A stray file is counted and has no other effect.
    place.write("patients.ledger.answers/left", "");
    let verified = place.run(&["ledger", "verify", "policy.toml"]).done();
    assert!(verified.stderr.contains("1 file of the folder of answers to which no entry refers"), "{verified:?}");
    let json = place.run(&["ledger", "verify", "policy.toml", "--format", "json"]).done().json();
    assert_eq!((json["answer_files"].as_u64(), json["stray_files"].as_u64()), (Some(1), Some(1)));
    // A copy of the ledger without its folder: every command about that answer fails, and nothing is charged or
    // answered anew.
    fs::rename(place.path("patients.ledger.answers"), place.path("elsewhere")).unwrap();
    for run in [
        place.release(&[]),
        place.run(&["ledger", "verify", "policy.toml"]),
        place.run(&["report", "policy.toml"]),
        place.run(&["report", "--ledger", "patients.ledger"]),
    ] {
        let refused = run.refused();
        assert_eq!(refused.stdout, "");
        let words: String = refused.stderr.split_whitespace().filter(|word| *word != "│").collect();
        assert!(words.contains("ismissing:thefolderoflargeanswersbelongstotheledger"), "{}", refused.stderr);
    }
    // The ledger still shows the spending.
    place.run(&["ledger", "show", "policy.toml"]).done();
    fs::rename(place.path("elsewhere"), place.path("patients.ledger.answers")).unwrap();
    assert_eq!(place.release(&["--format", "json"]).done().stdout, first.stdout);
    assert_eq!(place.charges(), 1);
}
