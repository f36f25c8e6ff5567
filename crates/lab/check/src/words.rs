//! Notions and families as they are written on the command line and in certificates: `pmp`, `rho:100`, `sampled:1/10`.

use crate::family::Family;
use crate::mechanism::hint::{did_you_mean, shown};
use crate::notion::{Given, Notion, Sign};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_core::notion::{Notion as Named, find, lookup};
use num_traits::{One, Signed, Zero};

/// A notion or family that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    /// The name is not in the table of notions, or of no family.
    #[error("there is no {what} `{}`; {hint}", shown(name))]
    Unknown {
        /// `notion` or `family`.
        what: &'static str,
        /// What was written, without its parameter.
        name: String,
        /// What may have been meant.
        hint: String,
    },
    /// A notion of the table that is not decided here.
    #[error("the notion `{}` is not decided here; {instead}", shown(name))]
    Undecided {
        /// What was written, without its parameter.
        name: String,
        /// What to write, or what it is about.
        instead: &'static str,
    },
    /// A parameter is missing, or one too many.
    #[error("write `{form}`")]
    Form {
        /// The name with its parameters in capitals, as `rho:M`.
        form: &'static str,
    },
    /// A parameter outside its range.
    #[error("`{text}` must be {range}")]
    Range {
        /// The parameter as it was read.
        text: String,
        /// What is allowed, in words: `a prior from 0 to 1/2`.
        range: &'static str,
    },
    /// A family that takes more than a word: ranges, or a file.
    #[error("the family `{name}` needs {needs}")]
    Needs {
        /// The name of the family, as [`FAMILIES`] spells it.
        name: &'static str,
        /// What it takes, in words: `a file of priors`.
        needs: &'static str,
    },
    /// A range of priors where the family has none.
    #[error("the family `{name}` comes with its own priors; leave --prior out")]
    NoPrior {
        /// The name of the family, as [`FAMILIES`] spells it.
        name: &'static str,
    },
}

/// A notion's name, how it is written, and what it is.
pub struct Word {
    /// The name, by which the command line takes it.
    pub name: &'static str,
    /// The name with its parameters in capitals, as `rho:M`.
    pub form: &'static str,
    /// What it says, in a line.
    pub about: &'static str,
}

/// Every notion that a text names, in order of the help; the words are those of the table of notions.
pub const NOTIONS: [Word; 23] = [
    known(Named::Dp),
    known(Named::PositiveDp),
    known(Named::NegativeDp),
    known(Named::BoundedDp),
    known(Named::Delta),
    known(Named::BoundedDelta),
    known(Named::EpsilonAt),
    known(Named::BoundedEpsilonAt),
    known(Named::PositiveMembership),
    known(Named::NegativeMembership),
    known(Named::Membership),
    known(Named::PosteriorAtMost),
    known(Named::PosteriorAtLeast),
    known(Named::Rho),
    known(Named::Alpha),
    known(Named::Beta),
    known(Named::Sampling),
    known(Named::PositiveSampling),
    known(Named::Indistinguishable),
    known(Named::FreeLunch),
    known(Named::ZeroKnowledge),
    known(Named::ZeroKnowledgeRows),
    known(Named::CrowdBlending),
];

const fn known(notion: Named) -> Word {
    let entry = notion.entry();
    word(entry.name, entry.form, entry.sentence)
}

/// Every family, in order of the help.
pub const FAMILIES: [Word; 12] = [
    word("all", "all", "any prior at all (F-DU)"),
    word("independent", "independent", "independent entities; with --prior, uncertain ones in a range (F-DI)"),
    word("two-datasets", "two-datasets", "independent, with two possible datasets (F-DI2)"),
    word("bounded", "bounded", "independent given a public size; with --prior, uncertain ones in a range (F-DB)"),
    word("one-of-two", "one-of-two", "one of two entities is in, all others are certain (F-DB2)"),
    word("one-of", "one-of:M", "one of M entities is in, each as likely (F-DCm)"),
    word(
        "one-of-rest",
        "one-of-rest:M",
        "all but M entities are in, and one of these M, each as likely (LQS13 family 5.5)",
    ),
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

/// Reads a notion, by its name or an alias.
///
/// # Errors
/// When there is none of that name, it is not decided here, or a parameter is missing or out of range.
pub fn notion(text: &str) -> Result<Notion, WordError> {
    let (name, parameter) = parted(text);
    let named = find(name).ok_or_else(|| unknown_notion(name))?.notion;
    let form = named.entry().form;
    let odds =
        || number(parameter, form).and_then(|odds| within(odds, |odds| *odds >= whole(1), "an e^ε of at least 1"));
    let unit = |number: &Rational| !number.is_negative() && *number <= whole(1);
    let delta = || number(parameter, form).and_then(|delta| within(delta, unit, "a δ from 0 to 1"));
    let least = || {
        let inside = |least: &Rational| !least.is_negative() && *least <= Rational::new(1.into(), 2.into());
        let least = parameter.map(|text| text.strip_suffix(":removed").unwrap_or(text));
        number(least, form).and_then(|least| within(least, inside, "a prior from 0 to 1/2"))
    };
    let plain = |notion: Notion| if parameter.is_none() { Ok(notion) } else { Err(WordError::Form { form }) };
    let approximate = |adjacency, given| Ok(Notion::Approximate { adjacency, given });
    match named {
        Named::Dp => plain(Notion::Unbounded { sign: Sign::Both }),
        Named::PositiveDp => plain(Notion::Unbounded { sign: Sign::Positive }),
        Named::NegativeDp => plain(Notion::Unbounded { sign: Sign::Negative }),
        Named::BoundedDp => plain(Notion::Bounded),
        Named::Delta => approximate(Adjacency::AddRemove, Given::Odds(odds()?)),
        Named::BoundedDelta => approximate(Adjacency::ReplaceOne, Given::Odds(odds()?)),
        Named::EpsilonAt => approximate(Adjacency::AddRemove, Given::Delta(delta()?)),
        Named::BoundedEpsilonAt => approximate(Adjacency::ReplaceOne, Given::Delta(delta()?)),
        Named::PositiveMembership => plain(Notion::Membership { sign: Sign::Positive }),
        Named::NegativeMembership => plain(Notion::Membership { sign: Sign::Negative }),
        Named::Membership => plain(Notion::Membership { sign: Sign::Both }),
        Named::PosteriorAtMost => plain(Notion::Posterior { sign: Sign::Positive }),
        Named::PosteriorAtLeast => plain(Notion::Posterior { sign: Sign::Negative }),
        Named::Rho => Ok(Notion::Rho { among: count(parameter, form, 2)? }),
        Named::Alpha | Named::Beta => {
            let sign = if named == Named::Alpha { Sign::Negative } else { Sign::Positive };
            // With `P_MIN..P_MAX` every world has a prior in that range; with `:removed` a world is a known table less
            // one record.
            let (range, removed) = match parameter.and_then(|text| text.split_once(':')) {
                Some((range, "removed")) => (Some(range), true),
                Some(_) => return Err(WordError::Form { form }),
                None => (parameter, false),
            };
            let Some((low, high)) = range.and_then(|text| text.split_once("..")) else {
                // With two worlds, each is the other with one record exchanged, so the common records make no
                // difference.
                return Ok(Notion::AlphaBeta { least: least()?, sign });
            };
            let half = Rational::new(1.into(), 2.into());
            let low =
                within(number(Some(low), form)?, |low| !low.is_negative() && *low <= half, "a prior from 0 to 1/2")?;
            let inside = |high: &Rational| *high >= low && high.is_positive() && *high <= Rational::one();
            let most = within(number(Some(high), form)?, inside, "a prior from P_MIN to 1, above 0")?;
            Ok(Notion::Worlds { least: low, most, removed, sign })
        }
        Named::Sampling => Ok(Notion::Sampling { rate: rate(parameter, form)?, sign: Sign::Both }),
        Named::PositiveSampling => Ok(Notion::Sampling { rate: rate(parameter, form)?, sign: Sign::Positive }),
        Named::Indistinguishable => plain(Notion::Indistinguishable),
        Named::FreeLunch => plain(Notion::FreeLunch),
        Named::ZeroKnowledge => Ok(Notion::ZeroKnowledge { rows: count(parameter, form, 0)? }),
        Named::ZeroKnowledgeRows => Ok(Notion::ZeroKnowledgeRows { rows: count(parameter, form, 0)? }),
        Named::CrowdBlending => Ok(Notion::CrowdBlending { crowd: count(parameter, form, 1)? }),
        // Two parameters, other objects, or families: what is asked must be said otherwise.
        Named::AlphaBeta => Err(undecided(name, "write `alpha:P_MIN` or `beta:P_MIN`")),
        Named::SampledGain => Err(undecided(name, "write `pmp` over the family `sampled:BETA`")),
        Named::UniformGain => Err(undecided(name, "write `pmp` over the family `uniform`")),
        Named::GroupPrivacy => Err(undecided(name, "write `pmp` over the family `groups:K`")),
        Named::InducedNeighbours | Named::InducedExchange => {
            Err(undecided(name, "it is about the datasets that a file gives"))
        }
        Named::BayesOptimal | Named::BayesOptimalTwoSided => {
            Err(undecided(name, "it is about tables, as `deniable assess` is"))
        }
        Named::SemiHonest | Named::SemiHonestBoth => Err(undecided(name, "it is about protocols")),
    }
}

/// Reads a family; `priors` is the range of uncertain priors, where one is given.
///
/// # Errors
/// When there is none of that name, a parameter is missing or out of range, or the family has priors of its own.
pub fn family(text: &str, priors: Option<&PriorRange>) -> Result<Family, WordError> {
    let (name, parameter) = parted(text);
    let word = FAMILIES.iter().find(|word| word.name == name).ok_or_else(|| unknown("family", &FAMILIES, name))?;
    let range = || priors.cloned().unwrap_or_else(PriorRange::any);
    let plain =
        |family: Family| if parameter.is_none() { Ok(family) } else { Err(WordError::Form { form: word.form }) };
    let found = match word.name {
        "all" => plain(Family::All),
        "independent" => plain(Family::Independent(range())),
        "two-datasets" => plain(Family::TwoDatasets(range())),
        "bounded" => plain(Family::Bounded(range())),
        "one-of-two" => plain(Family::OneOfTwo(range())),
        "one-of" => Ok(Family::OneOf(count(parameter, word.form, 2)?)),
        "one-of-rest" => Ok(Family::OneOfRest(count(parameter, word.form, 2)?)),
        "uniform" => plain(Family::Uniform),
        "sampled" => Ok(Family::Sampled(rate(parameter, word.form)?)),
        "groups" => Ok(Family::Groups(count(parameter, word.form, 1)?)),
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
        Family::OneOfRest(among) => format!("one-of-rest:{among}"),
        Family::Uniform => "uniform".to_owned(),
        Family::Sampled(rate) => format!("sampled:{rate}"),
        Family::Groups(size) => format!("groups:{size}"),
        Family::Box(ranges) => format!("{} ranges of priors", ranges.len()),
        Family::Explicit(priors) => format!("{} given priors", priors.len()),
    };
    format!("{word} ({})", family.theorem())
}

/// A name and the parameter after it.
fn parted(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((name, parameter)) => (name.trim(), Some(parameter.trim())),
        None => (text.trim(), None),
    }
}

fn unknown_notion(name: &str) -> WordError {
    // A slip in an alias is a slip, too; the names alone are listed where nothing is near.
    match lookup(name).map_err(|unknown| unknown.did_you_mean) {
        Err(Some(near)) => {
            WordError::Unknown { what: "notion", name: name.to_owned(), hint: format!("did you mean `{near}`?") }
        }
        _ => unknown("notion", &NOTIONS, name),
    }
}

fn undecided(name: &str, instead: &'static str) -> WordError {
    WordError::Undecided { name: name.to_owned(), instead }
}

fn unknown(what: &'static str, words: &'static [Word], name: &str) -> WordError {
    let hint = did_you_mean(name, words.iter().map(|word| word.name));
    WordError::Unknown { what, name: name.to_owned(), hint }
}

fn number(parameter: Option<&str>, form: &'static str) -> Result<Rational, WordError> {
    parameter.and_then(|text| parse_rational(text).ok()).ok_or(WordError::Form { form })
}

fn within(value: Rational, inside: impl Fn(&Rational) -> bool, range: &'static str) -> Result<Rational, WordError> {
    if inside(&value) { Ok(value) } else { Err(WordError::Range { text: value.to_string(), range }) }
}

fn rate(parameter: Option<&str>, form: &'static str) -> Result<Rational, WordError> {
    let inside = |rate: &Rational| rate.is_positive() && !rate.is_zero() && *rate < Rational::one();
    within(number(parameter, form)?, inside, "a probability above 0 and below 1")
}

fn count(parameter: Option<&str>, form: &'static str, least: usize) -> Result<usize, WordError> {
    let text = parameter.ok_or(WordError::Form { form })?;
    let value: usize = text.parse().map_err(|_| WordError::Form { form })?;
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

    fn fill(form: &str) -> String {
        let some = form.replace(":M", ":2").replace(":K", ":1").replace(":ODDS", ":3/2").replace(":BETA", ":1/3");
        some.replace(":DELTA", ":0.01").replace(":P_MIN", ":0").replace(":RATE", ":1/2")
    }

    #[test]
    fn every_word_is_read() {
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

    /// A notion is read from every name of the table, and its own entry is the one that named it.
    #[test]
    fn every_name_of_the_table_is_read() {
        for found in deniable_core::notion::every_name() {
            let form = found.notion.entry().form;
            let text = fill(&form.replacen(found.notion.entry().name, found.name, 1));
            match notion(&text) {
                Ok(read) => assert_eq!(read.entry().notion, found.notion, "{text}"),
                Err(error) => assert!(matches!(error, WordError::Undecided { .. }), "{text}: {error}"),
            }
        }
        // What was understood before there was a table.
        let before = "dp dp-positive dp-negative bounded-dp delta:3/2 bounded-delta:3/2 epsilon-at:1/9 bounded-epsilon-at:1/9 \
                      pmp nmp membership posterior floor rho:2 alpha:0 beta:0 sampling:1/2 free-lunch zero-knowledge:1 \
                      crowd-blending:1";
        let listed: Vec<Named> = NOTIONS.iter().map(|word| find(word.name).unwrap().notion).collect();
        for text in before.split(' ') {
            assert!(listed.contains(&notion(text).unwrap().entry().notion), "{text}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| notion(text).unwrap_err().to_string();
        assert_eq!(wrong("pmpp"), "there is no notion `pmpp`; did you mean `pmp`?");
        assert_eq!(wrong("negative-gian"), "there is no notion `negative-gian`; did you mean `negative-gain`?");
        assert_eq!(wrong("group:3"), "the notion `group` is not decided here; write `pmp` over the family `groups:K`");
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
