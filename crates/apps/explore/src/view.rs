//! The consequences of a choice: what differs from the policy, beliefs, odds, and a card for each query.

use crate::card::Card;
use crate::dial::{self, Dial};
use crate::made_up::MadeUpAnswer;
use deniable_chart::belief::curve;
use deniable_chart::people::people;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, Rounding, decimal, parse_rational, percent, percent_exactly};
use deniable_core::guarantee::{ButFor, Guarantee};
use deniable_core::words::chance;
use deniable_data::SourceError;
use deniable_ledger::{Reading, read_but_for_chance};
use deniable_policy::Policy;
use deniable_release::Plan;
use deniable_release::whatif::{promise, with_promise};
use deniable_report::PromisePicture;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The curator's choice. Beliefs are whole percents; 0 and 100 are open ends.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The promise's key in a policy.
    pub key: String,
    /// Its number, exact.
    pub value: String,
    /// The lowest prior; absent, with the other end, if the curator did not change the policy's own interval.
    pub low: Option<u32>,
    /// The highest prior.
    pub high: Option<u32>,
    /// The number of the noise draw to show.
    #[serde(default)]
    pub draw: u64,
}

/// A policy with the answers to its queries on made-up rows.
pub struct Explorer {
    pub(crate) file: Mutex<PolicyFile>,
    made_up: Vec<Option<MadeUpAnswer>>,
}

/// The policy's file as it was last read or written here.
pub(crate) struct PolicyFile {
    pub(crate) plan: Arc<Plan>,
    pub(crate) text: String,
    /// The contents before the last write.
    pub(crate) earlier: Option<EarlierFile>,
}

/// The contents of the policy's file before a write.
pub(crate) struct EarlierFile {
    pub(crate) plan: Arc<Plan>,
    pub(crate) text: String,
    /// The written change in words.
    pub(crate) change: String,
}

/// The contents of the page for a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct View {
    /// The difference from the policy's own promise, before and after; empty if there is none.
    pub change: String,
    /// The largest odds ratio, exact where rational.
    pub odds: String,
    /// Its natural logarithm, rounded up.
    pub epsilon: String,
    /// The effect of the choice on a promise but for a chance; empty for a policy without one.
    pub but_for: String,
    /// The guarantee in natural frequencies.
    pub sentence: String,
    /// The picture of the sentence.
    pub people: String,
    /// The curve of beliefs.
    pub belief: String,
    /// The queries.
    pub queries: Vec<Card>,
}

impl Explorer {
    /// Answers the queries of a plan on made-up rows.
    ///
    /// # Errors
    /// When a query cannot be computed.
    pub fn new(plan: &Plan) -> Result<Self, SourceError> {
        let text = plan.policy().source().to_owned();
        let file = PolicyFile { plan: Arc::new(plan.clone()), text, earlier: None };
        Ok(Self { file: Mutex::new(file), made_up: MadeUpAnswer::all(plan)? })
    }

    pub(crate) fn file(&self) -> MutexGuard<'_, PolicyFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The plan of the policy as it was last read or written here.
    pub(crate) fn plan(&self) -> Arc<Plan> {
        self.file().plan.clone()
    }

    /// The controls, for these priors.
    ///
    /// # Errors
    /// When the interval is invalid.
    pub fn dials(&self, low: Option<u32>, high: Option<u32>) -> Result<Vec<Dial>, String> {
        let plan = self.plan();
        Ok(dial::dials(plan.policy(), &priors(plan.policy(), low, high)?))
    }

    /// The consequences of a choice.
    ///
    /// # Errors
    /// In words for the page, when the choice cannot be kept or its noise would be too large.
    pub fn view(&self, choice: &Choice) -> Result<View, String> {
        let own = self.plan();
        let plan = planned(&own, choice)?;
        let guarantee = plan.policy().guarantee();
        let stated = PromisePicture::of(guarantee.clone());
        let (sentence, frequencies) = stated.in_frequencies();
        let queries = plan.queries().iter().zip(&self.made_up);
        Ok(View {
            change: change(own.policy().guarantee(), guarantee),
            odds: guarantee.limit().in_words(),
            epsilon: guarantee.limit().epsilon_decimal(4),
            but_for: but_for(own.policy(), &plan),
            sentence,
            people: people(&frequencies),
            belief: curve(&stated.beliefs()),
            queries: queries
                .map(|(planned, made_up)| Card::new(&plan, planned, made_up.as_ref(), choice.draw))
                .collect(),
        })
    }
}

/// The chosen interval as exact numbers, or the policy's own.
pub(crate) fn priors(policy: &Policy, low: Option<u32>, high: Option<u32>) -> Result<PriorRange, String> {
    match (low, high) {
        (Some(low), Some(high)) => dial::priors(low, high),
        _ => Ok(policy.guarantee().adversary().priors().clone()),
    }
}

/// A policy under a choice. Its own promise and priors leave it unchanged, with all its promises.
///
/// # Errors
/// In words for the page, when the choice cannot be kept.
pub(crate) fn chosen(policy: &Policy, choice: &Choice) -> Result<Policy, String> {
    let value = value(&choice.value)?;
    let priors = priors(policy, choice.low, choice.high)?;
    let is_own = dial::current(policy) == (choice.key.as_str(), value.clone());
    if is_own && priors == *policy.guarantee().adversary().priors() {
        return Ok(policy.clone());
    }
    let key = deniable_release::whatif::key(&choice.key).ok_or_else(|| "no such promise".to_owned())?;
    let promise = promise(policy, key, value).map_err(|error| error.to_string())?;
    with_promise(policy, promise, Some(priors)).map_err(|error| error.to_string())
}

/// The plan under a choice: the queries are priced, and not planned again.
pub(crate) fn planned(own: &Plan, choice: &Choice) -> Result<Plan, String> {
    let policy = chosen(own.policy(), choice)?;
    own.repriced(policy).map_err(|errors| errors.to_string().replace('\n', "; "))
}

/// An exact number from the page.
pub(crate) fn value(text: &str) -> Result<Rational, String> {
    parse_rational(text).map_err(|error| error.to_string())
}

/// A value for the page's control, exact.
#[must_use]
pub fn exact(value: &Rational) -> String {
    let short = decimal(value, 6, Rounding::Nearest);
    if parse_rational(&short).as_ref() == Ok(value) { short } else { value.to_string() }
}

/// The difference between two guarantees of a policy in words, before and after.
pub(crate) fn change(before: &Guarantee, after: &Guarantee) -> String {
    let mut changes = Vec::new();
    let keeps_but_for = before.but_for_a_chance() == after.but_for_a_chance();
    let promises = |guarantee: &Guarantee| {
        let surely = guarantee.promises().iter().map(dial::words);
        let but_for = guarantee.but_for_a_chance().filter(|_| !keeps_but_for);
        let but_for = but_for.iter().flat_map(|but_for| {
            but_for
                .promises()
                .iter()
                .map(|promise| format!("but for {}, {}", chance(but_for.chance()), dial::words(promise)))
        });
        surely.chain(but_for).collect::<Vec<_>>().join("; ")
    };
    if before.promises() != after.promises() || !keeps_but_for {
        let (old, new) = (promises(before), promises(after));
        // The words of one kind of promise are not repeated.
        let short = match (before.promises(), after.promises()) {
            ([one], [other]) if keeps_but_for && one.name() == other.name() => new.strip_prefix(dial::name(one.name())),
            _ => None,
        };
        changes.push(format!("{old} → {}", short.map_or(new.as_str(), str::trim_start)));
    }
    let priors = [before, after].map(|guarantee| guarantee.adversary().priors());
    if priors[0] != priors[1] {
        let words =
            priors.map(|priors| format!("{} to {}", percent_exactly(priors.low()), percent_exactly(priors.high())));
        changes.push(format!("beliefs beforehand {}", words.join(" → ")));
    }
    changes.join("; ")
}

/// The effect of a plan on a promise but for a chance; empty for a policy without one.
fn but_for(own: &Policy, plan: &Plan) -> String {
    let guarantee = plan.policy().guarantee();
    match (own.guarantee().but_for_a_chance(), guarantee.but_for_a_chance()) {
        (None, _) => String::new(),
        (Some(own), None) => format!(
            "The promise but for {} is not needed: what holds for certain is as strict. Writing removes it from the policy.",
            chance(own.chance())
        ),
        (Some(_), Some(but_for)) => kept(but_for, plan),
    }
}

fn kept(but_for: &ButFor, plan: &Plan) -> String {
    let policy = plan.policy();
    let sizes = plan.queries().iter().map(|planned| planned.size(policy)).collect();
    let together = match read_but_for_chance(None, policy.guarantee(), sizes) {
        Ok(Some(Reading { odds: Some(odds), keeps: true, .. })) => {
            format!("all answers together, without earlier ones, give at most {}", decimal(&odds, 3, Rounding::Up))
        }
        Ok(_) => "these answers together exceed it, and would be refused".to_owned(),
        Err(error) => {
            format!("the odds of these answers together cannot be computed, and they would be refused: {error}")
        }
    };
    let lowered = plan.lowered_to().map(|part| {
        format!(
            " For this, the queries divide {} of the promise, and their errors are larger.",
            percent(part, 2, Rounding::Down)
        )
    });
    format!(
        "But for {}, the largest odds ratio is {}: {together}.{}",
        chance(but_for.chance()),
        but_for.limit().in_words(),
        lowered.unwrap_or_default()
    )
}
