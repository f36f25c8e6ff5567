//! The interpreter's lock, and the end of the interpreter.
//!
//! Before version 3.14, CPython ends a thread that asks for the lock of an ended interpreter by unwinding its stack,
//! and the system aborts a process in which Rust's frames are unwound so. From the interpreter's end on, threads that
//! return from the library therefore wait before they ask for the lock, as all threads do in CPython from 3.14 on:
//! usually the process ends meanwhile. What they charged is resumed by the next process that asks. After
//! [`PATIENCE`] they go on, since the thread that ends the interpreter may be waiting for them.
//!
//! Code that is written in Python asks for the lock, too, while Rust's frames wait for it: such calls are counted
//! ([`calling`]), and ordinary ones make none (`number`).

use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Whether the interpreter ends (the lowest bit), and the number of threads that are about to take its lock, or run
/// Python's code for Rust (the others).
static RETURNING: AtomicUsize = AtomicUsize::new(0);
const ENDS: usize = 1;
const ONE: usize = 2;

/// The longest that a thread waits for the process to end, and that the end waits for threads to take the lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// When threads stop waiting for the process to end.
static UNTIL: OnceLock<Instant> = OnceLock::new();

thread_local! {
    /// Whether this thread ends the interpreter: it may use the library until the end.
    static ENDS_IT: Cell<bool> = const { Cell::new(false) };
}

/// Computes without the interpreter's lock.
pub fn detached<T: Send>(py: Python<'_>, compute: impl FnOnce() -> T + Send) -> T {
    let computed = py.detach(|| {
        let computed = compute();
        announce();
        computed
    });
    returned();
    computed
}

/// Computes with the interpreter's lock, from a thread without it. The end of the interpreter waits for it.
pub fn attached<T>(compute: impl FnOnce(Python<'_>) -> T) -> T {
    announce();
    let computed = Python::attach(compute);
    returned();
    computed
}

/// Runs code that is written in Python, which may let other threads have the lock meanwhile. The end of the
/// interpreter waits for it.
pub fn calling<T>(py: Python<'_>, call: impl FnOnce() -> T) -> T {
    py.detach(announce);
    let given = call();
    returned();
    given
}

/// Announces that this thread is about to take the lock. Waits first if the interpreter ends.
fn announce() {
    let before =
        RETURNING.fetch_update(Ordering::AcqRel, Ordering::Acquire, |now| (now & ENDS == 0).then_some(now + ONE));
    if before.is_err() {
        if !ENDS_IT.get() {
            let until = UNTIL.get().copied().unwrap_or_else(|| Instant::now() + PATIENCE);
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
        RETURNING.fetch_add(ONE, Ordering::AcqRel);
    }
}

fn returned() {
    RETURNING.fetch_sub(ONE, Ordering::AcqRel);
}

/// Called by Python before the interpreter ends.
#[pyfunction]
pub fn interpreter_ends(py: Python<'_>) {
    ENDS_IT.set(true);
    let until = *UNTIL.get_or_init(|| Instant::now() + PATIENCE);
    RETURNING.fetch_or(ENDS, Ordering::AcqRel);
    py.detach(|| {
        while RETURNING.load(Ordering::Acquire) != ENDS && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Called by Python in a new fork, which has none of the other threads.
#[pyfunction]
pub fn forked() {
    RETURNING.store(0, Ordering::Release);
}
