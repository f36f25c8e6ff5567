//! The errors of a policy's answers under a range of promises or caps.
//!
//! ```
//! use deniable::{Column, ColumnType, PolicyBuilder, exact::ratio, sweep::{Range, sweep}};
//!
//! let policy = PolicyBuilder::new("clinic", "clinic-patients")
//!     .table_in_memory("visits", "2024-06")
//!     .column(&Column::new("patient", ColumnType::Integer))
//!     .entity("patient", 3, 1)
//!     .adversary("acquaintance")
//!     .promise("posterior_at_most", &ratio(3, 4))
//!     .query("visits", "SELECT COUNT(*) AS visits FROM visits")
//!     .build()?;
//! let report = sweep(&policy, &"gain=1.1..4:3".parse::<Range>()?, &[])?;
//! println!("{report}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod report;

pub use error::{RangeError, SweepError};
pub use report::SweepReport;

use crate::sources::with_public_keys;
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_policy::{OwnCaps, Policy};
use deniable_release::whatif::{self, promise, with_promise};
use deniable_release::{Plan, PlanError, expected};
use error::RangeFault;
use report::Point;
use std::str::FromStr;

/// The most points of a sweep.
const MAX_POINTS: usize = 50;
const USUAL_POINTS: usize = 8;
/// The caps that can be swept.
const CAPS: [&str; 2] = ["rows_per_group", "groups"];

/// Evenly spaced values of one promise or cap, as text: `gain=1.1..4` has eight, `gain=1.1..4:20` twenty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    key: &'static str,
    values: Vec<Rational>,
}

impl FromStr for Range {
    type Err = RangeError;

    /// # Errors
    /// When the key is neither a promise nor a cap, or the range is not that of at least 2 and at most 50 points.
    fn from_str(text: &str) -> Result<Self, RangeError> {
        let wrong = |fault| RangeError::new(text, fault);
        let (key, range) = text.split_once('=').ok_or_else(|| wrong(RangeFault::Missing("=")))?;
        let cap = CAPS.into_iter().find(|cap| *cap == key);
        let key = cap.or_else(|| whatif::key(key)).ok_or_else(|| wrong(RangeFault::Key(key.to_owned())))?;
        let (range, points) = match range.rsplit_once(':') {
            None => (range, USUAL_POINTS),
            Some((range, points)) => match points.parse::<usize>() {
                Ok(points @ 2..=MAX_POINTS) => (range, points),
                _ => return Err(wrong(RangeFault::Points(points.to_owned()))),
            },
        };
        let (from, to) = range.split_once("..").ok_or_else(|| wrong(RangeFault::Missing("..")))?;
        let number = |text: &str| parse_rational(text.trim()).map_err(|error| wrong(RangeFault::Number(error)));
        let (from, to) = (number(from)?, number(to)?);
        if from >= to {
            return Err(wrong(RangeFault::Descending(from, to)));
        }
        let mut values: Vec<Rational> =
            (0..points).map(|at| &from + (&to - &from) * whole(at) / whole(points - 1)).collect();
        if cap.is_some() {
            if !from.is_integer() || !to.is_integer() || from < whole(1) || to > whole(u32::MAX) {
                return Err(wrong(RangeFault::Cap));
            }
            values = values.iter().map(Rational::round).collect();
            values.dedup();
        }
        Ok(Self { key, values })
    }
}

/// The expected errors of a policy's answers at each value of a range; adversary, shares and queries stay. `queries`
/// are names of queries; none means all. Reads no data except public tables with keys (`keys_from`).
///
/// A swept promise replaces all promises of the policy that hold for certain. A promise but for a chance stays, and
/// limits shares by weight where it is stricter.
///
/// # Errors
/// When a value admits no promise, a query is invalid or unknown, or caps are swept without `[entity]`.
pub fn sweep(policy: &Policy, range: &Range, queries: &[&str]) -> Result<SweepReport, SweepError> {
    let policy = with_public_keys(policy.clone())?;
    // Queries that cannot be priced under the policy's own promise may have a price under another.
    let own = if CAPS.contains(&range.key) { None } else { Plan::new(policy.clone()).ok() };
    let points = range.values.iter().map(|value| point(&policy, own.as_ref(), range.key, value, queries));
    Ok(SweepReport { key: range.key, points: points.collect::<Result<_, _>>()? })
}

/// The errors at a value; `own` is the plan under the policy's own promise.
fn point(
    policy: &Policy,
    own: Option<&Plan>,
    key: &'static str,
    value: &Rational,
    queries: &[&str],
) -> Result<Point, SweepError> {
    if CAPS.contains(&key) {
        return planned(capped(policy, key, value)?, None, value, queries);
    }
    let at = |error| SweepError::Promise { key, value: value.clone(), error };
    let promise = promise(policy, key, value.clone()).map_err(at)?;
    planned(with_promise(policy, promise, None).map_err(at)?, own, value, queries)
}

/// The policy with another cap.
fn capped(policy: &Policy, key: &'static str, value: &Rational) -> Result<Policy, SweepError> {
    if policy.entity().is_none() {
        return Err(SweepError::NoEntity(key));
    }
    let cap = u32::try_from(value.to_integer()).ok();
    Ok(policy.with_caps(match key {
        "rows_per_group" => OwnCaps { rows_per_group: cap, groups: None },
        _ => OwnCaps { rows_per_group: None, groups: cap },
    }))
}

fn planned(policy: Policy, own: Option<&Plan>, value: &Rational, queries: &[&str]) -> Result<Point, SweepError> {
    let guarantee = policy.guarantee().clone();
    let plan = own.map_or_else(|| Plan::new(policy.clone()), |own| own.repriced(policy.clone()));
    let answers = match plan {
        Ok(plan) => {
            let plan = if queries.is_empty() { plan } else { plan.named(queries)? };
            let each = plan.queries().iter().flat_map(|query| {
                let all = expected(query, plan.policy());
                all.into_iter().map(|answer| (query.declared().name.clone(), answer.name, answer.error))
            });
            Ok(each.collect())
        }
        // Invalid SQL fails at every point; only noise and targets depend on the promise.
        Err(errors) if errors.errors().iter().any(PlanError::is_sql) => return Err(errors.into()),
        Err(errors) => Err(errors.to_string().replace('\n', "; ")),
    };
    Ok(Point::new(value, &guarantee, answers))
}
