//! Decides exactly whether a finite mechanism keeps a promise, and shows why when it does not.
//!
//! | question | module |
//! |---|---|
//! | what is a mechanism, and how is it read or built? | [`mechanism`] |
//! | and where the output depends on counts alone? | [`counts`] |
//! | what may the observer have believed beforehand? | [`family`] |
//! | and how are given priors read? | [`priors`] |
//! | which notion of privacy is asked about? | [`notion`] |
//! | how large is its tight parameter, and where is it reached? | [`decide`] |
//! | what is the answer made of? | [`verdict`] |
//! | can what is believed with and without an entity be paired? | [`coupling`] |
//! | what is a mechanism on a random sample? | [`sample`] |
//! | can beliefs of a family be scaled as far as one likes? | [`scalable`] |
//! | which datasets do public facts leave possible? | [`constraint`] |
//! | what does a published, generalised table tell? | [`bop`] |
//! | what does a protocol between two parties tell each of them? | [`protocol`] |
//! | what does somebody claim of it, and does it hold? | [`claim`] |
//! | how does somebody else check it? | [`certificate`] |
//! | what is the smallest case that breaks a claim? | [`mod@shrink`] |
//! | what is said where nothing is learned, or nothing asked? | [`no_witness`] |
//! | how is any of these read by file or by name? | [`subject`] |
//! | how is a decision reported, as text and as JSON? | [`report`] |
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

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_check;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
