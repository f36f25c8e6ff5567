//! Queries whose numbers are part of an earlier answer: offered from it, free.
//!
//! Showing a part of a release is post-processing (C-3). A stored answer contains a query when
//!
//! - both are about the same rows, and each measure of the query is one of the answer's
//!   ([`deniable_query::Query::measures_within`]);
//! - the noise of each of them is at most that which the query would pay for, compared as fractions;
//! - it was charged to the same account, and its SQL, planned under the present policy at its price, has the identity
//!   that was charged: the same version, read the same way, under the same caps. An answer with another identity is not
//!   used.
//!
//! The first answer that contains a query is used, in the order in which answers were stored. A ledger only grows, so
//! the answer shown for a query stays the same when a more exact answer is stored later, and needs no record of its
//! own. A query with a charge of its own has its own answer.
//!
//! An analyst who states no price is shown the dearest answer that contains the query
//! ([`Plan::with_dearest`](crate::Plan::with_dearest)).
//!
//! All of this depends on the policy and the ledger's entries only, and not on private values.
//!
//! Queries are compared as data: a charge keeps the canonical bytes of its query, so no SQL text is planned again. Most
//! entries differ in their first bytes; a query is decoded only if its bytes contain all numbers.

use crate::plan::QueryPlan;
use crate::release::FORM;
use deniable_answers::Noisy;
use deniable_core::noise::Decay;
use deniable_ledger::{Account, Charge, Release};
use deniable_policy::{Policy, QuerySubject};
use deniable_query::Contents;
use std::cmp::Reverse;

/// A query in a comparison with stored answers.
struct ComparedQuery<'a> {
    planned: &'a QueryPlan,
    policy: &'a Policy,
    own: &'a Charge,
    contents: Contents<'a>,
}

/// The earlier answer that contains a query's answer.
#[derive(Debug, Clone)]
pub struct ContainingAnswer {
    /// The charge of the answer in the ledger.
    pub(crate) charge: Charge,
    /// The plan of that charge.
    pub(crate) earlier: QueryPlan,
    /// The positions of the query's measures among its measures, in the query's order.
    pub(crate) places: Vec<usize>,
}

impl ContainingAnswer {
    /// The name under which the answer was charged.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.charge.name
    }

    /// The numbers of the query, from those of the answer.
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

impl QueryPlan {
    /// The query, taken from the first answer of the account that contains it; `None` if no answer does, or the query
    /// has a charge of its own.
    pub(crate) fn earlier(&self, policy: &Policy, account: &Account) -> Option<Self> {
        let own = self.for_ledger(policy);
        // The nodes of a horizon have charges of their own, by which later releases find them.
        let is_node = self.declared().every.is_some();
        if is_node || self.declared().about != QuerySubject::Cells || account.release(&own.identity).is_some() {
            return None;
        }
        let mut answered: Vec<(u64, &Release)> =
            account.releases.iter().filter_map(|release| Some((release.answered?, release))).collect();
        answered.sort_by_key(|(seq, _)| *seq);
        let compared = ComparedQuery::new(self, &own, policy)?;
        let is_as_exact = |(own, decay): (usize, &Decay)| decay.ratio() <= self.measures()[own].decay().ratio();
        let exact = |decays: &[&Decay]| decays.iter().copied().enumerate().all(is_as_exact);
        let within = answered.into_iter().find_map(|(_, release)| compared.held_by(release, &exact))?;
        Some(self.taken_from(within))
    }

    /// The query, taken from the dearest answer of the account that contains it, whatever the query itself would pay:
    /// for analysts who state no price. `None` if no answer contains it.
    pub(crate) fn dearest(&self, policy: &Policy, account: &Account) -> Option<Self> {
        if self.declared().every.is_some() || self.declared().about != QuerySubject::Cells {
            return None;
        }
        let mut answered: Vec<&Release> =
            account.releases.iter().filter(|release| release.answered.is_some()).collect();
        // Among answers of the same cost, the first one.
        answered.sort_by_key(|release| (Reverse(release.cost.odds_at_most()), release.answered));
        let own = self.for_ledger(policy);
        let compared = ComparedQuery::new(self, &own, policy)?;
        let within = answered.into_iter().find_map(|release| compared.held_by(release, &|_| true))?;
        // If the earlier query is the same one, its answer is the query's own.
        let same = self.bought_as(&within.earlier, policy);
        Some(
            same.filter(|same| same.for_ledger(policy).identity == within.charge.identity)
                .unwrap_or_else(|| self.taken_from(within)),
        )
    }
}

impl<'a> ComparedQuery<'a> {
    /// `None` for kinds of queries that are not compared.
    fn new(planned: &'a QueryPlan, own: &'a Charge, policy: &'a Policy) -> Option<Self> {
        let contents = Contents::of(planned.query().canonical())?;
        Some(Self { planned, policy, own, contents })
    }

    /// The stored answer, if it contains the query's numbers with acceptable noise.
    fn held_by(&self, release: &Release, is_wanted: &dyn Fn(&[&Decay]) -> bool) -> Option<ContainingAnswer> {
        let Charge { name: _, sql: _, identity, canonical, coins: _, source, version } = &release.query;
        let form = release.answer.as_ref()?.form();
        // Answers about other tables or versions are not read.
        if (source, version) != (&self.own.source, &self.own.version) || *form != FORM {
            return None;
        }
        let places = self.contents.within(canonical.bytes())?;
        let earlier = self.planned.charged_as(&release.query, &release.cost, self.policy)?;
        let is_same = earlier.for_ledger(self.policy).identity == *identity;
        if !is_same || !earlier.query().leaves_out_none_of(&places.further) {
            return None;
        }
        let decays: Vec<&Decay> = places.measures.iter().map(|at| earlier.measures()[*at].decay()).collect();
        is_wanted(&decays).then(|| ContainingAnswer { charge: release.query.clone(), earlier, places: places.measures })
    }
}
