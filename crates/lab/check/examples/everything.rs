//! Running times of the questions of `deniable check --all`: medians of several runs, by the number of people.
//!
//! `cargo run -p deniable-check --example everything -- 5 kmax 4 10 16`: runs, mechanism, numbers of people.

#![allow(clippy::print_stdout, reason = "an example prints")]

use deniable_check::everything::questions;
use deniable_check::family::Family;
use deniable_check::protocol::Party;
use deniable_check::subject::{Subject, View};
use deniable_check::words;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [runs, name, sizes @ ..] = arguments.as_slice() else {
        return Err("write RUNS MECHANISM PEOPLE...".into());
    };
    let questions = questions();
    for size in sizes {
        let mut parameters = BTreeMap::from([("entities".to_owned(), size.clone())]);
        if name == "kmax" {
            parameters.insert("k".to_owned(), "2".to_owned());
        }
        let subject = Subject::builtin(name, &parameters)?;
        let asked = View::of(&subject, Party::First)?;
        let mut all: Vec<Duration> = Vec::new();
        let mut slowest: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
        for _ in 0..runs.parse::<usize>()? {
            let begin = Instant::now();
            for (notion, family) in &questions {
                let each = Instant::now();
                let family = family.map(|family| words::family(family, None)).transpose()?.unwrap_or(Family::All);
                // Questions that return errors take time too.
                let _ = asked.answer(&words::notion(notion)?, &family);
                slowest.entry((*notion).to_owned()).or_default().push(each.elapsed());
            }
            all.push(begin.elapsed());
        }
        let of_notion = slowest.into_iter().map(|(notion, times)| (median(times), notion)).max();
        let (time, notion) = of_notion.unwrap_or_default();
        println!(
            "{name}, {size} people, {} questions: {:.3?}, of which {notion} {time:.3?}",
            questions.len(),
            median(all)
        );
    }
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
