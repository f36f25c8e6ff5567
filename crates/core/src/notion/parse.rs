//! A notion as text: its name, and its parameters after a colon, as in `rho:100` and `alpha:1/10..1/2`.
//!
//! `check` and `translate` parse names and parameters here, and decide which notions they support.
//!
//! ```
//! use deniable_core::notion::{Parameter, parse::Text};
//!
//! let text = Text("rho:1");
//! let (name, among) = text.parts();
//! assert_eq!((name, text.argument(Some("7"), "rho:M").count(&Parameter::AMONG)), ("rho", Ok(7)));
//! let error = text.argument(among, "rho:M").count(&Parameter::AMONG).unwrap_err();
//! assert_eq!(error.to_string(), "`rho:1`, at `1`: not a whole number, at least 2; write `rho:M`");
//! ```

use super::key;
use crate::adversary::PriorRange;
use crate::exact::{Rational, parse_rational, ratio, whole};
use crate::text::{did_you_mean, nearest, shown};
use num_traits::{Signed, Zero};
use std::num::IntErrorKind;
use std::str::FromStr;

/// The longest accepted number: translations print more digits than people type.
pub const LONGEST_NUMBER: usize = 20_000;

/// A parameter beside the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its key in a policy: `among`.
    pub key: &'static str,
    /// Its place in [`Entry::form`](super::Entry::form): `M`.
    pub place: &'static str,
    /// Its range in words, as messages quote it: `a belief from 0 to 1`.
    pub range: &'static str,
    values: Values,
}

/// The values in the range of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    /// Whole numbers from `least` to `most`.
    Whole { least: u32, most: u32 },
    /// From 1.
    Factor,
    /// From 0 to 1, both included.
    Closed,
    /// From 0 to 1, both excluded.
    Open,
    /// From 0 to 1/2, both included.
    Half,
}

impl Parameter {
    /// The e^ε at which δ is bounded.
    pub const ODDS: Self = Self::new("odds", "ODDS", "an e^ε of at least 1", Values::Factor);
    /// The δ at which e^ε is bounded.
    pub const DELTA: Self = Self::new("delta", "DELTA", "a δ from 0 to 1", Values::Closed);
    /// The least prior of a world.
    pub const P_MIN: Self = Self::new(key::P_MIN, "P_MIN", "a prior from 0 to 1/2", Values::Half);
    /// The largest prior of a world.
    pub const P_MAX: Self = Self::new(key::P_MAX, "P_MAX", "a prior from P_MIN to below 1", Values::Open);
    /// The probability with which each member is kept.
    pub const RATE: Self = Self::new("rate", "RATE", "a probability above 0 and below 1", Values::Open);
    /// The number of equally likely entities.
    pub const AMONG: Self = Self::at_least(2, key::AMONG, "M", "a whole number, at least 2");
    /// The size of the largest group.
    pub const SIZE: Self =
        Self::new("size", "K", "a whole number from 1 to 10000", Values::Whole { least: 1, most: 10_000 });
    /// The number of rows that a simulator sees.
    pub const ROWS: Self = Self::at_least(0, "rows", "K", "a whole number");
    /// The size of a crowd.
    pub const CROWD: Self = Self::at_least(1, "crowd", "K", "a whole number, at least 1");

    const fn new(key: &'static str, place: &'static str, range: &'static str, values: Values) -> Self {
        Self { key, place, range, values }
    }

    const fn at_least(least: u32, key: &'static str, place: &'static str, range: &'static str) -> Self {
        Self::new(key, place, range, Values::Whole { least, most: u32::MAX })
    }

    fn has(&self, value: &Rational) -> bool {
        match self.values {
            Values::Whole { least, most } => value.is_integer() && (whole(least)..=whole(most)).contains(value),
            Values::Factor => *value >= whole(1),
            Values::Closed => (whole(0)..=whole(1)).contains(value),
            Values::Open => value.is_positive() && *value < whole(1),
            Values::Half => (whole(0)..=ratio(1, 2)).contains(value),
        }
    }
}

/// A text that cannot be parsed: the place, the reason, and the expected form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}; {hint}", place(text, at))]
pub struct ParseError {
    /// The whole text.
    pub text: String,
    /// The invalid part.
    pub at: String,
    /// The reason.
    pub problem: String,
    /// The expected form, in words.
    pub hint: String,
}

/// The text, and the invalid part unless that is the whole text.
fn place(text: &str, at: &str) -> String {
    let quoted = shown(text);
    if text.trim() == at { format!("`{quoted}`: ") } else { format!("`{quoted}`, at `{}`: ", shown(at)) }
}

/// A text that is being parsed. Errors quote it.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a>(pub &'a str);

impl<'a> Text<'a> {
    /// The name, and the text after its colon.
    #[must_use]
    pub fn parts(self) -> (&'a str, Option<&'a str>) {
        match self.0.split_once(':') {
            Some((name, argument)) => (name.trim(), Some(argument.trim())),
            None => (self.0.trim(), None),
        }
    }

    /// The parameters after a name; errors quote `example`.
    #[must_use]
    pub const fn argument(self, argument: Option<&'a str>, example: &'static str) -> Argument<'a> {
        Argument { text: self, argument, example }
    }

    /// An error at a part of the text.
    #[must_use]
    pub fn error(self, at: &str, problem: impl Into<String>, hint: impl Into<String>) -> ParseError {
        ParseError { text: self.0.to_owned(), at: at.trim().to_owned(), problem: problem.into(), hint: hint.into() }
    }

    /// The error for an unknown name: suggests the nearest name, or lists the first names.
    #[must_use]
    pub fn unknown(self, kind: &str, name: &str, all: &[&str], listed: &[&str]) -> ParseError {
        let hint = nearest(name, all)
            .map_or_else(|| did_you_mean(name, listed.iter().copied()), |near| format!("did you mean `{near}`?"));
        self.error(name, format!("no such {kind}"), hint)
    }

    /// An exact number.
    ///
    /// # Errors
    /// When the part is not a number, or too long.
    pub fn number(self, part: &str) -> Result<Rational, ParseError> {
        parse_rational(part)
            .or_else(|wrong| long(part).ok_or(wrong))
            .map_err(|wrong| self.error(part, "not an exact number", wrong.to_string()))
    }
}

impl Text<'_> {
    /// A range of priors: `1/5..4/5`, `..1/2`, `1/10..`, one belief such as `1/3`, or `any`.
    ///
    /// # Errors
    /// When the part is not a range of priors.
    pub fn priors(self, part: &str) -> Result<PriorRange, ParseError> {
        if part.trim() == "any" {
            return Ok(PriorRange::any());
        }
        let end = |end: &str| if end.trim().is_empty() { Ok(None) } else { self.number(end).map(Some) };
        let (low, high) = match part.split_once("..") {
            Some((low, high)) => (end(low)?, end(high)?),
            None => {
                let belief = self.number(part)?;
                (Some(belief.clone()), Some(belief))
            }
        };
        PriorRange::new(low, high).map_err(|wrong| {
            self.error(part, wrong.to_string(), "write priors from 0 to 1, as `1/5..4/5`, `..1/2` or `any`")
        })
    }
}

/// A range of priors as text, see [`Text::priors`].
impl FromStr for PriorRange {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Text(text).priors(text)
    }
}

/// Parses a fraction of long whole numbers, as translations print them.
fn long(text: &str) -> Option<Rational> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '/');
    if plain && text.len() <= LONGEST_NUMBER { text.parse().ok() } else { None }
}

/// The parameters that follow a name.
#[derive(Debug, Clone, Copy)]
pub struct Argument<'a> {
    text: Text<'a>,
    argument: Option<&'a str>,
    example: &'static str,
}

impl<'a> Argument<'a> {
    /// The parameters as text.
    ///
    /// # Errors
    /// When the parameters are missing.
    pub fn needed(self) -> Result<&'a str, ParseError> {
        self.argument
            .filter(|argument| !argument.is_empty())
            .ok_or_else(|| self.text.error(self.text.0, "a parameter is missing", self.hint()))
    }

    /// Fails if there are parameters.
    ///
    /// # Errors
    /// When there are parameters.
    pub fn none(self) -> Result<(), ParseError> {
        self.argument.map_or(Ok(()), |argument| Err(self.text.error(argument, "unexpected parameter", "leave it out")))
    }

    /// A number in the parameter's range.
    ///
    /// # Errors
    /// When it is missing, not a number, or out of range.
    pub fn number(self, parameter: &Parameter) -> Result<Rational, ParseError> {
        let argument = self.needed()?;
        self.in_range(argument, self.text.number(argument)?, parameter)
    }

    /// A whole number in the parameter's range.
    ///
    /// # Errors
    /// When it is missing, not a whole number, or out of range.
    pub fn count(self, parameter: &Parameter) -> Result<u32, ParseError> {
        let argument = self.needed()?;
        let count: u32 = argument.trim().parse().map_err(|error: std::num::ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => self.text.error(argument, "too large", self.hint()),
            _ => self.out_of_range(argument, parameter),
        })?;
        self.in_range(argument, whole(count), parameter).map(|_| count)
    }

    /// Parses the priors of worlds, `P_MIN` or `P_MIN..P_MAX`; an omitted end is unbounded.
    ///
    /// # Errors
    /// When it is missing, an end is out of its range, or `P_MAX` is 0 or below `P_MIN`. `P_MAX` may be 1.
    pub fn worlds(self) -> Result<(Rational, Option<Rational>), ParseError> {
        let argument = self.needed()?;
        let (low, high) = argument.split_once("..").unwrap_or((argument, ""));
        let low = if low.trim().is_empty() {
            whole(0)
        } else {
            self.text.argument(Some(low), self.example).number(&Parameter::P_MIN)?
        };
        if high.trim().is_empty() {
            return Ok((low, None));
        }
        let most = self.text.number(high)?;
        if most < low || most.is_zero() || most > whole(1) {
            return Err(self.text.error(high, "not a prior from P_MIN to 1, above 0", self.hint()));
        }
        Ok((low, Some(most)))
    }

    fn in_range(self, part: &str, value: Rational, parameter: &Parameter) -> Result<Rational, ParseError> {
        if parameter.has(&value) { Ok(value) } else { Err(self.out_of_range(part, parameter)) }
    }

    fn out_of_range(self, part: &str, parameter: &Parameter) -> ParseError {
        self.text.error(part, format!("not {}", parameter.range), self.hint())
    }

    fn hint(self) -> String {
        format!("write `{}`", self.example)
    }
}
