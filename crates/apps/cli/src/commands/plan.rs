//! `deniable plan`: costs and expected errors of answers. The output depends only on the policy and the ledger's public
//! sums, so it may be published.

use crate::args::output::LedgerFormat;
use crate::args::policy::Plan as Args;
use crate::commands::{least, sweep};
use crate::error::Failure;
use crate::output::publish;
use crate::policies::{choose, load, plan};
use crate::render;
use deniable::{PlanReport, Session};

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
        let shown = least::LeastReport::new(&load(&args.place)?)?;
        let text = match args.format {
            LedgerFormat::Table => least::table(&shown),
            LedgerFormat::Json => deniable::json(&shown),
        };
        return publish(&text, None);
    }
    let text = match &args.sweep {
        Some(text) => {
            let sweep = sweep::Sweep::parse(text)?;
            let shown = sweep.over(&load(&args.place)?, &args.query)?;
            match args.format {
                LedgerFormat::Table => render::sweep::table(&shown),
                LedgerFormat::Json => deniable::json(&shown),
            }
        }
        None => {
            let mut plan = plan(&args.place)?;
            choose(&mut plan, &args.query)?;
            let session = Session::of_plan(plan)?;
            let shown = PlanReport::new(&session.plan_with_earlier()?, session.account()?.as_ref());
            match args.format {
                LedgerFormat::Table if args.sql => statements(&shown)?,
                LedgerFormat::Table => shown.to_string(),
                LedgerFormat::Json => deniable::json(&shown),
            }
        }
    };
    publish(&text, None)
}
