//! Errors in the papers, found by the checker: each test prints its counterexample.
//! `cargo test -p deniable-check --test errata -- --nocapture` shows them.

use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::{Dataset, Mechanism, builtin};
use deniable_check::notion::{Notion, Sign};
use deniable_check::verdict::Verdict;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};

const PMP: Notion = Notion::Membership { sign: Sign::Positive };

fn built(name: &str, parameters: &[(&str, &str)]) -> Mechanism {
    let parameters = parameters.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    builtin::build(name, &parameters).unwrap()
}

/// Decides, and prints the value with its witness.
fn shown(what: &str, mechanism: &Mechanism, notion: &Notion, family: &Family) -> Verdict {
    let verdict = decide(mechanism, notion, family).unwrap();
    let line = verdict.witness.as_ref().map(|witness| witness.line(mechanism)).unwrap_or_default();
    println!("{what}: {} = {}; {line}", notion.parameter(), verdict.value);
    verdict
}

fn value(verdict: &Verdict) -> Bound {
    verdict.value.high().clone()
}

fn finite(top: i64, bottom: i64) -> Bound {
    Bound::Finite(ratio(top, bottom))
}

/// Both answers of two mechanisms with independent randomness.
fn both(one: &Mechanism, other: &Mechanism) -> Mechanism {
    let names: Vec<String> =
        one.outputs().iter().flat_map(|a| other.outputs().iter().map(move |b| format!("{a},{b}"))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let width = other.outputs().len();
    let chance =
        |data: Dataset, output: usize| one.probability(output / width, data) * other.probability(output % width, data);
    Mechanism::from_fn(one.size(), &names, chance).unwrap()
}

/// E-1: with a separate answer for the empty dataset k-Max has no finite γ; with the empty dataset counted as rank 1 it
/// has the published γ.
#[test]
fn e_1_k_max_and_the_empty_dataset() {
    for n in 3..=6 {
        let size = n.to_string();
        let original = built("kmax", &[("k", "2"), ("entities", &size), ("variant", "original")]);
        let verdict = shown(&format!("E-1, original k-Max, n={n}"), &original, &PMP, &Family::Uniform);
        assert_eq!(value(&verdict), Bound::Infinite);
    }
    for (k, gain) in [(2, finite(3, 2)), (3, finite(7, 6)), (4, finite(15, 14))] {
        for n in k..=8 {
            let corrected = built("kmax", &[("k", &k.to_string()), ("entities", &n.to_string())]);
            let verdict = shown(&format!("corrected, k={k}, n={n}"), &corrected, &PMP, &Family::Uniform);
            assert_eq!(value(&verdict), if n == k { Bound::one() } else { gain.clone() });
        }
    }
    let corrected = built("kmax", &[("k", "2"), ("entities", "5")]);
    let negative = shown("E-1, NMP", &corrected, &Notion::Membership { sign: Sign::Negative }, &Family::Uniform);
    assert_eq!(value(&negative), Bound::Infinite);
    let ties = built("kmax", &[("k", "2"), ("values", "0,0,1"), ("ties", "first")]);
    assert_eq!(value(&shown("M-KMAX, ties by the first", &ties, &PMP, &Family::Uniform)), Bound::Infinite);
}

/// E-2: two answers, each (1/2,1/2)-identifiable among two worlds, lower a belief to a fifth; a quarter was promised.
#[test]
fn e_2_alpha_beta_does_not_compose() {
    // A question about one of two people, answered truthfully three times out of four: odds of 3.
    let told = |data: Dataset, output: usize| match data {
        1 | 2 if data as usize == output + 1 => ratio(3, 4),
        1 | 2 => ratio(1, 4),
        _ => ratio(1, 2),
    };
    let once = Mechanism::from_fn(2, &["first", "second"], told).unwrap();
    let alpha = Notion::AlphaBeta { least: ratio(1, 2), sign: Sign::Negative };
    assert_eq!(value(&shown("E-2, once", &once, &alpha, &Family::All)), finite(1, 2));
    let twice = both(&once, &once);
    let promised = whole(1) - ratio(1, 2) * ratio(1, 2);
    let verdict = shown("E-2, twice", &twice, &alpha, &Family::All);
    assert_eq!(value(&verdict), finite(4, 5));
    assert!(value(&verdict) > Bound::Finite(promised));
    // The odds of both are nine, which determines the result.
    assert_eq!(value(&decide(&twice, &Notion::Bounded, &Family::All).unwrap()), finite(9, 1));
}

/// E-3: "1 or 2 is in" and "1 or 3 is in" each have a gain of 3/2 under the uniform prior; together they identify 1.
#[test]
fn e_3_one_prior_does_not_compose() {
    for members in ["1 2", "1 3"] {
        let alone = built("or", &[("members", members)]);
        assert_eq!(value(&shown(&format!("E-3, {members}"), &alone, &PMP, &Family::Uniform)), finite(3, 2));
    }
    let together = built("or", &[("members", "1 2; 1 3")]);
    assert_eq!(value(&shown("E-3, together", &together, &PMP, &Family::Uniform)), Bound::Infinite);
}

/// E-4: at prior 1/2 a gain of 2 allows odds of 3; two such answers gain 5, more than the 4 of gains multiplied.
#[test]
fn e_4_bounded_priors_are_for_one_release() {
    let half = PriorRange::new(Some(ratio(1, 2)), Some(ratio(1, 2))).unwrap();
    let once = built("randomized-response", &[("entities", "1"), ("odds", "3")]);
    let family = Family::Independent(half);
    assert_eq!(value(&shown("E-4, once", &once, &PMP, &family)), finite(2, 1));
    assert_eq!(value(&shown("E-4, twice", &both(&once, &once), &PMP, &family)), finite(5, 1));
}

/// B-5: from m = 3 on, identifiability with ρ ≥ 1/(m−1) bounds no odds.
#[test]
fn b_5_identifiability_among_three_bounds_no_odds() {
    // LQS13's example: any of three values, except the first when only the first entity is in.
    let chance = |data: Dataset, output: usize| match (data, output) {
        (1, 0) => whole(0),
        (1, _) => ratio(1, 2),
        _ => ratio(1, 3),
    };
    let mechanism = Mechanism::from_fn(3, &["1", "2", "3"], chance).unwrap();
    let verdict = shown("B-5, rho among 3", &mechanism, &Notion::Rho { among: 3 }, &Family::All);
    assert!(value(&verdict) <= finite(1, 2), "{:?}", verdict.value);
    assert_eq!(value(&shown("B-5, bounded DP", &mechanism, &Notion::Bounded, &Family::All)), Bound::Infinite);
}

/// F-DU: the first dataset of a pair must have an entity that the second lacks; the empty one is never first.
#[test]
fn f_du_is_about_pairs_that_are_not_nested() {
    // Only the empty dataset can give no.
    let chance = |data: Dataset, output: usize| match (data, output) {
        (0, _) => ratio(1, 2),
        (_, 0) => whole(1),
        _ => whole(0),
    };
    let mechanism = Mechanism::from_fn(2, &["yes", "no"], chance).unwrap();
    assert_eq!(value(&shown("F-DU, PMP", &mechanism, &PMP, &Family::All)), finite(2, 1));
    let negative = Notion::Membership { sign: Sign::Negative };
    assert_eq!(value(&shown("F-DU, NMP", &mechanism, &negative, &Family::All)), Bound::Infinite);
    assert_eq!(value(&shown("F-DU, all pairs", &mechanism, &Notion::FreeLunch, &Family::All)), Bound::Infinite);
}

/// M-EXP: monotone scores with half the noise keep R under add/remove and R² under replace-one.
#[test]
fn m_exp_monotone_scores_are_for_add_remove() {
    let votes = built("exponential", &[("groups", "3,3"), ("odds", "4"), ("monotone", "yes")]);
    let dp = value(&shown("M-EXP, add/remove", &votes, &Notion::Unbounded { sign: Sign::Both }, &Family::All));
    let exchanged = value(&shown("M-EXP, replace-one", &votes, &Notion::Bounded, &Family::All));
    assert!(dp <= finite(4, 1), "{dp}");
    assert!(exchanged > finite(4, 1) && exchanged <= finite(16, 1), "{exchanged}");
}

/// The claims that the errata refute, restated in odds, which compose (C-1).
#[test]
fn c_1_odds_compose() {
    let once = built("randomized-response", &[("entities", "2"), ("odds", "3")]);
    let dp = Notion::Unbounded { sign: Sign::Both };
    let odds = |mechanism: &Mechanism| value(&decide(mechanism, &dp, &Family::All).unwrap());
    let square: Rational = whole(9);
    assert_eq!((odds(&once), odds(&both(&once, &once))), (finite(3, 1), Bound::Finite(square)));
}
