//! The power of a test at a stated rate of false positives, with thresholds set on people known not to be members.
//!
//! A threshold that is set and measured on the same people overstates the test. So non-members are split into two
//! halves, alternating in their order: thresholds are set on the first, and false positives measured on the second.
//!
//! **Setting a threshold.** The threshold is the k-th largest statistic of n calibration people, with `k = ⌊α(n + 1)⌋`,
//! and people above it are called members. An exchangeable non-member is above it with a probability of at most
//! `k/(n + 1) ≤ α`, whatever the statistic's distribution. If k is 0, there are too few people for α: 1% needs 99
//! calibration people, 5% needs 19.

use crate::intervals::{Proportion, float};
use deniable_core::exact::{Rational, Rounding, percent, whole};
use num_traits::{One, Signed, ToPrimitive};

/// Non-members, split into two halves.
#[derive(Debug, Clone, PartialEq)]
pub struct Halves {
    /// People on whom thresholds are set.
    pub calibration: Vec<f64>,
    /// People on whom false positives are counted.
    pub check: Vec<f64>,
}

impl Halves {
    /// Alternates, beginning with calibration.
    #[must_use]
    pub fn of(others: &[f64]) -> Self {
        let every = |first: usize| others.iter().skip(first).step_by(2).copied().collect();
        Self { calibration: every(0), check: every(1) }
    }
}

/// A test at one rate of false positives.
#[derive(Debug, Clone, PartialEq)]
pub struct Power {
    /// The requested rate α.
    pub alpha: Rational,
    /// People above it are called members.
    pub threshold: f64,
    /// Number of non-members that set the threshold.
    pub calibration: u64,
    /// Non-members called members, of those that did not set the threshold.
    pub false_positives: Proportion,
    /// Members called members, of all members: the power.
    pub true_positives: Proportion,
}

/// There are too few people for a rate of false positives.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{people} people who are known not to be in the pool are too few to calibrate a test at {} false positives; it takes {needed}",
    percent(.alpha, 4, Rounding::Nearest)
)]
pub struct TooFew {
    /// The requested rate.
    pub alpha: Rational,
    /// Number of non-members, in both halves.
    pub people: u64,
    /// Number of non-members needed, in both halves.
    pub needed: u64,
}

/// The power at a rate α of false positives, in `(0, 1)`.
///
/// # Errors
/// If there are too few non-members for α.
pub fn power(members: &[f64], others: &Halves, alpha: &Rational) -> Result<Power, TooFew> {
    let n = others.calibration.len() as u64;
    let rank = (alpha * whole(n + 1)).to_integer().to_usize().unwrap_or(0);
    let mut sorted = others.calibration.clone();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let Some(threshold) = rank.checked_sub(1).and_then(|place| sorted.get(place)).copied() else {
        let people = n + others.check.len() as u64;
        return Err(TooFew { alpha: alpha.clone(), people, needed: needed(alpha) });
    };
    Ok(Power {
        alpha: alpha.clone(),
        threshold,
        calibration: n,
        false_positives: above(&others.check, threshold),
        true_positives: above(members, threshold),
    })
}

/// The smallest number of non-members, in both halves, for a rate of false positives: twice `⌈1/α⌉ − 1`, minus one,
/// since the first half is the larger one.
fn needed(alpha: &Rational) -> u64 {
    if !alpha.is_positive() || *alpha >= Rational::one() {
        return u64::MAX;
    }
    let calibration = (Rational::one() / alpha).ceil().to_integer().to_u64().unwrap_or(u64::MAX).saturating_sub(1);
    calibration.saturating_mul(2).saturating_sub(1)
}

fn above(scores: &[f64], threshold: f64) -> Proportion {
    let hits = scores.iter().filter(|score| **score > threshold).count() as u64;
    Proportion { hits, of: scores.len() as u64 }
}

/// The largest difference between the rates of true and of false positives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Advantage {
    /// The difference at the chosen threshold, −1 to 1.
    pub value: f64,
    /// The low end of its interval, −1 to 1.
    pub low: f64,
    /// The high end.
    pub high: f64,
    /// The threshold; people above it are called members.
    pub threshold: f64,
    /// Non-members called members.
    pub false_positives: Proportion,
    /// Members called members.
    pub true_positives: Proportion,
}

/// The advantage of a test: the threshold with the largest difference on every other member and non-member, measured on
/// the remaining ones. The interval is that of Clopper and Pearson for each rate, at half the error each, at a
/// confidence in `(0, 1)`: it is for this threshold, and covers at least as often as stated. `None` if there are fewer
/// than two members or two non-members.
#[must_use]
pub fn advantage(members: &[f64], others: &[f64], confidence: f64) -> Option<Advantage> {
    let (members, others) = (Halves::of(members), Halves::of(others));
    if members.check.is_empty() || others.check.is_empty() {
        return None;
    }
    let points = crate::roc::roc(&members.calibration, &others.calibration);
    let difference = |point: &crate::roc::Point| point.true_positives - point.false_positives;
    // A point calls people at or above its threshold members, so the next point's threshold is the first value below.
    let best = (0..points.len()).max_by(|one, other| {
        let of = |at: &usize| points.get(*at).map_or(f64::NEG_INFINITY, difference);
        // The strictest of equal thresholds.
        of(one).total_cmp(&of(other)).then(other.cmp(one))
    })?;
    let threshold = points.get(best + 1).map_or(f64::NEG_INFINITY, |next| next.threshold);
    let (caught, wrong) = (above(&members.check, threshold), above(&others.check, threshold));
    let each = f64::midpoint(1.0, confidence);
    let ((low, high), (least, most)) = (caught.interval(each), wrong.interval(each));
    let rate = |share: Proportion| float(share.hits) / float(share.of.max(1));
    Some(Advantage {
        value: rate(caught) - rate(wrong),
        low: low - most,
        high: high - least,
        threshold,
        false_positives: wrong,
        true_positives: caught,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    fn upto(n: u32) -> Vec<f64> {
        (0..n).map(f64::from).collect()
    }

    #[test]
    fn thresholds_leave_at_most_alpha_above() {
        let others = Halves { calibration: upto(99), check: upto(200) };
        let found = power(&upto(300), &others, &ratio(1, 100)).unwrap();
        // The largest of 99 is the threshold: the members 99 to 299 are above it.
        assert_eq!((found.threshold, found.true_positives), (98.0, Proportion { hits: 201, of: 300 }));
        assert_eq!(found.false_positives, Proportion { hits: 101, of: 200 });
        let five = power(&upto(300), &others, &ratio(1, 20)).unwrap();
        assert_eq!((five.threshold, five.calibration), (94.0, 99));
    }

    #[test]
    fn too_few_non_members_are_an_error() {
        for (people, alpha, enough) in [
            (196, ratio(1, 100), false),
            (197, ratio(1, 100), true),
            (36, ratio(1, 20), false),
            (37, ratio(1, 20), true),
        ] {
            assert_eq!(power(&[1.0], &Halves::of(&upto(people)), &alpha).is_ok(), enough, "{people} {alpha}");
        }
        let refused = power(&[1.0], &Halves::of(&upto(50)), &ratio(1, 100)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "50 people who are known not to be in the pool are too few to calibrate a test at 1% false positives; it takes 197"
        );
    }

    #[test]
    fn ties_are_not_above() {
        let others = Halves { calibration: vec![1.0; 99], check: vec![1.0; 10] };
        let found = power(&[1.0, 2.0], &others, &ratio(1, 20)).unwrap();
        assert_eq!((found.false_positives.hits, found.true_positives.hits), (0, 1));
    }

    #[test]
    fn advantages() {
        let apart = advantage(&[5.0; 40], &[1.0; 40], 0.95).unwrap();
        assert_eq!(
            (apart.value, apart.true_positives, apart.false_positives.hits),
            (1.0, Proportion { hits: 20, of: 20 }, 0)
        );
        assert!(apart.low < 0.75 && apart.low > 0.5);
        let same = advantage(&[1.0; 40], &[1.0; 40], 0.95).unwrap();
        assert!(same.value.abs() < 1e-15);
        assert_eq!(advantage(&[1.0], &[1.0, 2.0], 0.95), None);
    }
}
