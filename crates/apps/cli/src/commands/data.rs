//! `deniable data`. Its output depends on private rows and is for the curator alone.

use crate::args::output::LedgerFormat;
use crate::args::policy::{DataCheck, DataPull};
use crate::commands::answers::teller;
use crate::commands::findings::Findings;
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use crate::policies::{absolute, load, session};
use crate::progress::Progress;
use deniable::ledger::RegistrationOutcome;
use deniable::{
    AcceptError, Error, Event, Permissions, Plan, Registration, RegistrationMode, ScanReport, Session, Step,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `deniable data check`.
pub fn check(args: &DataCheck) -> Result<(), Failure> {
    register(session(&args.place)?, args)
}

/// `deniable data pull`.
pub fn pull(args: &DataPull) -> Result<(), Failure> {
    let policy = load(&args.check.place)?;
    let progress = Progress::new();
    let threads = args.check.limits.resources().threads;
    let reading = |table: &str, rows| progress.rows(&format!("pulling `{table}`"), rows);
    let pulled = deniable::pull::pull(policy, &absolute(&args.to), threads, &reading);
    progress.done();
    let pulled = pulled?;
    for table in &pulled.tables {
        say(table.to_string());
    }
    register(Session::of_plan(Plan::new(pulled.policy)?)?, &args.check)
}

/// Scans all rows and registers their version.
fn register(session: Session, args: &DataCheck) -> Result<(), Failure> {
    let progress = Arc::new(Progress::new());
    // The head is printed last, after the registered versions.
    let head = Arc::new(Mutex::new(None));
    let findings = Findings::default();
    let (tell, last, kept) = (teller(progress.clone()), head.clone(), findings.clone());
    let as_json = args.format == LedgerFormat::Json;
    let allowed = Permissions { other_people: args.other_people, ..RegistrationMode::Stop.into() };
    let session = session.allowing(allowed).with_resources(args.limits.resources()).telling(move |event| match event {
        // As text, the findings about a table are printed at once, those about queries together.
        Event::Step(Step::Scanned { table, report }) if !as_json => {
            tell(event);
            ScanReport::new(table, report).private_values().iter().for_each(|line| say(format!("  {line}")));
        }
        Event::Head(head) => *held(&last) = Some(head.clone()),
        event if kept.add(&event) => {}
        event => tell(event),
    });
    let [accept, accept_loss] =
        [&args.accept, &args.accept_loss].map(|names| names.iter().map(String::as_str).collect::<Vec<&str>>());
    let result = session.accepting_losses(&accept_loss).register(&accept).wait();
    progress.done();
    if as_json {
        // Printed also if the registration failed: the findings explain why.
        publish(&deniable::json(&findings.take()), None)?;
    } else {
        findings.print();
    }
    let registered = result.map_err(|error| match error {
        Error::Accept(error) => misnamed(&error),
        other => other.into(),
    })?;
    for Registration { table, version, outcome, .. } in registered {
        say(match outcome {
            RegistrationOutcome::New => format!("registered version \"{version}\" of `{table}`"),
            RegistrationOutcome::Again => {
                format!(
                    "registered version \"{version}\" of `{table}` again, with this policy's declarations and the \
                    accepted names"
                )
            }
            RegistrationOutcome::Same => {
                format!("version \"{version}\" of `{table}` is already registered with these files")
            }
        });
    }
    held(&head).iter().for_each(|head| say(format!("ledger head {head}")));
    Ok(())
}

/// Locks what the session's thread has stored.
fn held<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The failure of a name after --accept or --accept-loss that matches no column or query, or several columns.
fn misnamed(error: &AcceptError) -> Failure {
    let help = match error {
        AcceptError::Unknown { nearest: Some(nearest), .. } => {
            format!("did you mean `{nearest}`? No data was read")
        }
        AcceptError::Unknown { nearest: None, .. } => {
            "name a column that the policy declares, as `column` or `table.column`; no data was read".to_owned()
        }
        AcceptError::Ambiguous { candidates, .. } => format!("choose one of {}", candidates.join(", ")),
        AcceptError::UnknownQuery { nearest: Some(nearest), .. } => {
            format!("did you mean \"{nearest}\"? No data was read")
        }
        AcceptError::UnknownQuery { nearest: None, known, .. } => {
            format!("its queries are \"{}\"; no data was read", known.join("\", \""))
        }
    };
    let flag = if matches!(error, AcceptError::UnknownQuery { .. }) { "--accept-loss" } else { "--accept" };
    Failure::usage(format!("{flag}: {error}"), help)
}
