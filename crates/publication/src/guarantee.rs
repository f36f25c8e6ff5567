//! The guarantee in words and numbers: translated to beliefs once, from the total (C-1).

use deniable_core::adversary::{Adjacency, Adversary, MovesTogether, Preset, PriorRange};
use deniable_core::belief::{gain_over, posterior_range};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal, percent, percent_exactly, ratio};
use deniable_core::promise::Promise;
use deniable_core::secret::Secret;
use deniable_core::words;
use deniable_policy::Policy;
use num_traits::{One, Zero};
use serde::{Deserialize, Serialize};

/// What the promise means, in a form that can be printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guarantee {
    /// The largest odds ratio that everything ever released about this population may give, exact where rational.
    pub odds: String,
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

/// What a guarantee is about.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    /// The people.
    pub population: &'a str,
    /// What about them is kept deniable.
    pub secret: Secret,
    /// Who counts as one person, and what else the guarantee rests on, in words.
    pub assumptions: Vec<String>,
    /// From whom it is kept.
    pub adversary: &'a Adversary,
    /// The preset that the adversary started from.
    pub preset: Option<Preset>,
    /// What is promised: at least one, all kept.
    pub promises: &'a [Promise],
    /// The largest odds ratio that keeps every promise.
    pub limit: &'a Spend,
    /// The theorem that turned the binding promise into it.
    pub theorem: &'static str,
}

impl<'a> Subject<'a> {
    /// What a policy is about.
    #[must_use]
    pub fn of_policy(policy: &'a Policy) -> Self {
        let person = match &policy.entity {
            Some(entity) => format!("a person is everyone's rows with one value of `{}`", entity.key),
            None => "one row is one person".to_owned(),
        };
        Self {
            population: &policy.population,
            secret: Secret::Membership,
            assumptions: vec![person],
            adversary: &policy.adversary,
            preset: policy.preset,
            promises: &policy.promises,
            limit: &policy.limit,
            theorem: policy.promises[policy.binding].theorem(),
        }
    }
}

impl Guarantee {
    /// The guarantee of a policy: about everything ever released about its population.
    #[must_use]
    pub fn of(policy: &Policy) -> Self {
        Self::about(&Subject::of_policy(policy))
    }

    /// The guarantee about everything ever released about a subject.
    #[must_use]
    pub fn about(subject: &Subject<'_>) -> Self {
        let Subject { adversary, limit, secret, .. } = *subject;
        // Beliefs are worked out from a ratio that is certainly not too small.
        let odds = limit.odds_at_most();
        let beliefs = examples(adversary.priors()).iter().map(|prior| Belief::of(prior, &odds)).collect();
        let promise = |promise| words::promise(promise, adversary.knows_size(), secret);
        Self {
            odds: limit.to_string(),
            epsilon: limit.epsilon_decimal(4),
            promises: subject.promises.iter().map(promise).collect(),
            theorem: subject.theorem.to_owned(),
            adversary: words::adversary(adversary, subject.preset, secret),
            family: adversary.family(),
            beliefs,
            assumptions: assumptions(subject),
            outside: outside(subject, &odds),
        }
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

fn assumptions(subject: &Subject<'_>) -> Vec<String> {
    let (one, many) = (subject.secret.of_one(), subject.secret.of_many());
    let size = match subject.adversary.adjacency() {
        Adjacency::AddRemove => {
            format!("how many people are {many} is not known exactly; it is protected too")
        }
        Adjacency::ReplaceOne => format!("how many people are {many} is public; it is not protected"),
    };
    let independence = match subject.adversary.moves_together() {
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
        subject.population
    );
    subject.assumptions.iter().cloned().chain([size, independence, ledger]).collect()
}

/// An odds ratio as a decimal, rounded up; as a power of ten beyond a million.
#[must_use]
pub fn odds_decimal(odds: &Rational) -> String {
    let text = decimal(odds, 4, Rounding::Up);
    let digits = text.split('.').next().map_or(0, str::len);
    if digits > 6 { format!("10^{digits}") } else { text }
}

fn outside(subject: &Subject<'_>, odds: &Rational) -> Vec<String> {
    let (adversary, one, many) = (subject.adversary, subject.secret.of_one(), subject.secret.of_many());
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
    match adversary.adjacency() {
        // Worlds of one size can be further apart than two groups, where groups have several sizes.
        Adjacency::AddRemove if matches!(adversary.moves_together(), MovesTogether::UpTo(2..)) => all.push(format!(
            "whoever knows exactly how many people are {many}: no bound is stated for what they learn (F-NIk)"
        )),
        Adjacency::AddRemove => all.push(format!(
            "whoever knows exactly how many people are {many}: their odds can change by up to {} (B-4)",
            shown(&(odds * odds))
        )),
        Adjacency::ReplaceOne => all.push(format!(
            "whoever is unsure how many people are {many}: nothing is promised about what they learn (B-4)"
        )),
    }
    let k = adversary.moves_together().size();
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
