//! `deniable ask`: a question that is not in the policy, paid from what is left of the promise.
//!
//! It is charged under the policy's name with `/ask`, so that the policy's own `spend` stays for the queries that it lists.
//! What it may use up is the whole promise: the ledger's limit for everyone, which is never exceeded.

use crate::args::output::Format;
use crate::args::policy::Ask as Args;
use crate::commands::answers::{doubts, obtain, written};
use crate::commands::prompt;
use crate::commands::question::question;
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use crate::policies::load;
use deniable::{PlanReport, Query, Session};
use std::path::Path;

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.place.policy.to_string_lossy().contains(char::is_whitespace)
        && args.sql.as_deref().is_some_and(|sql| Path::new(sql).is_file())
    {
        return Err(Failure::usage(
            "the query stands where the policy should",
            "name the policy first: deniable ask policy.toml 'SELECT ...'",
        ));
    }
    let policy = load(&args.place)?;
    let Some(sql) = &args.sql else { return prompt::run(args, &policy) };
    let before = Query::answered_before(&policy, sql)?;
    let free = before.last().map(|share| {
        format!(
            "it was answered before at --spend {share}: asked so again, of the same version of the data, it is free"
        )
    });
    let spend = args.spend.as_ref().map(|spend| spend.of(policy.guarantee().limit())).transpose()?;
    let Some(share) = &spend else {
        let help = "add --spend 1/40: the part of the whole promise that it may use".to_owned();
        return Err(Failure::usage("nothing says what the answer may cost", free.unwrap_or(help)));
    };
    if !before.contains(share) {
        free.iter().for_each(say);
    }
    let plan = question(&policy, &args.name, sql, share)?;
    let session = Session::of_plan(plan)?;
    if args.dry_run {
        let session = session.allowing(args.registration.allowed());
        let shown = PlanReport::new(&session.plan_with_earlier()?, session.account()?.as_ref());
        return publish(&if args.format == Format::Json { deniable::json(&shown) } else { shown.to_string() }, None);
    }
    doubts(session.plan());
    let (publication, failed) = obtain(session, &args.limits, args.registration)?;
    if !publication.answers.is_empty() {
        publish(&written(&publication, args.format)?, None)?;
    }
    failed.map_or(Ok(()), Err)
}
