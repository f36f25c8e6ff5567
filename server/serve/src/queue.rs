//! What is paid for, one thing after the other, in turns among those who ask; and when each may see that it is done.
//!
//! An answer is shown at a time on the grid: its arrival and a whole number of times `answers_take`. How long it took within them is seen by
//! nobody. What was asked twice before that is done once, and waits for the same time.

use crate::failures::Refusal;
use deniable_wire::{Code, Failure};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// Something to do: it runs on a thread that may take its time.
type Work = Box<dyn FnOnce() -> Result<(), Refusal> + Send>;

/// Bytes of the stacks on which queries are taken apart, which is as deep as they are; what is not used of them takes no memory.
pub const STACK: usize = 64 << 20;

/// Who asks, and the identity of what is asked.
pub type Key = (String, String);

/// What came of something, and from when on it may be seen.
#[derive(Debug, Clone)]
pub struct Completion {
    /// Whether it was done, or why not.
    pub result: Result<(), Failure>,
    /// From when on.
    pub due: Instant,
    /// How many times `answers_take` that is after it was asked.
    pub steps: u32,
}

/// A callback on completed queries, for the curator.
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
    /// Whose turn it was last.
    last: String,
    /// What is being done, or is done and not seen yet.
    known: BTreeMap<Key, watch::Receiver<Option<Completion>>>,
}

/// The queue of one population.
pub struct Queue {
    state: Mutex<State>,
    more: Notify,
    /// The step of the grid; nothing where answers are shown when they are there.
    step: Duration,
    /// How much one may have waiting.
    most: usize,
    begun: Instant,
}

impl Queue {
    /// An empty one.
    #[must_use]
    pub fn new(step: Duration, most: usize) -> Self {
        Self { state: Mutex::default(), more: Notify::new(), step, most, begun: Instant::now() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What is kept is whole between any two of its changes.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many wait.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.state().waiting.values().map(VecDeque::len).sum()
    }

    /// Does something, or waits for the same thing that is done already.
    ///
    /// # Errors
    /// When this one has too much waiting.
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
            let message = format!("{} queries of yours wait already", own.len());
            return Err(Failure::new(Code::TooMany, message).hint("ask again when they are answered"));
        }
        let (done, seen) = watch::channel(None);
        own.push_back(Job { key: key.clone(), arrival, work, done });
        state.known.insert(key, seen.clone());
        drop(state);
        self.more.notify_one();
        Ok(seen)
    }

    /// From when on an answer may be shown that is there; now, where nothing stands against it.
    #[must_use]
    pub fn due(&self, key: &Key) -> Instant {
        let state = self.state();
        let known = state.known.get(key).and_then(|known| known.borrow().as_ref().map(|done| done.due));
        // What was being done before a restart is not remembered: whatever was there then waits for one step.
        known.unwrap_or(self.begun + self.step)
    }

    /// Whether something is being done for this one, or done and not to be seen yet.
    #[must_use]
    pub fn pending(&self, key: &Key) -> Option<watch::Receiver<Option<Completion>>> {
        self.state().known.get(key).filter(|known| is_pending(known)).cloned()
    }

    /// The same for anything of this one.
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

    /// The next one, in turns.
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

    /// Does what is asked for, for ever.
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
                // Somebody may have asked anew at this very moment.
                let mut state = queue.state();
                if state.known.get(&key).is_some_and(|known| !is_pending(known)) {
                    state.known.remove(&key);
                }
            });
        }
    }
}

/// Does something on a thread of its own, which nothing else keeps waiting.
async fn on_a_thread(work: Work) -> Result<(), Refusal> {
    let failed = |why: String| Err(Refusal { failure: crate::failures::unavailable(), secret: Some(why) });
    let (tell, told) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("queue".to_owned()).stack_size(STACK);
    let begun = thread.spawn(move || {
        let _ = tell.send(work());
    });
    match begun {
        Err(error) => failed(error.to_string()),
        // What panics is a mistake of this program, and no reason to stop the queue.
        Ok(_) => told.await.unwrap_or_else(|_| failed("what was charged for panicked".to_owned())),
    }
}

/// Whether something is being done, or is not to be seen yet. What is forgotten a moment later than it may be seen is pending no more: whoever was
/// just shown an answer has it.
fn is_pending(known: &watch::Receiver<Option<Completion>>) -> bool {
    known.borrow().as_ref().is_none_or(|done| done.due > Instant::now())
}

/// Waits until something is done and may be seen.
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
    async fn turns_are_taken_and_what_is_asked_twice_is_done_once() {
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

    /// From the moment on at which an answer may be seen nothing is pending, whenever it is forgotten.
    #[tokio::test]
    async fn what_may_be_seen_is_not_pending() {
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

    /// However long it takes within a step, it is seen at the end of it: also by whoever asks again, or went away.
    #[tokio::test(start_paused = true)]
    async fn what_is_done_is_seen_on_the_grid() {
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
