//! The separation of members from others by a statistic: the ROC curve and the area under it.

use crate::intervals::{float, normal_quantile};

/// One point of a ROC curve: the people at or above a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// People with at least this statistic are called members; infinite at the first point, which calls no people
    /// members.
    pub threshold: f64,
    /// The share of non-members called members, 0 to 1.
    pub false_positives: f64,
    /// The share of members called members, 0 to 1.
    pub true_positives: f64,
}

/// The ROC curve, from (0, 0) to (1, 1), with a point for each different statistic; empty if there are no members or no
/// others. Statistics must be finite.
#[must_use]
pub fn roc(members: &[f64], others: &[f64]) -> Vec<Point> {
    if members.is_empty() || others.is_empty() {
        return vec![];
    }
    let mut all: Vec<(f64, bool)> = members.iter().map(|score| (*score, true)).collect();
    all.extend(others.iter().map(|score| (*score, false)));
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    let (mut true_positives, mut false_positives) = (0, 0);
    let mut points = vec![Point { threshold: f64::INFINITY, false_positives: 0.0, true_positives: 0.0 }];
    for same in all.chunk_by(|one, other| equal(one.0, other.0)) {
        let own = same.iter().filter(|(_, member)| *member).count();
        true_positives += own;
        false_positives += same.len() - own;
        points.push(Point {
            threshold: same.first().map_or(f64::NEG_INFINITY, |(score, _)| *score),
            false_positives: float(false_positives as u64) / float(others.len() as u64),
            true_positives: float(true_positives as u64) / float(members.len() as u64),
        });
    }
    points
}

/// The area under a ROC curve with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// The chance that a random member scores above a random non-member, ties counted half.
    pub value: f64,
    /// The low end of the interval.
    pub low: f64,
    /// The high end.
    pub high: f64,
    /// The standard error by DeLong; 0 if members and others are completely separated.
    pub error: f64,
}

/// The area under the curve, with the interval of DeLong (1988) at a confidence in `(0, 1)`; `None` if there are fewer
/// than two members or two others.
///
/// If members and others are completely separated, DeLong's error is 0 and carries no information. Then, with n the
/// smaller of both numbers, n disjoint pairs are all in the right order, so areas below `((1 − confidence)/2)^(1/n)`
/// are rejected exactly, and that is the end of the interval.
///
/// The interval covers other people drawn like these, for this one release. Another release of the same pool has
/// independent noise, which all its targets share.
#[must_use]
pub fn area(members: &[f64], others: &[f64], confidence: f64) -> Option<Area> {
    if members.len() < 2 || others.len() < 2 {
        return None;
    }
    let (m, n) = (float(members.len() as u64), float(others.len() as u64));
    // The share of others below each member, and the share of members above each other.
    let below = placements(members, others);
    let above: Vec<f64> = placements(others, members).into_iter().map(|share| 1.0 - share).collect();
    let value = below.iter().sum::<f64>() / m;
    let variance = |shares: &[f64], many: f64| {
        shares.iter().map(|share| (share - value) * (share - value)).sum::<f64>() / (many - 1.0)
    };
    let error = (variance(&below, m) / m + variance(&above, n) / n).sqrt();
    let tail = (1.0 - confidence) / 2.0;
    let apart = tail.powf(1.0 / m.min(n));
    let (low, high) = if value >= 1.0 {
        (apart, 1.0)
    } else if value <= 0.0 {
        (0.0, 1.0 - apart)
    } else {
        let reach = normal_quantile(1.0 - tail) * error;
        ((value - reach).max(0.0), (value + reach).min(1.0))
    };
    Some(Area { value, low, high, error })
}

/// For each of `these`, the share of `those` below it, ties counted half.
fn placements(these: &[f64], those: &[f64]) -> Vec<f64> {
    let mut sorted = those.to_vec();
    sorted.sort_by(f64::total_cmp);
    let all = float(those.len().max(1) as u64);
    let of = |score: &f64| {
        let below = sorted.partition_point(|other| other < score);
        let upto = sorted.partition_point(|other| other <= score);
        float((below + upto) as u64) / (2.0 * all)
    };
    these.iter().map(of).collect()
}

/// Equal as numbers: 0 equals −0.
fn equal(one: f64, other: f64) -> bool {
    one.partial_cmp(&other) == Some(std::cmp::Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The area of the trapezoids under a curve.
    fn under(points: &[Point]) -> f64 {
        let trapezoid = |pair: &[Point]| {
            (pair[1].false_positives - pair[0].false_positives) * (pair[0].true_positives + pair[1].true_positives)
                / 2.0
        };
        points.windows(2).map(trapezoid).sum()
    }

    proptest! {
        #[test]
        fn the_area_is_that_of_the_curve_and_of_all_pairs(
            members in prop::collection::vec(-3_i32..4, 2..30),
            others in prop::collection::vec(-4_i32..3, 2..30),
        ) {
            let float = |scores: &[i32]| scores.iter().map(|score| f64::from(*score) / 3.0).collect::<Vec<_>>();
            let (members, others) = (float(&members), float(&others));
            let found = area(&members, &others, 0.95).unwrap();
            let pairs: f64 = members.iter().flat_map(|one| others.iter().map(move |other| {
                if one > other { 1.0 } else if one < other { 0.0 } else { 0.5 }
            })).sum();
            let expected = pairs / (members.len() * others.len()) as f64;
            prop_assert!((found.value - expected).abs() < 1e-12);
            prop_assert!((under(&roc(&members, &others)) - expected).abs() < 1e-12);
            prop_assert!(found.low <= found.value && found.value <= found.high);
        }
    }

    /// DeLong's variance on a small example, pair by pair.
    #[test]
    fn delong_by_hand() {
        let found = area(&[3.0, 1.0, 2.0], &[0.0, 2.0], 0.95).unwrap();
        // Members: 1, 1/2, 3/4; others: 1, 1/2.
        assert!((found.value - 0.75).abs() < 1e-15);
        let expected: f64 = (0.0625 / 3.0) + (0.125 / 2.0);
        assert!((found.error - expected.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn wholly_apart() {
        let found = area(&[3.0; 10], &[1.0; 50], 0.95).unwrap();
        assert_eq!((found.value, found.high, found.error), (1.0, 1.0, 0.0));
        assert!((found.low - 0.025_f64.powf(0.1)).abs() < 1e-15);
        assert_eq!(area(&[1.0], &[1.0, 2.0], 0.95), None);
        assert!(roc(&[], &[1.0]).is_empty());
    }
}
