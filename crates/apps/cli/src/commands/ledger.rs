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
use deniable_core::text::shown;
use deniable_core::words::chance;
use deniable_ledger::{AccountError, AccountId, Ledger};
use deniable_report::overview::Overview;

/// Replaces the guarantees of their accounts, of all or of none; returns whether one of them became weaker.
pub fn change_all(ledger: &mut Ledger, guarantees: &[Guarantee], reason: &str) -> Result<bool, Failure> {
    let summary = ledger.summary();
    for guarantee in guarantees {
        let id = AccountId::of(guarantee);
        let Some(account) = summary.accounts.iter().find(|account| account.id == id) else { continue };
        // The same checks as in the change itself, before the first change is made.
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
            // Some of several accounts may have this guarantee already.
            Err(AccountError::NothingChanged) if guarantees.len() > 1 => {}
            Err(error) => return Err(error.into()),
        }
    }
    if changed { Ok(weaker) } else { Err(AccountError::NothingChanged.into()) }
}

/// Runs it.
pub fn run(command: &LedgerCommand) -> Result<(), Failure> {
    match command {
        LedgerCommand::Show { of, all_versions, format } => {
            let summary = deniable_ledger::show(&ledgers::named(of)?)?;
            let text = match format {
                LedgerFormat::Table => render::ledger::table(&summary, *all_versions),
                LedgerFormat::Json => deniable::json(&Overview::new(&summary)),
            };
            publish(&text, None)
        }
        LedgerCommand::Verify { of, head, format } => {
            let verified = deniable_ledger::verify(&ledgers::named(of)?, head.as_deref())?;
            let text = match format {
                LedgerFormat::Table => {
                    let since = if head.is_some() { "; the given head is part of it" } else { "" };
                    let files = match verified.files {
                        0 => String::new(),
                        1 => "1 large answer in its own file, unchanged\n".to_owned(),
                        files => format!("{files} large answers in their own files, all unchanged\n"),
                    };
                    if verified.strays > 0 {
                        say(format!(
                            "{} of the folder of answers to which no entry refers, left by an interrupted run or \
                             copied there. Keep their contents as secret as the data: they were never released",
                            match verified.strays {
                                1 => "1 file".to_owned(),
                                strays => format!("{strays} files"),
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
            let accepted = deniable_ledger::accept_head(&ledgers::named(of)?, head.as_deref(), reason)?;
            let lost = match &accepted.kept {
                Some(kept) if kept.seq > accepted.from.seq => {
                    format!("; at least {} entries after it are lost", kept.seq - accepted.from.seq)
                }
                Some(_) | None => String::new(),
            };
            say(format!(
                "the ledger continues from entry {}{lost}; charges after it are no longer counted",
                accepted.from.seq
            ));
            say(format!("{} open charges are closed; the ledger records the reason", accepted.closed));
            say(format!("ledger head {}", accepted.head));
            Ok(())
        }
        LedgerCommand::Withdraw { of, entry, reason } => {
            let path = ledgers::named(of)?;
            let population = deniable_ledger::show(&path)?.population;
            let mut ledger = ledgers::existing(&path, &population)?;
            let withdrawal = ledger.withdraw(*entry, reason)?;
            let name = ledger.release(*entry).map(|release| shown(&release.query.name)).unwrap_or_default();
            say(format!(
                "the answer \"{name}\" of entry {entry} is withdrawn by entry {}; it stays charged and stored",
                withdrawal.seq
            ));
            say(format!("ledger head {}", ledger.head()));
            Ok(())
        }
        LedgerCommand::ChangePromise { place, reason } => {
            let plan = plan(place)?;
            let mut ledger = ledgers::existing(plan.policy().ledger(), plan.policy().population())?;
            // Association results may have an account of labels on the same terms: one promise holds for all accounts.
            let (own, guarantee) = (plan.account(), plan.policy().guarantee());
            let others = ledger.summary().accounts.into_iter().map(|account| account.id);
            let others =
                others.filter(|id| id.universe == own.universe && id.kind != own.kind && id.adjacency == own.adjacency);
            let all: Vec<_> = others.map(|id| guarantee.about(id.kind)).chain([guarantee.clone()]).collect();
            let weaker = change_all(&mut ledger, &all, reason)?;
            let limit = plan.policy().guarantee().limit();
            let way = if weaker { "weaker" } else { "not weaker" };
            say(format!(
                "the promise is now an odds ratio of {}, {way} than before; the ledger records the reason",
                limit.with_epsilon()
            ));
            if let Some(but_for) = plan.policy().guarantee().but_for_a_chance() {
                say(format!(
                    "but for {}, it is an odds ratio of {}",
                    chance(but_for.chance()),
                    but_for.limit().with_epsilon()
                ));
            }
            say(format!("ledger head {}", ledger.head()));
            Ok(())
        }
    }
}
