//! Comparisons with exact rationals, with the samplers, and with published results.

use super::*;
use crate::select::{by_noise, probabilities};
use crate::simulate::{Settings, SimulateError, each_snp};
use deniable_core::exact::{ratio, whole};
use num_traits::Zero;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

const SEVEN: [Option<i64>; 7] = [Some(4), Some(-3), Some(2), None, Some(0), Some(2), Some(-40)];

/// Every set of one, two and three planted SNPs out of seven: the bounds contain the exact probability, and are close
/// to it.
#[test]
fn the_exact_probability_is_enclosed() {
    for (odds, picks) in [(whole(16), 1), (whole(16), 2), (ratio(729, 64), 3), (whole(4096), 3), (whole(4096), 6)] {
        let odds = Spend::odds(odds).unwrap();
        let exact = probabilities(&SEVEN, picks, &decay(&odds, picks, &1.into()).unwrap());
        for planted in [vec![0], vec![1], vec![2], vec![3], vec![6], vec![0, 2], vec![5, 1], vec![4, 0, 2]] {
            let sets = exact.iter().filter(|(list, _)| planted.iter().all(|snp| list.contains(snp)));
            let truth = sets.map(|(_, chance)| chance).fold(Rational::zero(), |sum, chance| sum + chance);
            let truth = truth.to_f64().unwrap();
            let (all, each) = chances(&Evidence::Scores(&SEVEN), &planted, picks, &odds).unwrap();
            assert!(all.low <= truth + 1e-9 && truth <= all.high + 1e-9, "{all:?} for {truth}");
            assert!(all.high - all.low < 0.003 && (all.middle() - truth).abs() < 2e-5, "{all:?} for {truth}");
            assert_eq!(each.len(), planted.len());
            assert!(each.iter().all(|one| one.high >= all.low));
        }
    }
}

/// Noise of decay 2^(−1/25) on six SNPs, some of them equal: the bounds contain the frequencies of 1,500 draws.
#[test]
fn noise_is_enclosed() {
    let statistics = [9, 4, 4, 0, 7, -3].map(whole);
    // Steps of 1/25: fine enough for narrow bounds.
    let (grid, steps) = (ratio(1, 25), [225, 100, 100, 0, 175, -75]);
    let odds = Spend::odds(whole(16)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for planted in [vec![0, 4], vec![2], vec![5], vec![1, 2]] {
        let mut found = 0;
        for _ in 0..1_500 {
            let picks = by_noise(&statistics, &whole(1), &grid, 2, &odds, &mut rng).unwrap();
            found += u32::from(planted.iter().all(|snp| picks.contains(snp)));
        }
        let (all, _) = chances(&Evidence::Noise { steps: &steps, sensitivity: 25 }, &planted, 2, &odds).unwrap();
        assert!(all.high - all.low < 0.02, "{all:?}");
        let share = f64::from(found) / 1_500.0;
        // 4.5 standard errors each: about 10⁻⁵ for one seed, so the seed is fixed. Ties are broken by index, which the
        // bounds leave open.
        let error = 4.5 * (all.high.max(0.01) / 1_500.0).sqrt();
        assert!(all.low - error < share && share < all.high + error, "{all:?} for {share}");
    }
}

/// THHA15: γ = 2 allows ε = ln 2 for any prior, and ln 3 at a prior of one half (B-3).
#[test]
fn bounded_priors_increase_power() {
    let mut scores: Vec<Option<i64>> = (0..20_000).map(|snp| Some(-20 - snp % 90)).collect();
    let planted = [17, 1_500];
    for (snp, score) in planted.iter().zip([30, 18]) {
        scores[*snp] = Some(score);
    }
    let cohorts = [Cohort {
        label: "made up".into(),
        cases: 3750,
        controls: 3750,
        adjacency: CohortAdjacency::LabelSwap,
        threshold: Some(whole(30)),
        evidence: Evidence::Scores(&scores),
        planted: &planted,
    }];
    let half = PriorRange::new(Some(ratio(1, 2)), Some(ratio(1, 2))).unwrap();
    let gain = Promise::Gain(whole(2));
    let any = PriorRange::any();
    let settings = [
        Setting { promise: gain.clone(), priors: any.clone(), picks: 2 },
        Setting { promise: gain, priors: half, picks: 2 },
        Setting { promise: Promise::Epsilon(whole(3)), priors: any, picks: 2 },
    ];
    let rows = table(&cohorts, &settings).unwrap();
    assert_eq!(rows.iter().map(|row| row.odds.to_string()).collect::<Vec<_>>(), ["2", "3", "e^3"]);
    assert!(rows.windows(2).all(|two| two[0].all.high < two[1].all.low), "{rows:?}");
    assert!(rows[2].all.low > 0.99 && rows.iter().all(|row| row.expected() <= 2.000_001));
    let text = markdown(&cohorts, &settings, &rows);
    assert_eq!(text.lines().count(), 5);
    assert!(text.contains("| made up | 3750 | 3750 | label swap | distance | 30 | γ = 2 | any | 0.6932 | 2 |"));
    assert!(text.contains("| γ = 2 | 1/2 to 1/2 | 1.0987 | 2 |"), "{text}");
}

/// Scores that are thousands apart, and many picks: no number underflows or overflows.
#[test]
fn extremes() {
    let odds = Spend::epsilon(whole(200)).unwrap();
    let wide: Vec<Option<i64>> = (0..300).map(|snp| Some(-snp * 1000)).collect();
    let (all, each) = chances(&Evidence::Scores(&wide), &[0, 1, 299], 3, &odds).unwrap();
    assert!(all.high < 1e-6 && each[0].low > 0.999 && each[1].low > 0.999 && each[2].high < 1e-6, "{all:?} {each:?}");
    // Equal scores: M of n.
    let alike = vec![Some(7); 600];
    let (_, each) = chances(&Evidence::Scores(&alike), &[9], 120, &odds).unwrap();
    assert!((each[0].middle() - 0.2).abs() < 1e-4, "{each:?}");
    let steps = vec![7; 500];
    let (_, each) = chances(&Evidence::Noise { steps: &steps, sensitivity: 3 }, &[9], 100, &odds).unwrap();
    assert!(each[0].low <= 0.2 && 0.2 <= each[0].high, "{each:?}");
    let (_, each) = chances(&Evidence::Statistics { steps: &steps, sensitivity: 3 }, &[9], 100, &odds).unwrap();
    assert!((each[0].middle() - 0.2).abs() < 1e-4, "{each:?}");
}

/// From genotypes to power: the causes of a simulated cohort have the largest χ², and more people make them easier to
/// find.
#[test]
fn simulated_causes_are_found() {
    let mut before = 0.0;
    for people in [500, 2000, 8000] {
        let settings =
            Settings { cases: people, controls: people, snps: 200, causes: vec![2.0, 2.0], ..Settings::default() };
        let mut steps = vec![];
        let causes = each_snp::<SimulateError>(&settings, 3, |_, row| {
            steps.push(chi_square_tenths(row, people as usize));
            Ok(())
        });
        let planted: Vec<usize> = causes.unwrap().iter().map(|cause| cause.snp as usize).collect();
        let odds = Spend::odds(whole(20)).unwrap();
        let evidence = Evidence::Noise { steps: &steps, sensitivity: 80 };
        let (all, _) = chances(&evidence, &planted, 2, &odds).unwrap();
        assert!(all.low > before, "{all:?} at {people}");
        before = all.high;
    }
    assert!(before > 0.9, "{before}");
}

/// Allelic χ² in tenths; cases come first and are as many as controls, and no genotype is missing.
fn chi_square_tenths(row: &[u8], cases: usize) -> i64 {
    let copies = |person: usize| [2, 0, 1, 0][usize::from(row[person / 4] >> (2 * (person % 4)) & 3)];
    let (x, y): (i64, i64) = ((0..cases).map(copies).sum(), (cases..2 * cases).map(copies).sum());
    let n = i64::try_from(2 * cases).unwrap();
    // 2N(xS − yR)²/(RS(x+y)(2N−x−y)) with R = S.
    20 * n * (x - y) * (x - y) / ((x + y) * (2 * n - x - y))
}

#[test]
fn refusals() {
    let odds = Spend::odds(whole(2)).unwrap();
    let scores = Evidence::Scores(&SEVEN);
    for planted in [vec![], vec![7], vec![2, 2]] {
        assert_eq!(chances(&scores, &planted, 1, &odds), Err(PowerError::Planted(7)));
    }
    let few = SelectError::TooFew { picks: 7, possible: 6 };
    assert_eq!(chances(&scores, &[1], 7, &odds), Err(PowerError::Select(few)));
    assert_eq!(chances(&scores, &[1], 0, &odds), Err(PowerError::Select(SelectError::NoPicks)));
    // A SNP without a score is never found; more SNPs than picks are not all found.
    let nothing = Chance { low: 0.0, high: 0.0 };
    assert_eq!(chances(&scores, &[3], 2, &odds).unwrap().0, nothing);
    assert_eq!(chances(&scores, &[0, 1], 1, &odds).unwrap().0, nothing);
}
