//! Which likelihood ratios a notion limits, and which limits follow from which.
//!
//! [`follows`] is the whole of the theory: for two shapes, either how an odds ratio carries over, with the theorem, or the
//! mechanism that shows that none does. The tests check each line of it against random mechanisms, and each counterexample.

mod further;

use crate::amount::{Amount, one_over};
use crate::counterexample::Counterexample;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::One;

/// The pairs, or the observers, whose likelihood ratio is limited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A dataset with a person, over the same without.
    Up,
    /// A dataset without a person, over the same with them.
    Down,
    /// Either of the two: one person more or less.
    Both,
    /// Datasets of one size that differ by one exchange.
    Replace,
    /// One person more, one less, or one exchanged (I-INX).
    Move,
    /// Datasets that differ by up to so many people.
    Group(u32),
    /// Datasets of one size that differ by up to so many exchanges at once.
    ReplaceGroup(u32),
    /// Any two datasets.
    All,
    /// One person among so many equally likely ones, three or more, over the average of the others.
    OneOf(u32),
    /// [`Shape::Both`] after everyone was kept with this probability.
    Sampled {
        /// The sampling rate β, between 0 and 1.
        rate: Rational,
    },
    /// [`Shape::Up`] after everyone was kept with this probability.
    SampledUp {
        /// The sampling rate β, between 0 and 1.
        rate: Rational,
    },
    /// With a person over without, all others in with probability one half.
    Uniform,
    /// The answer over what a simulator makes up from so many random rows of the others, and the reverse (I-ZKP).
    Simulated(u32),
    /// The same where the rows are of all, and of those who are not in as of the person themselves nothing is seen but that
    /// a row is empty (I-ZKR); one or more, since without a row the two are the same.
    SimulatedRows(u32),
    /// A member against nobody, or against the others of a crowd of so many, two or more, whichever is less (I-CBP).
    Crowd(u32),
    /// Datasets that public facts allow, and that are up to so many people apart with none allowed between (I-INP).
    Induced(u32),
    /// The same, up to so many moves apart, of which an exchange is one (I-INX).
    Exchanged(u32),
    /// What a party of a protocol sees, over what its input and output would make up (I-SMC).
    View {
        /// Whether the reverse is limited, too.
        both: bool,
    },
    /// Beliefs in a value before a table, over those after it (I-BOP).
    Table {
        /// Whether the reverse is limited, too.
        both: bool,
    },
}

/// How an odds ratio carries over; each is increasing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carry {
    /// `R^k` from `R`, with this `k`.
    Power(u32),
    /// `1 + rate·(R^power − 1)`, and at least `floor`.
    Sample {
        /// The power that is sampled; 1 as a rule.
        power: u32,
        /// How likely a person is kept.
        rate: Rational,
        /// What can always happen.
        floor: Rational,
    },
}

impl Carry {
    /// What follows from `odds`.
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

    /// The largest odds ratio from which `odds` follows, where there is one.
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

/// Why one shape follows from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// How an odds ratio carries over.
    pub carry: Carry,
    /// The entries that prove it.
    pub theorems: Vec<&'static str>,
    /// What else must hold, or what is meant.
    pub condition: Option<&'static str>,
    /// Whether some mechanism attains (or comes as near as one likes to) what follows.
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

/// Absence can be ruled out by an answer that only those who are in would not give; sampling hides that up to this factor.
fn unseen(rate: &Rational) -> Rational {
    (whole(1) - rate).recip()
}

/// Whether a bound of the shape `to` follows from one of the shape `from`, and how large it is.
///
/// # Errors
/// The counterexample, where no bound follows.
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
        // Of what is left only `All` is another shape.
        (Both, _) => Err(Counterexample::Everyone),

        (Move, Up | Down | Both | Uniform) => power(1, &["I-INX", "F-DI"]),
        (Move, Replace) => power(1, &["I-INX", "F-DB"]),
        (Move, OneOf(_)) => power(1, &["I-INX", "B-5", "S-REP"]),
        // All of a group may join; of two groups of one size everybody is exchanged for somebody.
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
        // From rate 1/2 on, the uniform prior is a sample; below, it sees datasets that samples seldom are.
        (Sampled { rate } | SampledUp { rate }, Uniform) if *rate >= ratio(1, 2) => {
            sample(&rate.recip(), whole(1), &["I-DPS", "F-DN"])
        }
        (Sampled { .. } | SampledUp { .. }, Uniform | Sampled { .. } | SampledUp { .. }) => Err(Counterexample::Many),
        (Sampled { .. } | SampledUp { .. }, _) => Err(Counterexample::ExactlyThese),

        // The other shapes are looked at first.
        (Uniform, _)
        | (Simulated(_) | SimulatedRows(_) | Crowd(_) | Induced(_) | Exchanged(_) | View { .. } | Table { .. }, _) => {
            Err(Counterexample::KMax)
        }
    }
}

fn grouped(step: Result<Step, Counterexample>) -> Result<Step, Counterexample> {
    // Attained by a group that is exchanged whole; whether the two patterns attain every rounded-up power is not claimed.
    step.map(|step| Step { condition: Some(GROUP_CONDITION), tight: false, ..step })
}
