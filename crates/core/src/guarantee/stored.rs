//! The stored form of a guarantee in a ledger: every number is an exact fraction in a text.
//!
//! A parsed guarantee is validated like a new one, and its stored limit must equal the limit of its promises: a
//! guarantee that was edited by hand, or that another version computed differently, is rejected.

use super::{ButFor, Guarantee, Subject};
use crate::adversary::{Adversary, MovesTogether, Preset, PriorRange};
use crate::budget::Spend;
use crate::exact::{Fraction, Rational};
use crate::loss::Chance;
use crate::promise::Promise;
use crate::secret::Secret;
use num_traits::{One, Zero};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredGuarantee {
    population: String,
    entity: Option<String>,
    secret: Secret,
    adversary: StoredAdversary,
    preset: Option<String>,
    promises: Vec<StoredPromise>,
    limit: Spend,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    but_for: Option<StoredButFor>,
}

/// The promises that hold but for a chance.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredButFor {
    chance: Fraction,
    people: Option<u64>,
    promises: Vec<StoredPromise>,
    limit: Spend,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredAdversary {
    knows_size: bool,
    /// `null` for a missing bound.
    prior_at_least: Option<Fraction>,
    prior_at_most: Option<Fraction>,
    moves_together: StoredGroups,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredGroups {
    Alone,
    UpTo(u32),
    OneGroup(u32),
    AllOfSize(u32),
}

/// The names of a policy's keys when the format was fixed.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredPromise {
    PosteriorAtMost(Fraction),
    PosteriorAtLeast(Fraction),
    Gain(Fraction),
    NegativeGain(Fraction),
    Rho {
        rho: Fraction,
        among: u64,
    },
    AlphaBeta {
        alpha: Fraction,
        beta: Fraction,
        p_min: Fraction,
        p_max: Option<Fraction>,
    },
    Epsilon(Fraction),
    /// ε is the logarithm of this number.
    Odds(Fraction),
}

impl From<&Promise> for StoredPromise {
    fn from(promise: &Promise) -> Self {
        let of = |value: &Rational| Fraction(value.clone());
        match promise {
            Promise::PosteriorAtMost(value) => Self::PosteriorAtMost(of(value)),
            Promise::PosteriorAtLeast(value) => Self::PosteriorAtLeast(of(value)),
            Promise::Gain(value) => Self::Gain(of(value)),
            Promise::NegativeGain(value) => Self::NegativeGain(of(value)),
            Promise::Rho { rho, among } => Self::Rho { rho: of(rho), among: *among },
            Promise::AlphaBeta { alpha, beta, least, most } => {
                Self::AlphaBeta { alpha: of(alpha), beta: of(beta), p_min: of(least), p_max: most.as_ref().map(of) }
            }
            Promise::Epsilon(value) => Self::Epsilon(of(value)),
            Promise::Odds(value) => Self::Odds(of(value)),
        }
    }
}

impl From<StoredPromise> for Promise {
    fn from(stored: StoredPromise) -> Self {
        match stored {
            StoredPromise::PosteriorAtMost(Fraction(value)) => Self::PosteriorAtMost(value),
            StoredPromise::PosteriorAtLeast(Fraction(value)) => Self::PosteriorAtLeast(value),
            StoredPromise::Gain(Fraction(value)) => Self::Gain(value),
            StoredPromise::NegativeGain(Fraction(value)) => Self::NegativeGain(value),
            StoredPromise::Rho { rho: Fraction(rho), among } => Self::Rho { rho, among },
            StoredPromise::AlphaBeta {
                alpha: Fraction(alpha),
                beta: Fraction(beta),
                p_min: Fraction(least),
                p_max,
            } => Self::AlphaBeta { alpha, beta, least, most: p_max.map(|Fraction(most)| most) },
            StoredPromise::Epsilon(Fraction(value)) => Self::Epsilon(value),
            StoredPromise::Odds(Fraction(value)) => Self::Odds(value),
        }
    }
}

impl From<&Adversary> for StoredAdversary {
    fn from(adversary: &Adversary) -> Self {
        let (low, high) = (adversary.priors().low(), adversary.priors().high());
        Self {
            knows_size: adversary.knows_size(),
            prior_at_least: (!low.is_zero()).then(|| Fraction(low.clone())),
            prior_at_most: (!high.is_one()).then(|| Fraction(high.clone())),
            moves_together: match adversary.moves_together() {
                MovesTogether::Alone => StoredGroups::Alone,
                MovesTogether::UpTo(size) => StoredGroups::UpTo(size),
                MovesTogether::OneGroup(size) => StoredGroups::OneGroup(size),
                MovesTogether::AllOfSize(size) => StoredGroups::AllOfSize(size),
            },
        }
    }
}

impl StoredAdversary {
    fn checked(self) -> Result<Adversary, String> {
        let end = |end: Option<Fraction>| end.map(|Fraction(end)| end);
        let priors = PriorRange::new(end(self.prior_at_least), end(self.prior_at_most)).map_err(|e| e.to_string())?;
        let together = match self.moves_together {
            StoredGroups::Alone => MovesTogether::Alone,
            StoredGroups::UpTo(size) => MovesTogether::UpTo(size),
            StoredGroups::OneGroup(size) => MovesTogether::OneGroup(size),
            StoredGroups::AllOfSize(size) => MovesTogether::AllOfSize(size),
        };
        Adversary::new(self.knows_size, priors, together).map_err(|error| error.to_string())
    }
}

impl StoredGuarantee {
    fn checked(self) -> Result<Guarantee, String> {
        let subject = Subject::new(self.population, self.entity).map_err(|error| error.to_string())?;
        let preset = match &self.preset {
            None => None,
            Some(name) => {
                let known = Preset::ALL.into_iter().find(|preset| preset.name() == name);
                Some(known.ok_or_else(|| format!("`{}` is not a preset", crate::text::shown(name)))?)
            }
        };
        let promises = self.promises.into_iter().map(Promise::from).collect();
        let guarantee = Guarantee::new(subject, self.secret, self.adversary.checked()?, preset, promises)
            .map_err(|error| error.to_string())?;
        expect_limit(&self.limit, &guarantee.limit)?;
        let Some(StoredButFor { chance: Fraction(chance), people, promises, limit }) = self.but_for else {
            return Ok(guarantee);
        };
        let chance = Chance::new(chance).map_err(|error| error.to_string())?;
        let promises = promises.into_iter().map(Promise::from).collect();
        let guarantee = guarantee.but_for(chance, people, promises).map_err(|error| error.to_string())?;
        guarantee.but_for.iter().try_for_each(|found| expect_limit(&limit, found.limit()))?;
        Ok(guarantee)
    }
}

fn expect_limit(said: &Spend, found: &Spend) -> Result<(), String> {
    if said == found {
        return Ok(());
    }
    Err(format!("its limit is said to be {said}, and its promises allow {found}"))
}

impl From<&ButFor> for StoredButFor {
    fn from(but_for: &ButFor) -> Self {
        Self {
            chance: Fraction(but_for.chance().value().clone()),
            people: but_for.people(),
            promises: but_for.promises().iter().map(StoredPromise::from).collect(),
            limit: but_for.limit().clone(),
        }
    }
}

impl Serialize for Guarantee {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = StoredGuarantee {
            population: self.subject.population.clone(),
            entity: self.subject.entity.clone(),
            secret: self.secret,
            adversary: (&self.adversary).into(),
            preset: self.preset.map(|preset| preset.name().to_owned()),
            promises: self.promises.iter().map(StoredPromise::from).collect(),
            limit: self.limit.clone(),
            but_for: self.but_for.as_ref().map(StoredButFor::from),
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Guarantee {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StoredGuarantee::deserialize(deserializer)?.checked().map_err(D::Error::custom)
    }
}
