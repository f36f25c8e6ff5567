//! Decides whether a query has a stored answer, is charged, or is refused. The decision depends on the query, the
//! policy and the part of the ledger that the payer may see (C-8), and on nothing else.

use crate::beside::NumberColumns;
use crate::failures::{self, Refusal};
use crate::rows;
use deniable::exact::{Rational, Rounding, parse_rational, percent, ratio, whole};
use deniable::{Plan, Policy};
use deniable_ledger::{Account, Summary};
use deniable_publication::Answer;
use deniable_release::release::QueryAnswer;
use deniable_release::show::{displayed, table};
use deniable_release::{expected, fits, stored};
use deniable_wire::{Code, Failure, Notice, Query};
use num_traits::Zero;

/// The name of these queries in the ledger.
const NAME: &str = "query";
/// The example price in hints, as numerator and denominator.
const EXAMPLE: (i64, i64) = (1, 40);
/// The lowest price is 1/`PARTS_OF_PROMISE` of the promise, which bounds the number of queries that a part can pay for.
const PARTS_OF_PROMISE: i64 = 100_000;
/// Prices are multiples of 1/`UNITS`, so that sums of prices stay short fractions. The factors are 2^6, 3^3, 5^6, 7, 11
/// and 13.
const UNITS: i64 = 27_027_000_000;
/// Maximum number of expected errors listed.
const LISTED: usize = 20;

/// A query with its plan and price.
#[derive(Debug, Clone)]
pub struct PricedPlan {
    /// The plan. If the query is free, it is the plan of the stored answer that contains it.
    pub plan: Plan,
    /// The price, if the query states one.
    pub price: Option<Rational>,
    /// The columns shown beside its numbers.
    pub beside: NumberColumns,
}

/// The decision about a query.
#[derive(Debug)]
pub enum Outcome {
    /// A stored answer contains the result, so the query is free.
    Stored(Box<(PricedPlan, QueryAnswer)>),
    /// The query can be charged.
    ToPay(Box<PricedPlan>),
}

/// The price that a query states.
///
/// # Errors
/// When it is not a valid price.
pub fn price(query: &Query) -> Result<Option<Rational>, Failure> {
    query.setting("spend").filter(|text| !text.is_empty()).map(share).transpose()
}

/// Parses a share of the promise from a setting.
///
/// # Errors
/// When the text is not a valid share.
pub fn share(text: &str) -> Result<Rational, Failure> {
    let wrong =
        |why: String| Failure::new(Code::Setting, format!("deniable.spend: {why}")).hint("SET deniable.spend = '1/40'");
    let value = parse_rational(text).map_err(|error| wrong(error.to_string()))?;
    if value < ratio(1, PARTS_OF_PROMISE) || value > whole(1) {
        return Err(wrong(format!(
            "a share of the promise is at least 1/{PARTS_OF_PROMISE} and at most 1, such as 1/40 or 2.5%"
        )));
    }
    if !(&value * whole(UNITS)).is_integer() {
        return Err(wrong(format!(
            "a share is a whole number of 1/{UNITS}, such as 1/40, 1/60, 1/7 or a decimal of up to six digits"
        )));
    }
    Ok(value)
}

/// Plans a query. Without a price, the plan uses the example price.
///
/// # Errors
/// When the query is invalid, is not answered under the policy, or has more than `most_cells` groups.
pub fn understood(policy: &Policy, query: &Query, most_cells: usize) -> Result<PricedPlan, Failure> {
    let price = price(query)?;
    let share = price.clone().unwrap_or_else(|| ratio(EXAMPLE.0, EXAMPLE.1));
    let (beside, sql) = NumberColumns::of(query)?;
    let is_as_sent = beside.columns.is_none();
    let query = deniable::Query::new(NAME, sql, share);
    let plan = query.plan(policy).map_err(|error| {
        let failure = failures::of_release(&error).failure;
        // Positions in rewritten SQL would be misleading.
        Failure { position: failure.position.filter(|_| is_as_sent), ..failure }
    })?;
    // A query whose answer could not be shown is refused before anything is charged.
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

/// Decides about a query, with the part of the ledger that the payer may see.
///
/// # Errors
/// When the query is refused. Nothing was charged.
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

/// The refusal of a query without a price, with the errors expected at the example price.
fn no_price(plan: &Plan, account: Option<&Account>) -> Failure {
    let (of, all) = EXAMPLE;
    let errors: Vec<String> = errors(plan).into_iter().take(3).collect();
    let buys = if errors.is_empty() {
        String::new()
    } else {
        format!("; for {of}/{all} of the promise: {}", errors.join(", "))
    };
    let left = left(account, plan);
    if left.as_ref().is_some_and(Zero::is_zero) {
        return Failure::new(
            Code::NotAllowed,
            "no stored answer matches this query, and your part of the promise is spent",
        )
        .hint("earlier answers stay free: deniable.releases lists them");
    }
    let left = left.map(|left| format!("{} of the promise is left to you", percent(&left, 1, Rounding::Down)));
    let failure = Failure::new(Code::NoPrice, "no stored answer matches this query, and it states no price");
    let detail = format!("{}{buys}", left.unwrap_or_else(|| "your whole part is left".to_owned()));
    failure
        .detail(detail)
        .hint(format!("SET deniable.spend = '{of}/{all}', or begin the query with /* deniable.spend = {of}/{all} */"))
}

/// The rest of the payer's part, as a share of the whole promise; `None` if nothing was spent, or the rest is not an
/// exact share.
fn left(account: Option<&Account>, plan: &Plan) -> Option<Rational> {
    let account = account?.seen_by(plan.part());
    let read = plan.queries().first().map(|query| query.for_ledger(plan.policy()).versions()).unwrap_or_default();
    let shares = account.allowances().into_iter().map(|allowed| {
        let allowed = allowed.before(&read);
        let whole_promise = account.guarantee.limit();
        let (spent, limit) = (allowed.spent.exact_part_of(whole_promise)?, allowed.limit.exact_part_of(whole_promise)?);
        Some((limit - spent).max(Rational::zero()))
    });
    shares.collect::<Option<Vec<_>>>()?.into_iter().min()
}

/// The number of groups of an answer, summed over all levels.
pub fn cells(planned: &deniable_release::QueryPlan) -> usize {
    (0..planned.query().levels().len()).map(|level| planned.query().cells(level)).fold(0, usize::saturating_add)
}

/// The expected error of each number, as text.
fn errors(plan: &Plan) -> Vec<String> {
    let all = plan.queries().iter().flat_map(|planned| expected(planned, plan.policy()));
    all.take(LISTED).map(|expected| format!("{} is off by at most {}", expected.name, expected.error)).collect()
}

/// The cost and errors of an answer, as lines of text.
#[must_use]
pub fn explained(asked: &PricedPlan, ledger: &Summary, needs_approval: bool) -> Vec<String> {
    let account = ledger.accounts.iter().find(|account| account.id == asked.plan.account());
    let policy = asked.plan.policy();
    let mut lines = Vec::new();
    let now = found(asked.clone(), ledger);
    let plan = match &now {
        Ok(Outcome::Stored(stored)) => {
            lines.push("Free: a stored answer contains it".to_owned());
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
        lines.push(format!("Groups: {}, including empty ones", cells(planned)));
        lines.extend(planned.doubts().into_iter().map(|note| format!("Note: {note}")));
    }
    lines.push(match left(account, plan) {
        Some(left) => format!("Left to you: {left} of the promise ({})", percent(&left, 1, Rounding::Down)),
        None => "Left to you: all of your part".to_owned(),
    });
    lines
}

/// The notice beside an answer that was just charged.
#[must_use]
pub fn charged(asked: &PricedPlan, ledger: &Summary) -> Notice {
    let account = ledger.accounts.iter().find(|account| account.id == asked.plan.account());
    let share = asked.price.clone().unwrap_or_default();
    let part = percent(&share, 1, Rounding::Up);
    let mut notice = Notice::new(format!(
        "charged: {share} of the promise ({part}), an odds ratio of at most {}",
        cost(&asked.plan)
    ));
    notice.detail = left(account, &asked.plan)
        .map(|left| format!("left to you: {left} of the promise ({})", percent(&left, 1, Rounding::Down)));
    notice.hint = Some("deniable.promise explains the guarantee; repeating the query is free".to_owned());
    notice
}

/// The approval state of a query that needs approval.
fn approval(plan: &Plan, account: Option<&Account>) -> String {
    let identity = plan.queries().first().map(|planned| planned.for_ledger(plan.policy()).identity).unwrap_or_default();
    let request = account.and_then(|account| account.request(plan.part(), &identity));
    match request.zip(account).map(|(request, account)| account.decision(request)) {
        None => "To be approved first: running the query makes the request".to_owned(),
        Some(None) => "To be approved first: it was requested, and the approver has not decided".to_owned(),
        Some(Some(decision)) if decision.allowed => format!("Approved by \"{}\"", decision.by),
        Some(Some(decision)) => format!("Rejected by \"{}\": the query would not be charged", decision.by),
    }
}

fn cost(plan: &Plan) -> String {
    plan.queries().first().map_or_else(String::new, |planned| {
        deniable_publication::statement::odds_decimal(&planned.cost().odds_at_most())
    })
}

/// The answer in its displayed form.
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
