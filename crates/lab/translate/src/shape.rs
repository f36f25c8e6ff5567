//! The likelihood ratios that notions bound, and the implications between them.
//!
//! [`follows`] has the whole theory: for two shapes, either how an odds ratio carries over, with the theorem, or a
//! mechanism that shows that no bound does. The tests check each entry against random mechanisms, and each
//! counterexample.

mod further;

use crate::amount::{Amount, one_over};
use crate::counterexample::Counterexample;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::One;

/// The pairs, or the observers, whose likelihood ratio is bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A dataset with a person, over the same dataset without them.
    Up,
    /// A dataset without a person, over the same dataset with them.
    Down,
    /// Either of the two: one person more or less.
    Both,
    /// Datasets of one size that differ by one exchange.
    Replace,
    /// One person more, one less, or one exchanged (I-INX).
    Move,
    /// Datasets that differ by up to this many people.
    Group(u32),
    /// Datasets of one size that differ by up to this many simultaneous exchanges.
    ReplaceGroup(u32),
    /// Any two datasets.
    All,
    /// One of this many equally likely people (three or more), over the average of the others.
    OneOf(u32),
    /// [`Shape::Both`] after every person is kept with this probability.
    Sampled {
        /// The sampling rate β, between 0 and 1.
        rate: Rational,
    },
    /// [`Shape::Up`] after every person is kept with this probability.
    SampledUp {
        /// The sampling rate β, between 0 and 1.
        rate: Rational,
    },
    /// A dataset with a person, over the same without them, all others being in with probability one half.
    Uniform,
    /// The answer over the answer of a simulator that sees this many random rows of the others, and the reverse
    /// (I-ZKP).
    Simulated(u32),
    /// As `Simulated`, where the rows are of all, and those of absent people and of the person itself are empty
    /// (I-ZKR); one or more, since without a row the two are equal.
    SimulatedRows(u32),
    /// A member against its removal, or against the others of a crowd of this many (two or more), whichever ratio is
    /// smaller (I-CBP).
    Crowd(u32),
    /// Datasets that public facts allow, up to this many people apart with no allowed dataset between (I-INP).
    Induced(u32),
    /// As `Induced`, up to this many moves apart, where an exchange is one move (I-INX).
    Exchanged(u32),
    /// The view of a party of a protocol, over a simulation from its input and output (I-SMC).
    View {
        /// Whether the reverse is bounded too.
        both: bool,
    },
    /// Beliefs in a value before a table, over those after it (I-BOP).
    Table {
        /// Whether the reverse is bounded too.
        both: bool,
    },
}

/// The carry-over of an odds ratio; each variant is increasing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carry {
    /// `R^k` from `R`, with this `k`.
    Power(u32),
    /// `1 + rate·(R^power − 1)`, and at least `floor`.
    Sample {
        /// The power of the odds before sampling; usually 1.
        power: u32,
        /// The probability that a person is kept.
        rate: Rational,
        /// A lower bound that mechanisms can always attain.
        floor: Rational,
    },
}

impl Carry {
    /// The odds that follow from `odds`.
    #[must_use]
    pub fn apply(&self, odds: &Amount) -> Amount {
        match self {
            Self::Power(exponent) => odds.power(&whole(*exponent)),
            Self::Sample { power, rate, floor } => {
                let odds = if power.is_one() { odds.clone() } else { odds.power(&whole(*power)) };
                let sampled = if rate.is_one() { odds } else { odds.map(|r| whole(1) + rate * (r - whole(1))) };
                sampled.at_least(floor)
            }
        }
    }

    /// The largest odds ratio from which `odds` follows, if any.
    #[must_use]
    pub fn undo(&self, odds: &Amount) -> Option<Amount> {
        match self {
            Self::Power(exponent) => Some(odds.power(&one_over(*exponent))),
            Self::Sample { power, rate, floor } => {
                let enough = odds.certainly_cmp(&Amount::of(floor.clone())).is_some_and(std::cmp::Ordering::is_ge);
                if !enough {
                    return None;
                }
                let odds = if rate.is_one() { odds.clone() } else { odds.map(|r| whole(1) + (r - whole(1)) / rate) };
                Some(if power.is_one() { odds } else { odds.power(&one_over(*power)) })
            }
        }
    }
}

/// The implication of one shape by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The carry-over of an odds ratio.
    pub carry: Carry,
    /// The entries that prove it.
    pub theorems: Vec<&'static str>,
    /// Further conditions, in words.
    pub condition: Option<&'static str>,
    /// Whether some mechanism attains or approaches the bound.
    pub tight: bool,
}

const GROUP_CONDITION: &str = "one group of that size among independent single people, or everyone in groups of exactly \
                               that size that are all in or all out; mixed sizes are not covered";

fn power(exponent: u32, theorems: &[&'static str]) -> Result<Step, Counterexample> {
    Ok(Step { carry: Carry::Power(exponent), theorems: theorems.to_vec(), condition: None, tight: true })
}

fn sample(rate: &Rational, floor: Rational, theorems: &[&'static str]) -> Result<Step, Counterexample> {
    let carry = Carry::Sample { power: 1, rate: rate.clone(), floor };
    Ok(Step { carry, theorems: theorems.to_vec(), condition: None, tight: true })
}

/// The largest ratio when an answer that only members can give rules out absence before sampling: sampling limits it to
/// this factor.
fn unseen(rate: &Rational) -> Rational {
    (whole(1) - rate).recip()
}

/// Whether a bound of the shape `to` follows from a bound of the shape `from`, and its value.
///
/// # Errors
/// The counterexample, if no bound follows.
pub fn follows(from: &Shape, to: &Shape) -> Result<Step, Counterexample> {
    use Shape::{
        All, Both, Crowd, Down, Exchanged, Group, Induced, Move, OneOf, Replace, ReplaceGroup, Sampled, SampledUp,
        Simulated, SimulatedRows, Table, Uniform, Up, View,
    };
    if from == to {
        return power(1, &[]);
    }
    if let Some(found) = further::follows(from, to) {
        return found;
    }
    match (from, to) {
        (All, Sampled { rate } | SampledUp { rate }) => sample(rate, whole(1), &["F-DU", "C-5"]),
        (All, _) => power(1, &["F-DU"]),

        (Both, Up | Down | Uniform) => power(1, &["F-DI"]),
        (Both, Replace | OneOf(_)) => power(2, &["F-DI", "F-DB"]),
        (Both, Group(k)) => power(*k, &["F-NIk"]),
        (Both, ReplaceGroup(k)) => grouped(power(k.saturating_mul(2), &["F-NIk", "F-DB"])),
        (Both, Move) => power(2, &["F-DI", "F-DB", "I-INX"]),
        (Both | Up, SampledUp { rate }) | (Both, Sampled { rate }) => sample(rate, whole(1), &["C-5"]),
        (Up, Sampled { rate }) => sample(rate, unseen(rate), &["C-5", "I-DPS"]),
        (Up, Uniform) => power(1, &["F-DI"]),
        (Up, _) => Err(Counterexample::OnlyAlone),
        (Down, _) => Err(Counterexample::OnlyWith),
        // Among the remaining shapes only `All` differs.
        (Both, _) => Err(Counterexample::Everyone),

        (Move, Up | Down | Both | Uniform) => power(1, &["I-INX", "F-DI"]),
        (Move, Replace) => power(1, &["I-INX", "F-DB"]),
        (Move, OneOf(_)) => power(1, &["I-INX", "B-5", "S-REP"]),
        // A whole group may join; two groups of equal size may be exchanged person by person.
        (Move, Group(k)) => power(*k, &["I-INX", "F-NIk"]),
        (Move, ReplaceGroup(k)) => grouped(power(*k, &["I-INX", "F-NIk"])),
        (Move, Sampled { rate } | SampledUp { rate }) => sample(rate, whole(1), &["I-INX", "C-5"]),
        (Move, _) => Err(Counterexample::Everyone),

        (Replace | ReplaceGroup(_), OneOf(_)) => power(1, &["B-5", "S-REP"]),
        (Replace, ReplaceGroup(k)) => grouped(power(*k, &["F-NIk"])),
        (ReplaceGroup(_), Replace) => power(1, &["F-NIk"]),
        (ReplaceGroup(k), ReplaceGroup(j)) => grouped(power(j.div_ceil(*k), &["F-NIk"])),
        (Replace | ReplaceGroup(_), _) => Err(Counterexample::ExactSize),

        (Group(_), Up | Down | Both | Uniform) => power(1, &["F-NIk"]),
        (Group(k), Group(j)) => power(j.div_ceil(*k), &["F-NIk"]),
        (Group(k), Replace | OneOf(_)) => power(2_u32.div_ceil(*k), &["F-NIk", "F-DB"]),
        (Group(k), Move) => power(2_u32.div_ceil(*k), &["F-NIk", "I-INX"]),
        (Group(k), ReplaceGroup(j)) => grouped(power(j.saturating_mul(2).div_ceil(*k), &["F-NIk", "F-DB"])),
        (Group(_), Sampled { rate } | SampledUp { rate }) => sample(rate, whole(1), &["F-NIk", "C-5"]),
        (Group(_), _) => Err(Counterexample::Everyone),

        (OneOf(m), OneOf(j)) if j >= m => power(1, &["B-5"]),
        (OneOf(_), OneOf(_)) => Err(Counterexample::LargeSets),
        (OneOf(_), Replace | ReplaceGroup(_)) => Err(Counterexample::NotThisOne),
        (OneOf(_), _) => Err(Counterexample::ExactSize),

        (Sampled { rate }, SampledUp { rate: other }) if other <= rate => {
            sample(&(other / rate), whole(1), &["C-5", "I-DPS"])
        }
        (Sampled { rate }, Sampled { rate: other }) if other <= rate => sample(&(other / rate), whole(1), &["C-5"]),
        (SampledUp { rate }, SampledUp { rate: other }) if other <= rate => sample(&(other / rate), whole(1), &["C-5"]),
        (SampledUp { rate }, Sampled { rate: other }) if other <= rate => {
            sample(&(other / rate), unseen(other), &["C-5", "I-DPS"])
        }
        // From rate 1/2 on, the uniform prior is a sample; below, it has datasets that samples rarely have.
        (Sampled { rate } | SampledUp { rate }, Uniform) if *rate >= ratio(1, 2) => {
            sample(&rate.recip(), whole(1), &["I-DPS", "F-DN"])
        }
        (Sampled { .. } | SampledUp { .. }, Uniform | Sampled { .. } | SampledUp { .. }) => Err(Counterexample::Many),
        (Sampled { .. } | SampledUp { .. }, _) => Err(Counterexample::ExactlyThese),

        // The other shapes are handled above.
        (Uniform, _)
        | (Simulated(_) | SimulatedRows(_) | Crowd(_) | Induced(_) | Exchanged(_) | View { .. } | Table { .. }, _) => {
            Err(Counterexample::KMax)
        }
    }
}

fn grouped(step: Result<Step, Counterexample>) -> Result<Step, Counterexample> {
    // Attained by a group that is exchanged as a whole; whether the two patterns attain every rounded-up power is not
    // claimed.
    step.map(|step| Step { condition: Some(GROUP_CONDITION), tight: false, ..step })
}
