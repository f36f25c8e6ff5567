//! What can go wrong. For the curator: some of it depends on private files.

use deniable_core::noise::EntropyError;
use deniable_data::SourceError;
use deniable_ledger::{OpenError, StoreError};
use deniable_policy::{PolicyErrors, QueryError};
use deniable_release::plan::PlanError;
use deniable_release::{AcceptError, DataError, ReleaseError, UnknownQuery};
use deniable_report::ReportError;

/// Something that a session refuses, or could not do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The policy says something that it cannot.
    #[error(transparent)]
    Policy(#[from] PolicyErrors),
    /// Queries of the policy cannot be answered under it.
    #[error("{}", planned(.0))]
    Plan(Vec<PlanError>),
    /// A query beside the policy's is none.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// No query of the policy has this name.
    #[error(transparent)]
    NoQuery(#[from] UnknownQuery),
    /// Advice was asked on queries of which nothing is capped or bounded.
    #[error("there is nothing to advise on in \"{}\": no caps leave anything out of it, and it has no bounds", .queries.join("\", \""))]
    NothingToAdvise {
        /// The queries.
        queries: Vec<String>,
    },
    /// Rows were given for a table that the policy does not declare.
    #[error("the policy declares no table `{table}`")]
    NoTable {
        /// The table.
        table: String,
        /// Those that it declares.
        known: Vec<String>,
    },
    /// Rows were given for a table that is nobody's data. Its file decides which groups queries have, before there are rows.
    #[error("`{table}` is nobody's data, and is read from its file")]
    PublicRows {
        /// The table.
        table: String,
    },
    /// What is to be accepted is no column.
    #[error(transparent)]
    Accept(#[from] AcceptError),
    /// A query has more groups than the memory can hold. Nothing was charged.
    #[error("\"{query}\" has more groups than {allowed} bytes of memory can hold; {least} would do")]
    Memory {
        /// The query.
        query: String,
        /// The least memory that it can be computed with, in bytes.
        least: usize,
        /// What [`crate::Resources`] allow.
        allowed: usize,
    },
    /// Files are missing, unreadable, or lack columns.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The data must not be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A release did not come about.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// The ledger could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The ledger could not be read.
    #[error(transparent)]
    Ledger(#[from] StoreError),
    /// No page could be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The operating system gave no random bits. Nothing was charged.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// The system had no thread to give.
    #[error("no thread could be started: {0}")]
    Thread(#[source] std::io::Error),
    /// The work ended without a result: a mistake of this library. What was charged resumes at no cost.
    #[error("the work ended without a result; whatever was charged resumes at no cost")]
    Ended,
}

impl Error {
    /// Whether it follows from the policy and the query alone, so that somebody who may only see answers may read it. All others are
    /// for the curator: they depend on private files, or on what the machine made of them.
    #[must_use]
    pub fn is_public(&self) -> bool {
        match self {
            Self::Policy(_)
            | Self::Plan(_)
            | Self::Query(_)
            | Self::NoQuery(_)
            | Self::NothingToAdvise { .. }
            | Self::NoTable { .. }
            | Self::PublicRows { .. } => true,
            Self::Accept(_)
            | Self::Memory { .. }
            | Self::Source(_)
            | Self::Data(_)
            | Self::Release(_)
            | Self::Open(_)
            | Self::Ledger(_)
            | Self::Report(_)
            | Self::Entropy(_)
            | Self::Thread(_)
            | Self::Ended => false,
        }
    }
}

fn planned(errors: &[PlanError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
