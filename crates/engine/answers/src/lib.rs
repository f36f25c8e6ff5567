//! Post-processing of noisy answers: arithmetic on results, intervals, consistent totals, and the shown rows. All of it
//! is free (C-3).
//!
//! | topic | where |
//! |---|---|
//! | shown rows with intervals | [`show`], `evaluate`, `intervals` |
//! | forecasts of answers and their errors | [`planned`] |
//! | errors of ranks, in rows | [`rank_margin`] |
//! | sums over several answers | [`show_sums`] |
//! | intervals for the population | [`check_population`], `population` |
//! | consistent totals | [`made_consistent`], [`consistency`] |
//! | errors due to caps and bounds | [`true_errors`], for the curator alone |
//!
//! Numbers here are fractions, so `COUNT(*) / 2` of 7 is 3.5. Every number has an interval that covers the truth with
//! the stated confidence: from the distribution of its noise for sums, differences, ratios, averages and variances
//! (`pivot`); where a term combines several measures in other ways, each gets a part of the error probability (the
//! union bound).

mod consistent;
mod evaluate;
mod exact;
mod form;
mod independence;
mod intervals;
mod number;
mod order;
mod pivot;
mod planned;
mod population;
mod ranks;
mod ratios;
mod regression;
mod shares;
mod slope;
mod steps;
mod sums;
mod truth;
mod window;

pub use consistent::{Consistency, consistency, made_consistent};
pub use evaluate::{Limits, Noisy, ShownRow, ShownValue, show, show_with_population};
pub use independence::{Independence, check_independence, independence};
pub use planned::{PlannedNumber, planned};
pub use population::{check_population, without_population};
pub use ranks::{rank_margin, rank_margin_of};
pub use sums::{show_sums, sum_margin};
pub use truth::{SumLoss, Summed, TrueError, TrueErrors, Worst, WrongNumber, true_errors};

// `tests/it` is part of the unit tests' program, so that each crate links one program. It names this crate as other
// crates do.
#[cfg(test)]
extern crate self as deniable_answers;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
