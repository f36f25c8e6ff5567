//! `--spend`: a share of the promise, or an ε that equals a share exactly.

use crate::error::Failure;
use deniable::share_of;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, inside_ln, parse_rational, whole};

/// The largest cost of an answer.
#[derive(Debug, Clone)]
pub enum Spending {
    /// A part of the promise.
    Share(Rational),
    /// An ε, as an odds ratio.
    Epsilon(Spend),
}

/// Parses a share of the promise, exactly.
pub fn share(text: &str) -> Result<Rational, String> {
    let value = parse_rational(text).map_err(|error| error.to_string())?;
    let inside = value > whole(0) && value <= whole(1);
    if inside { Ok(value) } else { Err("a share is above 0 and at most 1, such as 1/40 or 2.5%".to_owned()) }
}

/// Parses a share, or an ε as `epsilon=0.1`.
pub fn spending(text: &str) -> Result<Spending, String> {
    let Some(epsilon) = text.trim().strip_prefix("epsilon").and_then(|rest| rest.trim_start().strip_prefix('=')) else {
        return share(text).map(Spending::Share);
    };
    let number = |text: &str| parse_rational(text.trim()).map_err(|error| error.to_string());
    let spend = match inside_ln(epsilon) {
        Some(odds) => Spend::odds(number(odds)?),
        None => Spend::epsilon(number(epsilon)?),
    };
    spend.map(Spending::Epsilon).map_err(|_| "an ε is above 0, as in epsilon=0.1".to_owned())
}

impl Spending {
    /// Converts to a share of the promise.
    ///
    /// # Errors
    /// When an ε is not exactly a share of the promise, or exceeds it.
    pub fn share(&self, limit: &Spend) -> Result<Rational, Failure> {
        let epsilon = match self {
            Self::Share(share) => return Ok(share.clone()),
            Self::Epsilon(epsilon) => epsilon,
        };
        let whole_promise = limit.logarithm_in_words();
        match share_of(epsilon, limit) {
            Ok(share) if share <= whole(1) => Ok(share),
            Ok(_) => Err(Failure::refused(
                format!("--spend exceeds the whole promise, {whole_promise}"),
                "spend a share of it, such as 1/40",
            )),
            Err(nearest) => Err(Failure::refused(
                format!("ε = {} is not an exact share of the promise, {whole_promise}", epsilon.epsilon_in_words()),
                format!(
                    "use --spend {nearest}, the nearest smaller share that is one over a whole number; if the policy \
                     promises `epsilon`, every ε is a share"
                ),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn epsilon_converts_only_to_an_exact_share() {
        let of = |text: &str, limit: &Spend| spending(text).unwrap().share(limit).ok();
        let (one, three) = (Spend::epsilon(ratio(2, 1)).unwrap(), Spend::odds(whole(3)).unwrap());
        assert_eq!(of("epsilon=0.1", &one), Some(ratio(1, 20)));
        assert_eq!(of("epsilon = 2", &one), Some(whole(1)));
        assert_eq!(of("2.5%", &one), Some(ratio(1, 40)));
        assert_eq!(of("epsilon=ln(3)", &three), Some(whole(1)));
        for (text, limit) in
            [("epsilon=0.1", &three), ("epsilon=3", &one), ("epsilon=ln(2)", &one), ("epsilon=ln(9)", &three)]
        {
            assert_eq!(of(text, limit), None, "{text}");
        }
        for wrong in ["epsilon=0", "epsilon=-1", "epsilon=", "epsilon=ln(1)", "epsilon=x", "0", "2"] {
            assert!(spending(wrong).is_err(), "{wrong}");
        }
    }
}
