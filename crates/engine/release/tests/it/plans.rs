//! Counts of planned SQL texts, in a separate process.

use deniable_core::exact::ratio;
use deniable_core::promise::Promise;
use deniable_policy::{OwnCaps, Policy};
use deniable_release::Plan;
use deniable_release::plan::times_planned;
use deniable_release::whatif::with_promise;
use deniable_testing::in_own_process;
use std::path::Path;

const POLICY: &str = r#"
name = "n"
population = "p"
data = { table = "t", path = "t.csv", version = "1" }
entity = { key = "id", rows_per_group = 3, groups = 2 }
columns.id = { type = "integer" }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.age = { type = "integer", bounds = [0, 100] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }

[[query]]
sql = "SELECT sex, AVG(age) FROM t GROUP BY sex"
left_out = "1/10"

[[query]]
sql = "SELECT COUNT(*) FROM t"
target_error = 100
"#;

/// The identities of all queries, and the number of SQL texts planned for them.
fn planned(plan: impl FnOnce() -> Plan) -> (Vec<String>, usize) {
    let before = times_planned();
    let plan = plan();
    let identities = plan.queries().iter().map(|query| query.for_ledger(plan.policy()).identity).collect();
    (identities, times_planned() - before)
}

#[test]
fn another_promise_plans_nothing_and_other_caps_plan_once() {
    if !in_own_process("it::plans::another_promise_plans_nothing_and_other_caps_plan_once") {
        return;
    }
    let policy = Policy::parse(Path::new("policy.toml"), POLICY).unwrap();
    let own = || Plan::new(policy.clone()).unwrap();
    let (first, count) = planned(own);
    assert_eq!((first.len(), count), (3, 2), "`left_out` is derived from its query");
    let plan = own();
    let other = with_promise(&policy, Promise::PosteriorAtMost(ratio(9, 10)), None).unwrap();
    let (repriced, count) = planned(|| plan.repriced(other.clone()).unwrap());
    let (anew, _) = planned(|| Plan::new(other).unwrap());
    assert_eq!((&repriced, count), (&anew, 0), "another promise");
    // The query with a target needs the same odds of both promises, 3 and 9.
    let is_same: Vec<bool> = first.iter().zip(&repriced).map(|(before, after)| before == after).collect();
    assert_eq!(is_same, [false, false, true]);
    let other = policy.with_caps(OwnCaps { rows_per_group: Some(1), groups: None });
    let (repriced, count) = planned(|| plan.repriced(other.clone()).unwrap());
    let (anew, _) = planned(|| Plan::new(other).unwrap());
    assert_eq!((&repriced, count), (&anew, 2), "other caps");
}
