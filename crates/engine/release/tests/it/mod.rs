//! Releases from policies: order of steps, coverage of intervals, questions with known answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod chance;
mod consistent;
mod contained;
mod coverage;
mod forecast;
mod order;
mod periods;
mod plans;
mod quality;
mod questions;
mod simulated;
mod sql_cases;
mod steps;
mod typical;

use deniable_core::exact::ratio;
use deniable_core::noise::{Decay, SystemRng};
use deniable_execute::Exact;
use deniable_query::Query;

/// The exact totals of measures with one number a cell: noise whose decay is 10⁻³⁰ changes a total once in 5·10²⁹
/// draws.
fn without_noise(exact: Exact, query: &Query) -> Vec<Vec<i128>> {
    let decay = Decay::exactly(ratio(1, 10_i64.pow(15)) * ratio(1, 10_i64.pow(15))).unwrap();
    let decays = vec![decay; query.measures().len()];
    exact.with_noise(query, &decays, &ratio(19, 20), &mut SystemRng::new().unwrap())
}
