//! The formulas B-3 to B-6, each with its conditions.

use super::PromiseError;
use crate::adversary::PriorRange;
use crate::budget::Spend;
use crate::exact::{Rational, whole};
use num_traits::{One, Signed, Zero};

pub(super) fn out_of_range(name: &'static str, value: &Rational, range: impl Into<String>) -> PromiseError {
    PromiseError::OutOfRange { name, value: value.clone(), range: range.into() }
}

/// The odds ratio, or the error that this promise does not allow one above 1.
fn room(odds: Rational, name: &'static str, value: &Rational, prior: &Rational) -> Result<Spend, PromiseError> {
    if odds <= whole(1) {
        return Err(PromiseError::NoRoom { name, value: value.clone(), prior: prior.clone() });
    }
    Ok(Spend::odds(odds)?)
}

fn inside_unit(name: &'static str, value: &Rational) -> Result<(), PromiseError> {
    if value.is_positive() && *value < whole(1) {
        return Ok(());
    }
    Err(out_of_range(name, value, "between 0 and 1, both excluded"))
}

/// B-4: `R ≤ c(1−b) / (b(1−c))`.
pub(super) fn ceiling(c: &Rational, priors: &PriorRange) -> Result<Spend, PromiseError> {
    let name = "posterior_at_most";
    inside_unit(name, c)?;
    let b = priors.high();
    if b.is_one() {
        return Err(PromiseError::NeedsPriorBound { name, end: "at_most" });
    }
    room((c * (whole(1) - b)) / (b * (whole(1) - c)), name, c, b)
}

/// B-4: `R ≤ a(1−f) / (f(1−a))`.
pub(super) fn floor(f: &Rational, priors: &PriorRange) -> Result<Spend, PromiseError> {
    let name = "posterior_at_least";
    inside_unit(name, f)?;
    let a = priors.low();
    if a.is_zero() {
        return Err(PromiseError::NeedsPriorBound { name, end: "at_least" });
    }
    room((a * (whole(1) - f)) / (f * (whole(1) - a)), name, f, a)
}

/// B-3: `R ≤ 1 + (γ−1) / max(b, 1−aγ)`; B-3n is the same over beliefs about absence.
pub(super) fn gain(name: &'static str, gamma: &Rational, priors: &PriorRange) -> Result<Spend, PromiseError> {
    if *gamma <= whole(1) {
        return Err(out_of_range(name, gamma, "above 1 (2 means that belief may at most double)"));
    }
    let (a, b) = (priors.low(), priors.high());
    let divisor = b.max(&(whole(1) - a * gamma)).clone();
    Ok(Spend::odds(whole(1) + (gamma - whole(1)) / divisor)?)
}

/// B-5: `R ≤ ρ(m−1) / (1−ρ)` for `1/m < ρ < 1`.
pub(super) fn rho(rho: &Rational, among: u64) -> Result<Spend, PromiseError> {
    if among < 2 {
        return Err(out_of_range("among", &whole(among), "at least 2"));
    }
    let even = Rational::new(1.into(), among.into());
    if *rho <= even || *rho >= whole(1) {
        return Err(out_of_range("rho", rho, format!("above {even} (the prior among {among}) and below 1")));
    }
    Ok(Spend::odds(rho * whole(among - 1) / (whole(1) - rho))?)
}

/// B-6: both bounds are worst at `P_min`.
pub(super) fn alpha_beta(
    alpha: &Rational,
    beta: &Rational,
    least: &Rational,
    most: Option<&Rational>,
) -> Result<Spend, PromiseError> {
    inside_unit("alpha", alpha)?;
    if !beta.is_positive() {
        return Err(out_of_range("beta", beta, "above 0"));
    }
    if least.is_negative() || *least >= whole(1) {
        return Err(out_of_range("p_min", least, "at least 0 and below 1"));
    }
    if let Some(most) = most {
        if *most < *least || *most >= whole(1) || most.is_zero() {
            return Err(out_of_range("p_max", most, format!("at least p_min = {least}, above 0 and below 1")));
        }
        if *beta >= most.recip() - whole(1) {
            let limit = most.recip() - whole(1);
            return Err(out_of_range("beta", beta, format!("below 1/p_max - 1 = {limit}, or it promises nothing")));
        }
    }
    let rest = whole(1) - least;
    let down = (whole(1) - least * (whole(1) - alpha)) / ((whole(1) - alpha) * &rest);
    let grown = (whole(1) + beta) * least;
    if grown >= whole(1) {
        let limit = least.recip() - whole(1);
        return Err(out_of_range("beta", beta, format!("below 1/p_min - 1 = {limit}, or it promises nothing")));
    }
    let up = (whole(1) + beta) * rest / (whole(1) - grown);
    Ok(Spend::odds(down.min(up))?)
}

#[cfg(test)]
mod tests {
    use super::super::{Promise, binding, world_multiples};
    use super::*;
    use crate::belief::{gain_over, posterior};
    use crate::exact::ratio;
    use proptest::prelude::*;

    fn priors(a: Option<(i64, i64)>, b: Option<(i64, i64)>) -> PriorRange {
        PriorRange::new(a.map(|(n, d)| ratio(n, d)), b.map(|(n, d)| ratio(n, d))).unwrap()
    }

    fn odds(promise: &Promise, range: &PriorRange) -> Rational {
        promise.largest_odds(range).unwrap().exact_odds().unwrap()
    }

    /// B-3's table: the odds ratios under "belief may at most double".
    #[test]
    fn doubling_belief() {
        let double = Promise::Gain(whole(2));
        assert_eq!(odds(&double, &PriorRange::any()), whole(2));
        assert_eq!(odds(&double, &priors(Some((1, 2)), Some((1, 2)))), whole(3));
        assert_eq!(odds(&double, &priors(Some((2, 5)), Some((3, 5)))), ratio(8, 3));
        // The gain over any prior is at most a factor 2 in ε, reached at a = b = 1/(1+γ): R = γ².
        assert_eq!(odds(&double, &priors(Some((1, 3)), Some((1, 3)))), whole(4));
    }

    #[test]
    fn loss_is_gain_about_absence() {
        assert_eq!(odds(&Promise::NegativeGain(whole(2)), &priors(Some((2, 5)), Some((3, 5)))), ratio(8, 3));
        assert_eq!(
            odds(&Promise::NegativeGain(ratio(3, 2)), &priors(Some((1, 5)), Some((1, 2)))),
            odds(&Promise::Gain(ratio(3, 2)), &priors(Some((1, 2)), Some((4, 5))))
        );
    }

    #[test]
    fn ceilings_and_floors() {
        let ceiling = Promise::PosteriorAtMost(ratio(3, 4));
        assert_eq!(odds(&ceiling, &priors(None, Some((1, 2)))), whole(3));
        assert!(matches!(ceiling.largest_odds(&PriorRange::any()), Err(PromiseError::NeedsPriorBound { .. })));
        assert!(matches!(ceiling.largest_odds(&priors(None, Some((3, 4)))), Err(PromiseError::NoRoom { .. })));
        let floor = Promise::PosteriorAtLeast(ratio(1, 10));
        assert_eq!(odds(&floor, &priors(Some((1, 4)), None)), whole(3));
        assert!(matches!(floor.largest_odds(&priors(None, Some((1, 2)))), Err(PromiseError::NeedsPriorBound { .. })));
    }

    #[test]
    fn identifiability() {
        let two = Promise::Rho { rho: ratio(3, 4), among: 2 };
        assert_eq!(odds(&two, &PriorRange::any()), whole(3)); // ρ/(1−ρ)
        let hundred = Promise::Rho { rho: ratio(1, 2), among: 100 };
        assert_eq!(odds(&hundred, &PriorRange::any()), whole(99));
        for (rho, among) in [(ratio(1, 2), 2), (whole(1), 5), (ratio(1, 100), 100), (ratio(1, 2), 1)] {
            assert!(Promise::Rho { rho, among }.largest_odds(&PriorRange::any()).is_err());
        }
    }

    #[test]
    fn alpha_beta_prior_free_and_bounded() {
        let free = |alpha, beta| Promise::AlphaBeta { alpha, beta, least: whole(0), most: None };
        assert_eq!(odds(&free(ratio(1, 2), whole(4)), &PriorRange::any()), whole(2)); // 1/(1−α)
        assert_eq!(odds(&free(ratio(1, 2), ratio(1, 4)), &PriorRange::any()), ratio(5, 4)); // 1+β
        let strong =
            Promise::AlphaBeta { alpha: ratio(1, 2), beta: whole(9), least: whole(0), most: Some(ratio(1, 10)) };
        assert!(strong.largest_odds(&PriorRange::any()).is_err(), "β must be below 9");
    }

    /// E-2: two prior-dependent answers break the composed promise; composing odds does not.
    #[test]
    fn alpha_beta_promises_do_not_compose() {
        let half = ratio(1, 2);
        let each = Promise::AlphaBeta { alpha: half.clone(), beta: half.clone(), least: half.clone(), most: None };
        let one = odds(&each, &PriorRange::any());
        assert_eq!(one, whole(3));
        assert_eq!(world_multiples(&half, &one), (half.clone(), ratio(3, 2)), "a single answer keeps its promise");
        let two = &one * &one;
        let lowest = world_multiples(&half, &two).0;
        assert_eq!(lowest, ratio(1, 5));
        assert!(lowest < (whole(1) - &half) * (whole(1) - &half), "1 − ∏(1−α) would have promised 1/4");
    }

    #[test]
    fn the_strictest_promise_binds() {
        let range = priors(None, Some((1, 2)));
        let all = [Promise::PosteriorAtMost(ratio(3, 4)), Promise::Gain(whole(2)), Promise::Epsilon(whole(1))];
        let (promise, spend) = binding(&all, &range, false).unwrap().unwrap();
        assert_eq!((promise.name(), spend.exact_odds()), ("gain", Some(whole(2))));
        let rho = [Promise::Rho { rho: ratio(3, 4), among: 2 }];
        assert!(matches!(binding(&rho, &range, false), Err(PromiseError::NeedsKnownSize { .. })));
        assert!(binding(&rho, &range, true).is_ok());
        assert_eq!(binding(&[], &range, true), Ok(None));
    }

    proptest! {
        /// Each formula is tight: its odds ratio keeps the promise with equality somewhere.
        #[test]
        fn gains_are_tight(a in 1_i64..99, b in 1_i64..99, g in 101_i64..400) {
            prop_assume!(a <= b);
            let range = priors(Some((a, 100)), Some((b, 100)));
            let gamma = ratio(g, 100);
            prop_assert_eq!(gain_over(&range, &odds(&Promise::Gain(gamma.clone()), &range)), gamma);
        }

        #[test]
        fn ceilings_are_tight(b in 1_i64..99, c in 1_i64..99) {
            prop_assume!(b < c);
            let allowed = odds(&Promise::PosteriorAtMost(ratio(c, 100)), &priors(None, Some((b, 100))));
            prop_assert_eq!(posterior(&ratio(b, 100), &allowed), ratio(c, 100));
        }

        #[test]
        fn floors_are_tight(a in 1_i64..99, f in 1_i64..99) {
            prop_assume!(f < a);
            let allowed = odds(&Promise::PosteriorAtLeast(ratio(f, 100)), &priors(Some((a, 100)), None));
            prop_assert_eq!(posterior(&ratio(a, 100), &allowed.recip()), ratio(f, 100));
        }

        #[test]
        fn alpha_beta_is_tight(p in 0_i64..90, alpha in 1_i64..99, beta in 1_i64..300) {
            let (least, alpha, beta) = (ratio(p, 100), ratio(alpha, 100), ratio(beta, 100));
            prop_assume!((whole(1) + &beta) * &least < whole(1));
            let promise =
                Promise::AlphaBeta { alpha: alpha.clone(), beta: beta.clone(), least: least.clone(), most: None };
            let (low, high) = world_multiples(&least, &odds(&promise, &PriorRange::any()));
            prop_assert!(low >= whole(1) - &alpha && high <= whole(1) + &beta);
            prop_assert!(low == whole(1) - &alpha || high == whole(1) + &beta);
        }
    }
}
