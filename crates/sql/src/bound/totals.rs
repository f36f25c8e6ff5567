//! What cells add up to.
//!
//! Sums are whole numbers of grid units in 128 bits: at most 2^63 rows of at most 2^53 units each stay below 2^117,
//! so nothing wraps. Counts of rows fit 64 bits.

use super::decode::Values;
use super::keep::FIRST;
use super::{Exact, UnexpectedBatch};
use crate::plan::{MeasureKind, Query};
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Int64Type, UInt32Type, UInt64Type};

/// Rows whose units, at most 2^52 each, are added up in 64 bits.
const BLOCK: usize = 512;

/// Totals as they grow. Rows in no cell go to one more, which is left out in the end: that is faster than to ask.
pub(crate) struct Totals {
    kinds: Vec<MeasureKind>,
    cells: usize,
    vectors: Vec<Vector>,
    kept: Vec<Values>,
}

enum Vector {
    Counts(Vec<u64>),
    Sums(Vec<i128>),
}

impl Totals {
    /// Starts at zero.
    pub(crate) fn new(query: &Query) -> Self {
        let cells = query.cells();
        let kinds: Vec<MeasureKind> = query.measures().iter().map(|measure| measure.kind.clone()).collect();
        let vector = |kind: &MeasureKind| match kind {
            MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Entities => {
                Vector::Counts(vec![0; cells + 1])
            }
            MeasureKind::Sum { .. } => Vector::Sums(vec![0; cells + 1]),
        };
        let vectors = kinds.iter().map(vector).collect();
        let kept = query.rows.arguments.iter().map(|_| Values::default()).collect();
        Self { kinds, cells, vectors, kept }
    }

    /// How many bytes the totals of a query take, at most.
    pub(crate) fn bytes(query: &Query) -> usize {
        (query.cells() + 1).saturating_mul(query.measures().len()).saturating_mul(size_of::<i128>())
    }

    /// Adds rows. `marks` say which of them stand for their entity in their cell; without, all do.
    pub(super) fn add(&mut self, cells: &[u32], marks: Option<&[u64]>, arguments: &[Values]) {
        let end = self.cells;
        let cell_of = |cell: &u32| (*cell as usize).min(end);
        for (kind, vector) in self.kinds.iter().zip(&mut self.vectors) {
            match (kind, vector) {
                (MeasureKind::Rows, Vector::Counts(counts)) => {
                    cells.iter().for_each(|cell| counts[cell_of(cell)] += 1);
                }
                (MeasureKind::Entities, Vector::Counts(counts)) => match marks {
                    None => cells.iter().for_each(|cell| counts[cell_of(cell)] += 1),
                    Some(marks) => {
                        cells.iter().zip(marks).for_each(|(cell, mark)| counts[cell_of(cell)] += mark & FIRST);
                    }
                },
                (MeasureKind::NotNull { argument }, Vector::Counts(counts)) => match &arguments[*argument].nulls {
                    None => cells.iter().for_each(|cell| counts[cell_of(cell)] += 1),
                    Some(nulls) => {
                        let rows = cells.iter().zip(nulls.iter());
                        rows.for_each(|(cell, is_present)| counts[cell_of(cell)] += u64::from(is_present));
                    }
                },
                (MeasureKind::Sum { argument, centre, range: _ }, Vector::Sums(sums)) => {
                    add_up(cells, end, &arguments[*argument], i128::from(*centre), sums);
                }
                (_, Vector::Counts(_) | Vector::Sums(_)) => {}
            }
        }
    }

    /// Adds a batch of what [`super::CapRows`] has kept.
    pub(crate) fn add_kept(&mut self, batch: &RecordBatch) -> Result<(), UnexpectedBatch> {
        let columns = batch.columns();
        if columns.len() != 2 + self.kept.len() {
            return Err(UnexpectedBatch);
        }
        let cells = columns[0].as_primitive_opt::<UInt32Type>().ok_or(UnexpectedBatch)?;
        let marks = columns[1].as_primitive_opt::<UInt64Type>().ok_or(UnexpectedBatch)?;
        let mut kept = std::mem::take(&mut self.kept);
        for (values, column) in kept.iter_mut().zip(&columns[2..]) {
            let units = column.as_primitive_opt::<Int64Type>().ok_or(UnexpectedBatch)?;
            values.units.clear();
            values.units.extend_from_slice(units.values());
            values.nulls = units.nulls().cloned();
        }
        self.add(cells.values(), Some(marks.values()), &kept);
        self.kept = kept;
        Ok(())
    }

    /// Adds another part's totals.
    pub(crate) fn merge(&mut self, other: &Self) {
        for pair in self.vectors.iter_mut().zip(&other.vectors) {
            match pair {
                (Vector::Counts(mine), Vector::Counts(others)) => {
                    mine.iter_mut().zip(others).for_each(|(mine, other)| *mine += other);
                }
                (Vector::Sums(mine), Vector::Sums(others)) => {
                    mine.iter_mut().zip(others).for_each(|(mine, other)| *mine += other);
                }
                (Vector::Counts(_) | Vector::Sums(_), _) => {}
            }
        }
    }

    /// The totals after the last row.
    pub(crate) fn finish(self) -> Exact {
        let totals = self.vectors.into_iter().map(|vector| {
            let mut totals: Vec<i128> = match vector {
                Vector::Counts(counts) => counts.into_iter().map(i128::from).collect(),
                Vector::Sums(sums) => sums,
            };
            totals.truncate(self.cells);
            totals
        });
        Exact { totals: totals.collect() }
    }
}

/// Adds an argument's units, less the centre where there is a value. Units are 0 where there is none.
fn add_up(cells: &[u32], end: usize, values: &Values, centre: i128, sums: &mut [i128]) {
    let in_one_cell = end == 1 && cells.iter().all(|cell| *cell == 0);
    match &values.nulls {
        _ if in_one_cell => {
            let present = values.units.len() - values.nulls.as_ref().map_or(0, |nulls| nulls.null_count());
            let blocks = values.units.chunks(BLOCK).map(|block| i128::from(block.iter().sum::<i64>()));
            sums[0] += blocks.sum::<i128>() - centre * present as i128;
        }
        None => {
            for (cell, units) in cells.iter().zip(&values.units) {
                sums[(*cell as usize).min(end)] += i128::from(*units) - centre;
            }
        }
        Some(nulls) => {
            for ((cell, units), is_present) in cells.iter().zip(&values.units).zip(nulls.iter()) {
                sums[(*cell as usize).min(end)] += if is_present { i128::from(*units) - centre } else { 0 };
            }
        }
    }
}
