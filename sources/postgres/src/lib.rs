//! Rows of PostgreSQL as columns.
//!
//! | question | module |
//! |---|---|
//! | how is the database reached? | `server` |
//! | which rows do all connections of a run see? | `snapshot`: one read-only, repeatable-read transaction |
//! | which columns has a table or view, and in which parts is it read? | `relation` |
//! | how are its rows transferred? | `copy`: binary `COPY` of bare columns |
//! | how do their bytes become values? | `decode`, `numeric`: total functions |
//! | have the rows changed? | `contents` |
//! | how are they a source of rows, and which fingerprints have they? | [`DATABASES`], `table` |
//! | which errors occur? | `error`: in this crate's own words, since those of the server may quote rows |
//!
//! The server is asked only for stored columns: an expression that it evaluates could fail on a value, and the failure
//! would reveal that the value exists.

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

// `tests/it` is part of the unit tests' program, to link one program per crate. The alias lets it name items of this
// crate by an external path.
#[cfg(test)]
extern crate self as deniable_postgres;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
