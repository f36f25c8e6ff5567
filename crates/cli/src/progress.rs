//! Progress on standard error, on a terminal only, and only for what takes a while.

use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// A line that says what is being done, once it has taken half a second.
pub struct Progress {
    started: Instant,
    bar: RefCell<Option<ProgressBar>>,
}

impl Progress {
    /// Starts the clock.
    pub fn new() -> Self {
        Self { started: Instant::now(), bar: RefCell::new(None) }
    }

    /// Says what is being done and how far it has come.
    pub fn rows(&self, what: &str, rows: u64) {
        if self.started.elapsed() < Duration::from_millis(500) {
            return;
        }
        let seconds = self.started.elapsed().as_secs();
        self.says(&format!("{what}: {rows} rows, {seconds} s"));
    }

    /// Says at once what is being done, which is known to take a while.
    pub fn says(&self, what: &str) {
        let mut bar = self.bar.borrow_mut();
        let bar = bar.get_or_insert_with(|| {
            let style =
                ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
            let bar = ProgressBar::new_spinner().with_style(style);
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        bar.set_message(what.to_owned());
    }

    /// Takes the line away.
    pub fn done(&self) {
        if let Some(bar) = self.bar.borrow_mut().take() {
            bar.finish_and_clear();
        }
    }
}
