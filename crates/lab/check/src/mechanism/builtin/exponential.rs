//! Exponential mechanism and permute-and-flip over candidates with scores (M-EXP, M-PF).

use super::error::BuiltinError;
use super::noisy_max::{GROUPS, Groups};
use super::parameters::{Builtin, BuiltinArguments, ODDS, Parameter};
use super::rows::by_rows;
use crate::mechanism::limits::MOST_ENTITIES;
use crate::mechanism::model::Mechanism;
use deniable_core::exact::{Rational, power, whole};

const MONOTONE: Parameter = Parameter {
    name: "monotone",
    about: "whether scores only grow with members: weight R^(score/Δ), for add/remove, in place of R^(score/2Δ)",
    range: "yes, no",
    default: Some("no"),
};

/// The usual parameter `odds`, with a default whose square root is a fraction.
const ODDS_WITH_ROOT: Parameter = Parameter { default: Some("4"), ..ODDS };

const SCORES: Parameter = Parameter {
    name: "scores",
    about: "in place of `groups`: each dataset's scores of all candidates, `0,0; 1,0; 0,1; 1,1` for datasets {}, {1}, {2}, {1 2}",
    range: "2^n rows of whole numbers",
    default: None,
};

pub(super) static EXPONENTIAL: Builtin = Builtin {
    name: "exponential",
    about: "a candidate with a weight that is exponential in its score, which is its votes or given in a table",
    theorem: "M-EXP",
    parameters: &[GROUPS, SCORES, ODDS_WITH_ROOT, MONOTONE],
    build: |given| build(given, by_weight),
};

pub(super) static PERMUTE_AND_FLIP: Builtin = Builtin {
    name: "permute-and-flip",
    about: "candidates in random order, each taken with the exponential of its distance from the best score",
    theorem: "M-PF",
    parameters: &[GROUPS, SCORES, ODDS_WITH_ROOT, MONOTONE],
    build: |given| build(given, by_flips),
};

fn build(given: BuiltinArguments<'_>, row: fn(&[Rational]) -> Vec<Rational>) -> Result<Mechanism, BuiltinError> {
    if !given.has("scores") {
        let base = base(given, 1)?;
        return Groups::of(given)?.mechanism(|votes| row(&weights(&base, votes)));
    }
    if given.has("groups") {
        return Err(BuiltinError::Conflict("give `groups` or `scores`, not both".to_owned()));
    }
    let table = table(given)?;
    let base = base(given, sensitivity(&table))?;
    let name = |number: usize| format!("candidate {}", number + 1);
    let outputs = (0..table[0].len()).map(name).collect();
    by_rows(table.len().ilog2() as usize, outputs, |data| row(&weights(&base, &table[data as usize])))
}

/// Each candidate's weight, relative to the best one's.
fn weights(base: &Rational, scores: &[i64]) -> Vec<Rational> {
    let best = scores.iter().max().copied().unwrap_or(0);
    // Scores are small by their range, so the difference fits.
    scores.iter().map(|score| power(&base.recip(), (best - score) as u32)).collect()
}

fn by_weight(weights: &[Rational]) -> Vec<Rational> {
    let total: Rational = weights.iter().sum();
    weights.iter().map(|weight| weight / &total).collect()
}

/// A candidate at a uniform position `x` of the order is reached if all before it failed: each other one is before it
/// with probability `x` and fails with `1 − w`. So its probability is `w·∫₀¹ Π(1 − x·w_j) dx`, the integral of a
/// polynomial.
fn by_flips(weights: &[Rational]) -> Vec<Rational> {
    let chance = |candidate: usize| {
        let mut polynomial = vec![whole(1)];
        for (_, weight) in weights.iter().enumerate().filter(|(other, _)| *other != candidate) {
            let mut next = polynomial.clone();
            next.push(whole(0));
            for (m, coefficient) in polynomial.iter().enumerate() {
                next[m + 1] -= coefficient * weight;
            }
            polynomial = next;
        }
        let integral: Rational = polynomial.iter().enumerate().map(|(m, coefficient)| coefficient / whole(m + 1)).sum();
        &weights[candidate] * integral
    };
    (0..weights.len()).map(chance).collect()
}

/// The weight of one point of score: R, or a root of it, which must be a fraction.
fn base(given: BuiltinArguments<'_>, sensitivity: i64) -> Result<Rational, BuiltinError> {
    let odds = given.odds("odds")?;
    let monotone = given.word("monotone", &["yes", "no"])? == "yes";
    let degree = sensitivity.max(1) as u32 * if monotone { 1 } else { 2 };
    let root = Rational::new(odds.numer().nth_root(degree), odds.denom().nth_root(degree));
    if power(&root, degree) == odds {
        return Ok(root);
    }
    let which = if degree == 2 { "square root".to_owned() } else { format!("root of degree {degree}") };
    Err(BuiltinError::Conflict(format!(
        "the weight of one point of score is the {which} of odds, which is irrational for {odds}; try {}",
        power(&whole(2), degree)
    )))
}

/// Scores by dataset and candidate.
fn table(given: BuiltinArguments<'_>) -> Result<Vec<Vec<i64>>, BuiltinError> {
    let text = given.text("scores").unwrap_or_default();
    let wrong =
        |range: &str| BuiltinError::OutOfRange { parameter: "scores", range: range.to_owned(), value: text.to_owned() };
    let number = |text: &str| text.trim().parse().ok().filter(|score| (-1000..=1000).contains(score));
    let row = |row: &str| row.split(',').map(number).collect::<Option<Vec<i64>>>();
    let rows: Option<Vec<_>> = text.split(';').map(row).collect();
    let rows = rows.ok_or_else(|| wrong("whole numbers from -1000 to 1000, rows with `;` between them"))?;
    if !rows.len().is_power_of_two() || rows.len() < 2 || rows.len().ilog2() as usize > MOST_ENTITIES {
        return Err(wrong("one row for each dataset: 2, 4, 8, ... rows"));
    }
    if rows.iter().any(|row| row.len() != rows[0].len()) || !(1..=16).contains(&rows[0].len()) {
        return Err(wrong("rows of the same 1 to 16 candidates"));
    }
    Ok(rows)
}

/// The largest change of a score by one entity more or less (S-ADD).
fn sensitivity(table: &[Vec<i64>]) -> i64 {
    let pairs = (0..table.len()).flat_map(|data| {
        (0..table.len().ilog2()).filter(move |t| data >> t & 1 == 0).map(move |t| (data, data | 1 << t))
    });
    let change = |(data, with): (usize, usize)| table[data].iter().zip(&table[with]).map(|(a, b)| (a - b).abs()).max();
    pairs.filter_map(change).max().unwrap_or(0)
}
