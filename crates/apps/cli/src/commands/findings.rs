//! Findings about the data, collected while versions are registered: for the curator alone.

use crate::console::say;
use deniable::{DataReport, Event};
use std::sync::{Arc, Mutex, PoisonError};

/// The findings of a session, shared with its thread.
#[derive(Clone, Default)]
pub struct Findings(Arc<Mutex<DataReport>>);

impl Findings {
    /// Adds the findings of an event; false for other events.
    pub fn add(&self, event: &Event<'_>) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(event)
    }

    /// Prints the findings.
    pub fn print(&self) {
        let text = self.take().to_string();
        if !text.is_empty() {
            say(text.trim_end());
        }
    }

    /// Removes the findings.
    pub fn take(&self) -> DataReport {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
