//! Static analysis of expressions from public facts: bounds and grids, group keys, likely typos. It never reads data.

mod conditions;
pub(crate) mod exclusive;
mod forms;
pub mod keys;
pub mod labels;
pub mod left_out;
mod places;
pub(crate) mod presence;
pub mod range;
pub mod reachable;
pub(crate) mod replaced;
pub mod typical;
pub(crate) mod undeclared;
