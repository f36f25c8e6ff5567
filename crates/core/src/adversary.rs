//! Adversaries: their knowledge, and their beliefs before the first release.
//!
//! Families of priors (F-DI, F-DB, F-NIk and their `[a,b]` forms) are described by facts that a curator can state:
//! whether the number of people is known, the interval of prior beliefs about each uncertain person, and the number of
//! people who may be known to move together.

use crate::exact::{Rational, ratio, whole};
use crate::secret::Secret;
use num_traits::{One, Zero};

/// Adjacency: the pairs of datasets that a mechanism must not distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjacency {
    /// One entity more or less (S-ADD, family F-DI): the number of people is itself protected.
    AddRemove,
    /// One entity exchanged for another (S-REP, family F-DB): the number of people is public.
    ReplaceOne,
}

impl std::fmt::Display for Adjacency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::AddRemove => "add-remove",
            Self::ReplaceOne => "replace-one",
        })
    }
}

/// Interval of the adversary's prior beliefs about people of whom the adversary is not certain.
///
/// Certainty (a prior of 0 or 1) is always allowed besides: such a belief does not move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriorRange {
    low: Rational,
    high: Rational,
}

/// An invalid interval of prior beliefs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriorRangeError {
    /// A bound of 0 or less, or of 1 or more.
    #[error("a prior belief of {0} is not between 0 and 1; leave the end out to mean \"any\"")]
    OutsideUnit(Rational),
    /// The stated interval has `a > b`.
    #[error("the lowest prior belief, {low}, is above the highest, {high}")]
    Inverted {
        /// The stated lower end, from 0 to 1.
        low: Rational,
        /// The stated upper end, from 0 to 1.
        high: Rational,
    },
}

impl PriorRange {
    /// Prior beliefs between `low` and `high`; `None` means no bound on that side.
    ///
    /// # Errors
    /// When a bound is not strictly between 0 and 1, or `low` is above `high`.
    pub fn new(low: Option<Rational>, high: Option<Rational>) -> Result<Self, PriorRangeError> {
        for end in [&low, &high].into_iter().flatten() {
            if *end <= Rational::zero() || *end >= Rational::one() {
                return Err(PriorRangeError::OutsideUnit(end.clone()));
            }
        }
        let low = low.unwrap_or_else(Rational::zero);
        let high = high.unwrap_or_else(Rational::one);
        if low > high {
            return Err(PriorRangeError::Inverted { low, high });
        }
        Ok(Self { low, high })
    }

    /// All prior beliefs.
    #[must_use]
    pub fn any() -> Self {
        Self { low: Rational::zero(), high: Rational::one() }
    }

    /// The one belief 1/2 (F-DN).
    #[must_use]
    pub fn uniform() -> Self {
        Self { low: ratio(1, 2), high: ratio(1, 2) }
    }

    /// `a`: 0 without a lower bound.
    #[must_use]
    pub fn low(&self) -> &Rational {
        &self.low
    }

    /// `b`: 1 without an upper bound.
    #[must_use]
    pub fn high(&self) -> &Rational {
        &self.high
    }

    /// The same beliefs about absence instead of presence: `[1−b, 1−a]` (B-3n).
    #[must_use]
    pub fn of_absence(&self) -> Self {
        Self { low: whole(1) - &self.high, high: whole(1) - &self.low }
    }

    /// Whether there is no bound on either side.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.low.is_zero() && self.high.is_one()
    }
}

/// Groups of people who may be known to be in or out together (F-NIk).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovesTogether {
    /// All people are independent of each other.
    Alone,
    /// Groups of up to this many, any sizes; only under add/remove.
    UpTo(u32),
    /// Exactly one correlated group of this size; all other people are independent.
    OneGroup(u32),
    /// All people are in groups of exactly this size, each of which is in or out as a whole. Certainty that some
    /// members of a group are out would make groups of mixed sizes, which no bound covers (F-NIk).
    AllOfSize(u32),
}

impl MovesTogether {
    /// The size of the largest group.
    #[must_use]
    pub fn size(self) -> u32 {
        match self {
            Self::Alone => 1,
            Self::UpTo(k) | Self::OneGroup(k) | Self::AllOfSize(k) => k,
        }
    }
}

/// The adversaries against whom a promise is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adversary {
    knows_size: bool,
    priors: PriorRange,
    moves_together: MovesTogether,
}

/// A description of adversaries that no theorem covers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdversaryError {
    /// A group size of 0.
    #[error("a group that moves together has at least one person")]
    EmptyGroup,
    /// Under replace-one, F-NIk covers two patterns only.
    #[error(
        "when the number of people is public, groups of mixed sizes up to {0} are not covered by any bound (F-NIk)"
    )]
    MixedGroupsOfKnownSize(u32),
}

impl Adversary {
    /// An adversary with this knowledge.
    ///
    /// # Errors
    /// For groups that no theorem covers (F-NIk).
    pub fn new(knows_size: bool, priors: PriorRange, moves_together: MovesTogether) -> Result<Self, AdversaryError> {
        match moves_together {
            MovesTogether::UpTo(k) if k > 1 && knows_size => Err(AdversaryError::MixedGroupsOfKnownSize(k)),
            MovesTogether::UpTo(0) | MovesTogether::OneGroup(0) | MovesTogether::AllOfSize(0) => {
                Err(AdversaryError::EmptyGroup)
            }
            MovesTogether::UpTo(1) | MovesTogether::OneGroup(1) | MovesTogether::AllOfSize(1) => {
                Ok(Self { knows_size, priors, moves_together: MovesTogether::Alone })
            }
            _ => Ok(Self { knows_size, priors, moves_together }),
        }
    }

    /// Whether the number of people in the data is taken to be public.
    #[must_use]
    pub fn knows_size(&self) -> bool {
        self.knows_size
    }

    /// The prior beliefs that are covered.
    #[must_use]
    pub fn priors(&self) -> &PriorRange {
        &self.priors
    }

    /// The groups that are covered.
    #[must_use]
    pub fn moves_together(&self) -> MovesTogether {
        self.moves_together
    }

    /// The adjacency that protects against this adversary.
    #[must_use]
    pub fn adjacency(&self) -> Adjacency {
        if self.knows_size { Adjacency::ReplaceOne } else { Adjacency::AddRemove }
    }

    /// The family of priors, as `docs/theorems` names it.
    #[must_use]
    pub fn family(&self) -> String {
        let base = if self.knows_size { "F-DB" } else { "F-DI" };
        let bounds =
            if self.priors.is_any() { String::new() } else { format!("[{},{}]", self.priors.low, self.priors.high) };
        match self.moves_together.size() {
            1 => format!("{base}{bounds}"),
            k => format!("{base}{bounds}, F-NI{k}"),
        }
    }
}

/// A named adversary, so that a curator need not start from numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Gives presence at most 10%, and does not know the number of people.
    Stranger,
    /// Gives presence at most an even chance, and does not know the number of people.
    Acquaintance,
    /// May have any prior belief; does not know the number of people.
    Anyone,
    /// May have any prior belief, and knows the number of people.
    Insider,
}

impl Preset {
    /// All presets, in the order of growing knowledge.
    pub const ALL: [Self; 4] = [Self::Stranger, Self::Acquaintance, Self::Anyone, Self::Insider];

    /// The name used in a policy.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stranger => "stranger",
            Self::Acquaintance => "acquaintance",
            Self::Anyone => "anyone",
            Self::Insider => "insider",
        }
    }

    /// A sentence that describes the preset to a curator.
    #[must_use]
    pub fn sentence(self, secret: Secret) -> String {
        let before = match self {
            Self::Stranger => "gave it at most 10% beforehand",
            Self::Acquaintance => "gave it at most an even chance beforehand",
            Self::Anyone | Self::Insider => "may have believed anything beforehand",
        };
        let knows = if self.knows_size() { "knows exactly" } else { "does not know" };
        format!("someone who {before} and {knows} how many people are {}", secret.of_many())
    }

    /// Whether this adversary knows the number of people.
    #[must_use]
    pub fn knows_size(self) -> bool {
        match self {
            Self::Stranger | Self::Acquaintance | Self::Anyone => false,
            Self::Insider => true,
        }
    }

    /// The prior beliefs of this adversary.
    #[must_use]
    pub fn priors(self) -> PriorRange {
        let high = match self {
            Self::Stranger => ratio(1, 10),
            Self::Acquaintance => ratio(1, 2),
            Self::Anyone | Self::Insider => whole(1),
        };
        PriorRange { low: Rational::zero(), high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prior_ranges_are_checked() {
        assert!(matches!(PriorRange::new(Some(whole(0)), None), Err(PriorRangeError::OutsideUnit(_))));
        assert!(matches!(PriorRange::new(None, Some(whole(1))), Err(PriorRangeError::OutsideUnit(_))));
        assert!(matches!(PriorRange::new(Some(ratio(3, 5)), Some(ratio(2, 5))), Err(PriorRangeError::Inverted { .. })));
        let range = PriorRange::new(Some(ratio(1, 5)), Some(ratio(3, 5))).unwrap();
        assert_eq!(range.of_absence(), PriorRange::new(Some(ratio(2, 5)), Some(ratio(4, 5))).unwrap());
    }

    #[test]
    fn groups_of_mixed_sizes_need_an_unknown_size() {
        let make = |knows, together| Adversary::new(knows, PriorRange::any(), together);
        assert_eq!(make(true, MovesTogether::UpTo(3)), Err(AdversaryError::MixedGroupsOfKnownSize(3)));
        assert!(make(false, MovesTogether::UpTo(3)).is_ok());
        assert!(make(true, MovesTogether::OneGroup(3)).is_ok());
        assert!(make(true, MovesTogether::AllOfSize(3)).is_ok());
        assert_eq!(make(true, MovesTogether::UpTo(1)).unwrap().moves_together(), MovesTogether::Alone);
        assert_eq!(make(false, MovesTogether::UpTo(0)), Err(AdversaryError::EmptyGroup));
    }
}
