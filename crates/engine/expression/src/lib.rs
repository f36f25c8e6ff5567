//! What may be computed from one row: a closed, typed language whose evaluation cannot fail.
//!
//! | question | module |
//! |---|---|
//! | which values are there? | [`value`]: six types, NULL in each |
//! | what can be done with them? | [`operation`]: some forty operations, each with its types |
//! | what is an expression? | [`program`]: a list of nodes, each written once, arguments before what uses them |
//! | when are two expressions the same? | [`canonical`]: canonical bytes, equal exactly when the expressions are |
//! | what is its value? | [`evaluate`]: column by column, every branch for every row |
//! | how would a person write it? | [`words`] |
//!
//! The law: **evaluating a table equals evaluating its rows one at a time, bit for bit.** Nothing here returns an error
//! once a program is built, and nothing stops early: what a row holds decides its own values and nothing else. What each
//! operation means, NULLs and corner cases included, is one table: `docs/reference/expressions.md`.

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
// Tests may.
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
mod plain;

pub use calendar::{DAY_NAMES, MONTH_NAMES, civil, in_century, parse_day, parse_instant, parse_moment};
pub use cast::{parse_boolean, parse_decimal, parse_integer};
pub use column::Column;
pub use evaluate::Evaluator;
pub use format::{TimePattern, TimePatternError};
pub use like::{Pattern, PatternError};
pub use lookup::{Entries, Lookup};
pub use operation::{Comparison, Operation, Part, Unit};
pub use program::{Id, InputColumn, Node, Program, ProgramError};
pub use value::{Day, Decimal, Moment, Type, Value};

/// Bytes of the longest text that is a value. Whatever would be longer is NULL: how much room a batch of rows takes, and
/// whether it can be computed at all, must not depend on what fields hold.
pub const LONGEST_TEXT: usize = 64 << 10;

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_expression;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
