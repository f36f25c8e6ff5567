//! Arbitrary texts as anonymised tables, hierarchies and requirements.
#![no_main]

#[path = "../src/assess.rs"]
mod assess;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    assess::check(bytes);
});
