//! `deniable release`.

use crate::args::output::Format;
use crate::args::policy::Release;
use crate::commands::answers::{doubts, obtain, written};
use crate::error::Failure;
use crate::output::{publish, publish_page, writable};
use crate::policies::{choose, locate, own_files, plan};
use deniable::Session;
use deniable_policy::QuerySubject;

/// Runs it.
pub fn run(args: &Release) -> Result<(), Failure> {
    let mut plan = plan(&args.place)?;
    choose(&mut plan, &args.query)?;
    // What is said about a query's caps comes with its answer.
    let own = plan
        .queries()
        .iter()
        .filter(|ask| ask.declared().about == QuerySubject::Cells)
        .map(|ask| ask.declared().name.as_str());
    let names: Vec<&str> = own.collect();
    if args.format == Format::Csv && names.len() > 1 {
        let help = format!("choose one with --query: \"{}\"", names.join("\", \""));
        return Err(Failure::usage("CSV holds one table, and this policy has several queries", help));
    }
    if args.place.data.is_some() {
        // Stored answers need no data; a mistyped path is a mistake all the same.
        locate(&plan)?;
    }
    writable(&[("--out", args.out.as_deref()), ("--report", args.report.as_deref())], &own_files(&plan))?;
    doubts(&plan);
    let session = Session::of_plan(plan)?;
    let (publication, failed) = obtain(session.clone(), &args.limits, args.registration)?;
    if !publication.answers.is_empty() {
        publish(&written(&publication, args.format)?, args.out.as_ref())?;
    }
    if let Some(report) = &args.report {
        publish_page(&session.page()?, report)?;
    }
    failed.map_or(Ok(()), Err)
}
