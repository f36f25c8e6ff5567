//! Parsing of statements and targets.
//!
//! `name=value`, `name:parameter`, and after `@` the adjacency or the priors: `gain=3/2@1/5..4/5@replace-one`.
//! [`SPELLINGS`] lists every name with an example.

use crate::amount::plain;
use crate::notion::{Facts, Notion, SPELLINGS, Sign, Spelling, canonical};
use crate::statement::{Statement, StatementParameter, Target};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, whole};
use deniable_core::notion::parse::{Argument, LONGEST_NUMBER, ParseError, Text};
use deniable_core::notion::{Parameter, every_name, find};
use deniable_core::text::nearest;
use num_traits::{One, Pow};

/// k-Max, whose k determines a gain under the uniform prior (E-1).
const K_MAX: Spelling = Spelling { name: "k-max", statement: "k-max=2", target: "k-max" };

/// A larger ε is certainly a mistake.
const LARGEST_EPSILON: i64 = 4096;

/// The largest number of people accepted: odds are raised to its power.
const MOST_PEOPLE: u32 = 10_000;

/// Parses a statement such as `gain=3/2`; `priors` is the default range.
///
/// # Errors
/// When the text is not a statement, with the place and a correction.
pub fn statement(text: &str, priors: &PriorRange) -> Result<Statement, ParseError> {
    let reader = Reader { text: Text(text) };
    let parts = reader.parts(true)?;
    let (name, value) = (parts.name, parts.value.unwrap_or_default());
    // The parameter may also follow the value, or precede it after the `=`.
    let (parameter, value) = match name {
        "rho" | "alpha-beta" => {
            value.rsplit_once(':').map_or((parts.parameter, value), |(value, parameter)| (Some(parameter), value))
        }
        _ if parts.parameter.is_none() && parts.example.contains([':', ',']) => {
            let (parameter, rest) = value.split_once(',').ok_or_else(|| {
                reader.text.error(value, "two values are expected", format!("write `{}`", parts.example))
            })?;
            (Some(parameter), rest.trim())
        }
        _ => (parts.parameter, value),
    };
    let number = |value: &str| reader.text.number(value).map(StatementParameter::Number);
    let mut notion = reader.notion(name, reader.text.argument(parameter, parts.example))?;
    let stated = match &notion {
        _ if name == K_MAX.name => StatementParameter::Number(reader.k_max(value)?),
        Notion::AlphaBeta { .. } => {
            let (alpha, beta) = value
                .split_once(',')
                .ok_or_else(|| reader.text.error(value, "α and β are two numbers", "write `alpha-beta=1/2,1/2`"))?;
            StatementParameter::Pair(reader.text.number(alpha)?, reader.text.number(beta)?)
        }
        // After sampling, the bound is on the gain or on the odds.
        Notion::Sampling { rate } | Notion::SampledGain { rate } => {
            let rate = rate.clone();
            let gain = match value.split_once('=') {
                Some((word, gain)) if canonical(word) == Some("gain") => Some(gain),
                None if name == "sampled-gain" => Some(value),
                _ => None,
            };
            notion = if gain.is_some() { Notion::SampledGain { rate } } else { Notion::Sampling { rate } };
            gain.map_or_else(|| reader.named_odds(value).map(StatementParameter::Odds), number)?
        }
        Notion::Epsilon(_) => StatementParameter::Odds(reader.epsilon(value)?),
        Notion::Odds(_) | Notion::FreeLunch => StatementParameter::Odds(reader.odds(value)?),
        notion if notion.is_odds() => StatementParameter::Odds(reader.named_odds(value)?),
        _ => number(value)?,
    };
    Ok(Statement { target: reader.against(name, notion, &parts.suffixes, priors)?, value: stated })
}

/// The odds that `odds=VALUE` or `epsilon=VALUE` states, a part of `text`.
pub(crate) fn odds_or_epsilon(text: &str, name: &str, value: &str) -> Result<Spend, ParseError> {
    let reader = Reader { text: Text(text) };
    match canonical(name) {
        Some("odds") => reader.odds(value),
        Some("epsilon") => reader.epsilon(value),
        _ => Err(reader.text.error(name, "neither odds nor epsilon", "write `odds=3` or `epsilon=1`")),
    }
}

/// Parses a target such as `rho:100`; `priors` is the default range.
///
/// # Errors
/// When the text is not a target, with the place and a correction.
pub fn target(text: &str, priors: &PriorRange) -> Result<Target, ParseError> {
    let reader = Reader { text: Text(text) };
    let parts = reader.parts(false)?;
    let notion = reader.notion(parts.name, reader.text.argument(parts.parameter, parts.example))?;
    reader.against(parts.name, notion, &parts.suffixes, priors)
}

/// An example of every notion, each once: `unbounded-odds` is a synonym of `odds`.
#[must_use]
pub fn targets() -> Vec<&'static str> {
    let mut seen: Vec<Target> = Vec::new();
    let new = |text: &&str| match target(text, &PriorRange::any()) {
        Ok(target) if seen.contains(&target) => false,
        Ok(target) => {
            seen.push(target);
            true
        }
        Err(_) => true,
    };
    SPELLINGS.iter().map(|spelling| spelling.target).filter(new).collect()
}

struct Reader<'a> {
    text: Text<'a>,
}

struct Parts<'a> {
    name: &'a str,
    parameter: Option<&'a str>,
    value: Option<&'a str>,
    suffixes: Vec<&'a str>,
    /// An example of the form, for messages.
    example: &'static str,
}

impl<'a> Reader<'a> {
    fn parts(&self, valued: bool) -> Result<Parts<'a>, ParseError> {
        let mut pieces: Vec<&str> = self.text.0.split('@').map(str::trim).collect();
        let head = pieces.remove(0);
        let parted = |piece: &'a str| piece.split_once('=').map(|(front, value)| (front.trim(), value.trim()));
        let (front, value) = match (parted(head), pieces.last_mut()) {
            (Some((front, value)), _) => (front, Some(value)),
            // The value may follow the adjacency and the priors, as translations display it.
            (None, Some(last)) => match parted(last) {
                Some((suffix, value)) => {
                    *last = suffix;
                    (head, Some(value))
                }
                None => (head, None),
            },
            (None, None) => (head, None),
        };
        let (name, parameter) = Text(front).parts();
        let wanted = canonical(name).unwrap_or(name);
        let known = SPELLINGS.iter().chain([&K_MAX]).find(|spelling| spelling.name == wanted);
        let Some(Spelling { name, statement, target }) = known else { return Err(self.unknown(name)) };
        let example = if valued { statement } else { target };
        match value {
            None | Some("") if valued => Err(self.text.error(head, "a value is missing", format!("write `{example}`"))),
            Some(_) if !valued => Err(self.text.error(head, "a target has no value", format!("write `{example}`"))),
            _ => Ok(Parts { name, parameter, value, suffixes: pieces, example }),
        }
    }

    fn unknown(&self, name: &str) -> ParseError {
        let listed = SPELLINGS.each_ref().map(|spelling| spelling.name);
        if let Some(found) = find(name) {
            let problem = format!("{} is not translated", found.notion.entry().title);
            return self.text.error(name, problem, format!("the notions are {}", listed.join(", ")));
        }
        let names = every_name().map(|found| found.name).filter(|name| canonical(name).is_some());
        let all: Vec<&str> = names.chain([K_MAX.name]).collect();
        self.text.unknown("notion", name, &all, &listed)
    }

    /// The notion of this name with these parameters.
    fn notion(&self, name: &str, argument: Argument) -> Result<Notion, ParseError> {
        let rate = || argument.number(&Parameter::RATE);
        Ok(match name {
            "rho" => Notion::Rho { among: argument.count(&Parameter::AMONG)? },
            "alpha-beta" => {
                // Without a range, worlds may have any prior.
                let (least, most) = argument.needed().map_or(Ok((whole(0), None)), |_| argument.worlds())?;
                if most.as_ref().is_some_and(One::is_one) {
                    return Err(self.text.error(argument.needed()?, "P_MAX is not below 1", "write `:1/10..1/2`"));
                }
                Notion::AlphaBeta { least, most }
            }
            "sampling" => Notion::Sampling { rate: rate()? },
            "positive-sampling" => Notion::PositiveSampling { rate: rate()? },
            "sampled-gain" => Notion::SampledGain { rate: rate()? },
            "group-privacy" => Notion::Group { size: argument.count(&Parameter::SIZE)? },
            "zero-knowledge" => Notion::ZeroKnowledge { rows: self.people(argument, &Parameter::ROWS)? },
            "zero-knowledge-rows" => Notion::ZeroKnowledgeRows { rows: self.people(argument, &Parameter::ROWS)? },
            "crowd-blending" => match self.people(argument, &Parameter::CROWD)? {
                1 => {
                    let hint = "one entity alone always blends in: write a whole number from 2 to 10000";
                    return Err(self.text.error(argument.needed()?, "a crowd of one protects no entity", hint));
                }
                crowd => Notion::CrowdBlending { crowd },
            },
            "induced-neighbours" => Notion::Induced(self.facts(argument.needed()?, "people")?),
            "induced-exchange" => Notion::InducedExchange(self.facts(argument.needed()?, "moves")?),
            name => {
                argument.none()?;
                self.plain(name)?
            }
        })
    }

    /// A number of people to whose power odds can be raised.
    fn people(&self, argument: Argument, parameter: &Parameter) -> Result<u32, ParseError> {
        match argument.count(parameter)? {
            count @ ..=MOST_PEOPLE => Ok(count),
            _ => Err(self.text.error(argument.needed()?, "too large", "write a whole number up to 10000")),
        }
    }

    fn plain(&self, name: &str) -> Result<Notion, ParseError> {
        Ok(match name {
            "odds" | "unbounded-odds" | "bounded-odds" => Notion::Odds(Sign::Both),
            "epsilon" | "unbounded-epsilon" | "bounded-epsilon" => Notion::Epsilon(Sign::Both),
            "positive-odds" => Notion::Odds(Sign::Positive),
            "negative-odds" => Notion::Odds(Sign::Negative),
            "positive-epsilon" => Notion::Epsilon(Sign::Positive),
            "negative-epsilon" => Notion::Epsilon(Sign::Negative),
            "free-lunch" => Notion::FreeLunch,
            "gain" => Notion::Gain,
            "negative-gain" => Notion::NegativeGain,
            "membership" => Notion::Membership,
            "posterior-at-most" => Notion::Ceiling,
            "posterior-at-least" => Notion::Floor,
            "uniform-gain" | "k-max" => Notion::UniformGain,
            "indistinguishable" => Notion::Indistinguishable { sign: Sign::Both },
            "bayes-optimal" => Notion::BayesOptimal { both: false },
            "bayes-optimal-two-sided" => Notion::BayesOptimal { both: true },
            "semi-honest" => Notion::SemiHonest { both: false },
            "semi-honest-both" => Notion::SemiHonest { both: true },
            _ => return Err(self.unknown(name)),
        })
    }

    fn against(
        &self,
        name: &str,
        notion: Notion,
        suffixes: &[&str],
        priors: &PriorRange,
    ) -> Result<Target, ParseError> {
        let bounded = name.starts_with("bounded-");
        let fixed = bounded || name.starts_with("unbounded-");
        let adjacency = if bounded { Adjacency::ReplaceOne } else { Adjacency::AddRemove };
        let mut target = Target { notion, adjacency, priors: priors.clone() };
        for suffix in suffixes {
            let named = match *suffix {
                "add-remove" | "unbounded" => Adjacency::AddRemove,
                "replace-one" | "bounded" => Adjacency::ReplaceOne,
                range => {
                    target.priors = self.priors(range)?;
                    continue;
                }
            };
            if !target.has_adjacency() || (fixed && named != adjacency) {
                let problem = format!("`{name}` has an adjacency of its own");
                return Err(self.text.error(suffix, problem, "leave it out"));
            }
            target.adjacency = named;
        }
        if matches!(target.notion, Notion::Rho { .. } | Notion::AlphaBeta { .. }) {
            target.adjacency = Adjacency::ReplaceOne;
        }
        if !target.notion.depends_on_priors() {
            target.priors = PriorRange::any();
        }
        Ok(target)
    }

    fn priors(&self, text: &str) -> Result<PriorRange, ParseError> {
        let looks = text.trim() == "any" || text.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        if !looks {
            let words = ["add-remove", "replace-one", "any"];
            let hint = match nearest(text, &words) {
                Some(word) => format!("did you mean `{word}`?"),
                None => "write `add-remove`, `replace-one` or priors such as `1/5..4/5`".to_owned(),
            };
            return Err(self.text.error(text, "neither an adjacency nor a range of priors", hint));
        }
        self.text.priors(text)
    }

    /// The public facts; `unit` is the unit of distance between neighbours.
    fn facts(&self, text: &str, unit: &str) -> Result<Facts, ParseError> {
        match text.trim() {
            "none" => Ok(Facts::None),
            "size" => Ok(Facts::Size),
            apart => apart.parse().ok().filter(|apart| (1..=10_000).contains(apart)).map(Facts::Apart).ok_or_else(|| {
                let hint = format!(
                    "write `none`, `size`, or how many {unit} apart neighbours may be: a whole number from 1 to 10000"
                );
                self.text.error(text, "not a set of public facts", hint)
            }),
        }
    }

    fn named_odds(&self, text: &str) -> Result<Spend, ParseError> {
        match text.split_once('=') {
            Some(("epsilon", value)) => self.epsilon(value),
            Some(("odds", value)) => self.odds(value),
            Some((name, _)) => Err(self.text.error(name, "neither odds nor epsilon", "write `odds=3` or `epsilon=1`")),
            None => self.odds(text),
        }
    }

    /// Parses `3`, `e^2`, `(3/2)^(1/8)`, and products of them: `2^(1/2) × 3`.
    fn odds(&self, text: &str) -> Result<Spend, ParseError> {
        let factors = text.split(['×', '*']).map(|factor| self.factor(factor.trim()));
        self.all(text, factors)
    }

    fn factor(&self, text: &str) -> Result<Spend, ParseError> {
        let (base, power) = text.split_once('^').map_or((text, None), |(base, power)| (base, Some(bare(power))));
        let power = power.map_or_else(|| Ok(whole(1)), |power| self.text.number(power))?;
        if bare(base) == "e" {
            return self.e(text, power);
        }
        let odds = Spend::odds(self.text.number(bare(base))?)
            .map_err(|wrong| self.text.error(text, wrong.to_string(), "write odds above 1, such as `3` or `e^1`"))?;
        self.powered(text, &odds, &power)
    }

    /// Parses `1`, `ln(3)`, `ln 3`, `2*ln(3)`, and sums of them: `1/2·ln(3) + 1`.
    fn epsilon(&self, text: &str) -> Result<Spend, ParseError> {
        let terms = text.split('+').map(|term| self.term(term.trim()));
        self.all(text, terms)
    }

    fn term(&self, text: &str) -> Result<Spend, ParseError> {
        let Some((factor, inside)) = text.split_once("ln") else {
            let value = self.text.number(text)?;
            return self.e(text, value);
        };
        let factor = factor.trim().trim_end_matches(['*', '·']).trim();
        let factor = if factor.is_empty() { whole(1) } else { self.text.number(factor)? };
        let odds = self.odds(bare(inside))?;
        self.powered(text, &odds, &factor)
    }

    /// The product of all parts; too large amounts are rejected.
    fn all(&self, text: &str, parts: impl Iterator<Item = Result<Spend, ParseError>>) -> Result<Spend, ParseError> {
        let mut product = Spend::nothing();
        for part in parts {
            product = product.and(&part?);
        }
        let product = plain(&product);
        if is_readable(&product) {
            return Ok(product);
        }
        Err(self.text.error(text, "too large", "even an ε of 10 gives almost no protection"))
    }

    fn powered(&self, text: &str, odds: &Spend, power: &Rational) -> Result<Spend, ParseError> {
        odds.share(power).map_err(|wrong| self.text.error(text, wrong.to_string(), "write `ln(3)` or `1/2*ln(3)`"))
    }

    fn e(&self, text: &str, power: Rational) -> Result<Spend, ParseError> {
        Spend::epsilon(power)
            .map_err(|_| self.text.error(text, "ε is not above 0", "write `epsilon=1` or `epsilon=ln(3)`"))
    }

    /// The gain of k-Max, `(2^k−1)/(2^k−2)` (E-1).
    fn k_max(&self, text: &str) -> Result<Rational, ParseError> {
        let k = text.trim().parse::<u32>().ok().filter(|k| (2..=1000).contains(k));
        let k = k.ok_or_else(|| self.text.error(text, "not a k", "write a whole number from 2 to 1000"))?;
        let all = whole(2).pow(k);
        Ok((&all - Rational::one()) / (all - whole(2)))
    }
}

/// Whether odds can be parsed again: they are at most e^4096, and print in no more digits than the parser accepts.
#[must_use]
pub fn is_readable(odds: &Spend) -> bool {
    let limit = Spend::epsilon(whole(LARGEST_EPSILON));
    limit.is_ok_and(|limit| odds.fits(&limit) == Ok(true)) && odds.to_string().len() <= LONGEST_NUMBER
}

/// Removes parentheses around the whole text.
fn bare(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_translated_once() {
        let all = targets();
        assert!(all.contains(&"odds") && all.contains(&"epsilon") && !all.contains(&"unbounded-odds"), "{all:?}");
        let each: Vec<Target> = all.iter().filter_map(|text| target(text, &PriorRange::any()).ok()).collect();
        assert!((1..each.len()).all(|at| !each[..at].contains(&each[at])));
        assert_eq!(each.len(), all.len());
    }

    #[test]
    fn a_text_that_is_all_wrong_is_quoted_once() {
        let priors = |text: &str| text.parse::<PriorRange>().unwrap_err().to_string();
        let said = priors("1/5..6/5");
        assert_eq!(said.matches("1/5..6/5").count(), 1, "{said}");
        assert!(priors("-1/5..1/2").contains("-1/5..1/2"));
        assert!(statement("gamma=2", &PriorRange::any()) == statement("gain=2", &PriorRange::any()));
    }
}
