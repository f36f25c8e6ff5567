//! The two error ratios that the paper's text quotes, and the computed ones at the same points.

use crate::EvaluateError;
use crate::adult::{Adult, Column};
use crate::adversary::Adversary;
use crate::calibrate::{Noise, largest_odds, scale};
use crate::queries::{Aggregate, Query};
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::{Pow, ToPrimitive};

/// An error ratio, as the paper quotes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedRatio {
    /// The query.
    pub query: Query,
    /// The adversary: both figures are beside Figure 1.
    pub adversary: Adversary,
    /// α of the promise.
    pub alpha: Rational,
    /// β of the promise.
    pub beta: Rational,
    /// The error ratio.
    pub ratio: Rational,
    /// Half a unit of its only digit: the largest rounding error.
    pub half: Rational,
}

impl QuotedRatio {
    /// Both, in the order of the text: `9×10^−3` for SUM(hours_per_week), `0.1` for MAX(capital_loss).
    #[must_use]
    pub fn all() -> [Self; 2] {
        let adversary = Adversary::Weak;
        [
            Self {
                query: Query { aggregate: Aggregate::Sum, column: Column::HoursPerWeek },
                adversary,
                alpha: ratio(8, 1000),
                beta: ratio(8, 1000),
                ratio: ratio(9, 1000),
                half: ratio(1, 2000),
            },
            Self {
                query: Query { aggregate: Aggregate::Max, column: Column::CapitalLoss },
                adversary,
                alpha: ratio(1, 2),
                beta: whole(1),
                ratio: ratio(1, 10),
                half: ratio(1, 20),
            },
        ]
    }

    /// The error ratio of the declared domain at the same point.
    ///
    /// # Errors
    /// When no noise keeps the promise, which does not occur here.
    pub fn compare(self, adult: &Adult, worlds: usize) -> Result<RatioComparison, EvaluateError> {
        let odds = largest_odds(self.adversary, worlds, &self.alpha, &self.beta)?;
        let noise = Noise::hiding(&odds, &self.query.theta_units())?;
        let (low, high) = (&self.ratio - &self.half, &self.ratio + &self.half);
        let value = whole(self.query.units(adult));
        // λ = Θ/ln R and E|noise| = λ, so Θ = ratio · value · ln R.
        let ln = scale(&odds, &whole(1)).1.recip();
        let theta = |part: &Rational| part * &value * &ln;
        // Of the geometric noise: Pr[|k| ≥ m] = 2 r^m / (1+r) for m ≥ 1.
        let r = noise.sampler().decay().ratio().to_f64().unwrap_or(1.0);
        let beyond = |part: &Rational| {
            let from = (part * &value).ceil().to_f64().unwrap_or(f64::INFINITY);
            2.0 * Pow::pow(r, from) / (1.0 + r)
        };
        Ok(RatioComparison {
            expected: (noise.mean_size() / &value).to_f64().unwrap_or(f64::INFINITY),
            theta: (theta(&low), theta(&self.ratio), theta(&high)),
            one_draw: beyond(&low) - beyond(&high),
            odds,
            quoted: self,
        })
    }
}

/// A quoted error ratio compared with the computed one.
#[derive(Debug, Clone, PartialEq)]
pub struct RatioComparison {
    /// The quoted figure.
    pub quoted: QuotedRatio,
    /// The largest odds ratio of the promise.
    pub odds: Rational,
    /// The expected error ratio with Θ of the declared domain.
    pub expected: f64,
    /// The Θ that would give the lowest ratio that rounds to the quoted one, the quoted one, and the highest.
    pub theta: (Rational, Rational, Rational),
    /// The probability that a single draw with our Θ has an error ratio that rounds to the quoted one.
    pub one_draw: f64,
}

impl RatioComparison {
    /// Whether our ratio rounds to the quoted one.
    #[must_use]
    pub fn agrees(&self) -> bool {
        let theta = whole(self.quoted.query.theta_units());
        self.theta.0 <= theta && theta < self.theta.2
    }
}

/// The largest value of a column, its number of rows, and the second largest value, if any.
#[must_use]
pub fn top(adult: &Adult, column: Column) -> (i64, usize, Option<i64>) {
    let values = adult.sorted(column);
    let largest = values.last().copied().unwrap_or_default();
    let below = values.partition_point(|value| *value < largest);
    (largest, values.len() - below, below.checked_sub(1).map(|at| values[at]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::LOG2_E; // 1 over ln 2: noise for odds of 2, beside Θ

    /// As many rows as Adult has, with its sum of hours and its largest capital loss.
    fn stand_in() -> Adult {
        let line = |loss: u32, hours: u32| format!("40, a, 1, b, 1, c, d, e, f, g, 0, {loss}, {hours}, h, i\n");
        let mut text = line(4356, 40);
        let longer = 1_316_684 - 40 * 32_561;
        (1..32_561).for_each(|row| text.push_str(&line(row % 3 * 1950, if row <= longer { 41 } else { 40 })));
        Adult::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_quoted_figures_are_met_and_missed_as_the_page_says() {
        let adult = stand_in();
        let [hours, loss] = QuotedRatio::all().map(|quoted| quoted.compare(&adult, adult.rows() + 1).unwrap());
        assert_eq!(hours.quoted.query.units(&adult), 1_316_684.into());
        assert_eq!(hours.quoted.query.theta_units(), 98.into());
        assert!((hours.expected - 9.34e-3).abs() < 5e-6 && hours.agrees(), "{}", hours.expected);
        assert_eq!(loss.quoted.query.theta_units(), 4356.into());
        assert!((loss.expected - LOG2_E).abs() < 5e-5 && !loss.agrees(), "{}", loss.expected);
        // The Θ that would give 0.1: ln 2 · 0.1 · 4356, next to it at A_w's prior.
        let float = |theta: &Rational| theta.to_f64().unwrap();
        assert!((float(&loss.theta.1) - 301.94).abs() < 0.01, "{}", float(&loss.theta.1));
        assert!((float(&loss.theta.0) * 2.0 / float(&loss.theta.1) - 1.0).abs() < 1e-12);
        // Laplace noise of that scale: e^(−0.05 ln 2) − e^(−0.15 ln 2).
        let chance = 2_f64.powf(-0.05) - 2_f64.powf(-0.15);
        assert!((loss.one_draw - chance).abs() < 1e-3, "{} for {chance}", loss.one_draw);
        assert_eq!(top(&adult, Column::CapitalLoss), (4356, 1, Some(3900)));
    }

    /// MAX(capital_loss) at (0.5, 1) is 1.44 against every adversary: no adversary explains the quoted 0.1.
    #[test]
    fn no_adversary_gives_the_other_figure() {
        let adult = stand_in();
        for adversary in Adversary::ALL {
            let [_, loss] = QuotedRatio::all();
            let found = QuotedRatio { adversary, ..loss }.compare(&adult, adult.rows() + 1).unwrap();
            assert!((found.expected - LOG2_E).abs() < 1e-4, "{adversary:?}: {}", found.expected);
        }
    }
}
