//! Sessions: one policy with its rows, in files or in memory.

use crate::call::{Call, SharedProgress};
use crate::failure::{raised, usage};
use crate::interpreter::detached;
use crate::number::Number;
use crate::policy::{Policy, planned, written};
use crate::rows::Rows;
use deniable::simulate::Simulate;
use deniable::{DataReport, Error, InMemory, OwnCaps, Query, RegistrationMode, ReleaseOutcome, Resources, report};
use pyo3::prelude::*;
use serde::Serialize;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A session.
#[pyclass(frozen, module = "deniable._deniable")]
pub struct Session {
    session: deniable::Session,
    telling: SharedProgress,
    /// The process that started the session's thread.
    process: u32,
}

/// The outcome of a release, as JSON.
#[derive(Serialize)]
struct ReleaseReport<'a> {
    publication: &'a deniable::Publication,
    /// Queries that are paid for and have no answer, with the reason.
    unanswered: Vec<(String, String)>,
}

fn released(released: ReleaseOutcome) -> Result<String, Error> {
    let unanswered = released.unanswered.iter().map(|one| (one.query.clone(), one.error.to_string())).collect();
    let written = ReleaseReport { publication: &released.publication, unanswered };
    serde_json::to_string(&written).map_err(|_| Error::Ended)
}

impl Session {
    /// A session with these resources, whose events are told to Python.
    fn opened(session: deniable::Session, threads: Option<NonZeroUsize>, memory: Option<usize>) -> Self {
        let telling = SharedProgress::default();
        let heard = telling.clone();
        let mut resources = Resources::default();
        if let Some(threads) = threads {
            resources.threads = threads.get();
        }
        if memory.is_some() {
            resources.memory = memory;
        }
        let session = session.with_resources(resources).telling(move |event| heard.hear(event));
        Self { session, telling, process: std::process::id() }
    }

    /// The session, in the process that opened it: a fork does not have its threads.
    fn here(&self, py: Python<'_>) -> PyResult<&deniable::Session> {
        if self.process == std::process::id() {
            return Ok(&self.session);
        }
        let help =
            "open a session in each process; they may share a ledger. multiprocessing has the start method \"spawn\"";
        Err(usage(py, "this session belongs to the process that opened it; a fork does not have its threads", help))
    }
}

/// A query that is not in the policy, planned and priced.
#[pyclass(frozen, module = "deniable._deniable")]
pub struct QueryPlan(deniable::Plan);

/// The findings of a check of the data, which a call fills.
#[pyclass(frozen, module = "deniable._deniable")]
#[derive(Default)]
pub struct Findings(Arc<Mutex<DataReport>>);

#[pymethods]
impl Findings {
    /// The findings so far: as tables, and as the JSON of `deniable data check`.
    fn read(&self) -> (String, String) {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (found.to_string(), deniable::json(&*found))
    }
}

/// The number of queries whose SQL this process has planned: for tests, each call plans a query once.
#[pyfunction]
pub fn plan_count() -> usize {
    deniable::times_planned()
}

#[pymethods]
impl Session {
    /// Opens a session.
    #[new]
    #[pyo3(signature = (policy, tables, register, again, other_people, threads, memory))]
    #[expect(clippy::too_many_arguments, reason = "Python passes them one by one")]
    fn new(
        py: Python<'_>,
        policy: &Policy,
        tables: Vec<(String, Py<Rows>)>,
        register: bool,
        again: bool,
        other_people: bool,
        threads: Option<NonZeroUsize>,
        memory: Option<usize>,
    ) -> PyResult<Self> {
        let plan = planned(py, policy.0.clone())?;
        let mut session = deniable::Session::of_plan(plan).map_err(|error| raised(py, &error))?;
        for (name, rows) in tables {
            let rows = InMemory::from(rows.get().batches.clone());
            session = session.with_rows(&name, rows).map_err(|error| raised(py, &error))?;
        }
        let registering = if register { RegistrationMode::GoOn } else { RegistrationMode::Stop };
        let session = session.allowing(deniable::Permissions { registering, other_people, again });
        Ok(Self::opened(session, threads, memory))
    }

    /// Opens a session for the rehearsal of a policy, on made-up rows; without a ledger, in a temporary folder.
    #[staticmethod]
    #[pyo3(signature = (policy, rows, people, ledger, threads, memory))]
    fn rehearse(
        py: Python<'_>,
        policy: &Policy,
        rows: Option<u64>,
        people: Option<u64>,
        ledger: Option<PathBuf>,
        threads: Option<NonZeroUsize>,
        memory: Option<usize>,
    ) -> PyResult<Self> {
        let policy = policy.0.clone();
        let session = detached(py, || Simulate { rows, people }.rehearse(policy, ledger));
        let session = session.map_err(|error| raised(py, &error))?;
        Ok(Self::opened(session, threads, memory))
    }

    /// Answers the policy's queries, or those with these names, which spend this part of the promise together, if it is
    /// stated.
    #[pyo3(signature = (names, spend))]
    fn release(&self, py: Python<'_>, names: Vec<String>, spend: Option<Number>) -> PyResult<Call> {
        let session = self.here(py)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let chosen = match &spend {
            Some(spend) => detached(py, || session.spending(&names, &spend.0)),
            None if names.is_empty() => Ok(session.clone()),
            None => session.only(&names),
        };
        let chosen = chosen.map_err(|error| raised(py, &error))?;
        Ok(Call::of_session(chosen.release(), self.telling.clone(), released))
    }

    /// Plans and prices a query that is not in the policy. Errors show places in the SQL. Nothing is charged.
    #[pyo3(signature = (name, sql, share, caps))]
    fn query(
        &self,
        py: Python<'_>,
        name: &str,
        sql: &str,
        share: Number,
        caps: (Option<u32>, Option<u32>),
    ) -> PyResult<QueryPlan> {
        let session = self.here(py)?;
        let (rows_per_group, groups) = caps;
        let query = Query::new(name, sql, share.0).with_caps(OwnCaps { rows_per_group, groups });
        let plan = detached(py, || query.plan(session.policy()));
        plan.map(QueryPlan).map_err(|error| raised(py, &error))
    }

    /// Notes for the caller on queries that are valid but probably unintended, such as comparisons with undeclared
    /// keys. They follow from the policy and the queries alone. The queries are the policy's, or those with these
    /// names, or one that is not in the policy.
    fn notes(&self, py: Python<'_>, names: Vec<String>, query: Option<Py<QueryPlan>>) -> PyResult<Vec<String>> {
        let session = self.here(py)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let plan = match &query {
            Some(query) => query.get().0.clone(),
            None if names.is_empty() => session.plan().clone(),
            None => session.plan().named(&names).map_err(|error| raised(py, &error))?,
        };
        let notes = plan.queries().iter().flat_map(|planned| {
            planned.doubts().into_iter().map(move |note| format!("{}: {note}", planned.declared().name))
        });
        Ok(notes.collect())
    }

    /// Answers a query that is not in the policy.
    fn ask(&self, py: Python<'_>, query: Py<QueryPlan>) -> PyResult<Call> {
        let call = self.here(py)?.about(query.get().0.clone()).release();
        Ok(Call::of_session(call, self.telling.clone(), released))
    }

    /// Scans all rows of all tables and registers their versions, or none.
    fn register(&self, py: Python<'_>, accept: Vec<String>, accept_loss: Vec<String>) -> PyResult<Call> {
        let [accept, accept_loss] =
            [&accept, &accept_loss].map(|names| names.iter().map(String::as_str).collect::<Vec<&str>>());
        let session = self.here(py)?.clone().accepting_losses(&accept_loss);
        Ok(Call::of_session(session.register(&accept), self.telling.clone(), |registered| {
            let all: Vec<(String, String)> = registered.into_iter().map(|one| (one.table, one.version)).collect();
            serde_json::to_string(&all).map_err(|_| Error::Ended)
        }))
    }

    /// As `register`; the findings are filled also where the call fails.
    fn check_data(&self, py: Python<'_>, accept: Vec<String>, accept_loss: Vec<String>) -> PyResult<(Call, Findings)> {
        let [accept, accept_loss] =
            [&accept, &accept_loss].map(|names| names.iter().map(String::as_str).collect::<Vec<&str>>());
        let findings = Findings::default();
        let (found, heard) = (findings.0.clone(), self.telling.clone());
        let session = self.here(py)?.clone().accepting_losses(&accept_loss).telling(move |event| {
            found.lock().unwrap_or_else(PoisonError::into_inner).add(&event);
            heard.hear(event);
        });
        let call = Call::of_session(session.register(&accept), self.telling.clone(), |_| Ok(String::new()));
        Ok((call, findings))
    }

    /// The plan of the policy's queries, or of one that is not in it, with the state of the ledger.
    #[pyo3(signature = (query))]
    fn plan(&self, py: Python<'_>, query: Option<Py<QueryPlan>>) -> PyResult<(String, String)> {
        let session = self.here(py)?;
        let account = detached(py, || session.account()).map_err(|error| raised(py, &error))?;
        let plan = match &query {
            None => detached(py, || session.plan_with_earlier()).map_err(|error| raised(py, &error))?,
            Some(query) => query.get().0.with_earlier(account.as_ref()),
        };
        Ok(written(&plan, account.as_ref()))
    }

    /// The remaining part of the promise: a part that is certainly left, whether it is exact, and in words.
    fn left(&self, py: Python<'_>) -> PyResult<(Number, bool, String)> {
        let session = self.here(py)?;
        let left = detached(py, || session.left()).map_err(|error| raised(py, &error))?;
        let exact = left.exact_share();
        let share = exact.clone().or_else(|| left.share()).unwrap_or_default();
        Ok((Number(share), exact.is_some(), left.to_string()))
    }

    /// The stored answers about these people, each as the JSON of a publication.
    fn answers(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let session = self.here(py)?;
        let answers = detached(py, || session.answers()).map_err(|error| raised(py, &error))?;
        Ok(answers.iter().map(deniable::json).collect())
    }

    /// The page on everything released about these people, as HTML.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let session = self.here(py)?;
        detached(py, || session.page()).map_err(|error| raised(py, &error))
    }

    /// The account of the ledger, as JSON: every charge with its query, time and cost.
    fn account(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let session = self.here(py)?;
        let account = detached(py, || session.account()).map_err(|error| raised(py, &error))?;
        Ok(account.as_ref().map(|account| deniable::json(&report::AccountOverview::new(account, &[]))))
    }
}
