//! Rows of PostgreSQL as columns.
//!
//! | question | module |
//! |---|---|
//! | where is the database, and how is it reached? | [`Server`] |
//! | what do all connections of a run see? | [`Snapshot`]: one read-only, repeatable-read transaction |
//! | what is a table or view, and in which parts is it read? | [`Relation`] |
//! | how do its rows come over? | `copy`: binary `COPY` of bare columns |
//! | how do their bytes become values? | `decode`, `numeric`: total functions |
//! | are they the rows that were there before? | [`Contents`] |
//! | what can go wrong? | [`PostgresError`]: in words of its own, since the server's may quote rows |
//!
//! The server is asked for columns as they are stored, and for nothing else: an expression that it evaluates could fail on a value,
//! and its failure would tell that the value is there.

mod contents;
mod copy;
mod decode;
mod error;
mod numeric;
mod relation;
mod server;
mod snapshot;
mod tls;

pub use contents::Contents;
pub use copy::{Copied, Copying};
pub use error::PostgresError;
pub use relation::{Part, Relation, RelationColumn};
pub use server::Server;
pub use snapshot::Snapshot;
