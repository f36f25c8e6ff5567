//! Answers to the queries of a session, from the ledger or from the data, with a word for the curator about each.

use crate::args::limits::Limits;
use crate::args::output::Format;
use crate::args::policy::Registration;
use crate::console::{say, shown};
use crate::error::Failure;
use crate::progress::Progress;
use crate::render;
use deniable::{Event, Origin, Plan, Publication, ScanReport, Session, UnansweredQuery};
use deniable_release::{Event as Step, TableVersion};
use std::sync::Arc;

/// Says what is understood and may not be meant, before it is paid for.
pub fn doubts(plan: &Plan) {
    for ask in plan.queries() {
        ask.query().undeclared().iter().for_each(|note| say(format!("{}: {note}", ask.declared().name)));
    }
}

/// Answers the queries of a session, with a word for the curator about each; when data have to be registered first, only if that
/// is wanted in the same run. Queries that exhausted the machine are told at once, and the last of them is the failure beside the
/// answers to the others.
pub fn obtain(
    session: Session,
    limits: &Limits,
    allowed: Registration,
) -> Result<(Publication, Option<Failure>), Failure> {
    let progress = Arc::new(Progress::new());
    let session =
        session.with_resources(limits.resources()).allowing(allowed.allowed()).telling(teller(progress.clone()));
    let released = session.release().wait();
    progress.done();
    let released = released?;
    let mut failed = None;
    for UnansweredQuery { error, .. } in released.unanswered {
        failed.replace(Failure::from(error)).iter().for_each(Failure::tell);
    }
    Ok((released.publication, failed))
}

/// Says what a session does, on its own thread.
pub fn teller(progress: Arc<Progress>) -> impl Fn(Event<'_>) + Send + Sync + 'static {
    move |event: Event<'_>| match event {
        Event::NewLedger(path) => say(format!("a new ledger begins: {}", shown(path))),
        Event::Head(head) => {
            progress.done();
            say(format!("ledger head {head}"));
        }
        Event::Step(step) => tell(&progress, step),
        _ => {}
    }
}

fn tell(progress: &Progress, step: Step<'_>) {
    match step {
        Step::Checking(rows) => progress.rows("checking the data", rows),
        Step::Computing(name, read) => progress.read(name, read),
        Step::Trying(name) => progress.says(&format!("{name}: trying the engine on rows that nobody is in")),
        Step::Tried(name, about) => {
            progress.done();
            say(format!("{name}: tried on rows that nobody is in, {about}"));
        }
        Step::Asking(name) => progress.says(&format!("{name}: the engine computes")),
        // Fewer take no time.
        Step::AddingUp(name, cells) if cells >= 20_000 => progress.says(&format!("{name}: making its totals add up")),
        Step::AddingUp(..) => {}
        Step::WrittenSince(TableVersion { source, version, .. }) => say(format!(
            "the files of `{0}` were written to after version \"{version}\" was registered, and the stored answers are about \
             what they held then. `deniable data check` tells whether they changed; if so, declare a new `version`",
            source.table().name
        )),
        Step::Scanned { table, report } => {
            progress.done();
            say(ScanReport::new(table, report).to_string().trim_end());
        }
        // Told together, by the command that looks.
        Step::LeftOut { .. } | Step::TrueErrors { .. } => {}
        Step::Registered(TableVersion { source, version, .. }) => {
            say(format!("registered version \"{version}\" of `{}`", source.table().name));
        }
        Step::AnsweredWithin(name, earlier) => {
            progress.done();
            say(format!("{name}: part of the stored answer \"{earlier}\", free (--again pays for one of its own)"));
        }
        Step::Answered(name, origin) => {
            progress.done();
            say(match origin {
                Origin::Charged => format!("{name}: charged and answered"),
                Origin::Resumed => format!("{name}: answered; an earlier run had charged it"),
                Origin::Stored => format!("{name}: stored answer, free"),
            });
        }
    }
}

/// What may be published, as it is written.
pub fn written(publication: &Publication, format: Format) -> Result<String, Failure> {
    Ok(match format {
        Format::Table => publication.to_string(),
        Format::Json => deniable::json(publication),
        Format::Csv => {
            say(publication.guarantee_in_words());
            render::csv::publication(publication)?
        }
    })
}
