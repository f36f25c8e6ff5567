//! Posterior beliefs under an odds ratio (B-1, B-2), and its gain over a range of priors (B-3).

use crate::adversary::PriorRange;
use crate::exact::{Rational, whole};
use num_traits::{One, Zero};

/// Posterior belief after evidence with likelihood ratio `odds`, from the prior `prior` (B-1).
///
/// `prior` is in `[0,1]`, `odds > 0`. Priors of 0 and 1 do not change.
#[must_use]
pub fn posterior(prior: &Rational, odds: &Rational) -> Rational {
    let weight = prior * odds;
    &weight / (whole(1) - prior + &weight)
}

/// The highest and lowest posterior that likelihood ratios between `1/odds` and `odds` allow, as (lowest, highest).
#[must_use]
pub fn posterior_range(prior: &Rational, odds: &Rational) -> (Rational, Rational) {
    (posterior(prior, &odds.recip()), posterior(prior, odds))
}

/// The smallest γ for which γ-PMP holds at this prior when likelihood ratios are at most `odds` (B-2).
#[must_use]
pub fn tight_gain(prior: &Rational, odds: &Rational) -> Rational {
    if prior.is_zero() || prior.is_one() {
        return whole(1);
    }
    let base = whole(1) + prior * (odds - whole(1));
    let up = odds / &base;
    up.max(base)
}

/// The smallest γ for which γ-PMP holds over all uncertain priors of the range (the inverse in B-3).
#[must_use]
pub fn gain_over(priors: &PriorRange, odds: &Rational) -> Rational {
    let extra = odds - whole(1);
    let up = odds / (whole(1) + priors.low() * &extra);
    let down = whole(1) + priors.high() * &extra;
    up.max(down)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;

    #[test]
    fn posterior_examples() {
        assert_eq!(posterior(&ratio(1, 2), &whole(3)), ratio(3, 4));
        assert_eq!(posterior(&ratio(1, 5), &whole(3)), ratio(3, 7));
        assert_eq!(posterior(&ratio(1, 5), &ratio(1, 3)), ratio(1, 13));
        assert_eq!(posterior(&whole(0), &whole(9)), whole(0));
        assert_eq!(posterior(&whole(1), &whole(9)), whole(1));
    }

    #[test]
    fn gain_is_smallest_where_odds_and_prior_balance() {
        // B-2: γ(p, R) is smallest, √R, at p = 1/(√R + 1); with R = 4 that is 2 at p = 1/3.
        let odds = whole(4);
        assert_eq!(tight_gain(&ratio(1, 3), &odds), whole(2));
        for n in 1..60 {
            assert!(tight_gain(&ratio(n, 60), &odds) >= whole(2));
        }
        assert_eq!(tight_gain(&whole(0), &odds), whole(1));
        assert_eq!(tight_gain(&whole(1), &odds), whole(1));
    }

    #[test]
    fn gain_over_a_range_is_attained_at_its_ends() {
        for (a, b) in [(1, 5), (12, 48), (20, 30), (30, 30), (1, 59)] {
            let range = PriorRange::new(Some(ratio(a, 60)), Some(ratio(b, 60))).unwrap();
            for odds in [ratio(3, 2), whole(2), whole(3), whole(50)] {
                let worst = (a..=b).map(|n| tight_gain(&ratio(n, 60), &odds)).max().unwrap();
                assert_eq!(worst, gain_over(&range, &odds));
            }
        }
    }
}
