//! Tables of built-in mechanisms from the rows that differ.

use super::error::BuiltinError;
use super::parameters::BuiltinArguments;
use crate::mechanism::dataset::Dataset;
use crate::mechanism::limits::{MOST_ENTITIES, MOST_FRACTIONS, MOST_PROBABILITIES, fits_with};
use crate::mechanism::model::Mechanism;
use deniable_core::exact::Rational;

/// A mechanism over entities `1` to `n` whose rows are computed dataset by dataset, as fractions.
pub(super) fn by_rows(
    entities: usize,
    outputs: Vec<String>,
    row: impl Fn(Dataset) -> Vec<Rational>,
) -> Result<Mechanism, BuiltinError> {
    fits_with(entities, |_| outputs.len(), MOST_FRACTIONS)?;
    let names = (1..=entities).map(|number| number.to_string()).collect();
    let rows = (0..1_u32 << entities).map(|data| Some(row(data))).collect();
    Ok(Mechanism::partial(names, outputs, rows)?)
}

/// A mechanism in which many datasets share a row: dataset `T` has the row at `which(T)`.
pub(super) fn by_kind(
    entities: usize,
    outputs: Vec<String>,
    rows: &[Vec<Rational>],
    which: impl Fn(Dataset) -> usize,
) -> Result<Mechanism, BuiltinError> {
    let names = (1..=entities).map(|number| number.to_string()).collect();
    Ok(Mechanism::shared(names, outputs, rows, which)?)
}

/// A mechanism that depends only on the number of members: `rows[s]` is the row of `s` members.
pub(super) fn by_size(outputs: Vec<String>, rows: &[Vec<Rational>]) -> Result<Mechanism, BuiltinError> {
    by_kind(rows.len().saturating_sub(1), outputs, rows, |data| data.count_ones() as usize)
}

/// Parses the number of entities, and checks that a table with `outputs(n)` outputs and shared rows fits in memory.
pub(super) fn entities(given: BuiltinArguments<'_>, outputs: impl Fn(usize) -> usize) -> Result<usize, BuiltinError> {
    let n = given.count("entities", 1, MOST_ENTITIES)?;
    fits_with(n, outputs, MOST_PROBABILITIES)?;
    Ok(n)
}

/// [`entities`] for mechanisms in which every dataset has its own row.
pub(super) fn entities_apart(
    given: BuiltinArguments<'_>,
    outputs: impl Fn(usize) -> usize,
) -> Result<usize, BuiltinError> {
    let n = given.count("entities", 1, MOST_ENTITIES)?;
    fits_with(n, outputs, MOST_FRACTIONS)?;
    Ok(n)
}

/// The members of a dataset by their numbers, as the name of an output: `{1 3}`.
pub(super) fn numbers(data: Dataset) -> String {
    let members = (0..Dataset::BITS).filter(|t| data >> t & 1 == 1).map(|t| (t + 1).to_string());
    format!("{{{}}}", members.collect::<Vec<_>>().join(" "))
}

/// The numbers from 0 to `n`, as names of outputs.
pub(super) fn counts(n: usize) -> Vec<String> {
    (0..=n).map(|count| count.to_string()).collect()
}
