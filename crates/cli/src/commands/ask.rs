//! `deniable ask`: a question that is not in the policy, paid from what is left of the promise.
//!
//! It is charged under the policy's name with `/ask`, so that the policy's own `spend` stays for the asks that it lists.
//! What it may use up is the whole promise: the ledger's limit for everyone, which is never exceeded.

use super::release::{doubts, obtain, written};
use super::{account, load, prompt, publish, say};
use crate::args::output::Format;
use crate::args::policy::Ask as Args;
use crate::error::{Complaint, Failure, plan_failure};
use crate::render::{self, plan::Shown};
use deniable_core::exact::{Rational, Rounding, percent, whole};
use deniable_ledger::Account;
use deniable_policy::{Policy, QuestionError};
use deniable_release::plan::is_earlier;
use deniable_release::{Plan, published};
use std::path::{Path, PathBuf};

/// What stands after the policy's name in the ledger, where a question is not the policy's own.
const OF_QUESTIONS: &str = "/ask";

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.place.policy.to_string_lossy().contains(char::is_whitespace)
        && args.sql.as_deref().is_some_and(|sql| Path::new(sql).is_file())
    {
        let complaint = Complaint::new("the question stands where the policy should");
        return Err(Failure::Usage(complaint.help("name the policy first: deniable ask policy.toml 'SELECT ...'")));
    }
    let policy = load(&args.place)?;
    let Some(sql) = &args.sql else { return prompt::run(args, &policy) };
    let before = answered_before(&policy, sql)?;
    let free = before.last().map(|share| {
        format!(
            "it was answered before at --spend {share}: asked so again, of the same version of the data, it is free"
        )
    });
    let Some(share) = &args.spend else {
        let complaint = Complaint::new("nothing says what the answer may cost");
        let help = "add --spend 1/40: the part of the whole promise that it may use".to_owned();
        return Err(Failure::Usage(complaint.help(free.unwrap_or(help))));
    };
    if !before.contains(share) {
        free.iter().for_each(say);
    }
    let plan = question(&policy, &args.name, sql, share)?;
    if args.dry_run {
        let account = account(plan.policy())?;
        let shown = Shown::new(&plan, account.as_ref());
        return publish(
            &if args.format == Format::Json { render::json(&shown)? } else { render::plan::table(&shown) },
            None,
        );
    }
    doubts(&plan);
    let mut plan = plan;
    let (answers, failed) = obtain(&mut plan, &args.limits, args.registration)?;
    if !answers.is_empty() {
        publish(&written(&published(&plan, &answers), args.format)?, None)?;
    }
    failed.map_or(Ok(()), Err)
}

/// The shares at which the same words were answered before, the last one last.
fn answered_before(policy: &Policy, sql: &str) -> Result<Vec<Rational>, Failure> {
    if !policy.ledger().exists() {
        return Ok(Vec::new());
    }
    let summary = deniable_ledger::show(policy.ledger())?;
    let name = format!("{}{OF_QUESTIONS}", policy.name());
    let asked = summary.accounts.iter().flat_map(|account| &account.releases);
    let same = asked.filter(|release| release.policy == name && release.ask.sql.trim() == sql.trim());
    // What an earlier format of identities stored is given to nobody.
    let answered = same.filter(|release| release.answer.is_some() && !is_earlier(&release.ask));
    Ok(answered.filter_map(|release| release.cost.exact_part_of(policy.guarantee().limit())).collect())
}

/// The plan of a single question that is charged to the whole promise.
pub fn question(policy: &Policy, name: &str, sql: &str, share: &Rational) -> Result<Plan, Failure> {
    let asker = format!("{}{OF_QUESTIONS}", policy.name());
    let policy = policy.with_question(&asker, name, sql, share).map_err(|error| {
        let help = match error {
            QuestionError::Blank => "write it in quotes: 'SELECT COUNT(*) FROM visits'",
            QuestionError::Share(_) => "add --spend 1/40, for example",
        };
        Failure::Usage(Complaint::new(error).help(help))
    })?;
    // Places in the SQL are shown in the SQL, as no file holds it.
    let shown = policy.with_text(PathBuf::from(name), sql.to_owned());
    Plan::new(policy).map_err(|errors| plan_failure(&errors, &shown))
}

/// What is left of the promise, in parts of ln R; `None` when the ledger counts by another promise.
pub fn left(policy: &Policy, account: Option<&Account>) -> Option<Rational> {
    let spent =
        account.map_or_else(|| Some(whole(0)), |account| account.spent.exact_part_of(policy.guarantee().limit()));
    spent.map(|spent| whole(1) - spent)
}

/// What a question costs, as it is asked at the prompt.
pub fn cost_in_words(plan: &Plan, left: Option<&Rational>) -> String {
    let shares: Vec<&Rational> = plan.asks().iter().map(|ask| &ask.ask().share).collect();
    let share = shares.into_iter().sum::<Rational>();
    let part = percent(&share, 1, Rounding::Up);
    let of = left.map(|left| format!(" of the promise, {} is left", percent(left, 1, Rounding::Down)));
    format!("{}^({share}) ({part}{})", plan.policy().guarantee().limit(), of.unwrap_or_default())
}
