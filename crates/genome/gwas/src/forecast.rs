//! The cost of a request and the noise of its answers, from public values alone. Nothing is charged.

use crate::cohort::Cohort;
use crate::error::GwasError;
use crate::payment::payment;
use crate::promise::{CohortPromise, Protects};
use crate::release::{Event, Means, Run};
use crate::request::{Part, Query};
use deniable_core::budget::Spend;
use deniable_ledger::{AccountId, Summary};
use deniable_publication::{Confidence, Noise};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// The cost and the noise of each release of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Forecast {
    /// The protected secrets.
    pub protects: Protects,
    /// The releases, in the order in which they are made.
    pub releases: Vec<ForecastRelease>,
    /// The accounts that pay.
    pub accounts: Vec<ForecastAccount>,
    /// The confidence of margins.
    pub confidence: Confidence,
}

/// The cost and the noise of one release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForecastRelease {
    /// Its name.
    pub name: String,
    /// The charges and the noise; `None` if the ledger has a stored answer, which is free.
    pub new: Option<(Vec<ForecastCharge>, Noise)>,
}

/// The charge of one release to one account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForecastCharge {
    /// The account.
    pub account: AccountId,
    /// The odds ratio.
    pub cost: Spend,
}

/// An account before the releases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForecastAccount {
    /// The account.
    pub account: AccountId,
    /// The largest odds ratio.
    pub limit: Spend,
    /// The odds ratio already spent.
    pub spent: Spend,
}

/// Forecasts a request. Nothing is charged.
///
/// # Errors
/// The errors of a release itself before it is charged.
pub fn forecast(
    means: &Means<'_>,
    promised: &CohortPromise,
    request: &Query,
    summary: &Summary,
) -> Result<Forecast, GwasError> {
    let accounts = &summary.accounts;
    let promised = &promised.within(accounts)?;
    let payment = payment(accounts, promised, request.protects, &request.each())?;
    let tell = |snps| (means.tell)(Event::Reading(snps));
    // Fingerprints are not compared: only the numbers of people and SNPs are used.
    let cohort = Cohort::read(means.files.open()?, request.fill, [0; 32], means.threads, &tell)?;
    let mut run = Run::new(means, promised, request, payment);
    run.take(cohort)?;
    let stored = deniable_protocol::stored(&run, summary)?;
    let parts = || request.parts().into_iter().zip(&stored);
    let unanswered: Vec<_> = parts().filter(|(_, stored)| stored.is_none()).map(|(part, _)| part).collect();
    run.check(&unanswered)?;
    deniable_protocol::fits(&run, summary)?;
    let charge =
        |(account, cost): (&AccountId, &Spend)| ForecastCharge { account: account.clone(), cost: cost.clone() };
    let release = |(part, stored): (Part, &Option<_>)| {
        let new = match stored {
            Some(_) => None,
            None => Some((run.payment.charges().map(charge).collect(), run.noise(part, run.cohort.sizes())?)),
        };
        Ok(ForecastRelease { name: request.name(part, run.snps()), new })
    };
    let account = |(id, _): (&AccountId, _)| ForecastAccount {
        account: id.clone(),
        limit: promised.guarantee(id.kind).limit().clone(),
        spent: accounts.iter().find(|known| known.id == *id).map_or_else(Spend::nothing, |known| known.spent.clone()),
    };
    Ok(Forecast {
        protects: request.protects,
        releases: parts().map(release).collect::<Result<_, GwasError>>()?,
        accounts: run.payment.charges().map(account).collect(),
        confidence: Confidence::new(promised.confidence()),
    })
}

impl Display for Forecast {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.protects.sentence())?;
        for ForecastRelease { name, new } in &self.releases {
            writeln!(f, "{name}")?;
            let Some((charges, noise)) = new else {
                writeln!(f, "  has a stored answer, and is free")?;
                continue;
            };
            for ForecastCharge { account, cost } in charges {
                writeln!(f, "  costs {account} an odds ratio of {}", cost.in_words())?;
            }
            writeln!(f, "  noise: {}", noise.sentence(&self.confidence))?;
        }
        for ForecastAccount { account, limit, spent } in &self.accounts {
            let spent = if spent.is_nothing() { "nothing".to_owned() } else { spent.in_words() };
            writeln!(f, "of {}, {spent} is spent: {account}", limit.in_words())?;
        }
        writeln!(f, "nothing was charged")
    }
}
