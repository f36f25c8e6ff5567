//! `deniable suggest`: suggests caps and bounds from noisy quantiles, charged like any release.

use crate::args::policy::Suggest as Args;
use crate::commands::answers::obtain;
use crate::console::say;
use crate::error::Failure;
use crate::output::publish_report;
use crate::policies::load;
use deniable::{AdviceReport, Error, PlanReport, QueryError, Session, Suggest};

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let policy = load(&args.place)?;
    let Some(spend) = &args.spend else {
        return Err(Failure::usage(
            "--spend is missing: the suggestions have no share of the promise",
            "add --spend 1/50: the part of the whole promise that they may use",
        ));
    };
    let suggest = Suggest { queries: args.query.clone(), share: spend.share(policy.guarantee().limit())? };
    let (plan, without) = suggest.plan(&policy).map_err(|error| match error {
        Error::Query(error @ QueryError::Share(_)) => Failure::usage(error, "add --spend 1/50, for example"),
        other => other.into(),
    })?;
    if !without.is_empty() {
        say(format!("no caps or bounds to suggest for \"{}\"", without.join("\", \"")));
    }
    let asked = plan.clone();
    let session = Session::of_plan(plan)?;
    if args.dry_run {
        return publish_report(&PlanReport::new(session.plan(), session.account()?.as_ref()), args.format);
    }
    let (publication, failed) = obtain(session, &args.limits, args.registration)?;
    let advice = Suggest::advice(&asked, &publication);
    if !advice.is_empty() {
        publish_report(&AdviceReport::new(&advice), args.format)?;
    }
    failed.map_or(Ok(()), Err)
}
