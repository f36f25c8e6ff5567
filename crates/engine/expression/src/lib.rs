//! Expressions over one row: a closed, typed language whose evaluation cannot fail.
//!
//! | topic | module |
//! |---|---|
//! | values | [`value`]: six types, each with NULL |
//! | operations | [`operation`]: some forty operations, each with its types |
//! | expressions | [`program`]: a list of unique nodes, arguments first |
//! | identity | [`canonical`]: canonical bytes, equal exactly when the expressions are |
//! | evaluation | [`evaluate`]: column by column, every branch for every row |
//! | display as SQL | [`words`] |
//!
//! The law: **evaluating a table equals evaluating its rows one at a time, bit for bit.** Once a program is built,
//! evaluation never returns an error and never stops early: the contents of a row affect its own values only.
//! `docs/reference/expressions.md` defines the meaning of each operation, NULL and corner cases included.

// A panic would be an error that depends on a value.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::cast_lossless,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::exit,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::integer_division_remainder_used,
    clippy::panic,
    clippy::string_slice,
    clippy::todo,
    clippy::unimplemented,
    clippy::unreachable,
    clippy::unwrap_used
)]
// Tests may panic.
#![cfg_attr(
    test,
    allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::integer_division_remainder_used,
        clippy::string_slice
    )
)]

pub mod canonical;
pub mod column;
pub mod evaluate;
pub mod operation;
pub mod program;
pub mod value;
pub mod words;

mod calendar;
mod cast;
mod compute;
#[cfg(any(test, feature = "testing"))]
mod examples;
mod format;
mod like;
mod list;
mod lookup;
mod period;
mod plain;

pub use calendar::{civil, in_century, parse_day, parse_instant, parse_moment};
pub use cast::{parse_boolean, parse_decimal, parse_integer};
pub use column::Column;
pub use evaluate::Evaluator;
pub use format::{TimePattern, TimePatternError};
pub use like::{Pattern, PatternError};
pub use lookup::{Entries, Lookup};
pub use operation::{Comparison, Operation, Part, Unit};
pub use period::Period;
pub use program::{Id, InputColumn, Node, Program, ProgramError};
pub use value::{Day, Decimal, Moment, Type, Value};

/// Most bytes of a text. Longer texts become NULL: the memory for a batch of rows, and whether it can be computed at
/// all, must not depend on the contents of fields.
pub const LONGEST_TEXT: usize = 64 << 10;

// `tests/it` is part of the unit tests' program, so that each crate links one program. It names this crate as other
// crates do.
#[cfg(test)]
extern crate self as deniable_expression;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
