//! `deniable recheck`: whether a certificate is right, by code that shares nothing with the search.

use crate::args::check::Recheck as Args;
use crate::args::output::LedgerFormat;
use crate::error::Failure;
use crate::exit::Exit;
use crate::output::publish;
use crate::render;
use deniable_recheck::{LIMIT, UpperCheck, recheck, time};
use serde::Serialize;

#[derive(Serialize)]
struct RecheckReport {
    witness: &'static str,
    upper_bound: String,
}

/// Runs it.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let name = args.certificate.display();
    let text = std::fs::read_to_string(&args.certificate).map_err(|error| {
        Failure::refused(
            format!("{name} cannot be read: {error}"),
            "`deniable check ... --certificate FILE` writes one",
        )
    })?;
    let report = recheck(&text, LIMIT)
        .map_err(|error| Failure::refused(format!("{name}: {error}"), "the certificate proves nothing"))?;
    let (witness, upper_bound, code) = match report.upper {
        UpperCheck::Holds => ("right", "right: nothing is worse".to_owned(), Exit::Done),
        UpperCheck::Vacuous => {
            ("none needed", "right: there is nothing to compare, the claim is vacuous".to_owned(), Exit::Done)
        }
        UpperCheck::TooMany(steps) => {
            let bound = format!("not re-checked: that would take about {}", time(steps));
            ("right", bound, Exit::Unchecked)
        }
    };
    let shown = RecheckReport { witness, upper_bound };
    let text = match args.format {
        LedgerFormat::Table => format!("witness: {}\nupper bound: {}\n", shown.witness, shown.upper_bound),
        LedgerFormat::Json => render::json(&shown)?,
    };
    publish(&text, None)?;
    Ok(code)
}
