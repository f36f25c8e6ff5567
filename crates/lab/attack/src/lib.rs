//! Attacks on what was published: who took part, and whose row is this? (A-2 to A-5)
//!
//! A promise says what no observer can learn. An attack says what a particular observer does learn. Both are reported side by
//! side here: what a test reaches on people of whom the truth is known, and what the odds that a ledger promises allow any
//! test at all.
//!
//! | question | module |
//! |---|---|
//! | which frequencies were released? | [`frequencies`] |
//! | what are the frequencies of people at large? | [`mod@reference`] |
//! | which SNPs do the files share, with which allele first? | [`alleles`], [`panel`] |
//! | which genotypes does each target have? | [`genotypes`] |
//! | who is known to be in, who not to be? | [`people`] |
//! | does somebody look like one of the pool? (A-2, A-3) | [`membership`] |
//! | how well does a test tell members from others? | [`mod@roc`], [`mod@power`] |
//! | what does a promise allow any test? (A-5) | [`bounds`] |
//! | all of it, beside the bounds | [`findings`] |
//! | what is written of an attack, as data and as text? | [`report`] |
//! | how sure is a count of people? | [`intervals`] |
//! | whose row is this? (A-4) | [`linkage`], [`ratings`] |
//!
//! ```
//! use deniable_attack::bounds::Bounds;
//! use deniable_attack::roc::area;
//! use deniable_core::exact::{ratio, whole};
//!
//! // A test scored members and others like this: how well does it tell them apart, and what do odds of 3 allow any test?
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

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_attack;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
