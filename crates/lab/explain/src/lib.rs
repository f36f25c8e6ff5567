//! Explanations of notions, families of priors, mechanisms, theorems and terms: the pages of `docs/notions` and
//! `docs/theorems`, and `docs/reference/terms.md`.
//!
//! | question | module |
//! |---|---|
//! | What does an entry contain, and how is it displayed? | [`entry`] |
//! | How are entries parsed from a page? | [`page`] |
//! | What is the syntax of identifiers? | [`ids`] |
//! | Which entry matches a text? | [`mod@library`] |
//! | How is a name explained, as text and as JSON? | [`explanation`] |
//! | What are the words of other libraries called here? | [`mod@terms`] |
//!
//! The pages are compiled in, so the command line explains itself without its source.
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

// `tests/it` is compiled into the unit tests' program: one program per crate to link. It names the crate as other
// crates do.
#[cfg(test)]
extern crate self as deniable_explain;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
