//! One draw of noise for each charge (P-1), however a run ends and whichever analyst asks again.

use super::{FORM, PEOPLE, Place, account, request, three};
use deniable_core::exact::ratio;
use deniable_ledger::{
    AnswerError, ChargeOutcome, ChargeRequest, Draw, DrawError, Ledger, Part, Sharing, StoreError, verify,
};
use serde_json::json;
use std::convert::Infallible;

fn new(ledger: &mut Ledger, request: &ChargeRequest) -> u64 {
    match ledger.charge(request).unwrap() {
        ChargeOutcome::New { seq } => seq,
        other => panic!("{other:?}"),
    }
}

/// The numbers of a charge, where a draw that is not allowed fails the test.
fn drawn(ledger: &mut Ledger, seq: u64, numbers: &[i128]) -> Vec<i128> {
    let noise = || Ok::<_, Infallible>(numbers.to_vec());
    ledger.draw(seq, &FORM, numbers.len(), noise).unwrap().unwrap().read().unwrap()
}

fn not_drawn(ledger: &mut Ledger, seq: u64, count: usize) -> Result<Vec<i128>, DrawError> {
    let noise = || -> Result<Vec<i128>, Infallible> { panic!("noise was drawn again") };
    Ok(ledger.draw(seq, &FORM, count, noise)?.unwrap().read().unwrap())
}

#[test]
fn numbers_are_stored_before_the_answer_and_never_drawn_again() {
    for numbers in [vec![4], vec![-1; 1_599], (0..40_000).collect::<Vec<i128>>()] {
        let place = Place::new();
        let mut ledger = place.ledger();
        let seq = new(&mut ledger, &request("1", (1, 2)));
        assert_eq!(drawn(&mut ledger, seq, &numbers), numbers);
        // The process dies here. The next one computes the answer from the same numbers, at no cost.
        drop(ledger);
        let mut ledger = place.ledger();
        let ChargeOutcome::Drawn { seq: same, numbers: stored } = ledger.charge(&request("1", (1, 2))).unwrap() else {
            panic!()
        };
        assert_eq!((same, stored.read().unwrap()), (seq, numbers.clone()));
        assert_eq!(not_drawn(&mut ledger, seq, numbers.len()).unwrap(), numbers);
        ledger.store_answer(seq, &FORM, &json!(7)).unwrap();
        assert_eq!(ledger.charge(&request("1", (1, 2))).unwrap(), ChargeOutcome::Answered { seq, answer: json!(7) });
        assert_eq!(ledger.summary().accounts[0].spent, three().share(&ratio(1, 2)).unwrap());
        assert_eq!(verify(&place.path, None).unwrap().strays, 0, "the file of the numbers is known");
    }
}

/// A draw that fails between the first random bit and the commit leaves a dead charge: it stays spent, and the query is
/// charged anew.
#[test]
fn a_draw_that_broke_off_is_never_drawn_again() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seq = new(&mut ledger, &request("1", (1, 4)));
    assert_eq!(ledger.draw(seq, &FORM, 1, || Err("broke off")).unwrap(), Err("broke off"));
    drop(ledger);
    let mut ledger = place.ledger();
    assert!(matches!(not_drawn(&mut ledger, seq, 1), Err(DrawError::NotOpen(_))));
    assert!(matches!(ledger.store_answer(seq, &FORM, &json!(1)), Err(AnswerError::Closed(_))));
    let again = new(&mut ledger, &request("1", (1, 4)));
    assert_eq!(drawn(&mut ledger, again, &[5]), [5]);
    // Both were paid for.
    assert_eq!(ledger.summary().accounts[0].spent, three().share(&ratio(1, 2)).unwrap());
    // A wrong number of numbers is an error, and the charge is dead.
    let seq = new(&mut ledger, &request("2", (1, 4)));
    assert!(ledger.draw(seq, &FORM, 2, || Ok::<_, Infallible>(vec![1])).is_err());
    assert!(matches!(not_drawn(&mut ledger, seq, 2), Err(DrawError::NotOpen(_))));
}

/// A panic in the noise, as a kill would: the entry of the draw is on disk before the first random bit.
#[test]
fn the_draw_is_on_disk_before_the_first_random_bit() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seq = new(&mut ledger, &request("1", (1, 4)));
    let path = place.path.clone();
    let copy = place.path.with_extension("copy");
    let copied = copy.clone();
    let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        ledger.draw::<Infallible>(seq, &FORM, 1, || {
            // A copy as a crash at this moment leaves it: the file, without its uncommitted journal.
            std::fs::copy(&path, &copied).unwrap();
            panic!("killed")
        })
    }));
    assert!(broken.is_err());
    let summary = deniable_ledger::show(&copy).unwrap();
    assert!(matches!(summary.accounts[0].releases[0].draw, Draw::Begun(_)));
    let mut ledger = place.ledger();
    assert!(matches!(not_drawn(&mut ledger, seq, 1), Err(DrawError::NotOpen(_))));
}

/// Two parts with one open identity: one draw serves both, and after a dead charge the whole pays again.
#[test]
fn one_draw_serves_every_part() {
    let place = Place::new();
    let mut ledger = place.ledger();
    for name in ["ana", "bo"] {
        ledger.set_aside(&account(), name, &ratio(1, 2), Sharing::Reserved, None).unwrap();
    }
    let by = |name: &str| ChargeRequest { part: Part::Named(name.into()), ..request("1", (1, 8)) };
    let spent = |ledger: &Ledger| ledger.summary().accounts[0].spent.clone();
    let (ana, bo) = (new(&mut ledger, &by("ana")), new(&mut ledger, &by("bo")));
    assert_eq!(spent(&ledger), three().share(&ratio(1, 8)).unwrap(), "the whole pays once");
    // A failed draw for one part is a failed draw for both.
    assert!(ledger.draw(ana, &FORM, 1, || Err(())).unwrap().is_err());
    assert!(matches!(not_drawn(&mut ledger, bo, 1), Err(DrawError::NotOpen(_))));
    // One part asks anew, and the whole pays anew; the other part uses the existing numbers.
    let bo = new(&mut ledger, &by("bo"));
    assert_eq!(spent(&ledger), three().share(&ratio(1, 4)).unwrap());
    assert_eq!(drawn(&mut ledger, bo, &[9]), [9]);
    let ana = new(&mut ledger, &by("ana"));
    assert_eq!(not_drawn(&mut ledger, ana, 1).unwrap(), [9]);
    assert_eq!(spent(&ledger), three().share(&ratio(1, 4)).unwrap());
    assert_eq!(verify(&place.path, None).unwrap().strays, 0);
}

/// No entry of another process comes between those of one act.
#[test]
fn a_locked_ledger_is_written_by_its_holder_alone() {
    let place = Place::new();
    let (mut first, mut second) = (place.ledger(), place.ledger());
    let charged = first.locked(|first| {
        let before = first.head().seq;
        let waiting = std::thread::spawn(move || new(&mut second, &request("2", (1, 4))));
        std::thread::sleep(std::time::Duration::from_millis(50));
        let own = [new(first, &request("1", (1, 4))), new(first, &request("3", (1, 4)))];
        assert_eq!(own, [before + 1, before + 2]);
        waiting
    });
    assert_eq!(charged.unwrap().join().unwrap(), first.head().seq + 1);
    // A panic gives up the lock.
    let broken = std::panic::AssertUnwindSafe(|| first.locked(|_| panic!("broken off")));
    assert!(std::panic::catch_unwind(broken).is_err());
    new(&mut place.ledger(), &request("4", (1, 8)));
    assert_eq!(verify(&place.path, None).unwrap().strays, 0);
}

/// Two processes that resumed one charge: the second takes the numbers of the first.
#[test]
fn two_processes_draw_once() {
    let place = Place::new();
    let (mut first, mut second) = (place.ledger(), place.ledger());
    let seq = new(&mut first, &request("1", (1, 2)));
    assert_eq!(second.charge(&request("1", (1, 2))).unwrap(), ChargeOutcome::Resumed { seq });
    assert_eq!(drawn(&mut second, seq, &[3]), [3]);
    assert_eq!(not_drawn(&mut first, seq, 1).unwrap(), [3]);
    // While one draws, the other waits: it never sees a draw without its numbers.
    let seq = new(&mut first, &request("2", (1, 4)));
    let path = place.path.clone();
    let other = std::thread::spawn(move || {
        let mut other = Ledger::open_or_create(&path, PEOPLE).unwrap();
        move || not_drawn(&mut other, seq, 1)
    });
    let mut other = other.join().unwrap();
    std::thread::scope(|scope| {
        let mut waiting = None;
        let drawn = first.draw(seq, &FORM, 1, || {
            waiting = Some(scope.spawn(&mut other));
            std::thread::sleep(std::time::Duration::from_millis(50));
            Ok::<_, Infallible>(vec![8])
        });
        assert_eq!(drawn.unwrap().unwrap().read().unwrap(), [8]);
        assert_eq!(waiting.unwrap().join().unwrap().unwrap(), [8]);
    });
}

/// Without room for the numbers the draw does not begin; with room, the commit needs no more.
#[test]
fn room_is_there_before_the_draw() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let seq = new(&mut ledger, &request("1", (1, 2)));
    let numbers = vec![7; 1_500];
    let mut refused = 0;
    for pages in 1_u32.. {
        ledger.book.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
        let mut begun = false;
        let drawn = ledger.draw(seq, &FORM, numbers.len(), || {
            begun = true;
            Ok::<_, Infallible>(numbers.clone())
        });
        match drawn {
            Ok(drawn) => {
                assert_eq!(drawn.unwrap().read().unwrap(), numbers);
                break;
            }
            Err(DrawError::Store(StoreError::DiskFull(_))) => {
                assert!(!begun, "noise was drawn with {pages} pages, and could not be stored");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
        assert_eq!(ledger.charge(&request("1", (1, 2))).unwrap(), ChargeOutcome::Resumed { seq });
    }
    assert!(refused > 3, "{refused}");
}

/// An answer without numbers ends the draws of its identity, for other parts too.
#[test]
fn nothing_is_drawn_beside_an_answer_without_numbers() {
    let place = Place::new();
    let mut ledger = place.ledger();
    for name in ["ana", "bo"] {
        ledger.set_aside(&account(), name, &ratio(1, 2), Sharing::Reserved, None).unwrap();
    }
    let by = |name: &str| ChargeRequest { part: Part::Named(name.into()), ..request("1", (1, 8)) };
    let ana = new(&mut ledger, &by("ana"));
    ledger.store_answer(ana, &FORM, &json!(7)).unwrap();
    let bo = new(&mut ledger, &by("bo"));
    assert!(matches!(not_drawn(&mut ledger, bo, 1), Err(DrawError::NotOpen(_))));
}

/// The lock is held from the entry that begins a draw to the one that ends it: no reader sees a draw in progress.
#[test]
fn readers_never_see_a_draw_in_progress() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let done = std::sync::atomic::AtomicBool::new(false);
    let is_done = || done.load(std::sync::atomic::Ordering::Relaxed);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut reads = 0;
            while !is_done() {
                let accounts = deniable_ledger::show(&place.path).unwrap().accounts;
                let going_on = |release: &deniable_ledger::Release| matches!(release.draw, Draw::Begun(_));
                assert!(!accounts.iter().flat_map(|account| &account.releases).any(going_on));
                reads += 1;
            }
            reads
        });
        for number in 0..40 {
            let seq = new(&mut ledger, &request(&format!("{number:x}"), (1, 100)));
            drawn(&mut ledger, seq, &[number]);
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(reader.join().unwrap() > 0);
    });
}
