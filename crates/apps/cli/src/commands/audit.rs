//! `deniable audit`: tests a mechanism's claim by its outputs alone.

use crate::args::audit::{Audit as Args, Neighbours as Adjacency};
use crate::console::say;
use crate::error::Failure;
use crate::exit::Exit;
use crate::output::{publish, publish_report};
use crate::progress::Progress;
use deniable::audit::{
    AuditError, Deadlines, InputAdjacency, Mechanism, Member, Neighbours, Options, Pair, Program, Supremum, audit,
    audit_member, member, zoo,
};
use deniable::exact::parse_rational;
use std::fmt::Write;
use std::time::Duration;

/// Runs it.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if args.list {
        publish(&list()?, None)?;
        return Ok(Exit::Done);
    }
    let confidence = parse_rational(&args.confidence)
        .map_err(|error| Failure::usage(format!("--confidence {error}"), "write --confidence 99.9%"))?;
    let round_to = args.round_to.as_deref().map(parse_rational).transpose();
    let round_to = round_to.map_err(|error| Failure::usage(format!("--round-to {error}"), "write --round-to 0.001"))?;
    let options = Options {
        claim: args.claim.clone(),
        prior: args.prior.clone(),
        confidence,
        samples: args.samples,
        neighbours: neighbours(args)?,
        round_to,
    };
    options.validate()?;
    let progress = Progress::new();
    let begin = || {
        if args.samples > 200_000 {
            progress.says(&format!("drawing {} outputs", args.samples));
        }
    };
    let report = match &args.builtin {
        Some(name) => {
            let member = member(name)?;
            introduce(&member);
            begin();
            audit_member(&member, &options)
        }
        None => {
            let workers = program(args)?;
            begin();
            audit(workers, &options)
        }
    }?;
    progress.done();
    publish_report(&report, args.format)?;
    Ok(if report.holds() { Exit::Done } else { Exit::Refused })
}

/// The zoo as a table.
fn list() -> Result<String, Failure> {
    let mut text = String::new();
    for member in zoo::members().map_err(deniable::audit::Error::from)? {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:32} {:8} {}", member.name, kind(&member), member.about);
    }
    Ok(text)
}

fn kind(member: &Member) -> &'static str {
    if member.broken { "broken" } else { "correct" }
}

/// Describes a mechanism of the zoo on standard error.
fn introduce(member: &Member) {
    say(format!("{} ({}): {}", member.name, kind(member), member.about));
    match &member.supremum {
        Supremum::Exactly(odds) => say(format!("its odds ratio is exactly {odds} at worst")),
        Supremum::AtMost(odds) => say(format!("its odds ratio is at most {odds}")),
        Supremum::Unbounded => say("its odds ratio has no bound"),
        Supremum::Grows => say("its odds ratio grows with the number of queries"),
    }
}

/// Starts the program in `--processes` copies.
fn program(args: &Args) -> Result<Vec<Box<dyn Mechanism>>, Failure> {
    let Some((file, arguments)) = args.program.split_first() else {
        let help = "write the program after `--`, as in `deniable audit --claim epsilon=1 -- python3 mechanism.py`, or \
                    name a built-in mechanism with --builtin";
        return Err(Failure::usage("no mechanism is named", help));
    };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let later = Duration::from_secs(args.deadline.max(1));
    let deadlines = Deadlines { first: Deadlines::default().first.max(later), later };
    let program = Program { deadlines, ..Program::new(file, &arguments) };
    // Each program runs in its own process group, which Ctrl-C does not reach. Setting the handler fails only if there
    // is one already.
    let _ = ctrlc::set_handler(|| {
        deniable::audit::end_all();
        std::process::exit(130);
    });
    program
        .start_several(args.processes.get())
        .map_err(|error| deniable::audit::Error::from(AuditError::from(error)).into())
}

/// The pairs of neighbouring inputs to test.
fn neighbours(args: &Args) -> Result<Neighbours, Failure> {
    if !args.pair.is_empty() {
        let pairs = args.pair.iter().map(|text| {
            let input =
                |text: &str| text.split(',').map(|entry| entry.trim().parse().ok()).collect::<Option<Vec<i64>>>();
            let both = text.split_once('/').and_then(|(left, right)| Some((input(left)?, input(right)?)));
            let both =
                both.filter(|(left, right)| left.len() == right.len()).map(|(left, right)| Pair::new(left, right));
            both.ok_or_else(|| {
                Failure::usage(
                    format!("--pair {text} is not a pair of inputs"),
                    "write the same number of whole numbers on both sides, as in --pair 0,0,5/1,0,5",
                )
            })
        });
        return Ok(Neighbours::listed(pairs.collect::<Result<_, _>>()?));
    }
    let adjacency = match args.neighbours {
        Adjacency::EachByOne => InputAdjacency::EachByOne,
        Adjacency::SameDirection => InputAdjacency::SameDirection,
        Adjacency::OneEntry => InputAdjacency::OneEntry,
    };
    let entries = args.entries.get();
    Ok(if args.negative { Neighbours::queries(adjacency, entries) } else { Neighbours::counts(adjacency, entries) })
}
