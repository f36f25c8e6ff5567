//! `[budget]`: the part of the promise that this policy may use, and the confidence of its intervals.

use crate::adversary::probability_help;
use crate::reader::{Field, ReadResult};
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::Signed;

/// The part of the promise that this policy may use, and the confidence of its intervals.
pub(crate) struct Budget {
    pub(crate) spend: Rational,
    pub(crate) confidence: Rational,
}

impl Default for Budget {
    fn default() -> Self {
        Self { spend: whole(1), confidence: ratio(95, 100) }
    }
}

pub(crate) const KEYS: [&str; 2] = ["spend", "confidence"];

pub(crate) fn read(field: &Field<'_>) -> ReadResult<Budget> {
    let section = field.section("[budget]", &KEYS)?;
    let spend = section.optional("spend", part);
    let confidence = section.optional("confidence", |field| {
        let value = field.number()?;
        if value.is_positive() && value < whole(1) {
            return Ok(value);
        }
        let help = probability_help(&value);
        Err(field.out_of_range(value, "between 0 and 1, both excluded", help))
    });
    let usual = Budget::default();
    Ok(Budget { spend: spend?.unwrap_or(usual.spend), confidence: confidence?.unwrap_or(usual.confidence) })
}

/// A part of the promise.
pub(crate) fn part(field: &Field<'_>) -> ReadResult<Rational> {
    let value = field.number()?;
    if value.is_positive() && value <= whole(1) {
        return Ok(value);
    }
    let help = if value >= whole(2) {
        probability_help(&value)
    } else {
        "write a part such as \"1/2\"; 1 is all of it".to_owned()
    };
    Err(field.out_of_range(value, "above 0 and at most 1", help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::One;

    #[test]
    fn usual_budget() {
        let usual = Budget::default();
        assert!(usual.spend.is_one());
        assert_eq!(usual.confidence, ratio(19, 20));
    }
}
