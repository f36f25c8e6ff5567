//! The coins, the mathematics of the visits, and the sampler as a whole, each against exact probabilities.

use super::*;
use crate::exact::ratio;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::time::Instant;

fn decay(numerator: i64, denominator: i64) -> Decay {
    Decay::exactly(ratio(numerator, denominator)).unwrap()
}

fn segments(list: &[(u64, u64)]) -> Vec<Segment> {
    list.iter().map(|(size, distance)| Segment { size: *size, distance: *distance }).collect()
}

/// A coin, and its use.
struct Case {
    list: Vec<Segment>,
    decay: Decay,
    these: Vec<Pick>,
    those: Vec<Pick>,
}

fn coins() -> Vec<Case> {
    let lists = [
        (segments(&[(1, 0), (1, 1)]), decay(1, 2)),
        (segments(&[(3, 2), (1, 0), (2, 1), (5, 3)]), decay(2, 3)),
        (segments(&[(1, 7), (4, 9), (7, 8)]), decay(1, 9)),
        (segments(&[(1, 0), (1000, 5), (30, 40)]), decay(99, 100)),
        (segments(&[(1, 0), (1 << 20, 30)]), decay(1, 2)),
    ];
    let each = lists.into_iter().flat_map(|(list, decay)| {
        let last = classes(&list).len() - 1;
        let sides = [(vec![1], vec![]), (vec![last], vec![1]), (vec![1, last], vec![]), (vec![1], vec![last, last])];
        sides.map(|(these, those)| {
            let picks = |classes: Vec<usize>| classes.into_iter().map(|class| Pick { class, offset: 0 }).collect();
            Case { list: list.clone(), decay: decay.clone(), these: picks(these), those: picks(those) }
        })
    });
    each.collect()
}

/// The exact probability of heads.
fn heads(classes: &[Class], decay: &Decay, these: &[Pick], those: &[Pick]) -> Rational {
    let p = |class: &Class| power(decay.ratio(), (class.distance - classes[0].distance).try_into().unwrap());
    let total: Rational = classes.iter().map(|class| whole(BigInt::from(class.size)) * p(class)).sum();
    let noes = |picks: &[Pick]| picks.iter().map(|pick| whole(1) - p(&classes[pick.class])).sum::<Rational>();
    noes(these) / (noes(these) + total + noes(those))
}

/// Every number of few bits, at any precision of the weights: a decision is right for all continuations of the number.
/// With weights as precise as the number, at most two numbers are undecided.
#[test]
fn first_words_of_coins_are_never_decided_wrongly() {
    for Case { list, decay, these, those } in coins() {
        let classes = classes(&list);
        let chance = heads(&classes, &decay, &these, &those);
        for bits in [1, 4, 8, 10] {
            let fine = Weights::at(&classes, &decay, bits);
            let coarse = (1..=8).map(|work| Weights::coarsely(&classes, &decay, work, 2));
            for (at, weights) in std::iter::once(fine).chain(coarse).enumerate() {
                let mut undecided = 0;
                for drawn in 0_u32..1 << bits {
                    let (from, to) = (ratio(drawn.into(), 1 << bits), ratio(i64::from(drawn) + 1, 1 << bits));
                    match decide(&weights, &weights.total(), &these, &those, &drawn.into(), bits) {
                        Some(true) => assert!(to <= chance, "{list:?} at {drawn}/2^{bits}"),
                        Some(false) => assert!(chance <= from, "{list:?} at {drawn}/2^{bits}"),
                        None => undecided += 1,
                    }
                }
                assert!(at > 0 || undecided <= 2, "{list:?}: {undecided} of 2^{bits}");
            }
        }
    }
}

/// Returns the given words.
struct Script(Vec<u64>);

impl rand_core::TryRng for Script {
    type Error = std::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        unreachable!("choices draw long words")
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.0.remove(0))
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        unreachable!("choices draw words")
    }
}

/// One candidate next to the nearest at r = 1/3: `W` is 4/3, and the coin for an earlier visit with tails is 2/3 to
/// 4/3, one in three. The coin for another such visit, before that visit or the next, is the same.
#[test]
fn sampler_follows_scripted_bits() {
    let two = segments(&[(1, 5), (1, 6)]);
    let third = 0x5555_5555_5555_5555_u64;
    let (near, far, heads, tails) = (0, u64::MAX, 0, u64::MAX);
    let cases: [(Vec<u64>, usize); 8] = [
        // The choice of the exponential mechanism, and a word for the offset in the class.
        (vec![near, 0], 0),
        (vec![far, 0, tails], 1),
        (vec![far, 0, third - 1, tails, near, 0], 0),
        (vec![far, 0, third + 1], 1),
        // A tie of 64 bits is decided by the following bits.
        (vec![far, 0, third, third + 1], 1),
        (vec![far, 0, third, third - 1, tails, near, 0], 0),
        // A refused candidate stays refused, however often it is chosen again.
        (vec![far, 0, heads, heads, tails, far, 0, tails, far, 0, heads, tails, near, 0], 0),
        (vec![far, 0, heads, tails, far, 0, heads, heads, tails, near, 0], 0),
    ];
    for (words, index) in cases {
        let told = format!("{words:?}");
        let mut script = Script(words);
        assert_eq!(permute_and_flip(&two, &decay(1, 3), &mut script), Some((index, 0)), "{told}");
        assert!(script.0.is_empty(), "{} words of {told} were not asked for", script.0.len());
    }
}

/// The outcome of one walk, up to a number of visits: the mass of each candidate, the mass of longer walks, and the
/// mean number of choices.
struct WalkOutcome {
    taken: Vec<Rational>,
    longer: Rational,
    choices: Rational,
}

/// The algorithm of [`first_taken`] with exact probabilities in place of draws, from the coins `p` of the candidates.
fn walked(p: &[Rational], most: u32) -> WalkOutcome {
    let one = || whole(1);
    let total: Rational = p.iter().sum();
    let noes = |set: u32| -> Rational {
        p.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, p)| one() - p).sum()
    };
    // States by refused candidates and visits, which only grow.
    let mut states = BTreeMap::from([((0, 0_u32), one())]);
    let mut found = WalkOutcome { taken: vec![Rational::zero(); p.len()], longer: one(), choices: Rational::zero() };
    while let Some(((visits, refused), mass)) = states.pop_first() {
        found.choices += &mass;
        let again = noes(refused) / (&total + noes(refused));
        let mut before = (one() - &again) * mass;
        for visits in visits + 1..=most {
            for (at, p) in p.iter().enumerate() {
                let chosen = &before * p / &total;
                if refused >> at & 1 == 1 {
                    *states.entry((visits, refused)).or_insert_with(Rational::zero) += chosen;
                    continue;
                }
                let no = (one() - p) / (&total + noes(refused) + one() - p);
                let mut mass = chosen * power(&(one() - &no), visits);
                found.taken[at] += &mass;
                for more in 1..=most - visits {
                    // The number of visits with tails before a visit: the negative binomial distribution.
                    mass = mass * &no * whole(visits + more - 1) / whole(more);
                    *states.entry((visits + more, refused | 1 << at)).or_insert_with(Rational::zero) += &mass;
                }
            }
            before *= &again;
        }
    }
    found.longer -= found.taken.iter().sum::<Rational>();
    found
}

/// The visits have the distribution of a random order: exactly, up to the mass of walks longer than those followed.
/// They use fewer than 1.3 choices on average.
#[test]
fn the_visits_give_the_exact_distribution() {
    for (list, r) in [
        (segments(&[(1, 0), (1, 1)]), decay(1, 2)),
        (segments(&[(1, 3), (1, 1), (1, 0)]), decay(1, 2)),
        (segments(&[(2, 0), (1, 1)]), decay(1, 3)),
        (segments(&[(1, 0), (3, 1)]), decay(1, 2)),
        (segments(&[(1, 0), (1, 1), (1, 2)]), decay(3, 4)),
    ] {
        let exact = flip_probabilities(&list, &r);
        assert_eq!(exact.iter().sum::<Rational>(), whole(1));
        let coins = list.iter().flat_map(|segment| {
            (0..segment.size).map(|_| power(r.ratio(), u32::try_from(segment.distance).unwrap())).collect::<Vec<_>>()
        });
        let WalkOutcome { taken, longer, choices } = walked(&coins.collect::<Vec<_>>(), 18);
        assert!(longer < ratio(1, 1_000), "{list:?}: {longer}");
        assert!(choices + whole(20) * &longer < ratio(13, 10), "{list:?}");
        for (exact, taken) in exact.iter().zip(&taken) {
            assert!(taken <= exact && *exact <= taken + &longer, "{list:?}: {exact} is not {taken}");
        }
    }
}

/// Pearson's statistic over every candidate.
#[test]
fn draws_fit_the_exact_probabilities() {
    // A correct sampler fails for 4 seeds in 10⁷: each χ² tail, with 15, 1, 10 and 5 degrees of freedom, is 10⁻⁷.
    let cases = [
        (segments(&[(3, 4), (2, 1), (1, 0), (4, 2), (6, 3)]), decay(3, 4), 62.4),
        (segments(&[(1, 0), (1, 1)]), decay(2, 3), 28.4),
        (segments(&[(1, 9), (10, 11)]), decay(1, 3), 52.4),
        (segments(&[(2, 0), (1, 1), (2, 2), (1, 5)]), decay(9, 10), 40.9),
    ];
    for (case, (list, decay, limit)) in (0..).zip(cases) {
        let chances = flip_probabilities(&list, &decay);
        let mut seen = vec![0_u32; chances.len()];
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(20_261_122 + case));
        let draws = deniable_testing::sized(50_000, 200_000);
        for _ in 0..draws {
            let (index, offset) = permute_and_flip(&list, &decay, &mut rng).unwrap();
            let first: u64 = list[..index].iter().map(|segment| segment.size).sum();
            seen[usize::try_from(first + offset).unwrap()] += 1;
        }
        let statistic: f64 = chances
            .iter()
            .zip(seen)
            .map(|(chance, seen)| {
                let expected = chance.to_f64().unwrap() * f64::from(draws);
                (f64::from(seen) - expected).powi(2) / expected
            })
            .sum();
        assert!(statistic < limit, "{list:?}: χ² = {statistic}");
    }
}

#[test]
fn probabilities_are_those_of_an_order() {
    // The farther one is chosen if it comes first and its coin is heads: 1/2 · 1/2.
    assert_eq!(flip_probabilities(&segments(&[(1, 3), (0, 0), (1, 4)]), &decay(1, 2)), [ratio(3, 4), ratio(1, 4)]);
    assert!(flip_probabilities(&[], &decay(1, 2)).is_empty());
    assert_eq!(flip_probabilities(&segments(&[(4, 7)]), &decay(1, 2)), vec![ratio(1, 4); 4]);
}

#[test]
fn extremes() {
    let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(3));
    let near_one = |bits: u32| Decay::exactly(whole(1) - Rational::new(1.into(), BigInt::one() << bits)).unwrap();
    assert_eq!(permute_and_flip(&[], &decay(1, 2), &mut rng), None);
    assert_eq!(permute_and_flip(&segments(&[(0, 0), (0, 9)]), &decay(1, 2), &mut rng), None);
    assert_eq!(permute_and_flip(&segments(&[(1, u64::MAX)]), &decay(1, 2), &mut rng), Some((0, 0)));
    assert_eq!(permute_and_flip(&segments(&[(0, 0), (1, u64::MAX)]), &decay(1, 2), &mut rng), Some((1, 0)));
    // Many distant candidates of negligible weight.
    let mut far = segments(&[(1, 0)]);
    far.extend((0..100_u64).map(|more| Segment { size: 1 << 53, distance: (1 << 62) + more }));
    assert_eq!(permute_and_flip(&far, &decay(1, 2), &mut rng), Some((0, 0)));
    // With a decay next to 0, only the nearest candidate is chosen.
    let tiny = Decay::exactly(Rational::new(1.into(), BigInt::one() << 5000)).unwrap();
    assert_eq!(permute_and_flip(&segments(&[(u64::MAX, 1), (1, 0)]), &tiny, &mut rng), Some((1, 0)));
    // With a decay next to 1, all coins are heads: half of the candidates are at 2^20 steps.
    let even = segments(&[(1 << 40, 0), (1 << 40, 1 << 20)]);
    let far: usize = (0..2000).map(|_| permute_and_flip(&even, &near_one(90), &mut rng).unwrap().0).sum();
    // Each of the two counts fails for less than one seed in 10⁷, by the exact binomial tails.
    assert!((878..=1122).contains(&far), "{far} of 2000 were far");
    // With 2^62 steps at 1 − 2^−62 the distant one has heads with probability 1/e: it is chosen in half of these cases,
    // 0.184.
    let steps = segments(&[(1, 0), (1, 1 << 62)]);
    let far: usize = (0..2000).map(|_| permute_and_flip(&steps, &near_one(62), &mut rng).unwrap().0).sum();
    assert!((272..=464).contains(&far), "{far} of 2000 were far");
}

/// Takes little longer than `choose`; a limit of one minute detects time that is worse than linear.
#[test]
fn a_million_segments_are_a_matter_of_a_moment() {
    let million: Vec<Segment> = (0..1_000_000_i64)
        .map(|place| Segment { size: 1 + place.unsigned_abs() % 1000, distance: (place - 400_000).unsigned_abs() })
        .collect();
    let near_one = |bits: u32| Decay::exactly(whole(1) - Rational::new(1.into(), BigInt::one() << bits)).unwrap();
    for decay in [near_one(40), near_one(10), decay(1, 3)] {
        let start = Instant::now();
        assert!(permute_and_flip(&million, &decay, &mut ChaCha20Rng::seed_from_u64(5)).is_some());
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }
}
