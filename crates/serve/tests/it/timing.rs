//! What time tells: over no grid, whether one person with very many rows is in the data; over the grid, nothing.

use super::{alone, asked, csv, running};
use deniable_core::exact::whole;
use std::time::{Duration, Instant};

/// Rows of the one person, all but four of which are left out by the caps.
const ROWS: usize = 150_000;
/// Questions of each server.
const ASKED: usize = 12;

/// How long charged answers took, over rows with and without the person.
async fn times(rows: &str, answers_take: Duration) -> Vec<Duration> {
    let running = running(rows, answers_take, &[("ana", whole(1))]).await;
    let client = running.client("ana").await;
    let mut all = Vec::new();
    for at in 0..ASKED {
        let begun = Instant::now();
        let sql =
            format!("/* deniable.spend = 1/100 */ SELECT sex, COUNT(*) AS n FROM t WHERE age >= {at} GROUP BY sex");
        asked(&client, &sql).await.unwrap();
        all.push(begun.elapsed());
    }
    all
}

/// The share of right guesses of whoever takes the longer half for the data with the person: a half is none.
fn told_apart(with: &[Duration], without: &[Duration]) -> usize {
    let pairs = with.iter().flat_map(|with| without.iter().map(move |without| with > without));
    pairs.filter(|is_longer| *is_longer).count() * 100 / (with.len() * without.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_grid_hides_who_is_in() {
    let _alone = alone().await;
    let (with, without) = (csv(200, ROWS), csv(200, 0));
    let none = Duration::ZERO;
    let longest = times(&with, none).await;
    let bare = told_apart(&longest, &times(&without, none).await);
    // All of them on an idle machine. Guesses that knew nothing would be as right as this once in 50 runs.
    assert!(bare >= 75, "without a grid one person is seen: {bare}%");
    // A step that is longer than any answer takes on this machine, as busy as it is: what a curator is told to measure.
    let longest = longest.into_iter().max().unwrap();
    let step = (longest * 5).max(Duration::from_secs(1));
    let (with, without) = (times(&with, step).await, times(&without, step).await);
    let steps = |all: &[Duration]| all.iter().map(|took| took.as_millis() / step.as_millis()).collect::<Vec<_>>();
    assert_eq!(steps(&with), steps(&without), "all are seen after one step");
    // What is left is how long the stored answer takes to be read and written, which is the same on both.
    let beyond = |all: &[Duration]| all.iter().map(|took| took.saturating_sub(step)).max().unwrap_or_default();
    assert!(beyond(&with) < step / 2 && beyond(&without) < step / 2);
}
