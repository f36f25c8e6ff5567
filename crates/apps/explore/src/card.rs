//! A query on the page: the errors of its answers in words, and how many of its numbers will be usable.

use crate::light::Light;
use crate::made_up::{MOST_CELLS, MadeUpAnswer};
use deniable_chart::grouped;
use deniable_core::exact::{Rational, Rounding, percent};
use deniable_release::forecast::{about, short};
use deniable_release::typical::unknown_sizes;
use deniable_release::{AnswerForecast, ErrorBound, Plan, QueryPlan, expected};
use deniable_report::answers::pictures;
use serde::Serialize;

/// Most draws of the noise from which a light is computed, and the number of cells in all of them together.
pub const DRAWS: (usize, usize) = (10, 1_000);
/// Answers with more cells than this have no pictures.
const MOST_DRAWN: usize = 400;

/// A query under a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Card {
    /// The policy's title of the query, or its name.
    pub title: String,
    /// The expected errors of its answers.
    pub errors: Vec<ErrorWords>,
    /// The count of its usable numbers.
    pub light: Light,
    /// Answers on made-up rows.
    pub pictures: Vec<String>,
}

/// The expected error of one answer in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorWords {
    /// The answer.
    pub name: String,
    /// The largest error, at the policy's confidence.
    pub error: String,
    /// The error of a typical answer relative to it; for a rank, relative to the rows. Empty if unknown.
    pub relative: String,
}

impl ErrorWords {
    fn new(answer: &AnswerForecast) -> Self {
        // A name is not repeated as the unit of its numbers; a grouping may follow it.
        let is_name = |unit: &&String| {
            answer.name.strip_prefix(unit.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with([',', ' ']))
        };
        let unit = answer.unit.as_ref().filter(|unit| !is_name(unit));
        let unit = unit.map_or_else(String::new, |unit| format!(" {unit}"));
        let error = match &answer.error {
            ErrorBound::Value(error) => format!("± {}{unit}", grouped(&short(error))),
            ErrorBound::Typical(error) => format!("about ± {}{unit}", grouped(&short(error))),
            ErrorBound::Rows(rows) => format!("± {} rows by rank", grouped(&short(rows))),
            other => other.to_string(),
        };
        let typical = answer.typical.as_ref().ok().and_then(|planned| planned.answer.as_ref());
        let typical = typical.map(|answer| grouped(&about(answer)));
        let of = match (&answer.error, typical, answer.cells) {
            (ErrorBound::Rows(_), _, 1) | (_, None, 1) => "the rows".to_owned(),
            (ErrorBound::Rows(_), ..) | (_, None, _) => "the rows of a typical cell".to_owned(),
            (_, Some(typical), 1) => format!("a typical {typical}{unit}"),
            (_, Some(typical), _) => format!("a typical cell ({typical}{unit})"),
        };
        let relative = answer.relative.as_ref().map(|relative| format!("{} of {of}", share(relative)));
        Self { name: answer.name.clone(), error, relative: relative.unwrap_or_default() }
    }
}

fn share(share: &Rational) -> String {
    percent(share, 1, Rounding::Up)
}

impl Card {
    /// The query under the promise of a plan, with the noise draws from this number on.
    pub fn new(plan: &Plan, planned: &QueryPlan, made_up: Option<&MadeUpAnswer>, draw: u64) -> Self {
        let policy = plan.policy();
        let all = expected(planned, policy);
        let unknown = unknown_sizes(planned, &all, policy);
        // The number of usable ones among many numbers varies little between draws.
        let cells = made_up.map_or(1, |made_up| made_up.truth.rows.len().max(1));
        let draws = if unknown.is_empty() { (DRAWS.1 / cells).clamp(2, DRAWS.0) } else { 1 };
        let draw_of = |at: usize| made_up.map(|made_up| made_up.draw(plan, planned, draw + at as u64));
        let answers: Vec<_> = (0..draws).filter_map(draw_of).collect();
        let light = match (made_up, unknown.as_slice()) {
            (None, []) => Light::unknown(&[format!("answers with more than {MOST_CELLS} cells are not simulated")]),
            (Some(_), []) => Light::of_draws(&answers),
            (_, unknown) => Light::unknown(unknown),
        };
        let is_drawn = |made_up: &&MadeUpAnswer| made_up.truth.rows.len() <= MOST_DRAWN;
        let shown = made_up.filter(is_drawn).zip(answers.first());
        let pictures = shown.map_or_else(Vec::new, |(made_up, answer)| pictures(answer, Some(&made_up.truth)));
        let declared = planned.declared();
        Self {
            title: declared.title.clone().unwrap_or_else(|| declared.name.clone()),
            errors: all.iter().filter(|answer| answer.unit.is_some()).map(ErrorWords::new).collect(),
            light,
            pictures: pictures.into_iter().map(|(svg, _)| svg).collect(),
        }
    }
}
