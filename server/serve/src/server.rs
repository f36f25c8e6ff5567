//! The server of one population: who is let in, and what becomes of what they ask.

use crate::accounts::{Account as Login, Accounts, Role};
use crate::analyst::Analyst;
use crate::approver::Approver;
use crate::attempts::Attempts;
use crate::config::{Config, NeedsApproval};
use crate::failures::{self, Refusal, unavailable};
use crate::log::Log;
use crate::queue::{Queue, seen};
use crate::replies::RememberedReplies;
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

/// What the salts of users who are not known are derived for: the same after a restart, as those of others are.
const SALTS: &str = "deniable 2026-11 salts of users who are not known";
/// Bytes of the secret that they follow from, and of a salt.
const SECRET: usize = 32;
pub(crate) const SALT: usize = 16;
/// Letters of a name: what PostgreSQL gives a role.
const LONGEST_NAME: usize = 63;
/// How long it holds how many answers there are.
const FRESH: Duration = Duration::from_secs(1);
/// What one user may have done at once, besides what is charged: that has a queue.
const AT_WORK: usize = 2;

/// Queries about catalogs that are evaluated at once, of all users: half of the machine at most is theirs.
fn catalog_places() -> usize {
    std::thread::available_parallelism().map_or(1, |threads| (threads.get() / 2).max(1))
}

/// What can be changed while the server runs.
#[derive(Clone)]
pub struct Setup {
    /// The policy, its public keys read.
    pub policy: Arc<Policy>,
    /// Who may connect; `None` where everybody may, as the curator.
    pub accounts: Option<Arc<Accounts>>,
    /// Whose queries an approver allows before they are charged.
    pub needs_approval: NeedsApproval,
    /// TLS, and its certificate.
    pub tls: Option<(TlsAcceptor, Vec<u8>)>,
    /// Whether clients on this machine need it, too.
    pub needs_tls: bool,
    /// Replies that were made under this policy.
    pub(crate) remembered: Arc<RememberedReplies>,
}

impl Setup {
    /// A policy whose public keys are read; who may connect, where that is not everybody; TLS, and its certificate as PEM.
    #[must_use]
    pub fn new(policy: Policy, accounts: Option<Accounts>, tls: Option<(TlsAcceptor, Vec<u8>)>) -> Self {
        let (accounts, needs_approval) = (accounts.map(Arc::new), NeedsApproval::Nobodys);
        Self { policy: Arc::new(policy), accounts, needs_approval, tls, needs_tls: false, remembered: Arc::default() }
    }

    /// The same, where clients on this machine need TLS, too, or not.
    #[must_use]
    pub fn needing_tls(self, needs_tls: bool) -> Self {
        Self { needs_tls, ..self }
    }

    /// The same, where an approver allows these queries before they are charged.
    #[must_use]
    pub fn needing_approval(self, needs_approval: NeedsApproval) -> Self {
        Self { needs_approval, ..self }
    }
}

/// The server.
pub struct Service {
    pub(crate) given: RwLock<Setup>,
    pub(crate) config: Config,
    ledger: Mutex<Ledger>,
    queue: Arc<Queue>,
    pub(crate) log: Arc<Log>,
    /// Of each who asks: decisions are made one after the other.
    turns: Mutex<BTreeMap<String, Arc<Turns>>>,
    /// Of each user: what is done at once.
    at_work: Mutex<BTreeMap<String, Arc<Semaphore>>>,
    /// Where queries about catalogs are evaluated, in the order in which they came.
    catalogs: Arc<Semaphore>,
    attempts: Mutex<Attempts>,
    /// How many answers each part may see, as of when.
    counted: Mutex<BTreeMap<Part, (Instant, usize)>>,
    /// How many connections each has.
    connected: Mutex<BTreeMap<String, usize>>,
    secret: [u8; SECRET],
    own: std::sync::Weak<Self>,
}

fn whole<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is kept is whole between any two of its changes.
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Service {
    /// A server over a ledger that is open.
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

    /// What is paid for, one thing after the other: whoever begins the server runs it.
    #[must_use]
    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    /// Whether a policy can take the place of the present one: it is about the same people, under the promise that the ledger records.
    ///
    /// # Errors
    /// Why not.
    pub fn accepts(&self, policy: &Policy) -> Result<(), String> {
        let now = self.given().policy;
        if policy.ledger() != now.ledger() || policy.population() != now.population() || policy.name() != now.name() {
            return Err("a policy with another name, other people or another ledger takes a restart".to_owned());
        }
        whole(&self.ledger).open_account(policy.guarantee()).map_err(|error| error.to_string()).map(drop)
    }

    /// Takes another policy, other accounts and certificates, for whatever is asked from now on.
    pub fn change(&self, given: Setup) {
        *self.given.write().unwrap_or_else(PoisonError::into_inner) = given;
        self.answered();
    }

    pub(crate) fn given(&self) -> Setup {
        self.given.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many connections are open.
    pub(crate) fn open_connections(&self) -> usize {
        whole(&self.connected).values().sum()
    }

    /// A connection of somebody ended.
    fn left(&self, user: &str) {
        let mut connected = whole(&self.connected);
        if let Some(own) = connected.get_mut(user) {
            *own = own.saturating_sub(1);
        }
        connected.retain(|_, own| *own > 0);
    }

    /// Waits until it is this one's turn among one's own.
    ///
    /// # Errors
    /// When too much of one's own waits already.
    pub(crate) async fn turn(&self, name: &str) -> Result<OwnedMutexGuard<()>, Failure> {
        let turns = Arc::clone(whole(&self.turns).entry(name.to_owned()).or_default());
        let waits = WaitingPlace::new(&turns.waiting);
        if waits.before >= self.config.queue_per_account {
            let message = format!("{} queries of yours wait already", waits.before);
            return Err(Failure::new(Code::TooMany, message).hint("ask again when they are answered"));
        }
        Ok(Arc::clone(&turns.one).lock_owned().await)
    }

    /// A turn of this part, in which nothing of its own is being done, or is done and not to be seen yet: what is told in it of the account is what
    /// may be seen.
    ///
    /// # Errors
    /// When too much of one's own waits already.
    pub(crate) async fn quiet(&self, part: &Part) -> Result<OwnedMutexGuard<()>, Failure> {
        let turn = self.turn(&name_of(part)).await?;
        self.settled(part).await;
        Ok(turn)
    }

    /// What a user may have done at once.
    pub(crate) fn at_work(&self, user: &str) -> Arc<Semaphore> {
        let new = || Arc::new(Semaphore::new(AT_WORK));
        Arc::clone(whole(&self.at_work).entry(user.to_owned()).or_insert_with(new))
    }

    /// A place in which a user's query about catalogs is evaluated: one of the user's own, and then one of those for
    /// all.
    pub(crate) async fn catalog_place(&self, user: &str) -> Result<Place, Failure> {
        let closed = |_| unavailable();
        let own = self.at_work(user).acquire_owned().await.map_err(closed)?;
        let place = Arc::clone(&self.catalogs).acquire_owned().await.map_err(closed)?;
        Ok(Box::new((own, place)))
    }

    /// Waits until nothing that this part pays for is being done, or is done and not to be seen yet.
    async fn settled(&self, part: &Part) {
        while let Some(pending) = self.queue.pending_of(&name_of(part)) {
            let _ = seen(pending).await;
        }
    }

    /// Requests approval of the query of a plan, unless that was requested before. Returns the number of the request
    /// among the requests of the paying part, and the decision that holds for the next charge.
    pub(crate) fn request_approval(&self, plan: &Plan) -> Result<(usize, Option<Decision>), Refusal> {
        let ask = plan.queries().first().ok_or_else(unavailable)?;
        let request = ChargeRequest {
            account: plan.account(),
            policy: plan.policy().name().to_owned(),
            policy_limit: plan.policy().guarantee().limit().clone(),
            query: ask.for_ledger(plan.policy()),
            cost: ask.cost().clone(),
            part: plan.part().clone(),
            // Nothing is charged by a request.
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

    /// Records what was decided about a request, by the number of its entry.
    pub(crate) fn decide(&self, seq: u64, allowed: bool, by: &str, reason: &str) -> Result<(), ApprovalError> {
        whole(&self.ledger).decide(seq, allowed, by, reason)?;
        self.log.decided(by, allowed);
        Ok(())
    }

    /// How many answers somebody may see, where that was looked up a moment ago: of another process's answers one hears a moment later.
    pub(crate) fn known_answers(&self, part: &Part) -> Option<usize> {
        let counted = whole(&self.counted);
        counted.get(part).filter(|(when, _)| when.elapsed() < FRESH).map(|(_, answers)| *answers)
    }

    /// Something was answered: how many there are is looked up anew.
    pub(crate) fn answered(&self) {
        whole(&self.counted).clear();
    }

    /// How many answers somebody may see.
    pub(crate) fn answers(&self, policy: &Policy, part: &Part) -> Result<usize, Refusal> {
        let answers = self.counted_answers(policy, part)?;
        whole(&self.counted).insert(part.clone(), (Instant::now(), answers));
        Ok(answers)
    }

    fn counted_answers(&self, policy: &Policy, part: &Part) -> Result<usize, Refusal> {
        let mut ledger = whole(&self.ledger);
        let failed = |error: &dyn ToString| Refusal { failure: unavailable(), secret: Some(error.to_string()) };
        ledger.refresh().map_err(|error| failed(&error))?;
        let account = ledger.account(&AccountId::of(policy.guarantee()));
        let seen =
            |release: &&LedgerRelease| release.answered.is_some() && release.seen_by(part) && !self.hides(release);
        Ok(account.map_or(0, |account| account.releases.iter().filter(seen).count()))
    }

    /// Whether a charge is not to be seen yet.
    fn hides(&self, release: &LedgerRelease) -> bool {
        self.queue.pending(&(name_of(&release.part), release.query.identity.clone())).is_some()
    }

    /// The ledger as somebody may know it: nothing that is not to be seen yet, but for one charge.
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

/// The turns of one who asks.
#[derive(Default)]
struct Turns {
    one: Arc<tokio::sync::Mutex<()>>,
    waiting: AtomicUsize,
}

/// Somebody waits for a turn, until this is dropped.
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

/// What a part is called in the queue.
pub(crate) fn name_of(part: &Part) -> String {
    match part {
        Part::Whole => String::new(),
        Part::Named(name) => name.clone(),
    }
}

/// As much of a name as one may have: clients that send longer ones fill neither the disk nor the memory.
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
                // The same for the same name, as if there were one.
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

/// A connection of a user, which is counted until it is dropped.
pub(crate) struct Connection {
    pub served: Arc<Service>,
    pub user: String,
    /// The account that was let in; nothing where everybody is.
    login: Option<Login>,
}

impl Connection {
    /// Checks that the account is unchanged since it was let in.
    fn check(&self, given: &Setup) -> Result<(), Failure> {
        if given.accounts.as_ref().and_then(|accounts| accounts.get(&self.user)) != self.login.as_ref() {
            let message = format!("the account \"{}\" was removed or changed", self.user);
            return Err(Failure::new(Code::NotLetIn, message).hint("connect anew"));
        }
        Ok(())
    }

    /// Checks the account against the current accounts.
    ///
    /// # Errors
    /// When it is not.
    pub fn check_now(&self) -> Result<(), Failure> {
        self.check(&self.served.given())
    }

    /// A query under the policy that holds now, as far as whoever pays may know.
    ///
    /// # Errors
    /// When the account is not any more what it was when it was let in: a connection does not outlive it.
    pub fn ask(&self, part: Part, query: &Query, plan: &Arc<PlanSlot>) -> Result<Arc<Request>, Failure> {
        let given = self.served.given();
        self.check(&given)?;
        let (served, user, plan) = (Arc::clone(&self.served), self.user.clone(), Arc::clone(plan));
        Ok(Arc::new(Request { served, given, user, part, query: query.clone(), plan }))
    }

    /// Work that is about no query, as [`Self::ask`].
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

/// The account of a policy in a ledger; it is opened where there is none, so that parts can be set aside.
///
/// # Errors
/// When the ledger promises something else.
pub fn account(ledger: &mut Ledger, policy: &Policy) -> Result<AccountId, deniable_ledger::AccountError> {
    ledger.open_account(policy.guarantee())?;
    Ok(AccountId::of(policy.guarantee()))
}
