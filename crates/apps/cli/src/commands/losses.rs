//! The losses and true errors of queries, collected while versions are registered: for the curator alone.

use crate::console::say;
use crate::render::scan::{LeftOut, left_out};
use crate::render::true_errors::{QueryErrors, true_errors};
use deniable::Event;
use deniable_release::Event as Step;
use std::sync::{Arc, Mutex, PoisonError};

/// The reports of a session, shared with its thread.
#[derive(Clone, Default)]
pub struct LossReports(Arc<Mutex<(Vec<LeftOut>, Vec<QueryErrors>)>>);

impl LossReports {
    /// Stores the losses or errors of an event; false for other events. Failed computations are printed at once.
    pub fn store(&self, event: &Event<'_>) -> bool {
        match event {
            Event::Step(Step::LeftOut { query, losses, unreadable }) => match losses {
                Ok(losses) => self.with(|(all, _)| all.push(LeftOut::new(query, losses, unreadable))),
                Err(error) => say(format!("{query}: the losses of its caps cannot be computed: {error}")),
            },
            Event::Step(Step::TrueErrors { query, errors, stated, is_unbounded }) => match errors {
                Ok(errors) => self.with(|(_, all)| all.push(QueryErrors::new(query, *errors, *stated, *is_unbounded))),
                Err(error) => say(format!("{query}: its true error cannot be computed: {error}")),
            },
            _ => return false,
        }
        true
    }

    /// Prints the tables of the stored reports.
    pub fn print(&self) {
        let (losses, errors) = self.take();
        if !losses.is_empty() {
            say(left_out(&losses).trim_end());
        }
        if !errors.is_empty() {
            say(true_errors(&errors, &losses).trim_end());
        }
    }

    /// Removes the stored reports.
    pub fn take(&self) -> (Vec<LeftOut>, Vec<QueryErrors>) {
        self.with(std::mem::take)
    }

    fn with<T>(&self, change: impl FnOnce(&mut (Vec<LeftOut>, Vec<QueryErrors>)) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
