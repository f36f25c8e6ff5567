//! Association results of case-control cohorts that nobody's participation can be read from (G-1 to G-3).
//!
//! | question | module |
//! |---|---|
//! | how many cases and controls have which genotype? | [`table`] |
//! | which SNPs are the most associated? | [`select`] |

pub mod select;
pub mod table;

pub use table::{Adjacency, Table, Test};
