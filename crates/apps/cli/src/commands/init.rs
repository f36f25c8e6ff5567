//! `deniable init`: a draft of a policy. Only names and types of columns are read, never a value.

use crate::args::policy::Init;
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use deniable::draft::{DraftOptions, draft};
use deniable_core::schema::without_credentials;

/// Runs it.
pub fn run(args: &Init) -> Result<(), Failure> {
    let drafted = draft(&DraftOptions {
        data: args.data.clone(),
        connect: args.connect.clone(),
        out: args.out.clone(),
        table: args.table.clone(),
        delimiter: args.delimiter,
        encoding: args.encoding.clone(),
        columns: args.columns.clone(),
        dictionary: args.dictionary.clone(),
    })?;
    drafted.notes.iter().for_each(say);
    match &args.out {
        Some(out) => drafted.write(out)?,
        None => publish(&drafted.text, None)?,
    }
    let data: Vec<_> = args.data.iter().map(|data| data.to_string_lossy()).collect();
    let data: Vec<_> = data.iter().map(|data| without_credentials(data)).collect();
    say(format!("{} columns of {} found; no row was read", drafted.columns, data.join(" and ")));
    let shown = args.out.as_ref().map_or_else(|| "policy.toml".to_owned(), |out| out.display().to_string());
    if args.out.is_none() {
        say("save this as policy.toml in this folder: paths in it are relative to the policy");
    }
    say(format!(
        "next: replace every \"?\" in {shown}, then run `deniable plan {shown}` and `deniable data check {shown}`"
    ));
    Ok(())
}
