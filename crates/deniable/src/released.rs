//! What a release has come to.

use crate::error::Error;
use deniable_ledger::Head;
use deniable_publication::{Answer, Publication};
use deniable_release::Origin;

/// What a release has come to: answers that may be published, and the queries that have none.
#[derive(Debug)]
#[non_exhaustive]
pub struct Released {
    /// The answers with the guarantee in words: as JSON, what `deniable release --format json` writes.
    pub publication: Publication,
    /// Where each answer came from, in the same order. For the curator.
    pub origins: Vec<Origin>,
    /// Queries that are paid for and not answered, since the machine was exhausted. The same queries resume at no cost.
    pub unanswered: Vec<Unanswered>,
    /// The ledger's last entry after this release.
    pub head: Head,
}

impl Released {
    /// The answers, in the policy's order.
    #[must_use]
    pub fn answers(&self) -> &[Answer] {
        &self.publication.asks
    }
}

/// A query that is paid for and has no answer yet.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unanswered {
    /// The query's name.
    pub query: String,
    /// Why.
    pub error: Error,
}
