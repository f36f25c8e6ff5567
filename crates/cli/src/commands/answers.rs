//! Answers to the asks of a plan, from the ledger or from the data, with a word for the curator about each.

use crate::args::limits::Limits;
use crate::args::output::Format;
use crate::args::policy::Registration;
use crate::console::say;
use crate::error::Failure;
use crate::ledgers;
use crate::policies::locate;
use crate::progress::Progress;
use crate::render;
use deniable_core::noise::SystemRng;
use deniable_publication::Publication;
use deniable_release::{Allowed, Answered, Event, Origin, Plan, PlannedAsk, Registering, Released, Versioned, release};
use deniable_sql::least_memory;

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
    let mut ledger = ledgers::open(plan)?;
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
            say(render::scan::table(table, report).trim_end());
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
    let message = format!("\"{}\" has more groups than --memory can hold", most.ask().name);
    Err(Failure::usage(message, format!("allow at least --memory {least}MB, or ask for fewer; nothing was charged")))
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
