//! Errors under several promises or caps: a table with a small chart in each row, and JSON.

use super::CAPS;
use deniable_core::exact::{Rational, Rounding, decimal};
use deniable_core::guarantee::Guarantee;
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use deniable_publication::statement::odds_decimal;
use deniable_release::forecast::{ErrorBound, short};
use num_traits::{ToPrimitive, Zero};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// The errors of answers at each value of a swept promise or cap. It depends on the policy alone, and may be published.
///
/// `Display` prints a table with a chart in each row, `Serialize` the object of `deniable plan --sweep --format json`.
#[derive(Debug, Serialize)]
pub struct SweepReport {
    /// The swept promise or cap.
    pub(super) key: &'static str,
    /// The points in ascending order of the swept value.
    pub(super) points: Vec<Point>,
}

/// Errors under one promise or cap.
#[derive(Debug, Serialize)]
pub(super) struct Point {
    /// The swept value, exact.
    value: String,
    /// The odds ratio that it allows.
    odds: String,
    /// The odds ratio of the promise but for a chance; absent if there is none, or the promise at this point implies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    odds_but_for_a_chance: Option<String>,
    answers: Vec<At>,
    /// The reason that there are no answers.
    refused: Option<String>,
    #[serde(skip)]
    shown: String,
}

#[derive(Debug, Serialize)]
struct At {
    query: String,
    answer: String,
    /// At the confidence; absent where it depends on an unstated number of rows.
    error: Option<String>,
    #[serde(skip)]
    bound: ErrorBound,
}

impl Point {
    /// A point with the errors of the queries' answers, or the reason why there are none.
    pub(super) fn new(
        value: &Rational,
        guarantee: &Guarantee,
        answers: Result<Vec<(String, String, ErrorBound)>, String>,
    ) -> Self {
        let (answers, refused) = match answers {
            Ok(answers) => (answers, None),
            Err(reason) => (Vec::new(), Some(reason)),
        };
        let at = |(query, answer, bound): (String, String, ErrorBound)| At {
            query,
            answer,
            error: bound.number().map(short),
            bound,
        };
        let but_for = guarantee.but_for_a_chance();
        Self {
            value: value.to_string(),
            odds: odds_decimal(&guarantee.limit().odds_at_most()),
            odds_but_for_a_chance: but_for.map(|but_for| odds_decimal(&but_for.limit().odds_at_most())),
            answers: answers.into_iter().map(at).collect(),
            refused,
            shown: decimal(value, 3, Rounding::Nearest),
        }
    }
}

impl Display for SweepReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.table())
    }
}

impl SweepReport {
    fn table(&self) -> String {
        let mut header = vec!["query".to_owned(), "answer".to_owned()];
        header.extend(self.points.iter().map(|point| point.shown.clone()));
        header.push("chart".to_owned());
        let mut grid = Grid::new(header);
        let mut odds = vec![cell(""), cell("largest odds ratio")];
        odds.extend(self.points.iter().map(|point| right(&point.odds)));
        grid.add_row(odds);
        if self.points.iter().any(|point| point.odds_but_for_a_chance.is_some()) {
            let mut odds = vec![cell(""), cell("but for the chance")];
            let shown = |point: &Point| right(point.odds_but_for_a_chance.as_deref().unwrap_or(&point.odds));
            odds.extend(self.points.iter().map(shown));
            grid.add_row(odds);
        }
        // Every point that has answers has the same ones, in the same order.
        let some = self.points.iter().find(|point| !point.answers.is_empty());
        let all: Vec<&At> = some.iter().flat_map(|point| &point.answers).collect();
        let at =
            |row: usize| self.points.iter().map(move |point| point.answers.get(row).and_then(|at| at.bound.number()));
        let rows: Vec<Vec<Option<&Rational>>> = (0..all.len()).map(|row| at(row).collect()).collect();
        let factor = factor(&rows);
        for (first, errors) in all.iter().zip(&rows) {
            let ranks = matches!(first.bound, ErrorBound::Rows(_));
            let name = if ranks { format!("{} (rows by rank)", first.answer) } else { first.answer.clone() };
            let mut cells = vec![cell(&first.query), cell(name)];
            cells.extend(errors.iter().map(|error| right(error.map_or_else(|| "-".to_owned(), short))));
            cells.push(cell(chart(errors, factor)));
            grid.add_row(cells);
        }
        let how = if CAPS.contains(&self.key) {
            "which holds for all queries; the errors do not include what the cap leaves out"
        } else {
            "which replaces the policy's promises"
        };
        let mut text = format!("errors by `{}`, {how}\n{grid}\n", self.key);
        if !rows.is_empty() {
            let words = format!(
                "chart: the largest error of a row is a full bar; each step down is an error smaller by a factor of \
                {factor}"
            );
            push_paragraph(&mut text, "  ", &words);
        }
        for point in &self.points {
            if let Some(reason) = &point.refused {
                push_paragraph(&mut text, "  ", &format!("at {} = {}: {reason}", self.key, point.shown));
            }
        }
        let any = |wanted: ErrorBound| some.is_some_and(|point| point.answers.iter().any(|at| at.bound == wanted));
        if any(ErrorBound::NeedsTypicalRows) {
            text.push_str("  errors of averages and spreads need typical_rows in [data]\n");
        }
        if any(ErrorBound::NeedsTypical) {
            text.push_str("  errors of arithmetic need typical values: `deniable plan` without --sweep lists them\n");
        }
        text
    }
}

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Possible factors of one step of a bar.
const FACTORS: [f64; 12] = [1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0];

/// The factor of one step of a bar: the smallest at which the row that varies most fits the chart.
fn factor(rows: &[Vec<Option<&Rational>>]) -> f64 {
    let steps = (BARS.len() - 1) as f64;
    // The logarithm of a row's largest error over its smallest; errors of zero are below every scale.
    let spread = |row: &Vec<Option<&Rational>>| {
        let errors = || row.iter().flatten().filter(|error| !error.is_zero());
        Some(log(errors().max()?, errors().min()?))
    };
    let widest = rows.iter().filter_map(spread).fold(0.0, f64::max);
    // Half a step of tolerance, so that rounding of logarithms does not lead to the next factor.
    let fits = |factor: &f64| factor.ln() * (steps + 0.5) > widest;
    FACTORS.into_iter().find(fits).unwrap_or_else(|| (widest / steps).exp().ceil())
}

fn log(a: &Rational, b: &Rational) -> f64 {
    (a / b).to_f64().map_or(0.0, f64::ln)
}

/// A bar for each error: the largest is a full bar, and each step below it is one factor smaller.
fn chart(errors: &[Option<&Rational>], factor: f64) -> String {
    let most = errors.iter().flatten().max().filter(|most| !most.is_zero());
    let bar = |error: &Option<&Rational>| match (error, most) {
        (Some(error), Some(most)) if !error.is_zero() => {
            let below = (log(most, error) / factor.ln()).round() as usize;
            BARS[(BARS.len() - 1).saturating_sub(below)]
        }
        (Some(_), _) => BARS[0],
        (None, _) => ' ',
    };
    errors.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::whole;

    fn drawn(rows: &[&[i64]]) -> (f64, Vec<String>) {
        let rows: Vec<Vec<Rational>> = rows.iter().map(|row| row.iter().map(|error| whole(*error)).collect()).collect();
        let rows: Vec<Vec<Option<&Rational>>> = rows.iter().map(|row| row.iter().map(Some).collect()).collect();
        let factor = factor(&rows);
        (factor, rows.iter().map(|row| chart(row, factor)).collect())
    }

    /// Orders of magnitude have distinct bars, and a row that hardly varies has equal bars.
    #[test]
    fn steps_are_factors() {
        assert_eq!(drawn(&[&[10_000_000, 1_000_000, 1000, 10, 1]]), (10.0, vec!["█▇▄▂▁".to_owned()]));
        assert_eq!(drawn(&[&[128, 64, 2, 1], &[100, 99, 98, 97]]).1, ["█▇▂▁", "████"]);
        assert_eq!(drawn(&[&[7, 7]]), (1.1, vec!["██".to_owned()]));
        assert_eq!(drawn(&[&[5, 0], &[0, 0]]).1, ["█▁", "▁▁"]);
        assert_eq!(drawn(&[]).1.len(), 0);
        let (factor, bars) = drawn(&[&[i64::MAX, 1]]);
        assert!(factor > 100.0 && bars[0].starts_with('█') && !bars[0].ends_with('█'), "{factor} {bars:?}");
        // Points without an answer are blank.
        assert_eq!(chart(&[None, Some(&whole(3))], 2.0), " █");
    }
}
