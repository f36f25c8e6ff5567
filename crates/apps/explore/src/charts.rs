//! The charts of errors: one for each query and unit, over the values of the control.

use crate::dial;
use crate::view::{Choice, Explorer, exact, planned, value};
use deniable_chart::errors::{Errors, errors};
use deniable_core::exact::Rational;
use deniable_release::{AnswerForecast, ErrorBound, Plan, expected};
use num_traits::ToPrimitive;

/// The fewest points of a line, if the control has as many values.
const POINTS: usize = 10;
/// Lines of one chart: the errors of further answers are in words only.
const LINES: usize = 4;

impl Explorer {
    /// The charts of each query.
    ///
    /// # Errors
    /// In words for the page, when the control does not exist.
    pub fn charts(&self, choice: &Choice) -> Result<Vec<Vec<String>>, String> {
        let (own, current) = (self.plan(), value(&choice.value)?);
        let dials = self.dials(choice.low, choice.high)?;
        let dial = dials.iter().find(|dial| dial.key == choice.key).ok_or("no such promise")?;
        let step = (dial.values.len() / POINTS).max(1);
        let mut values: Vec<Rational> = dial.values.iter().step_by(step).chain([&current]).cloned().collect();
        values.sort();
        values.dedup();
        let plans: Vec<Option<Plan>> =
            values.iter().map(|value| planned(&own, &Choice { value: exact(value), ..choice.clone() }).ok()).collect();
        let (label, factor) = dial::axis(dial.key);
        let number = |value: &Rational| value.to_f64().unwrap_or(0.0) * factor;
        let x: Vec<f64> = values.iter().map(number).collect();
        let charts = |query: usize| {
            let forecasts = |plan: &Option<Plan>| {
                plan.as_ref().map_or_else(Vec::new, |plan| expected(&plan.queries()[query], plan.policy()))
            };
            let all: Vec<Vec<AnswerForecast>> = plans.iter().map(forecasts).collect();
            let chart = |(unit, lines)| {
                let (x_label, current) = (label.to_owned(), Some(number(&current)));
                errors(&Errors { x_label, unit, x: x.clone(), lines, current })
            };
            by_unit(&all).into_iter().map(chart).collect()
        };
        Ok((0..own.queries().len()).map(charts).collect())
    }
}

/// The name of an answer, and its error under each promise.
type Line = (String, Vec<Option<f64>>);

/// The errors of a query's answers by unit, in the order of the answers; `all` has the answers under each promise.
fn by_unit(all: &[Vec<AnswerForecast>]) -> Vec<(String, Vec<Line>)> {
    let mut units: Vec<(String, Vec<Line>)> = Vec::new();
    // The answers are the same under every promise that can be kept.
    let answers = all.iter().find(|answers| !answers.is_empty()).into_iter().flatten().enumerate();
    for (at, answer) in answers {
        let error = |answers: &Vec<AnswerForecast>| answers.get(at)?.error.number()?.to_f64();
        let values: Vec<Option<f64>> = all.iter().map(error).collect();
        let unit = match (&answer.unit, &answer.error) {
            (None, _) => continue,
            (Some(_), ErrorBound::Rows(_)) => "rows by rank",
            (Some(unit), _) => unit,
        };
        if values.iter().all(Option::is_none) {
            continue;
        }
        let line = (answer.name.clone(), values);
        match units.iter_mut().find(|(known, _)| known == unit) {
            Some((_, lines)) if lines.len() < LINES => lines.push(line),
            Some(_) => {}
            None => units.push((unit.to_owned(), vec![line])),
        }
    }
    units
}
