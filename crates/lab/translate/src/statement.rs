//! Statements: a notion, its parameter, the adjacency, and the priors.

use crate::notion::{Facts, Notion, Sign};
use crate::shape::Shape;
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::budget::{Base, Spend};
use deniable_core::exact::Rational;
use num_traits::One;

/// A statement without its parameter: a notion, an adjacency and priors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The notion, with all parameters but the translated one.
    pub notion: Notion,
    /// The adjacency: add/remove or replace-one.
    pub adjacency: Adjacency,
    /// The range of priors, if the notion depends on it.
    pub priors: PriorRange,
}

/// The parameter of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementParameter {
    /// A factor on odds, above 1.
    Odds(Spend),
    /// γ, ρ, a ceiling or a floor.
    Number(Rational),
    /// α and β of (α,β)-differential identifiability.
    Pair(Rational, Rational),
}

/// A notion with its parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The notion, adjacency and priors.
    pub target: Target,
    /// The parameter, of the kind that suits the notion.
    pub value: StatementParameter,
}

impl Target {
    /// The pairs of datasets whose likelihood ratio the notion bounds.
    #[must_use]
    pub fn shape(&self) -> Shape {
        let replace = self.adjacency == Adjacency::ReplaceOne;
        match &self.notion {
            Notion::Rho { among: 2 } | Notion::AlphaBeta { .. } => Shape::Replace,
            Notion::Rho { among } => Shape::OneOf(*among),
            Notion::FreeLunch => Shape::All,
            Notion::Sampling { rate } => Shape::Sampled { rate: rate.clone() },
            Notion::PositiveSampling { rate } | Notion::SampledGain { rate } => Shape::SampledUp { rate: rate.clone() },
            Notion::UniformGain => Shape::Uniform,
            Notion::Group { size } if replace => Shape::ReplaceGroup(*size),
            Notion::Group { size } => Shape::Group(*size),
            Notion::ZeroKnowledge { rows } | Notion::ZeroKnowledgeRows { rows: rows @ 0 } => Shape::Simulated(*rows),
            Notion::ZeroKnowledgeRows { rows } => Shape::SimulatedRows(*rows),
            Notion::CrowdBlending { crowd } => Shape::Crowd(*crowd),
            Notion::Induced(Facts::None) => Shape::Both,
            Notion::InducedExchange(Facts::None) => Shape::Move,
            // With a public size, an exchange is the smallest step, whether it counts as one move or as two.
            Notion::Induced(Facts::Size) | Notion::InducedExchange(Facts::Size) => Shape::Replace,
            Notion::Induced(Facts::Apart(people)) => Shape::Induced(*people),
            Notion::InducedExchange(Facts::Apart(moves)) => Shape::Exchanged(*moves),
            Notion::BayesOptimal { both } => Shape::Table { both: *both },
            Notion::SemiHonest { both } => Shape::View { both: *both },
            _ if replace => Shape::Replace,
            Notion::Indistinguishable { sign: Sign::Positive } => Shape::Up,
            Notion::Indistinguishable { sign: Sign::Negative } => Shape::Down,
            Notion::Odds(Sign::Both)
            | Notion::Epsilon(Sign::Both)
            | Notion::Membership
            | Notion::Indistinguishable { sign: Sign::Both } => Shape::Both,
            Notion::Odds(Sign::Positive) | Notion::Epsilon(Sign::Positive) | Notion::Gain | Notion::Ceiling => {
                Shape::Up
            }
            Notion::Odds(Sign::Negative) | Notion::Epsilon(Sign::Negative) | Notion::NegativeGain | Notion::Floor => {
                Shape::Down
            }
        }
    }

    /// Whether the notion has both adjacencies.
    #[must_use]
    pub fn has_adjacency(&self) -> bool {
        match &self.notion {
            Notion::Rho { .. }
            | Notion::AlphaBeta { .. }
            | Notion::FreeLunch
            | Notion::Sampling { .. }
            | Notion::PositiveSampling { .. }
            | Notion::SampledGain { .. }
            | Notion::UniformGain
            | Notion::ZeroKnowledge { .. }
            | Notion::ZeroKnowledgeRows { .. }
            | Notion::CrowdBlending { .. }
            | Notion::Induced(_)
            | Notion::InducedExchange(_)
            | Notion::BayesOptimal { .. }
            | Notion::SemiHonest { .. } => false,
            Notion::Odds(sign) | Notion::Epsilon(sign) => *sign == Sign::Both,
            Notion::Gain
            | Notion::NegativeGain
            | Notion::Membership
            | Notion::Ceiling
            | Notion::Floor
            | Notion::Indistinguishable { .. }
            | Notion::Group { .. } => true,
        }
    }

    /// The identifier of the family of priors in `docs/theorems`.
    #[must_use]
    pub fn family(&self) -> String {
        let base = match self.shape() {
            Shape::Up | Shape::Down | Shape::Both => "F-DI",
            Shape::Replace => "F-DB",
            Shape::OneOf(_) => return "F-DCm".to_owned(),
            Shape::All => return "F-DU".to_owned(),
            Shape::Sampled { .. } | Shape::SampledUp { .. } => return "F-DFβ".to_owned(),
            Shape::Uniform => return "F-DN".to_owned(),
            Shape::Group(_) | Shape::ReplaceGroup(_) => return "F-NIk".to_owned(),
            Shape::Simulated(_)
            | Shape::SimulatedRows(_)
            | Shape::Crowd(_)
            | Shape::Move
            | Shape::Induced(_)
            | Shape::Exchanged(_)
            | Shape::View { .. }
            | Shape::Table { .. } => return self.notion.theorem().to_owned(),
        };
        if matches!(self.notion, Notion::Rho { .. }) {
            return "F-DCm".to_owned();
        }
        if self.notion.depends_on_priors() && !self.priors.is_any() { format!("{base}[a,b]") } else { base.to_owned() }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.write(f, "")
    }
}

impl Target {
    fn write(&self, f: &mut std::fmt::Formatter<'_>, value: &str) -> std::fmt::Result {
        f.write_str(self.notion.name())?;
        match &self.notion {
            Notion::Rho { among } => write!(f, "{value}:{among}")?,
            Notion::AlphaBeta { least, most } => {
                f.write_str(value)?;
                if !num_traits::Zero::is_zero(least) || most.is_some() {
                    write!(f, ":{least}")?;
                }
                if let Some(most) = most {
                    write!(f, "..{most}")?;
                }
            }
            Notion::Sampling { rate } | Notion::PositiveSampling { rate } | Notion::SampledGain { rate } => {
                write!(f, ":{rate}{value}")?
            }
            Notion::Group { size } => write!(f, ":{size}{value}")?,
            Notion::ZeroKnowledge { rows } | Notion::ZeroKnowledgeRows { rows } => write!(f, ":{rows}{value}")?,
            Notion::CrowdBlending { crowd } => write!(f, ":{crowd}{value}")?,
            Notion::Induced(facts) | Notion::InducedExchange(facts) => write!(f, ":{facts}{value}")?,
            _ => f.write_str(value)?,
        }
        if self.has_adjacency() && self.adjacency == Adjacency::ReplaceOne {
            f.write_str("@replace-one")?;
        }
        if self.notion.depends_on_priors() && !self.priors.is_any() {
            f.write_str("@")?;
            if !num_traits::Zero::is_zero(self.priors.low()) {
                write!(f, "{}", self.priors.low())?;
            }
            f.write_str("..")?;
            if !self.priors.high().is_one() {
                write!(f, "{}", self.priors.high())?;
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Statement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = match &self.value {
            StatementParameter::Odds(odds) if matches!(self.target.notion, Notion::Epsilon(_)) => epsilon(odds),
            StatementParameter::Odds(odds) => odds.to_string(),
            StatementParameter::Number(value) => value.to_string(),
            StatementParameter::Pair(alpha, beta) => format!("{alpha},{beta}"),
        };
        self.target.write(f, &format!("={value}"))
    }
}

/// The logarithm of an odds ratio: `1`, `ln(3)`, `1/2·ln(3) + 1`.
#[must_use]
pub fn epsilon(odds: &Spend) -> String {
    if let Some(exact) = odds.exact_odds() {
        return if exact.is_one() { "0".to_owned() } else { format!("ln({exact})") };
    }
    let terms = odds.terms().map(|(base, share)| match base {
        Base::E => share.to_string(),
        Base::Odds(value) if share.is_one() => format!("ln({value})"),
        Base::Odds(value) => format!("{share}·ln({value})"),
    });
    terms.collect::<Vec<_>>().join(" + ")
}
