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
}

impl AuditReport {
    /// The report of a verdict for these priors.
    #[must_use]
    pub fn new(verdict: Verdict, priors: PriorRange) -> Self {
        Self { verdict, priors }
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
            pairs: usize,
            samples: u64,
        }
        let Self { verdict, priors } = self;
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
            pairs: verdict.pairs(),
            samples: verdict.samples(),
        };
        written.serialize(serializer)
    }
}

impl Display for AuditReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let prior = self.prior();
        writeln!(
            f,
            "{}\nbeliefs:   an observer who gave one of these inputs {} can be at least {} sure of it after one answer; some belief \
             grows by a factor of at least {}",
            self.verdict,
            percent(&prior, 2, Rounding::Nearest),
            percent(&self.verdict.posterior(&prior), 2, Rounding::Down),
            decimal(&self.verdict.gain(&self.priors), 4, Rounding::Down),
        )
    }
}
