//! Exact probabilities of selections, and exact odds between neighbouring cohorts.

use super::pool::Pool;
use super::*;
use crate::table::ContingencyTable;
use deniable_core::exact::{power, ratio};
use num_traits::{One, Zero};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::collections::{BTreeMap, BTreeSet};

/// A generator that returns the given words, and then zeros.
struct Script(Vec<u64>);

impl rand_core::TryRng for Script {
    type Error = std::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        unreachable!("choices draw long words")
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(if self.0.is_empty() { 0 } else { self.0.remove(0) })
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        unreachable!("choices draw words")
    }
}

fn halving(numerator: i64, denominator: i64) -> Decay {
    Decay::exactly(ratio(numerator, denominator)).unwrap()
}

const FIVE: [Option<i64>; 6] = [Some(2), Some(-1), Some(2), None, Some(0), Some(3)];

/// Enumerates the sampler over every word: the first word of a pick chooses a group, monotonically, so bisection finds
/// every boundary among all 2^64 words; the second word chooses within the group, by its lowest bits.
fn walk(pool: &Pool, decay: &Decay, picks: usize, list: &[usize], chance: &Rational, into: &mut SetProbabilities) {
    if picks == 0 {
        into.insert(list.to_vec(), chance.clone());
        return;
    }
    let group_of = |word: u64| {
        let mut pool = pool.clone();
        let before = sizes(&pool);
        pool.pick(decay, &mut Script(vec![word])).unwrap();
        before.iter().zip(sizes(&pool)).position(|(was, is)| *was != is).unwrap()
    };
    let mut from = 0_u64;
    loop {
        let group = group_of(from);
        let (mut within, mut limit) = (from, u64::MAX);
        while within < limit {
            let middle = within + (limit - within).div_ceil(2);
            if group_of(middle) == group { within = middle } else { limit = middle - 1 }
        }
        let words = whole(BigInt::from(within) - from + 1);
        let share = words / whole(BigInt::one() << 64);
        let size = sizes(pool)[group];
        for offset in 0..size {
            let mut rest = pool.clone();
            let snp = rest.pick(decay, &mut Script(vec![from + 3, offset])).unwrap();
            let list: Vec<usize> = list.iter().copied().chain([snp]).collect();
            walk(&rest, decay, picks - 1, &list, &(chance * &share / whole(size)), into);
        }
        if within == u64::MAX {
            return;
        }
        from = within + 1;
    }
}

type SetProbabilities = BTreeMap<Vec<usize>, Rational>;

fn sizes(pool: &Pool) -> Vec<u64> {
    pool.sizes()
}

/// Every ordered list of three out of five SNPs has the probability that G-3 states, except for the few words of 2^64
/// that need a second word to decide (which then decides exactly: `core::noise::choice`).
#[test]
fn the_samplers_own_distribution_is_the_stated_one() {
    for decay in [halving(1, 2), halving(2, 3), halving(9, 10)] {
        let stated = probabilities(&FIVE, 3, &decay);
        assert_eq!(stated.len(), 60);
        assert_eq!(stated.iter().map(|(_, chance)| chance).sum::<Rational>(), whole(1));
        let mut found = BTreeMap::new();
        walk(&Pool::new(&FIVE), &decay, 3, &[], &whole(1), &mut found);
        assert_eq!(found.len(), 60);
        for (list, chance) in stated {
            let apart = (&found[&list] - &chance) / chance;
            assert!(apart.abs() < Rational::new(1.into(), BigInt::one() << 58), "{list:?} is off by {apart}");
        }
    }
}

#[test]
fn probabilities_of_a_case_by_hand() {
    // Weights relative to the best at r = 1/2: SNP 2 → 1/2, −1 → 1/16, 0 → 1/8, 3 → 1. Their sum is 35/16.
    let chances: BTreeMap<_, _> = probabilities(&FIVE, 2, &halving(1, 2)).into_iter().collect();
    assert_eq!(chances[&vec![5, 0]], ratio(16, 35) * ratio(8, 19));
    assert_eq!(chances[&vec![1, 5]], ratio(1, 35) * ratio(16, 34));
    assert_eq!(chances[&vec![4, 2]], ratio(2, 35) * ratio(8, 33));
}

/// Pearson's statistic over all 20 lists of two, for the public function.
#[test]
fn a_hundred_thousand_selections_fit() {
    let odds = Spend::odds(ratio(81, 16)).unwrap();
    let stated = probabilities(&FIVE, 2, &halving(2, 3));
    let mut seen: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
    let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(41));
    for _ in 0..100_000 {
        *seen.entry(by_score(&FIVE, CohortAdjacency::LabelSwap, 2, &odds, &mut rng).unwrap()).or_default() += 1;
    }
    let statistic: f64 = stated
        .iter()
        .map(|(list, chance)| {
            let expected = chance.to_f64().unwrap() * 100_000.0;
            (f64::from(seen[list]) - expected).powi(2) / expected
        })
        .sum();
    // A correct selection fails for one seed in 10⁷: the χ² tail with 19 degrees of freedom beyond 69.8.
    assert!(statistic < 69.8, "χ² = {statistic}");
}

/// Whether allelic χ² is at least `c`; an empty row or column has no information.
fn significant(table: &ContingencyTable, c: &Rational) -> bool {
    let (r, s) = (i128::from(table.all_cases()), i128::from(table.all_controls()));
    let (x, y) = (i128::from(table.case_alleles()), i128::from(table.control_alleles()));
    let n = r + s;
    let below = r * s * (x + y) * (2 * n - x - y);
    let above = 2 * n * (x * s - y * r) * (x * s - y * r);
    below > 0 && whole(above) >= c * whole(below)
}

fn tally(genotypes: &[u8], is_case: impl Fn(usize) -> bool) -> ContingencyTable {
    let mut table = ContingencyTable { cases: [0; 3], controls: [0; 3] };
    for (person, genotype) in genotypes.iter().enumerate() {
        let side = if is_case(person) { &mut table.cases } else { &mut table.controls };
        side[usize::from(*genotype)] += 1;
    }
    table
}

/// Distance scores by brute force: the smallest number of moves to any cohort on the other side.
fn scores(sides: &[bool], moves: impl Fn(usize, usize) -> i64) -> Vec<Option<i64>> {
    (0..sides.len())
        .map(|here| {
            let others = (0..sides.len()).filter(|there| sides[*there] != sides[here]);
            let distance = others.map(|there| moves(here, there)).min();
            distance.map(|d| if sides[here] { d } else { 1 - d })
        })
        .collect()
}

/// The largest odds over all lists between two cohorts.
fn worst(one: &[Option<i64>], other: &[Option<i64>], picks: usize, decay: &Decay) -> Rational {
    let (one, other) = (probabilities(one, picks, decay), probabilities(other, picks, decay));
    assert_eq!(one.len(), other.len());
    let both = one.iter().zip(&other).map(|((list, p), (same, q))| {
        assert_eq!(list, same);
        (p / q).max(q / p)
    });
    both.max().unwrap_or_else(Rational::one)
}

/// Every labelling of six people as three cases and three controls, five SNPs, one of which can never cross: true
/// scores change by at most 1 and the odds of all picks are within R; with decay `R^−1` they would not be.
#[test]
fn label_swaps_stay_within_the_odds() {
    let genotypes: [[u8; 6]; 5] =
        [[2, 2, 2, 0, 0, 0], [2, 2, 0, 0, 2, 1], [1, 1, 0, 0, 1, 0], [0; 6], [2, 1, 0, 1, 1, 0]];
    let labellings: Vec<usize> = (0..64_usize).filter(|bits| bits.count_ones() == 3).collect();
    let c = ratio(384, 100);
    let by_snp: Vec<Vec<Option<i64>>> = genotypes
        .iter()
        .map(|snp| {
            let side = |labels: usize| significant(&tally(snp, |person| labels >> person & 1 == 1), &c);
            let sides: Vec<bool> = labellings.iter().map(|labels| side(*labels)).collect();
            scores(&sides, |here, there| i64::from((labellings[here] & !labellings[there]).count_ones()))
        })
        .collect();
    assert!(by_snp[3].iter().all(Option::is_none) && by_snp[0].iter().all(Option::is_some));
    let of = |cohort: usize| by_snp.iter().map(|snp| snp[cohort]).collect::<Vec<_>>();
    for (picks, odds) in [(1, whole(9)), (2, whole(16)), (2, whole(3)), (3, ratio(3, 2))] {
        let odds = Spend::odds(odds).unwrap();
        let right = decay(&odds, picks, &1.into()).unwrap();
        let unsplit = Decay::exactly(power(right.ratio(), 2 * u32::try_from(picks).unwrap())).unwrap();
        let (mut most, mut unsafe_most) = (whole(1), whole(1));
        for (here, there) in (0..labellings.len()).flat_map(|here| (0..here).map(move |there| (here, there))) {
            if (labellings[here] & !labellings[there]).count_ones() != 1 {
                continue;
            }
            let (one, other) = (of(here), of(there));
            for (a, b) in one.iter().zip(&other) {
                assert_eq!(a.is_some(), b.is_some());
                assert!(a.zip(*b).is_none_or(|(a, b)| a.abs_diff(b) <= 1), "{one:?} and {other:?}");
            }
            most = most.max(worst(&one, &other, picks, &right));
            unsafe_most = unsafe_most.max(worst(&one, &other, picks, &unsplit));
        }
        assert!(most <= odds.odds_at_least() && most > whole(1), "{most} at {picks} picks");
        assert!(unsafe_most > odds.odds_at_most(), "{unsafe_most} at {picks} picks: the test tells nothing");
    }
}

/// Every cohort of two cases and two controls with three SNPs of which two vary, every replacement of one person.
#[test]
fn replaced_genotypes_stay_within_the_odds() {
    let people = |code: usize| [0, 1, 2, 3].map(|person| u8::try_from(code / 3_usize.pow(person) % 3).unwrap());
    let differ = |one: usize, other: usize| people(one).iter().zip(people(other)).filter(|(a, b)| **a != *b).count();
    for c in [ratio(1, 1), ratio(4, 1)] {
        let sides: Vec<bool> = (0..81).map(|code| significant(&tally(&people(code), |p| p < 2), &c)).collect();
        let score = scores(&sides, |here, there| i64::try_from(differ(here, there)).unwrap());
        assert!(score.iter().all(Option::is_some));
        // The effects of a person's replacement on one SNP: any genotype to any other.
        let changes = |code: usize, person: u32| {
            let place = 3_usize.pow(person);
            let rest = code - code / place % 3 * place;
            (0..3).map(move |genotype| rest + genotype * place)
        };
        for (picks, odds) in [(1, whole(4)), (2, whole(16)), (2, ratio(5, 4))] {
            let odds = Spend::odds(odds).unwrap();
            let decay = decay(&odds, picks, &1.into()).unwrap();
            // Only scores matter, so every combination of scores is checked once; the third SNP stays far away.
            let mut looked = BTreeSet::new();
            let mut most = whole(1);
            for (first, second) in (0..81).flat_map(|first| (0..81).map(move |second| (first, second))) {
                for person in 0..4 {
                    for (a, b) in changes(first, person).flat_map(|a| changes(second, person).map(move |b| (a, b))) {
                        let (one, other) = ([score[first], score[second], Some(0)], [score[a], score[b], Some(0)]);
                        assert!(one.iter().flatten().zip(other.iter().flatten()).all(|(a, b)| a.abs_diff(*b) <= 1));
                        if looked.insert((one, other)) {
                            most = most.max(worst(&one, &other, picks, &decay));
                        }
                    }
                }
            }
            assert!(most <= odds.odds_at_least() && most > whole(1), "{most} at {picks} picks");
        }
    }
}

/// Report-noisy-max over three SNPs: enclosures of the exact probability of each list, and the odds between neighbours.
#[test]
fn noise_added_once_stays_within_the_odds() {
    // R = 4^(2·M·Δ): decay 1/4 at sensitivity 1.
    let reach = 12_i64;
    let quarter = ratio(1, 4);
    let chances = |values: [i64; 3], picks| {
        let mut sums: BTreeMap<Vec<usize>, u128> = BTreeMap::new();
        let span = || -reach..=reach;
        for (a, b, c) in span().flat_map(|a| span().flat_map(move |b| span().map(move |c| (a, b, c)))) {
            let weight = 1_u128 << (2 * (3 * reach - a.abs() - b.abs() - c.abs()));
            let noisy = [values[0] + a, values[1] + b, values[2] + c].map(i128::from);
            *sums.entry(largest(noisy.into_iter(), picks).unwrap()).or_default() += weight;
        }
        // (1−r)/(1+r) = 3/5 for each draw; the values beyond the reach have at most three times 2·r^(reach+1)/(1+r).
        let unit = power(&ratio(3, 5), 3) / whole(BigInt::one() << (6 * reach));
        let missing = whole(6) * power(&quarter, 13) / ratio(5, 4);
        sums.into_iter()
            .map(|(list, sum)| (list, (whole(sum) * &unit, whole(sum) * &unit + &missing)))
            .collect::<BTreeMap<_, _>>()
    };
    for (picks, half) in [(1, 4), (2, 15)] {
        let odds = Spend::odds(whole(16_i64.pow(picks))).unwrap();
        let picks = usize::try_from(picks).unwrap();
        assert_eq!(decay(&odds, picks, &1.into()).unwrap().ratio(), &quarter);
        let mut closest = whole(0);
        for (here, there) in
            [([0, 0, 0], [1, 1, -1]), ([5, 0, 0], [4, 1, -1]), ([3, 0, 0], [2, 1, 1]), ([0, 0, 1], [1, -1, 0])]
        {
            let (here, there) = (chances(here, picks), chances(there, picks));
            for ((list, (from, to)), (same, (low, high))) in here.iter().zip(&there) {
                assert_eq!(list, same);
                let most = (from / high).max(low / to);
                assert!(&most <= odds.exact_odds().as_ref().unwrap(), "{list:?}: {most}");
                closest = closest.max(most);
            }
        }
        // Half the noise would square the odds, and exceed the bound for one pick.
        assert!(closest > whole(half), "{closest}");
    }
}

#[test]
fn refusals() {
    let odds = Spend::odds(whole(3)).unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let mut pick = |scores: &[Option<i64>], adjacency, picks| by_score(scores, adjacency, picks, &odds, &mut rng);
    assert_eq!(pick(&FIVE, CohortAdjacency::LabelSwap, 0), Err(SelectError::NoPicks));
    assert_eq!(pick(&FIVE, CohortAdjacency::LabelSwap, 6), Err(SelectError::TooFew { picks: 6, possible: 5 }));
    assert_eq!(pick(&FIVE, CohortAdjacency::Genotype, 2), Err(SelectError::NotPublic { without: 1 }));
    assert_eq!(pick(&[None, None], CohortAdjacency::Genotype, 1), Err(SelectError::TooFew { picks: 1, possible: 0 }));
    let mut all = pick(&FIVE, CohortAdjacency::LabelSwap, 5).unwrap();
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 4, 5]);
    let extremes = pick(&[Some(i64::MIN), Some(i64::MAX), Some(0)], CohortAdjacency::Genotype, 3).unwrap();
    assert_eq!(extremes, [1, 2, 0]);
    let statistics = [ratio(1, 2), whole(30)];
    let mut by = |sensitivity, grid| {
        let at = (by_statistic(&statistics, &sensitivity, &grid, 1, &odds, &mut rng), ());
        assert_eq!(by_noise(&statistics, &sensitivity, &grid, 1, &odds, &mut rng).is_err(), at.0.is_err());
        at.0
    };
    assert_eq!(by(whole(4), whole(0)), Err(SelectError::Grid(whole(0))));
    assert!(matches!(by(whole(0), ratio(1, 100)), Err(SelectError::Decay(DecayError::Sensitivity(_)))));
    assert!(matches!(by(whole(4), Rational::new(1.into(), BigInt::one() << 70)), Err(SelectError::TooFine { .. })));
}

/// Rounding to a grid never increases a difference beyond the rounded sensitivity, which is attained.
#[test]
fn grids_round_sensitivities_up() {
    let grid = ratio(1, 4);
    for sensitivity in [ratio(1, 3), ratio(1, 4), ratio(7, 5)] {
        let most = sensitivity_steps(&sensitivity, &grid).unwrap();
        let mut seen = BigInt::zero();
        for place in -60..60 {
            let (low, high) = (ratio(place, 30), ratio(place, 30) + &sensitivity);
            seen = seen.max((steps(&high, &grid).unwrap() - steps(&low, &grid).unwrap()).into());
        }
        assert_eq!(seen, most);
    }
}

/// Both comparison methods find a strong effect, and `by_noise` breaks ties by index.
#[test]
fn comparison_methods_find_a_strong_effect() {
    let mut statistics: Vec<Rational> = (0..200).map(|place| ratio(place % 7, 3)).collect();
    statistics[77] = whole(900);
    let (odds, grid) = (Spend::epsilon(whole(2)).unwrap(), ratio(1, 100));
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    for _ in 0..20 {
        assert_eq!(by_statistic(&statistics, &whole(8), &grid, 1, &odds, &mut rng), Ok(vec![77]));
        assert_eq!(by_noise(&statistics, &whole(8), &grid, 1, &odds, &mut rng), Ok(vec![77]));
    }
    assert_eq!(largest([4, 9, 4, 9, 1].into_iter(), 3), Ok(vec![1, 3, 0]));
}

/// A million SNPs, and odds so large that a SNP one step behind is e^20 times rarer: every pick is among the best, and
/// none is repeated.
#[test]
fn the_best_of_a_million() {
    let scores: Vec<Option<i64>> = (0..1_000_000_i64).map(|snp| Some((snp * 7919) % 3000 - 2990)).collect();
    let odds = Spend::epsilon(whole(4000)).unwrap();
    let picks = by_score(&scores, CohortAdjacency::Genotype, 100, &odds, &mut ChaCha20Rng::seed_from_u64(2)).unwrap();
    assert!(picks.iter().all(|snp| scores[*snp] == Some(9)), "{picks:?}");
    let places: BTreeSet<usize> = picks.iter().copied().collect();
    assert_eq!((picks.len(), places.len()), (100, 100));
    // Ties are broken uniformly: the 333 best are 3,000 indices apart, spread over the million.
    let (first, last) = (places.first().unwrap(), places.last().unwrap());
    assert!(*first < 100_000 && *last > 900_000, "{places:?}");
}
