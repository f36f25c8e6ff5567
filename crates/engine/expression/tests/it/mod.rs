//! Properties of all expressions, tested on random ones, and damaged bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]
// Tests may use functions that the evaluator must avoid so that it cannot fail.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_lossless,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    clippy::integer_division_remainder_used,
    clippy::string_slice,
    clippy::unreachable,
    reason = "tests"
)]

mod fuzz;
mod law;
