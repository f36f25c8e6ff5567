//! Starting, reloading and stopping.

use crate::accounts::{Accounts, AccountsError, Role};
use crate::config::{Config, NeedsApproval};
use crate::log::Log;
use crate::metrics::{Metrics, tell};
use crate::queue::{Completion, Key, STACK};
use crate::server::{Service, Setup, account};
use crate::tls::{TlsError, acceptor};
use deniable::Policy;
use deniable_ledger::{AccountError, Ledger, OpenError};
use deniable_release::open_ledger;
use deniable_wire::{Code, Failure, Limits, Server};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, watch};

/// Pause between two attempts to accept a connection when the system has no resources for more.
const BREATH: Duration = Duration::from_millis(50);

/// Maximum number of connections before authentication.
const STRANGERS: usize = 500;
/// Time for connections to end when the server stops, and then again for running threads.
const FAREWELL: Duration = Duration::from_secs(5);

/// An error that prevents the start of a server, or ends it.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be used.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        error: std::io::Error,
    },
    /// The system failed to provide a thread or a runtime.
    #[error("the server could not start: {0}")]
    System(#[source] std::io::Error),
    /// The ledger cannot be opened.
    #[error(transparent)]
    Ledger(#[from] OpenError),
    /// The ledger records another promise.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The accounts file cannot be used.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// The TLS files cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The accounts file is empty, so that no client could connect.
    #[error("{} has no accounts", .0.display())]
    Nobody(PathBuf),
    /// The secret of the metrics is not set or too short.
    #[error("[metrics]: {0}")]
    Secret(String),
    /// The accounts file does not exist.
    #[error("there is no file {}", .0.display())]
    NoFile(PathBuf),
    /// An analyst whose queries need approval, or every approver, has no account.
    #[error("needs_approval: {0}")]
    Approval(String),
}

/// The inputs of a server, before it starts.
pub struct ServerSetup {
    /// The policy, its public keys read.
    pub policy: Policy,
    /// Its configuration.
    pub config: Config,
    /// Reads the policy and the configuration again, when the curator sends SIGHUP.
    pub reload: Box<dyn Fn() -> Result<(Policy, Config), String> + Send>,
    /// Called with the address once clients can connect.
    pub ready: Box<dyn FnOnce(SocketAddr) + Send>,
}

fn given(policy: Policy, config: &Config) -> Result<Setup, ServeError> {
    let accounts = match &config.accounts {
        None => None,
        Some(path) => {
            let accounts = Accounts::read(path)?;
            if accounts.iter().next().is_none() {
                if !path.exists() {
                    return Err(ServeError::NoFile(path.clone()));
                }
                return Err(ServeError::Nobody(path.clone()));
            }
            check_approval(&config.needs_approval, &accounts).map_err(ServeError::Approval)?;
            Some(accounts)
        }
    };
    let tls = config.tls.as_ref().map(acceptor).transpose()?;
    // Behind a proxy on this machine every client looks local. So with TLS all clients need it, unless the curator
    // states that there is no proxy. Required client certificates are required of local clients, too.
    let needs_tls = config.tls.as_ref().is_some_and(|tls| tls.local || tls.clients.is_some());
    Ok(Setup::new(policy, accounts, tls).needing_approval(config.needs_approval.clone()).needing_tls(needs_tls))
}

/// Checks the files that a server needs besides the policy, before any slow step.
///
/// # Errors
/// When the server could not start with them.
pub fn check(policy: &Policy, config: &Config) -> Result<(), ServeError> {
    given(policy.clone(), config)?;
    // A ledger that is older than its head, or missing, is refused before the check of the data can write to it or
    // create a new one.
    if policy.ledger().exists() || config.head.as_ref().is_some_and(|head| head.exists()) {
        open(policy, config)?;
    }
    config.metrics.as_ref().map(Metrics::secret).transpose().map_err(ServeError::Secret).map(drop)
}

fn open(policy: &Policy, config: &Config) -> Result<Ledger, OpenError> {
    // A new ledger beside others that may hold the same population needs a command that states that it does not.
    open_ledger(policy, false, config.head.as_deref())
}

/// The settings from files that were read again.
fn given_anew(served: &Service, policy: Policy, config: &Config) -> Result<Setup, String> {
    let (accounts, needs_approval, tls) = (config.accounts.clone(), config.needs_approval.clone(), config.tls.clone());
    if *config != (Config { accounts, needs_approval, tls, ..served.config.clone() }) {
        return Err(
            "changes in serve.toml outside accounts, needs_approval and [tls] need a restart of the server".to_owned()
        );
    }
    served.accepts(&policy)?;
    given(policy, config).map_err(|error| error.to_string())
}

/// Checks that every analyst whose queries need approval has an account, since a misspelt name must not bypass
/// approval; and that there is an approver.
fn check_approval(needs: &NeedsApproval, accounts: &Accounts) -> Result<(), String> {
    if let NeedsApproval::Of(names) = needs
        && let Some(name) =
            names.iter().find(|name| accounts.get(name).is_none_or(|account| account.role != Role::Analyst))
    {
        return Err(format!("there is no analyst \"{name}\""));
    }
    if *needs != NeedsApproval::Nobodys && accounts.iter().all(|(_, account)| account.role != Role::Approver) {
        return Err("there is no approver".to_owned());
    }
    Ok(())
}

/// Serves until SIGINT or SIGTERM: then it notifies connections and finishes the running computation.
///
/// # Errors
/// When the server cannot start.
pub fn serve(serving: ServerSetup) -> Result<(), ServeError> {
    let ServerSetup { policy, config, reload, ready } = serving;
    let mut ledger = open(&policy, &config)?;
    account(&mut ledger, &policy)?;
    let given_now = given(policy, &config)?;
    let log = Arc::new(Log::to_stderr(&config.log, config.log_sql));
    let served = Service::new(given_now, config.clone(), ledger, Arc::clone(&log));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(ServeError::System)?;
    let (stop, stopping) = watch::channel(false);
    let ended = runtime.block_on(async {
        let listen = |error| ServeError::Listen { address: config.listen, error };
        let listener = TcpListener::bind(config.listen).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        if let Some(metrics) = config.metrics.clone() {
            let listen = |error| ServeError::Listen { address: metrics.listen, error };
            let listener = TcpListener::bind(metrics.listen).await.map_err(listen)?;
            let secret = metrics.secret().map_err(ServeError::Secret)?;
            tokio::spawn(tell(listener, secret, Arc::clone(&served)));
        }
        let limits = Limits { idle: config.idle, ..Limits::default() };
        let server = Arc::new(Server::new(Arc::clone(&served) as Arc<_>, limits, stopping));
        let told = move |key: &Key, done: &Completion, secret: Option<&str>| {
            log.done(&key.0, &key.1, done.steps, done.result.is_err());
            if let Some(secret) = secret {
                log.failed(&key.0, secret);
            }
        };
        tokio::spawn(Arc::clone(served.queue()).run(Arc::new(told)));
        let on = |kind| signal(kind).map_err(ServeError::System);
        let (mut hangup, mut end, mut interrupt) =
            (on(SignalKind::hangup())?, on(SignalKind::terminate())?, on(SignalKind::interrupt())?);
        let accepting = tokio::spawn(accept(listener, server, config.connections));
        ready(address);
        loop {
            tokio::select! {
                _ = hangup.recv() => {
                    match reload().and_then(|(policy, config)| given_anew(&served, policy, &config)) {
                        Ok(new) => {
                            served.change(new);
                            served.log.reloaded();
                        }
                        Err(why) => served.log.not_reloaded(&why),
                    }
                }
                _ = end.recv() => break,
                _ = interrupt.recv() => break,
            }
        }
        accepting.abort();
        // Sending fails only if there are no connections.
        let _ = stop.send(true);
        // Each connection gets the notice and ends; connections that do not react are dropped after the timeout.
        let patience = Instant::now() + FAREWELL;
        while served.open_connections() > 0 && Instant::now() < patience {
            tokio::time::sleep(BREATH).await;
        }
        Ok(())
    });
    // A running thread cannot be stopped from outside, so the wait for it is bounded.
    runtime.shutdown_timeout(FAREWELL);
    ended
}

/// Accepts connections: at most `places` authenticated ones, and `STRANGERS` more before authentication.
pub async fn accept(listener: TcpListener, server: Arc<Server>, places: usize) {
    let (places, strangers) = (Arc::new(Semaphore::new(places)), Arc::new(Semaphore::new(STRANGERS)));
    loop {
        // A failed accept identifies no client.
        let Ok((tcp, _)) = listener.accept().await else {
            tokio::time::sleep(BREATH).await;
            continue;
        };
        let (server, places, strangers) = (Arc::clone(&server), Arc::clone(&places), Arc::clone(&strangers));
        tokio::spawn(async move {
            // Beyond the limit, a connection is closed at once.
            let Ok(stranger) = strangers.try_acquire() else { return };
            let Some(greeted) = server.greet(tcp).await else { return };
            drop(stranger);
            match places.try_acquire() {
                Ok(_place) => server.talk(greeted).await,
                Err(_) => {
                    server
                        .turn_away(greeted, Failure::new(Code::TooManyConnections, "too many connections are open"))
                        .await
                }
            }
        });
    }
}
