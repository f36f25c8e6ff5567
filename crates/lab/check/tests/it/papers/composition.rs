//! C-5 and C-6: the saving by sampling first, and the (α,β)-promises that compose.

use super::chance::random;
use crate::it::common::dice::Dice;
use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Notion, Sign};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::promise::Promise;

fn odds(mechanism: &Mechanism, notion: &Notion) -> Rational {
    let verdict = decide(mechanism, notion, &Family::All).unwrap();
    verdict.value.high().finite().unwrap().clone()
}

/// C-5, on 200 random mechanisms, and attained by randomised response about one entity.
#[test]
fn sampling_first_costs_less() {
    let mut dice = Dice::new(5);
    let sides = |odds: &Rational, rate: &Rational| {
        let extra = rate * (odds - whole(1));
        (whole(1) + &extra, odds / (odds - extra))
    };
    let mut compared = 0;
    for _ in 0..200 {
        let mechanism = random(3, 3, &mut dice);
        let verdict = decide(&mechanism, &Notion::Unbounded { sign: Sign::Both }, &Family::All).unwrap();
        let Bound::Finite(all) = verdict.value.high().clone() else { continue };
        for rate in [ratio(1, 10), ratio(1, 2), ratio(9, 10)] {
            let (positive, negative) = sides(&all, &rate);
            let of = |sign| odds(&mechanism, &Notion::Sampling { rate: rate.clone(), sign });
            assert!(of(Sign::Positive) <= positive && of(Sign::Negative) <= negative && negative <= positive);
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
    let response = |data, output| if data as usize == output { ratio(3, 4) } else { ratio(1, 4) };
    let response = Mechanism::from_fn(1, &["out", "in"], response).unwrap();
    for rate in [ratio(1, 10), ratio(1, 2)] {
        let (positive, negative) = sides(&whole(3), &rate);
        let of = |sign| odds(&response, &Notion::Sampling { rate: rate.clone(), sign });
        // "out" becomes less likely by the factor by which "in" grows in the other direction.
        assert_eq!(of(Sign::Positive), positive);
        assert_eq!(of(Sign::Negative), negative);
    }
}

/// C-6: with `P_min = 0` the published composition allows the product of the parts if the same side binds in all of
/// them, and more otherwise.
#[test]
fn prior_free_promises_compose_as_published() {
    let free = |alpha: &Rational, beta: &Rational| {
        let promise = Promise::AlphaBeta { alpha: alpha.clone(), beta: beta.clone(), least: whole(0), most: None };
        promise.largest_odds(&PriorRange::any()).unwrap().exact_odds().unwrap()
    };
    let values = [ratio(1, 10), ratio(1, 3), ratio(1, 2), ratio(4, 5)];
    let (mut equal, mut more) = (0, 0);
    for (a1, b1) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
        for (a2, b2) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
            let alpha = whole(1) - (whole(1) - a1) * (whole(1) - a2);
            let beta = (whole(1) + b1) * (whole(1) + b2) - whole(1);
            let (together, parts) = (free(&alpha, &beta), free(a1, b1) * free(a2, b2));
            assert!(parts <= together, "{a1} {b1} {a2} {b2}");
            let alpha_binds = |alpha: &Rational, beta: &Rational| (whole(1) - alpha).recip() <= whole(1) + beta;
            let beta_binds = |alpha: &Rational, beta: &Rational| (whole(1) - alpha).recip() >= whole(1) + beta;
            let throughout = (alpha_binds(a1, b1) && alpha_binds(a2, b2)) || (beta_binds(a1, b1) && beta_binds(a2, b2));
            assert_eq!(parts == together, throughout, "{a1} {b1} {a2} {b2}");
            equal += u32::from(throughout);
            more += u32::from(!throughout);
        }
    }
    assert!(equal > 100 && more > 50, "{equal} {more}");
    // The example of the entry.
    assert_eq!(free(&ratio(1, 2), &ratio(1, 10)) * free(&ratio(1, 10), &whole(1)), ratio(11, 9));
    assert_eq!(free(&ratio(11, 20), &ratio(6, 5)), ratio(11, 5));
}
