//! `deniable ledger`.

use super::{ledger_path, open_ledger, plan, publish, say};
use crate::args::{LedgerCommand, LedgerFormat};
use crate::error::Failure;
use crate::render;
use deniable_report::overview::Overview;

/// Runs it.
pub fn run(command: &LedgerCommand) -> Result<(), Failure> {
    match command {
        LedgerCommand::Show { path, format } => {
            let summary = deniable_ledger::show(&ledger_path(path)?)?;
            let text = match format {
                LedgerFormat::Table => render::ledger::table(&summary),
                LedgerFormat::Json => render::json(&Overview::new(&summary))?,
            };
            publish(&text, None)
        }
        LedgerCommand::Verify { path, head, format } => {
            let verified = deniable_ledger::verify(&ledger_path(path)?, head.as_deref())?;
            let text = match format {
                LedgerFormat::Table => {
                    let since = if head.is_some() { "; the given head is part of it" } else { "" };
                    format!("{} entries, chain unbroken{since}\nhead {}\n", verified.entries, verified.head)
                }
                LedgerFormat::Json => render::json(&serde_json::json!({
                    "entries": verified.entries,
                    "head": verified.head.to_string(),
                    "given_head_found": head.as_ref().map(|_| true),
                }))?,
            };
            publish(&text, None)
        }
        LedgerCommand::ChangePromise { place, reason } => {
            let plan = plan(place)?;
            let mut ledger = open_ledger(&plan)?;
            let weaker = ledger.change_promise(&plan.account(), &plan.terms(), reason)?;
            let limit = &plan.policy.limit;
            let way = if weaker { "weaker" } else { "not weaker" };
            say(format!("the promise is now an odds ratio of {limit} ({way} than before); the reason is kept"));
            say(format!("ledger head {}", ledger.head()));
            Ok(())
        }
    }
}
