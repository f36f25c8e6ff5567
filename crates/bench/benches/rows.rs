//! Adding up rows, ours beside plain SQL through DataFusion on the same file, in the same process.
//!
//! `cargo bench -p deniable-bench --bench rows` prints one table. The file of ten million rows is generated into
//! the target folder once. `-- 100` adds a hundred million rows, whose file is deleted in the end.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, clippy::panic, reason = "a benchmark")]

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use deniable_core::exact::{parse_rational, whole};
use deniable_core::sensitivity::Caps;
use deniable_policy::{Bounds, Column, ColumnType, Data, Entity, Format, Key};
use deniable_sql::{Query, Resources, Salt, Source, Table, exact};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MILLION: u64 = 1_000_000;
const GROUPS: i64 = 50;
const THREADS: usize = 2;
const ROUNDS: usize = 5;

fn main() {
    let large = std::env::args().any(|arg| arg == "100");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rows");
    std::fs::create_dir_all(&folder).unwrap();
    println!("| rows | case | median s | min..max s | ratio | peak memory MiB |");
    println!("|---|---|---|---|---|---|");
    measure(&folder, 10 * MILLION, ROUNDS);
    if large {
        measure(&folder, 100 * MILLION, 1);
        std::fs::remove_file(file(&folder, 100 * MILLION)).unwrap();
    }
}

fn file(folder: &Path, rows: u64) -> PathBuf {
    folder.join(format!("{}.parquet", rows / MILLION))
}

/// Number, of 64 bits, for a position: the same in every run.
fn mixed(position: u64) -> u64 {
    let mut x = position.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Rows of two million entities for ten million rows, with random numbers as ids; 50 groups, as numbers and texts.
fn generate(path: &Path, rows: u64) {
    const AT_ONCE: u64 = 1 << 17;
    let entities = rows / 5;
    let mut writer: Option<ArrowWriter<std::fs::File>> = None;
    let partial = path.with_extension("partial");
    for start in (0..rows).step_by(AT_ONCE as usize) {
        let positions = || start..rows.min(start + AT_ONCE);
        let group = |row: u64| (mixed(row ^ 0x1111 << 40) % GROUPS as u64) as i64;
        let entity: ArrayRef =
            Arc::new(Int64Array::from_iter_values(positions().map(|row| mixed(mixed(row) % entities) as i64)));
        let number: ArrayRef = Arc::new(Int64Array::from_iter_values(positions().map(group)));
        let text: ArrayRef =
            Arc::new(StringArray::from_iter_values(positions().map(|row| format!("group {}", group(row)))));
        let value: ArrayRef =
            Arc::new(Int64Array::from_iter_values(positions().map(|row| (mixed(row ^ 0x2222 << 40) % 100) as i64)));
        let batch =
            RecordBatch::try_from_iter([("who", entity), ("grp", number), ("name", text), ("n", value)]).unwrap();
        let writer = writer.get_or_insert_with(|| {
            let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1 << 20)).build();
            ArrowWriter::try_new(std::fs::File::create(&partial).unwrap(), batch.schema(), Some(properties)).unwrap()
        });
        writer.write(&batch).unwrap();
    }
    writer.unwrap().close().unwrap();
    std::fs::rename(partial, path).unwrap();
}

fn source(path: &Path, caps: Option<Caps>) -> Source {
    let bounds = Some(Bounds::new(whole(0), whole(100), parse_rational("1").unwrap()).unwrap());
    let column = |name: &str, kind, bounds, keys| Column { name: name.to_owned(), kind, bounds, keys, format: None };
    let texts = (0..GROUPS).map(|group| Key::Text(format!("group {group}")));
    let table = Table {
        name: "t".to_owned(),
        columns: vec![
            column("who", ColumnType::Integer, None, None),
            column("grp", ColumnType::Integer, None, Some((0..GROUPS).map(Key::Integer).collect())),
            column("name", ColumnType::Text, None, Some(texts.collect())),
            column("n", ColumnType::Integer, bounds, None),
        ],
        entity: caps.map(|caps| Entity { key: "who".to_owned(), caps }),
        public_key: None,
    };
    let path = path.to_string_lossy().into_owned();
    let data = Data {
        table: "t".to_owned(),
        path,
        version: "1".to_owned(),
        format: Format::Parquet,
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(table, &data, Path::new("/")).unwrap()
}

fn measure(folder: &Path, rows: u64, rounds: usize) {
    let path = file(folder, rows);
    if !path.exists() {
        generate(&path, rows);
    }
    let resources = Resources { threads: THREADS, ..Resources::default() };
    let ours = |caps: Option<Caps>, group: &str| {
        let source = source(&path, caps);
        let sql = format!("SELECT {group}, COUNT(*), SUM(n), AVG(n) FROM t GROUP BY {group}");
        let query = Query::new(&sql, std::slice::from_ref(source.table())).unwrap();
        let resources = &resources;
        move || drop(exact(std::slice::from_ref(&source), &query, &Salt([1; 32]), resources, &|_| {}).unwrap())
    };
    let plain = |sql: String| {
        let path = path.clone();
        move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).build().unwrap();
            runtime.block_on(async {
                let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(THREADS));
                let path = path.to_str().unwrap();
                context.register_parquet("t", path, ParquetReadOptions::default()).await.unwrap();
                context.sql(&sql).await.unwrap().collect().await.unwrap();
            });
        }
    };
    // To look at one case alone, as with perf.
    let only = std::env::var("ONLY").ok();
    let report = |case: &str, rounds: usize, run: &mut dyn FnMut(), base: Option<Duration>| {
        if only.as_ref().is_some_and(|only| only != case) {
            return Duration::ZERO;
        }
        let mut times: Vec<Duration> = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                run();
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        let median = times[times.len() / 2];
        let ratio =
            base.map_or_else(|| "1".to_owned(), |base| format!("{:.2}", median.as_secs_f64() / base.as_secs_f64()));
        println!(
            "| {} M | {case} | {:.3} | {:.3}..{:.3} | {ratio} | {} |",
            rows / MILLION,
            median.as_secs_f64(),
            times[0].as_secs_f64(),
            times[times.len() - 1].as_secs_f64(),
            peak_memory()
        );
        median
    };
    let caps = Some(Caps { rows_per_group: 3, groups: 2 });
    for group in ["grp", "name"] {
        let sql = format!("SELECT {group}, COUNT(*), SUM(n), AVG(n) FROM t GROUP BY {group}");
        let base = report(&format!("plain GROUP BY {group}"), rounds, &mut plain(sql), None);
        report(&format!("ours, by {group}"), rounds, &mut ours(None, group), Some(base));
        report(&format!("ours, by {group}, entities capped"), rounds, &mut ours(caps, group), Some(base));
    }
    let sql = "SELECT grp, SUM(c), SUM(s), SUM(s) / SUM(c) FROM (SELECT who, grp, COUNT(*) AS c, SUM(n) AS s FROM t GROUP BY who, grp) GROUP BY grp";
    let base = report("plain two-level GROUP BY", rounds, &mut plain(sql.to_owned()), None);
    report("ours, by grp, entities capped", rounds, &mut ours(caps, "grp"), Some(base));
}

/// The most memory that this process ever had.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}
