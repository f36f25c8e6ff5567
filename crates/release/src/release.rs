//! Charge durably, compute, store, show. In this order, always.

use crate::data::{self, DataError, Registering, Versioned};
use crate::plan::{Plan, PlannedAsk, answered_earlier};
use crate::show;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::Decay;
use deniable_core::secret::Secret;
use deniable_ledger::{AccountError, AnswerError, Charge, ChargeError, ChargeRequest, Ledger, Part, Summary};
use deniable_publication::Statement;
use deniable_publication::left::share_left;
use deniable_publication::remembered::Remembered;
use deniable_sql::consistent::Consistency;
use deniable_sql::output::Noisy;
use deniable_sql::{Prepared, Progress, Resources, Salt, Source, SourceError, prepare};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What the choice of an entity's kept rows is salted for.
const SALT: &str = "deniable 2026-11 choice of rows";

/// A release that did not come about. For the curator: some of these depend on private files.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// The data must not be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Versions were not registered as they are read, and are now. Nothing was asked of them yet.
    #[error("the data had not been registered as this policy reads it; now it is, and nothing was released yet")]
    OnlyRegistered,
    /// The account of the ledger does not admit this policy.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The ledger promises something that answers to SQL are not charged to.
    #[error(
        "the ledger of `{0}` promises that nobody can tell who is a case, and answers to SQL are not charged to that promise"
    )]
    LabelsPromised(String),
    /// The budget does not allow a charge, or it could not be written.
    #[error("ask \"{ask}\": {error}")]
    Charge {
        /// The ask.
        ask: String,
        /// Why.
        error: ChargeError,
    },
    /// The asks of this run do not fit together, though some of them would alone.
    #[error("the asks not yet answered cost an odds ratio of {cost} together; of {which} {left}")]
    TogetherOverBudget {
        /// What they cost.
        cost: Spend,
        /// What is left, in words.
        left: String,
        /// The share of the promise that all of them together may still take; `None` where that is nothing.
        fits: Option<Rational>,
        /// Which limit: the account's or the policy's.
        which: &'static str,
    },
    /// Asks were answered before, under a format of identities that is not used any more.
    #[error("{} answered before, in a form that cannot be told from answers to other questions", were(.0))]
    AnsweredEarlier(Vec<String>),
    /// The machine was exhausted after the charge. The same ask resumes at no cost.
    #[error("ask \"{ask}\" is paid for but not answered: {error}")]
    Rows {
        /// The ask.
        ask: String,
        /// Why.
        error: SourceError,
    },
    /// The answer could not be stored, so it is not shown. The same ask resumes at no cost.
    #[error("ask \"{ask}\" is paid for; its answer could not be stored and is not shown: {error}")]
    Answer {
        /// The ask.
        ask: String,
        /// Why.
        error: AnswerError,
    },
    /// A stored answer does not fit its ask.
    #[error("the stored answer of ask \"{ask}\" cannot be read: {reason}")]
    Stored {
        /// The ask.
        ask: String,
        /// What is wrong.
        reason: String,
    },
    /// Amounts could not be compared.
    #[error(transparent)]
    Spend(#[from] SpendError),
}

fn were(asks: &[String]) -> String {
    match asks {
        [one] => format!("ask \"{one}\" was"),
        several => format!("asks \"{}\" were", several.join("\", \"")),
    }
}

/// What the curator allows a release to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// About versions that are not registered.
    pub registering: Registering,
    /// Whether asks that were answered under an earlier format of identities are paid for again.
    pub again: bool,
}

impl From<Registering> for Allowed {
    fn from(registering: Registering) -> Self {
        Self { registering, again: false }
    }
}

/// What a release has come to.
#[derive(Debug)]
pub struct Released {
    /// The answers, each with the position of its ask.
    pub answers: Vec<(usize, Answered)>,
    /// The asks that are paid for and not answered, since the machine was exhausted. The same asks resume at no cost.
    pub unanswered: Vec<(usize, ReleaseError)>,
}

impl Released {
    /// The answers to all asks.
    ///
    /// # Errors
    /// The first ask that has none.
    pub fn complete(self) -> Result<Vec<Answered>, ReleaseError> {
        match self.unanswered.into_iter().next() {
            Some((_, error)) => Err(error),
            None => Ok(self.answers.into_iter().map(|(_, answer)| answer).collect()),
        }
    }
}

/// Where an answer came from. For the curator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Computed now, and charged now.
    Charged,
    /// Computed now; an earlier run had charged it and was cut off.
    Resumed,
    /// Stored by an earlier run: free.
    Stored,
}

/// One released answer.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The noisy cells.
    pub noisy: Noisy,
    /// Where they came from.
    pub origin: Origin,
}

/// What a release tells while it runs. For the curator: timing and counts depend on private rows.
#[derive(Debug)]
pub enum Event<'a> {
    /// Reading the data to register it; so many rows so far.
    Checking(u64),
    /// A table was scanned, because its version is not registered as it is read.
    Scanned {
        /// The table and its version.
        table: &'a Versioned,
        /// What the scan found.
        report: &'a deniable_sql::source::check::Report,
    },
    /// A table's version was registered by this release.
    Registered(&'a Versioned),
    /// All answers about this table are stored ones, and its files were written to since its version was registered.
    WrittenSince(&'a Versioned),
    /// Computing an ask; so far so much was read.
    Computing(&'a str, Progress),
    /// The levels of an ask's answer, of so many cells, are made to add up.
    AddingUp(&'a str, usize),
    /// An ask has its answer.
    Answered(&'a str, Origin),
}

/// The form in which an answer is stored: whole numbers of units, and the decay of each measure's noise.
///
/// Consistent numbers are stored with it, so that the answer stays the same for ever. They are stored even when the ask
/// does not want them shown: that is free, and what an ask shows is no part of its identity.
#[derive(Serialize, Deserialize)]
struct StoredAnswer {
    values: Vec<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    consistent: Option<Vec<Vec<String>>>,
    decays: Vec<String>,
}

/// Answers every ask of a plan, in order.
///
/// Asks that were answered before are shown again at no cost, without a look at the files. Everything that can
/// be refused is refused before the first charge. Tables that are not registered as they are read are scanned and registered
/// first; unless `registering` says to go on, that is all.
///
/// # Errors
/// When the data, the ledger or the budget do not allow it; the error says what was charged.
pub fn release<R: CryptoRng>(
    plan: &Plan,
    locate: &dyn Fn() -> Result<Vec<Versioned>, SourceError>,
    resources: &Resources,
    ledger: &mut Ledger,
    rng: &mut R,
    tell: &dyn Fn(Event<'_>),
    allowed: impl Into<Allowed>,
) -> Result<Released, ReleaseError> {
    let Allowed { registering, again } = allowed.into();
    // An account that is there must agree before anything else is looked at. A new one is opened with the first
    // charge: until then nothing was promised to anyone, and the policy may still change.
    let account = plan.account();
    let labels =
        |known: &deniable_ledger::Account| known.id.universe == account.universe && known.id.kind == Secret::Label;
    if ledger.summary().accounts.iter().any(labels) {
        return Err(ReleaseError::LabelsPromised(plan.policy().population().to_owned()));
    }
    if ledger.summary().accounts.iter().any(|known| known.id.kind == account.kind) {
        ledger.open_account(plan.policy().guarantee())?;
    }
    let stored = stored(plan, &ledger.summary())?;
    let pending: Vec<&PlannedAsk> =
        plan.asks().iter().zip(&stored).filter(|(_, stored)| stored.is_none()).map(|(ask, _)| ask).collect();
    let reads = |table: &Versioned, asks: &[&PlannedAsk]| {
        asks.iter().any(|ask| ask.query().tables().any(|name| name == table.source.table().name))
    };
    // Stored answers need no files, so that files which are gone or changed do not matter to them; the curator may have
    // meant to ask about the changed ones.
    let all: Vec<&PlannedAsk> = plan.asks().iter().collect();
    let tables = if pending.len() < all.len() { locate().unwrap_or_default() } else { Vec::new() };
    for table in tables {
        if reads(&table, &all) && !reads(&table, &pending) && data::written_since(ledger, &table) {
            tell(Event::WrittenSince(&table));
        }
    }
    let mut prepared: VecDeque<Prepared> = VecDeque::new();
    if !pending.is_empty() {
        if !again {
            earlier(plan, &pending, ledger)?;
        }
        check_together(plan, ledger)?;
        let all = locate().map_err(DataError::from)?;
        let used: Vec<&Versioned> = all.iter().filter(|table| reads(table, &pending)).collect();
        let progress = |rows| tell(Event::Checking(rows));
        let found = |table: &Versioned, report: &_| tell(Event::Scanned { table, report });
        let registered = data::ensure(ledger, &used, data::Tell { progress: &progress, found: &found })?;
        registered.iter().for_each(|table| tell(Event::Registered(table)));
        if registering == Registering::Stop && !registered.is_empty() {
            return Err(ReleaseError::OnlyRegistered);
        }
        let sources: Vec<Source> = used.into_iter().map(|table| table.source.clone()).collect();
        // Files are opened and public tables read for all of them before the first is charged.
        for ask in &pending {
            prepared.push_back(prepare(&sources, ask.query(), resources).map_err(DataError::from)?);
        }
        ledger.open_account(plan.policy().guarantee())?;
    }
    let mut released = Released { answers: Vec::new(), unanswered: Vec::new() };
    for (at, (ask, stored)) in plan.asks().iter().zip(stored).enumerate() {
        let answered = match (stored, prepared.pop_front()) {
            (Some(stored), waiting) => {
                waiting.into_iter().for_each(|waiting| prepared.push_front(waiting));
                Ok(stored)
            }
            (None, Some(prepared)) => answer(plan, ask, prepared, ledger, rng, tell),
            (None, None) => continue,
        };
        match answered {
            Ok(answered) => {
                tell(Event::Answered(&ask.ask().name, answered.origin));
                released.answers.push((at, answered));
            }
            // The machine was exhausted by this one; the others may do with less.
            Err(error @ ReleaseError::Rows { .. }) => released.unanswered.push((at, error)),
            Err(error) => return Err(error),
        }
    }
    Ok(released)
}

/// Refuses to pay again for what was answered under an earlier format of identities, unless that is wanted.
fn earlier(plan: &Plan, pending: &[&PlannedAsk], ledger: &Ledger) -> Result<(), ReleaseError> {
    let (summary, id) = (ledger.summary(), plan.account());
    let account = summary.accounts.iter().find(|known| known.id == id);
    let was_answered =
        |ask: &&&PlannedAsk| account.is_some_and(|account| answered_earlier(account, &ask.for_ledger(plan.policy())));
    let names: Vec<String> = pending.iter().filter(was_answered).map(|ask| ask.ask().name.clone()).collect();
    if names.is_empty() { Ok(()) } else { Err(ReleaseError::AnsweredEarlier(names)) }
}

/// The salt that chooses an entity's kept rows, from the ledger's key: the same for all releases of a ledger.
#[must_use]
pub fn salt(ledger: &Ledger) -> Salt {
    Salt(ledger.key().derive(SALT))
}

/// The answer that a ledger already holds to each ask of a plan, if any: free, and without a look at the files.
///
/// # Errors
/// When a stored answer does not fit its ask.
pub fn stored(plan: &Plan, ledger: &Summary) -> Result<Vec<Option<Answered>>, ReleaseError> {
    let id = plan.account();
    let account = ledger.accounts.iter().find(|known| known.id == id);
    let answer = |ask: &PlannedAsk| {
        let release = account.and_then(|account| account.release(&ask.for_ledger(plan.policy()).identity));
        let Some(answer) = release.and_then(|release| release.answer.as_ref()) else { return Ok(None) };
        Ok(Some(Answered { noisy: read_answer(ask, answer)?, origin: Origin::Stored }))
    };
    plan.asks().iter().map(answer).collect()
}

/// Refuses before the first charge when the asks that must be paid for do not fit together.
fn check_together(plan: &Plan, ledger: &Ledger) -> Result<(), ReleaseError> {
    let summary = ledger.summary();
    let id = plan.account();
    let Some(account) = summary.accounts.iter().find(|known| known.id == id) else { return Ok(()) };
    let mut seen = std::collections::BTreeSet::new();
    let new_cost = plan.asks().iter().fold(Spend::nothing(), |sum, ask| {
        let identity = ask.for_ledger(plan.policy()).identity;
        if account.release(&identity).is_some() || !seen.insert(identity) { sum } else { sum.and(ask.cost()) }
    });
    let limits = [
        (account.spent.clone(), account.terms.limit().clone(), "this population's promise"),
        (account.spent_by(plan.policy().name()), plan.policy_limit()?, "this policy's spend"),
    ];
    for (spent, limit, which) in &limits {
        if !spent.and(&new_cost).fits(limit)? {
            let left = match spent.exact_part_of(limit) {
                Some(part) if part >= whole(1) => format!("nothing of {limit} is left"),
                Some(part) => format!("only {limit}^({}) is left", whole(1) - part),
                None => format!("{spent} is spent and {limit} allowed"),
            };
            // What fits must fit within both.
            let shares =
                limits.each_ref().map(|(spent, limit, _)| share_left(spent, limit, plan.policy().guarantee().limit()));
            let fits = shares.into_iter().collect::<Option<Vec<_>>>().and_then(|shares| shares.into_iter().min());
            return Err(ReleaseError::TogetherOverBudget { cost: new_cost, left, fits, which });
        }
    }
    Ok(())
}

fn answer<R: CryptoRng>(
    plan: &Plan,
    ask: &PlannedAsk,
    prepared: Prepared,
    ledger: &mut Ledger,
    rng: &mut R,
    tell: &dyn Fn(Event<'_>),
) -> Result<Answered, ReleaseError> {
    let name = || ask.ask().name.clone();
    let request = ChargeRequest {
        account: plan.account(),
        policy: plan.policy().name().to_owned(),
        policy_limit: plan.policy_limit()?,
        ask: ask.for_ledger(plan.policy()),
        cost: ask.cost().clone(),
        part: Part::Whole,
    };
    let (charge, origin) = match ledger.charge(&request).map_err(|error| ReleaseError::Charge { ask: name(), error })? {
        Charge::New { seq } => (seq, Origin::Charged),
        Charge::Resumed { seq } => (seq, Origin::Resumed),
        // Another process answered it in the meantime.
        Charge::Answered { answer, .. } => {
            return Ok(Answered { noisy: read_answer(ask, &answer)?, origin: Origin::Stored });
        }
    };
    let salt = salt(ledger);
    let exact = prepared
        .compute(&salt, &|progress| tell(Event::Computing(&ask.ask().name, progress)))
        .map_err(|error| ReleaseError::Rows { ask: name(), error })?;
    let decays: Vec<Decay> = ask.measures().iter().map(|measure| measure.decay().clone()).collect();
    let values = exact.with_noise(ask.query(), &decays, plan.policy().confidence(), rng);
    if ask.query().consistency() == Consistency::Applies {
        let cells = (0..ask.query().levels().len()).map(|level| ask.query().cells(level)).sum();
        tell(Event::AddingUp(&ask.ask().name, cells));
    }
    let written = |values: &[Vec<i128>]| -> Vec<Vec<String>> {
        values.iter().map(|cells| cells.iter().map(ToString::to_string).collect()).collect()
    };
    let stored = StoredAnswer {
        consistent: ask.query().made_consistent(&values, &decays).as_deref().map(written),
        values: written(&values),
        decays: ask.measures().iter().map(|measure| measure.decay().ratio().to_string()).collect(),
    };
    let unreadable = |error: serde_json::Error| ReleaseError::Stored { ask: name(), reason: error.to_string() };
    let mut json = serde_json::to_value(&stored).map_err(unreadable)?;
    let shown = Answered { noisy: read_answer(ask, &json)?, origin };
    remembered(plan, ask, &shown).add_to(&mut json);
    // What is shown is what is stored, even when another process was faster.
    let kept = ledger.store_answer(charge, &json).map_err(|error| ReleaseError::Answer { ask: name(), error })?;
    Ok(Answered { noisy: read_answer(ask, &kept)?, origin })
}

/// What a report from the ledger alone will show of an answer.
#[must_use]
pub fn remembered(plan: &Plan, ask: &PlannedAsk, answered: &Answered) -> Remembered {
    Remembered {
        confidence: show::confidence(plan),
        table: show::table(plan, ask, answered),
        guarantee: Statement::of(plan.policy().guarantee()),
    }
}

fn read_answer(ask: &PlannedAsk, json: &serde_json::Value) -> Result<Noisy, ReleaseError> {
    let broken = |reason: &str| ReleaseError::Stored { ask: ask.ask().name.clone(), reason: reason.to_owned() };
    let StoredAnswer { values, consistent, decays } =
        StoredAnswer::deserialize(json).map_err(|error| broken(&error.to_string()))?;
    let read = |values: Vec<Vec<String>>| -> Result<Vec<Vec<i128>>, ReleaseError> {
        let cell = |cell: &String| cell.parse().map_err(|_| broken("not a whole number"));
        values.iter().map(|cells| cells.iter().map(cell).collect()).collect()
    };
    let values = read(values)?;
    // What an ask shows is its own choice; the stored answer holds both.
    let consistent = consistent.filter(|_| ask.ask().consistent).map(read).transpose()?;
    let decays = decays
        .iter()
        .map(|decay| decay.parse::<Rational>().ok().and_then(Decay::exactly).ok_or_else(|| broken("not a decay")))
        .collect::<Result<Vec<Decay>, _>>()?;
    let measures = ask.query().measures();
    let fits = |(at, vector): (usize, &Vec<i128>)| {
        vector.len() == ask.query().cells(measures[at].level) * ask.query().width(at)
    };
    let all_fit = |values: &Vec<Vec<i128>>| values.len() == measures.len() && values.iter().enumerate().all(fits);
    if !all_fit(&values) || decays.len() != measures.len() || !consistent.iter().all(all_fit) {
        return Err(broken("it has another shape"));
    }
    Ok(Noisy { values, consistent, decays })
}
