//! The file: what was decided, about which mechanism, and where it can be seen.
//!
//! JSON with fixed keys in a fixed order; fractions are text in lowest terms, datasets are lists of names, and a row of the
//! table is one text with a fraction for each output. An unknown version or key is refused.

use crate::error::RecheckError;
use crate::number::{ExtendedNumber, Fraction};
use serde::{Deserialize, Serialize};

/// The version of the format that this crate reads and writes.
pub const FORMAT: u32 = 1;

/// A certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`FORMAT`].
    pub format: u32,
    /// What was decided about.
    pub mechanism: Mechanism,
    /// Which notion.
    pub notion: Notion,
    /// Against which observers.
    pub family: Family,
    /// What was found.
    pub value: Value,
    /// Where it is seen; nothing where nothing is learned.
    pub witness: Option<Witness>,
    /// The theorems that the decision rests on, by their identifiers.
    pub theorems: Vec<String>,
    /// Of all of the above: tells a damaged file, not a forged one.
    pub checksum: String,
}

/// The members of a dataset, by name.
pub type Members = Vec<String>;

/// A table of probabilities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mechanism {
    /// Names.
    pub entities: Vec<String>,
    /// Names.
    pub outputs: Vec<String>,
    /// By dataset: row `T` is that of the entities at the bits of `T`. Fractions by output, with a space between; `null`
    /// where the dataset is not given.
    pub rows: Vec<Option<String>>,
}

/// Presence, absence or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// Belief in presence grows.
    Positive,
    /// Belief in absence grows.
    Negative,
    /// Either.
    Both,
}

/// Which datasets are neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjacency {
    /// One entity more or less.
    AddRemove,
    /// One entity exchanged.
    ReplaceOne,
}

/// Uncertain prior beliefs from `low` to `high`; 0 and 1 mean that there is no end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The lowest.
    pub low: Fraction,
    /// The highest.
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

/// The half of (ε,δ) that is fixed; the other half is decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FixedParameter {
    /// `e^ε`.
    Odds(Fraction),
    /// δ.
    Delta(Fraction),
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

/// One distribution over datasets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Prior {
    /// Each entity by itself.
    Independent(Vec<Fraction>),
    /// These datasets.
    Table(Vec<(Members, Fraction)>),
}

/// The claimed tight parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Value {
    /// The witness reaches it.
    Attained(ExtendedNumber),
    /// The witness comes near it.
    Approached(ExtendedNumber),
    /// The witness reaches `low`, and nothing is beyond `high`. Of the lowest posterior, the witness reaches `high`, and
    /// nothing is below `low`.
    Between {
        /// The lower end.
        low: ExtendedNumber,
        /// The upper end.
        high: ExtendedNumber,
        /// The theorem that says so.
        theorem: String,
    },
    /// The table has nothing that the notion is about: it promises nothing to anybody.
    Vacuous,
}

impl Value {
    /// What nothing is beyond; `None` where nothing is asked about.
    #[must_use]
    pub fn high(&self) -> Option<&ExtendedNumber> {
        match self {
            Self::Attained(claim) | Self::Approached(claim) | Self::Between { high: claim, .. } => Some(claim),
            Self::Vacuous => None,
        }
    }
}

/// Where the value is seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Witness {
    /// Two datasets.
    Datasets {
        /// The output.
        output: String,
        /// That gives it more often.
        more: Members,
        /// That gives it less often.
        less: Members,
        /// The probabilities.
        probabilities: (Fraction, Fraction),
    },
    /// An observer.
    Prior {
        /// What they believed.
        prior: Prior,
        /// About whom.
        entity: String,
        /// The output that moves them.
        output: String,
        /// `Pr[o | t]` and `Pr[o | ¬t]`.
        likelihoods: (Fraction, Fraction),
    },
    /// Outputs that two datasets give with different probabilities ((ε,δ)).
    Event {
        /// The outputs: one or another of them.
        outputs: Vec<String>,
        /// That gives them more often.
        more: Members,
        /// That gives them less often.
        less: Members,
        /// The probabilities.
        probabilities: (Fraction, Fraction),
    },
    /// A member that neither removal nor a crowd hides (I-CBP).
    Crowd {
        /// The member.
        entity: String,
        /// The dataset.
        data: Members,
        /// What its removal moves.
        removed: SeparatingOutput,
        /// Other members that are no closer to it than the claim, and what an exchange for each moves.
        outside: Vec<(String, SeparatingOutput)>,
    },
    /// A best simulator, and why none is better (I-ZKP).
    Simulation {
        /// How many members the simulator sees.
        rows: usize,
        /// The entity that is hardest to simulate without.
        entity: String,
        /// On the bounds that a simulator for that entity must keep.
        weights: Vec<Weight>,
        /// For each entity in order: sets of members that may be seen, and the answer there as a row of the table. Empty
        /// where no simulator comes within a finite factor.
        simulators: Vec<Vec<(Members, String)>>,
    },
}

/// An output that two datasets give with different probabilities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeparatingOutput {
    /// The output.
    pub output: String,
    /// That gives it more often.
    pub more: Members,
    /// That gives it less often.
    pub less: Members,
    /// The probabilities.
    pub probabilities: (Fraction, Fraction),
}

/// Weights of two bounds on a simulator that answers with `q(o)` where the mechanism is asked about `T`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weight {
    /// `T`.
    pub data: Members,
    /// `o`.
    pub output: String,
    /// Of `Pr[o|T] ≤ R·q(o)`.
    pub above: Fraction,
    /// Of `q(o) ≤ R·Pr[o|T]`.
    pub below: Fraction,
}

/// That nothing in a file could move a terminal's cursor once it is quoted: certificates are written without such characters, and
/// without escapes of any.
fn plain(text: &str) -> Result<(), RecheckError> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let unprintable = c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        let escape = c == '\\' && !matches!(chars.next(), Some((_, '\\' | '"')));
        if unprintable || escape {
            return Err(RecheckError::Syntax(format!("a character that does not print stands at byte {at}")));
        }
    }
    Ok(())
}

impl Certificate {
    /// The file's text, with its checksum.
    ///
    /// # Errors
    /// When the text cannot be written.
    pub fn seal(mut self) -> Result<String, RecheckError> {
        self.checksum = self.sum()?;
        serde_json::to_string(&self).map_err(|error| RecheckError::Syntax(error.to_string()))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is no certificate of this version, or is damaged.
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

    /// FNV-1a of the text without the sum: each step is one-to-one, so no change of a single character goes unseen.
    fn sum(&self) -> Result<String, RecheckError> {
        let bare = Self { checksum: String::new(), ..self.clone() };
        let text = serde_json::to_string(&bare).map_err(|error| RecheckError::Syntax(error.to_string()))?;
        let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Ok(format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step)))
    }
}
