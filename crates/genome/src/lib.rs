//! Association results of case-control cohorts that nobody's participation can be read from.
//!
//! | question | module |
//! |---|---|
//! | how many cases and controls have which genotype? | [`table`] |
//! | which SNPs are the most associated? | [`select`] |
//! | how often do chosen SNPs occur, and how strong are they? | [`noisy`] |
//! | what would a cohort with known causes look like? | [`simulate`] |
//! | would a selection find the causes? | [`power`] |

pub mod noisy;
pub mod power;
pub mod select;
pub mod simulate;
pub mod table;

pub use table::{Adjacency, Table, Test};
