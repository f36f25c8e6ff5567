//! `deniable report`: the page about a ledger, or about a ledger in the words of a policy.

use crate::args::policy::{PolicyPlace, Readers, Report as Args};
use crate::error::Failure;
use crate::ledgers;
use crate::output::{publish, writable};
use crate::policies::session;
use deniable::report::of_ledger;
use deniable::{Paper, own_files};
use std::io::IsTerminal;

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.readers.is_none() && args.out.is_none() && std::io::stdout().is_terminal() {
        return Err(Failure::usage(
            "the page is HTML, and standard output is a terminal",
            "add --out report.html, and open that file in a browser",
        ));
    }
    let (text, own) = match (&args.policy, &args.ledger) {
        (Some(policy), ledger) => {
            let session = session(&PolicyPlace { policy: policy.clone(), data: None, ledger: ledger.clone() })?;
            let text = match args.readers {
                None => session.page()?,
                Some(Readers::Method) => session.paper(Paper::MethodNote)?,
                Some(Readers::Ethics) => session.paper(Paper::EthicsStatement)?,
                Some(Readers::Nist800226) => session.paper(Paper::Nist800226)?,
            };
            (text, own_files(session.policy()))
        }
        (None, Some(ledger)) => {
            let path = ledgers::path(ledger)?;
            (of_ledger(&path)?, vec![path, ledger.clone()])
        }
        (None, None) => {
            return Err(Failure::usage("no policy or ledger is named", "name a policy, or a ledger with --ledger"));
        }
    };
    writable(&[("--out", args.out.as_deref())], &own)?;
    publish(&text, args.out.as_ref())
}
