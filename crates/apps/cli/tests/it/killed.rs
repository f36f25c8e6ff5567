//! `kill -9` at 24 moments of a release, at 60 at full scale, or at 200 in `scripts/slow redteam`: the ledger verifies,
//! shows only charged answers, and resumes.

use crate::support::{Place, Run};
use deniable_testing::sized_to_slow;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

const ASKS: usize = 8;

fn place() -> Place {
    let mut policy = r#"
name = "loop"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
entity = { key = "patient", rows_per_group = 4, groups = 2 }
columns.patient = { type = "integer" }
columns.age = { type = "integer", bounds = [0, 100] }
columns.sex = { type = "text", keys = ["F", "M"] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }
"#
    .to_owned();
    for ask in 0..ASKS {
        writeln!(
            policy,
            "[[query]]\nshare = '1/16'\nsql = 'SELECT sex, COUNT(*) AS n, SUM(age) FROM visits WHERE age > {ask} GROUP BY sex'"
        )
        .unwrap();
    }
    let mut data = "patient,age,sex\n".to_owned();
    for row in 0..1000 {
        writeln!(data, "{},{},{}", row % 300, row % 97, if row % 3 == 0 { "F" } else { "M" }).unwrap();
    }
    Place::new(&policy, data)
}

/// Fixed moments, spread evenly over a run: the fractional parts of multiples of the golden ratio.
fn moment(number: usize, whole: Duration) -> Duration {
    whole.mul_f64((number as f64 * 0.618_033_988_749_895).fract())
}

#[derive(Default, Debug)]
struct Tally {
    /// Before there was a ledger.
    no_ledger: usize,
    /// Before this run recorded anything.
    nothing_new: usize,
    /// Before the first charge, but after the first entry.
    before_charge: usize,
    /// Between a charge and its stored answer.
    unanswered: usize,
    /// Between a stored answer and the next charge, or the end.
    answered: usize,
    /// After the last byte of the answers.
    too_late: usize,
}

impl Tally {
    fn kills(&self) -> usize {
        let new = self.before_charge + self.unanswered + self.answered;
        self.no_ledger + self.nothing_new + new + self.too_late
    }

    /// Computing takes most of the time, and follows the charge.
    fn is_spread(&self) -> bool {
        let kills = self.kills();
        let is_early = self.unanswered > kills / 10 && self.too_late < kills / 3;
        is_early && self.answered > 0 && self.nothing_new > 0
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "where the kills hit is worth knowing")]
fn killed_at_many_moments() {
    let kills = sized_to_slow(24, 60, 200);
    let mut tally = Tally::default();
    let mut place = place();
    let started = Instant::now();
    let whole = Run::of(place.command(&["release", "policy.toml", "--register"]).output().unwrap()).done();
    // A first estimate: the machine's load may change, so every kill adjusts it a little.
    let mut length = started.elapsed().mul_f64(1.1);
    assert_eq!(whole.head().split_once(':').unwrap().0, format!("{}", 3 + 4 * ASKS));
    let mut fresh = true;
    let mut charged_before = 0;
    let mut head_before = Value::Null;
    let mut stdouts: Vec<String> = Vec::new();
    // Load shifts the moments, so more kills follow until enough of them hit the intended phases.
    for kill in 0..10 * kills {
        if kill >= kills && fresh && tally.is_spread() {
            break;
        }
        if fresh {
            place = self::place();
            charged_before = 0;
            head_before = Value::Null;
        }
        let mut child = place.start(&["--format", "json"]);
        // Resumed runs are shorter: fewer queries remain.
        let left = (ASKS - charged_before + 2) as f64 / (ASKS + 2) as f64;
        std::thread::sleep(moment(kill, length.mul_f64(left)));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        let killed = output.status.signal() == Some(9);
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let ledger = place.ledger().unwrap_or(Value::Null);
        let releases = ledger["accounts"][0]["releases"].as_array().cloned().unwrap_or_default();
        let head = ledger["head"].clone();
        // Closed charges: the kill came while their noise was drawn.
        let closed = releases.iter().filter(|release| release["closed"] == true).count();
        let unanswered = releases.iter().filter(|release| release["answered"] == false).count();
        assert!(unanswered <= closed + 1, "{releases:?}");
        if !stdout.is_empty() {
            assert_eq!((releases.len() - closed, unanswered), (ASKS, closed), "shown before it was charged and stored");
            stdouts.push(stdout.clone());
        }
        let late = !killed || !stdout.is_empty();
        length = length.mul_f64(if late { 0.93 } else { 1.015 });
        match () {
            () if late => tally.too_late += 1,
            () if ledger.is_null() => tally.no_ledger += 1,
            () if head == head_before => tally.nothing_new += 1,
            () if releases.is_empty() => tally.before_charge += 1,
            () if unanswered > 0 => tally.unanswered += 1,
            () => tally.answered += 1,
        }
        charged_before = releases.len() - closed;
        head_before = head;
        fresh = kill % 4 == 3 || charged_before == ASKS;
        if fresh {
            finish(&place, &releases, &mut stdouts);
        }
    }
    eprintln!("{} kills: {tally:?}", tally.kills());
    assert!(tally.is_spread(), "{tally:?}");
}

/// An undisturbed run answers everything, charges nothing twice, and shows the earlier answers again.
fn finish(place: &Place, before: &[Value], stdouts: &mut Vec<String>) {
    let last = place.release(&["--format", "json"]).done();
    let resumed = last.stderr.matches("an earlier run had charged it").count();
    let closed = before.iter().filter(|release| release["closed"] == true).count();
    let unanswered = before.iter().filter(|release| release["answered"] == false).count() - closed;
    assert_eq!(resumed, unanswered, "{last:?}");
    let account = &place.ledger().unwrap()["accounts"][0];
    let after = account["releases"].as_array().unwrap();
    // Charges killed during their draw stay spent, and their queries are charged again.
    assert_eq!(after.len(), ASKS + closed);
    let accounts = deniable_ledger::show(&place.path("patients.ledger")).unwrap().accounts;
    let share = deniable_core::exact::ratio(i64::try_from(after.len()).unwrap(), 16);
    assert_eq!(accounts[0].spent, accounts[0].guarantee.limit().share(&share).unwrap());
    for (old, new) in before.iter().zip(after) {
        assert_eq!((&old["entry"], &old["cost"]), (&new["entry"], &new["cost"]));
    }
    for stdout in stdouts.drain(..) {
        assert!(last.stdout.starts_with(&stdout), "another answer than was shown before the kill");
    }
    let strange: Vec<_> = place.files().into_iter().filter(|name| name.contains(".new")).collect();
    assert!(strange.is_empty(), "{strange:?}");
    let key = fs::read(place.path("patients.ledger.key")).unwrap();
    assert!(!key.is_empty());
}

/// The same for association results: a cohort is registered, then picks and their statistics are charged and answered.
#[test]
#[expect(clippy::print_stderr, reason = "where the kills hit is worth knowing")]
fn association_results_killed_at_many_moments() {
    let release = ["gwas", "--bfile", "cohort", "--register", "--gain", "2", "--adjacency", "label-swap", "--top", "3"];
    let release =
        [&release[..], &["--p-value", "0.05", "--statistics", "--counts", "--spend", "1/2", "--format", "json"]]
            .concat();
    let made = Place::empty();
    let sizes = ["gwas", "simulate", "--out", "cohort", "--cases", "400", "--controls", "400", "--snps", "3000"];
    made.run(&sizes).done();
    let fresh = || {
        let place = Place::empty();
        for file in ["cohort.bed", "cohort.bim", "cohort.fam"] {
            fs::copy(made.path(file), place.path(file)).unwrap();
        }
        place
    };
    let started = Instant::now();
    fresh().run(&release).done();
    let whole = started.elapsed();
    let (mut registered, mut unanswered, mut shown, mut unfinished) = (0, 0, 0, 0);
    let kills = sized_to_slow(10, 25, 100);
    // On a busier machine a run takes longer than the timed run, so further kills come later.
    for kill in 0..10 * kills {
        if kill >= kills && registered > 0 {
            break;
        }
        let place = fresh();
        let mut child = place.command(&release).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moment(kill, whole.mul_f64((1 + kill / kills) as f64)));
        child.kill().unwrap();
        let before = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let path = place.path("cohort.ledger");
        let releases = || {
            let accounts = deniable_ledger::show(&path).unwrap().accounts;
            accounts.into_iter().flat_map(|account| account.releases).collect::<Vec<_>>()
        };
        if path.exists() {
            deniable_ledger::verify(&path, None).unwrap();
            registered += usize::from(!deniable_ledger::show(&path).unwrap().versions.is_empty());
            let open = releases().iter().filter(|release| release.answer.is_none() && !release.is_dead()).count();
            assert!(open <= 1, "one is computed at a time");
            unanswered += open;
        }
        let charged: Vec<u64> = if path.exists() { releases().iter().map(|one| one.seq).collect() } else { vec![] };
        let last = place.run(&release).done();
        // Charged queries are not charged again, and shown answers are shown again.
        let after: Vec<u64> = releases().iter().map(|one| one.seq).collect();
        let dead = releases().iter().filter(|release| release.is_dead()).count();
        assert!(dead <= 1, "one is drawn at a time");
        assert!(after.len() == 3 + dead && after.starts_with(&charged), "{charged:?} {after:?}");
        assert!(last.stdout.starts_with(&before), "another answer than was shown before the kill");
        shown += usize::from(!before.is_empty());
        unfinished += usize::from(before.is_empty());
    }
    eprintln!(
        "{} kills: {registered} after the registration, {unanswered} between charge and answer, {shown} after all",
        shown + unfinished
    );
    assert!(registered > 0 && unfinished > 0, "the kills came at other moments than meant");
}
