//! The format of a certificate: the mechanism, the question, the value and its witness.
//!
//! JSON with fixed keys in a fixed order; fractions are text in lowest terms, datasets are lists of names, and a row of
//! the table is one text with a fraction for each output. An unknown version or key is refused.

use crate::error::RecheckError;
use crate::number::{ExtendedNumber, Fraction};
use serde::{Deserialize, Serialize};

/// The version of the format that this crate reads and writes.
pub const FORMAT: u32 = 1;

/// A certificate: a decision about a mechanism.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version: [`FORMAT`].
    pub format: u32,
    /// The mechanism.
    pub mechanism: Mechanism,
    /// The notion.
    pub notion: Notion,
    /// The family of observers.
    pub family: Family,
    /// The tight parameter.
    pub value: Value,
    /// The witness; `None` if no answer changes a belief, or the value is vacuous.
    pub witness: Option<Witness>,
    /// The identifiers of the theorems that prove the bound.
    pub theorems: Vec<String>,
    /// The checksum of all of the above: it detects damage, not forgery.
    pub checksum: String,
}

/// The members of a dataset, by name.
pub type Members = Vec<String>;

/// A table of probabilities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mechanism {
    /// The names of the entities.
    pub entities: Vec<String>,
    /// The names of the outputs.
    pub outputs: Vec<String>,
    /// By dataset: row `T` is that of the entities at the bits of `T`. A row has a fraction for each output, with
    /// spaces between; it is `null` if the dataset is not given.
    pub rows: Vec<Option<String>>,
}

/// The direction of a notion: presence, absence or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// Belief in presence grows.
    Positive,
    /// Belief in absence grows.
    Negative,
    /// Both directions.
    Both,
}

/// The neighbour relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjacency {
    /// One entity more or less.
    AddRemove,
    /// One entity exchanged.
    ReplaceOne,
}

/// The range of uncertain prior beliefs; ends of 0 and 1 mean that there is no limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The lowest belief.
    pub low: Fraction,
    /// The highest belief.
    pub high: Fraction,
}

/// A notion and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(missing_docs, reason = "as in the notions of deniable-check")]
pub enum Notion {
    Unbounded { sign: Sign },
    Bounded,
    FreeLunch,
    Approximate { adjacency: Adjacency, given: FixedParameter },
    ButFor { adjacency: Adjacency, odds: Fraction, reading: Reading },
    Membership { sign: Sign },
    Posterior { sign: Sign },
    Indistinguishable,
    Rho { among: usize },
    AlphaBeta { least: Fraction, sign: Sign },
    Sampling { rate: Fraction, sign: Sign },
    ZeroKnowledge { rows: usize },
    ZeroKnowledgeRows { rows: usize },
    CrowdBlending { crowd: usize },
    Induced { allowed: Vec<Members> },
    InducedExchange { allowed: Vec<Members> },
}

/// The half of (ε,δ) that is fixed; the other half is claimed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FixedParameter {
    /// `e^ε`.
    Odds(Fraction),
    /// δ.
    Delta(Fraction),
}

/// What may exceed odds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reading {
    /// Any event, also one that a coin decides (B-7).
    Event,
    /// The output alone (E-7).
    Output,
}

/// A family of priors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(missing_docs, reason = "as in the families of deniable-check")]
pub enum Family {
    All,
    Independent(Range),
    TwoDatasets(Range),
    Bounded(Range),
    OneOfTwo(Range),
    OneOf(usize),
    OneOfRest(usize),
    Uniform,
    Sampled(Fraction),
    Groups(usize),
    Box(Vec<Range>),
    Explicit(Vec<Prior>),
}

/// A distribution over datasets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Prior {
    /// Independent entities, each with its belief.
    Independent(Vec<Fraction>),
    /// Datasets with their probabilities.
    Table(Vec<(Members, Fraction)>),
}

/// The claimed tight parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Value {
    /// The witness attains it.
    Attained(ExtendedNumber),
    /// The witness approaches it.
    Approached(ExtendedNumber),
    /// The witness attains `low`, and no observation exceeds `high`. For the lowest posterior, the witness attains
    /// `high`, and no observation is below `low`.
    Between {
        /// The lower end.
        low: ExtendedNumber,
        /// The upper end.
        high: ExtendedNumber,
        /// The theorem that proves the bound.
        theorem: String,
    },
    /// The table has nothing that the notion applies to: it promises nothing.
    Vacuous,
}

impl Value {
    /// The claimed upper bound; `None` if the value is vacuous.
    #[must_use]
    pub fn high(&self) -> Option<&ExtendedNumber> {
        match self {
            Self::Attained(claim) | Self::Approached(claim) | Self::Between { high: claim, .. } => Some(claim),
            Self::Vacuous => None,
        }
    }
}

/// The place where the value is attained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Witness {
    /// Two datasets and an output.
    Datasets {
        /// The output.
        output: String,
        /// The dataset with the larger probability.
        more: Members,
        /// The dataset with the smaller probability.
        less: Members,
        /// The probabilities at `more` and at `less`.
        probabilities: (Fraction, Fraction),
    },
    /// An observer with a prior, and an output.
    Prior {
        /// The prior.
        prior: Prior,
        /// The entity in question.
        entity: String,
        /// The output that changes the belief.
        output: String,
        /// `Pr[o | t]` and `Pr[o | ¬t]`.
        likelihoods: (Fraction, Fraction),
    },
    /// A set of outputs that two datasets give with different probabilities ((ε,δ)-DP, B-7).
    Event {
        /// The outputs.
        outputs: Vec<String>,
        /// An output that is in the event with a probability (B-7).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partly: Option<(String, Fraction)>,
        /// The dataset with the larger probability.
        more: Members,
        /// The dataset with the smaller probability.
        less: Members,
        /// The probabilities at `more` and at `less`.
        probabilities: (Fraction, Fraction),
    },
    /// A member that neither removal nor a crowd hides (I-CBP).
    Crowd {
        /// The member.
        entity: String,
        /// The dataset that the member is in.
        data: Members,
        /// The output with the largest ratio when the member is removed.
        removed: SeparatingOutput,
        /// Other members that do not blend with it below the claim, each with the output of the largest ratio when they
        /// are exchanged.
        outside: Vec<(String, SeparatingOutput)>,
    },
    /// A best simulator, and the proof that none is better (I-ZKP).
    Simulation {
        /// The number of members that the simulator sees.
        rows: usize,
        /// The entity with the largest lower bound.
        entity: String,
        /// The weights of the bounds on a simulator for that entity.
        weights: Vec<Weight>,
        /// For each entity in order: the possible samples, and the answer for each as a row of the table. Empty if no
        /// simulator is within a finite factor.
        simulators: Vec<Vec<(Members, String)>>,
    },
}

/// An output that two datasets give with different probabilities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeparatingOutput {
    /// The output.
    pub output: String,
    /// The dataset with the larger probability.
    pub more: Members,
    /// The dataset with the smaller probability.
    pub less: Members,
    /// The probabilities at `more` and at `less`.
    pub probabilities: (Fraction, Fraction),
}

/// The weights of two bounds on a simulator, with `q(o)` its distribution at `T`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weight {
    /// The dataset `T`.
    pub data: Members,
    /// The output `o`.
    pub output: String,
    /// The weight of `Pr[o|T] ≤ R·q(o)`.
    pub above: Fraction,
    /// The weight of `q(o) ≤ R·Pr[o|T]`.
    pub below: Fraction,
}

/// Rejects control characters, which could move a terminal's cursor when they are quoted: certificates are written
/// without them, and without escapes for them.
fn plain(text: &str) -> Result<(), RecheckError> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let unprintable = c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        let escape = c == '\\' && !matches!(chars.next(), Some((_, '\\' | '"')));
        if unprintable || escape {
            return Err(RecheckError::Syntax(format!("a character that does not print, at byte {at}")));
        }
    }
    Ok(())
}

impl Certificate {
    /// The text of the file, with its checksum.
    ///
    /// # Errors
    /// When the serialisation fails.
    pub fn seal(mut self) -> Result<String, RecheckError> {
        self.checksum = self.sum()?;
        serde_json::to_string(&self).map_err(|error| RecheckError::Syntax(error.to_string()))
    }

    /// Parses a file.
    ///
    /// # Errors
    /// When it is not a certificate of this version, or is damaged.
    pub fn read(text: &str) -> Result<Self, RecheckError> {
        plain(text)?;
        let read: Self = serde_json::from_str(text).map_err(|error| RecheckError::Syntax(error.to_string()))?;
        if read.format != FORMAT {
            return Err(RecheckError::Version { found: read.format });
        }
        let expected = read.sum()?;
        if read.checksum != expected {
            return Err(RecheckError::Checksum { found: read.checksum, expected });
        }
        Ok(read)
    }

    /// FNV-1a of the text without the checksum: each step is one-to-one, so every change of a single character is
    /// detected.
    fn sum(&self) -> Result<String, RecheckError> {
        let bare = Self { checksum: String::new(), ..self.clone() };
        let text = serde_json::to_string(&bare).map_err(|error| RecheckError::Syntax(error.to_string()))?;
        let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Ok(format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step)))
    }
}
