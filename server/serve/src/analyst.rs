//! A connection of an analyst, or of a curator, whose queries are answered for all users.

use crate::describe::{self, SIMULATED, description};
use crate::plan::{self, Outcome, PricedPlan};
use crate::queue::seen;
use crate::replies::AnswerCount;
use crate::request::{Lookup, PlanSlot, Request, blocking, release};
use crate::rows;
use crate::server::{Connection, Service, name_of};
use async_trait::async_trait;
use deniable_core::text::printable;
use deniable_ledger::Part;
use deniable_release::QueryAnswer;
use deniable_wire::catalog::Description;
use deniable_wire::{
    Code, Column, Failure, OwnSettings, Place, PreparedQuery, Query, Reply, Rows, Session, Submission,
};
use std::sync::Arc;
use tokio::time::{Instant, sleep_until};

/// The session of an analyst or curator.
pub struct Analyst {
    connected: Arc<Connection>,
    part: Part,
}

/// A query of the session, with its plan.
struct AnalystQuery {
    connected: Arc<Connection>,
    part: Part,
    query: Query,
    plan: Arc<PlanSlot>,
}

impl Analyst {
    /// A session of this user, whose queries are paid by this part.
    pub fn new(connected: Connection, part: Part) -> Self {
        Self { connected: Arc::new(connected), part }
    }

    fn served(&self) -> &Arc<Service> {
        &self.connected.served
    }
}

impl AnalystQuery {
    fn ask(&self) -> Result<Arc<Request>, Failure> {
        self.connected.ask(self.part.clone(), &self.query, &self.plan)
    }
}

/// Waits until a stored answer is visible, and returns it as a reply.
async fn shown(
    ask: &Arc<Request>,
    stored: Box<(PricedPlan, QueryAnswer)>,
    answers: AnswerCount,
) -> Result<Reply, Failure> {
    sleep_until(ask.served.queue().due(&ask.key(&stored.0.plan))).await;
    blocking(ask, move |own| own.reply(&stored.0, &stored.1, answers)).await
}

/// The settings that control answers, with their initial values.
pub const SETTINGS: [(&str, &str); 3] = [("spend", ""), ("intervals", "off"), ("quality", "off")];

/// Validates a setting that controls answers, and returns its normalised value.
///
/// # Errors
/// When the setting does not exist, or the value is invalid.
pub fn setting(name: &str, value: &str) -> Result<String, Failure> {
    match name {
        "spend" if value.is_empty() => Ok(String::new()),
        "spend" => plan::share(value).map(|share| share.to_string()),
        "intervals" | "quality" => match rows::truth(value) {
            Some(truth) => Ok(if truth { "on" } else { "off" }.to_owned()),
            None => Err(Failure::new(
                Code::Setting,
                format!("deniable.{name} is \"{}\", and must be on or off", printable(value)),
            )),
        },
        _ => {
            let failure = Failure::new(Code::Setting, format!("there is no setting deniable.{name}"));
            Err(failure.hint("there are deniable.spend, deniable.intervals and deniable.quality"))
        }
    }
}

#[async_trait]
impl Session for Analyst {
    fn check(&self) -> Result<(), Failure> {
        self.connected.check_now()
    }

    async fn place(&self) -> Result<Place, Failure> {
        self.served().catalog_place(&self.connected.user).await
    }

    fn description(&self) -> Description {
        description(&self.served().given().policy, &self.connected.user)
    }

    async fn rows(&self, schema: &str, table: &str, _: &OwnSettings) -> Result<Rows, Failure> {
        if schema != describe::OWN {
            return Ok(Rows::new());
        }
        let _turn = self.served().quiet(&self.part).await?;
        let table = table.to_owned();
        blocking(&self.connected.about_none(self.part.clone())?, move |own| own.own_rows(&table)).await
    }

    fn query(&self, query: Query) -> Arc<dyn PreparedQuery> {
        let (connected, part) = (Arc::clone(&self.connected), self.part.clone());
        Arc::new(AnalystQuery { connected, part, query, plan: Arc::default() })
    }

    async fn call(&self, name: &str, _: &[String], _: &OwnSettings) -> Result<(), Failure> {
        Err(Failure::new(
            Code::NotAllowed,
            format!("{name} is not available to you, and clients cannot change the data"),
        )
        .hint("query with SELECT; approvers CALL deniable.approve and deniable.reject"))
    }

    fn own_settings(&self) -> &'static [(&'static str, &'static str)] {
        &SETTINGS
    }

    fn setting(&self, name: &str, value: &str) -> Result<String, Failure> {
        setting(name, value)
    }
}

#[async_trait]
impl PreparedQuery for AnalystQuery {
    fn query(&self) -> &Query {
        &self.query
    }

    async fn columns(&self) -> Result<Vec<Column>, Failure> {
        blocking(&self.ask()?, Request::columns).await
    }

    async fn answer(&self, submitted: &Submission) -> Result<Reply, Failure> {
        let arrival = Instant::now();
        let ask = self.ask()?;
        let served = &self.connected.served;
        if self.query.simulated {
            // One simulated query per user at a time, so that no user keeps the machine busy.
            let turn = served.turn(&format!("{SIMULATED} {}", self.connected.user)).await?;
            return blocking(&ask, move |own| {
                // Held until the query is done, even if the client no longer waits.
                let _turn = turn;
                own.simulated()
            })
            .await;
        }
        // A known reply needs no turn.
        if let Some((reply, held_by)) = ask.remembered() {
            sleep_until(served.queue().due(&held_by)).await;
            return Ok(reply);
        }
        match blocking(&ask, Request::looked_up).await? {
            Lookup::Reply(reply, held_by) => {
                sleep_until(served.queue().due(&held_by)).await;
                return Ok(reply);
            }
            Lookup::Outcome(Outcome::Stored(stored), answers) => return shown(&ask, stored, answers).await,
            // The remaining budget reveals charges in progress: it is reported only once those charges are visible.
            Lookup::Outcome(Outcome::ToPay(_), _) | Lookup::Refused(_) => {}
        }
        // One query after the other, each with all earlier answers visible, so that no query is charged for an answer
        // that exists by then.
        let turn = served.quiet(&self.part).await?;
        // Read again: the account, the policy and the approval settings may have changed while waiting.
        let ask = self.ask()?;
        let looked_up = blocking(&ask, |own| match own.looked_up()? {
            Lookup::Refused(told) => Err(told),
            found => Ok(found),
        });
        let to_pay = match looked_up.await? {
            Lookup::Reply(reply, _) => return Ok(reply),
            Lookup::Outcome(Outcome::Stored(stored), answers) => return shown(&ask, stored, answers).await,
            Lookup::Outcome(Outcome::ToPay(asked), _) => asked,
            Lookup::Refused(told) => return Err(told.failure),
        };
        let to_pay = blocking(&ask, move |own| own.allowed(&to_pay.plan).map(|()| to_pay)).await?;
        let key = ask.key(&to_pay.plan);
        served.log.asked(&key.0, &key.1, &self.query.sql);
        let resources = served.config.resources();
        let work = Box::new(move || release(&to_pay, resources));
        let done = served.queue().submit(key.clone(), arrival, work)?;
        submitted.set();
        drop(turn);
        let done = seen(done).await;
        // A curator's query at the same time may have produced this answer: it is visible to all from its own grid time
        // on.
        sleep_until(served.queue().due(&(name_of(&Part::Whole), key.1.clone()))).await;
        served.answered();
        done?;
        blocking(&ask, move |own| own.charged_reply(&key.1)).await
    }

    async fn explain(&self) -> Result<Reply, Failure> {
        let _turn = self.connected.served.quiet(&self.part).await?;
        blocking(&self.ask()?, Request::explained).await
    }
}
