//! Arbitrary bytes as expressions, canonical or built step by step.
#![no_main]

#[path = "../src/expression.rs"]
mod expression;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    expression::check(bytes);
});
