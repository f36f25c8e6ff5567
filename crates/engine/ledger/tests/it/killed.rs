//! `kill -9` in the middle of SQLite's transactions: acknowledged writes are on disk, others are whole or absent.

use super::processes::{PATH, child_command};
use super::{FORM, PEOPLE, Place, request, terms};
use deniable_ledger::{ChargeOutcome, ChargeRequest, Ledger, verify};
use deniable_testing::sized;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Queries of more bytes than SQLite keeps in memory (2 MB): parts of them are in the file before the commit. Answers
/// of the same size are in files of their own before their entries are.
const LARGE: usize = 2_500_000;

/// A query, every eighth of them too large for SQLite's memory.
fn query(number: u64) -> ChargeRequest {
    let mut query = request(&number.to_string(), (1, 100_000));
    if number % 8 == 1 {
        query.query.sql = "x".repeat(LARGE);
    }
    query
}

/// The answer to a query, always the same: mostly small, every eighth in a file of its own.
fn answer_to(number: u64) -> Value {
    let length = if number % 8 == 1 { LARGE } else { 2_000 * usize::try_from(number % 7).unwrap() };
    json!(format!("{number}:{}", "x".repeat(length)))
}

/// Not a test of its own: charges and answers until it is killed, and acknowledges each write after it is complete.
#[test]
fn writer() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let mut out = std::io::stdout();
    let mut ledger = Ledger::open_or_create(path.as_ref(), PEOPLE).unwrap();
    ledger.open_account(&terms()).unwrap();
    writeln!(out).unwrap();
    for number in 0_u64.. {
        match ledger.charge(&query(number)).unwrap() {
            ChargeOutcome::New { seq } | ChargeOutcome::Resumed { seq } => {
                writeln!(out, "charged {number} {seq}").unwrap();
                ledger.store_answer(seq, &FORM, &answer_to(number)).unwrap();
                writeln!(out, "answered {number} {seq}").unwrap();
            }
            ChargeOutcome::Answered { answer, .. } => assert_eq!(answer, answer_to(number)),
            ChargeOutcome::Drawn { seq, .. } => panic!("no test draws for {seq}"),
        }
    }
}

/// Whether there is a valid journal: until it is gone, the ledger itself is being written to.
fn is_hot(journal: &Path) -> bool {
    let mut first = [0];
    let read = File::open(journal).and_then(|mut journal| journal.read_exact(&mut first));
    read.is_ok() && first != [0]
}

/// Waits until the writer is in its nth transaction, or even writes to the ledger itself, for at most a second.
fn reach(transaction: u64, writing: bool, journal: &Path, writer: &mut Child) {
    let began = Instant::now();
    let mut until = |reached: &dyn Fn() -> bool| {
        while !reached() && began.elapsed() < Duration::from_secs(1) && writer.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
    };
    for _ in 0..transaction {
        until(&|| !journal.exists());
        until(&|| journal.exists());
    }
    if writing {
        until(&|| is_hot(journal));
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "the moments of the kills are reported")]
fn killed_in_the_middle_of_a_transaction() {
    let kills: u64 = sized(15, 60);
    let mut place = Place::new();
    let mut last: Option<String> = None;
    let (mut journals, mut hot, mut half, mut acknowledged, mut charges) = (0, 0, 0, 0, 0);
    let (mut files, mut strays) = (0, 0);
    // On a busy machine the moments shift, so more kills follow until enough of them hit the intended moments.
    for kill in 0..10 * kills {
        if kill >= kills && hot > kills / 5 && acknowledged > kills && files > 0 {
            break;
        }
        // Begin anew now and then: every check reads the whole ledger.
        if kill.is_multiple_of(10) {
            (place, last) = (Place::new(), None);
        }
        let mut writer = child_command("killed::writer", &place).stdout(Stdio::piped()).spawn().unwrap();
        let journal = place.folder.path().join("clinic.ledger-journal");
        reach(1 + kill % 8, kill % 3 > 0, &journal, &mut writer);
        // A commit takes some milliseconds, that of a large answer many.
        std::thread::sleep(Duration::from_micros(
            kill * 7_919 % [1, 500, 2_000, 30_000][usize::try_from(kill % 4).unwrap()],
        ));
        writer.kill().unwrap();
        let mut told = String::new();
        writer.stdout.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(writer.wait().unwrap().signal(), Some(9), "the writer ended by itself: {told}");

        journals += u64::from(journal.exists());
        hot += u64::from(is_hot(&journal));
        if !place.path.exists() {
            continue;
        }
        // A file that becomes shorter held pages of a transaction that never ended.
        let before = fs::metadata(&place.path).unwrap().len();

        let verified = verify(&place.path, last.as_deref()).unwrap();
        assert!(!is_hot(&journal), "reading undoes an incomplete transaction");
        half += u64::from(fs::metadata(&place.path).unwrap().len() < before);
        // All answers in files were read; a file may remain of the answer that was being written.
        (files, strays) = (files + verified.files, strays + verified.strays);
        last = Some(verified.head.to_string());
        let mut ledger = Ledger::open_or_create(&place.path, PEOPLE).unwrap();
        let releases = ledger.summary().accounts.first().map(|account| account.releases.clone()).unwrap_or_default();
        for line in told.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [what @ ("charged" | "answered"), number, seq] = words[..] else { continue };
            acknowledged += 1;
            let release = releases.iter().find(|release| release.query.identity == number);
            let release = release.unwrap_or_else(|| panic!("{kill}: {line} is lost"));
            assert_eq!(release.seq.to_string(), seq);
            assert!(what == "charged" || release.answer.is_some(), "{kill}: {line} is lost");
        }
        for release in &releases {
            let number = release.query.identity.parse().unwrap();
            assert!(super::answer(release).is_none_or(|answer| answer == answer_to(number)), "{kill}: {number}");
        }
        // The last charge may be unanswered, and is resumed at no cost.
        let unanswered: Vec<_> = releases.iter().filter(|release| release.answer.is_none()).collect();
        assert!(unanswered.len() <= 1);
        for release in unanswered {
            let again = ledger.charge(&request(&release.query.identity, (1, 100_000))).unwrap();
            assert_eq!(again, ChargeOutcome::Resumed { seq: release.seq });
        }
        assert_eq!(ledger.summary().accounts.first().map_or(0, |account| account.releases.len()), releases.len());
        charges = charges.max(releases.len());
    }
    eprintln!(
        "{kills} kills or more: {journals} left a journal, {hot} of them to be undone, {half} a ledger with half an entry; \
         {acknowledged} acknowledgements kept; {charges} charges in the longest ledger; {files} answers in files were whole, \
         {strays} files were left without an entry"
    );
    assert!(hot > kills / 5 && acknowledged > kills && files > 0, "the kills missed the intended moments");
}
