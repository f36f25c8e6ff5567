//! Notions of privacy, each by the parameter that it bounds.

use crate::mechanism::Dataset;
use deniable_core::adversary::Adjacency;
use deniable_core::exact::Rational;
use deniable_core::notion::Entry;

/// The direction in which belief moves, for one-sided notions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Belief in presence grows: `Pr[o | t]` over `Pr[o | ¬t]`.
    Positive,
    /// Belief in absence grows: the reverse.
    Negative,
    /// Either: the larger of the two ratios.
    Both,
}

impl Sign {
    /// The directions that the sign includes; true where presence is the numerator.
    #[must_use]
    pub fn directions(self) -> &'static [Direction] {
        match self {
            Self::Positive => &[Direction::Presence],
            Self::Negative => &[Direction::Absence],
            Self::Both => &[Direction::Presence, Direction::Absence],
        }
    }
}

/// The event whose belief an observer's output raises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The entity is in the data.
    Presence,
    /// The entity is not in the data.
    Absence,
}

/// A notion of privacy with its parameters, except the parameter that is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notion {
    /// ε-differential privacy between datasets that differ by one entity more or less; the parameter is `e^ε`.
    Unbounded {
        /// Whether the entity is added, removed, or either.
        sign: Sign,
    },
    /// ε-differential privacy between datasets that differ by one entity exchanged; the parameter is `e^ε`.
    Bounded,
    /// Free-lunch privacy: between any two datasets (I-FLP); the parameter is `e^ε`.
    FreeLunch,
    /// (ε,δ)-differential privacy: the parameter is the δ that goes with an `e^ε`, or the reverse.
    Approximate {
        /// The neighbour relation: one entity more or less, or one exchanged.
        adjacency: Adjacency,
        /// The half that is given.
        given: FixedParameter,
    },
    /// Odds that are exceeded with a chance; the parameter is the chance.
    ButFor {
        /// The neighbour relation: one entity more or less, or one exchanged.
        adjacency: Adjacency,
        /// The odds, at least 1.
        odds: Rational,
        /// What may exceed them.
        reading: Reading,
    },
    /// γ-membership privacy over a family of priors: PMP, NMP, or both (B-2, B-3).
    Membership {
        /// PMP, NMP, or both.
        sign: Sign,
    },
    /// The highest (positive) or lowest (negative) belief in presence after an answer, over a family (B-4).
    Posterior {
        /// The highest or the lowest; `Sign::Both` is rejected.
        sign: Sign,
    },
    /// Indistinguishable privacy over a family: by what factor a belief, in presence or absence, falls (I-IND).
    Indistinguishable,
    /// (ρ,m)-differential identifiability: the highest belief in one of `m` equally likely entities (B-5).
    Rho {
        /// `m`, at least 2.
        among: usize,
    },
    /// (α,β)-differential identifiability over worlds of prior at least `least` (B-6): β for positive, α for negative.
    AlphaBeta {
        /// `P_min`, from 0 to 1/2: of two worlds at least one has a prior of at most 1/2.
        least: Rational,
        /// β (positive) or α (negative); `Sign::Both` is rejected.
        sign: Sign,
    },
    /// (α,β)-differential identifiability over worlds whose priors are all in a range (B-6).
    Worlds {
        /// `P_min`, from 0 to 1/2.
        least: Rational,
        /// `P_max`, from `P_min` to 1.
        most: Rational,
        /// True: each world is a known table less one record. False: each world is a known table with one more record.
        removed: bool,
        /// β (positive) or α (negative); `Sign::Both` is rejected.
        sign: Sign,
    },
    /// Add/remove DP after every member was kept with probability β (I-DPS).
    Sampling {
        /// The probability that a member is kept.
        rate: Rational,
        /// Whether the entity is added, removed, or either.
        sign: Sign,
    },
    /// Zero-knowledge privacy with a simulator that sees `rows` random members of the others (I-ZKP).
    ZeroKnowledge {
        /// The number of members that the simulator sees, 0 or more.
        rows: usize,
    },
    /// Zero-knowledge privacy as published, with a simulator that sees `rows` random rows of all; the rows of absent
    /// entities are ⊥ (I-ZKR).
    ZeroKnowledgeRows {
        /// The number of rows that the simulator sees, 0 or more.
        rows: usize,
    },
    /// (k,ε)-crowd-blending privacy (I-CBP); the parameter is `e^ε`.
    CrowdBlending {
        /// The size of a crowd, including the member itself.
        crowd: usize,
    },
    /// DP between induced neighbours: allowed datasets joined by a minimal set of moves (I-INP).
    Induced {
        /// The datasets that the constraints allow. A mechanism by counts names no datasets: the list is empty, and all
        /// given counts are allowed.
        allowed: Vec<Dataset>,
    },
    /// DP between induced neighbours where exchanging one entity for another is one move (I-INX).
    InducedExchange {
        /// The datasets that the constraints allow.
        allowed: Vec<Dataset>,
    },
}

/// The half of (ε,δ) that is fixed; [`decide`](crate::decide::decide) computes the other half.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixedParameter {
    /// `e^ε`, at least 1.
    Odds(Rational),
    /// δ, from 0 to 1.
    Delta(Rational),
}

/// What may exceed odds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Any event, also one that is computed from the output or decided by a coin (B-7).
    Event,
    /// The output alone: probabilistic differential privacy, which computation does not keep (E-7).
    Output,
}

impl Notion {
    /// The notion's entry in the table of notions.
    #[must_use]
    pub fn entry(&self) -> &'static Entry {
        use deniable_core::notion::Notion as NotionName;
        let named = match self {
            Self::Unbounded { sign: Sign::Both } => NotionName::Dp,
            Self::Unbounded { sign: Sign::Positive } => NotionName::PositiveDp,
            Self::Unbounded { sign: Sign::Negative } => NotionName::NegativeDp,
            Self::Bounded => NotionName::BoundedDp,
            Self::FreeLunch => NotionName::FreeLunch,
            Self::Approximate { adjacency: Adjacency::AddRemove, given: FixedParameter::Odds(_) } => NotionName::Delta,
            Self::Approximate { adjacency: Adjacency::ReplaceOne, given: FixedParameter::Odds(_) } => {
                NotionName::BoundedDelta
            }
            Self::Approximate { adjacency: Adjacency::AddRemove, given: FixedParameter::Delta(_) } => {
                NotionName::EpsilonAt
            }
            Self::Approximate { adjacency: Adjacency::ReplaceOne, given: FixedParameter::Delta(_) } => {
                NotionName::BoundedEpsilonAt
            }
            Self::ButFor { adjacency: Adjacency::AddRemove, reading: Reading::Event, .. } => NotionName::Chance,
            Self::ButFor { adjacency: Adjacency::ReplaceOne, reading: Reading::Event, .. } => NotionName::BoundedChance,
            Self::ButFor { adjacency: Adjacency::AddRemove, reading: Reading::Output, .. } => NotionName::Tail,
            Self::ButFor { adjacency: Adjacency::ReplaceOne, reading: Reading::Output, .. } => NotionName::BoundedTail,
            Self::Membership { sign: Sign::Positive } => NotionName::PositiveMembership,
            Self::Membership { sign: Sign::Negative } => NotionName::NegativeMembership,
            Self::Membership { sign: Sign::Both } => NotionName::Membership,
            Self::Posterior { sign: Sign::Negative } => NotionName::PosteriorAtLeast,
            Self::Posterior { .. } => NotionName::PosteriorAtMost,
            Self::Indistinguishable => NotionName::Indistinguishable,
            Self::Rho { .. } => NotionName::Rho,
            Self::AlphaBeta { sign: Sign::Negative, .. } | Self::Worlds { sign: Sign::Negative, .. } => {
                NotionName::Alpha
            }
            Self::AlphaBeta { .. } | Self::Worlds { .. } => NotionName::Beta,
            Self::Sampling { sign: Sign::Positive, .. } => NotionName::PositiveSampling,
            Self::Sampling { .. } => NotionName::Sampling,
            Self::ZeroKnowledge { .. } => NotionName::ZeroKnowledge,
            Self::ZeroKnowledgeRows { .. } => NotionName::ZeroKnowledgeRows,
            Self::CrowdBlending { .. } => NotionName::CrowdBlending,
            Self::Induced { .. } => NotionName::InducedNeighbours,
            Self::InducedExchange { .. } => NotionName::InducedExchange,
        };
        named.entry()
    }

    /// The name of the parameter.
    #[must_use]
    pub fn parameter(&self) -> &'static str {
        self.entry().bounds.name
    }

    /// Whether the parameter depends on a family of priors.
    #[must_use]
    pub fn is_about_beliefs(&self) -> bool {
        matches!(self, Self::Membership { .. } | Self::Posterior { .. } | Self::Indistinguishable)
    }

    /// Whether a larger parameter is weaker protection; false only for the lowest posterior.
    #[must_use]
    pub fn is_worse_when_larger(&self) -> bool {
        !matches!(self, Self::Posterior { sign: Sign::Negative })
    }
}
