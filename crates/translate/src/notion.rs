//! The notions between which the theorems translate (sections 1 and 2 of the mathematics).

use deniable_core::exact::Rational;

/// Which way an odds ratio is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// With a person over without: what presence gains.
    Positive,
    /// Without over with: what absence gains.
    Negative,
    /// Either.
    Both,
}

/// A notion, with the parameters that are not the one being translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notion {
    /// A bound on odds ratios between adjacent datasets, as a factor (F-DI, F-DB).
    Odds(Sign),
    /// The same as its logarithm: differential privacy (F-DI, F-DB).
    Epsilon(Sign),
    /// The same between any two datasets (F-DU).
    FreeLunch,
    /// Positive membership privacy (B-2, B-3).
    Gain,
    /// Negative membership privacy (B-3n).
    Loss,
    /// Positive and negative membership privacy with one γ.
    Membership,
    /// The highest belief in presence (B-4).
    Ceiling,
    /// The lowest belief in presence (B-4).
    Floor,
    /// (ρ,m)-differential identifiability (B-5).
    Rho {
        /// `m`.
        among: u32,
    },
    /// (α,β)-differential identifiability (B-6).
    AlphaBeta {
        /// `P_min`.
        least: Rational,
        /// `P_max`, where it is stated.
        most: Option<Rational>,
    },
    /// Add/remove DP after everybody was kept with this probability.
    Sampling {
        /// β.
        rate: Rational,
    },
    /// PMP against somebody for whom everyone is out for certain or in with this probability.
    SampledGain {
        /// β.
        rate: Rational,
    },
    /// Odds between datasets that differ by the members of a group (F-NIk).
    Group {
        /// The largest group.
        size: u32,
    },
    /// PMP under the prior that gives everyone one half, which is what k-Max keeps (E-1).
    UniformGain,
}

/// How a notion is spelt, and the shape of its statement and of its target.
pub struct Spelling {
    /// The name.
    pub name: &'static str,
    /// An example of a statement.
    pub statement: &'static str,
    /// An example of a target.
    pub target: &'static str,
    /// What it is, in a few words.
    pub words: &'static str,
}

const fn spelling(name: &'static str, statement: &'static str, target: &'static str, words: &'static str) -> Spelling {
    Spelling { name, statement, target, words }
}

/// Every name that is understood.
pub const SPELLINGS: [Spelling; 21] = [
    spelling("odds", "odds=3", "odds", "odds move by at most this factor"),
    spelling("epsilon", "epsilon=ln(3)", "epsilon", "differential privacy"),
    spelling("unbounded-odds", "unbounded-odds=3", "unbounded-odds", "odds, one person more or less"),
    spelling("unbounded-epsilon", "unbounded-epsilon=1", "unbounded-epsilon", "DP, one person more or less"),
    spelling("bounded-odds", "bounded-odds=3", "bounded-odds", "odds, one person replaced"),
    spelling("bounded-epsilon", "bounded-epsilon=ln(3)", "bounded-epsilon", "DP, one person replaced"),
    spelling("positive-odds", "positive-odds=3", "positive-odds", "odds of presence alone"),
    spelling("positive-epsilon", "positive-epsilon=1", "positive-epsilon", "positive DP"),
    spelling("negative-odds", "negative-odds=3", "negative-odds", "odds of absence alone"),
    spelling("negative-epsilon", "negative-epsilon=1", "negative-epsilon", "negative DP"),
    spelling("free-lunch", "free-lunch=3", "free-lunch", "odds between any two datasets"),
    spelling("gain", "gain=3/2", "gain", "PMP: belief in presence grows at most by this factor"),
    spelling("loss", "loss=3/2", "loss", "NMP: belief in absence grows at most by this factor"),
    spelling("membership", "membership=3/2", "membership", "PMP and NMP"),
    spelling("posterior", "posterior=3/4", "posterior", "the highest belief in presence"),
    spelling("floor", "floor=1/10", "floor", "the lowest belief in presence"),
    spelling("rho", "rho=1/2:100", "rho:100", "(ρ,m)-identifiability"),
    spelling("alpha-beta", "alpha-beta=1/2,1/2:1/4", "alpha-beta:1/4", "(α,β)-identifiability, with P_min..P_max"),
    spelling("sampling", "sampling=1/10,epsilon=1", "sampling:1/10", "DP under sampling; also with odds= or gain="),
    spelling("group", "group=3,odds=8", "group:3", "odds for groups of up to so many people"),
    spelling("uniform-gain", "uniform-gain=3/2", "uniform-gain", "PMP where everyone is as likely in as out"),
];

/// Other names, as `deniable explain` lists them, each with the one that is meant.
const ALIASES: [(&str, &[&str]); 14] = [
    ("gain", &["gamma", "PMP", "positive membership privacy"]),
    ("loss", &["NMP", "negative membership privacy"]),
    ("membership", &["membership privacy"]),
    ("epsilon", &["dp", "udp", "unbounded-dp", "differential privacy", "unbounded differential privacy", "add-remove"]),
    ("positive-epsilon", &["dp-positive", "positive-dp", "positive unbounded dp"]),
    ("negative-epsilon", &["dp-negative", "negative-dp", "negative unbounded dp"]),
    ("bounded-epsilon", &["bdp", "bounded-dp", "bounded differential privacy", "replace-one"]),
    ("free-lunch", &["flp", "I-FLP"]),
    ("posterior", &["ceiling", "posterior ceiling", "posterior at most"]),
    ("floor", &["posterior floor", "posterior at least"]),
    ("rho", &["rho-m", "identifiability", "differential identifiability", "(ρ,m)-identifiability"]),
    ("alpha-beta", &["(α,β)", "alpha", "beta", "ab-di"]),
    ("sampling", &["dps", "I-DPS", "dp under sampling", "(β,ε)-dp under sampling"]),
    ("group", &["group-privacy", "people who move together"]),
];

/// The name that a text means, whatever its case and hyphens: `gamma` is `gain`.
#[must_use]
pub fn canonical(text: &str) -> Option<&'static str> {
    let key =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    let wanted = key(text);
    let spelt = SPELLINGS.iter().map(|spelling| spelling.name).find(|name| key(name) == wanted);
    let other = || {
        let found = ALIASES.iter().find(|(_, aliases)| aliases.iter().any(|alias| key(alias) == wanted));
        found.map(|(name, _)| *name)
    };
    spelt.or_else(other)
}

impl Notion {
    /// The name under which it is shown, without adjacency.
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
            Self::Loss => "loss",
            Self::Membership => "membership",
            Self::Ceiling => "posterior",
            Self::Floor => "floor",
            Self::Rho { .. } => "rho",
            Self::AlphaBeta { .. } => "alpha-beta",
            Self::Sampling { .. } => "sampling",
            Self::SampledGain { .. } => "sampled-gain",
            Self::Group { .. } => "group",
            Self::UniformGain => "uniform-gain",
        }
    }

    /// Whether its parameter is a factor on odds (or the logarithm of one), not a belief.
    #[must_use]
    pub fn is_odds(&self) -> bool {
        match self {
            Self::Odds(_) | Self::Epsilon(_) | Self::FreeLunch | Self::Group { .. } | Self::Sampling { .. } => true,
            Self::Gain
            | Self::Loss
            | Self::Membership
            | Self::Ceiling
            | Self::Floor
            | Self::Rho { .. }
            | Self::AlphaBeta { .. }
            | Self::SampledGain { .. }
            | Self::UniformGain => false,
        }
    }

    /// Whether the range of prior beliefs matters to it.
    #[must_use]
    pub fn depends_on_priors(&self) -> bool {
        matches!(self, Self::Gain | Self::Loss | Self::Membership | Self::Ceiling | Self::Floor)
    }

    /// The entry that turns its parameter into an odds ratio.
    #[must_use]
    pub fn theorem(&self) -> &'static str {
        match self {
            Self::Odds(_) | Self::Epsilon(_) => "C-1",
            Self::FreeLunch => "I-FLP",
            Self::Gain => "B-3",
            Self::Loss | Self::Membership => "B-3n",
            Self::Ceiling | Self::Floor => "B-4",
            Self::Rho { .. } => "B-5",
            Self::AlphaBeta { .. } => "B-6",
            Self::Sampling { .. } => "I-DPS",
            Self::SampledGain { .. } => "F-DFβ",
            Self::Group { .. } => "F-NIk",
            Self::UniformGain => "F-DN",
        }
    }
}
