//! The queries of `testdata/questions`, as statisticians and practitioners write them, have the exact answers stated
//! there. First attempts that are refused have the reason stated there, and their rewrites are answered.

use super::sql_cases::{Case, answered, cases, replaced, workspace_file};
use deniable_policy::Policy;
use deniable_release::Plan;
use deniable_release::plan::PlanErrorKind;
use std::path::Path;

/// The difference between the refusal of a first attempt and the expected one; `None` if they agree.
fn not_refused(folder: &Path, policy: &str, case: &Case) -> Option<String> {
    let (tried, because) = case.refused.as_ref()?;
    let text = format!("{policy}\n[[query]]\nname = \"tried\"\nsql = '''{tried}'''\n");
    let policy = Policy::parse(&folder.join("tried.policy.toml"), &text).unwrap_or_else(|errors| panic!("{errors}"));
    match Plan::new(policy) {
        Ok(_) => Some(format!("{}: not refused: {tried}", case.name)),
        Err(errors) => {
            let told: Vec<String> = errors.errors().iter().map(|error| told(&error.kind)).collect();
            let right = told.iter().all(|told| told.contains(because));
            (!right).then(|| format!("{}: {tried}\n  expected {because}\n  told     {told:?}", case.name))
        }
    }
}

/// The text of a refusal, without the query.
fn told(kind: &PlanErrorKind) -> String {
    match kind {
        PlanErrorKind::Query(error) => format!("{error}: {}", error.help().unwrap_or_default()),
        other => other.to_string(),
    }
}

/// Answers all queries of one policy, and prints their number.
#[track_caller]
fn asked(name: &str, policy: &str, file: &str, least: usize) {
    let folder = workspace_file("testdata/questions");
    let all = cases(&folder.join(file));
    let ours: Vec<&Case> = all.iter().filter(|case| case.policy.as_deref() == Some(name)).collect();
    let wrong: Vec<String> = ours.iter().filter_map(|case| not_refused(&folder, policy, case)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    answered(&folder, policy, &ours);
    let refused = ours.iter().filter(|case| case.refused.is_some()).count();
    println!("{name}: {} queries answered, {refused} of them by a rewrite of a refused one", ours.len());
    assert!(ours.len() >= least);
}

fn policy(name: &str) -> String {
    std::fs::read_to_string(workspace_file(&format!("testdata/questions/{name}.policy.toml"))).unwrap()
}

#[test]
fn about_visits() {
    asked("visits", &policy("visits"), "questions.toml", 60);
}

#[test]
fn about_adults() {
    let Some(path) = deniable_testing::adult() else { return };
    asked(
        "adult",
        &replaced(&policy("adult"), "path = \"adult.data\"", &format!("path = {path:?}")),
        "questions.toml",
        15,
    );
}

#[test]
fn of_practitioners() {
    asked("visits", &policy("visits"), "practice.toml", 60);
}
