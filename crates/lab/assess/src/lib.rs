//! Exact measures of an anonymised table: class sizes, risk, diversity, closeness, beliefs and presence.
//!
//! The input is counts of distinct rows from an SQL engine; this crate reads no files. A cell is read as the set of raw
//! values that it covers, people with the same cells form a class, and every number names the class that attains it.
//! Results are integers or fractions; floats only exclude values far from a maximum or a limit, and never decide close
//! ones.
//!
//! | question | module |
//! |---|---|
//! | how often does each row occur in the table? | [`counts`] |
//! | which raw values does a cell cover? | [`cells`], [`interval`], [`hierarchy`], [`cover`] |
//! | which people have equal cells? | [`classes`], [`sizes`] |
//! | how likely is a person re-identified? | [`risk`], [`matching`] |
//! | how varied are the sensitive values of a class? | [`diversity`], [`mod@entropy`], [`closeness`] |
//! | which people does a class cover? | [`background`] |
//! | how far do beliefs about sensitive values move? (I-BOP) | [`mod@belief`], [`beliefs`] |
//! | how far do beliefs about presence move? | [`membership`] |
//! | how much of the original is kept? | [`original`] |
//! | does the table meet the demands? | [`require`], [`verdict`], [`limit`] |
//! | all results, as data and as text | [`assessment`], [`number`], [`measures`], [`words`] |
//! | which values are likely mistakes? | [`warning`] |
//!
//! ```
//! use deniable_assess::assessment::{Input, assess};
//! use deniable_assess::counts::Counts;
//!
//! let mut published = Counts::new(&["age", "disease"])?;
//! for (row, people) in [(["30-39", "flu"], 3), (["30-39", "asthma"], 1), (["40-49", "flu"], 2)] {
//!     published.push(&row, people)?;
//! }
//! let found = assess(&Input::new(&published, &["age"], &["disease"]))?;
//! assert_eq!(found.sizes.smallest.value, 2); // 2-anonymous, and yet both in their forties have the flu:
//! assert_eq!(found.sensitive[0].diversity.distinct.value, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod assessment;
pub mod background;
pub mod belief;
pub mod beliefs;
pub mod cells;
pub mod classes;
pub mod closeness;
pub mod counts;
pub mod cover;
pub mod diversity;
pub mod entropy;
pub mod error;
pub mod fraction;
mod group;
pub mod hierarchy;
pub mod interval;
pub mod limit;
pub mod matching;
pub mod measures;
pub mod membership;
pub mod number;
pub mod original;
pub mod require;
pub mod risk;
pub mod sizes;
mod text;
pub mod verdict;
pub mod warning;
pub mod words;

pub use assessment::{Assessment, Input, SensitiveColumn, assess};
pub use cells::{Cell, Reading};
pub use classes::{Classes, Quasi, Secret};
pub use closeness::Distance;
pub use counts::Counts;
pub use error::{AssessError, TableRole};
pub use fraction::{At, Fraction};
pub use hierarchy::Hierarchy;
pub use matching::{Linking, link};
pub use require::{Demand, Requirement};
pub use warning::Warning;

// `tests/it` is compiled into the unit tests, so each crate links one test program. It names this crate as other crates
// do.
#[cfg(test)]
extern crate self as deniable_assess;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
