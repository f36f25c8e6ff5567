//! Errors in this crate's own words, since messages of engines quote values.

/// An engine cannot be queried, or returned an invalid reply. For the curator alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct EngineError {
    /// The cause.
    pub problem: String,
    /// The remedy.
    pub help: &'static str,
}

impl EngineError {
    /// The error for an invalid reply.
    #[must_use]
    pub fn unexpected() -> Self {
        Self::new(
            "the engine's client returned an invalid reply",
            "check that no other program changes the replies of its client",
        )
    }

    pub(crate) fn new(problem: impl Into<String>, help: &'static str) -> Self {
        Self { problem: problem.into(), help }
    }
}
