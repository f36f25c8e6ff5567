//! Engines that hold rows: a conversation with each by its own client for Python, which its users have.
//!
//! | question | module |
//! |---|---|
//! | how is an engine reached, and what is it set to? | [`Engine`] |
//! | what is said to its client? | `bridge.py`: lines of JSON over pipes |
//! | how does it keep the values of a column? | [`Stored`] |
//! | what can go wrong? | [`EngineError`]: in words of its own, since those of engines quote values |
//!
//! What engines are asked, and whether they do as they are told, is `deniable_pushdown`.

mod engine;
mod error;

pub use engine::{Engine, EngineColumn, Stored};
pub use error::EngineError;
