//! Neighbouring data through the wire. Two servers whose rows differ in one person send every client the same bytes,
//! except for noisy numbers: rows, their number, order and keys, which values are NULL, descriptions, errors with all
//! their fields, notices, tags, catalogs, the server's own tables, costs of answers, and the curator's metrics.
//!
//! Random tables and queries, as in crates/engine/sql's test of the same property (`it::differential`), in files;
//! intact, damaged, and with settings; by the simple and by the extended protocol, with cursors and with COPY. HAVING,
//! ORDER BY and LIMIT are excluded, because noise decides their result.
#![allow(clippy::print_stdout, reason = "tests say what they measured")]

use super::generate::Dice;
use super::generate::always::{CertainPart, always};
use super::generate::hostile::Hostile;
use super::mutants::Mutant;
use super::stream::{HeardBytes, WatchedConnection};
use super::{RunningServer, SECRET, alone, serving};
use deniable::{Policy, PolicyBuilder, Query};
use deniable_core::exact::ratio;
use deniable_core::schema::TableSchema;
use deniable_query::output::Term;
use deniable_serve::beside::NumberColumns;
use deniable_serve::rows::columns;
use deniable_testing::sized_to_slow;
use futures_util::TryStreamExt;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_postgres::Client;

/// Queries to each pair of servers; at this price they cost more than half of the promise.
const QUESTIONS: usize = 20;
const PRICE: i64 = 32;
const NAME: &str = "ana";
/// Maximum number of conversations with a leaking server until it is detected.
const CONVERSATIONS: u64 = 40;

/// Queries that do not depend on rows, or that must be refused.
const FIXED: [&str; 24] = [
    "SELECT relname, reltuples, relpages, relkind FROM pg_class ORDER BY oid",
    "SELECT attname, atttypid, attnum FROM pg_attribute ORDER BY attrelid, attnum",
    "SELECT * FROM pg_stats",
    "SELECT * FROM pg_stat_user_tables",
    "SELECT * FROM information_schema.columns",
    "SELECT objoid, description FROM pg_description",
    "SHOW ALL",
    "SELECT * FROM deniable.promise",
    "SELECT * FROM t WHERE person = 'one'",
    "SELECT person, COUNT(*) FROM t GROUP BY person",
    "SELECT note FROM t",
    "SELECT COUNT(*) FROM t HAVING COUNT(*) > (SELECT 1 / 0)",
    "SELECT SUM(CAST(note AS BIGINT)) FROM t WHERE person = 'one'",
    "SELECT SUM(1 / (n - 3)) FROM t WHERE person = 'one'",
    "SELECT 1 / (COUNT(*) - COUNT(*)) FROM t WHERE person = 'one'",
    "SELECT COUNT(*) FROM t, u WHERE person = 'one'",
    "SELECT COUNT(*) FROM nothing",
    "SELECT COUNT(nothing) FROM t",
    "SELECT (SELECT COUNT(*) FROM t WHERE person = 'one') AS x",
    "SELECT COUNT(*) FROM t UNION SELECT COUNT(*) FROM t WHERE person = 'one'",
    "SELECT COUNT(*) FROM pg_class, t",
    "UPDATE t SET n = 1 WHERE person = 'one'",
    "SELECT pg_sleep(1) FROM t WHERE person = 'one'",
    "SELECT grp, COUNT(*) FROM simulated.t GROUP BY grp",
];

/// A policy for the tables of a schema.
fn policy(folder: &Path, tables: &[TableSchema]) -> Policy {
    let builder = PolicyBuilder::new("clinic", "people").in_folder(folder).table("t", "t.csv", "1");
    let builder = tables[0].columns.iter().fold(builder, PolicyBuilder::column);
    let builder = match &tables[0].entity {
        Some(entity) => builder.entity(&entity.key, entity.caps.rows_per_group, entity.caps.groups),
        None => builder,
    };
    let builder = tables[1..].iter().fold(builder, further);
    builder
        .adversary("acquaintance")
        .promise("posterior_at_most", &ratio(3, 4))
        .query("all", "SELECT COUNT(*) FROM t")
        .build()
        .unwrap()
}

fn further(builder: PolicyBuilder, table: &TableSchema) -> PolicyBuilder {
    let at = ["tables", table.name.as_str()];
    let builder = builder.set(&at, "path", format!("{}.csv", table.name)).set(&at, "version", "1");
    let builder = match (&table.entity, &table.public_key) {
        (Some(entity), _) => builder.set(&at, "entity", entity.key.as_str()),
        (None, Some(key)) => builder.set(&at, "unprotected", true).set(&at, "key", key.as_str()),
        (None, None) => builder,
    };
    table.columns.iter().fold(builder, |builder, column| builder.column_of(&table.name, column))
}

/// The allowed difference of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mask {
    Exact,
    /// The number may differ, but not whether it is NULL.
    Number,
    Anything,
}

/// The allowed difference of each column of an answer, including the columns beside numbers; `None` if the query is
/// refused.
fn masks(policy: &Policy, sql: &str, beside: &NumberColumns) -> Option<Vec<Mask>> {
    let query = Query::new("query", sql, ratio(1, PRICE));
    let plan = query.plan(policy).ok()?;
    let query = plan.queries().first()?.query();
    let plain = columns(query, &NumberColumns::default()).ok()?;
    let mut all = columns(query, beside).ok()?.into_iter().peekable();
    let mut masks = Vec::new();
    for (at, (column, term)) in plain.iter().zip(&query.output().columns).enumerate() {
        assert_eq!(all.next().as_ref(), Some(column));
        let is_public = matches!(term, Term::Key(_) | Term::Grouping(_) | Term::Text(_) | Term::Null);
        let always = always(term, query);
        masks.push(match always {
            _ if is_public => Mask::Exact,
            CertainPart::Number => Mask::Number,
            CertainPart::Interval | CertainPart::Nothing => Mask::Anything,
        });
        while all.peek().is_some() && all.peek() != plain.get(at + 1) {
            let ending = all.next().unwrap().name;
            let is_end = ending.ends_with("_low") || ending.ends_with("_high");
            masks.push(match always {
                CertainPart::Number => Mask::Number,
                CertainPart::Interval if is_end => Mask::Number,
                CertainPart::Interval | CertainPart::Nothing => Mask::Anything,
            });
        }
    }
    Some(masks)
}

/// The messages that a client reads, with allowed differences masked.
fn seen(heard: &[u8], masks: &[Mask]) -> Vec<String> {
    let mut rest = heard;
    let mut all = Vec::new();
    while let [letter, length @ ..] = rest {
        let length = usize::try_from(i32::from_be_bytes(length[..4].try_into().unwrap())).unwrap();
        let body = &rest[5..=length];
        rest = &rest[length + 1..];
        all.extend(match letter {
            // Cancellation keys and SCRAM messages are random.
            b'K' | b'R' => Some(format!("{}", char::from(*letter))),
            b'D' => Some(format!("D {}", row(body, masks))),
            b'd' => Some(format!("d {}", line(body, masks))),
            b'N' => notice(body),
            _ => Some(format!("{} {}", char::from(*letter), body.escape_ascii())),
        });
    }
    all
}

fn shown(value: Option<&[u8]>, mask: Mask) -> String {
    match (value, mask) {
        (_, Mask::Anything) => "anything".to_owned(),
        (Some(_), Mask::Number) => "a number".to_owned(),
        (Some(bytes), Mask::Exact) => bytes.escape_ascii().to_string(),
        (None, _) => "NULL".to_owned(),
    }
}

fn mask(masks: &[Mask], at: usize) -> Mask {
    masks.get(at).copied().unwrap_or(Mask::Exact)
}

fn row(body: &[u8], masks: &[Mask]) -> String {
    let (count, mut rest) = (u16::from_be_bytes([body[0], body[1]]), &body[2..]);
    let mut text = format!("{count}:");
    for at in 0..usize::from(count) {
        let length = i32::from_be_bytes(rest[..4].try_into().unwrap());
        rest = &rest[4..];
        let bytes = usize::try_from(length).ok().map(|length| {
            let (bytes, behind) = rest.split_at(length);
            rest = behind;
            bytes
        });
        let _ = write!(text, " [{}]", shown(bytes, mask(masks, at)));
    }
    assert!(rest.is_empty());
    text
}

/// A line of COPY data.
fn line(body: &[u8], masks: &[Mask]) -> String {
    let fields = body.split(|byte| *byte == b'\t').map(|field| (!field.starts_with(b"\\N")).then_some(field));
    let fields = fields.enumerate().map(|(at, field)| shown(field, mask(masks, at)));
    fields.collect::<Vec<_>>().join(" | ")
}

/// A notice without the lines on whether noisy numbers are usable; `None` if no other line remains.
fn notice(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let fields: Vec<&str> = text.split('\0').collect();
    let without = |field: &&str| -> String {
        let lines = field.split('\n').filter(|line| !line.contains(" not usable: "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let kept: Vec<String> = fields.iter().map(without).collect();
    let is_left =
        fields.iter().zip(&kept).all(|(field, kept)| field.is_empty() || !kept.trim_start_matches('D').is_empty());
    is_left.then(|| format!("N {kept:?}"))
}

/// The way in which a query is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum QueryMode {
    Simple,
    Extended,
    Cursor,
    Copy,
}

const HOWS: [QueryMode; 4] = [QueryMode::Simple, QueryMode::Extended, QueryMode::Cursor, QueryMode::Copy];

/// One of two servers, and a client of it that records every byte.
struct Side {
    running: RunningServer,
    client: Client,
    heard: HeardBytes,
}

impl Side {
    async fn of(hostile: &Hostile, world: usize, mutant: Option<Mutant>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tables = &hostile.shape.tables;
        let kept = hostile.worlds()[world];
        for (at, table) in tables.iter().enumerate() {
            // Bytes that are not UTF-8 would make a file that no curator can register.
            let text = String::from_utf8_lossy(&hostile.csv(at, &kept)).into_owned();
            fs::write(folder.path().join(format!("{}.csv", table.name)), text).unwrap();
        }
        let policy = policy(folder.path(), tables);
        let names = tables.iter().flat_map(|table| table.columns.iter().map(|column| (&table.name, &column.name)));
        let quirks = ["csv:bare-quotes", "csv:line-ends", "csv:lone-returns"];
        let quirks = tables.iter().flat_map(|table| quirks.map(|quirk| format!("{}.{quirk}", table.name)));
        let names: Vec<String> = names.map(|(table, column)| format!("{table}.{column}")).chain(quirks).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let rows = hostile.batch(0, &kept).num_rows() as u64;
        let before = |served| mutant.map_or(Arc::clone(&served), |mutant| mutant.before(served, rows));
        let running = serving(folder, policy, &names, Duration::ZERO, &[(NAME, ratio(1, 2))], before).await;
        let heard = HeardBytes::default();
        let (client, _) = running.connected(NAME, |tcp| WatchedConnection::heard_by(tcp, &heard)).await;
        Self { running, client, heard }
    }

    /// Sends a query, and returns the messages read.
    async fn asked(&self, sql: &str, how: QueryMode, masks: &[Mask]) -> Vec<String> {
        // A refusal is among the messages read.
        match how {
            QueryMode::Simple => drop(self.client.simple_query(sql).await),
            QueryMode::Extended => drop(self.client.query(sql, &[]).await),
            QueryMode::Cursor => {
                let sql = format!("BEGIN; DECLARE c CURSOR FOR {sql}; FETCH 2 FROM c; MOVE 1 FROM c; FETCH ALL FROM c");
                drop(self.client.simple_query(&sql).await);
                drop(self.client.simple_query("ROLLBACK").await);
            }
            QueryMode::Copy => {
                if let Ok(copied) = self.client.copy_out(&format!("COPY ({sql}) TO STDOUT")).await {
                    drop(Box::pin(copied).try_collect::<Vec<_>>().await);
                }
            }
        }
        // After the reply to this query, all earlier messages have arrived.
        self.client.simple_query("").await.unwrap();
        let heard = std::mem::take(&mut *self.heard.lock().unwrap());
        seen(&heard, masks)
    }

    /// The curator's metrics, without the time that answers took.
    async fn counted(&self) -> String {
        let mut tcp = TcpStream::connect(self.running.metrics).await.unwrap();
        let head =
            format!("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {SECRET}\r\n\r\n");
        tcp.write_all(head.as_bytes()).await.unwrap();
        let mut text = String::new();
        tcp.read_to_string(&mut text).await.unwrap();
        assert!(text.contains("\ndeniable_charged_total "), "{text}");
        text.lines().filter(|line| !line.starts_with("date: ") && !line.starts_with("deniable_steps_total ")).collect()
    }
}

/// Two servers over neighbouring rows.
struct ServerPair {
    sides: [Side; 2],
    policy: Policy,
    /// Answered paid queries by mode, then the numbers of refused statements and of rows.
    answered: BTreeMap<QueryMode, usize>,
    refused: usize,
    rows: usize,
    differences: Vec<String>,
}

impl ServerPair {
    async fn of(hostile: &Hostile, neighbour: usize, mutant: Option<Mutant>) -> Self {
        let sides = [Side::of(hostile, 0, mutant).await, Side::of(hostile, neighbour, mutant).await];
        let policy = policy(Path::new("."), &hostile.shape.tables);
        Self { sides, policy, answered: BTreeMap::new(), refused: 0, rows: 0, differences: Vec::new() }
    }

    /// Sends a query to both servers, and returns whether it was answered.
    async fn ask(&mut self, sql: &str, how: QueryMode, masks: &[Mask]) -> bool {
        let (one, other) = tokio::join!(self.sides[0].asked(sql, how, masks), self.sides[1].asked(sql, how, masks));
        self.rows += one.iter().filter(|told| told.starts_with("D ") || told.starts_with("d ")).count();
        let is_refused = one.iter().any(|told| told.starts_with("E "));
        self.refused += usize::from(is_refused);
        if one != other {
            let differ = one.iter().zip(&other).find(|(one, other)| one != other);
            let (one, other) = (one.len(), other.len());
            self.differences.push(format!("{how:?} {sql}\n{one} and {other} messages: {differ:#?}"));
        }
        !is_refused
    }

    /// Sends a query in every mode, before and after it is paid for.
    async fn query(&mut self, sql: &str, dice: &mut Dice) {
        let beside = NumberColumns { intervals: dice.chance(30), quality: dice.chance(30), columns: None };
        // Of several statements in one text, only the first can be an answered query.
        let first = || masks(&self.policy, sql.split(';').next().unwrap_or_default(), &beside);
        let masks = masks(&self.policy, sql, &beside).or_else(first).unwrap_or_default();
        let is_on = |on: bool| if on { "on" } else { "off" };
        let set = format!(
            "SET deniable.intervals = {}; SET deniable.quality = {}",
            is_on(beside.intervals),
            is_on(beside.quality)
        );
        self.ask(&set, QueryMode::Simple, &[]).await;
        self.ask(&format!("EXPLAIN {sql}"), QueryMode::Simple, &[]).await;
        let [first, again] = [*dice.pick(&HOWS), *dice.pick(&HOWS)];
        if dice.chance(20) {
            self.ask(sql, first, &masks).await;
        }
        if self.ask(&format!("/* deniable.spend = 1/{PRICE} */ {sql}"), first, &masks).await {
            *self.answered.entry(first).or_default() += 1;
        }
        self.ask(sql, again, &masks).await;
    }

    /// Sends all queries to a pair of servers; stops at the first difference.
    async fn conversation(&mut self, hostile: &Hostile, questions: usize, dice: &mut Dice) {
        // The messages of the startup.
        self.ask("", QueryMode::Simple, &[]).await;
        for (at, sql) in FIXED.iter().enumerate() {
            // Answers on made-up rows are not paid for, but contain noise.
            let masks = masks(&self.policy, &sql.replace("simulated.", ""), &NumberColumns::default());
            self.ask(sql, HOWS[at % 2], &masks.unwrap_or_default()).await;
        }
        self.own_tables().await;
        for number in 0..questions {
            let sql = hostile.question(dice);
            if dice.chance(25) {
                let sql = damaged(&sql, dice);
                self.query(&sql, dice).await;
            }
            self.query(&sql, dice).await;
            if number % 5 == 4 {
                self.own_tables().await;
            }
            if !self.differences.is_empty() {
                return;
            }
        }
    }

    async fn own_tables(&mut self) {
        for sql in [
            "SELECT number, sql, share, odds, published, answered FROM deniable.releases",
            "SELECT * FROM deniable.budget",
        ] {
            self.ask(sql, QueryMode::Simple, &[]).await;
            self.ask(sql, QueryMode::Extended, &[]).await;
        }
        let [one, other] = [self.sides[0].counted().await, self.sides[1].counted().await];
        if one != other {
            self.differences.push(format!("counts\n{one}\n{other}"));
        }
    }
}

/// A text with a random typing error.
fn damaged(sql: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = sql.chars().collect();
    let at = usize::try_from(dice.below(letters.len() as u64)).unwrap();
    match dice.below(4) {
        0 => letters.truncate(at),
        1 => letters[at] = *dice.pick(&['\'', '(', ')', ',', '9', '\u{e9}', ';', '*']),
        2 => drop(letters.remove(at)),
        _ => {
            let words: Vec<&str> = sql.split(' ').collect();
            let at = usize::try_from(dice.below(words.len() as u64)).unwrap();
            let other = *dice.pick(&["person", "note", "'one'", "NULL", "t", "COUNT(*)", "nothing"]);
            return words
                .iter()
                .enumerate()
                .map(|(place, word)| if place == at { other } else { word })
                .fold(String::new(), |text, word| if text.is_empty() { word.to_owned() } else { text + " " + word });
        }
    }
    letters.into_iter().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn neighbouring_data_give_equal_bytes_except_noise() {
    let _alone = alone().await;
    let mut dice = Dice::new(22);
    let (mut answered, mut refused, mut rows, mut asked) = (BTreeMap::new(), 0, 0, 0);
    for schema in 0..sized_to_slow(2, 4, 150) {
        let hostile = Hostile::random(&mut dice);
        let neighbour = 1 + schema % (hostile.worlds().len() - 1);
        let mut both = ServerPair::of(&hostile, neighbour, None).await;
        both.conversation(&hostile, QUESTIONS, &mut dice).await;
        assert!(both.differences.is_empty(), "{}", both.differences[0]);
        asked += QUESTIONS;
        both.answered.iter().for_each(|(how, count)| *answered.entry(*how).or_insert(0) += count);
        refused += both.refused;
        rows += both.rows;
    }
    println!(
        "{asked} queries to neighbours, paid for and answered: {answered:?}; {refused} statements refused, {rows} rows"
    );
    // The last query of each schema and the mistyped queries are refused.
    assert!(2 * answered.values().sum::<usize>() > asked, "{answered:?}");
    assert!(HOWS.iter().all(|how| answered.contains_key(how)), "{answered:?}");
    assert!(refused > asked, "{refused} refused");
}

/// Servers that leak information about the rows are detected, each by a few queries. Noise decides the order of the
/// groups and which of them look empty, and may decide it equally on both sides, so a conversation without a difference
/// is followed by another one, with another table and fresh noise. If each conversation misses the leak with a
/// probability of at most 7/10, all of them miss it in less than one of 10^6 runs.
#[tokio::test(flavor = "multi_thread")]
async fn leaking_servers_are_detected() {
    let _alone = alone().await;
    for mutant in Mutant::ALL {
        let mut is_found = false;
        for seed in 23..23 + CONVERSATIONS {
            let mut dice = Dice::new(seed);
            let hostile = Hostile::random(&mut dice);
            let mut both = ServerPair::of(&hostile, 1, Some(mutant)).await;
            both.conversation(&hostile, QUESTIONS, &mut dice).await;
            is_found = !both.differences.is_empty();
            if is_found {
                break;
            }
        }
        assert!(is_found, "{mutant:?} is not detected");
    }
}
