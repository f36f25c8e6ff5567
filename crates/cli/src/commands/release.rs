//! `deniable release`.

use super::report::page;
use super::{choose, locate, open_ledger, own_files, plan, publish, say, writable};
use crate::args::limits::Limits;
use crate::args::output::Format;
use crate::args::policy::{Registration, Release};
use crate::error::{Complaint, Failure};
use crate::progress::Progress;
use crate::render;
use deniable_core::noise::SystemRng;
use deniable_publication::Publication;
use deniable_release::{
    Allowed, Answered, Event, Origin, Plan, PlannedAsk, Registering, Released, Versioned, published, release,
};
use deniable_sql::least_memory;

/// Runs it.
pub fn run(args: &Release) -> Result<(), Failure> {
    let mut plan = plan(&args.place)?;
    choose(&mut plan, &args.ask)?;
    if args.format == Format::Csv && plan.asks().len() > 1 {
        let names: Vec<&str> = plan.asks().iter().map(|ask| ask.ask().name.as_str()).collect();
        let complaint = Complaint::new("CSV holds one table, and this policy has several asks")
            .help(format!("choose one with --ask: \"{}\"", names.join("\", \"")));
        return Err(Failure::Usage(complaint));
    }
    if args.place.data.is_some() {
        // Stored answers need no data; a mistyped path is a mistake all the same.
        locate(&plan)?;
    }
    writable(&[("--out", args.out.as_deref()), ("--report", args.report.as_deref())], &own_files(&plan))?;
    doubts(&plan);
    let (answers, failed) = obtain(&mut plan, &args.limits, args.registration)?;
    if !plan.asks().is_empty() {
        let publication = published(&plan, &answers);
        publish(&written(&publication, args.format)?, args.out.as_ref())?;
    }
    if let Some(report) = &args.report {
        publish(&page(&plan, &deniable_ledger::show(plan.policy().ledger())?)?, Some(report))?;
        say(format!("the page is {}", super::shown(report)));
    }
    failed.map_or(Ok(()), Err)
}

/// Says what is understood and may not be meant, before it is paid for.
pub fn doubts(plan: &Plan) {
    for ask in plan.asks() {
        ask.query().undeclared().iter().for_each(|note| say(format!("{}: {note}", ask.ask().name)));
    }
}

/// Answers a plan's asks, with a word for the curator about each; when data have to be registered first, only if that is
/// wanted in the same run. What was recorded is never lost unnoticed: the ledger's head is told also after a failure. Asks
/// that exhausted the machine leave the plan, and the last of them is the failure beside the answers to the others.
pub fn obtain(
    plan: &mut Plan,
    limits: &Limits,
    allowed: Registration,
) -> Result<(Vec<Answered>, Option<Failure>), Failure> {
    let released = released(plan, limits, allowed)?;
    let mut failed = None;
    for (_, error) in released.unanswered {
        failed.replace(Failure::from(error)).iter().for_each(Failure::tell);
    }
    let (kept, answers): (Vec<usize>, Vec<Answered>) = released.answers.into_iter().unzip();
    *plan = plan.with_only(&kept);
    Ok((answers, failed))
}

fn released(plan: &Plan, limits: &Limits, allowed: Registration) -> Result<Released, Failure> {
    enough_memory(plan, limits)?;
    let mut ledger = open_ledger(plan)?;
    let progress = Progress::new();
    let locate = || locate(plan);
    let tell = |event: Event<'_>| match event {
        Event::Checking(rows) => progress.rows("checking the data", rows),
        Event::Computing(name, read) => progress.read(name, read),
        // Fewer take no time.
        Event::AddingUp(name, cells) if cells >= 20_000 => progress.says(&format!("{name}: making its totals add up")),
        Event::AddingUp(..) => {}
        Event::WrittenSince(Versioned { source, version, .. }) => say(format!(
            "the files of `{0}` were written to after version \"{version}\" was registered, and the stored answers are about \
             what they held then. `deniable data check` tells whether they changed; if so, declare a new `version`",
            source.table().name
        )),
        Event::Scanned { table, report } => {
            progress.done();
            super::data::say_report(table, report);
        }
        Event::Registered(Versioned { source, version, .. }) => {
            say(format!("registered version \"{version}\" of `{}`", source.table().name));
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
    let registering = if allowed.register { Registering::GoOn } else { Registering::Stop };
    let allowed = Allowed { registering, again: allowed.again };
    let answers = release(plan, &locate, &limits.resources(), &mut ledger, &mut SystemRng::new()?, &tell, allowed);
    progress.done();
    if answers.is_ok() || *ledger.head() != before {
        say(format!("ledger head {}", ledger.head()));
    }
    Ok(answers?)
}

/// Refuses a limit of memory that the totals cannot fit into. How many there are is known before anything is charged.
fn enough_memory(plan: &Plan, limits: &Limits) -> Result<(), Failure> {
    let needed = |ask: &PlannedAsk| least_memory(ask.query());
    let Some(most) = plan.asks().iter().max_by_key(|ask| needed(ask)).filter(|most| needed(most) > limits.memory)
    else {
        return Ok(());
    };
    let least = needed(most).div_ceil(1_000_000);
    let complaint = Complaint::new(format!("\"{}\" has more groups than --memory can hold", most.ask().name));
    Err(Failure::Usage(
        complaint.help(format!("allow at least --memory {least}MB, or ask for fewer; nothing was charged")),
    ))
}

/// What may be published, as it is written.
pub fn written(publication: &Publication, format: Format) -> Result<String, Failure> {
    Ok(match format {
        Format::Table => render::table::publication(publication),
        Format::Json => render::json(publication)?,
        Format::Csv => {
            say(render::table::guarantee(publication));
            render::csv::publication(publication)?
        }
    })
}
