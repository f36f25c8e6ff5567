//! Two statistics of membership in a pool, larger for members.
//!
//! With `g` a target's copies of an allele (0, 1 or 2), `p` its frequency in the general population and `m̂` the
//! released one:
//!
//! - **Homer** (A-2): `D = |g/2 − p| − |g/2 − m̂|` at each of m SNPs, and `T = √m · mean(D) / sd(D)` with the sample's standard
//!   deviation (m − 1).
//! - **Likelihood ratio** (A-3): the sum of `g ln(m̂/p) + (2 − g) ln((1 − m̂)/(1 − p))`.
//!
//! SNPs without a call of the target are skipped. The nominal distributions of the statistics are not used: SNPs are
//! linked, references are of other people, and released numbers may have noise. Thresholds are set on people who are
//! known not to be in the pool ([`mod@crate::power`]).
//!
//! The likelihood ratio needs frequencies strictly between 0 and 1: a 0 in a finite sample does not mean that no person
//! carries the allele. [`Clamp`] moves both frequencies into its range, for this statistic only.

use crate::genotypes::Targets;

/// A statistic of membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// Homer and others 2008.
    Homer,
    /// The likelihood-ratio test, Sankararaman and others 2009.
    LikelihoodRatio,
}

impl Test {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Homer => "homer",
            Self::LikelihoodRatio => "lr",
        }
    }
}

/// Frequencies are clamped to `[least, 1 − least]` before logarithms are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clamp {
    least: f64,
}

impl Clamp {
    /// `least` must be above 0 and below one half; `None` otherwise.
    #[must_use]
    pub fn new(least: f64) -> Option<Self> {
        (least > 0.0 && least < 0.5).then_some(Self { least })
    }

    /// The smallest frequency.
    #[must_use]
    pub fn least(self) -> f64 {
        self.least
    }

    fn apply(self, frequency: f64) -> f64 {
        frequency.clamp(self.least, 1.0 - self.least)
    }
}

impl Default for Clamp {
    fn default() -> Self {
        Self { least: 0.001 }
    }
}

/// The statistic of one target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistic {
    /// The value; `None` if it is undefined: no SNP with a call, or for Homer's statistic fewer than two, or no
    /// variation between them.
    pub value: Option<f64>,
    /// Number of SNPs at which the target has a call.
    pub snps: u32,
}

/// The result of a pass over all SNPs.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// The statistic of every target, in their order.
    pub each: Vec<Statistic>,
    /// Number of SNPs with a clamped frequency; 0 for Homer's statistic.
    pub clamped: u64,
}

/// The statistics of all targets, in time people × SNPs.
#[must_use]
pub fn statistics(test: Test, targets: &Targets, clamp: Clamp) -> Statistics {
    let mut sums = vec![Sum::default(); targets.names().len()];
    let mut clamped = 0;
    for (released, reference, row) in targets.rows() {
        // The terms of 0, 1 and 2 copies.
        let adds = match test {
            Test::Homer => homer_terms(released, reference),
            Test::LikelihoodRatio => {
                let (m, p) = (clamp.apply(released), clamp.apply(reference));
                clamped += u64::from(m.to_bits() != released.to_bits() || p.to_bits() != reference.to_bits());
                likelihood_terms(m, p)
            }
        };
        for (sum, call) in sums.iter_mut().zip(row) {
            let Some(copies) = call.copies() else { continue };
            sum.add(adds[usize::from(copies.min(2))]);
        }
    }
    let value = |sum: Sum| match test {
        Test::Homer => sum.standardised(),
        Test::LikelihoodRatio => (sum.terms > 0).then_some(sum.sum),
    };
    let each = sums.into_iter().map(|sum| Statistic { value: value(sum), snps: sum.terms }).collect();
    Statistics { each, clamped }
}

/// `D` of Homer's statistic for 0, 1 and 2 copies.
fn homer_terms(released: f64, reference: f64) -> [f64; 3] {
    [0.0, 0.5, 1.0].map(|share: f64| (share - reference).abs() - (share - released).abs())
}

/// The logarithm of the likelihood ratio for 0, 1 and 2 copies.
fn likelihood_terms(released: f64, reference: f64) -> [f64; 3] {
    let carried = (released / reference).ln();
    let not = ((1.0 - released) / (1.0 - reference)).ln();
    [2.0 * not, carried + not, 2.0 * carried]
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    terms: u32,
    sum: f64,
    squares: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        self.terms += 1;
        self.sum += term;
        self.squares += term * term;
    }

    /// `√m · mean / sd`.
    fn standardised(self) -> Option<f64> {
        if self.terms < 2 {
            return None;
        }
        let m = f64::from(self.terms);
        let mean = self.sum / m;
        let variance = (self.squares - self.sum * mean) / (m - 1.0);
        // Terms are within [−1, 1]: below this, all of them are equal except for rounding.
        (variance > 1e-14).then(|| m.sqrt() * mean / variance.sqrt())
    }
}

/// The statistics of members and of others, each if defined; targets with an unknown label (`None`) are left out.
#[must_use]
pub fn parted(statistics: &[Statistic], members: &[Option<bool>]) -> (Vec<f64>, Vec<f64>) {
    let of = |wanted: bool| {
        let both = statistics.iter().zip(members);
        both.filter(|(_, member)| **member == Some(wanted)).filter_map(|(statistic, _)| statistic.value).collect()
    };
    (of(true), of(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_genome::counting::Genotype::{self, Missing, None as Zero, One, Two};
    use deniable_genome::individuals::Name;

    fn targets(rows: &[((f64, f64), [Genotype; 2])]) -> Targets {
        let names = ["a", "b"].map(|id| Name { family: None, id: id.to_owned() }).to_vec();
        Targets::of(names, rows.iter().map(|(frequencies, row)| (*frequencies, row.to_vec())).collect())
    }

    fn near(found: Option<f64>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn both_statistics() {
        // Released and reference frequency; the calls of two people.
        let all = targets(&[((0.5, 0.25), [Two, Zero]), ((0.1, 0.2), [Zero, Missing]), ((0.3, 0.6), [One, One])]);
        let homer = statistics(Test::Homer, &all, Clamp::default());
        // Terms of the first person: 0.75 − 0.5, 0.2 − 0.1, 0.1 − 0.2; of the second: 0.25 − 0.5 and 0.1 − 0.2.
        let (d, mean) = ([0.25, 0.1, -0.1], 0.25 / 3.0);
        let variance = d.iter().map(|d: &f64| (d - mean).powi(2)).sum::<f64>() / 2.0;
        near(homer.each[0].value, 3.0_f64.sqrt() * mean / variance.sqrt());
        near(homer.each[1].value, 2.0_f64.sqrt() * -0.175 / (2.0 * 0.075_f64.powi(2)).sqrt());
        let ratio = statistics(Test::LikelihoodRatio, &all, Clamp::default());
        let first = 2.0 * 2.0_f64.ln() + 2.0 * (0.9_f64 / 0.8).ln() + 0.5_f64.ln() + (0.7_f64 / 0.4).ln();
        near(ratio.each[0].value, first);
        near(ratio.each[1].value, 2.0 * (0.5_f64 / 0.75).ln() + 0.5_f64.ln() + (0.7_f64 / 0.4).ln());
        assert_eq!((ratio.each[0].snps, ratio.each[1].snps, ratio.clamped), (3, 2, 0));
    }

    #[test]
    fn frequencies_of_zero_and_one_are_clamped_and_counted() {
        let all = targets(&[((0.0, 0.5), [Two, Missing]), ((1.0, 0.5), [Zero, Missing]), ((0.5, 0.5), [One, Missing])]);
        let clamp = Clamp::new(0.01).unwrap();
        let ratio = statistics(Test::LikelihoodRatio, &all, clamp);
        near(ratio.each[0].value, 4.0 * 0.02_f64.ln());
        assert_eq!((ratio.clamped, ratio.each[1]), (2, Statistic { value: None, snps: 0 }));
        assert_eq!([0.0, 0.5, f64::NAN].map(Clamp::new), [None; 3]);
    }

    #[test]
    fn a_release_equal_to_the_reference_carries_no_information() {
        let all = targets(&[((0.5, 0.5), [Two, One]), ((0.1, 0.1), [Zero, One])]);
        let homer = statistics(Test::Homer, &all, Clamp::default());
        assert_eq!(values(&homer), [None, None]);
        let ratio = statistics(Test::LikelihoodRatio, &all, Clamp::default());
        assert_eq!(values(&ratio), [Some(0.0), Some(0.0)]);
        assert_eq!(parted(&ratio.each, &[Some(true), None]), (vec![0.0], vec![]));
    }

    fn values(statistics: &Statistics) -> Vec<Option<f64>> {
        statistics.each.iter().map(|statistic| statistic.value).collect()
    }
}
