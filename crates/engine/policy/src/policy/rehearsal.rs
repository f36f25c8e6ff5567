//! The rehearsal of a policy, on made-up rows.

use super::Policy;
use deniable_core::schema::{Format, Role};
use std::path::PathBuf;

/// The version of made-up rows.
const MADE_UP: &str = "made-up rows";

/// The size of the made-up rows of a rehearsal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MadeUpRows {
    /// The rows of each protected table.
    pub rows: u64,
    /// The number of entities; `None` for a number with a few rows each.
    pub people: Option<u64>,
}

impl Policy {
    /// The rehearsal of this policy: the same promise and queries about made-up rows, charged to a ledger of its own.
    ///
    /// It no longer contains the places and versions of protected rows, so that nothing can read or name them. Public
    /// tables keep theirs.
    #[must_use]
    pub fn rehearsed(mut self, rows: MadeUpRows, ledger: PathBuf) -> Self {
        let further = self.more.iter_mut().filter(|table| matches!(table.role, Role::Protected { .. }));
        for data in std::iter::once(&mut self.data).chain(further.map(|table| &mut table.data)) {
            MADE_UP.clone_into(&mut data.path);
            MADE_UP.clone_into(&mut data.version);
            if let Format::Engine { .. } | Format::Postgres { .. } = data.format {
                data.format = Format::Parquet;
            }
        }
        Self { ledger, rehearsal: Some(rows), ..self }
    }

    /// The size of the made-up rows, if this is the rehearsal of a policy.
    #[must_use]
    pub fn rehearsal(&self) -> Option<MadeUpRows> {
        self.rehearsal
    }
}
