//! Assessment of an anonymised table, compared with the plain GROUP BY of the same columns in the same engine and
//! process.
//!
//! ```text
//! cargo bench -p deniable-bench --bench assess --features sql                                     10 million rows, medians of five
//! cargo bench -p deniable-bench --bench assess --features sql -- --write docs/explanation/performance.md      and writes the table
//! cargo bench -p deniable-bench --bench assess --features sql -- --rows 1000000                   fewer rows
//! ```
//!
//! The files are generated into the target folder.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::{CsvReadOptions, ParquetReadOptions, SessionConfig, SessionContext};
use deniable_assess::{Counts, Input, Requirement, assess};
use deniable_bench::{Spread, peak_kib, write_between};
use deniable_data::Resources;
use deniable_data::groups::{Layout, groups, open};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

const THREADS: usize = 2;
const ROUNDS: usize = 5;
const QUASI: [&str; 4] = ["age", "zip", "sex", "nationality"];
const SENSITIVE: &str = "disease";
const BEGIN: &str = "<!-- cargo bench -p deniable-bench --bench assess: begin -->";
const END: &str = "<!-- cargo bench -p deniable-bench --bench assess: end -->";

/// A table: its name, its notation, and its numbers of distinct ages and places.
struct Shape {
    name: &'static str,
    ending: &'static str,
    /// Width of age bands, in years.
    years: u64,
    /// Number of distinct places.
    places: u64,
}

const SHAPES: [Shape; 3] = [
    Shape { name: "anonymised, Parquet", ending: "parquet", years: 10, places: 100 },
    Shape { name: "anonymised, CSV", ending: "csv", years: 10, places: 100 },
    Shape { name: "hardly anonymised, Parquet", ending: "parquet", years: 1, places: 2000 },
];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).cloned();
    let rows: u64 = value("--rows").map_or(10_000_000, |rows| rows.parse().unwrap());
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("assess");
    std::fs::create_dir_all(&folder).unwrap();
    let mut text = format!(
        "{rows} rows, four quasi-identifiers and a sensitive column, {THREADS} threads; medians of {ROUNDS}, fastest and\n\
         slowest. Assessed: all of `deniable assess` without other tables, and five demands.\n\n\
         | table | distinct rows | GROUP BY, s | counting, s | assessing, s | both × GROUP BY | peak MiB |\n|---|---|---|---|---|---|---|\n"
    );
    for shape in &SHAPES {
        let path = file(&folder, shape, rows);
        let line = measured(&path, shape);
        println!("{line}");
        writeln!(text, "{line}").unwrap();
    }
    println!("{text}");
    if let Some(page) = value("--write") {
        write_between(Path::new(&page), BEGIN, END, &(text + "\n")).unwrap();
    }
}

/// A 64-bit pseudo-random number for a position.
fn mixed(position: u64) -> u64 {
    let mut x = position.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The cells of a row.
fn row(shape: &Shape, row: u64) -> [String; 5] {
    let draw = |what: u64, below: u64| mixed(row ^ (what << 40)) % below;
    let age = 20 + draw(1, 70) / shape.years * shape.years;
    let age = if shape.years == 1 { age.to_string() } else { format!("{age}-{}", age + shape.years - 1) };
    let zip = draw(2, shape.places);
    let zip = if shape.places > 1000 { format!("{:05}", 10_000 + zip) } else { format!("{:03}**", 100 + zip) };
    let sex = if draw(3, 2) == 0 { "f" } else { "m" };
    // Some nations and diseases are much more frequent than others.
    let nation = draw(4, 20).min(draw(5, 20));
    let disease = draw(6, 10).min(draw(7, 10));
    [age, zip, sex.to_owned(), format!("nation {nation}"), format!("disease {disease}")]
}

fn file(folder: &Path, shape: &Shape, rows: u64) -> PathBuf {
    let path = folder.join(format!("{}-{}-{rows}.{}", shape.years, shape.places, shape.ending));
    if path.exists() {
        return path;
    }
    let names: Vec<&str> = QUASI.into_iter().chain([SENSITIVE]).collect();
    let partial = path.with_extension("partial");
    let out = std::fs::File::create(&partial).unwrap();
    if shape.ending == "csv" {
        let mut out = std::io::BufWriter::new(out);
        writeln!(out, "{}", names.join(",")).unwrap();
        for at in 0..rows {
            writeln!(out, "{}", row(shape, at).join(",")).unwrap();
        }
        out.flush().unwrap();
    } else {
        let batch = |from: u64, to: u64| {
            let cells: Vec<[String; 5]> = (from..to).map(|at| row(shape, at)).collect();
            let column = |place: usize| -> ArrayRef {
                Arc::new(cells.iter().map(|row| Some(row[place].as_str())).collect::<StringArray>())
            };
            RecordBatch::try_from_iter(names.iter().enumerate().map(|(place, name)| (*name, column(place)))).unwrap()
        };
        let mut writer = ArrowWriter::try_new(out, batch(0, 0).schema(), None).unwrap();
        for from in (0..rows).step_by(1 << 17) {
            writer.write(&batch(from, rows.min(from + (1 << 17)))).unwrap();
        }
        writer.close().unwrap();
    }
    std::fs::rename(partial, &path).unwrap();
    path
}

fn measured(path: &Path, shape: &Shape) -> String {
    let (mut plain, mut counting, mut assessing) = (Vec::new(), Vec::new(), Vec::new());
    let mut distinct = 0;
    for round in 0..=ROUNDS {
        let started = Instant::now();
        let groups = group_by(path, shape);
        let grouped = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let counts = counts(path);
        let counted = started.elapsed().as_secs_f64();
        let started = Instant::now();
        look(&counts);
        let looked = started.elapsed().as_secs_f64();
        assert_eq!(groups, counts.rows());
        distinct = groups;
        // The first run reads files from disk and gets memory from the system.
        if round > 0 {
            plain.push(grouped);
            counting.push(counted);
            assessing.push(looked);
        }
    }
    let both: Vec<f64> = counting.iter().zip(&assessing).map(|(one, other)| one + other).collect();
    let shown = |values: Vec<f64>| {
        let spread = Spread::of(values);
        (spread.median, format!("{:.2} ({:.2} to {:.2})", spread.median, spread.low, spread.high))
    };
    let ((base, plain), (_, counting), (_, assessing)) = (shown(plain), shown(counting), shown(assessing));
    let ratio = shown(both).0 / base;
    let peak = peak_kib("self").unwrap_or(0) / 1024;
    format!("| {} | {distinct} | {plain} | {counting} | {assessing} | {ratio:.2} | {peak} |", shape.name)
}

/// The plain query, to its last batch.
fn group_by(path: &Path, shape: &Shape) -> usize {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).build().unwrap();
    runtime.block_on(async {
        let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(THREADS));
        let path = path.to_str().unwrap();
        if shape.ending == "csv" {
            context.register_csv("t", path, CsvReadOptions::new()).await.unwrap();
        } else {
            context.register_parquet("t", path, ParquetReadOptions::default()).await.unwrap();
        }
        let columns = QUASI.into_iter().chain([SENSITIVE]).collect::<Vec<_>>().join(", ");
        let sql = format!("SELECT {columns}, COUNT(*) FROM t GROUP BY {columns}");
        let batches = context.sql(&sql).await.unwrap().collect().await.unwrap();
        batches.iter().map(RecordBatch::num_rows).sum()
    })
}

fn counts(path: &Path) -> Counts {
    let columns: Vec<String> = QUASI.into_iter().chain([SENSITIVE]).map(str::to_owned).collect();
    let source = open(path, &columns, &Layout::default()).unwrap();
    let resources = Resources { threads: THREADS, ..Resources::default() };
    let mut counts = Counts::new(&columns).unwrap();
    let mut codes = vec![0; columns.len()];
    groups(&source, &resources, &|_| {}, &mut |rows| {
        let known: Vec<Vec<u32>> = (0..columns.len())
            .map(|at| {
                let mut known = vec![0];
                rows.each_value(at, &mut |_, value| known.push(counts.intern(at, value.unwrap()).unwrap()));
                known
            })
            .collect();
        rows.each(&mut |numbers, times| {
            for ((code, number), known) in codes.iter_mut().zip(numbers).zip(&known) {
                *code = known[*number as usize];
            }
            counts.push_codes(&codes, times).unwrap();
        });
    })
    .unwrap();
    counts
}

fn look(counts: &Counts) {
    let mut input = Input::new(counts, &QUASI, &[SENSITIVE]);
    input.requirements = Requirement::parse("k=5,l=2,t=0.2,epsilon-bop=1,prosecutor=0.2").unwrap();
    std::hint::black_box(assess(&input).unwrap());
}
