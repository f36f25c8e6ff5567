//! Shares under a promise that holds but for a chance: as large as both promises allow.

use super::query::coins_of;
use deniable_core::exact::{Rational, ratio};
use deniable_ledger::{Size, keep_but_for_chance};
use deniable_policy::Policy;
use deniable_query::Query;

/// Steps of the part of the budget that shares by weight are lowered to; the second ones where no step of the first is
/// small enough.
const STEPS: [i64; 2] = [1 << 10, 1 << 20];

/// The policy with the largest shares by weight with which all its queries, as the first charges of an account, keep the
/// promise but for a chance; and the part of the budget that is left of it, if they had to be lowered. `queries` has one
/// for each `[[query]]`, in order.
///
/// Explicit shares and shares of target errors are not lowered. If they alone are too large, the policy is unchanged: the
/// ledger refuses the charges.
pub(super) fn lowered(policy: Policy, queries: &[&Query]) -> (Policy, Option<Rational>) {
    if policy.guarantee().but_for_a_chance().is_none() || policy.is_asked() {
        return (policy, None);
    }
    let coins: Vec<_> = queries.iter().map(|query| coins_of(query, &policy)).collect();
    let keeps = |policy: &Policy| {
        let costs = policy.queries().iter().map(|query| policy.guarantee().limit().share(&query.share));
        let sizes = costs.zip(&coins).map(|(cost, coins)| Some(Size { cost: cost.ok()?, coins: coins.clone() }));
        let sizes: Option<Vec<Size>> = sizes.collect();
        sizes.is_some_and(|sizes| keep_but_for_chance(None, policy.guarantee(), sizes).is_ok())
    };
    if keeps(&policy) {
        return (policy, None);
    }
    let found = STEPS.into_iter().find_map(|steps| largest(&policy, steps, &keeps));
    found.map_or((policy, None), |(policy, part)| (policy, Some(part)))
}

/// The policy with the largest part of its budget, in these steps, that keeps the promise, and the part.
fn largest(policy: &Policy, steps: i64, keeps: &dyn Fn(&Policy) -> bool) -> Option<(Policy, Rational)> {
    // The odds grow with the shares, so halving finds the largest part; the one that is used was checked itself.
    let (mut low, mut high, mut found) = (0, steps, None);
    while low + 1 < high {
        let middle = i64::midpoint(low, high);
        let part = policy.query_budget().part * ratio(middle, steps);
        match policy.with_part(&part).filter(keeps) {
            Some(smaller) => {
                found = Some((smaller, part));
                low = middle;
            }
            None => high = middle,
        }
    }
    found
}
