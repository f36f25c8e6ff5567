//! Response times reveal, without the grid, whether one person with very many rows is in the data; with the grid, they
//! do not.
//!
//! A busy machine is sometimes much slower. Two servers, over rows with and without the person, are therefore queried
//! at the same time, and an accidental difference does not occur three times in a row.
#![allow(clippy::print_stdout, reason = "tests say what they measured")]

use super::{alone, asked, csv, running};
use deniable_core::exact::whole;
use std::time::{Duration, Instant};

/// Rows of the one person, of which the caps keep four; doubled after each attempt without a difference.
const ROWS: usize = 100_000;
const ASKED: usize = 16;
/// The percentage of right guesses above which a person counts as detected. Random guesses over [`ASKED`] pairs exceed
/// it once in 185 runs, and in all of [`TRIED`] attempts once in six million runs.
const DETECTED: usize = 75;
/// Maximum number of attempts to see the difference without the grid, and to see none with it.
const TRIED: u32 = 3;

/// Response times of charged answers.
struct Times {
    with: Vec<Duration>,
    without: Vec<Duration>,
}

impl Times {
    /// Measures both servers with the same query at the same time, so that other load slows both.
    async fn of(rows: usize, answers_take: Duration) -> Self {
        let [with, without] = [csv(200, rows), csv(200, 0)];
        let parts = [("ana", whole(1))];
        let servers = [running(&with, answers_take, &parts).await, running(&without, answers_take, &parts).await];
        let clients = [servers[0].client("ana").await, servers[1].client("ana").await];
        let mut times = Self { with: Vec::new(), without: Vec::new() };
        for at in 0..=ASKED {
            let sql =
                format!("/* deniable.spend = 1/100 */ SELECT sex, COUNT(*) AS n FROM t WHERE age >= {at} GROUP BY sex");
            let one = async |client| {
                let begun = Instant::now();
                asked(client, &sql).await.unwrap();
                begun.elapsed()
            };
            // The one polled first starts first; the two take turns.
            let (with, without) = if at % 2 == 0 {
                tokio::join!(one(&clients[0]), one(&clients[1]))
            } else {
                let (without, with) = tokio::join!(one(&clients[1]), one(&clients[0]));
                (with, without)
            };
            // The first query of a server also opens its data.
            if at == 0 {
                continue;
            }
            times.with.push(with);
            times.without.push(without);
        }
        times
    }

    fn all(&self) -> impl Iterator<Item = &Duration> {
        self.with.iter().chain(&self.without)
    }

    /// The times minus the step of the grid, at least zero.
    fn beyond(&self, step: Duration) -> Self {
        let of = |all: &[Duration]| all.iter().map(|took| took.saturating_sub(step)).collect();
        Self { with: of(&self.with), without: of(&self.without) }
    }

    /// The percentage of right guesses of an observer who assigns the longer time to the data with the person; 50 is
    /// chance.
    fn told_apart(&self) -> usize {
        let pairs = self.with.iter().flat_map(|with| self.without.iter().map(move |without| with > without));
        pairs.filter(|is_longer| *is_longer).count() * 100 / (self.with.len() * self.without.len())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_grid_hides_whether_a_person_is_in_the_data() {
    let _alone = alone().await;
    let mut seen = Vec::new();
    let bare = loop {
        let times = Times::of(ROWS << seen.len(), Duration::ZERO).await;
        seen.push(times.told_apart());
        // On an idle machine, all guesses are right.
        if seen.last() > Some(&DETECTED) {
            break times;
        }
        assert!(seen.len() < TRIED as usize, "without a grid one person is detected: {seen:?}%");
    };
    // A step longer than any answer takes on this machine at its present load, as the curator is advised to measure.
    let rows = ROWS << (seen.len() - 1);
    let mut step = (*bare.all().max().unwrap() * 4).max(Duration::from_millis(500));
    let mut told = Vec::new();
    loop {
        let times = Times::of(rows, step).await;
        assert!(times.all().all(|took| *took >= step), "an answer is visible before its time");
        let steps = |all: &[Duration]| all.iter().map(|took| took.as_nanos() / step.as_nanos()).collect::<Vec<_>>();
        // The rest is the time to read and write the stored answer, which is the same on both servers.
        let apart = times.beyond(step).told_apart();
        told.push((step, steps(&times.with), steps(&times.without), apart));
        let is_one = times.all().all(|took| *took < step * 3 / 2);
        if is_one && (100 - DETECTED..=DETECTED).contains(&apart) {
            break;
        }
        assert!(told.len() < TRIED as usize, "with the grid one person is detected: {told:?}");
        step *= 2;
    }
    println!("right guesses without a grid: {seen:?}%; with the grid, by step: {told:?}");
}
