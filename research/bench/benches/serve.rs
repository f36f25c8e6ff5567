//! Answers of `deniable serve` compared with PostgreSQL's own for the same rows, and charged queries compared with
//! `deniable ask`:
//! `scripts/postgres cargo bench -p deniable-bench --bench serve --features serve`, or with `--profile server` in
//! minutes: then only the code that serves stored answers is optimised.
//!
//! Stored answers of 2 and of 500 rows, and tables in PostgreSQL with exactly these rows; the same client
//! (tokio-postgres) over TCP without TLS, on 1 and on 16 connections, by the simple protocol and with prepared
//! statements and binary values. Both are queried in turn, and all rows are compared. Server, database and clients
//! share the machine. The command line is the one that Cargo built beside this program (`cargo build --release`); it
//! gets the same queries about the same 20,000 rows, with a separate ledger.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark")]

use deniable::exact::ratio;
use deniable::{Bounds, Column, ColumnType, Key, Policy, PolicyBuilder, Session};
use deniable_bench::Spread;
use deniable_serve::{Config, ServerSetup, serve};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage, Statement};

/// Rows and groups of the data.
const ROWS: usize = 20_000;
const ZONES: i64 = 500;
/// Queries per server in a round on all connections together, and number of rounds.
const REQUESTS: usize = 800;
const ROUNDS: usize = 5;
const CHARGED: usize = 10;
/// The goal for the server is PostgreSQL's time multiplied by this.
const GOAL: f64 = 1.5;

const QUESTIONS: [(&str, &str); 2] = [
    ("2 rows", "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex"),
    ("500 rows", "SELECT zone, COUNT(*) AS n, SUM(age) AS years, AVG(age) AS age FROM visits GROUP BY zone"),
];

#[derive(Clone)]
struct Place {
    name: &'static str,
    port: u16,
    user: &'static str,
    password: &'static str,
    database: &'static str,
}

impl Place {
    async fn client(&self) -> Client {
        let mut config = tokio_postgres::Config::new();
        config.host("127.0.0.1").port(self.port).user(self.user).password(self.password).dbname(self.database);
        let (client, connection) = config.connect(NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }
}

/// The values of an answer, as text.
async fn asked(client: &Client, sql: &str) -> Vec<Vec<Option<String>>> {
    let messages = client.simple_query(sql).await.unwrap();
    let row = |message: SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect()),
        _ => None,
    };
    messages.into_iter().filter_map(row).collect()
}

fn main() {
    let port = std::env::var("DENIABLE_POSTGRES_PORT").unwrap_or_else(|_| panic!("run this by scripts/postgres"));
    let postgres = Place {
        name: "PostgreSQL",
        port: port.parse().unwrap(),
        user: "owner",
        password: "owner's password",
        database: "postgres",
    };
    let folder = tempfile::tempdir().unwrap();
    let deniable = Place {
        name: "deniable serve",
        port: served(&folder.path().join("server")),
        user: "me",
        password: "",
        database: "clinic",
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(stored(&deniable, &postgres));
    let by_server = runtime.block_on(charged(&deniable));
    println!("charged answers, in ms: {} by the server", shown(&by_server));
    match command(&folder.path().join("command")) {
        Some(times) => println!("the same by the command line, which begins anew each time: {}", shown(&times)),
        None => println!("NO COMMAND deniable BESIDE THIS PROGRAM (cargo build): THE SERVER'S ARE MEASURED ALONE"),
    }
}

/// The median, the minimum and the maximum.
fn shown(times: &[f64]) -> String {
    let Spread { median, low, high } = Spread::of(times.to_vec());
    format!("{median:.1} ({low:.1} to {high:.1})")
}

/// A folder with the data and a policy about them, registered.
fn policy(folder: &Path) -> Policy {
    std::fs::create_dir(folder).unwrap();
    let mut text = "patient,sex,zone,age\n".to_owned();
    for at in 0..ROWS {
        let sex = if at.is_multiple_of(3) { "F" } else { "M" };
        writeln!(text, "{},{sex},{},{}", at / 2, at % 500, (at * 7) % 97).unwrap();
    }
    std::fs::write(folder.join("visits.csv"), text).unwrap();
    let column = Column::new;
    let keys = |all: &[&str]| all.iter().map(|key| Key::Text((*key).to_owned())).collect();
    let bounds = Bounds::new(ratio(0, 1), ratio(100, 1), ratio(1, 1)).unwrap();
    PolicyBuilder::new("clinic", "patients")
        .in_folder(folder)
        .table("visits", "visits.csv", "1")
        .column(&column("patient", ColumnType::Integer))
        .column(&column("sex", ColumnType::Text).with_keys(keys(&["F", "M"])))
        .column(&column("zone", ColumnType::Integer).with_keys((0..ZONES).map(Key::Integer).collect()))
        .column(&column("age", ColumnType::Integer).within(bounds))
        .entity("patient", 2, 2)
        .adversary("acquaintance")
        .promise("posterior_at_most", &ratio(3, 4))
        .query("all", "SELECT COUNT(*) FROM visits")
        .build()
        .unwrap()
}

/// Starts a server, which ends with this program, and returns its port.
fn served(folder: &Path) -> u16 {
    let policy = policy(folder);
    Session::new(policy.clone()).unwrap().register(&[]).wait().unwrap();
    let (tell, told) = mpsc::channel();
    let config = Config { listen: ([127, 0, 0, 1], 0).into(), ..Config::trying() };
    let reload = Box::new(|| Err("it stays as it is".to_owned()));
    let ready = Box::new(move |address: std::net::SocketAddr| tell.send(address.port()).unwrap());
    std::thread::spawn(move || serve(ServerSetup { policy, config, reload, ready }).unwrap());
    told.recv_timeout(Duration::from_secs(60)).unwrap()
}

/// A way to request rows.
#[derive(Clone)]
enum Way {
    Simple(String),
    Prepared(Statement),
}

/// Durations of requests, in milliseconds, on several connections at once.
async fn round(place: &Place, sql: &str, is_prepared: bool, connections: usize, rows: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for _ in 0..connections {
        let client = place.client().await;
        let way =
            if is_prepared { Way::Prepared(client.prepare(sql).await.unwrap()) } else { Way::Simple(sql.to_owned()) };
        all.push(tokio::spawn(async move {
            let mut times = Vec::new();
            for _ in 0..REQUESTS / connections {
                let begun = Instant::now();
                let found = match &way {
                    Way::Simple(sql) => {
                        let messages = client.simple_query(sql).await.unwrap();
                        messages.iter().filter(|message| matches!(message, SimpleQueryMessage::Row(_))).count()
                    }
                    Way::Prepared(statement) => client.query(statement, &[]).await.unwrap().len(),
                };
                times.push(begun.elapsed().as_secs_f64() * 1_000.0);
                assert_eq!(found, rows);
            }
            times
        }));
    }
    let mut times = Vec::new();
    for one in all {
        times.extend(one.await.unwrap());
    }
    times
}

fn percentile(times: &[f64], part: usize) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[(sorted.len() * part / 100).min(sorted.len() - 1)]
}

/// Stored answers compared with PostgreSQL's own.
async fn stored(deniable: &Place, postgres: &Place) {
    let (own, theirs) = (deniable.client().await, postgres.client().await);
    theirs.batch_execute("DROP SCHEMA IF EXISTS bench CASCADE; CREATE SCHEMA bench").await.unwrap();
    for (at, (size, sql)) in QUESTIONS.iter().enumerate() {
        let rows = asked(&own, &format!("/* deniable.spend = 1/40 */ {sql}")).await;
        let table = format!("bench.answer{at}");
        theirs.batch_execute(&same(&own, sql, &table, &rows).await).await.unwrap();
        let select = format!("SELECT * FROM {table}");
        assert_eq!(asked(&own, sql).await, asked(&theirs, &select).await, "the rows differ");
        for (way, is_prepared) in [("simple", false), ("prepared", true)] {
            for connections in [1, 16] {
                let mut medians = [Vec::new(), Vec::new()];
                let mut tails = [Vec::new(), Vec::new()];
                for _ in 0..ROUNDS {
                    for (side, (place, sql)) in [(deniable, *sql), (postgres, &select)].into_iter().enumerate() {
                        let times = round(place, sql, is_prepared, connections, rows.len()).await;
                        medians[side].push(percentile(&times, 50));
                        tails[side].push(percentile(&times, 99));
                    }
                }
                println!("{size}, {way}, {connections} at once");
                for (name, times) in [("p50", medians), ("p99", tails)] {
                    let [ours, baseline] = times.map(Spread::of);
                    let times = ours.median / baseline.median;
                    let met = if times <= GOAL { "" } else { ", MORE THAN THE GOAL" };
                    println!(
                        "  {name}: {:.3} ms ({:.3} to {:.3}) of {}, {:.3} ms ({:.3} to {:.3}) of {}: {times:.2} times{met}",
                        ours.median,
                        ours.low,
                        ours.high,
                        deniable.name,
                        baseline.median,
                        baseline.low,
                        baseline.high,
                        postgres.name
                    );
                }
            }
        }
    }
}

/// SQL that creates a table of exactly these rows, with their declared types.
async fn same(client: &Client, sql: &str, table: &str, rows: &[Vec<Option<String>>]) -> String {
    let statement = client.prepare(sql).await.unwrap();
    let columns = statement.columns();
    let declared: Vec<String> = columns.iter().map(|column| format!("{} {}", column.name(), column.type_())).collect();
    let value = |value: &Option<String>| value.as_ref().map_or("NULL".to_owned(), |value| format!("'{value}'"));
    let row = |row: &Vec<Option<String>>| format!("({})", row.iter().map(value).collect::<Vec<_>>().join(", "));
    format!(
        "CREATE TABLE {table} ({}); INSERT INTO {table} VALUES {}; ANALYZE {table}",
        declared.join(", "),
        rows.iter().map(row).collect::<Vec<_>>().join(", ")
    )
}

/// A query without a stored answer.
fn new(at: usize) -> String {
    format!("SELECT sex, COUNT(*) AS n FROM visits WHERE age > {at} GROUP BY sex")
}

async fn charged(place: &Place) -> Vec<f64> {
    let client = place.client().await;
    let mut times = Vec::new();
    for at in 0..CHARGED {
        let begun = Instant::now();
        assert_eq!(asked(&client, &format!("/* deniable.spend = 1/100 */ {}", new(at))).await.len(), 2);
        times.push(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    times
}

/// The same by the command line: <target>/<profile>/deniable, beside <target>/<profile>/deps/<this program>.
fn command(folder: &Path) -> Option<Vec<f64>> {
    let program = std::env::current_exe().unwrap().ancestors().nth(2).map(|folder| folder.join("deniable"));
    let program: PathBuf = program.filter(|program| program.is_file())?;
    let policy = policy(folder);
    Session::new(policy.clone()).unwrap().register(&[]).wait().unwrap();
    std::fs::write(folder.join("policy.toml"), policy.source()).unwrap();
    let mut times = Vec::new();
    for at in 0..CHARGED {
        let begun = Instant::now();
        let mut command = Command::new(&program);
        command.args(["ask", "policy.toml", &new(at), "--spend", "1/100"]).current_dir(folder);
        assert!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
        times.push(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    Some(times)
}
