//! The commands that look at something, for programs that host them: the same words, and what they find instead of where it is written.
//!
//! Words are those of the command line, without the program's name, the command's first. Tables and mechanisms may be in memory.

use crate::args;
use crate::args::{Args, Command};
use crate::commands::assess;
use crate::error::Failure;
use crate::exit::Exit;
use crate::output::Rendering;
use deniable::arrow_array::RecordBatch;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOutcome {
    /// For reading.
    pub text: String,
    /// The same for programs, as JSON.
    pub json: String,
    /// A page, where there is one.
    pub page: Option<String>,
    /// Whether what was claimed or demanded holds.
    pub exit: Exit,
}

/// `deniable assess`; tables by the names that stand for them among the words.
///
/// # Errors
/// As of the command.
pub fn assess(words: &[OsString], tables: &BTreeMap<PathBuf, Vec<RecordBatch>>) -> Result<CallOutcome, Failure> {
    let Command::Assess(args) = read(words)?.command else { return Err(other("assess")) };
    let (written, page, exit) = assess::written(&args, tables)?;
    Ok(CallOutcome::of(written, Some(page), exit))
}

impl CallOutcome {
    fn of(written: Rendering, page: Option<String>, exit: Exit) -> Self {
        Self { text: written.table, json: written.json, page, exit }
    }
}

fn read(words: &[OsString]) -> Result<Args, Failure> {
    let all: Vec<OsString> = std::iter::once("deniable".into()).chain(words.iter().cloned()).collect();
    args::read(&all).map_err(|error| words_failure(&error))
}

fn other(wanted: &str) -> Failure {
    Failure::usage("these words are another command", format!("begin with `{wanted}`"))
}

/// Words that are no command.
fn words_failure(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let message = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    let tips = text.lines().filter_map(|line| line.trim().strip_prefix("tip: ")).collect::<Vec<_>>().join("; ");
    Failure::usage(message, tips)
}
