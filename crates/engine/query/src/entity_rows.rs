//! Rows computed from each entity's own rows: one row for each entity, or each of its rows beside values of the others
//! (S-PE, S-OWN).

use crate::facts::keys::Derivation;
use crate::facts::range::Ranges;
use crate::{Argument, Query, Rows, declared};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, Key, TableSchema};
use deniable_expression::{Id, Node, Type};

/// The computation of rows from each entity's own rows.
#[derive(Debug, Clone)]
pub struct EntityRows {
    /// The rows that are read: tables, joins, conditions, and the arguments of the folds.
    pub of: Query,
    /// The columns of a computed row, except the first, which is the entity's key.
    pub folds: Vec<Fold>,
    /// The rows that are computed.
    pub yields: Yield,
}

/// The rows that are computed for an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yield {
    /// One row.
    OneRow,
    /// A row for each row of the entity, of at most `rows_in_joins`.
    EachRow,
}

/// A sort key of an entity's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnSort {
    /// The argument that rows are ordered by.
    pub by: usize,
    /// Whether the smallest value comes first.
    pub ascending: bool,
    /// Whether NULL comes before all values.
    pub nulls_first: bool,
}

/// A value of a computed row. Arguments are positions in [`EntityRows::of`].
///
/// [`Fold::Own`], [`Fold::Shifted`] and [`Fold::Place`] depend on the row, and occur with [`Yield::EachRow`] alone. Rows
/// that are equal in all sort keys are ordered by the values that the query reads, so that no value depends on the order
/// in which rows are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fold {
    /// Number of rows.
    Rows,
    /// Number of rows in which this argument is not NULL.
    Present(usize),
    /// Number of these keys that the entity has.
    Distinct(usize, Vec<Key>),
    /// The sum of the values on their grid; an integer if the flag is set.
    Sum(usize, bool),
    /// The average.
    Average(usize),
    /// The smallest value.
    Least(usize),
    /// The largest value.
    Greatest(usize),
    /// The value of the row where `by` is smallest; of several such rows the smallest value.
    AtLeast {
        /// The value's argument.
        value: usize,
        /// The argument that rows are ordered by.
        by: usize,
    },
    /// The value of the row where `by` is largest; of several such rows the smallest value.
    AtGreatest {
        /// The value's argument.
        value: usize,
        /// The argument that rows are ordered by.
        by: usize,
    },
    /// The row's own value.
    Own(usize),
    /// The value of the row this many places before, or after if the number is negative; NULL if there is no such row.
    Shifted {
        /// The value's argument.
        value: usize,
        /// The order of the entity's rows.
        order: Vec<OwnSort>,
        /// The number of places.
        places: i64,
    },
    /// The row's place among the entity's rows, from 1.
    Place(Vec<OwnSort>),
}

/// The average of one entity is rounded to this fraction of a step.
const AVERAGE: i64 = 100;

impl EntityRows {
    /// The table of these rows: the entity's key, a column with a name and a type but no values, and a column for each
    /// fold. A name that occurs again gets its position as a suffix. Only the rows of [`Yield::EachRow`] have caps: one
    /// row for each entity needs none.
    #[must_use]
    pub fn table(&self, names: Vec<String>) -> Option<TableSchema> {
        let rows = self.of.rows();
        let table = &rows.tables[rows.joins.first];
        let key = &table.entity.as_ref()?.key;
        let known = table.columns.iter().find(|column| column.name == *key);
        let mut columns = vec![Column::new(key, known.map_or(ColumnType::Text, |column| column.kind))];
        for (fold, name) in self.folds.iter().zip(names) {
            let is_taken = columns.iter().any(|known| known.name == name);
            let name = if is_taken { format!("{name} ({})", columns.len()) } else { name };
            columns.push(fold.column(name, rows));
        }
        Some(match self.yields {
            Yield::OneRow => TableSchema::protected(format!("(one row for each {key})"), columns, None),
            Yield::EachRow => TableSchema::protected(format!("(rows of each {key})"), columns, table.entity.clone()),
        })
    }

    /// The most rows of an entity that are read, where its rows are ordered or stay beside values of them.
    #[must_use]
    pub fn most_rows(&self) -> Option<u32> {
        let rows = self.of.rows();
        let entity = rows.tables[rows.joins.first].entity.as_ref();
        entity.filter(|_| self.yields == Yield::EachRow).map(|entity| entity.rows_in_joins)
    }

    /// Whether the column at this position is a number of rows or of keys: never NULL, and within its known range.
    pub fn is_count(&self, column: usize) -> bool {
        let fold = column.checked_sub(1).and_then(|at| self.folds.get(at));
        matches!(fold, Some(Fold::Rows | Fold::Present(_) | Fold::Distinct(..) | Fold::Place(_)))
    }

    /// Whether the column at this position has values of another row, which are NULL where there is none.
    pub(crate) fn is_shifted(&self, column: usize) -> bool {
        let fold = column.checked_sub(1).and_then(|at| self.folds.get(at));
        matches!(fold, Some(Fold::Shifted { .. }))
    }

    /// The table and the column whose values this column repeats.
    pub(crate) fn read_column(&self, column: usize) -> Option<(String, String)> {
        let Some(Fold::Own(at)) = column.checked_sub(1).and_then(|at| self.folds.get(at)) else { return None };
        let rows = self.of.rows();
        let Node::Column(position) = rows.program.node(self.argument(*at).value) else { return None };
        let (table, known) = declared(&rows.tables, *position as usize)?;
        Some((rows.tables[table].name.clone(), known.name.clone()))
    }

    /// The argument at this position, which folds refer to.
    pub fn argument(&self, at: usize) -> &Argument {
        &self.of.rows.arguments[at]
    }
}

impl Fold {
    /// The column of a fold, with the facts that follow from those of the rows.
    fn column(&self, name: String, rows: &Rows) -> Column {
        let counted =
            |least| Column { step: Some(whole(1)), least: Some(least), ..Column::new(&name, ColumnType::Integer) };
        let grid_of = |at: usize| rows.arguments[at].grid.as_ref();
        match self {
            Self::Rows | Self::Place(_) => counted(1),
            Self::Present(_) => counted(0),
            Self::Distinct(_, keys) => {
                within(Column::new(&name, ColumnType::Integer), whole(0), whole(keys.len()), whole(1))
            }
            Self::Sum(at, is_whole) => {
                let kind = if *is_whole { ColumnType::Integer } else { ColumnType::Decimal };
                let grid = grid_of(*at);
                let least = grid.is_some_and(|grid| grid.low >= 0).then_some(0);
                Column { step: grid.map(|grid| grid.unit.clone()), least, ..Column::new(&name, kind) }
            }
            Self::Average(at) => {
                let column = Column::new(&name, ColumnType::Decimal);
                match grid_of(*at) {
                    Some(grid) => {
                        let of = |units: i64| whole(units) * &grid.unit;
                        within(column, of(grid.low), of(grid.high), &grid.unit / whole(AVERAGE))
                    }
                    None => column,
                }
            }
            Self::Least(at)
            | Self::Greatest(at)
            | Self::AtLeast { value: at, .. }
            | Self::AtGreatest { value: at, .. }
            | Self::Own(at)
            | Self::Shifted { value: at, .. } => taken(&name, rows.arguments[*at].value, rows),
        }
    }

    /// The argument whose values are folded.
    pub fn argument(&self) -> Option<usize> {
        match self {
            Self::Rows | Self::Place(_) => None,
            Self::Present(at)
            | Self::Distinct(at, _)
            | Self::Sum(at, _)
            | Self::Average(at)
            | Self::Least(at)
            | Self::Greatest(at)
            | Self::AtLeast { value: at, .. }
            | Self::AtGreatest { value: at, .. }
            | Self::Own(at)
            | Self::Shifted { value: at, .. } => Some(*at),
        }
    }
}

impl Query {
    /// The arguments that are summed or averaged within each entity's own rows, and the bounds to which their values
    /// are clamped.
    #[must_use]
    pub fn bounded_inside(&self) -> Vec<(String, Rational, Rational)> {
        let Some(made) = &self.entity_rows else { return Vec::new() };
        let mut all = Vec::new();
        for fold in &made.folds {
            if let Fold::Sum(at, _) | Fold::Average(at) = fold
                && let Some(grid) = &made.argument(*at).grid
            {
                let of = |units: i64| whole(units) * &grid.unit;
                all.push((made.of.argument_words(*at), of(grid.low), of(grid.high)));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    /// Whether the query's rows are one for each entity, with values computed from the entity's own rows (S-PE).
    #[must_use]
    pub fn is_of_entity_rows(&self) -> bool {
        self.entity_rows.as_ref().is_some_and(|made| made.yields == Yield::OneRow)
    }
}

/// The column of a value that is one of the values of an argument, so that all their facts hold for it.
fn taken(name: &str, value: Id, rows: &Rows) -> Column {
    let Rows { program, tables, .. } = rows;
    let column = Column::new(name, column_type(program.kind(value)));
    if let Node::Column(position) = program.node(value)
        && let Some((_, known)) = declared(tables, *position as usize)
    {
        let (keys, labels) = (known.keys.clone(), known.labels.clone());
        return Column { bounds: known.bounds.clone(), keys, labels, ..column };
    }
    let range = Ranges::default().of(program, value, tables);
    match range.grid().ok().filter(|grid| grid.low < grid.high) {
        Some(grid) => within(column, whole(grid.low) * &grid.unit, whole(grid.high) * &grid.unit, grid.unit.clone()),
        None => {
            let keys = Derivation { program, tables }.keys(value).ok();
            let is_keyed = matches!(column.kind, ColumnType::Text | ColumnType::Boolean | ColumnType::Integer);
            Column { keys: keys.filter(|_| is_keyed), ..column }
        }
    }
}

fn column_type(kind: Type) -> ColumnType {
    match kind {
        Type::Boolean => ColumnType::Boolean,
        Type::Integer => ColumnType::Integer,
        Type::Decimal => ColumnType::Decimal,
        Type::Text => ColumnType::Text,
        Type::Date => ColumnType::Date,
        Type::Timestamp => ColumnType::Timestamp,
    }
}

/// The column with bounds that are known to hold; without bounds, if they have too many steps to be counted.
fn within(column: Column, low: Rational, high: Rational, step: Rational) -> Column {
    Column { bounds: Bounds::new(low, high, step).ok(), ..column }
}
