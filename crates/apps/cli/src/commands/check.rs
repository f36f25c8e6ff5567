//! `deniable check`: the tight parameter of a privacy notion of a finite mechanism, with a witness.

use crate::args::check::Check as Args;
use crate::console::{say, shown};
use crate::error::Failure;
use crate::exit::Exit;
use crate::output::{Rendering, publish, writable};
use crate::policies::absolute;
use crate::progress::Progress;
use crate::render::{self, about_priors, verdict};
use deniable_check::claim::Claim;
use deniable_check::constraint::Formula;
use deniable_check::family::{Family, Prior};
use deniable_check::mechanism::file::{FileError, Format};
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::Notion;
use deniable_check::protocol::Party;
use deniable_check::protocol::simulate::Sides;
use deniable_check::subject::{Subject, View};
use deniable_check::{certificate, shrink, words};
use deniable_core::adversary::PriorRange;
use deniable_core::budget::SpendError;
use deniable_core::notion::{Notion as NotionName, find};
use deniable_recheck::{LIMIT, Statement, time};
use std::path::{Path, PathBuf};

/// Most smaller mechanisms that are decided in search of the smallest that breaks a claim.
const SHRINKING: usize = 2_000;

/// Most entities that a box of priors is written out for.
const MOST_BOXED: usize = 100_000;

/// Runs it.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if args.list {
        publish(&verdict::list(), None)?;
        return Ok(Exit::Done);
    }
    let name = args.mechanism.as_deref().unwrap_or_default();
    let (written, exit) = found(args, name, &subject(name, args)?)?;
    publish(written.as_asked(args.format), None)?;
    Ok(exit)
}

/// What is found of a mechanism or protocol of this name.
pub fn found(args: &Args, name: &str, subject: &Subject) -> Result<(Rendering, Exit), Failure> {
    let party = if args.party == Some(2) { Party::Second } else { Party::First };
    if args.party.is_some() && !matches!(subject, Subject::Protocol(_)) {
        return Err(Failure::usage("--party is for protocols", "leave it out"));
    }
    writable(&[("--certificate", args.certificate.as_deref())], &[PathBuf::from(name)])?;
    if args.certificate.is_some() && matches!(subject, Subject::Counts(_)) {
        let help = "give the mechanism dataset by dataset, or leave --certificate out";
        return Err(Failure::refused("certificates are about datasets, and this mechanism is about counts", help));
    }
    if args.priors.is_some() && args.family.as_deref() != Some("explicit") {
        return Err(Failure::usage(
            "--priors is for --family explicit",
            "add --family explicit, or leave --priors out",
        ));
    }
    if args.prior.is_some() && args.family.as_deref() == Some("explicit") {
        let help = "leave --prior out: the file of --priors says what observers believe";
        return Err(Failure::usage("--prior is not for --family explicit, whose priors are those of the file", help));
    }
    let asked = View::of(subject, party).map_err(|error| Failure::refused(error, "take a protocol of fewer inputs"))?;
    let priors = args.prior.as_deref().map(priors).transpose()?;
    let mut title = verdict::title(name, subject, party);
    let asked = match &args.sample {
        None => asked,
        Some(_) if matches!(subject, Subject::Protocol(_)) => {
            return Err(Failure::usage("--sample is for mechanisms, and this is a protocol", "leave it out"));
        }
        Some(rate) => {
            title.push_str(&format!(", on a sample at rate {rate}"));
            View::Table(on_a_sample(&asked, rate)?)
        }
    };
    if args.scalable || args.coupling.is_some() {
        return about_family(args, &asked, priors.as_ref(), &title);
    }
    if args.all || (args.notion.is_none() && args.family.is_none()) {
        if args.claim.is_some() || args.certificate.is_some() {
            return Err(Failure::usage(
                "a claim or a certificate is about one notion",
                "add --notion, as in --notion dp",
            ));
        }
        let progress = Progress::new();
        let rows = verdict::everything(subject, &asked, priors.as_ref(), &|notion| progress.says(notion));
        progress.done();
        let written = Rendering { table: verdict::everything_table(&title, &rows), json: render::json(&rows)? };
        return Ok((written, Exit::Done));
    }
    let notion_text = args.notion.as_deref().unwrap_or("pmp");
    if let Some(sides) = semi_honest(notion_text) {
        return simulated(args, subject, party, sides, &title);
    }
    let notion = match &args.possible {
        None => notion(notion_text, &asked)?,
        Some(formula) => among_possible(notion_text, formula, table(&asked)?)?,
    };
    let family = family(args, &asked, priors.as_ref(), &notion)?;
    let claim = args.claim.as_deref().map(|text| claimed(text, &notion)).transpose()?;
    if let Some(why) = certificate::none_of(&notion).filter(|_| args.certificate.is_some()) {
        return Err(Failure::refused(why, "leave --certificate out"));
    }
    let answer = asked
        .answer(&notion, &family)
        .map_err(|error| Failure::refused(error, "`deniable check --list` says what each notion needs"))?;
    let decided = &answer.verdict;
    let held = claim.as_ref().map(|claim| claim.holds(notion.is_worse_when_larger(), &decided.value));
    let held = held.transpose().map_err(undecided)?;
    let smallest = match (&asked, claim.as_ref().and_then(Claim::at_most), held) {
        (View::Table(mechanism), Some(claim), Some(Some(false))) => {
            shrink::shrink(mechanism, &notion, &family, &claim, SHRINKING).ok().flatten()
        }
        _ => None,
    };
    if let Some(path) = &args.certificate {
        let certificate = certificate::certificate(table(&asked)?, &notion, &family, decided)
            .map_err(|error| Failure::refused(error, "leave --certificate out"))?;
        std::fs::write(path, &certificate).map_err(|error| {
            let message = format!("{} cannot be written: {error}", path.display());
            Failure::refused(message, "name another file with --certificate; its folder must exist")
        })?;
        say(format!("certificate written to {}; {}", shown(&absolute(path)), rechecking(&certificate, path)));
    }
    let shown = verdict::VerdictReport::new(&title, &asked, notion_text, &notion, &family, &answer);
    let shown = shown.with_claim(args.claim.as_deref(), held, smallest.as_ref());
    Ok((written(&shown)?, exit(held)))
}

/// The mechanism on a random sample.
fn on_a_sample(asked: &View, rate: &str) -> Result<Mechanism, Failure> {
    let rate = deniable_core::exact::parse_rational(rate)
        .map_err(|error| Failure::usage(format!("--sample {rate}: {error}"), "write --sample 1/2"))?;
    let expanded = match asked {
        View::Counts(counts) if asked.entities() <= 12 => Some(counts.expand()),
        _ => None,
    };
    let expanded = expanded.transpose().map_err(|error| Failure::refused(error, "give it dataset by dataset"))?;
    let mechanism = match &expanded {
        Some(mechanism) => mechanism,
        None => table(asked)?,
    };
    deniable_check::sample::sampled(mechanism, &rate)
        .map_err(|error| Failure::refused(error, "leave --sample out, or give a row for every dataset"))
}

/// What is said of a family of priors, whatever the mechanism answers.
fn about_family(
    args: &Args,
    asked: &View,
    priors: Option<&PriorRange>,
    title: &str,
) -> Result<(Rendering, Exit), Failure> {
    // Any notion that is about beliefs takes every family.
    let family = family(args, asked, priors, &Notion::Indistinguishable)?;
    let Some(entity) = &args.coupling else {
        return Ok((about_priors::scalable(title, asked, &family)?, Exit::Done));
    };
    let mechanism = table(asked)?;
    let exchange = match args.notion.as_deref().map(|text| notion(text, asked)).transpose()? {
        None | Some(Notion::Bounded) => true,
        Some(Notion::Unbounded { .. }) => false,
        Some(_) => {
            let help = "add --notion bounded-dp (one exchanged) or --notion dp (one more or less)";
            return Err(Failure::usage("--coupling pairs datasets that are neighbours of `dp` or `bounded-dp`", help));
        }
    };
    Ok((about_priors::coupling(title, mechanism, &family, entity, exchange)?, Exit::Done))
}

fn written(shown: &verdict::VerdictReport) -> Result<Rendering, Failure> {
    Ok(Rendering { table: verdict::text(shown), json: render::json(shown)? })
}

/// What `deniable recheck` will make of a certificate: whether it will look at the upper bound, too.
fn rechecking(certificate: &str, path: &Path) -> String {
    let path = shown(&absolute(path));
    match Statement::read(certificate).map(|statement| statement.steps()) {
        Ok(steps) if steps > LIMIT => format!(
            "`deniable recheck {path}` verifies the witness, and not the upper bound, which would take about {}",
            time(steps)
        ),
        _ => format!("`deniable recheck {path}` verifies it"),
    }
}

/// Broken, or neither shown to hold nor shown to be broken: 1.
fn exit(held: Option<Option<bool>>) -> Exit {
    if matches!(held, None | Some(Some(true))) { Exit::Done } else { Exit::Refused }
}

fn semi_honest(notion: &str) -> Option<Sides> {
    match find(notion)?.notion {
        NotionName::SemiHonest => Some(Sides::One),
        NotionName::SemiHonestBoth => Some(Sides::Two),
        _ => None,
    }
}

/// What a protocol tells a party beside its input and output.
fn simulated(
    args: &Args,
    subject: &Subject,
    party: Party,
    sides: Sides,
    title: &str,
) -> Result<(Rendering, Exit), Failure> {
    let Subject::Protocol(protocol) = subject else {
        return Err(Failure::usage(
            "semi-honest privacy is about protocols",
            "`deniable check --list` lists those built in",
        ));
    };
    if args.family.is_some() || args.prior.is_some() || args.certificate.is_some() {
        return Err(Failure::usage("semi-honest privacy has no priors and no certificate", "leave them out"));
    }
    // Its parameter is e^ε, as of differential privacy.
    let claim = args.claim.as_deref().map(|text| claimed(text, &Notion::Bounded)).transpose()?;
    let Some(found) = protocol.simulate(party, sides) else {
        return Err(Failure::refused("the protocol has no inputs", "give it some"));
    };
    let held = claim.as_ref().map(|claim| claim.holds(true, &found.value)).transpose().map_err(undecided)?;
    let notion = args.notion.as_deref().unwrap_or_default();
    let shown = verdict::VerdictReport::simulated(title, notion, &found, protocol).with_claim(
        args.claim.as_deref(),
        held,
        None,
    );
    Ok((written(&shown)?, exit(held)))
}

/// What somebody says of the mechanism.
fn claimed(text: &str, notion: &Notion) -> Result<Claim, Failure> {
    Claim::read(text, notion).map_err(|error| Failure::usage(error.problem, format!("write {}", error.hint)))
}

fn undecided(error: SpendError) -> Failure {
    Failure::usage(format!("--claim: {error}"), "state the odds: --claim odds=...")
}

/// What a file holds, or what is built in.
pub fn subject(name: &str, args: &Args) -> Result<Subject, Failure> {
    let path = Path::new(name);
    if path.extension().is_none() && !path.exists() {
        return Subject::builtin(name, &args.parameters).map_err(|error| {
            Failure::usage(error, "`deniable check --list` lists what is built in; a file has an ending")
        });
    }
    if let Some(parameter) = args.parameters.keys().next() {
        return Err(Failure::usage(format!("--{parameter} is for built-in mechanisms"), "leave it out"));
    }
    let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
    let help = "a mechanism is TOML, JSON, CSV or Parquet: docs/check.md shows the shapes";
    let wrong = |error: &FileError| {
        Failure::refused(format!("{name}: {}", error.what()), error.help().unwrap_or_else(|| help.to_owned()))
    };
    if matches!(extension.to_ascii_lowercase().as_str(), "parquet" | "pq") {
        let rows = deniable_data::texts(path, &["dataset", "output", "probability"])
            .map_err(|error| Failure::refused(error, help))?;
        return Subject::from_rows(&rows).map_err(|error| wrong(&error));
    }
    let Some(format) = Format::of_extension(&extension) else {
        return Err(Failure::usage(format!("{name} does not end in .toml, .json, .csv or .parquet"), help));
    };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::refused(format!("{name} cannot be read: {error}"), help))?;
    Subject::read(&text, format).map_err(|error| wrong(&error))
}

fn priors(text: &str) -> Result<PriorRange, Failure> {
    deniable_translate::parse::priors(text)
        .map_err(|error| Failure::usage(format!("--prior {error}"), "write --prior 1/5..4/5"))
}

/// Differential privacy between induced neighbours among the datasets of which a formula holds.
fn among_possible(text: &str, formula: &str, mechanism: &Mechanism) -> Result<Notion, Failure> {
    let formula = Formula::parse(formula, mechanism.entities())
        .map_err(|error| Failure::usage(format!("--possible {error}"), "docs/check.md shows formulas"))?;
    let allowed: Vec<Dataset> = (0..1 << mechanism.size()).filter(|data| formula.holds(*data)).collect();
    match find(text).map(|found| found.notion) {
        Some(NotionName::InducedNeighbours) => Ok(Notion::Induced { allowed }),
        Some(NotionName::InducedExchange) => Ok(Notion::InducedExchange { allowed }),
        _ => Err(Failure::usage("--possible is for induced neighbours", "add --notion induced-neighbours")),
    }
}

/// The notion that was named. Induced neighbours are among the datasets that the file gives.
fn notion(text: &str, asked: &View) -> Result<Notion, Failure> {
    let named = find(text).map(|found| found.notion);
    if named == Some(NotionName::InducedNeighbours) {
        return Ok(asked.induced());
    }
    if let (View::Table(mechanism), Some(NotionName::InducedExchange)) = (asked, named) {
        return Ok(Notion::InducedExchange { allowed: mechanism.datasets().collect() });
    }
    words::notion(text)
        .map_err(|error| Failure::usage(format!("--notion: {error}"), "`deniable check --list` lists them"))
}

/// The family that was named; independent entities where none is and one is needed.
fn family(args: &Args, asked: &View, priors: Option<&PriorRange>, notion: &Notion) -> Result<Family, Failure> {
    let about_beliefs = notion.is_about_beliefs();
    let text = args.family.as_deref();
    match text {
        Some(text) if !about_beliefs => {
            Err(Failure::usage(format!("--family {text}: this notion has no family of priors"), "leave --family out"))
        }
        None if !about_beliefs && priors.is_some() => {
            Err(Failure::usage("--prior: this notion has no priors", "leave --prior out"))
        }
        Some("box") => {
            let range = priors.ok_or_else(|| Failure::usage("--family box needs a range", "add --prior 1/5..4/5"))?;
            if asked.entities() > MOST_BOXED {
                let message = format!("--family box: {} entities are more than {MOST_BOXED}", asked.entities());
                return Err(Failure::refused(
                    message,
                    "take smaller groups, or --family independent, whose odds are no smaller",
                ));
            }
            Ok(Family::Box(vec![range.clone(); asked.entities()]))
        }
        Some("explicit") => {
            let path = args
                .priors
                .as_ref()
                .ok_or_else(|| Failure::usage("--family explicit needs priors", "add --priors FILE"))?;
            given(path, table(asked)?).map(Family::Explicit)
        }
        text => words::family(text.unwrap_or("independent"), priors)
            .map_err(|error| Failure::usage(format!("--family: {error}"), "`deniable check --list` lists families")),
    }
}

/// The mechanism by datasets, which some families are about.
fn table(asked: &View) -> Result<&Mechanism, Failure> {
    match asked {
        View::Table(mechanism) => Ok(mechanism),
        View::Counts(_) => Err(Failure::usage(
            "this family is about entities, and the mechanism is about counts",
            "give it dataset by dataset",
        )),
    }
}

/// The priors of a file.
fn given(path: &Path, mechanism: &Mechanism) -> Result<Vec<Prior>, Failure> {
    let name = path.display();
    let help = "docs/check.md shows how priors are written";
    let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
    let format = Format::of_extension(&extension)
        .ok_or_else(|| Failure::usage(format!("{name} does not end in .toml, .json or .csv"), help))?;
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::refused(format!("{name} cannot be read: {error}"), help))?;
    deniable_check::priors::read(&text, format, mechanism.entities()).map_err(|error| {
        let help = error.help().unwrap_or_else(|| help.to_owned());
        Failure::refused(format!("{name}: {}", error.what()), help)
    })
}
