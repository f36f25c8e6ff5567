//! Arbitrary bytes as CSV files.
#![no_main]

#[path = "../src/csv.rs"]
mod csv;
#[allow(dead_code, reason = "only its table is used here")]
#[path = "../src/sql.rs"]
mod sql;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    csv::check(bytes);
});
