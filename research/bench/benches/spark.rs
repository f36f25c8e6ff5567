//! Bounded totals by a Spark cluster, compared with its own GROUP BY and a two-level GROUP BY: `scripts/slow spark`, or
//! with `DENIABLE_MILLIONS=1` (default 100) `scripts/engines cargo bench -p deniable-bench --bench spark --features
//! plan`.
//!
//! A tenth of the rows are one person's, half of them are without a person, the others belong to a tenth as many
//! people; five groups; at most 3 rows of a person in each of at most 2 groups. The two-level GROUP BY counts at most 3
//! arbitrary rows of a person in each group, and has no cap of groups, no grid and no version check. Totals are
//! compared with those of this program over the same Parquet files. `DENIABLE_SPARK_ROWS` is a folder that keeps the
//! rows for another run; with `DENIABLE_SPARK_KILL` an additional worker is started, and killed in the middle of the
//! statement.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark")]

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringViewArray};
use deniable_bench::Spread;
use deniable_core::exact::{ratio, whole};
use deniable_core::noise::Decay;
use deniable_core::schema::{Bounds, Column, ColumnType, Data, EngineKind, Entity, Format, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Resources, Source};
use deniable_engines::Engine;
use deniable_execute::{Exact, Salt, exact};
use deniable_pushdown::{Answer, Dialect};
use deniable_query::Query;
use parquet::arrow::ArrowWriter;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const WARDS: [&str; 5] = ["north", "south", "east", "west", "\u{e4}"];
const RUNS: usize = 3;
/// Rows of a file, and rows that are generated at once.
const OF_FILE: usize = 10_000_000;
const PART: usize = 100_000;

fn main() {
    let millions: usize = std::env::var("DENIABLE_MILLIONS").map_or(100, |millions| millions.parse().unwrap());
    let kept = std::env::var("DENIABLE_SPARK_ROWS").ok();
    let own = tempfile::tempdir().unwrap();
    let folder = kept.as_deref().map_or(own.path(), Path::new).join(format!("{millions}"));
    if !folder.exists() {
        write(&folder, millions * 1_000_000);
    }
    let [python, master] = ["DENIABLE_SPARK_PYTHON", "DENIABLE_SPARK_MASTER"]
        .map(|variable| std::env::var(variable).unwrap_or_else(|_| panic!("run this by scripts/engines")));
    let extra = std::env::var_os("DENIABLE_SPARK_KILL").map(|_| worker(&master));
    let mut engine = Engine::start(EngineKind::Spark, &master, &python).unwrap();
    let table = table();
    let query = deniable_sql::plan(
        "SELECT ward, COUNT(*) AS k, SUM(n) AS s, SUM(x) AS y FROM t GROUP BY ward",
        std::slice::from_ref(&table),
    );
    let query = query.unwrap().portable();
    let relation = format!("parquet.{}", EngineKind::Spark.quoted(&folder.display().to_string()));
    let columns = engine.columns(&relation).unwrap().into_iter();
    let stored = columns.filter_map(|column| Some((column.name, column.stored?))).collect();
    let statement = deniable_pushdown::statement(&query, Dialect::Spark, &relation, &stored).unwrap();
    let salt = Salt([3; 32]);
    let expected = exact(&[source(&table, &folder)], &query, &salt, &Resources::default(), &|_| {}).unwrap();
    let expected = noisy(&query, expected);
    let mut ask = |sql: &str| {
        let begin = Instant::now();
        let rows = engine.numbers(sql, &salt.digits()).unwrap();
        (begin.elapsed().as_secs_f64(), rows)
    };
    let same = |rows: &Vec<Vec<i128>>| {
        let found = Answer::of(rows, &statement).unwrap().totals(&query).unwrap();
        assert_eq!(noisy(&query, found), expected, "the totals differ");
    };
    println!("{millions} million rows, {}", std::env::var("PYSPARK_SUBMIT_ARGS").unwrap_or_default());
    if let Some(mut extra) = extra {
        let (whole, rows) = ask(&statement.sql);
        same(&rows);
        let killer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs_f64(whole / 2.0));
            extra.kill().unwrap();
            extra.wait().unwrap();
        });
        let (killed, rows) = ask(&statement.sql);
        killer.join().unwrap();
        same(&rows);
        println!(
            "bounded totals {whole:.1} s, and {killed:.1} s with a worker that is killed at the half; the same totals"
        );
        return;
    }
    let group_by = format!(
        "SELECT COUNT(*), CAST(SUM(n) AS BIGINT), CAST(SUM(x) AS BIGINT) FROM {relation} WHERE who IS NOT NULL GROUP BY ward"
    );
    let two_levels = format!(
        "SELECT SUM(LEAST(k, 3)), SUM(s), CAST(SUM(y) AS BIGINT) FROM (SELECT who, ward, COUNT(*) AS k, CAST(SUM(n) AS BIGINT) AS s, SUM(x) AS y \
         FROM {relation} WHERE who IS NOT NULL GROUP BY who, ward) GROUP BY ward"
    );
    // The start-up cost of a session's first statement is excluded.
    ask(&group_by);
    for (name, sql) in
        [("plain GROUP BY", &group_by), ("two-level GROUP BY", &two_levels), ("bounded totals", &statement.sql)]
    {
        let mut times = Vec::new();
        for _ in 0..RUNS {
            let (time, rows) = ask(sql);
            times.push(time);
            if *sql == statement.sql {
                same(&rows);
            }
        }
        let Spread { median, low, high } = Spread::of(times);
        println!("{name}: {median:.1} s ({low:.1} to {high:.1})");
    }
}

/// With noise, which is equal if the totals are equal.
fn noisy(query: &Query, exact: Exact) -> Vec<Vec<i128>> {
    let decays = vec![Decay::exactly(ratio(1, 2)).unwrap(); query.measures().len()];
    exact.with_noise(query, &decays, &ratio(19, 20), &mut ChaCha8Rng::seed_from_u64(1))
}

fn write(folder: &Path, rows: usize) {
    fs::create_dir_all(folder).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut below = |bound: usize| random.next_u32() as usize % bound;
    for (file, first) in (0..rows).step_by(OF_FILE).enumerate() {
        let mut writer: Option<ArrowWriter<File>> = None;
        for begin in (first..rows.min(first + OF_FILE)).step_by(PART) {
            let part = PART.min(rows - begin);
            let who = Int64Array::from_iter((0..part).map(|_| match below(10) {
                0 => Some(7),
                1..=5 => None,
                _ => Some(below(rows / 10) as i64),
            }));
            let ward = StringViewArray::from_iter_values((0..part).map(|_| WARDS[below(5)]));
            let n = Int64Array::from_iter_values((0..part).map(|_| below(100) as i64));
            let x = Float64Array::from_iter_values((0..part).map(|_| below(4_000) as f64 / 8.0));
            let columns: [(&str, ArrayRef); 4] = [
                ("who", std::sync::Arc::new(who)),
                ("ward", std::sync::Arc::new(ward)),
                ("n", std::sync::Arc::new(n)),
                ("x", std::sync::Arc::new(x)),
            ];
            let batch = RecordBatch::try_from_iter(columns).unwrap();
            let path = folder.join(format!("{file:02}.parquet"));
            let made = || ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
            writer.get_or_insert_with(made).write(&batch).unwrap();
        }
        writer.unwrap().close().unwrap();
    }
}

fn table() -> TableSchema {
    let columns = vec![
        Column::new("who", ColumnType::Integer),
        Column::new("ward", ColumnType::Text).with_keys(WARDS.map(|ward| Key::Text(ward.to_owned())).to_vec()),
        Column::new("n", ColumnType::Integer).within(Bounds::new(whole(0), whole(90), whole(1)).unwrap()),
        Column::new("x", ColumnType::Decimal).within(Bounds::new(whole(0), whole(400), ratio(1, 2)).unwrap()),
    ];
    TableSchema::protected("t", columns, Some(Entity::new("who", Caps { rows_per_group: 3, groups: 2 })))
}

fn source(table: &TableSchema, folder: &Path) -> Source {
    let data = Data {
        table: "t".to_owned(),
        path: folder.display().to_string(),
        version: "1".to_owned(),
        format: Format::Parquet,
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(table.clone(), &data, Path::new("/")).unwrap()
}

/// An additional worker of two cores.
fn worker(master: &str) -> std::process::Child {
    let home = std::env::var("SPARK_HOME").unwrap();
    let mut command = Command::new(format!("{home}/bin/spark-class"));
    command.args([
        "org.apache.spark.deploy.worker.Worker",
        "--host",
        "127.0.0.1",
        "--cores",
        "2",
        "--memory",
        "1g",
        master,
    ]);
    let worker = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Until it is registered; later statements run on fewer workers.
    std::thread::sleep(Duration::from_secs(10));
    worker
}
