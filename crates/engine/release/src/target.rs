//! From a target error to the smallest share that keeps it.
//!
//! Shares are looked for among the multiples of a 10,000th of the policy's spend, a public grid, so that the same policy
//! always gets the same share. Less noise comes with every larger share, so halving finds the smallest; whatever the
//! rounding of decays does to that, the share that is found was itself seen to keep the target.

use crate::forecast::{ErrorBound, bounds};
use crate::plan::{PlanError, PlanErrorKind, PlanErrors, price};
use deniable_core::exact::{Rational, Rounding, percent, whole};
use deniable_core::noise::DecayError;
use deniable_policy::{Policy, Size};
use deniable_query::Query;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// Steps of the grid of shares in the policy's spend.
pub const STEPS: i64 = 10_000;
/// How much more than the spend is looked at, to say what a target would take.
const BEYOND: u64 = 1 << 20;

/// A target error that is out of reach.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It needs more than is left for it.
    #[error("{0}")]
    Exceeds(Box<TargetShortfall>),
    /// No promise keeps it.
    #[error("no promise, however weak, keeps a target_error of {target}")]
    OutOfReach {
        /// The target.
        target: Rational,
    },
    /// The error of an average or a spread depends on the number of rows.
    #[error("target_error of {answer} cannot be worked out without a number of rows")]
    NeedsTypicalRows {
        /// The answer.
        answer: String,
    },
}

/// The share that a target would need, and the share that is available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetShortfall {
    /// The target.
    pub target: Rational,
    /// The answer that stays furthest from it.
    pub answer: String,
    /// The share that would keep it, if any does.
    pub needed: Option<Rational>,
    /// The share that is left for it.
    pub available: Rational,
    /// What other queries take of the spend: explicit shares, and targets above this one.
    pub others: Rational,
    /// What the policy may spend.
    pub spend: Rational,
    /// The error with that share; `None` when that leaves no sensible noise at all.
    pub best: Option<ErrorBound>,
}

impl std::fmt::Display for TargetShortfall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { target, answer, needed, available, .. } = self;
        let needed = needed.as_ref().map(|needed| format!("{} of the promise", percent(needed, 2, Rounding::Up)));
        let needed = needed.unwrap_or_else(|| "more than a million times the policy's spend".to_owned());
        let available = percent(available, 2, Rounding::Down);
        write!(f, "target_error = {target} for {answer} needs {needed}, and {available} of it is left for this query")
    }
}

impl TargetShortfall {
    /// Only what can help: no spend is above 1, and what others leave is no matter where all of it would not do.
    fn help(&self) -> String {
        let Self { target: _, answer: _, needed, available, others, spend, best } = self;
        let within = |share: &Rational| needed.as_ref().is_some_and(|needed| needed <= share);
        let mut fixes = Vec::new();
        match best {
            Some(best) => fixes.push(format!("with all that is left, the error is {best}: allow that")),
            None => fixes.push("next to nothing is left: allow a larger error".to_owned()),
        }
        let with_others = available + others;
        let with_spend = available + whole(1) - spend;
        if with_spend > *available && within(&with_spend) {
            fixes.push("raise `spend` under [budget]".to_owned());
        } else if others.is_positive() && within(&with_others) {
            fixes.push("lower the shares and targets of other queries".to_owned());
        } else if (with_spend > *available || others.is_positive()) && within(&(whole(1) - spend + &with_others)) {
            fixes.push("raise `spend` under [budget] and lower the shares and targets of other queries".to_owned());
        } else {
            fixes.push("promise less (a larger R)".to_owned());
        }
        fixes.push("group more coarsely".to_owned());
        let last = "bound and cap more tightly (`bounds`, `rows_per_group`, `groups`)";
        format!("{}, or {last}", fixes.join(", "))
    }
}

impl TargetError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Exceeds(exceeded) => exceeded.help(),
            Self::OutOfReach { .. } => "allow a larger error, or group more coarsely".to_owned(),
            Self::NeedsTypicalRows { .. } => {
                "add `typical_rows = 10_000` to [data], a public guess at the number of rows; where they are one of each entity, \
                 `typical_entities` to [entity]"
                    .to_owned()
            }
        }
    }
}

/// The policy with a share for every target error, the first query first. `queries` belong to its asks, in order.
///
/// # Errors
/// When a target is out of reach, or leaves nothing for queries that go by weight.
pub fn solved(policy: &Policy, queries: &[&Query]) -> Result<Policy, PlanErrors> {
    let fixed = policy.queries().iter().filter_map(|declared| match &declared.size {
        Size::Share(share) => Some(share.clone()),
        Size::Weight(_) | Size::TargetError(_) => None,
    });
    let fixed: Rational = fixed.sum();
    let mut available = policy.spend() - fixed;
    let mut shares = vec![None; policy.queries().len()];
    let mut errors = Vec::new();
    for ((declared, query), found) in policy.queries().iter().zip(queries).zip(&mut shares) {
        let Size::TargetError(target) = &declared.size else { continue };
        match solve(query, target, &available, policy) {
            Ok(share) => {
                available -= &share;
                *found = Some(share);
            }
            Err(kind) => errors.push(PlanError::new(policy, declared, kind)),
        }
    }
    PlanErrors::check(errors)?;
    policy.with_solved(&shares).map_err(|error| {
        let is_target = |declared: &&deniable_policy::Query| matches!(declared.size, Size::TargetError(_));
        let first = policy.queries().iter().find(is_target).or(policy.queries().first());
        let error = first.map(|declared| PlanError::new(policy, declared, error.into()));
        PlanErrors(error.into_iter().collect())
    })
}

/// The smallest share of the grid, within what is available, for which every answer keeps the target.
fn solve(query: &Query, target: &Rational, available: &Rational, policy: &Policy) -> Result<Rational, PlanErrorKind> {
    let step = policy.spend() / whole(STEPS);
    let share = |steps: u64| &step * whole(steps);
    let worst = |steps: u64| worst(query, &share(steps), policy);
    // A promise that protects nobody is refused when the query is priced; more of it does not help here.
    let keeps = |steps: u64| match worst(steps) {
        Ok(FurthestAnswer { error, .. }) => Ok(error.number().is_some_and(|error| error <= target)),
        Err(PlanErrorKind::Noise(DecayError::TooWide)) => Ok(false),
        Err(PlanErrorKind::Noise(DecayError::TooNarrow)) => Ok(true),
        Err(other) => Err(other),
    };
    let most = (available / &step).floor().to_integer().max(BigInt::zero()).to_u64().unwrap_or(0);
    if most > 0
        && let Ok(FurthestAnswer { error: ErrorBound::NeedsTypicalRows | ErrorBound::NeedsTypicalEntities, answer }) =
            worst(most)
    {
        return Err(TargetError::NeedsTypicalRows { answer }.into());
    }
    if most > 0 && keeps(most)? {
        return Ok(share(smallest(0, most, &keeps)?));
    }
    let mut enough = most.max(1);
    while enough < BEYOND * STEPS.unsigned_abs() && !keeps(enough)? {
        enough *= 2;
    }
    let needed = if keeps(enough)? { Some(share(smallest(most.min(enough - 1), enough, &keeps)?)) } else { None };
    let left = if most > 0 { worst(most).ok() } else { None };
    let exceeded = TargetShortfall {
        target: target.clone(),
        answer: left.as_ref().map_or_else(|| "this query".to_owned(), |worst| worst.answer.clone()),
        needed,
        available: available.clone().max(Rational::zero()),
        others: policy.spend() - available,
        spend: policy.spend().clone(),
        best: left.map(|worst| worst.error),
    };
    Err(TargetError::Exceeds(exceeded.into()).into())
}

/// The smallest number that is enough, given one that is not (or 0) and one that is.
fn smallest(
    mut no: u64,
    mut yes: u64,
    enough: &dyn Fn(u64) -> Result<bool, PlanErrorKind>,
) -> Result<u64, PlanErrorKind> {
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        if enough(middle)? {
            yes = middle;
        } else {
            no = middle;
        }
    }
    Ok(yes)
}

/// The name and the error of the answer that is furthest from the truth; no error where it cannot be told.
pub(crate) fn worst_number(
    query: &Query,
    share: &Rational,
    policy: &Policy,
) -> Result<(String, Option<Rational>), PlanErrorKind> {
    let FurthestAnswer { answer, error } = worst(query, share, policy)?;
    Ok((answer, error.number().cloned()))
}

/// The answer of a query that is furthest from the true one.
struct FurthestAnswer {
    answer: String,
    error: ErrorBound,
}

/// Errors of different units are compared as numbers: the target is one number for all of them.
fn worst(query: &Query, share: &Rational, policy: &Policy) -> Result<FurthestAnswer, PlanErrorKind> {
    let (measures, _) = price(query, share, policy)?;
    let all = bounds(query, &measures, policy);
    // What has no number is further than anything.
    let key = |error: &ErrorBound| error.number().map_or((1, Rational::zero()), |error| (0, error.clone()));
    let worst = all.into_iter().max_by(|(_, left), (_, right)| key(left).cmp(&key(right)));
    let none = || FurthestAnswer { answer: "this query".to_owned(), error: ErrorBound::Value(Rational::zero()) };
    Ok(worst.map_or_else(none, |(answer, error)| FurthestAnswer { answer, error }))
}
