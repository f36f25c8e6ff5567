//! From rows to exact cells: drop undeclared keys, clamp, cap each entity's rows, add up.
//!
//! What is kept of one entity depends on that entity's rows alone: rows and groups are ranked by a salted hash
//! of the entity and the values in use, never by row number, file order or partition. Rows that agree in every
//! value in use are interchangeable. Sums are whole numbers of grid units in 128 bits: at most 2^63 rows of at
//! most 2^53 units each stay below 2^117, so nothing wraps.

mod entity;
mod exact;
mod lookup;

pub use exact::Exact;

use crate::plan::{Argument, MeasureKind, Query};
use datafusion::arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::cast::{as_float64_array, as_int64_array};
use entity::Entities;
use exact::Cells;
use lookup::KeyLookup;

/// The secret that decides which rows of an entity are kept when there are more than its caps allow.
#[derive(Clone)]
pub struct Salt(pub [u8; 32]);

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
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
    /// One for each level, where rows belong to entities.
    entities: Option<Vec<Entities<'a>>>,
    cells: Vec<Cells>,
}

impl<'a> Totals<'a> {
    /// Starts at zero. `by_entity` says that the first column of every batch is the entity key.
    pub(crate) fn new(query: &'a Query, by_entity: bool, salt: &'a Salt) -> Self {
        let entities = || query.levels().iter().map(|_| Entities::new(query.caps(), salt)).collect();
        Self {
            query,
            lookups: query.groups().iter().map(|group| KeyLookup::new(&group.keys)).collect(),
            entities: by_entity.then(entities),
            cells: query
                .measures()
                .iter()
                .map(|measure| Cells::new(&measure.kind, query.cells(measure.level)))
                .collect(),
        }
    }

    /// Takes in a batch: the entity key if any, the groups, the arguments.
    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<(), UnexpectedBatch> {
        let mut columns = batch.columns().iter();
        let entity_column = match &self.entities {
            Some(_) => Some(columns.next().ok_or(UnexpectedBatch)?),
            None => None,
        };
        let mut keys: Vec<Vec<Option<usize>>> = Vec::with_capacity(self.lookups.len());
        for lookup in &self.lookups {
            let mut places = vec![Some(0); batch.num_rows()];
            lookup.refine(columns.next().ok_or(UnexpectedBatch)?, &mut places)?;
            keys.push(places);
        }
        let arguments = self
            .query
            .rows
            .arguments
            .iter()
            .map(|argument| decode(argument, columns.next().ok_or(UnexpectedBatch)?))
            .collect::<Result<Vec<Vec<Option<i64>>>, _>>()?;
        let row_values = |row: usize| arguments.iter().map(|column| column[row]).collect::<Values>();
        // A row with an undeclared key counts at no level, so that levels agree.
        let declared: Vec<bool> = (0..batch.num_rows()).map(|row| keys.iter().all(|key| key[row].is_some())).collect();
        for (level, members) in self.query.levels().iter().enumerate() {
            let cell = |row: usize| {
                members.iter().fold(0, |cell, group| {
                    cell * self.query.groups()[*group].keys.len() + keys[*group][row].unwrap_or(0)
                })
            };
            let rows = (0..batch.num_rows()).filter(|row| declared[*row]);
            match (&mut self.entities, entity_column) {
                (Some(entities), Some(column)) => {
                    let ids = EntityColumn::of(column)?;
                    let mut buffer = Vec::new();
                    for row in rows {
                        if ids.write(row, &mut buffer) {
                            entities[level].add(&buffer, cell(row), row_values(row));
                        }
                    }
                }
                _ => {
                    for row in rows {
                        // Every row is its own entity.
                        let values = row_values(row);
                        add_row(self.query, level, &mut self.cells, cell(row), &values, true, &values);
                    }
                }
            }
        }
        Ok(())
    }

    /// The totals after the last batch.
    pub(crate) fn finish(mut self) -> Exact {
        for (level, entities) in self.entities.take().into_iter().flatten().enumerate() {
            entities.for_each_kept(|cell, present, rows| {
                for (position, values) in rows.enumerate() {
                    add_row(self.query, level, &mut self.cells, cell, values, position == 0, present);
                }
            });
        }
        Exact { cells: self.cells }
    }
}

/// Adds one kept row to its cell. `first` is true for one row of each entity and cell; `present` tells which arguments
/// any row of that entity has in that cell, kept or not.
fn add_row(
    query: &Query,
    level: usize,
    cells: &mut [Cells],
    cell: usize,
    values: &[Option<i64>],
    first: bool,
    present: &[Option<i64>],
) {
    for (measure, cells) in query.measures().iter().zip(cells).filter(|(measure, _)| measure.level == level) {
        match (cells, &measure.kind) {
            (Cells::Sums(sums), kind) => {
                sums[cell] += match kind {
                    MeasureKind::Rows => 1,
                    MeasureKind::NotNull { argument } => i128::from(values[*argument].is_some()),
                    MeasureKind::Entities { present: None } => i128::from(first),
                    MeasureKind::Entities { present: Some(argument) } => {
                        i128::from(first && present[*argument].is_some())
                    }
                    MeasureKind::Sum { argument, centre, squared, range: _ } => {
                        let difference = values[*argument].map_or(0, |units| i128::from(units) - i128::from(*centre));
                        if *squared { difference * difference } else { difference }
                    }
                    MeasureKind::Ranked { .. } | MeasureKind::Tree { .. } => 0,
                };
            }
            (Cells::Values(kept), MeasureKind::Ranked { argument, .. } | MeasureKind::Tree { argument, .. }) => {
                kept[cell].extend(values[*argument]);
            }
            (Cells::Values(_), _) => {}
        }
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
