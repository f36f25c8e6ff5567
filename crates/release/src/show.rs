//! From answers to what is published: values with their intervals, the noise of each measure, and warnings.
//!
//! Nothing here depends on the data but the released values, and whether they were small enough to be made consistent.
//! Everything else follows from the policy and is the same whatever the files hold.

use crate::forecast::short;
use crate::plan::{Plan, PlannedAsk};
use crate::release::Answered;
use deniable_core::exact::{Rational, Rounding, decimal, parse_rational, percent, power, whole};
use deniable_core::noise::margin;
use deniable_core::schema::Key;
use deniable_core::sensitivity::Caps;
use deniable_policy::{About, Display, Quality as Classes};
use deniable_publication::statement::{Statement, odds_decimal};
use deniable_publication::{
    ALL, Answer, Cell, DataVersion, KeyValue, Noise, NoiseKind, NumberCell, Publication, Quality, Scalar,
};
use deniable_sql::consistent::Consistency;
use deniable_sql::output::{Shown, Step, Term};
use deniable_sql::plan::{Estimator, Measure, MeasureKind, Moments, Target, ValueKind};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// Decimals shown of numbers that are on no decimal grid and have no interval.
const PLACES: u32 = 4;
/// More are never shown.
const MOST_PLACES: u32 = 15;

/// Puts answers, in the plan's order, into the form that is published.
#[must_use]
pub fn published(plan: &Plan, answers: &[Answered]) -> Publication {
    let policy = plan.policy();
    let asks = plan.asks().iter().zip(answers).map(|(ask, answered)| {
        let mut answer = displayed(plan, ask, table(plan, ask, answered));
        answer.warnings.extend(left_out(plan, ask, answers));
        answer
    });
    Publication {
        policy: policy.name().to_owned(),
        population: policy.population().to_owned(),
        data: DataVersion { table: policy.data().table.clone(), version: policy.data().version.clone() },
        confidence: confidence(plan),
        asks: asks.collect(),
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

/// Whether a column is a count of rows or people.
fn is_count(term: &Term, ask: &PlannedAsk) -> bool {
    matches!(term, Term::Answer(position) if matches!(ask.query().answers(0)[*position], Estimator::Count { .. }))
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
    let rows = ask.query().show(&answered.noisy, plan.policy().confidence());
    let rows = rows.iter().map(|row| {
        row.0.iter().zip(&places).map(|(shown, places)| cell(shown, *places, plan.policy().quality())).collect()
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
        warnings: warnings(plan, ask).into_iter().chain(unusable).chain(adding_up(plan, ask, answered)).collect(),
    }
}

/// How many numbers are not usable, and the ways out.
fn not_usable(rows: &[Vec<Cell>], classes: &Classes) -> Option<String> {
    let all: Vec<Quality> = rows.iter().flatten().filter_map(|cell| cell.number()?.quality).collect();
    let bad = all.iter().filter(|class| **class == Quality::Unusable).count();
    (bad > 0).then(|| {
        format!(
            "{bad} of {} numbers {} not usable: the standard error of the noise is more than {} of the value. A larger share for this \
             query, fewer or larger groups, or smaller contributions (rows_per_group, groups, bounds) would make it smaller",
            all.len(),
            if bad == 1 { "is" } else { "are" },
            percent(&classes.c, 2, Rounding::Nearest)
        )
    })
}

/// Whether the levels of an ask add up, and why not; `None` where there is nothing to add up.
fn adding_up(plan: &Plan, ask: &PlannedAsk, answered: &Answered) -> Option<String> {
    let left = "the groupings do not add up exactly, as each has noise of its own";
    Some(match ask.query().consistency() {
        Consistency::NothingToAddUp => return None,
        Consistency::Entities => {
            let each = plan.policy().entity().as_ref().map_or("entity", |entity| entity.key.as_str());
            format!("the groupings do not add up: in each of them the rows of each {each} are capped by themselves")
        }
        Consistency::TooManyCells => format!("{left}; to fix that would take too long for this many cells"),
        Consistency::Applies if !ask.ask().consistent => format!("{left}; `consistent = false` leaves it so"),
        Consistency::Applies if answered.noisy.consistent.is_none() => {
            format!("{left}; numbers this large, and answers stored by earlier versions, stay so")
        }
        Consistency::Applies => "the groupings were made to add up, and counts not to be negative, by changing the \
                                 noisy answers as little as it takes: without budget. The intervals are those of the \
                                 noisy answers, and reach to what is shown"
            .to_owned(),
    })
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
        Shown::Key(key @ (Key::Date(_) | Key::Timestamp(_))) => text(&key.to_string()),
        Shown::All => text(ALL),
        Shown::Text(own) => text(own),
        Shown::Number { estimate, low, high, rows, deviation, value: kind } => {
            let places = places.count(deviation.as_deref(), low, high);
            let scalar = |value: &Option<Rational>, rounding| scalar(value.as_ref()?, *kind, places, rounding);
            Cell::Number(NumberCell {
                value: scalar(estimate, Rounding::Nearest),
                low: scalar(low, Rounding::Down),
                high: scalar(high, Rounding::Up),
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
        Estimator::Average(_) | Estimator::Variance { .. } => Decimals::Free,
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
        MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Entities { .. } | MeasureKind::Sum { .. } => {
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
fn scalar(value: &Rational, kind: ValueKind, places: u32, rounding: Rounding) -> Option<Scalar> {
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
fn value_kind(ask: &PlannedAsk, measure: usize) -> ValueKind {
    let level = ask.query().measures()[measure].level;
    let kind = ask.query().answers(level).iter().find_map(|answer| match answer {
        Estimator::Quantile { measure: of, value, .. } if *of == measure => Some(*value),
        _ => None,
    });
    kind.unwrap_or(ValueKind::Number)
}

/// What was paid for to know how much the caps of a query leave out, in words beside its answer.
fn left_out(plan: &Plan, ask: &PlannedAsk, answers: &[Answered]) -> Option<String> {
    let is_about = |other: &PlannedAsk| matches!(&other.ask().about, About::LeftOut { of } if *of == ask.ask().name);
    let (beside, answered) = plan.asks().iter().zip(answers).find(|(other, _)| is_about(other))?;
    let [within, beyond] = answered.noisy.values.first()?.as_slice() else { return None };
    // Each count takes half of the allowed error.
    let half = (whole(1) + plan.policy().confidence()) / whole(2);
    let reach = whole(margin(beside.measures().first()?.decay(), &half));
    let least = |count: &i128| (whole(*count) - &reach).max(Rational::zero());
    let most = |count: &i128| (whole(*count) + &reach).max(Rational::zero());
    let part = |beyond: Rational, within: Rational| {
        let all = &beyond + within;
        all.is_positive().then(|| beyond / all)
    };
    let low = part(least(beyond), most(within)).unwrap_or_else(Rational::zero);
    let high = part(most(beyond), least(within)).unwrap_or_else(|| whole(1));
    let about = part(whole((*beyond).max(0)), whole((*within).max(0)))
        .map_or_else(|| "an unknown part".to_owned(), |part| format!("about {}", percent(&part, 1, Rounding::Nearest)));
    let key = &plan.policy().entity()?.key;
    Some(format!(
        "the caps leave something out of {about} of every {key} with rows in this query ({} .. {} at {}): see \"{}\"",
        percent(&low, 1, Rounding::Down),
        percent(&high, 1, Rounding::Up),
        confidence(plan),
        beside.ask().name
    ))
}

/// `1 row`, `2 rows`.
fn counted(number: u32, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Where caps, bounds and keys can bias an answer. Said whenever they can, whatever the data holds.
fn warnings(plan: &Plan, ask: &PlannedAsk) -> Vec<String> {
    let mut all = Vec::new();
    if let About::Values { .. } = &ask.ask().about {
        return vec!["each counts once, with one value; all values are rounded to public candidates".to_owned()];
    }
    if let (About::LeftOut { of }, Some(entity)) = (&ask.ask().about, plan.policy().entity()) {
        let caps = plan.asks().iter().find(|ask| ask.ask().name == *of).map_or(entity.caps, |ask| ask.query().caps());
        let Caps { rows_per_group, groups } = caps;
        let (each, groups) = (&entity.key, counted(groups, "group"));
        let counts_rows = plan.asks().iter().any(|ask| ask.ask().name == *of && ask.query().counts_rows());
        let many = if counts_rows {
            format!("more than {} in a group of \"{of}\", or ", counted(rows_per_group, "row"))
        } else {
            String::new()
        };
        return vec![format!("something is left out of a {each} who has {many}rows in more than {groups}")];
    }
    let grouped = !ask.query().groups().is_empty();
    if let Some(entity) = &plan.policy().entity() {
        let rows = ask.query().caps().rows_per_group;
        let rows = if rows == 1 { "1 row counts".to_owned() } else { format!("{rows} rows count") };
        let counts_rows = ask.query().counts_rows();
        let each = &entity.key;
        if counts_rows {
            all.push(format!("of each {each} at most {rows} in a group: counts and sums can be too low"));
        }
        if grouped {
            let groups = ask.query().caps().groups;
            all.push(format!("each {each} counts in at most {groups} of the groups: counts and sums can be too low"));
        }
    }
    let mut clamped: Vec<String> = Vec::new();
    for (at, measure) in ask.query().measures().iter().enumerate() {
        match &measure.kind {
            MeasureKind::Sum { .. } | MeasureKind::Ranked { .. } | MeasureKind::Tree { .. } => {
                let (low, high) = ask.query().bounds(at);
                let kind = value_kind(ask, at);
                let end = |end: &Rational| {
                    scalar(end, kind, 6, Rounding::Nearest).map_or_else(|| end.to_string(), |end| end.to_string())
                };
                clamped.push(format!(
                    "{}: values below {} or above {} count as these bounds",
                    ask.query().argument_in_words(at),
                    end(&low),
                    end(&high)
                ));
            }
            MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Entities { .. } => {}
        }
    }
    clamped.sort();
    clamped.dedup();
    all.extend(clamped);
    all.extend(sums_apart(ask));
    for group in ask.query().groups().iter().filter(|group| ask.query().may_leave_out(group)) {
        all.push(format!("rows whose `{}` is not among the declared keys are left out", group.name));
    }
    if !all.is_empty() {
        all.push(
            "the intervals are about the noise: they cover the answer that these rules leave, not what they leave out"
                .to_owned(),
        );
    }
    let cut = ask.query().output().steps.iter().any(|step| matches!(step, Step::Limit { .. } | Step::Filter(_)));
    if cut {
        all.push("which rows are shown was decided by noisy values".to_owned());
    }
    all
}

/// Averages beside sums and counts of the same values, which a reader may divide: AVG is a sum less a public centre, with
/// noise of its own, unless that centre is 0 and one sum serves both.
fn sums_apart(ask: &PlannedAsk) -> Vec<String> {
    let (answers, measures) = (ask.query().answers(0), ask.query().measures());
    let mut all = Vec::new();
    for answer in answers {
        let Estimator::Average(Moments { sum, .. }) = answer else { continue };
        let MeasureKind::Sum { argument: averaged, .. } = measures[*sum].kind else { continue };
        let is_its_sum = |other: &Estimator| match other {
            Estimator::Sum { measure } => {
                measure != sum
                    && matches!(measures[*measure].kind, MeasureKind::Sum { argument, .. } if argument == averaged)
            }
            Estimator::Count { .. }
            | Estimator::Average(_)
            | Estimator::Variance { .. }
            | Estimator::Quantile { .. } => false,
        };
        let count = answers.iter().find_map(|other| match other {
            Estimator::Count { measure } => match measures[*measure].kind {
                MeasureKind::Rows => Some("*".to_owned()),
                MeasureKind::NotNull { argument } if argument == averaged => Some(ask.query().argument_in_words(*sum)),
                _ => None,
            },
            Estimator::Sum { .. } | Estimator::Average(_) | Estimator::Variance { .. } | Estimator::Quantile { .. } => {
                None
            }
        });
        if let Some(count) = count.filter(|_| answers.iter().any(is_its_sum)) {
            let about = ask.query().argument_in_words(*sum);
            all.push(format!(
                "AVG({about}) is not SUM({about}) / COUNT({count}): their sums have noise of their own, and each is as far \
                 off as its interval says"
            ));
        }
    }
    all
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
