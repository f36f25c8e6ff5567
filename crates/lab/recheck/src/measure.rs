//! Bayes' rule, and what each notion measures with it.

use crate::number::{Extended, Q};
use crate::question::{Beliefs, Measure};
use num_traits::{One, Zero};

impl Measure {
    /// The measure for a prior belief `p` in what is on top; `None` where the output never comes. At `p` 0 and 1, which
    /// are no uncertain beliefs, the limit.
    pub(crate) fn at(self, p: &Q, top: &Q, bottom: &Q) -> Option<Extended> {
        let ratio = Extended::ratio(top, bottom)?;
        let one = Q::one();
        let certain = p.is_zero() || p.is_one();
        if self == Self::Ratio || self == Self::Gain && certain {
            return Some(if self == Self::Ratio { ratio } else { ratio.max(Extended::one()) });
        }
        // (1−p) over what it becomes, (1−p)·bottom / all: no division by 1−p, so that it is its own limit at p = 1.
        if self == Self::Fall {
            return Extended::ratio(&(p * top + (&one - p) * bottom), bottom).or(Some(Extended::one()));
        }
        let with = p * top;
        let all = &with + (&one - p) * bottom;
        // The belief afterwards, by Bayes' rule. At a limit the output may never come; the measures below do not look.
        let after = if all.is_zero() { p.clone() } else { with / &all };
        Some(match self {
            Self::Ratio | Self::Fall => ratio,
            // The smallest γ with after ≤ γ·p and 1−p ≤ γ·(1−after).
            Self::Gain => {
                let loss = Extended::ratio(&(&one - p), &(&one - &after))?;
                loss.max(Extended::Finite(after / p))
            }
            Self::Highest => Extended::Finite(after),
            Self::Lowest => Extended::Finite(one - after),
            Self::Beta if p.is_zero() => match ratio {
                Extended::Finite(ratio) => Extended::Finite(ratio - one),
                Extended::Infinite => Extended::Infinite,
            },
            Self::Beta => Extended::Finite(after / p - one),
            Self::Alpha if p.is_zero() => match ratio {
                Extended::Finite(ratio) => Extended::Finite(one - ratio),
                // It grows instead.
                Extended::Infinite => return None,
            },
            Self::Alpha => Extended::Finite(one - after / p),
        })
    }

    /// The worst measure over beliefs: each measure is monotone in the belief, or the larger of two that are, one up
    /// and one down, so it is at an end.
    pub(crate) fn over(self, beliefs: &Beliefs, top: &Q, bottom: &Q) -> Option<Extended> {
        match (self.at(&beliefs.0, top, bottom), self.at(&beliefs.1, top, bottom)) {
            (Some(low), Some(high)) => Some(if self.is_worse(&low, &high) { low } else { high }),
            (low, high) => low.or(high),
        }
    }

    /// Whether `left` protects less than `right`.
    pub(crate) fn is_worse(self, left: &Extended, right: &Extended) -> bool {
        if self == Self::Lowest { left < right } else { left > right }
    }

    /// The value where nothing is learned, if it does not depend on who believes what.
    pub(crate) fn nothing(self) -> Option<Extended> {
        match self {
            Self::Ratio | Self::Gain | Self::Fall => Some(Extended::one()),
            Self::Beta | Self::Alpha => Some(Extended::Finite(Q::zero())),
            Self::Highest | Self::Lowest => None,
        }
    }
}

/// The range of the belief in absence.
pub(crate) fn flipped((low, high): &Beliefs) -> Beliefs {
    (Q::one() - high, Q::one() - low)
}
