//! `deniable ledger`.

use crate::args::output::LedgerFormat;
use crate::args::policy::LedgerCommand;
use crate::console::say;
use crate::error::Failure;
use crate::ledgers;
use crate::output::publish;
use crate::policies::plan;
use crate::render;
use deniable_core::guarantee::Guarantee;
use deniable_ledger::{AccountError, AccountId, Ledger};
use deniable_report::overview::Overview;

/// Makes all of these the guarantees of their accounts, or none where one account does not admit it; says whether that is weaker.
pub fn change_all(ledger: &mut Ledger, guarantees: &[Guarantee], reason: &str) -> Result<bool, Failure> {
    let summary = ledger.summary();
    for guarantee in guarantees {
        let id = AccountId::of(guarantee);
        let Some(account) = summary.accounts.iter().find(|account| account.id == id) else { continue };
        // The same refusals as those of the change itself, but before any is made.
        if !account.spent.fits(guarantee.limit()).map_err(AccountError::from)? {
            let (spent, limit) = (account.spent.clone(), guarantee.limit().clone());
            return Err(AccountError::BelowSpent { spent, limit }.into());
        }
        let (recorded, asked) = (account.guarantee.group(), guarantee.group());
        if asked > recorded && !account.spent.is_nothing() {
            return Err(AccountError::GroupGrew { recorded, asked }.into());
        }
    }
    let mut weaker = false;
    let mut changed = false;
    for guarantee in guarantees {
        match ledger.change_promise(guarantee, reason) {
            Ok(is_weaker) => (weaker, changed) = (weaker || is_weaker, true),
            // One of several may have this guarantee already.
            Err(AccountError::NothingChanged) if guarantees.len() > 1 => {}
            Err(error) => return Err(error.into()),
        }
    }
    if changed { Ok(weaker) } else { Err(AccountError::NothingChanged.into()) }
}

/// Runs it.
pub fn run(command: &LedgerCommand) -> Result<(), Failure> {
    match command {
        LedgerCommand::Show { of, format } => {
            let summary = deniable_ledger::show(&ledgers::of(of)?)?;
            let text = match format {
                LedgerFormat::Table => render::ledger::table(&summary),
                LedgerFormat::Json => deniable::json(&Overview::new(&summary)),
            };
            publish(&text, None)
        }
        LedgerCommand::Verify { of, head, format } => {
            let verified = deniable_ledger::verify(&ledgers::of(of)?, head.as_deref())?;
            let text = match format {
                LedgerFormat::Table => {
                    let since = if head.is_some() { "; the given head is part of it" } else { "" };
                    let files = match verified.files {
                        0 => String::new(),
                        1 => "1 large answer in a file of its own, as it was stored\n".to_owned(),
                        files => format!("{files} large answers in files of their own, all as they were stored\n"),
                    };
                    if verified.strays > 0 {
                        say(format!(
                            "{} in the folder of answers that no entry names: left by a run that was cut off, or copied there. \
                             Keep what is in it as secret as the data: it was never released",
                            if verified.strays == 1 {
                                "there is 1 file".to_owned()
                            } else {
                                format!("there are {} files", verified.strays)
                            }
                        ));
                    }
                    format!("{} entries, chain unbroken{since}\n{files}head {}\n", verified.entries, verified.head)
                }
                LedgerFormat::Json => deniable::json(&serde_json::json!({
                    "entries": verified.entries,
                    "answer_files": verified.files,
                    "stray_files": verified.strays,
                    "head": verified.head.to_string(),
                    "given_head_found": head.as_ref().map(|_| true),
                })),
            };
            publish(&text, None)
        }
        LedgerCommand::AcceptHead { of, head, reason } => {
            let accepted = deniable_ledger::accept_head(&ledgers::of(of)?, head.as_deref(), reason)?;
            let lost = match &accepted.kept {
                Some(kept) if kept.seq > accepted.from.seq => {
                    format!("; at least {} entries after it are lost", kept.seq - accepted.from.seq)
                }
                Some(_) | None => String::new(),
            };
            say(format!(
                "the ledger goes on from entry {}{lost}. What they charged is not counted any more",
                accepted.from.seq
            ));
            say(format!("{} open charges are closed; the reason is kept", accepted.closed));
            say(format!("ledger head {}", accepted.head));
            Ok(())
        }
        LedgerCommand::ChangePromise { place, reason } => {
            let plan = plan(place)?;
            let mut ledger = ledgers::existing(plan.policy().ledger(), plan.policy().population())?;
            // Association results may have an account of labels on the same terms: one promise is in force for everyone.
            let (own, guarantee) = (plan.account(), plan.policy().guarantee());
            let others = ledger.summary().accounts.into_iter().map(|account| account.id);
            let others =
                others.filter(|id| id.universe == own.universe && id.kind != own.kind && id.adjacency == own.adjacency);
            let all: Vec<_> = others.map(|id| guarantee.about(id.kind)).chain([guarantee.clone()]).collect();
            let weaker = change_all(&mut ledger, &all, reason)?;
            let limit = plan.policy().guarantee().limit();
            let way = if weaker { "weaker" } else { "not weaker" };
            say(format!(
                "the promise is now an odds ratio of {}, {way} than before; the reason is kept",
                limit.with_epsilon()
            ));
            say(format!("ledger head {}", ledger.head()));
            Ok(())
        }
    }
}
