//! The decay `r̂` of the noise: a rational that is certified to be at least `R^(−1/Δ)`.
//!
//! `R^(−1/Δ)` is irrational in general. A larger `r̂` means wider noise and a smaller odds ratio, so rounding up is
//! safe (section "Shares and rounding" of `docs/theorems`). The width grows by less than one part in a million, in
//! practice in 10¹⁵; a rational root is taken exactly.

use crate::budget::{Base, Spend, exact_root};
use crate::exact::{Enclosure, Rational, Rounding, decimal, power, whole};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive};

/// Largest exponent and degree for which an exact root is computed.
const LARGEST_EXACT: u32 = 64;
/// Noise wider than `2^WIDEST` grid units is refused: the answers would be useless.
const WIDEST: u32 = 90;
/// Noise narrower than this (`ln R / Δ` above it) is refused: the promise is surely a mistake.
const NARROWEST: i64 = 4096;
/// Bits of relative precision beyond the magnitude.
const PRECISION: u32 = 64;

/// An odds ratio and a sensitivity without a sensible noise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecayError {
    /// The noise would exceed every answer.
    #[error(
        "the noise would be wider than 2^{WIDEST} grid units; spend more on this answer or bound its column more tightly"
    )]
    TooWide,
    /// The noise would be negligible.
    #[error("an odds ratio of e^{NARROWEST} or more gives no protection; check the promise")]
    TooNarrow,
    /// A sensitivity of zero or less, which is a programming error.
    #[error("the sensitivity must be at least 1 grid unit, not {0}")]
    Sensitivity(BigInt),
}

/// The ratio `r̂` of neighbouring probabilities of two-sided geometric noise, strictly between 0 and 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decay(Rational);

impl Decay {
    /// The decay that hides a change of `sensitivity` grid units up to the odds ratio `odds`.
    ///
    /// # Errors
    /// When the sensitivity is not positive, or the noise would be absurdly wide or narrow.
    pub fn hiding(odds: &Spend, sensitivity: &BigInt) -> Result<Self, DecayError> {
        if !sensitivity.is_positive() {
            return Err(DecayError::Sensitivity(sensitivity.clone()));
        }
        if let Some(exact) = exact_decay(odds, sensitivity) {
            return Ok(Self(exact));
        }
        // y = ln R / Δ, first coarsely for its magnitude, then with the precision that the magnitude needs.
        let rough = odds.ln(WIDEST + PRECISION).low() / whole(sensitivity.clone());
        if rough > whole(NARROWEST) {
            return Err(DecayError::TooNarrow);
        }
        if rough < Rational::new(BigInt::one(), BigInt::one() << WIDEST) {
            return Err(DecayError::TooWide);
        }
        let leading_zeros = u32::try_from(rough.recip().to_integer().bits()).unwrap_or(WIDEST);
        let magnitude = (rough * whole(2)).ceil().to_integer().to_u32().unwrap_or(u32::MAX / 8);
        let bits = PRECISION + leading_zeros + magnitude;
        let exponent = odds.ln(bits + 32).times(&-Rational::new(BigInt::one(), sensitivity.clone()));
        let upper = Enclosure::exp(&exponent).high();
        let scale = BigInt::one() << bits;
        let units = (upper * whole(scale.clone())).ceil().to_integer();
        if units >= scale {
            return Err(DecayError::TooWide);
        }
        Ok(Self(Rational::new(units, scale)))
    }

    /// A decay given outright, strictly between 0 and 1.
    #[must_use]
    pub fn exactly(ratio: Rational) -> Option<Self> {
        (ratio.is_positive() && ratio < whole(1)).then_some(Self(ratio))
    }

    /// `r̂`, the ratio of neighbouring probabilities: from 0 to 1, both excluded.
    #[must_use]
    pub fn ratio(&self) -> &Rational {
        &self.0
    }

    /// The scale `λ = −1 / ln r̂` in grid units, as a decimal with three significant places, rounded up.
    #[must_use]
    pub fn scale(&self) -> String {
        decimal(&self.scale_bound(), 3, Rounding::Up)
    }

    /// A rational just above the scale `λ`.
    #[must_use]
    pub fn scale_bound(&self) -> Rational {
        -Enclosure::ln(&self.0, 256).high().recip()
    }
}

/// `R^(−1/Δ)` if it is rational with small exponents.
fn exact_decay(odds: &Spend, sensitivity: &BigInt) -> Option<Rational> {
    let mut terms = odds.terms();
    let (base, share) = terms.next()?;
    let Base::Odds(base) = base else { return None };
    if terms.next().is_some() {
        return None;
    }
    let exponent = share / whole(sensitivity.clone());
    let up = exponent.numer().to_u32().filter(|n| *n <= LARGEST_EXACT)?;
    let root = exponent.denom().to_u32().filter(|n| *n <= LARGEST_EXACT)?;
    exact_root(&power(base, up), root).map(|value| value.recip())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;
    use proptest::prelude::*;

    #[test]
    fn rational_roots_are_exact() {
        let hiding = |odds: &Spend, delta: i64| Decay::hiding(odds, &delta.into()).unwrap().0;
        let three = Spend::odds(whole(3)).unwrap();
        assert_eq!(hiding(&three, 1), ratio(1, 3));
        assert_eq!(hiding(&Spend::odds(whole(9)).unwrap(), 2), ratio(1, 3));
        assert_eq!(hiding(&Spend::odds(ratio(27, 8)).unwrap(), 3), ratio(2, 3));
        assert_eq!(hiding(&three.share(&whole(2)).unwrap(), 1), ratio(1, 9));
    }

    #[test]
    fn absurd_noise_is_refused() {
        let three = Spend::odds(whole(3)).unwrap();
        assert_eq!(Decay::hiding(&three, &0.into()), Err(DecayError::Sensitivity(0.into())));
        assert_eq!(Decay::hiding(&three, &(BigInt::one() << 91)), Err(DecayError::TooWide));
        assert_eq!(Decay::hiding(&Spend::epsilon(whole(5000)).unwrap(), &1.into()), Err(DecayError::TooNarrow));
        assert!(Decay::hiding(&three, &(BigInt::one() << 85)).is_ok());
        assert!(Decay::hiding(&Spend::epsilon(whole(4000)).unwrap(), &1.into()).is_ok());
    }

    /// `r̂^Δ ≥ 1/R` and the noise is wider by less than a part in a million (checked to 10⁻¹²).
    fn check(odds: &Spend, delta: &BigInt) {
        let decay = Decay::hiding(odds, delta).unwrap();
        let bits = 400;
        let wanted = odds.ln(bits).times(&Rational::new(BigInt::one(), delta.clone()));
        let got = Enclosure::ln(decay.ratio(), bits).times(&whole(-1));
        let exact = exact_decay(odds, delta).is_some();
        assert!(exact || got.high() <= wanted.low(), "unsafe side for {odds} over {delta}");
        let widened = wanted.high() / got.low() - whole(1);
        assert!(widened < Rational::new(1.into(), 1_000_000_000_000_i64.into()), "{odds} over {delta}: {widened}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn rounding_is_safe_and_small(n in 11_i64..400, share in 1_i64..200, delta in 1_u64..u64::MAX) {
            let odds = Spend::odds(ratio(n, 10)).unwrap().share(&ratio(share, 200)).unwrap();
            check(&odds, &delta.into());
            check(&odds, &(delta % 1000 + 1).into());
            check(&Spend::epsilon(ratio(n, 1000)).unwrap(), &(delta % 100_000 + 1).into());
        }
    }
}
