//! Errors of sessions. Some depend on private files: [`Error::is_public`] separates them.

use crate::simulate::SimulateError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::noise::EntropyError;
use deniable_data::SourceError;
use deniable_ledger::{ChargeError, FixError, OpenError, StoreError};
use deniable_policy::{PolicyErrors, QueryError};
use deniable_protocol::ProtocolError;
use deniable_release::{AcceptError, DataError, PlanErrors, ReleaseError, UnknownQuery};
use deniable_report::ReportError;

/// An error of a session.
///
/// [`Diagnose::diagnostics`] converts it to a list of [`Diagnostic`]s, each with a [`Code`], a message, a remedy, and
/// the position in the policy or the query. A program that serves analysts returns them if [`Self::is_public`] is true,
/// and no detail otherwise:
///
/// ```
/// use deniable::{Code, Diagnose, Error, Surface};
///
/// fn status(error: &Error) -> u16 {
///     let diagnostics = error.diagnostics(Surface::Library);
///     match error.is_public() {
///         false => 500, // for the curator's log alone
///         true if diagnostics.iter().any(|diagnostic| diagnostic.code == Code::Budget) => 402,
///         true => 400,
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The policy is invalid.
    #[error(transparent)]
    Policy(#[from] PolicyErrors),
    /// Queries of the policy cannot be answered under it.
    #[error(transparent)]
    Plan(#[from] PlanErrors),
    /// The share or the name of a query outside of the policy is invalid.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// No query of the policy has this name.
    #[error(transparent)]
    NoQuery(#[from] UnknownQuery),
    /// Advice was requested on queries without caps or bounds.
    #[error("no advice is possible on \"{}\": its caps leave no rows out, and it has no bounds", .queries.join("\", \""))]
    NothingToAdvise {
        /// The queries.
        queries: Vec<String>,
    },
    /// Rows were given for a table that the policy does not declare.
    #[error("the policy declares no table `{table}`")]
    NoTable {
        /// The table.
        table: String,
        /// The declared tables.
        known: Vec<String>,
    },
    /// Rows were given for a public table. Its file decides which groups queries have, before there are rows.
    #[error("`{table}` is a public table, and is read from its file")]
    PublicRows {
        /// The table.
        table: String,
    },
    /// A simulation or a rehearsal was refused.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A name to accept is not the name of a column or quirk.
    #[error(transparent)]
    Accept(#[from] AcceptError),
    /// A query has more groups than the memory can hold. Nothing was charged.
    #[error("\"{query}\" has more groups than {allowed} bytes of memory can hold; {least} would do")]
    Memory {
        /// The query.
        query: String,
        /// The least sufficient memory in bytes.
        least: usize,
        /// The memory that [`crate::Resources`] allow.
        allowed: usize,
    },
    /// Files are missing, unreadable, or lack columns.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The data are unfit for release.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A release failed.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// The ledger could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The ledger could not be read.
    #[error(transparent)]
    Ledger(#[from] StoreError),
    /// The page could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The operating system gave no random bits. Nothing was charged.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// A folder could not be created.
    #[error("a folder could not be created: {0}")]
    Folder(#[source] std::io::Error),
    /// The system could not start a thread.
    #[error("no thread could be started: {0}")]
    Thread(#[source] std::io::Error),
    /// The work ended without a result: a bug of this library. Charges are kept, and the same query resumes at no cost.
    #[error("the work ended without a result; charged queries resume at no cost")]
    Ended,
}

impl Error {
    /// Whether an analyst may read it: it depends only on the policy, the query, the remaining budget
    /// ([`Session::left`](crate::Session::left)) and the session's settings. All other errors are for the curator: they
    /// depend on private files, or on the machine.
    #[must_use]
    pub fn is_public(&self) -> bool {
        match self {
            Self::Policy(_)
            | Self::Plan(_)
            | Self::Query(_)
            | Self::NoQuery(_)
            | Self::NothingToAdvise { .. }
            | Self::NoTable { .. }
            | Self::PublicRows { .. }
            | Self::Memory { .. }
            | Self::Simulate(_)
            | Self::Release(ReleaseError::Protocol(
                // The second variant: another process spent the rest of the budget before the charge.
                ProtocolError::OverBudget { .. }
                | ProtocolError::OverVersion { .. }
                | ProtocolError::OverChance(_)
                | ProtocolError::Fix(FixError::Over(_))
                | ProtocolError::Charge {
                    error:
                        ChargeError::OverBudget { .. } | ChargeError::OverVersion { .. } | ChargeError::OverChance { .. },
                    ..
                },
            )) => true,
            Self::Accept(_)
            | Self::Source(_)
            | Self::Data(_)
            | Self::Release(_)
            | Self::Open(_)
            | Self::Ledger(_)
            | Self::Report(_)
            | Self::Entropy(_)
            | Self::Folder(_)
            | Self::Thread(_)
            | Self::Ended => false,
        }
    }
}

impl Diagnose for Error {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let (code, help) = match self {
            Self::Policy(errors) => return errors.diagnostics(surface),
            Self::Plan(errors) => return errors.diagnostics(surface),
            Self::Query(error) => return error.diagnostics(surface),
            Self::NoQuery(error) => return error.diagnostics(surface),
            Self::Accept(error) => return error.diagnostics(surface),
            Self::Simulate(error) => return error.diagnostics(surface),
            Self::Source(error) => return error.diagnostics(surface),
            Self::Data(error) => return error.diagnostics(surface),
            Self::Release(error) => return error.diagnostics(surface),
            Self::Open(error) => return error.diagnostics(surface),
            Self::Ledger(error) => return error.diagnostics(surface),
            Self::Report(error) => return error.diagnostics(surface),
            Self::Entropy(error) => return error.diagnostics(surface),
            Self::Memory { query, least, .. } => {
                let memory = surface.set("memory", format!("{}MB", least.div_ceil(1_000_000)));
                let option = match surface {
                    Surface::Command => surface.option("memory"),
                    Surface::Python | Surface::Library => "the memory that is allowed".to_owned(),
                };
                let message = format!("\"{query}\" has more groups than {option} can hold");
                let help = format!("allow at least {memory}, or reduce the groups; nothing was charged");
                return vec![Diagnostic::new(Code::Usage, message).with_help(help)];
            }
            Self::PublicRows { .. } => (
                Code::Query,
                "omit its rows, and name its file in the policy: it is read when queries are planned".to_owned(),
            ),
            Self::NothingToAdvise { .. } => (
                Code::Query,
                format!(
                    "select other queries with {}; if one row is one person, [entity] is missing and rows are not capped",
                    surface.option("query")
                ),
            ),
            Self::NoTable { known, .. } => (Code::Query, format!("it declares {}", known.join(", "))),
            Self::Folder(_) => (Code::Other, "name a folder that you may write to".to_owned()),
            Self::Thread(_) | Self::Ended => (Code::Other, String::new()),
        };
        vec![Diagnostic::new(code, self).with_help(help)]
    }
}
