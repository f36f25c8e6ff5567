//! A full disk at every point of writing: nothing is half-written, only data on disk is reported as written, and
//! everything continues when there is room again.
//!
//! Two ways to run out of room, each in a process of its own: a file system of a few pages (for which Linux must let
//! this user make one), and a limit on the size of files, which stops a write at any byte.

use super::processes::{PATH, child_command};
use super::{FORM, PEOPLE, Place, request, terms};
use deniable_ledger::{
    AccountError, AnswerError, ChargeError, ChargeOutcome, DrawError, KeyError, Ledger, OpenError, StoreError,
    VerifyError, show, verify,
};
use deniable_testing::{sized, skipped};
use serde_json::json;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PAGE: u64 = 4096;

/// A disk whose free space can be chosen.
trait Disk {
    /// Leaves this little room, in the finest steps of the disk.
    fn leave(&self, steps: u64);
    fn clear(&self);
    /// Whether even existing parts of files can no longer be overwritten.
    fn is_limit(&self) -> bool {
        false
    }
}

/// A file system of 256 pages (1 MB), filled up by a file.
struct Small(PathBuf);

impl Disk for Small {
    fn leave(&self, pages: u64) {
        self.clear();
        let filler = File::create(&self.0).unwrap();
        let mut length = 0;
        while filler.write_all_at(&[1; PAGE as usize], length).is_ok() {
            length += PAGE;
        }
        filler.set_len(length - pages * PAGE).unwrap();
    }

    fn clear(&self) {
        drop(fs::remove_file(&self.0));
    }
}

/// No file may be written beyond this many thousand bytes, or, at small scale, this many times 3,700: less than a page,
/// and not a divisor of one.
struct FileSizeLimit;

impl FileSizeLimit {
    fn limit(limit: &str) {
        let (me, limit) = (std::process::id().to_string(), format!("--fsize={limit}:unlimited"));
        assert!(Command::new("prlimit").args(["--pid", &me, &limit]).status().unwrap().success());
    }
}

impl Disk for FileSizeLimit {
    fn leave(&self, steps: u64) {
        Self::limit(&(steps * sized(3_700, 1_000)).to_string());
    }

    fn clear(&self) {
        Self::limit("unlimited");
    }

    fn is_limit(&self) -> bool {
        true
    }
}

/// Whether the error names the full disk or the limit.
fn is_full(error: &StoreError) -> bool {
    matches!(error, StoreError::DiskFull(_) | StoreError::Unwritable(_))
}

fn keys_full(error: &OpenError) -> bool {
    matches!(error, OpenError::Store(error) | OpenError::Key(KeyError::Store(error)) if is_full(error))
}

/// Checks that refused writes left this ledger unchanged, for the open handle and for all other readers.
fn untouched(path: &Path, ledger: &Ledger, entries: u64, disk: &dyn Disk) {
    assert_eq!(ledger.head().seq, entries);
    // A partial write is undone even before there is room, unless the limit also covers existing parts of the
    // file.
    let looked = verify(path, None);
    disk.clear();
    match looked {
        Ok(looked) => assert_eq!(looked.head, *ledger.head()),
        Err(VerifyError::Store(refused)) => assert!(disk.is_limit() && is_full(&refused), "{refused}"),
        Err(refused) => panic!("{refused}"),
    }
    let verified = verify(path, Some(&ledger.head().to_string())).unwrap();
    assert_eq!((verified.entries, &verified.head), (entries, ledger.head()));
    assert_eq!(show(path).unwrap(), ledger.summary());
}

/// Fills the disk before every write of a ledger's life, with ever more room until it succeeds. Returns how often each
/// was refused.
fn fill_up(path: &Path, disk: &dyn Disk) -> [u64; 5] {
    let mut refusals = [0; 5];
    // Beginning a ledger.
    for room in 0.. {
        disk.leave(room);
        let begun = Ledger::open_or_create(path, PEOPLE);
        disk.clear();
        match begun {
            Ok(_) => break,
            Err(refused) => assert!(keys_full(&refused), "{room}: {refused}"),
        }
        refusals[0] += 1;
        // Drafts are gone; a key may have been proposed, or the ledger begun and its key not settled.
        let files = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
        let strange: Vec<_> = files.filter(|name| name.to_string_lossy().starts_with(".deniable")).collect();
        assert!(strange.is_empty(), "{room}: {strange:?}");
    }
    let mut ledger = Ledger::open_or_create(path, PEOPLE).unwrap();
    // Opening an account.
    for room in 0.. {
        disk.leave(room);
        match ledger.open_account(&terms()) {
            Ok(()) => break,
            Err(AccountError::Store(refused)) => assert!(is_full(&refused), "{room}: {refused}"),
            Err(refused) => panic!("{room}: {refused}"),
        }
        refusals[1] += 1;
        untouched(path, &ledger, 1, disk);
    }
    disk.clear();
    // Three queries of several pages each, with even larger answers: each time other pages are full.
    for (turn, length) in [3_000, 12_000, 40_000].into_iter().enumerate() {
        let entries = 2 + 2 * turn as u64;
        let mut query = request(&format!("ask {turn}"), (1, 4));
        query.query.sql = "s".repeat(length);
        let mut reopened = Ledger::open_or_create(path, PEOPLE).unwrap();
        for room in 0.. {
            disk.leave(room);
            match ledger.charge(&query) {
                Ok(charge) => {
                    assert_eq!(charge, ChargeOutcome::New { seq: entries + 1 }, "{room}");
                    break;
                }
                Err(ChargeError::Store(refused)) => assert!(is_full(&refused), "{room}: {refused}"),
                Err(refused) => panic!("{room}: {refused}"),
            }
            refusals[2] += 1;
            untouched(path, &ledger, entries, disk);
            // Another process sees no charge either.
            reopened.refresh().unwrap();
            assert!(reopened.summary().accounts[0].release(&query.query.identity).is_none());
        }
        disk.clear();
        let answer = json!("a".repeat(length * 2));
        for room in 0.. {
            disk.leave(room);
            // The charge exists: without further room it is resumed, by this process and by others.
            for ledger in [&mut ledger, &mut reopened] {
                assert_eq!(ledger.charge(&query).unwrap(), ChargeOutcome::Resumed { seq: entries + 1 });
            }
            match ledger.store_answer(entries + 1, &FORM, &answer) {
                Ok(stored) => {
                    assert_eq!(stored, answer);
                    break;
                }
                Err(AnswerError::Store(refused)) => assert!(is_full(&refused), "{room}: {refused}"),
                Err(refused) => panic!("{room}: {refused}"),
            }
            refusals[3] += 1;
            untouched(path, &ledger, entries + 1, disk);
        }
        disk.clear();
        // Charged once, whatever the number of attempts.
        let summary = show(path).unwrap();
        let spent = request("", (i64::try_from(turn).unwrap() + 1, 4)).cost;
        assert_eq!((summary.accounts[0].releases.len(), &summary.accounts[0].spent), (turn + 1, &spent));
        assert_eq!(reopened.charge(&query).unwrap(), ChargeOutcome::Answered { seq: entries + 1, answer });
    }
    drop(ledger);
    refusals[4] = [1, 1_500, 4_000].into_iter().map(|count| draw_with_little_room(path, disk, count)).sum();
    refusals
}

/// Draws `count` numbers with ever more room. A draw that begins has room for its numbers, so no charge becomes dead by
/// a full disk.
fn draw_with_little_room(path: &Path, disk: &dyn Disk, count: usize) -> u64 {
    let mut ledger = Ledger::open_or_create(path, PEOPLE).unwrap();
    let asked = request(&format!("{count} numbers"), (1, 100));
    let ChargeOutcome::New { seq } = ledger.charge(&asked).unwrap() else { panic!() };
    let (mut draws, mut refusals) = (0, 0);
    for room in 0.. {
        disk.leave(room);
        let drawn = ledger.draw(seq, &FORM, count, || {
            draws += 1;
            Ok::<_, std::convert::Infallible>(vec![7; count])
        });
        disk.clear();
        match drawn {
            Ok(Ok(numbers)) => {
                assert_eq!((draws, numbers.read().unwrap()), (1, vec![7; count]), "{room}");
                break;
            }
            Err(DrawError::Store(refused)) => assert!(is_full(&refused), "{room}: {refused}"),
            Err(refused) => panic!("{room}: {refused}"),
        }
        refusals += 1;
        assert_eq!(draws, 0, "{count} numbers, {room}: noise was drawn without room for it");
        assert_eq!(ledger.charge(&asked).unwrap(), ChargeOutcome::Resumed { seq }, "{count} numbers, {room}");
    }
    assert!(refusals > 0, "{count} numbers");
    refusals
}

/// Not tests of their own: run in a process with little room by the tests below.
#[test]
fn on_a_small_disk() {
    let Some(path) = std::env::var_os(PATH).map(PathBuf::from) else { return };
    tell(fill_up(&path, &Small(path.with_file_name("filler"))));
}

#[test]
fn below_a_limit() {
    let Some(path) = std::env::var_os(PATH).map(PathBuf::from) else { return };
    tell(fill_up(&path, &FileSizeLimit));
}

fn tell(refusals: [u64; 5]) {
    let mut out = std::io::stdout();
    writeln!(out, "\ntold {}", json!(refusals)).unwrap();
}

/// Runs one of these tests through a shell script that prepares its process.
#[track_caller]
fn run(test: &str, place: &Place, wrapper: &[&str]) -> [u64; 5] {
    let child = child_command(test, place);
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).arg(child.get_program()).args(child.get_args());
    command.env(PATH, &place.path).stdin(Stdio::null());
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    let told = out.lines().find_map(|line| line.strip_prefix("told "));
    serde_json::from_str(told.unwrap_or_else(|| panic!("{out}\n{err}"))).unwrap()
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test is reported")]
fn a_disk_without_room_for_the_next_page() {
    let place = Place::new();
    let folder = place.folder.path().to_str().unwrap();
    let script = format!("cd '{folder}' && mount -t tmpfs -o size=1m small '{folder}' && cd / && exec \"$@\"");
    let wrapper = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", &script, "sh"];
    let mut probe = Command::new(wrapper[0]);
    if !probe.args(&wrapper[1..]).arg("true").output().is_ok_and(|output| output.status.success()) {
        skipped("this user may not make a small file system", "run the tests as root, or allow user namespaces");
        return;
    }
    let refusals = run("full::on_a_small_disk", &place, &wrapper);
    eprintln!("full at {refusals:?} pages (beginning, opening an account, charging, answering, drawing)");
    assert!(refusals.iter().all(|count| *count > 0), "{refusals:?}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test is reported")]
fn a_limit_on_the_size_of_files() {
    if !Command::new("prlimit").arg("--version").output().is_ok_and(|output| output.status.success()) {
        skipped("there is no prlimit", "install util-linux");
        return;
    }
    let place = Place::new();
    // The signal is ignored, so that the write fails instead of ending the process.
    let refusals = run("full::below_a_limit", &place, &["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
    eprintln!("limits at {refusals:?} steps (beginning, opening an account, charging, answering, drawing)");
    assert!(refusals.iter().all(|count| *count > 0), "{refusals:?}");
}
