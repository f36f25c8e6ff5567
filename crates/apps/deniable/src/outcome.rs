//! The outcome of a release.

use crate::error::Error;
use deniable_ledger::Head;
use deniable_publication::{Answer, Publication};
use deniable_release::Origin;

/// The outcome of a release: answers that may be published, and the queries without an answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReleaseOutcome {
    /// The answers with the guarantee as text; serialized as by `deniable release --format json`.
    pub publication: Publication,
    /// The origin of each answer, in the order of [`Self::answers`]. For the curator.
    pub origins: Vec<Origin>,
    /// Charged queries without an answer, because the machine's resources were exhausted. The same queries resume at no
    /// cost.
    pub unanswered: Vec<UnansweredQuery>,
    /// The ledger's last entry after this release.
    pub head: Head,
}

impl ReleaseOutcome {
    /// The answer to a query, by its name.
    ///
    /// # Errors
    /// When the query has no answer, with the reason, or does not exist.
    pub fn answer(&self, query: &str) -> Result<&Answer, NoAnswer<'_>> {
        let found = self.publication.answers.iter().find(|answer| answer.name == query);
        let unanswered = || self.unanswered.iter().find(|unanswered| unanswered.query == query);
        found.ok_or_else(|| match unanswered() {
            Some(unanswered) => NoAnswer::Unanswered(unanswered),
            None => NoAnswer::NoQuery(query.to_owned()),
        })
    }

    /// The answers in the policy's order, without the queries in [`Self::unanswered`].
    #[must_use]
    pub fn answers(&self) -> &[Answer] {
        &self.publication.answers
    }
}

/// The reason why a release has no answer with a name.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer<'a> {
    /// No query of the release has this name.
    #[error("the release has no query \"{0}\"")]
    NoQuery(String),
    /// The query is charged, but not answered.
    #[error("query \"{}\" is charged but not answered: {}; the same query resumes at no cost", .0.query, .0.error)]
    Unanswered(&'a UnansweredQuery),
}

/// A query that is charged and has no answer yet.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnansweredQuery {
    /// The query's name.
    pub query: String,
    /// The cause.
    pub error: Error,
}
