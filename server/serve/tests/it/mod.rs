//! Tests of the server with several clients, in one process.

mod chance;
// Random tables, their neighbours and queries, from the tests of crates/engine/sql.
#[path = "../../../../crates/engine/execute/tests/it/generate/mod.rs"]
#[expect(dead_code, reason = "only a part of the generator is used here")]
mod generate;
mod limits;
mod load;
mod mutants;
mod neighbours;
mod pending;
mod plans;
mod replaced;
mod stream;
mod timing;
mod versions;
mod withdrawn;

use deniable::{Policy, Session};
use deniable_core::exact::Rational;
use deniable_ledger::{Ledger, Sharing, Summary};
use deniable_serve::accounts::{Account, Accounts, Role};
use deniable_serve::log::Log;
use deniable_serve::metrics::tell;
use deniable_serve::server::{Service, Setup, account};
use deniable_serve::{Config, accept};
use deniable_wire::{Backend, Limits, Server, Verifier};
use num_traits::Zero;
use std::fmt::Write;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

const POLICY: &str = r#"
name = "clinic"
population = "patients"
data = { table = "t", path = "t.csv", version = "1" }
entity = { key = "id", rows_per_group = 2, groups = 2 }
columns.id = { type = "integer" }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.age = { type = "integer", bounds = [0, 100] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }

[[query]]
sql = "SELECT COUNT(*) FROM t"
"#;

const PASSWORD: &str = "secret";

/// Held by every test that measures time or loads the machine, so that no two of them run at once.
async fn alone() -> tokio::sync::MutexGuard<'static, ()> {
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    ALONE.lock().await
}

/// The token for the metrics.
const SECRET: &str = "what the curator knows";

/// A running server, its files and its clients.
struct RunningServer {
    _folder: TempDir,
    served: Arc<Service>,
    ledger: PathBuf,
    address: SocketAddr,
    metrics: SocketAddr,
    _stop: watch::Sender<bool>,
}

/// Rows of the example: two for each person, and `rows` more for one person.
fn csv(people: usize, rows: usize) -> String {
    let mut text = "id,sex,age\n".to_owned();
    let mut row = |id: usize, at: usize| {
        let _ = writeln!(text, "{id},{},{}", if at.is_multiple_of(3) { "F" } else { "M" }, at % 97);
    };
    (0..2 * people).for_each(|at| row(at / 2, at));
    (0..rows).for_each(|at| row(people, at));
    text
}

/// Starts a server over these rows, with accounts that have these parts.
async fn running(rows: &str, answers_take: Duration, parts: &[(&str, Rational)]) -> RunningServer {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), rows).unwrap();
    let policy = Policy::parse(&folder.path().join("policy.toml"), POLICY).unwrap();
    serving(folder, policy, &[], answers_take, parts, |served| served).await
}

/// Starts a server for a policy whose files are in a folder. Columns in `badly` may contain malformed values; `before`
/// wraps the service that clients use.
async fn serving(
    folder: TempDir,
    policy: Policy,
    badly: &[&str],
    answers_take: Duration,
    parts: &[(&str, Rational)],
    before: impl FnOnce(Arc<dyn Backend>) -> Arc<dyn Backend>,
) -> RunningServer {
    // People with very many rows exceed the caps on purpose.
    let queries: Vec<&str> = policy.queries().iter().map(|query| query.name.as_str()).collect();
    Session::new(policy.clone()).unwrap().accepting_losses(&queries).register(badly).wait().unwrap();
    let path = policy.ledger().to_owned();
    let mut ledger = Ledger::open_or_create(&path, policy.population()).unwrap();
    let id = account(&mut ledger, &policy).unwrap();
    let mut accounts = Accounts::default();
    for (name, share) in parts {
        // An account without a part is a curator.
        let role = if share.is_zero() { Role::Curator } else { Role::Analyst };
        if role == Role::Analyst {
            ledger.set_aside(&id, name, share, Sharing::Reserved, None).unwrap();
        }
        let verifier = Verifier::of_password(PASSWORD, name.as_bytes());
        accounts.put(name, Account { role, verifier }).unwrap();
    }
    let given = Setup::new(policy, Some(accounts), None);
    let config = Config { answers_take, connections_per_account: 100, threads: Some(1), ..Config::default() };
    let log = Arc::new(Log::quiet());
    let served = Service::new(given, config, ledger, Arc::clone(&log));
    let (stop, stopping) = watch::channel(false);
    let queue = Arc::clone(served.queue());
    tokio::spawn(queue.run(Arc::new(move |key, done, secret| {
        log.done(&key.0, &key.1, done.steps, done.result.is_err());
        if let Some(secret) = secret {
            log.failed(&key.0, secret);
        }
    })));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let counts = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let metrics = counts.local_addr().unwrap();
    tokio::spawn(tell(counts, SECRET.to_owned(), Arc::clone(&served)));
    let backend = before(Arc::clone(&served) as Arc<dyn Backend>);
    let server = Arc::new(Server::new(backend, Limits::default(), stopping));
    tokio::spawn(accept(listener, server, 1_000));
    RunningServer { _folder: folder, served, ledger: path, address, metrics, _stop: stop }
}

impl RunningServer {
    async fn client(&self, user: &str) -> Client {
        self.connected(user, stream::WatchedConnection::plainly).await.0
    }

    /// Connects a client over a stream made from the TCP connection. The returned task runs the connection and ends
    /// with it.
    async fn connected(
        &self,
        user: &str,
        over: impl FnOnce(TcpStream) -> stream::WatchedConnection,
    ) -> (Client, JoinHandle<Result<(), tokio_postgres::Error>>) {
        let tcp = TcpStream::connect(self.address).await.unwrap();
        tcp.set_nodelay(true).unwrap();
        let mut config = tokio_postgres::Config::new();
        config.user(user).password(PASSWORD).dbname("clinic");
        let (client, connection) = config.connect_raw(over(tcp), NoTls).await.unwrap();
        (client, tokio::spawn(connection))
    }

    /// Cancels a client's query, on a separate connection.
    async fn call_off(&self, client: &Client) {
        let mut tcp = TcpStream::connect(self.address).await.unwrap();
        client.cancel_token().cancel_query_raw(&mut tcp, NoTls).await.unwrap();
        // The cancellation is done when the server closes the connection; until then it could hit the client's next
        // query.
        let _ = tcp.read_to_end(&mut Vec::new()).await;
    }

    fn ledger(&self) -> Summary {
        deniable_ledger::show(&self.ledger).unwrap()
    }
}

/// The values of an answer, as text.
async fn asked(client: &Client, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
    let messages = client
        .simple_query(sql)
        .await
        .map_err(|error| error.as_db_error().map_or_else(|| error.to_string(), |told| told.code().code().to_owned()))?;
    let row = |message: SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect()),
        _ => None,
    };
    Ok(messages.into_iter().filter_map(row).collect())
}
