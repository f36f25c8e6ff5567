//! The questions to `check` about a counterexample.

use super::built::{Instance, telling};
use crate::notion::{Facts, Notion, Sign};
use crate::statement::{Statement, StatementParameter, Target};
use deniable_check::Bound;
use deniable_check::bop::{Background, Block};
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::Family;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion as checked;
use deniable_check::protocol::Party;
use deniable_check::protocol::simulate::Sides;
use deniable_check::verdict::Value;
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{ratio, whole};

/// A notion and a family for `check`; for both sides, the one that breaks first.
type Question = (checked::Notion, Family);

/// Whether the parameter is certainly at most the statement's; a family without an observer satisfies everything.
pub(super) fn keeps(instance: &Instance, from: &Statement) -> bool {
    if let Some(value) = beside(instance, &from.target) {
        return value.is_some_and(|value| value.high() <= &stated(from));
    }
    let Some(mechanism) = &instance.mechanism else { return false };
    if no_worlds(&from.target, mechanism.size()) {
        return true;
    }
    let Some(questions) = questions(&from.target, mechanism.size(), AllowedFacts::Fewest) else { return false };
    questions.iter().all(|question| keeps_one(mechanism, question, from))
}

/// Whether the target is broken without limit: only the parameter that promises nothing holds.
pub(super) fn breaks(instance: &Instance, to: &Target) -> bool {
    let nothing = match to.notion {
        Notion::Ceiling | Notion::Rho { .. } | Notion::AlphaBeta { .. } => Bound::one(),
        Notion::Floor => Bound::Finite(whole(0)),
        _ => Bound::Infinite,
    };
    value(instance, to).is_some_and(|value| !value.is_vacuous() && *value.low() == nothing && *value.high() == nothing)
}

/// The parameter below which the target certainly does not hold, if observers attain it.
pub(super) fn least(instance: &Instance, to: &Target) -> Option<Bound> {
    let value = value(instance, to)?;
    (!value.is_vacuous()).then(|| value.low().clone())
}

/// The value of the target by `check`.
fn value(instance: &Instance, to: &Target) -> Option<Value> {
    if let Some(value) = beside(instance, to) {
        return value;
    }
    let mechanism = instance.mechanism.as_ref()?;
    let questions = questions(to, mechanism.size(), AllowedFacts::All)?;
    let (notion, family) = questions.first()?;
    decide(mechanism, notion, family).ok().map(|verdict| verdict.value)
}

/// The value of a notion about tables or protocols.
fn beside(instance: &Instance, target: &Target) -> Option<Option<Value>> {
    match &target.notion {
        Notion::BayesOptimal { both } => {
            Some(instance.table.as_ref().and_then(|(known, blocks)| moved(known, blocks, *both).map(Value::Attained)))
        }
        Notion::SemiHonest { both } => {
            let protocol = instance.protocol.clone().or_else(|| instance.mechanism.as_ref().and_then(telling));
            let sides = if *both { Sides::Two } else { Sides::One };
            Some(protocol.and_then(|protocol| protocol.simulate(Party::First, sides)).map(|found| found.value))
        }
        _ => None,
    }
}

/// The largest fall of beliefs in values, or the largest change in both directions, by Bayes' rule over every block;
/// `None` for an impossible table.
fn moved(known: &Background, blocks: &[Block], both: bool) -> Option<Bound> {
    let mut farthest = Bound::one();
    for block in blocks {
        for public in &block.public {
            let (before, after) = (known.prior(*public)?, known.posterior(block, *public)?);
            for (before, after) in before.iter().zip(&after) {
                let fall = Bound::of(before, after);
                let rise = Bound::of(after, before).filter(|_| both);
                farthest = fall.into_iter().chain(rise).fold(farthest, Bound::max);
            }
        }
    }
    Some(farthest)
}

/// Whether no prior has so few worlds with the stated largest belief each, (α,β)-differential identifiability.
fn no_worlds(target: &Target, people: usize) -> bool {
    matches!(&target.notion, Notion::AlphaBeta { most: Some(most), .. } if most * whole(people) < whole(1))
}

/// The public facts to assume where a notion only states the distance between neighbours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AllowedFacts {
    /// For a statement: the facts that allow two datasets at the stated distance.
    Fewest,
    /// For a target, which must hold for all facts: no facts.
    All,
}

fn questions(target: &Target, people: usize, meant: AllowedFacts) -> Option<Vec<Question>> {
    let replace = target.adjacency == Adjacency::ReplaceOne;
    let family = || {
        let range = target.priors.clone();
        if replace { Family::Bounded(range) } else { Family::Independent(range) }
    };
    let membership = |sign, family| (checked::Notion::Membership { sign }, family);
    let all = |notion| (notion, Family::All);
    let side = |sign: &Sign| match sign {
        Sign::Positive => checked::Sign::Positive,
        Sign::Negative => checked::Sign::Negative,
        Sign::Both => checked::Sign::Both,
    };
    Some(match &target.notion {
        Notion::Odds(_) | Notion::Epsilon(_) if replace => vec![all(checked::Notion::Bounded)],
        Notion::Odds(sign) | Notion::Epsilon(sign) => vec![all(checked::Notion::Unbounded { sign: side(sign) })],
        Notion::FreeLunch => vec![all(checked::Notion::FreeLunch)],
        Notion::Gain => vec![membership(checked::Sign::Positive, family())],
        Notion::NegativeGain => vec![membership(checked::Sign::Negative, family())],
        Notion::Membership => vec![membership(checked::Sign::Both, family())],
        Notion::Indistinguishable { .. } => vec![(checked::Notion::Indistinguishable, family())],
        Notion::Ceiling => vec![(checked::Notion::Posterior { sign: checked::Sign::Positive }, family())],
        Notion::Floor => vec![(checked::Notion::Posterior { sign: checked::Sign::Negative }, family())],
        Notion::Rho { among } => vec![all(checked::Notion::Rho { among: *among as usize })],
        Notion::AlphaBeta { least, most } => {
            let least = most.as_ref().map_or_else(|| least.clone(), |most| least.max(&(whole(1) - most)).clone());
            if least > ratio(1, 2) {
                return None;
            }
            let side = |sign| all(checked::Notion::AlphaBeta { least: least.clone(), sign });
            vec![side(checked::Sign::Negative), side(checked::Sign::Positive)]
        }
        Notion::Sampling { rate } => {
            vec![all(checked::Notion::Sampling { rate: rate.clone(), sign: checked::Sign::Both })]
        }
        Notion::PositiveSampling { rate } => {
            vec![all(checked::Notion::Sampling { rate: rate.clone(), sign: checked::Sign::Positive })]
        }
        Notion::SampledGain { rate } => vec![membership(checked::Sign::Positive, Family::Sampled(rate.clone()))],
        Notion::UniformGain => vec![membership(checked::Sign::Positive, Family::Uniform)],
        Notion::Group { size } if !replace => {
            vec![membership(checked::Sign::Both, Family::Groups(*size as usize))]
        }
        // Exchanges of several people are single exchanges in sequence: unbounded if one is, and bounded by its power.
        Notion::Group { .. } => vec![all(checked::Notion::Bounded)],
        Notion::ZeroKnowledge { rows } => vec![all(checked::Notion::ZeroKnowledge { rows: *rows as usize })],
        Notion::ZeroKnowledgeRows { rows } => vec![all(checked::Notion::ZeroKnowledgeRows { rows: *rows as usize })],
        Notion::CrowdBlending { crowd } => vec![all(checked::Notion::CrowdBlending { crowd: *crowd as usize })],
        Notion::Induced(Facts::None) => vec![all(checked::Notion::Unbounded { sign: checked::Sign::Both })],
        Notion::Induced(Facts::Size) | Notion::InducedExchange(Facts::Size) => vec![all(checked::Notion::Bounded)],
        Notion::Induced(Facts::Apart(apart)) => {
            vec![all(checked::Notion::Induced { allowed: allowed(*apart, people, meant) })]
        }
        // A statement without facts is about all datasets, as every target is.
        Notion::InducedExchange(Facts::None) => {
            vec![all(checked::Notion::InducedExchange { allowed: allowed(0, people, AllowedFacts::All) })]
        }
        Notion::InducedExchange(Facts::Apart(moves)) => {
            vec![all(checked::Notion::InducedExchange { allowed: allowed(*moves, people, meant) })]
        }
        Notion::BayesOptimal { .. } | Notion::SemiHonest { .. } => return None,
    })
}

/// The allowed datasets: neighbours `apart` moves apart, or all datasets.
fn allowed(apart: u32, people: usize, meant: AllowedFacts) -> Vec<Dataset> {
    match meant {
        AllowedFacts::Fewest => vec![0, (1 << apart.min(31)) - 1],
        AllowedFacts::All => (0..1 << people).collect(),
    }
}

/// The statement's parameter; for (α,β), α.
fn stated(from: &Statement) -> Bound {
    Bound::Finite(match &from.value {
        StatementParameter::Odds(odds) => odds.odds_at_least(),
        StatementParameter::Number(number) | StatementParameter::Pair(number, _) => number.clone(),
    })
}

fn keeps_one(mechanism: &Mechanism, (notion, family): &Question, from: &Statement) -> bool {
    let value = match decide(mechanism, notion, family) {
        Ok(verdict) => verdict.value,
        Err(error) => return matches!(error, CheckError::NoPrior { .. }),
    };
    if value.is_vacuous() {
        return true;
    }
    let is_beta = matches!(notion, checked::Notion::AlphaBeta { sign: checked::Sign::Positive, .. });
    let claim = match &from.value {
        StatementParameter::Pair(_, beta) if is_beta => Bound::Finite(beta.clone()),
        _ => stated(from),
    };
    let several = match (&from.target.notion, from.target.adjacency) {
        (Notion::Group { size }, Adjacency::ReplaceOne) => *size,
        _ => 1,
    };
    if !notion.is_worse_when_larger() {
        return *value.high() >= claim;
    }
    let high: Bound = value.high().power(several);
    high <= claim
}
