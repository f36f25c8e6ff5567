//! Arbitrary texts as policies.
#![no_main]

#[path = "../src/policy.rs"]
mod policy;

libfuzzer_sys::fuzz_target!(|text: &str| {
    policy::check(text);
});
