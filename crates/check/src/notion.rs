//! Notions of privacy, by the parameter that each of them bounds.

use crate::mechanism::Dataset;
use deniable_core::adversary::Adjacency;
use deniable_core::exact::Rational;

/// Which way belief moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Belief in presence grows: `Pr[o | t]` over `Pr[o | ¬t]`.
    Positive,
    /// Belief in absence grows: the reverse.
    Negative,
    /// Either.
    Both,
}

impl Sign {
    /// The directions in it, each as whether presence is on top.
    #[must_use]
    pub fn directions(self) -> &'static [Direction] {
        match self {
            Self::Positive => &[Direction::Presence],
            Self::Negative => &[Direction::Absence],
            Self::Both => &[Direction::Presence, Direction::Absence],
        }
    }
}

/// What the observer grows surer of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// That the entity is in.
    Presence,
    /// That it is not.
    Absence,
}

/// A notion of privacy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notion {
    /// ε-differential privacy between datasets that differ by one entity more or less; the parameter is `e^ε`.
    Unbounded {
        /// More, less, or both.
        sign: Sign,
    },
    /// ε-differential privacy between datasets that differ by one entity exchanged; the parameter is `e^ε`.
    Bounded,
    /// Free-lunch privacy: between any two datasets (I-FLP); the parameter is `e^ε`.
    FreeLunch,
    /// (ε,δ)-differential privacy: the parameter is the δ that goes with an `e^ε`, or the reverse.
    Approximate {
        /// Which datasets are neighbours.
        adjacency: Adjacency,
        /// The half that is given.
        given: Given,
    },
    /// γ-membership privacy over a family of priors: PMP, NMP, or both (B-2, B-3).
    Membership {
        /// PMP, NMP, or both.
        sign: Sign,
    },
    /// The highest (positive) or lowest (negative) belief in presence after an answer, over a family (B-4).
    Posterior {
        /// The highest, or the lowest; not both.
        sign: Sign,
    },
    /// (ρ,m)-differential identifiability: the highest belief in one of `m` equally likely entities (B-5).
    Rho {
        /// `m`, at least 2.
        among: usize,
    },
    /// (α,β)-differential identifiability over worlds of prior at least `least` (B-6): β for positive, α for negative.
    AlphaBeta {
        /// `P_min`, from 0 to 1/2: of two worlds one is no likelier than the other.
        least: Rational,
        /// β (positive) or α (negative); not both.
        sign: Sign,
    },
    /// Add/remove DP after every member was kept with probability β (I-DPS).
    Sampling {
        /// How likely a member is kept.
        rate: Rational,
        /// More, less, or both.
        sign: Sign,
    },
    /// Zero-knowledge privacy with a simulator that sees `rows` random members of the others (I-ZKP).
    ZeroKnowledge {
        /// How many.
        rows: usize,
    },
    /// (k,ε)-crowd-blending (I-CBP).
    CrowdBlending {
        /// The size of a crowd, itself included.
        crowd: usize,
    },
    /// DP between induced neighbours: allowed datasets joined by a minimal set of moves (I-INP).
    Induced {
        /// The datasets that the constraints allow.
        allowed: Vec<Dataset>,
    },
}

/// The half of (ε,δ) that is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// `e^ε`, at least 1.
    Odds(Rational),
    /// δ, from 0 to 1.
    Delta(Rational),
}

impl Notion {
    /// What the parameter is called.
    #[must_use]
    pub fn parameter(&self) -> &'static str {
        match self {
            Self::Unbounded { .. }
            | Self::Bounded
            | Self::FreeLunch
            | Self::Sampling { .. }
            | Self::ZeroKnowledge { .. }
            | Self::CrowdBlending { .. }
            | Self::Induced { .. }
            | Self::Approximate { given: Given::Delta(_), .. } => "odds",
            Self::Approximate { given: Given::Odds(_), .. } => "delta",
            Self::Membership { .. } => "gain",
            Self::Posterior { .. } => "posterior",
            Self::Rho { .. } => "rho",
            Self::AlphaBeta { sign: Sign::Negative, .. } => "alpha",
            Self::AlphaBeta { .. } => "beta",
        }
    }

    /// Whether a larger parameter protects less; false for the lowest posterior alone.
    #[must_use]
    pub fn is_worse_when_larger(&self) -> bool {
        !matches!(self, Self::Posterior { sign: Sign::Negative })
    }
}
