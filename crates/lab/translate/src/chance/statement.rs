//! Statements but for a chance: `epsilon=1,delta=1/1000000`, `zcdp=1/2`, `100xodds=101/100`.

use crate::parse::odds_or_epsilon;
use crate::statement::epsilon;
use deniable_core::budget::Spend;
use deniable_core::exact::Rational;
use deniable_core::loss::Chance;
use deniable_core::notion::parse::{ParseError, Text};
use num_traits::Signed;
use std::fmt::{self, Display, Formatter};

/// The most releases of one statement.
const MOST_RELEASES: u32 = 1_000_000;

/// A bound of the privacy loss of one release, about each two neighbouring datasets, in both directions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// Odds that hold surely: pure differential privacy.
    Pure(Spend),
    /// `P(S) ≤ R·Q(S) + δ` for every event: (ε,δ)-differential privacy, the hockey stick.
    Approximate(Spend, Chance),
    /// The loss of the output exceeds `ln R` with at most this chance: probabilistic differential privacy.
    Probabilistic(Spend, Chance),
    /// An event of odds above `R` has at most this chance (B-7).
    ButFor(Spend, Chance),
    /// All Rényi divergences are at most `α·ρ`: zero-concentrated differential privacy; `ρ` above 0.
    Concentrated(Rational),
    /// As hard to tell apart as two normal distributions of variance 1 that are `μ` apart; `μ` above 0.
    Gaussian(Rational),
}

/// A number of releases with the same bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Releases {
    /// The number of releases, at least 1.
    pub count: u32,
    /// The bound of each.
    pub loss: Loss,
}

/// Whether a text is a statement of this module that is none without a chance, by its form alone.
#[must_use]
pub fn is_about_a_chance(text: &str) -> bool {
    let (count, rest) = counted(text);
    let second = rest.split_once(',').and_then(|(_, second)| second.split_once('=')).map(|(name, _)| name.trim());
    let first = rest.split_once('=').map_or(rest, |(name, _)| name).trim();
    count.is_some() || SECOND.contains(&second.unwrap_or_default()) || [ZCDP, GAUSSIAN].contains(&first)
}

const SECOND: [&str; 3] = ["delta", "tail", "chance"];
const ZCDP: &str = "zcdp";
const GAUSSIAN: &str = "gaussian";

/// The count before an `x`, and the rest.
fn counted(text: &str) -> (Option<&str>, &str) {
    match text.trim().split_once('x') {
        Some((count, rest)) if !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()) => {
            (Some(count), rest)
        }
        _ => (None, text.trim()),
    }
}

/// Parses a statement, such as `zcdp=1/2` or `100xepsilon=1/10,delta=1/1000000`.
///
/// # Errors
/// When the text is not such a statement, with the place and a correction.
pub fn parse(text: &str) -> Result<Releases, ParseError> {
    let whole_text = Text(text);
    let (count, rest) = counted(text);
    let count = match count.map(str::parse) {
        None => 1,
        Some(Ok(count @ 1..=MOST_RELEASES)) => count,
        Some(_) => {
            let hint = format!("write a whole number from 1 to {MOST_RELEASES} before the `x`");
            return Err(whole_text.error(rest, "not a number of releases", hint));
        }
    };
    let (first, second) = rest.split_once(',').map_or((rest, None), |(first, second)| (first, Some(second)));
    let Some((name, value)) = first.split_once('=').map(|(name, value)| (name.trim(), value.trim())) else {
        return Err(whole_text.error(first, "a value is missing", "write `zcdp=1/2` or `epsilon=1,delta=1/1000000`"));
    };
    let positive = |value: &str| {
        let number = whole_text.number(value)?;
        if number.is_positive() {
            return Ok(number);
        }
        Err(whole_text.error(value, "not above 0", format!("write `{name}=1/2`")))
    };
    let loss = match (name, second) {
        (ZCDP, None) => Loss::Concentrated(positive(value)?),
        (GAUSSIAN, None) => Loss::Gaussian(positive(value)?),
        (ZCDP | GAUSSIAN, Some(second)) => {
            return Err(whole_text.error(second, "one value is expected", format!("write `{name}=1/2`")));
        }
        (_, None) => Loss::Pure(odds_or_epsilon(text, name, value)?),
        (_, Some(second)) => {
            let odds = odds_or_epsilon(text, name, value)?;
            let parts = second.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
            let Some((kind, value)) = parts.filter(|(kind, _)| SECOND.contains(kind)) else {
                let hint = "write `,delta=`, `,tail=` or `,chance=` with a number, as in `epsilon=1,delta=1/1000000`";
                return Err(whole_text.error(second, "not a chance", hint));
            };
            let chance = Chance::new(whole_text.number(value)?).map_err(|error| {
                whole_text.error(value, error.to_string(), "write a number between 0 and 1, such as `1/1000000`")
            })?;
            match kind {
                "delta" => Loss::Approximate(odds, chance),
                "tail" => Loss::Probabilistic(odds, chance),
                _ => Loss::ButFor(odds, chance),
            }
        }
    };
    Ok(Releases { count, loss })
}

impl Display for Loss {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pure(odds) => write!(f, "odds={odds}"),
            Self::Approximate(odds, chance) => write!(f, "epsilon={},delta={chance}", epsilon(odds)),
            Self::Probabilistic(odds, chance) => write!(f, "odds={odds},tail={chance}"),
            Self::ButFor(odds, chance) => write!(f, "odds={odds},chance={chance}"),
            Self::Concentrated(rho) => write!(f, "{ZCDP}={rho}"),
            Self::Gaussian(mu) => write!(f, "{GAUSSIAN}={mu}"),
        }
    }
}

impl Display for Releases {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.count > 1 {
            write!(f, "{}x", self.count)?;
        }
        self.loss.fmt(f)
    }
}
