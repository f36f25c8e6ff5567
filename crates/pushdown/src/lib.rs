//! Engines that hold the rows: what they are asked, and whether they do as they are told.
//!
//! | question | module |
//! |---|---|
//! | which statement bounds and adds up the rows? | [`deniable_sql::pushdown`] |
//! | how is an engine reached? | [`Engine`]: by its own client for Python, which its users have |
//! | does it do as it is told? | [`Engine::try_out`], before private rows are touched |
//! | what can go wrong? | [`EngineError`]: in words of its own, since those of engines quote values |

mod engine;
mod error;

pub use engine::Engine;
pub use error::EngineError;

// `tests/it` is part of the unit tests' program: one program per crate to link.
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
