//! What a release has come to.

use crate::error::Error;
use deniable_ledger::Head;
use deniable_publication::{Answer, Publication};
use deniable_release::Origin;

/// What a release has come to: answers that may be published, and the queries that have none.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReleaseOutcome {
    /// The answers with the guarantee in words: as JSON, what `deniable release --format json` writes.
    pub publication: Publication,
    /// Whether each answer was charged now, in the order of [`Self::answers`]. For the curator.
    pub origins: Vec<Origin>,
    /// Queries that are paid for and not answered, since the machine was exhausted. The same queries resume at no cost.
    pub unanswered: Vec<UnansweredQuery>,
    /// The ledger's last entry after this release.
    pub head: Head,
}

impl ReleaseOutcome {
    /// The answer to a query, by its name.
    ///
    /// # Errors
    /// What kept it from an answer, or that there is no such query.
    pub fn answer(&self, query: &str) -> Result<&Answer, NoAnswer<'_>> {
        let found = self.publication.answers.iter().find(|answer| answer.name == query);
        let unanswered = || self.unanswered.iter().find(|unanswered| unanswered.query == query);
        found.ok_or_else(|| match unanswered() {
            Some(unanswered) => NoAnswer::Unanswered(unanswered),
            None => NoAnswer::NoQuery(query.to_owned()),
        })
    }

    /// The answers that there are, in the policy's order: queries without one ([`Self::unanswered`]) are left out.
    #[must_use]
    pub fn answers(&self) -> &[Answer] {
        &self.publication.answers
    }
}

/// Why a release has no answer of a name.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer<'a> {
    /// No query of the release has it.
    #[error("the release has no query \"{0}\"")]
    NoQuery(String),
    /// The query is charged, and not answered.
    #[error("query \"{}\" is paid for and not answered: {}; the same query resumes at no cost", .0.query, .0.error)]
    Unanswered(&'a UnansweredQuery),
}

/// A query that is charged and has no answer yet.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnansweredQuery {
    /// The query's name.
    pub query: String,
    /// Why.
    pub error: Error,
}
