//! The cases, their times and their memory.

use super::data::{People, file, source};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use deniable_bench::{Spread, peak_kib};
use deniable_core::exact::ratio;
use deniable_core::noise::{Decay, SystemRng};
use deniable_core::sensitivity::Caps;
use deniable_data::Resources;
use deniable_execute::{Exact, Salt, exact};
use deniable_query::Query;
use std::path::Path;
use std::time::Instant;

pub const THREADS: usize = 2;
pub const TWO_LEVEL: &str = "plain SQL by (who, grp), then by grp";
pub const CAPPED: &str = "people, both caps, by grp";
pub const BY_NUMBER: &str = "plain SQL by grp, a number";
const BY_TEXT: &str = "plain SQL by name, a text";
const IN_ORDER: &str = "people in order, plain SQL by grp";
const ONE: &str = "one with a tenth, plain SQL by grp";
/// Less memory than the rows of ten million need.
const SPILLED: usize = 100_000_000;
const CAPS: Caps = Caps { rows_per_group: 3, groups: 2 };

/// The measurements of one benchmark case.
pub struct CaseMeasurement {
    pub case: &'static str,
    /// The case without protection as the baseline.
    pub plain: &'static str,
    /// Whether it is also compared with the bare two-level GROUP BY.
    pub two_level: bool,
    /// Seconds.
    pub median: f64,
    pub range: (f64, f64),
    /// The peak memory of the process during the case, in MiB.
    pub peak: u64,
}

/// How much is measured.
pub struct Size {
    pub rows: u64,
    /// Files in other orders are measured if there are several.
    pub rounds: usize,
    /// The memory limit, if it is not the default.
    pub memory: Option<usize>,
}

/// All cases of this size, in turn: `rounds` times each case once, so that other load affects all alike.
pub fn all(folder: &Path, size: &Size, only: &dyn Fn(&str) -> bool) -> Vec<CaseMeasurement> {
    let Size { rows, rounds, memory } = *size;
    let path = &file(folder, rows, People::Anywhere);
    let by = |column: &str| format!("SELECT {column}, COUNT(*), SUM(n), AVG(n) FROM t GROUP BY {column}");
    let two_level = "SELECT grp, SUM(c), SUM(s), SUM(s) / SUM(c) FROM \
                     (SELECT who, grp, COUNT(*) AS c, SUM(n) AS s FROM t GROUP BY who, grp) GROUP BY grp";
    let [in_order, one] =
        [People::InOrder, People::OneWithATenth].map(|people| (rounds > 1).then(|| file(folder, rows, people)));
    type Case<'a> = (&'static str, &'static str, bool, Box<dyn Fn() + 'a>);
    let mut cases: Vec<Case<'_>> = vec![
        (BY_NUMBER, BY_NUMBER, false, Box::new(|| plain(path, &by("grp")))),
        ("a row is a person, by grp", BY_NUMBER, false, Box::new(|| drop(ours(path, None, &by("grp"), None)))),
        (BY_TEXT, BY_TEXT, false, Box::new(|| plain(path, &by("name")))),
        ("a row is a person, by name", BY_TEXT, false, Box::new(|| drop(ours(path, None, &by("name"), None)))),
        (CAPPED, BY_NUMBER, true, Box::new(|| drop(ours(path, Some(CAPS), &by("grp"), memory)))),
        ("people, both caps, by name", BY_TEXT, true, Box::new(|| drop(ours(path, Some(CAPS), &by("name"), None)))),
    ];
    if let (Some(in_order), Some(one)) = (&in_order, &one) {
        let capped = |path| Box::new(move || drop(ours(path, Some(CAPS), &by("grp"), None)));
        cases.push((IN_ORDER, IN_ORDER, false, Box::new(|| plain(in_order, &by("grp")))));
        cases.push(("people in order, both caps, by grp", IN_ORDER, false, capped(in_order)));
        cases.push((ONE, ONE, false, Box::new(|| plain(one, &by("grp")))));
        cases.push(("one with a tenth, both caps, by grp", ONE, false, capped(one)));
        let wide = Caps { rows_per_group: 1_000, groups: 50 };
        let uncapped = move || drop(ours(path, Some(wide), &by("grp"), None));
        cases.push(("people, caps that keep all, by grp", BY_NUMBER, true, Box::new(uncapped)));
        let spilled = move || drop(ours(path, Some(CAPS), &by("grp"), Some(SPILLED)));
        cases.push(("people, both caps, by grp, in 100 MB", BY_NUMBER, true, Box::new(spilled)));
    }
    // Last: what follows the memory that it takes and gives back gets its pages late.
    cases.push((TWO_LEVEL, BY_NUMBER, false, Box::new(|| plain(path, two_level))));
    let wanted: Vec<&Case<'_>> = cases.iter().filter(|(case, ..)| only(case)).collect();
    let mut seconds = vec![Vec::new(); wanted.len()];
    let mut peaks = vec![0; wanted.len()];
    for round in 0..=rounds {
        for (at, (_, _, _, run)) in wanted.iter().enumerate() {
            forget_peak();
            let started = Instant::now();
            run();
            // The first run reads files from disk and gets memory from the system.
            if round > 0 || rounds == 1 {
                seconds[at].push(started.elapsed().as_secs_f64());
                peaks[at] = peaks[at].max(peak());
            }
        }
        if rounds == 1 {
            break;
        }
    }
    let measured = wanted.iter().zip(seconds).zip(peaks).map(|(((case, plain, two_level, _), seconds), peak)| {
        let Spread { median, low, high } = Spread::of(seconds);
        CaseMeasurement { case, plain, two_level: *two_level, median, range: (low, high), peak }
    });
    measured.collect()
}

/// `memory` is the limit, if it is not the default.
fn ours(path: &Path, caps: Option<Caps>, sql: &str, memory: Option<usize>) -> (Query, Exact) {
    let source = source(path, caps);
    let query = deniable_sql::plan(sql, std::slice::from_ref(source.table())).unwrap();
    let default = Resources::default();
    let resources = Resources { threads: THREADS, memory: memory.or(default.memory), ..default };
    let exact = exact(&[source], &query, &Salt([1; 32]), &resources, &|_| {}).unwrap();
    (query, exact)
}

fn plain(path: &Path, sql: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).build().unwrap();
    runtime.block_on(async {
        let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(THREADS));
        context.register_parquet("t", path.to_str().unwrap(), ParquetReadOptions::default()).await.unwrap();
        context.sql(sql).await.unwrap().collect().await.unwrap();
    });
}

/// Times of reading and drawing, in milliseconds.
pub struct Draw {
    pub rows: u64,
    pub reading: f64,
    pub drawing: f64,
}

/// Reads once and draws once.
pub fn draw(rows: u64, path: &Path) -> Draw {
    let started = Instant::now();
    let (query, exact) = ours(path, None, "SELECT grp, COUNT(*), SUM(n), AVG(n) FROM t GROUP BY grp", None);
    let reading = started.elapsed().as_secs_f64() * 1e3;
    let decays = vec![Decay::exactly(ratio(1000, 1001)).unwrap(); query.measures().len()];
    let mut rng = SystemRng::new().unwrap();
    let started = Instant::now();
    drop(exact.with_noise(&query, &decays, &ratio(19, 20), &mut rng));
    Draw { rows, reading, drawing: started.elapsed().as_secs_f64() * 1e3 }
}

/// The peak memory of this process since the last reset, in MiB; 0 if the system does not report it.
fn peak() -> u64 {
    peak_kib("self").unwrap_or(0) / 1024
}

fn forget_peak() {
    // Freed memory that the allocator still holds counts; so do mapped files. Without the file the peak is that of the
    // whole run.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
