//! A query as data: what is taken from rows, grouped, measured and shown, with the sensitivity of each measure and canonical
//! bytes of all that decides the measured numbers. No SQL text is read here, and no data.
//!
//! | question | where |
//! |---|---|
//! | what is asked? | [`Query`]: [`Rows`], [`Group`]s, [`Measure`]s, [`output`] |
//! | what is worked out of each entity's own rows? | [`EntityRows`] |
//! | when are two queries one? | [`Query::canonical`], read by [`Query::from_canonical`]; are its numbers among another's? [`Contents`] |
//! | how much does one entity change a measure? | [`Query::sensitivity`] |
//! | which questions are about entities and not about rows? | [`Query::left_out`], [`Query::per_entity`] |
//! | what do public facts say of an expression? | [`facts`]: bounds and grids, keys, typical values |
//! | what is wrong with a query? | [`QueryError`] |
//!
//! The order of operations is fixed: row-wise expressions, WHERE, drop undeclared keys, clamp, cap each entity's
//! rows, add up.

mod canonical;
mod contained;
mod counting;
mod decode;
mod entity_rows;
mod error;
pub mod facts;
mod group;
mod measure;
mod nesting;
pub mod output;
mod parallel;
mod per_entity;
mod query;
mod regression;
mod rows;
mod unlimited;
mod words;

pub use canonical::sorted;
pub use contained::{Contents, Places};
pub use counting::RowCount;
pub use entity_rows::{EntityRows, Fold};
pub use error::{Missing, Place, QueryError, Word};
pub use facts::typical::{ColumnGuess, Guesses, MissingGuess};
pub use group::Group;
pub use measure::{CentredArgument, Estimator, Measure, MeasureKind, Moments, QuantileShare, Target, ValueKind};
pub use nesting::Nesting;
pub use per_entity::{EntityValue, Ladder, OnLadder, PerEntity};
pub use query::{MOST_CELLS, MOST_COMBINATIONS, MOST_ENTITY_FILTERS, Parts, Query, Ranking, presence};
pub use regression::{Product, Regression, Statistic};
pub use rows::{Argument, Join, Joins, Rows, declared, section_of};
pub use unlimited::MeasureGroup;
