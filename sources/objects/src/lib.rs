//! Objects of S3, Azure and Google Cloud Storage.
//!
//! | question | module |
//! |---|---|
//! | which objects does a URL name? | [`find`] |
//! | how are they read, so that they are what was found? | `object`: ranges, each only if the object is still the same |
//! | what can go wrong? | `error`: in words of its own, since those of stores may quote credentials |
//!
//! Credentials come from the environment, as the stores' own programs take them (`AWS_ACCESS_KEY_ID` and so on), and never from a URL.

mod error;
mod find;
mod object;
mod store;

pub use find::find;

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_objects;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
