//! The notions between which the theorems translate (sections 1 and 2 of the mathematics).

pub use deniable_check::notion::Sign;

use deniable_core::exact::Rational;
use deniable_core::notion::{Notion as NotionName, find};

/// A notion, with all parameters but the translated one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notion {
    /// A bound on odds ratios between adjacent datasets, as a factor (F-DI, F-DB).
    Odds(Sign),
    /// The logarithm of that factor: differential privacy (F-DI, F-DB).
    Epsilon(Sign),
    /// A bound on odds ratios between any two datasets (F-DU).
    FreeLunch,
    /// Positive membership privacy (B-2, B-3).
    Gain,
    /// Negative membership privacy (B-3n).
    NegativeGain,
    /// Positive and negative membership privacy with one γ.
    Membership,
    /// The highest belief in presence (B-4).
    Ceiling,
    /// The lowest belief in presence (B-4).
    Floor,
    /// (ρ,m)-differential identifiability (B-5).
    Rho {
        /// `m`, the number of equally likely candidates, at least 2.
        among: u32,
    },
    /// (α,β)-differential identifiability (B-6).
    AlphaBeta {
        /// `P_min`, the least prior of a world: from 0 to 1/2.
        least: Rational,
        /// `P_max`, if it is stated.
        most: Option<Rational>,
    },
    /// Add/remove DP after every person is kept with this probability.
    Sampling {
        /// The sampling rate β, between 0 and 1.
        rate: Rational,
    },
    /// The positive side of it, for a person who is added: the odds that correspond to [`Notion::SampledGain`].
    PositiveSampling {
        /// The sampling rate β, between 0 and 1.
        rate: Rational,
    },
    /// PMP for observers to whom every person is certainly out, or in with this probability.
    SampledGain {
        /// The sampling rate β, between 0 and 1.
        rate: Rational,
    },
    /// Odds between datasets that differ by the members of a group (F-NIk).
    Group {
        /// The number of people in the largest group, at least 1.
        size: u32,
    },
    /// PMP under the prior that gives every person one half, the notion of k-Max (E-1).
    UniformGain,
    /// Indistinguishable privacy: the factor by which any belief falls (I-IND).
    Indistinguishable {
        /// The notion itself is `Both`; a translation may use the halves for presence and absence.
        sign: Sign,
    },
    /// Zero-knowledge privacy (I-ZKP).
    ZeroKnowledge {
        /// The number of random rows of the others that the simulator sees, 0 or more.
        rows: u32,
    },
    /// Zero-knowledge privacy as published (I-ZKR).
    ZeroKnowledgeRows {
        /// The number of random rows of all that the simulator sees, with ⊥ for absent people; 0 or more.
        rows: u32,
    },
    /// Crowd-blending privacy (I-CBP).
    CrowdBlending {
        /// The size of a crowd, including the person itself: at least 2.
        crowd: u32,
    },
    /// Differential privacy between the neighbours under public facts (I-INP).
    Induced(Facts),
    /// As `Induced`, where exchanging one person for another is one move (I-INX).
    InducedExchange(Facts),
    /// Bayes-optimal privacy of a table (I-BOP).
    BayesOptimal {
        /// Whether beliefs may not rise either.
        both: bool,
    },
    /// Privacy against a semi-honest party of a protocol (I-SMC).
    SemiHonest {
        /// Whether the simulation is bounded in both directions.
        both: bool,
    },
}

/// Public facts about the data, as far as they determine neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facts {
    /// No facts: every dataset is allowed.
    None,
    /// The number of people.
    Size,
    /// Facts under which neighbours are up to this many moves apart, at least 1; an exchange of people is two moves
    /// unless it is a move of its own.
    Apart(u32),
}

impl std::fmt::Display for Facts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Size => f.write_str("size"),
            Self::Apart(people) => write!(f, "{people}"),
        }
    }
}

/// The form of a notion as a statement and as a target.
pub struct Spelling {
    /// The displayed name.
    pub name: &'static str,
    /// An example of a statement.
    pub statement: &'static str,
    /// An example of a target.
    pub target: &'static str,
}

const fn spelling(name: &'static str, statement: &'static str, target: &'static str) -> Spelling {
    Spelling { name, statement, target }
}

/// All forms; [`canonical`] maps a name of the table of notions to one of them.
pub const SPELLINGS: [Spelling; 33] = [
    spelling("odds", "odds=3", "odds"),
    spelling("epsilon", "epsilon=ln(3)", "epsilon"),
    spelling("unbounded-odds", "unbounded-odds=3", "unbounded-odds"),
    spelling("unbounded-epsilon", "unbounded-epsilon=1", "unbounded-epsilon"),
    spelling("bounded-odds", "bounded-odds=3", "bounded-odds"),
    spelling("bounded-epsilon", "bounded-epsilon=ln(3)", "bounded-epsilon"),
    spelling("positive-odds", "positive-odds=3", "positive-odds"),
    spelling("positive-epsilon", "positive-epsilon=1", "positive-epsilon"),
    spelling("negative-odds", "negative-odds=3", "negative-odds"),
    spelling("negative-epsilon", "negative-epsilon=1", "negative-epsilon"),
    spelling("free-lunch", "free-lunch=3", "free-lunch"),
    spelling("gain", "gain=3/2", "gain"),
    spelling("negative-gain", "negative-gain=3/2", "negative-gain"),
    spelling("membership", "membership=3/2", "membership"),
    spelling("posterior-at-most", "posterior-at-most=3/4", "posterior-at-most"),
    spelling("posterior-at-least", "posterior-at-least=1/10", "posterior-at-least"),
    spelling("rho", "rho=1/2:100", "rho:100"),
    spelling("alpha-beta", "alpha-beta=1/2,1/2:1/4", "alpha-beta:1/4"),
    spelling("sampling", "sampling=1/10,epsilon=1", "sampling:1/10"),
    spelling("positive-sampling", "positive-sampling=1/10,epsilon=1", "positive-sampling:1/10"),
    spelling("group-privacy", "group-privacy=3,odds=8", "group-privacy:3"),
    spelling("uniform-gain", "uniform-gain=3/2", "uniform-gain"),
    spelling("sampled-gain", "sampled-gain:1/10=3/2", "sampled-gain:1/10"),
    spelling("indistinguishable", "indistinguishable=3/2", "indistinguishable"),
    spelling("zero-knowledge", "zero-knowledge:1=2", "zero-knowledge:1"),
    spelling("zero-knowledge-rows", "zero-knowledge-rows:1=2", "zero-knowledge-rows:1"),
    spelling("crowd-blending", "crowd-blending:5=2", "crowd-blending:5"),
    spelling("induced-neighbours", "induced-neighbours:4=2", "induced-neighbours:4"),
    spelling("induced-exchange", "induced-exchange:4=2", "induced-exchange:4"),
    spelling("bayes-optimal", "bayes-optimal=2", "bayes-optimal"),
    spelling("bayes-optimal-two-sided", "bayes-optimal-two-sided=2", "bayes-optimal-two-sided"),
    spelling("semi-honest", "semi-honest=2", "semi-honest"),
    spelling("semi-honest-both", "semi-honest-both=2", "semi-honest-both"),
];

/// The name in [`SPELLINGS`] for a text, whatever its case and hyphens: `gamma` is `gain`.
///
/// `None` if the text names no notion, or one that is not translated.
#[must_use]
pub fn canonical(text: &str) -> Option<&'static str> {
    let found = find(text)?;
    // The table has one notion for both forms, the factor and its logarithm.
    let scaled = |odds, epsilon| Some(if found.is_odds() { odds } else { epsilon });
    match found.notion {
        // These two names include the adjacency, so no other may follow.
        NotionName::Dp if found.name == "unbounded-odds" || found.name == "unbounded-epsilon" => Some(found.name),
        NotionName::Dp => scaled("odds", "epsilon"),
        NotionName::PositiveDp => scaled("positive-odds", "positive-epsilon"),
        NotionName::NegativeDp => scaled("negative-odds", "negative-epsilon"),
        NotionName::BoundedDp => scaled("bounded-odds", "bounded-epsilon"),
        NotionName::PositiveMembership => Some("gain"),
        NotionName::NegativeMembership => Some("negative-gain"),
        NotionName::Alpha | NotionName::Beta | NotionName::AlphaBeta => Some("alpha-beta"),
        NotionName::Membership
        | NotionName::PosteriorAtMost
        | NotionName::PosteriorAtLeast
        | NotionName::Rho
        | NotionName::GroupPrivacy
        | NotionName::Sampling
        | NotionName::PositiveSampling
        | NotionName::SampledGain
        | NotionName::UniformGain
        | NotionName::Indistinguishable
        | NotionName::FreeLunch
        | NotionName::ZeroKnowledge
        | NotionName::ZeroKnowledgeRows
        | NotionName::CrowdBlending
        | NotionName::InducedNeighbours
        | NotionName::InducedExchange
        | NotionName::BayesOptimal
        | NotionName::BayesOptimalTwoSided
        | NotionName::SemiHonest
        | NotionName::SemiHonestBoth => Some(found.notion.entry().name),
        // Statements with a chance are those of `chance`.
        NotionName::Delta
        | NotionName::BoundedDelta
        | NotionName::EpsilonAt
        | NotionName::BoundedEpsilonAt
        | NotionName::Chance
        | NotionName::BoundedChance
        | NotionName::Tail
        | NotionName::BoundedTail => None,
    }
}

impl Notion {
    /// The displayed name, without adjacency.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Odds(Sign::Both) => "odds",
            Self::Odds(Sign::Positive) => "positive-odds",
            Self::Odds(Sign::Negative) => "negative-odds",
            Self::Epsilon(Sign::Both) => "epsilon",
            Self::Epsilon(Sign::Positive) => "positive-epsilon",
            Self::Epsilon(Sign::Negative) => "negative-epsilon",
            Self::FreeLunch => "free-lunch",
            Self::Gain => "gain",
            Self::NegativeGain => "negative-gain",
            Self::Membership => "membership",
            Self::Ceiling => "posterior-at-most",
            Self::Floor => "posterior-at-least",
            Self::Rho { .. } => "rho",
            Self::AlphaBeta { .. } => "alpha-beta",
            Self::Sampling { .. } => "sampling",
            Self::PositiveSampling { .. } => "positive-sampling",
            Self::SampledGain { .. } => "sampled-gain",
            Self::Group { .. } => "group-privacy",
            Self::UniformGain => "uniform-gain",
            Self::Indistinguishable { .. }
            | Self::ZeroKnowledge { .. }
            | Self::ZeroKnowledgeRows { .. }
            | Self::CrowdBlending { .. }
            | Self::Induced(_)
            | Self::InducedExchange(_)
            | Self::BayesOptimal { .. }
            | Self::SemiHonest { .. } => self.named().entry().name,
        }
    }

    /// Whether its parameter is a factor on odds (or the logarithm of one), not a belief.
    #[must_use]
    pub fn is_odds(&self) -> bool {
        match self {
            Self::Odds(_)
            | Self::Epsilon(_)
            | Self::FreeLunch
            | Self::Group { .. }
            | Self::Sampling { .. }
            | Self::PositiveSampling { .. }
            | Self::Indistinguishable { .. }
            | Self::ZeroKnowledge { .. }
            | Self::ZeroKnowledgeRows { .. }
            | Self::CrowdBlending { .. }
            | Self::Induced(_)
            | Self::InducedExchange(_)
            | Self::BayesOptimal { .. }
            | Self::SemiHonest { .. } => true,
            Self::Gain
            | Self::NegativeGain
            | Self::Membership
            | Self::Ceiling
            | Self::Floor
            | Self::Rho { .. }
            | Self::AlphaBeta { .. }
            | Self::SampledGain { .. }
            | Self::UniformGain => false,
        }
    }

    /// Whether the notion depends on the range of priors.
    #[must_use]
    pub fn depends_on_priors(&self) -> bool {
        matches!(
            self,
            Self::Gain
                | Self::NegativeGain
                | Self::Membership
                | Self::Ceiling
                | Self::Floor
                | Self::Indistinguishable { .. }
        )
    }

    /// The entry of `docs/theorems` that turns its parameter into an odds ratio.
    #[must_use]
    pub fn theorem(&self) -> &'static str {
        self.named().entry().theorem
    }

    /// The notion in the table of names.
    fn named(&self) -> NotionName {
        match self {
            Self::Odds(Sign::Both) | Self::Epsilon(Sign::Both) => NotionName::Dp,
            Self::Odds(Sign::Positive) | Self::Epsilon(Sign::Positive) => NotionName::PositiveDp,
            Self::Odds(Sign::Negative) | Self::Epsilon(Sign::Negative) => NotionName::NegativeDp,
            Self::FreeLunch => NotionName::FreeLunch,
            Self::Gain => NotionName::PositiveMembership,
            Self::NegativeGain => NotionName::NegativeMembership,
            Self::Membership => NotionName::Membership,
            Self::Ceiling => NotionName::PosteriorAtMost,
            Self::Floor => NotionName::PosteriorAtLeast,
            Self::Rho { .. } => NotionName::Rho,
            Self::AlphaBeta { .. } => NotionName::AlphaBeta,
            Self::Sampling { .. } => NotionName::Sampling,
            Self::PositiveSampling { .. } => NotionName::PositiveSampling,
            Self::SampledGain { .. } => NotionName::SampledGain,
            Self::Group { .. } => NotionName::GroupPrivacy,
            Self::UniformGain => NotionName::UniformGain,
            Self::Indistinguishable { .. } => NotionName::Indistinguishable,
            Self::ZeroKnowledge { .. } => NotionName::ZeroKnowledge,
            Self::ZeroKnowledgeRows { .. } => NotionName::ZeroKnowledgeRows,
            Self::CrowdBlending { .. } => NotionName::CrowdBlending,
            Self::Induced(_) => NotionName::InducedNeighbours,
            Self::InducedExchange(_) => NotionName::InducedExchange,
            Self::BayesOptimal { both: false } => NotionName::BayesOptimal,
            Self::BayesOptimal { both: true } => NotionName::BayesOptimalTwoSided,
            Self::SemiHonest { both: false } => NotionName::SemiHonest,
            Self::SemiHonest { both: true } => NotionName::SemiHonestBoth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that were accepted before the table of notions existed keep their meaning.
    #[test]
    fn earlier_names_mean_the_same() {
        for (name, earlier) in [
            ("gain", "gamma, PMP, positive membership privacy"),
            ("negative-gain", "loss, NMP, negative membership privacy"),
            ("membership", "membership privacy"),
            ("epsilon", "dp, udp, unbounded-dp, differential privacy, unbounded differential privacy, add-remove"),
            ("positive-epsilon", "dp-positive, positive-dp, positive unbounded dp"),
            ("negative-epsilon", "dp-negative, negative-dp, negative unbounded dp"),
            ("bounded-epsilon", "bdp, bounded-dp, bounded differential privacy, replace-one"),
            ("free-lunch", "flp, I-FLP"),
            ("posterior-at-most", "posterior, ceiling, posterior ceiling, posterior at most"),
            ("posterior-at-least", "floor, posterior floor, posterior at least"),
            ("rho", "rho-m, identifiability, differential identifiability"),
            ("alpha-beta", "alpha, beta, ab-di"),
            ("sampling", "dps, I-DPS, dp under sampling"),
            ("group-privacy", "group, people who move together"),
        ] {
            for alias in earlier.split(", ") {
                assert_eq!(canonical(alias), Some(name), "{alias}");
            }
        }
        assert_eq!(canonical("(ρ,m)-identifiability"), Some("rho"));
        assert_eq!((canonical("(α,β)"), canonical("(β,ε)-dp under sampling")), (Some("alpha-beta"), Some("sampling")));
        for spelling in &SPELLINGS {
            assert_eq!(canonical(spelling.name), Some(spelling.name));
        }
    }
}
