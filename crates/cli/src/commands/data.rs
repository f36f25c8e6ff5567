//! `deniable data`. Everything said here depends on private rows and goes to standard error.

use super::{locate, open_ledger, plan, say};
use crate::args::policy::PolicyPlace;
use crate::error::Failure;
use crate::progress::Progress;
use deniable_ledger::Registered;
use deniable_release::{Versioned, data};
use deniable_sql::source::check::Report;

/// `deniable data check`.
pub fn check(place: &PolicyPlace) -> Result<(), Failure> {
    let plan = plan(place)?;
    let tables = locate(&plan)?;
    let mut ledger = open_ledger(&plan)?;
    for Versioned { source, version } in &tables {
        let progress = Progress::new();
        let result = data::check(&mut ledger, source, version, &|rows| progress.rows("checking the data", rows));
        progress.done();
        let (report, registered) = result?;
        let table = &source.table().name;
        if tables.len() > 1 {
            say(format!("{table}:"));
        }
        say_report(&report);
        say(match registered {
            Registered::New => format!("registered version \"{version}\" of `{table}`"),
            Registered::Same => format!("version \"{version}\" of `{table}` is registered already, with these files"),
        });
    }
    say(format!("ledger head {}", ledger.head()));
    Ok(())
}

/// What a scan found, for the curator.
pub fn say_report(report: &Report) {
    let entities = report.entities.map_or_else(String::new, |entities| format!(" of {entities} entities"));
    say(format!("{} rows{entities} checked", report.rows));
    for note in &report.notes {
        say(format!("  {note}"));
    }
}
