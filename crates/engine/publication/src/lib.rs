//! The published form of releases: answers with their intervals, and the guarantee in words and numbers.
//!
//! | topic | module |
//! |---|---|
//! | parts of an answer | [`table`] |
//! | the classes of quality | [`QualityClasses`] |
//! | title, publisher and labels, for readers | [`Imprint`], [`Heading`] |
//! | exact numbers as text | [`AnswerOdds`], [`Confidence`], [`UpperBound`] |
//! | the guarantee in words | [`statement`] |
//! | the remaining budget, in queries | [`remaining`] |
//! | the record of an answer in the ledger | [`shown`] |
//! | the schema of the JSON | `answers.schema.json` |
//!
//! All of this is public. It is written as JSON, as tables and as pages, and it can be read back.

/// The version of the format of answers in JSON.
pub const FORMAT: u32 = 1;

/// The JSON Schema of answers, as [`Publication`] is written. Later versions of the program may add fields.
pub const SCHEMA: &str = include_str!("../answers.schema.json");

mod classes;
mod csv;
mod imprint;
mod numbers;
pub mod remaining;
pub mod shown;
pub mod statement;
pub mod table;
mod text;

pub use classes::QualityClasses;
pub use csv::CsvError;
/// The text in place of a key in rows about all groups.
pub use deniable_core::schema::ALL;
pub use imprint::{Heading, Imprint};
pub use numbers::{AnswerOdds, Confidence, UpperBound};
pub use statement::{Belief, Statement};
pub use table::{
    Answer, Cell, DataVersion, IndependenceTest, KeyValue, LabelledKey, Noise, NoiseKind, NumberCell, Publication,
    Quality, Scalar, WithdrawalNotice,
};
pub use text::{ADVICE_SUFFIX, REHEARSAL};
