//! `deniable report`: the page about a ledger, or about a ledger in the words of a policy.

use crate::args::policy::{PolicyPlace, Report as Args};
use crate::error::Failure;
use crate::ledgers;
use crate::output::{publish, writable};
use crate::policies::{own_files, session};
use deniable_report::Report;
use std::io::IsTerminal;

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.out.is_none() && std::io::stdout().is_terminal() {
        return Err(Failure::usage(
            "the page is HTML, and standard output is a terminal",
            "add --out report.html, and open that file in a browser",
        ));
    }
    let (html, own) = match (&args.policy, &args.ledger) {
        (Some(policy), ledger) => {
            let session = session(&PolicyPlace { policy: policy.clone(), data: None, ledger: ledger.clone() })?;
            (session.page()?, own_files(session.policy()))
        }
        (None, Some(ledger)) => {
            let path = ledgers::path(ledger)?;
            (Report::of_ledger(&deniable_ledger::show(&path)?)?.html(), vec![path, ledger.clone()])
        }
        (None, None) => {
            return Err(Failure::usage("no policy or ledger is named", "name a policy, or a ledger with --ledger"));
        }
    };
    writable(&[("--out", args.out.as_deref())], &own)?;
    publish(&html, args.out.as_ref())
}
