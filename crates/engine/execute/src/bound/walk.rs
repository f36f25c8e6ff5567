//! Walks over shards: sorts each and passes its kept rows on in batches. A shard that is too large for memory is split.

use super::Identity;
use super::cap_rows::{Run, ShardQueue};
use super::decode::Values;
use super::identity::Identities;
use super::keep::{BYTES_PER_ROW, Keeper, MOST_ROWS, Rows};
use super::large::LargeEntity;
use super::layout::Layout;
use super::levels::Levels;
use super::shards::{Disk, Scatter, Shard};
use super::{ComputeError, Fold};
use deniable_core::sensitivity::Caps;
use deniable_data::{Memory, Reservation};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// Number of identity bits by which a large shard is split.
const SPLIT_BITS: u32 = 4;
/// Fewest rows that must fit in memory.
const FEWEST_ROWS: usize = 16;

/// The settings of a walk over shards.
pub(super) struct Plan {
    pub(super) layout: Layout,
    pub(super) levels: Levels,
    /// Arguments, by position, whose presence is recorded in marks.
    pub(super) presence: Vec<usize>,
    pub(super) caps: Caps,
    pub(super) per_entity: Option<Fold>,
    pub(super) identities: Identities,
}

impl Plan {
    /// Bytes for a row while its shard is walked over: the row itself, its entry in the order and its rank, and its
    /// output at each level.
    pub(super) fn bytes_per_row(&self) -> usize {
        let own = self.layout.words() * size_of::<u64>() + BYTES_PER_ROW;
        let of_entity = self.per_entity.as_ref().map_or(0, Fold::bytes_per_entity);
        own + self.levels.count() * self.layout.kept_bytes() + of_entity
    }

    /// The most rows of one entity that are kept at any level, whatever its rows, for these numbers of cells.
    pub(super) fn most_of_one(&self, cells: &[usize]) -> usize {
        let rows = (self.caps.rows_per_group as usize).saturating_add(self.presence.len());
        let of_level = |cells: &usize| rows.saturating_mul(*cells.min(&(self.caps.groups as usize)));
        cells.iter().map(of_level).fold(0, usize::saturating_add)
    }
}

/// Number of rows that a walk with this allowance may hold at once. A third of the allowance is for splitting.
pub(super) fn room(allowance: usize, bytes_per_row: usize) -> usize {
    (allowance / 3 * 2 / bytes_per_row).clamp(FEWEST_ROWS, MOST_ROWS)
}

/// Rows that are kept at one level.
pub(crate) struct KeptRows {
    pub(super) level: usize,
    /// The cell of each row.
    pub(super) cells: Vec<u32>,
    /// For one row of each entity and cell bit 0 is set, and bit 1 + i if any row of that entity in that cell, kept or
    /// not, has a value of the i-th presence argument; 0 for the other rows. Where caps are applied once for all
    /// levels, the bits of a cell may be on several rows, each bit once, and rows are those of the kept combinations.
    pub(super) marks: Vec<u64>,
    /// For each argument its grid units, or 0 for a value of an argument without a grid.
    pub(super) values: Vec<Values>,
}

/// The consumer of kept rows.
pub(crate) type Take<'a> = dyn FnMut(&KeptRows) -> Result<(), ComputeError> + 'a;

/// One walk over shards. There is one for each thread.
pub(crate) struct Walk {
    plan: Arc<Plan>,
    keeper: Keeper,
    /// Shards that this walk split off, with the number of bits that chose them.
    own: Vec<(Shard, u32)>,
    batch_size: usize,
    allowance: usize,
    memory: Memory,
    reservation: Reservation,
    disk: Arc<Disk>,
}

impl Walk {
    pub(super) fn new(plan: Arc<Plan>, allowance: usize, memory: &Memory, disk: Arc<Disk>, batch_size: usize) -> Self {
        let keeper = Keeper::new(
            plan.layout.clone(),
            plan.levels.clone(),
            plan.presence.clone(),
            plan.caps,
            plan.identities.clone(),
        );
        let (memory, reservation) = (memory.clone(), memory.reserve());
        Self { plan, keeper, own: Vec::new(), batch_size, allowance, memory, reservation, disk }
    }

    /// Walks over all runs and shards that no other thread has taken, and passes the kept rows on.
    pub(super) fn run(&mut self, scattered: &ShardQueue, take: &mut Take<'_>) -> Result<(), ComputeError> {
        while let Some(Run { rows, inside }) = scattered.take_run() {
            if !self.reservation.try_grow(self.bytes(inside.len() / self.plan.layout.words())) {
                return Err(ComputeError::Memory);
            }
            self.hand_out_rows(Rows::InOrder(&rows.words()[inside]), take)?;
            self.reservation.free();
        }
        while let Some((shard, used)) = self.own.pop().or_else(|| scattered.take()) {
            self.walk(shard, used, take)?;
            self.reservation.free();
        }
        Ok(())
    }

    /// Bytes for this many rows while their shard is walked over.
    pub(crate) fn bytes(&self, rows: usize) -> usize {
        rows.saturating_mul(self.plan.bytes_per_row())
    }

    /// Number of rows that may be held at once.
    pub(crate) fn room(&self) -> usize {
        room(self.allowance, self.plan.bytes_per_row())
    }

    fn walk(&mut self, mut shard: Shard, used: u32, take: &mut Take<'_>) -> Result<(), ComputeError> {
        let width = self.plan.layout.words();
        let words = shard.words();
        if words == 0 {
            return Ok(());
        }
        let room = self.room().min(words / width);
        if !self.reservation.try_grow(self.bytes(room)) {
            return Err(ComputeError::Memory);
        }
        if let Some(chunks) = shard.chunks_of_all().filter(|_| room * width == words && self.plan.layout.is_packed()) {
            // Packed rows are their own entries, and need no copy.
            self.keeper.sort(&chunks, used);
            drop(shard);
            return self.hand_out_rows(Rows::Sorted, take);
        }
        let mut rows = Vec::with_capacity(room * width);
        shard.take(&mut rows, room * width)?;
        if shard.words() == 0 {
            return self.hand_out(&rows, take);
        }
        match self.owner_of_most(&rows) {
            Some(owner) => self.walk_large(owner, rows, shard, used, take),
            None => self.split(rows, shard, used),
        }
    }

    /// The entity that more than half of the rows belong to, if there is one.
    fn owner_of_most(&self, rows: &[u64]) -> Option<Identity> {
        let owners = || rows.chunks_exact(self.plan.layout.words()).map(|row| self.plan.layout.identity(row));
        // Rows of different entities cancel each other; only this entity can remain.
        let (mut candidate, mut excess) = (None, 0_usize);
        for owner in owners() {
            if candidate == Some(owner) {
                excess += 1;
            } else if excess == 0 {
                (candidate, excess) = (Some(owner), 1);
            } else {
                excess -= 1;
            }
        }
        let candidate = candidate?;
        let (own, all) = owners().fold((0, 0), |(own, all), owner| (own + usize::from(owner == candidate), all + 1));
        (own > all / 2).then_some(candidate)
    }

    /// Walks over the rows of one entity, which do not fit in memory, and puts the others aside.
    fn walk_large(
        &mut self,
        owner: Identity,
        mut rows: Vec<u64>,
        mut shard: Shard,
        used: u32,
        take: &mut Take<'_>,
    ) -> Result<(), ComputeError> {
        let width = self.plan.layout.words();
        let room = rows.capacity() / width * width;
        let mut large = self.large(owner);
        let mut others = self.disk.write()?;
        let mut own = 0;
        loop {
            // The first rows are the entity's.
            for at in (own..rows.len()).step_by(width) {
                let row = at..at + width;
                if self.plan.layout.identity(&rows[row.clone()]) == owner {
                    rows.copy_within(row, own);
                    own += width;
                } else {
                    others.push(&rows[row])?;
                }
            }
            rows.truncate(own);
            if shard.words() == 0 {
                break;
            }
            if own > room / 2 {
                self.add_large(&mut large, &mut rows)?;
                own = 0;
            }
            shard.take(&mut rows, room)?;
        }
        self.add_large(&mut large, &mut rows)?;
        drop(rows);
        self.own.push((Shard::of(others.finish()?), used));
        self.hand_out_large(large, take)
    }

    /// Scatters a shard again, by more identity bits.
    fn split(&mut self, mut rows: Vec<u64>, mut shard: Shard, used: u32) -> Result<(), ComputeError> {
        if used + SPLIT_BITS > u64::BITS {
            // The kept rows of one entity do not fit.
            return Err(ComputeError::Memory);
        }
        let width = self.plan.layout.words();
        let room = rows.capacity() / width * width;
        let mut scatter =
            Scatter::new(width, (used, SPLIT_BITS), self.allowance / 3, self.memory.reserve(), self.disk.clone());
        while !rows.is_empty() {
            rows.chunks_exact(width).try_for_each(|row| scatter.push(row))?;
            rows.clear();
            shard.take(&mut rows, room)?;
        }
        // On disk, so that the memory remains for the current part.
        let shards = scatter.finish_on_disk()?.into_iter();
        self.own.extend(shards.map(|shard| (shard, used + SPLIT_BITS)));
        Ok(())
    }

    /// Passes on the kept rows of whole entities.
    pub(crate) fn hand_out(&mut self, rows: &[u64], take: &mut Take<'_>) -> Result<(), ComputeError> {
        self.hand_out_rows(Rows::All(rows), take)
    }

    fn hand_out_rows(&mut self, rows: Rows<'_>, take: &mut Take<'_>) -> Result<(), ComputeError> {
        let plan = self.plan.clone();
        if let Some(fold) = &plan.per_entity {
            return fold.hand_out(&mut self.keeper, rows, self.batch_size, take);
        }
        for level in 0..plan.levels.count() {
            self.hand_out_level(rows, level, take)?;
        }
        Ok(())
    }

    /// An entity whose rows do not fit in memory.
    pub(crate) fn large(&self, identity: Identity) -> LargeEntity {
        // The third of the allowance that is for splitting.
        LargeEntity::new(identity, &self.keeper, &self.disk, self.allowance / 3)
    }

    /// Moves rows of the entity to disk.
    pub(crate) fn add_large(&self, large: &mut LargeEntity, rows: &mut Vec<u64>) -> Result<(), ComputeError> {
        large.add(rows, &self.keeper)
    }

    /// Passes on the kept rows of the entity.
    pub(crate) fn hand_out_large(&mut self, large: LargeEntity, take: &mut Take<'_>) -> Result<(), ComputeError> {
        let kept = large.finish(&self.keeper, self.room())?;
        self.hand_out_rows(Rows::Kept(&kept), take)
    }

    fn hand_out_level(&mut self, rows: Rows<'_>, level: usize, take: &mut Take<'_>) -> Result<(), ComputeError> {
        let plan = &*self.plan;
        let words = rows.at(self.keeper.cut(level));
        let mut kept = KeptRows::new(level, plan.layout.arguments());
        let mut entries = Vec::new();
        let mut taken = Ok(());
        self.keeper.keep(rows, level, |entry, mark| {
            entries.push(entry);
            kept.marks.push(mark);
            if entries.len() == self.batch_size {
                if taken.is_ok() {
                    kept.fill(plan, words, &entries);
                    taken = take(&kept);
                }
                entries.clear();
                kept.marks.clear();
            }
        });
        taken?;
        if entries.is_empty() {
            return Ok(());
        }
        kept.fill(plan, words, &entries);
        take(&kept)
    }
}

impl ShardQueue {
    /// The next run that no other thread has taken.
    fn take_run(&self) -> Option<Run> {
        let at = self.next_run.fetch_add(1, Ordering::Relaxed);
        self.runs.get(at)?.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The next shard that no other thread has taken.
    pub(super) fn take(&self) -> Option<(Shard, u32)> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let shard = self.shards.get(at)?.lock().unwrap_or_else(PoisonError::into_inner).take();
        Some((shard.unwrap_or_default(), self.bits()))
    }

    /// The number of bits that chose the shards.
    fn bits(&self) -> u32 {
        self.shards.len().trailing_zeros()
    }
}

impl KeptRows {
    fn new(level: usize, arguments: usize) -> Self {
        let values = (0..arguments).map(|_| Values::default()).collect();
        Self { level, cells: Vec::new(), marks: Vec::new(), values }
    }

    /// Sets the cells and values to those of these entries.
    fn fill(&mut self, Plan { layout, levels, .. }: &Plan, rows: &[u64], entries: &[u128]) {
        let combination = |entry: &u128| layout.row(rows, *entry, |row| layout.combination(row));
        self.cells.clear();
        self.cells.extend(entries.iter().map(|entry| levels.cell_of(self.level, combination(entry))));
        let arguments = self.values.iter_mut().enumerate();
        arguments.for_each(|(argument, values)| layout.read(rows, entries, argument, values));
    }
}
