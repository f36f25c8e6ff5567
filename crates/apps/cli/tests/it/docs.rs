//! The aliases that `docs/reference/policy.md` states, and the overview of the commands.

use crate::support::Place;

/// Aliases of a function are the same query, as the reference states.
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

/// The overview of the commands, grouped by purpose.
#[test]
fn overview() {
    // Without a terminal, clap takes the width from the environment.
    let output = Place::empty().command(&["-h"]).env_remove("COLUMNS").output().unwrap();
    let shown = crate::support::Run::of(output).done().stdout;
    // The server is listed where it is built.
    let (before, rest) = shown
        .split_once("Serve several analysts:")
        .map_or((shown.as_str(), None), |(before, rest)| (before, rest.split_once("Inspect past releases:")));
    assert_eq!(rest.is_some(), cfg!(feature = "serve"), "{shown}");
    let overview = match rest {
        Some((server, rest)) => {
            assert!(server.contains("\n  serve ") && server.contains("\n  account "), "{server}");
            format!("{before}Inspect past releases:{rest}")
        }
        None => before.to_owned(),
    };
    insta::assert_snapshot!("overview", overview);
}
