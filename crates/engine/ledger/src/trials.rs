//! Trials of engines: each statement is tried on rows of no person before an engine computes it on private rows.
//!
//! An engine computes a query of private rows only after it has passed the trial of its statement, and must pass it
//! again after any change of the engine. When it fails during a computation, its earlier trials no longer count.

use crate::entry::{EngineTried, Event};
use crate::ledger::Ledger;
use crate::store::StoreError;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The record of an engine, which shows curators what answers rest on. It omits the hashes of engine and statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedEngine {
    /// Its version and settings, as text.
    pub about: String,
    /// The time of its last trial, or of its last failure during a computation.
    pub at: Timestamp,
    /// Number of statements that it has passed since its last failure.
    pub passed: usize,
    /// Number of failures, in trials and in computations.
    pub failed: usize,
}

/// The fold of the entries about engines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trials(BTreeMap<String, (TriedEngine, BTreeSet<String>)>);

impl Trials {
    /// Whether an engine has passed a statement and has not failed since.
    pub(crate) fn has_passed(&self, engine: &str, statement: &str) -> bool {
        self.0.get(engine).is_some_and(|(_, passed)| passed.contains(statement))
    }

    pub(crate) fn record(&mut self, at: Timestamp, tried: EngineTried) {
        let EngineTried { engine, about, statement, passed } = tried;
        let first = TriedEngine { about, at, passed: 0, failed: 0 };
        let (known, statements) = self.0.entry(engine).or_insert_with(|| (first, BTreeSet::new()));
        known.at = at;
        if passed {
            statements.insert(statement);
        } else {
            statements.clear();
            known.failed += 1;
        }
        known.passed = statements.len();
    }

    /// The record of every engine.
    pub(crate) fn summary(&self) -> Vec<TriedEngine> {
        self.0.values().map(|(known, _)| known.clone()).collect()
    }
}

impl Ledger {
    /// Whether an engine has passed the trial of a statement and has not failed since.
    #[must_use]
    pub fn has_passed(&self, engine: &str, statement: &str) -> bool {
        self.book.state.trials().has_passed(engine, statement)
    }

    /// Records the outcome of a trial, or a failure during a computation.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record_trial(&mut self, tried: EngineTried) -> Result<(), StoreError> {
        let act = self.book.begin()?;
        // Another process may have recorded the same trial meanwhile.
        if tried.passed && act.state.trials().has_passed(&tried.engine, &tried.statement) {
            return Ok(());
        }
        act.append(Event::EngineTried(tried)).map(drop)
    }
}
