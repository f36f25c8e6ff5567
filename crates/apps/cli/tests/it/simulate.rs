//! `deniable simulate` and `deniable release --rehearse`: made-up rows of the declared shape, and a ledger of its own.

use crate::support::{Place, Run};
use std::fs;

/// Every type, and every way in which a policy can declare files; no file exists.
const EVERYTHING: &str = r#"
name = "everything"
population = "patients"
[data]
table = "visits"
path = "in/visits.csv.gz"
version = "1"
[data.csv]
delimiter = ";"
quote = "'"
decimal = ","
encoding = "windows-1252"
compression = "gzip"
trim = true
nulls = ["NA", ""]
[entity]
key = "patient"
rows_per_group = 2
groups = 2
[columns.patient]
type = "text"
[columns.city]
type = "text"
keys = ["Zürich", "a;b", "it's", "Bern"]
null_key = true
other = "elsewhere"
[columns.code]
type = "integer"
keys = [3, 1]
[columns.cost]
type = "decimal"
bounds = ["-1.5", "20"]
step = "0.25"
[columns.weight]
type = "decimal"
[columns.age]
type = "integer"
bounds = [0, 110]
[columns.smoker]
type = "boolean"
[columns.admitted]
type = "date"
format = "%d.%m.%Y"
bounds = ["2020-01-15", "2023-12-31"]
[columns.born]
type = "date"
format = "%d/%m/%y"
pivot = 2010
[columns.seen]
type = "timestamp"
format = "%d.%m.%Y %H:%M"
bounds = ["2021-01-01", "2021-12-31"]
[columns.sent]
type = "timestamp"
zone = "Europe/Berlin"
[columns.day]
type = "date"
[columns.note]
type = "text"
[columns.ward]
type = "text"
keys_from = { table = "wards", column = "ward", label = "title" }
[tables.drugs]
path = "in/drugs"
version = "1"
format = "parquet"
entity = "taken_by"
partitions = ["year", "kind"]
[tables.drugs.columns]
taken_by = { type = "text" }
year = { type = "integer", keys = [2023, 2024] }
kind = { type = "text", keys = ["pill", "50% off/äö"], null_key = true }
dose = { type = "decimal", bounds = [0, 1], step = "0.1" }
sent = { type = "timestamp", zone = "America/New_York" }
[tables.notes]
path = "in/*.notes"
version = "1"
format = "csv"
entity = "who"
csv = { header = false, columns = ["who", "unused", "words"], quote = "none", delimiter = "|", nulls = [], encoding = "utf-16le" }
[tables.notes.columns]
who = { type = "text" }
words = { type = "text" }
[tables.wards]
path = "wards.csv"
version = "1"
unprotected = true
key = "ward"
[tables.wards.columns]
ward = { type = "text" }
title = { type = "text" }
beds = { type = "integer", bounds = [1, 60] }
[adversary]
preset = "acquaintance"
[promise]
epsilon = 2
[[query]]
name = "beds"
sql = "SELECT v.ward, COUNT(*) AS visits FROM visits v JOIN wards w ON v.ward = w.ward WHERE w.beds > 0 GROUP BY v.ward"
[[query]]
name = "doses"
sql = "SELECT d.kind, COUNT(*) AS doses FROM drugs d JOIN visits v ON d.taken_by = v.patient GROUP BY d.kind"
"#;

/// The policy on the simulated files.
fn on_simulated(place: &Place) {
    for (from, to) in [
        ("in/visits.csv.gz", "simulated/visits.csv.gz"),
        ("in/drugs", "simulated/drugs"),
        ("in/*.notes", "simulated/notes.csv"),
        ("\"wards.csv\"", "\"simulated/wards.csv\""),
    ] {
        place.edit("policy.toml", from, to);
    }
}

/// All findings of a check of the data that would be about unreadable or undeclared values.
fn findings(run: &Run) -> Vec<String> {
    let report = run.json();
    let columns = report["tables"].as_array().unwrap().iter().flat_map(|table| table["columns"].as_array().unwrap());
    let is_odd = |column: &&serde_json::Value| {
        ["unreadable", "outside_bounds", "bad"].iter().any(|what| !column[*what].is_null())
    };
    columns.filter(is_odd).map(ToString::to_string).collect()
}

#[test]
fn simulated_files_are_read_as_the_policy_declares_them() {
    let place = Place::empty();
    place.write("policy.toml", EVERYTHING);
    let run = place.run(&["simulate", "policy.toml", "--rows", "400", "--people", "150"]).done();
    assert_eq!(run.stdout, "");
    insta::assert_snapshot!("everything", run.stderr);
    on_simulated(&place);
    // The made-up people have more rows than the caps admit.
    let accepted = ["--accept-loss", "beds", "--accept-loss", "doses"];
    let args = [&["data", "check", "policy.toml", "--format", "json"][..], &accepted].concat();
    let checked = place.run(&args).done();
    assert_eq!(findings(&checked), Vec::<String>::new(), "{checked:?}");
    let tables = checked.json()["tables"].clone();
    let rows: Vec<u64> = tables.as_array().unwrap().iter().map(|table| table["rows"].as_u64().unwrap()).collect();
    assert_eq!(rows, [400, 400, 400, 50]);
    assert_eq!(tables[0]["entities"], 150);
    // Joins find partners: with this promise the noise of a count is far below a hundred.
    let answers = place.release(&["--format", "json"]).done().json();
    let total = |at: usize| -> i64 {
        let rows = answers["answers"][at]["rows"].as_array().unwrap();
        rows.iter().map(|row| row[1]["value"].as_i64().unwrap()).sum()
    };
    assert!(total(0) > 150 && total(1) > 150, "{answers}");
}

#[test]
fn the_same_policy_has_the_same_files_in_either_format() {
    let place = Place::empty();
    place.write("policy.toml", EVERYTHING);
    for folder in ["one", "two"] {
        place.run(&["simulate", "policy.toml", "--rows", "50", "--out", folder, "--format", "parquet"]).done();
    }
    for file in ["visits.parquet", "notes.parquet", "wards.parquet"] {
        let read = |folder: &str| fs::read(place.path(folder).join(file)).unwrap();
        assert_eq!(read("one"), read("two"), "{file}");
    }
    place.run(&["simulate", "policy.toml", "--rows", "50", "--out", "csv", "--format", "csv"]).done();
    let drugs = fs::read_to_string(place.path("csv/drugs.csv")).unwrap();
    assert!(drugs.starts_with("taken_by,year,kind,dose,sent\nperson 1,") && drugs.lines().count() == 51, "{drugs}");
}

#[test]
fn no_file_is_replaced_unasked() {
    let clinic = Place::clinic();
    let run = clinic.run(&["simulate", "policy.toml"]).done();
    insta::assert_snapshot!("clinic", run.stderr);
    let lines = fs::read_to_string(clinic.path("simulated/visits.csv")).unwrap();
    assert_eq!(lines.lines().count(), 5001, "typical_rows and a header");
    assert_eq!(lines.lines().next(), Some("patient,age,minutes,cost,sex,department,smoker"));
    insta::assert_snapshot!("clinic_again", clinic.run(&["simulate", "policy.toml"]).misused().stderr);
    clinic.run(&["simulate", "policy.toml", "--force", "--rows", "10"]).done();
    assert_eq!(fs::read_to_string(clinic.path("simulated/visits.csv")).unwrap().lines().count(), 11);
    // The policy's own file is never replaced.
    let before = clinic.read("visits.csv");
    insta::assert_snapshot!(
        "clinic_own",
        clinic.run(&["simulate", "policy.toml", "--force", "--out", "."]).misused().stderr
    );
    assert_eq!(clinic.read("visits.csv"), before);
    insta::assert_snapshot!(
        "clinic_people",
        clinic.run(&["simulate", "policy.toml", "--rows", "10", "--people", "11"]).misused().stderr
    );
    clinic.run(&["release", "policy.toml", "--rows", "10"]).misused();
    assert_eq!(clinic.files(), ["policy.toml", "simulated", "visits.csv"]);
}

/// The rows and the scan of a rehearsal, without its random noise, key and place.
fn rehearsed(place: &Place) -> String {
    let run = place.unconfirmed(&["release", "policy.toml", "--rehearse", "--rows", "300"]).output().unwrap();
    let run = Run::of(run).done();
    let is_fixed = |line: &&str| !line.starts_with("ledger head") && !line.starts_with("a new ledger");
    run.stderr.lines().filter(is_fixed).collect::<Vec<_>>().join("\n")
}

/// Everything depends on the policy alone: the data may be missing, or be of other people, or be no table.
#[test]
fn nothing_depends_on_the_data() {
    let clinic = Place::clinic();
    let outcome = |clinic: &Place| {
        let said = clinic.run(&["simulate", "policy.toml", "--rows", "200", "--force"]).done().stderr;
        (said, clinic.read("simulated/visits.csv"), rehearsed(clinic))
    };
    let known = outcome(&clinic);
    let rows = clinic.read("visits.csv");
    let header = rows.lines().next().unwrap().to_owned();
    for other in
        [format!("{header}\n"), "not a table\n".to_owned(), format!("{header}\nann,33,5,10,F,cardiology,true\n")]
    {
        clinic.write("visits.csv", other);
        assert_eq!(outcome(&clinic), known);
    }
    fs::remove_file(clinic.path("visits.csv")).unwrap();
    assert_eq!(outcome(&clinic), known);
    assert_eq!(clinic.files(), ["policy.toml", "simulated"], "no ledger remains");
}

#[test]
fn a_public_table_keeps_its_rows_if_its_file_exists() {
    let place = Place::empty();
    place.write("policy.toml", EVERYTHING);
    place.write("wards.csv", "ward,title,beds\nA1,Surgery,20\nB2,Birth,10\n");
    let run = place.run(&["simulate", "policy.toml", "--rows", "100"]).done();
    assert!(run.says("`wards`: 2 rows, those of the public file, in simulated/wards.csv"), "{run:?}");
    assert_eq!(place.read("simulated/wards.csv"), "ward,title,beds\nA1,Surgery,20\nB2,Birth,10\n");
    let rehearsal = place.run(&["release", "policy.toml", "--rehearse", "--format", "json"]).done().json();
    let titles: Vec<&str> = rehearsal["answers"][0]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row[0]["label"].as_str().unwrap_or_default())
        .collect();
    assert!(titles.iter().all(|title| ["Surgery", "Birth"].contains(title)), "{rehearsal}");
}

/// Every output of a rehearsal has the mark, and no output of a release.
#[test]
fn rehearsals_are_marked_everywhere() {
    let clinic = Place::clinic();
    let rehearse = |more: &[&str]| {
        let args = [&["release", "policy.toml", "--rehearse", "--rows", "300", "--people", "100"], more].concat();
        Run::of(clinic.unconfirmed(&args).output().unwrap()).done()
    };
    let text = rehearse(&[]);
    assert!(text.stdout.starts_with("REHEARSAL: made-up rows") && text.stderr.starts_with("REHEARSAL"), "{text:?}");
    insta::assert_snapshot!(
        "rehearsal_curator",
        clinic.plain(&text.stderr).lines().filter(|line| !line.contains("/")).collect::<Vec<_>>().join("\n")
    );
    let json = rehearse(&["--format", "json"]).json();
    assert_eq!((&json["rehearsal"], &json["data"]["version"]), (&true.into(), &"made-up rows".into()));
    let csv = rehearse(&["--format", "csv", "--query", "visits by sex"]).stdout;
    assert!(csv.lines().next().unwrap().ends_with(",rehearsal"), "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",true")), "{csv}");
    rehearse(&["--report", "page.html", "--ledger", "trial.ledger"]);
    let page = clinic.read("page.html");
    assert!(
        page.contains("<title>REHEARSAL: Releases about") && page.contains("role=\"note\">REHEARSAL: made-up rows")
    );
    let shown = clinic.run(&["ledger", "show", "trial.ledger"]).done().stdout;
    assert!(shown.starts_with("REHEARSAL: made-up rows"), "{shown}");
    assert_eq!(clinic.run(&["ledger", "show", "trial.ledger", "--format", "json"]).json()["rehearsal"], true);
    let of_ledger = clinic.run(&["report", "--ledger", "trial.ledger"]).done().stdout;
    assert!(of_ledger.contains("role=\"note\">REHEARSAL: made-up rows"), "{of_ledger}");
    fs::remove_file(clinic.path("trial.ledger")).unwrap();
    for left in ["trial.ledger.key", "trial.ledger.head"] {
        fs::remove_file(clinic.path(left)).unwrap();
    }
    let real = clinic.release(&["--format", "json", "--report", "page.html"]).done();
    let shown = clinic.run(&["ledger", "show", "policy.toml"]).done();
    let everything = [real.stdout, real.stderr, clinic.read("page.html"), shown.stdout].concat().to_lowercase();
    // The style of the mark is on every page.
    let everything = everything.replace(".rehearsal {", "");
    assert!(!everything.contains("rehears"), "{everything}");
}

/// Neither ledger can stand in for the other, also under the other's name with the key and head of its own.
#[test]
fn ledgers_of_rehearsals_and_of_releases_are_never_mixed() {
    let clinic = Place::clinic();
    clinic.run(&["release", "policy.toml", "--rehearse", "--ledger", "trial.ledger"]).done();
    // It contains no version and no fingerprint of the real data.
    let bytes = fs::read(clinic.path("trial.ledger")).unwrap();
    assert!(!bytes.windows(7).any(|part| part == b"2024-06"));
    let refused = |args: &[&str]| {
        let run = clinic.run(args).refused();
        assert!(run.says("is the ledger of a rehearsal"), "{args:?}: {run:?}");
        run
    };
    let before = bytes;
    insta::assert_snapshot!(
        "real_on_rehearsal",
        clinic.plain(&refused(&["release", "policy.toml", "--register", "--ledger", "trial.ledger"]).stderr)
    );
    refused(&["plan", "policy.toml", "--ledger", "trial.ledger"]);
    refused(&["ask", "policy.toml", "SELECT COUNT(*) FROM visits", "--spend", "1/40", "--ledger", "trial.ledger"]);
    refused(&["data", "check", "policy.toml", "--ledger", "trial.ledger"]);
    refused(&["report", "policy.toml", "--ledger", "trial.ledger", "--out", "page.html"]);
    refused(&["ledger", "change-promise", "policy.toml", "--ledger", "trial.ledger", "--reason", "a test"]);
    assert_eq!(fs::read(clinic.path("trial.ledger")).unwrap(), before);
    let copy = |from: &str, to: &str| {
        for ending in ["", ".key", ".head"] {
            fs::copy(clinic.path(&format!("{from}{ending}")), clinic.path(&format!("{to}{ending}"))).unwrap();
        }
    };
    copy("trial.ledger", "clinic-patients.ledger");
    refused(&["release", "policy.toml", "--register"]);
    for ending in ["", ".key", ".head"] {
        fs::remove_file(clinic.path(&format!("clinic-patients.ledger{ending}"))).unwrap();
    }
    // A rehearsal beside it does not keep a new ledger from being made.
    clinic.release(&[]).done();
    let real = fs::read(clinic.path("clinic-patients.ledger")).unwrap();
    let own = clinic.run(&["release", "policy.toml", "--rehearse", "--ledger", "clinic-patients.ledger"]).misused();
    insta::assert_snapshot!("rehearsal_on_own", clinic.plain(&own.stderr));
    copy("clinic-patients.ledger", "copy.ledger");
    let run = clinic.run(&["release", "policy.toml", "--rehearse", "--ledger", "copy.ledger"]).refused();
    insta::assert_snapshot!("rehearsal_on_real", clinic.plain(&run.stderr));
    assert_eq!(fs::read(clinic.path("clinic-patients.ledger")).unwrap(), real);
    assert_eq!(fs::read(clinic.path("copy.ledger")).unwrap(), real);
    // A rehearsal takes no answers from the real ledger, and the next release none from a rehearsal.
    let free = clinic.run(&["release", "policy.toml", "--rehearse", "--ledger", "trial.ledger"]).done();
    assert!(free.says("stored answer, free"), "of the earlier rehearsal: {free:?}");
    assert_ne!(
        fs::read(clinic.path("trial.ledger.key")).unwrap(),
        fs::read(clinic.path("clinic-patients.ledger.key")).unwrap()
    );
}
