//! Counterexamples: mechanisms that bound one shape and leave another unbounded, in words.

/// The reason why nothing follows; [`crate::refuted`] builds and decides it for a statement and a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counterexample {
    /// Releases the exact number of people.
    ExactSize,
    /// `x = 1 − 1/R`; answers yes with probability `x` if only person 1 is in, `x/R` if no person is, and never
    /// otherwise.
    OnlyAlone,
    /// `x = 1 − 1/R`; answers yes with probability `x` if person 1 is in, and never otherwise.
    OnlyWith,
    /// Every person answers by independent randomised response.
    Everyone,
    /// A rare yes, R times as likely with each member.
    Levels,
    /// A rare yes whose probability grows with the number of members, as a power of 1 plus a fraction of it.
    Counted,
    /// Names a person who is not in, where one of `m` is in.
    NotThisOne,
    /// Releases the exact members, if more than `n − m + 1` people are in.
    LargeSets,
    /// For a set of `k` people: yes if exactly they are in, yes or no if fewer than `k` people are, no otherwise.
    ExactlyThese,
    /// Releases the exact members, if at least `k` people are in; otherwise a uniform answer.
    ExactlyMany,
    /// Yes if person 1 and many others are in, usually more than a sample has; rarely otherwise.
    Many,
    /// k-Max with the empty dataset at rank 1.
    KMax,
    /// Releases the members, among so few people that no beliefs in the range sum to a number of members: no person is
    /// uncertain.
    NoObserver,
    /// A prior above the ceiling, or below the floor, before any answer.
    PriorBeyond,
    /// Releases whether all of `k` given people are in.
    AllOfThese,
    /// Releases the members, except that two allowed datasets have the same answer.
    NotAllowed,
    /// A protocol whose output is the other party's input.
    OutputTold,
    /// A protocol that shows every bit of the other's input by randomised response, and has no output.
    ManyBits,
    /// A protocol with a view that a one-sided simulator may leave out.
    Unlikely,
    /// A table of exact counts that changes no belief.
    TrueTable,
    /// A table drawn independently of the data.
    BlindTable,
    /// A table that makes a rare value likely.
    RareValue,
}

impl Counterexample {
    /// The counterexample in words, for the notes of rows.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::ExactSize => {
                "releasing the exact number of people satisfies the statement, and has infinite odds in the target"
            }
            Self::OnlyAlone => {
                "with x = 1 − 1/R, answer yes with probability x if only person 1 is in, x/R if the data is empty, \
                 never otherwise: adding a person raises the odds of any answer at most R-fold, but can rule out yes"
            }
            Self::OnlyWith => {
                "with x = 1 − 1/R, answer yes with probability x if person 1 is in, never otherwise: removing a person \
                 raises the odds of any answer at most R-fold, but yes proves presence"
            }
            Self::Everyone => {
                "independent randomised response of n people has odds R between neighbours and R^n between all in and \
                 all out"
            }
            Self::Levels => {
                "a rare yes, R times as likely with each member: a simulator that sees k rows must guess the number of \
                 people, and its ratio grows with the largest number possible"
            }
            Self::Counted => {
                "a rare yes whose likelihood is (1 + qn)^k with n people, q small: a simulator that sees k rows of \
                 all, empty ones among them, matches it, but not one that sees fewer; over all datasets it grows \
                 without limit in the number of people"
            }
            Self::NotThisOne => {
                "naming, with equal probabilities, one of the m − 1 people who are not in leaves belief 1/(m−1) in \
                 each of the others, and rules one person out"
            }
            Self::LargeSets => {
                "datasets of more than n − m + 1 people leave no m candidates with one in: they may be released \
                 exactly"
            }
            Self::ExactlyThese => {
                "for a set of k people, yes if exactly they are in, yes or no evenly if fewer than k people are, no \
                 otherwise: both answers can be ruled out, but samples rarely have k people"
            }
            Self::ExactlyMany => {
                "releasing the exact members if at least k people are in, a uniform answer otherwise: samples rarely \
                 have k people"
            }
            Self::Many => {
                "yes if person 1 and at least k others are in, otherwise yes with a probability that is small, but not \
                 compared with that of such a sample: the gain grows without limit in the number of people"
            }
            Self::KMax => {
                "k-Max has γ = (2^k−1)/(2^k−2) under the uniform prior, arbitrarily close to 1, and rules out datasets"
            }
            Self::NoObserver => {
                "releasing the exact members, among so few people that no beliefs in the range sum to a number of \
                 members: the statement's observers are certain before the answer, the target's are not"
            }
            Self::PriorBeyond => "a prior may be beyond that bound before the first answer",
            Self::AllOfThese => {
                "releasing whether all of k given people are in: if they are, they form a crowd, and all others are \
                 ignored; yet each of the k can be ruled out"
            }
            Self::NotAllowed => {
                "releasing the exact members, but the same answer for the empty dataset and for the one that the \
                 largest set of moves leads to from it: if only these two are allowed, nothing is disclosed; otherwise \
                 the whole dataset is"
            }
            Self::OutputTold => {
                "a protocol whose output is the other party's input: the view adds nothing to it, and discloses all of \
                 it"
            }
            Self::ManyBits => {
                "a protocol that shows n bits of the other's input, each by randomised response, and has no output: \
                 the ratio of every simulator grows with n"
            }
            Self::Unlikely => {
                "a view with probability 1 − 1/R for some of the other's inputs, and 0 otherwise: a one-sided \
                 simulator may leave it out, but no two-sided one can match it"
            }
            Self::TrueTable => {
                "publishing exact counts of values: if they are as expected, no belief changes, and yet they disclose \
                 who is in"
            }
            Self::BlindTable => {
                "a table drawn independently of the data discloses nothing, yet may rule out a value for readers who \
                 take its rows for people"
            }
            Self::RareValue => {
                "a block whose rows have a rare value as often as not: belief in the common value falls by less than \
                 R, belief in the rare one rises without limit"
            }
        }
    }

    /// The entries that prove it.
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
