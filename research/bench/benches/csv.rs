//! Reading and grouping CSV of ten million rows, compared with DuckDB (`pip install duckdb`) on the same file:
//! `cargo bench -p deniable-bench --bench csv`.
//!
//! Four columns: whole numbers, decimals, texts with few values, and days; 350 MB in the folder for temporary files,
//! and 390 MB with quoted texts and days. Every value of the columns that are read is aggregated: all four, or decimals
//! by texts alone. If DuckDB is installed, both results are compared first. DuckDB runs in one process for all runs;
//! its start is not measured.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a benchmark")]

use deniable_bench::DuckDb;
use deniable_core::schema::{Column, ColumnType, CsvOptions, Data, Format, TableSchema};
use deniable_data::{Batch, Meter, Source, WantedColumn};
use divan::Bencher;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{LazyLock, Mutex};

const ROWS: usize = 10_000_000;
const THREADS: [usize; 2] = [1, 2];
const RUNS: u32 = 7;
const KINDS: [&str; 6] = ["north", "south", "east", "west", "elsewhere", "nowhere"];

fn main() {
    match DuckDb::start() {
        Some(mut duckdb) => {
            for case in [ALL_COLUMNS, TWO_COLUMNS, QUOTED] {
                assert_eq!(shown(&groups(case, 2)), theirs(&mut duckdb, case, 2), "the two tables of groups differ");
            }
            *DUCKDB.lock().unwrap() = Some(duckdb);
        }
        None => eprintln!("NO duckdb FOR python3 HERE (pip install duckdb): OUR SIDE IS MEASURED ALONE"),
    }
    divan::main();
    if let Some(duckdb) = DUCKDB.lock().unwrap().take() {
        duckdb.end().unwrap();
    }
    std::fs::remove_dir_all(FOLDER.path()).unwrap();
}

/// A file, and the number of its columns that are read.
#[derive(Clone, Copy)]
struct Case {
    file: &'static str,
    columns: usize,
}

const ALL_COLUMNS: Case = Case { file: "t.csv", columns: 4 };
const TWO_COLUMNS: Case = Case { file: "t.csv", columns: 2 };
const QUOTED: Case = Case { file: "quoted.csv", columns: 4 };

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let create = |case: Case| BufWriter::new(File::create(folder.path().join(case.file)).unwrap());
    let (mut file, mut quoted) = (create(ALL_COLUMNS), create(QUOTED));
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for file in [&mut file, &mut quoted] {
        writeln!(file, "key,amount,kind,day").unwrap();
    }
    for _ in 0..ROWS {
        let (key, amount, rest) = (random.next_u32() % 10_000_000, random.next_u32() % 1_000_000, random.next_u32());
        let kind = KINDS[rest as usize % KINDS.len()];
        let (year, month, day) = (1950 + rest / 6 % 70, 1 + rest / 420 % 12, 1 + rest / 5_040 % 28);
        let (units, cents) = (amount / 100, amount % 100);
        writeln!(file, "{key},{units}.{cents:02},{kind},{year}-{month:02}-{day:02}").unwrap();
        writeln!(quoted, "{key},{units}.{cents:02},\"{kind}\",\"{year}-{month:02}-{day:02}\"").unwrap();
    }
    file.flush().unwrap();
    quoted.flush().unwrap();
    folder
});

/// The rows of a kind: their number, the sums of keys and amounts, and the first day.
#[derive(Clone, Copy)]
struct Group {
    rows: u64,
    keys: i64,
    amounts: f64,
    first: i32,
}

/// Groups by the views of their texts, which for texts of at most twelve bytes contain the texts.
type Groups = Vec<(u128, Group)>;

fn source(folder: &Path, case: Case) -> Source {
    let columns = [
        ("key", ColumnType::Integer),
        ("amount", ColumnType::Decimal),
        ("kind", ColumnType::Text),
        ("day", ColumnType::Date),
    ];
    let columns = columns.map(|(name, kind)| Column::new(name, kind)).to_vec();
    let data = Data {
        table: "t".to_owned(),
        path: case.file.to_owned(),
        version: "1".to_owned(),
        format: Format::Csv(CsvOptions::with_delimiter(b',')),
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(TableSchema::protected("t", columns, None), &data, folder).unwrap()
}

fn groups(case: Case, threads: usize) -> Vec<Groups> {
    let columns = if case.columns == 4 { 0..4 } else { 1..3 };
    let wanted: Vec<WantedColumn> = columns.map(WantedColumn::typed).collect();
    let scan = source(FOLDER.path(), case).scan(&wanted, &Meter::new()).unwrap();
    scan.run(threads, Vec::new, |groups, batch| {
        add(groups, &batch);
        Ok::<(), ()>(())
    })
    .unwrap()
}

fn add(groups: &mut Groups, batch: &Batch) {
    use deniable_expression::Column::{Date, Decimal, Integer, Text};
    let columns: Vec<_> = batch.columns.iter().map(|column| column.typed().unwrap()).collect();
    let (keys, amounts, kinds, days) = match columns[..] {
        [Integer(keys), Decimal(amounts), Text(kinds), Date(days)] => (Some(keys), amounts, kinds, Some(days)),
        [Decimal(amounts), Text(kinds)] => (None, amounts, kinds, None),
        _ => panic!("other columns"),
    };
    for (row, view) in kinds.views().iter().enumerate() {
        let at = groups.iter().position(|(other, _)| other == view).unwrap_or_else(|| {
            groups.push((*view, Group { rows: 0, keys: 0, amounts: 0.0, first: i32::MAX }));
            groups.len() - 1
        });
        let group = &mut groups[at].1;
        group.rows += 1;
        group.keys += keys.map_or(0, |keys| keys.value(row));
        group.amounts += amounts.value(row);
        group.first = group.first.min(days.map_or(0, |days| days.value(row)));
    }
}

/// The groups of all threads, in the form of DuckDB's output.
fn shown(parts: &[Groups]) -> String {
    let mut all: BTreeMap<String, Group> = BTreeMap::new();
    for (view, part) in parts.iter().flatten() {
        let bytes = view.to_le_bytes();
        let kind = std::str::from_utf8(&bytes[4..4 + usize::from(bytes[0])]).unwrap().to_owned();
        all.entry(kind)
            .and_modify(|group| {
                group.rows += part.rows;
                group.keys += part.keys;
                group.amounts += part.amounts;
                group.first = group.first.min(part.first);
            })
            .or_insert(*part);
    }
    let mut text = String::new();
    for (kind, group) in all {
        // The last digits of sums of doubles depend on the order of the rows.
        write!(text, "{kind} {} {} {:.0} {};", group.rows, group.keys, group.amounts, group.first).unwrap();
    }
    text
}

static DUCKDB: Mutex<Option<DuckDb>> = Mutex::new(None);

/// DuckDB's groups of a case, in the form of [`shown`].
fn theirs(duckdb: &mut DuckDb, case: Case, threads: usize) -> String {
    let types = "{'key': 'BIGINT', 'amount': 'DOUBLE', 'kind': 'VARCHAR', 'day': 'DATE'}";
    let amounts = "format('{:.0f}', sum(amount))";
    let sums = match case.columns {
        4 => format!("sum(key), {amounts}, min(day - DATE '1970-01-01')"),
        _ => format!("0, {amounts}, 0"),
    };
    let file = FOLDER.path().join(case.file);
    let rows = format!("read_csv('{}', header = true, delim = ',', columns = {types})", file.display());
    duckdb.ask(threads, &format!("SELECT kind, count(*), {sums} FROM {rows} GROUP BY kind ORDER BY kind")).unwrap()
}

fn ours(bencher: Bencher<'_, '_>, case: Case, threads: usize) {
    bencher.bench_local(|| groups(case, threads));
}

fn baseline(bencher: Bencher<'_, '_>, case: Case, threads: usize) {
    if let Some(duckdb) = DUCKDB.lock().unwrap().as_mut() {
        bencher.bench_local(|| theirs(duckdb, case, threads));
    }
}

#[divan::bench(args = THREADS, sample_count = RUNS)]
fn all_columns(bencher: Bencher<'_, '_>, threads: usize) {
    ours(bencher, ALL_COLUMNS, threads);
}

#[divan::bench(args = THREADS, sample_count = RUNS)]
fn all_columns_duckdb(bencher: Bencher<'_, '_>, threads: usize) {
    baseline(bencher, ALL_COLUMNS, threads);
}

#[divan::bench(args = THREADS, sample_count = RUNS)]
fn two_columns(bencher: Bencher<'_, '_>, threads: usize) {
    ours(bencher, TWO_COLUMNS, threads);
}

#[divan::bench(args = THREADS, sample_count = RUNS)]
fn two_columns_duckdb(bencher: Bencher<'_, '_>, threads: usize) {
    baseline(bencher, TWO_COLUMNS, threads);
}

#[divan::bench(args = THREADS, sample_count = RUNS)]
fn quoted(bencher: Bencher<'_, '_>, threads: usize) {
    ours(bencher, QUOTED, threads);
}

#[divan::bench(args = THREADS, sample_count = RUNS)]
fn quoted_duckdb(bencher: Bencher<'_, '_>, threads: usize) {
    baseline(bencher, QUOTED, threads);
}
