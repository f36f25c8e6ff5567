//! `deniable plan`: costs and expected errors of answers. The output depends only on the policy and the ledger's public
//! sums, so it may be published.

use crate::args::output::LedgerFormat;
use crate::args::policy::Plan as Args;
use crate::error::Failure;
use crate::output::{publish, publish_report};
use crate::policies::{choose, load, plan};
use deniable::sweep::{Range, sweep};
use deniable::{PlanReport, Session, least_promise};

/// The SQL that is sent to engines. Fails if there is none.
fn statements(shown: &PlanReport) -> Result<String, Failure> {
    let text = shown.statements();
    if text.is_empty() {
        let help = "leave --sql out: rows of files and of PostgreSQL are read by deniable; tables of an engine have `engine = \
            \"spark\"`";
        return Err(Failure::refused("none of these queries uses an engine", help));
    }
    Ok(text)
}

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.least_promise {
        return publish_report(&least_promise(&load(&args.place)?)?, args.format);
    }
    if let Some(text) = &args.sweep {
        let range: Range = text.parse()?;
        let queries: Vec<&str> = args.query.iter().map(String::as_str).collect();
        return publish_report(&sweep(&load(&args.place)?, &range, &queries)?, args.format);
    }
    let mut plan = plan(&args.place)?;
    choose(&mut plan, &args.query)?;
    let session = Session::of_plan(plan)?;
    let report = PlanReport::new(&session.plan_with_earlier()?, session.account()?.as_ref());
    match args.format {
        LedgerFormat::Table if args.sql => publish(&statements(&report)?, None),
        format => publish_report(&report, format),
    }
}
