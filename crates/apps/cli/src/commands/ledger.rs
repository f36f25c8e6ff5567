//! `deniable ledger`.

use crate::args::output::LedgerFormat;
use crate::args::policy::LedgerCommand;
use crate::console::say;
use crate::error::Failure;
use crate::ledgers;
use crate::output::publish;
use crate::policies::{load, plan};
use deniable::ledger::{accept_head, change_promise, fix_sizes, overview, verify, withdraw};

/// Runs it.
pub fn run(command: &LedgerCommand) -> Result<(), Failure> {
    match command {
        LedgerCommand::Show { of, all_versions, format } => {
            let overview = overview(&ledgers::named(of)?)?;
            let text = match format {
                LedgerFormat::Table if *all_versions => format!("{overview:#}"),
                LedgerFormat::Table => overview.to_string(),
                LedgerFormat::Json => deniable::json(&overview),
            };
            publish(&text, None)
        }
        LedgerCommand::Verify { of, head, format } => {
            let verified = verify(&ledgers::named(of)?, head.as_deref())?;
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
            let accepted = accept_head(&ledgers::named(of)?, head.as_deref(), reason)?;
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
            let withdrawn = withdraw(&ledgers::named(of)?, *entry, reason)?;
            say(withdrawn.to_string());
            say(format!("ledger head {}", withdrawn.head));
            Ok(())
        }
        LedgerCommand::FixSizes { place, sizes } => {
            let fixed = fix_sizes(&load(place)?, sizes)?;
            say(fixed.to_string());
            say(format!("ledger head {}", fixed.head));
            Ok(())
        }
        LedgerCommand::ChangePromise { place, reason } => {
            let change = change_promise(plan(place)?.policy(), reason)?;
            say(change.to_string());
            say(format!("ledger head {}", change.head));
            Ok(())
        }
    }
}
