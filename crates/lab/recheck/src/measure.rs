//! Bayes' rule, and the measure of each notion.

use crate::number::{ExtendedNumber, Q};
use crate::question::{Beliefs, Measure};
use num_traits::{One, Zero};

impl Measure {
    /// The measure for a prior belief `p` in the event on top of the ratio; `None` if the output is impossible. At `p`
    /// 0 and 1, which are certain, the limit.
    pub(crate) fn at(self, p: &Q, top: &Q, bottom: &Q) -> Option<ExtendedNumber> {
        let ratio = ExtendedNumber::ratio(top, bottom)?;
        let one = Q::one();
        let certain = p.is_zero() || p.is_one();
        if self == Self::Ratio || self == Self::Gain && certain {
            return Some(if self == Self::Ratio { ratio } else { ratio.max(ExtendedNumber::one()) });
        }
        // (1−p) over its posterior, (1−p)·bottom / all: without a division by 1−p, so the limit at p = 1 needs no
        // special case.
        if self == Self::Fall {
            return ExtendedNumber::ratio(&(p * top + (&one - p) * bottom), bottom).or(Some(ExtendedNumber::one()));
        }
        let with = p * top;
        let all = &with + (&one - p) * bottom;
        // The posterior by Bayes' rule. At a limit the output may be impossible; the measures below do not depend on it
        // then.
        let after = if all.is_zero() { p.clone() } else { with / &all };
        Some(match self {
            Self::Ratio | Self::Fall => ratio,
            // The smallest γ with after ≤ γ·p and 1−p ≤ γ·(1−after).
            Self::Gain => {
                let loss = ExtendedNumber::ratio(&(&one - p), &(&one - &after))?;
                loss.max(ExtendedNumber::Finite(after / p))
            }
            Self::Highest => ExtendedNumber::Finite(after),
            Self::Lowest => ExtendedNumber::Finite(one - after),
            Self::Beta if p.is_zero() => match ratio {
                ExtendedNumber::Finite(ratio) => ExtendedNumber::Finite(ratio - one),
                ExtendedNumber::Infinite => ExtendedNumber::Infinite,
            },
            Self::Beta => ExtendedNumber::Finite(after / p - one),
            Self::Alpha if p.is_zero() => match ratio {
                ExtendedNumber::Finite(ratio) => ExtendedNumber::Finite(one - ratio),
                // The belief grows instead.
                ExtendedNumber::Infinite => return None,
            },
            Self::Alpha => ExtendedNumber::Finite(one - after / p),
        })
    }

    /// The worst measure over beliefs: each measure is monotone in the belief, or the maximum of an increasing and a
    /// decreasing one, so it is at an end.
    pub(crate) fn over(self, beliefs: &Beliefs, top: &Q, bottom: &Q) -> Option<ExtendedNumber> {
        match (self.at(&beliefs.0, top, bottom), self.at(&beliefs.1, top, bottom)) {
            (Some(low), Some(high)) => Some(if self.is_worse(&low, &high) { low } else { high }),
            (low, high) => low.or(high),
        }
    }

    /// Whether `left` protects less than `right`.
    pub(crate) fn is_worse(self, left: &ExtendedNumber, right: &ExtendedNumber) -> bool {
        if self == Self::Lowest { left < right } else { left > right }
    }

    /// The value of the measure for a constant answer, if it does not depend on the prior.
    pub(crate) fn nothing(self) -> Option<ExtendedNumber> {
        match self {
            Self::Ratio | Self::Gain | Self::Fall => Some(ExtendedNumber::one()),
            Self::Beta | Self::Alpha => Some(ExtendedNumber::Finite(Q::zero())),
            Self::Highest | Self::Lowest => None,
        }
    }
}

/// The range of the belief in absence.
pub(crate) fn flipped((low, high): &Beliefs) -> Beliefs {
    (Q::one() - high, Q::one() - low)
}
