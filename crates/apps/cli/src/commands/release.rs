//! `deniable release`.

use crate::args::output::Format;
use crate::args::policy::Release;
use crate::commands::answers::{doubts, obtain, written};
use crate::console::{confirmed, say};
use crate::error::Failure;
use crate::output::{publish, publish_page, writable};
use crate::policies::{choose, locate, own_files, plan};
use deniable::Session;
use deniable::exact::{Rational, Rounding, percent};
use deniable_policy::QuerySubject;
use num_traits::{One, Signed, Zero};

/// Runs it.
pub fn run(args: &Release) -> Result<(), Failure> {
    let mut plan = plan(&args.place)?;
    choose(&mut plan, &args.query)?;
    // Queries about a query's caps are published with its answer.
    let own = plan
        .queries()
        .iter()
        .filter(|ask| ask.declared().about == QuerySubject::Cells)
        .map(|ask| ask.declared().name.as_str());
    let names: Vec<&str> = own.collect();
    if args.format == Format::Csv && names.len() > 1 {
        let help = format!("choose one with --query: \"{}\"", names.join("\", \""));
        return Err(Failure::usage("a CSV file contains one table, but the policy has several queries", help));
    }
    if args.place.data.is_some() {
        // A mistyped path is reported even if all answers are stored and no data is needed.
        locate(&plan)?;
    }
    writable(&[("--out", args.out.as_deref()), ("--report", args.report.as_deref())], &own_files(&plan))?;
    doubts(&plan);
    let session = Session::of_plan(plan)?.allowing(args.registration.allowed());
    agree(&session, args.yes)?;
    let (publication, failed) = obtain(session.clone(), &args.limits, args.registration)?;
    if !publication.answers.is_empty() {
        publish(&written(&publication, args.format)?, args.out.as_ref())?;
    }
    if let Some(report) = &args.report {
        publish_page(&session.page()?, report)?;
    }
    failed.map_or(Ok(()), Err)
}

/// Reports the share of the promise that the release uses, and asks before nothing of it is left.
fn agree(session: &Session, yes: bool) -> Result<(), Failure> {
    let (share, left) = (session.to_pay()?, session.left()?);
    if share.is_zero() {
        return Ok(());
    }
    let in_words = |part: &Rational, rounding| format!("{part} ({})", percent(part, 1, rounding));
    let uses = format!("this release uses {} of the promise", in_words(&share, Rounding::Up));
    let promise = session.policy().guarantee().limit();
    let (Some(limit), Some(spent)) = (left.limit().exact_part_of(promise), left.spent().exact_part_of(promise)) else {
        say(uses);
        return Ok(());
    };
    let is_whole = limit.is_one();
    let rest = limit - spent - share;
    if rest.is_positive() {
        say(format!("{uses}; {} is left after it", in_words(&rest, Rounding::Down)));
        return Ok(());
    }
    // Where more is asked than is left, the charge is refused with an error of its own.
    if rest.is_negative() {
        return Ok(());
    }
    let of = if is_whole { "" } else { " of the unreserved part" };
    say(format!("{uses}, and nothing{of} is left after it"));
    if yes {
        return Ok(());
    }
    match confirmed("no later query about these people can be paid then. Use it up? [y/N]") {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::refused(
            "nothing was charged",
            "keep a part back: `[budget]` with `spend = \"1/2\"` in the policy",
        )),
        None => Err(Failure::refused(
            "this release uses up the promise: no later query about these people can be paid",
            "add --yes to go on; or keep a part back: `[budget]` with `spend = \"1/2\"` in the policy",
        )),
    }
}
