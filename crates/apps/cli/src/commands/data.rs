//! `deniable data`. Its output depends on private rows and is for the curator alone.

use crate::args::output::LedgerFormat;
use crate::args::policy::{DataCheck, DataPull};
use crate::commands::answers::teller;
use crate::commands::losses::LossReports;
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use crate::policies::{absolute, load, session};
use crate::progress::Progress;
use crate::render::scan::DataReport;
use deniable::{Error, Event, Permissions, Registration, RegistrationMode, ScanReport, Session};
use deniable_core::schema::{DeclaredTable, Format, TableSchema};
use deniable_data::Connections;
use deniable_data::Source;
use deniable_ledger::RegistrationOutcome;
use deniable_release::{AcceptError, Event as Step, Plan};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `deniable data check`.
pub fn check(args: &DataCheck) -> Result<(), Failure> {
    register(session(&args.place)?, args)
}

/// `deniable data pull`.
pub fn pull(args: &DataPull) -> Result<(), Failure> {
    let mut policy = load(&args.check.place)?;
    let resources = args.check.limits.resources();
    let tables = policy.tables();
    let stored = |table: &&DeclaredTable| matches!(table.data.format, Format::Postgres { .. });
    let stored: Vec<&DeclaredTable> = tables.iter().filter(stored).collect();
    if stored.is_empty() {
        let help = "use `deniable data check` for files; a table of a database has `format = \"postgres\"`; rows of an \
                    engine are exported to Parquet with the engine's own tools";
        return Err(Failure::refused("no table of this policy is in a database", help));
    }
    let files: Vec<PathBuf> =
        stored.iter().map(|table| absolute(&args.to.join(format!("{}.parquet", table.data.table)))).collect();
    if let Some(file) = files.iter().find(|file| file.exists()) {
        let help = "name another folder with --to: the file may belong to a registered version";
        return Err(Failure::refused(format!("{} exists already", file.display()), help));
    }
    let unmade = |error: std::io::Error| {
        Failure::refused(
            format!("the folder {} cannot be created: {error}", args.to.display()),
            "name a folder that you may write to",
        )
    };
    std::fs::create_dir_all(&args.to).map_err(unmade)?;
    let progress = Progress::new();
    let mut connections = Connections::default();
    let mut sources = Vec::new();
    // All tables are located before the first is pulled, and all reads share one snapshot.
    for table in &stored {
        let schema = TableSchema::protected(&table.data.table, table.columns.clone(), None);
        sources.push(Source::locate_with(schema, &table.data, policy.folder(), &mut connections)?);
    }
    for ((table, source), file) in stored.iter().zip(sources).zip(files) {
        let name = &table.data.table;
        let what = format!("pulling `{name}`");
        let rows = source.pull(&file, resources.threads, &|rows| progress.rows(&what, rows))?;
        progress.done();
        let path = file.to_string_lossy().into_owned();
        say(format!("pulled {rows} rows of `{name}` into {}", file.display()));
        let section =
            if table.data.table == policy.data().table { "data".to_owned() } else { format!("tables.{name}") };
        let keys = "format, relation and connect";
        say(format!("to answer from this file, write `path = \"{path}\"` under [{section}] in place of {keys}"));
        // A path that ends in `.parquet` is accepted for a table of a database.
        policy = policy
            .with_table_at(name, path)
            .map_err(|_| Failure::refused("the file is not Parquet", "name another folder"))?;
    }
    register(Session::of_plan(Plan::new(policy)?)?, &args.check)
}

/// Scans all rows and registers their version.
fn register(session: Session, args: &DataCheck) -> Result<(), Failure> {
    let progress = Arc::new(Progress::new());
    let scans = Arc::new(Mutex::new(Vec::new()));
    // The head is printed last, after the registered versions.
    let head = Arc::new(Mutex::new(None));
    let losses = LossReports::default();
    let (tell, kept, last, lost) = (teller(progress.clone()), scans.clone(), head.clone(), losses.clone());
    let as_json = args.format == LedgerFormat::Json;
    let allowed = Permissions { other_people: args.other_people, ..RegistrationMode::Stop.into() };
    let session = session.allowing(allowed).with_resources(args.limits.resources()).telling(move |event| match event {
        Event::Step(Step::Scanned { table, report }) => {
            let found = ScanReport::new(table, report);
            if as_json {
                held(&kept).push(found);
            } else {
                tell(event);
                found.private_values().iter().for_each(|line| say(format!("  {line}")));
            }
        }
        Event::Head(head) => *held(&last) = Some(head.clone()),
        other if lost.store(&other) => {}
        other => tell(other),
    });
    let [accept, accept_loss] =
        [&args.accept, &args.accept_loss].map(|names| names.iter().map(String::as_str).collect::<Vec<&str>>());
    let result = session.accepting_losses(&accept_loss).register(&accept).wait();
    progress.done();
    if as_json {
        // Printed also if the registration failed: the findings explain why.
        let tables = std::mem::take(&mut *held(&scans));
        let (queries, true_errors) = losses.take();
        publish(&deniable::json(&DataReport { tables, queries, true_errors }), None)?;
    } else {
        losses.print();
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
