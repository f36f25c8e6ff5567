//! Arbitrary bytes as mechanisms, protocols, certificates and names of notions.
#![no_main]

#[path = "../src/check.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    check::check(bytes);
});
