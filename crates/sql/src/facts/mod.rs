//! What public facts say of expressions: bounds and grids, keys, slips of the fingers. Nothing here reads data.

pub(crate) mod keys;
pub(crate) mod range;
pub(crate) mod undeclared;
