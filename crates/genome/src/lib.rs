//! Association results of case-control cohorts that nobody's participation can be read from (G-1 to G-3).
//!
//! | question | module |
//! |---|---|
//! | how many cases and controls have which genotype? | [`table`] |
//! | how strong is the association, and is it significant? | [`chi2`] |
//! | how far can one participant move χ²? (G-1) | [`sensitivity`] |
//! | how many participants would have to change before the verdict does? (G-2) | [`mod@distance`] |
//! | which SNPs are the most associated? (G-3) | [`select`] |
//! | how often do chosen SNPs occur, and how strong are they? | [`noisy`] |
//! | what would a cohort with known causes look like? | [`simulate`] |
//! | would a selection find the causes? | [`power`] |

pub mod chi2;
pub mod distance;
pub mod noisy;
pub mod power;
pub mod select;
pub mod sensitivity;
pub mod simulate;
pub mod table;
mod wide;

pub use chi2::{Threshold, is_significant, p_value, statistic};
pub use distance::{Distance, distance};
pub use table::{Adjacency, Table, Test};
