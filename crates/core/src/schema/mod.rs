//! Public facts about data, known before any of it is read: tables, columns, types, keys, bounds.
//!
//! | content | type |
//! |---|---|
//! | location and format of a table's rows | [`Data`], [`Format`], [`CsvOptions`] |
//! | columns | [`Column`], [`ColumnType`], and the declared groups as [`Key`]s |
//! | grid of a numeric column | [`Bounds`] |
//! | privacy unit and contribution bounds | [`Entity`] (S-CAP) |
//! | a table's schema in queries | [`TableSchema`] |
//! | canonical bytes of how rows are read | [`reading`](fn@reading) |
//! | test whether names of columns may be a row of data | [`are_names`] |
//!
//! A policy declares these facts (`deniable_policy`), files are read by them (`deniable_data`), and queries are
//! analysed against them (`deniable_query`). None of them is read from the data.

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
