//! How the part of the promise that a policy may use is divided among its queries.

use crate::ask::{Ask, Size};
use crate::reader::shown;
use deniable_core::exact::{Rational, Rounding, percent};
use num_traits::{Signed, Zero};

/// What the spend holds for asks of these sizes. Exact, so it can be used up exactly.
pub(crate) struct Portions {
    /// What explicit shares take.
    fixed: Rational,
    /// What target errors take.
    solved: Rational,
    /// What is left for a weight of 1; not positive when nothing is.
    of_weight: Rational,
}

impl Portions {
    /// `solved` holds the shares that were found for target errors, by the position of the ask.
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

/// The share that was found for a target error; zero while there is none.
fn share_found(solved: &[Option<Rational>], position: usize) -> Rational {
    solved.get(position).cloned().flatten().unwrap_or_else(Rational::zero)
}

/// Target errors that the spend does not pay for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetsTooDear {
    /// They need more than explicit shares leave.
    #[error(
        "the target errors of {} need {} of the promise, but only {} of it is left for them: raise them, or `spend` under \
         [budget], or lower the explicit shares",
        named(asks),
        percent(wanted, 2, Rounding::Up),
        percent(available, 2, Rounding::Down)
    )]
    Exceed {
        /// The sum of the shares that the targets need.
        wanted: Rational,
        /// What explicit shares leave of the spend.
        available: Rational,
        /// The asks with a target, by name.
        asks: Vec<String>,
    },
    /// They and the explicit shares leave nothing for the asks that go by weight.
    #[error(
        "explicit shares and target errors use all of spend = {spend}: nothing is left for {}; raise the target errors, or \
         give these queries a share or target of their own",
        named(asks)
    )]
    NothingLeft {
        /// What the policy may spend.
        spend: Rational,
        /// The asks that go by weight, by name.
        asks: Vec<String>,
    },
    /// A target for which no share was found.
    #[error("no share was found that keeps the target error of {}: raise it, or give a share instead", named(asks))]
    NotSolved {
        /// The asks without a share, by name.
        asks: Vec<String>,
    },
}

/// `a`, `b` and `c`; names may hold anything that fits on a line.
fn named(asks: &[String]) -> String {
    let names: Vec<String> = asks.iter().map(|name| format!("`{}`", shown(name))).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.join(""),
    }
}

/// The asks with every share final. Computed from their sizes, so doing it again with other shares is the same as afresh.
pub(crate) fn with_solved(
    asks: &[Ask],
    solved: &[Option<Rational>],
    spend: &Rational,
) -> Result<Vec<Ask>, TargetsTooDear> {
    let names = |wanted: &dyn Fn(usize, &Size) -> bool| -> Vec<String> {
        let those = asks.iter().enumerate().filter(|(position, ask)| wanted(*position, &ask.size));
        those.map(|(_, ask)| ask.name.clone()).collect()
    };
    let is_target = |size: &Size| matches!(size, Size::TargetError(_));
    // A share of zero would answer nothing, and a negative one would pay for the others.
    let unsolved = names(&|position, size| is_target(size) && !share_found(solved, position).is_positive());
    if !unsolved.is_empty() {
        return Err(TargetsTooDear::NotSolved { asks: unsolved });
    }
    let portions = Portions::new(asks.iter().map(|ask| &ask.size), solved, spend);
    let available = spend - &portions.fixed;
    if portions.solved > available {
        let asks = names(&|_, size| is_target(size));
        return Err(TargetsTooDear::Exceed { wanted: portions.solved, available, asks });
    }
    let by_weight = names(&|_, size| matches!(size, Size::Weight(_)));
    if !by_weight.is_empty() && !portions.of_weight.is_positive() {
        return Err(TargetsTooDear::NothingLeft { spend: spend.clone(), asks: by_weight });
    }
    let shared = asks.iter().enumerate().map(|(position, ask)| {
        let share = portions.share(&ask.size, solved, position);
        Ask { share, ..ask.clone() }
    });
    Ok(shared.collect())
}
