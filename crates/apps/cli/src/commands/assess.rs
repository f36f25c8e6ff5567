//! `deniable assess`: measures what an anonymised table reveals.

use crate::args::assess::{Assess, Empty, Quoting};
use crate::args::output::Results;
use crate::console::say;
use crate::error::Failure;
use crate::exit::Exit;
use crate::output::{results, writable};
use crate::progress::Progress;
use deniable::Surface;
use deniable::assess::{EmptyCells, Options, Quote, Step, Table, assess, page};
use deniable_core::schema::CsvOptions;
use std::path::PathBuf;

/// Runs it.
pub fn run(args: &Assess) -> Result<Exit, Failure> {
    let options = options(args)?;
    let files = options.tables().filter_map(|(_, table)| match table {
        Table::File(path) => Some(path.clone()),
        Table::Memory { .. } => None,
    });
    let own: Vec<PathBuf> = files.chain(args.hierarchy.iter().map(|(_, file)| file.clone())).collect();
    let Results { out, report, .. } = &args.results;
    writable(&[("--out", out.as_deref()), ("--report", report.as_deref())], &own)?;
    let progress = Progress::new();
    let found = assess(&options, &|step| match step {
        Step::Reading(table, read) => progress.read(&format!("reading {table}"), read),
        Step::Computing => progress.says("computing the measures"),
    })?;
    progress.done();
    found.warnings.iter().for_each(|warning| say(warning.text(Surface::Command)));
    results(&args.results, &found, || page(&found))?;
    Ok(if found.holds() { Exit::Done } else { Exit::Refused })
}

fn options(args: &Assess) -> Result<Options, Failure> {
    let table = |path: &Option<PathBuf>| path.clone().map(Table::File);
    Ok(Options {
        table: Table::File(args.table.clone()),
        quasi: args.quasi.clone(),
        sensitive: args.sensitive.clone(),
        background: table(&args.background),
        original: table(&args.original),
        auxiliary: table(&args.auxiliary),
        hierarchy: args.hierarchy.clone(),
        distance: args.distance.clone(),
        literal: args.literal.clone(),
        empty: match args.empty {
            Empty::Refuse => EmptyCells::Refuse,
            Empty::Suppressed => EmptyCells::Suppressed,
            Empty::Value => EmptyCells::Value,
        },
        nulls: args.nulls.clone(),
        delimiter: args.delimiter.map(delimiter).transpose()?,
        columns: Some(args.columns.clone()).filter(|names| !names.is_empty()),
        encoding: args.encoding.clone(),
        quote: match args.quote {
            Quoting::Double => Quote::Double,
            Quoting::None => Quote::None,
        },
        accept: args.accept.clone(),
        prior: args.prior.clone(),
        threshold: args.threshold.clone(),
        recursive: args.recursive.clone(),
        require: args.require.clone(),
        resources: args.limits.resources(),
    })
}

/// The byte between two fields of CSV.
fn delimiter(character: char) -> Result<u8, Failure> {
    CsvOptions::delimiter_of(character).ok_or_else(|| {
        let message = format!("--delimiter {character:?} cannot separate fields");
        Failure::usage(message, "name one ASCII character, such as ';'")
    })
}
