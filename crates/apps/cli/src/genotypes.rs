//! Files of genotypes that flags name wrongly.

use crate::error::Failure;
use std::path::Path;

/// One file of a PLINK fileset, where its prefix should be.
pub fn not_a_prefix(file: &Path, prefix: &Path) -> Failure {
    let message = format!("{} is one of three files; name their prefix", file.display());
    Failure::usage(message, format!("write {}", prefix.display()))
}
