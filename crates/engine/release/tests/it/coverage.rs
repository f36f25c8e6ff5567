//! Intervals cover the truth: 1,600 releases (4,000 in `scripts/slow`), each from a fresh ledger, on the clinic and on UCI Adult.
//!
//! Each cell's interval is stated to cover the clamped-and-capped truth with at least 95%. With N cells over the
//! whole run, the share covered falls below 93% with negligible probability when that is so (a binomial share of
//! 4,800 trials at 95% has a standard error of 0.3%). At small scale a quarter as many ledgers are used, and 90% must be covered:
//! were the cells of a group as one (they share their count), 400 independent ones would be left, and
//! the share would be as low once in 30,000 runs.

use deniable_answers::{Noisy, ShownValue};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::SystemRng;
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact};
use deniable_ledger::Ledger;
use deniable_policy::Policy;
use deniable_release::{AcceptedFindings, Plan, RegistrationMode, TableVersion, data, release};
use deniable_testing::{Scale, scale};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

const CLINIC: &str = r#"
name = "coverage"
population = "clinic-patients"
data = { table = "visits", path = "visits.csv", version = "1" }
entity = { key = "patient", rows_per_group = 3, groups = 2 }
adversary = { knows_size = false, prior = "..1/2" }
promise = { posterior_at_most = 0.75 }

[columns]
patient = { type = "text" }
sex = { type = "text", keys = ["F", "M"], null_key = true }
minutes = { type = "integer", bounds = [0, 60] }
cost = { type = "decimal", bounds = [0, 400], step = 0.05 }

[[query]]
sql = "SELECT sex, COUNT(*), AVG(minutes), SUM(cost) / COUNT(*) FROM visits GROUP BY sex"
"#;

const ADULT: &str = r#"
name = "coverage"
population = "adult"
adversary = { knows_size = false, prior = "..1/2" }
promise = { posterior_at_most = 0.75 }

[data]
table = "adult"
path = "adult.data"
version = "1"
format = "csv"

[data.csv]
header = false
trim = true
nulls = ["?"]
columns = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation",
    "relationship", "race", "sex", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income"]

[columns]
sex = { type = "text", keys = ["Female", "Male"] }
hours_per_week = { type = "integer", bounds = [1, 99] }

[[query]]
sql = "SELECT sex, COUNT(*), AVG(hours_per_week) FROM adult GROUP BY sex"
"#;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The policy with its rows read into memory once, so that two thousand releases take a minute and not an hour.
fn prepare(text: &str, folder: &Path, data: &Path) -> (Plan, Source) {
    let policy = Policy::parse(&folder.join("policy.toml"), text).unwrap();
    let policy = policy.with_data_at(data.to_string_lossy().into_owned()).unwrap();
    let plan = Plan::new(policy).unwrap();
    let source = Source::locate(plan.tables().remove(0).0, plan.policy().data(), folder).unwrap();
    let source = source.into_memory().unwrap();
    (plan, source)
}

/// The noiseless answers: the same evaluation over totals without noise.
fn truth(plan: &Plan, source: &Source, salt: &Salt) -> Vec<Vec<Option<Rational>>> {
    let planned = &plan.queries()[0];
    let resources = Resources::default();
    let exact = exact(std::slice::from_ref(source), planned.query(), salt, &resources, &|_| {}).unwrap();
    let values = super::without_noise(exact, planned.query());
    let decays = planned.measures().iter().map(|measure| measure.decay().clone()).collect();
    let rows = deniable_answers::show(
        planned.query(),
        &Noisy { values, consistent: None, decays },
        plan.policy().confidence(),
    );
    rows.iter().map(|row| row.0.iter().map(|shown| number(shown).map(|(estimate, ..)| estimate)).collect()).collect()
}

fn number(shown: &ShownValue) -> Option<(Rational, Option<Rational>, Option<Rational>)> {
    match shown {
        ShownValue::Number { estimate, low, high, .. } => Some((estimate.clone()?, low.clone(), high.clone())),
        ShownValue::Key(_) | ShownValue::All | ShownValue::Text(_) => None,
    }
}

enum Truth {
    /// The kept rows beyond caps depend on the ledger's key, and so does the truth.
    OfEachLedger,
    /// No rows are left out, so all ledgers have the same truth.
    OfAll(Vec<Vec<Option<Rational>>>),
}

impl Truth {
    fn of(&self, plan: &Plan, source: &Source, salt: &Salt) -> Cow<'_, [Vec<Option<Rational>>]> {
        match self {
            Self::OfEachLedger => truth(plan, source, salt).into(),
            Self::OfAll(truth) => truth.into(),
        }
    }
}

/// The number of covered cells and of all cells, over this many fresh ledgers.
fn coverage(plan: &Plan, source: &Source, truth: &Truth, ledgers: usize, worker: usize) -> (u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let (mut covered, mut cells) = (0, 0);
    for number_of in 0..ledgers {
        let path = folder.path().join(format!("{worker}-{number_of}.ledger"));
        let mut ledger = Ledger::open_or_create(&path, plan.policy().population()).unwrap();
        let truth = truth.of(plan, source, &deniable_release::release::salt(&ledger));
        let versioned = TableVersion {
            source: source.clone(),
            version: plan.policy().data().version.clone(),
            reading: "in memory".to_owned(),
            entities: deniable_ledger::RowEntities::Any,
        };
        let locate = || Ok(vec![versioned.clone()]);
        let (resources, mut rng) = (Resources::default(), SystemRng::new().unwrap());
        // The caps are meant to leave rows out.
        let queries = [plan.queries()[0].declared().name.clone()];
        let accepted = AcceptedFindings::default().with_losses(&queries, plan).unwrap();
        data::check(&mut ledger, plan, std::slice::from_ref(&versioned), &accepted, &resources, &|_| {}).unwrap();
        let released =
            release(plan, &locate, &resources, &mut ledger, &mut rng, &|_| {}, RegistrationMode::GoOn).unwrap();
        let answers = released.complete().unwrap();
        let rows = deniable_answers::show(plan.queries()[0].query(), &answers[0].noisy, plan.policy().confidence());
        for (row, truth) in rows.iter().zip(truth.iter()) {
            for (shown, truth) in row.0.iter().zip(truth) {
                let (ShownValue::Number { low, high, .. }, Some(truth)) = (shown, truth) else { continue };
                let above = low.as_ref().is_none_or(|low| low <= truth);
                let below = high.as_ref().is_none_or(|high| truth <= high);
                covered += u64::from(above && below);
                cells += 1;
            }
        }
        std::fs::remove_file(&path).unwrap();
    }
    (covered, cells)
}

fn check(name: &str, plan: &Plan, source: &Source, truth: &Truth) {
    let (ledgers, least) = match scale() {
        Scale::Small => (100, ratio(88, 100)),
        Scale::Full => (800, ratio(93, 100)),
        Scale::Slow => (2_000, ratio(935, 1000)),
    };
    assert_eq!(
        plan.policy().guarantee().limit().exact_odds(),
        Some(whole(3)),
        "posterior ≤ 3/4 from prior ≤ 1/2 is R = 3 exactly"
    );
    // If all cells of a ledger were missed together, an attempt would fail with probability 0.0012 at the scale
    // `small`, 0.0054 at `full` and 0.0013 at `slow`, by the binomial tails. Three in a row fail in less than one of
    // 10^6 runs.
    let attempts = 3;
    let is_covered = (0..attempts).any(|_| share_covered(name, plan, source, truth, ledgers) >= least);
    assert!(is_covered, "{name}: fewer than {least} of the cells are covered, {attempts} times");
}

fn share_covered(name: &str, plan: &Plan, source: &Source, truth: &Truth, ledgers: usize) -> Rational {
    let workers = 2;
    let results: Vec<(u64, u64)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(move || coverage(plan, source, truth, ledgers / workers, worker)))
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    let covered: u64 = results.iter().map(|(covered, _)| covered).sum();
    let cells: u64 = results.iter().map(|(_, cells)| cells).sum();
    let share = Rational::new(covered.into(), cells.into());
    println!("{name}: {ledgers} fresh ledgers, {covered} of {cells} cells covered");
    share
}

#[test]
fn intervals_cover_on_the_clinic() {
    let folder = root().join("examples/clinic");
    let (plan, source) = prepare(CLINIC, &folder, &folder.join("visits.csv"));
    check("clinic", &plan, &source, &Truth::OfEachLedger);
}

#[test]
fn intervals_cover_on_adult() {
    let Some(path) = deniable_testing::adult() else { return };
    let (plan, source) = prepare(ADULT, &root(), &path);
    // A row is a person, and there are no caps: all ledgers have the same truth, read from the file once.
    let of_all = truth(&plan, &source, &Salt([1; 32]));
    assert!(of_all == truth(&plan, &source, &Salt([2; 32])));
    check("adult", &plan, &source, &Truth::OfAll(of_all));
}
