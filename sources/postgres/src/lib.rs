//! Rows of PostgreSQL as columns.
//!
//! | question | module |
//! |---|---|
//! | where is the database, and how is it reached? | `server` |
//! | what do all connections of a run see? | `snapshot`: one read-only, repeatable-read transaction |
//! | what is a table or view, and in which parts is it read? | `relation` |
//! | how do its rows come over? | `copy`: binary `COPY` of bare columns |
//! | how do their bytes become values? | `decode`, `numeric`: total functions |
//! | are they the rows that were there before? | `contents` |
//! | how are they a source of rows, and what are their fingerprints? | [`DATABASES`], `table` |
//! | what can go wrong? | `error`: in words of its own, since the server's may quote rows |
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
mod table;
mod tls;

pub use table::DATABASES;

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_postgres;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
