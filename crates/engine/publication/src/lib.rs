//! What is published: answers with their intervals, and the guarantee in words and numbers.
//!
//! | question | module |
//! |---|---|
//! | what does an answer consist of? | [`table`] |
//! | how are its exact numbers written and read? | [`AnswerOdds`], [`Confidence`], [`UpperBound`] |
//! | what is promised about everyone, in words? | [`statement`] |
//! | how many more questions does the promise pay for? | [`remaining`] |
//! | what does the ledger remember of what was shown? | [`shown`] |
//!
//! Everything here may be read by anyone. It is written as JSON, as tables and as pages, and it can be read back.

mod numbers;
pub mod remaining;
pub mod shown;
pub mod statement;
pub mod table;
mod text;

/// What stands in place of a key where a row is about all of them.
pub use deniable_core::schema::ALL;
pub use numbers::{AnswerOdds, Confidence, UpperBound};
pub use statement::{Belief, Statement};
pub use table::{
    Answer, Cell, DataVersion, KeyValue, LabelledKey, Noise, NoiseKind, NumberCell, Publication, Quality, Scalar,
};
