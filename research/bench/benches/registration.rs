//! Registration of ten million rows, compared with reading them once, and with releasing a query about them:
//! `cargo bench -p deniable-bench --bench registration --features plan`.
//!
//! Five columns: an entity key of a million entities, a text with few values that are its keys, a number with bounds, a
//! decimal and a day; as CSV (400 MB) and as Parquet, in the folder for temporary files. Reading aggregates every value
//! of all columns; the check finds irregular values of each and counts the entities; the fingerprint is that of the
//! bytes. The query has counts and sums under both caps, whose losses are what these leave out. A release computes the
//! fingerprint and aggregates; a registration computes it twice, checks, and computes the losses.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use arrow_array::{ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use deniable_core::exact::whole;
use deniable_core::schema::{Bounds, Column, ColumnType, CsvOptions, Data, Entity, Format, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Batch, Memory, Meter, Resources, Source, WantedColumn};
use deniable_execute::{Exact, Losses, Salt, exact, losses};
use deniable_query::Query;
use divan::Bencher;
use parquet::arrow::ArrowWriter;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, LazyLock};

const ROWS: usize = 10_000_000;
/// Rows that are generated and written at once.
const PART: usize = 100_000;
const RUNS: u32 = 5;
const FILES: [&str; 2] = ["t.csv", "t.parquet"];
const WARDS: [&str; 5] = ["north", "south", "east", "west", "elsewhere"];

fn main() {
    divan::main();
    std::fs::remove_dir_all(FOLDER.path()).unwrap();
}

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let mut text = BufWriter::new(File::create(folder.path().join("t.csv")).unwrap());
    writeln!(text, "patient,ward,age,cost,day").unwrap();
    let mut writer: Option<ArrowWriter<File>> = None;
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..ROWS / PART {
        let mut below = |bound: u32| -> Vec<u32> { (0..PART).map(|_| random.next_u32() % bound).collect() };
        let (patients, wards, ages, cents, days) =
            (below(1_000_000), below(5), below(100), below(50_000), below(9_000));
        let wards: Vec<&str> = wards.into_iter().map(|ward| WARDS[ward as usize]).collect();
        let batch: [(&str, ArrayRef); 5] = [
            ("patient", Arc::new(Int64Array::from_iter_values(patients.iter().map(|number| i64::from(*number))))),
            ("ward", Arc::new(StringArray::from(wards.clone()))),
            ("age", Arc::new(Int64Array::from_iter_values(ages.iter().map(|number| i64::from(*number))))),
            ("cost", Arc::new(Float64Array::from_iter_values(cents.iter().map(|cents| f64::from(*cents) / 100.0)))),
            ("day", Arc::new(Date32Array::from_iter_values(days.iter().map(|day| day.cast_signed())))),
        ];
        let batch = RecordBatch::try_from_iter(batch).unwrap();
        let file = || File::create(folder.path().join("t.parquet")).unwrap();
        let writer = writer.get_or_insert_with(|| ArrowWriter::try_new(file(), batch.schema(), None).unwrap());
        writer.write(&batch).unwrap();
        for row in 0..PART {
            // 25 years of 12 months of 30 days: all of them valid days.
            let (year, month, day) = (1990 + days[row] / 360, 1 + days[row] % 360 / 30, 1 + days[row] % 28);
            let (patient, ward, age, cents) = (patients[row], wards[row], ages[row], cents[row]);
            writeln!(text, "{patient},{ward},{age},{}.{:02},{year}-{month:02}-{day:02}", cents / 100, cents % 100)
                .unwrap();
        }
    }
    writer.unwrap().close().unwrap();
    text.flush().unwrap();
    folder
});

fn source(file: &str, folder: &Path) -> Source {
    let keys = WARDS.map(|ward| Key::Text(ward.to_owned())).to_vec();
    let columns = vec![
        Column::new("patient", ColumnType::Integer),
        Column::new("ward", ColumnType::Text).with_keys(keys),
        Column::new("age", ColumnType::Integer).within(Bounds::new(whole(0), whole(99), whole(1)).unwrap()),
        Column::new("cost", ColumnType::Decimal),
        Column::new("day", ColumnType::Date),
    ];
    let format = if file == "t.csv" { Format::Csv(CsvOptions::with_delimiter(b',')) } else { Format::Parquet };
    let data = Data {
        table: "t".to_owned(),
        path: file.to_owned(),
        version: "1".to_owned(),
        format,
        partitions: Vec::new(),
        typical_rows: None,
    };
    let entity = Entity::new("patient", Caps { rows_per_group: 3, groups: 2 });
    Source::locate(TableSchema::protected("t", columns, Some(entity)), &data, folder).unwrap()
}

#[divan::bench(args = FILES, sample_count = RUNS)]
fn baseline_reading(bencher: Bencher<'_, '_>, file: &str) {
    use deniable_expression::Column as Values;
    let source = source(file, FOLDER.path());
    let wanted: Vec<WantedColumn> = (0..5).map(WantedColumn::typed).collect();
    let add = |sum: &mut i64, batch: Batch| {
        for column in &batch.columns {
            *sum = sum.wrapping_add(match column.typed().unwrap() {
                Values::Integer(numbers) => numbers.values().iter().sum(),
                Values::Decimal(numbers) => numbers.values().iter().sum::<f64>() as i64,
                Values::Date(days) => days.values().iter().map(|day| i64::from(*day)).sum(),
                Values::Text(texts) => texts.views().iter().map(|view| *view as u32).map(i64::from).sum(),
                Values::Boolean(_) | Values::Timestamp(_) => 0,
            });
        }
        Ok::<(), ()>(())
    };
    let threads = Resources::default().threads;
    bencher.bench_local(|| source.scan(&wanted, &Meter::new()).unwrap().run(threads, || 0, add).unwrap());
}

#[divan::bench(args = FILES, sample_count = RUNS)]
fn check(bencher: Bencher<'_, '_>, file: &str) {
    let source = source(file, FOLDER.path());
    let resources = Resources::default();
    bencher.bench_local(|| source.check(&resources, &|_| {}).unwrap().entities.unwrap());
}

/// Entities that do not fit into memory.
#[divan::bench(args = FILES, sample_count = RUNS)]
fn check_in_ten_megabytes(bencher: Bencher<'_, '_>, file: &str) {
    let source = source(file, FOLDER.path());
    let resources = Resources { memory: Some(10_000_000), ..Resources::default() };
    bencher.bench_local(|| source.check(&resources, &|_| {}).unwrap().entities.unwrap());
}

#[divan::bench(args = FILES, sample_count = RUNS)]
fn fingerprint(bencher: Bencher<'_, '_>, file: &str) {
    let source = source(file, FOLDER.path());
    bencher.bench_local(|| source.fingerprint(&[7; 32]).unwrap());
}

const SALT: Salt = Salt([7; 32]);

fn query(source: &Source) -> Query {
    planned(source, "SELECT ward, COUNT(*) AS n, SUM(age) AS s FROM t GROUP BY ward")
}

fn planned(source: &Source, sql: &str) -> Query {
    deniable_sql::plan(sql, std::slice::from_ref(source.table())).unwrap()
}

/// The queries of a policy.
const QUERIES: [&str; 5] = [
    "SELECT ward, COUNT(*) AS n, SUM(age) AS s FROM t GROUP BY ward",
    "SELECT COUNT(*) AS n FROM t WHERE age > 60",
    "SELECT ward, AVG(age) AS a FROM t GROUP BY ward",
    "SELECT COUNT(DISTINCT patient) AS n FROM t",
    "SELECT SUM(age) AS s FROM t WHERE ward = 'north'",
];

fn run_release(source: &Source, resources: &Resources) -> Exact {
    source.fingerprint(&[7; 32]).unwrap();
    exact(std::slice::from_ref(source), &query(source), &SALT, resources, &|_| {}).unwrap()
}

fn run_losses(source: &Source, resources: &Resources) -> Losses {
    losses(std::slice::from_ref(source), &query(source), &SALT, resources, &|_| {}).unwrap()
}

#[divan::bench(args = FILES, sample_count = RUNS)]
fn one_release(bencher: Bencher<'_, '_>, file: &str) {
    let source = source(file, FOLDER.path());
    bencher.bench_local(|| run_release(&source, &Resources::default()));
}

#[divan::bench(args = FILES, sample_count = RUNS)]
fn losses_of_the_query(bencher: Bencher<'_, '_>, file: &str) {
    let source = source(file, FOLDER.path());
    bencher.bench_local(|| run_losses(&source, &Resources::default()));
}

/// The losses of five queries, each in a walk of its own over the file.
#[divan::bench(args = FILES, sample_count = RUNS)]
fn losses_of_five_queries(bencher: Bencher<'_, '_>, file: &str) {
    let source = source(file, FOLDER.path());
    let queries = QUERIES.map(|sql| planned(&source, sql));
    bencher.bench_local(|| losses_of(&source, &queries));
}

/// The same with the columns of all queries read once, as `deniable data check` does.
#[divan::bench(args = FILES, sample_count = RUNS)]
fn losses_of_five_queries_read_once(bencher: Bencher<'_, '_>, file: &str) {
    let source = source(file, FOLDER.path());
    let queries = QUERIES.map(|sql| planned(&source, sql));
    let columns = ["patient", "ward", "age"].into();
    let resources = Resources::default();
    bencher.bench_local(|| {
        let kept = source.kept(&columns, &Memory::new(None), &resources, &|_| {}).unwrap().unwrap();
        losses_of(&kept, &queries)
    });
}

fn losses_of(source: &Source, queries: &[Query]) -> Vec<Losses> {
    let of = |query: &Query| losses(std::slice::from_ref(source), query, &SALT, &Resources::default(), &|_| {});
    queries.iter().map(|query| of(query).unwrap()).collect()
}

#[divan::bench(args = FILES, sample_count = RUNS)]
fn whole_registration(bencher: Bencher<'_, '_>, file: &str) {
    let source = source(file, FOLDER.path());
    let resources = Resources::default();
    bencher.bench_local(|| {
        let before = source.fingerprint(&[7; 32]).unwrap();
        source.check(&resources, &|_| {}).unwrap();
        assert_eq!(source.fingerprint(&[7; 32]).unwrap(), before);
        run_losses(&source, &resources)
    });
}
