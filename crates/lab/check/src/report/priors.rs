//! Reports on a family of priors alone: whether it is scalable, and the pairing of a prior's datasets.

use crate::coupling::{Coupling, couple, holds};
use crate::family::{Family, Prior};
use crate::mechanism::{Dataset, Mechanism};
use crate::scalable::{Obstacle, Scale, TooManyPriors, obstacle};
use crate::subject::View;
use crate::words;
use deniable_core::exact::Rational;
use serde::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter};

/// Whether a family of priors is scalable, downward and upward, so that a gain over it is a likelihood ratio.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScalableReport {
    /// The name of the mechanism and its size, see [`title`](super::title).
    pub mechanism: String,
    /// The family.
    pub family: Family,
    /// Both directions, downward first.
    pub directions: Vec<Scaling>,
}

/// One direction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scaling {
    /// The direction.
    pub scale: Scale,
    /// The obstacle to scaling; `None` if the family is scalable.
    pub obstacle: Option<Obstacle>,
    /// The consequence, or the obstacle, in words.
    pub because: String,
}

impl ScalableReport {
    /// Decides both directions.
    ///
    /// # Errors
    /// When there are too many given priors.
    pub fn new(title: String, view: &View, family: Family) -> Result<Self, TooManyPriors> {
        // A mechanism by counts does not name entities.
        let name = |entity: usize| match view {
            View::Table(mechanism) => mechanism.entities()[entity].clone(),
            View::Counts(_) => format!("entity number {}", entity + 1),
        };
        let direction = |scale: Scale| {
            let limit = if scale == Scale::Down { "0" } else { "1" };
            let obstacle = obstacle(&family, view.entities(), scale)?;
            let because = match &obstacle {
                None => format!("every uncertain belief can be scaled towards {limit}"),
                Some(Obstacle::Range(end)) => format!("no uncertain belief is nearer to {limit} than {end}"),
                Some(Obstacle::Others) => {
                    format!("a belief that goes to {limit} moves others out of the range, since the size is public")
                }
                Some(Obstacle::Prior { prior, entity }) => format!(
                    "prior number {}, scaled about {} towards {limit}, comes near no mixture of the priors",
                    prior + 1,
                    name(*entity)
                ),
            };
            Ok(Scaling { scale, obstacle, because })
        };
        let directions = [Scale::Down, Scale::Up].into_iter().map(direction).collect::<Result<_, _>>()?;
        Ok(Self { mechanism: title, family, directions })
    }
}

impl Scaling {
    fn words(&self) -> (&'static str, &'static str) {
        match self.scale {
            Scale::Down => ("downward", "LQS13-3.6"),
            Scale::Up => ("upward", "LQS13-3.10"),
        }
    }
}

impl Serialize for ScalableReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ScalingJson<'a> {
            direction: &'static str,
            scalable: bool,
            because: &'a str,
            theorem: &'static str,
        }
        serializer.collect_seq(self.directions.iter().map(|scaling| {
            let (direction, theorem) = scaling.words();
            ScalingJson { direction, scalable: scaling.obstacle.is_none(), because: &scaling.because, theorem }
        }))
    }
}

impl Display for ScalableReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}: whether a gain is a likelihood ratio", self.mechanism, words::of_family(&self.family))?;
        for scaling in &self.directions {
            let (direction, theorem) = scaling.words();
            let is = if scaling.obstacle.is_none() { "scalable" } else { "not scalable" };
            writeln!(f, "  {direction}: {is}: {} ({theorem})", scaling.because)?;
        }
        Ok(())
    }
}

/// The coupling of LQS13 Lemma 4.9 for one prior and entity, or the datasets that outweigh all their neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PairingReport {
    /// The name of the mechanism and its size, see [`title`](super::title).
    pub mechanism: String,
    /// The entity.
    pub entity: String,
    /// Whether neighbours differ by one entity exchanged; otherwise by one entity more or less.
    pub exchange: bool,
    /// The pairing, or the proof that no pairing exists.
    pub pairing: Pairing,
}

/// A pairing, or the proof that no pairing exists. Datasets are lists of their members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pairing {
    /// All datasets are paired, so a bound on neighbours bounds the likelihood ratio under this prior.
    Paired(Vec<Pair>),
    /// Datasets with the entity whose total mass exceeds that of all their neighbours without it.
    Stranded(Vec<String>),
}

/// Two neighbouring datasets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The mass of the pair, above 0.
    pub mass: Rational,
    /// The dataset with the entity.
    pub with: String,
    /// The dataset without it.
    pub without: String,
}

/// A pairing that cannot be decided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    /// The prior gives the entity probability 0 or 1.
    #[error("the prior is certain of {0}")]
    Certain(String),
    /// The pairing fails its own check: a defect of this library.
    #[error("the coupling does not keep its definition")]
    Unproved,
}

impl PairingReport {
    /// Pairs the datasets with an entity, by its position, and those without it.
    ///
    /// # Errors
    /// When the prior is certain of the entity.
    pub fn new(
        title: String,
        mechanism: &Mechanism,
        prior: &Prior,
        entity: usize,
        exchange: bool,
    ) -> Result<Self, PairingError> {
        let near = |a: Dataset, b: Dataset| {
            let apart = (a ^ b).count_ones();
            if exchange { apart == 2 && a.count_ones() == b.count_ones() } else { apart == 1 }
        };
        let name = mechanism.entities()[entity].clone();
        let Some(found) = couple(prior, entity, near) else { return Err(PairingError::Certain(name)) };
        // Checked by the definition, so the report is a proof.
        if !holds(&found, prior, entity, near) {
            return Err(PairingError::Unproved);
        }
        let members = |data: Dataset| mechanism.members(data);
        let pair = |(with, without, mass)| Pair { mass, with: members(with), without: members(without) };
        let pairing = match found {
            Coupling::Paired(pairs) => Pairing::Paired(pairs.into_iter().map(pair).collect()),
            Coupling::Stranded(datasets) => Pairing::Stranded(datasets.into_iter().map(members).collect()),
        };
        Ok(Self { mechanism: title, entity: name, exchange, pairing })
    }

    fn neighbours(&self) -> &'static str {
        if self.exchange { "one exchanged" } else { "one more or less" }
    }
}

impl Serialize for PairingReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct PairingJson<'a> {
            entity: &'a str,
            neighbours: &'static str,
            paired: bool,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pairs: Vec<(String, &'a str, &'a str)>,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            stranded: &'a [String],
        }
        let (pairs, stranded): (&[Pair], &[String]) = match &self.pairing {
            Pairing::Paired(pairs) => (pairs, &[]),
            Pairing::Stranded(stranded) => (&[], stranded),
        };
        let written = PairingJson {
            entity: &self.entity,
            neighbours: self.neighbours(),
            paired: matches!(self.pairing, Pairing::Paired(_)),
            pairs: pairs.iter().map(|pair| (pair.mass.to_string(), &*pair.with, &*pair.without)).collect(),
            stranded,
        };
        written.serialize(serializer)
    }
}

impl Display for PairingReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let entity = &self.entity;
        writeln!(f, "{}\n{entity} in and out, {} (LQS13-4.9)", self.mechanism, self.neighbours())?;
        match &self.pairing {
            Pairing::Paired(pairs) => {
                writeln!(f, "  paired, so that a bound on neighbours bounds what this prior learns")?;
                pairs
                    .iter()
                    .try_for_each(|Pair { mass, with, without }| writeln!(f, "    {mass}: {with} with {without}"))
            }
            Pairing::Stranded(datasets) => {
                let weigh = match datasets.len() {
                    1 => "weighs more than all its",
                    _ => "weigh more together than all their",
                };
                let datasets = datasets.join(" and ");
                writeln!(f, "  not paired: given {entity}, {datasets} {weigh} neighbours given not {entity}")
            }
        }
    }
}
