//! Notions, families, mechanisms and theorems explained: the pages of `docs/notions` and `docs/theorems`, and `docs/reference/terms.md`.
//!
//! ```
//! let page = deniable::explain::explain("pmp")?;
//! assert!(page.to_string().contains("PMP"));
//! # Ok::<(), deniable::explain::UnknownEntry>(())
//! ```

pub use deniable_explain::entry::{Entry, Frame, Kind, Law, Laws, Theorem};
pub use deniable_explain::{Contents, Explanation, Term, UnknownEntry, explain};
