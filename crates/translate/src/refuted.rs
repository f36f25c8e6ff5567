//! Counterexamples as mechanisms, decided by `check` against the very statement and target before they are shown.

use crate::bounds::enough;
use crate::notion::{Notion, Sign};
use crate::shape::{Counterexample, Shape};
use crate::statement::{Stated, Statement, Target};
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::family::Family;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion as checked;
use deniable_check::verdict::Value;
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, ratio, whole};

/// Most people of a mechanism that is built; a table has a row for each set of them.
const MOST_PEOPLE: u32 = 6;

/// What `check` says of a counterexample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// It keeps the statement, and the target has no parameter for it short of certainty.
    Refuted,
    /// It does not, or breaks nothing.
    Not,
    /// No table of a few people shows it: the notion is none of `check`'s, or the counterexample is about ever more people.
    /// Such counterexamples are about shapes alone (`follows`), where tests decide them.
    Beyond,
}

/// Decides whether a counterexample keeps the statement and breaks the target.
#[must_use]
pub fn decided(counterexample: Counterexample, from: &Statement, to: &Target) -> Decided {
    let (kept, broken) = (questions(&from.target), questions(to));
    let fewest = people(&from.target).max(people(to)).max(3);
    let known = kept.is_some() || matches!(from.target.notion, Notion::AlphaBeta { .. });
    let Some(broken) = broken.filter(|_| known && fewest <= MOST_PEOPLE) else { return Decided::Beyond };
    let refutes = |mechanism: &Mechanism| {
        let kept = kept.as_ref();
        let keeps = no_worlds(&from.target, mechanism.size())
            || kept.is_some_and(|all| all.iter().all(|question| keeps(mechanism, question, from)));
        keeps && breaks(mechanism, &broken[0], to)
    };
    // Bounded beliefs take enough people to share them.
    for people in fewest..=MOST_PEOPLE {
        let Some(candidates) = candidates(counterexample, from, people as usize) else { return Decided::Beyond };
        if candidates.iter().any(refutes) {
            return Decided::Refuted;
        }
    }
    Decided::Not
}

/// Whether no prior gives so few worlds at most the stated belief each, (α,β)-differential identifiability.
fn no_worlds(target: &Target, people: usize) -> bool {
    matches!(&target.notion, Notion::AlphaBeta { most: Some(most), .. } if most * whole(people) < whole(1))
}

/// How many people the notion speaks of.
fn people(target: &Target) -> u32 {
    match target.notion {
        Notion::Rho { among } => among,
        Notion::Group { size } => size.saturating_add(1),
        _ => 2,
    }
}

/// The mechanisms that a counterexample stands for; `None` where it is about ever more people.
fn candidates(counterexample: Counterexample, from: &Statement, people: usize) -> Option<Vec<Mechanism>> {
    let odds = || enough(from).map(|odds| odds.ends().0).unwrap_or_else(|_| whole(1));
    let built = match counterexample {
        Counterexample::ExactSize => vec![named(people, people + 1, |data| data.count_ones() as usize)],
        Counterexample::OnlyAlone => {
            let odds = odds();
            let x = whole(1) - odds.recip();
            vec![yes(people, move |data| match data {
                0 => &x / &odds,
                1 => x.clone(),
                _ => whole(0),
            })]
        }
        Counterexample::OnlyWith => {
            let x = whole(1) - odds().recip();
            vec![yes(people, move |data| if data & 1 == 1 { x.clone() } else { whole(0) })]
        }
        Counterexample::NotThisOne => match from.target.shape() {
            Shape::OneOf(m) => vec![not_this_one(m as usize)],
            _ => Vec::new(),
        },
        Counterexample::LargeSets => match from.target.shape() {
            Shape::OneOf(m) => vec![large_sets(m as usize + 1, m as usize)],
            _ => Vec::new(),
        },
        Counterexample::NoObserver => (2..=4).map(exact).collect(),
        Counterexample::Everyone
        | Counterexample::ExactlyThese
        | Counterexample::Many
        | Counterexample::KMax
        | Counterexample::PriorBeyond => return None,
    };
    Some(built.into_iter().flatten().collect())
}

/// Names for the outputs, of which a set of all people is the longest list.
fn outputs(count: usize) -> Vec<String> {
    (0..count).map(|output| format!("o{output}")).collect()
}

fn built(people: usize, count: usize, chance: impl Fn(Dataset, usize) -> Rational) -> Option<Mechanism> {
    let names = outputs(count);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Mechanism::from_fn(people, &names, chance).ok()
}

/// One certain answer for each dataset.
fn named(people: usize, count: usize, answer: impl Fn(Dataset) -> usize) -> Option<Mechanism> {
    built(people, count, |data, output| whole(i64::from(answer(data) == output)))
}

fn yes(people: usize, chance: impl Fn(Dataset) -> Rational) -> Option<Mechanism> {
    built(people, 2, |data, output| if output == 0 { chance(data) } else { whole(1) - chance(data) })
}

/// Who is in.
fn exact(people: usize) -> Option<Mechanism> {
    named(people, 1 << people, |data| data as usize)
}

/// Names one of those who are not in where exactly one is, anybody otherwise.
fn not_this_one(people: usize) -> Option<Mechanism> {
    built(people, people, |data, output| {
        let alone = data.count_ones() == 1;
        match (alone, data >> output & 1 == 1) {
            (true, true) => whole(0),
            (true, false) => (whole(people) - whole(1)).recip(),
            (false, _) => whole(people).recip(),
        }
    })
}

/// Who is in, where more than `people − m + 1` are.
fn large_sets(people: usize, m: usize) -> Option<Mechanism> {
    let large = move |data: Dataset| data.count_ones() as usize + m > people + 1;
    named(people, 1 << people, move |data| if large(data) { data as usize } else { 0 })
}

/// What `check` is asked about a notion; of two sides both, the one that breaks first.
type Question = (checked::Notion, Family);

fn questions(target: &Target) -> Option<Vec<Question>> {
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
        Notion::SampledGain { rate } => vec![membership(checked::Sign::Positive, Family::Sampled(rate.clone()))],
        Notion::UniformGain => vec![membership(checked::Sign::Positive, Family::Uniform)],
        Notion::Group { size } if !replace => {
            vec![membership(checked::Sign::Both, Family::Groups(*size as usize))]
        }
        Notion::Group { .. } => return None,
    })
}

/// Whether the parameter is certainly no worse than the statement's; a family without an observer keeps everything.
fn keeps(mechanism: &Mechanism, (notion, family): &Question, from: &Statement) -> bool {
    let value = match decide(mechanism, notion, family) {
        Ok(verdict) => verdict.value,
        Err(error) => return matches!(error, CheckError::NoPrior { .. }),
    };
    let (number, beta) = match &from.value {
        Stated::Odds(odds) => (odds.odds_at_least(), None),
        Stated::Number(number) => (number.clone(), None),
        Stated::Pair(alpha, beta) => (alpha.clone(), Some(beta.clone())),
    };
    let is_beta = matches!(notion, checked::Notion::AlphaBeta { sign: checked::Sign::Positive, .. });
    let claim = Bound::Finite(beta.filter(|_| is_beta).unwrap_or(number));
    if value.is_vacuous() {
        return true;
    }
    if notion.is_worse_when_larger() { *value.high() <= claim } else { *value.high() >= claim }
}

/// Whether not even certainty is too much: no parameter holds but the one that promises nothing.
fn breaks(mechanism: &Mechanism, (notion, family): &Question, to: &Target) -> bool {
    let Ok(verdict) = decide(mechanism, notion, family) else { return false };
    let nothing = match to.notion {
        Notion::Ceiling | Notion::Rho { .. } | Notion::AlphaBeta { .. } => Bound::one(),
        Notion::Floor => Bound::Finite(whole(0)),
        _ => Bound::Infinite,
    };
    !matches!(verdict.value, Value::Vacuous(_)) && *verdict.value.low() == nothing && *verdict.value.high() == nothing
}
