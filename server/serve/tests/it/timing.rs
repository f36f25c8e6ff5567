//! What time tells: over no grid, whether one person with very many rows is in the data; over the grid, nothing.
//!
//! A machine that has other things to do takes longer, now and then very much longer. So two servers, over rows with the person and without, are asked
//! at the same time, and what is seen by chance is not seen three times in a row.
#![allow(clippy::print_stdout, reason = "tests say what they measured")]

use super::{alone, asked, csv, running};
use deniable_core::exact::whole;
use std::time::{Duration, Instant};

/// Rows of the one person, all but four of which are left out by the caps; each time that nothing is seen there are twice as many.
const ROWS: usize = 100_000;
const ASKED: usize = 12;
/// How often it is tried to see what should be seen, and not to see what should not.
const TRIED: u32 = 3;

/// How long charged answers took.
struct Times {
    with: Vec<Duration>,
    without: Vec<Duration>,
}

impl Times {
    /// Of questions to both servers, each of both at once: what else the machine does takes time from both.
    async fn of(rows: usize, answers_take: Duration) -> Self {
        let [with, without] = [csv(200, rows), csv(200, 0)];
        let parts = [("ana", whole(1))];
        let servers = [running(&with, answers_take, &parts).await, running(&without, answers_take, &parts).await];
        let clients = [servers[0].client("ana").await, servers[1].client("ana").await];
        let mut times = Self { with: Vec::new(), without: Vec::new() };
        for at in 0..ASKED {
            let sql =
                format!("/* deniable.spend = 1/100 */ SELECT sex, COUNT(*) AS n FROM t WHERE age >= {at} GROUP BY sex");
            let one = async |client| {
                let begun = Instant::now();
                asked(client, &sql).await.unwrap();
                begun.elapsed()
            };
            let (with, without) = tokio::join!(one(&clients[0]), one(&clients[1]));
            times.with.push(with);
            times.without.push(without);
        }
        times
    }

    fn all(&self) -> impl Iterator<Item = &Duration> {
        self.with.iter().chain(&self.without)
    }

    /// The same, but for this part of each.
    fn beyond(&self, step: Duration) -> Self {
        let of = |all: &[Duration]| all.iter().map(|took| took.saturating_sub(step)).collect();
        Self { with: of(&self.with), without: of(&self.without) }
    }

    /// The share of right guesses, in percent, of whoever takes the longer one of two for the data with the person: a half is none.
    fn told_apart(&self) -> usize {
        let pairs = self.with.iter().flat_map(|with| self.without.iter().map(move |without| with > without));
        pairs.filter(|is_longer| *is_longer).count() * 100 / (self.with.len() * self.without.len())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_grid_hides_who_is_in() {
    let _alone = alone().await;
    let mut seen = Vec::new();
    let bare = loop {
        let times = Times::of(ROWS << seen.len(), Duration::ZERO).await;
        seen.push(times.told_apart());
        // All of them on an idle machine. Guesses that knew nothing would be as right as this once in some thousand runs.
        if seen.last() >= Some(&90) {
            break times;
        }
        assert!(seen.len() < TRIED as usize, "without a grid one person is seen: {seen:?}%");
    };
    // A step that is longer than any answer takes on this machine, as busy as it is: what a curator is told to measure.
    let rows = ROWS << (seen.len() - 1);
    let mut step = (*bare.all().max().unwrap() * 4).max(Duration::from_millis(500));
    let mut told = Vec::new();
    loop {
        let times = Times::of(rows, step).await;
        assert!(times.all().all(|took| *took >= step), "an answer is seen before its time");
        let steps = |all: &[Duration]| all.iter().map(|took| took.as_nanos() / step.as_nanos()).collect::<Vec<_>>();
        // What is left is how long the stored answer takes to be read and written, which is the same on both.
        let apart = times.beyond(step).told_apart();
        told.push((step, steps(&times.with), steps(&times.without), apart));
        let is_one = times.all().all(|took| *took < step * 3 / 2);
        // Guesses that know nothing are outside of this once in some thousand runs.
        if is_one && (10..=90).contains(&apart) {
            break;
        }
        assert!(told.len() < TRIED as usize, "over the grid one person is seen: {told:?}");
        step *= 2;
    }
    println!("told apart without a grid: {seen:?}%; over the grid, by step: {told:?}");
}
