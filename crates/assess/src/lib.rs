//! What an anonymised table gives away.
pub mod cells;
pub mod counts;
pub mod covering;
pub mod error;
pub mod fraction;
mod group;
pub mod hierarchy;
pub mod interval;
pub use counts::Counts;
pub use error::{AssessError, Table};
