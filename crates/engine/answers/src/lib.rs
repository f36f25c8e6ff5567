//! Noisy answers: the arithmetic that a query does on results, intervals, tables whose levels add up, and what is shown. All of it is
//! post-processing (C-3) and costs nothing.
//!
//! | question | where |
//! |---|---|
//! | what is shown of noisy numbers, and with which interval? | [`show`], `evaluate`, `intervals` |
//! | what would an answer be, and how far off? | [`planned`] |
//! | by how many rows is a rank missed? | [`rank_margin`] |
//! | where does the population's number lie? | [`check_population`], `population` |
//! | what makes the levels of a table with totals add up? | [`made_consistent`], [`consistency`] |
//! | how far off are answers because of caps and bounds? | [`true_errors`], for the curator alone |
//!
//! Numbers here are fractions, so `COUNT(*) / 2` of 7 is 3.5. Every number carries an interval that covers the truth with the
//! stated confidence: from the law of its noise for sums, differences, ratios, averages and variances (`pivot`); where a
//! term combines several measures otherwise, each gets a part of the allowed error (the union bound).

mod consistent;
mod evaluate;
mod exact;
mod form;
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
mod truth;
mod window;

pub use consistent::{Consistency, consistency, made_consistent};
pub use evaluate::{Limits, Noisy, ShownRow, ShownValue, show, show_with_population};
pub use planned::{PlannedNumber, planned};
pub use population::{check_population, without_population};
pub use ranks::{rank_margin, rank_margin_of};
pub use truth::{TrueError, Worst, true_errors};

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_answers;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
