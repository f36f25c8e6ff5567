//! `deniable ask`: a query that is not in the policy, charged to the remaining promise.
//!
//! It is charged under the policy's name with `/ask`, so that the policy's own `spend` stays for the queries that it
//! lists. Such queries may use up the whole promise: the ledger's limit for all its users, which is never exceeded.

use crate::args::output::Format;
use crate::args::policy::Ask as Args;
use crate::commands::answers::{doubts, obtain, written};
use crate::commands::prompt;
use crate::commands::question::question;
use crate::console::say;
use crate::error::Failure;
use crate::output::{publish, writable};
use crate::policies::load;
use deniable::{PlanReport, Policy, Publication, Query, Session, own_files};
use std::path::Path;

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.place.policy.to_string_lossy().contains(char::is_whitespace)
        && args.sql.as_deref().is_some_and(|sql| Path::new(sql).is_file())
    {
        return Err(Failure::usage(
            "the query comes before the policy",
            "name the policy first: deniable ask policy.toml 'SELECT ...'",
        ));
    }
    let policy = load(&args.place)?;
    let Some(sql) = &args.sql else { return at_prompt(args, &policy) };
    let before = Query::answered_before(&policy, sql)?;
    let free = before.last().map(|share| {
        format!(
            "this query was answered before at --spend {share}: with that share, the same caps and the same version of \
             the data, it is free"
        )
    });
    let spend = args.spend.as_ref().map(|spend| spend.share(policy.guarantee().limit())).transpose()?;
    let Some(share) = &spend else {
        let help = "add --spend 1/40: the part of the whole promise that the answer may use".to_owned();
        return Err(Failure::usage("--spend is missing: the query has no share of the promise", free.unwrap_or(help)));
    };
    if !before.contains(share) {
        free.iter().for_each(say);
    }
    let plan = question(&policy, args, sql, share)?;
    let session = Session::of_plan(plan)?;
    if args.dry_run {
        let session = session.allowing(args.registration.allowed());
        let shown = PlanReport::new(&session.plan_with_earlier()?, session.account()?.as_ref());
        return publish(&if args.format == Format::Json { deniable::json(&shown) } else { shown.to_string() }, None);
    }
    writable(&[("--out", args.out.as_deref())], &own_files(session.policy()))?;
    doubts(session.plan());
    let is_new = !before.contains(share);
    if is_new && !args.yes && session.plan().queries().iter().any(|planned| planned.compares_undeclared()) {
        return Err(Failure::refused(
            "a condition compares a column with a value that is not one of its keys; nothing was charged",
            "correct the query as said above, or add --yes to charge it as it is",
        ));
    }
    let is_first = session.account()?.is_none_or(|account| account.releases.is_empty());
    let (publication, failed) = obtain(session, &args.limits, args.registration)?;
    if !publication.answers.is_empty() {
        let text = match args.format {
            Format::Table if !is_first && !args.guarantee => answers(&publication),
            format => written(&publication, format)?,
        };
        publish(&text, args.out.as_ref())?;
    }
    failed.map_or(Ok(()), Err)
}

/// The answers as text, with the guarantee in one line.
fn answers(publication: &Publication) -> String {
    let answers = publication.answers.iter().map(|answer| answer.in_words(&publication.confidence));
    let limit = publication.guarantee.guarantee().limit().with_epsilon();
    answers.collect::<String>()
        + &format!(
            "\nPromised as before: odds change by at most a factor {limit}. --guarantee prints what that means.\n"
        )
}

fn at_prompt(args: &Args, policy: &Policy) -> Result<(), Failure> {
    if args.out.is_some() {
        return Err(Failure::usage("--out needs a query on the command line", "redirect standard output instead"));
    }
    prompt::run(args, policy)
}
