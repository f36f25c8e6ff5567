//! The server of one population: connections, accounts, and access to the ledger.

use crate::accounts::{Account as Login, Accounts, Role};
use crate::analyst::Analyst;
use crate::approver::Approver;
use crate::attempts::Attempts;
use crate::config::{Config, NeedsApproval};
use crate::failures::{self, Refusal, unavailable};
use crate::log::Log;
use crate::queue::{Queue, seen};
use crate::replies::{AnswerCount, RememberedReplies};
use crate::request::{PlanSlot, Request};
use deniable::{Plan, Policy};
use deniable_ledger::{
    AccountId, ApprovalError, ChargeRequest, Decision, Ledger, Part, Release as LedgerRelease, Summary,
};
use deniable_wire::{Backend, Client, Code, Failure, Place, Proof, Query, Session, TlsAcceptor, Verifier};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedMutexGuard, Semaphore};

/// Domain of the key that derives salts for unknown users. Like the salts of known users, theirs stay the same after a
/// restart.
const SALTS: &str = "deniable 2026-11 salts of users who are not known";
/// Bytes of the derived secret.
const SECRET: usize = 32;
pub(crate) const SALT: usize = 16;
/// Maximum length of a user name in characters, as for a PostgreSQL role.
const LONGEST_NAME: usize = 63;
/// Time for which a counted number of answers is reused.
const FRESH: Duration = Duration::from_secs(1);
/// Concurrent requests of one user, not counting charged queries, which have their own queue.
const AT_WORK: usize = 2;

/// Maximum number of catalog queries evaluated at once, over all users: half of the machine's threads.
fn catalog_places() -> usize {
    std::thread::available_parallelism().map_or(1, |threads| (threads.get() / 2).max(1))
}

/// The settings that can change while the server runs.
#[derive(Clone)]
pub struct Setup {
    /// The policy, with its public keys read.
    pub policy: Arc<Policy>,
    /// The accounts. With `None`, every client is let in as the curator.
    pub accounts: Option<Arc<Accounts>>,
    /// The analysts whose queries need approval before they are charged.
    pub needs_approval: NeedsApproval,
    /// The TLS acceptor, and the certificate as PEM.
    pub tls: Option<(TlsAcceptor, Vec<u8>)>,
    /// Whether clients on this machine need TLS, too.
    pub needs_tls: bool,
    /// Replies made under this policy.
    pub(crate) remembered: Arc<RememberedReplies>,
}

impl Setup {
    /// Settings without approval, where clients on this machine need no TLS. The policy's public keys must have been
    /// read; with `accounts: None`, every client is the curator; `tls` holds the acceptor and the certificate as PEM.
    #[must_use]
    pub fn new(policy: Policy, accounts: Option<Accounts>, tls: Option<(TlsAcceptor, Vec<u8>)>) -> Self {
        let (accounts, needs_approval) = (accounts.map(Arc::new), NeedsApproval::Nobodys);
        Self { policy: Arc::new(policy), accounts, needs_approval, tls, needs_tls: false, remembered: Arc::default() }
    }

    /// Sets whether clients on this machine need TLS, too.
    #[must_use]
    pub fn needing_tls(self, needs_tls: bool) -> Self {
        Self { needs_tls, ..self }
    }

    /// Sets whose queries need approval before they are charged.
    #[must_use]
    pub fn needing_approval(self, needs_approval: NeedsApproval) -> Self {
        Self { needs_approval, ..self }
    }
}

/// The service of one population: its ledger, queue, settings and connections.
pub struct Service {
    pub(crate) given: RwLock<Setup>,
    pub(crate) config: Config,
    ledger: Mutex<Ledger>,
    queue: Arc<Queue>,
    pub(crate) log: Arc<Log>,
    /// One lock per paying part: its queries are decided one after the other.
    turns: Mutex<BTreeMap<String, Arc<Turns>>>,
    /// One semaphore per user: bounds concurrent requests.
    at_work: Mutex<BTreeMap<String, Arc<Semaphore>>>,
    /// Places for catalog queries, given in the order of arrival.
    catalogs: Arc<Semaphore>,
    attempts: Mutex<Attempts>,
    /// The answers visible to each part, and when they were counted.
    counted: Mutex<BTreeMap<Part, (Instant, AnswerCount)>>,
    /// The number of connections of each user.
    connected: Mutex<BTreeMap<String, usize>>,
    secret: [u8; SECRET],
    own: std::sync::Weak<Self>,
}

fn whole<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    // The data are consistent between any two changes, so a poisoned lock can be used.
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Service {
    /// A service over an open ledger.
    #[must_use]
    pub fn new(given: Setup, config: Config, ledger: Ledger, log: Arc<Log>) -> Arc<Self> {
        let secret = ledger.key().derive(SALTS);
        let queue = Arc::new(Queue::new(config.answers_take, config.queue_per_account));
        Arc::new_cyclic(|own| Self {
            given: RwLock::new(given),
            config,
            ledger: Mutex::new(ledger),
            queue,
            log,
            turns: Mutex::default(),
            at_work: Mutex::default(),
            catalogs: Arc::new(Semaphore::new(catalog_places())),
            attempts: Mutex::default(),
            counted: Mutex::default(),
            connected: Mutex::default(),
            secret,
            own: own.clone(),
        })
    }

    /// The queue of charged queries. The caller must run it.
    #[must_use]
    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    /// Checks that a policy can replace the present one: it must have the same name, population and ledger, and the
    /// promise that the ledger records.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn accepts(&self, policy: &Policy) -> Result<(), String> {
        let now = self.given().policy;
        if policy.ledger() != now.ledger() || policy.population() != now.population() || policy.name() != now.name() {
            return Err("a policy with another name, population or ledger needs a restart of the server".to_owned());
        }
        whole(&self.ledger).open_account(policy.guarantee()).map_err(|error| error.to_string()).map(drop)
    }

    /// Replaces the policy, accounts and certificates for all later requests.
    pub fn change(&self, given: Setup) {
        *self.given.write().unwrap_or_else(PoisonError::into_inner) = given;
        self.answered();
    }

    pub(crate) fn given(&self) -> Setup {
        self.given.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of open connections.
    pub(crate) fn open_connections(&self) -> usize {
        whole(&self.connected).values().sum()
    }

    /// Counts a connection of this user as closed.
    fn left(&self, user: &str) {
        let mut connected = whole(&self.connected);
        if let Some(own) = connected.get_mut(user) {
            *own = own.saturating_sub(1);
        }
        connected.retain(|_, own| *own > 0);
    }

    /// Waits for this name's turn.
    ///
    /// # Errors
    /// When too many of its requests are already waiting.
    pub(crate) async fn turn(&self, name: &str) -> Result<OwnedMutexGuard<()>, Failure> {
        let turns = Arc::clone(whole(&self.turns).entry(name.to_owned()).or_default());
        let waits = WaitingPlace::new(&turns.waiting);
        if waits.before >= self.config.queue_per_account {
            let message = format!("{} of your queries are already waiting", waits.before);
            return Err(Failure::new(Code::TooMany, message).hint("retry after they are answered"));
        }
        Ok(Arc::clone(&turns.one).lock_owned().await)
    }

    /// Waits for this part's turn, and then until all its charged queries are finished and visible. What the caller
    /// reports about the account during this turn is therefore visible already.
    ///
    /// # Errors
    /// When too many of its requests are already waiting.
    pub(crate) async fn quiet(&self, part: &Part) -> Result<OwnedMutexGuard<()>, Failure> {
        let turn = self.turn(&name_of(part)).await?;
        self.settled(part).await;
        Ok(turn)
    }

    /// The semaphore that bounds a user's concurrent requests.
    pub(crate) fn at_work(&self, user: &str) -> Arc<Semaphore> {
        let new = || Arc::new(Semaphore::new(AT_WORK));
        Arc::clone(whole(&self.at_work).entry(user.to_owned()).or_insert_with(new))
    }

    /// Acquires a place for a user's catalog query: first one of the user's own places, then one of the places shared
    /// by all users.
    pub(crate) async fn catalog_place(&self, user: &str) -> Result<Place, Failure> {
        let closed = |_| unavailable();
        let own = self.at_work(user).acquire_owned().await.map_err(closed)?;
        let place = Arc::clone(&self.catalogs).acquire_owned().await.map_err(closed)?;
        Ok(Box::new((own, place)))
    }

    /// Waits until every charged query of this part is finished and visible.
    async fn settled(&self, part: &Part) {
        while let Some(pending) = self.queue.pending_of(&name_of(part)) {
            let _ = seen(pending).await;
        }
    }

    /// Requests approval of the plan's query, unless it was requested before. Returns the number of the request among
    /// the requests of the paying part, and the decision that holds for the next charge.
    pub(crate) fn request_approval(&self, plan: &Plan) -> Result<(usize, Option<Decision>), Refusal> {
        let ask = plan.queries().first().ok_or_else(unavailable)?;
        let request = ChargeRequest {
            account: plan.account(),
            policy: plan.policy().name().to_owned(),
            policy_limit: plan.policy().guarantee().limit().clone(),
            version_limit: None,
            query: ask.for_ledger(plan.policy()),
            cost: ask.cost().clone(),
            part: plan.part().clone(),
            // A request charges nothing.
            basis: String::new(),
        };
        let request = whole(&self.ledger).request_approval(&request).map_err(|error| failures::of_decision(&error))?;
        let ledger = self.summary(plan.part(), None)?;
        let account = ledger.accounts.iter().find(|account| account.id == plan.account());
        let at = account.and_then(|account| account.requests.iter().position(|known| known.seq == request.seq));
        let decision = account.zip(at).and_then(|(account, at)| account.decision(&account.requests[at]).cloned());
        if decision.is_none() {
            self.log.requested(&name_of(plan.part()), &request.query.identity);
        }
        Ok((at.ok_or_else(unavailable)? + 1, decision))
    }

    /// Records the decision about a request, identified by the number of its ledger entry.
    pub(crate) fn decide(&self, seq: u64, allowed: bool, by: &str, reason: &str) -> Result<(), ApprovalError> {
        whole(&self.ledger).decide(seq, allowed, by, reason)?;
        self.log.decided(by, allowed);
        Ok(())
    }

    /// The count of answers visible to a part, if they were counted less than `FRESH` ago: answers and withdrawals of
    /// other processes appear with this delay.
    pub(crate) fn known_answers(&self, part: &Part) -> Option<AnswerCount> {
        let counted = whole(&self.counted);
        counted.get(part).filter(|(when, _)| when.elapsed() < FRESH).map(|(_, answers)| *answers)
    }

    /// Discards the counts, because there is a new answer.
    pub(crate) fn answered(&self) {
        whole(&self.counted).clear();
    }

    /// Counts the answers visible to a part.
    pub(crate) fn answers(&self, policy: &Policy, part: &Part) -> Result<AnswerCount, Refusal> {
        let answers = self.counted_answers(policy, part)?;
        whole(&self.counted).insert(part.clone(), (Instant::now(), answers));
        Ok(answers)
    }

    fn counted_answers(&self, policy: &Policy, part: &Part) -> Result<AnswerCount, Refusal> {
        let mut ledger = whole(&self.ledger);
        let failed = |error: &dyn ToString| Refusal { failure: unavailable(), secret: Some(error.to_string()) };
        ledger.refresh().map_err(|error| failed(&error))?;
        let account = ledger.account(&AccountId::of(policy.guarantee()));
        let seen =
            |release: &&LedgerRelease| release.answered.is_some() && release.seen_by(part) && !self.hides(release);
        let mut count = AnswerCount::default();
        for release in account.iter().flat_map(|account| &account.releases).filter(seen) {
            count.answers += 1;
            count.withdrawn += usize::from(release.withdrawn.is_some());
        }
        Ok(count)
    }

    /// Whether a charge is not visible yet.
    fn hides(&self, release: &LedgerRelease) -> bool {
        self.queue.pending(&(name_of(&release.part), release.query.identity.clone())).is_some()
    }

    /// The ledger as visible to a part, without charges that are not visible yet, except for the charge with the
    /// identity `but`.
    pub(crate) fn summary(&self, part: &Part, but: Option<&str>) -> Result<Summary, Refusal> {
        let mut ledger = whole(&self.ledger);
        let failed = |error: &dyn ToString| Refusal { failure: unavailable(), secret: Some(error.to_string()) };
        ledger.refresh().map_err(|error| failed(&error))?;
        let mut summary = ledger.summary().seen_by(part);
        drop(ledger);
        let is_it = |release: &LedgerRelease| release.part == *part && but == Some(release.query.identity.as_str());
        let hidden = |release: &LedgerRelease| !is_it(release) && self.hides(release);
        for account in &mut summary.accounts {
            *account = account.without(&hidden);
        }
        Ok(summary)
    }
}

/// The turns of one paying part or user.
#[derive(Default)]
struct Turns {
    one: Arc<tokio::sync::Mutex<()>>,
    waiting: AtomicUsize,
}

/// A place among the waiting requests, until it is dropped.
struct WaitingPlace<'a> {
    waiting: &'a AtomicUsize,
    before: usize,
}

impl<'a> WaitingPlace<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        Self { waiting, before: waiting.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for WaitingPlace<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The name of a part in the queue.
pub(crate) fn name_of(part: &Part) -> String {
    match part {
        Part::Whole => String::new(),
        Part::Named(name) => name.clone(),
    }
}

/// Truncates a name to `LONGEST_NAME`, so that longer names from clients fill neither the disk nor the memory.
fn short(user: &str) -> String {
    user.chars().take(LONGEST_NAME).collect()
}

impl Backend for Service {
    fn tls(&self) -> Option<TlsAcceptor> {
        self.given().tls.map(|(tls, _)| tls)
    }

    fn needs_tls(&self) -> bool {
        self.given().needs_tls
    }

    fn certificate(&self) -> Option<Vec<u8>> {
        self.given().tls.map(|(_, certificate)| certificate)
    }

    fn proof(&self, user: &str) -> Proof {
        let Some(accounts) = self.given().accounts else { return Proof::None };
        Proof::Password(accounts.get(user).map_or_else(
            || {
                // Derived from the name, so that an unknown user looks like a known one: the same name always gets the
                // same salt.
                let derived =
                    |what: &str| *blake3::keyed_hash(&self.secret, format!("{what} {user}").as_bytes()).as_bytes();
                Verifier::unmet(&derived("salt")[..SALT], &derived("key"))
            },
            |account| account.verifier.clone(),
        ))
    }

    fn attempt(&self, user: &str, address: SocketAddr) -> Result<Duration, Failure> {
        whole(&self.attempts).wait(&short(user), address, Instant::now()).ok_or_else(|| {
            let message = format!("too many wrong passwords for user \"{user}\"");
            Failure::new(Code::NotLetIn, message).hint("try again in a minute")
        })
    }

    fn wrong_password(&self, user: &str, address: SocketAddr) {
        whole(&self.attempts).wrong(&short(user), address, Instant::now());
        self.log.wrong_password(&short(user), address);
    }

    fn right_password(&self, user: &str, address: SocketAddr) {
        whole(&self.attempts).right(&short(user), address);
    }

    fn begin(&self, client: Client) -> Result<Arc<dyn Session>, Failure> {
        let given = self.given();
        if client.database != given.policy.name() {
            let message = format!("there is no database \"{}\"", client.database);
            return Err(Failure::new(Code::NoDatabase, message).hint(format!("connect to \"{}\"", given.policy.name())));
        }
        let login = match &given.accounts {
            None => None,
            Some(accounts) => Some(accounts.get(&client.user).ok_or_else(unavailable)?.clone()),
        };
        let role = login.as_ref().map_or(Role::Curator, |login| login.role);
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
        let part = Part::Named(client.user.clone());
        let connected = Connection { served, user: client.user, login };
        Ok(match role {
            Role::Analyst => Arc::new(Analyst::new(connected, part)),
            Role::Curator => Arc::new(Analyst::new(connected, Part::Whole)),
            Role::Approver => Arc::new(Approver::new(connected)),
        })
    }
}

/// A connection of a user, counted until it is dropped.
pub(crate) struct Connection {
    pub served: Arc<Service>,
    pub user: String,
    /// The account at login; `None` where the server has no accounts.
    login: Option<Login>,
}

impl Connection {
    /// Checks that the account has not changed since login.
    fn check(&self, given: &Setup) -> Result<(), Failure> {
        if given.accounts.as_ref().and_then(|accounts| accounts.get(&self.user)) != self.login.as_ref() {
            let message = format!("the account \"{}\" was removed or changed", self.user);
            return Err(Failure::new(Code::NotLetIn, message).hint("reconnect"));
        }
        Ok(())
    }

    /// Checks that the account has not changed since login.
    ///
    /// # Errors
    /// When it was removed or changed.
    pub fn check_now(&self) -> Result<(), Failure> {
        self.check(&self.served.given())
    }

    /// A request under the current policy, with the part of the ledger that the payer may see.
    ///
    /// # Errors
    /// When the account was removed or changed since login: a connection does not outlive its account.
    pub fn ask(&self, part: Part, query: &Query, plan: &Arc<PlanSlot>) -> Result<Arc<Request>, Failure> {
        let given = self.served.given();
        self.check(&given)?;
        let (served, user, plan) = (Arc::clone(&self.served), self.user.clone(), Arc::clone(plan));
        Ok(Arc::new(Request { served, given, user, part, query: query.clone(), plan }))
    }

    /// A request without a query, as [`Self::ask`].
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn about_none(&self, part: Part) -> Result<Arc<Request>, Failure> {
        self.ask(part, &Query::default(), &Arc::default())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.served.left(&self.user);
        self.served.log.disconnected(&self.user);
    }
}

/// Opens the account of a policy in a ledger unless it exists, so that parts can be set aside, and returns its
/// identifier.
///
/// # Errors
/// When the ledger records another promise.
pub fn account(ledger: &mut Ledger, policy: &Policy) -> Result<AccountId, deniable_ledger::AccountError> {
    ledger.open_account(policy.guarantee())?;
    Ok(AccountId::of(policy.guarantee()))
}
