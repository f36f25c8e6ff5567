//! A connection of somebody who asks: an analyst, or a curator who asks for everybody.

use crate::describe::{self, SIMULATED, description};
use crate::plan::{self, Outcome, PricedPlan};
use crate::queue::seen;
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

/// A connection.
pub struct Analyst {
    connected: Arc<Connection>,
    part: Part,
}

/// A query of a connection, with its plan.
struct AnalystQuery {
    connected: Arc<Connection>,
    part: Part,
    query: Query,
    plan: Arc<PlanSlot>,
}

impl Analyst {
    /// One of this user, paid by this part.
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

/// An answer that is there, once it may be seen.
async fn shown(ask: &Arc<Request>, stored: Box<(PricedPlan, QueryAnswer)>, answers: usize) -> Result<Reply, Failure> {
    sleep_until(ask.served.queue().due(&ask.key(&stored.0.plan))).await;
    blocking(ask, move |own| own.reply(&stored.0, &stored.1, answers)).await
}

/// The settings that are about how queries are answered, with their first values.
pub const SETTINGS: [(&str, &str); 3] = [("spend", ""), ("intervals", "off"), ("quality", "off")];

/// Checks a setting that is about how queries are answered.
///
/// # Errors
/// When there is none of this name, or the value is none of it.
pub fn setting(name: &str, value: &str) -> Result<String, Failure> {
    match name {
        "spend" if value.is_empty() => Ok(String::new()),
        "spend" => plan::share(value).map(|share| share.to_string()),
        "intervals" | "quality" => match rows::truth(value) {
            Some(truth) => Ok(if truth { "on" } else { "off" }.to_owned()),
            None => Err(Failure::new(
                Code::Setting,
                format!("deniable.{name} is on or off, and not \"{}\"", printable(value)),
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
        Err(Failure::new(Code::NotAllowed, format!("{name} is not for you: nothing that is sent changes the data"))
            .hint("ask with SELECT; approvers CALL deniable.approve and deniable.reject"))
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
            // One at a time of each: nobody keeps the machine from others' answers.
            let turn = served.turn(&format!("{SIMULATED} {}", self.connected.user)).await?;
            return blocking(&ask, move |own| {
                // Held until it is done, whoever still waits for it.
                let _turn = turn;
                own.simulated()
            })
            .await;
        }
        // What is there already needs nobody's turn.
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
            // What is left tells what is being charged: it is said when that may be seen.
            Lookup::Outcome(Outcome::ToPay(_), _) | Lookup::Refused(_) => {}
        }
        // One after the other, each with all that was answered before in sight: nothing is paid for that is free by then.
        let turn = served.quiet(&self.part).await?;
        // Under what holds now: the account, the policy and who approves may have changed meanwhile.
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
        // What a curator asked at the same time answers this, too: it is for everybody from its own time on.
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
