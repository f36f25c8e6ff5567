//! `deniable plan --sweep`: the errors of a policy's answers under a range of promises or caps.

use crate::error::Failure;
use crate::policies::choose;
use crate::render::sweep::{Point, SweepTable};
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_policy::{OwnCaps, Policy};
use deniable_release::whatif::{self, KEYS, WhatIfError, promise, with_promise};
use deniable_release::{Plan, PlanError, expected};

/// The most points of a sweep.
const MAX_POINTS: usize = 50;
/// The caps that can be swept.
pub const CAPS: [&str; 2] = ["rows_per_group", "groups"];

/// Promises of one kind, or caps, evenly spaced.
pub struct Sweep {
    key: &'static str,
    values: Vec<Rational>,
}

impl Sweep {
    /// Reads `gain=1.1..4` or `gain=1.1..4:20`.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let help = "write --sweep gain=1.1..4, or --sweep epsilon=0.1..2:20 for twenty points";
        let wrong = |why: String| Failure::usage(format!("--sweep {text}: {why}"), help);
        let (key, range) = text.split_once('=').ok_or_else(|| wrong("`=` is missing".to_owned()))?;
        let cap = CAPS.into_iter().find(|cap| *cap == key);
        let Some(key) = cap.or_else(|| whatif::key(key)) else {
            return Err(Failure::usage(
                format!("--sweep {text}: `{key}` is not a promise or a cap"),
                format!("choose one of {}, {}", KEYS.join(", "), CAPS.join(", ")),
            ));
        };
        let (range, points) = match range.rsplit_once(':') {
            None => (range, 8),
            Some((range, points)) => match points.parse::<usize>() {
                Ok(points @ 2..=MAX_POINTS) => (range, points),
                _ => return Err(wrong(format!("`{points}` is not a number of points from 2 to {MAX_POINTS}"))),
            },
        };
        let (from, to) = range.split_once("..").ok_or_else(|| wrong("`..` is missing".to_owned()))?;
        let number = |text: &str| parse_rational(text.trim()).map_err(|error| wrong(error.to_string()));
        let (from, to) = (number(from)?, number(to)?);
        if from >= to {
            return Err(wrong(format!("{from} is not below {to}")));
        }
        let mut values: Vec<Rational> =
            (0..points).map(|at| &from + (&to - &from) * whole(at) / whole(points - 1)).collect();
        if cap.is_some() {
            if !from.is_integer() || !to.is_integer() || from < whole(1) || to > whole(u32::MAX) {
                return Err(wrong("caps are whole numbers from 1".to_owned()));
            }
            values = values.iter().map(Rational::round).collect();
            values.dedup();
        }
        Ok(Self { key, values })
    }

    /// The errors under each promise or cap; adversary, shares and queries stay.
    pub fn over(&self, policy: &Policy, queries: &[String]) -> Result<SweepTable, Failure> {
        // Queries that cannot be priced under the policy's own promise may have a price under another.
        let own = if CAPS.contains(&self.key) { None } else { Plan::new(policy.clone()).ok() };
        let points = self.values.iter().map(|value| self.point(policy, own.as_ref(), value, queries));
        Ok(SweepTable { key: self.key.to_owned(), points: points.collect::<Result<_, _>>()? })
    }

    /// The policy with another cap; `None` if the swept key is a promise.
    fn capped(&self, policy: &Policy, value: &Rational) -> Result<Option<Policy>, Failure> {
        let cap = u32::try_from(value.to_integer()).ok();
        let caps = match self.key {
            "rows_per_group" => OwnCaps { rows_per_group: cap, groups: None },
            "groups" => OwnCaps { rows_per_group: None, groups: cap },
            _ => return Ok(None),
        };
        if policy.entity().is_none() {
            let help = "name the column that identifies the person of each row as `key` under [entity]";
            return Err(Failure::usage(
                format!("--sweep {}: the policy has no [entity], so rows are not capped", self.key),
                help,
            ));
        }
        Ok(Some(policy.with_caps(caps)))
    }

    /// The errors at a value; `own` is the plan under the policy's own promise.
    fn point(
        &self,
        policy: &Policy,
        own: Option<&Plan>,
        value: &Rational,
        queries: &[String],
    ) -> Result<Point, Failure> {
        if let Some(policy) = self.capped(policy, value)? {
            return Self::planned(policy, None, value, queries);
        }
        let promise = promise(policy, self.key, value.clone()).map_err(|error| match error {
            WhatIfError::NeedsRest(_, needed) => Failure::usage(
                &error,
                format!("state `{needed}` in the policy's [promise]; a sweep changes one number of it"),
            ),
            _ => Failure::usage(&error, "sweep a range in which every promise can be kept"),
        })?;
        let refused = |error: &dyn std::fmt::Display| {
            Failure::usage(
                format!("at {} = {value}: {error}", self.key),
                "sweep a range in which every promise can be kept",
            )
        };
        let policy = with_promise(policy, promise, None).map_err(|error| refused(&error))?;
        Self::planned(policy, own, value, queries)
    }

    fn planned(policy: Policy, own: Option<&Plan>, value: &Rational, queries: &[String]) -> Result<Point, Failure> {
        let limit = policy.guarantee().limit().clone();
        let plan = own.map_or_else(|| Plan::new(policy.clone()), |own| own.repriced(policy.clone()));
        let answers = match plan {
            Ok(mut plan) => {
                choose(&mut plan, queries)?;
                let each = plan.queries().iter().flat_map(|ask| {
                    let all = expected(ask, plan.policy());
                    all.into_iter().map(|answer| (ask.declared().name.clone(), answer.name, answer.error))
                });
                Ok(each.collect())
            }
            // Invalid SQL fails at every point; only noise and targets depend on the promise.
            Err(errors) if errors.errors().iter().any(PlanError::is_sql) => {
                return Err(errors.into());
            }
            Err(errors) => Err(errors.to_string().replace('\n', "; ")),
        };
        Ok(Point::new(value, &limit, answers))
    }
}
