//! Counterexamples: the mechanism of each, verified exactly.

use super::world::{measure, shapes, weighted, yes};
use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Notion, Sign};
use deniable_core::exact::{Rational, power, ratio, whole};
use deniable_translate::counterexample::Counterexample;
use deniable_translate::shape::{Shape, follows};

fn only_alone(people: usize, odds: &Rational) -> Mechanism {
    let x = whole(1) - odds.recip();
    yes(people, |data| match data {
        0 => &x / odds,
        1 => x.clone(),
        _ => whole(0),
    })
}

fn only_with(people: usize, odds: &Rational) -> Mechanism {
    yes(people, |data| if data & 1 == 1 { whole(1) - odds.recip() } else { whole(0) })
}

fn exact_size(people: usize) -> Mechanism {
    weighted(people, people + 1, |data, o| whole(i64::from(data.count_ones() as usize == o)))
}

fn everyone(people: usize, odds: &Rational) -> Mechanism {
    // Output o is the reported set.
    weighted(people, 1 << people, |data, o| {
        let agree = people as u32 - (data ^ o as u32).count_ones();
        power(odds, agree)
    })
}

fn not_this_one(m: u32) -> Mechanism {
    let people = m as usize;
    weighted(people, people, |data, o| {
        let named = data.count_ones() == 1 && data >> o & 1 == 1;
        whole(i64::from(!named))
    })
}

/// Releases the members if fewer than `m − 1` people are out.
fn large_sets(people: usize, m: u32) -> Mechanism {
    weighted(people, 1 << people, |data, o| {
        let large = data.count_ones() > people as u32 - m + 1;
        let shown = if large { data as usize } else { 0 };
        whole(i64::from(o == shown))
    })
}

/// Yes if exactly the first `k` people are in, yes or no if fewer than `k` people are, no otherwise.
fn exactly_these(people: usize, k: u32) -> Mechanism {
    yes(people, |data| match data.count_ones().cmp(&k) {
        std::cmp::Ordering::Less => ratio(1, 2),
        _ => whole(i64::from(data == (1 << k) - 1)),
    })
}

/// Yes if person 1 and at least `k` others are in, otherwise with the probability that a sample has `k` of the others.
fn many(people: usize, k: u32, rate: &Rational) -> Mechanism {
    let others = people as u32 - 1;
    let drop = whole(1) - rate;
    let sets = (0..1_u32 << others).map(u32::count_ones).filter(|size| *size >= k);
    let rare: Rational = sets.map(|size| power(rate, size) * power(&drop, others - size)).sum();
    yes(people, |data| if data & 1 == 1 && data.count_ones() > k { whole(1) } else { rare.clone() })
}

fn k_max(people: usize, k: usize) -> Mechanism {
    weighted(people, people, |data, o| {
        let rank = if data == 0 { 0 } else { 31 - data.leading_zeros() as usize };
        let start = rank.min(people - k);
        whole(i64::from((start..start + k).contains(&o)))
    })
}

fn rate(shape: &Shape) -> Rational {
    match shape {
        Shape::Sampled { rate } | Shape::SampledUp { rate } => rate.clone(),
        _ => whole(1),
    }
}

/// The mechanism of a counterexample.
fn mechanism(counterexample: Counterexample, from: &Shape) -> Mechanism {
    let m = if let Shape::OneOf(m) = from { *m } else { 3 };
    match counterexample {
        Counterexample::ExactSize => exact_size(3),
        Counterexample::OnlyAlone => only_alone(4, &whole(3)),
        Counterexample::OnlyWith => only_with(4, &whole(3)),
        // All answers together cost as many steps as there are people: more than any fixed power.
        Counterexample::Everyone => everyone(4, &whole(2)),
        Counterexample::NotThisOne => not_this_one(m),
        Counterexample::LargeSets => large_sets(m as usize + 1, m),
        Counterexample::ExactlyThese => exactly_these(4, 1),
        Counterexample::Many => many(4, 1, &rate(from)),
        Counterexample::KMax => k_max(4, 2),
        Counterexample::NoObserver | Counterexample::PriorBeyond => exact_size(2),
        other => panic!("{other:?} is not about these shapes"),
    }
}

#[test]
fn every_counterexample_breaks_its_target() {
    for from in shapes() {
        for to in shapes() {
            let Err(counterexample) = follows(&from, &to) else { continue };
            let found = mechanism(counterexample, &from);
            let (kept, broken) = (measure(&found, &from), measure(&found, &to));
            assert!(kept.finite().is_some(), "{counterexample:?} keeps {from:?}, not {kept}");
            if counterexample == Counterexample::Everyone {
                assert_eq!(broken, Bound::Finite(whole(16)), "R^n");
            } else if counterexample != Counterexample::Many {
                // `Many` is not infinite for any one universe; `sampling_does_not_bound_what_it_seldom_sees` verifies
                // the growth.
                assert_eq!(broken, Bound::Infinite, "{counterexample:?}: {from:?} -> {to:?}");
            }
        }
    }
}

#[test]
fn presence_alone_is_one_sided() {
    for odds in [ratio(11, 10), ratio(3, 2), whole(2), whole(7)] {
        let mechanism = only_alone(3, &odds);
        let decided =
            |sign| decide(&mechanism, &Notion::Unbounded { sign }, &Family::All).unwrap().value.high().clone();
        assert_eq!(decided(Sign::Positive), Bound::Finite(odds.clone()));
        assert_eq!(decided(Sign::Negative), Bound::Infinite);
        let bounded = decide(&mechanism, &Notion::Bounded, &Family::All).unwrap();
        assert_eq!(*bounded.value.high(), Bound::Infinite);
        // Of three, only person 1 can be the cause of a yes: ρ = 1.
        assert_eq!(measure(&mechanism, &Shape::OneOf(3)), Bound::Infinite);
        let mirrored = only_with(3, &odds);
        assert_eq!(measure(&mirrored, &Shape::Down), Bound::Finite(odds));
        assert_eq!(measure(&mirrored, &Shape::Up), Bound::Infinite);
    }
}

/// E of a mechanism under sampling.
fn sampling(mechanism: &Mechanism, rate: &Rational) -> Rational {
    let notion = Notion::Sampling { rate: rate.clone(), sign: Sign::Both };
    decide(mechanism, &notion, &Family::All).unwrap().value.high().finite().unwrap().clone()
}

#[test]
fn sampling_hides_what_exactly_these_reveal() {
    // For every E > 1 under sampling, some universe is large enough; the mechanism itself has no finite odds.
    for rate in [ratio(1, 2), ratio(1, 3), ratio(1, 10)] {
        let kept: Vec<Rational> =
            [3, 6, 9].map(|people| sampling(&exactly_these(people, people as u32 - 2), &rate)).into();
        assert!(kept.windows(2).all(|pair| pair[1] < pair[0]), "{kept:?}");
        assert!(kept[2] < ratio(6, 5), "{kept:?}");
        assert_eq!(measure(&exactly_these(4, 2), &Shape::Replace), Bound::Infinite);
    }
}

#[test]
fn sampling_does_not_bound_what_it_seldom_sees() {
    let rate = ratio(1, 10);
    let mut before = (whole(1), whole(1));
    for (people, k) in [(4, 1), (8, 2), (12, 4)] {
        let mechanism = many(people, k, &rate);
        assert!(sampling(&mechanism, &rate) <= ratio(6, 5), "hidden at the stated rate");
        let uniform = Notion::Membership { sign: Sign::Positive };
        let gain = decide(&mechanism, &uniform, &Family::Uniform).unwrap().value.high().finite().unwrap().clone();
        let now = (gain, sampling(&mechanism, &ratio(1, 3)));
        assert!(now.0 > before.0 && now.1 > before.1, "{now:?} after {before:?}");
        before = now;
    }
    assert!(before.0 > whole(5) && before.1 > whole(3), "{before:?}");
}

#[test]
fn answers_from_one_sample_do_not_multiply() {
    let once = weighted(1, 2, |data, o| if data as usize == o { whole(3) } else { whole(1) });
    let twice = weighted(1, 4, |data, o| {
        let answer = |bit: usize| if data as usize == o >> bit & 1 { whole(3) } else { whole(1) };
        answer(0) * answer(1)
    });
    let half = ratio(1, 2);
    assert_eq!((sampling(&once, &half), sampling(&twice, &half)), (whole(2), whole(5)));
}

#[test]
fn one_of_three_rules_out_one() {
    // Theorem 5.7: ρ = 1/(m−1), and no bounded DP.
    for m in 3..=4 {
        let mechanism = not_this_one(m);
        let odds = measure(&mechanism, &Shape::OneOf(m)).finite().unwrap().clone();
        assert_eq!(&odds / (&odds + whole(m - 1)), ratio(1, i64::from(m) - 1));
        assert_eq!(*decide(&mechanism, &Notion::Bounded, &Family::All).unwrap().value.high(), Bound::Infinite);
    }
}

#[test]
fn k_max_keeps_its_gain_and_nothing_else() {
    for (k, gain) in [(2, ratio(3, 2)), (3, ratio(7, 6)), (4, ratio(15, 14))] {
        let mechanism = k_max(6, k);
        let positive = Notion::Membership { sign: Sign::Positive };
        let verdict = decide(&mechanism, &positive, &Family::Uniform).unwrap();
        assert_eq!(*verdict.value.high(), Bound::Finite(gain));
        assert_eq!(measure(&mechanism, &Shape::Up), Bound::Infinite);
    }
}

#[test]
fn large_sets_keep_every_rho() {
    for m in 3..=4 {
        let mechanism = large_sets(m as usize + 1, m);
        assert_eq!(measure(&mechanism, &Shape::OneOf(m)), Bound::one());
        assert_eq!(measure(&mechanism, &Shape::Replace), Bound::Infinite);
    }
}
