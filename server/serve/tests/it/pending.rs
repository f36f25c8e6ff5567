//! What is being charged is not to be seen before its answer: not in tables, not in what is left, and not in a refusal.

use super::{alone, asked, csv, running};
use deniable_core::exact::{ratio, whole};
use std::time::{Duration, Instant};

/// The steps of the grid, in seconds: much longer than anything takes here. If a busy machine is too slow for one, the
/// next one is tried.
const STEPS: [u64; 3] = [4, 16, 60];

#[tokio::test(flavor = "multi_thread")]
async fn refusals_wait_until_what_they_tell_may_be_seen() {
    let _alone = alone().await;
    for step in STEPS.map(Duration::from_secs) {
        if refusals_wait(step).await {
            return;
        }
    }
    panic!("the machine is too busy: nothing is answered within {STEPS:?} s");
}

/// Whether the immediate refusals came within one step; otherwise the timing shows nothing, and the test is repeated.
async fn refusals_wait(step: Duration) -> bool {
    let running = running(&csv(50, 0), step, &[("ana", ratio(1, 4)), ("bo", ratio(1, 4))]).await;
    let (one, other, bo) = (running.client("ana").await, running.client("ana").await, running.client("bo").await);
    let begun = Instant::now();
    let paid = tokio::spawn(async move {
        asked(&one, "/* deniable.spend = 1/40 */ SELECT COUNT(*) AS n FROM t").await.unwrap();
    });
    tokio::time::sleep(step / 8).await;
    // What follows from the query alone is said at once, and so is all that another account is told.
    for wrong in ["SELECT nothing FROM t", "SELECT * FROM t", "/* deniable.spend = 2 */ SELECT COUNT(*) FROM t"] {
        assert!(asked(&other, wrong).await.is_err());
    }
    assert_eq!(asked(&bo, "SELECT COUNT(*) AS n FROM t").await, Err("55000".to_owned()));
    assert!(asked(&bo, "SELECT spent FROM deniable.budget").await.is_ok());
    if begun.elapsed() >= step {
        return false;
    }
    // What is left, what is refused for want of a price, and what does not fit: each tells of the charge.
    for tells in [
        "SELECT COUNT(*) AS n FROM t WHERE age > 3",
        "/* deniable.spend = 1/4 */ SELECT COUNT(*) AS n FROM t WHERE age > 3",
    ] {
        assert!(asked(&other, tells).await.is_err());
        assert!(begun.elapsed() >= step, "{tells} is refused before the answer may be seen");
    }
    paid.await.unwrap();
    true
}

/// What a curator asked is for everybody from the time on the grid at which it is shown, and not before, whoever asks the same.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_for_everybody_is_seen_from_its_own_time_on() {
    let _alone = alone().await;
    let step = Duration::from_secs(STEPS[0]);
    let running = running(&csv(50, 0), step, &[("ana", ratio(1, 4)), ("boss", whole(0))]).await;
    let (ana, boss) = (running.client("ana").await, running.client("boss").await);
    let sql = "/* deniable.spend = 1/40 */ SELECT COUNT(*) AS n FROM t";
    let begun = Instant::now();
    let public = tokio::spawn(async move { asked(&boss, sql).await });
    tokio::time::sleep(step / 8).await;
    let same = asked(&ana, sql).await;
    assert!(begun.elapsed() >= step, "it is seen before its time");
    assert_eq!(same, public.await.unwrap());
    assert!(same.is_ok());
    let spent = asked(&ana, "SELECT spent FROM deniable.budget").await.unwrap();
    assert_eq!(spent[0][0].as_deref(), Some("0"), "what is for everybody is free");
}

/// Statements that are as deep as they are long end in an answer or a refusal.
#[tokio::test(flavor = "multi_thread")]
async fn long_statements_end_nothing() {
    let _alone = alone().await;
    let running = running(&csv(50, 0), Duration::ZERO, &[("ana", ratio(1, 4))]).await;
    let client = running.client("ana").await;
    for sql in [
        format!("SELECT {}1", "1 + ".repeat(60_000)),
        format!("SELECT COUNT(*) FROM t WHERE {}TRUE", "NOT ".repeat(20_000)),
        format!("SELECT {}1{}", "(".repeat(9_000), ")".repeat(9_000)),
    ] {
        assert!(asked(&client, &sql).await.is_err());
    }
    asked(&client, "/* deniable.spend = 1/40 */ SELECT COUNT(*) AS n FROM t").await.unwrap();
}
