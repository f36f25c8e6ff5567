//! Association results of case-control cohorts that nobody's participation can be read from.
//!
//! | question | module |
//! |---|---|
//! | how many cases and controls have which genotype? | [`table`] |

pub mod table;

pub use table::{Adjacency, Table, Test};
