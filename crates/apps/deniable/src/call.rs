//! Calls that run on a separate thread: the caller may wait, await, or drop them.

use crate::error::Error;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A running operation of a session. It starts with the call and runs to its end, even if this value is dropped.
///
/// It is a future for any runtime, and [`Self::wait`] is for code without one.
#[derive(Debug)]
#[must_use = "the call continues, but its result is lost"]
pub struct Call<T> {
    result: oneshot::Receiver<Result<T, Error>>,
}

impl<T> Call<T> {
    /// Waits on this thread. In async code, await the call instead, because this would block a thread of the runtime.
    ///
    /// # Errors
    /// The errors of the operation.
    pub fn wait(mut self) -> Result<T, Error> {
        loop {
            if let Some(result) = self.wait_for(Duration::from_secs(3_600)) {
                return result;
            }
        }
    }

    /// Waits on this thread for at most this time; `None` if the call is still running then. For hosts that poll other
    /// events meanwhile, such as an interrupt by the user.
    ///
    /// When the call has already returned its result.
    /// When the call has returned its result before.
    pub fn wait_for(&mut self, most: Duration) -> Option<Result<T, Error>> {
        /// Wakes the waiting thread.
        struct Unpark(Thread);
        impl Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        let until = Instant::now().checked_add(most);
        loop {
            if let Poll::Ready(result) = Pin::new(&mut *self).poll(&mut context) {
                return Some(result);
            }
            match until.map(|until| until.saturating_duration_since(Instant::now())) {
                Some(left) if left.is_zero() => return None,
                Some(left) => thread::park_timeout(left),
                None => thread::park(),
            }
        }
    }
}

impl<T> Future for Call<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The sender is gone, so the work ended without a result.
        Pin::new(&mut self.result).poll(context).map(|result| result.unwrap_or(Err(Error::Ended)))
    }
}

type Work = Box<dyn FnOnce() + Send>;

/// A thread that runs jobs one after another. When all senders are dropped, it finishes the queued jobs and ends.
#[derive(Debug, Clone)]
pub struct Worker {
    works: mpsc::Sender<Work>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn begin(name: &str) -> Result<Self, std::io::Error> {
        let (works, given) = mpsc::channel::<Work>();
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            for work in given {
                // A panic must not affect later jobs. The caller that waits for this job gets an error.
                let _ = catch_unwind(AssertUnwindSafe(work));
            }
        })?;
        Ok(Self { works })
    }

    /// Queues a job.
    pub fn call<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Call<T> {
        let (answer, result) = oneshot::channel();
        let work = move || {
            // The receiver of a dropped call is gone.
            let _ = answer.send(work());
        };
        // The thread outlives every sender.
        let _ = self.works.send(Box::new(work));
        Call { result }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_run_in_order_and_to_their_end() {
        let worker = Worker::begin("test").unwrap();
        let (tell, told) = mpsc::channel();
        let second = tell.clone();
        drop(worker.call(move || {
            thread::sleep(std::time::Duration::from_millis(20));
            tell.send(1).map_err(|_| Error::Ended)
        }));
        let call = worker.call(move || second.send(2).map_err(|_| Error::Ended).map(|()| "done"));
        drop(worker);
        assert_eq!(call.wait().unwrap(), "done");
        assert_eq!(told.iter().collect::<Vec<_>>(), [1, 2], "the dropped one went on");
    }

    #[test]
    fn a_wait_with_a_timeout_can_be_repeated() {
        let worker = Worker::begin("test").unwrap();
        let (go_on, wait) = mpsc::channel::<()>();
        let mut call = worker.call(move || wait.recv().map_err(|_| Error::Ended));
        assert!(call.wait_for(Duration::ZERO).is_none() && call.wait_for(Duration::from_millis(5)).is_none());
        go_on.send(()).unwrap();
        assert!(matches!(call.wait_for(Duration::from_secs(60)), Some(Ok(()))));
    }

    #[test]
    fn a_panicking_job_is_an_error_and_does_not_stop_others() {
        let worker = Worker::begin("test").unwrap();
        let broken: Call<()> = worker.call(|| panic!("as a test does"));
        assert!(matches!(broken.wait(), Err(Error::Ended)));
        assert_eq!(worker.call(|| Ok(7)).wait().unwrap(), 7);
    }
}
