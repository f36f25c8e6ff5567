//! Which engines did as they were told: statements that each was tried with, on rows that nobody is in.
//!
//! An engine computes a question of private rows only after it passed the trial of its statement, and passes it again after anything about
//! it changed. Once it is found out while it computes, nothing that it passed before counts any more.

use crate::entry::{EngineTried, Event};
use crate::ledger::Ledger;
use crate::store::StoreError;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of an engine: by it curators see what answers rest on. It holds no marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedEngine {
    /// Its version and settings, in words.
    pub about: String,
    /// When it was tried last, or found out.
    pub at: Timestamp,
    /// How many statements it has passed since it was found out last.
    pub passed: usize,
    /// How often it failed a trial, or was found out.
    pub failed: usize,
}

/// The fold of the entries about engines.
#[derive(Debug, Default)]
pub(crate) struct Trials(BTreeMap<String, (TriedEngine, BTreeSet<String>)>);

impl Trials {
    /// Whether an engine has passed a statement, and was not found out since.
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

    /// Every engine, for looking at.
    pub(crate) fn summary(&self) -> Vec<TriedEngine> {
        self.0.values().map(|(known, _)| known.clone()).collect()
    }
}

impl Ledger {
    /// Whether an engine has passed the trial of a statement, and was not found out since.
    #[must_use]
    pub fn has_passed(&self, engine: &str, statement: &str) -> bool {
        self.book.state.trials().has_passed(engine, statement)
    }

    /// Records how an engine did.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record_trial(&mut self, tried: EngineTried) -> Result<(), StoreError> {
        let act = self.book.begin()?;
        // Another process may have recorded the same meanwhile.
        if tried.passed && act.state.trials().has_passed(&tried.engine, &tried.statement) {
            return Ok(());
        }
        act.append(Event::EngineTried(tried)).map(drop)
    }
}
