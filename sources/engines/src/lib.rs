//! Engines that hold rows: a conversation with each by its own client for Python, which its users have.
//!
//! | question | module |
//! |---|---|
//! | how is an engine reached, and what is it set to? | [`Engine`] |
//! | what is said to its client? | `bridge.py`: lines of JSON over pipes |
//! | how are tables a source of rows? | [`open`], `table` |
//! | what can go wrong? | [`EngineError`]: in words of its own, since those of engines quote values |
//!
//! What engines are asked, and whether they do as they are told, is `deniable_pushdown`.

mod engine;
mod error;
mod table;

pub use engine::Engine;
pub use error::EngineError;
pub use table::open;
