//! The smallest promise that meets all target errors of a policy.

use crate::sources::with_public_keys;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::{Rational, Rounding, decimal, percent};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use deniable_core::words;
use deniable_data::SourceError;
use deniable_policy::Policy;
use deniable_release::LeastError;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// The smallest promise that meets the `target_error` of every query of a policy (G-LEAST). All numbers are rounded
/// up. It depends on the policy alone, and may be published.
///
/// `Display` prints a table, `Serialize` the object of `deniable plan --least-promise --format json`.
#[derive(Debug, Serialize)]
pub struct LeastReport {
    queries: Vec<NeededShare>,
    spend: String,
    epsilon: String,
    odds: String,
    gain: String,
    posterior: String,
    before: String,
    forced_by: String,
    /// What the answers keep but for the policy's chance, if their sizes are fixed beforehand; absent if it states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    but_for: Option<NeededButFor>,
}

#[derive(Debug, Serialize)]
struct NeededButFor {
    chance: String,
    #[serde(skip)]
    chance_in_words: String,
    odds: String,
    posterior: String,
}

#[derive(Debug, Serialize)]
struct NeededShare {
    query: String,
    target_error: String,
    epsilon: String,
    part: String,
}

/// Computes the smallest promise that meets all target errors of a policy. Reads no data except public tables with keys
/// (`keys_from`).
///
/// # Errors
/// When no query has a target, a query has a weight, explicit shares use the whole spend, a query is invalid, or no
/// promise meets a target.
pub fn least_promise(policy: &Policy) -> Result<LeastReport, LeastPromiseError> {
    let policy = with_public_keys(policy.clone())?;
    let least = deniable_release::least(&policy)?;
    let all: Rational = least.queries.iter().map(|needed| needed.epsilon.clone()).sum();
    let up = |value: &Rational| decimal(value, 4, Rounding::Up);
    let queries = least.queries.iter().map(|needed| NeededShare {
        query: needed.query.clone(),
        target_error: needed.target.to_string(),
        epsilon: up(&needed.epsilon),
        part: percent(&(&needed.epsilon / &all), 1, Rounding::Up),
    });
    Ok(LeastReport {
        queries: queries.collect(),
        spend: policy.query_budget().part.to_string(),
        epsilon: up(&least.epsilon),
        odds: up(&least.odds),
        gain: up(&least.gain),
        posterior: percent(&least.posterior, 2, Rounding::Up),
        before: percent(policy.guarantee().adversary().priors().high(), 2, Rounding::Up),
        forced_by: least.forced_by().map_or_else(String::new, |needed| needed.query.clone()),
        but_for: least.but_for.map(|held| NeededButFor {
            chance: held.chance.to_string(),
            chance_in_words: words::chance(&held.chance),
            odds: up(&held.odds),
            posterior: percent(&held.posterior, 2, Rounding::Up),
        }),
    })
}

/// The reasons why no least promise exists.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeastPromiseError {
    /// A public table with keys cannot be read, or its keys are invalid.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The targets allow none.
    #[error(transparent)]
    Least(#[from] LeastError),
}

impl Diagnose for LeastPromiseError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let error = match self {
            Self::Source(error) => return error.diagnostics(surface),
            Self::Least(error) => error,
        };
        let help = match error {
            LeastError::Plan(errors) => return errors.diagnostics(surface),
            LeastError::NoTarget => "state the error that queries may have: `target_error = 50` under [[query]]",
            LeastError::Weights(_) => "give each a `target_error` or a `share`: weights divide the rest of the spend",
            LeastError::NothingLeft => "lower the shares, or raise `spend` or `per_version` under [budget]",
            LeastError::Promise(_) => "state an adversary against whom an ε can be promised",
            LeastError::Budget(_) | LeastError::Sizes(_) => "allow larger errors",
        };
        vec![Diagnostic::new(Code::Policy, self).with_help(help)]
    }
}

impl Display for LeastReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut grid = Grid::new(["query", "target error", "ε needed", "part"]);
        for NeededShare { query, target_error, epsilon, part } in &self.queries {
            grid.add_row(vec![cell(query), right(target_error), right(epsilon), right(part)]);
        }
        let Self { spend, epsilon, odds, gain, posterior, before, forced_by, .. } = self;
        let mut text = format!("{grid}\n");
        let mut paragraph = |words: &str| push_paragraph(&mut text, "  ", words);
        paragraph(&format!(
            "the least promise that meets every target is an odds ratio of {odds} (ε = {epsilon}), which uses this \
             policy's whole spend of {spend}"
        ));
        paragraph(&format!(
            "someone who gave it {before} before could be {posterior} sure after; belief grows by at most a factor \
             {gain}"
        ));
        paragraph(&format!(
            "\"{forced_by}\" needs the most: allow it a larger error, or leave it out, for a stronger promise"
        ));
        if let Some(NeededButFor { chance_in_words, odds, posterior, .. }) = &self.but_for {
            paragraph(&format!(
                "but for {chance_in_words}, these answers together give odds of at most {odds}, so that the same person \
                 could be {posterior} sure after"
            ));
        }
        f.write_str(&text)
    }
}
