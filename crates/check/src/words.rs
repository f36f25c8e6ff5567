//! Notions and families as they are written on the command line and in certificates: `pmp`, `rho:100`, `sampled:1/10`.

use crate::family::Family;
use crate::mechanism::hint::{did_you_mean, shown};
use crate::notion::{Given, Notion, Sign};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::exact::{Rational, parse_rational, whole};
use num_traits::{One, Signed, Zero};

/// A notion or family that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    /// No such name.
    #[error("there is no {what} `{}`; {hint}", shown(name))]
    Unknown {
        /// `notion` or `family`.
        what: &'static str,
        /// What was written.
        name: String,
        /// What may have been meant.
        hint: String,
    },
    /// A parameter is missing, or one too many.
    #[error("write `{form}`")]
    Form {
        /// How it is written.
        form: &'static str,
    },
    /// A parameter outside its range.
    #[error("`{text}` must be {range}")]
    Range {
        /// What was written.
        text: String,
        /// What is allowed.
        range: &'static str,
    },
    /// A family that takes more than a word: ranges, or a file.
    #[error("the family `{name}` needs {needs}")]
    Needs {
        /// The family.
        name: &'static str,
        /// What it takes.
        needs: &'static str,
    },
    /// A range of priors where the family has none.
    #[error("the family `{name}` comes with its own priors; leave --prior out")]
    NoPrior {
        /// The family.
        name: &'static str,
    },
}

/// A notion's name, how it is written, and what it is.
pub struct Word {
    /// The name.
    pub name: &'static str,
    /// With its parameters.
    pub form: &'static str,
    /// In a line.
    pub about: &'static str,
}

/// Every notion, in order of the help.
pub const NOTIONS: [Word; 20] = [
    word("dp", "dp", "ε-differential privacy, one entity more or less (unbounded)"),
    word("dp-positive", "dp-positive", "the same, for an entity that is added"),
    word("dp-negative", "dp-negative", "the same, for an entity that is removed"),
    word("bounded-dp", "bounded-dp", "ε-differential privacy, one entity exchanged for another"),
    word("delta", "delta:ODDS", "the δ of (ε,δ)-differential privacy at e^ε = ODDS, one more or less"),
    word("bounded-delta", "bounded-delta:ODDS", "the same, one exchanged"),
    word("epsilon-at", "epsilon-at:DELTA", "the e^ε of (ε,δ)-differential privacy at this δ, one more or less"),
    word("bounded-epsilon-at", "bounded-epsilon-at:DELTA", "the same, one exchanged"),
    word("pmp", "pmp", "positive membership privacy over a family: how far belief in presence may grow"),
    word("nmp", "nmp", "negative membership privacy over a family: the same for absence"),
    word("membership", "membership", "both"),
    word("posterior", "posterior", "the highest belief in presence after an answer, over a family"),
    word("floor", "floor", "the lowest belief in presence after an answer, over a family"),
    word("rho", "rho:M", "(ρ,M)-differential identifiability: one of M equally likely entities"),
    word("alpha", "alpha:P_MIN", "(α,β)-differential identifiability: how far belief in a world may fall"),
    word("beta", "beta:P_MIN", "(α,β)-differential identifiability: how far belief in a world may rise"),
    word("sampling", "sampling:RATE", "differential privacy after members were kept with this probability"),
    word("free-lunch", "free-lunch", "ε-free-lunch privacy: any two datasets"),
    word(
        "zero-knowledge",
        "zero-knowledge:K",
        "ε-zero-knowledge privacy: a simulator sees K random members of the others",
    ),
    word("crowd-blending", "crowd-blending:K", "(K,ε)-crowd-blending privacy"),
];

/// Every family, in order of the help.
pub const FAMILIES: [Word; 11] = [
    word("all", "all", "any prior at all (F-DU)"),
    word("independent", "independent", "independent entities; with --prior, uncertain ones in a range (F-DI)"),
    word("two-datasets", "two-datasets", "independent, with two possible datasets (F-DI2)"),
    word("bounded", "bounded", "independent given a public size; with --prior, uncertain ones in a range (F-DB)"),
    word("one-of-two", "one-of-two", "one of two entities is in, all others are certain (F-DB2)"),
    word("one-of", "one-of:M", "one of M entities is in, each as likely (F-DCm)"),
    word("uniform", "uniform", "every entity is in with probability one half (F-DN)"),
    word("sampled", "sampled:BETA", "every entity is out, or in with probability BETA (F-DFβ)"),
    word("groups", "groups:K", "groups of up to K entities that depend on each other (F-NIk)"),
    word(
        "box",
        "box",
        "independent entities, every one with a prior in the range of --prior, none of them certain (X-BOX)",
    ),
    word("explicit", "explicit", "the priors of the file --priors, and all mixtures of them (F-EXPL)"),
];

const fn word(name: &'static str, form: &'static str, about: &'static str) -> Word {
    Word { name, form, about }
}

/// Reads a notion.
///
/// # Errors
/// When there is none of that name, or a parameter is missing or out of range.
pub fn notion(text: &str) -> Result<Notion, WordError> {
    let (word, parameter) = find("notion", &NOTIONS, text)?;
    let odds =
        || number(parameter, word).and_then(|odds| within(odds, |odds| *odds >= whole(1), "an e^ε of at least 1"));
    let unit = |number: &Rational| !number.is_negative() && *number <= whole(1);
    let delta = || number(parameter, word).and_then(|delta| within(delta, unit, "a δ from 0 to 1"));
    let least = || {
        let inside = |least: &Rational| !least.is_negative() && *least <= Rational::new(1.into(), 2.into());
        number(parameter, word).and_then(|least| within(least, inside, "a prior from 0 to 1/2"))
    };
    let plain =
        |notion: Notion| if parameter.is_none() { Ok(notion) } else { Err(WordError::Form { form: word.form }) };
    let approximate = |adjacency, given| Ok(Notion::Approximate { adjacency, given });
    match word.name {
        "dp" => plain(Notion::Unbounded { sign: Sign::Both }),
        "dp-positive" => plain(Notion::Unbounded { sign: Sign::Positive }),
        "dp-negative" => plain(Notion::Unbounded { sign: Sign::Negative }),
        "bounded-dp" => plain(Notion::Bounded),
        "delta" => approximate(Adjacency::AddRemove, Given::Odds(odds()?)),
        "bounded-delta" => approximate(Adjacency::ReplaceOne, Given::Odds(odds()?)),
        "epsilon-at" => approximate(Adjacency::AddRemove, Given::Delta(delta()?)),
        "bounded-epsilon-at" => approximate(Adjacency::ReplaceOne, Given::Delta(delta()?)),
        "pmp" => plain(Notion::Membership { sign: Sign::Positive }),
        "nmp" => plain(Notion::Membership { sign: Sign::Negative }),
        "membership" => plain(Notion::Membership { sign: Sign::Both }),
        "posterior" => plain(Notion::Posterior { sign: Sign::Positive }),
        "floor" => plain(Notion::Posterior { sign: Sign::Negative }),
        "rho" => Ok(Notion::Rho { among: count(parameter, word, 2)? }),
        "alpha" => Ok(Notion::AlphaBeta { least: least()?, sign: Sign::Negative }),
        "beta" => Ok(Notion::AlphaBeta { least: least()?, sign: Sign::Positive }),
        "sampling" => Ok(Notion::Sampling { rate: rate(parameter, word)?, sign: Sign::Both }),
        "free-lunch" => plain(Notion::FreeLunch),
        "zero-knowledge" => Ok(Notion::ZeroKnowledge { rows: count(parameter, word, 0)? }),
        "crowd-blending" => Ok(Notion::CrowdBlending { crowd: count(parameter, word, 1)? }),
        _ => Err(unknown("notion", &NOTIONS, word.name)),
    }
}

/// Reads a family; `priors` is the range of uncertain priors, where one is given.
///
/// # Errors
/// When there is none of that name, a parameter is missing or out of range, or the family has priors of its own.
pub fn family(text: &str, priors: Option<&PriorRange>) -> Result<Family, WordError> {
    let (word, parameter) = find("family", &FAMILIES, text)?;
    let range = || priors.cloned().unwrap_or_else(PriorRange::any);
    let plain =
        |family: Family| if parameter.is_none() { Ok(family) } else { Err(WordError::Form { form: word.form }) };
    let found = match word.name {
        "all" => plain(Family::All),
        "independent" => plain(Family::Independent(range())),
        "two-datasets" => plain(Family::TwoDatasets(range())),
        "bounded" => plain(Family::Bounded(range())),
        "one-of-two" => plain(Family::OneOfTwo(range())),
        "one-of" => Ok(Family::OneOf(count(parameter, word, 2)?)),
        "uniform" => plain(Family::Uniform),
        "sampled" => Ok(Family::Sampled(rate(parameter, word)?)),
        "groups" => Ok(Family::Groups(count(parameter, word, 1)?)),
        "box" => Err(WordError::Needs { name: "box", needs: "a range of priors for each entity" }),
        "explicit" => Err(WordError::Needs { name: "explicit", needs: "a file of priors" }),
        _ => Err(unknown("family", &FAMILIES, word.name)),
    }?;
    let ranged =
        matches!(found, Family::Independent(_) | Family::TwoDatasets(_) | Family::Bounded(_) | Family::OneOfTwo(_));
    if priors.is_some() && !ranged {
        return Err(WordError::NoPrior { name: word.name });
    }
    Ok(found)
}

/// A family as it is shown: its word, its range of priors if it has one, and its identifier.
#[must_use]
pub fn of_family(family: &Family) -> String {
    let range = |name: &str, range: &PriorRange| {
        if *range == PriorRange::any() { name.to_owned() } else { format!("{name} {}..{}", range.low(), range.high()) }
    };
    let word = match family {
        Family::All => "all".to_owned(),
        Family::Independent(priors) => range("independent", priors),
        Family::TwoDatasets(priors) => range("two-datasets", priors),
        Family::Bounded(priors) => range("bounded", priors),
        Family::OneOfTwo(priors) => range("one-of-two", priors),
        Family::OneOf(among) => format!("one-of:{among}"),
        Family::Uniform => "uniform".to_owned(),
        Family::Sampled(rate) => format!("sampled:{rate}"),
        Family::Groups(size) => format!("groups:{size}"),
        Family::Box(ranges) => format!("{} ranges of priors", ranges.len()),
        Family::Explicit(priors) => format!("{} given priors", priors.len()),
    };
    format!("{word} ({})", family.theorem())
}

fn find<'a>(
    what: &'static str,
    words: &'static [Word],
    text: &'a str,
) -> Result<(&'static Word, Option<&'a str>), WordError> {
    let (name, parameter) = match text.split_once(':') {
        Some((name, parameter)) => (name.trim(), Some(parameter.trim())),
        None => (text.trim(), None),
    };
    let found = words.iter().find(|word| word.name == name).ok_or_else(|| unknown(what, words, name))?;
    Ok((found, parameter))
}

fn unknown(what: &'static str, words: &'static [Word], name: &str) -> WordError {
    let hint = did_you_mean(name, words.iter().map(|word| word.name));
    WordError::Unknown { what, name: name.to_owned(), hint }
}

fn number(parameter: Option<&str>, word: &Word) -> Result<Rational, WordError> {
    parameter.and_then(|text| parse_rational(text).ok()).ok_or(WordError::Form { form: word.form })
}

fn within(value: Rational, inside: impl Fn(&Rational) -> bool, range: &'static str) -> Result<Rational, WordError> {
    if inside(&value) { Ok(value) } else { Err(WordError::Range { text: value.to_string(), range }) }
}

fn rate(parameter: Option<&str>, word: &Word) -> Result<Rational, WordError> {
    let inside = |rate: &Rational| rate.is_positive() && !rate.is_zero() && *rate < Rational::one();
    within(number(parameter, word)?, inside, "a probability above 0 and below 1")
}

fn count(parameter: Option<&str>, word: &Word, least: usize) -> Result<usize, WordError> {
    let text = parameter.ok_or(WordError::Form { form: word.form })?;
    let value: usize = text.parse().map_err(|_| WordError::Form { form: word.form })?;
    let range = match least {
        0 => "a whole number",
        1 => "a whole number, at least 1",
        _ => "a whole number, at least 2",
    };
    if value >= least { Ok(value) } else { Err(WordError::Range { text: text.to_owned(), range }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn every_word_is_read() {
        let fill =
            |form: &str| form.replace(":M", ":2").replace(":K", ":1").replace(":ODDS", ":3/2").replace(":BETA", ":1/3");
        let fill = |form: &str| fill(form).replace(":DELTA", ":0.01").replace(":P_MIN", ":0").replace(":RATE", ":1/2");
        for word in &NOTIONS {
            assert!(notion(&fill(word.form)).is_ok(), "{}", word.form);
            assert_eq!(notion(word.name).is_ok(), !word.form.contains(':'), "{}", word.name);
        }
        for word in FAMILIES.iter().filter(|word| !matches!(word.name, "box" | "explicit")) {
            assert!(family(&fill(word.form), None).is_ok(), "{}", word.form);
        }
        assert_eq!(notion("rho:100"), Ok(Notion::Rho { among: 100 }));
        assert_eq!(family("sampled:10%", None), Ok(Family::Sampled(ratio(1, 10))));
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| notion(text).unwrap_err().to_string();
        assert_eq!(wrong("pmpp"), "there is no notion `pmpp`; did you mean `pmp`?");
        assert_eq!(wrong("rho"), "write `rho:M`");
        assert_eq!(wrong("pmp:2"), "write `pmp`");
        assert_eq!(wrong("rho:1"), "`1` must be a whole number, at least 2");
        assert_eq!(wrong("delta:1/2"), "`1/2` must be an e^ε of at least 1");
        let range = PriorRange::new(Some(ratio(1, 5)), None).unwrap();
        let wrong = family("uniform", Some(&range)).unwrap_err().to_string();
        assert_eq!(wrong, "the family `uniform` comes with its own priors; leave --prior out");
        assert!(family("sampled:1", None).is_err());
    }
}
