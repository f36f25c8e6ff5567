//! The ledger on a page: spending by day, and the number of further queries.

use crate::frame::{figure, folded};
use crate::overview::{AccountOverview, ChargedVersion};
use deniable_chart::spending::{Spending, spending};
use deniable_core::budget::Spend;
use deniable_core::exact::whole;
use deniable_ledger::{Account, Version};
use maud::{Markup, html};
use num_traits::ToPrimitive;

/// Most charges in the list: the latest ones.
const MOST_CHARGES: usize = 300;
/// Most charges in the chart; more are only listed.
const MOST_STEPS: usize = 400;
const TICKS: usize = 4;

/// The day of a charge. Not its time: the time between two charges is the duration of an answer, which depends on rows.
fn day(at: &jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// The spent part of a limit, for a chart.
fn share(spent: &Spend, limit: &Spend) -> f64 {
    let exact = spent.exact_part_of(limit).and_then(|part| part.to_f64());
    let epsilon = |spend: &Spend| spend.epsilon_decimal(6).parse::<f64>().unwrap_or(0.0);
    exact.unwrap_or_else(|| if limit.is_nothing() { 0.0 } else { epsilon(spent) / epsilon(limit) })
}

fn drawn(account: &Account) -> Spending {
    /// Seconds of a day.
    const DAY: i64 = 86_400;
    let seconds = |at: &jiff::Timestamp| (at.as_second() / DAY * DAY) as f64;
    let limit = account.limit();
    let mut spent = Spend::nothing();
    let mut times = Vec::new();
    for release in &account.releases {
        spent = spent.and(&release.cost);
        // A clock that was set back does not reduce the spending.
        let time = times.last().map_or(f64::MIN, |(time, _, _): &(f64, f64, String)| *time).max(seconds(&release.at));
        times.push((time, share(&spent, &limit), release.query.name.clone()));
    }
    let mut days: Vec<&jiff::Timestamp> = account.releases.iter().map(|release| &release.at).collect();
    days.dedup_by_key(|at| day(at));
    let step = days.len().div_ceil(TICKS).max(1);
    Spending {
        times,
        changes: account.changes.iter().map(|change| (seconds(&change.at), "promise changed".to_owned())).collect(),
        limit_label: format!(
            "{}: an odds ratio of {}",
            if account.unreserved_share() < whole(1) { "for everybody" } else { "the promise" },
            limit.in_words()
        ),
        ticks: days.iter().step_by(step).map(|at| (seconds(at), day(at))).collect(),
    }
}

/// Charges by day, and the remainder.
pub fn section(account: &Account, registered: &[Version]) -> Markup {
    let overview = AccountOverview::new(account, registered);
    html! {
        @if account.releases.is_empty() {
            p { "Nothing was released yet." }
        } @else {
            @if account.releases.len() <= MOST_STEPS { (figure(spending(&drawn(account)), "Each step is one answer; \
                100% is the whole promise. Repeated queries are free.")) }
            p { "Left: " (overview.left) "." }
            @if let Some(new) = &overview.new_entities {
                @for sentence in new.sentences() { p { (deniable_core::text::printable(&sentence)) "." } }
            }
            @if !overview.more.is_empty() {
                p { "That is enough for" }
                ul { @for headroom in &overview.more {
                    li { (headroom.questions_in_words()) " like “" (headroom.query) "”" }
                } }
            }
            @for (at, version) in overview.versions.iter().enumerate() {
                (folded(at > 0, &format!("{}: {}", version.heading(), version.in_words()), &table(account, &overview, version)))
            }
        }
        @for change in &overview.changes {
            p {
                "The promise was changed from " (change.from) " to " (change.to) "; "
                @if change.weaker { span.outside { "weaker than before" } } @else { "not weaker" }
                ". Reason: " (change.reason)
            }
        }
    }
}

fn table(account: &Account, overview: &AccountOverview, version: &ChargedVersion) -> Markup {
    // The latest charges of all versions together.
    let earlier = account.releases.len().saturating_sub(MOST_CHARGES);
    let all = account.releases.iter().zip(&overview.releases).enumerate().filter(|(_, (_, shown))| version.has(shown));
    let (left_out, listed): (Vec<_>, Vec<_>) = all.partition(|(at, _)| *at < earlier);
    html! {
        @if !left_out.is_empty() { p.muted { (left_out.len()) " earlier charges are in “deniable ledger show”." } }
        div.scroll tabindex="0" role="region" aria-label="Table: charges" {
            table {
                caption { "Every charge about " (version.heading()) ", in order" }
                thead { tr {
                    th.number scope="col" { "no." } th scope="col" { "day (UTC)" } th scope="col" { "policy" }
                    th scope="col" { "query" } th scope="col" { "odds ratio spent" } th scope="col" { "answered" }
                } }
                // Not the numbers of entries: their gaps would reveal queries of analysts.
                tbody { @for (at, (release, shown)) in listed { tr {
                    td.number { (at + 1) }
                    td { (day(&release.at)) }
                    td { (shown.policy) }
                    th scope="row" { (shown.query) }
                    td { (shown.cost) }
                    td { (shown.state()) }
                } } }
            }
        }
    }
}
