//! `[budget]`: the parts of the promise that this policy may use, in all and of each version, and the confidence of its
//! intervals.

use crate::adversary::probability_help;
use crate::reader::{Field, ReadResult};
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::Signed;

/// The parts of the promise that this policy may use, and the confidence of its intervals.
pub(crate) struct Budget {
    pub(crate) spend: Rational,
    pub(crate) per_version: Option<Rational>,
    pub(crate) confidence: Rational,
}

impl Default for Budget {
    fn default() -> Self {
        Self { spend: whole(1), per_version: None, confidence: ratio(95, 100) }
    }
}

/// The part of the promise that the queries of a policy divide, and the key of `[budget]` that states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryBudget<'a> {
    /// `spend`, or `per_version` if that is smaller.
    pub key: &'static str,
    /// The part of ln R, in (0, 1].
    pub part: &'a Rational,
}

impl<'a> QueryBudget<'a> {
    pub(crate) fn new(spend: &'a Rational, per_version: Option<&'a Rational>) -> Self {
        match per_version {
            Some(part) if part < spend => Self { key: "per_version", part },
            _ => Self { key: "spend", part: spend },
        }
    }
}

impl Budget {
    pub(crate) fn for_queries(&self) -> QueryBudget<'_> {
        QueryBudget::new(&self.spend, self.per_version.as_ref())
    }
}

pub(crate) const KEYS: [&str; 3] = ["spend", "per_version", "confidence"];

pub(crate) fn read(field: &Field<'_>) -> ReadResult<Budget> {
    let section = field.section("[budget]", &KEYS)?;
    let spend = section.optional("spend", part);
    let per_version = section.optional("per_version", part);
    let confidence = section.optional("confidence", |field| {
        let value = field.number()?;
        if value.is_positive() && value < whole(1) {
            return Ok(value);
        }
        let help = probability_help(&value);
        Err(field.out_of_range(value, "between 0 and 1, both excluded", help))
    });
    let usual = Budget::default();
    Ok(Budget {
        spend: spend?.unwrap_or(usual.spend),
        per_version: per_version?,
        confidence: confidence?.unwrap_or(usual.confidence),
    })
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
        assert!(usual.spend.is_one() && usual.per_version.is_none());
        assert_eq!(usual.confidence, ratio(19, 20));
    }
}
