//! How long distances take: microseconds per SNP, for both tests and adjacencies.
//!
//! ```sh
//! cargo run --release -p deniable-genome --example distances
//! ```
//!
//! Simulated SNPs with frequencies from 0.01 to 0.5. One in ten is more or less frequent among cases, so that SNPs far
//! above a threshold, which take longest, are not rare.

#![allow(clippy::print_stdout, clippy::cast_precision_loss)]

use deniable_core::exact::{Rounding, decimal, ratio};
use deniable_genome::{Adjacency, Table, Test, Threshold, distance};
use std::time::Instant;

const SNPS: usize = 4000;

/// SplitMix64: uniform enough for a benchmark.
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn genotypes(people: u32, frequency: f64, state: &mut u64) -> [u32; 3] {
    let mut counts = [0; 3];
    for _ in 0..people {
        let copies = usize::from(uniform(state) < frequency) + usize::from(uniform(state) < frequency);
        counts[copies] += 1;
    }
    counts
}

fn snps(cases: u32, controls: u32) -> Vec<Table> {
    let mut state = 20_260_401;
    (0..SNPS)
        .map(|snp| {
            let frequency = 0.01 + 0.49 * uniform(&mut state).powi(2);
            let effect = if snp % 10 == 0 { 1.0 + 0.6 * uniform(&mut state) } else { 1.0 };
            Table {
                cases: genotypes(cases, (frequency * effect).min(1.0), &mut state),
                controls: genotypes(controls, frequency, &mut state),
            }
        })
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (cases, controls) in [(1_000, 1_000), (5_000, 5_000), (2_000, 8_000)] {
        let tables = snps(cases, controls);
        println!("\n{cases} cases, {controls} controls, {SNPS} SNPs");
        println!(
            "{:10} {:10} {:>10} {:>12} {:>24} {:>24}",
            "test", "adjacency", "threshold", "µs per SNP", "significant: n, µs", "not: n, µs"
        );
        for p in [ratio(5, 100_000_000), ratio(5, 100)] {
            for (test, adjacency) in Test::ALL.into_iter().flat_map(|t| Adjacency::ALL.map(|a| (t, a))) {
                let threshold = Threshold::at_p_value(&p, test, Rounding::Up)?;
                let (mut times, mut counts, mut longest) = ([0.0; 2], [0; 2], 0.0_f64);
                for table in &tables {
                    let start = Instant::now();
                    let found = distance(table, test, adjacency, &threshold)?;
                    let micros = start.elapsed().as_secs_f64() * 1e6;
                    times[usize::from(found.significant)] += micros;
                    counts[usize::from(found.significant)] += 1;
                    longest = longest.max(micros);
                }
                let each = |i: usize| format!("{}, {:.1}", counts[i], times[i] / f64::from(counts[i].max(1)));
                println!(
                    "{:10} {:10} {:>10} {:>12.1} {:>24} {:>24}   longest {longest:.0}",
                    format!("{test:?}"),
                    format!("{adjacency:?}"),
                    decimal(&threshold.value(), 3, Rounding::Nearest),
                    (times[0] + times[1]) / SNPS as f64,
                    each(1),
                    each(0),
                );
            }
        }
    }
    Ok(())
}
