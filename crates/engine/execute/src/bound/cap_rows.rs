//! At most so many rows in each of at most so many cells of each entity.
//!
//! Workers scatter rows over shards by a hash of the entity; then each shard is sorted and walked over. Both use all
//! threads. What does not fit into memory goes to temporary files (`shards`).

use super::Identity;
use super::columns::{Columns, Meaning, Watch};
use super::identity::Identities;
use super::layout::Layout;
use super::levels::Levels;
use super::lookup::NOWHERE;
use super::shards::{Disk, Scatter, Shard};
use super::walk::{Plan, Take, Walk, room};
use super::{ComputeError, Fold, Salt};
use deniable_core::sensitivity::Caps;
use deniable_data::Memory;
use deniable_query::Nesting;
use deniable_query::Ranking;
use deniable_query::{Argument, Group};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

/// Bits of the entity's hash that choose its shard.
pub(super) const SHARD_BITS: u32 = 8;
/// Rows that are handed out at once, at most.
pub(super) const BATCH: usize = 8_192;

/// The caps of a query: the cells and levels that rows are kept for, and the arguments that are computed from them.
pub(crate) struct CapRules<'a> {
    /// The columns that make cells.
    pub(crate) groups: &'a [Group],
    /// Which of them make the cells of each level.
    pub(crate) levels: &'a [Vec<usize>],
    /// Which groups follow from others.
    pub(crate) nesting: &'a Nesting,
    /// Whether caps are applied to the combinations of all groups, once for all levels (S-LEV).
    pub(crate) together: bool,
    /// What is taken from each row.
    pub(crate) arguments: &'a [Argument],
    /// Arguments, by position, of which marks tell whether ANY row of the entity in the cell has a value. At most 63: one
    /// bit of a mark each, beside the first.
    pub(crate) presence: Vec<usize>,
    /// Most rows in a cell, and most cells, of an entity.
    pub(crate) caps: Caps,
    /// What is worked out of each entity, where a question is about entities.
    pub(crate) per_entity: Option<Fold>,
    /// What decides which rows are kept, and by which function.
    pub(crate) salt: &'a Salt,
    pub(crate) ranking: Ranking,
    /// What is counted while rows are read, if anything.
    pub(crate) watch: Option<Arc<Watch>>,
}

/// Keeps at most so many rows in each of at most so many cells of each entity.
///
/// Rows of NULL entity and rows with undeclared keys are dropped first. Which rows are kept depends on the entity's own
/// rows alone, and on the salt; neither on the order of rows nor on threads nor on memory.
#[derive(Clone)]
pub(crate) struct CapRows {
    meaning: Meaning,
    plan: Arc<Plan>,
    memory: Memory,
    disk: Arc<Disk>,
    /// How many scatter, and how many walk, at the same time.
    pub(super) scatters: usize,
    pub(super) walks: usize,
    pub(super) batch_size: usize,
}

/// All shards, each to be taken once, by whichever walk comes first.
pub(crate) struct ShardQueue {
    pub(super) shards: Vec<Mutex<Option<Shard>>>,
    pub(super) next: AtomicUsize,
}

impl CapRows {
    /// `text` is about the entity key, `threads` how many scatter and walk at the same time.
    pub(crate) fn new(capping: &CapRules<'_>, text: bool, memory: Memory, disk: Arc<Disk>, threads: usize) -> Self {
        let identities = Identities::of(capping.ranking, capping.salt);
        let looked_up = capping.groups.iter().enumerate().filter(|(at, _)| !capping.nesting.is_determined(*at));
        let looked_up = looked_up.map(|(_, group)| group);
        let meaning = Meaning::new(looked_up, capping.arguments, Some(identities.clone()), capping.watch.clone());
        // Portable identities have 128 bits, whatever the key.
        let text = text || capping.ranking == Ranking::Portable;
        // Where rows are only counted, it does not matter what they hold.
        let holds_values = capping.per_entity.as_ref().is_none_or(Fold::is_of_values);
        let presence = if capping.per_entity.is_some() { Vec::new() } else { capping.presence.clone() };
        let plan = Plan {
            layout: Layout::new(text, if holds_values { meaning.grids() } else { Vec::new() }),
            levels: Levels::new(capping.groups, capping.levels, capping.nesting, capping.together),
            presence,
            caps: capping.caps,
            per_entity: capping.per_entity.clone(),
            identities,
        };
        let threads = threads.max(1);
        Self { meaning, plan: Arc::new(plan), memory, disk, scatters: threads, walks: threads, batch_size: BATCH }
    }

    /// Leaves as many walks at the same time as have room for whatever one entity may keep, and says how many these are: 0
    /// where not even one has. `cells` is how many there are wherever caps are applied. All of it is public.
    pub(crate) fn make_room(&mut self, cells: &[usize]) -> usize {
        let most = self.plan.most_of_one(cells);
        let fits = |walks: &usize| match self.memory.limit() {
            // A shard is split while more than half of the room is taken.
            Some(limit) => room(limit / 8 * 3 / walks, self.plan.bytes_per_row()) / 2 >= most,
            None => true,
        };
        let walks = (1..=self.walks).rev().find(fits).unwrap_or(0);
        self.walks = walks.max(1);
        walks
    }

    /// How many walk at the same time: what [`Self::make_room`] has said.
    pub(crate) fn set_walks(&mut self, walks: usize) {
        self.walks = walks.max(1);
    }

    /// Most bytes that one scatter, and one walk, may hold. Walks come while scattered rows are still in memory, and
    /// must always find room: their part is set aside from the start.
    pub(super) fn allowances(&self) -> (usize, usize) {
        match self.memory.limit() {
            Some(limit) => (limit / 8 * 5 / self.scatters, limit / 8 * 3 / self.walks),
            None => (usize::MAX, usize::MAX),
        }
    }

    /// How batches are understood: the entity key, the group columns and the arguments, in this order.
    pub(crate) fn columns(&self) -> Columns {
        Columns::new(self.meaning.clone())
    }

    /// Rows on their way into shards: one for each thread.
    pub(crate) fn scatter(&self) -> Scatter {
        let (allowance, _) = self.allowances();
        let bits = (0, SHARD_BITS);
        Scatter::new(self.plan.layout.words(), bits, allowance, self.memory.reserve(), self.disk.clone())
    }

    /// Takes in the rows of a batch that count.
    pub(crate) fn push(&self, columns: &Columns, scatter: &mut Scatter) -> Result<(), ComputeError> {
        for (at, combination) in columns.combinations.iter().enumerate().filter(|(_, cell)| **cell != NOWHERE) {
            let identity = columns.identities[at];
            scatter.push_with(identity[0], &mut |chunk| {
                self.plan.layout.write(identity, *combination, &columns.values, at, chunk);
            })?;
        }
        Ok(())
    }

    /// The same, to the end of `rows`.
    pub(crate) fn write(&self, columns: &Columns, rows: &mut Vec<u64>) {
        for (at, combination) in columns.combinations.iter().enumerate().filter(|(_, cell)| **cell != NOWHERE) {
            self.plan.layout.write(columns.identities[at], *combination, &columns.values, at, rows);
        }
    }

    /// Words of a row.
    pub(crate) fn width(&self) -> usize {
        self.plan.layout.words()
    }

    /// Whose a row is.
    pub(crate) fn owner(&self, row: &[u64]) -> Identity {
        self.plan.layout.identity(row)
    }

    /// The shards of all scatters together.
    pub(crate) fn gathered(&self, scatters: Vec<Scatter>) -> ShardQueue {
        let mut all: Vec<Shard> = (0..1 << SHARD_BITS).map(|_| Shard::default()).collect();
        for scatter in scatters {
            all.iter_mut().zip(scatter.finish()).for_each(|(all, shard)| all.join(shard));
        }
        ShardQueue { shards: all.into_iter().map(|shard| Mutex::new(Some(shard))).collect(), next: AtomicUsize::new(0) }
    }

    /// Walks over shards that no other thread has taken, and hands out what is kept of them, batch by batch.
    pub(crate) fn walk(&self, scattered: &ShardQueue, take: &mut Take<'_>) -> Result<(), ComputeError> {
        self.walker().run(scattered, take)
    }

    pub(crate) fn walker(&self) -> Walk {
        let (_, allowance) = self.allowances();
        Walk::new(self.plan.clone(), allowance, &self.memory, self.disk.clone(), self.batch_size)
    }
}
