//! The last section of a page: how to read the numbers, the conditions of the promise, the spending, and everything
//! exact.

use crate::answers::{address, file_name};
use crate::beliefs;
use crate::overview::AccountOverview;
use crate::report::{AccountSection, PageAnswer};
use crate::spending;
use deniable_core::text::printable;
use deniable_ledger::Version;
use deniable_publication::QualityClasses;
use deniable_publication::shown::ShownAnswer;
use maud::{Markup, html};

/// Most answers whose exact noise is listed.
const MOST_EXACT: usize = 100;

impl AccountSection {
    /// The section.
    pub fn method(&self, registered: &[Version]) -> Markup {
        html! {
            div.pair.reading { (self.reading()) }
            (beliefs::conditions(&self.promised()))
            div.foot {
            (beliefs::pictures(&self.promised()))
            details { summary { "Spending and remainder" } (spending::section(&self.account, registered)) }
            details { summary { "Exact parameters and theorems" } (self.exact()) }
            @if let Some(statement) = &self.statement {
                @let text = statement.in_words(self.account.guarantee.subject().population());
                p { a download=(file_name(&format!("guarantee {}", self.account.guarantee.subject().population()), "txt"))
                    href=(address("text/plain", &text)) { "Save the guarantee as text" } }
            }
            }
        }
    }

    /// How to read intervals and classes.
    fn reading(&self) -> Markup {
        let classes: Vec<&QualityClasses> =
            self.answers.iter().filter_map(|answer| answer.shown.table.classes.as_ref()).collect();
        let mut distinct: Vec<&QualityClasses> = Vec::new();
        classes.into_iter().for_each(|one| {
            if !distinct.contains(&one) {
                distinct.push(one)
            }
        });
        let confidence = self.answers.first().map(|answer| answer.shown.confidence.to_string());
        html! {
            @if let Some(confidence) = confidence {
                p {
                    "Random noise was added on purpose, so that the numbers reveal no more about whether a given person is in the \
                    data than the promise allows. An interval contains the number without noise in " (confidence) " of all cases. It does not \
                    account for rows and values that caps and bounds leave out, nor for the error of a sample."
                }
            }
            @for classes in distinct { p { (printable(&classes.to_string())) "." } }
        }
    }

    /// Exact parameters.
    fn exact(&self) -> Markup {
        let (account, overview) = (&self.account, AccountOverview::new(&self.account, &[]));
        html! {
            div.scroll tabindex="0" role="region" aria-label="Table: exact parameters" { table {
                tbody {
                    tr { th scope="row" { "account" } td { (overview.account) } }
                    tr { th scope="row" { "promise, as recorded" } td { (overview.promise) } }
                    tr { th scope="row" { "family of priors" } td { (overview.adversary) } }
                    tr { th scope="row" { "largest odds ratio" } td { (account.guarantee.limit().in_words()) } }
                    tr { th scope="row" { "as ε, rounded up" } td { (account.guarantee.limit().epsilon_decimal(6)) } }
                    tr { th scope="row" { "spent" } td { (overview.spent) } }
                    tr { th scope="row" { "people who may move together" } td { (account.guarantee.group()) } }
                    tr { th scope="row" { "odds from the promise by" } td { (account.guarantee.theorem()) } }
                    tr { th scope="row" { "beliefs from odds by" } td { "B-1; releases together by C-1; noise by M-GEO, M-PF or M-EXP; sensitivities by S-CAP" } }
                }
            } }
            @for PageAnswer { shown, .. } in self.answers.iter().take(MOST_EXACT) { (noise(shown)) }
        }
    }
}

/// The exact noise of an answer.
fn noise(answer: &ShownAnswer) -> Markup {
    let table = &answer.table;
    html! {
        h3 { (table.title()) ": share " (table.share) ", odds ratio " (table.odds) }
        div.scroll tabindex="0" role="region" aria-label={ "Table: noise of " (table.title()) } {
            table {
                thead { tr {
                    th scope="col" { "measure" } th.number scope="col" { "sensitivity" } th.number scope="col" { "scale" }
                    th.number scope="col" { "margin at " (answer.confidence) } th scope="col" { "decay, exact" }
                } }
                tbody { @for noise in &table.noise { tr {
                    th scope="row" { (noise.measure) }
                    td.number { (noise.sensitivity) }
                    td.number { (noise.scale.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string)) }
                    td.number { (noise.margin) }
                    td { code { (noise.decay) } }
                } } }
            }
        }
    }
}
