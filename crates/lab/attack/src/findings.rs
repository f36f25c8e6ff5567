//! The measures of one test on people with known truth: each with its interval, and the bound of a promise.

use crate::bounds::{BoundComparison, Bounds};
use crate::intervals::Proportion;
use crate::power::{Advantage, Halves, Power, TooFew, advantage, power};
use crate::roc::{Area, Point, area, roc};
use deniable_core::exact::{Rational, Rounding, percent, ratio};

/// The rates of false positives at which power is measured: 5% and 1%.
#[must_use]
pub fn rates() -> [Rational; 2] {
    [ratio(1, 20), ratio(1, 100)]
}

/// The measures of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Number of members with a statistic.
    pub members: usize,
    /// Number of non-members with a statistic.
    pub others: usize,
    /// The coverage of all intervals, in `(0, 1)`.
    pub confidence: f64,
    /// The ROC curve of all members and non-members.
    pub roc: Vec<Point>,
    /// The area under it; `None` if there are fewer than two members or two non-members.
    pub area: Option<Area>,
    /// The power at each of [`rates`], or the error that there are too few non-members for it.
    pub powers: Vec<Result<Power, TooFew>>,
    /// The advantage; `None` if the area is.
    pub advantage: Option<Advantage>,
}

/// A measure of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// The area under the ROC curve.
    Area,
    /// The share of members found at this rate of false positives.
    Power(Rational),
    /// The measured rate of false positives at the threshold that was set for this rate.
    FalsePositives(Rational),
    /// The largest difference between power and rate of false positives.
    Advantage,
}

impl std::fmt::Display for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rate = |alpha| percent(alpha, 4, Rounding::Nearest);
        match self {
            Self::Area => f.write_str("AUC"),
            Self::Power(alpha) => write!(f, "power at {} false positives", rate(alpha)),
            Self::FalsePositives(alpha) => write!(f, "false positives at {}, measured", rate(alpha)),
            Self::Advantage => f.write_str("advantage"),
        }
    }
}

/// A measure, with its bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The measure.
    pub measure: Measure,
    /// The measured value.
    pub value: f64,
    /// The ends of the interval.
    pub interval: (f64, f64),
    /// The largest value that the promise allows, and the comparison with the interval; `None` without a promise, and
    /// for rates of false positives, which no promise bounds.
    pub bound: Option<(Rational, BoundComparison)>,
}

impl Findings {
    /// Measures a statistic of members and non-members, both finite, at a confidence in `(0, 1)`.
    #[must_use]
    pub fn of(members: &[f64], others: &[f64], confidence: f64) -> Self {
        let halves = Halves::of(others);
        Self {
            members: members.len(),
            others: others.len(),
            confidence,
            roc: roc(members, others),
            area: area(members, others, confidence),
            powers: rates().iter().map(|alpha| power(members, &halves, alpha)).collect(),
            advantage: advantage(members, others, confidence),
        }
    }

    /// All available measures, with their bounds.
    #[must_use]
    pub fn rows(&self, bounds: Option<&Bounds>) -> Vec<Row> {
        let row = |measure, value, interval, bound: Option<Rational>| Row {
            measure,
            value,
            interval,
            bound: bound.map(|bound| {
                let against = BoundComparison::of(interval, &bound);
                (bound, against)
            }),
        };
        let mut rows = Vec::new();
        if let Some(area) = self.area {
            rows.push(row(Measure::Area, area.value, (area.low, area.high), bounds.map(Bounds::area)));
        }
        for power in self.powers.iter().flatten() {
            let share = |share: Proportion| (share.value().unwrap_or_default(), share.interval(self.confidence));
            let ((caught, interval), (wrong, around)) = (share(power.true_positives), share(power.false_positives));
            let bound = bounds.map(|bounds| bounds.power(&power.alpha));
            rows.push(row(Measure::Power(power.alpha.clone()), caught, interval, bound));
            rows.push(row(Measure::FalsePositives(power.alpha.clone()), wrong, around, None));
        }
        if let Some(advantage) = self.advantage {
            let bound = bounds.map(Bounds::advantage);
            rows.push(row(Measure::Advantage, advantage.value, (advantage.low, advantage.high), bound));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::whole;

    #[test]
    fn rows_have_their_bounds() {
        let others: Vec<f64> = (0..120).map(f64::from).collect();
        let members: Vec<f64> = (0..120).map(|score| f64::from(score) + 100.0).collect();
        let measured = Findings::of(&members, &others, 0.95);
        // 60 people are enough to calibrate 5%, but not 1%.
        assert!(measured.powers[0].is_ok() && measured.powers[1].is_err());
        let bounds = Bounds::of_odds(whole(2)).unwrap();
        let rows = measured.rows(Some(&bounds));
        let names: Vec<String> = rows.iter().map(|row| row.measure.to_string()).collect();
        let five = ["power at 5% false positives", "false positives at 5%, measured"];
        assert_eq!(names, ["AUC", five[0], five[1], "advantage"]);
        let against = |at: usize| rows[at].bound.as_ref().map(|(_, against)| *against);
        assert_eq!(
            [0, 1, 2, 3].map(against),
            [Some(BoundComparison::Beyond), Some(BoundComparison::Beyond), None, Some(BoundComparison::Beyond)]
        );
        assert!(measured.rows(None).iter().all(|row| row.bound.is_none()));
    }
}
