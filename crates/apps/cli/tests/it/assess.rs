//! `deniable assess`: the example, requirements and exit codes, and usage errors.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    reason = "tests"
)]

use crate::support::{Place, Run, workspace};
use deniable_testing::adult;
use insta::assert_snapshot;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;

const QUASI: [&str; 6] = ["assess", "published.csv", "--quasi", "zip,age,sex", "--sensitive", "condition"];

/// A copy of the example.
fn ward() -> Place {
    let place = Place::empty();
    for file in ["published.csv", "original.csv", "town.csv", "zip.csv"] {
        fs::copy(workspace().join("examples/ward").join(file), place.path(file)).unwrap();
    }
    place
}

fn assess(place: &Place, more: &[&str]) -> Run {
    place.run(&[&QUASI[..], more].concat())
}

#[test]
fn the_table_alone() {
    let place = ward();
    let run = assess(&place, &[]).done();
    assert_snapshot!("alone", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn with_all_other_tables_and_demands() {
    let place = ward();
    let others = ["--background", "town.csv", "--original", "original.csv", "--auxiliary", "original.csv"];
    let demands = ["--require", "k=5,l=2,epsilon-bop=1,t=0.5,gain=3,odds=3", "--report", "page.html"];
    let run = assess(&place, &[&others[..], &demands].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_snapshot!("everything", run.stdout);
    let page = place.read("page.html");
    for words in ["zip=130**, age=20-29, sex=*", "Class sizes", "Compared with the original", "Linkage", "not met"] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("<script"), "pages hold no script");
    // Requirements that are met have exit code 0, also with JSON.
    let met = assess(&place, &["--require", "k=4,t=0.6", "--format", "json"]).done().json();
    let verdicts: Vec<&Value> = met["demands"].as_array().unwrap().iter().map(|demand| &demand["met"]).collect();
    assert_eq!(verdicts, [true, true], "{met}");
    assert_eq!(met["sizes"]["k"]["value"], 4);
    assert_eq!(met["sensitive"][0]["t"]["value"]["exact"], "7/12");
}

/// A hierarchy defines the cells and the distances; Parquet and other delimiters give the same results.
#[test]
fn hierarchies_distances_and_layouts() {
    let place = ward();
    let plain = assess(&place, &["--format", "json"]).done().json();
    let with = assess(&place, &["--hierarchy", "zip=zip.csv", "--format", "json"]).done().json();
    assert_eq!(with["columns"][0]["cells"][0]["read_as"], "node", "{with}");
    assert_eq!(with["sizes"], plain["sizes"]);
    let ordered =
        assess(&place, &["--distance", "condition=ordered:viral|heart|cancer", "--format", "json"]).done().json();
    assert_eq!(ordered["sensitive"][0]["distance"], "ordered");
    place.write("published.csv", place.read("published.csv").replace(',', ";"));
    let other = assess(&place, &["--delimiter", ";", "--format", "json"]).done().json();
    assert_eq!(other, plain);
    let bare: String = place.read("published.csv").lines().skip(1).map(|line| format!("{line}\n")).collect();
    place.write("published.csv", bare);
    let named = ["--delimiter", ";", "--columns", "zip,age,sex,condition", "--format", "json"];
    assert_eq!(assess(&place, &named).done().json(), plain);
}

#[test]
fn cells_can_be_taken_as_they_are_written() {
    let place = Place::empty();
    place.write("t.csv", "ward,flu\n1-2,yes\n1-2,no\n3,yes\n");
    let run = |more: &[&str]| place.run(&[&["assess", "t.csv", "--quasi", "ward"], more].concat());
    assert!(run(&[]).done().stdout.contains("ward: 1 exact value (`3`), 1 range (`1-2`)"));
    assert!(run(&["--literal", "ward"]).done().stdout.contains("ward: 2 exact values"));
    assert!(run(&["--literal", "wart"]).misused().stderr.contains("`wart`"));
}

#[test]
fn empty_cells_are_not_guessed() {
    let place = Place::empty();
    place.write("t.csv", "zip,flu\n,yes\n1,no\n1,\n");
    let run = |more: &[&str]| place.run(&[&["assess", "t.csv", "--quasi", "zip", "--sensitive", "flu"], more].concat());
    let refused = run(&[]).refused();
    assert!(refused.stderr.contains("`zip` in 1 row, `flu` in 1 row"), "{refused:?}");
    let half = run(&["--empty", "suppressed"]).refused();
    assert!(half.stderr.contains("`flu` in 1 row") && !half.stderr.contains("`zip`"), "{half:?}");
    assert!(run(&["--empty", "value"]).done().stdout.contains("3 people in 2 classes"));
    place.write("t.csv", "zip,flu\n,yes\n1,no\n1,no\n");
    assert!(run(&["--empty", "suppressed"]).done().stdout.contains("1 suppressed"));
}

/// Different spellings of a number are the same value in every table; codes with leading zeros are not numbers.
#[test]
fn numbers_are_compared_as_numbers() {
    let place = Place::empty();
    let run = |more: &[&str]| place.run(&[&["assess", "t.csv", "--quasi", "q", "--sensitive", "s"], more].concat());
    let least = |run: crate::support::Run| {
        let json = run.done().json();
        json["sensitive"][0]["distinct_l"]["value"].clone()
    };
    place.write("t.csv", "q,s\na,5\na,5.0\na,5.00\nb,6\nb,7\nb,5\n");
    assert_eq!(least(run(&["--format", "json"])), 1);
    assert_eq!(least(run(&["--format", "json", "--literal", "s"])), 3);
    place.write("t.csv", "q,s\n5,a\n5.0,b\n6,a\n6.00,b\n");
    place.write("people.csv", "q\n5.0\n6\n");
    let linked = run(&["--auxiliary", "people.csv"]).done().stdout;
    assert!(linked.contains("4 people in 2 classes") && !linked.contains("no person matches"), "{linked}");
}

/// A suppressed sensitive value does not make a class diverse; a word for a missing value causes a warning.
#[test]
fn suppressed_and_missing_values_are_not_sensitive_values() {
    let place = Place::empty();
    let run = |more: &[&str]| place.run(&[&["assess", "t.csv", "--quasi", "q", "--sensitive", "s"], more].concat());
    place.write("t.csv", "q,s\na,flu\na,*\nb,flu\nb,cold\n");
    let refused = run(&[]).refused().stderr;
    assert!(refused.contains("`*` among sensitive values: `s` in 1 row") && refused.contains("--literal"), "{refused}");
    run(&["--empty", "suppressed"]).refused();
    run(&["--literal", "s"]).done();
    for word in ["NA", "NULL", "NaN", ".", "?", "n/a"] {
        place.write("t.csv", format!("q,s\na,flu\na,{word}\na,{word}\nb,flu\nb,cold\n"));
        let warned = run(&[]).done().stderr;
        assert!(
            warned.contains(&format!("column `s` has `{word}` in 2 rows")) && warned.contains("--nulls"),
            "{warned}"
        );
        let refused = run(&["--nulls", word]).refused().stderr;
        assert!(refused.contains("empty cells: `s` in 2 rows"), "{refused}");
        assert!(!run(&["--literal", "s"]).done().stderr.contains("WARNING"));
    }
}

/// Files with unexpected content are reported.
#[test]
fn files_that_are_not_what_they_seem() {
    let place = Place::empty();
    let run = |more: &[&str]| place.run(&[&["assess", "t.csv", "--quasi", "zip", "--sensitive", "flu"], more].concat());
    place.write("t.csv", "zip,flu\n1,yes\n1,\"no\n2,yes\n2,yes\n");
    let quote = run(&[]).refused().stderr;
    assert!(quote.contains("t.csv:3: field 2 begins with a quote that is never closed"), "{quote}");
    // The same in a column that is not used.
    place.write("t.csv", "zip,flu,note\n1,yes,\n1,no,\"x\n2,yes,\n2,yes,\n");
    let quote = run(&[]).refused().stderr;
    assert!(quote.contains("t.csv:3: field 3 begins with a quote that is never closed"), "{quote}");
    place.write("t.csv", "zip,flu,note\n1,yes,\n1,no,\"x\n2,yes,y\"\n2,yes,\n");
    let long = run(&[]).refused().stderr;
    assert!(long.contains("t.csv:3: a quoted field has a line end within it") && long.contains("--accept"), "{long}");
    assert!(run(&["--accept", "csv:line-ends"]).done().stdout.contains("3 people in 2 classes"));
    place.write("t.csv", "zip,flu\n1,yes\n1,\"no\n2,yes\"\n2,yes\n");
    assert!(run(&["--quote", "none"]).done().stdout.contains("4 people in 2 classes"));
    run(&["--accept", "csv:quotes"]).misused();
    place.write("t.csv", b"zip,flu\nM\xfclheim,yes\nM\xe8lheim,yes\n");
    for empty in ["refuse", "suppressed", "value"] {
        let latin = run(&["--empty", empty]).refused().stderr;
        assert!(latin.contains("t.csv:2: field 1 is not UTF-8") && latin.contains("--encoding"), "{latin}");
    }
    let two = run(&["--encoding", "latin1"]).done().stdout;
    assert!(two.contains("2 people in 2 classes"), "{two}");
    place.write("t.csv", "zip,flu\n1,yes\n1,no,2\n");
    let uneven = run(&[]).refused().stderr;
    assert!(uneven.contains("t.csv:3") && uneven.contains("3 fields"), "{uneven}");
    place.write("t.csv", "zip,flu\n1,yes\n");
    let header = run(&["--columns", "zip,flu"]).misused().stderr;
    assert!(header.contains("has the names of --columns"), "{header}");
    run(&["--prior", "1/3"]).misused();
    // An example of a minority of cells is shown, so that a misspelt range is visible.
    place.write("t.csv", "zip,flu\n10-19,yes\n10-9,no\n");
    assert!(run(&[]).done().stdout.contains("1 exact value (`10-9`), 1 range (`10-19`)"));
    place.write("town.csv", "zip\n12\n13\nthirty\n10-9\n");
    let town = run(&["--background", "town.csv", "--require", "loss=3"]);
    assert_eq!(town.code, Some(1), "{town:?}");
    assert!(town.stderr.contains("covers 1 of its 4 values there, such as `thirty`"), "{town:?}");
    assert!(
        town.stdout.contains("NOT MET: loss=3, measured ∞: 1 person of the background are in no class"),
        "{town:?}"
    );
}

/// `--out` writes to links and pipes instead of replacing them.
#[cfg(unix)]
#[test]
fn links_and_pipes_are_written_to() {
    let place = ward();
    place.write("real.txt", "old");
    std::os::unix::fs::symlink(place.path("real.txt"), place.path("link.txt")).unwrap();
    assess(&place, &["--out", "link.txt"]).done();
    assert!(place.read("real.txt").starts_with("published.csv: 12 people"));
    assert!(place.path("link.txt").symlink_metadata().unwrap().file_type().is_symlink());
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe")).status().unwrap();
    assert!(made.success());
    let pipe = place.path("pipe");
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    assess(&place, &["--out", "pipe"]).done();
    assert!(reader.join().unwrap().starts_with("published.csv: 12 people"));
}

#[test]
fn the_first_mistakes() {
    let place = ward();
    fs::create_dir(place.path("folder")).unwrap();
    for (more, words) in [
        (&["--require", "m=5"][..], "m"),
        (&["--require", "k=0"], "k=0"),
        (&["--require", ""], "no demand is given"),
        (&["--require", "gain=2"], "needs a background"),
        (&["--encoding", "klingon"], "--encoding"),
        (&["--quasi", "zip"], "--quasi names `zip` twice"),
        (&["--out", "folder"], "is a folder"),
        (&["--background", "town.csv", "--prior", "0"], "--prior 0"),
        (&["--background", "town.csv", "--prior", "1/2..1/3"], "--prior"),
        (&["--threshold", "2"], "from 0 to 1"),
        (&["--distance", "condition=hierarchy"], "there is no hierarchy of condition"),
        (&["--distance", "zip=equal"], "`zip`"),
        (&["--hierarchy", "zap=zip.csv"], "`zap`"),
        (&["--out", "published.csv"], "overwrite"),
    ] {
        let run = assess(&place, more).misused();
        assert!(run.stderr.contains(words), "{more:?}: {}", run.stderr);
    }
    let assess_other = |quasi: &str, sensitive: &str| {
        place.run(&["assess", "published.csv", "--quasi", quasi, "--sensitive", sensitive]).refused().stderr
    };
    assert!(assess_other("zip,years", "condition").contains("no column `years`"));
    assert!(assess_other("zip,age", "illness").contains("no column `illness`"));
    let both = place.run(&["assess", "published.csv", "--quasi", "zip,age", "--sensitive", "age"]).misused().stderr;
    assert!(both.contains("`age` is in --quasi and in --sensitive"), "{both}");
    place.write("town.csv", "zip,age,sex\n13053,25,f\n");
    let few = assess(&place, &["--background", "town.csv"]).refused().stderr;
    assert!(few.contains("age=30-39"), "{few}");
    place.write("zip.csv", "13053;1305*\n13053;1306*\n");
    let hierarchy = assess(&place, &["--hierarchy", "zip=zip.csv"]).refused().stderr;
    assert!(hierarchy.contains("zip.csv") && hierarchy.contains("line 2"), "{hierarchy}");
    place.write("zip.csv", "13053;1305*;*\n");
    let uncovered = assess(&place, &["--hierarchy", "zip=zip.csv"]).refused().stderr;
    assert!(uncovered.contains("130**"), "{uncovered}");
    let missing = place.run(&["assess", "none.csv", "--quasi", "zip"]).refused().stderr;
    assert!(missing.contains("none.csv"), "{missing}");
    place.write("published.csv", "zip,age,sex,condition\n");
    let nobody = assess(&place, &[]).refused().stderr;
    assert!(nobody.contains("the published table"), "{nobody}");
}

/// The page quotes the program's output.
#[test]
fn the_page_is_up_to_date() {
    let page = fs::read_to_string(workspace().join("docs/how-to/assess.md")).unwrap();
    let run = assess(&ward(), &[]).done().stdout;
    assert!(page.contains(run.trim_end()), "docs/how-to/assess.md does not have:\n{run}");
    let others = ["--background", "town.csv", "--original", "original.csv", "--auxiliary", "original.csv"];
    let run = assess(&ward(), &[&others[..], &["--require", "k=4,l=2,t=0.5"]].concat()).stdout;
    let (_, rest) = run.split_once("\nPresence\n").unwrap();
    assert!(page.contains(rest.trim_end()), "docs/how-to/assess.md does not have:\n{rest}");
}

/// Compares UCI Adult with a direct count of all people.
#[test]
fn adult_equals_a_direct_count() {
    let Some(path) = adult() else { return };
    let columns = "age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,race,sex,capital_gain,\
                   capital_loss,hours_per_week,native_country,income";
    let place = Place::empty();
    let args = ["assess", path.to_str().unwrap(), "--columns", columns, "--quasi", "age,race,sex,native_country"];
    let found = place.run(&[&args[..], &["--sensitive", "occupation", "--format", "json"]].concat()).done().json();
    let mut classes: HashMap<[String; 4], HashMap<String, u64>> = HashMap::new();
    let mut all: HashMap<String, u64> = HashMap::new();
    for line in fs::read_to_string(&path).unwrap().lines().filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.split(", ").collect();
        let key = [0, 8, 9, 13].map(|at| cells[at].to_owned());
        *classes.entry(key).or_default().entry(cells[6].to_owned()).or_default() += 1;
        *all.entry(cells[6].to_owned()).or_default() += 1;
    }
    let people: u64 = all.values().sum();
    let sizes: Vec<u64> = classes.values().map(|class| class.values().sum()).collect();
    assert_eq!(found["sizes"]["people"], people);
    assert_eq!(found["sizes"]["classes"], sizes.len());
    assert_eq!(found["sizes"]["k"]["value"], *sizes.iter().min().unwrap());
    assert_eq!(found["sizes"]["uniques"], sizes.iter().filter(|size| **size == 1).count());
    let secret = &found["sensitive"][0];
    assert_eq!(secret["distinct_l"]["value"], classes.values().map(HashMap::len).min().unwrap());
    let distance = |class: &HashMap<String, u64>| {
        let size: u64 = class.values().sum();
        let gap = |(value, times): (&String, &u64)| {
            (*class.get(value).unwrap_or(&0) as f64 / size as f64 - *times as f64 / people as f64).abs()
        };
        all.iter().map(gap).sum::<f64>() / 2.0
    };
    let t = classes.values().map(distance).fold(0.0, f64::max);
    let said: f64 = secret["t"]["value"]["decimal"].as_str().unwrap().parse().unwrap();
    assert!((said - t).abs() < 1e-6, "{said} {t}");
    // The largest finite decrease of odds, and the people in classes that exclude a value.
    let odds = |share: f64| share / (1.0 - share);
    let mut down: f64 = 1.0;
    let mut ruled_out = 0;
    for class in classes.values() {
        let size: u64 = class.values().sum();
        for (value, times) in class.iter().filter(|(_, times)| **times < size) {
            let before = all[value] as f64 / people as f64;
            down = down.max(odds(before) / odds(*times as f64 / size as f64));
        }
        ruled_out += if class.len() < all.len() { size } else { 0 };
    }
    let beliefs = &secret["beliefs_from_margins"];
    let said: f64 = beliefs["odds_down"]["finite"]["by"]["decimal"].as_str().unwrap().parse().unwrap();
    assert!((said / down - 1.0).abs() < 1e-6, "{said} {down}");
    let shares = beliefs["odds_move_by_more_than"].as_array().unwrap();
    assert_eq!(shares.last().unwrap()["people"], ruled_out);
}
