//! Exact distances of SNPs to a threshold (G-2), for both tests and adjacencies: `cargo bench -p deniable-bench --bench distances`.
//!
//! Simulated SNPs with frequencies from 0.01 to 0.5. One in ten is more or less frequent among cases, so that SNPs far
//! above a threshold, which take longest, are not rare: they are timed separately.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use deniable_core::exact::{Rounding, ratio};
use deniable_genome::{CohortAdjacency, ContingencyTable, Test, Threshold, distance};
use divan::Bencher;
use divan::counter::ItemsCount;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::fmt::{Display, Formatter};

const SNPS: usize = 1_000;
const PEOPLE: [(u32, u32); 3] = [(1_000, 1_000), (5_000, 5_000), (2_000, 8_000)];

fn main() {
    divan::main();
}

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn genotypes(people: u32, frequency: f64, random: &mut ChaCha8Rng) -> [u32; 3] {
    let mut counts = [0; 3];
    for _ in 0..people {
        let copies = usize::from(uniform(random) < frequency) + usize::from(uniform(random) < frequency);
        counts[copies] += 1;
    }
    counts
}

fn snps((cases, controls): (u32, u32)) -> Vec<ContingencyTable> {
    let mut random = ChaCha8Rng::seed_from_u64(20_260_401);
    let one = |snp: usize| {
        let frequency = 0.01 + 0.49 * uniform(&mut random).powi(2);
        let effect = if snp.is_multiple_of(10) { 1.0 + 0.6 * uniform(&mut random) } else { 1.0 };
        ContingencyTable {
            cases: genotypes(cases, (frequency * effect).min(1.0), &mut random),
            controls: genotypes(controls, frequency, &mut random),
        }
    };
    (0..SNPS).map(one).collect()
}

/// The measured computation, and its name in the table.
struct Case {
    people: (u32, u32),
    test: Test,
    adjacency: CohortAdjacency,
    /// The threshold of a p-value of 5 divided by this number.
    one_in: i64,
}

impl Display for Case {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { people: (cases, controls), test, adjacency, one_in } = self;
        write!(f, "{cases} and {controls}, {test:?}, {adjacency:?}, p = 5/{one_in}")
    }
}

fn cases() -> impl Iterator<Item = Case> {
    let of = |people| {
        Test::ALL.into_iter().flat_map(move |test| {
            CohortAdjacency::ALL
                .into_iter()
                .flat_map(move |adjacency| [100, 100_000_000].map(|one_in| Case { people, test, adjacency, one_in }))
        })
    };
    PEOPLE.into_iter().flat_map(of)
}

/// All SNPs on one side of the threshold.
fn measure(bencher: Bencher<'_, '_>, case: &Case, above: bool) {
    let Case { people, test, adjacency, one_in } = *case;
    let threshold = Threshold::at_p_value(&ratio(5, one_in), test, Rounding::Up).unwrap();
    let significant = |table: &ContingencyTable| distance(table, test, adjacency, &threshold).unwrap().significant;
    let mut tables = snps(people);
    tables.retain(|table| significant(table) == above);
    bencher
        .counter(ItemsCount::new(tables.len()))
        .bench_local(|| tables.iter().filter(|table| significant(table)).count());
}

#[divan::bench(args = cases(), sample_count = 10)]
fn above(bencher: Bencher<'_, '_>, case: &Case) {
    measure(bencher, case, true);
}

#[divan::bench(args = cases(), sample_count = 10)]
fn below(bencher: Bencher<'_, '_>, case: &Case) {
    measure(bencher, case, false);
}
