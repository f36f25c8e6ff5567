//! What becomes of a query: a stored answer, a charge, or a refusal. It follows from the query, the policy and what whoever asks may know
//! of the ledger, their own account (C-8), and from nothing else.

use crate::beside::NumberColumns;
use crate::failures::{self, Refusal};
use crate::rows;
use deniable::exact::{Rational, Rounding, parse_rational, percent, ratio, whole};
use deniable::{Plan, Policy};
use deniable_ledger::{Account, Part, Summary};
use deniable_publication::Answer;
use deniable_release::release::QueryAnswer;
use deniable_release::show::{displayed, table};
use deniable_release::{expected, fits, stored};
use deniable_wire::{Code, Failure, Notice, Query};
use num_traits::Zero;

/// What queries are called in the ledger.
const NAME: &str = "query";
/// The price that is named as an example.
const EXAMPLE: (i64, i64) = (1, 40);
/// The least price is one part in so many of the promise: a part of a budget pays for so many queries at most.
const LEAST: i64 = 100_000;
/// Prices are whole numbers of such a part, so that what is spent stays a short fraction however often it is added to: 2^6, 3^3, 5^6, 7, 11 and 13.
const UNITS: i64 = 27_027_000_000;
/// Expected errors that are listed.
const LISTED: usize = 20;

/// A query that is understood.
#[derive(Debug, Clone)]
pub struct PricedPlan {
    /// Its plan: of what is free, taken from the answer that holds it.
    pub plan: Plan,
    /// What it would cost, where a price is stated.
    pub price: Option<Rational>,
    /// What is shown beside its numbers.
    pub beside: NumberColumns,
}

/// What becomes of it.
#[derive(Debug)]
pub enum Outcome {
    /// It was answered.
    Stored(Box<(PricedPlan, QueryAnswer)>),
    /// It can be, for its price.
    ToPay(Box<PricedPlan>),
}

/// The price that a query states.
///
/// # Errors
/// When it is none.
pub fn price(query: &Query) -> Result<Option<Rational>, Failure> {
    query.setting("spend").filter(|text| !text.is_empty()).map(share).transpose()
}

/// A share of the promise, as a setting states it.
///
/// # Errors
/// When it is none.
pub fn share(text: &str) -> Result<Rational, Failure> {
    let wrong =
        |why: String| Failure::new(Code::Setting, format!("deniable.spend: {why}")).hint("SET deniable.spend = '1/40'");
    let value = parse_rational(text).map_err(|error| wrong(error.to_string()))?;
    if value < ratio(1, LEAST) || value > whole(1) {
        return Err(wrong(format!("a share of the promise is at least 1/{LEAST} and at most 1, such as 1/40 or 2.5%")));
    }
    if !(&value * whole(UNITS)).is_integer() {
        return Err(wrong(format!(
            "a share is a whole number of 1/{UNITS}, such as 1/40, 1/60, 1/7 or a decimal of up to six digits"
        )));
    }
    Ok(value)
}

/// Understands a query; without a price at that of an example.
///
/// # Errors
/// When it is none, is not answered under the policy, or has more groups than this.
pub fn understood(policy: &Policy, query: &Query, most_cells: usize) -> Result<PricedPlan, Failure> {
    let price = price(query)?;
    let share = price.clone().unwrap_or_else(|| ratio(EXAMPLE.0, EXAMPLE.1));
    let (beside, sql) = NumberColumns::of(query)?;
    let is_as_sent = beside.columns.is_none();
    let query = deniable::Query::new(NAME, sql, share);
    let plan = query.plan(policy).map_err(|error| {
        let failure = failures::of_release(&error).failure;
        // Places in another text than was sent would mislead.
        Failure { position: failure.position.filter(|_| is_as_sent), ..failure }
    })?;
    // What cannot be shown is refused here, before anything is charged.
    if let Some(planned) = plan.queries().first() {
        rows::columns(planned.query(), &beside)?;
        let cells = cells(planned);
        if cells > most_cells {
            let message = format!("the answer would have {cells} groups, and this server gives at most {most_cells}");
            return Err(Failure::new(Code::TooMany, message).hint("group by fewer or coarser columns"));
        }
    }
    Ok(PricedPlan { plan, price, beside })
}

/// What becomes of a query, as far as whoever pays may know the ledger.
///
/// # Errors
/// When it is refused: nothing was charged.
pub fn found(asked: PricedPlan, ledger: &Summary) -> Result<Outcome, Refusal> {
    let PricedPlan { plan, price, beside } = asked;
    let account = ledger.accounts.iter().find(|account| account.id == plan.account());
    let free = match (&price, account) {
        (None, Some(account)) => plan.with_dearest(account),
        (None, None) => None,
        (Some(_), account) => Some(plan.with_earlier(account)),
    };
    let Some(plan) = free else { return Err(no_price(&plan, account).into()) };
    let told = |error: &_| failures::of_asks(error);
    let answered = stored(&plan, ledger).map_err(|error| told(&error))?.into_iter().next().flatten();
    let asked = PricedPlan { plan, price, beside };
    match answered {
        Some(answered) => Ok(Outcome::Stored(Box::new((asked, answered)))),
        None => {
            fits(&asked.plan, ledger).map_err(|error| told(&error))?;
            Ok(Outcome::ToPay(Box::new(asked)))
        }
    }
}

/// The refusal of whoever states no price, with what one would buy.
fn no_price(plan: &Plan, account: Option<&Account>) -> Failure {
    let (of, all) = EXAMPLE;
    let errors: Vec<String> = errors(plan).into_iter().take(3).collect();
    let buys = if errors.is_empty() {
        String::new()
    } else {
        format!("; for {of}/{all} of the promise: {}", errors.join(", "))
    };
    let part = plan.part();
    let left = left(account, part);
    if left.as_ref().is_some_and(Zero::is_zero) {
        return Failure::new(
            Code::NotAllowed,
            "nothing of yours answers this, and nothing of your part of the promise is left",
        )
        .hint("what was answered before stays free: deniable.releases lists it");
    }
    let left = left.map(|left| format!("{} is left to you", percent(&left, 1, Rounding::Down)));
    let failure =
        Failure::new(Code::NoPrice, "nothing of yours answers this yet, and nothing says what an answer may cost");
    let detail = format!("{}{buys}", left.unwrap_or_else(|| "the whole of your part is left to you".to_owned()));
    failure
        .detail(detail)
        .hint(format!("SET deniable.spend = '{of}/{all}', or begin the query with /* deniable.spend = {of}/{all} */"))
}

/// What is left to whoever pays, as a share of the whole promise; `None` where nothing was spent, or it is no exact share.
fn left(account: Option<&Account>, part: &Part) -> Option<Rational> {
    let account = account?.seen_by(part);
    let shares = account.allowances().into_iter().map(|allowed| {
        let whole_promise = account.guarantee.limit();
        let (spent, limit) = (allowed.spent.exact_part_of(whole_promise)?, allowed.limit.exact_part_of(whole_promise)?);
        Some((limit - spent).max(Rational::zero()))
    });
    shares.collect::<Option<Vec<_>>>()?.into_iter().min()
}

/// Groups of an answer, all levels together.
pub fn cells(planned: &deniable_release::QueryPlan) -> usize {
    (0..planned.query().levels().len()).map(|level| planned.query().cells(level)).fold(0, usize::saturating_add)
}

/// How far each number would be off, in words.
fn errors(plan: &Plan) -> Vec<String> {
    let all = plan.queries().iter().flat_map(|planned| expected(planned, plan.policy()));
    all.take(LISTED).map(|expected| format!("{} is off by at most {}", expected.name, expected.error)).collect()
}

/// What an answer would take, in lines.
#[must_use]
pub fn explained(asked: &PricedPlan, ledger: &Summary, needs_approval: bool) -> Vec<String> {
    let account = ledger.accounts.iter().find(|account| account.id == asked.plan.account());
    let policy = asked.plan.policy();
    let mut lines = Vec::new();
    let now = found(asked.clone(), ledger);
    let plan = match &now {
        Ok(Outcome::Stored(stored)) => {
            lines.push("Free: a stored answer holds it".to_owned());
            &stored.0.plan
        }
        Ok(Outcome::ToPay(asked)) => {
            let share = asked.price.clone().unwrap_or_default();
            let part = percent(&share, 1, Rounding::Up);
            lines.push(format!(
                "To be charged: {share} of the promise ({part}), an odds ratio of at most {}",
                cost(&asked.plan)
            ));
            if needs_approval {
                lines.insert(0, approval(&asked.plan, account));
            }
            &asked.plan
        }
        Err(told) => {
            lines.push(format!("Refused: {}", told.failure.message));
            lines.extend(told.failure.hint.clone());
            &asked.plan
        }
    };
    let confidence = percent(policy.confidence(), 4, Rounding::Down);
    let errors = errors(plan);
    if !errors.is_empty() {
        lines.push(format!("Noise, with {confidence} confidence:"));
        lines.extend(errors.into_iter().map(|line| format!("  {line}")));
    }
    if let Some(planned) = plan.queries().first() {
        lines.push(format!("Groups: {}, whether anybody is in them or not", cells(planned)));
        lines.extend(planned.query().undeclared().into_iter().map(|note| format!("Note: {note}")));
    }
    lines.push(match left(account, plan.part()) {
        Some(left) => format!("Left to you: {left} of the promise ({})", percent(&left, 1, Rounding::Down)),
        None => "Left to you: all of your part".to_owned(),
    });
    lines
}

/// What is said beside an answer that was just charged for.
#[must_use]
pub fn charged(asked: &PricedPlan, ledger: &Summary) -> Notice {
    let account = ledger.accounts.iter().find(|account| account.id == asked.plan.account());
    let share = asked.price.clone().unwrap_or_default();
    let part = percent(&share, 1, Rounding::Up);
    let mut notice = Notice::new(format!(
        "charged: {share} of the promise ({part}), an odds ratio of at most {}",
        cost(&asked.plan)
    ));
    notice.detail = left(account, asked.plan.part())
        .map(|left| format!("left to you: {left} of the promise ({})", percent(&left, 1, Rounding::Down)));
    notice.hint = Some("deniable.promise says what that means, and asking again is free".to_owned());
    notice
}

/// How it stands with the approval of a query that needs one.
fn approval(plan: &Plan, account: Option<&Account>) -> String {
    let identity = plan.queries().first().map(|planned| planned.for_ledger(plan.policy()).identity).unwrap_or_default();
    let request = account.and_then(|account| account.request(plan.part(), &identity));
    match request.zip(account).map(|(request, account)| account.decision(request)) {
        None => "To be approved first: asking makes the request".to_owned(),
        Some(None) => "To be approved first: it was requested, and the approver has not decided".to_owned(),
        Some(Some(decision)) if decision.allowed => format!("Approved by \"{}\"", decision.by),
        Some(Some(decision)) => format!("Rejected by \"{}\": it would not be charged", decision.by),
    }
}

fn cost(plan: &Plan) -> String {
    plan.queries().first().map_or_else(String::new, |planned| {
        deniable_publication::statement::odds_decimal(&planned.cost().odds_at_most())
    })
}

/// An answer as it is shown.
#[must_use]
pub fn shown(asked: &PricedPlan, answered: &QueryAnswer) -> Option<Answer> {
    let planned = asked.plan.queries().first()?;
    Some(displayed(&asked.plan, planned, table(&asked.plan, planned, answered)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_fractions_whose_sums_stay_short() {
        for (text, value) in [
            ("1/40", ratio(1, 40)),
            ("2.5%", ratio(1, 40)),
            ("1/7", ratio(1, 7)),
            ("0.000123", ratio(123, 1_000_000)),
            ("1", whole(1)),
        ] {
            assert_eq!(share(text), Ok(value), "{text}");
        }
        for text in ["0", "-1/4", "2", "1/100001", "1/17", "0.0000123", "abc", "1/1000000007"] {
            let refused = share(text).unwrap_err();
            assert!(refused.code == Code::Setting && refused.hint.is_some(), "{text}: {refused:?}");
        }
    }
}
