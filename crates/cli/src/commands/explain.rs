//! `deniable explain`: what a word of the field means here.

use crate::args::check::Explain as Args;
use crate::args::output::LedgerFormat;
use crate::error::Failure;
use crate::output::publish;
use crate::render;
use deniable_explain::{library, lookup};
use std::fmt::Write;

/// Widest line.
const WIDTH: usize = 100;

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        let entries = &library().entries;
        let text = match args.format {
            LedgerFormat::Table => {
                let mut text = String::new();
                for entry in entries {
                    // Writing to a string cannot fail.
                    let _ = writeln!(text, "{:<16} {:<10} {}", entry.id, entry.kind.word(), entry.name);
                }
                text
            }
            LedgerFormat::Json => render::json(entries)?,
        };
        return publish(&text, None);
    };
    let entry = lookup(name).map_err(|error| Failure::usage(error, "`deniable explain` lists all entries"))?;
    let text = match args.format {
        LedgerFormat::Table => entry.text(WIDTH),
        LedgerFormat::Json => render::json(&entry)?,
    };
    publish(&text, None)
}
