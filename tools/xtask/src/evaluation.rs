//! The evaluation of the (α,β) paper, made again from UCI Adult for the documentation. The draws have a fixed seed.

use crate::Failure;
use crate::files::root;
use deniable_evaluate::Settings;
use std::path::Path;

/// Makes the page, its pictures and its tables.
pub fn run(adult: &Path) -> Result<String, Failure> {
    let folder = root().join("docs/evaluation");
    let tell = |done: usize, all: usize| crate::say(&mut std::io::stderr(), &format!("evaluating: {done} of {all}"));
    let written = deniable_evaluate::run(adult, &Settings::default(), &tell)?.write(&folder)?;
    Ok(format!("docs/evaluation: {} files are written", written.len()))
}
