//! Arbitrary bytes as tables of frequencies, rows, ratings and lists of people.
#![no_main]

#[path = "../src/attack.rs"]
mod attack;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    attack::check(bytes);
});
