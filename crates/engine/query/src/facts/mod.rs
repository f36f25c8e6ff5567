//! What public facts say of expressions: bounds and grids, keys, slips of the fingers. Nothing here reads data.

pub(crate) mod exclusive;
mod forms;
pub mod keys;
pub mod labels;
pub mod left_out;
pub(crate) mod presence;
pub mod range;
pub mod typical;
pub(crate) mod undeclared;
