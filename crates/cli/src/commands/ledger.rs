//! `deniable ledger`.

use crate::args::output::LedgerFormat;
use crate::args::policy::LedgerCommand;
use crate::console::say;
use crate::error::Failure;
use crate::ledgers;
use crate::output::publish;
use crate::policies::plan;
use crate::render;
use deniable_ledger::{AccountError, AccountId, Ledger, Terms};
use deniable_report::overview::Overview;

/// Changes the terms of all these accounts, or of none where one of them does not admit it; says whether that is weaker.
pub fn change_all(ledger: &mut Ledger, accounts: &[AccountId], terms: &Terms, reason: &str) -> Result<bool, Failure> {
    let summary = ledger.summary();
    let known = summary.accounts.iter().filter(|account| accounts.contains(&account.id));
    for account in known {
        // The same refusal as that of the change itself, but before any is made.
        if !account.spent.fits(&terms.limit).map_err(AccountError::from)? {
            let (spent, limit) = (account.spent.clone(), terms.limit.clone());
            return Err(AccountError::BelowSpent { spent, limit }.into());
        }
    }
    let mut weaker = false;
    let mut changed = false;
    for id in accounts {
        match ledger.change_promise(id, terms, reason) {
            Ok(is_weaker) => (weaker, changed) = (weaker || is_weaker, true),
            // One of several may have these terms already.
            Err(AccountError::NothingChanged) if accounts.len() > 1 => {}
            Err(error) => return Err(error.into()),
        }
    }
    if changed { Ok(weaker) } else { Err(AccountError::NothingChanged.into()) }
}

/// Runs it.
pub fn run(command: &LedgerCommand) -> Result<(), Failure> {
    match command {
        LedgerCommand::Show { path, format } => {
            let summary = deniable_ledger::show(&ledgers::path(path)?)?;
            let text = match format {
                LedgerFormat::Table => render::ledger::table(&summary),
                LedgerFormat::Json => render::json(&Overview::new(&summary))?,
            };
            publish(&text, None)
        }
        LedgerCommand::Verify { path, head, format } => {
            let verified = deniable_ledger::verify(&ledgers::path(path)?, head.as_deref())?;
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
            let mut ledger = ledgers::open(&plan)?;
            // Association results may have an account of labels on the same terms: one promise is in force for everyone.
            let (own, universe) = (plan.account(), &plan.policy.population);
            let others = ledger.summary().accounts.into_iter().map(|account| account.id);
            let others =
                others.filter(|id| id.universe == *universe && id.kind != own.kind && id.adjacency == own.adjacency);
            let accounts: Vec<AccountId> = others.chain([own.clone()]).collect();
            let weaker = change_all(&mut ledger, &accounts, &plan.terms(), reason)?;
            let limit = &plan.policy.limit;
            let way = if weaker { "weaker" } else { "not weaker" };
            say(format!("the promise is now an odds ratio of {limit} ({way} than before); the reason is kept"));
            say(format!("ledger head {}", ledger.head()));
            Ok(())
        }
    }
}
