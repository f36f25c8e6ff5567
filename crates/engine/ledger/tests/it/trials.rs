//! Trials of engines: one that passed counts until the engine fails, and for this engine alone.

use super::Place;
use deniable_ledger::{EngineTried, show, verify};

#[test]
fn a_failed_trial_ends_all_that_the_engine_passed() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let before = ledger.head().clone();
    let tried = |engine: &str, statement: &str, passed| EngineTried {
        engine: engine.into(),
        about: "Spark 4.3.0".into(),
        statement: statement.into(),
        passed,
    };
    for statement in ["one", "two", "one"] {
        ledger.record_trial(tried("this", statement, true)).unwrap();
    }
    assert_eq!(ledger.head().seq, before.seq + 2, "a trial that was passed is not recorded again");
    ledger.record_trial(tried("that", "one", true)).unwrap();
    assert!(ledger.has_passed("this", "two") && !ledger.has_passed("that", "two"));
    ledger.record_trial(tried("this", "two", false)).unwrap();
    assert!(!ledger.has_passed("this", "one") && !ledger.has_passed("this", "two") && ledger.has_passed("that", "one"));
    ledger.record_trial(tried("this", "one", true)).unwrap();
    assert!(ledger.has_passed("this", "one") && !ledger.has_passed("this", "two"));
    drop(ledger);
    let counts: Vec<_> =
        show(&place.path).unwrap().engines.iter().map(|engine| (engine.passed, engine.failed)).collect();
    assert_eq!(counts, [(1, 0), (1, 1)]);
    assert_eq!(verify(&place.path, Some(&before.to_string())).unwrap().entries, before.seq + 5);
}
