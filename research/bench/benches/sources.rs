//! A release's exact totals over the same rows in Parquet, CSV, PostgreSQL and an S3 store, compared with plain
//! baselines of each:
//! `scripts/postgres scripts/s3 cargo bench -p deniable-bench --bench sources --features postgres,objects`.
//!
//! Four columns, a fifth as many people as rows, 50 groups; at most 3 rows of a person in each of at most 2 groups,
//! chosen by a keyed hash. `DENIABLE_MILLIONS=1` measures a million rows instead of ten, in Parquet files of ten
//! million rows at most. Plain baselines, without caps: DuckDB's GROUP BY of the files (`pip install duckdb`);
//! PostgreSQL's own, and its `COPY ... TO STDOUT (FORMAT binary)` of these columns, discarded by psql; the objects
//! downloaded by curl, discarded. The totals of all sources are compared first. The store (moto) and the database run
//! on the same machine.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a benchmark")]

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use deniable_bench::DuckDb;
use deniable_core::exact::{ratio, whole};
use deniable_core::noise::Decay;
use deniable_core::schema::{Bounds, Column, ColumnType, CsvOptions, Data, Entity, Format, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Connections, Meter, Resources, Source, Sources, WantedColumn};
use deniable_execute::{Salt, exact};
use deniable_testing::s3_put;
use divan::Bencher;
use parquet::arrow::ArrowWriter;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex};

const GROUPS: u32 = 50;
/// Rows that are generated and written at once.
const PART: usize = 100_000;
const RUNS: u32 = 5;
const SQL: &str = "SELECT grp, COUNT(*), SUM(n) FROM t GROUP BY grp";
/// A source, and the number of reading threads, each with its own connection.
const SOURCES: [(&str, usize); 6] =
    [("parquet", 2), ("csv", 2), ("s3", 2), ("postgres", 1), ("postgres", 2), ("postgres", 4)];
/// Rows of a Parquet file.
const OF_FILE: usize = 10_000_000;

fn rows() -> usize {
    std::env::var("DENIABLE_MILLIONS").map_or(10, |millions| millions.parse().unwrap()) * 1_000_000
}

fn psql() -> Command {
    let address = std::env::var("DENIABLE_POSTGRES").unwrap_or_else(|_| panic!("run this by scripts/postgres"));
    let mut command = Command::new("psql");
    command.args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname", &address]).stdout(Stdio::null());
    command
}

fn sql(text: &str) {
    assert!(psql().args(["--command", text]).status().unwrap().success());
}

fn main() {
    let [first, others @ ..] = SOURCES.map(totals);
    assert!(others.iter().all(|other| *other == first), "the totals differ");
    eprintln!("{} million rows", rows() / 1_000_000);
    divan::main();
    if let Some(duckdb) = DUCKDB.lock().unwrap().take() {
        duckdb.end().unwrap();
    }
    std::fs::remove_dir_all(FOLDER.path()).unwrap();
}

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let mut text = BufWriter::new(File::create(folder.path().join("t.csv")).unwrap());
    writeln!(text, "who,grp,name,n").unwrap();
    std::fs::create_dir(folder.path().join("t")).unwrap();
    let mut writers: Vec<ArrowWriter<File>> = Vec::new();
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let people = u32::try_from(rows() / 5).unwrap();
    for part in 0..rows() / PART {
        let mut below = |bound: u32| -> Vec<i64> { (0..PART).map(|_| i64::from(random.next_u32() % bound)).collect() };
        // Random numbers as ids.
        let who: Vec<i64> = below(people).into_iter().map(|person| person * 2_654_435_761 % 4_294_967_296).collect();
        let (groups, numbers) = (below(GROUPS), below(100));
        let names = StringArray::from_iter_values(groups.iter().map(|group| format!("group {group}")));
        for ((who, group), number) in who.iter().zip(&groups).zip(&numbers) {
            writeln!(text, "{who},{group},group {group},{number}").unwrap();
        }
        let integers = |numbers: Vec<i64>| -> ArrayRef { Arc::new(Int64Array::from(numbers)) };
        let columns = [
            ("who", integers(who)),
            ("grp", integers(groups)),
            ("name", Arc::new(names) as ArrayRef),
            ("n", integers(numbers)),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        if part % (OF_FILE / PART) == 0 {
            let file = File::create(folder.path().join(object(writers.len()))).unwrap();
            writers.push(ArrowWriter::try_new(file, batch.schema(), None).unwrap());
        }
        writers.last_mut().unwrap().write(&batch).unwrap();
    }
    for (number, writer) in writers.into_iter().enumerate() {
        writer.close().unwrap();
        s3_put(&object(number), &std::fs::read(folder.path().join(object(number))).unwrap());
    }
    text.flush().unwrap();
    drop(text);
    sql(
        "DROP SCHEMA IF EXISTS bench CASCADE; CREATE SCHEMA bench; CREATE TABLE bench.t (who int8, grp int8, name text, n int8)",
    );
    let file = File::open(folder.path().join("t.csv")).unwrap();
    let copy = "COPY bench.t FROM STDIN (FORMAT csv, HEADER)";
    assert!(psql().args(["--command", copy]).stdin(file).status().unwrap().success());
    sql("VACUUM ANALYZE bench.t");
    folder
});

fn object(number: usize) -> String {
    format!("t/{number:02}.parquet")
}

fn source(place: &str) -> Source {
    let groups = 0..GROUPS;
    let column = |name: &str, kind| Column::new(name, kind);
    let columns = vec![
        column("who", ColumnType::Integer),
        column("grp", ColumnType::Integer).with_keys(groups.clone().map(|group| Key::Integer(group.into())).collect()),
        column("name", ColumnType::Text).with_keys(groups.map(|group| Key::Text(format!("group {group}"))).collect()),
        column("n", ColumnType::Integer).within(Bounds::new(whole(0), whole(100), whole(1)).unwrap()),
    ];
    let folder = FOLDER.path();
    let (path, format) = match place {
        "parquet" => ("t", Format::Parquet),
        "s3" => ("s3://deniable/t/", Format::Parquet),
        "csv" => ("t.csv", Format::Csv(CsvOptions::with_delimiter(b','))),
        _ => ("bench.t", Format::Postgres { connect: "env:DENIABLE_POSTGRES".to_owned() }),
    };
    let data = Data {
        table: "t".to_owned(),
        path: path.to_owned(),
        version: "1".to_owned(),
        format,
        partitions: Vec::new(),
        typical_rows: None,
    };
    let entity = Entity::new("who", Caps { rows_per_group: 3, groups: 2 });
    // As in a run, where the rows are compared with the registered fingerprint.
    let mut connections = Connections::new(Sources {
        databases: Some(deniable_postgres::DATABASES),
        objects: Some(deniable_objects::find),
        ..Sources::default()
    });
    let table = TableSchema::protected("t", columns, Some(entity));
    Source::locate_with(table, &data, folder, &mut connections).unwrap().of_version([7; 32], None)
}

fn resources(threads: usize) -> Resources {
    Resources { threads, ..Resources::default() }
}

/// With noise, which is equal if the totals are equal.
fn totals((place, threads): (&str, usize)) -> Vec<Vec<i128>> {
    let source = source(place);
    let query = deniable_sql::plan(SQL, std::slice::from_ref(source.table())).unwrap();
    let totals = exact(&[source], &query, &Salt([7; 32]), &resources(threads), &|_| {}).unwrap();
    let decays = vec![Decay::exactly(ratio(1, 2)).unwrap(); query.measures().len()];
    totals.with_noise(&query, &decays, &ratio(19, 20), &mut ChaCha8Rng::seed_from_u64(1))
}

/// Locating the rows, reading them, applying the caps, and aggregating.
#[divan::bench(args = SOURCES, sample_count = RUNS)]
fn run(bencher: Bencher<'_, '_>, of: (&str, usize)) {
    bencher.bench_local(|| totals(of));
}

/// Reading every column, and fingerprinting the rows.
#[divan::bench(args = SOURCES, sample_count = RUNS)]
fn reading(bencher: Bencher<'_, '_>, (place, threads): (&str, usize)) {
    let wanted: Vec<WantedColumn> = (0..4).map(WantedColumn::typed).collect();
    bencher.bench_local(|| {
        let scan = source(place).scan(&wanted, &Meter::new()).unwrap();
        let read = scan.run(
            threads,
            || 0,
            |rows, batch| {
                *rows += batch.rows;
                Ok::<(), ()>(())
            },
        );
        assert_eq!(read.unwrap().into_iter().sum::<usize>(), rows());
    });
}

#[divan::bench(sample_count = RUNS)]
fn baseline_server_copy(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| sql("COPY bench.t (who, grp, name, n) TO STDOUT (FORMAT binary)"));
}

#[divan::bench(sample_count = RUNS)]
fn baseline_download(bencher: Bencher<'_, '_>) {
    let of = |name: &str| std::env::var(name).unwrap();
    let user = format!("{}:{}", of("AWS_ACCESS_KEY_ID"), of("AWS_SECRET_ACCESS_KEY"));
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--fail", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", &user]);
    (0..rows().div_ceil(OF_FILE)).for_each(|number| {
        curl.args(["--output", "/dev/null"]).arg(format!("{}/deniable/{}", of("DENIABLE_S3"), object(number)));
    });
    bencher.bench_local(|| assert!(curl.status().unwrap().success()));
}

static DUCKDB: LazyLock<Mutex<Option<DuckDb>>> = LazyLock::new(|| {
    let duckdb = DuckDb::start();
    if duckdb.is_none() {
        eprintln!("NO duckdb FOR python3 HERE (pip install duckdb): FILES ARE MEASURED ALONE");
    }
    Mutex::new(duckdb)
});

#[divan::bench(args = ["t/*.parquet", "t.csv"], sample_count = RUNS)]
fn baseline_duckdb_group_by(bencher: Bencher<'_, '_>, files: &str) {
    if let Some(duckdb) = DUCKDB.lock().unwrap().as_mut() {
        let sql = format!("SELECT grp, COUNT(*), SUM(n) FROM '{}' GROUP BY grp", FOLDER.path().join(files).display());
        bencher.bench_local(|| duckdb.ask(2, &sql).unwrap());
    }
}

#[divan::bench(sample_count = RUNS)]
fn baseline_server_group_by(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| sql("SELECT grp, COUNT(*), SUM(n) FROM bench.t GROUP BY grp"));
}
