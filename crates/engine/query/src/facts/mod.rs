//! Static analysis of expressions from public facts: bounds and grids, group keys, likely typos. It never reads data.

pub(crate) mod exclusive;
mod forms;
pub mod keys;
pub mod labels;
pub mod left_out;
pub(crate) mod presence;
pub mod range;
pub mod typical;
pub(crate) mod undeclared;
