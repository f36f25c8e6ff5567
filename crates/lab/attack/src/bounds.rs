//! The bounds that a promise puts on every test of membership.
//!
//! Let odds be at most R: no output of the release is more than R times as probable if a person is in the data as if
//! not, or conversely. A test decides membership from outputs, and perhaps from its own randomness, so its rates of
//! true positives `t` and of false positives `α` satisfy `t ≤ R·α`, and the complements satisfy `1 − α ≤ R·(1 − t)`.
//! Therefore
//!
//! > **t ≤ min(R·α, 1 − (1 − α)/R)**
//!
//! Both bounds meet at `α = 1/(R + 1)`, `t = R/(R + 1)`. It follows, exactly:
//!
//! - **advantage** `t − α`: largest at that corner, `(R − 1)/(R + 1)`.
//! - **area** under a ROC curve: every curve is below the bound, so its area is at most that below the bound. The
//!   triangle to the left of the corner has `½ · 1/(R+1) · R/(R+1)`, the trapezoid to the right `½ · R/(R+1) · (R/(R+1) + 1)`;
//!   together `R·(2R + 2) / (2(R + 1)²) = R/(R + 1)`.
//!
//! The inverted test is also a test, so an area is at least `1/(R + 1)`.
//!
//! R must be that of all releases about the pool, and the promise must be about membership: a promise about labels (who
//! is a case) does not limit inference of participation. These are statements on probabilities over the noise. A single
//! release has one draw of the noise for all targets, so measured rates scatter around their mean from release to
//! release, more than sampling of people alone would cause.

use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, whole};
use num_traits::{One, ToPrimitive, Zero};

/// Bounds on every test under odds of at most R.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    odds: Rational,
}

impl Bounds {
    /// The bounds for odds of at most R; `None` below 1, which is not a valid odds bound.
    #[must_use]
    pub fn of_odds(odds: Rational) -> Option<Self> {
        (odds >= Rational::one()).then_some(Self { odds })
    }

    /// The bounds for everything spent. Irrational odds are rounded up.
    #[must_use]
    pub fn of(spent: &Spend) -> Self {
        let odds = spent.exact_odds().unwrap_or_else(|| spent.odds_at_most());
        Self { odds: odds.max(Rational::one()) }
    }

    /// R, at least 1.
    #[must_use]
    pub fn odds(&self) -> &Rational {
        &self.odds
    }

    /// The largest rate of true positives at a rate `alpha` of false positives, clamped to `[0, 1]`.
    #[must_use]
    pub fn power(&self, alpha: &Rational) -> Rational {
        let alpha = alpha.clone().clamp(Rational::zero(), Rational::one());
        let above = &self.odds * &alpha;
        let below = Rational::one() - (Rational::one() - alpha) / &self.odds;
        above.min(below)
    }

    /// The largest area under a ROC curve, `R/(R + 1)`. The smallest is 1 minus this.
    #[must_use]
    pub fn area(&self) -> Rational {
        &self.odds / (&self.odds + whole(1))
    }

    /// The largest difference between the rates of true and of false positives, `(R − 1)/(R + 1)`.
    #[must_use]
    pub fn advantage(&self) -> Rational {
        (&self.odds - whole(1)) / (&self.odds + whole(1))
    }
}

/// The comparison of a measured interval with its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundComparison {
    /// The whole interval is at or below the bound.
    Within,
    /// The bound is inside the interval: there are too few people to decide.
    Undecided,
    /// The whole interval is above the bound: more than the promise allows on average over releases.
    Beyond,
}

impl BoundComparison {
    /// Compares an interval with a bound.
    #[must_use]
    pub fn of((low, high): (f64, f64), bound: &Rational) -> Self {
        let bound = bound.to_f64().unwrap_or(1.0);
        if high <= bound {
            Self::Within
        } else if low <= bound {
            Self::Undecided
        } else {
            Self::Beyond
        }
    }

    /// The text for a table.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Within => "within the bound",
            Self::Undecided => "too few people to decide",
            Self::Beyond => "beyond the bound",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;
    use proptest::prelude::*;

    #[test]
    fn a_doubled_belief() {
        let bounds = Bounds::of_odds(whole(2)).unwrap();
        assert_eq!((bounds.area(), bounds.advantage()), (ratio(2, 3), ratio(1, 3)));
        assert_eq!(bounds.power(&ratio(1, 20)), ratio(1, 10));
        assert_eq!(bounds.power(&ratio(1, 2)), ratio(3, 4));
        assert_eq!(Bounds::of_odds(ratio(1, 2)), None);
        let nothing = Bounds::of(&Spend::nothing());
        assert_eq!((nothing.area(), nothing.power(&ratio(1, 7))), (ratio(1, 2), ratio(1, 7)));
        // √2, rounded up.
        let root = Bounds::of(&Spend::parse("2", "1/2").unwrap());
        assert!(root.odds() * root.odds() >= whole(2) && *root.odds() < ratio(14_143, 10_000));
    }

    proptest! {
        /// The area equals numeric integration of the bound, and the advantage is the largest distance of the bound
        /// from the diagonal.
        #[test]
        fn areas_and_advantages_are_those_of_the_curve(numerator in 1_i64..400, denominator in 1_i64..20) {
            let odds = ratio(numerator, denominator) + Rational::one();
            let bounds = Bounds::of_odds(odds).unwrap();
            let steps = 200_i64;
            let heights: Vec<f64> =
                (0..=steps).map(|step| bounds.power(&ratio(step, steps)).to_f64().unwrap()).collect();
            let width = 1.0 / steps as f64;
            let area: f64 = heights.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0 * width).sum();
            // Trapezoids cut the corner, by less than its slope times the square of a step.
            let slope = bounds.odds().to_f64().unwrap();
            prop_assert!((area - bounds.area().to_f64().unwrap()).abs() <= slope * width * width);
            let gap = heights.iter().zip(0..=steps).map(|(height, step)| height - step as f64 * width).fold(0.0, f64::max);
            let exact = bounds.advantage().to_f64().unwrap();
            prop_assert!(gap <= exact + 1e-12 && gap >= exact - slope * width);
            let corner = Rational::one() / (bounds.odds() + Rational::one());
            prop_assert_eq!(bounds.power(&corner) - &corner, bounds.advantage());
            // Exactly: the sum of the pieces on both sides of the corner.
            let top = bounds.power(&corner);
            let half = ratio(1, 2);
            let left = &half * &corner * &top;
            let right = &half * (Rational::one() - &corner) * (&top + Rational::one());
            prop_assert_eq!(left + right, bounds.area());
        }
    }

    #[test]
    fn intervals_beside_bounds() {
        let bound = ratio(2, 3);
        let words = [(0.4, 0.6), (0.5, 0.7), (0.7, 0.9)].map(|ends| BoundComparison::of(ends, &bound));
        assert_eq!(words, [BoundComparison::Within, BoundComparison::Undecided, BoundComparison::Beyond]);
    }
}
