//! From the parameter of a notion to an odds ratio of its shape, and back.
//!
//! A statement has two odds ratios: the largest that is *enough* for it, and the smallest that *follows* from it. They
//! are equal if the family has an observer who attains the bound; for beliefs under replace-one that takes a pair of
//! people with beliefs `p` and `1−p`, both in the range (`F-DB[a,b]`).

use crate::amount::Amount;
use crate::notion::{Notion, Sign};
use crate::statement::{Statement, StatementParameter, Target};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::belief::{gain_over, posterior};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::promise::{Promise, PromiseError, world_multiples};
use num_traits::{One, Zero};

/// A number that is known exactly, or enclosed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// A lower bound.
    pub low: Rational,
    /// An upper bound.
    pub high: Rational,
}

impl Number {
    fn of(odds: &Amount, function: impl Fn(&Rational) -> Rational) -> Self {
        let (low, high) = odds.ends();
        let (one, other) = (function(&low), function(&high));
        if one <= other { Self { low: one, high: other } } else { Self { low: other, high: one } }
    }

    /// The number, if it is known exactly.
    #[must_use]
    pub fn exact(&self) -> Option<&Rational> {
        (self.low == self.high).then_some(&self.low)
    }
}

/// The parameter of a notion for an odds ratio.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A factor on odds, at least 1.
    Odds(Amount),
    /// A factor on odds, displayed as its logarithm.
    Epsilon(Amount),
    /// γ, ρ, a ceiling or a floor.
    Number(Number),
    /// α and β of (α,β)-differential identifiability.
    Pair(Number, Number),
}

impl Value {
    /// Whether it is certainly stricter than another value of the same notion.
    #[must_use]
    pub fn certainly_stronger(&self, other: &Self, notion: &Notion) -> bool {
        match (self, other) {
            (Self::Odds(one), Self::Odds(other)) | (Self::Epsilon(one), Self::Epsilon(other)) => {
                one.certainly_cmp(other) == Some(std::cmp::Ordering::Less)
            }
            (Self::Number(one), Self::Number(other)) if *notion == Notion::Floor => one.low > other.high,
            (Self::Number(one), Self::Number(other)) => one.high < other.low,
            (Self::Pair(alpha, beta), Self::Pair(other, beside)) => alpha.high < other.low && beta.high <= beside.low,
            _ => false,
        }
    }
}

/// The largest odds ratio that is enough for a statement (B-3 to B-6).
///
/// # Errors
/// When its parameter is out of range, or no odds ratio is enough for its range of priors.
pub fn enough(statement: &Statement) -> Result<Amount, PromiseError> {
    with_range(statement, &statement.target.priors)
}

/// The smallest odds ratio that follows from a statement; `None` where none does.
///
/// # Errors
/// As for [`enough`].
pub fn necessary(statement: &Statement) -> Result<Option<Amount>, PromiseError> {
    match observers(&statement.target) {
        None => Ok(None),
        Some(Observers::Range(range)) if statement.target.notion == Notion::Membership => {
            // One γ allows presence and absence different odds unless the range is symmetric; the larger odds follow
            // for both.
            let (gain, loss) = both(statement, &range)?;
            Ok(Some(Amount::of(gain.max(loss))))
        }
        Some(Observers::Range(range)) if is_indistinguishable(&statement.target) => {
            // As above, with the belief for which the factor of the fall allows larger odds.
            Ok(Some(before_fall(&stated_odds(&statement.value), &smaller(&range))))
        }
        Some(Observers::Range(range)) => with_range(statement, &range).map(Some),
        Some(Observers::Worlds(least)) => {
            let StatementParameter::Pair(alpha, beta) = &statement.value else { return Ok(None) };
            enough(statement)?;
            let promise = Promise::AlphaBeta { alpha: alpha.clone(), beta: beta.clone(), least, most: None };
            Ok(Some(promise.largest_odds(&PriorRange::any())?.into()))
        }
    }
}

/// The odds of one exchange that follow from membership privacy under add/remove: one person removed, at the odds of
/// absence, and one added, at the odds of presence (F-DB). Over an asymmetric range the two differ.
///
/// Both are attained by a likelihood that is multiplied by the one when person 1 joins, and divided by the other when
/// person 2 does.
///
/// # Errors
/// As for [`enough`].
pub fn exchange(statement: &Statement) -> Result<Option<Amount>, PromiseError> {
    if statement.target.adjacency != Adjacency::AddRemove {
        return Ok(None);
    }
    if is_indistinguishable(&statement.target) {
        let (stated, range) = (stated_odds(&statement.value), &statement.target.priors);
        let (gain, loss) = (before_fall(&stated, range.high()), before_fall(&stated, range.of_absence().high()));
        return Ok(Some(gain.and(&loss)));
    }
    if statement.target.notion != Notion::Membership {
        return Ok(None);
    }
    let (gain, loss) = both(statement, &statement.target.priors)?;
    Ok(Some(Amount::of(gain * loss)))
}

fn is_indistinguishable(target: &Target) -> bool {
    target.notion == Notion::Indistinguishable { sign: Sign::Both }
}

fn stated_odds(value: &StatementParameter) -> Amount {
    match value {
        StatementParameter::Odds(odds) => odds.clone().into(),
        StatementParameter::Number(odds) | StatementParameter::Pair(odds, _) => Amount::of(odds.clone()),
    }
}

/// The largest factor by which the opposite belief falls if the odds of a belief grow by this much: `1 + p(R−1)`
/// (I-IND).
fn fall(odds: &Amount, belief: &Rational) -> Amount {
    if belief.is_one() { odds.clone() } else { odds.map(|odds| whole(1) + belief * (odds - whole(1))) }
}

/// The odds at which the opposite belief falls by this factor.
fn before_fall(factor: &Amount, belief: &Rational) -> Amount {
    if belief.is_one() { factor.clone() } else { factor.map(|factor| whole(1) + (factor - whole(1)) / belief) }
}

/// The smaller of the highest beliefs in presence and in absence.
fn smaller(range: &PriorRange) -> Rational {
    range.high().min(range.of_absence().high()).clone()
}

/// The belief whose opposite falls most: in presence, in absence, or the larger of both.
fn highest(range: &PriorRange, sign: Sign) -> Rational {
    match sign {
        Sign::Positive => range.high().clone(),
        Sign::Negative => range.of_absence().high().clone(),
        Sign::Both => range.high().max(range.of_absence().high()).clone(),
    }
}

/// The smallest parameter of the notion that follows from an odds ratio (for a floor, the largest).
#[must_use]
pub fn implied(target: &Target, odds: &Amount) -> Option<Value> {
    if !can_be_promised(target) {
        return None;
    }
    Some(valued(target, odds, &target.priors, least_world(target), Rational::max))
}

/// The largest parameter of the notion that implies the odds ratio; `None` if none does.
#[must_use]
pub fn demanding(target: &Target, odds: &Amount) -> Option<Value> {
    if !can_be_promised(target) {
        return None;
    }
    match observers(target)? {
        Observers::Range(range) => Some(valued(target, odds, &range, whole(0), Rational::min)),
        Observers::Worlds(least) => Some(valued(target, odds, &target.priors, least, Rational::max)),
    }
}

/// Whether the range of priors suits the notion: a ceiling needs an upper end, a floor a lower one (B-4).
#[must_use]
pub fn can_be_promised(target: &Target) -> bool {
    match target.notion {
        Notion::Ceiling => !target.priors.high().is_one(),
        Notion::Floor => !target.priors.low().is_zero(),
        _ => true,
    }
}

/// Whether no prior has worlds whose probabilities are all from `P_min` to `P_max`: `P_min` limits the number of worlds
/// from above, `P_max` from below (B-6). Statements about such worlds are vacuous.
#[must_use]
pub fn nobody(target: &Target) -> bool {
    let Notion::AlphaBeta { least, most: Some(most) } = &target.notion else { return false };
    !least.is_zero() && !most.is_zero() && least.recip().floor() < most.recip().ceil()
}

enum Observers {
    /// Observers with these beliefs in a person, for every pair of possible datasets.
    Range(PriorRange),
    /// Observers of two worlds, one of this prior.
    Worlds(Rational),
}

/// The observers for whom only two adjacent datasets are possible, who attain every ratio.
fn observers(target: &Target) -> Option<Observers> {
    if let Notion::AlphaBeta { least, most } = &target.notion {
        let smaller = most.as_ref().map_or_else(|| least.clone(), |most| least.max(&(whole(1) - most)).clone());
        return (smaller <= ratio(1, 2)).then_some(Observers::Worlds(smaller));
    }
    let range = &target.priors;
    if target.adjacency == Adjacency::AddRemove || !target.notion.depends_on_priors() || range.is_any() {
        return Some(Observers::Range(range.clone()));
    }
    // Under replace-one the belief in the other person is 1−p, and must be in the range too.
    let absent = range.of_absence();
    let (low, high) = (range.low().max(absent.low()).clone(), range.high().min(absent.high()).clone());
    let end = |value: Rational| (!value.is_zero() && !value.is_one()).then_some(value);
    PriorRange::new(end(low), end(high)).ok().filter(|pairs| pairs.low() <= pairs.high()).map(Observers::Range)
}

fn least_world(target: &Target) -> Rational {
    match &target.notion {
        Notion::AlphaBeta { least, .. } => least.clone(),
        _ => whole(0),
    }
}

fn number(value: &StatementParameter) -> Rational {
    match value {
        StatementParameter::Number(value) | StatementParameter::Pair(value, _) => value.clone(),
        StatementParameter::Odds(odds) => odds.odds_at_least(),
    }
}

fn promised(promise: &Promise, range: &PriorRange) -> Result<Amount, PromiseError> {
    Ok(promise.largest_odds(range)?.into())
}

fn both(statement: &Statement, range: &PriorRange) -> Result<(Rational, Rational), PromiseError> {
    let gamma = number(&statement.value);
    let gain = promised(&Promise::Gain(gamma.clone()), range)?.ends().0;
    let loss = promised(&Promise::NegativeGain(gamma), range)?.ends().0;
    Ok((gain, loss))
}

fn with_range(statement: &Statement, range: &PriorRange) -> Result<Amount, PromiseError> {
    let value = &statement.value;
    match &statement.target.notion {
        Notion::Odds(_)
        | Notion::Epsilon(_)
        | Notion::FreeLunch
        | Notion::Group { .. }
        | Notion::Sampling { .. }
        | Notion::PositiveSampling { .. }
        | Notion::ZeroKnowledge { .. }
        | Notion::ZeroKnowledgeRows { .. }
        | Notion::CrowdBlending { .. }
        | Notion::Induced(_)
        | Notion::InducedExchange(_)
        | Notion::BayesOptimal { .. }
        | Notion::SemiHonest { .. } => Ok(stated_odds(value)),
        Notion::Indistinguishable { sign } => Ok(before_fall(&stated_odds(value), &highest(range, *sign))),
        Notion::Gain => promised(&Promise::Gain(number(value)), range),
        Notion::NegativeGain => promised(&Promise::NegativeGain(number(value)), range),
        Notion::Membership => both(statement, range).map(|(gain, loss)| Amount::of(gain.min(loss))),
        Notion::Ceiling => promised(&Promise::PosteriorAtMost(number(value)), range),
        Notion::Floor => promised(&Promise::PosteriorAtLeast(number(value)), range),
        Notion::Rho { among } => promised(&Promise::Rho { rho: number(value), among: u64::from(*among) }, range),
        Notion::AlphaBeta { least, most } => {
            let StatementParameter::Pair(alpha, beta) = value else { return Ok(Amount::of(whole(1))) };
            let (alpha, beta) = (alpha.clone(), beta.clone());
            promised(&Promise::AlphaBeta { alpha, beta, least: least.clone(), most: most.clone() }, range)
        }
        // C-5 at the one prior of the family: E = 1 + β(L−1), with L the odds that γ allows at prior β.
        Notion::SampledGain { rate } => {
            let odds = promised(&Promise::Gain(number(value)), &only(rate))?;
            Ok(odds.map(|odds| whole(1) + rate * (odds - whole(1))))
        }
        Notion::UniformGain => promised(&Promise::Gain(number(value)), &only(&ratio(1, 2))),
    }
}

/// The range of a single belief.
fn only(belief: &Rational) -> PriorRange {
    PriorRange::new(Some(belief.clone()), Some(belief.clone())).unwrap_or_else(|_| PriorRange::any())
}

fn valued(
    target: &Target,
    odds: &Amount,
    range: &PriorRange,
    least: Rational,
    choose: fn(Rational, Rational) -> Rational,
) -> Value {
    let number = |function: &dyn Fn(&Rational) -> Rational| Value::Number(Number::of(odds, function));
    match &target.notion {
        Notion::Odds(_)
        | Notion::FreeLunch
        | Notion::Group { .. }
        | Notion::Sampling { .. }
        | Notion::PositiveSampling { .. }
        | Notion::ZeroKnowledge { .. }
        | Notion::ZeroKnowledgeRows { .. }
        | Notion::CrowdBlending { .. }
        | Notion::Induced(_)
        | Notion::InducedExchange(_)
        | Notion::BayesOptimal { .. }
        | Notion::SemiHonest { .. } => Value::Odds(odds.clone()),
        Notion::Indistinguishable { sign: Sign::Both } => {
            Value::Odds(fall(odds, &choose(range.high().clone(), range.of_absence().high().clone())))
        }
        Notion::Indistinguishable { sign } => Value::Odds(fall(odds, &highest(range, *sign))),
        Notion::Epsilon(_) => Value::Epsilon(odds.clone()),
        Notion::Gain => number(&|odds| gain_over(range, odds)),
        Notion::NegativeGain => number(&|odds| gain_over(&range.of_absence(), odds)),
        Notion::Membership => number(&|odds| choose(gain_over(range, odds), gain_over(&range.of_absence(), odds))),
        Notion::Ceiling => number(&|odds| posterior(range.high(), odds)),
        Notion::Floor => number(&|odds| posterior(range.low(), &odds.recip())),
        Notion::Rho { among } => number(&|odds| odds / (odds + whole(*among) - whole(1))),
        Notion::AlphaBeta { .. } => Value::Pair(
            Number::of(odds, |odds| whole(1) - world_multiples(&least, odds).0),
            Number::of(odds, |odds| world_multiples(&least, odds).1 - whole(1)),
        ),
        Notion::SampledGain { rate } => {
            // Back from E to the likelihood ratio before sampling, at prior β.
            number(&|odds| gain_over(&only(rate), &(whole(1) + (odds - whole(1)) / rate)))
        }
        Notion::UniformGain => number(&|odds| gain_over(&only(&ratio(1, 2)), odds)),
    }
}
