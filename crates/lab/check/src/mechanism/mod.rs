//! Finite mechanisms: for every dataset, the exact probability of every output.

pub mod builtin;
mod dataset;
mod error;
pub mod file;
mod limits;
mod model;
mod table;

pub use builtin::BuiltinError;
pub(crate) use builtin::Noise;
pub use dataset::Dataset;
pub use error::MechanismError;
pub(crate) use limits::size_fits;
pub use limits::{MOST_ENTITIES, MOST_FRACTIONS, MOST_PROBABILITIES};
pub use model::Mechanism;
pub(crate) use model::{Kinds, distinct};
pub(crate) use table::{Column, Table, check_row};
