//! Failures as exceptions: of the class that `deniable._errors` has for them, with what is wrong, where, and what to do about it.

use deniable::Error;
use deniable_cli::error::{Complaint, Failure};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// What an exception is about.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A policy says something that it cannot.
    Policy,
    /// A query is none, or cannot be answered.
    Query,
    /// The data are missing, read badly, or are not those of the version.
    Data,
    /// The promise does not pay for it any more.
    Budget,
    /// The ledger cannot be opened, read or written.
    Ledger,
    /// The call itself is wrong.
    Usage,
    /// Anything else.
    Other,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Query => "query",
            Self::Data => "data",
            Self::Budget => "budget",
            Self::Ledger => "ledger",
            Self::Usage => "usage",
            Self::Other => "other",
        }
    }

    /// What an error of the library is about.
    pub fn of(error: &Error) -> Self {
        use deniable::ledger::ChargeError;
        use deniable::{ProtocolError, ReleaseError};
        match error {
            Error::Policy(_) => Self::Policy,
            Error::Plan(_)
            | Error::Query(_)
            | Error::NoQuery(_)
            | Error::NothingToAdvise { .. }
            | Error::NoTable { .. }
            | Error::PublicRows { .. } => Self::Query,
            Error::Accept(_) | Error::Source(_) | Error::Data(_) => Self::Data,
            // The second where another session took what was left between the look at the ledger and the charge.
            Error::Release(ReleaseError::Protocol(
                ProtocolError::OverBudget { .. } | ProtocolError::Charge { error: ChargeError::OverBudget { .. }, .. },
            )) => Self::Budget,
            Error::Release(ReleaseError::Data(_) | ReleaseError::OnlyRegistered | ReleaseError::Rows { .. }) => {
                Self::Data
            }
            Error::Open(_) | Error::Ledger(_) | Error::Release(ReleaseError::Protocol(_)) => Self::Ledger,
            _ => Self::Other,
        }
    }
}

/// The exception of a failure.
pub fn raised(py: Python<'_>, kind: Kind, failure: &Failure) -> PyErr {
    let kind = match failure {
        Failure::Usage(_) => Kind::Usage,
        Failure::OverBudget(_) => Kind::Budget,
        Failure::Refused(_) | Failure::ClosedPipe => kind,
    };
    let problem = |complaint: &Complaint| {
        let place = complaint.place().map(|(file, line, column)| (file.to_owned(), line, column));
        (complaint.message().to_owned(), complaint.what_to_do().map(str::to_owned), place, complaint.shown())
    };
    made(py, kind, failure.complaints().iter().map(problem).collect())
}

/// The exception of an error of the library.
pub fn of_error(py: Python<'_>, error: Error) -> PyErr {
    let kind = Kind::of(&error);
    raised(py, kind, &Failure::from(error))
}

/// A wrong call, and what to do instead.
pub fn usage(py: Python<'_>, message: impl std::fmt::Display, help: impl std::fmt::Display) -> PyErr {
    raised(py, Kind::Usage, &Failure::usage(message, help))
}

type Problem = (String, Option<String>, Option<(String, usize, usize)>, String);

fn made(py: Python<'_>, kind: Kind, problems: Vec<Problem>) -> PyErr {
    static MADE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = MADE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("deniable._errors")?.getattr("failed")?.unbind()));
    match made.and_then(|made| made.call1(py, (kind.word(), problems))) {
        Ok(exception) => PyErr::from_value(exception.into_bound(py)),
        Err(error) => error,
    }
}
