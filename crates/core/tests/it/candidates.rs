//! F-DCm and B-5: one of `m` equally likely people, the rest certain.

use super::dice::Dice;
use super::prior::{Prior, sized_grid};
use super::world::{About, Bound, Dataset, Mechanism, adjacent, finite};
use deniable_core::adversary::Adjacency::ReplaceOne;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::promise::Promise;

/// Every prior of the family: `m` candidates, and any set of other people who are certainly in.
fn family(people: usize, m: u32) -> Vec<Prior> {
    let sets = 0..1_usize << people;
    let choices = sets.clone().filter(|candidates| candidates.count_ones() == m);
    let each = choices.flat_map(|candidates| {
        let certain = sets.clone().filter(move |certain| certain & candidates == 0);
        certain.filter_map(move |certain| {
            let one_in = (0..people).filter(|t| candidates >> t & 1 == 1).map(|t| (certain | 1 << t, whole(1)));
            Prior::weighted(one_in)
        })
    });
    each.collect()
}

/// The highest posterior of anyone's presence after any answer, if the prior is `1/m`.
fn rho(mechanism: &Mechanism, m: u32) -> Rational {
    let odds = mechanism.worst_likelihood(&family(mechanism.people, m), About::Presence).unwrap();
    match odds {
        Bound::Infinite => whole(1),
        Bound::Finite(odds) => &odds / (odds.clone() + whole(m - 1)),
    }
}

/// The odds ratio that this ρ allows.
fn allowed(rho: Rational, m: u32) -> Bound {
    let odds = Promise::Rho { rho, among: u64::from(m) }.largest_odds(&PriorRange::any()).unwrap();
    Bound::Finite(odds.exact_odds().unwrap())
}

#[test]
fn one_of_m_people_is_a_part_of_the_public_size_family() {
    let halves = [whole(0), ratio(1, 2), whole(1)];
    let sized = sized_grid(4, &halves);
    for m in 2..=4 {
        for prior in family(4, m) {
            assert!(sized.contains(&prior), "{prior:?}");
        }
    }
}

/// LQS13 Theorem 5.6, by Bayes' rule on both sides: the highest belief in one of `m`, and the gain over the same priors.
#[test]
fn the_highest_belief_in_one_of_m_is_a_gain_and_back() {
    let (mut falling, mut rising) = (0, 0);
    for mechanism in Mechanism::several(4, 24, &mut Dice::new(12)) {
        for m in 2..=4_u32 {
            let priors = family(4, m);
            // Computed from the worlds themselves, not from a likelihood ratio.
            let highest = priors.iter().flat_map(|prior| highest_belief(&mechanism, prior)).max().unwrap();
            assert_eq!(highest, rho(&mechanism, m));
            let gains = priors.iter().filter_map(|prior| mechanism.worst_gain(prior, About::Presence));
            let gain = gains.max().unwrap();
            if highest == whole(1) {
                assert_eq!(gain, Bound::Infinite);
                continue;
            }
            let (up, down) = (&highest * whole(m), whole(m - 1) / (whole(m) * (whole(1) - &highest)));
            falling += u32::from(down > up);
            rising += u32::from(up > down);
            assert_eq!(gain, Bound::Finite(up.max(down)), "m = {m}");
        }
    }
    assert!(falling > 5 && rising > 5, "{falling} {rising}");
}

/// The belief in each candidate after each possible answer.
fn highest_belief(mechanism: &Mechanism, prior: &Prior) -> Option<Rational> {
    let candidates = (0..mechanism.people).filter(|t| prior.belief(*t) > whole(0) && prior.belief(*t) < whole(1));
    let beliefs = candidates.flat_map(|t| {
        (0..mechanism.row(0).len()).filter_map(move |answer| {
            let chance = |present: bool| -> Option<Rational> {
                Some(prior.given(t, present)?.iter().map(|(data, p)| p * &mechanism.row(*data)[answer]).sum())
            };
            let (with, without) = (chance(true)? * prior.belief(t), chance(false)? * (whole(1) - prior.belief(t)));
            let all = &with + &without;
            (all > whole(0)).then(|| with / all)
        })
    });
    beliefs.max()
}

#[test]
fn one_of_two_is_replace_one_in_both_directions() {
    for mechanism in Mechanism::several(3, 16, &mut Dice::new(11)) {
        let found = rho(&mechanism, 2);
        match mechanism.odds(ReplaceOne) {
            Bound::Infinite => assert_eq!(found, whole(1)),
            Bound::Finite(odds) => {
                assert_eq!(found, &odds / (&odds + whole(1)), "R = ρ/(1−ρ), neither more nor less");
                if odds > whole(1) {
                    assert_eq!(allowed(found, 2), Bound::Finite(odds));
                }
            }
        }
    }
}

#[test]
fn from_odds_to_rho_holds_for_every_m_and_is_attained() {
    for m in 2..=4_u32 {
        for mechanism in Mechanism::several(4, 8, &mut Dice::new(12)) {
            let Bound::Finite(odds) = mechanism.odds(ReplaceOne) else { continue };
            assert!(rho(&mechanism, m) <= &odds / (&odds + whole(m - 1)));
        }
        // Person 1 answers yes three times as often as other people.
        let tell = Mechanism::yes(4, |data| if data == 1 { ratio(3, 4) } else { ratio(1, 4) });
        let bound = ratio(3, 3 + i64::from(m) - 1);
        assert_eq!((tell.odds(ReplaceOne), rho(&tell, m)), (finite(3, 1), bound.clone()));
        assert_eq!(allowed(bound, m), finite(3, 1));
    }
}

/// A single person in the data; the answer names a person who is *not* in, except that it names the person in the data
/// with probability `mine`.
fn not_this_one(people: usize, mine: &Rational) -> Mechanism {
    let others = (whole(1) - mine) / whole(people - 1);
    Mechanism::new(people, |data: Dataset| {
        let lone = data.count_ones() == 1;
        let even = whole(people).recip();
        let name = |t: usize| {
            if !lone {
                even.clone()
            } else if data >> t & 1 == 1 {
                mine.clone()
            } else {
                others.clone()
            }
        };
        (0..people).map(name).collect()
    })
}

#[test]
fn identifiability_among_more_than_two_implies_no_odds() {
    for m in 3..=4_u32 {
        let people = m as usize;
        // The named person is ruled out, so the odds ratio is infinite; but the others share the belief evenly.
        let ruled_out = not_this_one(people, &whole(0));
        assert_eq!(rho(&ruled_out, m), ratio(1, i64::from(m) - 1));
        assert_eq!(ruled_out.odds(ReplaceOne), Bound::Infinite);

        // Below 1/(m−1) there is a bound for small datasets, and this mechanism attains it.
        for mine in [ratio(1, 10), ratio(1, 100)] {
            let faint = not_this_one(people, &mine);
            let found = rho(&faint, m);
            assert!(found < ratio(1, i64::from(m) - 1));
            assert_eq!(faint.odds(ReplaceOne), Bound::Finite(&found / (whole(1) - whole(m - 1) * &found)));
        }

        // Datasets that lack fewer than m−1 people have no prior in the family: they may be revealed.
        let large = Mechanism::exact(people, people + 1, |data| {
            let out = (0..people).find(|t| data >> t & 1 == 0).unwrap_or(0);
            if data.count_ones() == m - 1 { out } else { people }
        });
        assert_eq!((rho(&large, m), large.odds(ReplaceOne)), (ratio(1, i64::from(m)), Bound::Infinite));
    }
}

/// The bound of the test above holds for every mechanism, not only for the one that attains it.
#[test]
fn identifiability_below_one_of_m_minus_one_bounds_small_datasets() {
    let mut useful = 0;
    for mechanism in tame(60) {
        let found = rho(&mechanism, 3);
        if found < ratio(1, 2) {
            let small: Vec<_> = adjacent(3, ReplaceOne).into_iter().filter(|(a, _)| a.count_ones() <= 1).collect();
            assert!(mechanism.strength(&small) <= Bound::Finite(&found / (whole(1) - whole(2) * &found)));
            useful += 1;
        }
    }
    assert!(useful > 30, "only {useful} mechanisms were faint enough to say anything");
}

/// Random mechanisms whose probabilities differ little.
fn tame(count: usize) -> Vec<Mechanism> {
    let mut dice = Dice::new(14);
    (0..count).map(|_| Mechanism::random(3, 2, 5, &mut dice)).collect()
}
