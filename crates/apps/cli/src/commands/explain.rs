//! `deniable explain`: what a notion, a theorem or a word of the field means here.

use crate::args::check::Explain as Args;
use crate::args::output::LedgerFormat;
use crate::error::Failure;
use crate::output::publish;
use deniable_explain::{library, lookup, meant, terms};
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
                for term in terms() {
                    let _ = writeln!(text, "{:<16} {:<10} {}", term.here, "term", term.elsewhere);
                }
                text
            }
            LedgerFormat::Json => deniable::json(entries),
        };
        return publish(&text, None);
    };
    let terms = meant(name);
    let text = match (lookup(name), args.format) {
        (Ok(entry), LedgerFormat::Table) => entry.text(WIDTH),
        (Ok(entry), LedgerFormat::Json) => deniable::json(&entry),
        (Err(error), _) if terms.is_empty() => {
            return Err(Failure::usage(error, "`deniable explain` lists all entries and terms"));
        }
        (Err(_), LedgerFormat::Table) => {
            let all: Vec<String> = terms.iter().map(|term| term.text(WIDTH)).collect();
            all.join("\n")
        }
        (Err(_), LedgerFormat::Json) => deniable::json(&terms),
    };
    publish(&text, None)
}
