//! P-1 for SQL and advice: runs end at each of their steps, including each request for random bits. For each
//! payment by the whole at most one draw is begun, wherever the runs end and whichever part requests the answer again.

use deniable_core::budget::Spend;
use deniable_core::exact::ratio;
use deniable_data::Resources;
use deniable_ledger::{Account, Ledger, Part, Sharing, show};
use deniable_policy::Policy;
use deniable_release::release::{Origin, QueryAnswer};
use deniable_release::{Plan, RegistrationMode, TableVersion, release};
use deniable_testing::{Sampler, Steps, sized};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const POLICY: &str = r#"
name = "steps"
population = "patients"
data = { table = "t", path = "t.csv", version = "1" }
entity = { key = "id", rows_per_group = 2, groups = 2 }
columns.id = { type = "integer" }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.age = { type = "integer", bounds = [0, 100] }
adversary = { knows_size = false }
promise = { epsilon = 1 }
[[query]]
name = "first"
share = "1/16"
sql = "SELECT sex, COUNT(*), MEDIAN(age) FROM t GROUP BY ROLLUP (sex)"
"#;

/// A policy, its rows, and a ledger with their version.
struct Place {
    folder: TempDir,
    policy: Policy,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let rows: String = (0..60).map(|row| format!("{},{},{row}\n", row / 2, ["F", "M"][row % 2])).collect();
        fs::write(folder.path().join("t.csv"), format!("id,sex,age\n{rows}")).unwrap();
        let policy = Policy::parse(&folder.path().join("policy.toml"), POLICY).unwrap();
        Self { folder, policy }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("l")
    }

    fn ledger(&self) -> Ledger {
        Ledger::open_or_create(&self.path(), "patients").unwrap()
    }

    fn account(&self) -> Option<Account> {
        show(&self.path()).unwrap().accounts.pop()
    }

    /// One run as a separate process: whether it drew, and its answer, unless it ended early.
    fn run(&self, plan: &Plan, last: Option<u64>, seed: u64) -> (bool, Option<QueryAnswer>) {
        let steps = Steps::ending_at(last);
        let answer = self.run_with(plan, &steps, seed);
        (steps.has_drawn(), answer)
    }

    fn run_with(&self, plan: &Plan, steps: &Steps, seed: u64) -> Option<QueryAnswer> {
        let locate = || TableVersion::locate_all(plan, &BTreeMap::new());
        steps.run(|steps| {
            let mut rng = Sampler::new(steps, ChaCha20Rng::seed_from_u64(seed));
            let resources = Resources::default();
            let tell = |_: deniable_release::release::Event<'_>| steps.pass();
            let released =
                release(plan, &locate, &resources, &mut self.ledger(), &mut rng, &tell, RegistrationMode::GoOn)
                    .unwrap();
            let mut answers = released.complete().unwrap();
            assert_eq!(answers.len(), 1);
            answers.remove(0)
        })
    }
}

/// The number of payments by the whole for a query of this cost.
fn payments(account: &Account, cost: &Spend) -> usize {
    let mut spent = Spend::nothing();
    let mut times = 0;
    while spent != account.spent {
        (spent, times) = (spent.and(cost), times + 1);
        assert!(times < 100, "{:?} is not a multiple of {cost:?}", account.spent);
    }
    times
}

/// Two runs that end at one of their steps, and an uninterrupted one, each paid by a part of its own; then all
/// again. The steps are spread evenly over a run.
fn end_at_each_step(plans: impl Fn(&Policy) -> [Plan; 3], prepare: impl Fn(&Place, &Plan)) {
    let whole = Steps::default();
    let place = Place::new();
    let [plan, _, _] = plans(&place.policy);
    prepare(&place, &plan);
    assert!(place.run_with(&plan, &whole, 0).is_some());
    let (ends, mut drawn_twice) = (sized(9, 60), 0);
    for at in 0..ends {
        let place = Place::new();
        let plans = plans(&place.policy);
        prepare(&place, &plans[0]);
        let step = at * (whole.passed() - 1) / (ends - 1);
        // Other random bits may take fewer requests: then this run does not end early.
        let (first, _) = place.run(&plans[0], Some(step), 3 * step);
        let (second, _) = place.run(&plans[1], Some(step * 3 / 4), 3 * step + 1);
        let (third, answer) = place.run(&plans[2], None, 3 * step + 2);
        let answer = answer.unwrap();
        let draws = [first, second, third].into_iter().filter(|drew| *drew).count();
        let account = place.account().unwrap();
        let paid = payments(&account, plans[0].queries()[0].cost());
        assert!(draws <= paid, "{draws} draws were begun for {paid} payments; the first run ended at step {step}");
        // A run that ended before it drew, or after its numbers were stored, costs nothing more.
        let dead: Vec<_> = account.releases.iter().filter(|release| release.is_dead()).collect();
        assert!(draws == paid && (dead.is_empty() || draws > 1), "{draws} {paid} {dead:?}");
        drawn_twice += u64::from(draws > 1);
        // All parts get the same answer.
        for plan in &plans {
            let (drew, again) = place.run(plan, None, 1);
            assert!(!drew);
            assert_eq!(again.unwrap().noisy.values, answer.noisy.values);
        }
        assert_eq!(place.run(&plans[2], None, 1).1.unwrap().origin, Origin::Stored);
        deniable_ledger::verify(&place.path(), None).unwrap();
    }
    assert!(drawn_twice > 0, "no run ended while it drew");
}

#[test]
fn queries_are_drawn_once_for_each_payment() {
    let plan = |policy: &Policy| Plan::new(policy.clone()).unwrap();
    end_at_each_step(|policy| [plan(policy), plan(policy), plan(policy)], |_, _| {});
}

#[test]
fn advice_is_drawn_once_for_each_payment() {
    let plan = |policy: &Policy| Plan::new(policy.with_advice("steps/suggest", &[0], &ratio(1, 8)).unwrap()).unwrap();
    end_at_each_step(|policy| [plan(policy), plan(policy), plan(policy)], |_, _| {});
}

#[test]
fn two_parts_are_drawn_once_for_each_payment() {
    let plan = |policy: &Policy| Plan::new(policy.clone()).unwrap();
    let by = |policy: &Policy, name: &str| plan(policy).paid_by(Part::Named(name.into()));
    let parts = |place: &Place, plan: &Plan| {
        let mut ledger = place.ledger();
        ledger.open_account(place.policy.guarantee()).unwrap();
        for name in ["ana", "bo"] {
            ledger.set_aside(&plan.account(), name, &ratio(1, 2), Sharing::Reserved, None).unwrap();
        }
    };
    end_at_each_step(|policy| [by(policy, "ana"), by(policy, "bo"), by(policy, "ana")], parts);
}
