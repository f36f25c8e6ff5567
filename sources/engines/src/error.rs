//! What can go wrong, in words of our own: those of engines quote values.

/// An engine cannot be asked, or did not do as it was told. For the curator alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct EngineError {
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub help: &'static str,
}

impl EngineError {
    /// What was answered is none of what can be.
    #[must_use]
    pub fn unexpected() -> Self {
        Self::new(
            "the engine answered something else than it was asked",
            "check that nothing stands between it and its client",
        )
    }

    pub(crate) fn new(problem: impl Into<String>, help: &'static str) -> Self {
        Self { problem: problem.into(), help }
    }
}
