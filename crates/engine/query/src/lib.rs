//! A query as data: rows, groups, measures and output, with the sensitivity of each measure and the canonical bytes of
//! everything that decides the measured numbers. This crate reads no SQL text and no data.
//!
//! | question | where |
//! |---|---|
//! | contents of a query | [`Query`]: [`Rows`], [`Group`]s, [`Measure`]s, [`output`] |
//! | rows computed from each entity's own rows | [`EntityRows`] |
//! | identity of queries | [`Query::canonical`], parsed by [`Query::from_canonical`] |
//! | containment of one query in another | [`Contents`] |
//! | the most that one entity changes a measure | [`Query::sensitivity`] |
//! | queries about entities instead of rows | [`Query::left_out`], [`Query::per_entity`] |
//! | queries about the rows of some periods | [`Query::within_days`] |
//! | static analysis of expressions from public facts | [`facts`]: bounds and grids, keys, typical values |
//! | reasons to reject a query | [`QueryError`] |
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
mod loss;
mod measure;
mod nesting;
pub mod output;
mod parallel;
mod per_entity;
mod periods;
mod query;
mod regression;
mod rows;
mod unlimited;
mod words;

pub use canonical::{FORMAT, sorted};
pub use contained::{Contents, Places};
pub use counting::RowCount;
pub use entity_rows::{EntityRows, Fold, OwnSort, Yield};
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
