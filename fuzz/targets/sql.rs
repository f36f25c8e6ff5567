//! Arbitrary texts as questions.
#![no_main]

#[path = "../src/sql.rs"]
mod sql;

libfuzzer_sys::fuzz_target!(|text: &str| {
    sql::check(text);
});
