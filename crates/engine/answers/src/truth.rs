//! The errors of answers due to caps and bounds, before any noise: exact, and for the curator only. They are never
//! released.

use crate::{Noisy, ShownRow, ShownValue, show};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::{Decay, SystemRng};
use deniable_data::SourceError;
use deniable_execute::Exact;
use deniable_query::{Estimator, MeasureGroup, MeasureKind, Moments, Query};
use num_traits::{Signed, Zero};

/// The true errors of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrueErrors {
    /// The errors of its columns of numbers.
    pub columns: Vec<TrueError>,
    /// The losses of its sums, including those behind averages, and of its numbers of entities.
    pub sums: Vec<SumLoss>,
    /// Its numbers that differ from the true ones.
    pub wrong: Vec<WrongNumber>,
}

/// A shown number that caps and bounds change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongNumber {
    /// The position of its column.
    pub column: usize,
    /// Its cell, with the number to which noise is added and the true one.
    pub cell: Worst,
    /// The number to which noise is added, with the interval and the standard error of that noise.
    pub expected: ShownValue,
}

/// The part of a sum that caps and bounds leave out, over all cells of the grouping that loses the largest part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumLoss {
    /// The summed values.
    pub of: Summed,
    /// The absolute differences between the true sums and those to which noise is added, and the absolute values in rows
    /// that are in no group.
    pub left_out: Rational,
    /// The sum of the absolute values in all rows.
    pub all: Rational,
}

/// The values of a sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Summed {
    /// One for each entity.
    Entities,
    /// This expression.
    Values(String),
}

impl SumLoss {
    /// Whether a larger part is left out than of the other sum.
    fn is_worse_than(&self, other: &Self) -> bool {
        &self.left_out * &other.all > &other.left_out * &self.all
    }
}

/// The true error of one column of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrueError {
    /// The column.
    pub column: String,
    /// Number of cells with a true value.
    pub cells: usize,
    /// The cell with the largest error relative to its true value; `None` if all cells are exact.
    pub worst: Option<Worst>,
}

/// A cell whose number differs from the true one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worst {
    /// Its keys, as text; empty if the query has one cell.
    pub cell: String,
    /// The number to which noise is added.
    pub answer: Rational,
    /// The number without caps and bounds.
    pub truth: Rational,
}

impl Worst {
    /// The error divided by the true value; `None` if that is zero.
    #[must_use]
    pub fn relative(&self) -> Option<Rational> {
        (!self.truth.is_zero()).then(|| (&self.answer - &self.truth) / self.truth.abs())
    }
}

/// Computes the errors of every column of numbers, and the losses of sums; `None` where protected tables are joined, or
/// results are grouped by noisy values. `expected` is the noise of the answer, by measure; `exact` computes a query
/// under the ledger's salt, so that the same rows are kept as in an answer.
///
/// # Errors
/// As of `exact`.
pub fn true_errors(
    query: &Query,
    expected: &[Decay],
    exact: &dyn Fn(&Query) -> Result<Exact, SourceError>,
) -> Result<Option<TrueErrors>, SourceError> {
    // So small that noise changes a number once in 10³⁰ draws.
    let decay = Decay::exactly(ratio(1, 10_i64.pow(15)) * ratio(1, 10_i64.pow(15)));
    let (Some(decay), Ok(mut rng)) = (decay, SystemRng::new()) else { return Ok(None) };
    let decays = vec![decay; query.measures().len()];
    let confidence = ratio(19, 20);
    let mut without_noise =
        |query: &Query| Ok::<_, SourceError>(exact(query)?.with_noise(query, &decays, &confidence, &mut rng));
    let answers = without_noise(query)?;
    let mut truths = answers.clone();
    for part in MeasureGroup::ALL {
        let own: Vec<usize> = (0..truths.len()).filter(|at| part.includes(&query.measures()[*at].kind)).collect();
        if own.is_empty() {
            continue;
        }
        let Some(unlimited) = query.unlimited(part) else { return Ok(None) };
        let mut values = without_noise(&unlimited)?;
        for at in own {
            truths[at] = std::mem::take(&mut values[at]);
        }
    }
    let absolute = query.absolute().map(|absolute| without_noise(&absolute)).transpose()?;
    let of_all_rows = match query.groups().iter().any(|group| query.may_leave_out(group)) {
        true => query.absolute().or_else(|| query.unlimited(MeasureGroup::Sums)),
        false => None,
    };
    let all_rows = of_all_rows.map(|query| without_noise(&query.ungrouped())).transpose()?;
    let sums = sum_losses(query, &answers, &truths, absolute.as_deref(), all_rows.as_deref());
    let shown = |values, decays: &[Decay], is_bounded| {
        let noisy = Noisy { values, consistent: None, decays: decays.to_vec() };
        show(&query.without_steps(is_bounded), &noisy, &confidence)
    };
    let noisy = shown(answers.clone(), expected, true);
    let (answers, truths) = (shown(answers, &decays, true), shown(truths, &decays, false));
    if answers.len() != truths.len() || answers.len() != noisy.len() {
        return Ok(None);
    }
    let (mut columns, mut wrong) = (Vec::new(), Vec::new());
    for (at, name) in query.output().names.iter().enumerate() {
        let Some((error, all)) = of_column(name, at, &answers, &truths) else { continue };
        columns.push(error);
        wrong.extend(all.into_iter().filter_map(|(row, cell)| {
            Some(WrongNumber { column: at, cell, expected: noisy.get(row)?.0.get(at)?.clone() })
        }));
    }
    Ok(Some(TrueErrors { columns, sums, wrong }))
}

/// The losses of sums, of the sums behind averages, and of numbers of entities. Each argument is one vector for each
/// measure: the numbers of the answer, the true ones, the sums of absolute values if values may be negative, and these
/// sums over all rows, if some of them may be in no group.
fn sum_losses(
    query: &Query,
    answers: &[Vec<i128>],
    truths: &[Vec<i128>],
    absolute: Option<&[Vec<i128>]>,
    all_rows: Option<&[Vec<i128>]>,
) -> Vec<SumLoss> {
    let mut losses: Vec<SumLoss> = Vec::new();
    for estimator in (0..query.levels().len()).flat_map(|level| query.answers(level)) {
        let (measure, count) = match estimator {
            Estimator::Sum { measure } => (*measure, None),
            Estimator::Average(Moments { sum, count, .. }) => (*sum, Some(*count)),
            Estimator::Count { measure } => (*measure, None),
            Estimator::Weighted(_)
            | Estimator::Variance { .. }
            | Estimator::Regression(_)
            | Estimator::Quantile { .. } => continue,
        };
        let (of, centre) = match &query.measures()[measure].kind {
            MeasureKind::Sum { of, .. } => (Summed::Values(query.argument_in_words(measure)), of.centre),
            MeasureKind::Entities { .. } => (Summed::Entities, 0),
            MeasureKind::Rows
            | MeasureKind::NotNull { .. }
            | MeasureKind::Product { .. }
            | MeasureKind::Ranked { .. }
            | MeasureKind::Tree { .. } => continue,
        };
        // The sum of an average is stored without the centre of its values.
        let sums = |values: &[Vec<i128>]| -> Vec<i128> {
            let added = |cell: usize| count.map_or(0, |count| values[count][cell].saturating_mul(centre.into()));
            values[measure].iter().enumerate().map(|(cell, sum)| sum.saturating_add(added(cell))).collect()
        };
        let total = |sums: Vec<i128>| sums.into_iter().fold(Rational::zero(), |all, sum| all + whole(sum).abs());
        let (answer, truth) = (sums(answers), sums(truths));
        let left_out = total(truth.iter().zip(answer).map(|(truth, answer)| truth.saturating_sub(answer)).collect());
        let in_groups = total(absolute.map_or(truth, sums));
        // Entities in no group may be in others, too.
        let everywhere = all_rows.filter(|_| of != Summed::Entities).map(|values| total(sums(values)));
        let in_no_group = everywhere.map_or_else(Rational::zero, |all| (all - &in_groups).max(Rational::zero()));
        let loss = SumLoss { of, left_out: left_out + &in_no_group, all: in_groups + in_no_group };
        match losses.iter_mut().find(|known| known.of == loss.of) {
            Some(known) if loss.is_worse_than(known) => *known = loss,
            Some(_) => {}
            None => losses.push(loss),
        }
    }
    losses
}

/// The error of a column, and its wrong cells with the positions of their rows.
fn of_column(
    name: &str,
    at: usize,
    answers: &[ShownRow],
    truths: &[ShownRow],
) -> Option<(TrueError, Vec<(usize, Worst)>)> {
    let number = |row: &ShownRow| match row.0.get(at) {
        Some(ShownValue::Number { estimate, .. }) => estimate.clone(),
        _ => None,
    };
    let pairs = answers.iter().zip(truths).enumerate();
    let pairs = pairs.filter_map(|(row, (shown, truth))| Some((row, shown, number(shown), number(truth)?)));
    let pairs: Vec<_> = pairs.collect();
    let wrong = pairs.iter().filter_map(|(row, shown, answer, truth)| {
        let answer = answer.clone().unwrap_or_else(Rational::zero);
        let cell = Worst { cell: keys(shown), answer, truth: truth.clone() };
        (cell.answer != cell.truth).then_some((*row, cell))
    });
    let wrong: Vec<(usize, Worst)> = wrong.collect();
    // An error where the true value is zero is worse than any relative error.
    let size = |worst: &Worst| worst.relative().map_or((true, worst.answer.abs()), |error| (false, error.abs()));
    let worst = wrong.iter().map(|(_, cell)| cell).max_by_key(|cell| size(cell)).cloned();
    (!pairs.is_empty()).then(|| (TrueError { column: name.to_owned(), cells: pairs.len(), worst }, wrong))
}

/// The keys of a row, as text.
fn keys(row: &ShownRow) -> String {
    let words = row.0.iter().filter_map(|shown| match shown {
        ShownValue::Key(key) => Some(key.to_string()),
        ShownValue::All => Some("all".to_owned()),
        ShownValue::Text(text) => Some(text.clone()),
        ShownValue::Number { .. } => None,
    });
    words.collect::<Vec<_>>().join(", ")
}
