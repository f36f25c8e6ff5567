//! Allele counts, frequencies and χ² of chosen SNPs with exact two-sided geometric noise (M-GEO).
//!
//! The SNPs must be public already, or picked privately ([`crate::select`]): selecting them costs a separate odds
//! ratio, and the two multiply (C-1). `R` of a call is the odds ratio of all its numbers together.
//!
//! One person has genotypes at every SNP, so one move changes all of them. The L1 sensitivity of the allele counts of K
//! SNPs is, exactly (tests enumerate small cohorts):
//!
//! | adjacency | one move | cases and controls | cases alone |
//! |---|---|---|---|
//! | genotype | one person's copies change by at most 2 at each SNP, in one group | `2K` | `2K` |
//! | label swap | a case with `g` copies and a control with `h` change places: x by `h−g`, y by `g−h` | `4K` | `2K` |
//!
//! Under label swap `x + y` is public, so the count of the cases alone has the same information with half the noise.
//!
//! The numbers of cases and controls are public and the same for every SNP: people without a genotype must have been
//! counted by a rule that no move changes.

use crate::chi2::survival;
use crate::select::{SelectError, sensitivity_steps, steps};
use crate::table::{CohortAdjacency, ContingencyTable, Test};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::{Decay, DecayError, TwoSidedGeometric, margin};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use rand_core::Rng;

/// Numbers that cannot be released.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoisyError {
    /// No SNPs.
    #[error("no SNP is given")]
    Nothing,
    /// Tables over different people.
    #[error("not every SNP counts the same numbers of cases and controls; fill in missing genotypes first")]
    People,
    /// A confidence outside of `[0, 1)`; 1 would need infinite margins.
    #[error("the confidence must be at least 0 and below 1, not {0}")]
    Confidence(Rational),
    /// An invalid grid or sensitivity.
    #[error(transparent)]
    Grid(#[from] SelectError),
    /// Invalid noise.
    #[error(transparent)]
    Decay(#[from] DecayError),
}

/// The groups whose allele counts are released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// Of cases and of controls.
    Both,
    /// Of cases alone.
    Cases,
}

/// The L1 sensitivity of the allele counts of `snps` SNPs: see the table of the module.
#[must_use]
pub fn count_sensitivity(adjacency: CohortAdjacency, sides: Sides, snps: usize) -> BigInt {
    let each = match (adjacency, sides) {
        (CohortAdjacency::LabelSwap, Sides::Both) => 4_u32,
        (CohortAdjacency::LabelSwap, Sides::Cases) | (CohortAdjacency::Genotype, Sides::Both | Sides::Cases) => 2,
    };
    BigInt::from(snps) * each
}

/// An allele count with noise, between 0 and twice the people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoisyCount {
    /// The noisy count of copies, clamped to `0..=2·people`.
    pub copies: u64,
    /// The true count is at least this with the stated confidence, and
    pub low: u64,
    /// at most this.
    pub high: u64,
    /// The number of people counted; public.
    pub people: u64,
}

impl NoisyCount {
    fn new(noisy: &BigInt, margin: &BigInt, people: u64) -> Self {
        let most = BigInt::from(2 * people);
        // Values out of range are impossible: clamping the ends can only improve the interval.
        let within = |value: BigInt| value.clamp(BigInt::zero(), most.clone()).to_u64().unwrap_or(2 * people);
        Self { copies: within(noisy.clone()), low: within(noisy - margin), high: within(noisy + margin), people }
    }

    /// The share of copies among all alleles, and the ends of its interval; `None` without people.
    #[must_use]
    pub fn frequency(&self) -> Option<[Rational; 3]> {
        let of = |copies: u64| Rational::new(copies.into(), BigInt::from(2 * self.people));
        (self.people > 0).then(|| [self.copies, self.low, self.high].map(of))
    }
}

/// The noisy allele counts of one SNP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoisyAlleles {
    /// `x`: among cases.
    pub cases: NoisyCount,
    /// `y`: among controls; `None` if not requested.
    pub controls: Option<NoisyCount>,
}

/// The allele counts of these SNPs with noise. Each interval covers its count with the stated `confidence`, in `[0, 1)`.
///
/// # Errors
/// If there is no SNP, tables are over different people, or a parameter is invalid.
pub fn allele_counts<R: Rng>(
    tables: &[ContingencyTable],
    adjacency: CohortAdjacency,
    sides: Sides,
    odds: &Spend,
    confidence: &Rational,
    rng: &mut R,
) -> Result<Vec<NoisyAlleles>, NoisyError> {
    let people = people(tables)?;
    let numbers = draw_alleles(tables, adjacency, sides, odds, rng)?;
    alleles(&numbers, people, adjacency, sides, odds, confidence)
}

/// The numbers of cases and controls of these tables.
fn people(tables: &[ContingencyTable]) -> Result<(u64, u64), NoisyError> {
    let of = |table: &ContingencyTable| (table.all_cases(), table.all_controls());
    let first = tables.first().map(of).ok_or(NoisyError::Nothing)?;
    if tables.iter().all(|table| of(table) == first) { Ok(first) } else { Err(NoisyError::People) }
}

/// The noisy numbers of copies of [`allele_counts`] in the order of the draws: SNP by SNP, for the cases and then, if
/// `sides` includes them, for the controls.
///
/// # Errors
/// As [`allele_counts`].
pub fn draw_alleles<R: Rng>(
    tables: &[ContingencyTable],
    adjacency: CohortAdjacency,
    sides: Sides,
    odds: &Spend,
    rng: &mut R,
) -> Result<Vec<i128>, NoisyError> {
    people(tables)?;
    let noise = TwoSidedGeometric::new(Decay::hiding(odds, &count_sensitivity(adjacency, sides, tables.len()))?);
    let copies = |table: &ContingencyTable| match sides {
        Sides::Both => vec![table.case_alleles(), table.control_alleles()],
        Sides::Cases => vec![table.case_alleles()],
    };
    let copies = tables.iter().flat_map(copies);
    Ok(copies.map(|copies| i128::from(copies).saturating_add(noise.sample(rng))).collect())
}

/// The allele counts drawn by [`draw_alleles`], with their intervals, given the numbers of cases and controls.
///
/// # Errors
/// As [`allele_counts`].
pub fn alleles(
    numbers: &[i128],
    (cases, controls): (u64, u64),
    adjacency: CohortAdjacency,
    sides: Sides,
    odds: &Spend,
    confidence: &Rational,
) -> Result<Vec<NoisyAlleles>, NoisyError> {
    let each = match sides {
        Sides::Both => 2,
        Sides::Cases => 1,
    };
    let (_, margin) = noise(odds, &count_sensitivity(adjacency, sides, numbers.len() / each), confidence)?;
    let count = |noisy: i128, people: u64| NoisyCount::new(&BigInt::from(noisy), &margin, people);
    let one = |numbers: &[i128]| NoisyAlleles {
        cases: count(numbers[0], cases),
        controls: numbers.get(1).map(|noisy| count(*noisy, controls)),
    };
    Ok(numbers.chunks_exact(each).map(one).collect())
}

/// A χ² with noise, on its grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoisyStatistic {
    /// The test.
    pub test: Test,
    /// The noisy value, clamped to `[0, most]`, where `most` is the largest possible for this many people.
    pub value: Rational,
    /// The true value is at least this with the stated confidence, and
    pub low: Rational,
    /// at most this.
    pub high: Rational,
}

impl NoisyStatistic {
    /// The p-value and the ends of its interval, the smaller end second: for display, to some 12 digits.
    #[must_use]
    pub fn p_values(&self) -> [f64; 3] {
        [&self.value, &self.high, &self.low].map(|value| survival(value.to_f64().unwrap_or(f64::MAX), self.test))
    }
}

/// The largest χ² of `people` cases and controls together: completely separated alleles (allelic) or genotypes.
#[must_use]
pub fn largest_statistic(test: Test, people: u64) -> Rational {
    match test {
        Test::Allelic => whole(2) * whole(people),
        Test::Genotypic => whole(people),
    }
}

/// Adds noise to χ² of chosen SNPs, in whole steps of the declared `grid`.
///
/// `sensitivity` is the largest change of one of them by one move (G-1); K of them share the odds, at K times that.
/// Each interval covers its true value, including the grid step, with the stated `confidence`, in `[0, 1)`.
///
/// # Errors
/// If there is no value, or a parameter is invalid.
#[expect(clippy::too_many_arguments, reason = "every one is part of the statement that goes with the numbers")]
pub fn statistics<R: Rng>(
    values: &[Rational],
    test: Test,
    people: u64,
    sensitivity: &Rational,
    grid: &Rational,
    odds: &Spend,
    confidence: &Rational,
    rng: &mut R,
) -> Result<Vec<NoisyStatistic>, NoisyError> {
    let numbers = draw_statistics(values, sensitivity, grid, odds, rng)?;
    of_statistics(&numbers, test, people, sensitivity, grid, odds, confidence)
}

/// The noisy numbers of grid steps of [`statistics`].
///
/// # Errors
/// As [`statistics`].
pub fn draw_statistics<R: Rng>(
    values: &[Rational],
    sensitivity: &Rational,
    grid: &Rational,
    odds: &Spend,
    rng: &mut R,
) -> Result<Vec<i128>, NoisyError> {
    if values.is_empty() {
        return Err(NoisyError::Nothing);
    }
    let together = sensitivity_steps(sensitivity, grid)? * values.len();
    let steps = values.iter().map(|value| steps(value, grid)).collect::<Result<Vec<i64>, _>>()?;
    let noise = TwoSidedGeometric::new(Decay::hiding(odds, &together)?);
    Ok(steps.into_iter().map(|steps| i128::from(steps).saturating_add(noise.sample(rng))).collect())
}

/// The χ² drawn by [`draw_statistics`], with their intervals.
///
/// # Errors
/// As [`statistics`].
pub fn of_statistics(
    numbers: &[i128],
    test: Test,
    people: u64,
    sensitivity: &Rational,
    grid: &Rational,
    odds: &Spend,
    confidence: &Rational,
) -> Result<Vec<NoisyStatistic>, NoisyError> {
    let together = sensitivity_steps(sensitivity, grid)? * numbers.len();
    let (_, margin) = noise(odds, &together, confidence)?;
    let most = largest_statistic(test, people);
    let within = |steps: BigInt| (whole(steps) * grid).clamp(Rational::zero(), most.clone());
    let each = |noisy: &i128| {
        let noisy = BigInt::from(*noisy);
        // A value of `s` steps was between `s` and `s + 1` steps.
        let (low, high) = (&noisy - &margin, &noisy + &margin + 1);
        NoisyStatistic { test, value: within(noisy), low: within(low), high: within(high) }
    };
    Ok(numbers.iter().map(each).collect())
}

/// The noise, and the margin that covers one draw of it.
fn noise(odds: &Spend, sensitivity: &BigInt, confidence: &Rational) -> Result<(TwoSidedGeometric, BigInt), NoisyError> {
    if *confidence < Rational::zero() || *confidence >= Rational::one() {
        return Err(NoisyError::Confidence(confidence.clone()));
    }
    let decay = Decay::hiding(odds, sensitivity)?;
    let margin = margin(&decay, confidence);
    Ok((TwoSidedGeometric::new(decay), margin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    /// Genotypes of two cases and two controls at two SNPs, numbered from 0 to `9^4 − 1`.
    fn genotypes(code: usize) -> [[u32; 2]; 4] {
        [0, 1, 2, 3].map(|person| {
            let two = code / 9_usize.pow(person) % 9;
            [two / 3, two % 3].map(|genotype| u32::try_from(genotype).unwrap())
        })
    }

    /// `x` and `y` of both SNPs.
    fn counts(people: &[[u32; 2]; 4]) -> [i64; 4] {
        let sum = |one: usize, other: usize, snp: usize| i64::from(people[one][snp] + people[other][snp]);
        [sum(0, 1, 0), sum(0, 1, 1), sum(2, 3, 0), sum(2, 3, 1)]
    }

    /// The largest L1 change over every neighbour of every cohort, of one SNP and of two, equals the stated one.
    #[test]
    fn sensitivities_are_attained_in_every_small_cohort() {
        // [adjacency][sides][one or two SNPs]
        let mut most = [[[0_u64; 2]; 2]; 2];
        let mut look = |adjacency: usize, one: &[[u32; 2]; 4], other: &[[u32; 2]; 4]| {
            let (a, b) = (counts(one), counts(other));
            let apart = |place: usize| a[place].abs_diff(b[place]);
            for (snps, cases, controls) in [(0, apart(0), apart(2)), (1, apart(0) + apart(1), apart(2) + apart(3))] {
                most[adjacency][0][snps] = most[adjacency][0][snps].max(cases + controls);
                most[adjacency][1][snps] = most[adjacency][1][snps].max(cases);
            }
        };
        for code in 0..6561 {
            let here = genotypes(code);
            for person in 0..4 {
                for replacement in 0..9 {
                    let mut there = here;
                    there[person] = genotypes(replacement)[0];
                    look(0, &here, &there);
                }
            }
            for (case, control) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
                let mut there = here;
                there.swap(case, control);
                look(1, &here, &there);
            }
        }
        for (adjacency, most) in [CohortAdjacency::Genotype, CohortAdjacency::LabelSwap].into_iter().zip(most) {
            for (sides, most) in [Sides::Both, Sides::Cases].into_iter().zip(most) {
                for (snps, most) in [1, 2].into_iter().zip(most) {
                    assert_eq!(count_sensitivity(adjacency, sides, snps), most.into(), "{adjacency:?} {sides:?}");
                }
            }
        }
    }

    fn table(cases: [u32; 3], controls: [u32; 3]) -> ContingencyTable {
        ContingencyTable { cases, controls }
    }

    #[test]
    fn counts_stay_in_range_and_intervals_cover_as_stated() {
        let tables = [table([90, 9, 1], [50, 40, 10]), table([0, 0, 100], [100, 0, 0])];
        let odds = Spend::odds(whole(2)).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(12));
        for (adjacency, sides) in [(CohortAdjacency::Genotype, Sides::Both), (CohortAdjacency::LabelSwap, Sides::Cases)]
        {
            let (mut covered, mut all, mut widest) = (0, 0, 0);
            let confidence = ratio(9, 10);
            let decay = Decay::hiding(&odds, &count_sensitivity(adjacency, sides, 2)).unwrap();
            let margin = margin(&decay, &confidence).to_u64().unwrap();
            for _ in 0..1_000 {
                let noisy = allele_counts(&tables, adjacency, sides, &odds, &confidence, &mut rng).unwrap();
                for (noisy, table) in noisy.iter().zip(&tables) {
                    assert_eq!(noisy.controls.is_some(), sides == Sides::Both);
                    let pairs = [(Some(noisy.cases), table.case_alleles()), (noisy.controls, table.control_alleles())];
                    for (count, truth) in pairs.into_iter().filter_map(|(count, truth)| Some((count?, truth))) {
                        assert!(count.low <= count.copies && count.copies <= count.high && count.high <= 200);
                        widest = widest.max(count.high - count.low);
                        covered += u32::from(count.low <= truth && truth <= count.high);
                        all += 1;
                    }
                }
            }
            assert_eq!(widest, 2 * margin);
            // 2,000 or more, 5.6 standard errors below 0.9: each of the two checks fails for one seed in 2·10⁷, by the
            // exact binomial tail. Ends at 0 or 200 cover more often.
            let least = 0.9 - 5.6 * (0.09 / f64::from(all)).sqrt();
            assert!(f64::from(covered) >= least * f64::from(all), "{covered} of {all}");
        }
    }

    #[test]
    fn frequencies() {
        let count = NoisyCount::new(&(-3).into(), &5.into(), 10);
        assert_eq!((count.copies, count.low, count.high), (0, 0, 2));
        assert_eq!(count.frequency(), Some([whole(0), whole(0), ratio(1, 10)]));
        let beyond = NoisyCount::new(&40.into(), &5.into(), 10);
        assert_eq!((beyond.copies, beyond.low, beyond.high), (20, 20, 20));
        assert_eq!(NoisyCount::new(&0.into(), &1.into(), 0).frequency(), None);
    }

    #[test]
    fn statistics_cover_as_stated_and_stay_in_range() {
        let values = [ratio(1234, 100), whole(0), whole(400), whole(200)];
        let (sensitivity, grid) = (ratio(31, 4), ratio(1, 10));
        let odds = Spend::odds(whole(3)).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(13));
        let (mut covered, mut all, mut widest) = (0, 0, whole(0));
        let confidence = ratio(4, 5);
        // 78 steps each, four values.
        let decay = Decay::hiding(&odds, &312.into()).unwrap();
        let width = (whole(margin(&decay, &confidence)) * whole(2) + whole(1)) * &grid;
        for _ in 0..1_000 {
            let noisy =
                statistics(&values, Test::Allelic, 200, &sensitivity, &grid, &odds, &confidence, &mut rng).unwrap();
            for (noisy, truth) in noisy.iter().zip(&values) {
                assert!(noisy.low <= noisy.value && noisy.value <= noisy.high && noisy.high <= whole(400));
                widest = widest.max(&noisy.high - &noisy.low);
                let [p, least, most] = noisy.p_values();
                assert!(0.0 <= least && least <= p && p <= most && most <= 1.0);
                covered += u32::from(noisy.low <= *truth && *truth <= noisy.high);
                all += 1;
            }
        }
        assert_eq!(widest, width);
        // Fails for one seed in 4·10⁷, by the exact binomial tail.
        let least = 0.8 - 5.6 * (0.16 / f64::from(all)).sqrt();
        assert!(f64::from(covered) >= least * f64::from(all), "{covered} of {all}");
    }

    /// If the noise is negligible, the interval is the grid step that contains the value.
    #[test]
    fn a_grid_step_is_part_of_the_interval() {
        let odds = Spend::odds(whole(BigInt::one() << 200)).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let (values, tenth) = ([ratio(1234, 100), whole(7)], ratio(1, 10));
        let noisy =
            statistics(&values, Test::Genotypic, 100, &tenth, &tenth, &odds, &ratio(99, 100), &mut rng).unwrap();
        let ends: Vec<_> = noisy.into_iter().map(|noisy| [noisy.low, noisy.value, noisy.high]).collect();
        assert_eq!(ends[0], [ratio(123, 10), ratio(123, 10), ratio(124, 10)]);
        assert_eq!(ends[1], [whole(7), whole(7), ratio(71, 10)]);
    }

    #[test]
    fn refusals() {
        let odds = Spend::odds(whole(2)).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let mut counts = |tables: &[ContingencyTable], confidence| {
            allele_counts(tables, CohortAdjacency::Genotype, Sides::Both, &odds, &confidence, &mut rng).map(|_| ())
        };
        let one = table([1, 1, 1], [1, 1, 1]);
        assert_eq!(counts(&[], ratio(1, 2)), Err(NoisyError::Nothing));
        assert_eq!(counts(&[one, table([1, 1, 2], [1, 1, 1])], ratio(1, 2)), Err(NoisyError::People));
        assert_eq!(counts(&[one], whole(1)), Err(NoisyError::Confidence(whole(1))));
        assert_eq!(counts(&[one], ratio(-1, 9)), Err(NoisyError::Confidence(ratio(-1, 9))));
        let half = ratio(1, 2);
        let mut of = |values: &[Rational], grid| {
            statistics(values, Test::Genotypic, 9, &whole(4), &grid, &odds, &half, &mut rng).map(|_| ())
        };
        assert_eq!(of(&[], whole(1)), Err(NoisyError::Nothing));
        assert_eq!(of(&[whole(1)], whole(0)), Err(NoisyError::Grid(SelectError::Grid(whole(0)))));
    }
}
