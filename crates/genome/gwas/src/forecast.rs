//! What a request costs, and how far its answers may be off: from what is public alone. Nothing is charged.

use crate::cohort::Cohort;
use crate::error::GwasError;
use crate::payment::payment;
use crate::promise::CohortPromise;
use crate::release::{Event, Means, Run};
use crate::request::Query;
use deniable_ledger::Summary;
use std::fmt::Write;

/// The releases of a request, each with its price and its noise, as text.
///
/// # Errors
/// What a release itself would be refused for, before it is charged.
pub fn forecast(
    means: &Means<'_>,
    promised: &CohortPromise,
    request: &Query,
    summary: &Summary,
) -> Result<String, GwasError> {
    let accounts = &summary.accounts;
    let promised = &promised.within(accounts)?;
    let payment = payment(accounts, promised, request.protects, &request.each())?;
    let tell = |snps| (means.tell)(Event::Reading(snps));
    // Nothing is compared with what was registered: how many people and SNPs there are is all that is used.
    let cohort = Cohort::read(means.files.open()?, request.fill, [0; 32], means.threads, &tell)?;
    let mut run = Run::new(means, promised, request, payment);
    run.take(cohort)?;
    let stored = deniable_protocol::stored(&run, summary)?;
    let unanswered: Vec<_> =
        request.parts().into_iter().zip(&stored).filter(|(_, stored)| stored.is_none()).map(|(part, _)| part).collect();
    run.check(&unanswered)?;
    deniable_protocol::fits(&run, summary)?;
    let confidence = crate::answer::shown(promised.confidence());
    // Writing to a string does not fail.
    let mut text = format!("{}\n", request.protects.sentence());
    for part in request.parts() {
        let _ = writeln!(text, "{}", request.name(part, run.snps()));
        if !unanswered.contains(&part) {
            let _ = writeln!(text, "  was answered before, and is free");
            continue;
        }
        for (account, cost) in run.payment.charges() {
            let _ = writeln!(text, "  costs {account} an odds ratio of {}", cost.in_words());
        }
        let _ = writeln!(text, "  noise: {}", run.noise(part, run.cohort.sizes())?.sentence(&confidence));
    }
    for (id, _) in run.payment.charges() {
        let spent = accounts
            .iter()
            .find(|known| known.id == *id && !known.spent.is_nothing())
            .map_or_else(|| "nothing".to_owned(), |known| known.spent.in_words());
        let _ = writeln!(text, "of {}, {spent} is spent: {id}", promised.guarantee(id.kind).limit().in_words());
    }
    let _ = writeln!(text, "nothing was charged");
    Ok(text)
}
