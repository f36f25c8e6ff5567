//! Claims about a mechanism's parameter: `gain=3/2`, `odds=3`, `epsilon=ln(3)`.

use crate::notion::Notion;
use crate::verdict::Value;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, inside_ln, parse_rational, whole};
use deniable_core::notion::find;
use num_traits::Signed;

/// A claim about one parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The parameter is at most this (at least this, for a floor).
    Exact(Rational),
    /// The odds are at most `e` to this power.
    Epsilon(Rational),
}

/// A text that is not a claim about the notion's parameter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: {problem}; write `{}`", .examples.join("` or `"))]
pub struct ClaimError {
    /// The claim.
    pub text: String,
    /// The error, in words.
    pub problem: String,
    /// Valid claims, such as `gain=3/2`.
    pub examples: Vec<String>,
}

impl Claim {
    /// Parses a claim about the parameter of this notion.
    ///
    /// # Errors
    /// When the claim is about another parameter, its value is not a number, or the parameter cannot have that value.
    pub fn read(text: &str, notion: &Notion) -> Result<Self, ClaimError> {
        let entry = notion.entry();
        let bounds = entry.bounds;
        let is_odds = bounds.name == "odds";
        let mut examples = vec![format!("{}={}", bounds.name, bounds.example)];
        if is_odds {
            examples.push("epsilon=ln(3)".to_owned());
        }
        let wrong = |problem: String| ClaimError { text: text.to_owned(), problem, examples: examples.clone() };
        let (name, value) = text.split_once('=').ok_or_else(|| wrong("there is no `=`".to_owned()))?;
        let number = |value: &str| parse_rational(value).map_err(|error| wrong(error.to_string()));
        // The parameter's name, and each name of the notion: `gamma` and `pmp` are the gain of PMP.
        let is_named = |name: &str| {
            name == bounds.name || (!is_odds && find(name).is_some_and(|found| found.notion == entry.notion))
        };
        match name.trim() {
            name if is_named(name) => {
                let value = number(value)?;
                if value < whole(bounds.least) || bounds.most.is_some_and(|most| value > whole(most)) {
                    return Err(wrong(format!("{name} is {}", bounds.range)));
                }
                Ok(Self::Exact(value))
            }
            "epsilon" if is_odds => match inside_ln(value) {
                // e^ln(q) is q.
                Some(odds) => {
                    let odds = number(odds)?;
                    if odds <= whole(1) {
                        return Err(wrong("epsilon must be above 0, the logarithm of more than 1".to_owned()));
                    }
                    Ok(Self::Exact(odds))
                }
                None => {
                    let value = number(value)?;
                    if !value.is_positive() {
                        return Err(wrong(format!("epsilon must be above 0, and is {value}")));
                    }
                    Ok(Self::Epsilon(value))
                }
            },
            name => Err(wrong(format!("the parameter of this notion is `{}`, not `{name}`", bounds.name))),
        }
    }

    /// The claim as a fraction, rounded up: the search for smaller cases that break it needs a fraction.
    #[must_use]
    pub fn at_most(&self) -> Option<Rational> {
        match self {
            Self::Exact(value) => Some(value.clone()),
            Self::Epsilon(epsilon) => Spend::epsilon(epsilon.clone()).ok().map(|limit| limit.odds_at_most()),
        }
    }

    /// Whether the claim holds; `None` where it is inside the bracket.
    ///
    /// # Errors
    /// When the odds and `e^ε` are too close to compare.
    pub fn holds(&self, is_worse_when_larger: bool, value: &Value) -> Result<Option<bool>, SpendError> {
        match self {
            _ if value.is_vacuous() => Ok(Some(true)),
            Self::Exact(claim) if is_worse_when_larger => Ok(value.keeps(claim)),
            Self::Exact(claim) => {
                let claim = Bound::Finite(claim.clone());
                Ok(if *value.low() >= claim {
                    Some(true)
                } else if *value.high() < claim {
                    Some(false)
                } else {
                    None
                })
            }
            Self::Epsilon(epsilon) => {
                let limit = Spend::epsilon(epsilon.clone())?;
                let fits = |bound: &Bound| match bound {
                    Bound::Infinite => Ok(false),
                    // Odds of 1 spend nothing, so they are within every limit.
                    Bound::Finite(odds) if *odds <= whole(1) => Ok(true),
                    Bound::Finite(odds) => Spend::odds(odds.clone())?.fits(&limit),
                };
                Ok(match (fits(value.high())?, fits(value.low())?) {
                    (true, _) => Some(true),
                    (false, false) => Some(false),
                    (false, true) => None,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;
    use deniable_core::exact::ratio;

    fn read(notion: &str, claim: &str) -> Result<Claim, String> {
        Claim::read(claim, &words::notion(notion).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn impossible_values_are_refused_and_the_hint_is_possible() {
        for word in &words::NOTIONS {
            let fill = |form: &str| form.replace(":M", ":2").replace(":K", ":1").replace(":ODDS", ":3/2");
            let text = fill(word.form).replace(":DELTA", ":0.01").replace(":P_MIN", ":0").replace(":RATE", ":1/2");
            let wrong = Claim::read("none", &words::notion(&text).unwrap()).unwrap_err();
            assert!(wrong.examples.iter().all(|example| read(&text, example).is_ok()), "{text}: {wrong}");
            let parameter = words::notion(&text).unwrap().parameter();
            assert!(read(&text, &format!("{parameter}=-1")).is_err(), "{text}");
        }
        for (notion, claim, said) in [
            ("posterior", "posterior=3/2", "posterior is a belief from 0 to 1"),
            ("dp", "odds=1/2", "odds is odds of at least 1"),
            ("rho:2", "rho=2", "rho is a belief from 0 to 1"),
            ("dp", "epsilon=-1", "epsilon must be above 0, and is -1"),
            ("dp", "epsilon=0", "epsilon must be above 0, and is 0"),
            ("dp", "epsilon=ln(1)", "epsilon must be above 0"),
            ("pmp", "odds=2", "the parameter of this notion is `gain`, not `odds`"),
        ] {
            let wrong = read(notion, claim).unwrap_err();
            assert!(wrong.contains(said), "{wrong}");
        }
    }

    #[test]
    fn logarithms_are_exact() {
        for text in ["epsilon=ln(3)", "epsilon=ln 3", "epsilon=ln(6/2)", "odds=3"] {
            assert_eq!(read("dp", text), Ok(Claim::Exact(whole(3))), "{text}");
        }
        let three = Value::Attained(Bound::Finite(whole(3)));
        assert_eq!(read("dp", "epsilon=ln(3)").unwrap().holds(true, &three), Ok(Some(true)));
        assert_eq!(read("dp", "epsilon=ln(2.99)").unwrap().holds(true, &three), Ok(Some(false)));
        assert_eq!(read("dp", "epsilon=1.1").unwrap().holds(true, &three), Ok(Some(true)));
        assert_eq!(read("dp", "epsilon=1").unwrap().holds(true, &three), Ok(Some(false)));
        assert_eq!(read("dp", "epsilon=1/100").unwrap().holds(true, &Value::Attained(Bound::one())), Ok(Some(true)));
    }

    /// Smaller cases are searched with a fraction no smaller than e^ε: whatever breaks it breaks the claim.
    #[test]
    fn the_fraction_for_epsilon_is_no_smaller() {
        let near = read("dp", "epsilon=1").unwrap().at_most().unwrap();
        assert!(near >= ratio(2_718_281_828, 1_000_000_000) && near < ratio(2_718_282, 1_000_000), "{near}");
    }

    #[test]
    fn a_vacuous_value_keeps_every_claim() {
        for (notion, claim) in [("dp", "odds=1"), ("dp", "epsilon=1/2"), ("floor", "posterior=1")] {
            let value = Value::Vacuous(Bound::one());
            let worse = words::notion(notion).unwrap().is_worse_when_larger();
            assert_eq!(read(notion, claim).unwrap().holds(worse, &value), Ok(Some(true)));
        }
    }
}
