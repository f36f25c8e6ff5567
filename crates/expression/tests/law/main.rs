//! What holds of every expression and every table, tried on random ones.
//!
//! `DENIABLE_SCALE=full` makes every test several times as long.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod dice;
mod identity;
mod limits;
mod one_row_at_a_time;
mod python;
mod trees;
mod values;

/// So many, or so many times as many where the full scale is asked for.
fn scale(count: usize, times: usize) -> usize {
    if std::env::var_os("DENIABLE_SCALE").is_some_and(|scale| scale == "full") { count * times } else { count }
}
