//! Data that cannot be read as the policy declares: reported before a version is registered, to the curator alone, and
//! never again later.

use crate::support::{self, Place, Run};
use serde_json::json;

const POLICY: &str = r#"name = "study"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1", csv = { delimiter = ";" } }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }

[columns]
cost = { type = "decimal", bounds = [0, 100], step = 0.5 }
day = { type = "date", bounds = [2000-01-01, 2030-12-31] }
age = { type = "integer", bounds = [0, 100] }
smoker = { type = "boolean" }

[[query]]
name = "costs"
sql = "SELECT SUM(cost) FROM visits WHERE age > 3"
"#;
const DATA: &str = "cost;day;age;smoker\n3,5;31.12.2024;3;ja\n7;30.12.2024;4;nein\n8,5;29.12.2024;5;ja\n";

/// `deniable data check policy.toml` with more arguments.
fn check(place: &Place, more: &[&str]) -> Run {
    place.run(&[&["data", "check", "policy.toml"], more].concat())
}

/// The number of versions in the ledger; zero without a ledger.
fn versions(place: &Place) -> usize {
    place.ledger().map_or(0, |ledger| ledger["versions"].as_array().unwrap().len())
}

/// A policy over `columns` that counts rows, whatever their values.
fn counting(columns: &str) -> String {
    let (head, _) = POLICY.split_once("[columns]").unwrap();
    format!("{head}{columns}\n[[query]]\nname = \"rows\"\nsql = \"SELECT COUNT(*) FROM visits\"\n")
        .replace("\";\"", "\",\"")
}

/// Whatever the findings: a release that had to scan the data stops after the scan.
#[test]
fn unregistered_data_are_scanned_only() {
    let good = "cost;day;age;smoker\n3.5;2024-12-31;3;true\n7;2024-12-30;4;false\n";
    let release = ["release", "policy.toml"];
    let ask = ["ask", "policy.toml", "SELECT COUNT(*) FROM visits", "--spend", "1/40"];
    for command in [release.as_slice(), &ask] {
        let place = Place::new(POLICY, good);
        let run = place.run(command).refused();
        if command == release {
            insta::assert_snapshot!("registered", place.plain(&run.stderr));
        }
        assert!(run.stderr.contains("registered version \"1\" of `visits`"), "{run:?}");
        let ledger = place.ledger().unwrap();
        assert_eq!((place.charges(), versions(&place), ledger["accounts"].as_array().unwrap().len()), (0, 1, 0));
        let run = place.run(command).done();
        assert!(!run.stderr.contains("rows checked"), "{run:?}");
        assert_eq!(place.charges(), 1);
        // In one run, with --register.
        let place = Place::new(POLICY, good);
        place.run(&[command, &["--register"]].concat()).done();
        assert_eq!(place.charges(), 1);
    }
}

/// Every declared column is checked, whatever the queries, and nothing is registered or charged while one is bad.
#[test]
fn every_badly_reading_column_is_named_whatever_is_asked() {
    let other = "SELECT COUNT(*) FROM visits WHERE age > 3";
    let ask = ["ask", "policy.toml", other, "--spend", "1/40"];
    let commands: [&[&str]; 5] = [
        &["data", "check", "policy.toml"],
        &["release", "policy.toml"],
        &["release", "policy.toml", "--register"],
        &ask,
        &[&ask[..], &["--register"]].concat(),
    ];
    let place = Place::new(POLICY, DATA);
    // `data check` alone names values.
    let without_values =
        |text: String| text.split_inclusive('\n').filter(|line| !line.contains("with their rows")).collect::<String>();
    let said: Vec<String> = commands
        .iter()
        .map(|command| without_values(place.plain(&place.run(command).refused().without_share())))
        .collect();
    // The first message also reports a new ledger.
    assert!(said[1..].iter().all(|other| *other == said[1] && said[0].ends_with(other)), "{said:#?}");
    insta::assert_snapshot!("several_columns", said[1]);
    assert_eq!((place.charges(), versions(&place)), (0, 0));
    place.edit("policy.toml", "delimiter = \";\"", "delimiter = \";\", decimal = \",\"");
    place.edit("policy.toml", "type = \"date\",", "type = \"date\", format = \"%d.%m.%Y\",");
    place.edit("policy.toml", "smoker = { type = \"boolean\" }\n", "");
    place.release(&[]).done();
    assert_eq!(place.charges(), 1);
}

/// Columns are accepted by name, one by one; the ledger records the names for the curator, and no other view shows
/// them.
#[test]
fn accepted_columns_are_recorded_and_not_shown() {
    let place = Place::new(POLICY, DATA);
    let some = check(&place, &["--accept", "cost", "--accept", "day"]).refused();
    assert!(some.stderr.contains("column `smoker` of `visits` cannot be read as declared"), "{some:?}");
    assert_eq!(versions(&place), 0);
    let all = ["--accept", "cost", "--accept", "visits.day", "--accept", "smoker"];
    let run = check(&place, &all).done();
    insta::assert_snapshot!("accepted", place.plain(&run.stderr));
    assert_eq!(place.ledger().unwrap()["versions"][0]["accepted"], serde_json::json!(["cost", "day", "smoker"]));
    let shown = place.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(shown.contains("version \"1\"; accepted: cost, day, smoker\n"), "{shown}");
    // A recorded name need not be repeated, and repeating it adds no entry.
    let head = run.head();
    assert_eq!(check(&place, &[]).done().head(), head);
    assert_eq!(check(&place, &all).done().head(), head);
    let released = place.run(&["release", "policy.toml", "--report", "page.html"]).done();
    let plan = place.run(&["plan", "policy.toml"]).done().stdout;
    let json = place.release(&["--format", "json"]).done().stdout;
    for view in [released.stdout.as_str(), &plan, &json, &place.read("page.html")] {
        assert!(!view.contains("accept") && !view.contains("smoker"), "{view}");
    }
    // Once a version is registered, the output of releases does not depend on its values.
    assert!(!released.stderr.contains("read") && !released.stderr.contains("checked"), "{released:?}");
    assert_eq!(place.charges(), 1);
}

/// Accepting a column without faults is not an error; an unknown name is an error, before any data is read.
#[test]
fn names_that_are_accepted_must_be_columns() {
    let place = Place::new(POLICY, DATA);
    let mut told = String::new();
    for name in ["smokre", "visits.smokre", "towns.smoker", "", "*"] {
        let run = check(&place, &["--accept", "cost", "--accept", name]).misused();
        told.push_str(&format!("# {name}\n{}\n", place.plain(&run.stderr)));
    }
    let more = "[tables.towns]\npath = \"towns.csv\"\nversion = \"1\"\nunprotected = true\nkey = \"age\"\n\
                [tables.towns.columns]\nage = { type = \"integer\" }\nsize = { type = \"integer\" }\n";
    place.edit("policy.toml", "\n[[query]]", &format!("\n{more}\n[[query]]"));
    place.write("towns.csv", "age,size\n3,many\n4,few\n");
    let run = check(&place, &["--accept", "age"]).misused();
    told.push_str(&format!("# in two tables\n{}\n", place.plain(&run.stderr)));
    insta::assert_snapshot!("names", told);
    assert!(!place.path("patients.ledger").exists());
    let accept = |names: &[&str]| {
        let names: Vec<&str> = names.iter().flat_map(|name| ["--accept", *name]).collect();
        check(&place, &names)
    };
    // All tables are registered, or none.
    accept(&["cost", "day", "smoker", "towns.age"]).refused();
    assert_eq!(versions(&place), 0);
    accept(&["cost", "day", "smoker", "visits.age", "size"]).done();
    let ledger = place.ledger().unwrap();
    let accepted: Vec<&serde_json::Value> =
        ledger["versions"].as_array().unwrap().iter().map(|version| &version["accepted"]).collect();
    assert_eq!(accepted, [&serde_json::json!(["size"]), &serde_json::json!(["age", "cost", "day", "smoker"])]);
}

/// Tables without faults are not registered by a release that another table stops.
#[test]
fn a_refused_release_registers_nothing() {
    let more = "\n[tables.towns]\npath = \"towns.csv\"\nversion = \"1\"\nunprotected = true\nkey = \"town\"\n\
                [tables.towns.columns]\ntown = { type = \"integer\" }\nsize = { type = \"integer\" }\n";
    let join = "SELECT COUNT(*) FROM visits JOIN towns ON age = towns.town WHERE towns.size > 3";
    let policy = POLICY
        .replace("SELECT SUM(cost) FROM visits WHERE age > 3", join)
        .replace("\n[[query]]", &format!("{more}\n[[query]]"));
    let good = "cost;day;age;smoker\n3.5;2024-12-31;3;true\n";
    let place = Place::new(&policy, good);
    place.write("towns.csv", "town,size\n3,many\n4,few\n");
    for _ in 0..2 {
        let run = place.release(&[]).refused();
        assert!(run.stderr.contains("towns: of 2 values of column `size`, 2 cannot be read as integer"), "{run:?}");
        assert!(run.stderr.contains("--accept towns.size"), "{run:?}");
    }
    assert_eq!((place.charges(), versions(&place)), (0, 0));
}

/// Various faulty files: each with its help, and nothing is charged for an unreadable column.
#[test]
fn bad_files() {
    let entity = "entity = { key = \"who\", rows_per_group = 1, groups = 1 }\n";
    let (whole, decimal) = ("x = { type = \"integer\" }", "x = { type = \"decimal\" }");
    let sex = "x = { type = \"text\", keys = [\"female\", \"male\"] }";
    let files: [(&str, &str, &str, &str); 9] = [
        ("fractions", "", whole, "x,y\n1.5,a\n,b\n2.0,c\n"),
        ("decimal comma", "", decimal, "x,y\n\"12,50\",a\n\"9,00\",b\n"),
        ("misspelt keys", "", sex, "x,y\nFemale,a\nfemale,b\nMale,c\n,d\n"),
        ("ids of twenty digits", entity, "who = { type = \"integer\" }", "who,y\n12345678901234567890,a\n7,b\n"),
        ("an entity key in no row", entity, "who = { type = \"text\" }", "who,y\n,a\n,b\n"),
        ("a column without values", "", whole, "x,y\n,a\n,b\n"),
        ("a date of another pattern", "", "x = { type = \"date\" }", "x,y\n31.12.2024,a\n"),
        ("codes", "", "x = { type = \"boolean\" }", "x,y\nsmokes,a\nnever,b\n"),
        ("spaces", "", sex, "x,y\n male,a\n female,b\n"),
    ];
    let mut told = String::new();
    for (what, entity, columns, data) in files {
        let place = Place::new(
            &counting(&format!("[columns]\n{columns}\n")).replacen("adversary", &format!("{entity}adversary"), 1),
            data,
        );
        let name = if entity.is_empty() { "x" } else { "who" };
        let run = check(&place, &[]).refused();
        assert!(place.release(&[]).refused().stderr.contains("nothing charged"), "{what}");
        assert_eq!((place.charges(), versions(&place)), (0, 0), "{what}");
        let (_, complaints) = run.stderr.split_once("  ×").unwrap_or_else(|| panic!("{what}: {run:?}"));
        told.push_str(&format!("# {what}\n  ×{}\n", place.plain(complaints)));
        check(&place, &["--accept", name]).done();
        place.release(&[]).done();
    }
    insta::assert_snapshot!("files", told);
}

/// A row without an entity key belongs to no person. The curator sees the count, and the other rows are accepted.
#[test]
fn rows_without_entity_are_reported_and_excluded() {
    let policy =
        counting("entity = { key = \"who\", rows_per_group = 9, groups = 1 }\n[columns]\nwho = { type = \"text\" }\n")
            .replace("adversary = { preset = \"acquaintance\" }\npromise = { posterior_at_most = 0.75 }\n", "");
    let policy =
        policy.replace("entity =", "adversary = { preset = \"acquaintance\" }\npromise = { epsilon = 1000 }\nentity =");
    let place = Place::new(&policy, "who,y\np1,a\n,b\n,c\np2,d\n");
    let run = check(&place, &[]).done();
    let note = "2 of 4 rows have no readable entity key: they belong to no entity and never count (first at";
    assert!(run.stderr.contains(note) && run.stderr.contains("data.csv:3)"), "{run:?}");
    // The noise is far below one half.
    let json = place.release(&["--format", "json"]).done().json();
    assert_eq!(support::rows(&json, 0)[0][0].to_string(), "2");
}

/// Registration is of rows and not of bytes: another reading of the same file is scanned again.
#[test]
fn another_reading_is_looked_at_before_it_is_paid_for() {
    let policy = counting("[columns]\nx = { type = \"text\" }\n").replace(
        "[[query]]",
        "[tables.towns]\npath = \"towns.csv\"\nversion = \"1\"\nunprotected = true\nkey = \"code\"\n\
         [tables.towns.columns]\ncode = { type = \"text\" }\nregion = { type = \"text\" }\n\n[[query]]",
    );
    let join = "FROM visits JOIN towns ON visits.x = towns.code\"\nshare = \"1/8";
    let policy = policy.replace("FROM visits", join);
    let towns = "code,region\n7,north\n07,north\n 7,south\n";
    let begun = |policy: &str| {
        let place = Place::new(policy, "x,y\n7,a\n");
        place.write("towns.csv", towns);
        place.release(&[]).done();
        assert_eq!((place.charges(), versions(&place)), (1, 2));
        place
    };
    let mut told = String::new();
    // Another query, so that no stored answer is shown.
    let other = |place: &Place| place.edit("policy.toml", "COUNT(*)", "COUNT(x)");
    let both =
        |place: &Place, from: &str, to: &str| place.write("policy.toml", place.read("policy.toml").replace(from, to));
    type Change<'a> = (&'a str, &'a dyn Fn(&Place));
    let changes: [Change<'_>; 3] = [
        ("another key", &|place| {
            place.edit("policy.toml", "key = \"code\"", "key = \"region\"");
            place.edit("policy.toml", "towns.code", "towns.region");
        }),
        ("the key's type", &|place| {
            both(place, "code = { type = \"text\"", "code = { type = \"integer\"");
            both(place, "x = { type = \"text\"", "x = { type = \"integer\"");
        }),
        ("trim", &|place| place.edit("policy.toml", "key = \"code\"", "key = \"code\"\ncsv = { trim = true }")),
    ];
    for (what, change) in changes {
        let place = begun(&policy);
        other(&place);
        change(&place);
        let before = place.ledger();
        for more in [&["--register"][..], &[]] {
            let run = place.run(&[&["release", "policy.toml"], more].concat()).refused();
            assert!(
                run.stderr.contains("is the same as at") || run.stderr.contains("cannot be read"),
                "{what}: {run:?}"
            );
            if !more.is_empty() {
                let (_, complaints) = run.stderr.split_once("  ×").unwrap();
                told.push_str(&format!("# {what}\n  ×{}\n", place.plain(complaints)));
            }
        }
        assert_eq!(place.ledger(), before, "{what}");
    }
    insta::assert_snapshot!("readings", told);
    // A reading without faults is registered as well, and stops the release that found it new.
    let place = begun(&policy);
    other(&place);
    place.edit("policy.toml", "delimiter = \",\"", "delimiter = \",\", trim = true");
    let run = place.run(&["release", "policy.toml"]).refused();
    assert!(run.stderr.contains("visits: 1 rows checked") && !run.stderr.contains("towns: "), "{run:?}");
    assert_eq!((place.charges(), versions(&place)), (1, 2));
    place.run(&["release", "policy.toml"]).done();
    // The first reading is still registered.
    place.edit("policy.toml", ", trim = true", "");
    place.run(&["release", "policy.toml"]).done();
    // Changed contents are refused as such, without a scan, under any reading.
    let data = place.read("data.csv");
    place.write("data.csv", "x,y\n8,a\n");
    let quote = ", quote = \"'\"";
    for (from, to) in
        [("delimiter = \",\"".to_owned(), format!("delimiter = \",\"{quote}")), (quote.to_owned(), String::new())]
    {
        place.edit("policy.toml", &from, &to);
        let question = "SELECT COUNT(*) FROM visits WHERE x = '8'";
        let run = place.run(&["ask", "policy.toml", question, "--spend", "1/40", "--register"]).refused();
        assert!(run.stderr.contains("the data of `visits` have changed") && !run.stderr.contains("checked"), "{run:?}");
    }
    place.write("data.csv", data);
    // Bounds and keys do not affect the reading.
    place.edit("policy.toml", "x = { type = \"text\" }", "x = { type = \"text\", keys = [\"7\"] }");
    place.run(&["release", "policy.toml"]).done();
}

/// The findings as JSON, also if nothing is registered.
#[test]
fn the_numbers_as_json() {
    let place = Place::new(POLICY, DATA);
    let run = check(&place, &["--format", "json"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let json = run.json();
    let table = &json["tables"][0];
    assert_eq!((&table["table"], &table["version"], &table["rows"]), (&"visits".into(), &"1".into(), &3.into()));
    let bad: Vec<&str> = table["columns"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|column| column["bad"].is_string())
        .map(|column| column["column"].as_str().unwrap())
        .collect();
    assert_eq!(bad, ["cost", "day", "smoker"]);
    let cost = &table["columns"][0];
    assert_eq!((&cost["values"], &cost["unreadable"]["count"]), (&3.into(), &2.into()));
    assert!(cost["unreadable"]["first"].as_str().unwrap().ends_with("data.csv:2"), "{cost}");
    let accept = ["--accept", "cost", "--accept", "day", "--accept", "smoker", "--format", "json"];
    let accepted = check(&place, &accept).done().json();
    assert_eq!(accepted["tables"], json["tables"]);
    // Losses of caps and bounds are computed once all columns read correctly.
    assert_eq!((&json["queries"], &accepted["queries"][0]["rows"]), (&json!([]), &2.into()));
}

/// A registered version stays registered if a later scan finds keys that do not fit.
#[test]
fn a_second_look_takes_nothing_back() {
    let place = Place::new(&counting("[columns]\nx = { type = \"text\", keys = [\"a\"] }\n"), "x,y\na,1\n");
    check(&place, &[]).done();
    place.edit("policy.toml", "[\"a\"]", "[\"A\"]");
    let run = check(&place, &[]).refused();
    assert!(run.stderr.contains("the version stays registered"), "{run:?}");
    place.run(&["release", "policy.toml"]).done();
    assert_eq!((place.charges(), versions(&place)), (1, 1));
    check(&place, &["--accept", "x"]).done();
    assert_eq!(place.ledger().unwrap()["versions"][0]["accepted"], serde_json::json!(["x"]));
}

/// Dates in another format are other values: the stored answer to the misread dates is not shown.
#[test]
fn a_mended_format_is_another_question() {
    let place = Place::new(POLICY, DATA);
    check(&place, &["--accept", "cost", "--accept", "day", "--accept", "smoker"]).done();
    let question = "SELECT COUNT(day) FROM visits";
    let ask = || place.run(&["ask", "policy.toml", question, "--spend", "1/40"]).done();
    ask();
    ask();
    assert_eq!(place.charges(), 1);
    place.edit("policy.toml", "day = { type = \"date\",", "day = { type = \"date\", format = \"%d.%m.%Y\",");
    // The acceptance was for the column as it was read.
    check(&place, &[]).refused();
    check(&place, &["--accept", "cost", "--accept", "smoker"]).done();
    ask();
    assert_eq!(place.charges(), 2);
}

/// Dates of the other order are partly unreadable: the report says what that means for those that can be read.
#[test]
fn exchanged_days_and_months_are_reported() {
    let columns = "[columns]\nday = { type = \"date\", bounds = [2000-01-01, 2030-12-31], format = \"%m/%d/%Y\" }\n";
    let place = Place::new(&counting(columns), "day\n03/04/2024\n13/04/2024\n05/06/2024\n24/12/2024\nx\n");
    let run = check(&place, &[]).refused();
    assert!(run.stderr.contains("2 that can be read if %d and %m change places in `format`"), "{run:?}");
    let json = check(&place, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["tables"][0]["columns"][0]["day_and_month_exchanged"], 2);
}
