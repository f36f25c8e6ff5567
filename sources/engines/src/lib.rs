//! Engines that hold rows: a connection to each through its own Python client, which its users have installed.
//!
//! | question | module |
//! |---|---|
//! | how is an engine reached, and which settings does it have? | [`Engine`] |
//! | what is sent to its client? | `bridge.py`: lines of JSON over pipes |
//! | how is a table a source of rows? | [`open`], `table` |
//! | which errors occur? | [`EngineError`]: in this crate's own words, since those of engines quote values |
//!
//! The statements, and the checks of their results, are in `deniable_pushdown`.

mod engine;
mod error;
mod table;

pub use engine::Engine;
pub use error::EngineError;
pub use table::open;
