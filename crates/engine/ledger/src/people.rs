//! The population of a new ledger: a second name for the population of an existing ledger would renew its budget.
//!
//! A new ledger is compared with the ledgers in its folder. A ledger that has charged the same policy, or registered a
//! table of the same name, for a population of another name, is probably about the same people, for example of last
//! month. The curator names that population, or states that these are other people, which is kept in the first entry.

use crate::book::Book;
use crate::ledger::OpenError;
use crate::state::State;
use crate::store::StoreError;
use std::path::{Path, PathBuf};

/// The population and the sources for which a ledger is opened.
#[derive(Debug, Clone)]
pub struct Purpose<'a> {
    /// The people.
    pub population: &'a str,
    /// The name of the policy, if any.
    pub policy: Option<&'a str>,
    /// The names of the protected tables, or of the cohort.
    pub sources: Vec<&'a str>,
    /// Whether the curator states that a new ledger is about other people than the ledgers beside it.
    pub other_people: bool,
    /// A file besides `<ledger>.head` that keeps the head.
    pub head: Option<&'a Path>,
    /// Whether all answers are about made-up rows. A ledger of a rehearsal holds no real charge, and a real ledger no
    /// charge of a rehearsal.
    pub rehearsal: bool,
}

impl<'a> Purpose<'a> {
    /// A purpose of which only the population is known: a new ledger is compared with no other.
    #[must_use]
    pub fn people(population: &'a str) -> Self {
        Self { population, policy: None, sources: Vec::new(), other_people: false, head: None, rehearsal: false }
    }

    /// The populations of the ledgers beside a new one that have charged the policy, or registered a table, for another
    /// population.
    ///
    /// # Errors
    /// When there is such a population, or a ledger cannot be read, and the curator has not stated that these are other
    /// people.
    pub(crate) fn others(&self, ledger: &Path) -> Result<Vec<String>, OpenError> {
        let mut others = Vec::new();
        // Made-up rows are about no population, so a rehearsal reads no other ledger.
        if self.rehearsal || (self.policy.is_none() && self.sources.is_empty()) {
            return Ok(others);
        }
        for known in neighbours(ledger)? {
            let book = match Book::open(&known) {
                Ok(book) => book,
                Err(StoreError::NotALedger { .. } | StoreError::Missing(_)) => continue,
                Err(_) if self.other_people => continue,
                Err(error) => return Err(OpenError::UnknownPeople { path: ledger.to_owned(), known, error }),
            };
            let state = &book.state;
            if state.is_rehearsal() {
                continue;
            }
            let Some(by) = self.known_by(state).filter(|_| state.population() != self.population) else { continue };
            if !self.other_people {
                return Err(OpenError::SamePeople {
                    path: ledger.to_owned(),
                    asked: self.population.to_owned(),
                    known,
                    recorded: state.population().to_owned(),
                    by,
                });
            }
            others.push(state.population().to_owned());
        }
        others.sort();
        others.dedup();
        Ok(others)
    }

    /// The policy or table that a ledger of another population shares with this purpose.
    fn known_by(&self, state: &State) -> Option<String> {
        let policy = self.policy.filter(|policy| state.has_charged(policy)).map(|policy| format!("policy `{policy}`"));
        let source = || self.sources.iter().find(|source| state.has_registered(source));
        policy.or_else(|| source().map(|source| format!("table `{source}`")))
    }
}

/// The other ledgers in the folder of a ledger, by name.
fn neighbours(ledger: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let folder = ledger.parent().unwrap_or(Path::new("/"));
    let io = |error| StoreError::io(folder, error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.extension().is_some_and(|ending| ending == "ledger") && path.file_name() != ledger.file_name() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
