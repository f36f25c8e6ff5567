//! Processes that race, and processes that are killed. The child is this test program itself.

use super::{FORM, PEOPLE, Place, request, terms};
use deniable_ledger::{ChargeError, ChargeOutcome, Ledger, show, verify};
use serde_json::json;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub const PATH: &str = "DENIABLE_TEST_LEDGER";
const NAME: &str = "DENIABLE_TEST_CHILD";

/// Not a test of its own: charges and answers until the budget is used up, when run by the tests below.
#[test]
fn child() {
    let (Ok(path), Ok(name)) = (std::env::var(PATH), std::env::var(NAME)) else { return };
    let mut ledger = Ledger::open_or_create(&PathBuf::from(path), PEOPLE).unwrap();
    ledger.open_account(&terms()).unwrap();
    for i in 0.. {
        match ledger.charge(&request(&format!("{name}{i}"), (1, 100))) {
            Ok(ChargeOutcome::New { seq } | ChargeOutcome::Resumed { seq }) => {
                ledger.store_answer(seq, &FORM, &json!(i)).unwrap();
            }
            Ok(ChargeOutcome::Answered { .. }) => {}
            Ok(ChargeOutcome::Drawn { seq, .. }) => panic!("no test draws for {seq}"),
            Err(ChargeError::OverBudget { .. }) => return,
            Err(other) => panic!("{other}"),
        }
    }
}

/// This program, to run one test alone on this ledger.
pub fn child_command(test: &str, place: &Place) -> Command {
    // Tests are named relative to the folder of this module, without their program.
    let (_, here) = module_path!().split_once("::").unwrap();
    let (folder, _) = here.rsplit_once("::").unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("{folder}::{test}"), "--quiet"]).env(PATH, &place.path);
    command
}

fn spawn(place: &Place, name: &str) -> Child {
    child_command("processes::child", place).env(NAME, name).stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn racing_processes_cannot_overspend() {
    let place = Place::new();
    let children: Vec<_> = ["a", "b", "c", "d"].iter().map(|name| spawn(&place, name)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let account = &show(&place.path).unwrap().accounts[0];
    assert_eq!(account.releases.len(), 100);
    assert_eq!(account.spent, *terms().limit());
    assert!(account.releases.iter().all(|release| release.answer.is_some()));
}

#[test]
fn a_killed_process_leaves_a_ledger_that_goes_on() {
    let mut last = None;
    let mut place = Place::new();
    for round in 0..40_u64 {
        let mut child = spawn(&place, "k");
        // Moments spread over starting, creating, charging and answering.
        std::thread::sleep(Duration::from_micros(1_500 + round * 7_919 % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        if place.path.exists() {
            let kept: Option<String> = last.take();
            let verified = verify(&place.path, kept.as_deref()).unwrap();
            last = Some(verified.head.to_string());
            let summary = show(&place.path).unwrap();
            let unanswered =
                summary.accounts.iter().flat_map(|account| &account.releases).filter(|r| r.answer.is_none());
            assert!(unanswered.count() <= 1, "each child resumes the last one's charge");
        }
        let mut ledger = Ledger::open_or_create(&place.path, PEOPLE).unwrap();
        ledger.open_account(&terms()).unwrap();
        let account = ledger.summary().accounts[0].clone();
        let full = account.spent == *terms().limit();
        for release in account.releases.iter().filter(|release| release.answer.is_none()) {
            let again = ledger.charge(&request(&release.query.identity, (1, 100))).unwrap();
            assert_eq!(again, ChargeOutcome::Resumed { seq: release.seq });
        }
        // Begin anew now and then, to be killed while a ledger is created.
        if full || round % 4 == 3 {
            (place, last) = (Place::new(), None);
        }
    }
}
