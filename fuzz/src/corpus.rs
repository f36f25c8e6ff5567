//! The valid inputs with which a target begins.

use std::path::PathBuf;

/// Checks that each input is accepted, and writes them to files if `scripts/fuzz` requests it.
pub fn begin(target: &str, seeds: &[Vec<u8>], check: impl Fn(&[u8]) -> bool) {
    let folder = std::env::var_os("DENIABLE_FUZZ_CORPUS").map(|corpus| PathBuf::from(corpus).join(target));
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder).unwrap();
    }
    for (number, seed) in seeds.iter().enumerate() {
        assert!(check(seed), "{target} {number}");
        if let Some(folder) = &folder {
            std::fs::write(folder.join(format!("seed-{number}")), seed).unwrap();
        }
    }
}
