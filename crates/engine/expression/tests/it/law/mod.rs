//! Properties of all expressions and all tables, tested on random ones.
//!
//! At full scale tests are ten or twenty times as long.

mod dice;
mod identity;
mod limits;
mod one_row_at_a_time;
mod python;
mod trees;
mod values;
