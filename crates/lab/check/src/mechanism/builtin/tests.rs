use super::*;
use crate::Bound;
use crate::decide::decide;
use crate::family::Family;
use crate::notion::{Notion, Sign};
use crate::verdict::{Value, Verdict};
use deniable_core::exact::{Rational, power, ratio, whole};
use deniable_core::noise::{Decay, Segment, flip_probabilities};

fn made(name: &str, parameters: &[(&str, &str)]) -> Result<Mechanism, BuiltinError> {
    let text = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    build(name, &parameters.iter().map(text).collect())
}

fn built(name: &str, parameters: &[(&str, &str)]) -> Mechanism {
    made(name, parameters).unwrap()
}

fn verdict(mechanism: &Mechanism, notion: Notion) -> Verdict {
    decide(mechanism, &notion, &Family::Uniform).unwrap()
}

/// The largest ratio, in both directions, between datasets one entity apart.
fn unbounded(mechanism: &Mechanism) -> Bound {
    verdict(mechanism, Notion::Unbounded { sign: Sign::Both }).value.high().clone()
}

fn bounded(mechanism: &Mechanism) -> Bound {
    verdict(mechanism, Notion::Bounded).value.high().clone()
}

/// The gain under the uniform prior.
fn uniform(mechanism: &Mechanism, sign: Sign) -> Bound {
    verdict(mechanism, Notion::Membership { sign }).value.high().clone()
}

fn finite(numerator: i64, denominator: i64) -> Bound {
    Bound::Finite(ratio(numerator, denominator))
}

fn n(number: usize) -> String {
    number.to_string()
}

#[test]
fn every_mechanism_is_built_with_its_defaults_and_described() {
    assert!(LIST.is_sorted_by_key(|builtin| builtin.name));
    for builtin in LIST {
        let mechanism = built(builtin.name, &[]);
        assert!(mechanism.is_complete(), "{}", builtin.name);
        assert!(!builtin.about.is_empty() && builtin.parameters.iter().all(|parameter| !parameter.range.is_empty()));
        // A given default is no change.
        let defaults = builtin.parameters.iter().filter_map(|given| Some((given.name, given.default?)));
        assert_eq!(built(builtin.name, &defaults.collect::<Vec<_>>()), mechanism, "{}", builtin.name);
    }
}

#[test]
fn unknown_names_and_values_are_refused_with_a_hint() {
    let wrong = |name: &str, parameters: &[(&str, &str)]| made(name, parameters).unwrap_err().to_string();
    assert_eq!(wrong("k-max", &[]), "there is no mechanism `k-max`; did you mean `kmax`?");
    assert_eq!(wrong("size", &[("entites", "3")]), "`size` has no parameter `entites`; did you mean `entities`?");
    assert_eq!(wrong("size", &[("entities", "25")]), "`entities` must be a whole number from 1 to 24, not `25`");
    assert!(wrong("identity", &[("entities", "20")]).contains("too many for a table"));
    assert_eq!(wrong("geometric", &[("odds", "1/2")]), "`odds` must be a number of at least 1, not `1/2`");
    assert!(wrong("geometric", &[("odds", "1")]).contains("more than 1"));
    assert!(wrong("geometric", &[("ratio", "1")]).contains("both excluded"));
    assert!(wrong("geometric", &[("ratio", "1/2"), ("odds", "2")]).contains("not both"));
    assert!(wrong("exponential", &[("odds", "3")]).contains("square root of odds, which is irrational for 3; try 4"));
    assert!(wrong("exponential", &[("scores", "0,1;2")]).contains("rows of the same"));
    assert!(wrong("kmax", &[("k", "4")]).contains("from 1 to 3"));
    assert!(wrong("kmax", &[("values", "2,1")]).contains("ascending"));
    assert!(wrong("or", &[("members", "1 9")]).contains("none beyond 3"));
    assert!(wrong("or", &[("members", "1;")]).contains("none beyond 3"));
    assert!(wrong("noisy-max", &[("groups", "3")]).contains("2 to 8 candidates"));
}

#[test]
fn plain_mechanisms_disclose_nothing_or_everything() {
    assert_eq!(unbounded(&built("constant", &[])), Bound::one());
    assert_eq!(unbounded(&built("identity", &[])), Bound::Infinite);
    let size = built("size", &[("entities", "4")]);
    assert_eq!((unbounded(&size), bounded(&size)), (Bound::Infinite, Bound::one()));
}

#[test]
fn randomised_response_has_its_odds() {
    for odds in ["1", "3/2", "3"] {
        let odds_of = |of| unbounded(&built("randomized-response", &[("odds", odds), ("of", of)])).to_string();
        assert_eq!([odds_of("bits"), odds_of("size"), odds_of("dataset")], [odds; 3]);
    }
    // Two bits change where one entity replaces another.
    let replaced = |of| bounded(&built("randomized-response", &[("odds", "3"), ("of", of)]));
    assert_eq!([replaced("bits"), replaced("size"), replaced("dataset")], [finite(9, 1), Bound::one(), finite(3, 1)]);
    let kept = built("randomized-response", &[("keep", "3/4"), ("entities", "1")]);
    assert_eq!(kept.probability(1, 1), ratio(3, 4));
    // LR = 3: belief in absence falls from 1/2 to 1/4 (B-2).
    assert_eq!(uniform(&kept, Sign::Positive), finite(2, 1));
    assert_eq!(unbounded(&built("randomized-response", &[("keep", "1")])), Bound::Infinite);
}

#[test]
fn geometric_noise_has_its_odds_with_and_without_clamping() {
    for name in ["geometric", "truncated-geometric"] {
        for entities in [1, 2, 5] {
            let parameters = [("ratio", "2/3"), ("entities", &n(entities))];
            assert_eq!(unbounded(&built(name, &parameters)), finite(3, 2), "{name} {entities}");
        }
        assert_eq!(bounded(&built(name, &[])), Bound::one());
    }
    let whole_noise = built("geometric", &[("entities", "2")]);
    // 1/3 at the count, half of it one step away; a third of r^(s+1) below 0.
    assert_eq!(whole_noise.probability(2, 1), ratio(1, 3));
    assert_eq!(whole_noise.probability(3, 1), ratio(1, 6));
    assert_eq!(whole_noise.probability(0, 0), ratio(1, 3));
    assert_eq!(whole_noise.probability(0, 3), ratio(1, 12));
    // Clamping is post-processing without loss: the gain is the same.
    let clamped = built("truncated-geometric", &[("entities", "2")]);
    for sign in [Sign::Positive, Sign::Negative] {
        assert_eq!(uniform(&whole_noise, sign), uniform(&clamped, sign));
    }
}

/// Sums over a long window of noise are as close to the closed form as the tails allow.
#[test]
fn the_noisy_maximum_is_summed_exactly() {
    let mechanism = built("noisy-max", &[("groups", "2,1,1"), ("odds", "2")]);
    let noise = geometric::Noise { ratio: ratio(1, 2) };
    let window = 60;
    for (data, votes) in [(0_u32, [0_i64, 0, 0]), (0b0011, [2, 0, 0]), (0b1011, [2, 0, 1]), (0b1100, [0, 1, 1])] {
        let sum = |winner: usize| -> Rational {
            let at = |v: i64| -> Rational {
                let others = (0..3).filter(|other| *other != winner);
                let beaten = others.map(|other| noise.at_most(v - votes[other] - i64::from(other < winner)));
                noise.exactly(v - votes[winner]) * beaten.product::<Rational>()
            };
            (-window..=window).map(at).sum()
        };
        let gap = power(&ratio(1, 2), 50);
        for winner in 0..3 {
            let missing = mechanism.probability(winner, data) - sum(winner);
            assert!(missing >= whole(0) && missing < gap, "{votes:?} {winner}");
        }
    }
    assert!(unbounded(&mechanism) <= finite(2, 1));
}

/// Votes: replacing one moves two scores in opposite directions (M-EXP).
#[test]
fn monotone_scores_keep_odds_for_added_entities_alone() {
    for name in ["exponential", "permute-and-flip"] {
        let votes = built(name, &[("groups", "10,1"), ("odds", "2"), ("monotone", "yes")]);
        assert!(unbounded(&votes) <= finite(2, 1), "{name}");
        assert!(bounded(&votes) > finite(39, 10) && bounded(&votes) <= finite(4, 1), "{name}: {}", bounded(&votes));
    }
    // (10,0) to (9,1): 1/(R^10 + 1) becomes R/(R^9 + R).
    let votes = built("exponential", &[("groups", "10,1"), ("odds", "2"), ("monotone", "yes")]);
    assert_eq!(bounded(&votes), finite(1025, 257));
    // With half the weight both adjacencies keep R.
    let votes = built("exponential", &[("groups", "5,1"), ("odds", "4")]);
    assert!(bounded(&votes) <= finite(4, 1) && unbounded(&votes) <= finite(2, 1));
}

#[test]
fn score_tables_are_scaled_by_their_sensitivity() {
    // An entity moves scores by 2, one up and one down: R^(1/4) a point.
    let scores = "2,0; 0,2";
    for name in ["exponential", "permute-and-flip"] {
        let mechanism = built(name, &[("scores", scores), ("odds", "16")]);
        assert!(unbounded(&mechanism) <= finite(16, 1));
    }
    // Weights 4 to 1 against 1 to 4.
    assert_eq!(unbounded(&built("exponential", &[("scores", scores), ("odds", "16")])), finite(4, 1));
    // The lower one is chosen if it is first and its coin of 1/4 comes up: 1/8.
    let flips = built("permute-and-flip", &[("scores", scores), ("odds", "16")]);
    assert_eq!(flips.probability(0, 1), ratio(1, 8));
    assert_eq!(unbounded(&flips), finite(7, 1));
}

/// Two equal scores, and one lower and one higher: the odds are attained, and the exponential mechanism with the same
/// weights stays below.
#[test]
fn permute_and_flip_attains_its_odds() {
    let scores = "1,1; 0,2";
    assert_eq!(unbounded(&built("permute-and-flip", &[("scores", scores), ("odds", "4")])), finite(4, 1));
    assert_eq!(unbounded(&built("exponential", &[("scores", scores), ("odds", "4")])), finite(5, 2));
}

/// The integral here and the probabilities of the engine's sampler are computed independently.
#[test]
fn permute_and_flip_agrees_with_the_engines_sampler() {
    let scores = [[0, 3, 1], [5, 5, 5], [2, 2, 0], [9, 0, 1]];
    let text = scores.map(|row| row.map(|score| score.to_string()).join(",")).join(";");
    let mechanism = built("permute-and-flip", &[("scores", &text), ("odds", "16384"), ("monotone", "yes")]);
    // A score moves by 7 at most, and 4^7 = 16384: a point has weight 4.
    let decay = Decay::exactly(ratio(1, 4)).unwrap();
    for (data, row) in (0..).zip(scores) {
        let drawn = flip_probabilities(&row.map(|score| Segment { size: 1, distance: 9 - score }), &decay);
        let decided: Vec<_> = (0..3).map(|candidate| mechanism.probability(candidate, data).clone()).collect();
        assert_eq!(drawn, decided, "{row:?}");
    }
}

/// M-KMAX, E-1.
#[test]
fn kmax_has_the_published_gain_once_corrected() {
    for (k, gain) in [(2, finite(3, 2)), (3, finite(7, 6)), (4, finite(15, 14))] {
        for entities in k + 1..=8 {
            let mechanism = built("kmax", &[("entities", &n(entities)), ("k", &n(k))]);
            assert_eq!(uniform(&mechanism, Sign::Positive), gain, "n = {entities}, k = {k}");
            assert_eq!(uniform(&mechanism, Sign::Negative), Bound::Infinite);
        }
        assert_eq!(uniform(&built("kmax", &[("entities", &n(k)), ("k", &n(k))]), Sign::Both), Bound::one());
    }
}

#[test]
fn kmax_as_published_proves_the_lowest_entity_present() {
    for entities in 3..=5 {
        let mechanism = built("kmax", &[("entities", &n(entities)), ("variant", "original")]);
        let found = verdict(&mechanism, Notion::Membership { sign: Sign::Positive });
        assert_eq!(found.value, Value::Attained(Bound::Infinite));
        let line = found.witness.unwrap().line(&mechanism);
        assert!(line.starts_with("after `1`, belief that 1 is in goes from 1/2 to 1"), "{line}");
    }
}

#[test]
fn kmax_ranks_ties_by_a_fixed_order_or_as_one() {
    let tied = |ties| built("kmax", &[("values", "0,0,1"), ("ties", ties)]);
    assert_eq!(uniform(&tied("first"), Sign::Positive), Bound::Infinite);
    assert!(uniform(&tied("order"), Sign::Positive) <= finite(3, 2));
    assert!(uniform(&tied("distinct"), Sign::Positive) <= finite(3, 2));
}

#[test]
fn samples_prove_presence_and_bound_absence() {
    for then in ["identity", "size"] {
        let sample = built("sampling", &[("rate", "1/4"), ("then", then)]);
        assert_eq!(verdict(&sample, Notion::Unbounded { sign: Sign::Positive }).value.high(), &Bound::Infinite);
        // No member in the sample: 1 over 3/4 (C-5 with infinite R).
        let absence = verdict(&sample, Notion::Unbounded { sign: Sign::Negative });
        assert_eq!(absence.value, Value::Attained(finite(4, 3)), "{then}");
    }
    let sample = built("sampling", &[("entities", "2"), ("rate", "1/4"), ("then", "size")]);
    assert_eq!(sample.probability(1, 0b11), ratio(3, 8));
}

/// E-3.
#[test]
fn two_disclosures_do_not_compose_under_one_prior() {
    for name in ["or", "and"] {
        let sign = if name == "or" { Sign::Positive } else { Sign::Negative };
        for members in ["1 2", "1 3"] {
            assert_eq!(uniform(&built(name, &[("members", members)]), sign), finite(3, 2), "{name}");
        }
        assert_eq!(uniform(&built(name, &[]), sign), Bound::Infinite, "{name}");
    }
}

#[test]
fn shuffled_responses_keep_their_odds_and_hide_who_was_replaced() {
    let alone = built("shuffle", &[("entities", "1"), ("odds", "3")]);
    assert_eq!(unbounded(&alone), finite(3, 1));
    // The extreme answer still has the full ratio, for pure DP and for beliefs; replacing an entity changes nothing.
    let shuffled = built("shuffle", &[("entities", "4"), ("odds", "3")]);
    assert_eq!((unbounded(&shuffled), bounded(&shuffled)), (finite(3, 1), Bound::one()));
    assert_eq!(uniform(&shuffled, Sign::Positive), uniform(&alone, Sign::Positive));
    // Two ones from two entities, one of them in: 3/4 · 1/4.
    assert_eq!(built("shuffle", &[("entities", "2"), ("odds", "3")]).probability(2, 1), ratio(3, 16));
}

/// Where many datasets share a row, each pair of rows is compared once, with the same result and witness.
#[test]
fn shared_rows_change_no_decision() {
    for name in ["truncated-geometric", "geometric", "kmax", "size", "shuffle", "constant", "or", "and", "noisy-max"] {
        let shared = built(name, &[]);
        assert!(shared.kinds().is_some(), "{name}");
        let outputs: Vec<&str> = shared.outputs().iter().map(String::as_str).collect();
        let own = Mechanism::from_fn(shared.size(), &outputs, |data, output| shared.probability(output, data)).unwrap();
        assert!(own.kinds().is_none() && own == shared, "{name}");
        let both = Notion::Unbounded { sign: Sign::Both };
        let notions = [both, Notion::Unbounded { sign: Sign::Positive }, Notion::Unbounded { sign: Sign::Negative }];
        let crowds = (1..=shared.size()).map(|crowd| Notion::CrowdBlending { crowd });
        for notion in notions.into_iter().chain([Notion::Bounded, Notion::FreeLunch]).chain(crowds) {
            let found = decide(&shared, &notion, &Family::All).unwrap();
            assert_eq!(found, decide(&own, &notion, &Family::All).unwrap(), "{name} {notion:?}");
        }
    }
}

#[test]
fn oversized_universes_are_refused_with_the_largest_that_fits() {
    let built = |name: &str, given: &[(&str, &str)]| {
        made(name, given).map(|mechanism| mechanism.size()).map_err(|error| error.to_string())
    };
    for (name, fits) in [("identity", 12), ("randomized-response", 12), ("sampling", 12)] {
        let error = built(name, &[("entities", "24")]).unwrap_err();
        assert!(error.contains(&format!("{fits} entities fit")), "{name}: {error}");
    }
    // 10^22 is above 2^63, so every probability is a fraction of its own.
    let error = built("truncated-geometric", &[("entities", "22"), ("odds", "10")]).unwrap_err();
    assert!(error.contains("20 entities fit"), "{error}");
    assert_eq!(built("truncated-geometric", &[("entities", "18")]), Ok(18));
    let error = built("k-anonymity", &[("entities", "24")]).unwrap_err();
    let fits = error.strip_prefix("24 entities have too many tables; the first ").unwrap();
    let fits: usize = fits.strip_suffix(" would fit").unwrap().parse().unwrap();
    assert_eq!(built("k-anonymity", &[("entities", &n(fits))]), Ok(fits));
    assert!(built("k-anonymity", &[("entities", &n(fits + 1))]).is_err(), "{error}");
    // All values are in one range: a single count instead of a table.
    assert_eq!(built("k-anonymity", &[("values", &["5"; 20].join(","))]), Ok(20));
}
