//! Symmetric mechanisms: the output depends only on the number of members in each of a few groups.
//!
//! A million entities in one group have `10^6 + 1` counts but `2^1000000` datasets. Entities of one group are
//! exchangeable, so every notion in [`decide`] is decided on counts (section X of `docs/theorems`): a pair of datasets
//! one entity apart is a pair of counts one apart, and a sum over datasets is a sum over counts with binomial weights.
//! [`CountMechanism::expand`] turns a small mechanism into a table over all datasets.

mod approximate;
mod beliefs;
mod boxes;
mod builtin;
mod but_for;
mod candidates;
mod decide;
mod file;
mod induced;
mod model;
mod pairs;
mod scaled;
mod sized;
mod weighted;
mod worlds;

pub use decide::decide;
pub use file::read;
pub use model::{CountMechanism, Group};

pub use crate::verdict::{CountPlace, CountWitness};

#[cfg(test)]
mod tests;
