//! Errors of sweeps. They depend on the policy and the range alone.

use super::{CAPS, MAX_POINTS};
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::{ParseRationalError, Rational};
use deniable_data::SourceError;
use deniable_release::whatif::{KEYS, WhatIfError};
use deniable_release::{PlanErrors, UnknownQuery};

/// A range that cannot be swept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}: {fault}")]
pub struct RangeError {
    text: String,
    fault: RangeFault,
}

/// The fault of a range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum RangeFault {
    #[error("`{0}` is missing")]
    Missing(&'static str),
    #[error("`{0}` is not a promise or a cap")]
    Key(String),
    #[error("`{0}` is not a number of points from 2 to {MAX_POINTS}")]
    Points(String),
    #[error(transparent)]
    Number(ParseRationalError),
    #[error("{0} is not below {1}")]
    Descending(Rational, Rational),
    #[error("caps are whole numbers from 1")]
    Cap,
}

impl RangeError {
    pub(super) fn new(text: &str, fault: RangeFault) -> Self {
        Self { text: text.to_owned(), fault }
    }
}

impl Diagnose for RangeError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let help = match &self.fault {
            RangeFault::Key(_) => format!("choose one of {}, {}", KEYS.join(", "), CAPS.join(", ")),
            _ => format!(
                "write {}, or {} for twenty points",
                surface.set("sweep", "gain=1.1..4"),
                surface.set("sweep", "epsilon=0.1..2:20")
            ),
        };
        let message = format!("{}: {}", surface.set("sweep", &self.text), self.fault);
        vec![Diagnostic::new(Code::Usage, message).with_help(help)]
    }
}

/// A sweep that is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// A value at which the policy's adversary admits no promise.
    #[error("at {key} = {value}: {error}")]
    Promise {
        /// The swept promise.
        key: &'static str,
        /// The value.
        value: Rational,
        /// The reason.
        error: WhatIfError,
    },
    /// A cap of a policy that has none.
    #[error("`{0}` cannot be swept: the policy has no [entity], so rows are not capped")]
    NoEntity(&'static str),
    /// A public table with keys cannot be read, or its keys are invalid.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Queries are invalid at every value.
    #[error(transparent)]
    Plan(#[from] PlanErrors),
    /// No query of the policy has this name.
    #[error(transparent)]
    NoQuery(#[from] UnknownQuery),
}

impl Diagnose for SweepError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let usage = |message: String, help: String| vec![Diagnostic::new(Code::Usage, message).with_help(help)];
        match self {
            Self::Promise { error: error @ WhatIfError::NeedsRest(_, needed), .. } => usage(
                error.to_string(),
                format!("state `{needed}` in the policy's [promise]; a sweep changes one number of it"),
            ),
            Self::Promise { .. } => {
                usage(self.to_string(), "sweep a range in which every promise can be kept".to_owned())
            }
            Self::NoEntity(key) => usage(
                format!("{} {key}: the policy has no [entity], so rows are not capped", surface.option("sweep")),
                "name the column that identifies the person of each row as `key` under [entity]".to_owned(),
            ),
            Self::Source(error) => error.diagnostics(surface),
            Self::Plan(errors) => errors.diagnostics(surface),
            Self::NoQuery(error) => error.diagnostics(surface),
        }
    }
}
