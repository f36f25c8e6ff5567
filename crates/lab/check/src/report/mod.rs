//! Reports of decisions: typed, as text by `Display`, and as JSON by `Serialize`. All numbers of the JSON are strings,
//! exact and in lowest terms.

mod everything;
mod priors;
mod verdict;

pub use everything::{Decision, EverythingReport};
pub use priors::{Pair, Pairing, PairingError, PairingReport, ScalableReport, Scaling};
pub use verdict::{CertificateReport, ClaimReport, VerdictReport, title};

use crate::verdict::Value;
use deniable_core::budget::Spend;
use deniable_core::exact::Bound;
use serde::Serialize;

/// Decimals of a number beside its fraction.
const PLACES: u32 = 6;

/// A parameter in all its forms.
#[derive(Serialize)]
struct Number {
    /// The exact value, or the lower end of a bracket; `∞` if infinite.
    low: String,
    /// The exact value, or the upper end.
    high: String,
    decimal: String,
    /// `ln` of the odds.
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<String>,
    reached: &'static str,
}

impl Number {
    fn new(parameter: &str, value: &Value) -> Self {
        let epsilon = (parameter == "odds").then(|| match value.high() {
            Bound::Infinite => Some("∞".to_owned()),
            Bound::Finite(odds) => Spend::odds(odds.clone()).ok().map(|odds| odds.epsilon_decimal(PLACES)),
        });
        Self {
            low: value.low().to_string(),
            high: value.high().to_string(),
            decimal: value.decimal(PLACES),
            epsilon: epsilon.flatten(),
            reached: value.reached(),
        }
    }

    /// `3/2 (1.5)`.
    fn text(&self) -> String {
        let exact = if self.low == self.high { self.high.clone() } else { format!("{} .. {}", self.low, self.high) };
        // The ends of a bracket are fractions of many digits, so only the decimal is shown.
        if exact.len() > 60 || exact == self.decimal {
            return self.decimal.clone();
        }
        format!("{exact} ({})", self.decimal)
    }
}

/// The JSON of a decision, alone or in a list of all.
#[derive(Serialize)]
struct DecisionJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    mechanism: Option<&'a str>,
    notion: &'a str,
    /// Absent where the notion does not depend on priors.
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<String>,
    parameter: &'static str,
    #[serde(flatten)]
    number: Option<Number>,
    witness: Option<&'a str>,
    /// The reason why there is no witness.
    #[serde(skip_serializing_if = "Option::is_none")]
    nothing: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theorems: Option<&'a [&'static str]>,
    /// The reason why there is no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<&'a ClaimReport>,
}
