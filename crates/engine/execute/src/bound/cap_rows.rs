//! Caps on entities: at most `rows_per_group` rows in each of at most `groups` cells of each entity.
//!
//! Threads scatter rows over shards by a hash of the entity; each shard is then sorted and walked over, again on all
//! threads. Rows that do not fit in memory go to temporary files (`shards`). While entity keys do not decrease, batches
//! are kept as they are instead (`order`).

use super::Identity;
use super::arena::{Arena, Chunk, Open};
use super::columns::{Columns, Meaning, Watch};
use super::identity::Identities;
use super::layout::Layout;
use super::levels::Levels;
use super::lookup::NOWHERE;
use super::order::KeyOrder;
use super::shards::{Disk, Scatter, Shard};
use super::walk::{Plan, Take, Walk, room};
use super::{ComputeError, Fold, Salt};
use deniable_core::sensitivity::Caps;
use deniable_data::{Memory, Reservation};
use deniable_query::Nesting;
use deniable_query::Ranking;
use deniable_query::{Argument, Group};
use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

/// Bits of the entity's hash that choose its shard.
pub(super) const SHARD_BITS: u32 = 8;
/// Most rows in a batch of output.
pub(super) const BATCH: usize = 8_192;

/// The caps of a query: the cells and levels that rows are kept for, and the arguments that are computed from them.
pub(crate) struct CapRules<'a> {
    /// The group columns, which form the cells.
    pub(crate) groups: &'a [Group],
    /// The groups that form the cells of each level.
    pub(crate) levels: &'a [Vec<usize>],
    /// The groups that follow from other groups.
    pub(crate) nesting: &'a Nesting,
    /// Whether caps are applied to the combinations of all groups, once for all levels (S-LEV).
    pub(crate) together: bool,
    /// The arguments that are read from each row.
    pub(crate) arguments: &'a [Argument],
    /// Arguments, by position, whose presence in ANY row of the entity in the cell is recorded in marks. At most 63:
    /// one bit of a mark for each, besides the first bit.
    pub(crate) presence: Vec<usize>,
    /// Most rows in a cell, and most cells, of an entity.
    pub(crate) caps: Caps,
    /// The computation for each entity, if the query is about entities.
    pub(crate) per_entity: Option<Fold>,
    /// The secret that decides which rows are kept, and its ranking function.
    pub(crate) salt: &'a Salt,
    pub(crate) ranking: Ranking,
    /// Counters that are updated while rows are read, if any.
    pub(crate) watch: Option<Arc<Watch>>,
}

/// Keeps at most `rows_per_group` rows in each of at most `groups` cells of each entity.
///
/// Drops rows of NULL entity and rows with undeclared keys first. Which rows are kept depends on the entity's own rows
/// and the salt alone, not on the order of rows, the threads or the memory.
#[derive(Clone)]
pub(crate) struct CapRows {
    meaning: Meaning,
    plan: Arc<Plan>,
    order: Arc<KeyOrder>,
    memory: Memory,
    disk: Arc<Disk>,
    /// The number of concurrent scatters, and of concurrent walks.
    pub(super) scatters: usize,
    pub(super) walks: usize,
    pub(super) batch_size: usize,
}

/// All runs and shards. Each is taken once, by the first free walk.
pub(crate) struct ShardQueue {
    pub(super) runs: Vec<Mutex<Option<Run>>>,
    pub(super) next_run: AtomicUsize,
    pub(super) shards: Vec<Mutex<Option<Shard>>>,
    pub(super) next: AtomicUsize,
}

/// One thread's rows.
pub(crate) struct Collector {
    /// The rows of whole batches, while entity keys are in order.
    runs: Vec<Open>,
    arena: Arena,
    /// The memory of the runs.
    reservation: Reservation,
    scatter: Scatter,
    /// The rows of the last batch: their memory is used again.
    last: Vec<u64>,
}

/// The rows of one batch, by entity.
pub(super) struct Run {
    pub(super) rows: Chunk,
    /// The words of the entities that have all of their rows here.
    pub(super) inside: Range<usize>,
}

impl CapRows {
    /// `text` is whether the entity key is a text, `threads` the number of concurrent scatters and walks.
    pub(crate) fn new(capping: &CapRules<'_>, text: bool, memory: Memory, disk: Arc<Disk>, threads: usize) -> Self {
        let identities = Identities::of(capping.ranking, capping.salt);
        let looked_up = capping.groups.iter().enumerate().filter(|(at, _)| !capping.nesting.is_determined(*at));
        let looked_up = looked_up.map(|(_, group)| group);
        let combinations = looked_up.clone().map(|group| group.keys.len()).product();
        let meaning = Meaning::new(looked_up, capping.arguments, Some(identities.clone()), capping.watch.clone());
        // Portable identities have 128 bits, whatever the key.
        let grids = meaning.grids();
        let text = text || capping.ranking == Ranking::Portable;
        // Counts of rows do not depend on their values.
        let holds_values = capping.per_entity.as_ref().is_none_or(Fold::is_of_values);
        let presence = if capping.per_entity.is_some() { Vec::new() } else { capping.presence.clone() };
        let levels = Levels::new(capping.groups, capping.levels, capping.nesting, capping.together);
        let is_packable = levels.are_combinations() && capping.per_entity.is_none();
        let plan = Plan {
            layout: Layout::new(text, is_packable.then_some(combinations), if holds_values { &grids } else { &[] }),
            levels,
            presence,
            caps: capping.caps,
            per_entity: capping.per_entity.clone(),
            identities,
        };
        let threads = threads.max(1);
        Self {
            meaning,
            plan: Arc::new(plan),
            order: Arc::default(),
            memory,
            disk,
            scatters: threads,
            walks: threads,
            batch_size: BATCH,
        }
    }

    /// Limits the concurrent walks to the number for which any single entity's kept rows fit in memory, and returns
    /// that number; 0 if not even one fits. `cells` is the number of cells wherever caps are applied. All of it is
    /// public.
    pub(crate) fn make_room(&mut self, cells: &[usize]) -> usize {
        let most = self.plan.most_of_one(cells);
        let fits = |walks: &usize| match self.memory.limit() {
            // A shard is split while it fills more than half of the room.
            Some(limit) => room(limit / 8 * 3 / walks, self.plan.bytes_per_row()) / 2 >= most,
            None => true,
        };
        let walks = (1..=self.walks).rev().find(fits).unwrap_or(0);
        self.walks = walks.max(1);
        walks
    }

    /// Sets the number of concurrent walks to the result of [`Self::make_room`].
    pub(crate) fn set_walks(&mut self, walks: usize) {
        self.walks = walks.max(1);
    }

    /// Most bytes of one scatter, and of one walk. Walks start while scattered rows are still in memory and must always
    /// find room, so their part is reserved from the start.
    pub(super) fn allowances(&self) -> (usize, usize) {
        match self.memory.limit() {
            Some(limit) => (limit / 8 * 5 / self.scatters, limit / 8 * 3 / self.walks),
            None => (usize::MAX, usize::MAX),
        }
    }

    /// The layout of batches: the entity key, the group columns and the arguments, in this order.
    pub(crate) fn columns(&self) -> Columns {
        Columns::new(self.meaning.clone())
    }

    /// A collector of one thread's rows.
    pub(crate) fn collector(&self) -> Collector {
        let (allowance, _) = self.allowances();
        let bits = (0, SHARD_BITS);
        let scatter = Scatter::new(self.plan.layout.words(), bits, allowance, self.memory.reserve(), self.disk.clone());
        Collector {
            runs: Vec::new(),
            arena: Arena::default(),
            reservation: self.memory.reserve(),
            scatter,
            last: Vec::new(),
        }
    }

    /// Adds the rows of a batch that count.
    pub(crate) fn push(&self, columns: &Columns, collector: &mut Collector) -> Result<(), ComputeError> {
        let mut rows = std::mem::take(&mut collector.last);
        rows.clear();
        self.write(columns, &mut rows);
        if !rows.is_empty() {
            self.collect(columns, &rows, collector)?;
        }
        collector.last = rows;
        Ok(())
    }

    /// Keeps the rows of a batch as a run, or scatters them and all runs.
    fn collect(&self, columns: &Columns, rows: &[u64], collector: &mut Collector) -> Result<(), ComputeError> {
        let is_run = self.order.is_whole()
            && columns.ends().is_some_and(|ends| self.make_room_for_run(rows.len(), collector) && self.order.add(ends));
        if is_run {
            let mut run = collector.arena.open(rows.len(), rows.len());
            collector.arena.extend(&mut run, rows);
            collector.runs.push(run);
            return Ok(());
        }
        self.order.give_up();
        self.scatter_runs(collector)?;
        self.scatter(rows, collector)
    }

    /// Makes room for a run of this many words in its collector; false if it does not fit there or in that of a walk.
    fn make_room_for_run(&self, words: usize, collector: &mut Collector) -> bool {
        let (allowance, of_walk) = self.allowances();
        let Collector { arena, reservation, .. } = collector;
        let left = (allowance / 2).saturating_sub(reservation.size()) / size_of::<u64>();
        let fits = words / self.width() <= room(of_walk, self.plan.bytes_per_row());
        fits && arena.wanted(words, 1, left).is_none_or(|block| {
            block <= left && reservation.try_grow(block * size_of::<u64>()) && arena.add(block).is_ok()
        })
    }

    /// Scatters rows over shards, in the memory that runs leave.
    fn scatter(&self, rows: &[u64], collector: &mut Collector) -> Result<(), ComputeError> {
        let (allowance, _) = self.allowances();
        let Collector { scatter, reservation, .. } = collector;
        scatter.limit(allowance.saturating_sub(reservation.size()));
        if self.plan.layout.is_packed() {
            scatter.push_pairs(rows.as_chunks().0)
        } else {
            rows.chunks_exact(self.width()).try_for_each(|row| scatter.push(row))
        }
    }

    fn scatter_runs(&self, collector: &mut Collector) -> Result<(), ComputeError> {
        let mut arena = std::mem::take(&mut collector.arena);
        while let Some(run) = collector.runs.pop() {
            arena.free_after(run);
            let freed = collector.reservation.size().saturating_sub(arena.bytes());
            collector.reservation.shrink(freed);
            self.scatter(arena.words(run), collector)?;
        }
        collector.reservation.free();
        Ok(())
    }

    /// Appends the rows of a batch that count to `rows`.
    pub(crate) fn write(&self, columns: &Columns, rows: &mut Vec<u64>) {
        let Columns { combinations, values, identities, .. } = columns;
        let layout = &self.plan.layout;
        if layout.is_packed() {
            let start = rows.len();
            rows.resize(start + 2 * combinations.len(), 0);
            let (places, mut kept) = (rows[start..].as_chunks_mut::<2>().0, 0);
            // A row that does not count is written as well, and the next one over it: that is faster than a branch.
            for ((identity, word), cell) in identities.iter().zip(layout.pack(combinations, values)).zip(combinations) {
                places[kept] = [identity[0], word];
                kept += usize::from(*cell != NOWHERE);
            }
            rows.truncate(start + 2 * kept);
        } else {
            rows.reserve(combinations.len() * layout.words());
            let all = combinations.iter().enumerate().filter(|(_, cell)| **cell != NOWHERE);
            all.for_each(|(at, combination)| layout.write(identities[at], *combination, values, at, rows));
        }
    }

    /// Number of words in a row.
    pub(crate) fn width(&self) -> usize {
        self.plan.layout.words()
    }

    /// Whether rows are their own sort keys.
    #[cfg(test)]
    pub(super) fn is_packed(&self) -> bool {
        self.plan.layout.is_packed()
    }

    /// The entity of a row.
    pub(crate) fn owner(&self, row: &[u64]) -> Identity {
        self.plan.layout.identity(row)
    }

    /// Combines the rows of all collectors.
    pub(crate) fn gathered(&self, collectors: Vec<Collector>) -> Result<ShardQueue, ComputeError> {
        let mut all: Vec<Shard> = (0..1 << SHARD_BITS).map(|_| Shard::default()).collect();
        let mut runs = Vec::new();
        for mut collector in collectors {
            if !self.order.is_whole() {
                self.scatter_runs(&mut collector)?;
            }
            collector.last = Vec::new();
            let (own, arena) = (std::mem::take(&mut collector.runs), std::mem::take(&mut collector.arena));
            let mut insides = Vec::with_capacity(own.len());
            for run in &own {
                // Other runs may have rows of the first and of the last entity.
                let rows = arena.words(*run);
                let inside = self.inside(rows);
                self.scatter(&rows[..inside.start], &mut collector)?;
                self.scatter(&rows[inside.end..], &mut collector)?;
                insides.push(inside);
            }
            let chunk = arena.finish(&mut collector.reservation);
            let own = own.into_iter().zip(insides).filter(|(_, inside)| !inside.is_empty());
            runs.extend(own.filter_map(|(run, inside)| Some(Mutex::new(Some(Run { rows: chunk(run)?, inside })))));
            all.iter_mut().zip(collector.scatter.finish()).for_each(|(all, shard)| all.join(shard));
        }
        let shards = all.into_iter().map(|shard| Mutex::new(Some(shard))).collect();
        Ok(ShardQueue { runs, next_run: AtomicUsize::new(0), shards, next: AtomicUsize::new(0) })
    }

    /// The words of a run's rows that belong neither to its first nor to its last entity.
    fn inside(&self, rows: &[u64]) -> Range<usize> {
        let width = self.width();
        let all = || rows.chunks_exact(width).map(|row| self.owner(row));
        let (first, last) = (all().next(), all().next_back());
        let start = all().take_while(|owner| Some(*owner) == first).count() * width;
        let end = rows.len() - all().rev().take_while(|owner| Some(*owner) == last).count() * width;
        start..end.max(start)
    }

    /// Walks over runs and shards that no other thread has taken, and passes the kept rows on in batches.
    pub(crate) fn walk(&self, scattered: &ShardQueue, take: &mut Take<'_>) -> Result<(), ComputeError> {
        self.walker().run(scattered, take)
    }

    pub(crate) fn walker(&self) -> Walk {
        let (_, allowance) = self.allowances();
        Walk::new(self.plan.clone(), allowance, &self.memory, self.disk.clone(), self.batch_size)
    }
}
