//! How long the questions of `deniable check --all` take: medians of several runs, by the number of people.
//!
//! `cargo run -p deniable-check --example everything -- 5 kmax 4 10 16`: runs, mechanism, numbers of people.

#![allow(clippy::print_stdout, reason = "an example prints")]

use deniable_check::family::Family;
use deniable_check::protocol::Party;
use deniable_check::subject::{Asked, Subject};
use deniable_check::words;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const NOTIONS: [&str; 11] = [
    "free-lunch",
    "zero-knowledge:1",
    "dp",
    "positive-dp",
    "negative-dp",
    "bounded-dp",
    "crowd-blending:2",
    "sampling:1/2",
    "rho:2",
    "alpha:0",
    "beta:0",
];
const FAMILIES: [&str; 7] = ["all", "groups:2", "independent", "bounded", "one-of:2", "sampled:1/2", "uniform"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [runs, name, sizes @ ..] = arguments.as_slice() else {
        return Err("write RUNS MECHANISM PEOPLE...".into());
    };
    for size in sizes {
        let mut parameters = BTreeMap::from([("entities".to_owned(), size.clone())]);
        if name == "kmax" {
            parameters.insert("k".to_owned(), "2".to_owned());
        }
        let subject = Subject::builtin(name, &parameters)?;
        let asked = Asked::of(&subject, Party::First)?;
        // A copy of this file measures an earlier commit, too: without the words that it does not have.
        let known = |notion: &&str| words::notion(notion).is_ok();
        let mut questions: Vec<(&str, Option<&str>)> =
            NOTIONS.into_iter().filter(known).map(|notion| (notion, None)).collect();
        for sign in ["pmp", "nmp"] {
            questions.extend(FAMILIES.map(|family| (sign, Some(family))));
        }
        let mut all: Vec<Duration> = Vec::new();
        let mut slowest: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
        for _ in 0..runs.parse::<usize>()? {
            let begin = Instant::now();
            for (notion, family) in &questions {
                let each = Instant::now();
                let family = family.map(|family| words::family(family, None)).transpose()?.unwrap_or(Family::All);
                // What is refused takes its time, too.
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
