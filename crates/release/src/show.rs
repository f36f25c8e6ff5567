//! From answers to what is published: values with their intervals, the noise of each measure, and warnings.
//!
//! Nothing here depends on the data but the released values, and whether they were small enough to be made consistent.
//! Everything else follows from the policy and is the same whatever the files hold.

use crate::forecast::short;
use crate::notes::{adding_up, is_left_out_of, left_out, not_usable, taken_from, warnings};
use crate::plan::{Plan, PlannedAsk};
use crate::release::Answered;
use deniable_core::exact::{Rational, Rounding, decimal, parse_rational, percent, power, whole};
use deniable_core::noise::margin;
use deniable_core::schema::Key;
use deniable_policy::{Display, Quality as Classes, Sampling};
use deniable_publication::statement::{Statement, odds_decimal};
use deniable_publication::{
    ALL, Answer, Cell, DataVersion, KeyValue, LabelledKey, Noise, NoiseKind, NumberCell, Publication, Quality, Scalar,
};
use deniable_sql::consistent::Consistency;
use deniable_sql::output::{Shown, Term};
use deniable_sql::plan::{Estimator, Measure, MeasureKind, Target, ValueKind};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

/// Decimals shown of numbers that are on no decimal grid and have no interval.
const PLACES: u32 = 4;
/// More are never shown.
const MOST_PLACES: u32 = 15;

/// Puts answers, in the plan's order, into the form that is published.
#[must_use]
pub fn published(plan: &Plan, answers: &[Answered]) -> Publication {
    let policy = plan.policy();
    let both = || plan.asks().iter().zip(answers);
    let mut asks: Vec<Answer> =
        both().map(|(ask, answered)| displayed(plan, ask, table(plan, ask, answered))).collect();
    // What is hidden in a table is said in no other answer's notes.
    let hides = |answer: &Answer| {
        answer.rows.iter().flatten().any(|cell| cell.number().is_some_and(|number| number.hidden.is_some()))
    };
    let shown: Vec<bool> = asks.iter().map(|answer| !hides(answer)).collect();
    for (ask, answer) in plan.asks().iter().zip(&mut asks) {
        let beside = both().zip(&shown).find(|((other, _), _)| is_left_out_of(other, ask));
        if let Some(((other, answered), true)) = beside {
            answer.warnings.extend(left_out(plan, other, answered));
        }
    }
    Publication {
        policy: policy.name().to_owned(),
        population: policy.population().to_owned(),
        data: DataVersion { table: policy.data().table.clone(), version: policy.data().version.clone() },
        confidence: confidence(plan),
        asks,
        guarantee: Statement::of(policy.guarantee()),
    }
}

/// The confidence of every interval, as it is shown.
pub fn confidence(plan: &Plan) -> String {
    percent(plan.policy().confidence(), 4, Rounding::Down)
}

/// An answer as the policy's rules of display leave it. They act on what was released (C-3), so that nothing else has to be hidden
/// for their sake: no total tells more of a hidden number than the number itself would have.
#[must_use]
pub fn displayed(plan: &Plan, ask: &PlannedAsk, mut answer: Answer) -> Answer {
    let rules = ask.ask().display.as_ref().unwrap_or_else(|| plan.policy().display());
    let counts: Vec<bool> = ask.query().output().columns.iter().map(|term| is_count(term, ask)).collect();
    for row in &mut answer.rows {
        for (cell, is_count) in row.iter_mut().zip(&counts) {
            if let Cell::Number(number) = cell {
                display(number, rules, *is_count);
            }
        }
    }
    answer
}

fn display(number: &mut NumberCell, rules: &Display, is_count: bool) {
    let exact = |scalar: &Option<Scalar>| match scalar {
        Some(Scalar::Number(number)) => parse_rational(&number.to_string()).ok(),
        Some(Scalar::Time(_)) | None => None,
    };
    let small = rules
        .hide_below
        .as_ref()
        .filter(|_| is_count)
        .zip(exact(&number.value))
        .is_some_and(|(least, value)| value < *least);
    if small || (rules.hide_unusable && number.quality == Some(Quality::Unusable)) {
        *number = NumberCell { quality: number.quality, hidden: Some(rules.label.clone()), ..NumberCell::default() };
        return;
    }
    let Some(step) = rules.round_to.as_ref().filter(|_| is_count) else { return };
    let to = |scalar: &Option<Scalar>, rounded: fn(&Rational) -> Rational| {
        let value = rounded(&(exact(scalar)? / step)) * step;
        decimal(&value, decimals(step), Rounding::Nearest).parse().ok().map(Scalar::Number)
    };
    number.value = to(&number.value, Rational::round);
    number.low = to(&number.low, Rational::floor);
    number.high = to(&number.high, Rational::ceil);
}

/// Whether a column is a count of rows or people, also where CASE leaves some of it out.
fn is_count(term: &Term, ask: &PlannedAsk) -> bool {
    match term {
        Term::Answer(position) => matches!(ask.query().answers(0)[*position], Estimator::Count { .. }),
        Term::Case(branches, otherwise) => {
            branches.iter().any(|(_, value)| is_count(value, ask)) || is_count(otherwise, ask)
        }
        _ => false,
    }
}

/// How good a released value is.
fn quality(value: &Rational, deviation: &Rational, classes: &Classes) -> Quality {
    let within = |most: &Rational| *deviation <= most * value.abs();
    match () {
        () if within(&classes.a) => Quality::A,
        () if within(&classes.b) => Quality::B,
        () if within(&classes.c) => Quality::C,
        () => Quality::Unusable,
    }
}

/// One ask's answer, in the form that is published.
pub fn table(plan: &Plan, ask: &PlannedAsk, answered: &Answered) -> Answer {
    let places: Vec<Decimals> = ask.query().output().columns.iter().map(|term| decimals_of(term, ask)).collect();
    let confidence = plan.policy().confidence();
    let rows = match ask.ask().sampling {
        Some(Sampling::Simple) => ask.query().show_with_population(&answered.noisy, confidence),
        None => ask.query().show(&answered.noisy, confidence),
    };
    let terms = &ask.query().output().columns;
    let rows = rows.iter().map(|row| {
        let cells = row.0.iter().zip(terms).zip(&places);
        cells
            .map(|((shown, term), places)| labelled(shown, term, ask, cell(shown, *places, plan.policy().quality())))
            .collect()
    });
    let odds = match ask.cost().exact_odds() {
        Some(odds) => odds.to_string(),
        None => format!("{} (at most {})", ask.cost(), odds_decimal(&ask.cost().odds_at_most())),
    };
    let rows: Vec<Vec<Cell>> = rows.collect();
    let unusable = not_usable(&rows, plan.policy().quality());
    Answer {
        name: ask.ask().name.clone(),
        sql: ask.sql(),
        share: ask.ask().share.to_string(),
        odds,
        columns: ask.query().output().names.clone(),
        rows,
        noise: noises(plan, ask),
        consistent: (ask.query().consistency() != Consistency::NothingToAddUp)
            .then_some(answered.noisy.consistent.is_some()),
        taken_from: ask.within().map(|within| within.name().to_owned()),
        warnings: warnings(plan, ask)
            .into_iter()
            .chain(unusable)
            .chain(adding_up(plan, ask, answered))
            .chain(taken_from(ask))
            .collect(),
    }
}

/// The cell with the label of its key, where it is one that has a label.
fn labelled(shown: &Shown, term: &Term, ask: &PlannedAsk, cell: Cell) -> Cell {
    let (Shown::Key(key), Term::Key(group)) = (shown, term) else { return cell };
    let Some(label) = ask.query().groups()[*group].label(key) else { return cell };
    let (label, other) = (label.to_owned(), *key == Key::Other);
    let key = cell.key().filter(|_| !other).cloned();
    Cell::Key(Some(KeyValue::Labelled(Box::new(LabelledKey { key, label, other }))))
}

fn cell(shown: &Shown, places: Decimals, classes: &Classes) -> Cell {
    let text = |text: &str| Cell::Key(Some(KeyValue::Text(text.to_owned())));
    match shown {
        Shown::Key(Key::Null) => Cell::Key(None),
        Shown::Key(Key::Text(key)) => text(key),
        Shown::Key(Key::Integer(value)) => Cell::Key(Some(KeyValue::Integer(*value))),
        Shown::Key(Key::Boolean(truth)) => Cell::Key(Some(KeyValue::Boolean(*truth))),
        Shown::Key(key @ Key::Decimal(_)) => match key.to_string().parse() {
            Ok(number) => Cell::Key(Some(KeyValue::Decimal(number))),
            Err(_) => text(&key.to_string()),
        },
        Shown::Key(key @ (Key::Date(_) | Key::Timestamp(_) | Key::Other)) => text(&key.to_string()),
        Shown::All => text(ALL),
        Shown::Text(own) => text(own),
        Shown::Number { estimate, low, high, population, rows, deviation, value: kind } => {
            let places = places.count(deviation.as_deref(), low, high);
            let end = |end: &Rational, rounding| scalar(end, *kind, places, rounding);
            let population =
                population.as_deref().and_then(|(low, high)| end(low, Rounding::Down).zip(end(high, Rounding::Up)));
            let scalar = |value: &Option<Rational>, rounding| end(value.as_ref()?, rounding);
            Cell::Number(NumberCell {
                value: scalar(estimate, Rounding::Nearest),
                low: scalar(low, Rounding::Down),
                high: scalar(high, Rounding::Up),
                population: population.map(Box::new),
                rows: whole_number(rows),
                standard_error: deviation.as_ref().and_then(|deviation| short(deviation).parse().ok()),
                quality: estimate.as_ref().zip(deviation.as_ref()).map(|(value, error)| quality(value, error, classes)),
                hidden: None,
            })
        }
    }
}

/// How many decimals of a number are worth showing.
#[derive(Debug, Clone, Copy)]
enum Decimals {
    /// All of its grid: it adds up with others, or was chosen.
    All(u32),
    /// Those of its grid that the noise leaves.
    UpTo(u32),
    /// As many as the noise leaves.
    Free,
}

impl Decimals {
    /// Two digits of the standard error, or of a fourth of the interval where there is none, can be seen; no digits before the point are
    /// ever rounded.
    fn count(self, deviation: Option<&Rational>, low: &Option<Rational>, high: &Option<Rational>) -> u32 {
        let width = || low.as_ref().zip(high.as_ref()).map(|(low, high)| (high - low) / whole(4));
        let noise = deviation.cloned().or_else(width).filter(Signed::is_positive);
        let seen = |noise: &Rational| {
            let enough = |places: &u32| noise * whole(power(&whole(10), *places).to_integer()) >= whole(10);
            (0..MOST_PLACES).find(enough).unwrap_or(MOST_PLACES)
        };
        match (self, noise) {
            (Self::All(grid), _) | (Self::UpTo(grid), None) => grid,
            (Self::UpTo(grid), Some(noise)) => grid.min(seen(&noise)),
            (Self::Free, Some(noise)) => seen(&noise),
            (Self::Free, None) => PLACES,
        }
    }
}

fn whole_number(rows: &Option<BigInt>) -> Option<serde_json::Number> {
    rows.as_ref().and_then(|rows| rows.to_string().parse().ok())
}

/// The decimals of a column: counts, sums and quantiles are on the grid of their unit.
fn decimals_of(term: &Term, ask: &PlannedAsk) -> Decimals {
    let Term::Answer(position) = term else { return Decimals::Free };
    let of = |measure: &usize| decimals(&ask.query().measures()[*measure].unit);
    match &ask.query().answers(0)[*position] {
        Estimator::Count { measure } | Estimator::Sum { measure } => match ask.query().consistency() {
            Consistency::Applies => Decimals::All(of(measure)),
            _ => Decimals::UpTo(of(measure)),
        },
        // A value that was chosen is shown as it is.
        Estimator::Quantile { measure, .. } => Decimals::All(of(measure)),
        Estimator::Average(_) | Estimator::Weighted(_) | Estimator::Variance { .. } | Estimator::Regression(_) => {
            Decimals::Free
        }
    }
}

/// How many decimals write multiples of this unit exactly, up to fifteen; otherwise a few.
fn decimals(unit: &Rational) -> u32 {
    (0..=15).find(|places| (unit * whole(power(&whole(10), *places).to_integer())).is_integer()).unwrap_or(PLACES)
}

/// The noise of every measure; what is the same at several levels is said once.
fn noises(plan: &Plan, ask: &PlannedAsk) -> Vec<Noise> {
    let mut all: Vec<(Noise, Vec<usize>)> = Vec::new();
    for (at, measure) in ask.query().measures().iter().enumerate() {
        let new = noise(plan, ask, at, measure);
        match all.iter_mut().find(|(known, levels)| *known == new && !levels.contains(&measure.level)) {
            Some((_, levels)) => levels.push(measure.level),
            None => all.push((new, vec![measure.level])),
        }
    }
    let named = |(noise, mut levels): (Noise, Vec<usize>)| {
        levels.sort_unstable();
        let levels = ask.query().levels_in_words(&levels);
        Noise { measure: format!("{}{levels}", noise.measure), ..noise }
    };
    all.into_iter().map(named).collect()
}

/// The noise of a measure, named without its level.
fn noise(plan: &Plan, ask: &PlannedAsk, at: usize, measure: &Measure) -> Noise {
    let (planned, confidence) = (&ask.measures()[at], plan.policy().confidence());
    let (decay, sensitivity) = (&planned.decay(), whole(planned.sensitivity().clone()));
    let text = |value: Rational| decimal(&value, 3, Rounding::Up);
    let (kind, sensitivity, scale, margin) = match &measure.kind {
        MeasureKind::Ranked { target, .. } => {
            // Distances count in parts of a row, and the planned sensitivity is twice their change.
            let parts = match target {
                Target::Share(share) => whole(share.whole),
                Target::Lowest | Target::Highest => whole(1),
            };
            let rows = ask.query().rank_margin(at, 0, decay, confidence).unwrap_or_default();
            (NoiseKind::PermuteAndFlip, sensitivity / (parts * whole(2)), None, whole(rows))
        }
        MeasureKind::Tree { shares, .. } => {
            let rows =
                (0..shares.len()).filter_map(|share| ask.query().rank_margin(at, share, decay, confidence)).max();
            (NoiseKind::Tree, sensitivity, Some(decay.scale_bound()), whole(rows.unwrap_or_default()))
        }
        MeasureKind::Rows
        | MeasureKind::NotNull { .. }
        | MeasureKind::Entities { .. }
        | MeasureKind::Sum { .. }
        | MeasureKind::Product { .. } => {
            let unit = &measure.unit;
            let reach = whole(margin(decay, confidence)) * unit;
            (NoiseKind::Geometric, sensitivity * unit, Some(decay.scale_bound() * unit), reach)
        }
    };
    Noise {
        measure: ask.query().measure_alone(at),
        kind,
        sensitivity: text(sensitivity),
        scale: scale.map(text),
        margin: text(margin),
        decay: decay.ratio().to_string(),
    }
}

/// A value as it is written: a number with so many places, or a day or time.
pub(crate) fn scalar(value: &Rational, kind: ValueKind, places: u32, rounding: Rounding) -> Option<Scalar> {
    let units = || value.to_integer().to_i64();
    match kind {
        // The decimal text is kept digit by digit, not turned into a float.
        ValueKind::Number => decimal(value, places, rounding).parse().ok().map(Scalar::Number),
        ValueKind::Date => {
            units().and_then(|days| i32::try_from(days).ok()).map(|days| Scalar::Time(Key::Date(days).to_string()))
        }
        ValueKind::Timestamp => units().map(|time| Scalar::Time(Key::Timestamp(time).to_string())),
    }
}

/// What the values of a measure's argument are.
pub(crate) fn value_kind(ask: &PlannedAsk, measure: usize) -> ValueKind {
    let level = ask.query().measures()[measure].level;
    let kind = ask.query().answers(level).iter().find_map(|answer| match answer {
        Estimator::Quantile { measure: of, value, .. } if *of == measure => Some(*value),
        _ => None,
    });
    kind.unwrap_or(ValueKind::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn units_are_written_out() {
        assert_eq!(decimals(&whole(1)), 0);
        assert_eq!(decimals(&ratio(1, 20)), 2);
        assert_eq!(decimals(&whole(10)), 0);
        assert_eq!(decimals(&ratio(1, 3)), PLACES);
    }
}
