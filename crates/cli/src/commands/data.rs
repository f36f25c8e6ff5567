//! `deniable data`. Everything said here depends on private rows, and is for the curator.

use crate::args::output::LedgerFormat;
use crate::args::policy::DataCheck;
use crate::console::say;
use crate::error::Failure;
use crate::ledgers;
use crate::output::publish;
use crate::policies::{locate, plan};
use crate::progress::Progress;
use crate::render;
use crate::render::scan::Scan;
use deniable_ledger::Registered;
use deniable_release::data::Tell;
use deniable_release::{AcceptError, Accepted, Versioned, data};
use deniable_sql::source::check::Report;
use std::cell::RefCell;

/// `deniable data check`.
pub fn check(args: &DataCheck) -> Result<(), Failure> {
    let plan = plan(&args.place)?;
    let accepted = Accepted::named(&args.accept, &plan.policy().tables()).map_err(|error| misnamed(&error))?;
    let tables = locate(&plan)?;
    let mut ledger = ledgers::open(&plan)?;
    let progress = Progress::new();
    let scans = RefCell::new(Vec::new());
    let found = |table: &Versioned, report: &Report| {
        progress.done();
        match args.format {
            LedgerFormat::Table => say(render::scan::table(table, report).trim_end()),
            LedgerFormat::Json => scans.borrow_mut().push(Scan::new(table, report)),
        }
    };
    let rows = |rows| progress.rows("checking the data", rows);
    let result = data::check(&mut ledger, &tables, &accepted, Tell { progress: &rows, found: &found });
    progress.done();
    if args.format == LedgerFormat::Json {
        // Also of what is not registered: that is where the numbers matter most.
        publish(&render::json(&scans.into_inner())?, None)?;
    }
    for (Versioned { source, version, .. }, registered) in tables.iter().zip(result?) {
        let table = &source.table().name;
        say(match registered {
            Registered::New => format!("registered version \"{version}\" of `{table}`"),
            Registered::Again => {
                format!(
                    "registered version \"{version}\" of `{table}` again: as this policy reads it, and with what is accepted"
                )
            }
            Registered::Same => format!("version \"{version}\" of `{table}` is registered already, with these files"),
        });
    }
    say(format!("ledger head {}", ledger.head()));
    Ok(())
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
