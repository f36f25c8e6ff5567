//! Answers to the queries of a session, from the ledger or from the data, with progress messages for the curator.

use crate::args::limits::Limits;
use crate::args::output::Format;
use crate::args::policy::Registration;
use crate::commands::findings::Findings;
use crate::console::{say, shown};
use crate::error::Failure;
use crate::progress::Progress;
use deniable::{Event, Origin, Plan, Publication, ScanReport, Session, Step, TableVersion, UnansweredQuery};
use std::sync::Arc;

/// Prints warnings about queries that may not mean what the analyst intends, before they are charged.
pub fn doubts(plan: &Plan) {
    for ask in plan.queries() {
        ask.doubts().iter().for_each(|note| say(format!("{}: {note}", ask.declared().name)));
    }
}

/// Answers the queries of a session and reports each to the curator. If data must be registered first, answers only if
/// `allowed` permits both in one run. Queries that exhausted the machine are reported immediately; the last of them is
/// returned as the failure, with the answers to the other queries.
pub fn obtain(
    session: Session,
    limits: &Limits,
    allowed: Registration,
) -> Result<(Publication, Option<Failure>), Failure> {
    let progress = Arc::new(Progress::new());
    let (findings, tell) = (Findings::default(), teller(progress.clone()));
    let kept = findings.clone();
    let session =
        session.with_resources(limits.resources()).allowing(allowed.allowed()).telling(move |event| match event {
            // The findings about a table are printed at once, those about queries together.
            Event::Step(Step::Scanned { .. }) => tell(event),
            event if kept.add(&event) => {}
            event => tell(event),
        });
    let released = session.release().wait();
    progress.done();
    // The run stops for the curator, after a registration or at a finding.
    if released.is_err() {
        findings.print();
    }
    let released = released?;
    let mut failed = None;
    for UnansweredQuery { error, .. } in released.unanswered {
        failed.replace(Failure::from(error)).iter().for_each(Failure::tell);
    }
    Ok((released.publication, failed))
}

/// Returns a callback that reports the events of a session; it runs on the session's thread.
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
        Step::ComputingLosses(name, read) => progress.read(&format!("losses of {name}"), read),
        Step::Computing(name, read) => progress.read(name, read),
        Step::Trying(name) => progress.says(&format!("{name}: testing the engine on made-up rows")),
        Step::Tried(name, about) => {
            progress.done();
            say(format!("{name}: tested on made-up rows, {about}"));
        }
        Step::Asking(name) => progress.says(&format!("{name}: the engine computes")),
        // Fewer cells take no noticeable time.
        Step::AddingUp(name, cells) if cells >= 20_000 => progress.says(&format!("{name}: making totals consistent")),
        Step::AddingUp(..) => {}
        Step::WrittenSince(TableVersion { source, version, .. }) => say(format!(
            "the files of `{0}` were written to after version \"{version}\" was registered, and the stored answers \
             describe their earlier contents. Run `deniable data check` to see whether they changed; if so, declare a \
             new `version`",
            source.table().name
        )),
        Step::Scanned { table, report } => {
            progress.done();
            say(ScanReport::new(table, report).to_string().trim_end());
        }
        // Commands for the curator report these together.
        Step::LeftOut { .. } | Step::TrueErrors { .. } => {}
        Step::Registered(TableVersion { source, version, .. }) => {
            say(format!("registered version \"{version}\" of `{}`", source.table().name));
        }
        Step::AnsweredWithin(name, earlier) => {
            progress.done();
            say(format!("{name}: part of the stored answer \"{earlier}\", free (--again charges for new noise)"));
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

/// Renders a publication in a format; with CSV, prints the guarantee to standard error.
pub fn written(publication: &Publication, format: Format) -> Result<String, Failure> {
    Ok(match format {
        Format::Table => publication.to_string(),
        Format::Json => deniable::json(publication),
        Format::Csv => {
            say(publication.guarantee_in_words());
            // Further answers are about the caps of the first, whose notes contain them.
            match publication.answers.first().map(|answer| answer.csv(publication.rehearsal)) {
                Some(Ok(csv)) => csv,
                Some(Err(error)) => return Err(Failure::refused(error, "choose another --format")),
                None => String::new(),
            }
        }
    })
}
