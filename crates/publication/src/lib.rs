//! What is published: answers with their intervals, and the guarantee in words and numbers.
//!
//! | question | module |
//! |---|---|
//! | what does an answer consist of? | [`table`] |
//! | what is promised about everyone, in words? | [`guarantee`] |
//! | how many more questions does the promise pay for? | [`left`] |
//! | what does the ledger remember of what was shown? | [`remembered`] |
//!
//! Everything here may be read by anyone. It is written as JSON, as tables and as pages, and it can be read back.

pub mod guarantee;
pub mod left;
pub mod remembered;
pub mod table;

pub use guarantee::{Belief, Guarantee, Subject};
pub use table::{ALL, Cell, DataVersion, KeyValue, Noise, NoiseKind, NumberCell, Publication, Scalar, Table};
