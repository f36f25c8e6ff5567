//! On a simulated study, raw frequencies separate members from others, and frequencies under a promise do not.

use super::cohort::{self, Population};
use deniable_attack::{Bounds, Findings, Test, parted, statistics};
use deniable_core::exact::whole;
use num_traits::ToPrimitive;

const TESTS: [Test; 2] = [Test::Homer, Test::LikelihoodRatio];

#[test]
fn raw_frequencies_betray_members() {
    let population = Population::new(1).unwrap();
    let raw = population.raw().unwrap();
    let (targets, labels) = population.targets(&raw).unwrap();
    assert_eq!((targets.snps(), targets.matched().released, targets.matched().ambiguous), (1000, 1000, 0));
    // PLINK counts the rarer allele among the study's people; if it differs from that of the file, it was swapped.
    assert!(targets.matched().swapped > 10, "{}", targets.matched());
    for test in TESTS {
        let (members, others) = parted(&statistics(test, &targets, Default::default()).each, &labels);
        assert_eq!((members.len(), others.len()), (cohort::CASES, cohort::OUTSIDE));
        let measured = Findings::of(&members, &others, cohort::CONFIDENCE);
        let area = measured.area.unwrap();
        assert!(area.value > if test == Test::LikelihoodRatio { 0.9 } else { 0.8 }, "{test:?} {area:?}");
        // 5% and 1% of the second half, within four standard errors of 500 people.
        for (power, most) in measured.powers.iter().zip([0.05 + 4.0 * 0.0098, 0.01 + 4.0 * 0.0045]) {
            let power = power.as_ref().unwrap();
            assert!(power.false_positives.value().unwrap() <= most, "{test:?} {power:?}");
        }
        let bounds = Bounds::of_odds(whole(2)).unwrap();
        let beyond = measured
            .rows(Some(&bounds))
            .iter()
            .filter(|row| {
                row.bound.as_ref().is_some_and(|(_, against)| *against == deniable_attack::BoundComparison::Beyond)
            })
            .count();
        assert_eq!(beyond, 4, "{test:?}");
    }
}

/// The mean over 25 releases is within its bound, with three standard errors of that mean to spare: a mean at its bound
/// would exceed this with a probability below 1/300 for each number (Student's t with 24 degrees of freedom). The
/// releases are seeded, so the test is deterministic.
#[test]
fn a_promise_of_two_keeps_both_tests_within_their_bounds() {
    let population = Population::new(2).unwrap();
    let bounds = Bounds::of_odds(whole(2)).unwrap();
    let releases: Vec<_> = (0..25).map(|seed| population.private(2, seed).unwrap()).collect();
    for test in TESTS {
        let measured: Vec<Findings> = releases.iter().map(|one| population.attack(test, one).unwrap()).collect();
        let rows: Vec<_> = measured.iter().map(|one| one.rows(Some(&bounds))).collect();
        for at in 0..rows[0].len() {
            let Some((bound, _)) = &rows[0][at].bound else { continue };
            let values: Vec<f64> = rows.iter().map(|row| row[at].value).collect();
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let error =
                (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count * (count - 1.0))).sqrt();
            let bound = bound.to_f64().unwrap();
            assert!(mean + 3.0 * error <= bound, "{test:?} {}: {mean} ± {error}, at most {bound}", rows[0][at].measure);
        }
    }
}
