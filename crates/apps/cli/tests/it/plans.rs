//! A command plans the SQL of each query once, however many answers the ledger has.

use crate::support::Place;
use deniable::times_planned;
use deniable_cli::exit::Exit;
use deniable_testing::in_own_process;
use std::ffi::OsString;

/// Stored answers of single queries in the ledger, for the second half of the test.
const STORED: usize = 20;

/// Runs a command about the policy in this process, and returns how often it planned the SQL of queries.
fn planned(clinic: &Place, command: &str, more: &[&str]) -> usize {
    let before = times_planned();
    let policy = clinic.path("policy.toml").into_os_string();
    let words = ["deniable", command].map(OsString::from).into_iter().chain([policy]);
    let words: Vec<OsString> = words.chain(more.iter().map(OsString::from)).collect();
    assert_eq!(deniable_cli::main(&words), Exit::Done, "{words:?}");
    times_planned() - before
}

#[test]
fn a_query_is_planned_once() {
    if !in_own_process("plans::a_query_is_planned_once") {
        return;
    }
    let clinic = Place::clinic();
    // The losses of a query's caps are derived from its plan.
    clinic.edit("policy.toml", "name = \"visits by sex\"", "name = \"visits by sex\"\nleft_out = \"1/50\"");
    let queries = 5;
    assert_eq!(planned(&clinic, "plan", &[]), queries);
    assert_eq!(planned(&clinic, "plan", &["--sweep", "gain=2..4:5"]), queries, "five promises");
    assert_eq!(planned(&clinic, "release", &["--register"]), queries);
    assert_eq!(planned(&clinic, "release", &[]), queries, "stored answers");
    for stored in [0, STORED] {
        for at in clinic.releases().len()..stored {
            let sql = format!("SELECT COUNT(*) AS n FROM visits WHERE age > {at}");
            assert_eq!(planned(&clinic, "ask", &[&sql, "--spend", "1/1000"]), 1, "{sql}");
        }
        let charged = clinic.releases().len();
        let sql = format!("SELECT sex, AVG(minutes) AS m FROM visits WHERE age < {} GROUP BY sex", 50 + stored);
        assert_eq!(planned(&clinic, "ask", &[&sql, "--spend", "1/1000"]), 1, "{stored} stored answers");
        assert_eq!(clinic.releases().len(), charged + 1);
        assert_eq!(planned(&clinic, "ask", &[&sql, "--spend", "1/1000"]), 1, "asked again, {stored} stored answers");
        assert_eq!(planned(&clinic, "ask", &[&sql, "--spend", "1/1000", "--dry-run"]), 1);
    }
    let charged = clinic.releases().len();
    assert_eq!(planned(&clinic, "suggest", &["--spend", "1/100"]), queries, "advice");
    assert!(clinic.releases().len() > charged);
}
