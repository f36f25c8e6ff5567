//! Why a computation failed, without anything that depends on values.

use crate::bound::SPILLING;
use crate::error::SourceError;
use datafusion::common::DataFusionError;

/// Why a computation failed, without anything that depends on values.
pub(super) enum Cause {
    Memory,
    Spill(String),
    Rows,
    Source(SourceError),
}

impl Cause {
    /// The error, named with the tables that were read.
    pub(super) fn of_tables(self, table: String) -> SourceError {
        match self {
            Self::Memory => SourceError::Memory { table },
            Self::Spill(reason) => SourceError::Spill { table, reason },
            Self::Rows => SourceError::Rows { table },
            Self::Source(error) => error,
        }
    }
}

impl From<SourceError> for Cause {
    fn from(error: SourceError) -> Self {
        Self::Source(error)
    }
}

impl From<DataFusionError> for Cause {
    fn from(error: DataFusionError) -> Self {
        Self::of(&error, false)
    }
}

impl Cause {
    /// `spilling` is true under the mark of temporary files.
    fn of(error: &DataFusionError, spilling: bool) -> Self {
        match error {
            DataFusionError::ResourcesExhausted(_) => Self::Memory,
            DataFusionError::IoError(error) => Self::of_io(error, spilling),
            DataFusionError::Shared(error) => Self::of(error, spilling),
            DataFusionError::Context(mark, error) => Self::of(error, spilling || mark == SPILLING),
            DataFusionError::External(error) => match error.downcast_ref() {
                Some(error) => Self::of(error, spilling),
                None => error.downcast_ref().map_or(Self::Rows, |error| Self::of_io(error, spilling)),
            },
            _ => Self::Rows,
        }
    }

    /// The operating system's words are told only of temporary files, and of a full disk.
    fn of_io(error: &std::io::Error, spilling: bool) -> Self {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        match error.get_ref().and_then(|inner| inner.downcast_ref::<DataFusionError>()) {
            Some(inner) => Self::of(inner, spilling),
            None if spilling || matches!(error.kind(), StorageFull | QuotaExceeded) => Self::Spill(error.to_string()),
            None => Self::Rows,
        }
    }
}
