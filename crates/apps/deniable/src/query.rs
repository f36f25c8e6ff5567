//! A query that is not in the policy: what it costs, and whether it was answered before.

use crate::error::Error;
use deniable_core::exact::Rational;
use deniable_ledger::Part;
use deniable_policy::Policy;
use deniable_release::Plan;

/// What stands after the policy's name in the ledger, where a query is not the policy's own: the policy's `spend` stays for
/// those that it lists.
const BESIDE: &str = "/ask";

/// A query beside those of a policy. What it may use up is the whole promise: the limit for everyone, which is never exceeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What it is called: one line.
    pub name: String,
    /// The query.
    pub sql: String,
    /// The part of ln R that it may use, in (0, 1].
    pub share: Rational,
}

impl Query {
    /// Understands and prices it.
    ///
    /// # Errors
    /// When it is no query, or cannot be answered under the policy.
    pub fn plan(&self, policy: &Policy) -> Result<Plan, Error> {
        Ok(Plan::new(self.policy(policy)?)?)
    }

    /// The policy that asks it and nothing else.
    ///
    /// # Errors
    /// When it is no query.
    pub fn policy(&self, policy: &Policy) -> Result<Policy, Error> {
        let asker = format!("{}{BESIDE}", policy.name());
        Ok(policy.with_query(&asker, &self.name, &self.sql, &self.share)?)
    }

    /// The shares at which the same words were answered before, the last one last: so asked again, of the same version of the
    /// data, they are free.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn answered_before(policy: &Policy, sql: &str) -> Result<Vec<Rational>, Error> {
        if !policy.ledger().exists() {
            return Ok(Vec::new());
        }
        let summary = deniable_ledger::show(policy.ledger())?;
        let name = format!("{}{BESIDE}", policy.name());
        let summary = summary.seen_by(&Part::Whole);
        let asked = summary.accounts.iter().flat_map(|account| &account.releases);
        let same = asked.filter(|release| release.policy == name && release.query.sql.trim() == sql.trim());
        let answered = same.filter(|release| release.answer.is_some());
        Ok(answered.filter_map(|release| release.cost.exact_part_of(policy.guarantee().limit())).collect())
    }
}
