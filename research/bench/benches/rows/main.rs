//! Aggregating rows, compared with plain SQL through DataFusion on the same file, in the same process.
//!
//! ```text
//! cargo bench -p deniable-bench --bench rows --features sql                       10 million rows, medians of five
//! cargo bench -p deniable-bench --bench rows --features sql -- --large            and 100 million, once
//! cargo bench -p deniable-bench --bench rows --features sql -- --billion          a billion in 8 GiB of memory, once: some 30 GB of disk
//! cargo bench -p deniable-bench --bench rows --features sql -- --write FILE       writes the tables between the markers of a file
//! cargo bench -p deniable-bench --bench rows --features sql -- --only "plain SQL" one case by itself, as for a profiler
//! ```
//!
//! The files are generated into the target folder; the largest is deleted at the end.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

mod data;
mod measure;

use data::{MILLION, People};
use measure::{CaseMeasurement, Size};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const ROUNDS: usize = 5;
const BEGIN: &str = "<!-- cargo bench -p deniable-bench --bench rows: begin -->";
const END: &str = "<!-- cargo bench -p deniable-bench --bench rows: end -->";

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).cloned();
    let only = value("--only");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rows");
    std::fs::create_dir_all(&folder).unwrap();
    let given = |name: &str| args.iter().any(|arg| arg == name);
    let size = |rows, rounds| Size { rows: rows * MILLION, rounds, memory: None };
    let mut sizes = vec![size(10, ROUNDS)];
    if given("--large") {
        sizes.push(size(100, 1));
    }
    let is_billion = given("--billion");
    if is_billion {
        sizes = vec![Size { memory: Some(8 << 30), ..size(1_000, 1) }];
    }
    let is_wanted = |case: &str| {
        only.as_deref().is_none_or(|only| only == case)
            && (!is_billion || [measure::BY_NUMBER, measure::CAPPED].contains(&case))
    };
    let mut tables = String::new();
    let mut draws = Vec::new();
    let draws_too = only.is_none() && !is_billion;
    if draws_too {
        draws.push(measure::draw(MILLION, &data::file(&folder, MILLION, People::Anywhere)));
    }
    for size in sizes {
        let measured = measure::all(&folder, &size, &is_wanted);
        let path = data::file(&folder, size.rows, People::Anywhere);
        let table = table(&size, &measured);
        println!("{table}");
        tables += &table;
        if draws_too {
            draws.push(measure::draw(size.rows, &path));
        }
        if size.rows >= 100 * MILLION {
            std::fs::remove_file(path).unwrap();
        }
    }
    if !draws.is_empty() {
        let draws = draw_table(&draws);
        println!("{draws}");
        tables += &draws;
    }
    if let Some(path) = value("--write") {
        deniable_bench::write_between(Path::new(&path), BEGIN, END, &tables).unwrap();
    }
}

/// The cost of drawing noise, compared with reading: it depends on cells, not on rows.
fn draw_table(draws: &[measure::Draw]) -> String {
    let mut text = "Noise for all 50 groups of COUNT(\\*), SUM(n) and AVG(n), of scale 1000:\n\n".to_owned();
    text += "| million rows | reading and adding up, ms | drawing, ms |\n|---|---|---|\n";
    for measure::Draw { rows, reading, drawing } in draws {
        writeln!(text, "| {} | {reading:.0} | {drawing:.3} |", rows / MILLION).unwrap();
    }
    text + "\n"
}

fn table(size: &Size, measured: &[CaseMeasurement]) -> String {
    let Size { rows, rounds, memory } = *size;
    let of = |case: &str| measured.iter().find(|measured| measured.case == case).map(|measured| measured.median);
    let mut text = format!(
        "{} million rows, {} million people with random numbers as ids, 50 groups, {} threads{};\n{}.\n\n",
        rows / MILLION,
        rows / MILLION / 5,
        measure::THREADS,
        memory.map_or_else(String::new, |bytes| format!(", {} GiB of memory", bytes >> 30)),
        if rounds == 1 { "one run each".to_owned() } else { format!("medians of {rounds}, fastest and slowest") },
    );
    text +=
        "| COUNT(\\*), SUM(n), AVG(n) | s | range | × plain | × two-level | peak MiB |\n|---|---|---|---|---|---|\n";
    for one in measured {
        let ratio = |base: Option<f64>| base.map_or_else(String::new, |base| format!("{:.2}", one.median / base));
        let plain = ratio(of(one.plain));
        let two_level = if one.two_level { ratio(of(measure::TWO_LEVEL)) } else { String::new() };
        let CaseMeasurement { case, median, range: (low, high), peak, .. } = one;
        writeln!(text, "| {case} | {median:.3} | {low:.3} to {high:.3} | {plain} | {two_level} | {peak} |").unwrap();
    }
    text + "\n"
}
