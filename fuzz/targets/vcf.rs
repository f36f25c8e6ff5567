//! Arbitrary bytes as VCF files.
#![no_main]

#[allow(dead_code, reason = "only its checks of counts and errors are used here")]
#[path = "../src/plink.rs"]
mod plink;
#[path = "../src/vcf.rs"]
mod vcf;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    vcf::check(bytes);
});
