//! The SQL that `docs/reference/policy.md` lists is what is answered, and the overview of the commands.

use crate::support::{Place, workspace};
use std::fs;

/// The refusal of an unknown function lists all that are known.
#[test]
fn the_reference_has_every_function() {
    let page = fs::read_to_string(workspace().join("docs/reference/policy.md")).unwrap();
    let run = Place::clinic().run(&["ask", "policy.toml", "SELECT nix(age) FROM visits", "--spend", "1/40"]).refused();
    let (_, help) = run.stderr.split_once("help: use ").unwrap();
    let names: Vec<&str> = help
        .split(|c: char| c != '_' && !c.is_ascii_uppercase() && !c.is_ascii_digit())
        .filter(|name| name.len() > 1)
        .collect();
    assert!(names.len() > 30, "{names:?}");
    let all: Vec<&str> = page.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).collect();
    for name in names {
        assert!(all.contains(&name), "{name} is not in docs/reference/policy.md");
    }
}

/// Other names for the same are the same question, as the reference says.
#[test]
fn other_names_are_free() {
    let clinic = Place::clinic();
    let ask = |sql: &str| {
        let sql = format!("SELECT {sql} AS x FROM visits");
        clinic.run(&["ask", "policy.toml", "--register", &sql, "--spend", "1/40"]).done()
    };
    for names in [
        &["AVG(age)", "MEAN(age)"] as &[&str],
        &["VAR_SAMP(age)", "VAR(age)", "VAR_SAMPLE(age)", "VARIANCE(age)"],
        &["STDDEV_SAMP(age)", "STDDEV(age)"],
        &["MEDIAN(age)", "APPROX_MEDIAN(age)", "PERCENTILE_CONT(age, 0.5)"],
        &[
            "PERCENTILE_CONT(age, 0.9)",
            "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age)",
            "QUANTILE_CONT(age, 0.9)",
            "APPROX_PERCENTILE_CONT(age, 0.9)",
            "APPROX_PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age)",
        ],
    ] {
        let charges = clinic.charges();
        for name in names {
            ask(name);
            assert!(clinic.charges() <= charges + 1, "{name} is charged");
        }
    }
}

/// The overview of the commands, by what one wants to do.
#[test]
fn overview() {
    // A terminal's width is the environment's where there is no terminal.
    let output = Place::empty().command(&["-h"]).env_remove("COLUMNS").output().unwrap();
    insta::assert_snapshot!(crate::support::Run::of(output).done().stdout);
}
