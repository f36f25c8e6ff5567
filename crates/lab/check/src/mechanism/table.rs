//! The storage of probabilities: whole numbers over one denominator if that fits, fractions otherwise.

use super::dataset::Dataset;
use super::error::RowFault;
use deniable_core::exact::{Rational, whole};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Probabilities, by output and then by dataset. Datasets without a row have zeros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Table {
    /// Whole parts of one denominator below 2^63.
    Parts { of: u64, columns: Vec<Vec<u64>> },
    /// Fractions whose denominators have no common multiple below 2^63.
    Fractions(Vec<Vec<Rational>>),
}

/// The probabilities of one output, by dataset.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column<'a> {
    Parts { of: u64, parts: &'a [u64] },
    Fractions(&'a [Rational]),
}

/// Checks that a row has as many probabilities as there are outputs, none negative, with sum 1.
pub(crate) fn check_row(row: &[Rational], outputs: &[String]) -> Result<(), RowFault> {
    if row.len() != outputs.len() {
        return Err(RowFault::Width { found: row.len(), expected: outputs.len() });
    }
    if let Some((value, output)) = row.iter().zip(outputs).find(|(value, _)| value.is_negative()) {
        return Err(RowFault::Negative { output: output.clone(), value: value.clone() });
    }
    let sum: Rational = row.iter().sum();
    if sum.is_one() { Ok(()) } else { Err(RowFault::Sum(sum)) }
}

/// The least common denominator, if it is below 2^63.
pub(super) fn common<'a>(mut all: impl Iterator<Item = &'a Rational>) -> Option<u64> {
    all.try_fold(1_u64, |common, next| {
        let next = next.denom().to_u64()?;
        common.checked_mul(next / common.gcd(&next)).filter(|common| *common < 1 << 63)
    })
}

/// A fraction as a number of parts; `of` is a multiple of its denominator.
fn parts(value: &Rational, of: u64) -> u64 {
    let small = value.numer().to_u64().zip(value.denom().to_u64());
    small.and_then(|(top, bottom)| top.checked_mul(of / bottom)).unwrap_or(0)
}

impl Table {
    pub(crate) fn new(rows: Vec<Option<Vec<Rational>>>, outputs: usize) -> Self {
        let common = common(rows.iter().flatten().flatten());
        let empty = || vec![Rational::zero(); outputs];
        match common {
            Some(of) => {
                let mut columns = vec![Vec::with_capacity(rows.len()); outputs];
                for row in rows {
                    for (column, value) in columns.iter_mut().zip(row.unwrap_or_else(empty)) {
                        column.push(parts(&value, of));
                    }
                }
                Self::Parts { of, columns }
            }
            None => {
                let mut columns = vec![Vec::with_capacity(rows.len()); outputs];
                for row in rows {
                    for (column, value) in columns.iter_mut().zip(row.unwrap_or_else(empty)) {
                        column.push(value);
                    }
                }
                Self::Fractions(columns)
            }
        }
    }

    /// Builds a table from shared rows: `which` maps each dataset to its row.
    pub(super) fn shared(rows: &[Vec<Rational>], which: &[u32], outputs: usize, common: Option<u64>) -> Self {
        let output = |at: usize| rows.iter().map(move |row| &row[at]);
        match common {
            Some(of) => {
                let column = |at| {
                    let parts: Vec<u64> = output(at).map(|value| parts(value, of)).collect();
                    which.iter().map(|row| parts[*row as usize]).collect()
                };
                Self::Parts { of, columns: (0..outputs).map(column).collect() }
            }
            None => {
                let column = |at: usize| which.iter().map(|row| rows[*row as usize][at].clone()).collect();
                Self::Fractions((0..outputs).map(column).collect())
            }
        }
    }

    pub(super) fn probability(&self, output: usize, data: Dataset) -> Rational {
        self.column(output).get(data)
    }

    pub(crate) fn column(&self, output: usize) -> Column<'_> {
        match self {
            Self::Parts { of, columns } => Column::Parts { of: *of, parts: &columns[output] },
            Self::Fractions(columns) => Column::Fractions(&columns[output]),
        }
    }
}

impl Column<'_> {
    /// `Pr[output | data]`.
    pub(crate) fn get(&self, data: Dataset) -> Rational {
        match self {
            Self::Parts { of, parts } => whole(parts[data as usize]) / whole(*of),
            Self::Fractions(values) => values[data as usize].clone(),
        }
    }
}
