//! `deniable init`: a policy begins with the names of a file's columns, and with nothing else of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::fmt::Write;
use std::fs;
use support::Place;

/// "a\tb\n1\t2\n" in the form of RFC 1952.
const PACKED: &[u8] =
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\xe4\x4c\xe2\x32\xe4\x34\xe2\x02\x00\x4b\x95\x94\xa9\x08\x00\x00\x00";

#[test]
fn a_policy_begins() {
    let place = Place::empty();
    place.write("Visits 2024.csv", "patient,hours per week\nSECRET-1,41\n");
    let run = place.run(&["init", "Visits 2024.csv"]).done();
    assert!(run.stdout.contains("table = \"visits_2024\"") && run.stdout.contains("[columns.\"hours per week\"]"));
    assert!(!run.stdout.contains("SECRET") && !run.stderr.contains("SECRET"), "{run:?}");
    assert!(run.stderr.contains("next: decide every \"?\""), "{run:?}");
    let same = place.run(&["init", "Visits 2024.csv", "--out", "policy.toml"]).done();
    assert_eq!((same.stdout.as_str(), place.read("policy.toml").as_str()), ("", run.stdout.as_str()));
    // What is left open is what every other command names.
    let blanks = place.run(&["plan", "policy.toml"]).refused();
    assert_eq!(blanks.stderr.matches("is not decided yet").count(), run.stdout.matches("= \"?\"").count());
}

/// Decided, it is a policy that is answered.
#[test]
fn a_policy_is_completed() {
    let place = Place::empty();
    place.write("t.csv", "a;b\n1;2\n");
    place.run(&["init", "t.csv", "--delimiter", ";", "--out", "policy.toml"]).done();
    let text = place.read("policy.toml");
    let (start, end) = (text.find("[entity]").unwrap(), text.find("# The columns").unwrap());
    let mut text = format!("{}{}", &text[..start], &text[end..]);
    for decided in ["name = \"n\"", "population = \"p\"", "version = \"1\""] {
        let key = decided.split(' ').next().unwrap();
        text = text.replacen(&format!("\n{key} = \"?\""), &format!("\n{decided}"), 1);
    }
    text = text.replace("type = \"?\"", "type = \"integer\"").replace("preset = \"?\"", "preset = \"acquaintance\"");
    place.write("policy.toml", text.replace("posterior_at_most = \"?\"", "posterior_at_most = 0.75"));
    place.release(&[]).done();
    assert_eq!(place.charges(), 1);
}

#[test]
fn the_path_is_relative_to_the_policy() {
    let place = Place::empty();
    fs::create_dir(place.path("in")).unwrap();
    fs::create_dir(place.path("other")).unwrap();
    place.write("in/t.tsv", "a\tb\n");
    place.run(&["init", "in/t.tsv", "--out", "policy.toml"]).done();
    assert!(place.read("policy.toml").contains("path = \"in/t.tsv\""), "{}", place.read("policy.toml"));
    place.run(&["init", "in/t.tsv", "--out", "in/policy.toml"]).done();
    assert!(place.read("in/policy.toml").contains("path = \"t.tsv\""));
    place.run(&["init", "in/t.tsv", "--out", "other/policy.toml"]).done();
    assert!(place.read("other/policy.toml").contains("path = \"../in/t.tsv\""), "{}", place.read("other/policy.toml"));
}

#[test]
fn what_cannot_begin() {
    let place = Place::empty();
    fs::create_dir(place.path("folder")).unwrap();
    place.write("t.csv", "a,b\n1,2\n");
    place.write("empty.csv", "");
    place.write("latin.csv", b"gr\xf6sse,b\n");
    place.write("t.parquet", "a,b\n1,2\n");
    place.write("is_parquet.csv", "PAR1");
    place.write("twice.csv", "zip,age,zip\n");
    place.write("t.csv.gz", b"\x1f\x8b");
    place.write("t.parquet.zst", b"");
    place.write("kept.toml", "mine");
    let mut told = String::new();
    for args in [
        &["nowhere.csv"] as &[&str],
        &["folder"],
        &["empty.csv"],
        &["latin.csv"],
        &["t.parquet"],
        &["is_parquet.csv"],
        &["twice.csv"],
        &["t.csv.gz"],
        &["t.parquet.zst"],
        &["t.csv", "--out", "kept.toml"],
        &["t.csv", "--out", "t.csv"],
        &["t.csv", "--out", "nowhere/policy.toml"],
    ] {
        let run = place.run(&[&["init"], args].concat()).refused();
        writeln!(told, "# {}\n{}", args.join(" "), place.plain(&run.stderr)).unwrap();
    }
    for args in [
        &["t.csv", "--table", "My Table"] as &[&str],
        &["t.csv", "--delimiter", "ö"],
        &["t.csv", "--delimiter", "semicolon"],
        &["t.csv", "--delimiter", "\""],
        &["t.parquet", "--delimiter", ";"],
    ] {
        let run = place.run(&[&["init"], args].concat()).misused();
        writeln!(told, "# {}\n{}", args.join(" "), place.plain(&run.stderr)).unwrap();
    }
    place.run(&["init"]).misused();
    insta::assert_snapshot!(told);
    assert_eq!(place.read("kept.toml"), "mine");
    assert_eq!(place.read("t.csv"), "a,b\n1,2\n");
    assert!(!place.files().contains(&"policy.toml".to_owned()));
}

/// The first line is unpacked, and the policy names the packed file.
#[test]
fn packed_files_begin_too() {
    let place = Place::empty();
    place.write("Visits.tsv.gz", PACKED);
    let run = place.run(&["init", "Visits.tsv.gz"]).done();
    for expected in ["table = \"visits\"", "path = \"Visits.tsv.gz\"", "[columns.a]", "[columns.b]"] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
}

/// Another path is read as its ending says, whatever the policy's own.
#[test]
fn other_data_may_be_packed() {
    let place = Place::new(
        "name = \"n\"\npopulation = \"p\"\ndata = { table = \"t\", path = \"t.tsv\", version = \"1\" }\n\
         columns.a = { type = \"integer\" }\nadversary = { preset = \"acquaintance\" }\n\
         promise = { posterior_at_most = 0.75 }\n[[ask]]\nsql = \"SELECT COUNT(*) FROM t\"\n",
        "",
    );
    place.write("t.tsv.gz", PACKED);
    place.write("t.parquet", "");
    place.run(&["data", "check", "policy.toml", "--data", "t.tsv.gz"]).done();
    let run = place.run(&["data", "check", "policy.toml", "--data", "t.parquet"]).refused();
    assert!(run.stderr.contains("t.parquet is Parquet"), "{run:?}");
}

/// A single column is a sign of another delimiter: no policy begins with it, unless it is meant.
#[test]
fn another_delimiter_is_suspected() {
    let place = Place::empty();
    for (file, header, delimiter) in [
        ("a.csv", "a;b\n", "';'"),
        ("b.csv", "a\tb\n", "tab"),
        ("c.csv", "a|b;c|d\n", "'|'"),
        ("d.tsv", "a,b\n", "','"),
    ] {
        place.write(file, header);
        let run = place.run(&["init", file, "--out", "policy.toml"]).refused();
        assert!(run.stderr.contains(&format!("if fields end there, add --delimiter {delimiter}")), "{run:?}");
    }
    assert!(!place.files().contains(&"policy.toml".to_owned()));
    for tab in ["tab", "\\t", "\t"] {
        let run = place.run(&["init", "b.csv", "--delimiter", tab]).done();
        assert!(run.stdout.contains("delimiter = \"\\t\"") && run.stdout.contains("[columns.b]"), "{run:?}");
    }
    let meant = place.run(&["init", "a.csv", "--delimiter", ","]).done();
    assert!(meant.stdout.contains("[columns.\"a;b\"]"), "{meant:?}");
    let wrong = place.run(&["init", "d.tsv", "--delimiter", ";"]).done();
    assert!(wrong.stderr.contains("a single column, and its name contains `,`"), "{wrong:?}");
}

/// A first line that is a row would be quoted in a file that anyone may see. What it holds is not said again.
#[test]
fn a_file_without_names_is_suspected() {
    let place = Place::empty();
    place.write("t.csv", "Miller,F,1985\nSmith,M,1990\n");
    let run = place.run(&["init", "t.csv"]).done();
    assert!(run.stderr.contains("WARNING: column 3 is named like a value") && !run.stderr.contains("1985"), "{run:?}");
    place.write("t.csv", ",name,sex,born2,of_1990\n");
    assert!(!place.run(&["init", "t.csv"]).done().stderr.contains("WARNING"));
}

/// The path that is written is the one that is read, also from another folder.
#[test]
fn the_path_leads_back() {
    let place = Place::empty();
    fs::create_dir_all(place.path("policies/deep")).unwrap();
    place.write("t.csv", "a\n1\n");
    place.run(&["init", "t.csv", "--out", "policies/deep/policy.toml"]).done();
    let written = place.read("policies/deep/policy.toml");
    assert!(written.contains("path = \"../../t.csv\""), "{written}");
    let (top, rest) = written.split_once("[entity]").unwrap();
    let (_, rest) = rest.split_once("groups = \"?\"").unwrap();
    let decided =
        [("name", "n"), ("population", "p"), ("version", "1"), ("type", "integer"), ("preset", "acquaintance")];
    let text = decided.iter().fold(format!("{top}{rest}"), |text, (key, value)| {
        text.replace(&format!("\n{key} = \"?\""), &format!("\n{key} = \"{value}\""))
    });
    let text = text.replace("posterior_at_most = \"?\"", "posterior_at_most = 0.75");
    place.write("policies/deep/policy.toml", text);
    place.run(&["data", "check", "policies/deep/policy.toml"]).done();
}
