//! Audits every mechanism of the zoo and prints a table; two mechanisms at a time.
//!
//! ```text
//! cargo run --release -p deniable-audit --example zoo -- [--samples N] [--only NAME] [--repeat N] [--write FILE]
//! ```
//!
//! `--write` puts the table between the comments `zoo:begin` and `zoo:end` of a file. `--repeat` audits every correct
//! mechanism N times and counts false alarms instead of printing a table.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "an example prints, and may stop")]

use deniable_audit::zoo::{self, Member};
use deniable_audit::{Settings, Verdict, audit};
use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const THREADS: usize = 2;
const BEGIN: &str = "<!-- zoo:begin -->";
const END: &str = "<!-- zoo:end -->";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| {
        arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned()
    };
    let number = |name: &str| given(name).map(|text| text.replace('_', "").parse::<u64>()).transpose();
    let samples = number("--samples")?.unwrap_or(4_000_000);
    let mut members = zoo::members()?;
    if let Some(name) = given("--only") {
        members.retain(|member| member.name == name);
    }
    let settings = Settings { samples, ..Settings::default() };
    match number("--repeat")? {
        Some(times) => cry_wolf(&members, &settings, times),
        None => table(&members, &settings, given("--write")),
    }
}

/// Runs every job on one of the threads.
fn in_parallel(jobs: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs {
                        break;
                    }
                    work(job);
                }
            });
        }
    });
}

fn once(member: &Member, settings: &Settings) -> Result<(Verdict, f64), String> {
    let started = Instant::now();
    let mut workers = vec![member.start().map_err(|error| error.to_string())?];
    let verdict = audit(&mut workers, &member.neighbours, Some(&member.claim), settings);
    verdict.map(|verdict| (verdict, started.elapsed().as_secs_f64())).map_err(|error| error.to_string())
}

fn table(members: &[Member], settings: &Settings, file: Option<String>) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let results = Mutex::new(vec![None; members.len()]);
    in_parallel(members.len(), |at| {
        let result = once(&members[at], settings);
        if let Ok((verdict, _)) = &result {
            println!("## {}\n{verdict}\n", members[at].name);
        }
        results.lock().expect("no thread panics with it")[at] = Some(result);
    });
    let mut lines = vec![
        "| mechanism | what it does | claimed ε | certified ε ≥ | exact supremum of ε | verdict | samples | seconds |"
            .to_owned(),
        "|---|---|---|---|---|---|---|---|".to_owned(),
    ];
    let mut wrong = vec![];
    for (member, result) in members.iter().zip(results.into_inner()?) {
        let (verdict, seconds) = result.ok_or("an audit is missing")??;
        if verdict.is_broken() != member.broken {
            wrong.push(member.name);
        }
        let found = deniable_core::exact::decimal(&verdict.epsilon(), 3, deniable_core::exact::Rounding::Down);
        lines.push(format!(
            "| `{}` | {} | {} | {found} | {} | {} | {} | {seconds:.1} |",
            member.name,
            member.about,
            zoo::epsilon(&member.claim),
            member.supremum,
            if verdict.is_broken() { "**broken**" } else { "not broken" },
            verdict.samples(),
        ));
    }
    let total = started.elapsed().as_secs_f64();
    lines.push(String::new());
    lines.push(format!(
        "{} mechanisms on two threads in {total:.0} s, each audit at 99.9% confidence. Broken ones missed or correct\nones accused: {}.",
        members.len(),
        if wrong.is_empty() { "none".to_owned() } else { wrong.join(", ") }
    ));
    let text = lines.join("\n");
    println!("{text}");
    if let Some(file) = file {
        let old = std::fs::read_to_string(&file)?;
        let (before, rest) = old.split_once(BEGIN).ok_or("the file has no zoo:begin")?;
        let (_, after) = rest.split_once(END).ok_or("the file has no zoo:end")?;
        std::fs::write(&file, format!("{before}{BEGIN}\n{text}\n{END}{after}"))?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("wrong verdicts: {}", wrong.join(", ")).into()) }
}

fn cry_wolf(members: &[Member], settings: &Settings, times: u64) -> Result<(), Box<dyn Error>> {
    let correct: Vec<&Member> = members.iter().filter(|member| !member.broken).collect();
    let alarms = Mutex::new(Vec::new());
    in_parallel(correct.len() * times as usize, |job| {
        let member = correct[job % correct.len()];
        match once(member, settings) {
            Ok((verdict, _)) if !verdict.is_broken() => {}
            Ok((verdict, _)) => {
                alarms.lock().expect("no thread panics with it").push(format!("{}: {verdict}", member.name))
            }
            Err(error) => alarms.lock().expect("no thread panics with it").push(format!("{}: {error}", member.name)),
        }
    });
    let alarms = alarms.into_inner()?;
    println!(
        "{} audits of correct mechanisms with {} samples each: {} false alarms",
        correct.len() as u64 * times,
        settings.samples,
        alarms.len()
    );
    for alarm in alarms {
        println!("{alarm}");
    }
    Ok(())
}
