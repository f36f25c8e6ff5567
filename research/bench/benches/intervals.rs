//! Intervals of many composed numbers, beside the same numbers without intervals:
//! `cargo bench -p deniable-bench --bench intervals --features plan`.
//!
//! An average, a standard deviation, and a difference of averages in each of 325,008 cells: 456 keys of one group and 713 of the other, with some
//! hundred rows each. The baseline divides the noisy sums by the noisy counts, in the same fractions.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use deniable_answers::{Noisy, ShownRow, show};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::Decay;
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_query::{MeasureKind, Query};
use divan::Bencher;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

const RUNS: u32 = 7;
const CELLS: usize = 456 * 713;

fn main() {
    divan::main();
}

fn query(columns: &str) -> Query {
    let keys = |count: i64| (0..count).map(Key::Integer).collect();
    let bounds = |high: i64| Bounds::new(whole(0), whole(high), whole(1)).unwrap();
    let columns_of = vec![
        Column::new("person", ColumnType::Integer),
        Column::new("place", ColumnType::Integer).with_keys(keys(456)),
        Column::new("code", ColumnType::Integer).with_keys(keys(713)),
        Column::new("minutes", ColumnType::Integer).within(bounds(60)),
        Column::new("waited", ColumnType::Integer).within(bounds(240)),
    ];
    let entity = Entity::new("person", Caps { rows_per_group: 3, groups: 2 });
    let table = TableSchema::protected("t", columns_of, Some(entity));
    let sql = format!("SELECT place, code, {columns} FROM t GROUP BY place, code");
    deniable_sql::plan(&sql, std::slice::from_ref(&table)).unwrap()
}

/// Noisy values of every measure: counts of about a hundred rows, and sums of some units for each row.
fn noisy(query: &Query) -> Noisy {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut below = |bound: u32| i128::from(random.next_u32() % bound);
    let rows: Vec<i128> = (0..CELLS).map(|_| 50 + below(100)).collect();
    let of = |kind: &MeasureKind| match kind {
        MeasureKind::Sum { .. } => rows.iter().map(|rows| rows * (below(20) - 10)).collect(),
        _ => rows.iter().map(|rows| rows + below(9) - 4).collect(),
    };
    let values = query.measures().iter().map(|measure| &measure.kind).map(of).collect();
    let decays = (0..query.measures().len()).map(|at| Decay::exactly(ratio(90 + at as i64, 100)).unwrap()).collect();
    Noisy { values, consistent: None, decays }
}

fn shown(query: &Query, noisy: &Noisy) -> Vec<ShownRow> {
    let rows = show(query, noisy, &ratio(19, 20));
    assert_eq!(rows.len(), CELLS);
    rows
}

#[divan::bench(sample_count = RUNS)]
fn baseline_quotients(bencher: Bencher<'_, '_>) {
    let query = query("AVG(minutes) AS m");
    let noisy = noisy(&query);
    bencher.bench_local(|| {
        let cells = noisy.values[0].iter().zip(&noisy.values[1]);
        cells.map(|(sum, count)| whole(*sum) / whole((*count).max(1))).collect::<Vec<Rational>>()
    });
}

#[divan::bench(sample_count = RUNS, args = [
    "AVG(minutes) AS m",
    "AVG(minutes) - AVG(waited) AS d",
    "STDDEV(minutes) AS s",
])]
fn intervals(bencher: Bencher<'_, '_>, columns: &str) {
    let query = query(columns);
    let noisy = noisy(&query);
    bencher.bench_local(|| shown(&query, &noisy));
}
