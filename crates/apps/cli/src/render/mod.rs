//! Text and CSV of results.

pub mod csv;
pub mod ledger;
pub mod scan;
pub mod sweep;
pub mod true_errors;
