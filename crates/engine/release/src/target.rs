//! From a target error to the smallest share that keeps it.
//!
//! Shares are chosen among the multiples of a 10,000th of the policy's spend, a public grid, so that the same policy
//! always gets the same share. Noise decreases with the share, so halving finds the smallest one; whatever the
//! rounding of decays does to that, the chosen share itself was checked to keep the target.

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
/// Multiples of the spend in which to search, for stating the share that a target would need.
const BEYOND: u64 = 1 << 20;

/// A target error that is out of reach.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It needs more than the available share.
    #[error("{0}")]
    Exceeds(Box<TargetShortfall>),
    /// No promise keeps it.
    #[error("no promise, however weak, keeps a target_error of {target}")]
    OutOfReach {
        /// The target.
        target: Rational,
    },
    /// The error of an average or a spread depends on the number of rows.
    #[error("target_error of {answer} cannot be computed without a number of rows")]
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
    /// The share that is available for it.
    pub available: Rational,
    /// The part of the spend of other queries: explicit shares, and targets above this one.
    pub others: Rational,
    /// The key of `[budget]` that states the limit.
    pub key: &'static str,
    /// The part of the promise that the queries divide.
    pub spend: Rational,
    /// The error with that share; `None` if that is too small for any noise.
    pub best: Option<ErrorBound>,
}

impl std::fmt::Display for TargetShortfall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { target, answer, needed, available, .. } = self;
        let needed = needed.as_ref().map(|needed| format!("{} of the promise", percent(needed, 2, Rounding::Up)));
        let needed = needed.unwrap_or_else(|| "more than a million times the policy's spend".to_owned());
        let available = percent(available, 2, Rounding::Down);
        write!(f, "target_error = {target} for {answer} needs {needed}, but only {available} is available")
    }
}

impl TargetShortfall {
    /// Lists only remedies that can help: no spend is above 1, and shares of other queries matter only if they would
    /// suffice.
    fn help(&self) -> String {
        let Self { target: _, answer: _, needed, available, others, key, spend, best } = self;
        let within = |share: &Rational| needed.as_ref().is_some_and(|needed| needed <= share);
        let mut fixes = Vec::new();
        match best {
            Some(best) => fixes.push(format!("with the available share, the error is {best}: allow that")),
            None => fixes.push("almost no share is available: allow a larger error".to_owned()),
        }
        let with_others = available + others;
        let with_spend = available + whole(1) - spend;
        if with_spend > *available && within(&with_spend) {
            fixes.push(format!("raise `{key}` under [budget]"));
        } else if others.is_positive() && within(&with_others) {
            fixes.push("lower the shares and targets of other queries".to_owned());
        } else if (with_spend > *available || others.is_positive()) && within(&(whole(1) - spend + &with_others)) {
            fixes.push(format!("raise `{key}` under [budget] and lower the shares and targets of other queries"));
        } else {
            fixes.push("promise less (a larger R)".to_owned());
        }
        fixes.push("group more coarsely".to_owned());
        let last = "bound and cap more tightly (`bounds`, `rows_per_group`, `groups`)";
        format!("{}, or {last}", fixes.join(", "))
    }
}

impl TargetError {
    /// Remedies for the error.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Exceeds(exceeded) => exceeded.help(),
            Self::OutOfReach { .. } => "allow a larger error, or group more coarsely".to_owned(),
            Self::NeedsTypicalRows { .. } => {
                "add `typical_rows = 10_000` to [data], a public guess at the number of rows; if each entity has one \
                 row, `typical_entities` to [entity]"
                    .to_owned()
            }
        }
    }
}

/// The policy with a share for every target error, the first query first. `queries` belong to its `[[query]]` sections,
/// in order.
///
/// # Errors
/// When a target is out of reach, or leaves no budget for queries by weight.
pub fn solved(policy: &Policy, queries: &[&Query]) -> Result<Policy, PlanErrors> {
    let fixed = policy.queries().iter().filter_map(|declared| match &declared.size {
        Size::Share(share) => Some(share.clone()),
        Size::Weight(_) | Size::TargetError(_) => None,
    });
    let fixed: Rational = fixed.sum();
    let mut available = policy.query_budget().part - fixed;
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
    let step = policy.query_budget().part / whole(STEPS);
    let share = |steps: u64| &step * whole(steps);
    let worst = |steps: u64| worst(query, &share(steps), policy);
    // An ineffective promise is refused when the query is priced; a larger share does not help here.
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
        others: policy.query_budget().part - available,
        key: policy.query_budget().key,
        spend: policy.query_budget().part.clone(),
        best: left.map(|worst| worst.error),
    };
    Err(TargetError::Exceeds(exceeded.into()).into())
}

/// The smallest sufficient number, given an insufficient one (or 0) and a sufficient one.
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

/// The name and the error of the answer with the largest error; no error if it cannot be computed.
pub(crate) fn worst_number(
    query: &Query,
    share: &Rational,
    policy: &Policy,
) -> Result<(String, Option<Rational>), PlanErrorKind> {
    let FurthestAnswer { answer, error } = worst(query, share, policy)?;
    Ok((answer, error.number().cloned()))
}

/// The answer of a query with the largest error.
struct FurthestAnswer {
    answer: String,
    error: ErrorBound,
}

/// Errors of different units are compared as numbers: the target is one number for all of them.
fn worst(query: &Query, share: &Rational, policy: &Policy) -> Result<FurthestAnswer, PlanErrorKind> {
    let (measures, _) = price(query, share, policy)?;
    let all = bounds(query, &measures, policy);
    // An error without a number counts as larger than any number.
    let key = |error: &ErrorBound| error.number().map_or((1, Rational::zero()), |error| (0, error.clone()));
    let worst = all.into_iter().max_by(|(_, left), (_, right)| key(left).cmp(&key(right)));
    let none = || FurthestAnswer { answer: "this query".to_owned(), error: ErrorBound::Value(Rational::zero()) };
    Ok(worst.map_or_else(none, |(answer, error)| FurthestAnswer { answer, error }))
}
