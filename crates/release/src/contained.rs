//! Asks whose numbers an earlier answer holds: offered from it, free.
//!
//! To show a part of what was released is post-processing (C-3). An answer of the ledger holds an ask when
//!
//! - both are about the same rows, and each measure of the ask is one of the answer's ([`deniable_sql::Query::measures_within`]);
//! - the noise of each of them is at most what the ask would pay for, compared as fractions;
//! - it was charged to the same account, and what the present policy understands under its SQL at its price has the identity that was charged:
//!   the same version, read the same way, under the same caps. Where it has another, nothing is known of it, and it is not used.
//!
//! The first answer that holds an ask is the one, by the order in which answers were stored. A ledger only grows, so that what was
//! shown for an ask stays what is shown, also when a more exact answer comes later, and nothing needs to be recorded of it. An ask that was charged itself
//! has its own answer.
//!
//! Whoever states no price is shown the dearest answer that holds the ask ([`Plan::with_dearest`](crate::Plan::with_dearest)).
//!
//! All of this follows from the policy and the ledger's entries, and from nothing private.

use crate::plan::PlannedAsk;
use crate::release::FORM;
use deniable_ledger::{Account, Ask as LedgerAsk, Release};
use deniable_policy::{About, Policy};
use deniable_sql::output::Noisy;
use std::cmp::Reverse;

/// The earlier answer that an ask is taken from.
#[derive(Debug, Clone)]
pub struct Within {
    /// As the ledger has it.
    pub(crate) ask: LedgerAsk,
    /// The same, understood and priced.
    pub(crate) earlier: PlannedAsk,
    /// Which of its measures are the ask's, in the ask's order.
    pub(crate) places: Vec<usize>,
}

impl Within {
    /// The name under which the answer was charged.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.ask.name
    }

    /// The numbers of the ask, from those of the answer.
    pub(crate) fn of(&self, noisy: &Noisy) -> Noisy {
        let Noisy { values, consistent, decays } = noisy;
        let chosen = |all: &[Vec<i128>]| self.places.iter().map(|at| all[*at].clone()).collect();
        Noisy {
            values: chosen(values),
            consistent: consistent.as_deref().map(chosen),
            decays: self.places.iter().map(|at| decays[*at].clone()).collect(),
        }
    }
}

impl PlannedAsk {
    /// The ask, taken from the first answer of the account that holds it; `None` when there is none, or the ask was charged itself.
    pub(crate) fn earlier(&self, policy: &Policy, account: &Account) -> Option<Self> {
        let own = self.for_ledger(policy);
        if self.ask().about != About::Cells || account.release(&own.identity).is_some() {
            return None;
        }
        let mut answered: Vec<(u64, &Release)> =
            account.releases.iter().filter_map(|release| Some((release.answered?, release))).collect();
        answered.sort_by_key(|(seq, _)| *seq);
        let within = answered.into_iter().find_map(|(_, release)| self.within_release(&own, release, policy))?;
        Some(self.taken_from(within))
    }

    /// The ask, taken from the answer of the account that holds it and was paid most for, whatever the ask itself would pay: for those who
    /// state no price. `None` when there is none.
    pub(crate) fn dearest(&self, policy: &Policy, account: &Account) -> Option<Self> {
        if self.ask().about != About::Cells {
            return None;
        }
        let own = self.for_ledger(policy);
        let mut answered: Vec<&Release> =
            account.releases.iter().filter(|release| release.answered.is_some()).collect();
        // Of answers that cost the same, the first one.
        answered.sort_by_key(|release| (Reverse(release.cost.odds_at_most()), release.answered));
        let within = answered.into_iter().find_map(|release| self.held_by(&own, release, policy))?;
        // Of the same question it is its own answer.
        let same = self.bought_as(&within.earlier, policy);
        Some(
            same.filter(|same| same.for_ledger(policy).identity == within.ask.identity)
                .unwrap_or_else(|| self.taken_from(within)),
        )
    }

    fn within_release(&self, own: &LedgerAsk, release: &Release, policy: &Policy) -> Option<Within> {
        let within = self.held_by(own, release, policy)?;
        let is_as_exact = |(own, at): (usize, &usize)| {
            within.earlier.measures()[*at].decay().ratio() <= self.measures()[own].decay().ratio()
        };
        let exact = within.places.iter().enumerate().all(is_as_exact);
        exact.then_some(within)
    }

    /// The answer of the ledger, where it holds the numbers of the ask, however exact they are.
    fn held_by(&self, own: &LedgerAsk, release: &Release, policy: &Policy) -> Option<Within> {
        let LedgerAsk { name: _, sql, identity, source, version } = &release.ask;
        let form = release.answer.as_ref()?.form();
        // What is about other tables or versions is not even understood.
        if (source, version) != (&own.source, &own.version) || form.is_some_and(|form| *form != FORM) {
            return None;
        }
        let earlier = self.charged_as(sql, &release.cost, policy)?;
        if earlier.for_ledger(policy).identity != *identity {
            return None;
        }
        let places = self.query().measures_within(earlier.query())?;
        Some(Within { ask: release.ask.clone(), earlier, places })
    }
}
