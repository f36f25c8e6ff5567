//! Arbitrary bytes as .bed, .bim, .fam and phenotype files.
#![no_main]

#[path = "../src/plink.rs"]
mod plink;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    plink::check(bytes);
});
