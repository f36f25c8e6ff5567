//! Runs a computation on a separate thread, while the waiting thread reports progress.

use crate::meter::{Meter, Progress};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The interval of progress reports.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// Maximum number of parts of a result that wait to be taken.
const PARTS_AHEAD: usize = 4;

/// Sends parts of a result as they are made.
pub(crate) struct Parts<P>(SyncSender<P>);

impl<P> Parts<P> {
    /// Sends a part, and blocks while several parts wait to be taken. Returns false if the receiver wants no more.
    pub(crate) fn give(&self, part: P) -> bool {
        self.0.send(part).is_ok()
    }
}

/// Runs a computation to its end. On this thread, `take` is called with its parts, and with `None` a few times a
/// second.
///
/// # Errors
/// When no thread can be started.
pub(crate) fn drive<P: Send, T: Send>(
    work: impl FnOnce(&Parts<P>) -> T + Send,
    take: &mut dyn FnMut(Option<P>),
) -> std::io::Result<T> {
    let (sender, receiver) = sync_channel(PARTS_AHEAD);
    // Moved in, so that a panic of `take` drops the receiver and the work does not wait for it.
    std::thread::scope(move |scope| {
        let worker = std::thread::Builder::new().spawn_scoped(scope, move || work(&Parts(sender)))?;
        let mut told = Instant::now();
        loop {
            let due = TELL_EVERY.saturating_sub(told.elapsed());
            match receiver.recv_timeout(due) {
                Ok(part) => take(Some(part)),
                Err(RecvTimeoutError::Timeout) => {
                    take(None);
                    told = Instant::now();
                }
                // The sender is dropped when the work has ended or panicked.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Runs a computation to its end on another thread. On this thread, `progress` is called with the state of a meter ten
/// times a second and at the end; `size` is the number of bytes to read, if known.
pub fn watch<T: Send>(
    meter: &Meter,
    size: Option<u64>,
    progress: &dyn Fn(Progress),
    work: impl FnOnce() -> T + Send,
) -> T {
    let tell = || progress(meter.progress(size));
    // If no thread can be started, this thread computes, and reports progress only at the end.
    let work = Mutex::new(Some(work));
    let run = || {
        let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        work.map(|work| work())
    };
    let done = drive(|_: &Parts<()>| run(), &mut |_| tell()).ok().flatten().or_else(run);
    tell();
    done.unwrap_or_else(|| unreachable!("the work is there until it runs"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};

    #[test]
    fn progress_is_reported_meanwhile_and_at_the_end() {
        let meter = Meter::new();
        let told = RefCell::new(Vec::new());
        let here = std::thread::current().id();
        let there = watch(&meter, Some(7), &|progress| told.borrow_mut().push(progress), || {
            std::thread::sleep(Duration::from_millis(350));
            meter.add_rows(5);
            std::thread::current().id()
        });
        assert_ne!(here, there);
        let told = told.into_inner();
        assert!(told.len() >= 3, "{told:?}");
        assert_eq!(told.first().map(|progress| progress.rows), Some(0));
        assert_eq!(told.last(), Some(&Progress { rows: 5, bytes: None, size: Some(7) }));
    }

    #[test]
    fn parts_are_taken_in_their_order() {
        let next = Cell::new(0);
        let all = drive(|parts| (0..1_000).all(|part| parts.give(part)), &mut |part| {
            if let Some(part) = part {
                assert_eq!(part, next.replace(next.get() + 1));
            }
        });
        assert!(all.unwrap());
        assert_eq!(next.get(), 1_000);
    }

    #[test]
    fn a_panic_passes_through() {
        let panicked = std::panic::catch_unwind(|| watch(&Meter::default(), None, &|_| {}, || panic!("seen")));
        assert!(panicked.is_err());
    }
}
