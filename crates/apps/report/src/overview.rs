//! What an account promised, spent and has left, ready to be written: as a table, as JSON or on a page.

use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio};
use deniable_ledger::{Account, Part, Release, SetAside, Sharing, Summary};
use deniable_publication::Belief;
use deniable_publication::remaining::{MOST, RemainingBudget, questions_left};
use deniable_publication::statement::beliefs_so_far;
use serde::Serialize;

/// A ledger, in a form that can be written as JSON.
#[derive(Debug, Clone, Serialize)]
pub struct Overview {
    /// The people it is about.
    pub population: String,
    /// The last entry.
    pub head: String,
    /// The registered data.
    pub versions: Vec<VersionOverview>,
    /// The engines that were tried; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineOverview>,
    /// The older copies of the ledger that the curator accepted; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<AcceptanceOverview>,
    /// Populations with the same policy or tables that the curator stated to be other people; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_than: Vec<String>,
    /// What was promised and spent.
    pub accounts: Vec<AccountOverview>,
}

/// An engine that holds rows. For the curator: no page shows it.
#[derive(Debug, Clone, Serialize)]
pub struct EngineOverview {
    /// Its version and settings.
    pub about: String,
    /// When it was tried last, or found out.
    pub at: String,
    /// How many statements it has passed since it was found out last.
    pub passed: usize,
    /// How often it failed a trial, or was found out.
    pub failed: usize,
}

/// An older copy of the ledger that the curator went on from. For the curator: no page shows it.
#[derive(Debug, Clone, Serialize)]
pub struct AcceptanceOverview {
    /// The entry.
    pub entry: u64,
    /// When.
    pub at: String,
    /// Why, in the curator's words.
    pub reason: String,
}

/// Data that was registered.
#[derive(Debug, Clone, Serialize)]
pub struct VersionOverview {
    /// The table.
    pub table: String,
    /// Its declared version.
    pub version: String,
    /// The columns that the curator accepted although they may read badly. For the curator: no page shows it.
    pub accepted: Vec<String>,
}

/// One account.
#[derive(Debug, Clone, Serialize)]
pub struct AccountOverview {
    /// What it counts for.
    pub account: String,
    /// What is promised.
    pub promise: String,
    /// Against whom: the family of priors.
    pub adversary: String,
    /// The largest odds ratio.
    pub limit: String,
    /// The same for reading, with its ε.
    #[serde(skip)]
    pub limit_in_words: String,
    /// The odds ratio spent.
    pub spent: String,
    /// What is left of it, in words.
    pub left: String,
    /// How many more questions like recent ones the promise pays for.
    pub more: Vec<Headroom>,
    /// What anyone can believe by now.
    pub beliefs: Vec<Belief>,
    /// What is set aside for whom; left out where nothing is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartOverview>,
    /// Every query that was to be approved, in order; left out where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RequestOverview>,
    /// Every charge, in order.
    pub releases: Vec<ReleaseOverview>,
    /// Every change of the promise, in order.
    pub changes: Vec<ChangeOverview>,
}

/// A part of the budget that is set aside for one who asks.
#[derive(Debug, Clone, Serialize)]
pub struct PartOverview {
    /// Whose it is.
    pub part: String,
    /// The share of the promise.
    pub share: String,
    /// Whether it is reserved, or overlaps with what others take.
    pub sharing: Sharing,
    /// The odds ratio that was charged to it.
    pub spent: String,
    /// What is left of it, in words.
    pub left: String,
    /// What its owner alone can come to believe, from this part and all that is public (C-7).
    pub alone: Vec<Belief>,
}

/// A query that was to be approved before it was charged.
#[derive(Debug, Clone, Serialize)]
pub struct RequestOverview {
    /// The number of its entry.
    pub entry: u64,
    /// When.
    pub at: String,
    /// Whose part of the budget would pay.
    pub part: String,
    /// The query.
    pub sql: String,
    /// The odds ratio that it would cost.
    pub cost: String,
    /// What was decided last; nothing while nobody has decided.
    pub decision: Option<DecisionOverview>,
}

/// What was decided about such a query.
#[derive(Debug, Clone, Serialize)]
pub struct DecisionOverview {
    /// When.
    pub at: String,
    /// Whether it may be charged.
    pub approved: bool,
    /// Who decided.
    pub by: String,
    /// Why; may be empty.
    pub reason: String,
}

/// What the promise still pays for.
#[derive(Debug, Clone, Serialize)]
pub struct Headroom {
    /// The question's name.
    pub query: String,
    /// The question.
    #[serde(skip)]
    pub sql: String,
    /// The odds ratio that it costs.
    pub cost: String,
    /// Exact; stops at a million.
    pub questions: u64,
}

/// One charge.
#[derive(Debug, Clone, Serialize)]
pub struct ReleaseOverview {
    /// The number of its entry.
    pub entry: u64,
    /// When.
    pub at: String,
    /// The policy that asked.
    pub policy: String,
    /// The part of the budget that paid, and so who asked; left out where the answer is for everybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The question's name.
    pub query: String,
    /// The question.
    pub sql: String,
    /// The odds ratio that it costs.
    pub cost: String,
    /// Whether there is an answer yet.
    pub answered: bool,
    /// Whether there never will be one: its draw was begun and broke off, or it was charged anew. Left out where not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
}

impl ReleaseOverview {
    /// The state of the answer, in words.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match self {
            Self { answered: true, .. } => "yes",
            Self { closed: true, .. } => "closed",
            Self { .. } => "not yet",
        }
    }
}

/// A change of the promise.
#[derive(Debug, Clone, Serialize)]
pub struct ChangeOverview {
    /// The number of its entry.
    pub entry: u64,
    /// When.
    pub at: String,
    /// The terms until then.
    pub from: String,
    /// The terms since.
    pub to: String,
    /// Whether larger odds are allowed since.
    pub weaker: bool,
    /// Why.
    pub reason: String,
}

impl Overview {
    /// Brings a summary into this form.
    #[must_use]
    pub fn new(summary: &Summary) -> Self {
        Self {
            population: summary.population.clone(),
            head: summary.head.to_string(),
            versions: summary
                .versions
                .iter()
                .map(|version| VersionOverview {
                    table: version.source.clone(),
                    version: version.version.clone(),
                    accepted: version.accepted.iter().cloned().collect(),
                })
                .collect(),
            engines: summary
                .engines
                .iter()
                .map(|engine| EngineOverview {
                    about: engine.about.clone(),
                    at: engine.at.to_string(),
                    passed: engine.passed,
                    failed: engine.failed,
                })
                .collect(),
            accepted: summary
                .accepted
                .iter()
                .map(|older| AcceptanceOverview {
                    entry: older.seq,
                    at: older.at.to_string(),
                    reason: older.reason.clone(),
                })
                .collect(),
            other_than: summary.other_than.clone(),
            accounts: summary.accounts.iter().map(AccountOverview::new).collect(),
        }
    }
}

impl AccountOverview {
    /// Brings an account into this form.
    #[must_use]
    pub fn new(account: &Account) -> Self {
        let releases = account.releases.iter().map(|release| ReleaseOverview {
            entry: release.seq,
            at: release.at.to_string(),
            policy: release.policy.clone(),
            part: match &release.part {
                Part::Whole => None,
                Part::Named(name) => Some(name.clone()),
            },
            query: release.query.name.clone(),
            sql: release.query.sql.trim().to_owned(),
            cost: release.cost.to_string(),
            answered: release.answer.is_some(),
            closed: release.is_dead(),
        });
        let changes = account.changes.iter().map(|change| ChangeOverview {
            entry: change.seq,
            at: change.at.to_string(),
            from: change.from.to_string(),
            to: change.to.to_string(),
            weaker: change.weaker,
            reason: change.reason.clone(),
        });
        let requests = account.requests.iter().map(|request| RequestOverview {
            entry: request.seq,
            at: request.at.to_string(),
            part: request.part.clone(),
            sql: request.query.sql.trim().to_owned(),
            cost: request.cost.to_string(),
            decision: account.decision(request).map(|decision| DecisionOverview {
                at: decision.at.to_string(),
                approved: decision.allowed,
                by: decision.by.clone(),
                reason: decision.reason.clone(),
            }),
        });
        Self {
            account: account.id.to_string(),
            promise: account.guarantee.promises_in_short(),
            adversary: account.guarantee.adversary().family(),
            limit: account.guarantee.limit().to_string(),
            limit_in_words: account.guarantee.limit().with_epsilon(),
            spent: account.spent.in_words(),
            left: RemainingBudget::new(account.spent.clone(), account.limit()).to_string(),
            more: more(account),
            beliefs: beliefs_so_far(&account.spent, &priors()),
            parts: account.parts().iter().map(|(name, part)| PartOverview::new(account, name, part)).collect(),
            requests: requests.collect(),
            releases: releases.collect(),
            changes: changes.collect(),
        }
    }
}

/// Beliefs that are followed, as examples.
fn priors() -> [Rational; 3] {
    [ratio(1, 100), ratio(1, 5), ratio(1, 2)]
}

impl PartOverview {
    fn new(account: &Account, name: &str, part: &SetAside) -> Self {
        let promise = account.guarantee.limit();
        let of_promise = |share: &Rational| promise.share(share).unwrap_or_else(|_| Spend::nothing());
        // Where it overlaps, what its owner is refused tells what all others were answered.
        let reach = match part.sharing {
            Sharing::Reserved => &part.share + account.unreserved_share(),
            Sharing::Overlapping => account.unreserved_share(),
        };
        Self {
            part: name.to_owned(),
            share: part.share.to_string(),
            sharing: part.sharing,
            spent: part.spent.in_words(),
            left: RemainingBudget::new(part.spent.clone(), of_promise(&part.share)).to_string(),
            alone: beliefs_so_far(&of_promise(&reach), &priors()),
        }
    }
}

/// Costs that are shown as examples.
const EXAMPLES: usize = 3;

/// How many more questions fit, by the last charges of different queries at different costs.
fn more(account: &Account) -> Vec<Headroom> {
    let mut examples: Vec<&Release> = Vec::new();
    let is_same =
        |one: &Release, other: &Release| one.query.sql.split_whitespace().eq(other.query.sql.split_whitespace());
    for release in account.releases.iter().rev() {
        let is_new = examples.iter().all(|known| known.cost != release.cost && !is_same(known, release));
        if examples.len() < EXAMPLES && is_new {
            examples.push(release);
        }
    }
    let shown = |release: &&Release| Headroom {
        query: release.query.name.clone(),
        sql: release.query.sql.trim().to_owned(),
        cost: release.cost.to_string(),
        questions: questions_left(&account.spent, &release.cost, &account.limit()),
    };
    examples.iter().map(shown).collect()
}

impl Headroom {
    /// As words: "12 more questions".
    #[must_use]
    pub fn questions_in_words(&self) -> String {
        match self.questions {
            0 => "no more query".to_owned(),
            1 => "1 more query".to_owned(),
            MOST => format!("{MOST} and more queries"),
            many => format!("{many} more queries"),
        }
    }
}
