//! Notions and families as the command line and certificates write them: `pmp`, `rho:100`, `sampled:1/10`.

use crate::family::Family;
use crate::notion::{FixedParameter, Notion, Reading, Sign};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::notion::parse::{Argument, ParseError, Text};
use deniable_core::notion::{Notion as NotionName, Parameter, every_name, find};

/// An entry of the help: a notion or a family.
pub struct Word {
    /// The name that the command line accepts.
    pub name: &'static str,
    /// The name with its parameters in capitals, as `rho:M`.
    pub form: &'static str,
    /// The meaning, in one line.
    pub about: &'static str,
}

/// Every notion that can be named, in order of the help; names and meanings are those of the table of notions.
pub const NOTIONS: [Word; 27] = [
    known(NotionName::Dp),
    known(NotionName::PositiveDp),
    known(NotionName::NegativeDp),
    known(NotionName::BoundedDp),
    known(NotionName::Delta),
    known(NotionName::BoundedDelta),
    known(NotionName::EpsilonAt),
    known(NotionName::BoundedEpsilonAt),
    known(NotionName::Chance),
    known(NotionName::BoundedChance),
    known(NotionName::Tail),
    known(NotionName::BoundedTail),
    known(NotionName::PositiveMembership),
    known(NotionName::NegativeMembership),
    known(NotionName::Membership),
    known(NotionName::PosteriorAtMost),
    known(NotionName::PosteriorAtLeast),
    known(NotionName::Rho),
    known(NotionName::Alpha),
    known(NotionName::Beta),
    known(NotionName::Sampling),
    known(NotionName::PositiveSampling),
    known(NotionName::Indistinguishable),
    known(NotionName::FreeLunch),
    known(NotionName::ZeroKnowledge),
    known(NotionName::ZeroKnowledgeRows),
    known(NotionName::CrowdBlending),
];

const fn known(notion: NotionName) -> Word {
    let entry = notion.entry();
    word(entry.name, entry.form, entry.sentence)
}

/// Every family, in order of the help.
pub const FAMILIES: [Word; 12] = [
    word("all", "all", "any prior at all (F-DU)"),
    word("independent", "independent", "independent entities; with a range of priors, uncertain ones in it (F-DI)"),
    word("two-datasets", "two-datasets", "independent, with two possible datasets (F-DI2)"),
    word("bounded", "bounded", "independent given a public size; with a range of priors, uncertain ones in it (F-DB)"),
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
    word("box", "box", "independent entities, every one with a prior in a range, none of them certain (X-BOX)"),
    word("explicit", "explicit", "the priors of a file, and all mixtures of them (F-EXPL)"),
];

const fn word(name: &'static str, form: &'static str, about: &'static str) -> Word {
    Word { name, form, about }
}

/// Parses a notion by its name or an alias.
///
/// # Errors
/// When no notion has that name, this module does not decide it, or a parameter is missing or out of range.
pub fn notion(text: &str) -> Result<Notion, ParseError> {
    let text = Text(text);
    let (name, argument) = text.parts();
    let named = find(name).ok_or_else(|| unknown_notion(text, name))?.notion;
    let form = named.entry().form;
    let argument = text.argument(argument, form);
    let plain = |notion: Notion| argument.none().map(|()| notion);
    let approximate = |adjacency, given| Ok(Notion::Approximate { adjacency, given });
    let odds = || argument.number(&Parameter::ODDS).map(FixedParameter::Odds);
    let but_for =
        |adjacency, reading| argument.number(&Parameter::ODDS).map(|odds| Notion::ButFor { adjacency, odds, reading });
    let delta = || argument.number(&Parameter::DELTA).map(FixedParameter::Delta);
    let sampling = |sign| Ok(Notion::Sampling { rate: argument.number(&Parameter::RATE)?, sign });
    let undecided = |instead: &str| Err(text.error(name, "not decided here", instead));
    match named {
        NotionName::Dp => plain(Notion::Unbounded { sign: Sign::Both }),
        NotionName::PositiveDp => plain(Notion::Unbounded { sign: Sign::Positive }),
        NotionName::NegativeDp => plain(Notion::Unbounded { sign: Sign::Negative }),
        NotionName::BoundedDp => plain(Notion::Bounded),
        NotionName::Delta => approximate(Adjacency::AddRemove, odds()?),
        NotionName::BoundedDelta => approximate(Adjacency::ReplaceOne, odds()?),
        NotionName::EpsilonAt => approximate(Adjacency::AddRemove, delta()?),
        NotionName::BoundedEpsilonAt => approximate(Adjacency::ReplaceOne, delta()?),
        NotionName::Chance => but_for(Adjacency::AddRemove, Reading::Event),
        NotionName::BoundedChance => but_for(Adjacency::ReplaceOne, Reading::Event),
        NotionName::Tail => but_for(Adjacency::AddRemove, Reading::Output),
        NotionName::BoundedTail => but_for(Adjacency::ReplaceOne, Reading::Output),
        NotionName::PositiveMembership => plain(Notion::Membership { sign: Sign::Positive }),
        NotionName::NegativeMembership => plain(Notion::Membership { sign: Sign::Negative }),
        NotionName::Membership => plain(Notion::Membership { sign: Sign::Both }),
        NotionName::PosteriorAtMost => plain(Notion::Posterior { sign: Sign::Positive }),
        NotionName::PosteriorAtLeast => plain(Notion::Posterior { sign: Sign::Negative }),
        NotionName::Rho => Ok(Notion::Rho { among: count(argument, &Parameter::AMONG)? }),
        NotionName::Alpha | NotionName::Beta => {
            let sign = if named == NotionName::Alpha { Sign::Negative } else { Sign::Positive };
            // With `P_MIN..P_MAX` every world has a prior in that range; with `:removed` a world is a known table less
            // one record.
            let (range, removed) = match argument.needed()?.split_once(':') {
                Some((range, "removed")) => (Some(range), true),
                Some((_, suffix)) => return Err(text.error(suffix, "not a set of worlds", "write `:removed`")),
                None => (Some(argument.needed()?), false),
            };
            match text.argument(range, form).worlds()? {
                (least, Some(most)) => Ok(Notion::Worlds { least, most, removed, sign }),
                // With two worlds, each is the other with one record exchanged, so the common records make no
                // difference.
                (least, None) => Ok(Notion::AlphaBeta { least, sign }),
            }
        }
        NotionName::Sampling => sampling(Sign::Both),
        NotionName::PositiveSampling => sampling(Sign::Positive),
        NotionName::Indistinguishable => plain(Notion::Indistinguishable),
        NotionName::FreeLunch => plain(Notion::FreeLunch),
        NotionName::ZeroKnowledge => Ok(Notion::ZeroKnowledge { rows: count(argument, &Parameter::ROWS)? }),
        NotionName::ZeroKnowledgeRows => Ok(Notion::ZeroKnowledgeRows { rows: count(argument, &Parameter::ROWS)? }),
        NotionName::CrowdBlending => Ok(Notion::CrowdBlending { crowd: count(argument, &Parameter::CROWD)? }),
        // These have two parameters, are about other objects, or need a family.
        NotionName::AlphaBeta => undecided("write `alpha:P_MIN` or `beta:P_MIN`"),
        NotionName::SampledGain => undecided("write `pmp` over the family `sampled:BETA`"),
        NotionName::UniformGain => undecided("write `pmp` over the family `uniform`"),
        NotionName::GroupPrivacy => undecided("write `pmp` over the family `groups:K`"),
        NotionName::InducedNeighbours | NotionName::InducedExchange => {
            undecided("it is about the datasets that a file gives")
        }
        NotionName::BayesOptimal | NotionName::BayesOptimalTwoSided => {
            undecided("it is about tables, as `deniable assess` is")
        }
        NotionName::SemiHonest | NotionName::SemiHonestBoth => undecided("it is about protocols"),
    }
}

/// Parses a family; `priors` is the range of uncertain priors, if one is given.
///
/// # Errors
/// When no family has that name, a parameter is missing or out of range, or the family has priors of its own.
pub fn family(text: &str, priors: Option<&PriorRange>) -> Result<Family, ParseError> {
    let text = Text(text);
    let (name, argument) = text.parts();
    let names = FAMILIES.map(|word| word.name);
    let unknown = || text.unknown("family", name, &names, &names);
    let form = FAMILIES.iter().find(|word| word.name == name).ok_or_else(unknown)?.form;
    let argument = text.argument(argument, form);
    let range = || priors.cloned().unwrap_or_else(PriorRange::any);
    let plain = |family: Family| argument.none().map(|()| family);
    let found = match name {
        "all" => plain(Family::All),
        "independent" => plain(Family::Independent(range())),
        "two-datasets" => plain(Family::TwoDatasets(range())),
        "bounded" => plain(Family::Bounded(range())),
        "one-of-two" => plain(Family::OneOfTwo(range())),
        "one-of" => Ok(Family::OneOf(count(argument, &Parameter::AMONG)?)),
        "one-of-rest" => Ok(Family::OneOfRest(count(argument, &Parameter::AMONG)?)),
        "uniform" => plain(Family::Uniform),
        "sampled" => Ok(Family::Sampled(argument.number(&Parameter::RATE)?)),
        "groups" => Ok(Family::Groups(count(argument, &Parameter::SIZE)?)),
        "box" => {
            Err(text.error(name, "this family needs a range of priors for each entity", "give one, such as `1/5..4/5`"))
        }
        "explicit" => Err(text.error(name, "this family needs a file of priors", "give one")),
        _ => Err(unknown()),
    }?;
    let ranged =
        matches!(found, Family::Independent(_) | Family::TwoDatasets(_) | Family::Bounded(_) | Family::OneOfTwo(_));
    if priors.is_some() && !ranged {
        return Err(text.error(name, "this family has its own priors", "leave the range of priors out"));
    }
    Ok(found)
}

/// A family for display: its word, its range of priors if it has one, and its identifier.
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

fn unknown_notion(text: Text, name: &str) -> ParseError {
    let all: Vec<&str> = every_name().map(|found| found.name).collect();
    text.unknown("notion", name, &all, &NOTIONS.map(|word| word.name))
}

fn count(argument: Argument, parameter: &Parameter) -> Result<usize, ParseError> {
    argument.count(parameter).map(|count| count as usize)
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
    fn every_word_is_parsed() {
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

    /// Every name of the table of notions parses to the notion of its own entry.
    #[test]
    fn every_name_of_the_table_is_parsed() {
        let listed: Vec<NotionName> = NOTIONS.iter().map(|word| find(word.name).unwrap().notion).collect();
        for found in deniable_core::notion::every_name() {
            let form = found.notion.entry().form;
            let text = fill(&form.replacen(found.notion.entry().name, found.name, 1));
            match notion(&text) {
                Ok(read) => {
                    assert_eq!(read.entry().notion, found.notion, "{text}");
                    assert!(listed.contains(&found.notion), "`{text}` is decided: list it in NOTIONS");
                }
                Err(error) => assert_eq!(error.problem, "not decided here", "{text}: {error}"),
            }
        }
        // Texts accepted before the table of notions existed.
        let before = "dp dp-positive dp-negative bounded-dp delta:3/2 bounded-delta:3/2 epsilon-at:1/9 bounded-epsilon-at:1/9 \
                      pmp nmp membership posterior floor rho:2 alpha:0 beta:0 sampling:1/2 free-lunch zero-knowledge:1 \
                      crowd-blending:1";
        for text in before.split(' ') {
            assert!(listed.contains(&notion(text).unwrap().entry().notion), "{text}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| notion(text).unwrap_err().to_string();
        for (text, error) in [
            ("pmpp", "`pmpp`: no such notion; did you mean `pmp`?"),
            ("negative-gian", "`negative-gian`: no such notion; did you mean `negative-gain`?"),
            ("group:3", "`group:3`, at `group`: not decided here; write `pmp` over the family `groups:K`"),
            ("rho", "`rho`: a parameter is missing; write `rho:M`"),
            ("pmp:2", "`pmp:2`, at `2`: unexpected parameter; leave it out"),
            ("rho:1", "`rho:1`, at `1`: not a whole number, at least 2; write `rho:M`"),
            ("rho:5000000000", "`rho:5000000000`, at `5000000000`: too large; write `rho:M`"),
            ("delta:1/2", "`delta:1/2`, at `1/2`: not an e^ε of at least 1; write `delta:ODDS`"),
            ("beta:1/3..1/4", "`beta:1/3..1/4`, at `1/4`: not a prior from P_MIN to 1, above 0; write `beta:P_MIN`"),
            ("beta:0..1:added", "`beta:0..1:added`, at `added`: not a set of worlds; write `:removed`"),
        ] {
            assert_eq!(wrong(text), error);
        }
        let range = PriorRange::new(Some(ratio(1, 5)), None).unwrap();
        let wrong = family("uniform", Some(&range)).unwrap_err().to_string();
        assert_eq!(wrong, "`uniform`: this family has its own priors; leave the range of priors out");
        assert!(family("sampled:1", None).is_err());
    }
}
