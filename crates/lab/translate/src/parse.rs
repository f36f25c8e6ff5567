//! Statements and targets as text.
//!
//! `name=value`, `name:parameter`, and after `@` the adjacency or the priors: `gain=3/2@1/5..4/5@replace-one`.
//! [`SPELLINGS`] lists every name with an example.

use crate::amount::plain;
use crate::notion::{Facts, Notion, SPELLINGS, Sign, canonical};
use crate::statement::{Stated, Statement, Target};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, parse_rational, ratio, whole};
use deniable_core::notion::{every_name, find};
use deniable_core::text::nearest;
use num_traits::{One, Pow, Signed, Zero};

/// Other names of notions that are listed.
const MORE: [&str; 1] = ["k-max"];

/// An ε beyond this is surely a mistake.
const LARGEST_EPSILON: i64 = 4096;

/// The longest number that is read: translations may have more digits than anybody types.
const LONGEST_NUMBER: usize = 20_000;

/// A text that is no statement: where, why, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}; {hint}", place(text, at))]
pub struct ParseError {
    /// All of the text that was read.
    pub text: String,
    /// The part that is wrong.
    pub at: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to write instead, in words.
    pub hint: String,
}

/// The text, and the part of it that is wrong where that is not all of it.
fn place(text: &str, at: &str) -> String {
    if text.trim() == at { format!("`{text}`: ") } else { format!("`{text}`, at `{at}`: ") }
}

/// Reads a statement such as `gain=3/2`; `priors` are meant where the text names none.
///
/// # Errors
/// When the text is no statement, naming the place and what to write instead.
pub fn statement(text: &str, priors: &PriorRange) -> Result<Statement, ParseError> {
    let reader = Reader { text };
    let parts = reader.parts(true)?;
    let value = parts.value.unwrap_or_default();
    let (name, parameter) = (parts.name, parts.parameter);
    let (notion, stated) = match name {
        "rho" => {
            let (rho, among) = value.rsplit_once(':').map_or((value, parameter), |(rho, among)| (rho, Some(among)));
            (Notion::Rho { among: reader.among(among)? }, Stated::Number(reader.number(rho)?))
        }
        "alpha-beta" => {
            let (pair, worlds) = value.rsplit_once(':').map_or((value, parameter), |(pair, p)| (pair, Some(p)));
            let (alpha, beta) = pair
                .split_once(',')
                .ok_or_else(|| reader.error(pair, "α and β are two numbers", "write `alpha-beta=1/2,1/2`"))?;
            let (least, most) = reader.worlds(worlds)?;
            (Notion::AlphaBeta { least, most }, Stated::Pair(reader.number(alpha)?, reader.number(beta)?))
        }
        "sampling" | "sampled-gain" => {
            let (rate, rest) = reader.nested(parameter, value, "sampling=1/10,epsilon=1")?;
            let rate = reader.rate(rate)?;
            match rest.split_once('=') {
                Some((name, gain)) if canonical(name) == Some("gain") => {
                    (Notion::SampledGain { rate }, Stated::Number(reader.number(gain)?))
                }
                None if name == "sampled-gain" => (Notion::SampledGain { rate }, Stated::Number(reader.number(rest)?)),
                _ => (Notion::Sampling { rate }, Stated::Odds(reader.named_odds(rest)?)),
            }
        }
        "positive-sampling" => {
            let (rate, rest) = reader.nested(parameter, value, parts.example)?;
            (Notion::PositiveSampling { rate: reader.rate(rate)? }, Stated::Odds(reader.named_odds(rest)?))
        }
        "group-privacy" => {
            let (size, rest) = reader.nested(parameter, value, "group-privacy=3,odds=8")?;
            (Notion::Group { size: reader.count(size)? }, Stated::Odds(reader.named_odds(rest)?))
        }
        "zero-knowledge" | "zero-knowledge-rows" | "crowd-blending" | "induced-neighbours" | "induced-exchange" => {
            let (parameter, rest) = reader.nested(parameter, value, parts.example)?;
            (reader.further(name, parameter)?, Stated::Odds(reader.named_odds(rest)?))
        }
        "k-max" => (Notion::UniformGain, Stated::Number(reader.k_max(value)?)),
        _ => {
            reader.no_parameter(parameter)?;
            let notion = reader.plain(name)?;
            let stated = match &notion {
                Notion::Epsilon(_) => Stated::Odds(reader.epsilon(value)?),
                Notion::Indistinguishable { .. } | Notion::BayesOptimal { .. } | Notion::SemiHonest { .. } => {
                    Stated::Odds(reader.named_odds(value)?)
                }
                notion if notion.is_odds() => Stated::Odds(reader.odds(value)?),
                _ => Stated::Number(reader.number(value)?),
            };
            (notion, stated)
        }
    };
    Ok(Statement { target: reader.against(name, notion, &parts.suffixes, priors)?, value: stated })
}

/// Reads a target such as `rho:100`; `priors` are meant where the text names none.
///
/// # Errors
/// When the text is no target, naming the place and what to write instead.
pub fn target(text: &str, priors: &PriorRange) -> Result<Target, ParseError> {
    let reader = Reader { text };
    let parts = reader.parts(false)?;
    let parameter = parts.parameter;
    let notion = match parts.name {
        "rho" => Notion::Rho { among: reader.among(parameter)? },
        "alpha-beta" => {
            let (least, most) = reader.worlds(parameter)?;
            Notion::AlphaBeta { least, most }
        }
        "sampling" => Notion::Sampling { rate: reader.rate(reader.needed(parameter, "sampling:1/10")?)? },
        "positive-sampling" => {
            Notion::PositiveSampling { rate: reader.rate(reader.needed(parameter, parts.example)?)? }
        }
        "sampled-gain" => Notion::SampledGain { rate: reader.rate(reader.needed(parameter, "sampled-gain:1/10")?)? },
        "group-privacy" => Notion::Group { size: reader.count(reader.needed(parameter, "group-privacy:3")?)? },
        "zero-knowledge" | "zero-knowledge-rows" | "crowd-blending" | "induced-neighbours" | "induced-exchange" => {
            reader.further(parts.name, reader.needed(parameter, parts.example)?)?
        }
        "k-max" => Notion::UniformGain,
        name => {
            reader.no_parameter(parameter)?;
            reader.plain(name)?
        }
    };
    reader.against(parts.name, notion, &parts.suffixes, priors)
}

/// Reads a range of priors: `1/5..4/5`, `..1/2`, `1/10..`, `1/3` or `any`.
///
/// # Errors
/// When it is none.
pub fn priors(text: &str) -> Result<PriorRange, ParseError> {
    let reader = Reader { text };
    reader.priors(text)
}

/// An example of every notion, each once: `unbounded-odds` is another name of `odds`.
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
    text: &'a str,
}

struct Parts<'a> {
    name: &'a str,
    parameter: Option<&'a str>,
    value: Option<&'a str>,
    suffixes: Vec<&'a str>,
    /// How it may be written.
    example: &'static str,
}

impl<'a> Reader<'a> {
    fn error(&self, at: &str, problem: impl Into<String>, hint: impl Into<String>) -> ParseError {
        ParseError { text: self.text.to_owned(), at: at.trim().to_owned(), problem: problem.into(), hint: hint.into() }
    }

    fn parts(&self, valued: bool) -> Result<Parts<'a>, ParseError> {
        let mut pieces: Vec<&str> = self.text.split('@').map(str::trim).collect();
        let head = pieces.remove(0);
        let parted = |piece: &'a str| piece.split_once('=').map(|(front, value)| (front.trim(), value.trim()));
        let (front, value) = match (parted(head), pieces.last_mut()) {
            (Some((front, value)), _) => (front, Some(value)),
            // The value may come after the adjacency and the priors, as translations show it.
            (None, Some(last)) => match parted(last) {
                Some((suffix, value)) => {
                    *last = suffix;
                    (head, Some(value))
                }
                None => (head, None),
            },
            (None, None) => (head, None),
        };
        let (name, parameter) = match front.split_once(':') {
            Some((name, parameter)) => (name.trim(), Some(parameter.trim())),
            None => (front, None),
        };
        // Another name for it is as good.
        let name = if MORE.contains(&name) { name } else { canonical(name).unwrap_or(name) };
        let known = SPELLINGS.iter().find(|spelling| spelling.name == name);
        let extra = MORE.contains(&name);
        if known.is_none() && !extra {
            return Err(self.unknown(name));
        }
        let example = known.map_or("", |spelling| if valued { spelling.statement } else { spelling.target });
        match value {
            None | Some("") if valued => Err(self.error(head, "no value", format!("write `{example}`"))),
            Some(_) if !valued => Err(self.error(head, "a target has no value", format!("write `{example}`"))),
            _ => Ok(Parts { name, parameter, value, suffixes: pieces, example }),
        }
    }

    fn unknown(&self, name: &str) -> ParseError {
        if let Some(found) = find(name) {
            let names: Vec<&str> = SPELLINGS.iter().map(|spelling| spelling.name).collect();
            let problem = format!("{} is not translated", found.notion.entry().title);
            return self.error(name, problem, format!("the notions are {}", names.join(", ")));
        }
        let names = every_name().map(|found| found.name).filter(|name| canonical(name).is_some());
        let known: Vec<&str> = names.chain(MORE).collect();
        let hint = match nearest(name, &known) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => {
                let names: Vec<&str> = SPELLINGS.iter().map(|spelling| spelling.name).collect();
                format!("the notions are {}", names.join(", "))
            }
        };
        self.error(name, "no such notion", hint)
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
            "uniform-gain" => Notion::UniformGain,
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
                return Err(self.error(suffix, problem, "leave it out"));
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
        if text.trim() == "any" {
            return Ok(PriorRange::any());
        }
        let looks = text.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        if !looks {
            let words = ["add-remove", "replace-one", "any"];
            let hint = match nearest(text, &words) {
                Some(word) => format!("did you mean `{word}`?"),
                None => "write `add-remove`, `replace-one` or priors such as `1/5..4/5`".to_owned(),
            };
            return Err(self.error(text, "neither an adjacency nor a range of priors", hint));
        }
        let (low, high) = text.split_once("..").unwrap_or((text, text));
        let end = |end: &str| if end.trim().is_empty() { Ok(None) } else { self.number(end).map(Some) };
        PriorRange::new(end(low)?, end(high)?).map_err(|wrong| {
            self.error(text, wrong.to_string(), "write priors from 0 to 1, as `1/5..4/5`, `..1/2` or `any`")
        })
    }

    fn number(&self, text: &str) -> Result<Rational, ParseError> {
        parse_rational(text)
            .or_else(|wrong| long(text).ok_or(wrong))
            .map_err(|wrong| self.error(text, "not an exact number", wrong.to_string()))
    }

    fn count(&self, text: &str) -> Result<u32, ParseError> {
        text.trim()
            .parse()
            .ok()
            .filter(|count| (1..=10_000).contains(count))
            .ok_or_else(|| self.error(text, "not a number of people", "write a whole number from 1 to 10000"))
    }

    /// A notion with one parameter: rows, members, or what is public.
    fn further(&self, name: &str, text: &str) -> Result<Notion, ParseError> {
        match (name, text.trim()) {
            ("zero-knowledge", "0") => Ok(Notion::ZeroKnowledge { rows: 0 }),
            ("zero-knowledge-rows", "0") => Ok(Notion::ZeroKnowledgeRows { rows: 0 }),
            ("zero-knowledge-rows", rows) => Ok(Notion::ZeroKnowledgeRows { rows: self.count(rows)? }),
            ("zero-knowledge", rows) => Ok(Notion::ZeroKnowledge { rows: self.count(rows)? }),
            ("crowd-blending", crowd) => match self.count(crowd)? {
                1 => {
                    let hint =
                        "whoever is a crowd by themselves always blends in: write a whole number from 2 to 10000";
                    Err(self.error(text, "a crowd of one hides nobody", hint))
                }
                crowd => Ok(Notion::CrowdBlending { crowd }),
            },
            ("induced-exchange", _) => Ok(Notion::InducedExchange(self.facts(text, "moves")?)),
            _ => Ok(Notion::Induced(self.facts(text, "people")?)),
        }
    }

    /// What is public; `unit` is what neighbours are apart by.
    fn facts(&self, text: &str, unit: &str) -> Result<Facts, ParseError> {
        match text.trim() {
            "none" => Ok(Facts::None),
            "size" => Ok(Facts::Size),
            apart => apart.parse().ok().filter(|apart| (1..=10_000).contains(apart)).map(Facts::Apart).ok_or_else(|| {
                let hint = format!(
                    "write `none`, `size`, or how many {unit} apart neighbours may be: a whole number from 1 to 10000"
                );
                self.error(text, "not what public facts leave", hint)
            }),
        }
    }

    fn among(&self, text: Option<&str>) -> Result<u32, ParseError> {
        let text = self.needed(text, "rho=1/2:100` or, as a target, `rho:100")?;
        text.trim()
            .parse()
            .ok()
            .filter(|among| *among >= 2)
            .ok_or_else(|| self.error(text, "not a number of candidates", "write a whole number from 2 on"))
    }

    fn rate(&self, text: &str) -> Result<Rational, ParseError> {
        let rate = self.number(text)?;
        if rate.is_positive() && rate < whole(1) {
            return Ok(rate);
        }
        Err(self.error(text, "a sampling rate lies between 0 and 1", "for rate 1 translate `epsilon` itself"))
    }

    fn worlds(&self, text: Option<&str>) -> Result<(Rational, Option<Rational>), ParseError> {
        let Some(text) = text else { return Ok((whole(0), None)) };
        let (least, most) = text.split_once("..").map_or((text, None), |(least, most)| (least, Some(most)));
        let least = if least.trim().is_empty() { whole(0) } else { self.number(least)? };
        let most = most.filter(|most| !most.trim().is_empty()).map(|most| self.number(most)).transpose()?;
        if least.is_negative() || least > ratio(1, 2) {
            let hint = "of two worlds one is no likelier than the other: P_min lies from 0 to 1/2";
            return Err(self.error(text, "no two worlds have these priors", hint));
        }
        if most.as_ref().is_some_and(|most| *most < least || *most >= whole(1) || most.is_zero()) {
            return Err(self.error(text, "P_max must be at least P_min and below 1", "write `:1/10..1/2`"));
        }
        Ok((least, most))
    }

    fn needed<'b>(&self, part: Option<&'b str>, example: &str) -> Result<&'b str, ParseError> {
        part.filter(|part| !part.is_empty())
            .ok_or_else(|| self.error(self.text, "a parameter is missing", format!("write `{example}`")))
    }

    fn no_parameter(&self, parameter: Option<&str>) -> Result<(), ParseError> {
        parameter
            .map_or(Ok(()), |parameter| Err(self.error(parameter, "this notion takes no parameter", "leave it out")))
    }

    /// `sampling=1/10,epsilon=1` or `sampling:1/10=e^1`: the parameter and the rest.
    fn nested<'b>(
        &self,
        parameter: Option<&'b str>,
        value: &'b str,
        example: &str,
    ) -> Result<(&'b str, &'b str), ParseError> {
        match parameter {
            Some(parameter) => Ok((parameter, value)),
            None => value
                .split_once(',')
                .map(|(parameter, rest)| (parameter, rest.trim()))
                .ok_or_else(|| self.error(value, "two values belong here", format!("write `{example}`"))),
        }
    }

    fn named_odds(&self, text: &str) -> Result<Spend, ParseError> {
        match text.split_once('=') {
            Some(("epsilon", value)) => self.epsilon(value),
            Some(("odds", value)) => self.odds(value),
            Some((name, _)) => Err(self.error(name, "neither odds nor epsilon", "write `odds=3` or `epsilon=1`")),
            None => self.odds(text),
        }
    }

    /// `3`, `e^2`, `(3/2)^(1/8)`, and products of them: `2^(1/2) × 3`.
    fn odds(&self, text: &str) -> Result<Spend, ParseError> {
        let factors = text.split(['×', '*']).map(|factor| self.factor(factor.trim()));
        self.all(text, factors)
    }

    fn factor(&self, text: &str) -> Result<Spend, ParseError> {
        let (base, power) = text.split_once('^').map_or((text, None), |(base, power)| (base, Some(bare(power))));
        let power = power.map_or_else(|| Ok(whole(1)), |power| self.number(power))?;
        if bare(base) == "e" {
            return self.e(text, power);
        }
        let odds = Spend::odds(self.number(bare(base))?)
            .map_err(|wrong| self.error(text, wrong.to_string(), "write odds above 1, such as `3` or `e^1`"))?;
        self.powered(text, &odds, &power)
    }

    /// `1`, `ln(3)`, `ln 3`, `2*ln(3)`, and sums of them: `1/2·ln(3) + 1`.
    fn epsilon(&self, text: &str) -> Result<Spend, ParseError> {
        let terms = text.split('+').map(|term| self.term(term.trim()));
        self.all(text, terms)
    }

    fn term(&self, text: &str) -> Result<Spend, ParseError> {
        let Some((factor, inside)) = text.split_once("ln") else {
            let value = self.number(text)?;
            return self.e(text, value);
        };
        let factor = factor.trim().trim_end_matches(['*', '·']).trim();
        let factor = if factor.is_empty() { whole(1) } else { self.number(factor)? };
        let odds = self.odds(bare(inside))?;
        self.powered(text, &odds, &factor)
    }

    /// The product of all, which must be an amount that somebody may mean.
    fn all(&self, text: &str, parts: impl Iterator<Item = Result<Spend, ParseError>>) -> Result<Spend, ParseError> {
        let mut product = Spend::nothing();
        for part in parts {
            product = product.and(&part?);
        }
        let product = plain(&product);
        if is_readable(&product) {
            return Ok(product);
        }
        Err(self.error(text, "too large", "even an ε of 10 protects next to nobody"))
    }

    fn powered(&self, text: &str, odds: &Spend, power: &Rational) -> Result<Spend, ParseError> {
        odds.share(power).map_err(|wrong| self.error(text, wrong.to_string(), "write `ln(3)` or `1/2*ln(3)`"))
    }

    fn e(&self, text: &str, power: Rational) -> Result<Spend, ParseError> {
        Spend::epsilon(power).map_err(|_| self.error(text, "ε is not above 0", "write `epsilon=1` or `epsilon=ln(3)`"))
    }

    /// The gain of k-Max, `(2^k−1)/(2^k−2)` (E-1).
    fn k_max(&self, text: &str) -> Result<Rational, ParseError> {
        let k = text.trim().parse::<u32>().ok().filter(|k| (2..=1000).contains(k));
        let k = k.ok_or_else(|| self.error(text, "not a k", "write a whole number from 2 to 1000"))?;
        let all = whole(2).pow(k);
        Ok((&all - Rational::one()) / (all - whole(2)))
    }
}

/// A fraction of whole numbers of many digits, as translations print them.
fn long(text: &str) -> Option<Rational> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '/');
    if plain && text.len() <= LONGEST_NUMBER { text.parse().ok() } else { None }
}

/// Whether odds can be stated: they are at most e^4096, and printed in no more digits than are read.
#[must_use]
pub fn is_readable(odds: &Spend) -> bool {
    let limit = Spend::epsilon(whole(LARGEST_EPSILON));
    limit.is_ok_and(|limit| odds.fits(&limit) == Ok(true)) && odds.to_string().len() <= LONGEST_NUMBER
}

/// Without the parentheses around all of it.
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
        let said = priors("1/5..6/5").unwrap_err().to_string();
        assert_eq!(said.matches("1/5..6/5").count(), 1, "{said}");
        assert!(priors("-1/5..1/2").unwrap_err().to_string().contains("-1/5..1/2"));
        assert!(statement("gamma=2", &PriorRange::any()) == statement("gain=2", &PriorRange::any()));
    }
}
