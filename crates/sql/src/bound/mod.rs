//! From rows to exact cells: drop undeclared keys, clamp, cap each entity's rows, add up.
//!
//! What is kept of one entity depends on that entity's rows alone: rows and groups are ranked by a salted hash
//! of the entity and the values in use, never by row number, file order or partition. Rows that agree in every
//! value in use are interchangeable. Sums are whole numbers of grid units in 128 bits: at most 2^63 rows of at
//! most 2^53 units each stay below 2^117, so nothing wraps.

mod entity;
mod lookup;

use crate::plan::{Argument, MeasureKind, Query};
use datafusion::arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::cast::{as_float64_array, as_int64_array};
use deniable_core::noise::TwoSidedGeometric;
use entity::Entities;
use lookup::KeyLookup;
use rand_core::Rng;

/// The secret that decides which rows of an entity are kept when there are more than its caps allow.
#[derive(Clone)]
pub struct Salt(pub [u8; 32]);

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
    }
}

/// The exact totals of a query's measures. They are secret: this type has no `Debug` and no `Display`.
pub struct Exact {
    totals: Vec<Vec<i128>>,
}

impl Exact {
    /// The totals with noise, one sampler for each measure.
    ///
    /// Beyond ±2^126, where no total lies, values stay at the end; that is post-processing.
    pub fn with_noise<R: Rng>(self, samplers: &[TwoSidedGeometric], rng: &mut R) -> Vec<Vec<i128>> {
        let end = 1_i128 << 126;
        self.totals
            .into_iter()
            .zip(samplers)
            .map(|(cells, sampler)| {
                cells.into_iter().map(|total| total.saturating_add(sampler.sample(rng)).clamp(-end, end)).collect()
            })
            .collect()
    }

    /// The secret totals themselves: for tests of sensitivity and coverage, never for a release.
    #[must_use]
    pub fn reveal(self) -> Vec<Vec<i128>> {
        self.totals
    }
}

/// What one row adds, by argument: grid units, or 0 for present where no grid is needed.
type Values = Box<[Option<i64>]>;

/// A batch did not have the shape that the plan promised.
#[derive(Debug)]
pub(crate) struct UnexpectedBatch;

/// Adds rows up, batch by batch.
pub(crate) struct Totals<'a> {
    query: &'a Query,
    lookups: Vec<KeyLookup>,
    entities: Option<Entities<'a>>,
    totals: Vec<Vec<i128>>,
}

impl<'a> Totals<'a> {
    /// Starts at zero. `by_entity` says that the first column of every batch is the entity key.
    pub(crate) fn new(query: &'a Query, by_entity: bool, salt: &'a Salt) -> Self {
        Self {
            query,
            lookups: query.groups().iter().map(|group| KeyLookup::new(&group.keys)).collect(),
            entities: by_entity.then(|| Entities::new(query.caps(), salt)),
            totals: vec![vec![0; query.cells()]; query.measures().len()],
        }
    }

    /// Takes in a batch: the entity key if any, the group columns, the arguments.
    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<(), UnexpectedBatch> {
        let mut columns = batch.columns().iter();
        let entity_column = match &self.entities {
            Some(_) => Some(columns.next().ok_or(UnexpectedBatch)?),
            None => None,
        };
        let mut cells: Vec<Option<usize>> = vec![Some(0); batch.num_rows()];
        for lookup in &self.lookups {
            lookup.refine(columns.next().ok_or(UnexpectedBatch)?, &mut cells)?;
        }
        let arguments = self
            .query
            .rows
            .arguments
            .iter()
            .map(|argument| decode(argument, columns.next().ok_or(UnexpectedBatch)?))
            .collect::<Result<Vec<Vec<Option<i64>>>, _>>()?;
        let row_values = |row: usize| arguments.iter().map(|column| column[row]).collect::<Values>();
        match (&mut self.entities, entity_column) {
            (Some(entities), Some(column)) => {
                let ids = EntityColumn::of(column)?;
                let mut buffer = Vec::new();
                for (row, cell) in cells.iter().enumerate() {
                    let Some(cell) = cell else { continue };
                    if ids.write(row, &mut buffer) {
                        entities.add(&buffer, *cell, row_values(row));
                    }
                }
            }
            _ => {
                for (row, cell) in cells.iter().enumerate() {
                    let Some(cell) = cell else { continue };
                    // Every row is its own entity.
                    add_row(self.query, &mut self.totals, *cell, &row_values(row), true);
                }
            }
        }
        Ok(())
    }

    /// The totals after the last batch.
    pub(crate) fn finish(mut self) -> Exact {
        if let Some(entities) = self.entities.take() {
            entities.for_each_kept(|cell, rows| {
                for (position, values) in rows.enumerate() {
                    add_row(self.query, &mut self.totals, cell, values, position == 0);
                }
            });
        }
        Exact { totals: self.totals }
    }
}

/// Adds one kept row to its cell. `first` is true for one row of each entity and cell.
fn add_row(query: &Query, totals: &mut [Vec<i128>], cell: usize, values: &[Option<i64>], first: bool) {
    for (measure, totals) in query.measures().iter().zip(totals) {
        totals[cell] += match &measure.kind {
            MeasureKind::Rows => 1,
            MeasureKind::NotNull { argument } => i128::from(values[*argument].is_some()),
            MeasureKind::Entities => i128::from(first),
            MeasureKind::Sum { argument, centre, range: _ } => {
                values[*argument].map_or(0, |units| i128::from(units) - i128::from(*centre))
            }
        };
    }
}

/// Grid units of an argument's column, or presence where it has no grid.
fn decode(argument: &Argument, column: &ArrayRef) -> Result<Vec<Option<i64>>, UnexpectedBatch> {
    let Some(grid) = &argument.grid else {
        // logical_nulls: a column of type Null is all NULL without a bitmap.
        let nulls = column.logical_nulls();
        let present = |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        return Ok((0..column.len()).map(|row| present(row).then_some(0)).collect());
    };
    match column.data_type() {
        DataType::Int64 => {
            let values = as_int64_array(column).map_err(|_| UnexpectedBatch)?;
            Ok(values.iter().map(|value| value.map(|value| grid.of_integer(value))).collect())
        }
        DataType::Float64 => {
            let values = as_float64_array(column).map_err(|_| UnexpectedBatch)?;
            Ok(values.iter().map(|value| value.and_then(|value| grid.of_float(value))).collect())
        }
        DataType::Null => Ok(vec![None; column.len()]),
        _ => Err(UnexpectedBatch),
    }
}

/// Entity keys: whole numbers or texts.
enum EntityColumn<'a> {
    Integer(&'a Int64Array),
    Text(&'a StringArray),
}

impl<'a> EntityColumn<'a> {
    fn of(column: &'a ArrayRef) -> Result<Self, UnexpectedBatch> {
        let any = column.as_any();
        any.downcast_ref().map(Self::Integer).or_else(|| any.downcast_ref().map(Self::Text)).ok_or(UnexpectedBatch)
    }

    /// Writes the key of a row; false when it is NULL, and the row belongs to nobody.
    fn write(&self, row: usize, buffer: &mut Vec<u8>) -> bool {
        buffer.clear();
        match self {
            Self::Integer(values) if values.is_valid(row) => buffer.extend(values.value(row).to_le_bytes()),
            Self::Text(values) if values.is_valid(row) => buffer.extend(values.value(row).as_bytes()),
            Self::Integer(_) | Self::Text(_) => return false,
        }
        true
    }
}
