//! How results look.

pub mod csv;
pub mod ledger;
pub mod scan;
pub mod sweep;
pub mod table;
pub mod true_errors;

use crate::error::Failure;
use serde::Serialize;

/// [`deniable::json`], for callers that still expect a result.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    Ok(deniable::json(value))
}
