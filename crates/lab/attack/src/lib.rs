//! Attacks on published results: inference of membership, and linkage of rows to people (A-2 to A-5).
//!
//! A promise bounds what any observer can learn. An attack measures what a particular observer learns. This crate
//! reports both: the success of a test on people with known truth, and the bound that the odds of a ledger put on every
//! test.
//!
//! | question | module |
//! |---|---|
//! | which frequencies were released? | [`frequencies`] |
//! | which frequencies does the general population have? | [`mod@reference`] |
//! | which SNPs do the files share, with which allele first? | [`alleles`], [`panel`] |
//! | which genotypes does each target have? | [`genotypes`] |
//! | which people are known to be in, or not to be? | [`people`] |
//! | is a person likely one of the pool? (A-2, A-3) | [`membership`] |
//! | how well does a test separate members from others? | [`mod@roc`], [`mod@power`] |
//! | which bounds does a promise put on any test? (A-5) | [`bounds`] |
//! | which measures are reported, with which bounds? | [`findings`] |
//! | how is an attack reported, as data and as text? | [`report`] |
//! | which intervals does a count of people have? | [`intervals`] |
//! | which person does a row belong to? (A-4) | [`linkage`], [`ratings`] |
//!
//! ```
//! use deniable_attack::bounds::Bounds;
//! use deniable_attack::roc::area;
//! use deniable_core::exact::{ratio, whole};
//!
//! // A test scored members and others like this. How well does it separate them, and what do odds of 3 allow any test?
//! let found = area(&[0.9, 0.4, 0.8, 0.7], &[0.1, 0.5, 0.3, 0.2], 0.95).unwrap();
//! assert_eq!(found.value, 0.9375);
//! let allowed = Bounds::of_odds(whole(3)).unwrap();
//! assert_eq!(allowed.area(), ratio(3, 4)); // R/(R + 1)
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod alleles;
pub mod bounds;
pub mod findings;
pub mod frequencies;
pub mod genotypes;
pub mod intervals;
pub mod linkage;
pub mod membership;
pub mod panel;
pub mod people;
pub mod power;
pub mod ratings;
pub mod reference;
pub mod report;
pub mod roc;
pub mod table_error;

pub use alleles::{AlleleMismatch, Fit, fit};
pub use genotypes::{Source, Targets};
pub use intervals::{Proportion, clopper_pearson};

pub use bounds::{BoundComparison, Bounds};
pub use findings::{Findings, Measure, Row};
pub use frequencies::{Frequencies, Side, Site};
pub use linkage::{JoinColumns, Linkage, LinkageCounts, TextTable};
pub use membership::{Clamp, Statistic, Statistics, Test, parted, statistics};
pub use panel::{Panel, PanelCounts};
pub use people::listed;
pub use power::{Advantage, Halves, Power, TooFew, advantage, power};
pub use report::{LinkageReport, MembershipReport, Method, PromiseSource, Promised};
pub use roc::{Area, Point, area, roc};
pub use table_error::{TableError, TableErrorKind};

// `tests/it` is compiled into the unit tests, so each crate links one test program. It names this crate as other crates
// do.
#[cfg(test)]
extern crate self as deniable_attack;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
