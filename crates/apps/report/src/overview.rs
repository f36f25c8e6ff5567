//! Promise, spending and remainder of an account, for a table, JSON or a page.

mod text;

use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio};
use deniable_core::guarantee::ButFor;
use deniable_ledger::{
    Account, Charge, FixedSize, ODDS_PLACES, Part, Reading, Release, SetAside, Sharing, Summary, Version, VersionName,
    further_but_for_chance,
};
use deniable_publication::Belief;
use deniable_publication::remaining::{MOST, RemainingBudget, questions_left};
use deniable_publication::statement::beliefs_so_far;
use serde::Serialize;
use std::collections::BTreeSet;

/// A ledger: its data, its accounts, and all charges.
///
/// `Display` prints a table, with the charges about the newest version of the data alone or, as `{:#}`, about all
/// versions; `Serialize` is the object of `deniable ledger show --format json`.
#[derive(Debug, Clone, Serialize)]
pub struct Overview {
    /// Whether it is the ledger of a rehearsal, on made-up rows; omitted if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// The name of the population.
    pub population: String,
    /// The head: the last entry.
    pub head: String,
    /// The registered data, the newest version first.
    pub versions: Vec<VersionOverview>,
    /// The engines that were tried; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineOverview>,
    /// The older copies of the ledger that the curator accepted; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<AcceptanceOverview>,
    /// Populations with the same policy or tables that the curator stated to be other people; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_than: Vec<String>,
    /// The accounts.
    pub accounts: Vec<AccountOverview>,
}

/// An external engine. For the curator: no page shows it.
#[derive(Debug, Clone, Serialize)]
pub struct EngineOverview {
    /// Its version and settings.
    pub about: String,
    /// The time of its last trial or detected failure.
    pub at: String,
    /// The number of statements that passed since its last detected failure.
    pub passed: usize,
    /// The number of failed trials and detected failures.
    pub failed: usize,
}

/// An older copy of the ledger from which the curator continued. For the curator: no page shows it.
#[derive(Debug, Clone, Serialize)]
pub struct AcceptanceOverview {
    /// The number of the entry.
    pub entry: u64,
    /// The time.
    pub at: String,
    /// The reason, in the curator's words.
    pub reason: String,
}

/// A registered version of a table.
#[derive(Debug, Clone, Serialize)]
pub struct VersionOverview {
    /// The table.
    pub table: String,
    /// Its declared version.
    pub version: String,
    /// The columns that the curator accepted although they may not be readable as declared, and the queries of which caps
    /// or bounds may leave out much. For the curator: no page shows it.
    pub accepted: Vec<String>,
}

/// One account.
#[derive(Debug, Clone, Serialize)]
pub struct AccountOverview {
    /// The account's population, secret, entity and adjacency.
    pub account: String,
    /// The promise.
    pub promise: String,
    /// The adversary: the family of priors.
    pub adversary: String,
    /// The largest odds ratio.
    pub limit: String,
    /// The limit with its ε, for display.
    #[serde(skip)]
    pub limit_in_words: String,
    /// The odds ratio spent.
    pub spent: String,
    /// The remainder, in words.
    pub left: String,
    /// The tables of which each version contains only new entities; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_entities: Option<NewEntitiesOverview>,
    /// The number of further queries like recent ones that the promise pays for.
    pub more: Vec<Headroom>,
    /// The bounds on beliefs by now.
    pub beliefs: Vec<Belief>,
    /// The odds of all answers by now but for a chance, if that is promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub but_for: Option<ButForOverview>,
    /// The parts that are set aside; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartOverview>,
    /// Every request for approval, in order; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RequestOverview>,
    /// The versions of the data that were charged, the newest first.
    pub versions: Vec<ChargedVersion>,
    /// Every charge, in order.
    pub releases: Vec<ReleaseOverview>,
    /// Every change of the promise, in order.
    pub changes: Vec<ChangeOverview>,
}

/// The tables of which each version contains only entities that are in no other version (C-9).
#[derive(Debug, Clone, Serialize)]
pub struct NewEntitiesOverview {
    /// The tables.
    pub tables: Vec<String>,
    /// The remainder for a version that is not charged yet, in words.
    pub left_of_next: String,
}

impl NewEntitiesOverview {
    fn new(account: &Account) -> Option<Self> {
        let next = account.by_version.before_next()?;
        let tables = account.disjoint().names().map(str::to_owned).collect();
        Some(Self { tables, left_of_next: RemainingBudget::new(next, account.limit()).to_string() })
    }

    /// The charges that count for the promise, and the remainder for the next version, in sentences. Hidden characters
    /// are not escaped.
    #[must_use]
    pub fn sentences(&self) -> [String; 2] {
        let tables = self.tables.join(", ");
        [
            format!("no person is in two versions of {tables}: of these, the two with the largest charges count (C-9)"),
            format!("left for the next version: {}", self.left_of_next),
        ]
    }
}

/// The charges about one version of the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChargedVersion {
    /// The table; of queries that join several, their names joined by ` + `.
    pub table: String,
    /// The declared version, or the versions of these tables.
    pub version: String,
    /// The number of charges.
    pub charges: usize,
    /// The odds ratio spent.
    pub spent: String,
}

impl ChargedVersion {
    /// Whether a charge is about this version.
    #[must_use]
    pub fn has(&self, release: &ReleaseOverview) -> bool {
        self.table == release.table && self.version == release.version
    }

    /// The name, as a heading. Hidden characters are not escaped.
    #[must_use]
    pub fn heading(&self) -> String {
        format!("{}, version \"{}\"", self.table, self.version)
    }

    /// The number of charges and the odds spent, in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        let charges = if self.charges == 1 { "1 charge".to_owned() } else { format!("{} charges", self.charges) };
        format!("{charges}, an odds ratio of {}", self.spent)
    }
}

/// A part of the budget that is set aside for an analyst.
#[derive(Debug, Clone, Serialize)]
pub struct PartOverview {
    /// The analyst's name.
    pub part: String,
    /// The share of the promise.
    pub share: String,
    /// Whether the part is reserved, or overlaps with other accounts.
    pub sharing: Sharing,
    /// The odds ratio that was charged to it.
    pub spent: String,
    /// The remainder of the part, in words.
    pub left: String,
    /// The odds of its charges but for a chance, if that is promised and it is reserved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub but_for: Option<ButForOverview>,
    /// The beliefs that its owner alone can reach, from this part and all common answers (C-7).
    pub alone: Vec<Belief>,
}

/// A request for approval of a query before it is charged.
#[derive(Debug, Clone, Serialize)]
pub struct RequestOverview {
    /// The number of its entry.
    pub entry: u64,
    /// The time.
    pub at: String,
    /// The analyst whose part would pay.
    pub part: String,
    /// The query.
    pub sql: String,
    /// The odds ratio that the query would cost.
    pub cost: String,
    /// The last decision; `None` while undecided.
    pub decision: Option<DecisionOverview>,
}

/// A decision about a request.
#[derive(Debug, Clone, Serialize)]
pub struct DecisionOverview {
    /// The time.
    pub at: String,
    /// Whether it may be charged.
    pub approved: bool,
    /// The approver's name.
    pub by: String,
    /// The reason; may be empty.
    pub reason: String,
}

/// The number of further queries of one kind that the promise pays for.
#[derive(Debug, Clone, Serialize)]
pub struct Headroom {
    /// The query's name.
    pub query: String,
    /// The query.
    #[serde(skip)]
    pub sql: String,
    /// The odds ratio that the query costs.
    pub cost: String,
    /// The exact number, at most a million.
    pub questions: u64,
}

/// One charge.
#[derive(Debug, Clone, Serialize)]
pub struct ReleaseOverview {
    /// The number of its entry.
    pub entry: u64,
    /// The time.
    pub at: String,
    /// The policy of the query.
    pub policy: String,
    /// The analyst's part that paid; omitted if the answer is for everyone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The table, as [`ChargedVersion`] has it.
    pub table: String,
    /// Its version.
    pub version: String,
    /// The query's name.
    pub query: String,
    /// The query.
    pub sql: String,
    /// The odds ratio that it costs.
    pub cost: String,
    /// Whether there is an answer.
    pub answered: bool,
    /// Whether there will never be an answer: its draw was interrupted, or it was charged again. Omitted if false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// The curator's withdrawal of the answer; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<WithdrawalOverview>,
}

/// The withdrawal of an answer.
#[derive(Debug, Clone, Serialize)]
pub struct WithdrawalOverview {
    /// The number of its entry.
    pub entry: u64,
    /// The time.
    pub at: String,
    /// The reason, in the curator's words.
    pub reason: String,
}

impl ReleaseOverview {
    /// The state of the answer, in words.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match self {
            Self { withdrawn: Some(_), .. } => "withdrawn",
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
    /// The time.
    pub at: String,
    /// The terms until then.
    pub from: String,
    /// The terms since.
    pub to: String,
    /// Whether larger odds are allowed since.
    pub weaker: bool,
    /// The reason.
    pub reason: String,
}

impl Overview {
    /// Converts a summary.
    #[must_use]
    pub fn new(summary: &Summary) -> Self {
        Self {
            rehearsal: summary.rehearsal,
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
            accounts: summary.accounts.iter().map(|account| AccountOverview::new(account, &summary.versions)).collect(),
        }
    }
}

impl AccountOverview {
    /// Converts an account; `registered` are the ledger's versions, the newest first. Without them, versions that were
    /// charged later count as newer.
    #[must_use]
    pub fn new(account: &Account, registered: &[Version]) -> Self {
        let releases = account.releases.iter().map(|release| ReleaseOverview {
            entry: release.seq,
            at: release.at.to_string(),
            policy: release.policy.clone(),
            part: match &release.part {
                Part::Whole => None,
                Part::Named(name) => Some(name.clone()),
            },
            table: release.query.source.clone(),
            version: release.query.version.clone(),
            query: release.query.name.clone(),
            sql: release.query.sql.trim().to_owned(),
            cost: release.cost.to_string(),
            answered: release.answer.is_some(),
            closed: release.is_dead(),
            withdrawn: release.withdrawn.as_ref().map(|withdrawal| WithdrawalOverview {
                entry: withdrawal.seq,
                at: withdrawal.at.to_string(),
                reason: withdrawal.reason.clone(),
            }),
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
            new_entities: NewEntitiesOverview::new(account),
            more: more(account),
            beliefs: beliefs_so_far(&account.spent, &priors()),
            but_for: ButForOverview::of(account),
            parts: account.parts().iter().map(|(name, part)| PartOverview::new(account, name, part)).collect(),
            requests: requests.collect(),
            versions: charged_versions(account, registered),
            releases: releases.collect(),
            changes: changes.collect(),
        }
    }
}

/// The odds of an account's answers but for a chance.
#[derive(Debug, Clone, Serialize)]
pub struct ButForOverview {
    /// The chance of the promise.
    pub chance: String,
    /// The largest odds that keep the promise, rounded down.
    pub allowed: String,
    /// The odds of all charges together by now, and of all sizes that were fixed, rounded up; absent where there is no
    /// bound.
    pub odds: Option<String>,
    /// The sizes that were fixed before the first answer; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<FixedOverview>,
    #[serde(skip)]
    words: String,
}

/// Equal sizes that were fixed before the first answer. They count whether they are used or not.
#[derive(Debug, Clone, Serialize)]
pub struct FixedOverview {
    /// The odds ratio of each, in words.
    pub cost: String,
    /// The number of answers of this size.
    pub count: u32,
    /// The number of them that no charge has used.
    pub unused: u32,
}

impl FixedOverview {
    /// In one line.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Self { cost, count, unused } = self;
        let used = match unused {
            0 => "all of them used".to_owned(),
            unused => format!("{unused} of them not used yet"),
        };
        let answers = if *count == 1 { "answer" } else { "answers" };
        format!("fixed beforehand: {count} {answers} with an odds ratio of {cost}, {used}")
    }
}

impl ButForOverview {
    fn of(account: &Account) -> Option<Self> {
        let (but_for, reading) = account.but_for_chance().ok().flatten()?;
        Some(Self::new(but_for, &reading, account.fixed_sizes()))
    }

    fn of_part(account: &Account, part: &SetAside) -> Option<Self> {
        let (but_for, reading) = account.part_but_for_chance(part).ok().flatten()?;
        Some(Self::new(but_for, &reading, Vec::new()))
    }

    fn new(but_for: &ButFor, reading: &Reading, fixed: Vec<FixedSize>) -> Self {
        let shown = |FixedSize { cost, count, unused }| FixedOverview { cost: cost.in_words(), count, unused };
        let (odds, allowed) = reading.decimals(ODDS_PLACES);
        let fixed = fixed.into_iter().map(shown).collect();
        Self { chance: but_for.chance().to_string(), allowed, odds, fixed, words: reading.in_words(but_for) }
    }

    /// In one line.
    #[must_use]
    pub fn in_words(&self) -> &str {
        &self.words
    }
}

/// The versions that were charged, the newest first: of joined tables, the newest one counts.
fn charged_versions(account: &Account, registered: &[Version]) -> Vec<ChargedVersion> {
    let mut found: Vec<(&Charge, usize, Spend)> = Vec::new();
    let mut paid: BTreeSet<&str> = BTreeSet::new();
    for release in &account.releases {
        let query = &release.query;
        // A query that several parts paid for costs once (C-7); a dead charge pays for nothing later.
        let is_again = paid.contains(query.identity.as_str());
        let cost = if is_again { Spend::nothing() } else { release.cost.clone() };
        if !release.is_dead() {
            paid.insert(&query.identity);
        }
        let is_same = |known: &Charge| (&known.source, &known.version) == (&query.source, &query.version);
        match found.iter_mut().find(|(known, ..)| is_same(known)) {
            Some((_, charges, spent)) => (*charges, *spent) = (*charges + 1, spent.and(&cost)),
            None => found.push((query, 1, cost)),
        }
    }
    found.reverse();
    let age = |query: &Charge| {
        let reads = |version: &Version| {
            query.reads(&VersionName { source: version.source.clone(), version: version.version.clone() })
        };
        registered.iter().position(reads).unwrap_or(registered.len())
    };
    found.sort_by_key(|(query, ..)| age(query));
    let shown = |(query, charges, spent): (&Charge, usize, Spend)| ChargedVersion {
        table: query.source.clone(),
        version: query.version.clone(),
        charges,
        spent: spent.in_words(),
    };
    found.into_iter().map(shown).collect()
}

/// Example priors.
fn priors() -> [Rational; 3] {
    [ratio(1, 100), ratio(1, 5), ratio(1, 2)]
}

impl PartOverview {
    fn new(account: &Account, name: &str, part: &SetAside) -> Self {
        let promise = account.guarantee.limit();
        let of_promise = |share: &Rational| promise.share(share).unwrap_or_else(|_| Spend::nothing());
        // If the part overlaps, refusals of its owner's queries depend on the spending of all others.
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
            but_for: ButForOverview::of_part(account, part),
            alone: beliefs_so_far(&of_promise(&reach), &priors()),
        }
    }
}

/// Number of example costs.
const EXAMPLES: usize = 3;

/// The numbers of further queries, for the last charges of different queries at different costs.
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
        questions: further_but_for_chance(
            Some(account),
            &account.guarantee,
            &release.size(),
            questions_left(&account.spent, &release.cost, &account.limit()),
        ),
    };
    examples.iter().map(shown).collect()
}

impl Headroom {
    /// In words: "12 more queries".
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
