//! A session: one policy, its data and its ledger, and a thread that runs its calls one after another.

use crate::call::{Call, Worker};
use crate::error::Error;
use crate::outcome::{ReleaseOutcome, UnansweredQuery};
use crate::papers::{Contents, Paper};
use crate::plan_report::to_pay;
use crate::query::Query;
use crate::simulate::SimulateError;
use crate::sources::{install_sources, with_public_keys};
use deniable_core::budget::Spend;
use deniable_core::exact::Rational;
use deniable_core::noise::SystemRng;
use deniable_data::{InMemory, Resources};
use deniable_execute::least_memory;
use deniable_ledger::{
    Account, AccountId, Allowance, Head, Ledger, OpenError, Part, RegistrationOutcome, StoreError, Summary,
};
use deniable_policy::Policy;
use deniable_publication::remaining::RemainingBudget;
use deniable_publication::{Answer, Confidence, DataVersion, Publication, Statement};
use deniable_release::data;
use deniable_release::plan::protected_versions;
use deniable_release::show::displayed;
use deniable_release::{
    AcceptedFindings, Origin, Permissions, Plan, RegistrationMode, TableVersion, open_ledger, published, read_ledger,
    release, shown_answer, stored,
};
use deniable_report::{ChosenAnswer, Report};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Events that a session reports while it works, on its own thread. For the curator: timing and counts depend on
/// private rows.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A new ledger begins here.
    NewLedger(&'a Path),
    /// A step of a release or of a check of the data.
    Step(deniable_release::Event<'a>),
    /// The last entry of the ledger, after a record or an answer was added.
    Head(&'a Head),
}

/// The registration of a table's version.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Registration {
    /// The table.
    pub table: String,
    /// Its declared version.
    pub version: String,
    /// Whether the version is new.
    pub outcome: RegistrationOutcome,
}

/// A policy with its data and its ledger: see the page of this crate.
///
/// Releases, queries and registrations are [`Call`]s, which run one after another on the session's own thread. Clones
/// are cheap and share that thread, so a server keeps one session and clones it for each request. Dropping a session
/// does not stop its calls.
#[derive(Clone)]
pub struct Session {
    task: Task,
    worker: Worker,
}

/// The data of a call.
#[derive(Clone)]
struct Task {
    plan: Plan,
    rows: BTreeMap<String, InMemory>,
    resources: Resources,
    allowed: Permissions,
    accepted_losses: Vec<String>,
    tell: Arc<dyn Fn(Event<'_>) + Send + Sync>,
    /// The folder of a temporary ledger, which is deleted with the last session and call that use it.
    folder: Option<Arc<TempDir>>,
}

impl Session {
    /// Reads a policy from a file, and plans and prices its queries. No data are read except public tables with keys
    /// (`keys_from`).
    ///
    /// # Errors
    /// All errors of the policy, or of its queries.
    pub fn open(policy: impl AsRef<Path>) -> Result<Self, Error> {
        Self::new(Policy::load(policy.as_ref())?)
    }

    /// A session for a policy that was read or built.
    ///
    /// # Errors
    /// When its queries are invalid, or a public table with keys cannot be read or used.
    pub fn new(policy: Policy) -> Result<Self, Error> {
        Self::of_plan(Plan::new(with_public_keys(policy)?)?)
    }

    /// A session for a plan, with all of its queries.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn of_plan(plan: Plan) -> Result<Self, Error> {
        install_sources();
        let allowed = RegistrationMode::Stop.into();
        let (rows, resources) = (BTreeMap::new(), Resources::default());
        let (accepted_losses, folder) = (Vec::new(), None);
        let task = Task { plan, rows, resources, allowed, accepted_losses, tell: Arc::new(|_| {}), folder };
        Ok(Self { task, worker: Worker::begin("deniable session").map_err(Error::Thread)? })
    }

    /// Reads the rows of a table from memory instead of files: columns by their declared names, in types that can be
    /// read as the declared ones. They are registered as a version, like files, by their values in any order. Their
    /// arrays must not be modified afterwards.
    ///
    /// # Errors
    /// When the policy declares no such table, or it is a public table, which is read when queries are planned; and
    /// when the session is a rehearsal.
    pub fn with_rows(mut self, table: &str, rows: impl Into<InMemory>) -> Result<Self, Error> {
        let declared = self.plan().tables();
        let Some((schema, _)) = declared.iter().find(|(known, _)| known.name == table) else {
            let known = declared.into_iter().map(|(known, _)| known.name).collect();
            return Err(Error::NoTable { table: table.to_owned(), known });
        };
        if schema.public_key.is_some() {
            return Err(Error::PublicRows { table: table.to_owned() });
        }
        if self.policy().rehearsal().is_some() {
            return Err(SimulateError::Rows(table.to_owned()).into());
        }
        self.task.rows.insert(table.to_owned(), rows.into());
        Ok(self)
    }

    /// Keeps a temporary folder until the session and its calls end.
    pub(crate) fn keeping(mut self, folder: Option<Arc<TempDir>>) -> Self {
        self.task.folder = folder;
        self
    }

    /// Sets the resources of computations. By default, all threads and 4 GiB.
    #[must_use]
    pub fn with_resources(mut self, resources: Resources) -> Self {
        self.task.resources = resources;
        self
    }

    /// Sets the permissions of releases with unregistered versions, and with queries whose numbers an earlier answer
    /// contains. By default, releases stop at unregistered versions, and take numbers from earlier answers.
    #[must_use]
    pub fn allowing(mut self, allowed: impl Into<Permissions>) -> Self {
        self.task.allowed = allowed.into();
        self
    }

    /// Accepts, for [`Self::register`], that caps or bounds leave out more than
    /// [`MOST_LEFT_OUT`](crate::MOST_LEFT_OUT) percent of these queries of the policy, given by name.
    #[must_use]
    pub fn accepting_losses(mut self, queries: &[&str]) -> Self {
        self.task.accepted_losses = queries.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Sets a callback for events. It runs on the session's thread, which is blocked meanwhile: it must not wait for a
    /// call of the same session. If it panics, the call ends with [`Error::Ended`].
    #[must_use]
    pub fn telling(mut self, tell: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
        self.task.tell = Arc::new(tell);
        self
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        self.task.plan.policy()
    }

    /// The costs of the queries, and the expected errors of answers, without reading data.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.task.plan
    }

    /// The plan in which queries that are contained in earlier answers of the ledger are taken from them, free, as
    /// [`Self::release`] does. Waits as [`Self::left`] does.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn plan_with_earlier(&self) -> Result<Plan, Error> {
        Ok(self.task.with_earlier(self.account()?.as_ref()))
    }

    /// The same session with only some of the policy's queries, given by name.
    ///
    /// # Errors
    /// When there is no such query.
    pub fn only(&self, names: &[&str]) -> Result<Self, Error> {
        Ok(self.about(self.plan().named(names)?))
    }

    /// The same session with only some of the policy's queries, given by name, or all of them without names, which spend
    /// this part of the promise together: weights divide what explicit shares leave of it. As for [`Self::ask`], the
    /// policy's own `spend` is no limit. An answer that was paid for with a larger share is free.
    ///
    /// # Errors
    /// When there is no such query, or they cannot be answered with this part.
    pub fn spending(&self, names: &[&str], spend: &Rational) -> Result<Self, Error> {
        let chosen = if names.is_empty() { self.plan().clone() } else { self.plan().named(names)? };
        let names: Vec<&str> = chosen.queries().iter().map(|planned| planned.declared().name.as_str()).collect();
        let plan = Plan::new(self.policy().with_spend(&names, spend)?)?;
        Ok(self.about(plan.paid_by(self.plan().part().clone())))
    }

    /// The same session, paid by a part of the budget: see [`Plan::paid_by`]. `deniable account add` sets a part aside
    /// for an analyst; a name without a part has no budget.
    #[must_use]
    pub fn paid_by(&self, part: Part) -> Self {
        self.about(self.plan().clone().paid_by(part))
    }

    /// Checks all rows of all tables and registers their versions, or registers none; the columns with these names, as
    /// `column` or `table.column`, are accepted although they may read badly. Nothing is registered either while caps or
    /// bounds leave out much of a query, unless that is accepted ([`Self::accepting_losses`]).
    pub fn register(&self, accept: &[&str]) -> Call<Vec<Registration>> {
        let (task, accept) = (self.task.clone(), accept.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>());
        self.worker.call(move || task.register(&accept))
    }

    /// Answers all queries of the policy. Queries that were answered before are answered from the ledger, free and
    /// without reading data. All refusals come before any charge.
    pub fn release(&self) -> Call<ReleaseOutcome> {
        let task = self.task.clone();
        self.worker.call(move || task.release())
    }

    /// Answers a query outside of the policy, paid from the rest of the promise. The same query at the same share is
    /// answered from the ledger, free.
    ///
    /// The query is parsed and planned on this thread, without reading data or the ledger: in async code, inside
    /// `spawn_blocking`. The call does the rest, and its time depends on private rows: a server that returns answers
    /// immediately reveals it.
    ///
    /// # Errors
    /// When the query cannot be parsed, or cannot be answered under the policy; no budget is charged then. An exhausted
    /// budget is an error of the call ([`ProtocolError::OverBudget`](crate::ProtocolError::OverBudget)), which charges
    /// no budget either.
    pub fn ask(&self, query: &Query) -> Result<Call<ReleaseOutcome>, Error> {
        Ok(self.about(query.plan(self.policy())?.paid_by(self.plan().part().clone())).release())
    }

    /// The rest of the promise that no part reserves, for all analysts together; for a session that is paid by a part of
    /// the budget, the rest of that part, or of what is not reserved if the part overlaps and less remains. Shares are
    /// parts of the whole promise. Reads the ledger on this thread, and waits at most a minute while another process writes to it: in
    /// async code, inside `spawn_blocking`.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn left(&self) -> Result<RemainingBudget, Error> {
        remaining(self.policy(), self.plan().part())
    }

    /// The share of the promise that a release would be charged: that of the queries which the ledger does not hold yet. Waits as
    /// [`Self::left`] does.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn to_pay(&self) -> Result<Rational, Error> {
        let account = self.account()?;
        Ok(to_pay(&self.task.with_earlier(account.as_ref()), account.as_ref()))
    }

    /// The account that this policy is charged to, restricted to what the paying part may see; `None` before the first
    /// charge. Creates no ledger. Waits as [`Self::left`] does.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn account(&self) -> Result<Option<Account>, Error> {
        account(self.policy(), self.plan().part())
    }

    /// The page on all releases about these people, as HTML: this policy's answers first, as it displays them. Waits as
    /// [`Self::left`] does.
    ///
    /// # Errors
    /// When the ledger, or an answer in it, cannot be read.
    pub fn page(&self) -> Result<String, Error> {
        Ok(self.about_all()?.with_imprint(self.policy().imprint().clone()).html())
    }

    /// The stored answers about these people, each as a publication of its own: this policy's first, as it displays
    /// them, then all others in the order of their charges. Answers that were charged to a part of the budget are its
    /// owner's and left out (C-7), and so are those of other policies that are too large for a page. Waits as
    /// [`Self::left`] does.
    ///
    /// # Errors
    /// When the ledger, or an answer in it, cannot be read; a ledger that does not exist yet has no answers.
    pub fn answers(&self) -> Result<Vec<Publication>, Error> {
        let policy = self.policy();
        if !policy.ledger().exists() {
            return Ok(Vec::new());
        }
        let report = self.about_all()?;
        let published = report.answers().map(|(in_force, asker, (table, version), shown)| Publication {
            rehearsal: policy.rehearsal().is_some(),
            policy: asker.to_owned(),
            population: policy.population().to_owned(),
            imprint: policy.imprint().clone(),
            data: DataVersion { table: table.clone(), version: version.clone() },
            confidence: shown.confidence.clone(),
            answers: vec![shown.table.clone()],
            // The ledger's promise, where the policy states another one.
            guarantee: Statement::of(match policy.guarantee().same_as(in_force) {
                true => policy.guarantee(),
                false => in_force,
            }),
        });
        Ok(published.collect())
    }

    /// Everything released about these people.
    fn about_all(&self) -> Result<Report, Error> {
        let (plan, summary) = (self.plan(), read_ledger(self.policy())?);
        let chosen = chosen(plan, &summary)?;
        Ok(Report::of_policy(&summary, plan.policy().guarantee(), &chosen)?)
    }

    /// A paper about the releases of this policy, as Markdown. Waits as [`Self::left`] does.
    ///
    /// # Errors
    /// When the ledger, or an answer in it, cannot be read; a ledger that does not exist yet is empty.
    pub fn paper(&self, paper: Paper) -> Result<String, Error> {
        let account = self.account()?;
        let answers = match &account {
            Some(_) => chosen(self.plan(), &read_ledger(self.policy())?)?,
            None => Vec::new(),
        };
        let answers: Vec<Answer> = answers.into_iter().map(|chosen| chosen.shown.table).collect();
        let confidence = Confidence::new(self.policy().confidence());
        Ok(Contents { policy: self.policy(), account: account.as_ref(), answers: &answers, confidence }.write(paper))
    }

    /// The same session with another plan of its policy, such as that of a query outside of it ([`Query::plan`]),
    /// without planning again.
    #[must_use]
    pub fn about(&self, plan: Plan) -> Self {
        Self { task: Task { plan, ..self.task.clone() }, worker: self.worker.clone() }
    }
}

/// The stored answers to the queries of a plan, as its policy displays them.
fn chosen(plan: &Plan, summary: &Summary) -> Result<Vec<ChosenAnswer>, Error> {
    let answers = stored(plan, summary)?;
    let chosen = plan.queries().iter().zip(&answers).filter_map(|(planned, answer)| {
        let mut shown = shown_answer(plan, planned, answer.as_ref()?);
        shown.table = displayed(plan, planned, shown.table);
        Some(ChosenAnswer { identity: planned.for_ledger(plan.policy()).identity, shown })
    });
    Ok(chosen.collect())
}

/// The rest of the promise of a policy, restricted to what the paying part may see. Plans no query. Waits as
/// [`Session::left`] does.
///
/// # Errors
/// When the ledger cannot be read.
pub fn remaining(policy: &Policy, part: &Part) -> Result<RemainingBudget, Error> {
    Ok(match (account(policy, part)?, part) {
        (Some(account), _) => {
            let Allowance { spent, limit, .. } = account.tightest_allowance(&protected_versions(policy));
            RemainingBudget::new(spent, limit).of_promise(policy.guarantee().limit())
        }
        (None, Part::Whole) => RemainingBudget::all(policy.guarantee().limit()),
        (None, Part::Named(_)) => RemainingBudget::all(&Spend::nothing()),
    })
}

/// The account in a policy's ledger, restricted to what the paying part may see.
fn account(policy: &Policy, part: &Part) -> Result<Option<Account>, Error> {
    if !policy.ledger().exists() {
        return Ok(None);
    }
    let id = AccountId::of(policy.guarantee());
    let summary = read_ledger(policy)?;
    let account = summary.accounts.into_iter().find(|account| account.id == id);
    Ok(account.map(|account| account.seen_by(part)))
}

impl Task {
    /// The plan in which queries contained in earlier answers are taken from them, unless fresh answers are requested.
    fn with_earlier(&self, account: Option<&Account>) -> Plan {
        if self.allowed.again { self.plan.clone() } else { self.plan.with_earlier(account) }
    }

    fn locate(&self) -> Result<Vec<TableVersion>, deniable_data::SourceError> {
        TableVersion::locate_all(&self.plan, &self.rows)
    }

    /// Opens the ledger, and reports an event if it is new.
    fn ledger(&self) -> Result<Ledger, Error> {
        let policy = self.plan.policy();
        let ledger = open_ledger(policy, self.allowed.other_people, None)?;
        if ledger.is_new() {
            (self.tell)(Event::NewLedger(policy.ledger()));
        }
        Ok(ledger)
    }

    fn register(&self, accept: &[String]) -> Result<Vec<Registration>, Error> {
        let accepted = AcceptedFindings::named(accept, &self.plan.policy().tables())?
            .with_losses(&self.accepted_losses, &self.plan)?;
        let tables = self.locate()?;
        let mut ledger = self.ledger()?;
        let step = |step: deniable_release::Event<'_>| (self.tell)(Event::Step(step));
        let outcomes = data::check(&mut ledger, &self.plan, &tables, &accepted, &self.resources, &step)?;
        (self.tell)(Event::Head(ledger.head()));
        let registered = tables.into_iter().zip(outcomes).map(|(table, outcome)| Registration {
            table: table.source.table().name.clone(),
            version: table.version,
            outcome,
        });
        Ok(registered.collect())
    }

    fn release(mut self) -> Result<ReleaseOutcome, Error> {
        self.enough_memory()?;
        let mut rng = SystemRng::new()?;
        // A mistyped path to the data must not leave an empty ledger behind.
        let is_new = !self.plan.policy().ledger().exists();
        let found = Cell::new(if is_new { Some(self.locate()?) } else { None });
        let mut ledger = match self.ledger() {
            Err(Error::Open(OpenError::Store(error @ StoreError::ReadOnly(_)))) => {
                return self.stored_alone()?.ok_or(Error::Open(error.into()));
            }
            ledger => ledger?,
        };
        let id = self.plan.account();
        self.plan = self.with_earlier(ledger.summary().accounts.iter().find(|account| account.id == id));
        let before = ledger.head().clone();
        let tell = |event: deniable_release::Event<'_>| (self.tell)(Event::Step(event));
        // Tables are located once, because an engine that holds rows is started for it.
        let locate = || found.take().map_or_else(|| self.locate(), Ok);
        let released = release(&self.plan, &locate, &self.resources, &mut ledger, &mut rng, &tell, self.allowed);
        // The head is reported even after a failure, so that the loss of a record cannot go unnoticed.
        if released.is_ok() || *ledger.head() != before {
            (self.tell)(Event::Head(ledger.head()));
        }
        let released = released?;
        let unanswered = released.unanswered.into_iter().map(|(at, error)| UnansweredQuery {
            query: self.plan.queries()[at].declared().name.clone(),
            error: error.into(),
        });
        let unanswered = unanswered.collect();
        let (kept, answers): (Vec<usize>, Vec<_>) = released.answers.into_iter().unzip();
        let publication = published(&self.plan.with_only(&kept), &answers);
        let origins = answers.iter().map(|answer| answer.origin).collect();
        Ok(ReleaseOutcome { publication, origins, unanswered, head: ledger.head().clone() })
    }

    /// The answers of a read-only ledger; `None` if it does not contain all of them.
    fn stored_alone(&self) -> Result<Option<ReleaseOutcome>, Error> {
        let policy = self.plan.policy();
        let summary = read_ledger(policy)?;
        if self.allowed.again || summary.population != policy.population() {
            return Ok(None);
        }
        let id = self.plan.account();
        let plan = self.with_earlier(summary.accounts.iter().find(|account| account.id == id));
        let Some(answers) = stored(&plan, &summary)?.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        for planned in plan.queries() {
            (self.tell)(Event::Step(deniable_release::Event::Answered(&planned.declared().name, Origin::Stored)));
        }
        Ok(Some(ReleaseOutcome {
            publication: published(&plan, &answers),
            origins: answers.iter().map(|answer| answer.origin).collect(),
            unanswered: Vec::new(),
            head: summary.head,
        }))
    }

    /// Rejects a memory limit that the totals exceed. Their number is known before any charge.
    fn enough_memory(&self) -> Result<(), Error> {
        let Some(allowed) = self.resources.memory else { return Ok(()) };
        let needed = self.plan.queries().iter().map(|planned| (least_memory(planned.query()), planned));
        match needed.max_by_key(|(least, _)| *least) {
            Some((least, planned)) if least > allowed => {
                Err(Error::Memory { query: planned.declared().name.clone(), least, allowed })
            }
            _ => Ok(()),
        }
    }
}
