//! The division of a policy's part of the promise among its queries.

use crate::budget::QueryBudget;
use crate::query::{Query, Size};
use crate::reader::shown;
use deniable_core::exact::{Rational, Rounding, percent};
use num_traits::{Signed, Zero};

/// The division of the spend for queries of these sizes. Exact, so that it can be used up exactly.
pub(crate) struct Portions {
    fixed: Rational,
    solved: Rational,
    /// The part for a weight of 1; not positive if no budget is left.
    of_weight: Rational,
}

impl Portions {
    /// `solved` holds the shares that were found for target errors, by the position of the query.
    pub(crate) fn new<'s>(
        sizes: impl Iterator<Item = &'s Size>,
        solved: &[Option<Rational>],
        spend: &Rational,
    ) -> Self {
        let (mut fixed, mut targets, mut weights) = (Rational::zero(), Rational::zero(), Rational::zero());
        for (position, size) in sizes.enumerate() {
            match size {
                Size::Share(share) => fixed += share,
                Size::Weight(weight) => weights += weight,
                Size::TargetError(_) => targets += share_found(solved, position),
            }
        }
        let left = spend - &fixed - &targets;
        let of_weight = if weights.is_zero() { left } else { left / weights };
        Self { fixed, solved: targets, of_weight }
    }

    pub(crate) fn share(&self, size: &Size, solved: &[Option<Rational>], position: usize) -> Rational {
        match size {
            Size::Share(share) => share.clone(),
            Size::Weight(weight) => &self.of_weight * weight,
            Size::TargetError(_) => share_found(solved, position),
        }
    }
}

/// The share that was found for a target error; zero until then.
fn share_found(solved: &[Option<Rational>], position: usize) -> Rational {
    solved.get(position).cloned().flatten().unwrap_or_else(Rational::zero)
}

/// Target errors that the spend does not pay for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetsTooDear {
    /// They need more than explicit shares leave.
    #[error(
        "the target errors of {} need {} of the promise, but only {} of it is left for them: raise them, or `{key}` under \
         [budget], or lower the explicit shares",
        named(queries),
        percent(wanted, 2, Rounding::Up),
        percent(available, 2, Rounding::Down)
    )]
    Exceed {
        /// The sum of the shares that the targets need.
        wanted: Rational,
        /// The part of the spend that explicit shares leave.
        available: Rational,
        /// The queries with a target, by name.
        queries: Vec<String>,
        /// The key of `[budget]` that states the limit.
        key: &'static str,
    },
    /// They and the explicit shares leave no budget for queries by weight.
    #[error(
        "explicit shares and target errors use all of {key} = {part}: nothing is left for {}; raise the target errors, or \
         give these queries a share or target of their own",
        named(queries)
    )]
    NothingLeft {
        /// The key of `[budget]` that states the limit.
        key: &'static str,
        /// The part of the promise that the queries divide.
        part: Rational,
        /// The queries by weight, by name.
        queries: Vec<String>,
    },
    /// A target for which no share was found.
    #[error("no share was found that keeps the target error of {}: raise it, or give a share instead", named(queries))]
    NotSolved {
        /// The queries without a share, by name.
        queries: Vec<String>,
    },
}

/// `a`, `b` and `c`; names may contain any characters of a line.
fn named(queries: &[String]) -> String {
    let names: Vec<String> = queries.iter().map(|name| format!("`{}`", shown(name))).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.join(""),
    }
}

/// The queries with final shares. Computed from their sizes, so repeating it with other shares equals computing it
/// anew.
pub(crate) fn with_solved(
    queries: &[Query],
    solved: &[Option<Rational>],
    budget: QueryBudget<'_>,
) -> Result<Vec<Query>, TargetsTooDear> {
    let QueryBudget { key, part } = budget;
    let names = |wanted: &dyn Fn(usize, &Size) -> bool| -> Vec<String> {
        let those = queries.iter().enumerate().filter(|(position, query)| wanted(*position, &query.size));
        those.map(|(_, query)| query.name.clone()).collect()
    };
    let is_target = |size: &Size| matches!(size, Size::TargetError(_));
    // A share of zero would answer nothing, and a negative one would pay for other queries.
    let unsolved = names(&|position, size| is_target(size) && !share_found(solved, position).is_positive());
    if !unsolved.is_empty() {
        return Err(TargetsTooDear::NotSolved { queries: unsolved });
    }
    let portions = Portions::new(queries.iter().map(|query| &query.size), solved, part);
    let available = part - &portions.fixed;
    if portions.solved > available {
        let queries = names(&|_, size| is_target(size));
        return Err(TargetsTooDear::Exceed { wanted: portions.solved, available, queries, key });
    }
    let by_weight = names(&|_, size| matches!(size, Size::Weight(_)));
    if !by_weight.is_empty() && !portions.of_weight.is_positive() {
        return Err(TargetsTooDear::NothingLeft { key, part: part.clone(), queries: by_weight });
    }
    let shared = queries.iter().enumerate().map(|(position, query)| {
        // The share of a period follows from that of its horizon, which does not depend on other queries.
        let share = match query.every {
            Some(_) => query.share.clone(),
            None => portions.share(&query.size, solved, position),
        };
        Query { share, ..query.clone() }
    });
    Ok(shared.collect())
}
