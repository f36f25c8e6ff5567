//! The guarantee in words and numbers: translated to beliefs once, from the total (C-1).

use deniable_core::adversary::{Adjacency, MovesTogether, PriorRange};
use deniable_core::belief::{gain_over, posterior_range};
use deniable_core::budget::Spend;
pub use deniable_core::budget::odds_decimal;
use deniable_core::exact::{Rational, Rounding, percent, percent_exactly, power, ratio};
use deniable_core::guarantee::Guarantee;
use num_traits::{One, Zero};
use serde::{Deserialize, Serialize};

/// What a guarantee means, in a form that can be printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The largest odds ratio that everything ever released about this population may give, exact where rational.
    pub odds: String,
    /// The same for reading, with its ε; nothing stores it, so that it is empty in what is read back.
    #[serde(skip)]
    pub odds_in_words: String,
    /// Its natural logarithm, rounded up.
    pub epsilon: String,
    /// What the policy promises.
    pub promises: Vec<String>,
    /// The theorem that turned the binding promise into the odds ratio.
    pub theorem: String,
    /// Against whom.
    pub adversary: Vec<String>,
    /// The family of priors.
    pub family: String,
    /// What it means for some prior beliefs.
    pub beliefs: Vec<Belief>,
    /// What the guarantee rests on.
    pub assumptions: Vec<String>,
    /// Who is outside it, and what still holds for them.
    pub outside: Vec<String>,
}

/// What one prior belief can become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Belief {
    /// The belief before, exact.
    pub before: String,
    /// The highest belief after, rounded up.
    pub at_most: String,
    /// The lowest belief after, rounded down.
    pub at_least: String,
}

impl Belief {
    fn of(prior: &Rational, odds: &Rational) -> Self {
        let (low, high) = posterior_range(prior, odds);
        Self {
            before: percent_exactly(prior),
            at_most: percent(&high, 0, Rounding::Up),
            at_least: percent(&low, 0, Rounding::Down),
        }
    }

    /// As a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { before, at_most, at_least } = self;
        format!(
            "someone who gave it {before} before cannot be more than {at_most} sure after, nor less than {at_least}"
        )
    }
}

impl Statement {
    /// What a guarantee means for everything ever released about its subject.
    #[must_use]
    pub fn of(guarantee: &Guarantee) -> Self {
        Self::assuming(guarantee, &[person(guarantee)])
    }

    /// The same under these assumptions about who counts as one person, and about what else the data are.
    #[must_use]
    pub fn assuming(guarantee: &Guarantee, assumptions: &[String]) -> Self {
        let limit = guarantee.limit();
        // Beliefs are worked out from a ratio that is certainly not too small.
        let odds = limit.odds_at_most();
        let beliefs = examples(guarantee.adversary().priors()).iter().map(|prior| Belief::of(prior, &odds)).collect();
        Self {
            odds: limit.to_string(),
            odds_in_words: limit.with_epsilon(),
            epsilon: limit.epsilon_decimal(4),
            promises: guarantee.promises_in_words(),
            theorem: guarantee.theorem().to_owned(),
            adversary: guarantee.adversary_in_words(),
            family: guarantee.adversary().family(),
            beliefs,
            assumptions: [assumptions.to_vec(), shared_assumptions(guarantee)].concat(),
            outside: outside(guarantee, &odds),
        }
    }
}

/// Who counts as one person in tables.
#[must_use]
pub fn person(guarantee: &Guarantee) -> String {
    match guarantee.subject().entity() {
        Some(key) => format!("a person is everyone's rows with one value of `{key}`"),
        None => "one row is one person".to_owned(),
    }
}

/// The beliefs that `spent` allows against a policy's adversaries, for the ledger's own page.
#[must_use]
pub fn beliefs_so_far(spent: &Spend, priors: &[Rational]) -> Vec<Belief> {
    let odds = spent.odds_at_most();
    priors.iter().map(|prior| Belief::of(prior, &odds)).collect()
}

/// Beliefs before that are worth an example: the ends of the stated interval, and 20% and 50% where they lie inside.
#[must_use]
pub fn examples(priors: &PriorRange) -> Vec<Rational> {
    let inside = |prior: &Rational| priors.low() <= prior && prior <= priors.high();
    let mut all: Vec<Rational> = [ratio(1, 5), ratio(1, 2), priors.low().clone(), priors.high().clone()]
        .into_iter()
        .filter(|prior| inside(prior) && !prior.is_zero() && !prior.is_one())
        .collect();
    if all.is_empty() {
        all.push((priors.low() + priors.high()) / ratio(2, 1));
    }
    all.sort();
    all.dedup();
    all
}

fn shared_assumptions(guarantee: &Guarantee) -> Vec<String> {
    let (one, many) = (guarantee.secret().of_one(), guarantee.secret().of_many());
    let size = match guarantee.adjacency() {
        Adjacency::AddRemove => {
            format!("how many people are {many} is not known exactly; it is protected too")
        }
        Adjacency::ReplaceOne => format!("how many people are {many} is public; it is not protected"),
    };
    let independence = match guarantee.adversary().moves_together() {
        MovesTogether::Alone => format!("whether one person is {one} says nothing about whether another is"),
        MovesTogether::UpTo(k) => {
            format!("at most {k} people are known to be {many} or not together; groups are independent of each other")
        }
        MovesTogether::OneGroup(k) => {
            format!(
                "at most one group, of {k} people, is known to be {many} or not together; all others are independent"
            )
        }
        MovesTogether::AllOfSize(k) => {
            format!(
                "everyone belongs to a group of exactly {k} people who are {many} or not together; groups are independent"
            )
        }
    };
    let ledger = format!(
        "everything ever released about \"{}\" is in this one ledger, and nothing else is known from the data",
        guarantee.subject().population()
    );
    vec![size, independence, ledger]
}

fn outside(guarantee: &Guarantee, odds: &Rational) -> Vec<String> {
    let (adversary, secret) = (guarantee.adversary(), guarantee.secret());
    let (one, many) = (secret.of_one(), secret.of_many());
    let mut all = Vec::new();
    let shown = odds_decimal;
    if !adversary.priors().is_any() {
        let gain = gain_over(&PriorRange::any(), odds);
        all.push(format!(
            "whoever believed something outside that interval: their odds still change by at most {} either way, \
             their belief by at most a factor {}",
            shown(odds),
            shown(&gain)
        ));
    }
    all.push(match (adversary.knows_size(), guarantee.power(!adversary.knows_size())) {
        (false, None) => {
            format!("whoever knows exactly how many people are {many}: no bound is stated for what they learn (F-NIk)")
        }
        (false, Some(times)) => format!(
            "whoever knows exactly how many people are {many}: their odds can change by up to {} (F-DI)",
            shown(&power(odds, times))
        ),
        (true, _) => {
            format!("whoever is unsure how many people are {many}: nothing is promised about what they learn (F-DB)")
        }
    });
    let k = guarantee.group();
    all.push(match (k, adversary.adjacency()) {
        (1, Adjacency::AddRemove) => format!(
            "whoever knows that two people are {many} or not together: their odds can change by up to {} (F-NIk)",
            shown(&(odds * odds))
        ),
        (1, Adjacency::ReplaceOne) => {
            format!(
                "whoever knows that several people are {many} or not together: their odds can change by more (F-NIk)"
            )
        }
        _ => format!("whoever knows of groups other than these of {k}: their odds can change by more (F-NIk)"),
    });
    all.push(format!(
        "what the answers say about the population as a whole, and so about anyone who resembles it, whether or not they are {one}"
    ));
    all
}
