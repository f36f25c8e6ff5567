//! Calls that run on a thread of their own: waited for, awaited, or dropped.

use crate::error::Error;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Something that a session is doing. It began when it was called, and goes on to its end whatever becomes of this value.
///
/// It is a future for any runtime, and [`Self::wait`] is for code without one.
#[derive(Debug)]
#[must_use = "it goes on, but nobody hears what became of it"]
pub struct Call<T> {
    result: oneshot::Receiver<Result<T, Error>>,
}

impl<T> Call<T> {
    /// Waits on this thread. In async code await the call instead: this would keep a thread of the runtime waiting.
    ///
    /// # Errors
    /// Those of the call.
    pub fn wait(mut self) -> Result<T, Error> {
        loop {
            if let Some(result) = self.wait_for(Duration::from_secs(3_600)) {
                return result;
            }
        }
    }

    /// Waits on this thread for at most this time; `None` where the call is still running then. For hosts that poll something else
    /// meanwhile, such as an interrupt of the user.
    ///
    /// # Panics
    /// When the call has returned its result before.
    pub fn wait_for(&mut self, most: Duration) -> Option<Result<T, Error>> {
        /// Wakes the thread that waits.
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
        // Nobody at the other end: the work ended without a word.
        Pin::new(&mut self.result).poll(context).map(|result| result.unwrap_or(Err(Error::Ended)))
    }
}

type Work = Box<dyn FnOnce() + Send>;

/// A thread that does one thing after another. When nobody can give it more it finishes what it was given, and ends.
#[derive(Debug, Clone)]
pub struct Worker {
    works: mpsc::Sender<Work>,
}

impl Worker {
    /// Begins the thread.
    ///
    /// # Errors
    /// When the system has none to give.
    pub fn begin(name: &str) -> Result<Self, std::io::Error> {
        let (works, given) = mpsc::channel::<Work>();
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            for work in given {
                // What was given next must not suffer. Whoever waits for this one hears that it ended.
                let _ = catch_unwind(AssertUnwindSafe(work));
            }
        })?;
        Ok(Self { works })
    }

    /// Gives it something to do.
    pub fn call<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Call<T> {
        let (answer, result) = oneshot::channel();
        let work = move || {
            // A dropped call wants no answer.
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
    fn who_waits_so_long_at_most_may_wait_again() {
        let worker = Worker::begin("test").unwrap();
        let (go_on, wait) = mpsc::channel::<()>();
        let mut call = worker.call(move || wait.recv().map_err(|_| Error::Ended));
        assert!(call.wait_for(Duration::ZERO).is_none() && call.wait_for(Duration::from_millis(5)).is_none());
        go_on.send(()).unwrap();
        assert!(matches!(call.wait_for(Duration::from_secs(60)), Some(Ok(()))));
    }

    #[test]
    fn what_ends_without_a_word_says_so_and_stops_no_other() {
        let worker = Worker::begin("test").unwrap();
        let broken: Call<()> = worker.call(|| panic!("as a test does"));
        assert!(matches!(broken.wait(), Err(Error::Ended)));
        assert_eq!(worker.call(|| Ok(7)).wait().unwrap(), 7);
    }
}
