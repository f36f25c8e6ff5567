//! A computation of the engine on threads of its own, with progress told meanwhile.

use super::Progress;
use super::meter::Meter;
use crate::plan::session_state;
use datafusion::common::DataFusionError;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionContext;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// Bytes of a thread's stack: deeply nested expressions are walked over recursively, and must not end the process.
const THREAD_STACK: usize = 16 << 20;

/// Parts of a result that wait to be taken.
const PARTS_AHEAD: usize = 4;

/// What a computation tells the thread that waits for it.
enum Told<P, T> {
    Part(P),
    Done(T),
}

/// Takes parts of a result as they are made.
pub(super) struct Parts<P, T>(SyncSender<Told<P, T>>);

impl<P, T> Parts<P, T> {
    /// Hands one over, and waits where several have not been taken yet. False when nobody wants any more.
    pub(super) fn give(&self, part: P) -> bool {
        // Blocks this thread alone: the engine has others, and whoever takes the parts is none of them.
        tokio::task::block_in_place(|| self.0.send(Told::Part(part))).is_ok()
    }
}

/// Runs a computation to its end. `take` is given its parts, on this thread, and nothing a few times a second. `None` where it
/// could not be run.
pub(super) fn drive<P: Send + 'static, T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    threads: usize,
    work: impl FnOnce(Parts<P, T>) -> F,
    take: &mut dyn FnMut(Option<P>),
) -> Option<T> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(threads).thread_stack_size(THREAD_STACK).build();
    let runtime = runtime.ok()?;
    let (sender, receiver) = sync_channel(PARTS_AHEAD);
    let computed = work(Parts(sender.clone()));
    runtime.spawn(async move {
        let done = computed.await;
        // The receiver is gone only when nobody wants the answer any more.
        tokio::task::block_in_place(|| drop(sender.send(Told::Done(done))));
    });
    let mut told = Instant::now();
    loop {
        let due = TELL_EVERY.saturating_sub(told.elapsed());
        match receiver.recv_timeout(due) {
            Ok(Told::Done(result)) => break Some(result),
            Ok(Told::Part(part)) => take(Some(part)),
            Err(RecvTimeoutError::Timeout) => {
                take(None);
                told = Instant::now();
            }
            Err(RecvTimeoutError::Disconnected) => break None,
        }
    }
}

/// A session on so many threads whose text files count what is read of them.
pub(super) fn session(threads: usize, runtime: Arc<RuntimeEnv>, meter: &Arc<Meter>) -> SessionContext {
    let config = session_state().config().clone().with_target_partitions(threads).with_extension(meter.clone());
    let state =
        SessionStateBuilder::new_from_existing(session_state()).with_config(config).with_runtime_env(runtime).build();
    SessionContext::new_with_state(state)
}

/// Where memory and disk are counted.
pub(super) fn environment(
    pool: Arc<dyn MemoryPool>,
    spill: Option<PathBuf>,
) -> Result<Arc<RuntimeEnv>, DataFusionError> {
    let mode = spill.map_or(DiskManagerMode::OsTmpDirectory, |folder| DiskManagerMode::Directories(vec![folder]));
    let disk = DiskManagerBuilder::default().with_mode(mode).with_max_temp_directory_size(u64::MAX);
    RuntimeEnvBuilder::new().with_memory_pool(pool).with_disk_manager_builder(disk).build_arc()
}

/// How far a computation has come: by the meter of text files, and by the metrics of a plan for all others.
pub(super) fn progress(meter: &Meter, plan: Option<&Arc<dyn ExecutionPlan>>) -> Progress {
    let bytes = Some(meter.bytes()).filter(|bytes| *bytes > 0);
    let mut progress = Progress { rows: meter.rows(), bytes, size: None };
    if let Some(plan) = plan {
        read_so_far(plan, &mut progress);
    }
    progress
}

/// Adds what the leaves of a plan have read.
fn read_so_far(plan: &Arc<dyn ExecutionPlan>, progress: &mut Progress) {
    let children = plan.children();
    if !children.is_empty() {
        children.into_iter().for_each(|child| read_so_far(child, progress));
        return;
    }
    let Some(metrics) = plan.metrics() else { return };
    progress.rows += metrics.output_rows().unwrap_or(0) as u64;
    if let Some(bytes) = metrics.sum_by_name("bytes_scanned") {
        *progress.bytes.get_or_insert(0) += bytes.as_usize() as u64;
    }
}
