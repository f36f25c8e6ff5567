//! Joins tables of one entity inside the shards of that entity, and computes each of its rows from the others.
//!
//! The rows of every table are scattered over shards by their entity; then, shard by shard and entity by entity, all
//! combinations are formed, evaluated and capped. The number of rows of an entity that are joined from each table is
//! bounded ([`deniable_core::schema::Entity::rows_in_joins`]), and so are their bytes: those of the lowest ranks among
//! that entity's own rows are joined, so no entity can produce very many combinations.

use super::PendingScan;
use super::own_rows::OwnRows;
use super::row::{Inflow, Inputs, RowOperator};
use super::rowset::{self, SHARD_BITS, SPLIT_BITS, Scatter, Shard};
use crate::bound::{CapRows, Columns, ComputeError, Disk, Identities, Identity, LargeEntity, Salt, Take, Watch};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, UInt32Array};
use deniable_data::{Batch, Memory, Reservation, Scan};
use deniable_expression::{Column, Type};
use deniable_query::Query;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The scattered rows get this fraction of the memory, and so do the joined ones; the rest is for the capped rows.
const PART: usize = 4;
/// Number of bytes of a record besides its contents.
const BESIDE: usize = size_of::<Vec<u8>>() * 2;
/// Most bytes of one entity's joined records, for each table. Like `rows_in_joins` it depends on that entity's rows
/// alone, and ensures that very long texts cannot exhaust the memory.
const MOST_BYTES: usize = 16 << 20;
/// Number of combinations that are evaluated at once.
const BATCH: usize = 8_192;

/// The join of a query's tables, within entities.
pub(super) struct TableJoin<'a> {
    cap: &'a CapRows,
    identities: Identities,
    /// The types and positions of the inputs of each table.
    tables: Vec<(Vec<Type>, Vec<usize>)>,
    /// Computes the rows of the only table from its records.
    own: Option<&'a OwnRows>,
    /// Number of inputs.
    width: usize,
    most: usize,
    memory: Memory,
    disk: Arc<Disk>,
    /// Most bytes of one scatter.
    allowance: usize,
    /// Most bytes of the records that one thread joins.
    room: usize,
    threads: usize,
}

/// The shards of all tables.
pub(super) struct TableShards {
    shards: Vec<Vec<Shard>>,
    next: AtomicUsize,
}

/// The records of one table in a shard, in the order of their entities.
struct LoadedRecords {
    records: Vec<Vec<u8>>,
    _reservation: Reservation,
}

/// A shard exceeds the available memory.
enum ShardOverflow {
    Split,
    Exhausted(ComputeError),
}

impl From<ComputeError> for ShardOverflow {
    fn from(exhausted: ComputeError) -> Self {
        Self::Exhausted(exhausted)
    }
}

/// The most bytes of one entity's records of a table, from the most bytes of one record.
fn most_bytes(query: &Query, table: usize, record: usize) -> usize {
    let rows = query.rows().tables[table].entity.as_ref().map_or(1, |entity| entity.rows_in_joins as usize);
    record.saturating_add(BESIDE).saturating_mul(rows).min(MOST_BYTES)
}

/// Number of threads that can join tables at the same time, such that any rows of one entity fit; 0 if not even one
/// can. It follows from the declared types and `rows_in_joins` alone.
pub(super) fn threads(query: &Query, tables: &[usize], limit: Option<usize>, most: usize) -> usize {
    let bytes = |table: &usize| {
        let used = super::used_inputs(query, *table).into_iter();
        let kinds = used.map(|input| query.rows().program.columns()[input].kind);
        let record = kinds.map(rowset::most_bytes).fold(rowset::HEAD, usize::saturating_add);
        most_bytes(query, *table, record)
    };
    let largest = tables.iter().map(bytes).max().unwrap_or(0);
    fitting(largest, tables.len().max(1), limit, most)
}

/// As [`threads`], for the rows of entities with records of at most this many bytes.
pub(super) fn own_threads(query: &Query, record: usize, limit: Option<usize>, most: usize) -> usize {
    fitting(most_bytes(query, query.rows().joins.first, record), 1, limit, most)
}

fn fitting(largest: usize, tables: usize, limit: Option<usize>, most: usize) -> usize {
    let Some(limit) = limit else { return most };
    // A shard is split while it fills more than half of the room.
    let fits = |threads: &usize| limit / PART / threads / tables / 2 >= largest;
    (1..=most).rev().find(fits).unwrap_or(0)
}

impl<'a> TableJoin<'a> {
    pub(super) fn new(
        query: &Query,
        salt: &Salt,
        cap: &'a CapRows,
        memory: Memory,
        disk: Arc<Disk>,
        (threads, walks): (usize, usize),
    ) -> Self {
        let rows = query.rows();
        let most = rows.tables[rows.joins.first].entity.as_ref().map_or(1, |entity| entity.rows_in_joins as usize);
        let width = rows.program.columns().len();
        let limit = memory.limit().unwrap_or(usize::MAX);
        let allowance = limit / PART / threads.max(1);
        let room = limit / PART / walks.max(1);
        let identities = Identities::new(salt);
        Self { cap, identities, tables: Vec::new(), own: None, width, most, memory, disk, allowance, room, threads }
    }

    /// Reads all tables, one after the other.
    pub(super) fn scatter(&mut self, tables: Vec<(Scan, Inflow)>, query: &Query) -> Result<TableShards, ComputeError> {
        let mut shards = Vec::new();
        for (scan, inflow) in tables {
            let kinds = inflow.inputs.iter().map(|input| query.rows().program.columns()[*input].kind).collect();
            let start = || {
                let reservation = self.memory.reserve();
                (Scatter::new((0, SHARD_BITS), self.allowance, reservation, self.disk.clone()), Vec::new())
            };
            let take = |(scatter, bytes): &mut (Scatter, Vec<u8>), batch: Batch| {
                self.push(inflow.inputs(batch), &inflow.inputs, scatter, bytes)
            };
            let scattered = scan.run(self.threads, start, take).map_err(super::exhausted)?;
            let all = rowset::together(scattered.into_iter().map(|(scatter, _)| scatter));
            self.tables.push((kinds, inflow.inputs.clone()));
            shards.push(all);
        }
        Ok(Self::by_shard(shards))
    }

    /// Reads the table whose rows are computed.
    pub(super) fn scatter_own(
        &mut self,
        own: &'a OwnRows,
        PendingScan { scan, inflow }: PendingScan,
        watch: Option<&Watch>,
    ) -> Result<TableShards, ComputeError> {
        let start = || {
            let scatter = Scatter::new((0, SHARD_BITS), self.allowance, self.memory.reserve(), self.disk.clone());
            (own.folder().inner().clone(), scatter, Vec::new())
        };
        let take = |(operator, scatter, bytes): &mut (RowOperator, Scatter, Vec<u8>), batch: Batch| {
            own.folder().push(&inflow, batch, operator, &self.identities, (scatter, bytes), watch)
        };
        let scattered = scan.run(self.threads, start, take).map_err(super::exhausted)?;
        let all = rowset::together(scattered.into_iter().map(|(_, scatter, _)| scatter));
        // The first column is the entity's key, which has no values.
        let positions = (1..=own.folder().folds().len()).collect();
        self.tables.push((own.folder().columns().to_vec(), positions));
        self.own = Some(own);
        Ok(Self::by_shard(vec![all]))
    }

    fn by_shard(shards: Vec<Vec<Shard>>) -> TableShards {
        // Transposes the shards of each table to the tables of each shard.
        let mut tables: Vec<_> = shards.into_iter().map(Vec::into_iter).collect();
        let shards = (0..1 << SHARD_BITS).map(|_| tables.iter_mut().filter_map(Iterator::next).collect()).collect();
        TableShards { shards, next: AtomicUsize::new(0) }
    }

    fn push(
        &self,
        inputs: Inputs,
        positions: &[usize],
        scatter: &mut Scatter,
        bytes: &mut Vec<u8>,
    ) -> Result<(), ComputeError> {
        let Some(entity) = &inputs.entity else { return Ok(()) };
        let columns: Vec<Column> = positions.iter().filter_map(|input| inputs.typed[*input].clone()).collect();
        rowset::scatter(entity, &columns, &self.identities, scatter, bytes)
    }

    /// Takes shards that no other thread has taken, and passes on the kept rows.
    pub(super) fn walk(
        &self,
        scattered: &TableShards,
        operator: &RowOperator,
        take: &mut Take<'_>,
    ) -> Result<(), ComputeError> {
        let mut walk = Walk { operator: operator.clone(), columns: self.cap.columns() };
        loop {
            let at = scattered.next.fetch_add(1, Ordering::Relaxed);
            let Some(shards) = scattered.shards.get(at) else { return Ok(()) };
            let shards: Vec<&Shard> = shards.iter().collect();
            self.meet_or_split(&shards, SHARD_BITS, &mut walk, take)?;
        }
    }

    fn meet_or_split(
        &self,
        shards: &[&Shard],
        used: u32,
        walk: &mut Walk,
        take: &mut Take<'_>,
    ) -> Result<(), ComputeError> {
        let loaded: Result<Vec<LoadedRecords>, ShardOverflow> = shards.iter().map(|shard| self.load(shard)).collect();
        match loaded {
            Ok(loaded) => self.meet(&loaded, walk, take),
            Err(ShardOverflow::Exhausted(exhausted)) => Err(exhausted),
            Err(ShardOverflow::Split) if used + SPLIT_BITS > u64::BITS => Err(ComputeError::Memory),
            Err(ShardOverflow::Split) => {
                let mut split = Vec::new();
                for shard in shards {
                    let reservation = self.memory.reserve();
                    let bits = (used, SPLIT_BITS);
                    let mut scatter = Scatter::new(bits, self.room / 4, reservation, self.disk.clone());
                    shard.read(&mut |record| scatter.push(record))?;
                    // On disk, so that the memory remains for the joined rows.
                    split.push(scatter.finish_on_disk()?);
                }
                for at in 0..1 << SPLIT_BITS {
                    let shards: Vec<&Shard> = split.iter().map(|shards| &shards[at]).collect();
                    self.meet_or_split(&shards, used + SPLIT_BITS, walk, take)?;
                }
                Ok(())
            }
        }
    }

    /// Reads the records of a shard, at most `rows_in_joins` for each entity.
    fn load(&self, shard: &Shard) -> Result<LoadedRecords, ShardOverflow> {
        let mut reservation = self.memory.reserve();
        let room = (self.room / self.tables.len().max(1)).max(1 << 16);
        let mut records: Vec<Vec<u8>> = Vec::new();
        let mut held = 0;
        let mut full = false;
        let bytes = |record: &[u8]| record.len() + BESIDE;
        shard.read(&mut |record| {
            if full {
                return Ok(());
            }
            held += bytes(record);
            records.push(record.to_vec());
            if held > room {
                self.leave_lowest(&mut records);
                held = records.iter().map(|record| bytes(record)).sum();
                full = held > room / 2;
            }
            Ok(())
        })?;
        if full {
            return Err(ShardOverflow::Split);
        }
        self.leave_lowest(&mut records);
        if !reservation.try_grow(held) {
            return Err(ShardOverflow::Split);
        }
        Ok(LoadedRecords { records, _reservation: reservation })
    }

    /// Sorts records by their entities and keeps the records of the lowest ranks of each, or the first in their order.
    /// Because ranks and orders are fixed, applying this to parts and then to their results gives the same records as
    /// applying it to the whole.
    fn leave_lowest(&self, records: &mut Vec<Vec<u8>>) {
        match self.own {
            Some(own) => own.sort(records),
            None => records.sort_by_cached_key(|record| (rowset::identity(record), self.identities.of_joined(record))),
        }
        let (mut last, mut count, mut bytes) = (None, 0, 0_usize);
        records.retain(|record| {
            let owner = rowset::identity(record);
            if last != Some(owner) {
                (last, count, bytes) = (Some(owner), 0, 0);
            }
            (count, bytes) = (count + 1, bytes.saturating_add(record.len() + BESIDE));
            count <= self.most && bytes <= MOST_BYTES
        });
    }

    /// Joins the rows of each entity.
    fn meet(&self, tables: &[LoadedRecords], walk: &mut Walk, take: &mut Take<'_>) -> Result<(), ComputeError> {
        let columns_of = |(table, (kinds, _)): (&LoadedRecords, &(Vec<Type>, Vec<usize>))| match self.own {
            Some(own) => own.columns(&table.records),
            None => rowset::columns(table.records.iter().map(Vec::as_slice), kinds),
        };
        let columns: Vec<Vec<Column>> = tables.iter().zip(&self.tables).map(columns_of).collect();
        let mut gathered = GatheredRows::new(self.cap, &self.memory);
        let mut pending = PendingCombinations { rows: vec![Vec::new(); tables.len()], owners: Vec::new() };
        let (Some(first), others) = (tables.first(), tables.get(1..).unwrap_or_default()) else { return Ok(()) };
        let mut starts = vec![0_usize; others.len()];
        let mut at = 0;
        while let Some(record) = first.records.get(at) {
            let owner = rowset::identity(record);
            let end = end_of(&first.records, at, owner);
            let own = at..end;
            let mut ranges = Vec::from([own]);
            for (table, start) in others.iter().zip(&mut starts) {
                // Both are sorted by entity.
                while table.records.get(*start).is_some_and(|record| rowset::identity(record) < owner) {
                    *start += 1;
                }
                ranges.push(*start..end_of(&table.records, *start, owner));
            }
            at = end;
            if ranges.iter().any(|range| range.is_empty()) {
                continue;
            }
            let mut current: Vec<usize> = ranges.iter().map(|range| range.start).collect();
            loop {
                pending.rows.iter_mut().zip(&current).for_each(|(rows, row)| rows.push(*row as u32));
                pending.owners.push(owner);
                if pending.owners.len() == BATCH {
                    self.evaluate(&mut pending, &columns, walk, &mut gathered, take)?;
                }
                // The next combination; the rows of the last table change fastest.
                let mut table = current.len();
                let moved = loop {
                    if table == 0 {
                        break false;
                    }
                    table -= 1;
                    current[table] += 1;
                    if current[table] < ranges[table].end {
                        break true;
                    }
                    current[table] = ranges[table].start;
                };
                if !moved {
                    break;
                }
            }
        }
        self.evaluate(&mut pending, &columns, walk, &mut gathered, take)?;
        gathered.finish(take)
    }

    fn evaluate(
        &self,
        pending: &mut PendingCombinations,
        columns: &[Vec<Column>],
        walk: &mut Walk,
        gathered: &mut GatheredRows<'_>,
        take: &mut Take<'_>,
    ) -> Result<(), ComputeError> {
        let owners = std::mem::take(&mut pending.owners);
        if owners.is_empty() {
            return Ok(());
        }
        let mut typed = vec![None; self.width];
        for ((rows, columns), (_, positions)) in pending.rows.iter_mut().zip(columns).zip(&self.tables) {
            let rows = UInt32Array::from(std::mem::take(rows));
            for (column, position) in columns.iter().zip(positions) {
                typed[*position] = Some(column.take(&rows));
            }
        }
        // The operator passes owners through as an entity key: by their position among the pending combinations.
        let places: ArrayRef = Arc::new((0..owners.len() as i64).collect::<arrow_array::Int64Array>());
        let inputs = Inputs { rows: owners.len(), typed, stored: vec![None; self.width], entity: Some(places) };
        if let Some((rows, arrays)) = walk.operator.run(inputs) {
            let places = arrays.first().and_then(|places| places.as_primitive_opt::<Int64Type>());
            let owners = places.map(|places| places.values().iter().map(|place| owners[*place as usize]).collect());
            walk.columns.read_owned(rows, owners.unwrap_or_default(), arrays.get(1..).unwrap_or_default());
            gathered.add(&walk.columns, take)?;
        }
        Ok(())
    }
}

fn end_of(records: &[Vec<u8>], start: usize, owner: Identity) -> usize {
    let own = records.get(start..).unwrap_or_default().iter().take_while(|record| rowset::identity(record) == owner);
    start + own.count()
}

/// Buffers that a thread reuses for each shard.
struct Walk {
    operator: RowOperator,
    columns: Columns,
}

/// Combinations of rows that are not evaluated yet: the rows of each table, and their entities.
struct PendingCombinations {
    rows: Vec<Vec<u32>>,
    owners: Vec<Identity>,
}

/// Evaluated rows of some entities, in the order of the entities, that are not capped yet.
struct GatheredRows<'a> {
    cap: &'a CapRows,
    walker: crate::bound::Walk,
    rows: Vec<u64>,
    /// The last entity, once its rows do not fit in memory.
    large: Option<LargeEntity>,
    room: usize,
    reservation: Reservation,
}

impl<'a> GatheredRows<'a> {
    fn new(cap: &'a CapRows, memory: &Memory) -> Self {
        let walker = cap.walker();
        let room = walker.room();
        Self { cap, walker, rows: Vec::new(), large: None, room, reservation: memory.reserve() }
    }

    fn add(&mut self, columns: &Columns, take: &mut Take<'_>) -> Result<(), ComputeError> {
        self.cap.write(columns, &mut self.rows);
        let width = self.cap.width();
        if self.rows.len() / width > self.room {
            // Rows are ordered by entity, so only the last entity may have more rows to come.
            let last = self.rows.chunks_exact(width).map(|row| self.cap.owner(row)).max();
            let mut rest = self.hand_out_but(last, take)?;
            if let Some(owner) = last.filter(|_| self.large.is_some() || rest.len() / width > self.room / 2) {
                let mut large = self.large.take().unwrap_or_else(|| self.walker.large(owner));
                self.walker.add_large(&mut large, &mut rest)?;
                self.large = Some(large);
            }
            self.rows = rest;
        }
        let bytes = self.walker.bytes(self.rows.len() / width);
        if self.reservation.resize(bytes) { Ok(()) } else { Err(ComputeError::Memory) }
    }

    /// Passes on the rows of all entities but one, and returns that one's.
    fn hand_out_but(&mut self, but: Option<Identity>, take: &mut Take<'_>) -> Result<Vec<u64>, ComputeError> {
        let complete = self.large.take_if(|large| Some(large.identity()) != but);
        let of_large = complete.as_ref().map(LargeEntity::identity);
        let (mut rest, mut own, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for row in self.rows.chunks_exact(self.cap.width()) {
            let owner = Some(self.cap.owner(row));
            let rows = if owner == but {
                &mut rest
            } else if owner == of_large {
                &mut own
            } else {
                &mut others
            };
            rows.extend_from_slice(row);
        }
        if let Some(mut large) = complete {
            self.walker.add_large(&mut large, &mut own)?;
            self.walker.hand_out_large(large, take)?;
        }
        self.walker.hand_out(&others, take)?;
        Ok(rest)
    }

    fn finish(mut self, take: &mut Take<'_>) -> Result<(), ComputeError> {
        self.hand_out_but(None, take).map(|_| ())
    }
}
