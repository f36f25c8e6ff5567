//! `deniable report`: the page on a ledger, or on the stored answers of a policy.

use super::{ledger_path, plan, publish};
use crate::args::{PolicyPlace, Report as Args};
use crate::error::{Complaint, Failure};
use deniable_ledger::Summary;
use deniable_release::{Answered, Plan, PlannedAsk, remembered, stored};
use deniable_report::{Chosen, Report};
use std::io::IsTerminal;

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.out.is_none() && std::io::stdout().is_terminal() {
        let complaint = Complaint::new("a page is not for reading in a terminal");
        return Err(Failure::Usage(complaint.help("add --out report.html, and open that file in a browser")));
    }
    let html = match (&args.policy, &args.ledger) {
        (Some(policy), ledger) => {
            of_policy(&PolicyPlace { policy: policy.clone(), data: None, ledger: ledger.clone() })?
        }
        (None, Some(ledger)) => Report::of_ledger(&deniable_ledger::show(&ledger_path(ledger)?)?)?.html(),
        (None, None) => {
            let complaint = Complaint::new("nothing says what the page is about");
            return Err(Failure::Usage(complaint.help("name a policy, or a ledger with --ledger")));
        }
    };
    publish(&html, args.out.as_ref())
}

/// The page on the answers of a policy that are stored.
fn of_policy(place: &PolicyPlace) -> Result<String, Failure> {
    let plan = plan(place)?;
    let summary = deniable_ledger::show(&plan.policy.ledger)?;
    let answers = stored(&plan, &summary)?;
    let answered: Vec<(&PlannedAsk, Answered)> =
        plan.asks.iter().zip(answers).filter_map(|(ask, answer)| answer.map(|answer| (ask, answer))).collect();
    if answered.is_empty() {
        let help = "`deniable release` answers its asks; `deniable report --ledger` shows what other policies released";
        return Err(Failure::refused("no answer of this policy is in its ledger".to_owned(), help));
    }
    page(&plan, &summary, answered.iter().map(|(ask, answer)| (*ask, answer)))
}

/// The page on these answers of a plan.
pub fn page<'a>(
    plan: &Plan,
    summary: &Summary,
    answers: impl Iterator<Item = (&'a PlannedAsk, &'a Answered)>,
) -> Result<String, Failure> {
    let chosen = |(ask, answer): (&PlannedAsk, &Answered)| Chosen {
        identity: ask.for_ledger(&plan.policy).identity,
        shown: remembered(plan, ask, answer),
    };
    Ok(Report::of_answers(summary, &answers.map(chosen).collect::<Vec<_>>())?.html())
}
