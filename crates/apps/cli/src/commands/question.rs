//! A query that is not in the policy: its plan, whose failures quote the query, and its cost.

use crate::args::policy::Ask;
use crate::error::Failure;
use deniable::exact::{Rational, Rounding, percent};
use deniable::{OwnCaps, Plan, Policy, Query};

/// The plan of a single query that is charged to the whole promise.
pub fn question(policy: &Policy, args: &Ask, sql: &str, share: &Rational) -> Result<Plan, Failure> {
    let caps = OwnCaps { rows_per_group: args.rows_per_group, groups: args.groups };
    Ok(Query::new(&args.name, sql, share.clone()).with_caps(caps).plan(policy)?)
}

/// The cost of a query for the confirmation at the prompt; `left` is the remaining part of the promise.
pub fn cost_in_words(plan: &Plan, left: Option<&Rational>) -> String {
    let shares: Vec<&Rational> = plan.queries().iter().map(|ask| &ask.declared().share).collect();
    let share = shares.into_iter().sum::<Rational>();
    let part = percent(&share, 1, Rounding::Up);
    let of = left.map(|left| format!(" of the promise, {} is left", percent(left, 1, Rounding::Down)));
    let odds = plan.policy().guarantee().limit().share(&share);
    let odds = odds.map_or_else(|_| "nothing".to_owned(), |odds| odds.to_string());
    format!("{odds} ({part}{})", of.unwrap_or_default())
}
