//! One request under the policy at its arrival. Its slow steps run on blocking threads.

use crate::failures::{self, Refusal, unavailable};
use crate::own;
use crate::plan::{self, Outcome, PricedPlan};
use crate::queue::Key;
use crate::replies::AnswerCount;
use crate::rows;
use crate::server::{Service, Setup, name_of};
use crate::simulated;
use deniable::{Plan, Policy, RegistrationMode, Resources, Session as Release};
use deniable_ledger::{AccountId, Part};
use deniable_release::QueryAnswer;
use deniable_wire::catalog::Type;
use deniable_wire::{Column, Failure, Notice, Query, Reply, Rows};
use std::sync::{Arc, Mutex, PoisonError};

/// A request: a query, its user and payer, and the settings at its arrival.
pub struct Request {
    pub served: Arc<Service>,
    pub given: Setup,
    /// The user, for the log.
    pub user: String,
    /// The paying part, which decides what is visible of the ledger.
    pub part: Part,
    pub query: Query,
    pub plan: Arc<PlanSlot>,
}

/// The plan of a query under the policy at the time of planning, shared by all steps of the request.
#[derive(Default)]
pub struct PlanSlot(Mutex<Option<(Arc<Policy>, PricedPlan)>>);

impl PlanSlot {
    /// The plan under this policy, computed if it is not cached.
    fn get(
        &self,
        policy: &Arc<Policy>,
        plan: impl FnOnce() -> Result<PricedPlan, Failure>,
    ) -> Result<PricedPlan, Failure> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.as_ref() {
            Some((known, asked)) if Arc::ptr_eq(known, policy) => Ok(asked.clone()),
            _ => {
                let asked = plan()?;
                *slot = Some((Arc::clone(policy), asked.clone()));
                Ok(asked)
            }
        }
    }
}

/// The result of looking up a query.
pub enum Lookup {
    /// A cached reply, and the key of the answer that contains it.
    Reply(Reply, Key),
    /// The decision about the query, and the count of answers at that time.
    Outcome(Outcome, AnswerCount),
    /// A refusal that depends on the user's own account.
    Refused(Refusal),
}

/// Runs a slow step on a blocking thread. Details of its failure for the curator go to the log.
pub async fn blocking<T: Send + 'static>(
    ask: &Arc<Request>,
    work: impl FnOnce(&Request) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Failure> {
    let own = Arc::clone(ask);
    // Held until the step is done, even if the client no longer waits, so that no user keeps the machine busy.
    let at_work = ask.served.at_work(&ask.user).acquire_owned().await;
    let done = tokio::task::spawn_blocking(move || {
        let _at_work = at_work;
        work(&own)
    });
    let done = done.await;
    let done = done.unwrap_or_else(|error| Err(Refusal { failure: unavailable(), secret: Some(error.to_string()) }));
    done.map_err(|told| {
        if let Some(secret) = &told.secret {
            ask.served.log.failed(&ask.user, secret);
        }
        told.failure
    })
}

impl Request {
    /// The plan of the query.
    pub fn understood(&self) -> Result<PricedPlan, Refusal> {
        let policy = &self.given.policy;
        let plan = || plan::understood(policy, &self.query, self.served.config.cells);
        let asked = self.plan.get(policy, plan)?;
        Ok(PricedPlan { plan: asked.plan.paid_by(self.part.clone()), ..asked })
    }

    /// The decision about the query. `but` names one of the payer's charges that may already be visible.
    pub fn found(&self, but: Option<&str>) -> Result<Outcome, Refusal> {
        plan::found(self.understood()?, &self.served.summary(&self.part, but)?)
    }

    /// The cached reply, and the key of the answer that contains it, without reading the ledger.
    pub fn remembered(&self) -> Option<(Reply, Key)> {
        let answers = self.served.known_answers(&self.part)?;
        self.given.remembered.reply(&name_of(&self.part), &self.query, answers)
    }

    /// Looks up the query: a cached reply, or the decision about it.
    pub fn looked_up(&self) -> Result<Lookup, Refusal> {
        // Counted first, so that a reply is never cached with a count that includes later answers.
        let answers = self.served.answers(&self.given.policy, &self.part)?;
        Ok(match self.given.remembered.reply(&name_of(&self.part), &self.query, answers) {
            Some((reply, held_by)) => Lookup::Reply(reply, held_by),
            None => match plan::found(self.understood()?, &self.served.summary(&self.part, None)?) {
                Ok(found) => Lookup::Outcome(found, answers),
                Err(told) => Lookup::Refused(told),
            },
        })
    }

    /// The account that this request is charged to.
    pub fn account(&self) -> AccountId {
        AccountId::of(self.given.policy.guarantee())
    }

    /// The name of the payer, and the identity of the query.
    pub fn key(&self, plan: &Plan) -> Key {
        let identity = plan.queries().first().map(|ask| ask.for_ledger(plan.policy()).identity);
        (name_of(&self.part), identity.unwrap_or_default())
    }

    /// Whether queries of the payer need approval.
    pub fn needs_approval(&self) -> bool {
        self.given.needs_approval.of(&self.part)
    }

    /// Checks that a query may be charged. If it needs approval and has none, requests it and returns an error.
    pub fn allowed(&self, plan: &Plan) -> Result<(), Refusal> {
        if !self.needs_approval() {
            return Ok(());
        }
        match self.served.request_approval(plan)? {
            (_, Some(decision)) if decision.allowed => Ok(()),
            (number, decision) => Err(failures::not_allowed(number, decision.as_ref()).into()),
        }
    }

    /// Makes the reply of an answer and caches it; `count` is that of the answers before it was looked up.
    pub fn reply(&self, asked: &PricedPlan, answered: &QueryAnswer, count: AnswerCount) -> Result<Reply, Refusal> {
        let answer = plan::shown(asked, answered).ok_or_else(unavailable)?;
        let ask = asked.plan.queries().first().ok_or_else(unavailable)?;
        let reply = rows::reply(ask.query(), &answer, &asked.beside)?;
        let (who, key) = (name_of(&self.part), self.key(&asked.plan));
        self.given.remembered.keep(&who, &self.query, &reply, key, count, asked.price.is_none());
        Ok(reply)
    }

    /// As [`Self::reply`], for the answer of the charge with identity `but`.
    pub fn charged_reply(&self, but: &str) -> Result<Reply, Refusal> {
        let count = self.served.answers(&self.given.policy, &self.part)?;
        let Outcome::Stored(stored) = self.found(Some(but))? else { return Err(unavailable().into()) };
        let mut reply = self.reply(&stored.0, &stored.1, count)?;
        let undeclared = stored.0.plan.queries().first().map(|ask| ask.query().undeclared()).unwrap_or_default();
        reply.notices.splice(0..0, undeclared.into_iter().map(Notice::warning));
        reply.notices.insert(0, plan::charged(&stored.0, &self.served.summary(&self.part, Some(but))?));
        Ok(reply)
    }

    /// The columns of the answer.
    pub fn columns(&self) -> Result<Vec<Column>, Refusal> {
        let asked = self.understood()?;
        let ask = asked.plan.queries().first().ok_or_else(unavailable)?;
        Ok(rows::columns(ask.query(), &asked.beside)?)
    }

    /// The reply on made-up rows.
    pub fn simulated(&self) -> Result<Reply, Refusal> {
        let asked = self.understood()?;
        let answer = simulated::answer(&asked, &self.served.config.resources())?;
        let ask = asked.plan.queries().first().ok_or_else(unavailable)?;
        let mut reply = rows::reply(ask.query(), &answer, &asked.beside)?;
        reply.notices.insert(0, Notice::warning("these numbers are about made-up rows, not about the data"));
        Ok(reply)
    }

    /// The reply to EXPLAIN: the cost and errors of an answer.
    pub fn explained(&self) -> Result<Reply, Refusal> {
        let ledger = self.served.summary(&self.part, None)?;
        if self.query.simulated {
            self.understood()?;
            return Ok(plan(vec!["Free: made-up rows, not the data".to_owned()]));
        }
        let lines = plan::explained(&self.understood()?, &ledger, self.needs_approval());
        Ok(plan(lines))
    }

    /// The rows of one of the server's own tables.
    pub fn own_rows(&self, table: &str) -> Result<Rows, Refusal> {
        let ledger = self.served.summary(&self.part, None)?;
        Ok(own::rows(table, &self.given.policy, &self.part, &ledger, self.needs_approval()))
    }
}

/// Lines as the result of EXPLAIN.
fn plan(lines: Vec<String>) -> Reply {
    let rows = lines.into_iter().map(|line| vec![Some(line)]).collect();
    let columns = vec![Column { name: "QUERY PLAN".to_owned(), data_type: Type::TEXT }];
    Reply { columns, rows: Arc::new(rows), notices: Vec::new() }
}

/// Charges, computes and stores an answer, on the queue's thread.
pub fn release(asked: &PricedPlan, resources: Resources) -> Result<(), Refusal> {
    let session = Release::of_plan(asked.plan.clone()).map_err(|error| failures::of_release(&error))?;
    let session = session.with_resources(resources).allowing(RegistrationMode::Stop);
    let released = session.release().wait().map_err(|error| failures::of_release(&error))?;
    match released.unanswered.first() {
        None => Ok(()),
        Some(unanswered) => Err(failures::of_release(&unanswered.error)),
    }
}
