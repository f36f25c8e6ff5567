//! Which likelihood ratios a notion limits, and which limits follow from which.
//!
//! [`follows`] is the whole of the theory: for two shapes, either how an odds ratio carries over, with the theorem, or the
//! mechanism that shows that none does. The tests check each line of it against random mechanisms, and each counterexample.

use crate::amount::{Amount, one_over};
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
}

/// How an odds ratio carries over; each is increasing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carry {
    /// `R^k` from `R`, with this `k`.
    Power(u32),
    /// `1 + rate·(R − 1)`, and at least `floor`.
    Sample {
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
            Self::Sample { rate, floor } if rate.is_one() => odds.at_least(floor),
            Self::Sample { rate, floor } => odds.map(|r| whole(1) + rate * (r - whole(1))).at_least(floor),
        }
    }

    /// The largest odds ratio from which `odds` follows, where there is one.
    #[must_use]
    pub fn undo(&self, odds: &Amount) -> Option<Amount> {
        match self {
            Self::Power(exponent) => Some(odds.power(&one_over(*exponent))),
            Self::Sample { rate, floor } => {
                let enough = odds.certainly_cmp(&Amount::of(floor.clone())).is_some_and(std::cmp::Ordering::is_ge);
                if !enough {
                    return None;
                }
                Some(if rate.is_one() { odds.clone() } else { odds.map(|r| whole(1) + (r - whole(1)) / rate) })
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

/// Mechanisms that keep one shape and break another without limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counterexample {
    /// Answers the exact number of people.
    ExactSize,
    /// `x = 1 − 1/R`; answers yes with probability `x` if person 1 alone is in, `x/R` if nobody is, and never otherwise.
    OnlyAlone,
    /// `x = 1 − 1/R`; answers yes with probability `x` if person 1 is in, and never otherwise.
    OnlyWith,
    /// Every person answers by randomised response, each for themselves.
    Everyone,
    /// Names somebody who is not in, where one of `m` is in.
    NotThisOne,
    /// Says exactly who is in, if more than `n − m + 1` people are.
    LargeSets,
    /// With a set of `k` people: yes if exactly they are in, perhaps if fewer than `k` people are, no otherwise.
    ExactlyThese,
    /// Yes if person 1 and many others are in, more than sampling leaves as a rule; seldom otherwise.
    Many,
    /// k-Max with the empty dataset at rank 1.
    KMax,
    /// Says who is in, among so few people that no beliefs in the range sum to how many are in: nobody is uncertain.
    NoObserver,
    /// A prior above the ceiling, or below the floor, before any answer.
    PriorBeyond,
}

impl Counterexample {
    /// The counterexample in words, as notes of rows have it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::ExactSize => "releasing |T| exactly keeps the one and has no finite odds in the other",
            Self::OnlyAlone => {
                "with x = 1 − 1/R, say yes with probability x if person 1 alone is in, x/R if nobody is, never \
                 otherwise: a person in raises the odds of any answer at most R-fold, yet can rule yes out"
            }
            Self::OnlyWith => {
                "with x = 1 − 1/R, say yes with probability x if person 1 is in, never otherwise: a person out raises the \
                 odds of any answer at most R-fold, yet yes proves presence"
            }
            Self::Everyone => {
                "independent randomised response of n people has odds R between neighbours and R^n between all in \
                 and nobody in"
            }
            Self::NotThisOne => {
                "naming, evenly, one of the m − 1 people who are not in leaves belief 1/(m−1) in each of the others, \
                 and rules one person out"
            }
            Self::LargeSets => {
                "datasets of more than n − m + 1 people leave no m candidates with one in: they may be given away"
            }
            Self::ExactlyThese => {
                "with a set of k people, yes if exactly they are in, yes or no evenly if fewer than k people are, no \
                 otherwise: both answers can be ruled out, but sampling seldom leaves k people"
            }
            Self::Many => {
                "yes if person 1 and at least k others are in, otherwise yes with a probability that is small, but not \
                 against the chance that sampling leaves so many: the gain grows without limit in the number of people"
            }
            Self::KMax => {
                "k-Max has γ = (2^k−1)/(2^k−2) under the uniform prior, as near 1 as one likes, and rules datasets out"
            }
            Self::NoObserver => {
                "says exactly who is in, among so few people that no beliefs in the range sum to how many are in: the \
                 statement's observers are certain before the answer, the target's are not"
            }
            Self::PriorBeyond => "somebody may be surer than that before the first answer",
        }
    }

    /// The entries that state it.
    #[must_use]
    pub fn theorems(self) -> Vec<&'static str> {
        match self {
            Self::ExactSize => vec!["F-DB"],
            Self::OnlyAlone | Self::OnlyWith => vec!["F-DI"],
            Self::Everyone => vec!["F-DU"],
            Self::NotThisOne | Self::LargeSets => vec!["B-5"],
            Self::ExactlyThese | Self::Many => vec!["I-DPS"],
            Self::KMax => vec!["E-1", "E-3"],
            Self::NoObserver => vec!["F-DB[a,b]"],
            Self::PriorBeyond => vec!["B-4"],
        }
    }
}

const GROUP_CONDITION: &str = "one group of that size among independent single people, or everyone in groups of exactly \
                               that size that are all in or all out; mixed sizes are not covered";

fn power(exponent: u32, theorems: &[&'static str]) -> Result<Step, Counterexample> {
    Ok(Step { carry: Carry::Power(exponent), theorems: theorems.to_vec(), condition: None, tight: true })
}

fn sample(rate: &Rational, floor: Rational, theorems: &[&'static str]) -> Result<Step, Counterexample> {
    let carry = Carry::Sample { rate: rate.clone(), floor };
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
    use Shape::{All, Both, Down, Group, OneOf, Replace, ReplaceGroup, Sampled, SampledUp, Uniform, Up};
    if from == to {
        return power(1, &[]);
    }
    match (from, to) {
        (All, Sampled { rate } | SampledUp { rate }) => sample(rate, whole(1), &["F-DU", "C-5"]),
        (All, _) => power(1, &["F-DU"]),

        (Both, Up | Down | Uniform) => power(1, &["F-DI"]),
        (Both, Replace | OneOf(_)) => power(2, &["F-DI", "F-DB"]),
        (Both, Group(k)) => power(*k, &["F-NIk"]),
        (Both, ReplaceGroup(k)) => grouped(power(k.saturating_mul(2), &["F-NIk", "F-DB"])),
        (Both | Up, SampledUp { rate }) | (Both, Sampled { rate }) => sample(rate, whole(1), &["C-5"]),
        (Up, Sampled { rate }) => sample(rate, unseen(rate), &["C-5", "I-DPS"]),
        (Up, Uniform) => power(1, &["F-DI"]),
        (Up, _) => Err(Counterexample::OnlyAlone),
        (Down, _) => Err(Counterexample::OnlyWith),
        // Of what is left only `All` is another shape.
        (Both, _) => Err(Counterexample::Everyone),

        (Replace | ReplaceGroup(_), OneOf(_)) => power(1, &["B-5", "S-REP"]),
        (Replace, ReplaceGroup(k)) => grouped(power(*k, &["F-NIk"])),
        (ReplaceGroup(_), Replace) => power(1, &["F-NIk"]),
        (ReplaceGroup(k), ReplaceGroup(j)) => grouped(power(j.div_ceil(*k), &["F-NIk"])),
        (Replace | ReplaceGroup(_), _) => Err(Counterexample::ExactSize),

        (Group(_), Up | Down | Both | Uniform) => power(1, &["F-NIk"]),
        (Group(k), Group(j)) => power(j.div_ceil(*k), &["F-NIk"]),
        (Group(k), Replace | OneOf(_)) => power(2_u32.div_ceil(*k), &["F-NIk", "F-DB"]),
        (Group(k), ReplaceGroup(j)) => grouped(power(j.saturating_mul(2).div_ceil(*k), &["F-NIk", "F-DB"])),
        (Group(_), Sampled { rate } | SampledUp { rate }) => sample(rate, whole(1), &["F-NIk", "C-5"]),
        (Group(_), All) => Err(Counterexample::Everyone),

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

        (Uniform, _) => Err(Counterexample::KMax),
    }
}

fn grouped(step: Result<Step, Counterexample>) -> Result<Step, Counterexample> {
    // Attained by a group that is exchanged whole; whether the two patterns attain every rounded-up power is not claimed.
    step.map(|step| Step { condition: Some(GROUP_CONDITION), tight: false, ..step })
}
