//! How results look.

pub mod csv;
pub mod ledger;
pub mod scan;
pub mod sweep;
pub mod true_errors;
