//! What is publicly known about data before any of it is read: tables, columns, types, keys, bounds.
//!
//! | question | type |
//! |---|---|
//! | where are the rows of a table, and how are they written? | [`Data`], [`Format`], [`CsvOptions`] |
//! | what is a column? | [`Column`], [`ColumnType`], and the groups that exist as [`Key`]s |
//! | which grid do the values of a numeric column lie on? | [`Bounds`] |
//! | whose rows belong together, and how many of them count? | [`Entity`] (S-CAP) |
//! | what may a query know of a table? | [`TableSchema`] |
//! | what decides how rows are read, as canonical bytes? | [`reading`](fn@reading) |
//! | are the names of columns names, or a row of data? | [`are_names`] |
//!
//! A policy declares it (`deniable_policy`), files are read by it (`deniable_data`), and queries are analysed against it
//! (`deniable_query`). Nothing here is read from the data.

mod bounds;
mod column;
mod csv;
mod data;
mod engine;
mod entity;
mod names;
mod reading;
mod relation;
mod table;

pub use bounds::{Bounds, BoundsError};
pub use column::{ALL, Column, ColumnType, Key, KeysFrom, Parents, has_short_year};
pub use csv::{Compression, CsvOptions};
pub use data::{Data, Format, ending, is_store, url_scheme, without_credentials};
pub use engine::EngineKind;
pub use entity::Entity;
pub use names::{LONGEST_NAME, Looks, MOST_COLUMNS, NotNames, are_names};
pub use reading::{READING_FORMAT, reading};
pub use relation::{RelationName, RelationPath, names_variable, quoted};
pub use table::{DeclaredTable, Role, TableSchema, section};
