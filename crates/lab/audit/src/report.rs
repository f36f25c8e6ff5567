//! The report of an audit: the verdict with its consequences for beliefs, as text and as JSON.

use crate::verdict::Verdict;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, Rounding, decimal, percent, whole};
use serde::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter};

/// A verdict, and the prior beliefs of its examples.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AuditReport {
    /// The verdict.
    pub verdict: Verdict,
    /// The prior beliefs of observers.
    pub priors: PriorRange,
    /// The step to which floating-point outputs were rounded, if they were.
    pub rounded_to: Option<Rational>,
}

impl AuditReport {
    /// The report of a verdict for these priors.
    #[must_use]
    pub fn new(verdict: Verdict, priors: PriorRange) -> Self {
        Self { verdict, priors, rounded_to: None }
    }

    /// The same report, of outputs that were rounded to multiples of a step ([`crate::Rounded`]).
    #[must_use]
    pub fn of_rounded(self, step: Rational) -> Self {
        Self { rounded_to: Some(step), ..self }
    }

    /// Whether the event is about the last bits of floating-point numbers, which rounding would hide.
    #[must_use]
    pub fn is_floating_point(&self) -> bool {
        self.rounded_to.is_none() && self.verdict.best().is_some_and(|best| best.event.reads_last_bits())
    }

    /// Whether there is no claim, or no evidence against it. This does not prove that the claim holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.verdict.is_broken()
    }

    /// The prior of the example: the only one, or the middle of the interval.
    #[must_use]
    pub fn prior(&self) -> Rational {
        (self.priors.low() + self.priors.high()) / whole(2)
    }
}

/// Fractions are exact, in lowest terms.
impl Serialize for AuditReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            broken: bool,
            claim: Option<String>,
            odds_at_least: String,
            epsilon_at_least: String,
            gain_at_least: String,
            posterior_at_least: String,
            prior: String,
            error: f64,
            event: Option<String>,
            likelier_input: Option<Vec<i64>>,
            other_input: Option<Vec<i64>>,
            probability_at_least: Option<String>,
            other_probability_at_most: Option<String>,
            floating_point: bool,
            rounded_to: Option<String>,
            pairs: usize,
            samples: u64,
        }
        let Self { verdict, priors, rounded_to } = self;
        let (best, prior) = (verdict.best(), self.prior());
        let written = Written {
            broken: verdict.is_broken(),
            claim: verdict.claim().map(ToString::to_string),
            odds_at_least: verdict.odds().to_string(),
            epsilon_at_least: decimal(&verdict.epsilon(), 6, Rounding::Down),
            gain_at_least: verdict.gain(priors).to_string(),
            posterior_at_least: verdict.posterior(&prior).to_string(),
            prior: prior.to_string(),
            error: verdict.error(),
            event: best.map(|best| best.event.to_string()),
            likelier_input: best.map(|best| best.likelier.clone()),
            other_input: best.map(|best| best.other.clone()),
            probability_at_least: best.map(|best| best.low.to_string()),
            other_probability_at_most: best.map(|best| best.high.to_string()),
            floating_point: self.is_floating_point(),
            rounded_to: rounded_to.as_ref().map(Rational::to_string),
            pairs: verdict.pairs(),
            samples: verdict.samples(),
        };
        written.serialize(serializer)
    }
}

impl Display for AuditReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let prior = self.prior();
        let floats = match &self.rounded_to {
            _ if self.is_floating_point() => {
                "\nfloating point: the event is about the last bits of floating-point numbers, of which some inputs cannot give all. To \
                 look for other faults, audit rounded outputs (`--round-to 0.001`, in Python `round_to=\"0.001\"`)"
                    .to_owned()
            }
            Some(step) => {
                format!("\nrounded:   floating-point outputs, to multiples of {step}: what they break, the outputs themselves break")
            }
            None => String::new(),
        };
        writeln!(
            f,
            "{}{floats}\nbeliefs:   an observer who gave one of these inputs {} can be at least {} sure of it after one answer; some belief \
             grows by a factor of at least {}",
            self.verdict,
            percent(&prior, 2, Rounding::Nearest),
            percent(&self.verdict.posterior(&prior), 2, Rounding::Down),
            decimal(&self.verdict.gain(&self.priors), 4, Rounding::Down),
        )
    }
}
