//! Intervals for the population of which the rows are a simple random sample: noise and sampling error together (M-POP).
//!
//! A row is a person of its own, so that rows are drawn as people are. The allowed error is shared by what has to hold together: where the
//! noise leaves the sample's mean, how many rows the noise of their count leaves at least, and how far a sample of so many is from its
//! population, by a bound that holds for all values of the declared range (Hoeffding 1963). Where a spread of the same values was paid for,
//! the sum of the sample gets a normal error besides its noise, of the largest spread that the noise leaves, and the two are taken
//! together: shorter, and an approximation as everywhere in statistics.

use crate::evaluate::{Evaluator, Place};
use crate::form::{At, Form, Linear};
use crate::intervals::form;
use crate::number::Number;
use crate::pivot::Cell;
use deniable_core::exact::{Rational, whole};
use deniable_query::output::{Output, Term};
use deniable_query::{Estimator, MeasureKind, Moments, Query, QueryError};
use num_traits::ToPrimitive;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The parts of the allowed error: for the noise of the mean where it is taken by itself, for the number of rows, and for the spread where
/// there is one. The sample gets what is left, which is most: its error is the larger one wherever a mean is worth publishing.
const NOISE: f64 = 0.3;
const ROWS: f64 = 0.05;
const SPREAD: f64 = 0.05;
/// With fewer rows a mean is not taken for a normal one, whatever its spread.
const MANY: f64 = 30.0;
/// More than what a few operations on floats lose, as a part of the range.
const OUTWARD: f64 = 1e-9;

/// A mean of one value a row, as sums over measures.
struct Mean {
    over: Linear,
    under: Linear,
    /// The number of the rows that it is a mean of.
    count: At,
    /// The least and the most that a row's value can be.
    range: (f64, f64),
}

/// Whether an interval for the population exists for any column.
///
/// # Errors
/// Where several rows may be one entity's, so that they are no simple random sample, or no column is a mean of one value a row.
pub fn check_population(query: &Query) -> Result<(), QueryError> {
    const WHAT: &str = "an interval for the population (`sampling = \"simple\"`)";
    if query.entity().is_some() && query.caps().rows_per_group > 1 {
        let help = "rows of one person are no independent draws: write `rows_per_group = 1` beside it, so that each person counts with \
                    one row";
        return Err(QueryError::refused(format!("{WHAT} where several rows of one person count"), help));
    }
    if query.is_capped_together() && query.caps().groups > 1 {
        let help = "rows of one person in several groups lie in one group of a coarser level: write `groups = 1` beside it, or ask \
                    each level in a query of its own";
        let what = format!("{WHAT} where several rows of one person count at coarser levels");
        return Err(QueryError::refused(what, help));
    }
    if query.output().columns.iter().any(|term| is_mean(query, term)) {
        return Ok(());
    }
    let help = "it is for averages and for parts of rows, such as AVG(x), SUM(x) / COUNT(*) or \
                100.0 * COUNT(*) FILTER (WHERE ...) / COUNT(*); remove it elsewhere";
    Err(QueryError::refused(format!("{WHAT} of these answers"), help))
}

/// The names of the columns of noisy numbers that have no interval for the population.
#[must_use]
pub fn without_population(query: &Query) -> Vec<&str> {
    let Output { columns, names, levels, .. } = query.output();
    let is_noisy = |term: &Term| levels.iter().any(|level| !query.measures_of(term, *level).is_empty());
    let all = columns.iter().zip(names);
    all.filter(|(term, _)| is_noisy(term) && !is_mean(query, term)).map(|(_, name)| name.as_str()).collect()
}

/// Whether a column is a mean of one value a row at any level.
fn is_mean(query: &Query, term: &Term) -> bool {
    (0..query.levels().len()).any(|level| mean_of(query, term, Place { level, cell: 0 }).is_some())
}

/// A term as a mean of one value a row.
fn mean_of(query: &Query, term: &Term, row: Place) -> Option<Mean> {
    if let Term::Function(_, inner) = term {
        return mean_of(query, inner, row);
    }
    let Some(Form::Ratio { over, under }) = form(query, term, row) else { return None };
    let (count, weight) = under.alone()?;
    let (over, under) = (over.times(&weight.recip()), under.times(&weight.recip()));
    let range = values_of_a_row(query, &over, count)?;
    Some(Mean { over, under, count, range })
}

/// The least and the most that one of the counted rows adds; `None` where other rows add as well.
fn values_of_a_row(query: &Query, over: &Linear, count: At) -> Option<(f64, f64)> {
    let measures = query.measures();
    let counts_all = matches!(measures[count.0].kind, MeasureKind::Rows | MeasureKind::Entities { present: None });
    let counted = match &measures[count.0].kind {
        MeasureKind::NotNull { argument } => Some(*argument),
        _ => None,
    };
    let (mut least, mut most) = (over.constant_part().to_f64()?, over.constant_part().to_f64()?);
    // A constant beside the sums is no value of a row.
    (least == 0.0).then_some(())?;
    for (at, weight) in over.terms() {
        let weight = weight.to_f64()?;
        let (low, high) = match &measures[at.0].kind {
            _ if at == count => (1.0, 1.0),
            // Numbers of other cells are about other rows.
            _ if at.1 != count.1 => return None,
            MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Entities { .. } if counts_all => (0.0, 1.0),
            MeasureKind::NotNull { argument } if counted.is_some_and(|counted| query.is_among(*argument, counted)) => {
                (0.0, 1.0)
            }
            MeasureKind::Sum { of, range } if of.times == 1 && counted == Some(of.argument) => {
                (range.low as f64, range.high as f64)
            }
            MeasureKind::Sum { range, .. } if counts_all => (range.low.min(0) as f64, range.high.max(0) as f64),
            _ => return None,
        };
        least += (weight * low).min(weight * high);
        most += (weight * low).max(weight * high);
    }
    (least < most && most.is_finite() && least.is_finite()).then_some((least, most))
}

impl Evaluator<'_> {
    /// Where the population's number lies, with the stated confidence; `None` where the term is no mean of one value a row.
    pub(crate) fn population(&self, term: &Term, row: Place) -> Option<(Rational, Rational)> {
        if let Term::Function(function, inner) = term {
            let (low, high) = self.population(inner, row)?;
            let Number { low, high, .. } = Number::within(None, low, high).apply(*function);
            return low.zip(high);
        }
        let mean = mean_of(self.query, term, row)?;
        let (least, most) = mean.range;
        let span = most - least;
        let values = self.measured.unwrap_or(self.values);
        let value = |(measure, cell): At| values[measure][cell];
        let cell =
            |part: f64, normal: f64| Cell { laws: self.laws, value: &value, normal, outside: self.outside * part };
        let part_of = |place: f64| ((place - least) / span).clamp(0.0, 1.0);
        let form = Form::Ratio { over: mean.over.clone(), under: mean.under.clone() };
        let inside = |part: f64, normal: f64| {
            let (low, high) = cell(part, normal).interval(&form, (Some(least), Some(most)));
            (part_of(low.unwrap_or(least)), part_of(high.unwrap_or(most)))
        };
        let (rows, margin) = (value(mean.count) as f64, cell(ROWS, 0.0).reach_of(mean.count));
        let ends = match self.spread(&mean, row, &cell(SPREAD, 0.0)).filter(|_| rows - margin >= MANY) {
            // The sum of the sample has an error of its own, besides the noise: that of so many values of this spread.
            Some(spread) => {
                let outside = self.outside * (1.0 - ROWS - SPREAD);
                let wider = student(rows - margin - 1.0, outside) / normal(outside);
                inside(1.0 - ROWS - SPREAD, spread * wider * (rows + margin).sqrt())
            }
            None => hoeffding(inside(NOISE, 0.0), rows - margin, self.outside * (1.0 - NOISE - ROWS)),
        };
        let (zero, one) = (whole(0), whole(1));
        let place = |part: f64| Rational::from_float(part).map(|part| part.clamp(zero.clone(), one.clone()));
        let (from, width) = (Rational::from_float(least)?, Rational::from_float(span)?);
        Some((place(ends.0 - OUTWARD)? * &width + &from, place(ends.1 + OUTWARD)? * &width + &from))
    }

    /// The largest standard deviation that the noise leaves, where the mean is of values whose squares were paid for.
    fn spread(&self, mean: &Mean, row: Place, cell: &Cell<'_>) -> Option<f64> {
        let mut sums = mean.over.terms().filter(|(at, _)| *at != mean.count);
        let (sum, weight) = sums.next()?;
        sums.next().is_none().then_some(())?;
        let answers = self.query.answers(row.level);
        let (squares, span) = answers.iter().find_map(|answer| match answer {
            Estimator::Variance { moments: Moments { sum: other, count, low, high, .. }, squares, .. }
                if *other == sum.0 && *count == mean.count.0 =>
            {
                Some((*squares, high - low))
            }
            _ => None,
        })?;
        let unit = |measure: usize| self.query.measures()[measure].unit.to_f64();
        let span = span.to_f64()?;
        let units = [(mean.count, 1.0), (sum, unit(sum.0)?), ((squares, row.cell), unit(squares)?)];
        let (_, most) = cell.variance(units, true, span * span / 2.0);
        // From the values of the sum to those of the mean, which may be a multiple of them.
        Some(most?.sqrt() * (weight.to_f64()? / unit(sum.0)?).abs())
    }
}

/// How far a mean of values between 0 and 1 over at least so many rows is from the population's, for every mean between these
/// ends: where the relative entropy between them exceeds `ln(2/outside)/rows`, so large an error is rarer than `outside` (Hoeffding 1963,
/// theorems 1 and 4: whatever the values are, drawn with replacement or without).
fn hoeffding((low, high): (f64, f64), rows: f64, outside: f64) -> (f64, f64) {
    if rows < 1.0 {
        return (0.0, 1.0);
    }
    let most = (2.0 / outside).ln() / rows;
    (1.0 - furthest(1.0 - low, most), furthest(high, most))
}

/// The largest `q ≥ p` within so much relative entropy of `p`.
fn furthest(p: f64, most: f64) -> f64 {
    let term = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a * (a / b).ln() };
    let entropy = |q: f64| term(p, q) + term(1.0 - p, 1.0 - q);
    let (mut inside, mut outside) = (p, 1.0);
    // At 1 it is infinite, unless `p` is 1 as well.
    for _ in 0..60 {
        let middle = f64::midpoint(inside, outside);
        if entropy(middle) <= most { inside = middle } else { outside = middle }
    }
    outside
}

/// The quantile of Student's distribution that is exceeded on either side with half of this chance.
fn student(freedom: f64, outside: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |law| law.inverse_cdf(1.0 - outside / 2.0))
}

/// The same of the normal distribution.
fn normal(outside: f64) -> f64 {
    Normal::standard().inverse_cdf(1.0 - outside / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chance that a sample of so many zeros and ones has a mean for which the population's would be ruled out, exactly.
    fn missed(rows: u32, truth: f64, outside: f64) -> f64 {
        let mut chance = (1.0 - truth).powi(rows.cast_signed());
        let mut all = 0.0;
        for ones in 0..=rows {
            let mean = f64::from(ones) / f64::from(rows);
            let (low, high) = hoeffding((mean, mean), f64::from(rows), outside);
            if truth < low || truth > high {
                all += chance;
            }
            chance *= f64::from(rows - ones) / f64::from(ones + 1) * truth / (1.0 - truth);
        }
        all
    }

    #[test]
    fn no_sample_misses_more_often_than_stated() {
        for rows in [1, 2, 5, 30, 200] {
            for truth in [0.001, 0.02, 0.3, 0.5, 0.9] {
                for outside in [0.05, 0.2] {
                    let missed = missed(rows, truth, outside);
                    assert!(missed <= outside, "{rows} rows at {truth}: {missed} of {outside}");
                }
            }
        }
    }

    #[test]
    fn it_is_within_the_plain_bound_and_short_for_rare_things() {
        for (mean, rows) in [(0.5, 100.0), (0.01, 1_000.0), (0.0, 50.0), (1.0, 50.0)] {
            let (low, high) = hoeffding((mean, mean), rows, 0.05);
            let plain = (40.0_f64.ln() / (2.0 * rows)).sqrt();
            assert!(low >= mean - plain - 1e-12 && high <= mean + plain + 1e-12 && low <= mean && mean <= high);
        }
        let (_, high) = hoeffding((0.01, 0.01), 1_000.0, 0.05);
        // The plain bound reaches 0.053.
        assert!(high < 0.025, "{high}");
        assert_eq!(hoeffding((0.2, 0.3), 0.5, 0.05), (0.0, 1.0));
    }

    #[test]
    fn student_is_the_tables_one() {
        assert!((student(29.0, 0.05) - 2.0452).abs() < 1e-3);
        assert!((student(1e6, 0.05) - 1.96).abs() < 1e-3);
    }
}
