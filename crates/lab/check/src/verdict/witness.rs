//! Witnesses by datasets and observers.

use super::count_witness::CountWitness;
use super::simulation::{Sight, Simulation};
use crate::family::Prior;
use crate::mechanism::{Dataset, Mechanism};
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, whole};

/// An output that two datasets give with different probabilities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeparatingOutput {
    /// The output, by its position in the mechanism's outputs.
    pub output: usize,
    /// The dataset with the larger probability.
    pub more: Dataset,
    /// The dataset with the smaller probability.
    pub less: Dataset,
    /// The probabilities of the output at `more` and at `less`.
    pub probabilities: (Rational, Rational),
}

impl SeparatingOutput {
    fn line(&self, mechanism: &Mechanism) -> String {
        let Self { output, more, less, probabilities: (top, bottom) } = self;
        let name = &mechanism.outputs()[*output];
        let (more, less) = (mechanism.members(*more), mechanism.members(*less));
        let ratio = Bound::of(top, bottom).unwrap_or_else(Bound::one);
        format!("Pr[{name} | {more}] / Pr[{name} | {less}] = {top} / {bottom} = {ratio}")
    }
}

/// The place where the parameter is attained, with enough data for another program to verify it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Witness {
    /// An output that two datasets give with different probabilities.
    Datasets {
        /// The output, by its position in the mechanism's outputs.
        output: usize,
        /// The dataset with the larger probability.
        more: Dataset,
        /// The dataset with the smaller probability.
        less: Dataset,
        /// The probabilities at `more` and at `less`.
        probabilities: (Rational, Rational),
    },
    /// A set of outputs that two datasets give with different probabilities ((ε,δ)-DP, B-7).
    Event {
        /// The outputs of the event, by their positions.
        outputs: Vec<usize>,
        /// An output that is in the event with a probability: a coin decides (B-7).
        partly: Option<(usize, Rational)>,
        /// The dataset with the larger probability.
        more: Dataset,
        /// The dataset with the smaller probability.
        less: Dataset,
        /// The probabilities at `more` and at `less`.
        probabilities: (Rational, Rational),
    },
    /// An output that changes the belief of an observer.
    Prior {
        /// The observer's belief before the output.
        prior: Prior,
        /// The measured entity, by its position.
        entity: usize,
        /// The output, by its position in the mechanism's outputs.
        output: usize,
        /// `Pr[o | t]` and `Pr[o | ¬t]`.
        likelihoods: (Rational, Rational),
    },
    /// A member that neither removal nor a crowd hides (I-CBP).
    Crowd {
        /// The member, by its position in the mechanism's entities.
        entity: usize,
        /// The dataset that the member is in.
        data: Dataset,
        /// The output and datasets with the largest ratio when it is removed.
        removed: SeparatingOutput,
        /// All other members whose exchange ratio is at least the parameter, each with the output that attains it. The
        /// remaining members are too few for a crowd.
        outside: Vec<(usize, SeparatingOutput)>,
    },
    /// A best simulator, and the proof that none is better (I-ZKP).
    Simulation(Box<Simulation>),
    /// A witness by counts, for a mechanism that depends on counts only.
    Counts(CountWitness),
}

impl Witness {
    /// Where the belief in the opposite shrinks by a larger factor than the belief itself grows, that factor in words:
    /// it is the gain (B-2).
    #[must_use]
    pub fn disbelief(&self) -> Option<String> {
        let (words, shrinks, rises) = self.shrinking()?;
        (shrinks > rises).then_some(words)
    }

    /// The belief that shrinks, in presence or in absence, and the factor, in words: the quantity that I-IND bounds.
    #[must_use]
    pub fn fall(&self) -> Option<String> {
        self.shrinking().map(|(words, ..)| words)
    }

    /// The belief that shrinks, in words; the factor by which it shrinks, and the factor by which its opposite grows.
    fn shrinking(&self) -> Option<(String, Bound, Bound)> {
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
        Some((format!("; {falls} by a factor {shrinks}"), shrinks, rises))
    }

    /// The arithmetic in one line.
    #[must_use]
    pub fn line(&self, mechanism: &Mechanism) -> String {
        match self {
            Self::Datasets { output, more, less, probabilities: (top, bottom) } => {
                let probabilities = (top.clone(), bottom.clone());
                SeparatingOutput { output: *output, more: *more, less: *less, probabilities }.line(mechanism)
            }
            Self::Crowd { entity, data, removed, outside } => {
                let who = &mechanism.entities()[*entity];
                let exchange = |(other, apart): &(usize, SeparatingOutput)| {
                    format!("; exchanging it for {}: {}", mechanism.entities()[*other], apart.line(mechanism))
                };
                let exchanges: String = outside.iter().map(exchange).collect();
                format!("{who} in {}: removing it: {}{exchanges}", mechanism.members(*data), removed.line(mechanism))
            }
            Self::Simulation(simulation) => {
                let who = &mechanism.entities()[simulation.entity];
                let weights = simulation.weights.len();
                let seen = match simulation.sight {
                    Sight::Members(rows) => format!("{rows} random members other than {who}"),
                    Sight::Rows(rows) => format!("{rows} random rows of {}, that of {who} as ⊥,", mechanism.size()),
                };
                let (low, high) = (simulation.lower(mechanism), simulation.upper(mechanism));
                format!(
                    "a simulator that sees {seen} is within {} at best ({weights} weighted bounds), \
                     and this one is within {}",
                    low.decimal(9),
                    high.decimal(9)
                )
            }
            Self::Event { outputs, partly, more, less, probabilities: (top, bottom) } => {
                let name = |output: &usize| mechanism.outputs()[*output].as_str();
                let event = named_event(outputs.iter().map(name), partly.as_ref().map(|(at, part)| (name(at), part)));
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

/// The name of an event: `yes or no, or 1/3 of maybe`.
pub(crate) fn named_event<'a>(outputs: impl Iterator<Item = &'a str>, partly: Option<(&str, &Rational)>) -> String {
    let partly = partly.map(|(name, part)| format!("{part} of {name}"));
    outputs.map(str::to_owned).chain(partly).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

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
        // 1/2 becomes 1/5, by 5/2, whatever the factor of its opposite.
        let prior = Prior::Independent(vec![ratio(1, 2)]);
        let told = Witness::Prior { prior, entity: 0, output: 0, likelihoods: (ratio(2, 5), ratio(1, 10)) };
        assert_eq!(told.fall().unwrap(), "; disbelief falls from 1/2 to 1/5, by a factor 5/2");
    }
}
