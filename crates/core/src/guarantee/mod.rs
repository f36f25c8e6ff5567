//! Guarantees: the promises to a population about a secret, against an adversary.
//!
//! A [`Guarantee`] is created only by validation ([`Guarantee::new`]), and is immutable afterwards, so that its words,
//! its limit and its consequences for other observers always belong to the same promise. It is stored as data
//! (`stored`) and validated again when it is parsed. It determines which promise binds, the cost of groups (F-NIk), and
//! the bound for observers outside the promise ([`Guarantee::power`]).

mod but_for;
mod error;
mod stored;

pub use but_for::ButFor;
pub use error::{GuaranteeError, NotPlain};

use crate::adversary::{Adjacency, Adversary, MovesTogether, Preset};
use crate::budget::{Spend, SpendError};
use crate::exact::Rational;
use crate::loss::Chance;
use crate::promise::{Promise, binding};
use crate::secret::Secret;
use crate::words;

/// The people of a guarantee, and the privacy unit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Subject {
    population: String,
    entity: Option<String>,
}

impl Subject {
    /// The people of this name; `entity` is the column that identifies them, `None` if one row is one person.
    ///
    /// # Errors
    /// When a name is empty, or cannot be printed on one line.
    pub fn new(population: impl Into<String>, entity: Option<String>) -> Result<Self, NotPlain> {
        let population = population.into();
        for (what, name) in [("population", Some(&population)), ("entity", entity.as_ref())] {
            if name.is_some_and(|name| name.trim().is_empty() || name.chars().any(char::is_control)) {
                return Err(NotPlain(what));
            }
        }
        Ok(Self { population, entity })
    }

    /// The name of the population.
    #[must_use]
    pub fn population(&self) -> &str {
        &self.population
    }

    /// The column that identifies people; `None` if one row is one person.
    #[must_use]
    pub fn entity(&self) -> Option<&str> {
        self.entity.as_deref()
    }
}

/// The promises to a population, over everything that is ever released about it.
///
/// ```
/// use deniable_core::adversary::{Adversary, MovesTogether, PriorRange};
/// use deniable_core::exact::ratio;
/// use deniable_core::guarantee::{Guarantee, Subject};
/// use deniable_core::promise::Promise;
/// use deniable_core::secret::Secret;
///
/// // An observer who gave it at most 50% may not become more than 75% sure.
/// let priors = PriorRange::new(None, Some(ratio(1, 2)))?;
/// let adversary = Adversary::new(false, priors, MovesTogether::Alone)?;
/// let subject = Subject::new("patients", Some("patient".to_owned()))?;
/// let promises = vec![Promise::PosteriorAtMost(ratio(3, 4))];
/// let guarantee = Guarantee::new(subject, Secret::Membership, adversary, None, promises)?;
/// assert_eq!(guarantee.limit().to_string(), "3"); // an odds ratio of exactly 3
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guarantee {
    subject: Subject,
    secret: Secret,
    adversary: Adversary,
    preset: Option<Preset>,
    promises: Vec<Promise>,
    /// A promise that allows no more than `limit`.
    binding: Promise,
    limit: Spend,
    but_for: Option<ButFor>,
}

impl Guarantee {
    /// Validates the promises, and computes the largest odds ratio that keeps all of them.
    ///
    /// # Errors
    /// When there is no promise, a promise cannot be kept against this adversary, or two promises cannot be compared
    /// with certainty.
    pub fn new(
        subject: Subject,
        secret: Secret,
        adversary: Adversary,
        preset: Option<Preset>,
        promises: Vec<Promise>,
    ) -> Result<Self, GuaranteeError> {
        let (binding, limit) = match binding(&promises, adversary.priors(), adversary.knows_size())? {
            Some((promise, limit)) => (promise.clone(), limit),
            None => return Err(GuaranteeError::Nothing),
        };
        Ok(Self { subject, secret, adversary, preset, promises, binding, limit, but_for: None })
    }

    /// The same promises, and besides these but for a chance, or none.
    ///
    /// # Errors
    /// When they cannot be kept, or hold for certain already ([`ButFor::new`]).
    pub fn but_for(self, chance: Chance, people: Option<u64>, promises: Vec<Promise>) -> Result<Self, GuaranteeError> {
        let but_for = ButFor::new(chance, people, promises, &self.adversary, &self.limit)?;
        Ok(Self { but_for: Some(but_for), ..self })
    }

    /// The same promise about another secret of the same people.
    #[must_use]
    pub fn about(&self, secret: Secret) -> Self {
        Self { secret, ..self.clone() }
    }

    /// The same promise to people who are identified by another column.
    #[must_use]
    pub fn of(&self, subject: Subject) -> Self {
        Self { subject, ..self.clone() }
    }

    /// The people of the guarantee.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The secret about each person.
    #[must_use]
    pub fn secret(&self) -> Secret {
        self.secret
    }

    /// The adversary of the guarantee.
    #[must_use]
    pub fn adversary(&self) -> &Adversary {
        &self.adversary
    }

    /// The preset that the adversary started from.
    #[must_use]
    pub fn preset(&self) -> Option<Preset> {
        self.preset
    }

    /// The promises: at least one, all kept.
    #[must_use]
    pub fn promises(&self) -> &[Promise] {
        &self.promises
    }

    /// R, the largest odds ratio that keeps every promise, for everything ever released about the subject (C-1). If
    /// people may be known to move together, it is about a whole group.
    #[must_use]
    pub fn limit(&self) -> &Spend {
        &self.limit
    }

    /// The promises that hold but for a chance, if there are any.
    #[must_use]
    pub fn but_for_a_chance(&self) -> Option<&ButFor> {
        self.but_for.as_ref()
    }

    /// The binding promise: the one whose odds ratio is [`Self::limit`].
    #[must_use]
    pub fn binding(&self) -> &Promise {
        &self.binding
    }

    /// The entry of `docs/theorems` that turns the binding promise into [`Self::limit`].
    #[must_use]
    pub fn theorem(&self) -> &'static str {
        self.binding.theorem()
    }

    /// The adjacency of data sets that must not be distinguished.
    #[must_use]
    pub fn adjacency(&self) -> Adjacency {
        self.adversary.adjacency()
    }

    /// The size of the largest group that may be known to move together, at least 1 (F-NIk).
    #[must_use]
    pub fn group(&self) -> u32 {
        self.adversary.moves_together().size()
    }

    /// The odds ratio for one entity if a whole group may give `odds`: its root, because mechanisms that keep `R^(1/k)`
    /// about one entity keep `R` about `k` of them (F-NIk).
    ///
    /// # Errors
    /// Never: the exponent is positive.
    pub fn per_entity(&self, odds: &Spend) -> Result<Spend, SpendError> {
        odds.share(&Rational::new(1.into(), self.group().into()))
    }

    /// The power of the odds ratio that bounds observers with the other knowledge of the size; `None` if no bound is
    /// promised about them (F-DI, F-DB, F-NIk).
    ///
    /// An observer who knows the size under add/remove sees two groups exchanged: the square. If groups have several
    /// sizes, two worlds of one size can be further apart than two groups. Under replace-one, there is no bound for
    /// observers who are uncertain of the size.
    #[must_use]
    pub fn power(&self, knows_size: bool) -> Option<u32> {
        match (knows_size, self.adversary.knows_size()) {
            (true, false) if matches!(self.adversary.moves_together(), MovesTogether::UpTo(2..)) => None,
            (true, false) => Some(2),
            (false, true) => None,
            (true, true) | (false, false) => Some(1),
        }
    }

    /// Whether all promises apply to an observer with this uncertain prior belief: the interval contains it, and every
    /// promise bounds it.
    #[must_use]
    pub fn speaks_of(&self, before: &Rational) -> bool {
        let priors = self.adversary.priors();
        let inside = priors.low() <= before && before <= priors.high();
        inside && self.promises.iter().all(|promise| promise.allows(before).is_some())
    }

    /// The tightest lowest and highest posterior that the promises allow at this prior; `None` if no promise applies to
    /// it.
    #[must_use]
    pub fn allows(&self, before: &Rational) -> Option<(Rational, Rational)> {
        let all = self.promises.iter().filter_map(|promise| promise.allows(before));
        all.reduce(|(floor, ceiling), (low, high)| (floor.max(low), ceiling.min(high)))
    }

    /// Whether it promises less than another guarantee to the same people: larger odds, the same odds about smaller
    /// groups, or larger odds but for a chance, or a larger chance.
    ///
    /// # Errors
    /// When the two limits cannot be compared with certainty.
    pub fn weaker_than(&self, other: &Self) -> Result<bool, SpendError> {
        let by_chance = match (&self.but_for, &other.but_for) {
            (None, known) => known.is_some(),
            (Some(_), None) => false,
            (Some(own), Some(known)) => own.limit().compare(known.limit())?.is_gt() || own.chance() > known.chance(),
        };
        Ok(by_chance || self.limit.compare(&other.limit)?.is_gt() || self.group() < other.group())
    }

    /// Whether it promises the same to the same people; the name of the preset, and the number of people that is stated
    /// beside a chance, are ignored.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> bool {
        let plain = |guarantee: &Self| Self {
            preset: None,
            but_for: guarantee.but_for.clone().map(ButFor::without_people),
            ..guarantee.clone()
        };
        plain(self) == plain(other)
    }

    /// The promises in words, in their order, with their exact numbers; those that hold but for a chance last.
    #[must_use]
    pub fn promises_in_words(&self) -> Vec<String> {
        let known = self.adversary.knows_size();
        let surely = self.promises.iter().map(|promise| words::promise(promise, known, self.secret));
        let but_for = self.but_for.iter().flat_map(|but_for| words::but_for(but_for, known, self.secret));
        surely.chain(but_for).collect()
    }

    /// What the chance is with which promises may not hold, in words; nothing without such promises.
    #[must_use]
    pub fn chance_in_words(&self) -> Vec<String> {
        self.but_for.as_ref().map(words::about_chance).unwrap_or_default()
    }

    /// The adversary in words, one statement per line: the preset, the size, the prior beliefs, the groups.
    #[must_use]
    pub fn adversary_in_words(&self) -> Vec<String> {
        words::adversary(&self.adversary, self.preset, self.secret)
    }

    /// The promises in the short form of `docs/theorems`, such as `gain = 3/2`.
    #[must_use]
    pub fn promises_in_short(&self) -> String {
        let surely = self.promises.iter().map(ToString::to_string);
        let but_for = self.but_for.iter().flat_map(|but_for| {
            but_for.promises().iter().map(|promise| format!("{promise} but for {}", but_for.chance()))
        });
        surely.chain(but_for).collect::<Vec<_>>().join("; ")
    }
}

impl std::fmt::Display for Guarantee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (promises, family) = (self.promises_in_short(), self.adversary.family());
        write!(f, "\"{promises}\" against \"{family}\", odds up to {}", self.limit)
    }
}

#[cfg(test)]
mod tests;
