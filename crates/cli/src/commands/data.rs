//! `deniable data`. Everything said here depends on private rows, and is for the curator.

use crate::args::output::LedgerFormat;
use crate::args::policy::DataCheck;
use crate::commands::answers::teller;
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use crate::policies::session;
use crate::progress::Progress;
use crate::render;
use crate::render::scan::{Found, LeftOut, Scan, left_out};
use deniable::{Error, Event, Registration};
use deniable_ledger::Registered;
use deniable_release::{AcceptError, Event as Step};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `deniable data check`.
pub fn check(args: &DataCheck) -> Result<(), Failure> {
    let progress = Arc::new(Progress::new());
    let scans = Arc::new(Mutex::new(Vec::new()));
    // What was registered is said first.
    let head = Arc::new(Mutex::new(None));
    let losses = Arc::new(Mutex::new(Vec::new()));
    let (tell, kept, last, lost) = (teller(progress.clone()), scans.clone(), head.clone(), losses.clone());
    let as_json = args.format == LedgerFormat::Json;
    let session = session(&args.place)?.with_resources(args.limits.resources()).telling(move |event| match event {
        Event::Step(Step::Scanned { table, report }) if as_json => {
            held(&kept).push(Scan::new(table, report));
        }
        Event::Step(Step::LeftOut { query, losses }) => match losses {
            Ok(losses) => held(&lost).push(LeftOut::new(query, losses)),
            Err(error) => say(format!("{query}: what its caps leave out could not be worked out: {error}")),
        },
        Event::Head(head) => *held(&last) = Some(head.clone()),
        other => tell(other),
    });
    let accept: Vec<&str> = args.accept.iter().map(String::as_str).collect();
    let result = session.register(&accept).wait();
    progress.done();
    if as_json {
        // Also of what is not registered: that is where the numbers matter most.
        let (tables, queries) = (std::mem::take(&mut *held(&scans)), std::mem::take(&mut *held(&losses)));
        publish(&render::json(&Found { tables, queries })?, None)?;
    }
    let registered = result.map_err(|error| match error {
        Error::Accept(error) => misnamed(&error),
        other => other.into(),
    })?;
    let losses = std::mem::take(&mut *held(&losses));
    if !as_json && !losses.is_empty() {
        say(left_out(&losses).trim_end());
    }
    for Registration { table, version, outcome, .. } in registered {
        say(match outcome {
            Registered::New => format!("registered version \"{version}\" of `{table}`"),
            Registered::Again => {
                format!(
                    "registered version \"{version}\" of `{table}` again: as this policy reads it, and with what is accepted"
                )
            }
            Registered::Same => format!("version \"{version}\" of `{table}` is registered already, with these files"),
        });
    }
    held(&head).iter().for_each(|head| say(format!("ledger head {head}")));
    Ok(())
}

/// What the session's thread has put there.
fn held<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A name after --accept that is no column's.
fn misnamed(error: &AcceptError) -> Failure {
    let help = match error {
        AcceptError::Unknown { nearest: Some(nearest), .. } => {
            format!("did you mean `{nearest}`? Nothing was looked at")
        }
        AcceptError::Unknown { nearest: None, .. } => {
            "name a column that the policy declares, as `column` or `table.column`; nothing was looked at".to_owned()
        }
        AcceptError::Ambiguous { candidates, .. } => format!("say which: {}", candidates.join(", ")),
    };
    Failure::usage(format!("--accept: {error}"), help)
}
