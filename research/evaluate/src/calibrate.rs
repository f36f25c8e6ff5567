//! From (α,β) to noise (B-6, M-GEO) and to ε (ABDI-T4).

use crate::adversary::Adversary;
use deniable_core::adversary::PriorRange;
use deniable_core::budget::Spend;
use deniable_core::exact::{Enclosure, Rational, ratio, whole};
use deniable_core::noise::{Decay, DecayError, TwoSidedGeometric};
use deniable_core::promise::PromiseError;
use num_bigint::BigInt;

/// Bits of the printed logarithms.
const BITS: u32 = 128;

/// The largest odds ratio that keeps (α,β) against this adversary, exactly (B-6).
///
/// # Errors
/// When α or β are outside the range of the definition.
pub fn largest_odds(
    adversary: Adversary,
    worlds: usize,
    alpha: &Rational,
    beta: &Rational,
) -> Result<Rational, PromiseError> {
    let promise = adversary.promise(worlds, alpha.clone(), beta.clone());
    // The prior is part of this promise; the range of beliefs about one person has no effect.
    promise.largest_odds(&PriorRange::any()).map(|odds| odds.odds_at_least())
}

/// Two-sided geometric noise of scale `λ = Θ / ln R` in units (M-GEO): the exact law of the drawn noise.
#[derive(Debug, Clone)]
pub struct Noise {
    sampler: TwoSidedGeometric,
    mean_size: Rational,
}

impl Noise {
    /// The noise that hides a change of `theta` units up to the odds ratio `odds`.
    ///
    /// # Errors
    /// When there is no sensible noise.
    pub fn hiding(odds: &Rational, theta: &BigInt) -> Result<Self, CalibrateError> {
        Self::sharing(odds, 1, theta)
    }

    /// The noise of one of `answers ≥ 1` answers that may together give the odds ratio `odds`: `R^(1/answers)` each.
    ///
    /// # Errors
    /// When there is no sensible noise.
    pub fn sharing(odds: &Rational, answers: u32, theta: &BigInt) -> Result<Self, CalibrateError> {
        let all = Spend::odds(odds.clone()).map_err(PromiseError::from)?;
        let each = all.share(&ratio(1, answers.into())).map_err(PromiseError::from)?;
        let decay = Decay::hiding(&each, theta)?;
        let r = decay.ratio();
        // E|k| = 2r / (1−r²), from Pr[k] = (1−r)/(1+r)·r^|k|.
        let mean_size = whole(2) * r / (whole(1) - r * r);
        Ok(Self { sampler: TwoSidedGeometric::new(decay), mean_size })
    }

    /// The expected distance between the answer and the truth, in units, exactly.
    #[must_use]
    pub fn mean_size(&self) -> &Rational {
        &self.mean_size
    }

    /// Draws from it.
    #[must_use]
    pub fn sampler(&self) -> &TwoSidedGeometric {
        &self.sampler
    }
}

/// A promise that no noise keeps.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// An invalid promise.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// No sensible noise for the promise.
    #[error(transparent)]
    Decay(#[from] DecayError),
}

/// `λ = Θ / ln R`, enclosed; Θ in any unit.
#[must_use]
pub fn scale(odds: &Rational, theta: &Rational) -> (Rational, Rational) {
    let ln = Enclosure::ln(odds, BITS);
    (theta / ln.high(), theta / ln.low())
}

/// `ε = Δ/λ = (Δ/Θ)·ln R`, rounded up: the same noise as differential privacy (ABDI-T4).
#[must_use]
pub fn epsilon(odds: &Rational, theta: &Rational, delta: &Rational) -> Rational {
    Enclosure::ln(odds, BITS).times(&(delta / theta)).high()
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::ToPrimitive;

    const WORLDS: usize = 32_562;

    #[test]
    fn odds_are_those_of_the_theorems() {
        let odds = |adversary, alpha, beta| largest_odds(adversary, WORLDS, &alpha, &beta);
        // Theorem 2, and Theorem 3 at P_min = 0: min(1/(1−α), 1+β).
        for adversary in [Adversary::Unknown, Adversary::Strong] {
            assert_eq!(odds(adversary, ratio(1, 2), whole(1)), Ok(whole(2)));
            assert_eq!(odds(adversary, ratio(1, 2), ratio(1, 4)), Ok(ratio(5, 4)));
        }
        // Theorem 3 at P = 1/n: both of its bounds, by hand.
        let n = 32_562;
        assert_eq!(odds(Adversary::Weak, ratio(1, 2), whole(1)), Ok(ratio(2 * n - 1, n - 1)));
        assert_eq!(odds(Adversary::Weak, ratio(4, 5), ratio(1, 4)), Ok(ratio(5 * (n - 1), 4 * n - 5)));
        // Out of range: β of the strong adversary, α of all adversaries.
        assert!(odds(Adversary::Strong, ratio(1, 2), whole(9)).is_err());
        assert!(odds(Adversary::Strong, ratio(1, 2), ratio(899, 100)).is_ok());
        for adversary in Adversary::ALL {
            assert!(odds(adversary, whole(1), whole(1)).is_err());
        }
    }

    /// The closed form of the expected size against the series that defines it.
    #[test]
    fn the_mean_size_is_that_of_the_distribution() {
        let noise = Noise::hiding(&whole(3), &2.into()).unwrap();
        let series: f64 = (1..200).map(|k| 2.0 * f64::from(k) * noise.sampler().probability(k).to_f64().unwrap()).sum();
        assert!((series - noise.mean_size().to_f64().unwrap()).abs() < 1e-12, "{series}");
    }

    /// At wide noise the mean size is λ, as it is for the Laplace noise of the paper.
    #[test]
    fn wide_noise_is_as_wide_as_the_papers() {
        let noise = Noise::hiding(&ratio(126, 125), &98.into()).unwrap();
        let (low, high) = scale(&ratio(126, 125), &whole(98));
        assert!(low <= high && &high - &low < ratio(1, 1_000_000_000));
        let relative = (noise.mean_size() / &high - whole(1)).to_f64().unwrap();
        assert!(relative.abs() < 1e-8, "{relative}");
    }

    #[test]
    fn epsilon_is_the_logarithm_where_both_sensitivities_agree() {
        let found = epsilon(&whole(2), &whole(73), &whole(73)).to_f64().unwrap();
        assert!((found - std::f64::consts::LN_2).abs() < 1e-12, "{found}");
        let wider = epsilon(&whole(2), &whole(73), &whole(90)).to_f64().unwrap();
        assert!((wider / found - 90.0 / 73.0).abs() < 1e-12, "{wider}");
    }
}
