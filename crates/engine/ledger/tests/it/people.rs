//! A new ledger beside others that may be of the same people.

use super::{Place, register, release, request};
use deniable_core::diagnostic::{Diagnose, Surface};
use deniable_ledger::{ChargeRequest, Ledger, OpenError, Purpose, StoreError, show};
use std::fs;
use std::path::PathBuf;

fn purpose<'a>(population: &'a str, policy: &'a str, table: &'a str) -> Purpose<'a> {
    Purpose { policy: Some(policy), sources: vec![table], ..Purpose::people(population) }
}

fn stating(purpose: Purpose<'_>) -> Purpose<'_> {
    Purpose { other_people: true, ..purpose }
}

/// A ledger in which the policy `clinic` was charged and the table `visits` registered, and a place for one beside it.
fn known() -> (Place, PathBuf) {
    let place = Place::new();
    let mut ledger = place.ledger();
    register(&mut ledger, "2024", "f00d").unwrap();
    release(&mut ledger, "1", (1, 2));
    let beside = place.folder.path().join("february.ledger");
    (place, beside)
}

#[test]
fn the_same_policy_or_table_under_another_population_begins_no_ledger() {
    let (place, new) = known();
    let before = place.files();
    for (policy, table, by) in [
        ("clinic", "other", "policy `clinic`"),
        ("other", "visits", "table `visits`"),
        ("clinic", "visits", "`clinic`"),
    ] {
        let refused = Ledger::open_for(&new, &purpose("patients in february", policy, table)).unwrap_err();
        assert!(matches!(refused, OpenError::SamePeople { .. }), "{refused}");
        let words = refused.diagnostics(Surface::Command)[0].to_string();
        let named = [by, "february.ledger", "clinic.ledger", "`patients`", "`patients in february`", "--other-people"];
        assert!(named.iter().all(|name| words.contains(name)), "{words}");
        assert_eq!(place.files(), before, "nothing is begun");
    }
    // Neither the policy nor the table is known; then the same people.
    assert!(Ledger::open_for(&new, &purpose("staff", "payroll", "hours")).unwrap().is_new());
    assert!(show(&new).unwrap().other_than.is_empty());
    let second = place.folder.path().join("second.ledger");
    assert!(Ledger::open_for(&second, &purpose("patients", "clinic", "visits")).unwrap().is_new());
}

/// `ask`, `suggest` and `gwas` charge under the name of the policy and their own.
#[test]
fn charges_beside_a_policy_are_charges_of_it() {
    for (command, is_known) in [("/ask", true), ("/suggest", true), ("/gwas", true), ("s", false)] {
        let place = Place::new();
        let mut ledger = place.ledger();
        ledger.charge(&ChargeRequest { policy: format!("clinic{command}"), ..request("1", (1, 2)) }).unwrap();
        drop(ledger);
        let opened = Ledger::open_for(&place.folder.path().join("new.ledger"), &purpose("others", "clinic", "hours"));
        assert_eq!(matches!(opened, Err(OpenError::SamePeople { .. })), is_known, "{command}");
    }
}

#[test]
fn other_people_are_stated_once_and_kept() {
    let (place, new) = known();
    let asked = || purpose("patients in february", "clinic", "visits");
    let ledger = Ledger::open_for(&new, &stating(asked())).unwrap();
    assert_eq!(ledger.summary().other_than, ["patients"]);
    drop(ledger);
    assert_eq!(show(&new).unwrap().other_than, ["patients"]);
    // An existing ledger opens without the statement, and so does the older one.
    assert!(!Ledger::open_for(&new, &asked()).unwrap().is_new());
    assert!(!Ledger::open_for(&place.path, &purpose("patients", "clinic", "visits")).unwrap().is_new());
    // The statement has no effect for a ledger of another population.
    let refused = Ledger::open_for(&place.path, &stating(asked())).unwrap_err();
    assert!(matches!(refused, OpenError::OtherPopulation { .. }), "{refused}");
}

#[test]
fn a_rehearsal_and_a_release_never_share_a_ledger() {
    let (place, trial) = known();
    let rehearsal = || Purpose { rehearsal: true, ..purpose("patients in february", "clinic", "visits") };
    // It is about made-up rows, so that the ledgers beside it do not matter.
    let mut ledger = Ledger::open_for(&trial, &rehearsal()).unwrap();
    assert!(ledger.is_new() && ledger.summary().rehearsal && show(&trial).unwrap().rehearsal);
    register(&mut ledger, "made-up rows", "f00d").unwrap();
    drop(ledger);
    assert!(Ledger::open_for(&trial, &rehearsal()).is_ok());
    for real in [purpose("patients in february", "clinic", "visits"), Purpose::people("patients in february")] {
        let refused = Ledger::open_for(&trial, &real).unwrap_err();
        assert!(matches!(&refused, OpenError::Rehearsal(path) if path.ends_with("february.ledger")), "{refused}");
    }
    assert!(!show(&place.path).unwrap().rehearsal);
    let before = fs::read(&place.path).unwrap();
    let refused =
        Ledger::open_for(&place.path, &Purpose { rehearsal: true, ..Purpose::people("patients") }).unwrap_err();
    assert!(matches!(refused, OpenError::NotRehearsal(_)), "{refused}");
    assert_eq!(fs::read(&place.path).unwrap(), before);
    // The table is known to the rehearsal, which does not count.
    let new = place.folder.path().join("new.ledger");
    assert!(Ledger::open_for(&new, &purpose("patients", "other", "visits")).unwrap().is_new());
}

#[test]
fn ledgers_that_cannot_be_read_may_be_of_the_same_people() {
    let (place, new) = known();
    let asked = || purpose("patients in february", "payroll", "hours");
    // A file that is not a ledger has no population, even if its name is that of a ledger.
    fs::write(place.folder.path().join("shopping.ledger"), "milk").unwrap();
    fs::write(place.head(), format!("1000:{}\n", "0".repeat(64))).unwrap();
    let refused = Ledger::open_for(&new, &asked()).unwrap_err();
    assert!(matches!(&refused, OpenError::UnknownPeople { error: StoreError::Older { .. }, .. }), "{refused}");
    assert!(!new.exists());
    assert!(Ledger::open_for(&new, &stating(asked())).unwrap().is_new());
}
