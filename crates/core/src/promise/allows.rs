//! The posterior beliefs that a promise allows by its definition, for any mechanism that keeps it.

use super::Promise;
use crate::belief::posterior_range;
use crate::budget::Spend;
use crate::exact::{Rational, whole};
use num_traits::{One, Signed, Zero};

impl Promise {
    /// The lowest and highest posterior that the promise allows an observer with this uncertain prior, in `(0,1)`.
    ///
    /// `None` if the promise does not apply to that prior: (ρ,m) applies to one in `m`, (α,β) to worlds between `P_min`
    /// and `P_max`. Irrational values are rounded outward: this is for display, [`Self::largest_odds`] decides.
    #[must_use]
    pub fn allows(&self, before: &Rational) -> Option<(Rational, Rational)> {
        let (none, all) = (Rational::zero(), Rational::one());
        let absent = &all - before;
        Some(match self {
            Self::PosteriorAtMost(ceiling) => (none, ceiling.clone()),
            Self::PosteriorAtLeast(floor) => (floor.clone(), all),
            // LQS13 Def 3.1 and 3.8: one bounds the belief's factor upward and absence's downward, the other the
            // reverse.
            Self::Gain(gamma) => (none, (before * gamma).min(&all - &absent / gamma)),
            Self::NegativeGain(gamma) => ((before / gamma).max(&all - &absent * gamma), all),
            Self::Rho { rho, among } => {
                return (*before == whole(*among).recip()).then(|| (none, rho.clone()));
            }
            Self::AlphaBeta { alpha, beta, least, most } => {
                let outside = before < least || most.as_ref().is_some_and(|most| before > most);
                return (!outside).then(|| ((&all - alpha) * before, ((&all + beta) * before).min(all.clone())));
            }
            Self::Odds(odds) => posterior_range(before, odds),
            Self::Epsilon(epsilon) => {
                let odds = Spend::epsilon(epsilon.clone()).ok()?.odds_at_most();
                return odds.is_positive().then(|| posterior_range(before, &odds));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adversary::PriorRange;
    use crate::exact::ratio;

    /// The largest odds ratio that keeps a promise over an interval attains the allowed posterior at one of the bounds.
    #[test]
    fn the_largest_odds_reach_what_is_allowed_and_no_more() {
        let (low, high) = (ratio(1, 5), ratio(1, 2));
        let priors = PriorRange::new(Some(low.clone()), Some(high.clone())).unwrap();
        let all = [
            Promise::PosteriorAtMost(ratio(3, 4)),
            Promise::PosteriorAtLeast(ratio(1, 10)),
            Promise::Gain(ratio(3, 2)),
            Promise::NegativeGain(ratio(3, 2)),
        ];
        for promise in all {
            let odds = promise.largest_odds(&priors).unwrap().exact_odds().unwrap();
            let mut reached = false;
            for before in [low.clone(), ratio(1, 3), high.clone()] {
                let (lowest, highest) = posterior_range(&before, &odds);
                let (floor, ceiling) = promise.allows(&before).unwrap();
                assert!(floor <= lowest && highest <= ceiling, "{promise} at {before}");
                reached |= floor == lowest || highest == ceiling;
            }
            assert!(reached, "{promise}");
        }
    }

    #[test]
    fn promises_with_ranges_apply_within_them() {
        let rho = Promise::Rho { rho: ratio(1, 2), among: 10 };
        assert_eq!(rho.allows(&ratio(1, 10)), Some((whole(0), ratio(1, 2))));
        assert_eq!(rho.allows(&ratio(1, 9)), None);
        let worlds =
            Promise::AlphaBeta { alpha: ratio(1, 2), beta: whole(1), least: whole(0), most: Some(ratio(1, 10)) };
        assert_eq!(worlds.allows(&ratio(1, 20)), Some((ratio(1, 40), ratio(1, 10))));
        assert_eq!(worlds.allows(&ratio(1, 5)), None);
    }
}
