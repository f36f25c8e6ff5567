//! The result of an audit: events with their bounds, a certified odds ratio, and whether it breaks a claim.

use crate::bound;
use crate::event::Event;
use crate::neighbours::Pair;
use deniable_core::adversary::PriorRange;
use deniable_core::belief;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::{Enclosure, Rational, Rounding, decimal, percent, whole};
use std::fmt;

/// Decimal places printed.
const PLACES: u32 = 4;
/// Fractional bits of the logarithm.
const BITS: u32 = 128;

/// An event with certified bounds on its probability for two neighbouring inputs.
///
/// All findings of an audit hold jointly at its confidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The event.
    pub event: Event,
    /// The input on which it is likelier.
    pub likelier: Vec<i64>,
    /// The neighbouring input.
    pub other: Vec<i64>,
    /// Number of occurrences on `likelier` and `other`, in `trials` fresh samples each.
    pub hits: [u64; 2],
    /// Number of fresh samples of each input.
    pub trials: u64,
    /// Its probability on `likelier` is at least this.
    pub low: Rational,
    /// Its probability on `other` is at most this; above 0.
    pub high: Rational,
}

impl Finding {
    /// Bounds both probabilities, each with error probability `delta`.
    #[must_use]
    pub fn new(event: Event, pair: &Pair, swapped: bool, hits: [u64; 2], trials: u64, delta: f64) -> Self {
        let (likelier, other) = pair.ordered(swapped);
        let low = bound::at_least(hits[0], trials, delta);
        let high = bound::at_most(hits[1], trials, delta);
        Self { event, likelier: likelier.to_vec(), other: other.to_vec(), hits, trials, low, high }
    }

    /// The odds ratio that the event certifies: the exact quotient of the bounds, or 1 if that is larger.
    #[must_use]
    pub fn odds(&self) -> Rational {
        (&self.low / &self.high).max(whole(1))
    }
}

/// The outcome of an audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    findings: Vec<Finding>,
    error: f64,
    pairs: usize,
    samples: u64,
    claim: Option<Spend>,
    broken: bool,
}

impl Verdict {
    /// Sorts the findings and compares the strongest with the claim.
    ///
    /// # Errors
    /// If the comparison with the claim cannot be decided.
    pub fn new(
        mut findings: Vec<Finding>,
        error: f64,
        pairs: usize,
        samples: u64,
        claim: Option<&Spend>,
    ) -> Result<Self, SpendError> {
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.odds()));
        let odds = findings.first().map_or_else(|| whole(1), Finding::odds);
        let broken = match claim {
            Some(claim) if odds > whole(1) => !Spend::odds(odds)?.fits(claim)?,
            _ => false,
        };
        Ok(Self { findings, error, pairs, samples, claim: claim.cloned(), broken })
    }

    /// The strongest finding; `None` if no event was worth confirming.
    #[must_use]
    pub fn best(&self) -> Option<&Finding> {
        self.findings.first()
    }

    /// All confirmed events, strongest first: the confidence is divided over all of them.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Certified: the odds ratio of the mechanism is at least this. Exact; at least 1.
    #[must_use]
    pub fn odds(&self) -> Rational {
        self.best().map_or_else(|| whole(1), Finding::odds)
    }

    /// Certified: its ε is at least this, a fraction rounded down.
    #[must_use]
    pub fn epsilon(&self) -> Rational {
        let odds = self.odds();
        if odds <= whole(1) { whole(0) } else { Enclosure::ln(&odds, BITS).low().max(whole(0)) }
    }

    /// Certified: belief in the likelier input can rise from this prior to at least this (B-1).
    #[must_use]
    pub fn posterior(&self, prior: &Rational) -> Rational {
        belief::posterior(prior, &self.odds())
    }

    /// Certified: the gain γ over these priors is at least this (B-3).
    #[must_use]
    pub fn gain(&self, priors: &PriorRange) -> Rational {
        belief::gain_over(priors, &self.odds())
    }

    /// Whether the claim is broken, up to the stated error.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// The claim, if any.
    #[must_use]
    pub fn claim(&self) -> Option<&Spend> {
        self.claim.as_ref()
    }

    /// An upper bound on the probability that any of the bounds is wrong.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Number of pairs of inputs tried.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// Number of outputs drawn in all.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.samples
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (odds, epsilon) = (self.odds(), self.epsilon());
        match (&self.claim, self.broken) {
            (Some(claim), true) => {
                writeln!(f, "BROKEN: an odds ratio of {claim} was claimed, but the audit certifies a larger one.")?
            }
            (Some(claim), false) => {
                writeln!(f, "not broken: no evidence against an odds ratio of {claim}. This does not prove the claim.")?
            }
            (None, _) => writeln!(f, "no claim to compare with.")?,
        }
        // An error that was rounded down by one step is shown as the shorter number above it.
        let (stated, above) = (self.error.to_string(), self.error.next_up().to_string());
        let error = if above.len() < stated.len() { above } else { stated };
        writeln!(
            f,
            "certified: odds ratio R ≥ {}, that is ε ≥ {} (both rounded down), wrong with probability at most {}",
            decimal(&odds, PLACES, Rounding::Down),
            decimal(&epsilon, PLACES, Rounding::Down),
            error
        )?;
        if let Some(best) = self.best() {
            writeln!(f, "inputs:    {:?} and {:?}", best.likelier, best.other)?;
            writeln!(f, "event:     {}", best.event)?;
            writeln!(
                f,
                "           on the first {} of {} fresh samples, probability at least {}",
                best.hits[0],
                best.trials,
                percent(&best.low, PLACES, Rounding::Down)
            )?;
            writeln!(
                f,
                "           on the second {} of {} fresh samples, probability at most {}",
                best.hits[1],
                best.trials,
                percent(&best.high, PLACES, Rounding::Up)
            )?;
        }
        write!(
            f,
            "tried:     {} pairs of inputs, {} events confirmed, {} samples in all",
            self.pairs,
            self.findings.len(),
            self.samples
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Condition;
    use crate::mechanism::Value;
    use deniable_core::exact::ratio;
    use num_traits::ToPrimitive;

    fn finding(hits: [u64; 2]) -> Finding {
        let event = Event::Any(vec![vec![Condition::Whole(vec![Value::Integer(1)])]]);
        Finding::new(event, &Pair::new(vec![0], vec![1]), true, hits, 1_000_000, 0.0005)
    }

    #[test]
    fn a_claim_is_compared_exactly() {
        let strong = finding([600_000, 200_000]);
        let odds = strong.odds();
        assert!(odds < whole(3) && odds > ratio(297, 100));
        assert_eq!((strong.likelier.as_slice(), strong.other.as_slice()), (&[1][..], &[0][..]));
        let verdict =
            |claim: &Spend| Verdict::new(vec![finding([5, 5]), strong.clone()], 0.001, 3, 7, Some(claim)).unwrap();
        let broken = verdict(&Spend::odds(ratio(297, 100)).unwrap());
        assert!(broken.is_broken() && broken.odds() == odds);
        assert!(!verdict(&Spend::odds(whole(3)).unwrap()).is_broken());
        // ε: 1.0886 < ln 2.99 = 1.0952, and e^1.09 = 2.974.
        let epsilon = broken.epsilon().to_f64().unwrap();
        assert!((epsilon - odds.to_f64().unwrap().ln()).abs() < 1e-12);
        assert!(verdict(&Spend::epsilon(ratio(108, 100)).unwrap()).is_broken());
        assert!(!verdict(&Spend::epsilon(ratio(11, 10)).unwrap()).is_broken());
        // B-1 and B-2 at prior 1/2: q = R/(1+R).
        assert_eq!(broken.posterior(&ratio(1, 2)), &odds / (whole(1) + &odds));
        assert!(broken.to_string().starts_with("BROKEN: an odds ratio of 297/100"));
    }

    #[test]
    fn no_finding_certifies_an_odds_ratio_of_one() {
        let none = Verdict::new(vec![finding([10, 20])], 0.001, 1, 1, None).unwrap();
        assert_eq!((none.odds(), none.epsilon(), none.is_broken()), (whole(1), whole(0), false));
    }
}
