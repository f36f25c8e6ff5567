//! The names of notions of privacy: one table that every part of the project reads.
//!
//! A notion has one name, that of the field. Aliases mean the same wherever the notion is supported: in policies, on
//! the command line, in `docs/notions`. [`find`] looks up a name, [`Notion::entry`] returns the description, and
//! [`parse`] parses a name with parameters. Each part of the project decides what it supports, by matching on
//! [`Notion`].
//!
//! The table contains names and words, no mathematics: [`crate::promise`] turns promises into odds ratios.
//! `crates/lab/recheck` does not use it, because it shares no code with what it verifies.
//!
//! ```
//! use deniable_core::notion::{Notion, find};
//!
//! for name in ["nmp", "negative_gain", "Negative membership privacy", "loss"] {
//!     assert_eq!(find(name).map(|found| found.notion), Some(Notion::NegativeMembership));
//! }
//! ```

pub mod adversary;
pub mod key;
pub mod parse;
mod table;

pub use parse::Parameter;

/// A notion of privacy, without its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notion {
    /// ε-differential privacy, one person more or less.
    Dp,
    /// The same for a person who is added.
    PositiveDp,
    /// The same for a person who is removed.
    NegativeDp,
    /// ε-differential privacy, one person replaced.
    BoundedDp,
    /// (ε,δ)-differential privacy: the δ at a given ε.
    Delta,
    /// The same, one person replaced.
    BoundedDelta,
    /// (ε,δ)-differential privacy: the ε at a given δ.
    EpsilonAt,
    /// The same, one person replaced.
    BoundedEpsilonAt,
    /// The chance of an event of odds above given ones (B-7).
    Chance,
    /// The same, one person replaced.
    BoundedChance,
    /// Probabilistic differential privacy: the chance of an output of odds above given ones (E-7).
    Tail,
    /// The same, one person replaced.
    BoundedTail,
    /// Positive membership privacy: a bound γ on the growth of belief in presence.
    PositiveMembership,
    /// Negative membership privacy: a bound γ on the growth of belief in absence.
    NegativeMembership,
    /// Positive and negative membership privacy with one γ.
    Membership,
    /// A ceiling on belief in presence.
    PosteriorAtMost,
    /// A floor under belief in presence.
    PosteriorAtLeast,
    /// (ρ,m)-differential identifiability: one of m equally likely people.
    Rho,
    /// The α of (α,β)-differential identifiability.
    Alpha,
    /// The β of (α,β)-differential identifiability.
    Beta,
    /// (α,β)-differential identifiability, with both bounds on belief in the true world.
    AlphaBeta,
    /// Differential privacy for groups of up to k people.
    GroupPrivacy,
    /// Differential privacy after every person was kept with a given probability.
    Sampling,
    /// The same for a person who is added, after sampling.
    PositiveSampling,
    /// Positive membership privacy against observers who know a random sample.
    SampledGain,
    /// Positive membership privacy under the uniform prior.
    UniformGain,
    /// Indistinguishable privacy: a bound on the factor by which any belief falls.
    Indistinguishable,
    /// Free-lunch privacy: odds between any two datasets.
    FreeLunch,
    /// Zero-knowledge privacy: a simulator that sees k random rows.
    ZeroKnowledge,
    /// Zero-knowledge privacy as published: a simulator that sees k random rows of all, ⊥ for missing people.
    ZeroKnowledgeRows,
    /// Crowd-blending privacy: a crowd of k people, or no influence.
    CrowdBlending,
    /// Differential privacy between induced neighbours.
    InducedNeighbours,
    /// The same, where an exchange is one move.
    InducedExchange,
    /// ε-Bayes-optimal privacy of a table: beliefs fall by at most e^ε.
    BayesOptimal,
    /// ε-Bayes-optimal privacy of a table: beliefs fall and rise by at most e^ε.
    BayesOptimalTwoSided,
    /// ε-privacy against semi-honest parties, one-sided.
    SemiHonest,
    /// ε-privacy against semi-honest parties, two-sided.
    SemiHonestBoth,
}

/// The quantity that a notion bounds, and its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundedQuantity {
    /// Its name in claims: `gain` in `gain=3/2`.
    pub name: &'static str,
    /// Its letter in papers: `γ`.
    pub symbol: &'static str,
    /// An example value.
    pub example: &'static str,
    /// Its range in words, as messages quote it: `a belief from 0 to 1`.
    pub range: &'static str,
    /// The smallest possible value.
    pub least: i64,
    /// The largest possible value, if any.
    pub most: Option<i64>,
}

/// The spelling of a promise in policies and ledgers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromiseSpelling {
    /// The key of a policy, and the word of a ledger.
    pub key: &'static str,
    /// Keys that must accompany the key.
    pub beside: &'static [&'static str],
}

/// Names, words and parameters of a notion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The notion of this entry.
    pub notion: Notion,
    /// Its name: lower-case letters and hyphens.
    pub name: &'static str,
    /// Its name in full, as papers call it.
    pub title: &'static str,
    /// Other accepted names. One that ends in `odds` gives the bound as a factor, e^ε in place of ε.
    pub aliases: &'static [&'static str],
    /// The name with its parameters, as `rho:M`.
    pub form: &'static str,
    /// The bounded quantity.
    pub bounds: BoundedQuantity,
    /// Further parameters, in the order of the form.
    pub parameters: &'static [Parameter],
    /// Required knowledge about the observers or the data, in words; empty if none is required.
    pub needs: &'static str,
    /// The entry of `docs/theorems` that it depends on.
    pub theorem: &'static str,
    /// The entry of `docs/notions` that describes it.
    pub page: &'static str,
    /// Its spelling as a promise; `None` if it cannot be promised.
    pub promise: Option<PromiseSpelling>,
    /// Its definition, in one sentence without a full stop.
    pub sentence: &'static str,
}

/// A notion, and the name or alias that was matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedNotion {
    /// The notion of this name.
    pub notion: Notion,
    /// The name or alias, as the table spells it.
    pub name: &'static str,
}

impl NamedNotion {
    /// Whether the name gives the bound as a factor on odds, e^ε, and not as its logarithm.
    #[must_use]
    pub fn is_odds(&self) -> bool {
        self.name.ends_with("odds")
    }
}

/// The notion of a name or alias; case, hyphens, underscores and spaces are ignored.
#[must_use]
pub fn find(text: &str) -> Option<NamedNotion> {
    let wanted = normal(text);
    if wanted.is_empty() {
        return None;
    }
    every_name().find(|found| normal(found.name) == wanted)
}

/// The significant characters of a name: lower-case letters and digits.
#[must_use]
pub fn normal(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Every name and alias, the notions in order and each notion's own name first.
pub fn every_name() -> impl Iterator<Item = NamedNotion> {
    Notion::ALL.into_iter().flat_map(|notion| notion.names().map(move |name| NamedNotion { notion, name }))
}

/// The notion of this exact keyword of a ledger.
#[must_use]
pub fn stated_as(word: &str) -> Option<Notion> {
    Notion::ALL.into_iter().find(|notion| notion.entry().promise.is_some_and(|promise| promise.key == word))
}

impl Notion {
    /// Every notion, in the order of the documentation.
    pub const ALL: [Self; 37] = [
        Self::Dp,
        Self::PositiveDp,
        Self::NegativeDp,
        Self::BoundedDp,
        Self::Delta,
        Self::BoundedDelta,
        Self::EpsilonAt,
        Self::BoundedEpsilonAt,
        Self::Chance,
        Self::BoundedChance,
        Self::Tail,
        Self::BoundedTail,
        Self::PositiveMembership,
        Self::NegativeMembership,
        Self::Membership,
        Self::PosteriorAtMost,
        Self::PosteriorAtLeast,
        Self::Rho,
        Self::Alpha,
        Self::Beta,
        Self::AlphaBeta,
        Self::GroupPrivacy,
        Self::Sampling,
        Self::PositiveSampling,
        Self::SampledGain,
        Self::UniformGain,
        Self::Indistinguishable,
        Self::FreeLunch,
        Self::ZeroKnowledge,
        Self::ZeroKnowledgeRows,
        Self::CrowdBlending,
        Self::InducedNeighbours,
        Self::InducedExchange,
        Self::BayesOptimal,
        Self::BayesOptimalTwoSided,
        Self::SemiHonest,
        Self::SemiHonestBoth,
    ];

    /// The notion's names, words and parameters.
    #[must_use]
    pub const fn entry(self) -> &'static Entry {
        table::entry(self)
    }

    /// Its name and its aliases, among them its keys as a promise (for (α,β), those are names of its halves).
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let entry = self.entry();
        std::iter::once(entry.name).chain(entry.aliases.iter().copied())
    }
}

#[cfg(test)]
mod tests;
