//! `deniable check`: the tight parameter of a privacy notion of a finite mechanism, with a witness.

use crate::args::check::Check as Args;
use crate::console::{say, shown};
use crate::error::Failure;
use crate::exit::Exit;
use crate::output::{publish, publish_report};
use crate::policies::absolute;
use crate::progress::Progress;
use deniable::check::{
    CertificateReport, FAMILIES, MECHANISMS, NOTIONS, Options, PROTOCOLS, Party, Source, Word, check, coupling,
    everything, scalable,
};
use deniable::exact::parse_rational;
use deniable_core::notion::Notion;
use deniable_core::notion::adversary::{ADVERSARIES, Adversary, Case};
use std::fmt::Write;

/// Runs it.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if args.list {
        publish(&list(), None)?;
        return Ok(Exit::Done);
    }
    let name = args.mechanism.clone().unwrap_or_default();
    let source = Source::Named { name, parameters: args.parameters.clone() };
    let options = options(args)?;
    if args.scalable {
        publish_report(&scalable(&source, &options)?, args.format)?;
    } else if let Some(entity) = &args.coupling {
        publish_report(&coupling(&source, entity, &options)?, args.format)?;
    } else if args.all || (args.notion.is_none() && args.family.is_none()) {
        let progress = Progress::new();
        let report = everything(&source, &options, &|notion| progress.says(notion))?;
        progress.done();
        publish_report(&report, args.format)?;
    } else {
        let report = check(&source, &options)?;
        if let Some(certificate) = &report.certificate {
            announce(certificate);
        }
        publish_report(&report, args.format)?;
        // `holds` is false too where the bracket around the parameter leaves the claim undecided.
        return Ok(if report.holds() { Exit::Done } else { Exit::Refused });
    }
    Ok(Exit::Done)
}

fn options(args: &Args) -> Result<Options, Failure> {
    let rate = args.sample.as_deref().map(|rate| {
        parse_rational(rate).map_err(|error| Failure::usage(format!("--sample {rate}: {error}"), "write --sample 1/2"))
    });
    Ok(Options {
        notion: args.notion.clone(),
        family: args.family.clone(),
        prior: args.prior.clone(),
        priors: args.priors.clone(),
        claim: args.claim.clone(),
        certificate: args.certificate.clone(),
        party: args.party.map(|party| if party == 2 { Party::Second } else { Party::First }),
        possible: args.possible.clone(),
        sample: rate.transpose()?,
    })
}

/// Prints the certificate's path and which parts of it `deniable recheck` verifies.
fn announce(certificate: &CertificateReport) {
    let path = shown(&absolute(&certificate.path));
    let verifies = match &certificate.unverified {
        None => "verifies it".to_owned(),
        Some(time) => format!("verifies the witness but not the upper bound, which would take about {time}"),
    };
    say(format!("certificate written to {path}; `deniable recheck {path}` {verifies}"));
}

/// Notions, families and built-in mechanisms.
fn list() -> String {
    let mut text = String::new();
    let mut section = |heading: &str, words: &[Word]| {
        let _ = writeln!(text, "{heading}");
        for word in words {
            let _ = writeln!(text, "  {:<26} {}", word.form, word.about);
        }
        text.push('\n');
    };
    section("Notions (--notion)", &NOTIONS);
    let induced = [Notion::InducedNeighbours, Notion::InducedExchange].map(|named| {
        let entry = named.entry();
        Word { name: entry.name, form: entry.form, about: entry.sentence }
    });
    section("Notions of the datasets that a file gives", &induced);
    section("Families of priors (--family), for pmp, nmp, membership, posteriors and indistinguishable", &FAMILIES);
    text.push_str(
        "Adversaries of indistinguishable privacy: background knowledge, sensitive information, operation knowledge\n",
    );
    for Adversary { notion, background, sensitive, operation, case, source } in ADVERSARIES {
        let name = notion.entry().name;
        let is = match case {
            Case::Over(family) => format!("this is `{name}`, over --family {family}"),
            Case::Of(objects) => format!("this is `{name}`, of {objects}"),
            Case::Not(why) => format!("this is not `{name}`: {why}"),
        };
        let _ = writeln!(text, "  {name:<26} BK: {background}; SI: {sensitive}; OK: {operation}. {is} ({source})");
    }
    text.push('\n');
    text.push_str("Built-in mechanisms, and their parameters with defaults\n");
    for mechanism in MECHANISMS {
        let _ = writeln!(text, "  {:<26} {}", mechanism.name, mechanism.about);
        for parameter in mechanism.parameters {
            let default = parameter.default.map(|default| format!(" [{default}]")).unwrap_or_default();
            let flag = format!("--{}", parameter.name);
            let _ = writeln!(text, "    {flag:<24} {}; {}{default}", parameter.about, parameter.range);
        }
    }
    text.push_str("\nBuilt-in protocols, for semi-honest and semi-honest-both too\n");
    for (name, about) in PROTOCOLS {
        let _ = writeln!(text, "  {name:<26} {about}");
    }
    text
}
