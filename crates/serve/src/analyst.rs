//! A connection of somebody who was let in, and what becomes of each question on it.

use crate::asking::{self, Asked, Found};
use crate::describe::{self, SIMULATED, description};
use crate::failures::{self, Told, unavailable};
use crate::own;
use crate::queue::{Key, seen};
use crate::rows::{self, Beside};
use crate::server::{Given, Served, name_of};
use crate::simulated;
use async_trait::async_trait;
use deniable::{Plan, Registering, Resources, Session as Release};
use deniable_ledger::Part;
use deniable_release::Answered;
use deniable_wire::catalog::{Description, Type};
use deniable_wire::{Code, Column, Failure, Notice, Question, Reply, Rows, Session};
use std::sync::Arc;
use tokio::time::{Instant, sleep_until};

/// A connection.
pub struct Analyst {
    served: Arc<Served>,
    user: String,
    part: Part,
}

impl Analyst {
    /// One of this user, paid by this part; it is counted until it is dropped.
    pub fn new(served: Arc<Served>, user: String, part: Part) -> Self {
        Self { served, user, part }
    }

    fn ask(&self, question: &Question) -> Arc<Ask> {
        Arc::new(Ask {
            served: Arc::clone(&self.served),
            given: self.served.given(),
            user: self.user.clone(),
            part: self.part.clone(),
            question: question.clone(),
        })
    }

    /// Waits until nothing of one's own is being done, or is done and not to be seen yet.
    async fn settled(&self) {
        while let Some(pending) = self.served.queue().pending_of(&name_of(&self.part)) {
            let _ = seen(pending).await;
        }
    }
}

impl Drop for Analyst {
    fn drop(&mut self) {
        self.served.left(&self.user);
    }
}

/// One question, under the policy that held when it was asked.
struct Ask {
    served: Arc<Served>,
    given: Given,
    user: String,
    part: Part,
    question: Question,
}

/// What is there to a question.
enum LookedUp {
    /// A reply that was made before, and what holds it.
    Reply(Reply, Key),
    /// What becomes of it, when there were so many answers.
    Found(Found, usize),
}

/// Does what may take its time on a thread for that; what is for the curator alone goes into the log.
async fn blocking<T: Send + 'static>(
    ask: &Arc<Ask>,
    work: impl FnOnce(&Ask) -> Result<T, Told> + Send + 'static,
) -> Result<T, Failure> {
    let own = Arc::clone(ask);
    let done = tokio::task::spawn_blocking(move || work(&own)).await;
    let done = done.unwrap_or_else(|error| Err(Told { failure: unavailable(), secret: Some(error.to_string()) }));
    done.map_err(|told| {
        if let Some(secret) = &told.secret {
            ask.served.log.failed(&ask.user, secret);
        }
        told.failure
    })
}

impl Ask {
    fn understood(&self) -> Result<Asked, Told> {
        Ok(asking::understood(&self.given.policy, &self.part, &self.question)?)
    }

    /// What becomes of it; `but` names a charge of one's own that may be seen already.
    fn found(&self, but: Option<&str>) -> Result<Found, Told> {
        asking::found(self.understood()?, &self.served.summary(&self.part, but)?)
    }

    /// What is there already: a reply that was made before, or what becomes of the question.
    fn looked_up(&self) -> Result<LookedUp, Told> {
        // Counted first: of what comes meanwhile nothing is remembered as older than it is.
        let answers = self.served.answers(&self.given.policy, &self.part)?;
        Ok(match self.given.remembered.reply(&name_of(&self.part), &self.question, answers) {
            Some((reply, held_by)) => LookedUp::Reply(reply, held_by),
            None => LookedUp::Found(self.found(None)?, answers),
        })
    }

    fn key(&self, plan: &Plan) -> Key {
        let identity = plan.asks().first().map(|ask| ask.for_ledger(plan.policy()).identity);
        (name_of(&self.part), identity.unwrap_or_default())
    }

    /// An answer as a table, which is remembered; `answers` is how many there were when it was looked for.
    fn reply(&self, asked: &Asked, answered: &Answered, answers: usize) -> Result<Reply, Told> {
        let answer = asking::shown(asked, answered).ok_or_else(unavailable)?;
        let ask = asked.plan.asks().first().ok_or_else(unavailable)?;
        let reply = rows::reply(ask.query(), &answer, Beside::of(&self.question));
        let answers = asked.price.is_none().then_some(answers);
        self.given.remembered.keep(&name_of(&self.part), &self.question, &reply, self.key(&asked.plan), answers);
        Ok(reply)
    }

    /// The same on made-up rows.
    fn simulated(&self) -> Result<Reply, Told> {
        let asked = self.understood()?;
        let answer = simulated::answer(&asked, &self.served.config.resources())?;
        let ask = asked.plan.asks().first().ok_or_else(unavailable)?;
        let mut reply = rows::reply(ask.query(), &answer, Beside::of(&self.question));
        reply.notices.insert(0, Notice::warning("these numbers are about made-up rows, and about nobody"));
        Ok(reply)
    }
}

/// What pays, computes and stores, on the queue's thread.
fn release(asked: &Asked, resources: Resources) -> Result<(), Told> {
    let session = Release::of_plan(asked.plan.clone()).map_err(|error| failures::of_release(&error))?;
    let session = session.with_resources(resources).allowing(Registering::Stop);
    let released = session.release().wait().map_err(|error| failures::of_release(&error))?;
    match released.unanswered.first() {
        None => Ok(()),
        Some(unanswered) => Err(failures::of_release(&unanswered.error)),
    }
}

/// An answer that is there, once it may be seen.
async fn shown(ask: &Arc<Ask>, stored: Box<(Asked, Answered)>, answers: usize) -> Result<Reply, Failure> {
    sleep_until(ask.served.queue().due(&ask.key(&stored.0.plan))).await;
    blocking(ask, move |own| own.reply(&stored.0, &stored.1, answers)).await
}

#[async_trait]
impl Session for Analyst {
    fn description(&self) -> Description {
        description(&self.served.given().policy, &self.user)
    }

    async fn rows(&self, schema: &str, table: &str) -> Result<Rows, Failure> {
        if schema != describe::OWN {
            return Ok(Rows::new());
        }
        self.settled().await;
        let table = table.to_owned();
        let ask = self.ask(&Question::default());
        blocking(&ask, move |own| {
            let ledger = own.served.summary(&own.part, None)?;
            Ok(own::rows(&table, &own.given.policy, &own.part, &ledger))
        })
        .await
    }

    async fn columns(&self, question: &Question) -> Result<Vec<Column>, Failure> {
        blocking(&self.ask(question), |own| {
            let asked = own.understood()?;
            let ask = asked.plan.asks().first().ok_or_else(unavailable)?;
            Ok(rows::columns(ask.query(), Beside::of(&own.question)))
        })
        .await
    }

    async fn answer(&self, question: &Question) -> Result<Reply, Failure> {
        let arrival = Instant::now();
        let ask = self.ask(question);
        if question.simulated {
            // One at a time of each: nobody keeps the machine from others' answers.
            let _turn = self.served.turn(&format!("{SIMULATED} {}", self.user)).lock_owned().await;
            return blocking(&ask, Ask::simulated).await;
        }
        // What is there already needs nobody's turn.
        match blocking(&ask, Ask::looked_up).await? {
            LookedUp::Reply(reply, held_by) => {
                sleep_until(self.served.queue().due(&held_by)).await;
                return Ok(reply);
            }
            LookedUp::Found(Found::Stored(stored), answers) => return shown(&ask, stored, answers).await,
            LookedUp::Found(Found::ToPay(_), _) => {}
        }
        // One after the other, each with all that was answered before in sight: nothing is paid for that is free by then.
        let turn = self.served.turn(&name_of(&self.part)).lock_owned().await;
        self.settled().await;
        let to_pay = match blocking(&ask, Ask::looked_up).await? {
            LookedUp::Reply(reply, _) => return Ok(reply),
            LookedUp::Found(Found::Stored(stored), answers) => return shown(&ask, stored, answers).await,
            LookedUp::Found(Found::ToPay(asked), _) => asked,
        };
        let key = ask.key(&to_pay.plan);
        let resources = self.served.config.resources();
        let work = Box::new(move || release(&to_pay, resources));
        let done = self.served.queue().submit(key.clone(), arrival, work)?;
        drop(turn);
        seen(done).await?;
        match blocking(&ask, move |own| own.found(Some(&key.1))).await? {
            Found::Stored(stored) => blocking(&ask, move |own| own.reply(&stored.0, &stored.1, 0)).await,
            Found::ToPay(_) => Err(unavailable()),
        }
    }

    async fn explain(&self, question: &Question) -> Result<Reply, Failure> {
        self.settled().await;
        let ask = self.ask(question);
        let lines =
            blocking(&ask, |own| Ok(asking::explained(&own.understood()?, &own.served.summary(&own.part, None)?)));
        let rows = lines.await?.into_iter().map(|line| vec![Some(line)]).collect();
        let columns = vec![Column { name: "QUERY PLAN".to_owned(), data_type: Type::TEXT }];
        Ok(Reply { columns, rows: Arc::new(rows), notices: Vec::new() })
    }

    fn setting(&self, name: &str, value: &str) -> Result<String, Failure> {
        match name {
            "spend" if value.is_empty() => Ok(String::new()),
            "spend" => asking::share(value).map(|share| share.to_string()),
            "intervals" | "quality" => Ok(if rows::is_true(value) { "on" } else { "off" }.to_owned()),
            _ => {
                let failure = Failure::new(Code::Setting, format!("there is no setting deniable.{name}"));
                Err(failure.hint("there are deniable.spend, deniable.intervals and deniable.quality"))
            }
        }
    }
}
