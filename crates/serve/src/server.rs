//! The server of one population: who is let in, and what becomes of what they ask.

use crate::accounts::{Accounts, Role};
use crate::asking::{self, Asked, Found};
use crate::config::Config;
use crate::describe::{self, description};
use crate::failures::{self, Told, unavailable};
use crate::log::Log;
use crate::own;
use crate::queue::{Key, Queue, seen};
use crate::rows::{self, Beside};
use crate::simulated;
use async_trait::async_trait;
use deniable::{Policy, Registering, Resources, Session as Release};
use deniable_ledger::{AccountId, Ledger, Part, Release as Charged, Summary};
use deniable_wire::catalog::{Description, Type};
use deniable_wire::{
    Backend, Client, Code, Column, Failure, Notice, Proof, Question, Reply, Rows, Session, TlsAcceptor, Verifier,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tokio::time::{Instant, sleep_until};

/// What the salts of users who are not known are derived for: the same after a restart, as those of others are.
const SALTS: &str = "deniable 2026-11 salts of users who are not known";
/// Bytes of the secret that they follow from, and of a salt.
const SECRET: usize = 32;
pub(crate) const SALT: usize = 16;

/// What can be changed while the server runs.
#[derive(Clone)]
pub struct Given {
    /// The policy, its public keys read.
    pub policy: Arc<Policy>,
    /// Who may connect; `None` where everybody may, as the curator.
    pub accounts: Option<Arc<Accounts>>,
    /// TLS, and its certificate.
    pub tls: Option<(TlsAcceptor, Vec<u8>)>,
}

/// The server.
pub struct Served {
    pub(crate) given: RwLock<Given>,
    pub(crate) config: Config,
    ledger: Mutex<Ledger>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) log: Arc<Log>,
    /// Of each who asks: decisions are made one after the other.
    turns: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>,
    /// How many connections each has.
    connected: Mutex<BTreeMap<String, usize>>,
    secret: [u8; SECRET],
    own: std::sync::Weak<Self>,
}

fn whole<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is kept is whole between any two of its changes.
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Served {
    /// A server over a ledger that is open.
    #[must_use]
    pub fn new(given: Given, config: Config, ledger: Ledger, log: Arc<Log>) -> Arc<Self> {
        let secret = ledger.key().derive(SALTS);
        let queue = Arc::new(Queue::new(config.answers_take, config.queue_per_account));
        Arc::new_cyclic(|own| Self {
            given: RwLock::new(given),
            config,
            ledger: Mutex::new(ledger),
            queue,
            log,
            turns: Mutex::default(),
            connected: Mutex::default(),
            secret,
            own: own.clone(),
        })
    }

    pub(crate) fn given(&self) -> Given {
        self.given.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many connections are open.
    pub(crate) fn open_connections(&self) -> usize {
        whole(&self.connected).values().sum()
    }

    fn turn(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        Arc::clone(whole(&self.turns).entry(name.to_owned()).or_default())
    }

    /// The ledger as somebody may know it: nothing that is not to be seen yet, but for one charge.
    fn summary(&self, part: &Part, but: Option<&str>) -> Result<Summary, Told> {
        let mut ledger = whole(&self.ledger);
        let failed = |error: &dyn ToString| Told { failure: unavailable(), secret: Some(error.to_string()) };
        ledger.refresh().map_err(|error| failed(&error))?;
        let mut summary = ledger.summary().seen_by(part);
        drop(ledger);
        let hidden = |release: &Charged| {
            but != Some(release.ask.identity.as_str())
                && self.queue.pending(&(name_of(&release.part), release.ask.identity.clone())).is_some()
        };
        for account in &mut summary.accounts {
            *account = account.without(&hidden);
        }
        Ok(summary)
    }
}

/// What a part is called in the queue.
fn name_of(part: &Part) -> String {
    match part {
        Part::Whole => String::new(),
        Part::Named(name) => name.clone(),
    }
}

impl Backend for Served {
    fn tls(&self) -> Option<TlsAcceptor> {
        self.given().tls.map(|(tls, _)| tls)
    }

    fn certificate(&self) -> Option<Vec<u8>> {
        self.given().tls.map(|(_, certificate)| certificate)
    }

    fn proof(&self, user: &str) -> Proof {
        let Some(accounts) = self.given().accounts else { return Proof::None };
        Proof::Password(accounts.get(user).map_or_else(
            || {
                // The same for the same name, as if there were one.
                let derived =
                    |what: &str| *blake3::keyed_hash(&self.secret, format!("{what} {user}").as_bytes()).as_bytes();
                Verifier::unmet(&derived("salt")[..SALT], &derived("key"))
            },
            |account| account.verifier.clone(),
        ))
    }

    fn begin(&self, client: Client) -> Result<Arc<dyn Session>, Failure> {
        let given = self.given();
        if client.database != given.policy.name() {
            let message = format!("there is no database \"{}\"", client.database);
            return Err(Failure::new(Code::NoDatabase, message).hint(format!("connect to \"{}\"", given.policy.name())));
        }
        let role = match &given.accounts {
            None => Role::Curator,
            Some(accounts) => {
                let account = accounts.get(&client.user).ok_or_else(unavailable)?;
                account.role
            }
        };
        let part = match role {
            Role::Curator => Part::Whole,
            Role::Analyst => Part::Named(client.user.clone()),
        };
        let served = self.own.upgrade().ok_or_else(unavailable)?;
        {
            let mut connected = whole(&self.connected);
            let own = connected.entry(client.user.clone()).or_default();
            if *own >= self.config.connections_per_account {
                let message = format!("{own} connections of \"{}\" are open already", client.user);
                return Err(Failure::new(Code::TooManyConnections, message));
            }
            *own += 1;
        }
        self.log.connected(&client.user);
        Ok(Arc::new(Analyst(Arc::new(Sitting { served, user: client.user, part }))))
    }
}

/// A connection.
struct Analyst(Arc<Sitting>);

struct Sitting {
    served: Arc<Served>,
    user: String,
    part: Part,
}

impl Drop for Sitting {
    fn drop(&mut self) {
        let mut connected = whole(&self.served.connected);
        if let Some(own) = connected.get_mut(&self.user) {
            *own = own.saturating_sub(1);
        }
        connected.retain(|_, own| *own > 0);
    }
}

impl Sitting {
    /// Does what may take its time on a thread for that; what is for the curator alone goes into the log.
    async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Told> + Send + 'static,
    ) -> Result<T, Failure> {
        let own = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&own)).await;
        let done = done.unwrap_or_else(|error| Err(Told { failure: unavailable(), secret: Some(error.to_string()) }));
        done.map_err(|told| {
            if let Some(secret) = &told.secret {
                self.served.log.failed(&self.user, secret);
            }
            told.failure
        })
    }

    fn policy(&self) -> Arc<Policy> {
        self.served.given().policy
    }

    fn understood(&self, question: &Question) -> Result<Asked, Told> {
        Ok(asking::understood(&self.policy(), &self.part, question)?)
    }

    /// What becomes of a question; `but` names a charge of one's own that may be seen already.
    fn found(&self, question: &Question, but: Option<&str>) -> Result<Found, Told> {
        let asked = self.understood(question)?;
        asking::found(asked, &self.served.summary(&self.part, but)?)
    }

    fn key(&self, asked: &Asked) -> Key {
        let identity = asked.plan.asks().first().map(|ask| ask.for_ledger(asked.plan.policy()).identity);
        (name_of(&self.part), identity.unwrap_or_default())
    }

    /// Waits until nothing of one's own is being done, or is done and not to be seen yet.
    async fn settled(&self) {
        while let Some(pending) = self.served.queue.pending_of(&name_of(&self.part)) {
            let _ = seen(pending).await;
        }
    }

    fn reply(asked: &Asked, answered: &deniable_release::Answered, question: &Question) -> Result<Reply, Told> {
        let answer = asking::shown(asked, answered).ok_or_else(unavailable)?;
        let ask = asked.plan.asks().first().ok_or_else(unavailable)?;
        Ok(rows::reply(ask.query(), &answer, Beside::of(question)))
    }

    /// What pays, computes and stores, on the queue's thread.
    fn release(asked: &Asked, resources: Resources) -> Result<(), Told> {
        let of = |error: &deniable::Error| failures::of_release(error);
        let session = Release::of_plan(asked.plan.clone()).map_err(|error| of(&error))?;
        let session = session.with_resources(resources).allowing(Registering::Stop);
        let released = session.release().wait().map_err(|error| of(&error))?;
        match released.unanswered.first() {
            None => Ok(()),
            Some(unanswered) => Err(of(&unanswered.error)),
        }
    }
}

#[async_trait]
impl Session for Analyst {
    fn description(&self) -> Description {
        description(&self.0.policy(), &self.0.user)
    }

    async fn rows(&self, schema: &str, table: &str) -> Result<Rows, Failure> {
        if schema != describe::OWN {
            return Ok(Rows::new());
        }
        self.0.settled().await;
        let table = table.to_owned();
        self.0
            .blocking(move |own| {
                let ledger = own.served.summary(&own.part, None)?;
                Ok(own::rows(&table, &own.policy(), &own.part, &ledger))
            })
            .await
    }

    async fn columns(&self, question: &Question) -> Result<Vec<Column>, Failure> {
        let question = question.clone();
        self.0
            .blocking(move |own| {
                let asked = own.understood(&question)?;
                let ask = asked.plan.asks().first().ok_or_else(unavailable)?;
                Ok(rows::columns(ask.query(), Beside::of(&question)))
            })
            .await
    }

    async fn answer(&self, question: &Question) -> Result<Reply, Failure> {
        let arrival = Instant::now();
        let own = &self.0;
        let asked = question.clone();
        if question.simulated {
            let reply = own.blocking(move |own| {
                let understood = own.understood(&asked)?;
                let answer = simulated::answer(&understood, &own.served.config.resources())?;
                let ask = understood.plan.asks().first().ok_or_else(unavailable)?;
                let mut reply = rows::reply(ask.query(), &answer, Beside::of(&asked));
                reply.notices.insert(0, Notice::warning("these numbers are about made-up rows, and about nobody"));
                Ok(reply)
            });
            return reply.await;
        }
        // What is there already needs nobody's turn.
        match own.blocking(move |own| own.found(&asked, None)).await? {
            Found::Stored(stored) => return self.stored(*stored, question).await,
            Found::ToPay(_) => {}
        }
        let turn = own.served.turn(&name_of(&own.part));
        let turn = turn.lock_owned().await;
        own.settled().await;
        let asked = question.clone();
        let to_pay = match own.blocking(move |own| own.found(&asked, None)).await? {
            Found::Stored(stored) => return self.stored(*stored, question).await,
            Found::ToPay(asked) => asked,
        };
        let key = own.key(&to_pay);
        let resources = own.served.config.resources();
        let work = Box::new(move || Sitting::release(&to_pay, resources));
        let done = own.served.queue.submit(key.clone(), arrival, work)?;
        drop(turn);
        seen(done).await?;
        let asked = question.clone();
        match own.blocking(move |own| own.found(&asked, Some(&key.1))).await? {
            Found::Stored(stored) => {
                let (asked, answered) = *stored;
                let question = question.clone();
                own.blocking(move |_| Sitting::reply(&asked, &answered, &question)).await
            }
            Found::ToPay(_) => Err(unavailable()),
        }
    }

    async fn explain(&self, question: &Question) -> Result<Reply, Failure> {
        self.0.settled().await;
        let question = question.clone();
        let lines = self.0.blocking(move |own| {
            let asked = own.understood(&question)?;
            Ok(asking::explained(&asked, &own.served.summary(&own.part, None)?))
        });
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

impl Analyst {
    /// An answer that is there, once it may be seen.
    async fn stored(
        &self,
        (asked, answered): (Asked, deniable_release::Answered),
        question: &Question,
    ) -> Result<Reply, Failure> {
        sleep_until(self.0.served.queue.due(&self.0.key(&asked))).await;
        let question = question.clone();
        self.0.blocking(move |_| Sitting::reply(&asked, &answered, &question)).await
    }
}

/// The account of a policy in a ledger; it is opened where there is none, so that parts can be set aside.
///
/// # Errors
/// When the ledger promises something else.
pub fn account(ledger: &mut Ledger, policy: &Policy) -> Result<AccountId, deniable_ledger::AccountError> {
    ledger.open_account(policy.guarantee())?;
    Ok(AccountId::of(policy.guarantee()))
}
