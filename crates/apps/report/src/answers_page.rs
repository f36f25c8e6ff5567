//! The section of a page with all answers of an account: the newest version of the data first, earlier ones folded.

use crate::answers::{self, Place, SharedNotes};
use crate::frame::{folded, list};
use crate::headline::KeyNumber;
use crate::overview::{AccountOverview, ChargedVersion};
use crate::report::{AccountSection, PageAnswer};
use deniable_chart::answers::{Signs, legend};
use deniable_ledger::Version;
use deniable_publication::ADVICE_SUFFIX;
use maud::{Markup, PreEscaped, html};

/// Bytes of answers with charts; further answers have no charts, so that a page stays below a megabyte.
const DRAWN_BYTES: usize = 450_000;
/// Bytes of answers; further ones are only named.
const SHOWN_BYTES: usize = 650_000;
/// Most names of answers that are not shown.
const MOST_NAMES: usize = 300;

/// The answers of an account, as they are on the page.
pub struct AnswersPage<'a> {
    /// The contents of the section.
    pub contents: Markup,
    /// The tables with their newest versions.
    pub versions: Vec<String>,
    /// The number of earlier versions.
    pub earlier: usize,
    /// The answers about the newest version, with their anchors.
    newest: Vec<(&'a PageAnswer, String)>,
}

impl<'a> AnswersPage<'a> {
    /// The answers about the newest version, for the top of the page.
    pub fn newest(&self) -> Vec<KeyNumber<'a>> {
        let one = |(answer, anchor): &(&'a PageAnswer, String)| KeyNumber {
            answer: &answer.shown.table,
            confidence: &answer.shown.confidence,
            anchor: anchor.clone(),
        };
        self.newest.iter().map(one).collect()
    }
}

/// The anchor of the shared notes of the account at this position.
pub fn notes_anchor(account: usize) -> String {
    format!("note{account}")
}

impl AccountSection {
    /// The notes that several of its answers have.
    pub fn shared_notes(&self) -> SharedNotes {
        SharedNotes::of(self.answers.iter().filter(|answer| !answer.is_advice()).map(|answer| &answer.shown.table))
    }

    /// The versions of the answers: those of the policy's own answers first, then the newest.
    fn versions(&self, registered: &[Version]) -> Vec<ChargedVersion> {
        let mut versions = AccountOverview::new(&self.account, registered).versions;
        versions.retain(|version| self.answers.iter().any(|answer| answer.is_about(version)));
        let has_chosen =
            |version: &ChargedVersion| self.answers.iter().any(|answer| answer.is_chosen && answer.is_about(version));
        versions.sort_by_key(|version| !has_chosen(version));
        versions
    }

    /// The section of the account at this position on the page, counted from 1.
    pub fn answered(&self, account: usize, registered: &[Version], is_rehearsal: bool) -> AnswersPage<'_> {
        let (mut written, mut bytes, mut beyond, mut newest) = (Vec::new(), 0, Vec::new(), Vec::new());
        let (shared, notes) = (self.shared_notes(), notes_anchor(account));
        let mut policies = self.answers.iter().filter(|answer| !answer.is_advice()).map(|answer| &answer.policy);
        let first = policies.next();
        let several = policies.any(|policy| Some(policy) != first);
        let versions = self.versions(registered);
        let mut number = 0;
        // A version is an earlier one if a newer one of the same tables is on the page.
        let is_earlier = |at: usize| versions.iter().take(at).any(|newer| newer.table == versions[at].table);
        for (at, version) in versions.iter().enumerate() {
            let is_earlier = is_earlier(at);
            let mut sections = String::new();
            for answer in self.answers.iter().filter(|answer| answer.is_about(version) && !answer.is_advice()) {
                number += 1;
                let anchor = format!("answer{account}-{number}");
                let policy = several.then_some(answer.policy.as_str());
                let written_as = |is_drawn: bool| {
                    let shared = (&shared, notes.as_str());
                    let place = Place { anchor: anchor.clone(), policy, is_drawn, is_rehearsal, shared };
                    answers::section(&answer.shown, &place).into_string()
                };
                let drawn = (bytes < DRAWN_BYTES).then(|| written_as(true));
                let section = drawn.filter(|drawn| bytes + drawn.len() <= DRAWN_BYTES);
                let section = section.unwrap_or_else(|| written_as(false));
                if bytes + section.len() > SHOWN_BYTES {
                    beyond.push(answer.shown.table.name.clone());
                    continue;
                }
                bytes += section.len();
                sections.push_str(&section);
                if !is_earlier {
                    newest.push((answer, anchor));
                }
            }
            if !sections.is_empty() {
                written.push((version.heading(), PreEscaped(sections), is_earlier));
            }
        }
        let (earlier, newer): (Vec<usize>, Vec<usize>) = (0..versions.len()).partition(|at| is_earlier(*at));
        let contents = html! {
            (self.remarks())
            @for (heading, answers, is_earlier) in &written {
                @if versions.len() == 1 { (answers) } @else { (folded(*is_earlier, heading, answers)) }
            }
            @if !beyond.is_empty() {
                p { "There is no room on this page for these answers; `release --format csv` writes one of them:" }
                (names(&beyond))
            }
            @if self.answers.is_empty() && self.unseen.is_empty() { p { "No answer was released yet." } }
            @if !self.unseen.is_empty() {
                p { "These answers are too large for a page; a report on their policy shows them:" }
                (names(&self.unseen))
            }
            (shared.list(&notes))
            (self.advice(SHOWN_BYTES.saturating_sub(bytes)))
        };
        let named = |at: &usize| format!("{} {}", versions[*at].table, versions[*at].version);
        AnswersPage { contents, versions: newer.iter().map(named).collect(), earlier: earlier.len(), newest }
    }

    /// Advice on caps and bounds, folded and without charts: what the curator asked before the answers. Tables of more than
    /// `most_bytes` together are left out.
    fn advice(&self, most_bytes: usize) -> Markup {
        let all: Vec<&PageAnswer> = self.answers.iter().filter(|answer| answer.is_advice()).collect();
        let mut bytes = 0;
        let tables = all.iter().map(|answer| answers::plain(&answer.shown).into_string()).take_while(|table| {
            bytes += table.len();
            bytes <= most_bytes
        });
        let tables: Vec<String> = tables.collect();
        html! {
            @if !all.is_empty() {
                details {
                    summary { "Advice on caps and bounds, released before the answers (" (all.len()) ")" }
                    @for table in &tables { (PreEscaped(table)) }
                    @if tables.len() < all.len() { p { (all.len() - tables.len()) " more are in the ledger." } }
                }
            }
        }
    }

    /// The legend of the charts, and a remark about odd numbers if there are any.
    fn remarks(&self) -> Markup {
        let is_charted = |answer: &PageAnswer| {
            !answer.is_advice()
                && !matches!(answers::shape(&answer.shown.table), answers::Shape::Single | answers::Shape::Table)
        };
        let charted = self.answers.iter().find(|answer| is_charted(answer));
        let shown = || self.answers.iter().filter(|answer| !answer.is_advice());
        let signs = shown().map(|answer| answers::signs(&answer.shown.table));
        let signs = signs.fold(Signs::default(), Signs::and);
        let odd = shown().any(|answer| answers::has_oddities(&answer.shown.table));
        html! {
            @if let Some(answer) = charted {
                ul.legend {
                    @for (sign, words) in legend(&answer.shown.confidence.to_string(), signs) { li { (PreEscaped(sign)) (words) } }
                }
            }
            @if odd {
                p.muted {
                    "Where a count is negative, the noise was larger than the count: the table has it as drawn, so that \
                    sums are unbiased, and the chart cuts it at zero. "
                    "“-” is an undefined number, such as an average over no rows."
                }
            }
        }
    }
}

impl PageAnswer {
    /// Whether it is advice of `suggest`, which a policy asks under a name of its own.
    fn is_advice(&self) -> bool {
        self.policy.ends_with(ADVICE_SUFFIX)
    }

    fn is_about(&self, version: &ChargedVersion) -> bool {
        (&self.data.0, &self.data.1) == (&version.table, &version.version)
    }
}

/// Names of answers that are not shown, up to a limit.
fn names(all: &[String]) -> Markup {
    let more = all.len().saturating_sub(MOST_NAMES);
    html! {
        (list(all.get(..all.len().min(MOST_NAMES)).unwrap_or_default()))
        @if more > 0 { p { "and " (more) " more." } }
    }
}
