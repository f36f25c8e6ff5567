//! Errors under several promises: a table with a small chart in each row, and JSON.

use super::table::{grid, wrapped};
use comfy_table::{Cell, CellAlignment};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal, whole};
use deniable_release::forecast::{ErrorBound, short};
use deniable_release::guarantee::odds_decimal;
use num_traits::{ToPrimitive, Zero};
use serde::Serialize;

/// A sweep, in a form that can be written as JSON.
#[derive(Serialize)]
pub struct Shown {
    /// The promise that is swept.
    pub key: String,
    /// From the first value to the last.
    pub points: Vec<Point>,
}

/// What one promise comes to.
#[derive(Serialize)]
pub struct Point {
    /// The promise's number, exact.
    value: String,
    /// The odds ratio that it allows.
    odds: String,
    answers: Vec<At>,
    /// Why there are no answers.
    refused: Option<String>,
    #[serde(skip)]
    shown: String,
}

#[derive(Serialize)]
struct At {
    ask: String,
    answer: String,
    /// At the confidence; absent where it depends on an unstated number of rows.
    error: Option<String>,
    #[serde(skip)]
    bound: ErrorBound,
}

impl Point {
    /// A promise with the errors of the asks' answers, or why there are none.
    pub fn new(value: &Rational, odds: &Spend, answers: Result<Vec<(String, String, ErrorBound)>, String>) -> Self {
        let (answers, refused) = match answers {
            Ok(answers) => (answers, None),
            Err(reason) => (Vec::new(), Some(reason)),
        };
        let at = |(ask, answer, bound): (String, String, ErrorBound)| At {
            ask,
            answer,
            error: bound.number().map(short),
            bound,
        };
        Self {
            value: value.to_string(),
            odds: odds_decimal(&odds.odds_at_most()),
            answers: answers.into_iter().map(at).collect(),
            refused,
            shown: decimal(value, 3, Rounding::Nearest),
        }
    }
}

/// The sweep for reading.
pub fn table(shown: &Shown) -> String {
    let mut grid = grid();
    let mut header = vec!["ask".to_owned(), "answer".to_owned()];
    header.extend(shown.points.iter().map(|point| point.shown.clone()));
    header.push("chart".to_owned());
    grid.set_header(header);
    let right = |text: &str| Cell::new(text).set_alignment(CellAlignment::Right);
    let mut odds = vec![Cell::new(""), Cell::new("largest odds ratio")];
    odds.extend(shown.points.iter().map(|point| right(&point.odds)));
    grid.add_row(odds);
    // Every point that has answers has the same ones, in the same order.
    let some = shown.points.iter().find(|point| !point.answers.is_empty());
    for (row, first) in some.iter().flat_map(|point| point.answers.iter().enumerate()) {
        let errors: Vec<Option<&Rational>> =
            shown.points.iter().map(|point| point.answers.get(row).and_then(|at| at.bound.number())).collect();
        let ranks = matches!(first.bound, ErrorBound::Rows(_));
        let name = if ranks { format!("{} (rows by rank)", first.answer) } else { first.answer.clone() };
        let mut cells = vec![Cell::new(&first.ask), Cell::new(name)];
        cells.extend(errors.iter().map(|error| right(&error.map_or_else(|| "-".to_owned(), short))));
        cells.push(Cell::new(chart(&errors)));
        grid.add_row(cells);
    }
    let mut text = format!("errors by `{}`, which stands alone in place of the policy's promises\n{grid}\n", shown.key);
    for point in &shown.points {
        if let Some(reason) = &point.refused {
            wrapped(&mut text, "  ", &format!("at {} = {}: {reason}", shown.key, point.shown));
        }
    }
    if some.is_some_and(|point| point.answers.iter().any(|at| at.bound == ErrorBound::NeedsTypicalRows)) {
        text.push_str("  errors of averages and spreads need typical_rows in [data]\n");
    }
    text
}

/// A bar for each error, against the largest of them.
fn chart(errors: &[Option<&Rational>]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = errors.iter().flatten().max().filter(|most| !most.is_zero());
    let bar = |error: &Option<&Rational>| match (error, most) {
        (Some(error), Some(most)) => {
            let eighths = (*error / *most * whole(8)).ceil().to_integer().to_usize().unwrap_or(8);
            BARS[eighths.clamp(1, 8) - 1]
        }
        (Some(_), None) => BARS[0],
        (None, _) => ' ',
    };
    errors.iter().map(bar).collect()
}
