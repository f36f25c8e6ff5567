//! An audit: screen pairs, choose one, choose events, confirm them on fresh samples.
//!
//! Samples are used in three parts. A sixth screens all pairs, a sixth examines the two pairs that look worst, and the
//! rest is drawn afresh for one pair and a few events fixed beforehand. Only the last part is certified, with the error
//! probability divided over both probabilities of every event, so that all bounds hold jointly.

use crate::event::Event;
use crate::mechanism::{Mechanism, MechanismError, Outputs, draw};
use crate::neighbours::{Neighbours, Pair};
use crate::search::{Aim, Candidate, SampledOutputs, candidates, varied};
use crate::verdict::{Finding, Verdict};
use deniable_core::budget::{Spend, SpendError};
use deniable_core::noise::{EntropyError, SystemRng};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::sync::atomic::{AtomicBool, Ordering};

/// Largest number of confirmed events.
const EVENTS: usize = 5;
/// Number of pairs examined in the second part.
const CLOSER: usize = 2;
/// Largest number of outputs held at once for choosing events, for each input and purpose.
const MOST_SCREENED: u64 = 10_000;
const MOST_SHAPING: u64 = 80_000;
const MOST_RANKING: u64 = 150_000;
/// Smallest number of outputs of each input and purpose for a pair.
const LEAST_PORTION: u64 = 20;
/// Number of outputs drawn and counted at a time.
const BATCH: usize = 8_192;
/// Smallest number of samples for an audit.
pub const LEAST_SAMPLES: u64 = 1_000;

/// The settings of an audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Outputs drawn in all, at least 1,000.
    pub samples: u64,
    /// Probability that a bound of the audit is wrong: 0.001 for 99.9% confidence. Above 0 and at most 0.1.
    pub error: f64,
    /// Largest number of pairs of inputs tried, at least 1.
    pub pairs: usize,
    /// Seed for the choice of random pairs; from the operating system if `None`. It does not affect the mechanism's
    /// randomness.
    pub seed: Option<u64>,
}

impl Default for Settings {
    /// A million samples at 99.9% confidence over at most 24 pairs.
    fn default() -> Self {
        Self { samples: 1_000_000, error: 0.001, pairs: 24, seed: None }
    }
}

/// The reason why an audit has no verdict.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The mechanism failed.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A setting out of range.
    #[error("{0}")]
    Setting(String),
    /// There are no neighbouring inputs.
    #[error("no pair of neighbouring inputs is given")]
    NoPairs,
    /// The claim and the bound could not be compared.
    #[error(transparent)]
    Spend(#[from] SpendError),
    /// The operating system provided no random bits.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
}

/// Audits a mechanism: `workers` are independent instances of it, each used by a thread of its own, at least one.
///
/// `claim` is the odds ratio that the mechanism claims not to exceed, if any.
///
/// # Errors
/// If the mechanism fails, a setting is out of range, or there are no neighbouring inputs.
pub fn audit(
    workers: &mut [Box<dyn Mechanism>],
    neighbours: &Neighbours,
    claim: Option<&Spend>,
    settings: &Settings,
) -> Result<Verdict, AuditError> {
    check(workers.len(), settings)?;
    let mut rng = match settings.seed {
        Some(seed) => ChaCha20Rng::seed_from_u64(seed),
        None => ChaCha20Rng::seed_from_u64(SystemRng::new()?.next_u64()),
    };
    // Every pair gets its share of a sixth of the samples, and a share that is too small would show no difference.
    let affordable = settings.samples / (6 * 4 * LEAST_PORTION);
    let most = settings.pairs.min(usize::try_from(affordable).unwrap_or(usize::MAX)).max(1);
    let pairs = neighbours.pairs(most, &mut rng);
    if pairs.is_empty() {
        return Err(AuditError::NoPairs);
    }
    let mut drawer = Drawer { workers, drawn: 0 };
    let (pair, chosen) = choose(&mut drawer, &pairs, settings)?;
    let trials = settings.samples.saturating_sub(drawer.drawn) / 2;
    let hits = drawer.count(&pair, &chosen, trials)?;
    // Two bounds for each event. Rounding the quotient down keeps the sum at most the stated error.
    let delta = settings.error / (2 * chosen.len().max(1)) as f64 * (1.0 - 4.0 * f64::EPSILON);
    let findings = chosen
        .into_iter()
        .zip(hits)
        .map(|(candidate, (left, right))| {
            let (hits, other) = if candidate.swapped { (right, left) } else { (left, right) };
            Finding::new(candidate.event, &pair, candidate.swapped, [hits, other], trials, delta)
        })
        .collect();
    Ok(Verdict::new(findings, settings.error, pairs.len(), drawer.drawn, claim)?)
}

fn check(workers: usize, settings: &Settings) -> Result<(), AuditError> {
    let wrong = |text: &str| Err(AuditError::Setting(text.to_owned()));
    if workers == 0 {
        return wrong("an audit needs at least one instance of the mechanism");
    }
    if settings.samples < LEAST_SAMPLES {
        return wrong("an audit needs at least 1,000 samples");
    }
    if !(settings.error > 0.0 && settings.error <= 0.1) {
        return wrong("the probability of error must be above 0 and at most 0.1");
    }
    if settings.pairs == 0 {
        return wrong("an audit needs at least one pair of inputs");
    }
    Ok(())
}

/// Chooses the pair and the events to confirm.
fn choose(drawer: &mut Drawer<'_>, pairs: &[Pair], settings: &Settings) -> Result<(Pair, Vec<Candidate>), AuditError> {
    let samples = settings.samples;
    // Four portions for every pair: two inputs, each to shape events and to rank them.
    let portion = |parts: u64, most: u64| (samples / 6 / parts.max(1)).clamp(LEAST_PORTION, most);
    let confirm = samples / 3;
    let screened = portion(4 * pairs.len() as u64, MOST_SCREENED);
    let mut worst: Vec<(f64, &Pair)> = Vec::new();
    for pair in pairs {
        let aim = Aim { confirm, one_sided: pair.one_sided };
        let found = drawer.search(pair, screened, screened, aim)?;
        worst.push((found.first().map_or(f64::NEG_INFINITY, |best| best.value), pair));
    }
    worst.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut best: Option<(f64, &Pair, Vec<Candidate>)> = None;
    let closer = worst.len().min(CLOSER) as u64;
    for (_, pair) in worst.into_iter().take(CLOSER) {
        let aim = Aim { confirm, one_sided: pair.one_sided };
        let (shaping, ranking) = (portion(4 * closer, MOST_SHAPING), portion(4 * closer, MOST_RANKING));
        let found = drawer.search(pair, shaping, ranking, aim)?;
        let value = found.first().map_or(f64::NEG_INFINITY, |best| best.value);
        if best.as_ref().is_none_or(|(most, _, _)| value > *most) {
            best = Some((value, pair, varied(&found, EVENTS)));
        }
    }
    let (_, pair, chosen) = best.ok_or(AuditError::NoPairs)?;
    Ok((pair.clone(), chosen))
}

/// Draws outputs from all workers, and counts them.
struct Drawer<'a> {
    workers: &'a mut [Box<dyn Mechanism>],
    drawn: u64,
}

impl Drawer<'_> {
    /// Events for a pair, from this many samples of each input.
    fn search(&mut self, pair: &Pair, shaping: u64, ranking: u64, aim: Aim) -> Result<Vec<Candidate>, AuditError> {
        let shaping = self.outputs(pair, shaping)?;
        let ranking = self.outputs(pair, ranking)?;
        Ok(candidates(SampledOutputs::new(&shaping), SampledOutputs::new(&ranking), aim))
    }

    /// `each` outputs of the left input, then as many of the right one.
    fn outputs(&mut self, pair: &Pair, each: u64) -> Result<Outputs, MechanismError> {
        let parts = shares(each, self.workers.len());
        let mut all = Outputs::new();
        for input in [&pair.left, &pair.right] {
            let drawn = each_worker(self.workers, &parts, |worker, part| {
                let mut out = Outputs::new();
                draw(worker, input, part as usize, &mut out).map(|()| out)
            })?;
            for part in &drawn {
                all.append(part);
            }
        }
        self.drawn += 2 * each;
        Ok(all)
    }

    /// The number of fresh samples on which each event occurs, on the left and on the right.
    fn count(&mut self, pair: &Pair, chosen: &[Candidate], trials: u64) -> Result<Vec<(u64, u64)>, MechanismError> {
        let events: Vec<&Event> = chosen.iter().map(|candidate| &candidate.event).collect();
        let parts = shares(trials, self.workers.len());
        let failed = AtomicBool::new(false);
        let counts = each_worker(self.workers, &parts, |worker, part| {
            let mut count = |input: &[i64]| {
                let hits = count_one(worker, input, &events, part, &failed);
                // The other workers need not finish.
                hits.inspect_err(|_| failed.store(true, Ordering::Relaxed))
            };
            let left = count(&pair.left)?;
            let right = count(&pair.right)?;
            Ok(left.into_iter().zip(right).collect::<Vec<_>>())
        })?;
        self.drawn += 2 * trials;
        let mut sums = vec![(0, 0); events.len()];
        for part in counts {
            for (sum, (left, right)) in sums.iter_mut().zip(part) {
                *sum = (sum.0 + left, sum.1 + right);
            }
        }
        Ok(sums)
    }
}

/// The results of all workers for their parts, each on its own thread. A single worker runs on the calling thread: a
/// function of R may be called only on the thread of R, and Python delivers Ctrl-C only to its main thread.
fn each_worker<T: Send>(
    workers: &mut [Box<dyn Mechanism>],
    parts: &[u64],
    ask: impl Fn(&mut dyn Mechanism, u64) -> Result<T, MechanismError> + Sync,
) -> Result<Vec<T>, MechanismError> {
    if let ([worker], [part]) = (&mut *workers, parts) {
        return Ok(vec![ask(worker.as_mut(), *part)?]);
    }
    std::thread::scope(|scope| {
        let ask = &ask;
        let threads: Vec<_> = workers
            .iter_mut()
            .zip(parts)
            .map(|(worker, part)| scope.spawn(move || ask(worker.as_mut(), *part)))
            .collect();
        threads.into_iter().map(join).collect()
    })
}

/// Propagates the panic of a thread: its bug is not hidden behind an error.
fn join<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// `total` in parts that differ by at most 1.
fn shares(total: u64, parts: usize) -> Vec<u64> {
    let parts = parts.max(1) as u64;
    (0..parts).map(|at| total / parts + u64::from(at < total % parts)).collect()
}

/// The number of outputs in which each event occurs. Stops early once another worker has failed, since the result is
/// then discarded.
fn count_one(
    worker: &mut dyn Mechanism,
    input: &[i64],
    events: &[&Event],
    mut trials: u64,
    failed: &AtomicBool,
) -> Result<Vec<u64>, MechanismError> {
    let mut hits = vec![0; events.len()];
    let mut out = Outputs::new();
    while trials > 0 && !failed.load(Ordering::Relaxed) {
        let batch = trials.min(BATCH as u64);
        out.clear();
        draw(worker, input, batch as usize, &mut out)?;
        for row in out.rows() {
            for (hits, event) in hits.iter_mut().zip(events) {
                *hits += u64::from(event.holds(row, out.labels()));
            }
        }
        trials -= batch;
    }
    Ok(hits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        assert_eq!(shares(10, 3), [4, 3, 3]);
        assert_eq!(shares(2, 1), [2]);
    }

    /// Records the threads on which it is sampled.
    struct ThreadRecorder(std::sync::Arc<std::sync::Mutex<Vec<std::thread::ThreadId>>>);

    impl Mechanism for ThreadRecorder {
        fn sample(&mut self, _: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
            self.0.lock().unwrap().push(std::thread::current().id());
            for _ in 0..times {
                out.word("here");
                out.end();
            }
            Ok(())
        }
    }

    #[test]
    fn a_single_mechanism_runs_on_the_calling_thread_and_several_on_other_threads() {
        let neighbours = Neighbours::listed(vec![Pair::new(vec![0], vec![1])]);
        let settings = Settings { samples: 1_000, ..Settings::default() };
        let here = std::thread::current().id();
        for workers in [1, 2] {
            let asked = std::sync::Arc::default();
            let mut all: Vec<Box<dyn Mechanism>> = (0..workers)
                .map(|_| Box::new(ThreadRecorder(std::sync::Arc::clone(&asked))) as Box<dyn Mechanism>)
                .collect();
            audit(&mut all, &neighbours, None, &settings).unwrap();
            let asked = asked.lock().unwrap();
            assert!(!asked.is_empty());
            assert_eq!(asked.iter().all(|id| *id == here), workers == 1, "{workers}");
        }
    }

    #[test]
    fn settings_are_checked() {
        let neighbours = Neighbours::listed(vec![]);
        let wrong = audit(&mut [], &neighbours, None, &Settings::default()).unwrap_err();
        assert_eq!(wrong.to_string(), "an audit needs at least one instance of the mechanism");
        let few = Settings { samples: 10, ..Settings::default() };
        assert!(check(1, &few).is_err());
        let sure = Settings { error: 0.0, ..Settings::default() };
        assert!(check(1, &sure).is_err());
    }
}
