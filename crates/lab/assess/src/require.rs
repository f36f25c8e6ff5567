//! Demands on a table, such as `k=5, t=0.2`, parsed exactly.
//!
//! | demand | is met when |
//! |---|---|
//! | `k=5` | every class has at least 5 people |
//! | `l=2` | every class has at least 2 different sensitive values |
//! | `entropy-l=2` | every class has entropy at least ln 2 |
//! | `recursive-l=3:2` | every class is recursively (c,l)-diverse with c = 3, l = 2 |
//! | `t=0.2` | every class is at most 0.2 from the whole table |
//! | `prosecutor=0.2`, `journalist=0.2` | no person is re-identified with a higher chance |
//! | `marketer=0.2` | the expected share of people re-identified is at most 0.2 |
//! | `epsilon-bop=1` | `α ≤ e^1·β` for every belief (LXL, one-sided); `epsilon-bop=ln(3)` is `α ≤ 3β` |
//! | `epsilon-bop-two-sided=1` | also `β ≤ e^1·α` |
//! | `belief-odds=3` | the odds of every sensitive value move by at most this factor, up or down |
//! | `odds=3` | the odds of presence move by at most this factor, up or down; needs a background |
//! | `gain=2` | belief in presence grows, and in absence shrinks, by at most this factor (B-2); needs a background |
//! | `negative-gain=2` | belief in presence shrinks, and in absence grows, by at most this factor (B-3n); needs a
//! background |
//!
//! A person of the background whom no class covers is certainly out: then neither `odds` nor `negative-gain` is met.
//!
//! Notions have every name of [`deniable_core::notion`]: `pmp=2` is `gain=2`, `loss=2` is `negative-gain=2`.
//!
//! Demands on beliefs must hold for observers who know the published margins, and for observers who know the
//! background, if there is one.

use crate::error::AssessError;
use crate::limit::Limit;
use deniable_core::exact::{Rational, inside_ln, parse_rational, whole};
use deniable_core::notion::{Notion, find};
use deniable_core::text::{meant_as_percentage, nearest, shown};
use num_traits::{One, Signed, ToPrimitive};

/// A demand on a table, with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Demand {
    /// k-anonymity: the least class size, from 1.
    K(u64),
    /// Distinct l-diversity: the least number of different sensitive values in a class.
    Distinct(u64),
    /// Entropy l-diversity: the entropy of each class is at least ln of this.
    Entropy(Rational),
    /// Recursive (c,l)-diversity of every class.
    Recursive {
        /// The `c`, a factor above 0.
        c: Rational,
        /// The `l`, at least 2.
        l: u32,
    },
    /// t-closeness: the largest distance of a class from the table, from 0 to 1.
    T(Rational),
    /// Highest risk for the prosecutor.
    Prosecutor(Rational),
    /// Highest risk for the journalist.
    Journalist(Rational),
    /// The largest expected share of people re-identified, from 0 to 1.
    Marketer(Rational),
    /// One-sided Bayes-optimal privacy (I-BOP): the largest `α/β`.
    EpsilonBop(Limit),
    /// Two-sided Bayes-optimal privacy (I-BOP): the largest `α/β` and `β/α`.
    EpsilonBopTwoSided(Limit),
    /// The largest factor by which the odds of a sensitive value move.
    BeliefOdds(Rational),
    /// The largest factor by which the odds of presence move.
    Odds(Rational),
    /// Gain of belief in presence.
    Gain(Rational),
    /// Gain of belief in absence.
    NegativeGain(Rational),
}

/// A demand and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The parsed demand.
    pub demand: Demand,
    /// The demand as it was written: `k=5`.
    pub text: String,
}

const NAMES: [&str; 14] = [
    "k",
    "l",
    "entropy-l",
    "recursive-l",
    "t",
    "prosecutor",
    "journalist",
    "marketer",
    "epsilon-bop",
    "epsilon-bop-two-sided",
    "belief-odds",
    "odds",
    "gain",
    "negative-gain",
];

impl Requirement {
    /// Parses demands separated by commas: `k=5, recursive-l=3:2, t=1/5`.
    ///
    /// # Errors
    /// Names the demand: no demand at all, an unknown or repeated name, an invalid number, or a number out of range.
    pub fn parse(text: &str) -> Result<Vec<Self>, AssessError> {
        let mut read: Vec<Self> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((name, value)) = part.split_once('=').map(|(name, value)| (name.trim(), value.trim())) else {
                return wrong(format!("`{}` is not a demand", shown(part)), "write a name and a number, such as k=5");
            };
            let meant = canonical(name);
            if names.contains(&meant) {
                return wrong(format!("duplicate demand `{}`", shown(name)), "keep one");
            }
            names.push(meant);
            read.push(Self { demand: demand(name, value)?, text: format!("{name}={value}") });
        }
        if read.is_empty() {
            return wrong("no demand is given".to_owned(), "write a name and a number, such as k=5");
        }
        Ok(read)
    }
}

impl std::fmt::Display for Requirement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl serde::Serialize for Requirement {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// The canonical name of [`NAMES`]; the text itself if it is unknown.
fn canonical(name: &str) -> &str {
    if NAMES.contains(&name) {
        return name;
    }
    match find(name).map(|found| found.notion) {
        Some(Notion::PositiveMembership) => "gain",
        Some(Notion::NegativeMembership) => "negative-gain",
        Some(Notion::BayesOptimal) => "epsilon-bop",
        Some(Notion::BayesOptimalTwoSided) => "epsilon-bop-two-sided",
        _ => name,
    }
}

fn wrong<T>(message: String, help: impl Into<String>) -> Result<T, AssessError> {
    Err(AssessError::Requirement { message, help: help.into() })
}

fn demand(name: &str, value: &str) -> Result<Demand, AssessError> {
    let one = whole(1);
    let in_range = |is_in: &dyn Fn(&Rational) -> bool, range: &str| match number(name, value)? {
        number if is_in(&number) => Ok(number),
        _ => wrong(format!("`{name}={}` must be {range}", shown(value)), ""),
    };
    let count = || {
        let number = in_range(&|number| number.is_integer() && number.is_positive(), "a whole number of at least 1")?;
        number.to_u64().map_or_else(|| wrong(format!("`{name}={}` is too large", shown(value)), ""), Ok)
    };
    let share = || {
        let number = number(name, value)?;
        if !number.is_negative() && number <= one {
            return Ok(number);
        }
        let meant = meant_as_percentage(&number).map_or_else(String::new, |meant| format!("did you mean {meant}?"));
        wrong(format!("`{name}={}` must be from 0 to 1", shown(value)), meant)
    };
    let epsilon = || match inside_ln(value) {
        Some(ratio) => match number(name, ratio)? {
            ratio if ratio >= one => Ok(Limit::Ratio(ratio)),
            _ => wrong(format!("`{name}={}` must be ln of at least 1", shown(value)), ""),
        },
        None => in_range(&|number| !number.is_negative() && *number <= whole(1000), "from 0 to 1000, or ln(3)")
            .map(Limit::Epsilon),
    };
    let factor = || in_range(&|number| *number >= one, "at least 1");
    Ok(match canonical(name) {
        "k" => Demand::K(count()?),
        "l" => Demand::Distinct(count()?),
        "entropy-l" => Demand::Entropy(factor()?),
        "recursive-l" => recursive(value)?,
        "t" => Demand::T(share()?),
        "prosecutor" => Demand::Prosecutor(share()?),
        "journalist" => Demand::Journalist(share()?),
        "marketer" => Demand::Marketer(share()?),
        "epsilon-bop" => Demand::EpsilonBop(epsilon()?),
        "epsilon-bop-two-sided" => Demand::EpsilonBopTwoSided(epsilon()?),
        "belief-odds" => Demand::BeliefOdds(factor()?),
        "odds" => Demand::Odds(factor()?),
        "gain" => Demand::Gain(factor()?),
        "negative-gain" => Demand::NegativeGain(factor()?),
        _ => {
            let meant = nearest(name, &NAMES)
                .map_or_else(|| format!("there are: {}", NAMES.join(", ")), |near| format!("did you mean `{near}`?"));
            return wrong(format!("unknown demand `{}`", shown(name)), meant);
        }
    })
}

fn number(name: &str, value: &str) -> Result<Rational, AssessError> {
    parse_rational(value).or_else(|error| wrong(format!("in `{name}`: {error}"), ""))
}

fn recursive(value: &str) -> Result<Demand, AssessError> {
    let form = || {
        wrong(
            format!("`recursive-l={}` must be c:l, with c above 0 and l from 2", shown(value)),
            "write 3:2, for example",
        )
    };
    let Some((c, l)) = value.split_once(':') else { return form() };
    let (c, l) = (number("recursive-l", c)?, number("recursive-l", l)?);
    let l = if l.denom().is_one() { l.to_u32() } else { None };
    match l {
        Some(l) if l >= 2 && c.is_positive() => Ok(Demand::Recursive { c, l }),
        _ => form(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notion_is_parsed_by_every_name() {
        let read = |text: &str| Requirement::parse(text).map(|mut all| all.remove(0).demand);
        for text in ["negative-gain=2", "loss=2", "nmp=2", "negative_gain=2"] {
            assert_eq!(read(text), Ok(Demand::NegativeGain(whole(2))), "{text}");
        }
        for text in ["gain=2", "pmp=2", "gamma=2"] {
            assert_eq!(read(text), Ok(Demand::Gain(whole(2))), "{text}");
        }
        assert_eq!(read("bop=ln(3)"), read("epsilon-bop=ln(3)"));
        assert!(Requirement::parse("loss=2, nmp=3").unwrap_err().to_string().contains("duplicate demand `nmp`"));
        assert!(read("posterior=1/2").unwrap_err().to_string().contains("unknown demand"));
    }
}
