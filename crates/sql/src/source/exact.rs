//! From a source and a question to exact totals, on all threads and within a limit of memory.

use super::cause::Cause;
use super::drive::{self, Parts, drive};
use super::meter::Meter;
use super::{Rows, Source, reading};
use crate::bound::{CapRows, Capping, Columns, Exact, Meaning, SPILLING, Salt, Totals, UnexpectedBatch};
use crate::error::SourceError;
use crate::plan::{Argument, Query};
use crate::rows;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, JoinType};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::{
    GreedyMemoryPool, MemoryConsumer, MemoryPool, MemoryReservation, UnboundedMemoryPool,
};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection, SubqueryAlias, lit, try_cast};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::prelude::{DataFrame, SessionContext};
use futures::StreamExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::task::JoinSet;

/// What a computation may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resources {
    /// Threads that compute.
    pub threads: usize,
    /// Bytes of rows, totals and what is made of them that may be in memory at once; `None` is without limit. Buffers
    /// for reading files come on top: some ten megabytes a thread.
    pub memory: Option<usize>,
    /// Where rows go that do not fit; `None` is the system's folder for temporary files.
    pub spill: Option<PathBuf>,
}

impl Default for Resources {
    /// All threads, 4 GiB, the system's folder.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { threads, memory: Some(4 << 30), spill: None }
    }
}

impl Resources {
    /// The least limit of memory that anything is computed with.
    pub const LEAST_MEMORY: usize = 1_000_000;

    /// The least limit of memory for a question: room for its totals, whose number follows from the policy alone, and for some
    /// rows beside them. Many rows of one entity, and ranked values, can take more.
    #[must_use]
    pub fn least_memory(query: &Query) -> usize {
        let totals = Totals::bytes(query);
        totals.saturating_add(totals.min(Self::LEAST_MEMORY)).max(Self::LEAST_MEMORY)
    }
}

/// How far a computation has come. For the curator: it depends on private rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Rows read.
    pub rows: u64,
    /// Bytes read, where the format tells.
    pub bytes: Option<u64>,
    /// Bytes of all files together. Columns that are not used are not read, where the format allows that.
    pub size: Option<u64>,
}

/// Totals, and the memory of the values in them.
type Copy = Mutex<(Totals, MemoryReservation)>;

/// What the resources come to.
struct Environment {
    /// Where memory and disk are counted.
    runtime: Arc<RuntimeEnv>,
    /// How many copies of the totals there is room for.
    copies: usize,
    /// The room for values that are ranked.
    piles: Arc<dyn MemoryPool>,
}

/// One computation: everything that its threads need.
struct Work {
    sources: Vec<Source>,
    query: Query,
    salt: Salt,
    resources: Resources,
    /// What was read of text files.
    meter: Arc<Meter>,
    /// The plan, once there is one: its metrics tell progress in all other files.
    plan: OnceLock<Arc<dyn ExecutionPlan>>,
}

/// Reads all rows that a question is about and adds them up. `progress` is told how far it has come, a few times a
/// second and in the end.
///
/// # Errors
/// When files cannot be read to the end, or lack declared columns, a table is not among the sources, or the resources
/// do not suffice.
pub fn exact(
    sources: &[Source],
    query: &Query,
    salt: &Salt,
    resources: &Resources,
    progress: &dyn Fn(Progress),
) -> Result<Exact, SourceError> {
    let table = || query.tables().collect::<Vec<_>>().join(", ");
    let threads = resources.threads.max(1);
    let work = Arc::new(Work {
        sources: sources.to_vec(),
        query: query.clone(),
        salt: salt.clone(),
        resources: Resources { threads, ..resources.clone() },
        meter: Arc::default(),
        plan: OnceLock::new(),
    });
    let read = query.tables().map(|name| sources.iter().find(|source| source.table.name == name));
    let size = read.map(|source| source.and_then(Source::size)).sum::<Option<u64>>();
    let tell = |work: &Work| progress(Progress { size, ..work.progress() });
    let spawned = work.clone();
    let totals = drive(threads, move |_: Parts<(), _>| async move { spawned.totals().await }, &mut |_| tell(&work));
    tell(&work);
    totals.unwrap_or(Err(Cause::Rows)).map(Totals::finish).map_err(|cause| cause.of_tables(table()))
}

impl Source {
    /// Bytes of all files; `None` for rows in memory.
    pub(super) fn size(&self) -> Option<u64> {
        match &self.rows {
            Rows::Files { files, .. } => {
                files.iter().map(|path| Some(std::fs::metadata(path).ok()?.len())).sum::<Option<u64>>()
            }
            Rows::Memory(_) => None,
        }
    }
}

impl Work {
    async fn totals(&self) -> Result<Totals, Cause> {
        let Environment { runtime, copies, piles } = self.environment()?;
        let context = drive::session(self.resources.threads, runtime, &self.meter);
        let rows = physical(&context, self.frame(&context).await?).await?;
        let task = context.task_ctx();
        let by_entity = self.query.entity().is_some();
        let plan = if by_entity {
            let capping = Capping::of_query(&self.query, &self.salt);
            Arc::new(CapRows::new(rows, &capping, self.resources.threads)?) as Arc<dyn ExecutionPlan>
        } else {
            rows
        };
        let plan = self.plan.get_or_init(|| plan).clone();
        let copy = || Mutex::new((Totals::new(&self.query), MemoryConsumer::new("values").register(&piles)));
        let totals: Arc<[Copy]> = (0..copies).map(|_| copy()).collect();
        let meaning = Meaning::of_query(&self.query);
        let mut tasks = JoinSet::new();
        for partition in 0..plan.output_partitioning().partition_count() {
            let stream = plan.execute(partition, task.clone())?;
            let columns = (!by_entity).then(|| Columns::new(meaning.clone()));
            tasks.spawn(add_up(stream, columns, totals.clone(), partition % copies));
        }
        while let Some(finished) = tasks.join_next().await {
            finished.map_err(|_| Cause::Rows)??;
        }
        let mut all = Totals::new(&self.query);
        for part in &*totals {
            let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
            all.merge(std::mem::replace(&mut part.0, Totals::new(&self.query)));
        }
        Ok(all)
    }

    fn environment(&self) -> Result<Environment, Cause> {
        // Totals are as large as the question makes them, whatever the rows: at most a quarter of the memory goes to
        // copies of them, so that threads need not wait for each other.
        let bytes = Totals::bytes(&self.query).max(1);
        let limit = self.resources.memory;
        let copies = limit.map_or(usize::MAX, |limit| limit / 4 / bytes).clamp(1, self.resources.threads);
        let (pool, piles): (Arc<dyn MemoryPool>, Arc<dyn MemoryPool>) = match limit {
            None => (Arc::new(UnboundedMemoryPool::default()), Arc::new(UnboundedMemoryPool::default())),
            Some(limit) => {
                let rest = limit.checked_sub(bytes.saturating_mul(copies)).ok_or(Cause::Memory)?;
                // Values that are ranked cannot go to disk: they have a part of their own.
                let piles = if self.query.has_ranks() { rest / 3 } else { 0 };
                (Arc::new(GreedyMemoryPool::new(rest - piles)), Arc::new(GreedyMemoryPool::new(piles)))
            }
        };
        let runtime =
            drive::environment(pool, self.resources.spill.clone()).map_err(|error| error.context(SPILLING))?;
        Ok(Environment { runtime, copies, piles })
    }

    /// The entity key if there is one, the group columns and the arguments of every row that counts.
    async fn frame(&self, context: &SessionContext) -> Result<DataFrame, Cause> {
        let query = &self.query;
        let mut frame = self.joined(context).await?;
        for filter in &query.rows.filters {
            frame = frame.filter(filter.clone())?;
        }
        let groups = query.groups().iter().map(|group| group.expr.clone());
        let arguments = query.rows.arguments.iter().map(counted);
        let wanted = query.entity().into_iter().chain(groups).chain(arguments);
        // Names only keep the plan's columns apart; positions are what counts.
        let named = wanted.enumerate().map(|(position, expr)| expr.alias(format!("v{position}")));
        let mut wanted: Vec<Expr> = named.collect();
        if wanted.is_empty() {
            // COUNT(*) alone needs rows, not columns; a constant stands for them.
            wanted.push(lit(true).alias("v0"));
        }
        Ok(frame.select(wanted)?)
    }

    /// The rows of all tables of the question, joined on their keys.
    async fn joined(&self, context: &SessionContext) -> Result<DataFrame, Cause> {
        let unknown = |at: usize| SourceError::Rows { table: self.query.rows.tables[at].name.clone() };
        let named = |at: usize| {
            let name = &self.query.rows.tables[at].name;
            self.sources.iter().find(|source| source.table.name == *name).ok_or_else(|| unknown(at))
        };
        let joins = &self.query.rows.joins;
        let mut frame = named(joins.first)?.named(context).await?;
        for join in &joins.others {
            let source = named(join.table)?;
            let key = source.table.join_key().map(|key| source.table.expr(key)).ok_or_else(|| unknown(join.table))?;
            let kind = if join.keeps_unmatched { JoinType::Left } else { JoinType::Inner };
            frame = frame.join_on(source.named(context).await?, kind, [join.on.clone().eq(key)])?;
        }
        Ok(frame)
    }

    fn progress(&self) -> Progress {
        drive::progress(&self.meter, self.plan.get())
    }
}

/// An argument as it is counted: dates and times on a grid are whole numbers of days and microseconds.
fn counted(argument: &Argument) -> Expr {
    let expr = argument.expr.clone();
    match &argument.grid {
        Some(grid) if grid.of_times => try_cast(expr, DataType::Int64),
        _ => expr,
    }
}

/// Adds up one partition.
async fn add_up(
    mut stream: SendableRecordBatchStream,
    mut columns: Option<Columns>,
    totals: Arc<[Copy]>,
    copy: usize,
) -> Result<(), Cause> {
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        if let Some(columns) = &mut columns {
            columns.read(&batch)?;
        }
        let mut copy = totals[copy].lock().unwrap_or_else(PoisonError::into_inner);
        let (totals, reservation) = &mut *copy;
        match &columns {
            Some(columns) => columns.add_to(totals),
            None => totals.add_kept(&batch)?,
        }
        reservation.try_resize(totals.piled())?;
    }
    Ok(())
}

/// Plans a frame. Its optimised plan must pass a last look: the optimiser, too, must leave only total expressions.
async fn physical(context: &SessionContext, frame: DataFrame) -> Result<Arc<dyn ExecutionPlan>, Cause> {
    let state = context.state();
    let optimised = as_stored(state.optimize(frame.logical_plan())?)?;
    if !rows::is_total_plan(&optimised) {
        return Err(Cause::Rows);
    }
    Ok(state.query_planner().create_physical_plan(&optimised, &state).await?)
}

/// Leaves texts of the outermost columns as they are stored: entity keys and group keys are read in every form of
/// text, and need no copy in the declared one. That is so where one table's columns are read right below.
fn as_stored(plan: LogicalPlan) -> Result<LogicalPlan, DataFusionError> {
    let LogicalPlan::Projection(outer) = &plan else { return Ok(plan) };
    let LogicalPlan::SubqueryAlias(table) = outer.input.as_ref() else { return Ok(plan) };
    let LogicalPlan::Projection(inner) = table.input.as_ref() else { return Ok(plan) };
    // Anything that computes with a text needs it in its declared form.
    let is_bare = |expr: &Expr| matches!(expr, Expr::Alias(alias) if matches!(*alias.expr, Expr::Column(_)));
    let computed: Vec<_> = outer.expr.iter().filter(|expr| !is_bare(expr)).flat_map(Expr::column_refs).collect();
    let stored = inner.expr.iter().map(|expr| match expr {
        Expr::Alias(alias) if computed.iter().all(|column| column.name != alias.name) => {
            reading::as_stored(&alias.expr).map_or_else(|| expr.clone(), |stored| stored.alias(&alias.name))
        }
        _ => expr.clone(),
    });
    let inner = Projection::try_new(stored.collect(), inner.input.clone())?;
    let table = SubqueryAlias::try_new(Arc::new(LogicalPlan::Projection(inner)), table.alias.clone())?;
    let outer = Projection::try_new(outer.expr.clone(), Arc::new(LogicalPlan::SubqueryAlias(table)))?;
    Ok(LogicalPlan::Projection(outer))
}

impl From<UnexpectedBatch> for Cause {
    fn from(_: UnexpectedBatch) -> Self {
        Self::Rows
    }
}
