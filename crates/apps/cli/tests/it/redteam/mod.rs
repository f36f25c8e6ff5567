//! An attacker with the command and the server: data sets that differ in one person, and processes that are killed,
//! interrupted, timed out, run concurrently and repeated (P-1).
//!
//! There are two checks. The entries of the ledger, read independently of the product, show how often a draw was begun
//! for each charge: at most once. At the scale `slow` (`scripts/slow redteam`), the product's own audit computes
//! a lower bound on what the attacker's observations reveal, which must not exceed what the ledger records as paid.
//! Attacks whose kills depend on the noise are in deniable-protocol.

mod command;
#[cfg(feature = "serve")]
mod server;

use crate::support::Place;
use deniable_audit::{Cell, Mechanism, MechanismError, Neighbours, Outputs, Pair, Settings, audit};
use deniable_core::budget::Spend;
use deniable_core::exact::whole;
use deniable_testing::seed;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The rows of one data set; the neighbour has one more.
const PEOPLE: i64 = 10;
/// The fewest samples of an audit.
const SAMPLES: u64 = 1_000;
/// The number of entries of a run when its charge, and when the beginning of its draw, is on disk.
const CHARGED: u64 = 1;
const DRAWING: u64 = 2;

/// The attacker's observation of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    Number(i64),
    /// The run ended without an answer.
    Ended,
    /// A refusal with a reason.
    Refused,
}

/// One attack on one ledger.
#[derive(Debug)]
struct Attempt {
    attack: &'static str,
    sights: Vec<Sight>,
    draws: Draws,
}

/// The charges of one query, and the draws that were begun for each.
#[derive(Debug)]
struct Draws {
    by_charge: BTreeMap<i64, usize>,
    /// Charges without numbers although their draw was begun.
    dead: usize,
}

impl Draws {
    /// Reads the entries of a ledger that charge queries with this text, and the draws for them.
    fn read(place: &Place, text: &str) -> Self {
        let ledger = Connection::open(place.path("people.ledger")).unwrap();
        ledger.busy_timeout(Duration::from_secs(20)).unwrap();
        let mut entries = ledger.prepare("SELECT seq, kind, payload FROM entries ORDER BY seq").unwrap();
        let entry = |row: &rusqlite::Row<'_>| {
            let payload: String = row.get(2)?;
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, serde_json::from_str(&payload).unwrap()))
        };
        let mut by_charge = BTreeMap::new();
        let mut unfinished: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        for entry in entries.query_map([], entry).unwrap() {
            let (seq, kind, payload): (i64, String, serde_json::Value) = entry.unwrap();
            match kind.as_str() {
                "charged" if payload["query"]["sql"].as_str().unwrap().contains(text) => {
                    by_charge.insert(seq, 0);
                }
                "drawing" => {
                    let charges = payload["charges"].as_array().unwrap().iter().map(|charge| charge.as_i64().unwrap());
                    let own: BTreeSet<i64> = charges.filter(|charge| by_charge.contains_key(charge)).collect();
                    own.iter().for_each(|charge| *by_charge.get_mut(charge).unwrap() += 1);
                    unfinished.insert(seq, own);
                }
                "drawn" | "drawn-in-file" => {
                    unfinished.remove(&payload["drawing"].as_i64().unwrap());
                }
                _ => {}
            }
        }
        Self { by_charge, dead: unfinished.values().map(BTreeSet::len).sum() }
    }
}

/// Checks one attempt: all runs show the same number, and no charge has two draws.
#[track_caller]
fn check(attempt: &Attempt) {
    let numbers = attempt.sights.iter().filter_map(|sight| match sight {
        Sight::Number(number) => Some(*number),
        Sight::Ended | Sight::Refused => None,
    });
    let numbers: BTreeSet<i64> = numbers.collect();
    assert!(numbers.len() <= 1, "one payment has two answers: {attempt:?}");
    assert!(attempt.draws.by_charge.values().all(|draws| *draws <= 1), "a charge is drawn again: {attempt:?}");
}

/// Numbers of runs without an answer and of dead charges, and the largest amount paid for one query.
#[derive(Debug, Default)]
struct Tally {
    attempts: usize,
    ended: usize,
    dead: usize,
    most_charges: usize,
}

impl Tally {
    fn count(&mut self, attempt: &Attempt) {
        self.attempts += 1;
        self.ended += attempt.sights.iter().filter(|sight| **sight == Sight::Ended).count();
        self.dead += attempt.draws.dead;
        self.most_charges = self.most_charges.max(attempt.draws.by_charge.len());
    }
}

/// An attacker who uses an unused ledger or query for each attack. A charge costs epsilon = 1.
trait Attacker: Send {
    /// A random kind of attack.
    fn kind(&mut self) -> &'static str;

    /// An attack of this kind on the data set with this many people.
    fn attack(&mut self, attack: &'static str, people: i64) -> Attempt;
}

struct SampledAttack<A> {
    attacker: A,
    tally: Arc<Mutex<Tally>>,
}

impl<A: Attacker> Mechanism for SampledAttack<A> {
    fn sample(&mut self, input: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
        for _ in 0..times {
            let attack = self.attacker.kind();
            let attempt = self.attacker.attack(attack, input[0]);
            check(&attempt);
            self.tally.lock().unwrap().count(&attempt);
            out.word(attempt.attack);
            for sight in attempt.sights {
                match sight {
                    Sight::Number(number) => out.cell(Cell::Integer(number)),
                    Sight::Ended => out.word("ended"),
                    Sight::Refused => out.word("refused"),
                }
            }
            out.end();
        }
        Ok(())
    }
}

/// Audits the attackers' observations against the amount paid. Returns the tally.
fn audited<A: Attacker + 'static>(what: &str, attackers: Vec<A>) -> Tally {
    let begun = Instant::now();
    let tally = Arc::new(Mutex::new(Tally::default()));
    let sampled = |attacker| -> Box<dyn Mechanism> { Box::new(SampledAttack { attacker, tally: Arc::clone(&tally) }) };
    let mut workers: Vec<Box<dyn Mechanism>> = attackers.into_iter().map(sampled).collect();
    let neighbours = Neighbours::listed(vec![Pair::new(vec![PEOPLE], vec![PEOPLE + 1])]);
    let settings = Settings { samples: SAMPLES, error: 1e-6, pairs: 1, seed: Some(seed(41)) };
    let verdict = audit(&mut workers, &neighbours, None, &settings).unwrap();
    let tally = std::mem::take(&mut *tally.lock().unwrap());
    let paid = Spend::epsilon(whole(i64::try_from(tally.most_charges).unwrap())).unwrap();
    eprintln!("redteam, {what}: {tally:?}, {:?}; paid {}, {verdict}", begun.elapsed(), paid.in_words());
    assert!(verdict.odds() <= paid.odds_at_most(), "{verdict}, and {} was paid", paid.in_words());
    tally
}

/// The short form: this many attacks of random kinds, then kills of draws until some of them hit one.
fn attacked(what: &str, attacker: &mut impl Attacker, attacks: usize) -> Tally {
    let mut tally = Tally::default();
    while tally.attempts < attacks || tally.dead < 3 && tally.attempts < 10 * attacks {
        let attack = if tally.attempts < attacks { attacker.kind() } else { "draw" };
        let more = i64::from(tally.attempts % 2 == 1);
        let attempt = attacker.attack(attack, PEOPLE + more);
        check(&attempt);
        tally.count(&attempt);
    }
    eprintln!("redteam, {what}: {tally:?}");
    tally
}

/// A folder with a policy over this many people, and a promise of this epsilon.
fn place(epsilon: i64, people: i64) -> Place {
    let place = Place::in_memory();
    place.write(
        "policy.toml",
        format!(
            "name = \"redteam\"\npopulation = \"people\"\ndata = {{ table = \"t\", path = \"data.csv\", version = \"1\" }}\n\
             columns.id = {{ type = \"integer\" }}\nadversary = {{ knows_size = false }}\npromise = {{ epsilon = {epsilon} }}\n\
             [[query]]\nsql = \"SELECT COUNT(*) FROM t\"\n"
        ),
    );
    let rows: String = (0..people).map(|id| format!("{id}\n")).collect();
    place.write("data.csv", format!("id\n{rows}"));
    place
}

struct Dice(ChaCha20Rng);

impl Dice {
    fn new(own: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed(own)))
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }

    /// A moment within this time.
    fn moment(&mut self, most: Duration) -> Duration {
        Duration::from_micros(self.below(u64::try_from(most.as_micros()).unwrap().max(1)))
    }
}

/// The number of entries of the ledger, from the head beside it, without a lock.
fn entries(place: &Place) -> u64 {
    let head = fs::read_to_string(place.path("people.ledger.head")).unwrap_or_default();
    head.split(':').next().and_then(|entries| entries.parse().ok()).unwrap_or(0)
}

/// Waits until the ledger has this many entries, or the process has ended.
fn wait_for(place: &Place, wanted: u64, child: &mut Child) {
    while entries(place) < wanted && child.try_wait().unwrap().is_none() {}
}
