//! The queue of charged queries: one at a time, taking turns among users; and the time from which each answer is
//! visible.
//!
//! An answer becomes visible at a time on the grid: the arrival of the query plus a whole multiple of `answers_take`.
//! The exact computing time within a step is hidden. A query that is submitted again before it is done is computed
//! once, and both become visible at the same time.

use crate::failures::Refusal;
use deniable_wire::{Code, Failure};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// A job, which runs on a blocking thread.
type Work = Box<dyn FnOnce() -> Result<(), Refusal> + Send>;

/// Stack size in bytes for parsing queries, which recurses as deeply as the query nests. Unused pages take no memory.
pub const STACK: usize = 64 << 20;

/// The name of the paying part, and the identity of the query.
pub type Key = (String, String);

/// The result of a job, and the time from which it is visible.
#[derive(Debug, Clone)]
pub struct Completion {
    /// Success, or the error shown to the client.
    pub result: Result<(), Failure>,
    /// The time from which it is visible.
    pub due: Instant,
    /// The number of steps of `answers_take` between arrival and `due`.
    pub steps: u32,
}

/// A callback on completed queries, for the curator's log.
pub type CompletionListener = dyn Fn(&Key, &Completion, Option<&str>) + Send + Sync;

struct Job {
    key: Key,
    arrival: Instant,
    work: Work,
    done: watch::Sender<Option<Completion>>,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<String, VecDeque<Job>>,
    /// The name whose turn was last.
    last: String,
    /// Jobs that are running, or done and not visible yet.
    known: BTreeMap<Key, watch::Receiver<Option<Completion>>>,
}

/// The queue of one population.
pub struct Queue {
    state: Mutex<State>,
    more: Notify,
    /// The step of the grid; zero shows answers as soon as they are computed.
    step: Duration,
    /// Maximum number of waiting jobs of one name.
    most: usize,
    begun: Instant,
}

impl Queue {
    /// An empty queue.
    #[must_use]
    pub fn new(step: Duration, most: usize) -> Self {
        Self { state: Mutex::default(), more: Notify::new(), step, most, begun: Instant::now() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The data are consistent between any two changes, so a poisoned lock can be used.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of waiting jobs.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.state().waiting.values().map(VecDeque::len).sum()
    }

    /// Submits a job, or joins the job with the same key that is already waiting or running.
    ///
    /// # Errors
    /// When too many jobs of this name are waiting.
    pub fn submit(
        &self,
        key: Key,
        arrival: Instant,
        work: Work,
    ) -> Result<watch::Receiver<Option<Completion>>, Failure> {
        let mut state = self.state();
        if let Some(known) = state.known.get(&key).filter(|known| is_pending(known)) {
            return Ok(known.clone());
        }
        let own = state.waiting.entry(key.0.clone()).or_default();
        if own.len() >= self.most {
            let message = format!("{} of your queries are already waiting", own.len());
            return Err(Failure::new(Code::TooMany, message).hint("retry after they are answered"));
        }
        let (done, seen) = watch::channel(None);
        own.push_back(Job { key: key.clone(), arrival, work, done });
        state.known.insert(key, seen.clone());
        drop(state);
        self.more.notify_one();
        Ok(seen)
    }

    /// The time from which a stored answer is visible; the present or a past time if it is visible already.
    #[must_use]
    pub fn due(&self, key: &Key) -> Instant {
        let state = self.state();
        let known = state.known.get(key).and_then(|known| known.borrow().as_ref().map(|done| done.due));
        // Pending jobs are not remembered over a restart, so every answer stored before it waits for one step.
        known.unwrap_or(self.begun + self.step)
    }

    /// The job with this key, if it is running, or done and not visible yet.
    #[must_use]
    pub fn pending(&self, key: &Key) -> Option<watch::Receiver<Option<Completion>>> {
        self.state().known.get(key).filter(|known| is_pending(known)).cloned()
    }

    /// Any such job of this name.
    #[must_use]
    pub fn pending_of(&self, who: &str) -> Option<watch::Receiver<Option<Completion>>> {
        let state = self.state();
        state
            .known
            .range((who.to_owned(), String::new())..)
            .take_while(|(key, _)| key.0 == who)
            .find(|(_, known)| is_pending(known))
            .map(|(_, known)| known.clone())
    }

    /// The next job, taking turns among names.
    fn next(&self) -> Option<Job> {
        let mut state = self.state();
        let after = state.last.clone();
        let name = {
            let mut waiting = state.waiting.iter().filter(|(_, jobs)| !jobs.is_empty()).map(|(name, _)| name);
            let first = waiting.clone().next()?.clone();
            waiting.find(|name| **name > after).cloned().unwrap_or(first)
        };
        state.last.clone_from(&name);
        let jobs = state.waiting.get_mut(&name)?;
        let job = jobs.pop_front();
        if jobs.is_empty() {
            state.waiting.remove(&name);
        }
        job
    }

    /// The first time on the grid that is not before `now`.
    fn on_grid(&self, arrival: Instant, now: Instant) -> (Instant, u32) {
        if self.step.is_zero() {
            return (now, 0);
        }
        let passed = now.duration_since(arrival).as_nanos();
        let steps = passed.div_ceil(self.step.as_nanos()).max(1);
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        (arrival + self.step * steps, steps)
    }

    /// Runs jobs, for ever.
    pub async fn run(self: Arc<Self>, tell: Arc<CompletionListener>) {
        loop {
            let Some(Job { key, arrival, work, done }) = self.next() else {
                self.more.notified().await;
                continue;
            };
            let told = on_a_thread(work).await;
            let (due, steps) = self.on_grid(arrival, Instant::now());
            let secret = told.as_ref().err().and_then(|told| told.secret.clone());
            let seen = Completion { result: told.map_err(|told| told.failure), due, steps };
            tell(&key, &seen, secret.as_deref());
            done.send_replace(Some(seen));
            let queue = Arc::clone(&self);
            tokio::spawn(async move {
                tokio::time::sleep_until(due).await;
                // The same query may have been submitted in the meantime.
                let mut state = queue.state();
                if state.known.get(&key).is_some_and(|known| !is_pending(known)) {
                    state.known.remove(&key);
                }
            });
        }
    }
}

/// Runs a job on its own thread, so that it does not block other tasks.
async fn on_a_thread(work: Work) -> Result<(), Refusal> {
    let failed = |why: String| Err(Refusal { failure: crate::failures::unavailable(), secret: Some(why) });
    let (tell, told) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("queue".to_owned()).stack_size(STACK);
    let begun = thread.spawn(move || {
        let _ = tell.send(work());
    });
    match begun {
        Err(error) => failed(error.to_string()),
        // A panic is a bug of this program, and must not stop the queue.
        Ok(_) => told.await.unwrap_or_else(|_| failed("what was charged for panicked".to_owned())),
    }
}

/// Whether a job is running, or not visible yet. A completed job is removed slightly later than its result becomes
/// visible; in between it is not pending, because a client may have its answer already.
fn is_pending(known: &watch::Receiver<Option<Completion>>) -> bool {
    known.borrow().as_ref().is_none_or(|done| done.due > Instant::now())
}

/// Waits until a job is done and its result is visible.
pub async fn seen(mut done: watch::Receiver<Option<Completion>>) -> Result<(), Failure> {
    let known = match done.wait_for(Option::is_some).await {
        Ok(known) => known.clone(),
        Err(_) => None,
    };
    let Some(Completion { result, due, .. }) = known else { return Err(crate::failures::unavailable()) };
    tokio::time::sleep_until(due).await;
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn begun(step: u64, most: usize) -> Arc<Queue> {
        Arc::new(Queue::new(Duration::from_millis(step), most))
    }

    fn key(who: &str, what: &str) -> Key {
        (who.to_owned(), what.to_owned())
    }

    #[tokio::test]
    async fn names_take_turns_and_equal_queries_run_once() {
        let queue = begun(0, 3);
        let (tell, told) = mpsc::channel();
        let mut all = Vec::new();
        for (who, what) in [("ana", "1"), ("ana", "2"), ("ana", "3"), ("ana", "1"), ("bo", "1"), ("cy", "1")] {
            let tell = tell.clone();
            let work = Box::new(move || {
                tell.send(format!("{who} {what}")).unwrap();
                Ok(())
            });
            all.push(queue.submit(key(who, what), Instant::now(), work).unwrap());
        }
        assert!(queue.submit(key("ana", "4"), Instant::now(), Box::new(|| Ok(()))).is_err());
        assert_eq!(queue.depth(), 5);
        tokio::spawn(Arc::clone(&queue).run(Arc::new(|_, _, _| {})));
        for one in all {
            seen(one).await.unwrap();
        }
        assert_eq!(told.try_iter().collect::<Vec<_>>(), ["ana 1", "bo 1", "cy 1", "ana 2", "ana 3"]);
    }

    /// From the time at which an answer becomes visible, its job is not pending, whenever it is removed.
    #[tokio::test]
    async fn visible_answers_are_not_pending() {
        let queue = begun(0, 3);
        let later = Instant::now() + Duration::from_secs(3_600);
        for (due, is_pending) in [(Instant::now(), false), (later, true)] {
            let (_tell, seen) = watch::channel(Some(Completion { result: Ok(()), due, steps: 1 }));
            queue.state().known.insert(key("ana", "1"), seen.clone());
            assert_eq!(queue.pending(&key("ana", "1")).is_some(), is_pending);
            assert_eq!(queue.pending_of("ana").is_some(), is_pending);
            let again = queue.submit(key("ana", "1"), Instant::now(), Box::new(|| Ok(()))).unwrap();
            assert_eq!(again.same_channel(&seen), is_pending, "what is seen can be asked anew");
        }
    }

    /// The result becomes visible at the end of its step, however long it took within the step; also for a client that
    /// asks again or has disconnected.
    #[tokio::test(start_paused = true)]
    async fn results_become_visible_on_the_grid() {
        let queue = begun(1_000, 3);
        let steps = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&steps);
        tokio::spawn(
            Arc::clone(&queue).run(Arc::new(move |_, done: &Completion, _| told.lock().unwrap().push(done.steps))),
        );
        let arrival = Instant::now();
        drop(queue.submit(key("ana", "1"), arrival, Box::new(|| Ok(()))).unwrap());
        tokio::time::sleep(Duration::from_millis(300)).await;
        let again = queue.submit(key("ana", "1"), Instant::now(), Box::new(|| panic!("it is done"))).unwrap();
        seen(again).await.unwrap();
        assert_eq!(Instant::now() - arrival, Duration::from_millis(1_000));
        let failing = queue.submit(key("ana", "2"), Instant::now(), Box::new(|| panic!("as a test does"))).unwrap();
        assert_eq!(seen(failing).await.unwrap_err().code, Code::Internal);
        assert_eq!(Instant::now() - arrival, Duration::from_millis(2_000));
        assert_eq!(*steps.lock().unwrap(), [1, 1]);
        assert_eq!(queue.on_grid(arrival, arrival + Duration::from_millis(2_001)).1, 3);
    }
}
