//! Sessions as programs use them: from files and from memory, waited for, awaited and dropped.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod picture;
mod web;

use deniable::arrow_array::{Int64Array, RecordBatch, StringArray};
use deniable::exact::{ratio, whole};
use deniable::simulate::{Simulate, SimulateError};
use deniable::{
    Bounds, Cell, Column, ColumnType, Error, Event, Key, Origin, PlanReport, Policy, PolicyBuilder, Query,
    RegistrationMode, Resources, Session,
};
use deniable_ledger::{AccountId, Ledger, Part, RegistrationOutcome, Sharing};
use deniable_release::{AcceptError, DataError, ReleaseError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

fn clinic() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/clinic/policy.toml")
}

/// The clinic's session, with its own ledger.
fn session(folder: &Path) -> Session {
    let policy = Policy::load(&clinic()).unwrap().with_ledger(folder.join("clinic.ledger"));
    Session::new(policy).unwrap()
}

fn wards(folder: &Path, spend: (i64, i64)) -> Policy {
    let keys = ["a", "b"].map(|key| Key::Text(key.to_owned())).to_vec();
    let years = Bounds::new(whole(0), whole(100), whole(1)).unwrap();
    PolicyBuilder::new("wards", "patients")
        .in_folder(folder)
        .table_in_memory("stays", "1")
        .column(&Column::new("patient", ColumnType::Integer))
        .column(&Column::new("ward", ColumnType::Text).with_keys(keys))
        .column(&Column::new("age", ColumnType::Integer).within(years))
        .entity("patient", 1, 1)
        .adversary("acquaintance")
        .promise("epsilon", &whole(1_000))
        .spend(&ratio(spend.0, spend.1))
        .query("by ward", "SELECT ward, COUNT(*) AS stays, SUM(age) AS years FROM stays GROUP BY ward")
        .build()
        .unwrap()
}

fn rows(count: i64) -> Vec<RecordBatch> {
    let ward = (0..count).map(|row| if row % 4 == 0 { "a" } else { "b" });
    let batch = RecordBatch::try_from_iter([
        ("patient", Arc::new(Int64Array::from_iter_values(0..count)) as _),
        ("ward", Arc::new(StringArray::from_iter_values(ward)) as _),
        ("age", Arc::new(Int64Array::from_iter_values((0..count).map(|row| row % 100))) as _),
    ]);
    vec![batch.unwrap()]
}

#[test]
fn a_policy_is_released_once_and_shown_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path());
    assert_eq!(session.left().unwrap().exact_share(), Some(whole(1)), "no budget is spent yet");
    let refused = session.release().wait().unwrap_err();
    assert!(matches!(refused, Error::Release(ReleaseError::OnlyRegistered)), "{refused}");
    let released = session.release().wait().unwrap();
    assert_eq!(released.answers().len(), session.plan().queries().len());
    assert!(released.origins.iter().all(|origin| *origin == Origin::Charged) && released.unanswered.is_empty());
    assert_eq!(session.left().unwrap().exact_share(), Some(ratio(1, 4)), "the policy spends 3/4");
    assert_eq!(session.left().unwrap().to_string(), "1/4 of ln 3 (about 25%)");

    let first = released.answer("visits by sex").unwrap();
    assert!(matches!(released.answer("nobody"), Err(deniable::NoAnswer::NoQuery(_))));
    assert!(!refused.is_public());
    assert_eq!(first.columns, ["sex", "visits"]);
    let sexes: Vec<String> = first.column("sex").unwrap().map(ToString::to_string).collect();
    assert_eq!(sexes, ["F", "M", "NULL"]);
    for cell in first.column("visits").unwrap() {
        let cell = cell.number().unwrap();
        // Noise may make a count negative; the interval contains only possible values.
        let [low, high] = [&cell.low, &cell.high].map(|end| end.as_ref().unwrap().as_i64().unwrap());
        assert!(cell.value.is_some() && 0 <= low && low < high, "{cell:?}");
    }
    assert!(first.column("sexes").is_none());

    let again = self::session(folder.path()).release().wait().unwrap();
    assert_eq!(again.publication, released.publication);
    assert!(again.origins.iter().all(|origin| *origin == Origin::Stored) && again.head == released.head);
    let page = session.page().unwrap();
    assert!(page.contains("visits by sex") && page.contains("<svg"));
}

#[test]
fn queries_of_a_policy_and_outside_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path()).allowing(RegistrationMode::GoOn);
    let released = session.only(&["patients"]).unwrap().release().wait().unwrap();
    assert_eq!(released.answers().len(), 1);
    assert!(matches!(session.only(&["nobody"]), Err(Error::NoQuery(unknown)) if unknown.known.len() == 5));

    let sql = "SELECT COUNT(*) FROM visits WHERE smoker";
    let query = Query::new("smokers", sql, ratio(1, 40));
    assert_eq!(Query::answered_before(session.policy(), sql).unwrap(), []);
    let before = session.left().unwrap().exact_share().unwrap();
    session.ask(&query).unwrap().wait().unwrap();
    assert_eq!(session.left().unwrap().exact_share().unwrap(), before - ratio(1, 40));
    assert_eq!(Query::answered_before(session.policy(), sql).unwrap(), [ratio(1, 40)]);
    let wrong = Query { sql: "SELECT * FROM visits".to_owned(), ..query.clone() };
    assert!(session.ask(&wrong).is_err_and(|error| matches!(error, Error::Plan(_)) && error.is_public()));
    assert!(matches!(session.ask(&Query { share: whole(2), ..query }), Err(Error::Query(_))));
}

/// Parts of a budget: analysts see only their own answers, remaining budget and names; a query has one answer for all
/// of them.
#[test]
fn analysts_know_what_they_paid_for() {
    let folder = tempfile::tempdir().unwrap();
    let policy = wards(folder.path(), (1, 4));
    let (path, people) = (policy.ledger().to_owned(), policy.population().to_owned());
    let id = AccountId::of(policy.guarantee());
    let curator =
        Session::new(policy).unwrap().with_rows("stays", rows(1_000)).unwrap().allowing(RegistrationMode::GoOn);
    let [ana, bo] = ["ana", "bo"].map(|name| curator.paid_by(Part::Named(name.to_owned())));
    assert!(ana.left().unwrap().share().is_none(), "there is no part without an account");
    curator.release().wait().unwrap();
    let mut ledger = Ledger::open_or_create(&path, &people).unwrap();
    for name in ["ana", "bo"] {
        ledger.set_aside(&id, name, &ratio(1, 4), Sharing::Reserved, None).unwrap();
    }
    let asked = |session: &Session, name: &str, sql: &str, share| {
        let query = Query::new(name, sql, share);
        session.ask(&query)?.wait()
    };
    let theirs =
        asked(&ana, "secret name", "SELECT COUNT(*) AS secret FROM stays WHERE age > 40", ratio(1, 8)).unwrap();
    let left = |session: &Session| session.left().unwrap().exact_share().unwrap();
    assert_eq!((left(&ana), left(&bo), left(&curator)), (ratio(1, 8), ratio(1, 4), ratio(1, 4)));
    // An equivalent query is charged like a new one, gets the same answer, and is stored under the analyst's own name.
    let same = asked(&bo, "mine", "SELECT COUNT(*) AS n FROM stays WHERE (age > 40)", ratio(1, 8)).unwrap();
    assert_eq!((same.origins[0], left(&bo)), (Origin::Charged, ratio(1, 8)));
    assert_eq!(same.answers()[0].rows, theirs.answers()[0].rows);
    let account = bo.account().unwrap().unwrap();
    let kept = account.releases.iter().find(|release| release.query.name == "mine").unwrap();
    let kept = kept.answer.as_ref().unwrap().read().unwrap().to_string();
    assert!(kept.contains("mine") && !kept.contains("secret"), "{kept}");
    assert_eq!(account.releases.len(), 2, "the curator's and Bo's");
    // Of the promise, 1/4 is reserved for each of them: the curator's policy may use half, and has used 1/2 of that.
    let plan = serde_json::to_value(PlanReport::new(curator.plan(), curator.account().unwrap().as_ref())).unwrap();
    assert_eq!(plan["spending"]["left_of_promise"], "1/4", "{plan}");
    // Answers that other analysts paid for are not offered, and published answers are free.
    let fewer = asked(&bo, "part", "SELECT COUNT(*) FROM stays WHERE age > 40", ratio(1, 9)).unwrap();
    assert_eq!(fewer.origins, [Origin::Stored], "Bo's own answer holds it");
    let public =
        asked(&bo, "public", "SELECT ward, COUNT(*) AS stays, SUM(age) AS years FROM stays GROUP BY ward", ratio(1, 4));
    assert_eq!(public.unwrap().origins, [Origin::Stored]);
    let refused = asked(&bo, "more", "SELECT COUNT(*) FROM stays WHERE age > 50", ratio(1, 7)).unwrap_err();
    assert!(refused.to_string().contains("set aside for you"), "{refused}");
    // A page is public.
    let page = curator.page().unwrap();
    assert!(page.contains("by ward") && !page.contains("secret") && !page.contains("mine"));
}

/// Inside an async task, no call blocks the runtime or starts a runtime within it.
#[test]
fn calls_are_awaited_inside_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let session = session(folder.path()).allowing(RegistrationMode::GoOn);
    let task = async move {
        let (first, second) = (session.release(), session.only(&["patients"]).unwrap().release());
        // Both are called at once; the first is stored before the second is run.
        (first.await, second.await)
    };
    let (first, second) = runtime.block_on(runtime.spawn(task)).unwrap();
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!(second.origins, [Origin::Stored]);
    assert!(first.answers().contains(&second.answers()[0]));
}

#[test]
fn a_dropped_call_is_charged_and_answered_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path()).allowing(RegistrationMode::GoOn);
    drop(session.release());
    let again = session.release().wait().unwrap();
    assert!(again.origins.iter().all(|origin| *origin == Origin::Stored));
    // The calls of a dropped session run as well.
    let sql = "SELECT COUNT(*) FROM visits";
    let query = Query::new("visits", sql, ratio(1, 40));
    let policy = session.policy().clone();
    drop(session.ask(&query).unwrap());
    drop(session);
    let answered = || !Query::answered_before(&policy, sql).unwrap().is_empty();
    assert!((0..600).any(|_| answered() || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        false
    }));
}

#[test]
fn rows_in_memory_are_registered_by_what_they_hold() {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::new(wards(folder.path(), (1, 2))).unwrap().with_rows("stays", rows(1_000)).unwrap();
    let registered = session.register(&[]).wait().unwrap();
    assert_eq!((registered[0].table.as_str(), &registered[0].outcome), ("stays", &RegistrationOutcome::New));
    let released = session.release().wait().unwrap();
    // With ε = 500 in all, the noise is nearly always zero, so the true value is visible.
    let stays: Vec<&Cell> = released.answers()[0].column("stays").unwrap().collect();
    let near =
        |cell: &Cell, truth: i64| (cell.number().unwrap().value.as_ref().unwrap().as_i64().unwrap() - truth).abs() <= 2;
    assert!(near(stays[0], 250) && near(stays[1], 750), "{stays:?}");

    // Other rows under the same version are refused; the same rows in other batches are accepted.
    let asking = |rows: Vec<RecordBatch>| {
        let session = Session::new(wards(folder.path(), (1, 2))).unwrap().with_rows("stays", rows).unwrap();
        let sql = "SELECT COUNT(*) FROM stays WHERE age > 50";
        session.ask(&Query::new("old", sql, ratio(1, 100))).unwrap().wait()
    };
    let changed = asking(rows(1_001)).unwrap_err();
    assert!(matches!(changed, Error::Release(ReleaseError::Data(DataError::Changed { .. }))), "{changed}");
    let whole = rows(1_000).remove(0);
    asking(vec![whole.slice(0, 7), whole.slice(7, 993)]).unwrap();
    assert!(matches!(session.with_rows("stay", Vec::new()), Err(Error::NoTable { known, .. }) if known == ["stays"]));
}

/// Caps that leave out much stop the curator's registration and release, and no query from outside of the policy.
#[test]
fn large_losses_are_accepted_by_query() {
    // Two rows of each person, of which one counts.
    let twice = || [rows(1_000), rows(1_000)].concat();
    let folder = tempfile::tempdir().unwrap();
    let session = Session::new(wards(folder.path(), (1, 2))).unwrap().with_rows("stays", twice()).unwrap();
    for refused in [session.register(&[]).wait().map(|_| ()), session.release().wait().map(|_| ())] {
        let Err(Error::Data(error) | Error::Release(ReleaseError::Data(error))) = refused else {
            panic!("{refused:?}")
        };
        let DataError::Losses { found, registered: false, .. } = &error else { panic!("{error}") };
        let parts: Vec<_> = found.iter().map(|loss| (loss.query.as_str(), &loss.part)).collect();
        assert_eq!(parts, [("by ward", &ratio(1, 2)); 2], "rows, and years");
    }
    let unknown = session.clone().accepting_losses(&["by wards"]).register(&[]).wait().unwrap_err();
    assert!(
        matches!(&unknown, Error::Accept(AcceptError::UnknownQuery { nearest: Some(near), .. }) if near == "by ward")
    );
    session.clone().accepting_losses(&["by ward"]).register(&[]).wait().unwrap();
    session.release().wait().unwrap();

    let folder = tempfile::tempdir().unwrap();
    let session = Session::new(wards(folder.path(), (1, 2))).unwrap().with_rows("stays", twice()).unwrap();
    let asking = session.allowing(RegistrationMode::GoOn);
    asking.ask(&Query::new("all", "SELECT COUNT(*) FROM stays", ratio(1, 100))).unwrap().wait().unwrap();
}

/// Rows in memory are checked like rows in files: before they are registered, and never after.
#[test]
fn rows_in_memory_that_read_badly_are_not_registered() {
    let folder = tempfile::tempdir().unwrap();
    let batch = RecordBatch::try_from_iter([
        ("patient", Arc::new(Int64Array::from_iter_values(0..100)) as _),
        ("ward", Arc::new(StringArray::from_iter_values((0..100).map(|_| "c"))) as _),
        ("age", Arc::new(StringArray::from_iter_values((0..100).map(|_| "old"))) as _),
    ]);
    let session = Session::new(wards(folder.path(), (1, 1))).unwrap().with_rows("stays", vec![batch.unwrap()]).unwrap();
    let Err(error) = session.release().wait() else { panic!("it was released") };
    assert!(matches!(error, Error::Release(ReleaseError::Data(_))), "{error}");
    assert!(session.account().unwrap().is_none(), "nothing was charged");
}

#[test]
fn events_and_resources_of_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = told.clone();
    let session = session(folder.path()).allowing(RegistrationMode::GoOn).telling(move |event| {
        tell.lock().unwrap().push(match event {
            Event::NewLedger(_) => "begins",
            Event::Head(_) => "head",
            Event::Step(_) => "step",
            _ => "more",
        });
    });
    session.release().wait().unwrap();
    let told = told.lock().unwrap().clone();
    assert_eq!((told.first(), told.last()), (Some(&"begins"), Some(&"head")));

    let little = Resources { memory: Some(10), ..Resources::default() };
    let error = self::session(folder.path()).with_resources(little).release().wait().unwrap_err();
    assert!(matches!(error, Error::Memory { allowed: 10, .. }), "{error}");
}

/// A rehearsal reads no rows, also of a policy in memory, and its ledger goes with its last session.
#[test]
fn a_rehearsal_makes_its_rows_up_and_keeps_no_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let size = Simulate { rows: Some(400), people: Some(400) };
    let rehearsal = size.rehearse(wards(folder.path(), (1, 2)), None).unwrap();
    let refused = rehearsal.clone().with_rows("stays", rows(10)).err().unwrap();
    assert!(matches!(&refused, Error::Simulate(SimulateError::Rows(table)) if table == "stays"), "{refused}");
    let released = rehearsal.release().wait().unwrap();
    assert!(released.publication.rehearsal && released.publication.to_string().starts_with("REHEARSAL: made-up rows"));
    assert_eq!(released.publication.data.version, "made-up rows");
    assert!(rehearsal.page().unwrap().contains("REHEARSAL: "));
    let ledger = rehearsal.policy().ledger().to_owned();
    assert!(ledger.exists() && !ledger.starts_with(folder.path()));
    drop(rehearsal);
    // The session's thread drops its last call after the answer is returned.
    let is_gone = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        !ledger.exists()
    });
    assert!(is_gone, "{}", ledger.display());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
