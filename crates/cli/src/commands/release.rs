//! `deniable release`.

use super::{locate, open_ledger, plan, publish, say};
use crate::args::{Format, Release};
use crate::error::{Complaint, Failure};
use crate::progress::Progress;
use crate::render;
use deniable_core::noise::SystemRng;
use deniable_release::{Answered, Event, Origin, Plan, Publication, release};
use std::path::{Path, PathBuf};

/// Runs it.
pub fn run(args: &Release) -> Result<(), Failure> {
    let mut plan = plan(&args.place)?;
    choose(&mut plan, &args.ask)?;
    if args.format == Format::Csv && plan.asks.len() > 1 {
        let names: Vec<&str> = plan.asks.iter().map(|ask| ask.ask.name.as_str()).collect();
        let complaint = Complaint::new("CSV holds one table, and this policy has several asks")
            .help(format!("choose one with --ask: \"{}\"", names.join("\", \"")));
        return Err(Failure::Usage(complaint));
    }
    if let Some(out) = &args.out {
        spare_own_files(out, &plan, args)?;
    }
    let mut ledger = open_ledger(&plan)?;
    let progress = Progress::new();
    let locate = || locate(&plan);
    let tell = |event: Event<'_>| match event {
        Event::Checking(rows) => progress.rows("checking the data", rows),
        Event::Computing(name, read) => progress.read(name, read),
        Event::Registered(report) => {
            progress.done();
            super::data::say_report(report);
            say(format!("registered version \"{}\" of `{}`", plan.policy.data.version, plan.policy.data.table));
        }
        Event::Answered(name, origin) => {
            progress.done();
            say(match origin {
                Origin::Charged => format!("{name}: charged and answered"),
                Origin::Resumed => format!("{name}: answered; an earlier run had charged it"),
                Origin::Stored => format!("{name}: stored answer, free"),
            });
        }
    };
    let before = ledger.head().clone();
    let resources = args.limits.resources();
    let answers = release(&plan, &locate, &resources, &mut ledger, &mut SystemRng::new()?, &tell);
    progress.done();
    let released = answers.is_ok();
    let shown = answers.map_err(Failure::from).and_then(|answers| show(&plan, &answers, args));
    // Also after a failure: what was recorded until then must not be lost unnoticed.
    if released || *ledger.head() != before {
        say(format!("ledger head {}", ledger.head()));
    }
    shown
}

/// Refuses to write answers over the data, the policy or the ledger.
fn spare_own_files(out: &Path, plan: &Plan, args: &Release) -> Result<(), Failure> {
    let Ok(out) = out.canonicalize() else { return Ok(()) };
    let source = locate(plan);
    let data = source.as_ref().map_or(&[] as &[PathBuf], |source| source.files());
    let mut key = plan.policy.ledger.clone().into_os_string();
    key.push(".key");
    let key = PathBuf::from(key);
    let own = data.iter().chain([&args.place.policy, &plan.policy.ledger, &key]);
    if own.filter_map(|path| path.canonicalize().ok()).all(|path| path != out) {
        return Ok(());
    }
    let complaint = Complaint::new(format!("--out would overwrite {}, which this release reads", out.display()));
    Err(Failure::Usage(complaint.help("name another file for the answers")))
}

/// Writes what may be published.
fn show(plan: &Plan, answers: &[Answered], args: &Release) -> Result<(), Failure> {
    let publication = Publication::new(plan, answers);
    let text = match args.format {
        Format::Table => render::table::publication(&publication),
        Format::Json => render::json(&publication)?,
        Format::Csv => {
            say(render::table::guarantee(&publication));
            render::csv::publication(&publication)?
        }
    };
    publish(&text, args.out.as_ref())
}

/// Keeps the asks that were chosen by name.
fn choose(plan: &mut Plan, names: &[String]) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    for name in names {
        if !plan.asks.iter().any(|ask| ask.ask.name == *name) {
            let known: Vec<&str> = plan.asks.iter().map(|ask| ask.ask.name.as_str()).collect();
            let complaint = Complaint::new(format!("there is no ask \"{name}\""))
                .help(format!("the policy has \"{}\"", known.join("\", \"")));
            return Err(Failure::Usage(complaint));
        }
    }
    plan.asks.retain(|ask| names.contains(&ask.ask.name));
    Ok(())
}
