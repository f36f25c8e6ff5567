//! Shard by shard: sorted, walked over, and handed out as batches. A shard that is too large for memory is split.

use super::cap_rows::Scattered;
use super::identity::Identities;
use super::keep::{BYTES_PER_ROW, Keeper, MOST_ROWS};
use super::layout::Layout;
use super::levels::Levels;
use super::shards::{Scatter, Shard};
use datafusion::arrow::array::{
    ArrayRef, Int64Array, NullBufferBuilder, RecordBatch, RecordBatchOptions, UInt32Array, UInt64Array,
};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{Result, resources_err};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::physical_plan::metrics::SpillMetrics;
use deniable_core::sensitivity::Caps;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// Bits of the identity by which a large shard is split.
const SPLIT_BITS: u32 = 4;
/// Fewest rows for which there must be room.
const FEWEST_ROWS: usize = 16;

/// What does not change while shards are walked over.
pub(super) struct Plan {
    pub(super) layout: Layout,
    pub(super) levels: Levels,
    /// Arguments, by position, whose presence marks tell.
    pub(super) presence: Vec<usize>,
    pub(super) caps: Caps,
    pub(super) identities: Identities,
    pub(super) schema: SchemaRef,
}

/// One walk over shards: there are as many at a time as there are partitions of the output.
pub(super) struct Walk {
    plan: Arc<Plan>,
    keeper: Keeper,
    scattered: Arc<Scattered>,
    /// Shards that were split off, with the bits that chose them.
    own: Vec<(Shard, u32)>,
    batches: VecDeque<RecordBatch>,
    batch_size: usize,
    allowance: usize,
    reservation: MemoryReservation,
    context: Arc<TaskContext>,
    metrics: SpillMetrics,
}

impl Walk {
    pub(super) fn new(
        plan: Arc<Plan>,
        scattered: Arc<Scattered>,
        allowance: usize,
        context: &Arc<TaskContext>,
        metrics: SpillMetrics,
    ) -> Self {
        let keeper = Keeper::new(
            plan.layout.clone(),
            plan.levels.clone(),
            plan.presence.clone(),
            plan.caps,
            plan.identities.clone(),
        );
        Self {
            plan,
            keeper,
            scattered,
            own: Vec::new(),
            batches: VecDeque::new(),
            batch_size: context.session_config().batch_size(),
            allowance,
            reservation: MemoryConsumer::new("walk").with_can_spill(true).register(context.memory_pool()),
            context: context.clone(),
            metrics,
        }
    }

    /// The next batch of kept rows.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.batches.pop_front() {
                return Ok(Some(batch));
            }
            self.reservation.free();
            let Some((shard, used)) = self.own.pop().or_else(|| self.scattered.take()) else { return Ok(None) };
            self.walk(shard, used)?;
        }
    }

    /// What a row needs while its shard is walked over: itself, what is handed out of it at each level, its place and
    /// its rank.
    fn bytes(&self, rows: usize) -> usize {
        let width = (self.plan.layout.words() + 2) * size_of::<u64>();
        rows.saturating_mul((1 + self.plan.levels.count()) * width + BYTES_PER_ROW)
    }

    fn walk(&mut self, mut shard: Shard, used: u32) -> Result<()> {
        let width = self.plan.layout.words();
        let words = shard.words();
        if words == 0 {
            return Ok(());
        }
        // A third is for splitting.
        let most = (self.allowance / 3 * 2 / self.bytes(1)).clamp(FEWEST_ROWS, MOST_ROWS);
        let room = most.min(words / width);
        self.reservation.try_grow(self.bytes(room))?;
        let mut rows = Vec::with_capacity(room * width);
        shard.take(&mut rows, room * width)?;
        let mut spare = Vec::new();
        while shard.words() > 0 {
            // Often an entity of very many rows: most of them can be dropped right away.
            self.keeper.compact(&mut rows, &mut spare);
            if rows.len() > room * width / 2 {
                drop(spare);
                return self.split(rows, shard, used);
            }
            shard.take(&mut rows, room * width)?;
        }
        drop(spare);
        self.hand_out(&rows)
    }

    /// Scatters a shard again, by more bits.
    fn split(&mut self, mut rows: Vec<u64>, mut shard: Shard, used: u32) -> Result<()> {
        if used + SPLIT_BITS > u64::BITS {
            return resources_err!("the kept rows of one entity do not fit into memory");
        }
        let width = self.plan.layout.words();
        let room = rows.capacity() / width * width;
        let mut scatter = Scatter::new(
            width,
            (used, SPLIT_BITS),
            self.allowance / 3,
            MemoryConsumer::new("split").with_can_spill(true).register(self.context.memory_pool()),
            self.context.runtime_env().disk_manager.clone(),
            self.metrics.clone(),
        );
        while !rows.is_empty() {
            rows.chunks_exact(width).try_for_each(|row| scatter.push(row))?;
            rows.clear();
            shard.take(&mut rows, room)?;
        }
        // On disk, so that what is split off leaves the memory to what is walked over.
        let shards = scatter.finish_on_disk()?.into_iter();
        self.own.extend(shards.map(|shard| (shard, used + SPLIT_BITS)));
        Ok(())
    }

    /// Turns what is kept of a whole shard into batches.
    fn hand_out(&mut self, rows: &[u64]) -> Result<()> {
        for level in 0..self.plan.levels.count() {
            self.hand_out_level(rows, level)?;
        }
        Ok(())
    }

    fn hand_out_level(&mut self, rows: &[u64], level: usize) -> Result<()> {
        let Plan { layout, levels, schema, .. } = &*self.plan;
        let width = layout.words();
        let mut output = Output::new(level as u32, layout.arguments());
        let mut failed = None;
        self.keeper.keep(rows, level, &mut |position, mark| {
            let row = &rows[position * width..][..width];
            output.push(layout, row, levels.cell_of(level, layout.combination(row)), mark);
            if output.cells.len() == self.batch_size {
                match output.finish(schema) {
                    Ok(batch) => self.batches.push_back(batch),
                    Err(error) => failed = Some(error),
                }
            }
        });
        if !output.cells.is_empty() {
            self.batches.push_back(output.finish(schema)?);
        }
        failed.map_or(Ok(()), Err)
    }
}

impl Scattered {
    /// The next shard that nobody has taken.
    fn take(&self) -> Option<(Shard, u32)> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let shard = self.shards.get(at)?.lock().unwrap_or_else(PoisonError::into_inner).take();
        Some((shard.unwrap_or_default(), self.bits()))
    }

    /// The bits that chose the shards.
    fn bits(&self) -> u32 {
        self.shards.len().trailing_zeros()
    }
}

/// A batch of rows that are kept at one level, as it grows.
struct Output {
    level: u32,
    cells: Vec<u32>,
    marks: Vec<u64>,
    units: Vec<(Vec<i64>, NullBufferBuilder)>,
}

impl Output {
    fn new(level: u32, arguments: usize) -> Self {
        let units = (0..arguments).map(|_| (Vec::new(), NullBufferBuilder::new(0))).collect();
        Self { level, cells: Vec::new(), marks: Vec::new(), units }
    }

    fn push(&mut self, layout: &Layout, row: &[u64], cell: u32, mark: u64) {
        self.cells.push(cell);
        self.marks.push(mark);
        layout.read(row, |argument, value| {
            let (units, nulls) = &mut self.units[argument];
            units.push(value.unwrap_or(0));
            nulls.append(value.is_some());
        });
    }

    /// Everything so far; empty again afterwards.
    fn finish(&mut self, schema: &SchemaRef) -> Result<RecordBatch> {
        let rows = self.cells.len();
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(UInt32Array::from(vec![self.level; rows])),
            Arc::new(UInt32Array::from(std::mem::take(&mut self.cells))),
            Arc::new(UInt64Array::from(std::mem::take(&mut self.marks))),
        ];
        for (units, nulls) in &mut self.units {
            columns.push(Arc::new(Int64Array::try_new(std::mem::take(units).into(), nulls.finish())?));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
    }
}
