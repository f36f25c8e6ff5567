//! The mathematics of Deniable, without I/O: **posterior odds = likelihood ratio × prior odds**.
//!
//! | question | module |
//! |---|---|
//! | how are numbers kept exact? | [`exact`] |
//! | what does an odds ratio do to a belief? | [`belief`] |
//! | who is the adversary, and what may they believe beforehand? | [`adversary`] |
//! | what about a person is kept deniable? | [`secret`] |
//! | how far may belief move, and how large an odds ratio does that allow? | [`promise`] |
//! | what is promised to whom, against whom, as one value that was checked? | [`guarantee`] |
//! | what are the notions of privacy called? | [`notion`] |
//! | how are releases added up? | [`budget`] |
//! | how far can one person move an answer? | [`sensitivity`] |
//! | what is publicly known about tables and columns? | [`schema`] |
//! | what noise hides that, exactly? | [`noise`] |
//! | which day or time did somebody write? | [`calendar`] |
//! | how far do several noises reach together? | [`interval`] |
//! | how is all this said in words? | [`words`] |
//! | what did somebody mean who wrote that? | [`text`] |
//! | what is wrong, where, and what is to be done? | [`diagnostic`] |
//! | how is work shared among threads? | [`parallel`] |
//!
//! Identifiers such as `B-3` or `M-GEO` name entries of `docs/theorems`.
//!
//! ```
//! use deniable_core::adversary::PriorRange;
//! use deniable_core::exact::parse_rational;
//! use deniable_core::promise::Promise;
//!
//! // "Nobody who thought it at most 50% likely may become more than 75% sure."
//! let half = parse_rational("1/2")?;
//! let priors = PriorRange::new(None, Some(half))?;
//! let promise = Promise::PosteriorAtMost(parse_rational("0.75")?);
//! let largest = promise.largest_odds(&priors)?;
//! assert_eq!(largest.to_string(), "3"); // an odds ratio of exactly 3
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod adversary;
pub mod belief;
pub mod budget;
pub mod calendar;
pub mod diagnostic;
pub mod exact;
pub mod guarantee;
pub mod interval;
pub mod noise;
pub mod notion;
pub mod parallel;
pub mod promise;
pub mod schema;
pub mod secret;
pub mod sensitivity;
pub mod text;
pub mod words;
pub mod zone;

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_core;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
