//! Exact decisions on whole tables, compared with the enumeration in plain fractions of `deniable-recheck`.
//!
//! `cargo bench -p deniable-bench --bench check` prints medians of five on one core. The enumeration is measured once,
//! on the part of the same problem that the table names, and scaled by its number of terms. `-- 20` decides over 20
//! entities instead, and prints the peak memory of the process.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use deniable_bench::{Spread, peak_kib};
use deniable_check::Bound;
use deniable_check::certificate::certificate;
use deniable_check::counts::{self, CountMechanism, Group};
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Notion, Sign};
use deniable_check::verdict::{Value, Verdict};
use deniable_core::exact::{Rational, ratio};
use deniable_recheck::Statement;
use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::time::Instant;

const OUTPUTS: usize = 16;
const RUNS: usize = 5;

fn main() {
    if std::env::args().any(|argument| argument == "20") {
        return large();
    }
    println!("16 entities, {OUTPUTS} outputs; medians of {RUNS}, one core\n");
    println!("| question | table | decide | enumeration | measured part of it | ratio |");
    println!("|---|---|---|---|---|---|");
    for own in [false, true] {
        let mechanism = table(16, own);
        // The enumeration of all sub-datasets takes 3^n terms, and sums without a common denominator grow with each
        // term: measured over fewer entities of a similar table, where terms are not more expensive.
        let small = table(8, own);
        let name = if own { "a denominator for each row" } else { "one denominator" };
        for (question, (notion, family)) in questions() {
            let seconds = median(|| drop(decide(&mechanism, &notion, &family).unwrap()));
            let thins = matches!(notion, Notion::Sampling { .. });
            let uniform = family == Family::Uniform;
            let measured = if thins || uniform && own { &small } else { &mechanism };
            let statement = statement(measured, &notion, &family);
            let begin = Instant::now();
            statement.upper_of(0..1).unwrap();
            let part = begin.elapsed().as_secs_f64();
            let entities = measured.size();
            let terms = |n: usize| if thins { 3_f64.powi(n as i32) } else { n as f64 * 2_f64.powi(n as i32) };
            let whole = part * OUTPUTS as f64 * terms(16) / terms(entities);
            println!(
                "| {question} | {name} | {seconds:.3} s | {whole:.1} s | {part:.3} s: 1 output, {entities} entities | {:.0} |",
                whole / seconds
            );
        }
    }
    symmetric();
}

/// Mechanisms that depend on counts alone, over a million entities.
fn symmetric() {
    println!("\n10^6 entities by counts, 8 outputs; medians of {RUNS}, one core\n");
    println!("| question | groups | value | decide |");
    println!("|---|---|---|---|");
    let thresholds = [490_000, 499_000, 499_900, 500_000, 500_100, 501_000, 600_000];
    let one = CountMechanism::response(vec![Group::new("all", 1_000_000)], &thresholds, &ratio(3, 1)).unwrap();
    // Equal counts in two groups, one of which decides more often.
    let parts = |counts: &[u32], output: usize| {
        let step = (u64::from(counts[0]) + 2 * u64::from(counts[1] / 50_000)) % 8;
        if step == output as u64 { 5 } else { 1 }
    };
    let names = (0..8).map(|output| format!("o{output}")).collect();
    let groups = vec![Group::new("few", 3), Group::new("many", 249_999)];
    let two = CountMechanism::from_parts(groups, names, 12, parts).unwrap();
    let membership = Notion::Membership { sign: Sign::Both };
    for (question, mechanism, shape, notion, family) in [
        ("add/remove DP", &one, "1,000,000", Notion::Unbounded { sign: Sign::Both }, Family::All),
        ("free-lunch", &one, "1,000,000", Notion::FreeLunch, Family::All),
        ("PMP and NMP, all priors", &one, "1,000,000", membership.clone(), Family::All),
        ("PMP and NMP, uniform prior", &one, "1,000,000", membership, Family::Uniform),
        ("replace-one DP", &two, "3 and 249,999", Notion::Bounded, Family::All),
    ] {
        let value = counts::decide(mechanism, &notion, &family).unwrap().value;
        let value = match &value {
            Value::Between { low, high, .. } => format!("{} .. {}", low.decimal(15), high.decimal(15)),
            exact => exact.to_string(),
        };
        let seconds = median(|| drop(counts::decide(mechanism, &notion, &family).unwrap()));
        println!("| {question} | {shape} | {value} | {seconds:.3} s |");
    }
}

fn large() {
    println!("20 entities, {OUTPUTS} outputs; medians of {RUNS}, one core\n");
    println!("| question | table | decide | peak memory so far |");
    println!("|---|---|---|---|");
    let own = std::env::args().any(|argument| argument == "own");
    let name = if own { "a denominator for each row" } else { "one denominator" };
    let begin = Instant::now();
    let mechanism = table(20, own);
    let built = begin.elapsed().as_secs_f64();
    println!("| (the table itself) | {name} | {built:.1} s | {:.2} GiB |", peak());
    for (question, (notion, family)) in questions() {
        let seconds = median(|| drop(decide(&mechanism, &notion, &family).unwrap()));
        println!("| {question} | {name} | {seconds:.2} s | {:.2} GiB |", peak());
    }
}

fn questions() -> [(&'static str, (Notion, Family)); 3] {
    [
        ("add/remove DP", (Notion::Unbounded { sign: Sign::Both }, Family::All)),
        ("DP under sampling, β = 1/3", (Notion::Sampling { rate: ratio(1, 3), sign: Sign::Both }, Family::All)),
        ("PMP, uniform prior", (Notion::Membership { sign: Sign::Positive }, Family::Uniform)),
    ]
}

fn median(mut run: impl FnMut()) -> f64 {
    let once = |_| {
        let begin = Instant::now();
        run();
        begin.elapsed().as_secs_f64()
    };
    Spread::of((0..RUNS).map(once).collect()).median
}

/// Random non-zero probabilities: parts of a million; or of a number that depends on the row, of which there are 1009,
/// whose least common multiple has about a thousand bits.
fn table(entities: usize, own: bool) -> Mechanism {
    let mut rng = ChaCha20Rng::seed_from_u64(16);
    let row = |data: u32| {
        let of = if own { 10_007 + u64::from(data * 7919 % 1009) } else { 1_000_000 };
        let most = of / OUTPUTS as u64;
        let mut parts: Vec<u64> = (1..OUTPUTS).map(|_| 1 + most / 2 + rng.next_u64() % (most / 2)).collect();
        parts.push(of - parts.iter().sum::<u64>());
        Some(parts.into_iter().map(|part| Rational::new(BigInt::from(part), BigInt::from(of))).collect())
    };
    let names = |prefix: &str, count: usize| (0..count).map(|number| format!("{prefix}{number}")).collect();
    let rows = (0..1_u32 << entities).map(row).collect();
    Mechanism::partial(names("e", entities), names("o", OUTPUTS), rows).unwrap()
}

/// The decision of a claim that is never exceeded, so that the enumeration covers everything.
fn statement(mechanism: &Mechanism, notion: &Notion, family: &Family) -> Statement {
    let verdict =
        Verdict { value: Value::Attained(Bound::Finite(ratio(1_000_000, 1))), witness: None, theorems: vec![] };
    Statement::read(&certificate(mechanism, notion, family, &verdict).unwrap()).unwrap()
}

/// The peak memory of this process in GiB, as measured by Linux.
fn peak() -> f64 {
    peak_kib("self").map_or(f64::NAN, |kib| kib as f64) / f64::from(1 << 20)
}
