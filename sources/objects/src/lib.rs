//! Objects of S3, Azure and Google Cloud Storage.
//!
//! | question | module |
//! |---|---|
//! | which objects does a URL name? | [`find`] |
//! | how are they read, and changes detected? | `object`: ranges, each on condition that the object is unchanged |
//! | which errors occur? | `error`: in this crate's own words, since those of stores may quote credentials |
//!
//! Credentials come from the environment variables of the stores' own programs (`AWS_ACCESS_KEY_ID` and so on), and
//! never from a URL.

mod error;
mod find;
mod object;
mod store;

pub use find::find;

// `tests/it` is part of the unit tests' program, to link one program per crate. The alias lets it name items of this
// crate by an external path.
#[cfg(test)]
extern crate self as deniable_objects;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
