//! The evaluation as data: the table as CSV, everything as JSON. Exact numbers are written as fractions.

use crate::adult::Column;
use crate::adversary::Adversary;
use crate::calibrate::{Noise, epsilon, largest_odds, scale};
use crate::composed::{ComposedEnds, Composition};
use crate::queries::Query;
use crate::quoted::RatioComparison;
use crate::surface::{Cells, Measure, Surface, Yardstick};
use crate::{EvaluateError, Evaluation};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, Rounding, decimal, ratio, whole};
use serde_json::{Value, json};

/// The points at which the table has scale, error ratio and ε: those of the paper's text.
#[must_use]
pub fn points() -> [(Rational, Rational); 2] {
    [(ratio(8, 1000), ratio(8, 1000)), (ratio(1, 2), whole(1))]
}

/// A query at a point: one line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The query.
    pub query: Query,
    /// The adversary.
    pub adversary: Adversary,
    /// α and β.
    pub point: (Rational, Rational),
    /// The largest odds ratio of the promise.
    pub odds: Rational,
    /// `λ = Θ/ln R` in the column's own unit, within 10^−30 of it and above.
    pub scale: Rational,
    /// The expected size of the noise over the answer, if the answer is not 0.
    pub error_ratio: Option<f64>,
    /// ε when one record is added or removed, rounded up.
    pub epsilon_add_remove: Rational,
    /// ε when one record is replaced, rounded up.
    pub epsilon_replace_one: Rational,
}

impl Line {
    /// One query at one point.
    ///
    /// # Errors
    /// When the promise is undefined there.
    pub fn of(
        evaluation: &Evaluation,
        query: Query,
        adversary: Adversary,
        point: &(Rational, Rational),
    ) -> Result<Self, EvaluateError> {
        let adult = &evaluation.adult;
        let odds = largest_odds(adversary, evaluation.worlds, &point.0, &point.1)?;
        let noise = Noise::hiding(&odds, &query.theta_units())?;
        let yardstick = Yardstick::of(query, adult);
        let theta = query.theta(adult);
        let worth = |adjacency| epsilon(&odds, &theta, &query.delta(adult, adjacency));
        Ok(Self {
            query,
            adversary,
            point: point.clone(),
            scale: scale(&odds, &theta).1,
            error_ratio: (yardstick.measure == Measure::Answer).then(|| yardstick.multiple(noise.mean_size())),
            epsilon_add_remove: worth(Adjacency::AddRemove),
            epsilon_replace_one: worth(Adjacency::ReplaceOne),
            odds,
        })
    }
}

/// The table of queries: one row for each query, adversary and point.
///
/// # Errors
/// When it cannot be serialised.
pub fn queries(evaluation: &Evaluation) -> Result<String, EvaluateError> {
    let failed = |error: &dyn std::fmt::Display| EvaluateError::Record(error.to_string());
    let mut table = csv::Writer::from_writer(Vec::new());
    let header = [
        "query",
        "low",
        "high",
        "value",
        "theta",
        "delta_add_remove",
        "delta_replace_one",
        "adversary",
        "alpha",
        "beta",
        "odds",
        "lambda",
        "error_ratio",
        "epsilon_add_remove",
        "epsilon_replace_one",
    ];
    table.write_record(header).map_err(|error| failed(&error))?;
    for query in Query::all() {
        for (adversary, point) in Adversary::ALL.into_iter().flat_map(|who| points().map(|point| (who, point))) {
            let line = Line::of(evaluation, query, adversary, &point)?;
            let (adult, (low, high)) = (&evaluation.adult, query.column.domain());
            let row = [
                query.name(),
                low.to_string(),
                high.to_string(),
                query.value(adult).to_string(),
                query.theta(adult).to_string(),
                query.delta(adult, Adjacency::AddRemove).to_string(),
                query.delta(adult, Adjacency::ReplaceOne).to_string(),
                adversary.name().to_owned(),
                point.0.to_string(),
                point.1.to_string(),
                line.odds.to_string(),
                decimal(&line.scale, 6, Rounding::Up),
                line.error_ratio.map_or_else(String::new, |ratio| short(ratio).to_string()),
                decimal(&line.epsilon_add_remove, 6, Rounding::Up),
                decimal(&line.epsilon_replace_one, 6, Rounding::Up),
            ];
            table.write_record(row).map_err(|error| failed(&error))?;
        }
    }
    let bytes = table.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

/// Everything, with one surface or composition on a line.
///
/// # Errors
/// When it cannot be serialised.
pub fn json(evaluation: &Evaluation) -> Result<String, EvaluateError> {
    let fractions = |values: &[Rational]| Value::from(values.iter().map(Rational::to_string).collect::<Vec<_>>());
    let settings = &evaluation.settings;
    let sections = [
        (
            "data",
            vec![json!({
                "rows": evaluation.adult.rows(),
                "worlds": evaluation.worlds,
                "columns": Column::ALL.map(Column::name),
            })],
        ),
        ("settings", vec![json!({ "repetitions": settings.repetitions, "seed": settings.seed })]),
        ("grid", vec![json!({ "alpha": fractions(&settings.grid.alphas), "beta": fractions(&settings.grid.betas) })]),
        ("queries", Query::all().into_iter().map(|query| of_query(evaluation, query)).collect()),
        ("surfaces", evaluation.surfaces.iter().map(of_surface).collect()),
        (
            "compositions",
            evaluation
                .compositions
                .iter()
                .flat_map(|(who, all)| all.iter().map(|composition| of_composition(evaluation, *who, composition)))
                .collect(),
        ),
        ("quoted", evaluation.compared.iter().map(of_compared).collect()),
    ];
    let mut text = String::from("{\n");
    for (at, (name, lines)) in sections.iter().enumerate() {
        let written: Vec<String> = lines.iter().map(Value::to_string).collect();
        let end = if at + 1 == sections.len() { "" } else { "," };
        text.push_str(&format!("\"{name}\": [\n{}\n]{end}\n", written.join(",\n")));
    }
    text.push_str("}\n");
    Ok(text)
}

fn of_query(evaluation: &Evaluation, query: Query) -> Value {
    let adult = &evaluation.adult;
    let (low, high) = query.column.domain();
    json!({
        "query": query.name(),
        "domain": [low, high],
        "value": query.value(adult).to_string(),
        "theta": query.theta(adult).to_string(),
        "delta_add_remove": query.delta(adult, Adjacency::AddRemove).to_string(),
        "delta_replace_one": query.delta(adult, Adjacency::ReplaceOne).to_string(),
    })
}

fn of_surface(surface: &Surface) -> Value {
    json!({
        "adversary": surface.adversary.name(),
        "query": surface.query.name(),
        "noise_over": match surface.measure { Measure::Answer => "answer", Measure::Width => "width of the domain" },
        "expected": numbers(&surface.expected),
        "measured": numbers(&surface.measured),
    })
}

/// `kept` and `claimed` are too long as fractions after 20 answers; the verdict at each point is exact nevertheless.
fn of_composition(evaluation: &Evaluation, adversary: Adversary, composition: &Composition) -> Value {
    let verdict = composition.verdict();
    let grid = &evaluation.settings.grid;
    let mark = |cell: &Option<ComposedEnds>| match cell {
        None => '-',
        Some(cell) if cell.is_unsafe() => 'x',
        Some(_) => '.',
    };
    let rows: Vec<String> = composition.cells.iter().map(|row| row.iter().map(mark).collect()).collect();
    json!({
        "adversary": adversary.name(),
        "answers": composition.answers,
        "points": verdict.points,
        "falls_below_theorem_1": verdict.falls_below,
        "rises_above_theorem_1": verdict.rises_above,
        "worst_kept_over_claimed": verdict.worst.as_ref().map(|(part, row, column)| json!({
            "at_most": decimal(part, 9, Rounding::Up),
            "alpha": grid.alphas[*row].to_string(),
            "beta": grid.betas[*column].to_string(),
        })),
        "unsafe": rows,
    })
}

fn of_compared(compared: &RatioComparison) -> Value {
    let quoted = &compared.quoted;
    let (low, middle, high) = &compared.theta;
    let thetas = [low, middle, high].map(|theta| decimal(theta, 3, Rounding::Nearest));
    json!({
        "query": quoted.query.name(),
        "adversary": quoted.adversary.name(),
        "alpha": quoted.alpha.to_string(),
        "beta": quoted.beta.to_string(),
        "quoted": quoted.ratio.to_string(),
        "odds": compared.odds.to_string(),
        "theta": quoted.query.theta_units().to_string(),
        "expected": short(compared.expected),
        "agrees": compared.agrees(),
        "theta_that_would_give_it": thetas,
        "chance_of_it_in_one_draw": short(compared.one_draw),
    })
}

fn numbers(cells: &Cells<f64>) -> Vec<Vec<Option<f64>>> {
    cells.iter().map(|row| row.iter().map(|cell| cell.map(short)).collect()).collect()
}

/// Five significant digits: the draws are not more precise.
fn short(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}
