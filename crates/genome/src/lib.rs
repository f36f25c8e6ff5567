//! Association results of case-control cohorts that nobody's participation can be read from (G-1 to G-3).
//!
//! | question | module |
//! |---|---|
//! | how many cases and controls have which genotype? | [`table`] |
//! | how strong is the association, and is it significant? | [`chi2`] |
//! | how far can one participant move χ²? (G-1) | [`sensitivity`] |
//! | how many participants would have to change before the verdict does? (G-2) | [`mod@distance`] |

pub mod chi2;
pub mod distance;
pub mod sensitivity;
pub mod table;
mod wide;

pub use chi2::{Threshold, is_significant, p_value, statistic};
pub use distance::{Distance, distance};
pub use table::{Adjacency, Table, Test};
