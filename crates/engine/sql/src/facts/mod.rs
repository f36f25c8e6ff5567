//! What public facts say of expressions: bounds and grids, keys, slips of the fingers. Nothing here reads data.

pub(crate) mod exclusive;
mod forms;
pub(crate) mod keys;
pub(crate) mod labels;
pub(crate) mod left_out;
pub(crate) mod presence;
pub(crate) mod range;
pub mod typical;
pub(crate) mod undeclared;
