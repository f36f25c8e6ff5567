//! Runs that end at one of their steps, as a kill would end them, and a generator that records each request.

use rand_core::{Rng, TryCryptoRng, TryRng};
use std::cell::Cell;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The steps of one run: its reported events, and each request to its generator.
#[derive(Debug, Default)]
pub struct Steps {
    passed: Cell<u64>,
    last: Option<u64>,
    random: Cell<u64>,
}

impl Steps {
    /// Steps of a run that ends at the step of this number, from 0; `None` for a run that is not interrupted.
    #[must_use]
    pub fn ending_at(last: Option<u64>) -> Self {
        Self { last, ..Self::default() }
    }

    /// Counts a step.
    ///
    /// # Panics
    /// At the step that ends the run.
    #[expect(clippy::panic, reason = "the run ends as if it were killed")]
    pub fn pass(&self) {
        let passed = self.passed.get();
        self.passed.set(passed + 1);
        if self.last == Some(passed) {
            panic!("the run ends here");
        }
    }

    /// The number of steps so far.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.passed.get()
    }

    /// Whether the run requested a random bit, so that a draw was begun.
    #[must_use]
    pub fn has_drawn(&self) -> bool {
        self.random.get() > 0
    }

    /// The outcome of a run of these steps; `None` if a step ended it.
    pub fn run<T>(&self, run: impl FnOnce(&Self) -> T) -> Option<T> {
        let outcome = catch_unwind(AssertUnwindSafe(|| run(self)));
        match outcome {
            Ok(outcome) => Some(outcome),
            Err(_) if self.last.is_some_and(|last| last < self.passed.get()) => None,
            Err(other) => std::panic::resume_unwind(other),
        }
    }
}

/// A generator each of whose requests is a step.
#[derive(Debug)]
pub struct Sampler<'a, R> {
    steps: &'a Steps,
    rng: R,
}

impl<'a, R: Rng> Sampler<'a, R> {
    /// Random bits of `rng`, counted by `steps`.
    pub fn new(steps: &'a Steps, rng: R) -> Self {
        Self { steps, rng }
    }

    fn count(&self) {
        self.steps.random.set(self.steps.random.get() + 1);
        self.steps.pass();
    }
}

impl<R: Rng> TryRng for Sampler<'_, R> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.count();
        Ok(self.rng.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.count();
        Ok(self.rng.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.count();
        self.rng.fill_bytes(bytes);
        Ok(())
    }
}

/// For tests only: as secure as `rng`.
impl<R: Rng> TryCryptoRng for Sampler<'_, R> {}
