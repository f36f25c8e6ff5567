//! Contents of the page of a ledger, and their order.

use crate::beliefs::{self, PromisePage};
use crate::frame::{folded, list, page};
use crate::overview::{AccountOverview, ChargedVersion};
use crate::promise::PromisePicture;
use crate::{answers, spending};
use deniable_core::guarantee::Guarantee;
use deniable_ledger::{Account, AccountId, Part, Release, Summary, Version};
use deniable_publication::shown::{HELD_BY, PublishedForm, ShownAnswer};
use deniable_publication::statement::person;
use deniable_publication::{Answer, REHEARSAL, Statement, WithdrawalNotice};
use maud::{Markup, PreEscaped, html};

/// Bytes of answers with charts; further answers have no charts, so that a page stays below a megabyte.
const DRAWN_BYTES: usize = 450_000;
/// Bytes of answers; further ones are only named.
const SHOWN_BYTES: usize = 650_000;
/// Most names of answers that are not shown.
const MOST_NAMES: usize = 300;
/// Most answers whose exact noise is listed.
const MOST_EXACT: usize = 100;

/// A page that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A stored answer that cannot be parsed.
    #[error("entry {entry} of the ledger, the answer of \"{query}\", cannot be read: {reason}")]
    Unreadable {
        /// The number of the charge's entry.
        entry: u64,
        /// The query's name.
        query: String,
        /// The reason.
        reason: String,
    },
    /// An answer of a later version.
    #[error(
        "entry {entry} of the ledger holds the answer of \"{query}\" in the form {form}, which this version does not know"
    )]
    Form {
        /// The number of the charge's entry.
        entry: u64,
        /// The query's name.
        query: String,
        /// The form of the answer.
        form: String,
    },
}

/// An answer of the page, with its identity in the ledger.
#[derive(Debug, Clone)]
pub struct ChosenAnswer {
    /// Hex digest of everything that determines the answer's distribution.
    pub identity: String,
    /// The answer in the policy's words.
    pub shown: ShownAnswer,
}

/// A page: the common answers of a ledger, and the answers that are shown in full.
#[derive(Debug)]
pub struct Report {
    summary: Summary,
    accounts: Vec<AccountSection>,
}

/// An account and its contents on the page.
#[derive(Debug)]
struct AccountSection {
    account: Account,
    answers: Vec<PageAnswer>,
    /// Names of stored answers without the form in which they were shown.
    unseen: Vec<String>,
    /// The guarantee in words, if an answer or a policy states the assumptions about the data.
    statement: Option<Statement>,
}

/// An answer on the page.
#[derive(Debug)]
struct PageAnswer {
    policy: String,
    /// The table and its version, as the charge has them.
    data: (String, String),
    /// Whether it is one of the policy's own.
    is_chosen: bool,
    shown: ShownAnswer,
}

impl Report {
    /// A page about all common answers of a ledger: answers that were charged to a part of the budget are its owner's
    /// (C-7).
    ///
    /// # Errors
    /// When an answer cannot be parsed: no partial page is written.
    pub fn of_ledger(summary: &Summary) -> Result<Self, ReportError> {
        let summary = summary.seen_by(&Part::Whole);
        let section = |account| section_of(account, &summary.accounts, &[], None);
        let accounts = summary.accounts.iter().map(section).collect::<Result<_, _>>()?;
        Ok(Self { summary, accounts })
    }

    /// A page about the account of a policy: these answers first, in this order and in the policy's words, then all
    /// others of the account; in the policy's words, if its promise is in force.
    ///
    /// # Errors
    /// As [`Self::of_ledger`].
    pub fn of_policy(summary: &Summary, guarantee: &Guarantee, chosen: &[ChosenAnswer]) -> Result<Self, ReportError> {
        let summary = summary.seen_by(&Part::Whole);
        let account = AccountId::of(guarantee);
        let accounts = summary.accounts.iter().filter(|known| known.id == account);
        let section = |account| section_of(account, &summary.accounts, chosen, Some(guarantee));
        let accounts = accounts.map(section).collect::<Result<_, _>>()?;
        Ok(Self { summary, accounts })
    }

    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let is_rehearsal = self.summary.rehearsal;
        let mark = if is_rehearsal { "REHEARSAL: " } else { "" };
        let title = format!("{mark}Releases about {}", self.summary.population);
        let several = self.accounts.len() > 1;
        let named = |heading: &str, shown: &AccountSection| {
            if several { format!("{heading}: {}", shown.account.id) } else { heading.to_owned() }
        };
        let lead = html! {
            @if is_rehearsal { p.rehearsal role="note" { (REHEARSAL) } }
            @for shown in &self.accounts {
                @if several { h2 { (shown.account.id) } }
                (beliefs::promise(&shown.promised()))
            }
            @if self.accounts.is_empty() { p.lead { "No promise and no releases yet." } }
        };
        let mut sections: Vec<(String, String, Markup)> = Vec::new();
        for (at, shown) in self.accounts.iter().enumerate() {
            let mut add = |anchor: &str, heading: &str, contents: Markup| {
                sections.push((format!("{anchor}{}", at + 1), named(heading, shown), contents));
            };
            add("answers", "The answers", shown.answered(&self.summary.versions));
            add("beliefs", "What an observer can learn about one person", beliefs::section(&shown.promised()));
            add("spending", "Spending and remainder", spending::section(&shown.account, &self.summary.versions));
            add("exact", "For experts", shown.exact());
        }
        let foot = html! {
            p {
                "Written by Deniable from a ledger"
                @if self.summary.head.seq > 0 { " whose last entry is " code { (self.summary.head) } }
                @if is_rehearsal { ". Nothing on this page depends on private data." }
                @else { ". Only the released answers on this page depend on private data." }
            }
        };
        page(&title, &lead, &sections, &foot)
    }
}

/// The section of an account, among all accounts of the ledger, with the answers of a policy and its guarantee.
fn section_of(
    account: &Account,
    accounts: &[Account],
    chosen: &[ChosenAnswer],
    guarantee: Option<&Guarantee>,
) -> Result<AccountSection, ReportError> {
    let published = |release: &Release| {
        let Some(stored) = &release.answer else { return Ok(None) };
        let (entry, query) = (release.seq, release.query.name.clone());
        let form = stored.form().to_string();
        if !HELD_BY.contains(&form.as_str()) {
            return Err(ReportError::Form { entry, query, form });
        }
        let unreadable = |reason: String| ReportError::Unreadable { entry, query: query.clone(), reason };
        let answer = stored.read().map_err(|error| unreadable(error.to_string()))?;
        PublishedForm::of(&answer).map_err(|error| unreadable(error.to_string()))
    };
    let mut all = Vec::new();
    for release in &account.releases {
        all.push((release, published(release)?));
    }
    let forms: Vec<&PublishedForm> = all.iter().filter_map(|(_, form)| form.as_ref()).collect();
    let is_of_policy = guarantee.is_some_and(|guarantee| account.guarantee.same_as(guarantee));
    let statement = statement(account, accounts, &forms, is_of_policy);
    let is_chosen = |release: &Release| chosen.iter().any(|one| one.identity == release.query.identity);
    let of_policy = |one: &ChosenAnswer| {
        let release = account.release(&one.identity);
        let (policy, data) = release.map(of_charge).unwrap_or_default();
        PageAnswer { policy, data, is_chosen: true, shown: one.shown.clone() }
    };
    let mut answers: Vec<PageAnswer> = chosen.iter().map(of_policy).collect();
    let mut unseen = Vec::new();
    for (release, form) in all.into_iter().filter(|(release, _)| !is_chosen(release)) {
        let table = form.and_then(|PublishedForm { confidence, table, .. }| Some((confidence, table?)));
        match table {
            Some((confidence, table)) => {
                let table = Answer { withdrawn: withdrawal(release), ..table };
                let (policy, data) = of_charge(release);
                let shown = ShownAnswer { confidence, table };
                answers.push(PageAnswer { policy, data, is_chosen: false, shown });
            }
            None if release.answer.is_some() => unseen.push(release.query.name.clone()),
            None => {}
        }
    }
    Ok(AccountSection { account: account.clone(), answers, unseen, statement })
}

/// The policy of a charge, and its table with the version.
fn of_charge(release: &Release) -> (String, (String, String)) {
    (release.policy.clone(), (release.query.source.clone(), release.query.version.clone()))
}

/// The withdrawal of an answer, in the form for publication.
fn withdrawal(release: &Release) -> Option<WithdrawalNotice> {
    let withdrawal = release.withdrawn.as_ref()?;
    Some(WithdrawalNotice { on: withdrawal.day(), reason: withdrawal.reason.clone() })
}

/// The guarantee of an account in words, with the assumptions about the data in any of its answers, and of a policy
/// about tables; `None` without either.
fn statement(
    account: &Account,
    accounts: &[Account],
    forms: &[&PublishedForm],
    is_of_policy: bool,
) -> Option<Statement> {
    let of_tables = || vec![person(&account.guarantee)];
    let mut assumptions = if is_of_policy { of_tables() } else { Vec::new() };
    for form in forms {
        for assumption in form.assumptions.clone().unwrap_or_else(of_tables) {
            if !assumptions.contains(&assumption) {
                assumptions.push(assumption);
            }
        }
    }
    if assumptions.is_empty() {
        return None;
    }
    let mut statement = Statement::assuming(&account.guarantee, &assumptions);
    // Association results may be about both secrets of the same people: each reader should find the relevant promise.
    if forms.iter().any(|form| form.assumptions.is_some()) {
        let others = accounts.iter().filter(|other| other.id.universe == account.id.universe && other.id != account.id);
        statement = others.fold(statement, |statement, other| statement.beside(other.guarantee.clone()));
    }
    Some(statement)
}

impl PageAnswer {
    fn is_about(&self, version: &ChargedVersion) -> bool {
        (&self.data.0, &self.data.1) == (&version.table, &version.version)
    }
}

impl AccountSection {
    fn promised(&self) -> PromisePage<'_> {
        let picture = PromisePicture::of(self.account.guarantee.clone());
        PromisePage { account: &self.account, picture, guarantee: self.statement.as_ref() }
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

    fn answered(&self, registered: &[Version]) -> Markup {
        let (mut written, mut bytes, mut beyond) = (Vec::new(), 0, Vec::new());
        let several = self.answers.iter().any(|answer| answer.policy != self.answers[0].policy);
        for version in self.versions(registered) {
            let mut sections = String::new();
            for PageAnswer { policy, shown, .. } in self.answers.iter().filter(|answer| answer.is_about(&version)) {
                if !beyond.is_empty() {
                    beyond.push(shown.table.name.clone());
                    continue;
                }
                let section = answers::section(shown, several.then_some(policy), bytes < DRAWN_BYTES).into_string();
                if bytes + section.len() > SHOWN_BYTES {
                    beyond.push(shown.table.name.clone());
                } else {
                    bytes += section.len();
                    sections.push_str(&section);
                }
            }
            if !sections.is_empty() {
                written.push(folded(!written.is_empty(), &version.heading(), &PreEscaped(sections)));
            }
        }
        let odd = self.answers.iter().any(|answer| answers::has_oddities(&answer.shown.table));
        html! {
            @if odd {
                p.muted {
                    "Where a count is negative, the noise was larger than the count: it is shown as drawn, so that \
                    sums are unbiased. "
                    "“-” is an undefined number, such as an average over no rows."
                }
            }
            @for version in written { (version) }
            @if !beyond.is_empty() {
                p { "There is no room on this page for these answers; a report on their policy may have room:" }
                (names(&beyond))
            }
            @if self.answers.is_empty() && self.unseen.is_empty() { p { "No answer was released yet." } }
            @if !self.unseen.is_empty() {
                p { "These answers are too large for a page; a report on their policy shows them:" }
                (names(&self.unseen))
            }
        }
    }

    /// Exact parameters, in a folded section.
    fn exact(&self) -> Markup {
        let (account, overview) = (&self.account, AccountOverview::new(&self.account, &[]));
        html! {
            details {
                summary { "exact parameters and theorems" }
                table {
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
                }
                @for answer in self.answers.iter().take(MOST_EXACT) { (noise(&answer.shown)) }
            }
        }
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

/// The exact noise of an answer.
fn noise(answer: &ShownAnswer) -> Markup {
    let table = &answer.table;
    html! {
        h3 { (table.name) ": share " (table.share) ", odds ratio " (table.odds) }
        div.scroll tabindex="0" role="region" aria-label={ "Table: noise of " (table.name) } {
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
