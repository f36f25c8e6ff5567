//! Intervals for the population of which the rows are a simple random sample: noise plus sampling error (M-POP).
//!
//! Every row is a separate person, so rows are drawn as people are. The error probability is divided among the
//! statements that must hold together: the mean of the sample is within its noise, the number of rows is at least its
//! lower end, and the population's mean is within a bound for all values of the declared range (Hoeffding 1963) of a
//! sample of that size. If the query also charges a spread of the same values, the sum of the sample gets a normal
//! error besides its noise, with the largest spread that the noise allows, and both are treated together: a shorter
//! interval, and an approximation as everywhere in statistics.

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

/// The parts of the error probability: for the noise of the mean if it is treated separately, for the number of rows,
/// and for the spread if there is one. The rest, the largest part, is for sampling, whose error dominates in any mean
/// worth publishing.
const NOISE: f64 = 0.3;
const ROWS: f64 = 0.05;
const SPREAD: f64 = 0.05;
/// With fewer rows a mean is not assumed to be normal, whatever its spread.
const MIN_NORMAL_ROWS: f64 = 30.0;
/// More than the error of a few operations on floats, relative to the range.
const OUTWARD: f64 = 1e-9;

/// A mean of one value per row, as sums over measures.
struct Mean {
    over: Linear,
    under: Linear,
    /// The number of averaged rows.
    count: At,
    /// The least and the greatest possible value of a row.
    range: (f64, f64),
}

/// Whether an interval for the population exists for any column.
///
/// # Errors
/// If one entity may have several rows, so that they are not a simple random sample, or no column is a mean of one
/// value per row.
pub fn check_population(query: &Query) -> Result<(), QueryError> {
    const WHAT: &str = "an interval for the population (`sampling = \"simple\"`)";
    if query.entity().is_some() && query.caps().rows_per_group > 1 {
        let help = "rows of one person are not independent draws: add `rows_per_group = 1`, so that each person counts \
                    with one row";
        return Err(QueryError::refused(format!("{WHAT} where several rows of one person count"), help));
    }
    if query.is_capped_together() && query.caps().groups > 1 {
        let help = "a coarser level puts the rows of one person from several groups into one group: add `groups = 1`, or \
                    use a separate query for each level";
        let what = format!("{WHAT} where several rows of one person count at coarser levels");
        return Err(QueryError::refused(what, help));
    }
    if query.output().columns.iter().any(|term| is_mean(query, term)) {
        return Ok(());
    }
    let help = "it applies to averages and shares of rows, such as AVG(x), SUM(x) / COUNT(*) or \
                100.0 * COUNT(*) FILTER (WHERE ...) / COUNT(*); remove it from other queries";
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

/// Whether a column is a mean of one value per row at any level.
fn is_mean(query: &Query, term: &Term) -> bool {
    (0..query.levels().len()).any(|level| mean_of(query, term, Place { level, cell: 0 }).is_some())
}

/// A term as a mean of one value per row.
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

/// The least and the most that one of the counted rows adds; `None` if other rows add as well.
fn values_of_a_row(query: &Query, over: &Linear, count: At) -> Option<(f64, f64)> {
    let measures = query.measures();
    let counts_all = matches!(measures[count.0].kind, MeasureKind::Rows | MeasureKind::Entities { present: None });
    let counted = match &measures[count.0].kind {
        MeasureKind::NotNull { argument } => Some(*argument),
        _ => None,
    };
    let (mut least, mut most) = (over.constant_part().to_f64()?, over.constant_part().to_f64()?);
    // A constant besides the sums is not a value of a row.
    (least == 0.0).then_some(())?;
    for (at, weight) in over.terms() {
        let weight = weight.to_f64()?;
        let (low, high) = match &measures[at.0].kind {
            _ if at == count => (1.0, 1.0),
            // Numbers in other cells are about other rows.
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
    /// The interval for the population, with the stated confidence; `None` if the term is not a mean of one value per
    /// row.
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
        let ends = match self.spread(&mean, row, &cell(SPREAD, 0.0)).filter(|_| rows - margin >= MIN_NORMAL_ROWS) {
            // Besides the noise, the sum of the sample has a sampling error: that of this number of values with this
            // spread.
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

    /// The largest standard deviation that the noise allows, if the query charges squares of the averaged values.
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
        // Converts the values of the sum to those of the mean, which may be a multiple of them.
        Some(most?.sqrt() * (weight.to_f64()? / unit(sum.0)?).abs())
    }
}

/// The interval of the population's mean, given that a sample of at least `rows` values between 0 and 1 has a mean
/// between these ends: where the relative entropy between both exceeds `ln(2/outside)/rows`, such an error has
/// probability below `outside` (Hoeffding 1963, theorems 1 and 4: for any values, drawn with or without replacement).
fn hoeffding((low, high): (f64, f64), rows: f64, outside: f64) -> (f64, f64) {
    if rows < 1.0 {
        return (0.0, 1.0);
    }
    let most = (2.0 / outside).ln() / rows;
    (1.0 - furthest(1.0 - low, most), furthest(high, most))
}

/// The largest `q ≥ p` whose relative entropy from `p` is at most `most`.
fn furthest(p: f64, most: f64) -> f64 {
    let term = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a * (a / b).ln() };
    let entropy = |q: f64| term(p, q) + term(1.0 - p, 1.0 - q);
    let (mut inside, mut outside) = (p, 1.0);
    // The entropy at 1 is infinite, unless `p` is 1 as well.
    for _ in 0..60 {
        let middle = f64::midpoint(inside, outside);
        if entropy(middle) <= most { inside = middle } else { outside = middle }
    }
    outside
}

/// The quantile of Student's distribution that is exceeded on either side with half of this probability.
fn student(freedom: f64, outside: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |law| law.inverse_cdf(1.0 - outside / 2.0))
}

/// The same quantile of the normal distribution.
fn normal(outside: f64) -> f64 {
    Normal::standard().inverse_cdf(1.0 - outside / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact probability that a sample of this many zeros and ones excludes the population's mean.
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
    fn hoeffding_intervals_cover_with_the_stated_confidence() {
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
    fn hoeffding_intervals_are_shorter_for_rare_values() {
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
    fn student_quantiles_match_the_tables() {
        assert!((student(29.0, 0.05) - 2.0452).abs() < 1e-3);
        assert!((student(1e6, 0.05) - 1.96).abs() < 1e-3);
    }
}
