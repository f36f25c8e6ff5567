//! `deniable audit`: a mechanism against its claim, from its outputs alone.

use crate::args::audit::{Audit as Args, Neighbours as Which};
use crate::console::say;
use crate::error::Failure;
use crate::exit::Exit;
use crate::output::{Rendering, publish};
use crate::priors;
use crate::progress::Progress;
use crate::render;
use deniable_audit::zoo::{self, Supremum};
use deniable_audit::{
    AuditError, Deadlines, InputAdjacency, Mechanism, Neighbours, Pair, Program, Settings, Verdict, audit,
};
use deniable_core::adversary::PriorRange;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal, inside_ln, parse_rational, percent, ratio, whole};
use deniable_core::notion::find;
use deniable_core::promise::Promise;
use num_traits::{Signed, ToPrimitive};
use serde::Serialize;
use std::fmt::Write;
use std::time::Duration;

/// A verdict, for programs: fractions are exact, in lowest terms.
#[derive(Serialize)]
struct AuditReport {
    broken: bool,
    claim: Option<String>,
    odds_at_least: String,
    epsilon_at_least: String,
    gain_at_least: String,
    posterior_at_least: String,
    prior: String,
    error: f64,
    event: Option<String>,
    likelier_input: Option<Vec<i64>>,
    other_input: Option<Vec<i64>>,
    probability_at_least: Option<String>,
    other_probability_at_most: Option<String>,
    pairs: usize,
    samples: u64,
}

/// Runs it.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if args.list {
        publish(&list()?, None)?;
        return Ok(Exit::Done);
    }
    let priors = priors::range(args.prior.as_deref())?;
    let settings = Settings { samples: args.samples, error: error_of(&args.confidence)?, ..Settings::default() };
    let claim = args.claim.as_deref().map(|text| claim(text, &priors)).transpose()?;
    let (mut workers, neighbours, claim) = match &args.builtin {
        Some(name) => builtin(name, claim)?,
        None => (program(args)?, neighbours(args)?, claim),
    };
    let progress = Progress::new();
    if args.samples > 200_000 {
        progress.says(&format!("drawing {} outputs", args.samples));
    }
    let verdict = audit(&mut workers, &neighbours, claim.as_ref(), &settings).map_err(failure)?;
    progress.done();
    let (written, exit) = found(&verdict, &priors)?;
    publish(written.as_asked(args.format), None)?;
    Ok(exit)
}

/// What was found, as it is written.
pub fn found(verdict: &Verdict, priors: &PriorRange) -> Result<(Rendering, Exit), Failure> {
    let both = Rendering { table: table(verdict, priors), json: render::json(&written(verdict, priors))? };
    Ok((both, if verdict.is_broken() { Exit::Refused } else { Exit::Done }))
}

/// The zoo as a table.
fn list() -> Result<String, Failure> {
    let mut text = String::new();
    for member in zoo::members().map_err(|error| Failure::refused(error, ""))? {
        let kind = if member.broken { "broken" } else { "correct" };
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:32} {kind:8} {}", member.name, member.about);
    }
    Ok(text)
}

type Subject = (Vec<Box<dyn Mechanism>>, Neighbours, Option<Spend>);

/// A mechanism of the zoo, against its own claim unless another is stated.
fn builtin(name: &str, claim: Option<Spend>) -> Result<Subject, Failure> {
    let known = zoo::members().map_err(|error| Failure::refused(error, ""))?;
    let Some(member) = known.iter().find(|member| member.name == name) else {
        let names: Vec<&str> = known.iter().map(|member| member.name).collect();
        let near = deniable_core::text::nearest(name, &names);
        let help = near
            .map_or_else(|| "deniable audit --list names them all".to_owned(), |near| format!("did you mean {near}?"));
        return Err(Failure::usage(format!("there is no mechanism \"{name}\" in the zoo"), help));
    };
    let kind = if member.broken { "broken" } else { "correct" };
    say(format!("{name} ({kind}): {}", member.about));
    match &member.supremum {
        Supremum::Exactly(odds) => say(format!("its odds ratio is exactly {odds} at worst")),
        Supremum::AtMost(odds) => say(format!("its odds ratio is at most {odds}")),
        Supremum::Unbounded => say("its odds ratio has no bound"),
        Supremum::Grows => say("its odds ratio grows with the number of queries"),
    }
    let worker = member.start().map_err(|error| Failure::refused(error, ""))?;
    Ok((vec![worker], member.neighbours.clone(), claim.or_else(|| Some(member.claim.clone()))))
}

/// The program, started as often as is asked.
fn program(args: &Args) -> Result<Vec<Box<dyn Mechanism>>, Failure> {
    let Some((file, arguments)) = args.program.split_first() else {
        let help = "write the program after `--`, as in `deniable audit --claim epsilon=1 -- python3 mechanism.py`; or name one of \
                    the zoo with --builtin";
        return Err(Failure::usage("nothing says what to audit", help));
    };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let later = Duration::from_secs(args.deadline.max(1));
    let deadlines = Deadlines { first: Deadlines::default().first.max(later), later };
    let program = Program { deadlines, ..Program::new(file, &arguments) };
    // Programs have groups of their own, which Ctrl-C does not reach. It fails only where there is a handler already.
    let _ = ctrlc::set_handler(|| {
        deniable_audit::end_all();
        std::process::exit(130);
    });
    program.start_several(args.processes.get()).map_err(|error| failure(error.into()))
}

/// The pairs of inputs that are tried.
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
                    format!("--pair {text} is no pair of inputs"),
                    "write as many whole numbers on both sides, as --pair 0,0,5/1,0,5",
                )
            })
        });
        return Ok(Neighbours::listed(pairs.collect::<Result<_, _>>()?));
    }
    let adjacency = match args.neighbours {
        Which::EachByOne => InputAdjacency::EachByOne,
        Which::SameDirection => InputAdjacency::SameDirection,
        Which::OneEntry => InputAdjacency::OneEntry,
    };
    let entries = args.entries.get();
    Ok(if args.negative { Neighbours::queries(adjacency, entries) } else { Neighbours::counts(adjacency, entries) })
}

/// The odds ratio of a claim: of its own, or the largest that keeps a promise about beliefs.
pub fn claim(text: &str, priors: &PriorRange) -> Result<Spend, Failure> {
    let help = "write --claim epsilon=0.1, --claim epsilon=ln(3), --claim odds=3, or --claim gain=2 with --prior 1/2";
    let wrong = |error: &dyn std::fmt::Display| Failure::usage(format!("--claim {text}: {error}"), help);
    let Some((name, value)) = text.split_once('=') else { return Err(wrong(&"there is no value in it")) };
    let (name, value) = (name.trim(), value.trim());
    let number = |text: &str| parse_rational(text).map_err(|error| wrong(&error));
    if let ("epsilon", Some(odds)) = (name, inside_ln(value)) {
        return Spend::odds(number(odds)?).map_err(|error| wrong(&error));
    }
    if name == "odds" {
        return Spend::odds(number(value)?).map_err(|error| wrong(&error));
    }
    // A promise is stated in a ledger's word, whatever it is called here.
    let found = find(name).filter(|found| !found.is_odds());
    let word = found.and_then(|found| found.notion.entry().promise).map_or(name, |promise| promise.key);
    let promise: Promise = format!("{word} = {value}").parse().map_err(|error| wrong(&error))?;
    promise.largest_odds(priors).map_err(|error| wrong(&error))
}

/// The probability that a bound may be wrong.
pub fn error_of(confidence: &str) -> Result<f64, Failure> {
    let help = "write --confidence 99.9%";
    let value = parse_rational(confidence).map_err(|error| Failure::usage(format!("--confidence {error}"), help))?;
    let error = whole(1) - value;
    if !error.is_positive() || error > ratio(1, 10) {
        return Err(Failure::usage(format!("--confidence {confidence} is not between 90% and 100%"), help));
    }
    Ok(error.to_f64().unwrap_or(0.001))
}

/// The belief that stands for the observers: the only one, else the middle of the interval.
fn example(priors: &PriorRange) -> Rational {
    (priors.low() + priors.high()) / whole(2)
}

fn table(verdict: &Verdict, priors: &PriorRange) -> String {
    let prior = example(priors);
    format!(
        "{verdict}\nbeliefs:   someone who gave one of these inputs {} can be at least {} sure of it after one answer; some belief \
         grows by a factor of at least {}\n",
        percent(&prior, 2, Rounding::Nearest),
        percent(&verdict.posterior(&prior), 2, Rounding::Down),
        decimal(&verdict.gain(priors), 4, Rounding::Down),
    )
}

fn written(verdict: &Verdict, priors: &PriorRange) -> AuditReport {
    let (best, prior) = (verdict.best(), example(priors));
    AuditReport {
        broken: verdict.is_broken(),
        claim: verdict.claim().map(ToString::to_string),
        odds_at_least: verdict.odds().to_string(),
        epsilon_at_least: decimal(&verdict.epsilon(), 6, Rounding::Down),
        gain_at_least: verdict.gain(priors).to_string(),
        posterior_at_least: verdict.posterior(&prior).to_string(),
        prior: prior.to_string(),
        error: verdict.error(),
        event: best.map(|best| best.event.to_string()),
        likelier_input: best.map(|best| best.likelier.clone()),
        other_input: best.map(|best| best.other.clone()),
        probability_at_least: best.map(|best| best.low.to_string()),
        other_probability_at_most: best.map(|best| best.high.to_string()),
        pairs: verdict.pairs(),
        samples: verdict.samples(),
    }
}

pub fn failure(error: AuditError) -> Failure {
    match error {
        AuditError::Mechanism(error) => {
            Failure::refused(error, "docs/audit.md has the protocol; `examples/audit/half_noise.py` is a whole program")
        }
        error @ (AuditError::Setting(_) | AuditError::NoPairs) => {
            Failure::usage(error, "`deniable audit --help` has examples")
        }
        error @ (AuditError::Spend(_) | AuditError::Entropy(_)) => Failure::refused(error, ""),
    }
}
