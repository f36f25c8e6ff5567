//! Helpers of several benchmarks, which are in `benches/`; run them with `cargo bench -p deniable-bench`.

mod duckdb;

pub use duckdb::DuckDb;

use std::path::Path;

/// A measurement that was repeated: the spread of its values shows the load of the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
}

impl Spread {
    /// Of several values; NaN without values.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |place: usize| values.get(place).copied().unwrap_or(f64::NAN);
        Self { median: at(values.len() / 2), low: at(0), high: at(values.len().saturating_sub(1)) }
    }
}

/// The peak memory of a process so far, in KiB, as measured by Linux: `process` is its number, or `self`.
#[must_use]
pub fn peak_kib(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Replaces the text between two lines of a page. Its name is relative to the project's folder, because Cargo runs
/// benchmarks in the folder of their crate.
///
/// # Errors
/// When the page cannot be read or written, or has no such lines.
pub fn write_between(page: &Path, begin: &str, end: &str, tables: &str) -> std::io::Result<()> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(&page)?;
    let missing = |line: &str| std::io::Error::other(format!("{} has no line {line}", page.display()));
    let (before, rest) = text.split_once(begin).ok_or_else(|| missing(begin))?;
    let (_, after) = rest.split_once(end).ok_or_else(|| missing(end))?;
    std::fs::write(&page, format!("{before}{begin}\n\n{tables}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_both_ends() {
        assert_eq!(Spread::of(vec![3.0, 1.0, 2.0]), Spread { median: 2.0, low: 1.0, high: 3.0 });
        assert!(Spread::of(vec![]).median.is_nan());
    }
}
