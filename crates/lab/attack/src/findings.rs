//! One test on people of whom the truth is known: every number with its interval, and beside it what a promise allows.

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

/// What a test reaches.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Members with a statistic.
    pub members: usize,
    /// Non-members with one.
    pub others: usize,
    /// The coverage of all intervals, in `(0, 1)`.
    pub confidence: f64,
    /// The ROC curve, of everybody.
    pub roc: Vec<Point>,
    /// The area under it; `None` where there are fewer than two members or others.
    pub area: Option<Area>,
    /// The power at [`rates`], or that there are too few non-members to speak of it.
    pub powers: Vec<Result<Power, TooFew>>,
    /// The advantage; `None` as for the area.
    pub advantage: Option<Advantage>,
}

/// What is measured of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// The area under the ROC curve.
    Area,
    /// The share of members found at this rate of false positives.
    Power(Rational),
    /// The rate of false positives itself, where the threshold was set for this rate.
    FalsePositives(Rational),
    /// The largest power less false positives.
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

/// A number to show, with what is allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is.
    pub measure: Measure,
    /// The number.
    pub value: f64,
    /// The ends of its interval.
    pub interval: (f64, f64),
    /// The most that a promise allows, and how the interval lies to it; `None` without a promise, and for rates of false
    /// positives, of which none is promised.
    pub bound: Option<(Rational, BoundComparison)>,
}

impl Findings {
    /// Measures a statistic of members and of others, both finite, at a confidence in `(0, 1)`.
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

    /// Everything that could be measured, beside its bound.
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
    fn rows_stand_beside_their_bounds() {
        let others: Vec<f64> = (0..120).map(f64::from).collect();
        let members: Vec<f64> = (0..120).map(|score| f64::from(score) + 100.0).collect();
        let measured = Findings::of(&members, &others, 0.95);
        // 60 people calibrate 5% and not 1%.
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
