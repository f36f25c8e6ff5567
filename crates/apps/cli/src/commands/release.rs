//! `deniable release`.

use crate::args::output::Format;
use crate::args::policy::{Registration, Release};
use crate::commands::answers::{doubts, obtain, written};
use crate::console::{confirmed, say};
use crate::error::Failure;
use crate::output::{publish, publish_page, writable};
use crate::policies::{absolute, locate, session};
use deniable::exact::{Rational, Rounding, percent, whole};
use deniable::{DataVersion, MadeUpRows, PeriodNode, Policy, QueryPlan, QuerySubject, REHEARSAL, Session, own_files};
use num_traits::{One, Signed, Zero};
use std::path::PathBuf;

/// Runs it.
pub fn run(args: &Release) -> Result<(), Failure> {
    if !args.rehearse && (args.size.rows.is_some() || args.size.people.is_some()) {
        let help = "add --rehearse to release answers on made-up rows, or leave --rows and --people out";
        return Err(Failure::usage("--rows and --people are the size of a rehearsal", help));
    }
    let (session, own) = if args.rehearse { rehearsal(args)? } else { real(args)? };
    let names: Vec<&str> = args.query.iter().map(String::as_str).collect();
    let session = if names.is_empty() { session } else { session.only(&names)? };
    let plan = session.plan();
    // Queries about a query's caps are published with its answer, and so are the longer nodes of its horizon.
    let is_listed = |ask: &&QueryPlan| {
        let declared = ask.declared();
        declared.about == QuerySubject::Cells && declared.every.as_ref().is_none_or(PeriodNode::is_period)
    };
    let names: Vec<String> = plan.queries().iter().filter(is_listed).map(|ask| ask.declared().name.clone()).collect();
    if args.format == Format::Csv && names.len() > 1 {
        let help = format!("choose one with --query: \"{}\"", names.join("\", \""));
        return Err(Failure::usage("a CSV file contains one table, but the policy has several queries", help));
    }
    if args.place.data.is_some() {
        // A mistyped path is reported even if all answers are stored and no data is needed.
        locate(plan)?;
    }
    writable(&[("--out", args.out.as_deref()), ("--report", args.report.as_deref())], &own)?;
    doubts(plan);
    // Made-up rows need no decision of the curator.
    let registration = Registration { register: args.registration.register || args.rehearse, ..args.registration };
    let session = session.allowing(registration.allowed());
    agree(&session, args.yes || args.rehearse)?;
    let is_free = session.to_pay()?.is_zero();
    let (mut publication, failed) = obtain(session.clone(), &args.limits, registration)?;
    // No file was read: the version may be forgotten, and the answers those of last month.
    if failed.is_none() && is_free && !publication.answers.is_empty() {
        let DataVersion { table, version } = &publication.data;
        say(format!("these answers are about version \"{version}\" of `{table}`"));
    }
    // A CSV file contains the first table.
    if args.format == Format::Csv {
        publication.answers.sort_by_key(|answer| !names.contains(&answer.name));
    }
    if !publication.answers.is_empty() {
        publish(&written(&publication, args.format)?, args.out.as_ref())?;
    }
    if let Some(report) = &args.report {
        publish_page(&session.page()?, report)?;
    }
    failed.map_or(Ok(()), Err)
}

/// The session of the policy, and its input files.
fn real(args: &Release) -> Result<(Session, Vec<PathBuf>), Failure> {
    let session = session(&args.place)?;
    let own = own_files(session.policy());
    Ok((session, own))
}

/// The session of a rehearsal, and the input files of the policy.
fn rehearsal(args: &Release) -> Result<(Session, Vec<PathBuf>), Failure> {
    let policy = Policy::load(&args.place.policy)?;
    let own = own_files(&policy).into_iter().chain(args.place.ledger.clone()).collect();
    let session = args.size.simulate().rehearse(policy, args.place.ledger.as_deref().map(absolute))?;
    say(REHEARSAL);
    let kept = if args.place.ledger.is_some() { "in a ledger of its own" } else { "in a temporary ledger" };
    say(format!("{}, charged {kept}", size_in_words(session.policy().rehearsal())));
    Ok((session, own))
}

/// The number of made-up rows and people.
fn size_in_words(size: Option<MadeUpRows>) -> String {
    let Some(MadeUpRows { rows, people }) = size else { return String::new() };
    let people = people.map_or_else(String::new, |people| format!(" of {people} people"));
    format!("{rows} rows{people} in each protected table")
}

/// The way to pay half of a release's cost. Weights divide `per_version`, or else `spend`, for which the policy's earlier
/// releases count, too.
fn keep_back(policy: &Policy, to_pay: &Rational) -> String {
    let half = to_pay / whole(2);
    let (key, less) = match policy.per_version() {
        Some(part) => ("per_version", part.clone().min(half)),
        None => ("spend", policy.spend() - half),
    };
    let by_weight = if less.is_positive() { format!("; by weight, `{key} = \"{less}\"`") } else { String::new() };
    format!("keep a part back: smaller shares of the queries{by_weight} under [budget]")
}

/// Reports the share of the promise that the release uses, and asks before nothing of it is left.
fn agree(session: &Session, yes: bool) -> Result<(), Failure> {
    let (share, left) = (session.to_pay()?, session.left()?);
    if share.is_zero() {
        return Ok(());
    }
    let in_words = |part: &Rational, rounding| format!("{part} ({})", percent(part, 1, rounding));
    let what = if session.policy().rehearsal().is_some() { "rehearsal" } else { "release" };
    let uses = format!("this {what} uses {} of the promise", in_words(&share, Rounding::Up));
    let promise = session.policy().guarantee().limit();
    let (Some(limit), Some(spent)) = (left.limit().exact_part_of(promise), left.spent().exact_part_of(promise)) else {
        say(uses);
        return Ok(());
    };
    let is_whole = limit.is_one();
    let to_pay = share.clone();
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
    let keep = keep_back(session.policy(), &to_pay);
    match confirmed("no later query about these people can be paid then. Use it up? [y/N]") {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::refused("nothing was charged", keep)),
        None => Err(Failure::refused(
            "this release uses up the promise: no later query about these people can be paid",
            format!("add --yes to go on; or {keep}"),
        )),
    }
}
