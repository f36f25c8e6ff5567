//! `deniable report`: the page on a ledger, or on a ledger as a policy says it.

use crate::args::policy::{PolicyPlace, Report as Args};
use crate::error::Failure;
use crate::ledgers;
use crate::output::{publish, writable};
use crate::policies::{own_files, plan};
use deniable_ledger::Summary;
use deniable_release::{Plan, remembered, stored};
use deniable_report::{Chosen, Report};
use std::io::IsTerminal;

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.out.is_none() && std::io::stdout().is_terminal() {
        return Err(Failure::usage(
            "a page is not for reading in a terminal",
            "add --out report.html, and open that file in a browser",
        ));
    }
    let (html, own) = match (&args.policy, &args.ledger) {
        (Some(policy), ledger) => {
            let plan = plan(&PolicyPlace { policy: policy.clone(), data: None, ledger: ledger.clone() })?;
            let own = own_files(&plan);
            (page(&plan, &deniable_ledger::show(plan.policy().ledger())?)?, own)
        }
        (None, Some(ledger)) => {
            let path = ledgers::path(ledger)?;
            (Report::of_ledger(&deniable_ledger::show(&path)?)?.html(), vec![path, ledger.clone()])
        }
        (None, None) => {
            return Err(Failure::usage(
                "nothing says what the page is about",
                "name a policy, or a ledger with --ledger",
            ));
        }
    };
    writable(&[("--out", args.out.as_deref())], &own)?;
    publish(&html, args.out.as_ref())
}

/// The page on a plan's ledger: its own answers first, as the policy shows them, and in the policy's words.
pub fn page(plan: &Plan, summary: &Summary) -> Result<String, Failure> {
    let answers = stored(plan, summary)?;
    let chosen = plan.asks().iter().zip(&answers).filter_map(|(ask, answer)| {
        let shown = remembered(plan, ask, answer.as_ref()?);
        Some(Chosen { identity: ask.for_ledger(plan.policy()).identity, shown })
    });
    let chosen: Vec<Chosen> = chosen.collect();
    Ok(Report::of_policy(summary, plan.policy().guarantee(), &chosen)?.html())
}
