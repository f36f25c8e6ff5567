//! One row for each entity, computed from that entity's own rows (S-PE).
//!
//! ```text
//! read → look up → evaluate → scatter by entity        on all threads, to temporary files beyond the memory
//!   shard by shard: fold each entity's rows             exact, in any order: integers, the least, the largest
//!     evaluate → sum                                    each entity is one row
//! ```
//!
//! A value of an entity is a function of the multiset of its rows: sums are of integer grid units, so it depends
//! neither on the order of the rows nor on the rows of other entities. An entity takes the same memory however many
//! rows it has.

use super::row::{Inflow, Inputs, RowOperator};
use super::rowset::{self, SHARD_BITS, SPLIT_BITS, Scatter, Shard};
use super::{PendingScan, Room};
use crate::bound::{Columns, ComputeError, Decoder, Identities, Identity, Meaning, Salt, Watch};
use arrow_array::{Array, ArrayRef};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::Key;
use deniable_data::{Batch, Memory};
use deniable_expression::{Column, Decimal, Type, Value};
use deniable_query::facts::keys::key_of;
use deniable_query::{Argument, Query};
use deniable_query::{EntityRows, Fold};
use num_traits::ToPrimitive;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering as AtomicOrdering};

/// The scattered rows get this fraction of the memory, and so do the folded ones.
const PART: usize = 4;
/// Number of bytes of an entity in a map, besides its values.
const BESIDE: usize = 64;
/// Number of entities that are evaluated at once.
const BATCH: usize = 8_192;

/// Folds the rows of each entity into one row.
pub(super) struct EntityFolder {
    made: EntityRows,
    kinds: Vec<Type>,
    distinct: Vec<BTreeMap<Key, usize>>,
    /// The types of the columns of an entity's row, except the first.
    columns: Vec<Type>,
    /// Number of inputs of the query's own program.
    width: usize,
    /// Evaluates the rows that are read, and then those that are computed.
    rows: RowOperator,
    entities: RowOperator,
}

/// The running value of a fold for one entity.
#[derive(Clone)]
pub(super) enum State {
    /// A value of one row, not of all rows.
    OfEachRow,
    Count(i64),
    Distinct(Vec<u64>),
    /// The sum of the units, and the number of values.
    Sum(i128, i64),
    Extreme(Option<Value>),
    /// The first order value so far, and the value of that row.
    OfRow(Option<(Value, Option<Value>)>),
}

/// The most bytes of one entity's values, whatever its rows: a function of the declared types.
fn most_bytes(folding: &EntityFolder) -> usize {
    let of = |(fold, keys): (&Fold, &BTreeMap<Key, usize>)| match fold {
        Fold::Least(at) | Fold::Greatest(at) => rowset::most_bytes(folding.kinds[*at]),
        Fold::AtLeast { value, by } | Fold::AtGreatest { value, by } => {
            rowset::most_bytes(folding.kinds[*value]).saturating_add(rowset::most_bytes(folding.kinds[*by]))
        }
        Fold::Distinct(..) => keys.len() / 8 + 8,
        Fold::Rows | Fold::Present(_) | Fold::Sum(..) | Fold::Average(_) => 0,
        // Rows that are computed one by one are held as records.
        Fold::Own(_) | Fold::Shifted { .. } | Fold::Place(_) => 0,
    };
    let values = folding.made.folds.iter().zip(&folding.distinct).map(of);
    values.fold(BESIDE + folding.made.folds.len() * size_of::<State>(), usize::saturating_add)
}

impl EntityFolder {
    pub(super) fn new(query: &Query, made: &EntityRows, rows: RowOperator, entities: RowOperator) -> Self {
        let program = &made.of.rows().program;
        let kinds = made.of.rows().arguments.iter().map(|argument| program.kind(argument.value)).collect();
        let keys = |fold: &Fold| match fold {
            Fold::Distinct(_, keys) => keys.iter().cloned().zip(0..).collect(),
            _ => BTreeMap::new(),
        };
        let distinct = made.folds.iter().map(keys).collect();
        let width = query.rows().program.columns().len();
        let columns = query.rows().program.columns().iter().skip(1).take(made.folds.len());
        let columns = columns.map(|column| column.kind).collect();
        Self { made: made.clone(), kinds, distinct, columns, width, rows, entities }
    }

    pub(super) fn folds(&self) -> &[Fold] {
        &self.made.folds
    }

    /// The types of the arguments.
    pub(super) fn kinds(&self) -> &[Type] {
        &self.kinds
    }

    /// The types of the computed columns, except the first.
    pub(super) fn columns(&self) -> &[Type] {
        &self.columns
    }

    /// Evaluates the rows that are read.
    pub(super) fn inner(&self) -> &RowOperator {
        &self.rows
    }

    pub(super) fn inner_mut(&mut self) -> &mut RowOperator {
        &mut self.rows
    }

    /// Evaluates the rows that are computed.
    pub(super) fn outer(&self) -> &RowOperator {
        &self.entities
    }

    /// Number of threads, at most `most`, that can fold at the same time with memory for any entity and any row; 0 if
    /// not even one can.
    pub(super) fn threads(&self, limit: Option<usize>, most: usize) -> usize {
        let Some(limit) = limit else { return most };
        let record = self.kinds.iter().map(|kind| rowset::most_bytes(*kind)).fold(rowset::HEAD, usize::saturating_add);
        // A record takes twice its length while it is scattered.
        let largest = most_bytes(self).max(record.saturating_mul(2));
        (1..=most).rev().find(|threads| limit / PART / threads / 2 >= largest).unwrap_or(0)
    }

    /// Reads all rows, folds them and sums over the rows of the entities.
    pub(super) fn run(
        &self,
        table: PendingScan,
        query: &Query,
        salt: &Salt,
        room: &Room,
        (threads, walks): (usize, usize),
        watch: Option<Arc<Watch>>,
    ) -> Result<(), ComputeError> {
        let PendingScan { scan, inflow } = table;
        // The largest row must fit in every thread's scatter.
        let threads = if room.memory.limit().is_some() { threads.min(walks) } else { threads };
        let identities = Identities::new(salt);
        let allowance = room.memory.limit().unwrap_or(usize::MAX) / PART / threads.max(1);
        let start = || {
            let scatter = Scatter::new((0, SHARD_BITS), allowance, room.memory.reserve(), room.disk.clone());
            (self.rows.clone(), scatter, Vec::new())
        };
        let take = |(operator, scatter, bytes): &mut (RowOperator, Scatter, Vec<u8>), batch: Batch| {
            self.push(&inflow, batch, operator, &identities, (scatter, bytes), watch.as_deref())
        };
        let scattered = scan.run(threads, start, take).map_err(super::exhausted)?;
        let shards = rowset::together(scattered.into_iter().map(|(_, scatter, _)| scatter));
        let (next, meaning) = (AtomicUsize::new(0), Meaning::of_query(query, watch.clone()));
        super::on_threads(walks, |thread| {
            let mut walk = Walk {
                folding: self,
                room,
                memory: &room.memory,
                allowance: room.memory.limit().unwrap_or(usize::MAX) / PART / walks.max(1),
                operator: self.entities.clone(),
                columns: Columns::new(meaning.clone()),
                copy: thread % room.copies.len().max(1),
            };
            while let Some(shard) = shards.get(next.fetch_add(1, AtomicOrdering::Relaxed)) {
                walk.fold_or_split(shard, SHARD_BITS)?;
            }
            Ok(())
        })
    }

    /// Evaluates a batch and scatters its rows.
    pub(super) fn push(
        &self,
        inflow: &Inflow,
        batch: Batch,
        operator: &mut RowOperator,
        identities: &Identities,
        (scatter, bytes): (&mut Scatter, &mut Vec<u8>),
        watch: Option<&Watch>,
    ) -> Result<(), ComputeError> {
        let Some((rows, arrays)) = operator.run(inflow.inputs(batch)) else { return Ok(()) };
        let Some((entity, values)) = arrays.split_first() else { return Ok(()) };
        if let Some(watch) = watch {
            self.count_beyond(entity, values, watch);
        }
        let read = |(array, kind): (&ArrayRef, &Type)| {
            let column = Column::from_array(array).filter(|column| column.kind() == *kind);
            column.unwrap_or_else(|| Column::nulls(*kind, rows))
        };
        let columns: Vec<Column> = values.iter().zip(&self.kinds).map(read).collect();
        rowset::scatter(entity, &columns, identities, scatter, bytes)
    }

    /// Counts the values of rows with an entity, and those beyond their bounds.
    fn count_beyond(&self, entity: &ArrayRef, values: &[ArrayRef], watch: &Watch) {
        let somebody = entity.logical_nulls();
        for ((argument, array), [all, outside]) in self.made.of.rows().arguments.iter().zip(values).zip(&watch.inside) {
            let present = array.logical_nulls();
            let counts = |row: usize| [&somebody, &present].into_iter().flatten().all(|nulls| nulls.is_valid(row));
            let (found, beyond) = Decoder::new(argument).beyond(array, counts);
            all.fetch_add(found, AtomicOrdering::Relaxed);
            outside.fetch_add(beyond, AtomicOrdering::Relaxed);
        }
    }

    pub(super) fn begin(&self) -> Vec<State> {
        let state = |(fold, keys): (&Fold, &BTreeMap<Key, usize>)| match fold {
            Fold::Rows | Fold::Present(_) => State::Count(0),
            Fold::Distinct(..) => State::Distinct(vec![0; keys.len().div_ceil(64)]),
            Fold::Sum(..) | Fold::Average(_) => State::Sum(0, 0),
            Fold::Least(_) | Fold::Greatest(_) => State::Extreme(None),
            Fold::AtLeast { .. } | Fold::AtGreatest { .. } => State::OfRow(None),
            Fold::Own(_) | Fold::Shifted { .. } | Fold::Place(_) => State::OfEachRow,
        };
        self.made.folds.iter().zip(&self.distinct).map(state).collect()
    }

    /// Adds the values of a row; returns the bytes of texts that were added and removed.
    pub(super) fn add(&self, states: &mut [State], values: &[Option<Value>]) -> (usize, usize) {
        let (mut came, mut went) = (0, 0);
        for ((state, fold), keys) in states.iter_mut().zip(&self.made.folds).zip(&self.distinct) {
            let value = fold.argument().and_then(|at| values.get(at)).and_then(Option::as_ref);
            match (state, fold) {
                (State::OfRow(known), Fold::AtLeast { by, .. } | Fold::AtGreatest { by, .. }) => {
                    let Some(by) = values.get(*by).and_then(Option::as_ref) else { continue };
                    let is_better = known.as_ref().is_none_or(|(first, of_first)| {
                        let before = match fold {
                            Fold::AtGreatest { .. } => order(first, by),
                            _ => order(by, first),
                        };
                        // Rows with equal order values are compared by their values, not by position.
                        before.then_with(|| nulls_last(value, of_first.as_ref())) == Ordering::Less
                    });
                    if is_better {
                        let bytes =
                            |(by, value): &(Value, Option<Value>)| bytes_of(by) + value.as_ref().map_or(0, bytes_of);
                        let new = (by.clone(), value.cloned());
                        came += bytes(&new);
                        went += known.as_ref().map_or(0, bytes);
                        *known = Some(new);
                    }
                }
                (State::OfRow(_) | State::OfEachRow, _) => {}
                (State::Count(count), Fold::Rows) => *count = count.saturating_add(1),
                (State::Count(count), _) => *count = count.saturating_add(value.is_some().into()),
                (State::Distinct(bits), _) => {
                    let place = value.and_then(|value| key_of(Some(value))).and_then(|key| keys.get(&key).copied());
                    if let Some(place) = place {
                        bits[place / 64] |= 1 << (place % 64);
                    }
                }
                (State::Sum(units, count), _) => {
                    let argument = fold.argument().map(|at| self.made.argument(at));
                    if let Some(added) = value.zip(argument).and_then(|(value, argument)| units_of(value, argument)) {
                        (*units, *count) = (*units + i128::from(added), count.saturating_add(1));
                    }
                }
                (State::Extreme(known), fold) => {
                    let wanted = if matches!(fold, Fold::Least(_)) { Ordering::Less } else { Ordering::Greater };
                    let is_better = |value: &&Value| known.as_ref().is_none_or(|known| order(value, known) == wanted);
                    if let Some(value) = value.filter(is_better) {
                        came += bytes_of(value);
                        went += known.as_ref().map_or(0, bytes_of);
                        *known = Some(value.clone());
                    }
                }
            }
        }
        (came, went)
    }

    /// The value of a fold.
    pub(super) fn finish(&self, at: usize, state: &State) -> Option<Value> {
        match (state, &self.made.folds[at]) {
            (State::Count(count), _) => Some(Value::Integer(*count)),
            (State::Distinct(bits), _) => {
                Some(Value::Integer(bits.iter().map(|bits| i64::from(bits.count_ones())).sum()))
            }
            (State::Sum(_, 0), _) => None,
            (State::Sum(units, count), fold) => {
                let unit = self.made.argument(fold.argument()?).grid.as_ref()?.unit.clone();
                match fold {
                    Fold::Sum(_, true) => (unit.to_integer() * units).to_i64().map(Value::Integer),
                    Fold::Sum(_, false) => nearest(*units, &unit),
                    _ => nearest(*units, &(unit / whole(*count))),
                }
            }
            (State::Extreme(value), _) => value.clone(),
            (State::OfEachRow, _) => None,
            (State::OfRow(row), _) => row.as_ref().and_then(|(_, value)| value.clone()),
        }
    }
}

/// This number of units as the nearest decimal.
fn nearest(units: i128, unit: &Rational) -> Option<Value> {
    (whole(units) * unit).to_f64().and_then(Decimal::new).map(Value::Decimal)
}

/// The grid point of a value, in units.
fn units_of(value: &Value, argument: &Argument) -> Option<i64> {
    let grid = argument.grid.as_ref()?;
    match value {
        Value::Integer(number) => Some(grid.of_integer(*number)),
        Value::Decimal(number) => grid.of_float(number.get()),
        Value::Boolean(_) | Value::Text(_) | Value::Date(_) | Value::Timestamp(_) => None,
    }
}

/// The order of two values of one type: numbers and times by size, texts by their bytes.
fn order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Boolean(left), Value::Boolean(right)) => left.cmp(right),
        (Value::Integer(left), Value::Integer(right)) => left.cmp(right),
        (Value::Decimal(left), Value::Decimal(right)) => left.get().total_cmp(&right.get()),
        (Value::Text(left), Value::Text(right)) => left.cmp(right),
        (Value::Date(left), Value::Date(right)) => left.cmp(right),
        (Value::Timestamp(left), Value::Timestamp(right)) => left.cmp(right),
        _ => Ordering::Equal,
    }
}

/// The order of two values of one type, with NULL last.
pub(super) fn nulls_last(left: Option<&Value>, right: Option<&Value>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => order(left, right),
        (left, right) => left.is_none().cmp(&right.is_none()),
    }
}

fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Boolean(_) | Value::Integer(_) | Value::Decimal(_) | Value::Date(_) | Value::Timestamp(_) => 0,
    }
}

/// One thread's walk over the shards.
struct Walk<'a> {
    folding: &'a EntityFolder,
    room: &'a Room,
    memory: &'a Memory,
    allowance: usize,
    operator: RowOperator,
    columns: Columns,
    copy: usize,
}

impl Walk<'_> {
    fn fold_or_split(&mut self, shard: &Shard, used: u32) -> Result<(), ComputeError> {
        let mut reservation = self.memory.reserve();
        let mut entities: HashMap<Identity, Vec<State>> = HashMap::new();
        let (mut held, mut full, mut values) = (0_usize, false, Vec::new());
        // Maps double as they grow.
        let each = 2 * (BESIDE + self.folding.made.folds.len() * size_of::<State>());
        shard.read(&mut |record| {
            if full {
                return Ok(());
            }
            rowset::values(record, &self.folding.kinds, &mut values);
            let states = entities.entry(rowset::identity(record)).or_insert_with(|| {
                held += each;
                self.folding.begin()
            });
            // The bytes of an entity are bounded, whatever the number and contents of its rows.
            let (came, went) = self.folding.add(states, &values);
            held = (held + came).saturating_sub(went);
            full = held > self.allowance;
            Ok(())
        })?;
        if !full && reservation.try_grow(held) {
            return self.hand_out(&entities);
        }
        drop(entities);
        if used + SPLIT_BITS > u64::BITS {
            return Err(ComputeError::Memory);
        }
        let bits = (used, SPLIT_BITS);
        let mut scatter = Scatter::new(bits, self.allowance / 4, self.memory.reserve(), self.room.disk.clone());
        shard.read(&mut |record| scatter.push(record))?;
        // On disk, so that the memory remains for the folded rows.
        scatter.finish_on_disk()?.iter().try_for_each(|shard| self.fold_or_split(shard, used + SPLIT_BITS))
    }

    /// Evaluates the rows of these entities and adds them to the totals.
    fn hand_out(&mut self, entities: &HashMap<Identity, Vec<State>>) -> Result<(), ComputeError> {
        let all: Vec<&Vec<State>> = entities.values().collect();
        for batch in all.chunks(BATCH) {
            let column = |(at, kind): (usize, &Type)| {
                let values = batch.iter().map(|states| self.folding.finish(at, &states[at]));
                Some(Column::from_values(*kind, values))
            };
            let mut typed = vec![None; self.folding.width];
            let columns = self.folding.columns.iter().enumerate().map(column);
            typed.iter_mut().skip(1).zip(columns).for_each(|(place, column)| *place = column);
            let stored = vec![None; self.folding.width];
            let inputs = Inputs { rows: batch.len(), typed, stored, entity: None };
            if let Some((rows, arrays)) = self.operator.run(inputs) {
                self.columns.read(rows, &arrays);
                self.room.add(self.copy, |totals| self.columns.add_to(totals))?;
            }
        }
        Ok(())
    }
}
