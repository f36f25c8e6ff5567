//! What a notion, a family of priors, a mechanism or a theorem says, and what words mean: the pages of `docs/notions` and
//! `docs/theorems`, and `docs/reference/terms.md`.
//!
//! | question | module |
//! |---|---|
//! | what does an entry hold, and how is it shown? | [`entry`] |
//! | how is an entry read from a page? | [`page`] |
//! | what does an identifier look like? | [`ids`] |
//! | which entry is meant by a text? | [`mod@library`] |
//! | how is a name explained, as text and as JSON? | [`explanation`] |
//! | what is a word of other libraries called here? | [`mod@terms`] |
//!
//! The pages are compiled in, so that the command line explains itself without its source.
//!
//! ```
//! let entry = deniable_explain::lookup("positive membership privacy")?;
//! assert_eq!(entry.id, "PMP");
//! assert!(entry.text(100).contains("E-3"));
//! assert_eq!(deniable_explain::lookup("pnp").unwrap_err().did_you_mean[0], "PMP");
//! # Ok::<(), deniable_explain::UnknownEntry>(())
//! ```

pub mod entry;
pub mod explanation;
pub mod ids;
pub mod library;
pub mod page;
pub mod terms;

pub use entry::{Entry, Kind, Law};
pub use explanation::{Contents, Explanation, explain};
pub use library::{Library, UnknownEntry, library, lookup};
pub use terms::{Term, meant, terms};

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_explain;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
