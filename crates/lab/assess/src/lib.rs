//! What an anonymised table gives away: class sizes, risk, diversity, closeness, beliefs and presence, exactly.
//!
//! The input is counts of distinct rows, that an SQL engine made; nothing here reads a file. Cells are understood as the sets of
//! raw values that they cover, people with the same cells are a class, and every number comes with the class that attains it.
//! Numbers are whole or fractions; floats leave out what is far from a maximum or a limit, and never decide what is near.
//!
//! | question | module |
//! |---|---|
//! | how often does each row stand in the table? | [`counts`] |
//! | which raw values does a cell cover? | [`cells`], [`interval`], [`hierarchy`], [`cover`] |
//! | who looks alike? | [`classes`], [`sizes`] |
//! | how likely is somebody re-identified? | [`risk`], [`matching`] |
//! | how varied are the sensitive values of a class? | [`diversity`], [`mod@entropy`], [`closeness`] |
//! | whom does a class cover? | [`background`] |
//! | how far do beliefs about sensitive values move? (I-BOP) | [`mod@belief`], [`beliefs`] |
//! | how far do beliefs about presence move? | [`membership`] |
//! | what is left of the original? | [`original`] |
//! | does the table meet demands? | [`require`], [`verdict`], [`limit`] |
//! | all of it, as data and as text | [`assessment`], [`number`], [`measures`], [`words`] |
//! | what may be a mistake in the tables? | [`warning`] |
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

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_assess;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
