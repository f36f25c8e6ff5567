//! The zoo at small sizes: every broken mechanism is found, no correct one is accused, and no bound exceeds the true
//! value.

use deniable_audit::table::TableMechanism;
use deniable_audit::zoo::{Member, members};
use deniable_audit::{Settings, Verdict, audit};
use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::builtin;
use deniable_check::notion::{Notion, Sign};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::ToPrimitive;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::collections::BTreeMap;

fn run(member: &Member, samples: u64, error: f64, seed: u64) -> Verdict {
    let settings = Settings { samples, error, pairs: 16, seed: Some(seed) };
    audit(&mut [member.seeded(seed)], &member.neighbours, Some(&member.claim), &settings).unwrap()
}

/// Whether a certified odds ratio is above the true one of the mechanism.
fn is_wrong(member: &Member, verdict: &Verdict) -> bool {
    let odds = verdict.odds();
    odds > whole(1) && member.supremum.ceiling().is_some_and(|most| !Spend::odds(odds).unwrap().fits(most).unwrap())
}

/// The seeds are fixed: each audit alone would be wrong at most once in a thousand runs.
#[test]
fn every_broken_mechanism_is_caught() {
    for member in members().unwrap().iter().filter(|member| member.broken) {
        let verdict = run(member, 500_000, 0.001, 1);
        assert!(verdict.is_broken(), "{} is not caught:\n{verdict}", member.name);
        assert!(!is_wrong(member, &verdict), "{}:\n{verdict}", member.name);
    }
}

#[test]
fn no_correct_mechanism_is_accused() {
    for member in members().unwrap().iter().filter(|member| !member.broken) {
        for (samples, seed) in [(40_000, 1), (10_000, 2), (10_000, 3)] {
            let verdict = run(member, samples, 0.001, seed);
            assert!(!verdict.is_broken() && !is_wrong(member, &verdict), "{}:\n{verdict}", member.name);
        }
    }
}

/// At 90% confidence, of 150 audits at most 15 may be wrong on average; 30 or more would occur once in ten thousand
/// runs.
#[test]
fn the_stated_confidence_is_kept() {
    let members = members().unwrap();
    let tight = ["geometric", "truncated-geometric", "rappor", "k-max", "alpha-beta"];
    let mut wrong = 0;
    for member in members.iter().filter(|member| tight.contains(&member.name)) {
        for seed in 0..30 {
            wrong += u32::from(is_wrong(member, &run(member, 3_000, 0.1, seed)));
        }
    }
    assert!(wrong < 30, "{wrong} of 150");
}

/// The full thousand: at 99.9% confidence at most one false alarm is expected, and six would occur once in 1,600 runs.
#[test]
#[ignore = "several minutes"]
fn a_thousand_audits_have_few_false_alarms() {
    let members = members().unwrap();
    let correct: Vec<&Member> = members.iter().filter(|member| !member.broken).collect();
    let alarms = (0..1000).filter(|at| run(correct[at % correct.len()], 50_000, 0.001, *at as u64).is_broken()).count();
    assert!(alarms < 6, "{alarms} false alarms");
}

fn parameters(list: &[(&str, &str)]) -> BTreeMap<String, String> {
    list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The decision of `deniable check` on add/remove neighbours.
fn decided(name: &str, list: &[(&str, &str)]) -> Bound {
    let exact = builtin::build(name, &parameters(list)).unwrap();
    decide(&exact, &Notion::Unbounded { sign: Sign::Both }, &Family::All).unwrap().value.high().clone()
}

/// The bound certified from samples is below the exact decision on the table, and near it.
#[test]
fn audits_agree_with_exact_decisions() {
    let cases: [(&str, &[(&str, &str)]); 6] = [
        ("geometric", &[("entities", "3"), ("odds", "2")]),
        ("truncated-geometric", &[("entities", "4"), ("odds", "3")]),
        ("randomized-response", &[("entities", "3"), ("odds", "3")]),
        ("noisy-max", &[("groups", "2,1"), ("odds", "2")]),
        ("permute-and-flip", &[]),
        ("and", &[]),
    ];
    for (name, list) in cases {
        let mechanism = TableMechanism::builtin(name, &parameters(list), ChaCha20Rng::seed_from_u64(5)).unwrap();
        let neighbours = mechanism.neighbours();
        let settings = Settings { samples: 300_000, error: 0.001, pairs: 16, seed: Some(5) };
        let verdict = audit(&mut [Box::new(mechanism)], &neighbours, None, &settings).unwrap();
        match decided(name, list) {
            Bound::Infinite => assert!(verdict.odds() > whole(1000), "{name}: {verdict}"),
            Bound::Finite(most) => {
                let found = verdict.epsilon().to_f64().unwrap();
                assert!(verdict.odds() <= most, "{name}: {verdict}");
                let most = most.to_f64().unwrap().ln();
                assert!(found > 0.85 * most, "{name}: {found} of {most}");
            }
        }
    }
}

/// The exact suprema of the finite members equal the decisions of `deniable check`.
#[test]
fn suprema_of_finite_members_are_decided() {
    let members = members().unwrap();
    let ceiling = |name: &str| {
        let member = members.iter().find(|member| member.name == name).unwrap();
        member.supremum.ceiling().unwrap().exact_odds().unwrap()
    };
    let finite = |bound: Bound| -> Rational { bound.finite().unwrap().clone() };
    let truncated = decided("truncated-geometric", &[("entities", "5"), ("odds", "2")]);
    assert_eq!(finite(truncated), ceiling("truncated-geometric"));
    // M-KMAX: positive membership privacy under uniform priors, whose γ means odds of 2γ − 1 (B-2).
    let exact = builtin::build("kmax", &parameters(&[("entities", "4"), ("k", "2")])).unwrap();
    let gamma = decide(&exact, &Notion::Membership { sign: Sign::Positive }, &Family::Uniform).unwrap();
    let gamma = finite(gamma.value.high().clone());
    assert_eq!(gamma, ratio(3, 2));
    assert_eq!(whole(2) * gamma - whole(1), ceiling("k-max"));
    let original =
        builtin::build("kmax", &parameters(&[("entities", "4"), ("k", "2"), ("variant", "original")])).unwrap();
    let gamma = decide(&original, &Notion::Membership { sign: Sign::Positive }, &Family::Uniform).unwrap();
    assert_eq!(gamma.value.high(), &Bound::Infinite);
}
