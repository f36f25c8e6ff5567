//! Progress on standard error, on a terminal only, for work that takes longer than a second.

use deniable::ReadProgress;
use deniable_core::text::printable;
use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Shorter work shows no progress.
const A_WHILE: Duration = Duration::from_secs(1);

/// A line of progress, which appears once the work has taken longer than a second.
pub struct Progress {
    current: Mutex<Option<Current>>,
}

struct Current {
    what: String,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Creates it without a current task.
    pub fn new() -> Self {
        Self { current: Mutex::new(None) }
    }

    /// Shows the current task and its number of rows.
    pub fn rows(&self, what: &str, rows: u64) {
        self.read(what, ReadProgress { rows, ..ReadProgress::default() });
    }

    /// Shows the current task and how much it has read.
    pub fn read(&self, what: &str, read: ReadProgress) {
        let mut current = self.current();
        if current.as_ref().is_none_or(|current| current.what != what) {
            if let Some(bar) = current.take().and_then(|current| current.bar) {
                bar.finish_and_clear();
            }
            *current = Some(Current { what: what.to_owned(), started: Instant::now(), bar: None });
        }
        let Some(current) = current.as_mut() else { return };
        let elapsed = current.started.elapsed();
        if elapsed < A_WHILE {
            return;
        }
        let words = format!("{what}: {}", in_words(read, elapsed));
        current.says(words);
    }

    /// Shows the current task immediately.
    pub fn says(&self, what: &str) {
        let mut current = self.current();
        let started = || Current { what: what.to_owned(), started: Instant::now(), bar: None };
        current.get_or_insert_with(started).says(what.to_owned());
    }

    /// Locked, because a session reports from its own thread.
    fn current(&self) -> MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the line.
    pub fn done(&self) {
        if let Some(bar) = self.current().take().and_then(|current| current.bar) {
            bar.finish_and_clear();
        }
    }
}

impl Current {
    fn says(&mut self, words: String) {
        // indicatif draws nothing when standard error is not a terminal.
        let bar = self.bar.get_or_insert_with(|| {
            let style =
                ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
            let bar = ProgressBar::new_spinner().with_style(style);
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        bar.set_message(printable(&words).into_owned());
    }
}

/// Rows, bytes, time and rate.
fn in_words(read: ReadProgress, elapsed: Duration) -> String {
    let mut words = format!("{} rows", HumanCount(read.rows));
    match (read.bytes, read.size) {
        (Some(bytes), Some(size)) => words += &format!(", {} of {}", HumanBytes(bytes), HumanBytes(size)),
        (None, Some(size)) => words += &format!(" of {}", HumanBytes(size)),
        (_, None) => {}
    }
    let rate = read.rows as f64 / elapsed.as_secs_f64();
    words + &format!(", {}, {} rows/s", HumanDuration(elapsed), HumanCount(rate as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_shows_rows_bytes_time_and_rate() {
        let read = ReadProgress { rows: 12_000_000, bytes: Some(30 << 20), size: Some(1 << 30) };
        let elapsed = Duration::from_secs(4);
        assert_eq!(in_words(read, elapsed), "12,000,000 rows, 30.00 MiB of 1.00 GiB, 4 seconds, 3,000,000 rows/s");
        assert_eq!(
            in_words(ReadProgress { bytes: None, ..read }, elapsed),
            "12,000,000 rows of 1.00 GiB, 4 seconds, 3,000,000 rows/s"
        );
        let rows = ReadProgress { bytes: None, size: None, ..read };
        assert_eq!(in_words(rows, elapsed), "12,000,000 rows, 4 seconds, 3,000,000 rows/s");
    }
}
