//! Sixty-four processes at once on a ledger that does not exist yet, with a budget for some of their queries only.

use super::processes::{PATH, child_command};
use super::{FORM, PEOPLE, Place, request, terms};
use deniable_ledger::{ChargeError, ChargeOutcome, Ledger, show, verify};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

const PROCESSES: usize = 64;
/// Queries that every process asks.
const SHARED: usize = 8;
/// Queries that only one process asks, for each process.
const OWN: usize = 3;
/// The charges that fit into the account, of 8 + 64 · 3 = 200 queries.
const FIT: usize = 100;
/// Time limit for all of them: each waits up to a minute for a lock, and the machine may be busy.
const BOUND: Duration = Duration::from_secs(300);

const NUMBER: &str = "DENIABLE_TEST_NUMBER";

/// Not a test of its own: one of the processes. It begins when its input ends, and reports the outcome of each query.
#[test]
fn member() {
    let (Ok(path), Ok(number)) = (std::env::var(PATH), std::env::var(NUMBER)) else { return };
    let number: usize = number.parse().unwrap();
    let mut out = std::io::stdout();
    out.write_all(b"\nready\n").unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();

    let mut ledger = Ledger::open_or_create(path.as_ref(), PEOPLE).unwrap();
    ledger.open_account(&terms()).unwrap();
    let mut queries: Vec<String> = (0..SHARED).map(|query| format!("shared{}", (query + number) % SHARED)).collect();
    queries.extend((0..OWN).map(|query| format!("own{number}-{query}")));
    // Half of them begin with their own queries.
    queries.rotate_left(if number.is_multiple_of(2) { 0 } else { SHARED });
    for query in queries {
        let charged = ledger.charge(&request(&query, (1, i64::try_from(FIT).unwrap())));
        let mut answered = |how, seq| {
            // Long enough for other processes to find the charge without its answer, and to store one of their own.
            std::thread::sleep(Duration::from_millis(if query.starts_with("shared") { 20 } else { 0 }));
            (how, seq, ledger.store_answer(seq, &FORM, &json!([number, query])).unwrap())
        };
        let told = match charged {
            Ok(ChargeOutcome::New { seq }) => answered("new", seq),
            Ok(ChargeOutcome::Resumed { seq }) => answered("resumed", seq),
            Ok(ChargeOutcome::Answered { seq, answer }) => ("answered", seq, answer),
            Ok(ChargeOutcome::Drawn { seq, .. }) => panic!("no test draws for {seq}"),
            Err(ChargeError::OverBudget { .. }) => ("refused", 0, Value::Null),
            Err(other) => panic!("{other}"),
        };
        writeln!(out, "told {}", json!([query, told.0, told.1, told.2])).unwrap();
    }
}

/// A process that is ready, and its output.
fn start(place: &Place, number: usize) -> (Child, BufReader<ChildStdout>) {
    let mut command = child_command("crowd::member", place);
    command.env(NUMBER, number.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while line != "ready\n" {
        line.clear();
        assert!(told.read_line(&mut line).unwrap() > 0, "member {number} ended before it began");
    }
    (child, told)
}

#[test]
#[expect(clippy::print_stderr, reason = "how long the crowd takes is worth knowing")]
fn sixty_four_processes_spend_exactly_the_budget() {
    let place = Place::new();
    let mut crowd: Vec<_> = (0..PROCESSES).map(|number| start(&place, number)).collect();
    let began = Instant::now();
    crowd.iter_mut().for_each(|(child, _)| drop(child.stdin.take()));
    while crowd.iter_mut().any(|(child, _)| child.try_wait().unwrap().is_none()) {
        if began.elapsed() > BOUND {
            crowd.iter_mut().for_each(|(child, _)| drop(child.kill()));
            panic!("some had not finished after {BOUND:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let took = began.elapsed();

    let verified = verify(&place.path, None).unwrap();
    let account = &show(&place.path).unwrap().accounts[0];
    assert_eq!((account.releases.len(), &account.spent), (FIT, terms().limit()), "exactly as many as fit");
    assert_eq!(verified.entries, 2 + 2 * FIT as u64, "begun and opened once, each ask charged and answered once");
    let mut tally = BTreeMap::<String, usize>::new();
    for (number, (mut child, mut told)) in crowd.into_iter().enumerate() {
        let mut text = String::new();
        told.read_to_string(&mut text).unwrap();
        assert!(child.wait().unwrap().success(), "member {number}: {text}");
        let told: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("told ")).collect();
        assert_eq!(told.len(), SHARED + OWN, "{text}");
        for line in told {
            let (query, how, seq, answer): (String, String, u64, Value) = serde_json::from_str(line).unwrap();
            *tally.entry(how.clone()).or_default() += 1;
            match account.release(&query) {
                // The answer shown to one process is the stored one, and so the same for all.
                Some(release) => {
                    assert_eq!((how.as_str() != "refused", release.seq), (true, seq), "{line}");
                    assert_eq!(super::answer(release), Some(answer), "{line}");
                }
                None => assert_eq!(how, "refused", "{line}"),
            }
        }
    }
    eprintln!("{PROCESSES} processes took {took:.1?}: {tally:?}");
    assert_eq!(tally["new"], FIT, "each charge was made by one process");
    assert_eq!(
        place.files(),
        ["clinic.ledger", "clinic.ledger.head", "clinic.ledger.key"],
        "nothing is left of the race to begin"
    );
}
