//! `deniable plan --least-promise`: the smallest promise that meets all target errors.

use crate::error::Failure;
use deniable_core::exact::{Rational, Rounding, decimal, percent};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use deniable_policy::Policy;
use deniable_release::{LeastError, LeastPromise, least};
use serde::Serialize;

/// The least promise, for the table and for JSON. All numbers are rounded up.
#[derive(Serialize)]
pub struct LeastReport {
    queries: Vec<NeededShare>,
    spend: String,
    epsilon: String,
    odds: String,
    gain: String,
    posterior: String,
    before: String,
    forced_by: String,
}

#[derive(Serialize)]
struct NeededShare {
    query: String,
    target_error: String,
    epsilon: String,
    part: String,
}

impl LeastReport {
    /// Computes the least promise. Reads no data.
    pub fn new(policy: &Policy) -> Result<Self, Failure> {
        let found: LeastPromise = least(policy).map_err(refused)?;
        let all: Rational = found.queries.iter().map(|needed| needed.epsilon.clone()).sum();
        let up = |value: &Rational| decimal(value, 4, Rounding::Up);
        let queries = found.queries.iter().map(|needed| NeededShare {
            query: needed.query.clone(),
            target_error: needed.target.to_string(),
            epsilon: up(&needed.epsilon),
            part: percent(&(&needed.epsilon / &all), 1, Rounding::Up),
        });
        Ok(Self {
            queries: queries.collect(),
            spend: policy.query_budget().part.to_string(),
            epsilon: up(&found.epsilon),
            odds: up(&found.odds),
            gain: up(&found.gain),
            posterior: percent(&found.posterior, 2, Rounding::Up),
            before: percent(policy.guarantee().adversary().priors().high(), 2, Rounding::Up),
            forced_by: found.forced_by().map_or_else(String::new, |needed| needed.query.clone()),
        })
    }
}

/// For reading.
pub fn table(shown: &LeastReport) -> String {
    let mut grid = Grid::new(["query", "target error", "ε needed", "part"]);
    for NeededShare { query, target_error, epsilon, part } in &shown.queries {
        grid.add_row(vec![cell(query), right(target_error), right(epsilon), right(part)]);
    }
    let LeastReport { spend, epsilon, odds, gain, posterior, before, forced_by, .. } = shown;
    let mut text = format!("{grid}\n");
    let line = format!(
        "the least promise that meets every target is an odds ratio of {odds} (ε = {epsilon}), which uses this \
         policy's whole spend of {spend}"
    );
    push_paragraph(&mut text, "  ", &line);
    let belief = format!(
        "someone who gave it {before} before could be {posterior} sure after; belief grows by at most a factor {gain}"
    );
    push_paragraph(&mut text, "  ", &belief);
    push_paragraph(
        &mut text,
        "  ",
        &format!("\"{forced_by}\" needs the most: allow it a larger error, or leave it out, for a stronger promise"),
    );
    text
}

fn refused(error: LeastError) -> Failure {
    let help = match &error {
        LeastError::Plan(errors) => return errors.clone().into(),
        LeastError::NoTarget => "state the error that queries may have: `target_error = 50` under [[query]]",
        LeastError::Weights(_) => "give each a `target_error` or a `share`: weights divide the rest of the spend",
        LeastError::NothingLeft => "lower the shares, or raise `spend` or `per_version` under [budget]",
        LeastError::Promise(_) => "state an adversary against whom an ε can be promised",
    };
    Failure::refused(error, help)
}
