//! One account cannot block the server for others: its catalog queries have few places, and its wrong passwords are
//! delayed.

use super::{PASSWORD, RunningServer, alone, asked, csv, running, serving};
use deniable::Policy;
use deniable_core::exact::ratio;
use deniable_wire::{Backend, Client as WireClient, Session};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_postgres::NoTls;

/// A catalog query that runs until a limit stops it.
const LONG: &str = "SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c, pg_attribute d";
/// Connections of one account that repeat this query.
const CONNECTIONS: usize = 20;
/// Upper bound of the time of another account's charged answer meanwhile, on a busy machine.
const BOUND: Duration = Duration::from_secs(15);

#[tokio::test(flavor = "multi_thread")]
async fn catalog_queries_of_one_account_delay_no_answers() {
    let _alone = alone().await;
    let parts = [("ana", ratio(1, 4)), ("bo", ratio(1, 4))];
    let running = running(&csv(50, 0), Duration::ZERO, &parts).await;
    let mut asking = Vec::new();
    for _ in 0..CONNECTIONS {
        let client = running.client("ana").await;
        asking.push(tokio::spawn(async move {
            loop {
                let _ = asked(&client, LONG).await;
            }
        }));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let bo = running.client("bo").await;
    let begun = Instant::now();
    asked(&bo, "/* deniable.spend = 1/40 */ SELECT COUNT(*) AS n FROM t").await.unwrap();
    assert!(begun.elapsed() < BOUND, "an answer took {:?}", begun.elapsed());
    let begun = Instant::now();
    asked(&bo, "SELECT relname FROM pg_class").await.unwrap();
    assert!(begun.elapsed() < BOUND, "a small query about catalogs took {:?}", begun.elapsed());
    asking.iter().for_each(tokio::task::JoinHandle::abort);
}

/// Places for catalog queries are given in turns, a few to each account: another account's query is next, however many
/// queries one account has waiting.
#[tokio::test(flavor = "multi_thread")]
async fn places_are_given_in_turns() {
    const HELD: Duration = Duration::from_millis(100);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), csv(50, 0)).unwrap();
    let policy = Policy::parse(&folder.path().join("policy.toml"), super::POLICY).unwrap();
    let kept: Arc<Mutex<Option<Arc<dyn Backend>>>> = Arc::default();
    let keeps = Arc::clone(&kept);
    let parts = [("ana", ratio(1, 4)), ("bo", ratio(1, 4)), ("cy", ratio(1, 4))];
    let _running = serving(folder, policy, &[], Duration::ZERO, &parts, move |served| {
        *keeps.lock().unwrap() = Some(Arc::clone(&served));
        served
    })
    .await;
    let backend = kept.lock().unwrap().take().unwrap();
    let session = |user: &str| -> Arc<dyn Session> {
        let (user, database, application) = (user.to_owned(), "clinic".to_owned(), String::new());
        backend.begin(WireClient { user, database, application, is_secure: true, is_local: true }).unwrap()
    };
    let (at_once, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    for user in ["ana", "cy"] {
        let session = session(user);
        for _ in 0..300 {
            let (session, at_once, most) = (Arc::clone(&session), Arc::clone(&at_once), Arc::clone(&most));
            tokio::spawn(async move {
                let _place = session.place().await.unwrap();
                most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(HELD).await;
                at_once.fetch_sub(1, Ordering::SeqCst);
            });
        }
    }
    tokio::time::sleep(HELD / 2).await;
    let begun = Instant::now();
    let _place = session("bo").place().await.unwrap();
    // At most two queries of each other account precede it. All 600 would take 60 s / places.
    assert!(begun.elapsed() < 12 * HELD, "{:?}", begun.elapsed());
    // At most half of the threads, and two places of one account.
    let places = std::thread::available_parallelism().map_or(1, |threads| (threads.get() / 2).max(1));
    assert!((1..=places.min(4)).contains(&most.load(Ordering::SeqCst)), "{most:?} of {places}");
}

async fn begins(running: &RunningServer, password: &str) -> bool {
    let mut config = tokio_postgres::Config::new();
    config.host("127.0.0.1").port(running.address.port()).user("ana").password(password).dbname("clinic");
    config.connect(NoTls).await.is_ok()
}

/// Each further wrong password waits longer, also among concurrent attempts; the right password resets the delay.
#[tokio::test(flavor = "multi_thread")]
async fn each_wrong_password_waits_longer() {
    let _alone = alone().await;
    let running = Arc::new(running(&csv(50, 0), Duration::ZERO, &[("ana", ratio(1, 4))]).await);
    let begun = Instant::now();
    for _ in 0..4 {
        assert!(!begins(&running, "a guess that is wrong").await);
    }
    // Half a second, one and two seconds between attempts, and half a second after the last; constant delays would sum
    // to two seconds.
    assert!(begun.elapsed() > Duration::from_millis(3_500), "{:?}", begun.elapsed());
    assert!(begins(&running, PASSWORD).await, "the right password waits, and is accepted");
    let begun = Instant::now();
    assert!(begins(&running, PASSWORD).await);
    assert!(begun.elapsed() < Duration::from_secs(2), "the delay is reset");
    let guesses: Vec<_> = (0..60)
        .map(|_| {
            let running = Arc::clone(&running);
            tokio::spawn(async move { begins(&running, "a guess that is wrong").await })
        })
        .collect();
    for guess in guesses {
        assert!(!guess.await.unwrap());
    }
    assert!(
        !begins(&running, PASSWORD).await,
        "after many concurrent guesses the right password is not checked either"
    );
}
