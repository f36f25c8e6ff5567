//! `deniable attack`: on a simulated cohort, on made-up tables, and with usage errors.

use crate::support::{Place, Run};
use serde_json::Value;
use std::fmt::Write as _;

const CASES: usize = 120;
const CONTROLS: usize = 600;

/// A cohort with the lists of an attack: cases are members, half of the controls are known outsiders, the other half is
/// the reference.
fn cohort() -> Place {
    let place = Place::empty();
    let (cases, controls) = (CASES.to_string(), CONTROLS.to_string());
    let sizes = ["--cases", &cases, "--controls", &controls, "--snps", "400", "--seed", "3", "--out", "cohort"];
    place.run(&[&["gwas", "simulate"], &sizes[..]].concat()).done();
    let fam = place.read("cohort.fam");
    let (mut members, mut others, mut reference) = (String::new(), String::new(), String::new());
    let mut controls = 0;
    for line in fam.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let list = if words[5] == "2" {
            &mut members
        } else {
            controls += 1;
            if controls % 2 == 0 { &mut others } else { &mut reference }
        };
        writeln!(list, "{} {}", words[0], words[1]).unwrap();
    }
    place.write("members", members);
    place.write("others", others);
    place.write("reference", reference);
    let snps: String =
        place.read("cohort.bim").lines().map(|line| format!("{}\n", line.split_whitespace().nth(1).unwrap())).collect();
    place.write("snps", snps);
    place
}

/// Releases the counts of all SNPs.
fn release(place: &Place, promise: &[&str], name: &str) {
    let (table, ledger) = (format!("{name}.tsv"), format!("{name}.ledger"));
    let counts = [
        "gwas",
        "--bfile",
        "cohort",
        "--register",
        "--extract",
        "snps",
        "--counts",
        "--out",
        &table,
        "--ledger",
        &ledger,
    ];
    place.run(&[&counts[..], promise].concat()).done();
}

fn attack(place: &Place, test: &str, name: &str, more: &[&str]) -> Run {
    let table = format!("{name}.tsv");
    let files = ["attack", test, "--released", &table, "--reference", "cohort", "--reference-people", "reference"];
    let truth = ["--targets", "cohort", "--members", "members", "--others", "others"];
    place.run(&[&files[..], &truth[..], more].concat())
}

fn measured<'a>(json: &'a Value, name: &str) -> &'a Value {
    json["measured"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn frequencies_without_noise_betray_members_and_a_promise_keeps_its_bound() {
    let place = cohort();
    release(&place, &["--epsilon", "4096", "--adjacency", "genotype"], "raw");
    release(&place, &["--gain", "2", "--adjacency", "genotype"], "private");
    for test in ["homer", "lr"] {
        let raw = attack(&place, test, "raw", &["--ledger", "raw.ledger", "--format", "json"]).done().json();
        assert_eq!((raw["members"].as_u64(), raw["others"].as_u64()), (Some(120), Some(300)), "{raw}");
        assert_eq!(raw["snps"]["used"], 400, "{raw}");
        let area = measured(&raw, "AUC");
        assert!(area["value"].as_f64().unwrap() > 0.75 && area["against"] == "within the bound", "{test} {area}");
        let private =
            attack(&place, test, "private", &["--ledger", "private.ledger", "--format", "json"]).done().json();
        let area = measured(&private, "AUC");
        assert_eq!((area["at_most"].as_str(), private["odds"].as_str()), (Some("2/3"), Some("2")));
        assert!(area["low"].as_f64().unwrap() < 2.0 / 3.0, "{test} {area}");
        assert_eq!(measured(&private, "power at 5% false positives")["at_most"], "1/10");
        assert!(measured(&private, "false positives at 5%, measured")["at_most"].is_null());
    }
    let files = ["attack", "lr", "--released", "raw.tsv", "--reference", "cohort", "--reference-people", "reference"];
    let swapped = ["--targets", "cohort", "--members", "others", "--others", "members"];
    let swapped = place.run(&[&files[..], &swapped].concat()).done();
    assert!(swapped.stdout.contains("members score below others"), "{swapped:?}");
    let out = ["--ledger", "private.ledger", "--scores", "scores.tsv", "--report", "page.html"];
    let table = attack(&place, "lr", "private", &out).done();
    assert!(
        table.stdout.contains("at most 0.667") && table.stdout.contains("allowed by odds of at most 2"),
        "{table:?}"
    );
    let scores = place.read("scores.tsv");
    assert_eq!(scores.lines().count(), 1 + CASES + CONTROLS);
    assert!(scores.lines().nth(1).unwrap().ends_with("\t1"), "{scores}");
    let page = place.read("page.html");
    assert!(page.contains("2/3") || page.contains("0.667"), "{page}");
    // A false positive rate of one percent needs 197 known outsiders: the list has 300. With fewer, the output reports
    // it.
    let few: String = place.read("others").lines().take(20).map(|line| format!("{line}\n")).collect();
    place.write("others", few);
    let few = attack(&place, "lr", "private", &[]).done();
    assert!(few.stdout.contains("too few to calibrate a test at 5%"), "{few:?}");
    assert!(few.stdout.contains("no bound: no ledger is named"), "{few:?}");
}

#[test]
fn bounds_come_from_the_account_of_membership() {
    let place = cohort();
    release(&place, &["--gain", "2", "--adjacency", "genotype", "--spend", "1/2"], "half");
    let entry = ["--ledger", "half.ledger", "--format", "json", "--entry"];
    let json = place.run(&["ledger", "show", "half.ledger", "--format", "json"]).done().json();
    let seq =
        json["accounts"][0]["releases"][0]["entry"].as_u64().or(json["accounts"][0]["releases"][0]["seq"].as_u64());
    let seq = seq.unwrap_or_else(|| panic!("{json}")).to_string();
    let run = attack(&place, "lr", "half", &[&entry[..], &[&seq]].concat()).done().json();
    let odds = run["odds"].as_str().unwrap().to_owned();
    assert!(run["bound"].as_str().unwrap().starts_with("allowed by odds of at most 1.4143 from entry"), "{run} {odds}");
    let unknown = attack(&place, "lr", "half", &[&entry[..], &["9999"]].concat()).misused();
    assert!(unknown.stderr.contains("charges for membership are"), "{unknown:?}");
    release(&place, &["--gain", "2", "--prior", "1/2", "--adjacency", "label-swap"], "labels");
    let labels = attack(&place, "lr", "labels", &["--ledger", "labels.ledger"]).done();
    assert!(labels.stdout.contains("bounds no test of membership"), "{labels:?}");
}

#[test]
fn usage_errors_of_people_and_tables() {
    let place = cohort();
    release(&place, &["--gain", "2", "--adjacency", "genotype"], "r");
    let base = ["attack", "lr", "--released", "r.tsv", "--reference", "cohort", "--targets"];
    let run = |more: &[&str]| place.run(&[&base[..], more].concat());
    // Without the truth there are scores but no measurements.
    let blind = run(&["cohort", "--scores", "s.tsv"]).done();
    assert!(blind.stdout.contains("nothing is measured"), "{blind:?}");
    let prefix = run(&["cohort.bed"]).misused();
    assert!(prefix.stderr.contains("write cohort"), "{prefix:?}");
    let nothing = run(&["nobody"]).misused();
    assert!(nothing.stderr.contains("no genotypes of that name"), "{nothing:?}");
    run(&["cohort", "--members", "members"]).misused();
    let both = run(&["cohort", "--members", "members", "--others", "members"]).misused();
    assert!(both.stderr.contains("on both lists"), "{both:?}");
    place.write("strangers", "nobody nobody\n");
    let strangers = run(&["cohort", "--members", "strangers", "--others", "rest"]).refused();
    assert!(strangers.stderr.contains("it has no person nobody nobody"), "{strangers:?}");
    // People of the reference cannot be targets.
    let members = run(&["cohort", "--members", "members", "--others", "rest"]).misused();
    assert!(members.stderr.contains("120 of --members are people of the reference"), "{members:?}");
    let run = |more: &[&str]| run(&[more, &["--reference-people", "reference"]].concat());
    let rest = run(&["cohort", "--members", "members", "--others", "rest", "--format", "json"]).done().json();
    assert_eq!(rest["others"], CONTROLS / 2, "half of the controls are the reference");
    let swapped = run(&["cohort", "--members", "others", "--others", "members"]).done();
    assert!(!swapped.stdout.contains("members score below others"), "chance, under noise: {swapped:?}");
    let over = run(&["cohort", "--out", "members", "--members", "members", "--others", "rest"]).misused();
    assert!(over.stderr.contains("overwrite"), "{over:?}");
    let nowhere = run(&["cohort", "--scores", "nowhere/s.tsv"]).misused();
    assert!(nowhere.stderr.contains("--scores nowhere/s.tsv: the folder"), "{nowhere:?}");
    place.write("r.tsv", "SNP A1 A2 MAF\nx A C 0.5\n");
    let other = run(&["cohort"]).refused();
    assert!(other.stderr.contains("share no SNP"), "{other:?}");
    place.write("r.tsv", "SNP A1 A2 MAF\nx A C 1.5\n");
    let high = run(&["cohort"]).refused();
    assert!(high.stderr.contains("r.tsv:2"), "{high:?}");
    for (flag, value) in [("--clamp", "0.5"), ("--confidence", "10%"), ("--confidence", "100%")] {
        assert!(run(&["cohort", flag, value]).misused().stderr.contains(flag));
    }
}

const HOSPITAL: &str =
    "id,zip,birth,sex,diagnosis\n1,02138,1945-07-31,m,a\n2,02138,1950-01-01,f,b\n3,02139,1950-01-01,f,c\n";

#[test]
fn rows_are_linked_with_a_register() {
    let place = Place::empty();
    place.write("hospital.csv", HOSPITAL);
    place.write(
        "register.csv",
        "id,name,zip,birth,sex\n1,W,02138,1945-07-31,m\n2,A,02138,1950-01-01,f\n9,B,02139,1950-01-01,f\n",
    );
    let base =
        ["attack", "linkage", "--released", "hospital.csv", "--auxiliary", "register.csv", "--on", "zip,birth,sex"];
    let run = |more: &[&str]| place.run(&[&base[..], more].concat());
    let json = run(&["--truth", "id", "--format", "json"]).done().json();
    assert_eq!((json["targets"]["people"].as_u64(), json["targets"]["unique"]["hits"].as_u64()), (Some(2), Some(2)));
    assert_eq!(json["outside"]["unique"]["hits"], 1, "{json}");
    assert_eq!(json["correct_of_all_matches"]["of"], 3, "{json}");
    let table = run(&["--truth", "id", "--report", "page.html"]).done().stdout;
    assert!(table.contains("not in the data, matched uniquely all the same") && table.contains("2 of 3"), "{table}");
    assert!(place.read("page.html").contains("hospital.csv"));
    let blind = run(&[]).done().stdout;
    assert!(blind.contains("no match can be verified") && blind.contains("no baseline"), "{blind}");
    assert!(run(&["--truth", "zip"]).misused().stderr.contains("--truth is one of the columns"));
    assert!(run(&["--truth", "nobody"]).refused().stderr.contains("there is no column `nobody`"));
    place.write("register.csv", "id,zip\n1\n");
    assert!(run(&[]).refused().stderr.contains("register.csv:2"));
}

#[test]
fn ratings_are_matched_by_a_few_items() {
    let place = Place::empty();
    let mut released = "user,film,stars,day\n".to_owned();
    for user in 0..50 {
        for film in 0..6 {
            writeln!(
                released,
                "u{user},f{},{},2006-10-{:02}",
                (user * 37 + film * film * 11) % 401,
                1 + user % 5,
                1 + film
            )
            .unwrap();
        }
    }
    place.write("ratings.csv", &released);
    let known: String = released
        .lines()
        .enumerate()
        .filter(|(at, _)| *at == 0 || at % 6 < 3)
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    place.write("known.csv", known + "stranger,f1,1,2006-10-01\nstranger,f2,5,2006-10-02\n");
    let base = [
        "attack",
        "ratings",
        "--released",
        "ratings.csv",
        "--auxiliary",
        "known.csv",
        "--person",
        "user",
        "--item",
        "film",
    ];
    let run = |more: &[&str]| place.run(&[&base[..], more].concat());
    let all = ["--rating", "stars", "--day", "day", "--same-names", "--format", "json"];
    let json = run(&all).done().json();
    assert_eq!((json["targets"]["people"].as_u64(), json["outside"]["people"].as_u64()), (Some(50), Some(1)), "{json}");
    assert!(json["targets"]["correct"]["hits"].as_u64().unwrap() > 30, "{json}");
    assert!(run(&["--rating", "film"]).refused().stderr.contains("is not a number"));
    assert!(run(&["--ahead", "0"]).misused().stderr.contains("out of its range"));
    run(&["--items", "0"]).misused();
}
