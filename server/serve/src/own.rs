//! Rows of the server's own tables, restricted to the part of the ledger that the user may see.

use crate::printed::printed;
use deniable::exact::{Rational, Rounding, decimal, percent, ratio, whole};
use deniable::{Guarantee, Policy, RemainingBudget};
use deniable_core::text::printable;
use deniable_ledger::{
    Account, AccountId, Allowance, Part, Request, Sharing, Size, Summary, VersionName, Withdrawal,
    further_but_for_chance,
};
use deniable_publication::Statement;
use deniable_publication::remaining::share_left;
use deniable_publication::statement::beliefs_so_far;
use deniable_release::plan::protected_versions;
use deniable_wire::Rows;

const PLACES: u32 = 9;

fn text(text: impl Into<String>) -> Option<String> {
    Some(text.into())
}

/// The rows of the table with this name.
#[must_use]
pub fn rows(table: &str, policy: &Policy, part: &Part, ledger: &Summary, needs_approval: bool) -> Rows {
    let id = AccountId::of(policy.guarantee());
    let account = ledger.accounts.iter().find(|account| account.id == id).map(|account| account.seen_by(part));
    match table {
        "promise" => promise(policy.guarantee(), part, account.as_ref(), needs_approval),
        "requests" => requests(policy, account.as_ref()),
        "releases" => releases(policy, account.as_ref()),
        "budget" => budget(policy, part, account.as_ref()),
        _ => Rows::new(),
    }
}

/// The promise, and a bound for what an analyst with a reserved part can learn alone.
fn promise(guarantee: &Guarantee, part: &Part, account: Option<&Account>, needs_approval: bool) -> Rows {
    let statement = Statement::of(guarantee);
    let row = |about: &str, said: &str| vec![text(about), text(said)];
    let mut rows = vec![row("odds", &guarantee.limit().with_epsilon()), row("theorem", guarantee.theorem())];
    rows.extend(statement.promises().iter().map(|said| row("promise", said)));
    rows.extend(guarantee.adversary_in_words().iter().map(|said| row("against", said)));
    rows.extend(statement.assumptions().iter().map(|said| row("assumption", said)));
    rows.extend(statement.outside().iter().map(|said| row("outside", said)));
    let own = match part {
        Part::Named(name) => account.and_then(|account| account.part(name)),
        Part::Whole => None,
    };
    let about = match (part, own.map(|own| own.sharing)) {
        // Nothing is charged to a part that does not exist.
        (Part::Named(_), None) => None,
        (_, Some(Sharing::Reserved)) => Some("your part so far"),
        // An overlapping part is charged as the whole is.
        (_, Some(Sharing::Overlapping)) | (Part::Whole, None) => Some("all answers so far"),
    };
    let read = account.and_then(|account| account.but_for_chance().ok().flatten());
    if let Some((about, (but_for, reading))) = about.zip(read) {
        rows.push(row(about, &reading.in_words(but_for)));
    }
    if let Some((own, account)) = own.zip(account) {
        match own.sharing {
            Sharing::Reserved => {
                // Answers published to all are known to this analyst, too (C-7).
                let share = &own.share + account.unreserved_share();
                let limit = account.guarantee.limit().share(&share);
                let said = limit.map_or_else(|_| "all of the promise".to_owned(), |limit| limit.in_words());
                rows.push(row(
                    "you alone",
                    &format!("an odds ratio of at most {said}: your part and what is published to all"),
                ));
                let odds =
                    account.guarantee.limit().share(&share).unwrap_or_else(|_| account.guarantee.limit().clone());
                let beliefs = beliefs_so_far(&odds, &[ratio(1, 5), ratio(1, 2)]);
                rows.extend(beliefs.iter().map(|belief| row("you alone", &belief.sentence())));
            }
            Sharing::Overlapping => {
                rows.push(row(
                    "you alone",
                    "no separate bound: your part overlaps with others, so only the bound for all parts applies",
                ));
            }
        }
    }
    if needs_approval {
        let said = "approvers decide by the query, by public facts and by the analyst's own account; a decision that \
                    depends on more is outside the bound for one analyst alone";
        rows.push(row("assumption", said));
    }
    rows
}

/// The day alone, because the exact time would reveal how long a query waited for those of other users.
fn day(moment: &impl ToString) -> Option<String> {
    text(moment.to_string().split('T').next().unwrap_or_default())
}

fn requests(policy: &Policy, account: Option<&Account>) -> Rows {
    let limit = policy.guarantee().limit();
    let row = |account: &Account, at: usize, request: &Request| {
        let share = request.cost.exact_part_of(limit).map(|share| decimal(&share, PLACES, Rounding::Up));
        let decision = account.decision(request);
        let state = match decision.map(|decision| decision.allowed) {
            None => "waits",
            Some(true) => "approved",
            Some(false) => "rejected",
        };
        vec![
            text((at + 1).to_string()),
            day(&request.at),
            text(printed(&request.query.sql)),
            share,
            text(state),
            decision.map(|decision| printable(&decision.by).into_owned()),
            decision.map(|decision| printable(&decision.reason).into_owned()).filter(|reason| !reason.is_empty()),
        ]
    };
    let rows = |account: &Account| {
        account.requests.iter().enumerate().map(|(at, request)| row(account, at, request)).collect()
    };
    account.map(rows).unwrap_or_default()
}

fn releases(policy: &Policy, account: Option<&Account>) -> Rows {
    let limit = policy.guarantee().limit();
    let row = |(at, release): (usize, &deniable_ledger::Release)| {
        let share = release.cost.exact_part_of(limit).map(|share| decimal(&share, PLACES, Rounding::Up));
        vec![
            text((at + 1).to_string()),
            day(&release.at),
            text(printed(&release.query.sql)),
            share,
            text(release.cost.in_words()),
            text(if release.part == Part::Whole { "t" } else { "f" }),
            text(if release.answer.is_some() { "t" } else { "f" }),
            release.withdrawn.as_ref().map(Withdrawal::day),
            release.withdrawn.as_ref().map(|withdrawal| printable(&withdrawal.reason).into_owned()),
        ]
    };
    account.map(|account| account.releases.iter().enumerate().map(row).collect()).unwrap_or_default()
}

fn budget(policy: &Policy, part: &Part, account: Option<&Account>) -> Rows {
    let limit = policy.guarantee().limit();
    let name = match part {
        Part::Whole => "for everybody",
        Part::Named(name) => name.as_str(),
    };
    let Some(account) = account else {
        let all = match part {
            Part::Whole => RemainingBudget::all(limit),
            Part::Named(_) => return Rows::new(),
        };
        let versions = versions(policy, &[Allowance::unspent(limit.clone())], None);
        return std::iter::once(row(name, (&whole(1), &all, &whole(1)), policy.guarantee(), None))
            .chain(versions)
            .collect();
    };
    let read = protected_versions(policy);
    let allowances = account.allowances().into_iter().enumerate().map(|(at, allowed)| {
        let allowed = allowed.before(&read);
        let share = allowed.limit.exact_part_of(limit).unwrap_or_default();
        let left = share_left(&allowed.spent, &allowed.limit, limit).unwrap_or_default();
        let called = if at == 0 { name.to_owned() } else { "not reserved".to_owned() };
        let remaining = RemainingBudget::new(allowed.spent, allowed.limit);
        row(&called, (&share, &remaining, &left), policy.guarantee(), Some(account))
    });
    allowances.chain(versions(policy, &account.allowances(), Some(account))).collect()
}

/// What queries about each declared version may use, if the policy limits it: of the allowance that has least left.
fn versions(policy: &Policy, allowances: &[Allowance], account: Option<&Account>) -> Rows {
    let limit = policy.guarantee().limit();
    let Some(share) = policy.per_version() else { return Rows::new() };
    let on_version = |version: VersionName| {
        let left = |allowed: &Allowance| share_left(&allowed.spent, &allowed.limit, limit).unwrap_or_default();
        let all = allowances.iter().map(|allowance| allowance.on_version(&version, share));
        let least = all.min_by_key(left)?;
        let (share, left) = (least.limit.exact_part_of(limit).unwrap_or_default(), left(&least));
        let remaining = RemainingBudget::new(least.spent, least.limit);
        Some(row(&printable(&version.to_string()), (&share, &remaining, &left), policy.guarantee(), account))
    };
    protected_versions(policy).into_iter().filter_map(on_version).collect()
}

/// A row of the budget: a share, its remainder, and what is left of the promise.
fn row(
    name: &str,
    (share, remaining, left): (&Rational, &RemainingBudget, &Rational),
    guarantee: &Guarantee,
    account: Option<&Account>,
) -> Vec<Option<String>> {
    let limit = guarantee.limit();
    let spent = remaining.spent().exact_part_of(limit).unwrap_or_else(|| share - left);
    let size = limit.share(&ratio(1, 40)).map(|cost| Size { cost, coins: Vec::new() });
    let paid = |size: &Size| {
        let queries = remaining.queries(&size.cost);
        further_but_for_chance(account, guarantee, size, queries)
    };
    let queries = size.as_ref().map(paid).unwrap_or_default();
    vec![
        text(name),
        text(decimal(share, PLACES, Rounding::Down)),
        text(decimal(&spent, PLACES, Rounding::Up)),
        text(decimal(left, PLACES, Rounding::Down)),
        text(format!("{left} ({})", percent(left, 1, Rounding::Down))),
        text(queries.to_string()),
    ]
}
