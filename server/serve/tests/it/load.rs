//! Many concurrent clients, some of which read slowly, cancel queries, or disconnect in the middle of a query: no part
//! is overspent, no request waits for ever, equal queries have equal answers, every charged query has an answer, and
//! memory does not grow with the number of requests.
//!
//! It takes some seconds; a minute at full scale, and ten at `slow`.
#![allow(clippy::print_stdout, reason = "tests say what they measured")]

use super::stream::WatchedConnection;
use super::{RunningServer, alone, asked, csv, running};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_ledger::Part;
use deniable_testing::sized_to_slow;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::Barrier;
use tokio::time::{sleep, timeout};
use tokio_postgres::Client;

/// The number of clients, and the accounts that they share.
const CLIENTS: usize = 64;
const NAMES: [&str; 4] = ["ana", "bo", "cy", "dee"];
/// Different queries, each for 1/`PRICE` of the promise: together they cost more than a part of 1/5.
const QUESTIONS: usize = 25;
const PRICE: i64 = 100;
/// Upper bound of the time of any request on a busy machine; a longer one counts as waiting for ever.
const LONGEST: Duration = Duration::from_secs(120);
/// Allowed growth of memory per request in bytes: half of a leak of a kilobyte.
const BYTES_OF_REQUEST: usize = 512;
/// Further allowed growth under load in megabytes: the records of charges, equally many in every run, and the heap,
/// which grows to the peak of concurrent work. In a one-minute run it is still growing towards that peak (8 MB of 107,
/// with 2 processors); in ten minutes it has reached it (3 MB).
fn megabytes() -> usize {
    sized_to_slow(24, 24, 8)
}
/// With the allocator's default of a heap per thread, memory grows for minutes without a leak.
const ONE_HEAP: &str = "MALLOC_ARENA_MAX";

type Rows = Vec<Vec<Option<String>>>;

struct Load {
    running: RunningServer,
    /// All clients begin when all are connected: proving passwords takes them longer than anything else.
    all: Barrier,
    begun: OnceLock<Instant>,
    length: Duration,
    /// The first answer to each query, which all later ones must equal.
    known: Mutex<BTreeMap<usize, Rows>>,
    requests: AtomicUsize,
    refused: AtomicUsize,
    called_off: AtomicUsize,
    dropped: AtomicUsize,
    turned_away: AtomicUsize,
    /// The time of the slowest request in milliseconds.
    longest: AtomicUsize,
}

fn sql(query: usize) -> String {
    format!("SELECT sex, COUNT(*) AS n FROM t WHERE age > {query} GROUP BY sex")
}

fn paid(query: usize) -> String {
    format!("/* deniable.spend = 1/{PRICE} */ {}", sql(query))
}

/// The resident memory of the process in bytes, on Linux; `None` elsewhere.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Random choices of one client, equal in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

impl Load {
    async fn begin(&self) {
        self.all.wait().await;
        self.begun.get_or_init(Instant::now);
    }

    /// The fraction of the run that has passed.
    fn passed(&self) -> f64 {
        self.begun.get().map_or(0.0, |begun| begun.elapsed().as_secs_f64() / self.length.as_secs_f64())
    }

    fn is_over(&self) -> bool {
        self.passed() >= 1.0
    }

    /// A query. New queries appear until the run is nearly over, so that charges happen all the time.
    fn query(&self, draws: &mut Draws) -> usize {
        let so_far = 1 + (self.passed() / 0.9 * QUESTIONS as f64) as usize;
        draws.below(so_far.min(QUESTIONS))
    }

    /// One request, with a time limit. A request refused because too many of the same account wait is retried, as its
    /// hint says: on a busy machine, queries of disconnected clients may still be waiting.
    async fn request(&self, client: &Client, sql: &str) -> Result<Rows, String> {
        let begun = Instant::now();
        let answer = timeout(LONGEST, async {
            loop {
                let answer = asked(client, sql).await;
                if !answer.as_ref().is_err_and(|code| code == "54000") {
                    return answer;
                }
                self.turned_away.fetch_add(1, Ordering::Relaxed);
                sleep(Duration::from_millis(20)).await;
            }
        });
        let answer = answer.await;
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.longest.fetch_max(usize::try_from(begun.elapsed().as_millis()).unwrap(), Ordering::Relaxed);
        answer.unwrap_or_else(|_| panic!("a request waits for ever: {sql}"))
    }

    /// Whether a query has an answer, which must equal the known one; refusals must have one of these codes.
    fn is_answered(&self, query: usize, answer: &Result<Rows, String>, codes: &[&str]) -> bool {
        match answer {
            Ok(rows) => {
                let mut known = self.known.lock().unwrap();
                assert_eq!(
                    known.entry(query).or_insert_with(|| rows.clone()),
                    rows,
                    "equal queries have equal answers"
                );
                true
            }
            Err(code) => {
                assert!(codes.contains(&code.as_str()), "{code} refuses query {query}");
                self.refused.fetch_add(1, Ordering::Relaxed);
                false
            }
        }
    }

    /// Pays for a query, and then sends it without a price: a paid answer is free.
    async fn pays(&self, client: &Client, query: usize) {
        let answer = self.request(client, &paid(query)).await;
        if self.is_answered(query, &answer, &["42501"]) {
            assert_eq!(self.request(client, &sql(query)).await, answer, "a paid answer is free");
        }
    }

    async fn asks(&self, user: &str, mut draws: Draws) {
        let client = self.running.client(user).await;
        self.begin().await;
        while !self.is_over() {
            self.pays(&client, self.query(&mut draws)).await;
        }
    }

    /// Sends all queries, beginning with `from`: more than a part pays for.
    async fn asks_all(&self, user: &str, from: usize) {
        let client = self.running.client(user).await;
        for query in (from..QUESTIONS).chain(0..from) {
            self.pays(&client, query).await;
        }
    }

    /// Sends many queries at once, and reads the answers slowly.
    async fn reads_slowly(&self, user: &str, mut draws: Draws) {
        let (client, _connection) = self.running.connected(user, WatchedConnection::slowly).await;
        self.begin().await;
        while !self.is_over() {
            let query = self.query(&mut draws);
            let answer = self.request(&client, &paid(query)).await;
            if self.is_answered(query, &answer, &["42501"]) {
                const TIMES: usize = 100;
                let all = self.request(&client, &format!("{};", sql(query)).repeat(TIMES)).await.unwrap();
                assert_eq!(all, vec![answer.unwrap(); TIMES].concat());
            }
        }
    }

    /// Cancels its queries; then it repeats them, and gets the known answers.
    async fn calls_off(&self, user: &str, mut draws: Draws) {
        let client = self.running.client(user).await;
        self.begin().await;
        while !self.is_over() {
            let query = self.query(&mut draws);
            let patience = Duration::from_millis(draws.below(40) as u64);
            let text = paid(query);
            let (answer, ()) = tokio::join!(self.request(&client, &text), async {
                sleep(patience).await;
                self.running.call_off(&client).await;
            });
            if answer == Err("57014".to_owned()) {
                self.called_off.fetch_add(1, Ordering::Relaxed);
            }
            self.is_answered(query, &answer, &["42501", "57014"]);
            self.pays(&client, query).await;
        }
    }

    /// Disconnects in the middle of its queries; then it reconnects, and gets the known answers.
    async fn goes_away(&self, user: &str, mut draws: Draws) {
        self.begin().await;
        while !self.is_over() {
            let query = self.query(&mut draws);
            let patience = Duration::from_millis(draws.below(40) as u64);
            let (client, connection) = self.running.connected(user, WatchedConnection::plainly).await;
            let text = paid(query);
            tokio::select! {
                answer = self.request(&client, &text) => {
                    self.is_answered(query, &answer, &["42501"]);
                }
                () = sleep(patience) => {
                    self.dropped.fetch_add(1, Ordering::Relaxed);
                }
            }
            connection.abort();
            let client = self.running.client(user).await;
            self.pays(&client, query).await;
            // Proving a password takes the client longer than the server needs for an answer.
            sleep(Duration::from_millis(200)).await;
        }
    }
}

/// The maximum and minimum of memory during a part of a run, and the number of requests at its end.
async fn watched(load: &Load, from: f64, to: f64) -> Option<(usize, usize, usize)> {
    sleep(load.length.mul_f64(from - load.passed().min(from))).await;
    let mut seen = Vec::new();
    while seen.is_empty() || load.passed() < to {
        seen.push(resident()?);
        sleep(load.length / 200).await;
    }
    let requests = load.requests.load(Ordering::Relaxed);
    Some((*seen.iter().max()?, *seen.iter().min()?, requests))
}

#[tokio::test(flavor = "multi_thread")]
async fn many_clients() {
    let _alone = alone().await;
    if std::env::var_os(ONE_HEAP).is_none() {
        // In a separate process, so that no other test uses its memory.
        let mut own = Command::new(std::env::current_exe().unwrap());
        own.args(["--exact", "it::load::many_clients", "--nocapture"]).env(ONE_HEAP, "1");
        let ended = tokio::task::spawn_blocking(move || own.status()).await.unwrap().unwrap();
        assert!(ended.success(), "the run in a process of its own failed");
        return;
    }
    let part = ratio(1, 5);
    let parts: Vec<(&str, Rational)> = NAMES.iter().map(|name| (*name, part.clone())).collect();
    let load = Arc::new(Load {
        running: running(&csv(500, 0), Duration::from_millis(10), &parts).await,
        all: Barrier::new(CLIENTS + 1),
        begun: OnceLock::new(),
        length: Duration::from_secs(sized_to_slow(6, 20, 600)),
        known: Mutex::default(),
        requests: AtomicUsize::new(0),
        refused: AtomicUsize::new(0),
        called_off: AtomicUsize::new(0),
        dropped: AtomicUsize::new(0),
        turned_away: AtomicUsize::new(0),
        longest: AtomicUsize::new(0),
    });
    let one = |number: usize| {
        let (load, draws) = (Arc::clone(&load), Draws(number as u64));
        let user = NAMES[number % NAMES.len()];
        tokio::spawn(async move {
            match number / NAMES.len() % 8 {
                0 => load.reads_slowly(user, draws).await,
                1 => load.calls_off(user, draws).await,
                2 => load.goes_away(user, draws).await,
                _ => load.asks(user, draws).await,
            }
        })
    };
    let clients: Vec<_> = (0..CLIENTS).map(one).collect();
    load.begin().await;
    // By then, caches of queries are full; later growth is growth per request.
    let early = watched(&load, 0.3, 0.4).await;
    let late = watched(&load, 0.9, 1.0).await;
    for client in clients {
        client.await.unwrap();
    }
    // Parts are used up at the end by concurrent queries, however few there were until then.
    let rest = (0..2 * NAMES.len()).map(|number| {
        let load = Arc::clone(&load);
        tokio::spawn(async move { load.asks_all(NAMES[number % NAMES.len()], number * QUESTIONS / 8).await })
    });
    for one in rest.collect::<Vec<_>>() {
        one.await.unwrap();
    }
    let count = |counted: &AtomicUsize| counted.load(Ordering::Relaxed);
    let (requests, refused) = (count(&load.requests), count(&load.refused));
    let (called_off, dropped) = (count(&load.called_off), count(&load.dropped));
    assert!(refused > 0 && called_off > 0 && dropped > 0, "{called_off} queries were cancelled, and {dropped} dropped");
    charged_is_answered(&load, &part).await;
    println!(
        "{requests} requests, {refused} refused, {called_off} cancelled, {dropped} dropped, {} turned away; the longest took {} ms",
        count(&load.turned_away),
        count(&load.longest)
    );
    if let (Some((before, _, by_then)), Some((_, after, _))) = (early, late) {
        // From the maximum before to the minimum after, so that fluctuations do not count as growth.
        let (growth, between) = (after.saturating_sub(before), requests - by_then);
        println!("memory grew by {growth} bytes, to {after}, in {between} requests");
        let most = (megabytes() << 20) + between * BYTES_OF_REQUEST;
        // A run of ten minutes has enough requests to show a leak of a kilobyte in each; leaks of one kind of request
        // are found by the next test.
        assert!(growth <= most, "memory grew by {growth} bytes in {between} requests");
    }
}

/// Charges are never repeated or refunded, and every charge has an answer, which is free.
async fn charged_is_answered(load: &Load, part: &Rational) {
    let charges = |name: &str| {
        let account = load.running.ledger().accounts.remove(0);
        let promise = account.guarantee.limit().clone();
        let spent = account.part(name).unwrap().spent.exact_part_of(&promise).unwrap();
        assert!(account.spent.exact_part_of(&promise).unwrap() <= whole(1));
        let own = account.releases.into_iter().filter(|release| release.part == Part::Named(name.to_owned()));
        (spent, own.collect::<Vec<_>>())
    };
    for name in NAMES {
        let client = load.running.client(name).await;
        // The last cancelled query may still be running: reading the releases waits for it.
        load.request(&client, "SELECT * FROM deniable.releases").await.unwrap();
        let (spent, own) = charges(name);
        assert!(!own.is_empty(), "{name} has no charges");
        assert_eq!(spent, ratio(i64::try_from(own.len()).unwrap(), PRICE), "{name}");
        assert_eq!(&spent, part, "{name}: the part is used up, and not exceeded");
        for charge in &own {
            assert!(charge.answer.is_some(), "{name} paid for {} and has no answer", charge.query.sql);
            let query = (0..QUESTIONS).find(|query| sql(*query) == charge.query.sql).unwrap();
            let answer = load.request(&client, &sql(query)).await;
            assert!(load.is_answered(query, &answer, &[]), "a paid answer is lost: {}", charge.query.sql);
        }
        assert_eq!(charges(name).0, spent, "a free answer was charged");
    }
}

/// Allowed growth of memory per round in bytes while the heap settles: a few pages.
const PAGES: usize = 16 << 10;
/// Kinds of requests, and how many of each are made per round: enough that a leak of a kilobyte per request exceeds the
/// limit.
const KINDS: [(&str, usize); 6] = [
    ("answered", 200),
    ("own tables", 200),
    ("catalogs", 200),
    ("refused", 100),
    ("reconnecting", 40),
    ("cancelled", 100),
];

/// Repeated requests of one client leave nothing in memory. A single client keeps the allocator's heaps stable.
#[tokio::test(flavor = "multi_thread")]
async fn repeated_requests_do_not_grow_memory() {
    let _alone = alone().await;
    let running = running(&csv(500, 0), Duration::from_millis(10), &[("ana", ratio(1, 5))]).await;
    let client = running.client("ana").await;
    asked(&client, &paid(0)).await.unwrap();
    for (kind, times) in KINDS {
        let mut growths = Vec::new();
        for _ in 0..sized_to_slow(5, 6, 20) {
            let Some(before) = resident() else { return };
            for at in 0..times {
                match kind {
                    "answered" => drop(asked(&client, &sql(0)).await.unwrap()),
                    "own tables" => drop(asked(&client, "SELECT * FROM deniable.budget").await.unwrap()),
                    "catalogs" => drop(asked(&client, "SELECT relname FROM pg_class").await.unwrap()),
                    "refused" => drop(asked(&client, &sql(1 + at)).await.unwrap_err()),
                    "reconnecting" => drop(running.client("ana").await),
                    _ => {
                        let text = sql(0);
                        drop(tokio::join!(asked(&client, &text), running.call_off(&client)));
                    }
                }
            }
            growths.push(resident().unwrap_or_default().saturating_sub(before));
        }
        println!("{kind}: {growths:?} bytes more after {times} requests each");
        // A leak per request would grow memory in every round.
        let least = *growths.iter().min().unwrap();
        assert!(least <= PAGES + times * BYTES_OF_REQUEST, "{kind}: {growths:?} bytes after {times} requests each");
    }
}
