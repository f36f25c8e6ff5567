//! The odds of a plan's queries under a promise that holds but for a chance.

use crate::plan_report::unpaid;
use deniable_core::exact::{Rounding, decimal, percent};
use deniable_core::guarantee::ButFor;
use deniable_core::words;
use deniable_ledger::{Account, ODDS_PLACES, SizeError, read_but_for_chance};
use deniable_release::Plan;
use serde::Serialize;

/// Odds ratios but for a chance, decimals rounded up.
#[derive(Debug, Serialize)]
pub(crate) struct ButForSpending {
    chance: String,
    /// The largest that keeps the promise, rounded down.
    allowed: String,
    /// Those of the ledger's charges and these queries together; absent where there is no bound.
    odds: Option<String>,
    keeps: bool,
    /// The part of the promise that the queries divide, if shares were lowered for this.
    lowered_to: Option<String>,
    #[serde(skip)]
    pub(crate) in_words: String,
}

impl ButForSpending {
    /// The odds of a plan's queries, with those that the account was charged; `None` without such a promise.
    pub(crate) fn new(plan: &Plan, account: Option<&Account>) -> Option<Self> {
        let (policy, guarantee) = (plan.policy(), plan.policy().guarantee());
        let but_for = guarantee.but_for_a_chance()?;
        let sizes = unpaid(plan, account).map(|planned| planned.size(policy)).collect();
        let chance = words::chance(but_for.chance());
        let reading = match read_but_for_chance(account, guarantee, sizes) {
            Ok(reading) => reading?,
            Err(error) => return Some(Self::unknown(but_for, &chance, &error)),
        };
        let (shown, allowed) = reading.decimals(ODDS_PLACES);
        let keeps = reading.keeps;
        let total = shown.as_deref().unwrap_or("any size");
        let mut in_words = if keeps {
            format!("but for {chance}, all answers together give odds of at most {total}, of {allowed} allowed")
        } else {
            format!(
                "but for {chance}, all answers together could give odds of {total}, and {allowed} is allowed: these queries \
                 will be refused; lower `spend` under [budget], or explicit shares"
            )
        };
        if let Some(part) = plan.lowered_to() {
            let part = percent(part, 2, Rounding::Down);
            in_words += &format!("; shares by weight were lowered, to {part} of the promise in all");
        }
        Some(Self {
            chance: but_for.chance().to_string(),
            allowed,
            odds: shown,
            keeps,
            lowered_to: plan.lowered_to().map(ToString::to_string),
            in_words,
        })
    }

    /// The spending of queries whose odds cannot be computed: none of them is charged.
    fn unknown(but_for: &ButFor, chance: &str, error: &SizeError) -> Self {
        Self {
            chance: but_for.chance().to_string(),
            allowed: decimal(&but_for.limit().odds_at_least(), ODDS_PLACES, Rounding::Down),
            odds: None,
            keeps: false,
            lowered_to: None,
            in_words: format!(
                "but for {chance}, the odds of all answers together cannot be computed, so these queries will be refused: \
                 {error}"
            ),
        }
    }
}
