//! Decides exactly whether a finite mechanism keeps a promise, and shows why when it does not.
//!
//! | question | module |
//! |---|---|
//! | How are mechanisms read from files, or built by name? | [`mechanism`] |
//! | How are mechanisms decided whose output depends on counts alone? | [`counts`] |
//! | Which priors may the observer have? | [`family`] |
//! | How are explicit priors read? | [`priors`] |
//! | Which notions of privacy are there? | [`notion`] |
//! | How large is the tight parameter, and where is it attained? | [`decide`] |
//! | What does a verdict contain? | [`verdict`] |
//! | Can the datasets with and without an entity be paired? | [`coupling`] |
//! | What is a mechanism on a random sample? | [`sample`] |
//! | Is a family of priors scalable? | [`scalable`] |
//! | Which datasets do public facts leave possible? | [`constraint`] |
//! | What does a published, generalised table disclose? | [`bop`] |
//! | What does a two-party protocol disclose to each party? | [`protocol`] |
//! | Does a claim about a parameter hold? | [`claim`] |
//! | How does another program verify a verdict? | [`certificate`] |
//! | What is the smallest case that breaks a claim? | [`mod@shrink`] |
//! | Why has a verdict no witness? | [`no_witness`] |
//! | How is a mechanism or protocol read by file or by name? | [`subject`] |
//! | How is a decision reported, as text and as JSON? | [`report`] |
//!
//! Every verdict rests on one number: the largest likelihood ratio `LR = Pr[o|t] / Pr[o|¬t]` that any answer gives any
//! observer of the family about any person. All arithmetic that decides is exact; floats only choose where to look.
//!
//! ```
//! use deniable_check::decide::decide;
//! use deniable_check::family::Family;
//! use deniable_check::mechanism::Mechanism;
//! use deniable_check::notion::Notion;
//! use deniable_core::exact::ratio;
//!
//! // One person answers a yes-or-no question truthfully three times out of four.
//! let table = vec![vec![ratio(3, 4), ratio(1, 4)], vec![ratio(1, 4), ratio(3, 4)]];
//! let mechanism = Mechanism::new(&["ann"], &["no", "yes"], table)?;
//! let verdict = decide(&mechanism, &Notion::Membership { sign: deniable_check::notion::Sign::Positive }, &Family::Uniform)?;
//! assert_eq!(verdict.value.to_string(), "2"); // LR = 3, and belief 1/2 becomes 3/4: 1/2 over 1/4
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bop;
pub mod certificate;
pub mod claim;
pub mod constraint;
pub mod counts;
pub mod coupling;
pub mod decide;
pub mod everything;
pub mod family;
pub mod mechanism;
mod nearest;
pub mod no_witness;
pub mod notion;
pub mod priors;
pub mod protocol;
pub mod report;
pub mod sample;
pub mod scalable;
pub mod shrink;
pub mod subject;
pub mod verdict;
pub mod words;

pub use deniable_core::exact::Bound;

// `tests/it` is compiled into the unit tests' program: one program per crate to link. It names the crate as other
// crates do.
#[cfg(test)]
extern crate self as deniable_check;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
