//! Answers: the tight parameter, and the place where it is reached.

use crate::counts::CountWitness;
use crate::decide::Simulation;
use crate::family::Prior;
use crate::mechanism::{Dataset, Mechanism};
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, Rounding, decimal, power, whole};

/// Most decimals that the ends of a bracket are told apart by.
const MOST_PLACES: u32 = 30;

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The tight parameter of the notion.
    pub value: Value,
    /// Where it is reached; `None` where nothing is learned, or nothing is asked about.
    pub witness: Option<Witness>,
    /// The entries of `docs/theorems` that say why nothing is worse.
    pub theorems: Vec<&'static str>,
}

/// How large the smallest parameter is that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Exactly this, and some observer reaches it.
    Attained(Bound),
    /// Exactly this; observers come as near as they like.
    Approached(Bound),
    /// Somewhere from `low` to `high`.
    Between {
        /// Some observer reaches at least this.
        low: Bound,
        /// None gets beyond this.
        high: Bound,
        /// The entry of `docs/theorems` that bounds it.
        theorem: &'static str,
    },
    /// The table holds no pair of datasets, and the family no uncertain observer, that the notion is about: it promises
    /// nothing to anybody, and every parameter holds. This is the least.
    Vacuous(Bound),
}

impl Value {
    /// The least parameter that certainly holds.
    #[must_use]
    pub fn high(&self) -> &Bound {
        match self {
            Self::Attained(value) | Self::Approached(value) | Self::Vacuous(value) => value,
            Self::Between { high, .. } => high,
        }
    }

    /// The parameter below which it certainly does not hold.
    #[must_use]
    pub fn low(&self) -> &Bound {
        match self {
            Self::Attained(value) | Self::Approached(value) | Self::Vacuous(value) => value,
            Self::Between { low, .. } => low,
        }
    }

    /// Whether nobody and no pair of datasets is asked about.
    #[must_use]
    pub fn is_vacuous(&self) -> bool {
        matches!(self, Self::Vacuous(_))
    }

    /// Whether a claimed parameter holds; `None` where the bracket does not tell.
    #[must_use]
    pub fn keeps(&self, claim: &Rational) -> Option<bool> {
        let claim = Bound::Finite(claim.clone());
        if *self.high() <= claim {
            Some(true)
        } else if *self.low() > claim {
            Some(false)
        } else {
            None
        }
    }
}

impl Value {
    /// A decimal of some places. The two ends of a bracket have as many as tell them apart, and are rounded away from each
    /// other.
    #[must_use]
    pub fn decimal(&self, places: u32) -> String {
        let Self::Between { low, high, .. } = self else { return self.high().decimal(places) };
        let (Bound::Finite(low), Bound::Finite(high)) = (low, high) else {
            return format!("{} .. {}", low.decimal(places), high.decimal(places));
        };
        let ends = |places| (decimal(low, places, Rounding::Down), decimal(high, places, Rounding::Up));
        let unit = whole(2) / power(&whole(10), places);
        let width = high - low;
        let apart = |more: &u32| &width * power(&whole(10), *more - places) >= unit;
        let (low, high) = ends((places..=MOST_PLACES).find(apart).unwrap_or(MOST_PLACES));
        format!("{low} .. {high}")
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Attained(value) | Self::Approached(value) | Self::Vacuous(value) => write!(f, "{value}"),
            Self::Between { low, high, .. } => write!(f, "{low} .. {high}"),
        }
    }
}

/// An output that two datasets give with different probabilities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// The output.
    pub output: usize,
    /// The dataset that gives it more often.
    pub more: Dataset,
    /// The one that gives it less often.
    pub less: Dataset,
    /// The two probabilities.
    pub probabilities: (Rational, Rational),
}

impl Apart {
    fn line(&self, mechanism: &Mechanism) -> String {
        let Self { output, more, less, probabilities: (top, bottom) } = self;
        let name = &mechanism.outputs()[*output];
        let (more, less) = (mechanism.members(*more), mechanism.members(*less));
        let ratio = Bound::of(top, bottom).unwrap_or_else(Bound::one);
        format!("Pr[{name} | {more}] / Pr[{name} | {less}] = {top} / {bottom} = {ratio}")
    }
}

/// Where the parameter is reached: enough for another program to check it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Witness {
    /// An output that two datasets give with different probabilities.
    Datasets {
        /// The output.
        output: usize,
        /// The dataset that gives it more often.
        more: Dataset,
        /// The one that gives it less often.
        less: Dataset,
        /// The two probabilities.
        probabilities: (Rational, Rational),
    },
    /// Outputs of which two datasets give one or another with different probabilities ((ε,δ)-DP).
    Event {
        /// The outputs.
        outputs: Vec<usize>,
        /// The dataset that gives them more often.
        more: Dataset,
        /// The one that gives them less often.
        less: Dataset,
        /// The two probabilities.
        probabilities: (Rational, Rational),
    },
    /// An output that moves the belief of an observer.
    Prior {
        /// What the observer believed.
        prior: Prior,
        /// About whom.
        entity: usize,
        /// The output.
        output: usize,
        /// `Pr[o | t]` and `Pr[o | ¬t]`.
        likelihoods: (Rational, Rational),
    },
    /// A member that neither removal nor a crowd hides (I-CBP).
    Crowd {
        /// The member.
        entity: usize,
        /// The dataset.
        data: Dataset,
        /// What its removal moves most.
        removed: Apart,
        /// All other members that are no closer to it than the parameter, each with what an exchange moves most. The
        /// others are too few for a crowd.
        outside: Vec<(usize, Apart)>,
    },
    /// A best simulator, and why none is better (I-ZKP).
    Simulation(Box<Simulation>),
    /// The same by counts, for a mechanism that sees no more than those.
    Counts(CountWitness),
}

impl Witness {
    /// Where the belief in the opposite shrinks by a larger factor than the belief itself grows by, which is the gain then
    /// (B-2): that factor, in words.
    #[must_use]
    pub fn disbelief(&self) -> Option<String> {
        let Self::Prior { prior, entity, likelihoods: (present, absent), .. } = self else { return None };
        let one = whole(1);
        let belief = prior.belief(*entity);
        let with = &belief * present;
        let after = &with / (&with + (&one - &belief) * absent);
        let grows = after > belief;
        let (before, now) = if grows { (&one - belief, &one - after) } else { (belief, after) };
        let shrinks = Bound::of(&before, &now)?;
        let rises = Bound::of(&(&one - &now), &(&one - &before))?;
        let falls =
            if grows { format!("disbelief falls from {before} to {now},") } else { "that belief falls".to_owned() };
        (shrinks > rises).then(|| format!("; {falls} by a factor {shrinks}"))
    }

    /// The arithmetic in one line.
    #[must_use]
    pub fn line(&self, mechanism: &Mechanism) -> String {
        match self {
            Self::Datasets { output, more, less, probabilities: (top, bottom) } => {
                let probabilities = (top.clone(), bottom.clone());
                Apart { output: *output, more: *more, less: *less, probabilities }.line(mechanism)
            }
            Self::Crowd { entity, data, removed, outside } => {
                let who = &mechanism.entities()[*entity];
                let exchange = |(other, apart): &(usize, Apart)| {
                    format!("; exchanging it for {}: {}", mechanism.entities()[*other], apart.line(mechanism))
                };
                let exchanges: String = outside.iter().map(exchange).collect();
                format!("{who} in {}: removing it: {}{exchanges}", mechanism.members(*data), removed.line(mechanism))
            }
            Self::Simulation(simulation) => {
                let who = &mechanism.entities()[simulation.entity];
                let (rows, weights) = (simulation.rows, simulation.weights.len());
                let (low, high) = (simulation.lower(mechanism), simulation.upper(mechanism));
                format!(
                    "who sees {rows} random members other than {who} answers within {} at best ({weights} weighted bounds), \
                     and the simulator within {}",
                    low.decimal(9),
                    high.decimal(9)
                )
            }
            Self::Event { outputs, more, less, probabilities: (top, bottom) } => {
                let names = outputs.iter().map(|output| mechanism.outputs()[*output].as_str());
                let event = names.collect::<Vec<_>>().join(" or ");
                let (more, less) = (mechanism.members(*more), mechanism.members(*less));
                format!("Pr[{event} | {more}] = {top}, Pr[{event} | {less}] = {bottom}")
            }
            Self::Counts(witness) => witness.line(),
            Self::Prior { prior, entity, output, likelihoods: (present, absent) } => {
                let (name, who) = (&mechanism.outputs()[*output], &mechanism.entities()[*entity]);
                let belief = prior.belief(*entity);
                let with = &belief * present;
                let after = &with / (&with + (whole(1) - &belief) * absent);
                format!(
                    "after `{name}`, belief that {who} is in goes from {belief} to {after}: Pr[{name} | in] = {present}, \
                     Pr[{name} | out] = {absent}"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    fn between(low: Rational, high: Rational) -> Value {
        Value::Between { low: Bound::Finite(low), high: Bound::Finite(high), theorem: "X-COUNT" }
    }

    #[test]
    fn the_ends_of_a_bracket_are_told_apart() {
        let third = ratio(1, 3);
        let near = &third + ratio(1, 1_000_000_000_000);
        assert_eq!(between(third.clone(), near).decimal(6), "0.3333333333333 .. 0.3333333333344");
        assert_eq!(between(third, ratio(1, 2)).decimal(6), "0.333333 .. 0.5");
        assert_eq!(between(whole(9), whole(10)).decimal(6), "9 .. 10");
        assert_eq!(Value::Attained(Bound::Finite(ratio(2, 3))).decimal(6), "0.666667");
    }

    /// k-Max of two: belief 1/2 becomes 2/3, a factor 4/3; disbelief 1/2 becomes 1/3, a factor 3/2, which is the gain.
    #[test]
    fn a_gain_by_disbelief_is_shown() {
        let told = |present, absent| {
            let prior = Prior::Independent(vec![ratio(1, 2)]);
            Witness::Prior { prior, entity: 0, output: 0, likelihoods: (present, absent) }.disbelief()
        };
        let up = told(ratio(1, 8), ratio(1, 16)).unwrap();
        assert_eq!(up, "; disbelief falls from 1/2 to 1/3, by a factor 3/2");
        let down = told(ratio(1, 16), ratio(1, 8)).unwrap();
        assert_eq!(down, "; that belief falls by a factor 3/2");
        assert_eq!(told(ratio(1, 8), ratio(1, 8)), None);
    }
}
