//! `deniable data`. Everything said here depends on private rows and goes to standard error.

use super::{locate, open_ledger, plan, say};
use crate::args::PolicyPlace;
use crate::error::Failure;
use crate::progress::Progress;
use deniable_ledger::Registered;
use deniable_release::data;
use deniable_sql::source::check::Report;

/// `deniable data check`.
pub fn check(place: &PolicyPlace) -> Result<(), Failure> {
    let plan = plan(place)?;
    let source = locate(&plan)?;
    let mut ledger = open_ledger(&plan)?;
    let progress = Progress::new();
    let result =
        data::check(&mut ledger, &source, &plan.policy.data.version, &|rows| progress.rows("checking the data", rows));
    progress.done();
    let (report, registered) = result?;
    say_report(&report);
    let (table, version) = (&plan.policy.data.table, &plan.policy.data.version);
    say(match registered {
        Registered::New => format!("registered version \"{version}\" of `{table}`"),
        Registered::Same => format!("version \"{version}\" of `{table}` is registered already, with these files"),
    });
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
