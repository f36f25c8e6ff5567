//! From answers to their published form: values with their intervals, the noise of each measure, and warnings.
//!
//! The output depends on the data only through the released values, and through whether they were small enough to be
//! made consistent. Everything else follows from the policy.

use crate::forecast::short;
use crate::headings::headings;
use crate::notes::{
    ClassNote, LeftOutCount, adding_up, bias_unknown, is_left_out_of, not_usable, stated, taken_from, warnings,
};
use crate::periods;
use crate::plan::{Plan, QueryPlan};
use crate::quality::Judge;
use crate::release::QueryAnswer;
use deniable_answers::{Consistency, Independence, Noisy, ShownRow, ShownValue};
use deniable_core::exact::{Rational, Rounding, decimal, parse_rational, power, whole};
use deniable_core::noise::margin;
use deniable_core::schema::Key;
use deniable_policy::{Display, Sampling, Test};
use deniable_publication::statement::Statement;
use deniable_publication::{
    ALL, Answer, Cell, Confidence, DataVersion, IndependenceTest, KeyValue, LabelledKey, Noise, NoiseKind, NumberCell,
    Publication, Quality, QualityClasses, Scalar, UpperBound,
};
use deniable_query::output::Term;
use deniable_query::{Estimator, Measure, MeasureKind, RowCount, Target, ValueKind};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// Decimals shown of numbers that are on no decimal grid and have no interval.
const PLACES: u32 = 4;
/// Most decimals, unless the number would be 0 without more.
const MOST_PLACES: u32 = 15;
/// Decimals of the smallest nonzero number shown; results are exact to this many.
const FINEST: u32 = 30;

/// Converts answers, in the plan's order, to the published form.
#[must_use]
pub fn published(plan: &Plan, answers: &[QueryAnswer]) -> Publication {
    let policy = plan.policy();
    let both = || plan.queries().iter().zip(answers);
    let is_hidden = |answer: &Answer| {
        answer.rows.iter().flatten().any(|cell| cell.number().is_some_and(|number| number.hidden.is_some()))
    };
    let one = |(planned, answered): (&QueryPlan, &QueryAnswer)| {
        let beside = both().find(|(other, _)| is_left_out_of(other, planned));
        // Counts that are hidden in a table do not affect any other answer.
        let beside = beside.filter(|(of, answered)| !is_hidden(&displayed(plan, of, table(plan, of, answered))));
        let counted = beside.and_then(|(of, answered)| LeftOutCount::new(plan, of, answered));
        let mut answer = displayed(plan, planned, table_beside(plan, planned, answered, counted.as_ref()));
        answer.warnings.extend(counted.and_then(|counted| counted.note(plan)));
        answer
    };
    let answers = both().map(one).collect();
    Publication {
        rehearsal: policy.rehearsal().is_some(),
        policy: policy.name().to_owned(),
        population: policy.population().to_owned(),
        imprint: policy.imprint().clone(),
        data: DataVersion { table: policy.data().table.clone(), version: policy.data().version.clone() },
        confidence: confidence(plan),
        answers,
        guarantee: Statement::of(policy.guarantee()),
    }
}

/// The confidence of every interval.
pub fn confidence(plan: &Plan) -> Confidence {
    Confidence::new(plan.policy().confidence())
}

/// An answer after the policy's rules of display. They act on released numbers (C-3), so no other number has to be
/// hidden for their sake: a total reveals no more about a hidden number than the number itself would have.
#[must_use]
pub fn displayed(plan: &Plan, planned: &QueryPlan, mut answer: Answer) -> Answer {
    let rules = planned.declared().display.as_ref().unwrap_or_else(|| plan.policy().display());
    let columns = periods::shown_columns(planned.query(), answer.columns.len());
    let counts: Vec<Option<RowCount>> =
        columns.into_iter().map(|column| column.and_then(|column| planned.query().row_count(column))).collect();
    for row in &mut answer.rows {
        for (cell, count) in row.iter_mut().zip(&counts) {
            if let Cell::Number(number) = cell {
                display(number, rules, count.as_ref());
            }
        }
    }
    answer
}

/// Rounds a number that counts rows, then hides it if it was below the limit before or after rounding.
fn display(number: &mut NumberCell, rules: &Display, count: Option<&RowCount>) {
    let exact = |scalar: &Option<Scalar>| match scalar {
        Some(Scalar::Number(number)) => parse_rational(&number.to_string()).ok(),
        Some(Scalar::Time(_)) | None => None,
    };
    let mut shown = number.clone();
    let mut is_small = false;
    if let Some(RowCount { times, plus }) = count {
        // The number of rows behind a value.
        let rows = |value: Rational| (value - plus) / times;
        let is_below =
            |rows: Option<Rational>| rows.zip(rules.hide_below.as_ref()).is_some_and(|(rows, least)| rows < *least);
        let own = exact(&number.value).map(rows);
        is_small = is_below(own.clone());
        if let Some(step) = &rules.round_to {
            is_small |= is_below(own.map(|rows| (rows / step).round() * step));
            let to = |scalar: &Option<Scalar>, rounded: fn(&Rational) -> Rational| {
                let value = rounded(&(rows(exact(scalar)?) / step)) * step * times + plus;
                decimal(&value, decimals(&value), Rounding::Nearest).parse().ok().map(Scalar::Number)
            };
            // With a negative factor the lower end has the most rows.
            let end = |scalar: &Option<Scalar>, is_low: bool| {
                to(scalar, if is_low == times.is_negative() { Rational::ceil } else { Rational::floor })
            };
            shown.value = to(&number.value, Rational::round);
            shown.low = end(&number.low, true);
            shown.high = end(&number.high, false);
        }
    }
    if is_small || (rules.hide_unusable && number.quality == Some(Quality::Unusable)) {
        shown = NumberCell { quality: number.quality, hidden: Some(rules.label.clone()), ..NumberCell::default() };
    }
    *number = shown;
}

/// One query's answer, in the form that is published.
pub fn table(plan: &Plan, planned: &QueryPlan, answered: &QueryAnswer) -> Answer {
    table_beside(plan, planned, answered, None)
}

/// One query's answer, with the paid count of entities that lose rows to its caps, if available.
fn table_beside(plan: &Plan, planned: &QueryPlan, answered: &QueryAnswer, left_out: Option<&LeftOutCount>) -> Answer {
    let places: Vec<Decimals> =
        planned.query().output().columns.iter().map(|term| decimals_of(term, planned)).collect();
    let confidence = plan.policy().confidence();
    let terms = &planned.query().output().columns;
    let judges: Vec<Judge<'_>> = terms.iter().map(|term| Judge::new(plan, planned, term, left_out)).collect();
    let cells_of = |row: &ShownRow| -> Vec<Cell> {
        let cells = row.0.iter().zip(terms).zip(&places).zip(&judges);
        cells
            .map(|(((shown, term), places), judge)| labelled(shown, term, planned, cell(shown, *places, judge)))
            .collect()
    };
    let query = planned.query();
    let rows: Vec<Vec<Cell>> = match (&answered.series, planned.declared().sampling) {
        (Some(series), _) => series.rows(planned, confidence, &cells_of),
        (None, Some(Sampling::Simple)) => {
            deniable_answers::show_with_population(query, &answered.noisy, confidence).iter().map(cells_of).collect()
        }
        (None, None) => deniable_answers::show(query, &answered.noisy, confidence).iter().map(cells_of).collect(),
    };
    let unusable = not_usable(&rows, plan.policy().quality());
    let unknown = bias_unknown(judges.iter().filter_map(Judge::unbounded).max());
    let of_classes: Vec<ClassNote> = unusable.into_iter().chain(unknown).collect();
    let stated = stated(judges.iter().filter_map(Judge::stated).max());
    let independence = independence(planned, answered);
    let test = independence.as_ref().map(ToString::to_string);
    let answer = Answer {
        name: planned.declared().name.clone(),
        title: planned.declared().title.clone(),
        sql: planned.sql(),
        share: planned.declared().share.clone(),
        odds: planned.cost().clone().into(),
        columns: match answered.series {
            Some(_) => periods::columns(query),
            None => query.output().names.clone(),
        },
        headings: periods::shown_headings(query, headings(query, plan.policy().headings()), answered.series.is_some()),
        rows,
        noise: noises(plan, planned),
        consistent: (deniable_answers::consistency(planned.query()) != Consistency::NothingToAddUp)
            .then_some(answered.noisy.consistent.is_some()),
        classes: None,
        independence,
        withdrawn: answered.withdrawn.clone(),
        taken_from: planned.within().map(|within| within.name().to_owned()),
        warnings: test
            .into_iter()
            .chain(warnings(plan, planned))
            .chain(of_classes.iter().map(|class| class.note.clone()))
            .chain(stated)
            .chain(adding_up(plan, planned, answered))
            .chain(taken_from(planned))
            .chain(answered.series.iter().flat_map(|series| series.notes(plan.policy())))
            .collect(),
        advice: of_classes.into_iter().map(|class| class.advice).collect(),
    };
    let classes = plan.policy().quality();
    let classes = QualityClasses { a: classes.a.clone(), b: classes.b.clone(), c: classes.c.clone() };
    Answer { classes: answer.has_quality().then_some(classes), ..answer }
}

/// The test of independence of an answer, if the policy wants it.
fn independence(planned: &QueryPlan, answered: &QueryAnswer) -> Option<IndependenceTest> {
    let Some(Test::Independence) = planned.declared().test else { return None };
    let Noisy { values, decays, .. } = &answered.noisy;
    let Independence { p, groups } = deniable_answers::independence(planned.query(), values, decays)?;
    let groups = groups.map(|group| planned.query().groups()[group].name.clone());
    let is_smallest = p == Independence::smallest();
    Some(IndependenceTest { groups, p: scalar(&p, ValueKind::Number, PLACES, Rounding::Up)?, is_smallest })
}

/// The cell with the label of its key, if that has one.
fn labelled(shown: &ShownValue, term: &Term, planned: &QueryPlan, cell: Cell) -> Cell {
    let (ShownValue::Key(key), Term::Key(group)) = (shown, term) else { return cell };
    let Some(label) = planned.query().groups()[*group].label(key) else { return cell };
    let (label, other) = (label.to_owned(), *key == Key::Other);
    let key = cell.key().filter(|_| !other).cloned();
    Cell::Key(Some(KeyValue::Labelled(Box::new(LabelledKey { key, label, other }))))
}

fn cell(shown: &ShownValue, places: Decimals, judge: &Judge<'_>) -> Cell {
    let text = |text: &str| Cell::Key(Some(KeyValue::Text(text.to_owned())));
    match shown {
        ShownValue::Key(Key::Null) => Cell::Key(None),
        ShownValue::Key(Key::Text(key)) => text(key),
        ShownValue::Key(Key::Integer(value)) => Cell::Key(Some(KeyValue::Integer(*value))),
        ShownValue::Key(Key::Boolean(truth)) => Cell::Key(Some(KeyValue::Boolean(*truth))),
        ShownValue::Key(key @ Key::Decimal(_)) => match key.to_string().parse() {
            Ok(number) => Cell::Key(Some(KeyValue::Decimal(number))),
            Err(_) => text(&key.to_string()),
        },
        ShownValue::Key(key @ (Key::Date(_) | Key::Timestamp(_) | Key::Other)) => text(&key.to_string()),
        ShownValue::All => text(ALL),
        ShownValue::Text(own) => text(own),
        ShownValue::Number { estimate, low, high, population, rows, deviation, value: kind, limits: _ } => {
            // Ends that are the bounds of the values have no noise.
            let places = match rows {
                Some(_) => places.count(None, &None, &None),
                None => places.count(deviation.as_deref(), low, high),
            };
            let places = estimate.as_ref().map_or(places.count, |estimate| enough(estimate, places));
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
                quality: judge.class(shown),
                hidden: None,
            })
        }
    }
}

/// The number of decimals of a column.
#[derive(Debug, Clone, Copy)]
enum Decimals {
    /// All decimals of its grid: the column adds up with others, or was chosen.
    All(u32),
    /// The decimals of its grid that the noise makes meaningful.
    UpTo(u32),
    /// Limited by the noise only.
    Free,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Places {
    count: u32,
    /// Whether the noise limits the count.
    is_of_noise: bool,
}

impl Decimals {
    /// Keeps two digits of the standard error, or of a fourth of the interval if there is no standard error; never
    /// rounds digits before the point.
    fn count(self, deviation: Option<&Rational>, low: &Option<Rational>, high: &Option<Rational>) -> Places {
        let width = || low.as_ref().zip(high.as_ref()).map(|(low, high)| (high - low) / whole(4));
        let noise = deviation.cloned().or_else(width).filter(Signed::is_positive);
        let seen = |noise: &Rational| {
            let enough = |places: &u32| noise * whole(power(&whole(10), *places).to_integer()) >= whole(10);
            (0..MOST_PLACES).find(enough)
        };
        let free = |count: u32| Places { count, is_of_noise: false };
        let of_noise = |count: u32| Places { count, is_of_noise: true };
        match (self, noise.as_ref().map(seen)) {
            (Self::All(grid), _) | (Self::UpTo(grid), None | Some(None)) => free(grid),
            (Self::UpTo(grid), Some(Some(seen))) => {
                if seen < grid {
                    of_noise(seen)
                } else {
                    free(grid)
                }
            }
            (Self::Free, Some(Some(seen))) => of_noise(seen),
            (Self::Free, Some(None)) => free(MOST_PLACES),
            (Self::Free, None) => free(PLACES),
        }
    }
}

/// The given decimals, or two significant digits if noise does not limit the decimals and the number would be shown
/// as 0.
fn enough(value: &Rational, places: Places) -> u32 {
    let Places { count, is_of_noise } = places;
    let power = |places: u32| whole(power(&whole(10), places).to_integer());
    if is_of_noise || value.is_zero() || value.abs() * power(count) * whole(2) >= whole(1) {
        return count;
    }
    (count..FINEST).find(|places| value.abs() * power(*places) >= whole(10)).unwrap_or(FINEST)
}

fn whole_number(rows: &Option<BigInt>) -> Option<serde_json::Number> {
    rows.as_ref().and_then(|rows| rows.to_string().parse().ok())
}

/// The decimals of a column: counts, sums and quantiles are on the grid of their unit.
fn decimals_of(term: &Term, planned: &QueryPlan) -> Decimals {
    let Term::Answer(position) = term else { return Decimals::Free };
    let of = |measure: &usize| decimals(&planned.query().measures()[*measure].unit);
    match &planned.query().answers(0)[*position] {
        Estimator::Count { measure } | Estimator::Sum { measure } => {
            match deniable_answers::consistency(planned.query()) {
                Consistency::Applies => Decimals::All(of(measure)),
                _ => Decimals::UpTo(of(measure)),
            }
        }
        // A chosen value is shown exactly.
        Estimator::Quantile { measure, .. } => Decimals::All(of(measure)),
        Estimator::Average(_) | Estimator::Weighted(_) | Estimator::Variance { .. } | Estimator::Regression(_) => {
            Decimals::Free
        }
    }
}

/// The decimals that write multiples of this unit exactly, up to fifteen; otherwise [`PLACES`].
fn decimals(unit: &Rational) -> u32 {
    (0..=15).find(|places| (unit * whole(power(&whole(10), *places).to_integer())).is_integer()).unwrap_or(PLACES)
}

/// The noise of every measure; measures with the same noise at several levels are listed once.
fn noises(plan: &Plan, planned: &QueryPlan) -> Vec<Noise> {
    let mut all: Vec<(Noise, Vec<usize>)> = Vec::new();
    for (at, measure) in planned.query().measures().iter().enumerate() {
        let new = noise(plan, planned, at, measure);
        match all.iter_mut().find(|(known, levels)| *known == new && !levels.contains(&measure.level)) {
            Some((_, levels)) => levels.push(measure.level),
            None => all.push((new, vec![measure.level])),
        }
    }
    let named = |(noise, mut levels): (Noise, Vec<usize>)| {
        levels.sort_unstable();
        let levels = planned.query().levels_in_words(&levels);
        Noise { measure: format!("{}{levels}", noise.measure), ..noise }
    };
    all.into_iter().map(named).collect()
}

/// The noise of a measure, named without its level.
fn noise(plan: &Plan, planned: &QueryPlan, at: usize, measure: &Measure) -> Noise {
    let (noise, confidence) = (&planned.measures()[at], plan.policy().confidence());
    let (decay, sensitivity) = (&noise.decay(), whole(noise.sensitivity().clone()));
    let (kind, sensitivity, scale, margin) = match &measure.kind {
        MeasureKind::Ranked { target, .. } => {
            // Distances count in parts of a row, and the planned sensitivity is twice their change.
            let parts = match target {
                Target::Share(share) => whole(share.whole),
                Target::Lowest | Target::Highest => whole(1),
            };
            let rows = deniable_answers::rank_margin(planned.query(), at, 0, decay, confidence).unwrap_or_default();
            (NoiseKind::PermuteAndFlip, sensitivity / (parts * whole(2)), None, whole(rows))
        }
        MeasureKind::Tree { shares, .. } => {
            let rows = (0..shares.len())
                .filter_map(|share| deniable_answers::rank_margin(planned.query(), at, share, decay, confidence))
                .max();
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
        measure: planned.query().measure_alone(at),
        kind,
        sensitivity: UpperBound::new(&sensitivity),
        scale: scale.as_ref().map(UpperBound::new),
        margin: UpperBound::new(&margin),
        decay: decay.ratio().clone(),
    }
}

/// A value for output: a number with this many decimals, or a day or time.
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

/// The kind of the values of a measure's argument.
pub(crate) fn value_kind(planned: &QueryPlan, measure: usize) -> ValueKind {
    let level = planned.query().measures()[measure].level;
    let kind = planned.query().answers(level).iter().find_map(|answer| match answer {
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

    #[test]
    fn no_number_is_zero_for_lack_of_decimals() {
        let tiny = |digits: u32| whole(1) / whole(power(&whole(10), digits).to_integer());
        let shown = |value: &Rational, decimals: Decimals, deviation: Option<Rational>| {
            let places = decimals.count(deviation.as_ref(), &None, &None);
            decimal(value, enough(value, places), Rounding::Nearest)
        };
        let value = ratio(2525, 1000) * tiny(6);
        assert_eq!(shown(&value, Decimals::Free, None), "0.0000025");
        assert_eq!(shown(&-&value, Decimals::UpTo(4), None), "-0.0000025");
        assert_eq!(shown(&(&value * whole(1_000)), Decimals::Free, None), "0.0025");
        assert_eq!(shown(&whole(0), Decimals::Free, None), "0");
        // Fewer decimals than those of the smallest noise shown.
        assert_eq!(shown(&(&value * tiny(11)), Decimals::Free, Some(tiny(19))), "0.000000000000000025");
        assert!(shown(&tiny(29), Decimals::Free, None).ends_with("0001"));
        // Noise of 40 leaves no decimals of a number below it.
        assert_eq!(shown(&value, Decimals::Free, Some(whole(40))), "0");
    }
}
