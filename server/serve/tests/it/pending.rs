//! A pending charge is hidden until its answer is visible: in tables, in the remaining budget, and in refusals.

use super::{alone, asked, csv, running};
use deniable_core::exact::{ratio, whole};
use std::time::{Duration, Instant};

/// Steps of the grid in seconds, much longer than any request here. If a busy machine is too slow for one, the next one
/// is tried.
const STEPS: [u64; 3] = [4, 16, 60];

#[tokio::test(flavor = "multi_thread")]
async fn refusals_wait_until_pending_charges_are_visible() {
    let _alone = alone().await;
    for step in STEPS.map(Duration::from_secs) {
        if refusals_wait(step).await {
            return;
        }
    }
    panic!("the machine is too busy: no answer came within {STEPS:?} s");
}

/// Whether the immediate refusals came within one step. Otherwise the timing shows nothing, and the test is repeated.
async fn refusals_wait(step: Duration) -> bool {
    let running = running(&csv(50, 0), step, &[("ana", ratio(1, 4)), ("bo", ratio(1, 4))]).await;
    let (one, other, bo) = (running.client("ana").await, running.client("ana").await, running.client("bo").await);
    let begun = Instant::now();
    let paid = tokio::spawn(async move {
        asked(&one, "/* deniable.spend = 1/40 */ SELECT COUNT(*) AS n FROM t").await.unwrap();
    });
    tokio::time::sleep(step / 8).await;
    // Errors that depend on the query alone are immediate, and so are all replies to other accounts.
    for wrong in ["SELECT nothing FROM t", "SELECT * FROM t", "/* deniable.spend = 2 */ SELECT COUNT(*) FROM t"] {
        assert!(asked(&other, wrong).await.is_err());
    }
    assert_eq!(asked(&bo, "SELECT COUNT(*) AS n FROM t").await, Err("55000".to_owned()));
    assert!(asked(&bo, "SELECT spent FROM deniable.budget").await.is_ok());
    if begun.elapsed() >= step {
        return false;
    }
    // The remaining budget, a missing price and an unaffordable price: each of these replies reveals the charge.
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

/// A curator's answer is visible to all users from its grid time on, and not before, also to those with the same query.
#[tokio::test(flavor = "multi_thread")]
async fn published_answers_are_visible_from_their_grid_time() {
    let _alone = alone().await;
    let step = Duration::from_secs(STEPS[0]);
    let running = running(&csv(50, 0), step, &[("ana", ratio(1, 4)), ("boss", whole(0))]).await;
    let (ana, boss) = (running.client("ana").await, running.client("boss").await);
    let sql = "/* deniable.spend = 1/40 */ SELECT COUNT(*) AS n FROM t";
    let begun = Instant::now();
    let public = tokio::spawn(async move { asked(&boss, sql).await });
    tokio::time::sleep(step / 8).await;
    let same = asked(&ana, sql).await;
    assert!(begun.elapsed() >= step, "the answer is visible before its time");
    assert_eq!(same, public.await.unwrap());
    assert!(same.is_ok());
    let spent = asked(&ana, "SELECT spent FROM deniable.budget").await.unwrap();
    assert_eq!(spent[0][0].as_deref(), Some("0"), "a published answer is free");
}

/// Very deep and very long statements get an answer or a refusal, and the server keeps running.
#[tokio::test(flavor = "multi_thread")]
async fn long_statements_do_not_stop_the_server() {
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
