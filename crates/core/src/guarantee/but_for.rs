//! The second promise of a guarantee: odds below those that hold for certain, but for a stated chance (B-7).

use super::GuaranteeError;
use crate::adversary::Adversary;
use crate::budget::Spend;
use crate::exact::whole;
use crate::loss::Chance;
use crate::promise::{Promise, binding};

/// Promises that every observer's belief keeps but for a chance.
///
/// For each observer separately, who is right about the other people: the chance that anything released moves belief
/// about a person beyond these promises, over the noise, is at most the stated one, both if the person is in the data
/// and if not, and in both directions together where they bound both. It is not a chance about the person, and it does not fall or rise with the number of observers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ButFor {
    chance: Chance,
    people: Option<u64>,
    promises: Vec<Promise>,
    binding: Promise,
    limit: Spend,
}

impl ButFor {
    /// Validates the promises against the adversary, and computes the largest odds ratio that keeps all of them;
    /// `surely` is the odds ratio that holds for certain. `people` is a public number of people, at least 1, for the
    /// expected number of those about whom belief moves beyond the promises.
    ///
    /// # Errors
    /// When there is no promise, a promise is about worlds and not about one person, it cannot be kept, it holds for
    /// certain already, or people may be known to move together.
    pub fn new(
        chance: Chance,
        people: Option<u64>,
        promises: Vec<Promise>,
        adversary: &Adversary,
        surely: &Spend,
    ) -> Result<Self, GuaranteeError> {
        if adversary.moves_together().size() > 1 {
            return Err(GuaranteeError::GroupsButFor);
        }
        let of_worlds = promises.iter().find(|promise| promise.needs_known_size());
        if let Some(promise) = of_worlds {
            return Err(GuaranteeError::WorldsButFor(promise.name()));
        }
        let Some((binding, limit)) = binding(&promises, adversary.priors(), adversary.knows_size())? else {
            return Err(GuaranteeError::NothingButFor);
        };
        if surely.fits(&limit).map_err(crate::promise::PromiseError::from)? {
            return Err(GuaranteeError::SurelyAlready { surely: surely.clone(), but_for: limit });
        }
        Ok(Self { chance, people, binding: binding.clone(), promises, limit })
    }

    /// The chance that something released breaks the promises, for each observer and each person.
    #[must_use]
    pub fn chance(&self) -> &Chance {
        &self.chance
    }

    /// The chance of an event of odds above [`Self::limit`] in one direction with which the promises hold. They may be
    /// broken by belief that rises and by belief that falls; where they bound both, the two events together have a chance
    /// of at most `1 + 1/R′` times that (B-7).
    #[must_use]
    pub fn event_chance(&self) -> Chance {
        if self.directions() != (true, true) {
            return self.chance.clone();
        }
        let odds = self.limit.odds_at_least();
        let part = &odds / (whole(1) + &odds);
        // Between 0 and 1, as both factors are.
        Chance::new(self.chance.value() * part).unwrap_or_else(|_| self.chance.clone())
    }

    pub(super) fn without_people(self) -> Self {
        Self { people: None, ..self }
    }

    /// Whether the promises bound belief that rises, and belief that falls.
    #[must_use]
    pub fn directions(&self) -> (bool, bool) {
        let is_bounded = |rises: bool| self.promises.iter().any(|promise| promise.bounds_belief_that(rises));
        (is_bounded(true), is_bounded(false))
    }

    /// A public number of people, if one is stated.
    #[must_use]
    pub fn people(&self) -> Option<u64> {
        self.people
    }

    /// The promises: at least one, all kept but for the chance.
    #[must_use]
    pub fn promises(&self) -> &[Promise] {
        &self.promises
    }

    /// The binding promise: the one whose odds ratio is [`Self::limit`].
    #[must_use]
    pub fn binding(&self) -> &Promise {
        &self.binding
    }

    /// `R′`, the largest odds ratio that keeps every promise, below the odds that hold for certain.
    #[must_use]
    pub fn limit(&self) -> &Spend {
        &self.limit
    }
}
