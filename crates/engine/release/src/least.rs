//! The least promise under which every target error of a policy is met, and the part that each target needs (G-LEAST).
//!
//! A query needs a certain amount of ln R for its own errors to stay within its target, whatever the other queries are:
//! the amount is found by halving, since noise decreases in it. Together they need their sum, divided by the part of
//! the promise that is available for targets; the shares are then in proportion. It is the least for these queries,
//! this mechanism, and this way of splitting a query's part over its measures.

use crate::plan::{PlanError, PlanErrorKind, PlanErrors, queries};
use crate::target::{STEPS, TargetError, worst_number};
use crate::whatif::{WhatIfError, with_promise};
use deniable_core::belief::{gain_over, posterior_range};
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::guarantee::ButFor;
use deniable_core::loss::{Chance, Coins};
use deniable_core::noise::DecayError;
use deniable_core::promise::Promise;
use deniable_ledger::{CoinsOfCost, SizeError, odds_of_fixed_sizes};
use deniable_policy::{Policy, Size};
use deniable_query::Query;
use num_traits::{Signed, Zero};

/// Doublings of an amount in the search: from about 10⁻¹² to 10⁶ in ε.
const DOUBLINGS: u32 = 60;
/// Halvings of the last doubling: the amount is known to a 10⁶th of itself, and rounded up by it.
const HALVINGS: u32 = 20;

/// The privacy parameter that one query needs for its target error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryNeed {
    /// The query's name.
    pub query: String,
    /// Its target error.
    pub target: Rational,
    /// The part of ln R that it needs, as an ε: rounded up.
    pub epsilon: Rational,
}

/// The least promise that keeps the target error of every query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeastPromise {
    /// The queries with a target, in the policy's order.
    pub queries: Vec<QueryNeed>,
    /// The ε that keeps all of them, rounded up.
    pub epsilon: Rational,
    /// The odds ratio R of that ε, rounded up.
    pub odds: Rational,
    /// The highest posterior of an observer of the policy's family with the highest prior; rounded up.
    pub posterior: Rational,
    /// The largest factor by which belief can grow; rounded up.
    pub gain: Rational,
    /// What the answers keep but for the chance that the policy states; `None` if it states none.
    pub but_for: Option<LeastButFor>,
}

/// The odds ratio that the answers within their targets exceed with a chance only, if all their sizes are fixed
/// beforehand (C-11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeastButFor {
    /// The chance that the policy states.
    pub chance: Chance,
    /// The odds ratio, rounded up.
    pub odds: Rational,
    /// The highest posterior of an observer of the policy's family with the highest prior; rounded up.
    pub posterior: Rational,
}

/// The reasons why no least promise exists.
#[derive(Debug, thiserror::Error)]
pub enum LeastError {
    /// No query has a target.
    #[error("no query has a `target_error`")]
    NoTarget,
    /// Queries by weight share the remaining budget, which has no required size.
    #[error("queries by weight have no target: {}", .0.join(", "))]
    Weights(Vec<String>),
    /// Explicit shares leave no budget for targets.
    #[error("explicit shares use all of the policy's spend")]
    NothingLeft,
    /// Queries whose target no promise keeps, or whose error cannot be computed.
    #[error(transparent)]
    Plan(#[from] PlanErrors),
    /// The policy's adversary admits no promise of an ε.
    #[error(transparent)]
    Promise(#[from] WhatIfError),
    /// A need that is not a budget.
    #[error(transparent)]
    Budget(#[from] SpendError),
    /// Needs that are no sizes of answers.
    #[error(transparent)]
    Sizes(#[from] SizeError),
}

/// Computes the least promise of a policy's targets.
///
/// # Errors
/// When no promise meets all targets, or the needed amounts cannot be computed.
pub fn least(policy: &Policy) -> Result<LeastPromise, LeastError> {
    let all = policy.queries();
    let planned = all.iter().zip(queries(policy));
    let understood = planned.map(|(declared, query)| query.map_err(|error| PlanError::new(policy, declared, error)));
    let (queries, refused): (Vec<_>, Vec<_>) = understood.partition(Result::is_ok);
    let refused: Vec<PlanError> = refused.into_iter().filter_map(Result::err).collect();
    PlanErrors::check(refused)?;
    let queries: Vec<Query> = queries.into_iter().flatten().collect();
    let weights = all.iter().filter(|declared| matches!(declared.size, Size::Weight(_)));
    let weights: Vec<String> = weights.map(|declared| declared.name.clone()).collect();
    if !all.iter().any(|declared| matches!(declared.size, Size::TargetError(_))) {
        return Err(LeastError::NoTarget);
    }
    if !weights.is_empty() {
        return Err(LeastError::Weights(weights));
    }
    let shares = all.iter().filter_map(|declared| match &declared.size {
        Size::Share(share) => Some(share.clone()),
        Size::Weight(_) | Size::TargetError(_) => None,
    });
    let left = policy.query_budget().part - shares.sum::<Rational>();
    if !left.is_positive() {
        return Err(LeastError::NothingLeft);
    }
    // Parts of ε = 1 are amounts of ε, also beyond 1.
    let unit = with_promise(policy, Promise::Epsilon(whole(1)), None)?;
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    let mut coins = Vec::new();
    for (declared, query) in all.iter().zip(&queries) {
        let Size::TargetError(target) = &declared.size else { continue };
        match amount(query, target, &unit) {
            Ok(epsilon) => {
                coins.push(query.coins(policy.guarantee().adjacency()).unwrap_or_default());
                found.push(QueryNeed { query: declared.name.clone(), target: target.clone(), epsilon });
            }
            Err(kind) => errors.push(PlanError::new(policy, declared, kind)),
        }
    }
    PlanErrors::check(errors)?;
    let epsilon = on_grid(&found, &left, &(policy.query_budget().part / whole(STEPS)));
    let odds = Spend::epsilon(epsilon.clone()).map(|spend| spend.odds_at_most()).unwrap_or_else(|_| whole(1));
    let priors = policy.guarantee().adversary().priors();
    let posterior = posterior_range(priors.high(), &odds).1;
    let gain = gain_over(priors, &odds);
    let but_for = match policy.guarantee().but_for_a_chance() {
        Some(stated) => Some(but_for(&found, &coins, &epsilon, stated, priors.high())?),
        None => None,
    };
    Ok(LeastPromise { queries: found, epsilon, odds, posterior, gain, but_for })
}

/// What answers of these needs keep together but for the stated chance. A query without coins is one coin of its whole
/// need.
fn but_for(
    found: &[QueryNeed],
    coins: &[Vec<Coins>],
    epsilon: &Rational,
    stated: &ButFor,
    highest: &Rational,
) -> Result<LeastButFor, LeastError> {
    let size = |(needed, coins): (&QueryNeed, &Vec<Coins>)| -> Result<deniable_ledger::Size, SpendError> {
        let cost = Spend::epsilon(needed.epsilon.clone())?;
        Ok(deniable_ledger::Size { cost, coins: coins.iter().map(CoinsOfCost::of).collect() })
    };
    let sizes = found.iter().zip(coins).map(size).collect::<Result<Vec<_>, _>>()?;
    let all: Rational = found.iter().map(|needed| needed.epsilon.clone()).sum();
    let surely = Spend::epsilon(all)?.odds_at_most();
    // Belief may rise beyond the odds or fall beyond them: each gets half of the chance, which is enough for any odds (B-7).
    let chance = match stated.directions() {
        (true, true) => Chance::new(stated.chance().value() / whole(2)).unwrap_or_else(|_| stated.chance().clone()),
        _ => stated.chance().clone(),
    };
    // A need is a power of the odds of the least promise.
    let odds = odds_of_fixed_sizes(&Spend::epsilon(epsilon.clone())?, sizes, &chance)?;
    let odds = odds.map_or_else(|| surely.clone(), |odds| odds.min(surely.clone()));
    let posterior = posterior_range(highest, &odds).1;
    Ok(LeastButFor { chance: stated.chance().clone(), odds, posterior })
}

impl LeastPromise {
    /// The query that needs the largest part.
    #[must_use]
    pub fn forced_by(&self) -> Option<&QueryNeed> {
        self.queries.iter().max_by(|one, other| one.epsilon.cmp(&other.epsilon))
    }
}

/// The smallest ε for all of them when shares are whole steps of the grid on which [`crate::target`] looks for them: a little more than
/// the amounts' sum over what is left. Rounded up by a millionth at most.
fn on_grid(found: &[QueryNeed], left: &Rational, step: &Rational) -> Rational {
    let all = found.iter().map(|needed| needed.epsilon.clone()).sum::<Rational>();
    let shares = |epsilon: &Rational| {
        let steps = found.iter().map(|needed| (&needed.epsilon / (epsilon * step)).ceil());
        steps.sum::<Rational>() * step
    };
    let mut no = &all / left;
    // Each share is rounded up by less than a step.
    let mut yes = &no * whole(2);
    while shares(&yes) > *left {
        yes *= whole(2);
    }
    for _ in 0..HALVINGS {
        let middle = (&no + &yes) / whole(2);
        if shares(&middle) <= *left { yes = middle } else { no = middle }
    }
    yes
}

/// The smallest ε with which all answers of a query keep the target, rounded up by a 10⁶th at most.
fn amount(query: &Query, target: &Rational, unit: &Policy) -> Result<Rational, PlanErrorKind> {
    let keeps = |epsilon: &Rational| match worst_number(query, epsilon, unit) {
        Ok((_, Some(error))) => Ok(error <= *target),
        Ok((answer, None)) => Err(TargetError::NeedsTypicalRows { answer }.into()),
        Err(PlanErrorKind::Noise(DecayError::TooWide)) => Ok(false),
        Err(PlanErrorKind::Noise(DecayError::TooNarrow)) => Ok(true),
        Err(other) => Err(other),
    };
    let mut yes = ratio(1, 1 << 40);
    let mut doublings = 0;
    while !keeps(&yes)? {
        yes *= whole(2);
        doublings += 1;
        if doublings > DOUBLINGS {
            return Err(TargetError::OutOfReach { target: target.clone() }.into());
        }
    }
    let mut no = if doublings == 0 { Rational::zero() } else { &yes / whole(2) };
    for _ in 0..HALVINGS {
        let middle = (&no + &yes) / whole(2);
        if keeps(&middle)? { yes = middle } else { no = middle }
    }
    Ok(yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use deniable_core::loss::Walk;
    use num_traits::ToPrimitive;
    use std::path::Path;

    fn policy(promise: &str, all: &str) -> Policy {
        let head = "name = \"least\"\npopulation = \"people\"\nadversary = { preset = \"acquaintance\" }\n\
                    data = { table = \"t\", path = \"t.csv\", version = \"1\", typical_rows = 9_000 }\n\
                    [columns]\nx = { type = \"integer\", bounds = [10, 30] }\n";
        let text = format!("{head}[promise]\n{promise}\n[budget]\nspend = \"3/4\"\n{all}");
        Policy::parse(Path::new("policy.toml"), &text).unwrap()
    }

    const ASKS: &str = "[[query]]\nname = \"rows\"\nsql = \"SELECT COUNT(*) FROM t\"\ntarget_error = 1\n\
                        [[query]]\nname = \"mean\"\nsql = \"SELECT AVG(x) FROM t\"\ntarget_error = 0.5\n";

    /// A count within 1 in 95 of 100 draws needs the largest r with 2r²/(1 + r) ≤ 1/20: 1/r is 5.8443, its logarithm
    /// 1.7655.
    #[test]
    fn a_count_needs_the_amount_of_its_margin() {
        let least = least(&policy("posterior_at_most = 0.75", ASKS)).unwrap();
        let epsilon = &least.queries[0].epsilon;
        assert!(*epsilon > ratio(17_654, 10_000) && *epsilon < ratio(17_656, 10_000), "{epsilon}");
        assert_eq!(least.forced_by().unwrap().query, "rows");
        let sum: Rational = least.queries.iter().map(|needed| needed.epsilon.clone()).sum();
        // A quarter of the promise is for other queries; shares are multiples of a 10,000th.
        let exact = sum / ratio(3, 4);
        assert!(least.epsilon >= exact && least.epsilon < exact * ratio(1_001, 1_000), "{}", least.epsilon);
    }

    /// The probability that two-sided geometric noise of an answer that one entity changes by at most `sensitivity`
    /// stays within `margin` (M-GEO), computed from its law: the odds of e^ε are spread over the steps of the
    /// sensitivity.
    fn covered(epsilon: f64, sensitivity: f64, margin: i32) -> f64 {
        let decay = (-epsilon / sensitivity).exp();
        1.0 - 2.0 * decay.powi(margin + 1) / (1.0 + decay)
    }

    /// Each count and sum needs the amount that the law of its noise requires, without an answer; together they need
    /// the sum of the amounts, from the remaining part of the promise.
    #[test]
    fn every_amount_is_the_least_by_the_law_of_the_noise() {
        const COUNTS: &str = "[[query]]\nname = \"a\"\nsql = \"SELECT COUNT(*) FROM t\"\ntarget_error = 1\n\
                              [[query]]\nname = \"b\"\nsql = \"SELECT COUNT(x) FROM t\"\ntarget_error = 7\n\
                              [[query]]\nname = \"c\"\nsql = \"SELECT SUM(x) FROM t\"\ntarget_error = 300\n";
        let found = least(&policy("posterior_at_most = 0.75", COUNTS)).unwrap();
        let float = |number: &Rational| number.to_f64().unwrap();
        let mut sum = 0.0;
        for (needed, (sensitivity, margin)) in found.queries.iter().zip([(1.0, 1), (1.0, 7), (30.0, 300)]) {
            let epsilon = float(&needed.epsilon);
            assert!(covered(epsilon, sensitivity, margin) >= 0.95, "{}", needed.query);
            assert!(covered(epsilon * 0.9999, sensitivity, margin) < 0.95, "{}", needed.query);
            sum += epsilon;
        }
        // Three quarters of the promise are for these targets; shares are multiples of a 10,000th.
        let total = float(&found.epsilon);
        assert!(total >= sum / 0.75 * 0.999_999 && total < sum / 0.75 * 1.001, "{total} {sum}");
    }

    /// The least promise meets all targets, and a hundredth less does not.
    #[test]
    fn the_least_promise_suffices_and_a_smaller_one_does_not() {
        let found = least(&policy("posterior_at_most = 0.75", ASKS)).unwrap();
        let plans = |epsilon: Rational| Plan::new(policy(&format!("epsilon = \"{epsilon}\""), ASKS)).is_ok();
        assert!(plans(found.epsilon.clone()));
        assert!(!plans(&found.epsilon * ratio(99, 100)));
        let posterior = &found.posterior * ratio(1, 1);
        assert!(
            Plan::new(policy(&format!("posterior_at_most = \"{}\"", (posterior + whole(1)) / whole(2)), ASKS)).is_ok()
        );
    }

    /// Fifty equal counts are one coin each: the odds but for a chance are those of fifty coins, and one count gains nothing.
    #[test]
    fn answers_within_their_targets_keep_smaller_odds_but_for_a_chance() {
        let stated = "posterior_at_most = 0.99\n[promise.but_for]\nchance = \"1/1000000\"\nposterior_at_most = 0.9";
        let counts = |count: usize| -> String {
            (0..count)
                .map(|at| format!("[[query]]\nname = \"q{at}\"\nsql = \"SELECT COUNT(*) FROM t WHERE x > {at}\"\ntarget_error = 90\n"))
                .collect()
        };
        let found = least(&policy(stated, &counts(50))).unwrap();
        let held = found.but_for.unwrap();
        let each = &found.queries[0].epsilon;
        let mut walk = Walk::new(&Spend::epsilon(each * whole(50)).unwrap()).unwrap();
        walk.add(&Coins::new(50, ratio(1, 50)).unwrap());
        let chance = Chance::new(ratio(1, 1_000_000)).unwrap();
        let exact = walk.distribution().unwrap().odds_but_for(&chance).unwrap();
        let surely = Spend::epsilon(each * whole(50)).unwrap().odds_at_most();
        // Both are rounded up, on lattices of different steps.
        assert!((&held.odds / &exact - whole(1)).abs() < ratio(1, 1000), "{} {exact}", held.odds);
        assert!(held.odds < surely && held.posterior < ratio(99, 100) && held.chance.value() == &ratio(1, 1_000_000));
        let one = least(&policy(stated, &counts(1))).unwrap();
        let alone = Spend::epsilon(one.queries[0].epsilon.clone()).unwrap().odds_at_most();
        assert!((one.but_for.unwrap().odds / alone - whole(1)).abs() < ratio(1, 1000));
        assert_eq!(least(&policy("posterior_at_most = 0.75", ASKS)).unwrap().but_for, None);
    }

    #[test]
    fn missing_promises_are_explained() {
        let weighed = policy("epsilon = 1", "[[query]]\nsql = \"SELECT COUNT(*) FROM t\"\n");
        assert!(matches!(least(&weighed), Err(LeastError::NoTarget)));
        let both = format!("{ASKS}[[query]]\nname = \"more\"\nsql = \"SELECT SUM(x) FROM t\"\n");
        assert!(matches!(least(&policy("epsilon = 1", &both)), Err(LeastError::Weights(names)) if names == ["more"]));
        let all = "[[query]]\nsql = \"SELECT COUNT(*) FROM t\"\nshare = \"3/4\"\n";
        let taken = policy("epsilon = 1", all);
        assert!(matches!(least(&taken), Err(LeastError::NoTarget)));
    }
}
