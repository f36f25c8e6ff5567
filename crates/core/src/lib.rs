//! The mathematics of Deniable, without I/O: **posterior odds = likelihood ratio × prior odds**.
//!
//! | content | module |
//! |---|---|
//! | exact numbers | [`exact`] |
//! | posterior beliefs under an odds ratio | [`belief`] |
//! | adversaries: knowledge and prior beliefs | [`adversary`] |
//! | secrets about a person | [`secret`] |
//! | promises, and the largest odds ratio that keeps them | [`promise`] |
//! | guarantees: validated promises to a population against an adversary | [`guarantee`] |
//! | names of the notions of privacy | [`notion`] |
//! | composition: sums of releases | [`budget`] |
//! | composition but for a chance: distributions of the privacy loss | [`loss`] |
//! | sensitivity: the influence of one person on an answer | [`sensitivity`] |
//! | public facts about tables and columns | [`schema`] |
//! | exact noise | [`noise`] |
//! | ISO 8601 days and times | [`calendar`] |
//! | intervals of sums of noises | [`interval`] |
//! | promises and adversaries in words | [`words`] |
//! | safe text, and suggestions for typos | [`text`] |
//! | diagnostics: message, place and help | [`diagnostic`] |
//! | work on several threads | [`parallel`] |
//! | periods of a horizon, and the nodes of their running totals | [`horizon`] |
//!
//! Identifiers such as `B-3` or `M-GEO` name entries of `docs/theorems`.
//!
//! ```
//! use deniable_core::adversary::PriorRange;
//! use deniable_core::exact::parse_rational;
//! use deniable_core::promise::Promise;
//!
//! // An observer who gave it at most 50% may not become more than 75% sure.
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
pub mod horizon;
pub mod interval;
pub mod loss;
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

// `tests/it` is compiled into the unit tests: one program per crate to link. `extern crate self` gives it the crate's
// public name.
#[cfg(test)]
extern crate self as deniable_core;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
