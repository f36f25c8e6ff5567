//! A query outside of the policy: its cost, and earlier answers to it.

use crate::error::Error;
use deniable_core::exact::Rational;
use deniable_ledger::Part;
use deniable_policy::{OwnCaps, Policy};
use deniable_release::{Plan, read_ledger};

/// Suffix of the policy's name in the ledger for a query outside of the policy: the policy's `spend` is reserved for
/// its own queries.
const BESIDE: &str = "/ask";

/// A query outside of a policy. It may use up the whole promise, which is the limit for all releases and is never
/// exceeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The name of its answer, in the publication and in the ledger: one line. Several queries may have the same name.
    pub name: String,
    /// The query.
    pub sql: String,
    /// The share of ln R that it uses, in (0, 1]; [`parse_rational`](crate::exact::parse_rational) parses a text such
    /// as `1/40`.
    pub share: Rational,
    /// Contribution bounds of its own, in place of those of the policy.
    pub caps: OwnCaps,
}

impl Query {
    /// A query under the caps of the policy.
    pub fn new(name: impl Into<String>, sql: impl Into<String>, share: Rational) -> Self {
        Self { name: name.into(), sql: sql.into(), share, caps: OwnCaps::default() }
    }

    /// The same query under other caps.
    #[must_use]
    pub fn with_caps(self, caps: OwnCaps) -> Self {
        Self { caps, ..self }
    }

    /// Parses it, and computes its cost and noise, without reading data or the ledger.
    ///
    /// # Errors
    /// When it cannot be parsed, or cannot be answered under the policy.
    pub fn plan(&self, policy: &Policy) -> Result<Plan, Error> {
        Ok(Plan::new(self.policy(policy)?)?)
    }

    /// The policy with this query alone.
    ///
    /// # Errors
    /// When the share is not in (0, 1], the name is not one line, or there are caps where one row is one person.
    pub fn policy(&self, policy: &Policy) -> Result<Policy, Error> {
        let asker = format!("{}{BESIDE}", policy.name());
        let policy = policy.with_query(&asker, &self.name, &self.sql, &self.share)?;
        if self.caps == OwnCaps::default() {
            return Ok(policy);
        }
        if policy.entity().is_none() {
            return Err(deniable_policy::QueryError::NoEntity.into());
        }
        Ok(policy.with_caps(self.caps))
    }

    /// The shares at which the same SQL was answered before, the latest last: a query with one of them is free, for the
    /// same version of the data.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn answered_before(policy: &Policy, sql: &str) -> Result<Vec<Rational>, Error> {
        if !policy.ledger().exists() {
            return Ok(Vec::new());
        }
        let summary = read_ledger(policy)?;
        let name = format!("{}{BESIDE}", policy.name());
        let summary = summary.seen_by(&Part::Whole);
        let asked = summary.accounts.iter().flat_map(|account| &account.releases);
        let same = asked.filter(|release| release.policy == name && release.query.sql.trim() == sql.trim());
        let answered = same.filter(|release| release.answer.is_some());
        Ok(answered.filter_map(|release| release.cost.exact_part_of(policy.guarantee().limit())).collect())
    }
}
