//! Certificates: a decision in a file of its own, for `deniable-recheck` and for other programs.
//!
//! The file holds the whole mechanism, the question, the tight value and its witness, all numbers as fractions. The same
//! decision always gives the same text. Its format is [`deniable_recheck::format`], which knows nothing of this crate.

use crate::bound::Bound;
use crate::family::{Family, Prior};
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::{Given, Notion, Sign};
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::exact::Rational;
use deniable_recheck::RecheckError;
use deniable_recheck::format::{self, Certificate};
use deniable_recheck::number::{Extended, Fraction};

/// The text of a certificate, on one line.
///
/// # Errors
/// When the text cannot be written, which no decision of this crate causes.
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
        notion: names.notion(notion),
        family: names.family(family),
        value: value(&verdict.value),
        witness: verdict.witness.as_ref().map(|witness| names.witness(witness)).transpose()?,
        theorems: verdict.theorems.iter().map(|theorem| (*theorem).to_owned()).collect(),
        checksum: String::new(),
    };
    certificate.seal()
}

/// What the bits of a dataset are called.
struct Names<'a>(&'a Mechanism);

impl Names<'_> {
    fn table(&self) -> format::Mechanism {
        let outputs = self.0.outputs();
        let row = |data: Dataset| {
            let cells = (0..outputs.len()).map(|output| self.0.probability(output, data).to_string());
            cells.collect::<Vec<_>>().join(" ")
        };
        let rows = (0..1_u32 << self.0.size()).map(|data| self.0.gives(data).then(|| row(data)));
        format::Mechanism { entities: self.0.entities().to_vec(), outputs: outputs.to_vec(), rows: rows.collect() }
    }

    fn members(&self, data: Dataset) -> format::Members {
        let members = self.0.entities().iter().enumerate().filter(|(t, _)| data >> t & 1 == 1);
        members.map(|(_, name)| name.clone()).collect()
    }

    fn notion(&self, notion: &Notion) -> format::Notion {
        match notion {
            Notion::Unbounded { sign: of } => format::Notion::Unbounded { sign: sign(*of) },
            Notion::Bounded => format::Notion::Bounded,
            Notion::FreeLunch => format::Notion::FreeLunch,
            Notion::Approximate { adjacency, given } => format::Notion::Approximate {
                adjacency: match adjacency {
                    Adjacency::AddRemove => format::Adjacency::AddRemove,
                    Adjacency::ReplaceOne => format::Adjacency::ReplaceOne,
                },
                given: match given {
                    Given::Odds(odds) => format::Given::Odds(fraction(odds)),
                    Given::Delta(delta) => format::Given::Delta(fraction(delta)),
                },
            },
            Notion::Membership { sign: of } => format::Notion::Membership { sign: sign(*of) },
            Notion::Posterior { sign: of } => format::Notion::Posterior { sign: sign(*of) },
            Notion::Rho { among } => format::Notion::Rho { among: *among },
            Notion::AlphaBeta { least, sign: of } => {
                format::Notion::AlphaBeta { least: fraction(least), sign: sign(*of) }
            }
            Notion::Sampling { rate, sign: of } => format::Notion::Sampling { rate: fraction(rate), sign: sign(*of) },
            Notion::ZeroKnowledge { rows } => format::Notion::ZeroKnowledge { rows: *rows },
            Notion::CrowdBlending { crowd } => format::Notion::CrowdBlending { crowd: *crowd },
            Notion::Induced { allowed } => {
                format::Notion::Induced { allowed: allowed.iter().map(|data| self.members(*data)).collect() }
            }
        }
    }

    fn family(&self, family: &Family) -> format::Family {
        match family {
            Family::All => format::Family::All,
            Family::Independent(of) => format::Family::Independent(range(of)),
            Family::TwoDatasets(of) => format::Family::TwoDatasets(range(of)),
            Family::Bounded(of) => format::Family::Bounded(range(of)),
            Family::OneOfTwo(of) => format::Family::OneOfTwo(range(of)),
            Family::OneOf(among) => format::Family::OneOf(*among),
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

    fn witness(&self, witness: &Witness) -> Result<format::Witness, RecheckError> {
        let output = |output: usize| self.0.outputs()[output].clone();
        Ok(match witness {
            Witness::Event { .. } | Witness::Crowd { .. } | Witness::Simulation(_) | Witness::Counts(_) => {
                return Err(RecheckError::Unfit("this notion's witness has no form in a certificate yet".to_owned()));
            }
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

fn value(value: &Value) -> format::Value {
    match value {
        Value::Attained(value) => format::Value::Attained(bound(value)),
        Value::Approached(value) => format::Value::Approached(bound(value)),
        Value::Between { low, high, theorem } => {
            format::Value::Between { low: bound(low), high: bound(high), theorem: (*theorem).to_owned() }
        }
    }
}

fn bound(bound: &Bound) -> Extended {
    match bound {
        Bound::Finite(value) => Extended::Finite(value.clone()),
        Bound::Infinite => Extended::Infinite,
    }
}

fn fraction(value: &Rational) -> Fraction {
    Fraction(value.clone())
}

fn range(range: &PriorRange) -> format::Range {
    format::Range { low: fraction(range.low()), high: fraction(range.high()) }
}

fn sign(sign: Sign) -> format::Sign {
    match sign {
        Sign::Positive => format::Sign::Positive,
        Sign::Negative => format::Sign::Negative,
        Sign::Both => format::Sign::Both,
    }
}
