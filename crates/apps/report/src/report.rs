//! Contents of the page of a ledger, and their order.

use crate::answers_page::AnswersPage;
use crate::beliefs::{self, PromisePage};
use crate::frame::page;
use crate::headline::{self, KeyNumber};
use crate::promise::PromisePicture;
use deniable_core::guarantee::Guarantee;
use deniable_ledger::{Account, AccountId, Part, Release, Summary};
use deniable_publication::shown::{HELD_BY, PublishedForm, ShownAnswer};
use deniable_publication::statement::person;
use deniable_publication::{Answer, Imprint, REHEARSAL, Statement, WithdrawalNotice};
use maud::{Markup, html};

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
    imprint: Imprint,
}

/// An account and its contents on the page.
#[derive(Debug)]
pub(crate) struct AccountSection {
    pub account: Account,
    pub answers: Vec<PageAnswer>,
    /// Names of stored answers without the form in which they were shown.
    pub unseen: Vec<String>,
    /// The guarantee in words, if an answer or a policy states the assumptions about the data.
    pub statement: Option<Statement>,
}

/// An answer on the page.
#[derive(Debug)]
pub(crate) struct PageAnswer {
    pub policy: String,
    /// The table and its version, as the charge has them.
    pub data: (String, String),
    /// Whether it is one of the policy's own.
    pub is_chosen: bool,
    pub shown: ShownAnswer,
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
        Ok(Self { summary, accounts, imprint: Imprint::default() })
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
        Ok(Self { summary, accounts, imprint: Imprint::default() })
    }

    /// The same page with a title and other facts for readers.
    #[must_use]
    pub fn with_imprint(self, imprint: Imprint) -> Self {
        Self { imprint, ..self }
    }

    /// The answers of the page, in its order, each with the guarantee in force, the name of the policy that asked, and its
    /// table and version.
    pub fn answers(&self) -> impl Iterator<Item = (&Guarantee, &str, &(String, String), &ShownAnswer)> {
        self.accounts.iter().flat_map(|section| {
            let guarantee = &section.account.guarantee;
            section.answers.iter().map(move |one| (guarantee, one.policy.as_str(), &one.data, &one.shown))
        })
    }

    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let is_rehearsal = self.summary.rehearsal;
        let mark = if is_rehearsal { "REHEARSAL: " } else { "" };
        let title = self.imprint.title.clone().unwrap_or_else(|| format!("Releases about {}", self.summary.population));
        let several = self.accounts.len() > 1;
        let named = |heading: &str, shown: &AccountSection| {
            if several { format!("{heading}: {}", shown.account.id) } else { heading.to_owned() }
        };
        let pages: Vec<AnswersPage<'_>> = self
            .accounts
            .iter()
            .enumerate()
            .map(|(at, shown)| shown.answered(at + 1, &self.summary.versions, is_rehearsal))
            .collect();
        let versions: Vec<String> = pages.iter().flat_map(|page| page.versions.clone()).collect();
        let earlier = pages.iter().map(|page| page.earlier).sum();
        let keys: Vec<KeyNumber<'_>> = pages.iter().flat_map(AnswersPage::newest).collect();
        let lead = html! {
            @if is_rehearsal { p.rehearsal role="note" { (REHEARSAL) } }
            (headline::facts(&self.imprint, &versions, earlier))
            @for (at, shown) in self.accounts.iter().enumerate() { (beliefs::in_short(&shown.promised(), at + 1)) }
            @if self.accounts.is_empty() { p.lead { "No promise and no releases yet." } }
            (headline::key_numbers(&keys))
        };
        let mut sections: Vec<(String, String, Markup)> = Vec::new();
        for (at, (shown, page)) in self.accounts.iter().zip(&pages).enumerate() {
            let mut add = |anchor: &str, heading: &str, contents: Markup| {
                sections.push((format!("{anchor}{}", at + 1), named(heading, shown), contents));
            };
            add("answers", "The answers", page.contents.clone());
            add("beliefs", "How sure may anyone become?", beliefs::section(&shown.promised()));
            add("method", "Method and conditions", shown.method(&self.summary.versions));
        }
        let foot = html! {
            p {
                "Written by Deniable from a ledger"
                @if self.summary.head.seq > 0 { " whose last entry is " code { (self.summary.head) } }
                @if is_rehearsal { ". Nothing here depends on private data." }
                @else { ". Only released answers depend on private data." }
            }
        };
        page(&format!("{mark}{title}"), &lead, &sections, &foot)
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

impl AccountSection {
    /// The promise of the account, for its section.
    pub fn promised(&self) -> PromisePage<'_> {
        let picture = PromisePicture::of(self.account.guarantee.clone());
        PromisePage { account: &self.account, picture, guarantee: self.statement.as_ref() }
    }
}
