//! The operator that keeps at most so many rows in each of at most so many cells of each entity.
//!
//! Each partition of the input is scattered over shards by a hash of the entity; then each shard is sorted and
//! walked. Both phases use all threads. What does not fit into memory goes to temporary files (`shards`).

use super::columns::{Columns, Meaning};
use super::identity::Identities;
use super::layout::Layout;
use super::levels::Levels;
use super::lookup::NOWHERE;
use super::shards::{Scatter, Shard};
use super::walk::{Plan, Walk};
use super::{Salt, UnexpectedBatch};
use crate::plan::{Argument, Group};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet, SpillMetrics};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning, PlanProperties,
};
use deniable_core::sensitivity::Caps;
use futures::{StreamExt, TryStreamExt, stream};
use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;

/// Bits of the entity's hash that choose its shard.
const SHARD_BITS: u32 = 8;
/// Most presence arguments: one bit of a mark each, beside the first.
const MOST_PRESENCE: usize = 63;

/// What is kept, and of what.
pub(crate) struct Capping<'a> {
    /// The columns that make cells.
    pub(crate) groups: &'a [Group],
    /// Which of them make the cells of each level.
    pub(crate) levels: &'a [Vec<usize>],
    /// What is taken from each row.
    pub(crate) arguments: &'a [Argument],
    /// Arguments, by position, of which marks tell whether ANY row of the entity in the cell has a value.
    pub(crate) presence: Vec<usize>,
    /// Most rows in a cell, and most cells, of an entity.
    pub(crate) caps: Caps,
    /// What decides which rows are kept.
    pub(crate) salt: &'a Salt,
}

/// Keeps at most so many rows in each of at most so many cells of each entity.
///
/// The input has the entity key, the group columns and the arguments, in this order. The output has, for each level by
/// itself,
///
/// - `level` (`UInt32`): the level, the same in all rows of a batch,
/// - `cell` (`UInt32`): the number of the row's cell at that level,
/// - `mark` (`UInt64`): for one row of each entity and cell bit 0 is set, and bit 1 + i when ANY row of that entity in
///   that cell, kept or not, has a value of the i-th presence argument; 0 for the other rows,
/// - for each argument an `Int64`: its grid units, or 0 for a value of an argument without a grid; NULL where there is
///   no value.
///
/// Rows of NULL entity and rows with undeclared keys are dropped first. Which rows are kept depends on the entity's own
/// rows alone, and on the salt; neither on the order of rows nor on partitions nor on memory.
#[derive(Clone)]
pub(crate) struct CapRows {
    input: Arc<dyn ExecutionPlan>,
    meaning: Meaning,
    plan: Arc<Plan>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    scattered: Arc<OnceCell<std::result::Result<Arc<Scattered>, Arc<DataFusionError>>>>,
}

/// All shards, each to be taken once, by whichever partition of the output comes first.
pub(super) struct Scattered {
    pub(super) shards: Vec<Mutex<Option<Shard>>>,
    pub(super) next: AtomicUsize,
}

impl CapRows {
    /// `partitions` is how many walk over shards at the same time.
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, capping: &Capping<'_>, partitions: usize) -> Result<Self> {
        let identities = Identities::new(capping.salt);
        let meaning = Meaning::new(capping.groups, capping.arguments, Some(identities.clone()));
        let arguments = capping.arguments.len();
        let shape = input.schema();
        if shape.fields().len() != meaning.columns()
            || capping.presence.len() > MOST_PRESENCE
            || capping.presence.iter().any(|argument| *argument >= arguments)
        {
            return internal_err!("the input of CapRows has another shape");
        }
        let is_text = !matches!(shape.field(0).data_type(), DataType::Int64);
        let number = |name: &str, kind| Field::new(name, kind, false);
        let mut fields =
            vec![number("level", DataType::UInt32), number("cell", DataType::UInt32), number("mark", DataType::UInt64)];
        fields.extend((0..arguments).map(|position| Field::new(format!("a{position}"), DataType::Int64, true)));
        let schema = Arc::new(Schema::new(fields));
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema.clone()),
            Partitioning::UnknownPartitioning(partitions.max(1)),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        let plan = Plan {
            layout: Layout::new(is_text, meaning.grids()),
            levels: Levels::new(capping.groups, capping.levels),
            presence: capping.presence.clone(),
            caps: capping.caps,
            identities,
            schema,
        };
        Ok(Self {
            input,
            meaning,
            plan: Arc::new(plan),
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
            scattered: Arc::new(OnceCell::new()),
        })
    }

    /// Most bytes that one scatter, and one walk, may hold. Walks come while scattered rows are still in memory, and
    /// must always find room: their part is set aside from the start.
    fn allowances(&self, context: &TaskContext) -> (usize, usize) {
        match context.memory_pool().memory_limit() {
            MemoryLimit::Finite(limit) => {
                let scatters = self.input.output_partitioning().partition_count().max(1);
                let walks = self.properties.partitioning.partition_count();
                (limit / 8 * 5 / scatters, limit / 8 * 3 / walks)
            }
            MemoryLimit::Infinite | MemoryLimit::Unknown => (usize::MAX, usize::MAX),
        }
    }

    /// Scatters all partitions of the input.
    async fn scatter(self, context: Arc<TaskContext>) -> Result<Arc<Scattered>> {
        let (allowance, _) = self.allowances(&context);
        let mut tasks = JoinSet::new();
        for partition in 0..self.input.output_partitioning().partition_count() {
            let mut stream = self.input.execute(partition, context.clone())?;
            let mut columns = Columns::new(self.meaning.clone());
            let plan = self.plan.clone();
            let mut scatter = Scatter::new(
                plan.layout.words(),
                (0, SHARD_BITS),
                allowance,
                MemoryConsumer::new("scatter").with_can_spill(true).register(context.memory_pool()),
                context.runtime_env().disk_manager.clone(),
                SpillMetrics::new(&self.metrics, partition),
            );
            tasks.spawn(async move {
                while let Some(batch) = stream.next().await {
                    columns.read(&batch?).map_err(|UnexpectedBatch| exec_datafusion_err!("unexpected batch"))?;
                    for (at, combination) in columns.combinations.iter().enumerate() {
                        if *combination != NOWHERE {
                            let identity = columns.identities[at];
                            scatter.push_with(identity[0], &mut |chunk| {
                                plan.layout.write(identity, *combination, &columns.values, at, chunk);
                            })?;
                        }
                    }
                }
                Ok::<_, DataFusionError>(scatter.finish())
            });
        }
        let mut all: Vec<Shard> = (0..1 << SHARD_BITS).map(|_| Shard::default()).collect();
        while let Some(finished) = tasks.join_next().await {
            let shards = finished.map_err(|_| exec_datafusion_err!("a thread has stopped"))??;
            all.iter_mut().zip(shards).for_each(|(all, shard)| all.join(shard));
        }
        let shards = all.into_iter().map(|shard| Mutex::new(Some(shard))).collect();
        Ok(Arc::new(Scattered { shards, next: AtomicUsize::new(0) }))
    }
}

impl fmt::Debug for CapRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CapRows").field("input", &self.input).finish_non_exhaustive()
    }
}

impl DisplayAs for CapRows {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Caps { rows_per_group, groups } = self.plan.caps;
        write!(f, "CapRows: rows_per_group={rows_per_group}, groups={groups}")
    }
}

impl ExecutionPlan for CapRows {
    fn name(&self) -> &'static str {
        "CapRows"
    }

    fn schema(&self) -> SchemaRef {
        self.plan.schema.clone()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        match (children.pop(), children.pop()) {
            (Some(input), None) => Ok(Arc::new(Self {
                input,
                metrics: ExecutionPlanMetricsSet::new(),
                scattered: Arc::new(OnceCell::new()),
                ..Self::clone(&self)
            })),
            _ => internal_err!("CapRows has one input"),
        }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (_, allowance) = self.allowances(&context);
        let this = self.clone();
        let batches = stream::once(async move {
            let scatter = || async { this.clone().scatter(context.clone()).await.map_err(Arc::new) };
            let scattered = match this.scattered.get_or_init(scatter).await {
                Ok(scattered) => scattered.clone(),
                Err(error) => return Err(DataFusionError::Shared(error.clone())),
            };
            // Walks do not wait for anything. Those that waited for the scatter are woken on the thread of the one that
            // finished it, and no other thread can take them from there until that one lets go.
            tokio::task::yield_now().await;
            let metrics = SpillMetrics::new(&this.metrics, partition);
            let walk = Walk::new(this.plan.clone(), scattered, allowance, &context, metrics);
            Ok(stream::try_unfold(walk, |mut walk| async move { Ok(walk.next()?.map(|batch| (batch, walk))) }))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches.try_flatten())))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
