//! Mechanisms that keep one shape and break another without limit, in words.

/// Why nothing follows; [`crate::refuted`] builds and decides it for a statement and a target.
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
    /// Seldom says yes, and R times as likely with everybody who is in.
    Levels,
    /// Seldom says yes, the likelier the more people are in: as a power of one more than a part of their number.
    Counted,
    /// Names somebody who is not in, where one of `m` is in.
    NotThisOne,
    /// Says exactly who is in, if more than `n − m + 1` people are.
    LargeSets,
    /// With a set of `k` people: yes if exactly they are in, perhaps if fewer than `k` people are, no otherwise.
    ExactlyThese,
    /// Says exactly who is in, if at least `k` people are; anything, evenly, otherwise.
    ExactlyMany,
    /// Yes if person 1 and many others are in, more than sampling leaves as a rule; seldom otherwise.
    Many,
    /// k-Max with the empty dataset at rank 1.
    KMax,
    /// Says who is in, among so few people that no beliefs in the range sum to how many are in: nobody is uncertain.
    NoObserver,
    /// A prior above the ceiling, or below the floor, before any answer.
    PriorBeyond,
    /// Says whether all of `k` certain people are in.
    AllOfThese,
    /// Says who is in, and of two allowed datasets the same.
    NotAllowed,
    /// A protocol whose output is the other party's input.
    OutputTold,
    /// A protocol that shows every bit of the other's input by randomised response, and has no output.
    ManyBits,
    /// A protocol with a view that the simulator need never make up.
    Unlikely,
    /// A table that tells nothing new of anybody, made by counting.
    TrueTable,
    /// A table drawn without a look at the data.
    BlindTable,
    /// A table that makes a rare value likely.
    RareValue,
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
            Self::Levels => {
                "a yes that is rare, and R times as likely with everybody who is in: whoever sees k rows must guess how many \
                 people there are, and is the farther off the more there may be"
            }
            Self::Counted => {
                "a yes that is rare, and has the likelihood of (1 + qn)^k with n people, q small: k rows of all, empty ones \
                 among them, count so far, and no fewer; over all datasets it grows without limit in the number of people"
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
            Self::ExactlyMany => {
                "say exactly who is in if at least k people are, anything evenly otherwise: sampling seldom leaves k people"
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
            Self::AllOfThese => {
                "saying whether all of k certain people are in: where they are, they are a crowd, and everybody else is \
                 ignored; yet each of the k can be ruled out"
            }
            Self::NotAllowed => {
                "saying exactly who is in, but nobody also where the largest set of moves from nobody leads: with these \
                 two datasets alone allowed nothing is told, and everything about all others"
            }
            Self::OutputTold => {
                "a protocol whose output is the other party's input shows nothing beside it, and tells all of it"
            }
            Self::ManyBits => {
                "a protocol that shows n bits of the other's input, each by randomised response, and has no output: every \
                 simulator is farther off with every bit"
            }
            Self::Unlikely => {
                "a view with probability 1 − 1/R where the other's input allows it need not be made up to stay below, \
                 and is never matched from above"
            }
            Self::TrueTable => {
                "publishing exact counts of values: where they are as everybody expects, no belief moves, and yet they \
                 give away who is in"
            }
            Self::BlindTable => {
                "a table drawn without a look at the data tells nothing, yet may rule a value out for whoever takes its \
                 rows for people"
            }
            Self::RareValue => {
                "a block whose rows have a rare value as often as not: belief in the common one falls by less than R, \
                 belief in the rare one rises without limit"
            }
        }
    }

    /// The entries that state it.
    #[must_use]
    pub fn theorems(self) -> Vec<&'static str> {
        match self {
            Self::ExactSize => vec!["F-DB"],
            Self::OnlyAlone | Self::OnlyWith => vec!["F-DI"],
            Self::Everyone => vec!["F-DU"],
            Self::Levels => vec!["I-ZKP"],
            Self::Counted => vec!["I-ZKR"],
            Self::NotThisOne | Self::LargeSets => vec!["B-5"],
            Self::ExactlyThese | Self::ExactlyMany | Self::Many => vec!["I-DPS"],
            Self::KMax => vec!["E-1", "E-3"],
            Self::NoObserver => vec!["F-DB[a,b]"],
            Self::PriorBeyond => vec!["B-4"],
            Self::AllOfThese => vec!["I-CBP"],
            Self::NotAllowed => vec!["I-INP"],
            Self::OutputTold | Self::Unlikely => vec!["I-SMC"],
            Self::ManyBits => vec!["I-SMC", "E-5"],
            Self::TrueTable | Self::BlindTable | Self::RareValue => vec!["I-BOP"],
        }
    }
}
