//! Certificates: a decision in a file of its own, for `deniable-recheck` and for other programs.
//!
//! The file contains the whole mechanism, the question, the tight value and its witness, all numbers as fractions. The
//! same decision always gives the same text. Its format is [`deniable_recheck::format`], which does not depend on this
//! crate.

use crate::decide::{Simulation, Weight};
use crate::family::{Family, Prior};
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::{FixedParameter, Notion, Reading, Sign};
use crate::verdict::{SeparatingOutput, Value, Verdict, Witness};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::exact::Bound;
use deniable_core::exact::Rational;
use deniable_recheck::RecheckError;
use deniable_recheck::format::{self, Certificate};
use deniable_recheck::number::{ExtendedNumber, Fraction};

/// The text of a certificate, on one line.
///
/// # Errors
/// When the decision was made on counts.
pub fn certificate(
    mechanism: &Mechanism,
    notion: &Notion,
    family: &Family,
    verdict: &Verdict,
) -> Result<String, RecheckError> {
    let names = Names(mechanism);
    let certificate = Certificate {
        format: format::FORMAT,
        mechanism: names.table(),
        notion: names.notion(notion)?,
        family: names.family(family),
        value: value(&verdict.value),
        witness: verdict.witness.as_ref().map(|witness| names.witness(witness)).transpose()?,
        theorems: verdict.theorems.iter().map(|theorem| (*theorem).to_owned()).collect(),
        checksum: String::new(),
    };
    certificate.seal()
}

/// The reason why this notion has no certificates, known before the decision; `None` if it has them.
#[must_use]
pub fn none_of(notion: &Notion) -> Option<&'static str> {
    matches!(notion, Notion::Worlds { .. }).then_some(
        "there are no certificates about worlds with a largest prior: `recheck` would not look for other worlds",
    )
}

struct Names<'a>(&'a Mechanism);

impl Names<'_> {
    fn table(&self) -> format::Mechanism {
        let outputs = self.0.outputs();
        let of = |data: Dataset| row((0..outputs.len()).map(|output| self.0.probability(output, data)));
        let rows = (0..1_u32 << self.0.size()).map(|data| self.0.gives(data).then(|| of(data)));
        format::Mechanism { entities: self.0.entities().to_vec(), outputs: outputs.to_vec(), rows: rows.collect() }
    }

    fn members(&self, data: Dataset) -> format::Members {
        let members = self.0.entities().iter().enumerate().filter(|(t, _)| data >> t & 1 == 1);
        members.map(|(_, name)| name.clone()).collect()
    }

    fn notion(&self, notion: &Notion) -> Result<format::Notion, RecheckError> {
        Ok(match notion {
            Notion::Unbounded { sign: of } => format::Notion::Unbounded { sign: sign(*of) },
            Notion::Bounded => format::Notion::Bounded,
            Notion::FreeLunch => format::Notion::FreeLunch,
            Notion::Approximate { adjacency, given } => format::Notion::Approximate {
                adjacency: neighbours(*adjacency),
                given: match given {
                    FixedParameter::Odds(odds) => format::FixedParameter::Odds(fraction(odds)),
                    FixedParameter::Delta(delta) => format::FixedParameter::Delta(fraction(delta)),
                },
            },
            Notion::ButFor { adjacency, odds, reading } => format::Notion::ButFor {
                adjacency: neighbours(*adjacency),
                odds: fraction(odds),
                reading: match reading {
                    Reading::Event => format::Reading::Event,
                    Reading::Output => format::Reading::Output,
                },
            },
            Notion::Membership { sign: of } => format::Notion::Membership { sign: sign(*of) },
            Notion::Posterior { sign: of } => format::Notion::Posterior { sign: sign(*of) },
            Notion::Indistinguishable => format::Notion::Indistinguishable,
            Notion::Rho { among } => format::Notion::Rho { among: *among },
            Notion::AlphaBeta { least, sign: of } => {
                format::Notion::AlphaBeta { least: fraction(least), sign: sign(*of) }
            }
            Notion::Worlds { .. } => return Err(RecheckError::Unfit(none_of(notion).unwrap_or_default().to_owned())),
            Notion::Sampling { rate, sign: of } => format::Notion::Sampling { rate: fraction(rate), sign: sign(*of) },
            Notion::ZeroKnowledge { rows } => format::Notion::ZeroKnowledge { rows: *rows },
            Notion::ZeroKnowledgeRows { rows } => format::Notion::ZeroKnowledgeRows { rows: *rows },
            Notion::CrowdBlending { crowd } => format::Notion::CrowdBlending { crowd: *crowd },
            Notion::InducedExchange { allowed } => {
                format::Notion::InducedExchange { allowed: allowed.iter().map(|data| self.members(*data)).collect() }
            }
            Notion::Induced { allowed } => {
                format::Notion::Induced { allowed: allowed.iter().map(|data| self.members(*data)).collect() }
            }
        })
    }

    fn family(&self, family: &Family) -> format::Family {
        match family {
            Family::All => format::Family::All,
            Family::Independent(of) => format::Family::Independent(range(of)),
            Family::TwoDatasets(of) => format::Family::TwoDatasets(range(of)),
            Family::Bounded(of) => format::Family::Bounded(range(of)),
            Family::OneOfTwo(of) => format::Family::OneOfTwo(range(of)),
            Family::OneOf(among) => format::Family::OneOf(*among),
            Family::OneOfRest(among) => format::Family::OneOfRest(*among),
            Family::Uniform => format::Family::Uniform,
            Family::Sampled(rate) => format::Family::Sampled(fraction(rate)),
            Family::Groups(most) => format::Family::Groups(*most),
            Family::Box(ranges) => format::Family::Box(ranges.iter().map(range).collect()),
            Family::Explicit(priors) => {
                format::Family::Explicit(priors.iter().map(|prior| self.prior(prior)).collect())
            }
        }
    }

    fn prior(&self, prior: &Prior) -> format::Prior {
        match prior {
            Prior::Independent(beliefs) => format::Prior::Independent(beliefs.iter().map(fraction).collect()),
            Prior::Table(table) => {
                let entry = |(data, weight): &(Dataset, Rational)| (self.members(*data), fraction(weight));
                format::Prior::Table(table.iter().map(entry).collect())
            }
        }
    }

    fn apart(&self, apart: &SeparatingOutput) -> format::SeparatingOutput {
        format::SeparatingOutput {
            output: self.0.outputs()[apart.output].clone(),
            more: self.members(apart.more),
            less: self.members(apart.less),
            probabilities: (fraction(&apart.probabilities.0), fraction(&apart.probabilities.1)),
        }
    }

    fn simulation(&self, simulation: &Simulation) -> format::Witness {
        let weight = |weight: &Weight| format::Weight {
            data: self.members(weight.data),
            output: self.0.outputs()[weight.output].clone(),
            above: fraction(&weight.above),
            below: fraction(&weight.below),
        };
        let answer = |(seen, answer): &(Dataset, Vec<Rational>)| (self.members(*seen), row(answer.iter()));
        let simulators = simulation.simulators.iter().map(|answers| answers.iter().map(answer).collect());
        format::Witness::Simulation {
            rows: simulation.sight.rows(),
            entity: self.0.entities()[simulation.entity].clone(),
            weights: simulation.weights.iter().map(weight).collect(),
            simulators: simulators.collect(),
        }
    }

    fn witness(&self, witness: &Witness) -> Result<format::Witness, RecheckError> {
        let output = |output: usize| self.0.outputs()[output].clone();
        Ok(match witness {
            Witness::Counts(_) => {
                let why = "a certificate holds a table of datasets, and this decision was made on counts";
                return Err(RecheckError::Unfit(why.to_owned()));
            }
            Witness::Event { outputs, partly, more, less, probabilities: (high, low) } => format::Witness::Event {
                outputs: outputs.iter().map(|at| output(*at)).collect(),
                partly: partly.as_ref().map(|(at, part)| (output(*at), fraction(part))),
                more: self.members(*more),
                less: self.members(*less),
                probabilities: (fraction(high), fraction(low)),
            },
            Witness::Crowd { entity, data, removed, outside } => format::Witness::Crowd {
                entity: self.0.entities()[*entity].clone(),
                data: self.members(*data),
                removed: self.apart(removed),
                outside: outside.iter().map(|(t, apart)| (self.0.entities()[*t].clone(), self.apart(apart))).collect(),
            },
            Witness::Simulation(simulation) => self.simulation(simulation),
            Witness::Datasets { output: at, more, less, probabilities: (high, low) } => format::Witness::Datasets {
                output: output(*at),
                more: self.members(*more),
                less: self.members(*less),
                probabilities: (fraction(high), fraction(low)),
            },
            Witness::Prior { prior, entity, output: at, likelihoods: (present, absent) } => format::Witness::Prior {
                prior: self.prior(prior),
                entity: self.0.entities()[*entity].clone(),
                output: output(*at),
                likelihoods: (fraction(present), fraction(absent)),
            },
        })
    }
}

/// Probabilities by output, separated by spaces.
fn row(cells: impl Iterator<Item = impl ToString>) -> String {
    cells.map(|cell| cell.to_string()).collect::<Vec<_>>().join(" ")
}

fn value(value: &Value) -> format::Value {
    match value {
        Value::Attained(value) => format::Value::Attained(bound(value)),
        Value::Approached(value) => format::Value::Approached(bound(value)),
        Value::Between { low, high, theorem } => {
            format::Value::Between { low: bound(low), high: bound(high), theorem: (*theorem).to_owned() }
        }
        Value::Vacuous(_) => format::Value::Vacuous,
    }
}

fn bound(bound: &Bound) -> ExtendedNumber {
    match bound {
        Bound::Finite(value) => ExtendedNumber::Finite(value.clone()),
        Bound::Infinite => ExtendedNumber::Infinite,
    }
}

fn fraction(value: &Rational) -> Fraction {
    Fraction(value.clone())
}

fn range(range: &PriorRange) -> format::Range {
    format::Range { low: fraction(range.low()), high: fraction(range.high()) }
}

fn neighbours(adjacency: Adjacency) -> format::Adjacency {
    match adjacency {
        Adjacency::AddRemove => format::Adjacency::AddRemove,
        Adjacency::ReplaceOne => format::Adjacency::ReplaceOne,
    }
}

fn sign(sign: Sign) -> format::Sign {
    match sign {
        Sign::Positive => format::Sign::Positive,
        Sign::Negative => format::Sign::Negative,
        Sign::Both => format::Sign::Both,
    }
}
