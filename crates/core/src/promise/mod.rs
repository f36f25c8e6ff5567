//! Promises of a curator, and the largest odds ratio that keeps each.
//!
//! Every promise becomes a single number: the largest odds ratio `R` that any release, or all releases
//! together, may give an observer about one person. Translation back to beliefs happens once, from the
//! total (C-1); promises themselves are never composed (E-2, E-3, E-4).

mod allows;
mod bounds;
mod parse;

pub use parse::NotAPromise;

use crate::adversary::PriorRange;
use crate::budget::{Spend, SpendError};
use crate::exact::{Rational, whole};
use crate::notion::Notion;
use num_traits::Signed;

/// Largest ε: a larger value is surely a mistake, and its odds ratio has thousands of digits.
const LARGEST_EPSILON: i64 = 4096;

/// One promise. All parameters are exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Promise {
    /// No observer becomes more than this sure that a person is in the data (B-4); needs an upper prior bound.
    PosteriorAtMost(Rational),
    /// No observer becomes less than this sure that a person is in the data (B-4); needs a lower prior bound.
    PosteriorAtLeast(Rational),
    /// Positive membership privacy with this γ (B-2, B-3).
    Gain(Rational),
    /// Negative membership privacy with this γ (B-3n).
    NegativeGain(Rational),
    /// (ρ,m)-differential identifiability (B-5): one person among `among` equally likely ones.
    Rho {
        /// The highest posterior for any one of them.
        rho: Rational,
        /// The number of equally likely people.
        among: u64,
    },
    /// (α,β)-differential identifiability (B-6) over worlds with prior in `[least, most]`.
    AlphaBeta {
        /// The fraction by which belief in the true world may fall.
        alpha: Rational,
        /// The fraction by which it may rise.
        beta: Rational,
        /// `P_min`: the smallest prior of any possible world; 0 for prior-free.
        least: Rational,
        /// `P_max`: the largest prior of any possible world, where one is stated.
        most: Option<Rational>,
    },
    /// Plain differential privacy with this ε.
    Epsilon(Rational),
    /// The same with ε = ln of this odds ratio, stated exactly.
    Odds(Rational),
}

/// A promise that cannot be kept, or cannot be kept against this adversary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromiseError {
    /// A parameter outside its range.
    #[error("`{name}` = {value} must be {range}")]
    OutOfRange {
        /// The parameter, in the spelling of a policy.
        name: &'static str,
        /// The stated value, exact.
        value: Rational,
        /// The allowed range, in words.
        range: String,
    },
    /// A ceiling or floor against an adversary who may believe anything (B-4).
    #[error("`{name}` cannot be promised unless prior belief is bounded on that side (`prior`, `{end}`)")]
    NeedsPriorBound {
        /// The promise, as [`Promise::name`].
        name: &'static str,
        /// The missing bound of the interval: `at_most` or `at_least`.
        end: &'static str,
    },
    /// A promise that the prior already breaks, or that allows no odds ratio above 1.
    #[error("`{name}` = {value} leaves no room for any answer: someone may already believe {prior} beforehand")]
    NoRoom {
        /// The promise, as [`Promise::name`].
        name: &'static str,
        /// The promised belief, from 0 to 1.
        value: Rational,
        /// The prior that makes the promise impossible.
        prior: Rational,
    },
    /// The promise is about worlds of one size (replace-one).
    #[error("`{name}` is defined for data whose size is public")]
    NeedsKnownSize {
        /// The promise, as [`Promise::name`].
        name: &'static str,
    },
    /// Two promises that cannot be compared with certainty.
    #[error(transparent)]
    Spend(#[from] SpendError),
}

impl Promise {
    /// The notion of privacy that it promises.
    #[must_use]
    pub const fn notion(&self) -> Notion {
        match self {
            Self::PosteriorAtMost(_) => Notion::PosteriorAtMost,
            Self::PosteriorAtLeast(_) => Notion::PosteriorAtLeast,
            Self::Gain(_) => Notion::PositiveMembership,
            Self::NegativeGain(_) => Notion::NegativeMembership,
            Self::Rho { .. } => Notion::Rho,
            Self::AlphaBeta { .. } => Notion::AlphaBeta,
            Self::Epsilon(_) | Self::Odds(_) => Notion::Dp,
        }
    }

    /// The keyword of ledgers and policies.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let entry = self.notion().entry();
        // Every notion that can be promised has a keyword; a test checks the table.
        entry.promise.map_or(entry.name, |promise| promise.key)
    }

    /// The entry of `docs/theorems` that turns it into an odds ratio.
    #[must_use]
    pub fn theorem(&self) -> &'static str {
        self.notion().entry().theorem
    }

    /// Whether it is defined only if the number of people is public.
    #[must_use]
    pub fn needs_known_size(&self) -> bool {
        match self {
            Self::Rho { .. } | Self::AlphaBeta { .. } => true,
            Self::PosteriorAtMost(_)
            | Self::PosteriorAtLeast(_)
            | Self::Gain(_)
            | Self::NegativeGain(_)
            | Self::Epsilon(_)
            | Self::Odds(_) => false,
        }
    }

    /// Whether it bounds how far belief in the secret may rise, or fall.
    #[must_use]
    pub fn bounds_belief_that(&self, rises: bool) -> bool {
        match self {
            Self::PosteriorAtMost(_) | Self::Gain(_) => rises,
            Self::PosteriorAtLeast(_) | Self::NegativeGain(_) => !rises,
            Self::Rho { .. } | Self::AlphaBeta { .. } | Self::Epsilon(_) | Self::Odds(_) => true,
        }
    }

    /// The largest odds ratio that keeps this promise for every prior of the range.
    ///
    /// # Errors
    /// When a parameter is out of range, a needed prior bound is missing, or no odds ratio above 1 keeps it.
    pub fn largest_odds(&self, priors: &PriorRange) -> Result<Spend, PromiseError> {
        match self {
            Self::PosteriorAtMost(ceiling) => bounds::ceiling(ceiling, priors),
            Self::PosteriorAtLeast(floor) => bounds::floor(floor, priors),
            Self::Gain(gamma) => bounds::gain("gain", gamma, priors),
            Self::NegativeGain(gamma) => bounds::gain("negative_gain", gamma, &priors.of_absence()),
            Self::Rho { rho, among } => bounds::rho(rho, *among),
            Self::AlphaBeta { alpha, beta, least, most } => bounds::alpha_beta(alpha, beta, least, most.as_ref()),
            Self::Epsilon(epsilon) => {
                if !epsilon.is_positive() {
                    return Err(bounds::out_of_range("epsilon", epsilon, "above 0"));
                }
                if *epsilon > whole(LARGEST_EPSILON) {
                    let range = format!("at most {LARGEST_EPSILON}; even 10 gives almost no protection");
                    return Err(bounds::out_of_range("epsilon", epsilon, range));
                }
                Ok(Spend::epsilon(epsilon.clone())?)
            }
            Self::Odds(odds) => {
                let spend = Spend::odds(odds.clone())?;
                if !spend.fits(&Spend::epsilon(whole(LARGEST_EPSILON))?)? {
                    let range = format!("such that its logarithm is at most {LARGEST_EPSILON}");
                    return Err(bounds::out_of_range("epsilon", odds, range));
                }
                Ok(spend)
            }
        }
    }
}

impl std::fmt::Display for Promise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PosteriorAtMost(value)
            | Self::PosteriorAtLeast(value)
            | Self::Gain(value)
            | Self::NegativeGain(value)
            | Self::Epsilon(value) => write!(f, "{} = {value}", self.name()),
            Self::Odds(value) => write!(f, "{} = ln({value})", self.name()),
            Self::Rho { rho, among } => write!(f, "rho = {rho} among {among}"),
            Self::AlphaBeta { alpha, beta, least, most } => {
                write!(f, "alpha = {alpha}, beta = {beta}, P_min = {least}")?;
                most.as_ref().map_or(Ok(()), |most| write!(f, ", P_max = {most}"))
            }
        }
    }
}

/// The binding promise of several, and its odds ratio: the smallest, so that all are kept.
///
/// # Errors
/// When any of them cannot be kept against this adversary, or two cannot be compared with certainty.
pub fn binding<'a>(
    promises: &'a [Promise],
    priors: &PriorRange,
    knows_size: bool,
) -> Result<Option<(&'a Promise, Spend)>, PromiseError> {
    let mut smallest: Option<(&Promise, Spend)> = None;
    for promise in promises {
        if promise.needs_known_size() && !knows_size {
            return Err(PromiseError::NeedsKnownSize { name: promise.name() });
        }
        let odds = promise.largest_odds(priors)?;
        smallest = match smallest {
            Some(best) if best.1.compare(&odds)?.is_le() => Some(best),
            _ => Some((promise, odds)),
        };
    }
    Ok(smallest)
}

/// The lowest and highest belief in the true world, as multiples of its prior, under likelihood ratios
/// within `[1/odds, odds]` (B-6). `prior` in `[0, 1]`.
#[must_use]
pub fn world_multiples(prior: &Rational, odds: &Rational) -> (Rational, Rational) {
    let rest = whole(1) - prior;
    ((prior + odds * &rest).recip(), (prior + &rest / odds).recip())
}
