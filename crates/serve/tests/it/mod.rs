//! The server as several clients meet it, in one process.

mod load;
mod timing;

use deniable::{Policy, Session};
use deniable_core::exact::Rational;
use deniable_ledger::{Ledger, Sharing, Summary};
use deniable_serve::accounts::{Account, Accounts, Role};
use deniable_serve::log::Log;
use deniable_serve::server::{Given, Served, account};
use deniable_serve::{Config, accept};
use deniable_wire::{Limits, Server, Verifier};
use std::fmt::Write;
use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
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

[[ask]]
sql = "SELECT COUNT(*) FROM t"
"#;

/// Everybody's password.
const PASSWORD: &str = "secret";

/// Held by each test that measures time or uses the machine up, so that no two of them run at once.
async fn alone() -> tokio::sync::MutexGuard<'static, ()> {
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    ALONE.lock().await
}

/// A server, and what it leaves behind.
struct Running {
    folder: TempDir,
    address: SocketAddr,
    _stop: watch::Sender<bool>,
}

/// The example's rows, each person with two; `rows` more belong to one person.
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
async fn running(rows: &str, answers_take: Duration, parts: &[(&str, Rational)]) -> Running {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), rows).unwrap();
    let policy = Policy::parse(&folder.path().join("policy.toml"), POLICY).unwrap();
    Session::new(policy.clone()).unwrap().register(&[]).wait().unwrap();
    let mut ledger = Ledger::open_or_create(policy.ledger(), policy.population()).unwrap();
    let id = account(&mut ledger, &policy).unwrap();
    let mut accounts = Accounts::default();
    for (name, share) in parts {
        ledger.set_aside(&id, name, share, Sharing::Reserved).unwrap();
        let verifier = Verifier::of_password(PASSWORD, name.as_bytes());
        accounts.put(name, Account { role: Role::Analyst, verifier }).unwrap();
    }
    let given = Given::new(policy, Some(accounts), None);
    let config = Config { answers_take, connections_per_account: 100, threads: Some(1), ..Config::default() };
    let served = Served::new(given, config, ledger, Arc::new(Log::quiet()));
    let (stop, stopping) = watch::channel(false);
    let queue = Arc::clone(served.queue());
    tokio::spawn(queue.run(Arc::new(|_, _, _| {})));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Arc::new(Server::new(served, Limits::default(), stopping));
    tokio::spawn(accept(listener, server, 1_000));
    Running { folder, address, _stop: stop }
}

impl Running {
    async fn client(&self, user: &str) -> Client {
        let config =
            format!("host=127.0.0.1 port={} user={user} password={PASSWORD} dbname=clinic", self.address.port());
        let (client, connection) = tokio_postgres::connect(&config, NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    fn ledger(&self) -> Summary {
        deniable_ledger::show(Policy::load(&self.policy()).unwrap().ledger()).unwrap()
    }

    fn policy(&self) -> std::path::PathBuf {
        let path = self.folder.path().join("policy.toml");
        fs::write(&path, POLICY).unwrap();
        path
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
