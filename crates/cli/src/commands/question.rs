//! A question that is not in the policy: its plan, what it costs, and whether it was answered before.

use crate::error::{Failure, plan_failure};
use deniable_core::exact::{Rational, Rounding, percent, whole};
use deniable_ledger::Account;
use deniable_policy::{Policy, QuestionError};
use deniable_release::Plan;
use deniable_release::plan::is_earlier;
use std::path::PathBuf;

/// What stands after the policy's name in the ledger, where a question is not the policy's own.
const OF_QUESTIONS: &str = "/ask";

/// The shares at which the same words were answered before, the last one last.
pub fn answered_before(policy: &Policy, sql: &str) -> Result<Vec<Rational>, Failure> {
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
        Failure::usage(error, help)
    })?;
    // Places in the SQL are shown in the SQL, as no file holds it.
    let shown = policy.with_text(PathBuf::from("the query"), sql.to_owned());
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
    let odds = plan.policy().guarantee().limit().share(&share);
    let odds = odds.map_or_else(|_| "nothing".to_owned(), |odds| odds.to_string());
    format!("{odds} ({part}{})", of.unwrap_or_default())
}
