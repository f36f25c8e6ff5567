//! Arbitrary texts as queries.
#![no_main]

#[path = "../src/sql.rs"]
mod sql;

libfuzzer_sys::fuzz_target!(|text: &str| {
    sql::check(text);
});
