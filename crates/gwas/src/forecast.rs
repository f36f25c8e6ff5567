//! What a request costs, and how far its answers may be off: from what is public alone. Nothing is charged.

use crate::cohort::Cohort;
use crate::payment::payment;
use crate::promised::Promised;
use crate::release::{Event, GwasError, Means, Run};
use crate::request::{Part, Request, Snps};
use deniable_core::exact::{Rounding, decimal};
use deniable_ledger::Account;
use deniable_publication::Noise;
use std::fmt::Write;

/// The releases of a request, each with its price and its noise, as text.
///
/// # Errors
/// What a release itself would be refused for, before it is charged.
pub fn forecast(
    means: &Means<'_>,
    promised: &Promised,
    request: &Request,
    accounts: &[Account],
) -> Result<String, GwasError> {
    let promised = &promised.within(accounts);
    let payment = payment(accounts, promised, request.protects, &request.each())?;
    let tell = |snps| (means.tell)(Event::Reading(snps));
    // Nothing is compared with what was registered: how many people and SNPs there are is all that is used.
    let cohort = Cohort::read(means.files, request.fill, [0; 32], means.threads, &tell)?;
    let run = Run { means, promised, request, payment, cohort: Some(cohort) };
    run.check_together(accounts)?;
    let confidence = crate::answer::shown(&promised.confidence);
    let names = match &request.snps {
        Snps::Named(names) => names.clone(),
        Snps::Top { .. } => vec![],
    };
    // Writing to a string does not fail.
    let mut text = format!("{}\n", request.protects.sentence());
    for part in request.parts() {
        run.refuse_early(part, &names)?;
        let (snps, noise) = noise(&run, part)?;
        let _ = writeln!(text, "{}", request.name(part, snps));
        for (account, cost) in run.payment.charges() {
            let about = decimal(&cost.odds_at_most(), 4, Rounding::Up);
            let _ = writeln!(text, "  costs {account} an odds ratio of {cost} (at most {about})");
        }
        let _ = writeln!(text, "  noise: {}", noise.sentence(&confidence));
    }
    let _ = writeln!(text, "in all the promise allows an odds ratio of {}; nothing was charged", promised.limit);
    Ok(text)
}

/// How many SNPs a release is about, and its noise.
fn noise(run: &Run<'_>, part: Part) -> Result<(usize, Noise), GwasError> {
    let empty = Cohort::default();
    let cohort = run.cohort.as_ref().unwrap_or(&empty);
    match (&run.request.snps, part) {
        (Snps::Top { picks, score }, Part::Picks) => Ok((*picks, run.pick_noise(cohort, *picks, score)?)),
        (snps, _) => {
            let many = match snps {
                Snps::Top { picks, .. } => *picks,
                Snps::Named(names) => names.len(),
            };
            let people = cohort.tables.first().ok_or(deniable_genome::noisy::NoisyError::Nothing)?;
            Ok((many, run.value_noise(part, people, many)?))
        }
    }
}
