//! Charge durably, compute, store, show: a second connection finds each step on disk before the next.

use deniable_core::noise::SystemRng;
use deniable_data::{Resources, SourceError};
use deniable_ledger::{Draw, Ledger, Release, show, verify};
use deniable_policy::Policy;
use deniable_protocol::ProtocolError;
use deniable_release::release::{Event, FORM, Origin, QueryAnswer, ReleaseError};
use deniable_release::{Plan, RegistrationMode, TableVersion, release};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const POLICY: &str = r#"
name = "order"
population = "patients"
data = { table = "t", path = "t.csv", version = "1" }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.age = { type = "integer", bounds = [0, 100] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }
[[query]]
name = "first"
sql = "SELECT sex, COUNT(*) FROM t GROUP BY sex"
[[query]]
name = "second"
sql = "SELECT SUM(age) FROM t"
[[query]]
name = "third"
sql = "SELECT COUNT(*) FROM t WHERE age > 40"
"#;

const NAMES: [&str; 3] = ["first", "second", "third"];

struct Place {
    folder: TempDir,
    plan: Plan,
}

impl Place {
    fn new() -> Self {
        Self::of(POLICY)
    }

    fn of(policy: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let rows: String = (0..100).map(|row| format!("{},{row}\n", if row % 3 == 0 { "F" } else { "M" })).collect();
        fs::write(folder.path().join("t.csv"), format!("sex,age\n{rows}")).unwrap();
        let policy = Policy::parse(&folder.path().join("policy.toml"), policy).unwrap();
        Self { folder, plan: Plan::new(policy).unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn ledger(&self) -> Ledger {
        Ledger::open_or_create(&self.path("l"), "patients").unwrap()
    }

    /// The charges that another process finds on disk at this moment, in order.
    fn on_disk(&self) -> Vec<Release> {
        verify(&self.path("l"), None).unwrap();
        show(&self.path("l")).unwrap().accounts.first().map(|account| account.releases.clone()).unwrap_or_default()
    }

    fn release(&self, ledger: &mut Ledger, tell: &dyn Fn(Event<'_>)) -> Result<Vec<QueryAnswer>, ReleaseError> {
        let locate = || TableVersion::locate_all(&self.plan, &BTreeMap::new());
        release(
            &self.plan,
            &locate,
            &Resources::default(),
            ledger,
            &mut SystemRng::new().unwrap(),
            tell,
            RegistrationMode::GoOn,
        )?
        .complete()
    }
}

fn names(releases: &[Release]) -> Vec<&str> {
    releases.iter().map(|release| release.query.name.as_str()).collect()
}

#[test]
fn every_step_is_on_disk_before_the_next() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seen = RefCell::new(Vec::new());
    let answers = place
        .release(&mut ledger, &|event| {
            let on_disk = place.on_disk();
            let unanswered: Vec<_> = on_disk.iter().filter(|release| release.answer.is_none()).collect();
            match event {
                Event::Checking(_)
                | Event::Scanned { .. }
                | Event::ComputingLosses(..)
                | Event::LeftOut { .. }
                | Event::TrueErrors { .. }
                | Event::Registered(_) => {
                    assert!(on_disk.is_empty(), "nothing is charged yet");
                }
                Event::WrittenSince(_) => panic!("the file is older than the ledger"),
                Event::Trying(_) | Event::Tried(..) | Event::Asking(_) => panic!("no engine holds these rows"),
                Event::AddingUp(..) => panic!("no question here has several levels"),
                Event::AnsweredWithin(..) => panic!("no plan here takes from earlier answers"),
                Event::Computing(planned, _) => {
                    let done = NAMES.iter().position(|name| *name == planned).unwrap();
                    assert_eq!(names(&on_disk), NAMES[..=done], "rows were read for {planned} before it was charged");
                    assert_eq!(unanswered.len(), 1);
                    seen.borrow_mut().push(format!("computing {planned}"));
                }
                Event::Answered(planned, origin) => {
                    assert_eq!(origin, Origin::Charged);
                    assert!(
                        names(&on_disk).contains(&planned) && unanswered.is_empty(),
                        "{planned} is given before it is stored"
                    );
                    seen.borrow_mut().push(format!("answered {planned}"));
                }
            }
        })
        .unwrap();
    let mut seen = seen.into_inner();
    seen.dedup();
    let all: Vec<_> =
        NAMES.iter().flat_map(|planned| [format!("computing {planned}"), format!("answered {planned}")]).collect();
    assert_eq!(seen, all);
    // The returned answers are the stored ones.
    for (answer, stored) in answers.iter().zip(place.on_disk()) {
        assert_eq!(answer.noisy.values.concat(), stored.numbers.unwrap().read().unwrap());
    }
}

/// Files are located once for a run, whether all, some or none of its answers are stored; stored answers need no files.
#[test]
fn files_are_located_once() {
    let place = Place::new();
    let located = |plan: &Plan, there: bool| {
        let count = Cell::new(0);
        let locate = || {
            count.set(count.get() + 1);
            if there {
                TableVersion::locate_all(plan, &BTreeMap::new())
            } else {
                Err(SourceError::Rows { table: "t".into() })
            }
        };
        let mut rng = SystemRng::new().unwrap();
        let released = release(
            plan,
            &locate,
            &Resources::default(),
            &mut place.ledger(),
            &mut rng,
            &|_| {},
            RegistrationMode::GoOn,
        );
        (count.get(), released.is_ok())
    };
    let first = place.plan.with_only(&[0]);
    assert_eq!(located(&first, true), (1, true));
    assert_eq!(located(&place.plan, false), (1, false), "two are not answered");
    assert_eq!(located(&place.plan, true), (1, true));
    assert_eq!(located(&place.plan, false), (1, true), "all are stored");
}

/// Rows that can no longer be read: if the computation began before the charge, there would be no charge.
#[test]
fn a_failed_computation_was_charged() {
    let place = Place::new();
    let data = fs::read(place.path("t.csv")).unwrap();
    let mut ledger = place.ledger();
    let failed = place.release(&mut ledger, &|event| {
        if matches!(event, Event::Registered(_)) {
            // The same columns, with a malformed row.
            let header = data.split_inclusive(|byte| *byte == b'\n').next().unwrap();
            fs::write(place.path("t.csv"), [header, &b"a,b,c,d,e,f,g,h,i,j\n"[..]].concat()).unwrap();
        }
    });
    assert!(matches!(failed, Err(ReleaseError::Rows { query, .. }) if query == "first"));
    // The other queries are tried, too: a computation that exhausts the machine says nothing about the others.
    let charged = place.on_disk();
    assert_eq!(names(&charged), NAMES);
    assert!(charged.iter().all(|release| release.answer.is_none()));
    // When the rows are restored, the query resumes at no cost.
    fs::write(place.path("t.csv"), data).unwrap();
    let origins: Vec<_> = place.release(&mut ledger, &|_| {}).unwrap().iter().map(|answer| answer.origin).collect();
    assert_eq!(origins, [Origin::Resumed; 3]);
    assert_eq!(names(&place.on_disk()), NAMES);
}

/// A charge that cannot be made durable: no row is read.
#[test]
fn an_uncharged_query_is_not_computed() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let computed = Cell::new(false);
    let failed = place.release(&mut ledger, &|event| match event {
        Event::Answered("first", _) => fs::rename(place.path("l"), place.path("elsewhere")).unwrap(),
        Event::Computing("second" | "third", _) => computed.set(true),
        _ => {}
    });
    assert!(
        matches!(&failed, Err(ReleaseError::Protocol(ProtocolError::Charge { release, .. })) if release == "second"),
        "{failed:?}"
    );
    assert!(!computed.get());
    fs::rename(place.path("elsewhere"), place.path("l")).unwrap();
    assert_eq!(names(&place.on_disk()), ["first"]);
}

/// An answer that cannot be stored is not shown, and no later answer either.
#[test]
fn an_unstored_answer_is_not_shown() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let failed = place.release(&mut ledger, &|event| match event {
        Event::Computing("second", _) if place.path("l").exists() => {
            fs::rename(place.path("l"), place.path("elsewhere")).unwrap();
        }
        Event::Answered("second" | "third", _) => panic!("an answer was shown that was not stored"),
        _ => {}
    });
    assert!(
        matches!(&failed, Err(ReleaseError::Protocol(ProtocolError::Draw { release, .. })) if release == "second"),
        "{failed:?}"
    );
    fs::rename(place.path("elsewhere"), place.path("l")).unwrap();
    let on_disk = place.on_disk();
    assert_eq!(names(&on_disk), ["first", "second"]);
    assert_eq!(on_disk[1].answer, None);
}

/// Another process stores its answer while this one computes: both show the stored one.
#[test]
fn the_first_stored_answer_is_shown() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let other = RefCell::new(None::<Value>);
    let answers = place
        .release(&mut ledger, &|event| {
            if matches!(event, Event::Computing("second", _)) && other.borrow().is_none() {
                // The record of the first query is valid for the second.
                let on_disk = place.on_disk();
                let answer = on_disk[0].answer.as_ref().unwrap().read().unwrap();
                let (mut ledger, seq) = (place.ledger(), on_disk[1].seq);
                ledger.draw(seq, &FORM, 1, || Ok::<_, ()>(vec![4711])).unwrap().unwrap();
                let stored = ledger.store_answer(seq, &FORM, &answer).unwrap();
                *other.borrow_mut() = Some(stored);
            }
        })
        .unwrap();
    assert!(other.into_inner().is_some());
    assert_eq!(answers[1].noisy.values, [[4711]]);
    assert_eq!(place.on_disk()[1].numbers.as_ref().unwrap().read().unwrap(), [4711]);
}

/// P-1. A run ends while it computes the answer: the next run uses the numbers that were drawn, and draws none.
#[test]
fn a_run_that_ends_after_the_draw_draws_nothing_more() {
    let place = Place::of(&POLICY.replace("GROUP BY sex", "GROUP BY ROLLUP (sex)"));
    let mut ledger = place.ledger();
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        place.release(&mut ledger, &|event| assert!(!matches!(event, Event::AddingUp(..)), "the run ends here"))
    }));
    assert!(ended.is_err());
    drop(ledger);
    let on_disk = place.on_disk();
    assert_eq!((on_disk.len(), on_disk[0].answer.is_none()), (1, true));
    let Draw::Done(numbers) = &on_disk[0].draw else { panic!("{:?}", on_disk[0].draw) };
    let answers = place.release(&mut place.ledger(), &|_| {}).unwrap();
    assert_eq!(answers[0].origin, Origin::Resumed);
    assert_eq!(answers[0].noisy.values.concat(), numbers.read().unwrap());
    assert_eq!(names(&place.on_disk()), NAMES);
}
