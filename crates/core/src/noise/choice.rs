//! The exponential mechanism (M-EXP): a candidate of a finite domain, with probability proportional to
//! `r̂^distance`.
//!
//! Candidates come in segments that share a distance, so a domain of 2^53 grid points costs no more than the rows that
//! divide it. The weights `r̂^distance` are rational but far too long to write down. So a uniform number is compared
//! with enclosures of their running sums: a class of candidates is chosen once the choice is the same for all weights
//! within the enclosures; until then the same number gets more bits, and the weights more precision. No number is drawn
//! again, and each candidate has exactly its probability.

use super::ratio::Decay;
use super::weights::{Class, Weights};
use crate::exact::{Rational, power, whole};
use num_bigint::BigUint;
use num_traits::One;
use rand_core::Rng;

/// Bits of the first comparison, and bits added by each refinement.
pub(super) const STEP: u32 = 64;

/// Candidates that share one distance from the best answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The number of candidates; an empty segment is never chosen.
    pub size: u64,
    /// The distance of each candidate from the right answer, in whole steps of the score; 0 for a right answer.
    pub distance: u64,
}

/// Chooses a candidate with probability exactly proportional to `r̂^distance` (M-EXP).
///
/// Returns the index of its segment and its offset there, below the segment's size; `None` if there is no candidate.
/// The number of segments costs time (about half a second per million), their sizes do not.
pub fn choose<R: Rng>(segments: &[Segment], decay: &Decay, rng: &mut R) -> Option<(usize, u64)> {
    let classes = classes(segments);
    let pick = pick(&classes, decay, rng)?;
    located(segments, classes.get(pick.class)?.distance, pick.offset)
}

/// A candidate: its class, and its offset among the candidates of that class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pick {
    pub class: usize,
    pub offset: u128,
}

/// One choice from classes, sorted by distance; `None` without candidates.
pub(super) fn pick<R: Rng>(classes: &[Class], decay: &Decay, rng: &mut R) -> Option<Pick> {
    let class = settle(classes, decay, rng)?;
    let offset = below(classes.get(class)?.size, rng);
    Some(Pick { class, offset })
}

/// The segment, and the offset in it, of the candidate at `offset` among those of this distance.
pub(super) fn located(segments: &[Segment], distance: u64, mut offset: u128) -> Option<(usize, u64)> {
    let equal = segments.iter().enumerate().filter(|(_, segment)| segment.distance == distance);
    for (index, segment) in equal {
        match u64::try_from(offset) {
            Ok(offset) if offset < segment.size => return Some((index, offset)),
            _ => offset -= u128::from(segment.size),
        }
    }
    None
}

/// The exact probability of every candidate, segment by segment: for small cases, with distances below 2^32.
#[must_use]
pub fn probabilities(segments: &[Segment], decay: &Decay) -> Vec<Rational> {
    let occupied = || segments.iter().filter(|segment| segment.size > 0);
    let Some(least) = occupied().map(|segment| segment.distance).min() else { return vec![] };
    let weight = |segment: &Segment| {
        let beyond = u32::try_from(segment.distance - least).unwrap_or(u32::MAX);
        power(decay.ratio(), beyond)
    };
    let total: Rational = occupied().map(|segment| whole(segment.size) * weight(segment)).sum();
    occupied().flat_map(|segment| (0..segment.size).map(|_| weight(segment) / &total).collect::<Vec<_>>()).collect()
}

/// The candidates by distance, nearest first.
///
/// The distances of ranks decrease and then increase: with neighbours of equal distance merged, there are two runs,
/// which the stable sort merges in linear time.
pub(super) fn classes(segments: &[Segment]) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    let add = |next: &mut Class, kept: &mut Class| {
        let same = next.distance == kept.distance;
        if same {
            kept.size += next.size;
        }
        same
    };
    for segment in segments.iter().filter(|segment| segment.size > 0) {
        let mut next = Class { distance: segment.distance, size: u128::from(segment.size) };
        if !classes.last_mut().is_some_and(|kept| add(&mut next, kept)) {
            classes.push(next);
        }
    }
    classes.sort_by_key(|class| class.distance);
    classes.dedup_by(add);
    classes
}

/// Draws bits until they decide on a class; `None` without classes.
fn settle<R: Rng>(classes: &[Class], decay: &Decay, rng: &mut R) -> Option<usize> {
    if classes.is_empty() {
        return None;
    }
    let mut bits = STEP;
    let mut drawn = BigUint::from(rng.next_u64());
    loop {
        if let Some(class) = decide(&Weights::at(classes, decay, bits), &drawn, bits) {
            return Some(class);
        }
        bits += STEP;
        drawn = (drawn << STEP) + rng.next_u64();
    }
}

/// The class to which every uniform number in `[drawn, drawn + 1) / 2^bits` belongs, if that is certain.
///
/// With running sums `C_k` and their total `W`, a number `U` belongs to class `k` when `C_{k−1} ≤ U·W < C_k`.
fn decide(weights: &Weights<'_>, drawn: &BigUint, bits: u32) -> Option<usize> {
    let total = weights.total();
    // least ≤ U·W < most in whole units, for any W within its bounds; sums are whole, so rounding outward loses
    // nothing.
    let least = (drawn * &total.low) >> bits;
    let most = ((drawn + 1_u32) * &total.high + ((BigUint::one() << bits) - 1_u32)) >> bits;
    let mut walk = weights.walk();
    let mut begins = true; // whether the class to be passed certainly begins at or below U·W
    for class in 0.. {
        if !begins || !walk.pass() {
            return None;
        }
        // The last class ends at W itself, so U·W < W always.
        if walk.sum().low >= most || walk.is_complete() {
            return Some(class);
        }
        begins = walk.sum().high <= least;
    }
    None
}

/// A uniform whole number below `limit ≥ 1`, by rejection sampling.
fn below<R: Rng>(limit: u128, rng: &mut R) -> u128 {
    let mask = u128::MAX.checked_shr(limit.saturating_sub(1).leading_zeros()).unwrap_or(0);
    loop {
        let low = u128::from(rng.next_u64());
        let high = if mask >> 64 == 0 { 0 } else { u128::from(rng.next_u64()) };
        let drawn = (high << 64 | low) & mask;
        if drawn < limit.max(1) {
            return drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;
    use num_bigint::BigInt;
    use num_traits::{ToPrimitive, Zero};
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;
    use std::time::Instant;

    fn decay(numerator: i64, denominator: i64) -> Decay {
        Decay::exactly(ratio(numerator, denominator)).unwrap()
    }

    fn segments(list: &[(u64, u64)]) -> Vec<Segment> {
        list.iter().map(|(size, distance)| Segment { size: *size, distance: *distance }).collect()
    }

    /// For any order of the segments, each distance is one class with all its candidates.
    #[test]
    fn classes_gather_all_candidates_of_a_distance() {
        let mut rng = ChaCha20Rng::seed_from_u64(41);
        for _ in 0..2_000 {
            let mut below = |end: u64| rng.next_u64() % end;
            let list: Vec<Segment> = (0..below(12)).map(|_| Segment { size: below(3), distance: below(5) }).collect();
            let mut expected = std::collections::BTreeMap::new();
            for segment in list.iter().filter(|segment| segment.size > 0) {
                *expected.entry(segment.distance).or_insert(0) += u128::from(segment.size);
            }
            let found: Vec<(u64, u128)> = classes(&list).iter().map(|class| (class.distance, class.size)).collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{list:?}");
        }
    }

    /// A little less than 1, by `2^−bits`.
    fn near_one(bits: u32) -> Decay {
        Decay::exactly(whole(1) - Rational::new(1.into(), BigInt::one() << bits)).unwrap()
    }

    fn cases() -> Vec<(Vec<Segment>, Decay)> {
        vec![
            (segments(&[(1, 0), (1, 1)]), decay(1, 2)),
            (segments(&[(3, 2), (1, 0), (2, 1), (5, 3), (1, 1)]), decay(2, 3)),
            (segments(&[(1, 7), (4, 9), (7, 8)]), decay(1, 9)),
            (segments(&[(2, 4), (3, 4), (5, 4)]), decay(1, 3)),
            (segments(&[(1, 0), (1000, 5), (30, 40)]), decay(99, 100)),
            (segments(&[(1, 3), (0, 0), (2, 4), (6, 5)]), decay(5, 6)),
            (segments(&[(1, 0), (1 << 20, 30)]), decay(1, 2)),
        ]
    }

    /// The exact probability of each class.
    fn exact(segments: &[Segment], decay: &Decay) -> Vec<Rational> {
        let classes = classes(segments);
        let weight = |class: &Class| {
            whole(BigInt::from(class.size))
                * power(decay.ratio(), (class.distance - classes[0].distance).try_into().unwrap())
        };
        let total: Rational = classes.iter().map(weight).sum();
        classes.iter().map(|class| weight(class) / &total).collect()
    }

    /// Every number of few bits: a decision is right for all continuations of the number, and few numbers are
    /// undecided.
    #[test]
    fn every_first_word_is_decided_rightly_or_not_at_all() {
        for (segments, decay) in cases() {
            let (classes, exact) = (classes(&segments), exact(&segments, &decay));
            let mut ends = vec![Rational::zero()];
            for chance in &exact {
                ends.push(ends.last().unwrap() + chance);
            }
            for bits in [1, 4, 8, 12] {
                let mut decided = vec![0_u32; classes.len()];
                for drawn in 0_u32..1 << bits {
                    let Some(class) = decide(&Weights::at(&classes, &decay, bits), &drawn.into(), bits) else {
                        continue;
                    };
                    let (from, to) = (ratio(drawn.into(), 1 << bits), ratio(i64::from(drawn) + 1, 1 << bits));
                    assert!(ends[class] <= from && to <= ends[class + 1], "{segments:?} at {drawn}/2^{bits}");
                    decided[class] += 1;
                }
                let undecided = (1_u32 << bits) - decided.iter().sum::<u32>();
                // At each boundary, the number that contains it, and an adjacent one.
                assert!(undecided as usize <= 2 * classes.len() - 2, "{segments:?}: {undecided} of 2^{bits}");
                for (class, chance) in exact.iter().enumerate() {
                    let scaled = chance * whole(1_u32 << bits);
                    assert!(whole(decided[class]) <= scaled && scaled <= whole(decided[class] + undecided));
                }
            }
        }
    }

    /// With weights so coarse that their enclosures overlap, fewer numbers are decided, but none wrongly.
    #[test]
    fn coarse_weights_decide_nothing_wrongly() {
        for (segments, decay) in cases() {
            let (classes, exact) = (classes(&segments), exact(&segments, &decay));
            let mut ends = vec![Rational::zero()];
            for chance in &exact {
                ends.push(ends.last().unwrap() + chance);
            }
            let bits = 9;
            for (work, negligible) in (1..=10).flat_map(|work| (0..=u64::from(work)).map(move |none| (work, none))) {
                let weights = Weights::coarsely(&classes, &decay, work, negligible);
                for drawn in 0_u32..1 << bits {
                    let Some(class) = decide(&weights, &drawn.into(), bits) else { continue };
                    let (from, to) = (ratio(drawn.into(), 1 << bits), ratio(i64::from(drawn) + 1, 1 << bits));
                    assert!(ends[class] <= from && to <= ends[class + 1], "{segments:?} at {drawn}, {work} bits");
                }
            }
        }
    }

    /// Further bits do not change a decision on a number of few bits; at many bits the enclosures are still tight.
    #[test]
    fn further_bits_revoke_nothing_and_close_in() {
        for (segments, decay) in cases() {
            let (classes, exact) = (classes(&segments), exact(&segments, &decay));
            for drawn in 0_u32..64 {
                let coarse = decide(&Weights::at(&classes, &decay, 6), &drawn.into(), 6);
                let fine: Vec<_> = (0..8_u32)
                    .map(|more| decide(&Weights::at(&classes, &decay, 9), &(drawn << 3 | more).into(), 9))
                    .collect();
                assert!(coarse.is_none() || fine.iter().all(|class| *class == coarse), "{segments:?} at {drawn}");
            }
            for bits in [64_u32, 128, 320] {
                let mut end = Rational::zero();
                for class in 0..classes.len() {
                    end += &exact[class];
                    let scaled = (&end * whole(BigInt::one() << bits)).to_integer();
                    let boundary = scaled.to_biguint().unwrap();
                    assert_eq!(decide(&Weights::at(&classes, &decay, bits), &(&boundary - 2_u32), bits), Some(class));
                    if class + 1 < classes.len() {
                        let above = decide(&Weights::at(&classes, &decay, bits), &(boundary + 2_u32), bits);
                        // A class may be narrower than two numbers, and its neighbour may begin within them.
                        let wide = &exact[class + 1] * whole(BigInt::one() << bits) > whole(8);
                        assert!(!wide || above == Some(class + 1), "{segments:?} after {class} at {bits}");
                    }
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

    /// Weights 1 and 1/2 meet at 2/3 = 0.101010...: a tie is decided by the following words.
    #[test]
    fn ties_append_bits_and_never_draw_anew() {
        let two = segments(&[(1, 5), (1, 6)]);
        let tie = 0xAAAA_AAAA_AAAA_AAAA_u64;
        for (words, index) in [
            (vec![tie - 1, 0], 0),
            (vec![tie + 1, 0], 1),
            (vec![tie, tie - 1, 0], 0),
            (vec![tie, tie + 1, 0], 1),
            (vec![tie, tie, tie, 0, 0], 0),
            (vec![tie, tie, tie, u64::MAX, 0], 1),
        ] {
            let mut script = Script(words);
            assert_eq!(choose(&two, &decay(1, 2), &mut script), Some((index, 0)));
            assert!(script.0.is_empty(), "{} words were not asked for", script.0.len());
        }
    }

    /// Offsets are drawn by rejection: of three, the pattern 3 is drawn again.
    #[test]
    fn offsets_are_uniform_by_rejection() {
        assert_eq!(
            (0..8).map(|word| below(3, &mut Script(vec![word, 1]))).collect::<Vec<_>>(),
            [0, 1, 2, 1, 0, 1, 2, 1]
        );
        assert_eq!(below(1, &mut Script(vec![u64::MAX])), 0);
        assert_eq!(below(1 << 64, &mut Script(vec![u64::MAX])), u128::from(u64::MAX));
        assert_eq!(below((1 << 64) + 1, &mut Script(vec![7, 1, 7, 1, 0, 1])), 1 << 64);
        // Segments of one distance are one class, in their order.
        let split = segments(&[(2, 4), (9, 8), (3, 4)]);
        let pick = |word| {
            choose(
                &split,
                &Decay::exactly(Rational::new(1.into(), BigInt::one() << 900)).unwrap(),
                &mut Script(vec![0, word]),
            )
        };
        assert_eq!([0, 1, 2, 3, 4].map(|word| pick(word).unwrap()), [(0, 0), (0, 1), (2, 0), (2, 1), (2, 2)]);
    }

    /// Pearson's statistic over every candidate.
    #[test]
    fn two_hundred_thousand_choices_fit() {
        let list = segments(&[(3, 4), (2, 1), (1, 0), (4, 2), (6, 3)]);
        let decay = decay(3, 4);
        let chances = probabilities(&list, &decay);
        let mut seen = vec![0_u32; chances.len()];
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(20_260_401));
        let draws = 200_000;
        for _ in 0..draws {
            let (index, offset) = choose(&list, &decay, &mut rng).unwrap();
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
        // A correct sampler fails for one seed in 10⁷: the χ² tail with 15 degrees of freedom beyond 62.4.
        assert!(statistic < 62.4, "χ² = {statistic}");
    }

    #[test]
    fn probabilities_are_exact() {
        let list = segments(&[(2, 5), (0, 0), (1, 3), (1, 4)]);
        // Weights 1/4, 1/4, 1 and 1/2.
        assert_eq!(probabilities(&list, &decay(1, 2)), [ratio(1, 8), ratio(1, 8), ratio(1, 2), ratio(1, 4)]);
        assert!(probabilities(&[], &decay(1, 2)).is_empty());
        for (list, decay) in cases().into_iter().take(6) {
            assert_eq!(probabilities(&list, &decay).iter().sum::<Rational>(), whole(1));
        }
    }

    #[test]
    fn extremes() {
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(3));
        assert_eq!(choose(&[], &decay(1, 2), &mut rng), None);
        assert_eq!(choose(&segments(&[(0, 0), (0, 9)]), &decay(1, 2), &mut rng), None);
        assert_eq!(choose(&segments(&[(1, u64::MAX)]), &decay(1, 2), &mut rng), Some((0, 0)));
        // An empty segment is not the nearest.
        assert_eq!(choose(&segments(&[(0, 0), (1, u64::MAX)]), &decay(1, 2), &mut rng), Some((1, 0)));
        // Many distant candidates of negligible weight: 2^53 candidates at 2^62, in segments of 10^6.
        let mut far = segments(&[(1, 0)]);
        far.extend((0..100_u64).map(|more| Segment { size: 1 << 53, distance: (1 << 62) + more }));
        assert_eq!(choose(&far, &decay(1, 2), &mut rng), Some((0, 0)));
        // With a decay next to 0, only the nearest candidate is chosen.
        let tiny = Decay::exactly(Rational::new(1.into(), BigInt::one() << 5000)).unwrap();
        assert_eq!(choose(&segments(&[(u64::MAX, 1), (1, 0)]), &tiny, &mut rng), Some((1, 0)));
        // With a decay next to 1, all weights are nearly equal: half of the candidates are at 2^20 steps or more.
        let even = segments(&[(1 << 40, 0), (1 << 40, 1 << 20)]);
        let far: usize = (0..2000).map(|_| choose(&even, &near_one(90), &mut rng).unwrap().0).sum();
        // Each of the two counts fails for less than one seed in 10⁷, by the exact binomial tails.
        assert!((878..=1122).contains(&far), "{far} of 2000 were far");
        // With 2^62 steps at 1 − 2^−62 the distant one has weight 1/e: 0.269 of the total.
        let steps = segments(&[(1, 0), (1, 1 << 62)]);
        let far: usize = (0..2000).map(|_| choose(&steps, &near_one(62), &mut rng).unwrap().0).sum();
        assert!((432..=644).contains(&far), "{far} of 2000 were far");
        // With equal distances, only the offset is drawn.
        let equal = vec![Segment { size: u64::MAX, distance: 7 }; 1000];
        let (index, _) = choose(&equal, &decay(1, 2), &mut rng).unwrap();
        assert!(index < 1000);
    }

    /// Takes a third to half of a second on an idle machine; a limit of one minute detects time that is worse than
    /// linear.
    #[test]
    fn a_million_segments_are_a_matter_of_a_moment() {
        let million: Vec<Segment> = (0..1_000_000_i64)
            .map(|place| Segment { size: 1 + place.unsigned_abs() % 1000, distance: (place - 400_000).unsigned_abs() })
            .collect();
        for decay in [near_one(40), near_one(10), decay(1, 3)] {
            let start = Instant::now();
            assert!(choose(&million, &decay, &mut ChaCha20Rng::seed_from_u64(5)).is_some());
            assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
        }
    }
}
