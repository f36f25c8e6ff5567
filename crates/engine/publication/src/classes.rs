//! The errors that the classes of quality allow, for readers of a published answer.

use crate::numbers::exact;
use deniable_core::exact::{Rational, Rounding, percent};
use serde::{Deserialize, Serialize};

/// The largest relative error of each class of quality, as parts of the number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityClasses {
    /// Of class A.
    #[serde(with = "exact")]
    pub a: Rational,
    /// Of class B.
    #[serde(with = "exact")]
    pub b: Rational,
    /// Of class C.
    #[serde(with = "exact")]
    pub c: Rational,
}

/// As sentences that explain the classes.
impl std::fmt::Display for QualityClasses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, c] = [&self.a, &self.b, &self.c].map(|most| percent(most, 2, Rounding::Nearest));
        write!(
            f,
            "A number of class A has an error of at most {a}, B {b} and C {c} of the number; with a larger error it is not \
             usable. The error is the standard error of the noise, which noise exceeds once in three or four draws, and what caps \
             and bounds leave out as far as a public statement bounds it (\"bias unknown\": no statement does). It does \
             not include the error of a sample"
        )
    }
}
