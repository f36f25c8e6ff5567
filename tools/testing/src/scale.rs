//! The scale of the long suites, and the seeds of their random cases.
//!
//! | variable | meaning |
//! |---|---|
//! | `DENIABLE_SCALE` | `small` (the default), `full` or `slow` |
//! | `DENIABLE_FULL_PACKAGES` | the packages that `full` applies to, separated by spaces; unset: all of them |
//! | `DENIABLE_FULL_UNTIL` | the second of Unix time from which `full` means `small` |
//! | `DENIABLE_SEED` | a number that every seed depends on at the scales `full` and `slow` |
//!
//! Cargo sets `CARGO_PKG_NAME` to the package of the test program.

use std::ffi::OsStr;
use std::sync::Once;
use std::time::{SystemTime, UNIX_EPOCH};

/// The variable that sets the scale of the long suites.
pub const SCALE: &str = "DENIABLE_SCALE";
const PACKAGES: &str = "DENIABLE_FULL_PACKAGES";
const UNTIL: &str = "DENIABLE_FULL_UNTIL";
const SEED: &str = "DENIABLE_SEED";

/// The size of the long suites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Enough to notice most mistakes, in minutes. The default.
    Small,
    /// The scale of CI for the packages that changed.
    Full,
    /// The scale of `scripts/slow`, too long for CI.
    Slow,
}

/// Parses the value of `DENIABLE_SCALE`.
fn parse_scale(value: Option<&OsStr>) -> Result<Scale, String> {
    match value.map(|value| value.to_str()) {
        None | Some(Some("small")) => Ok(Scale::Small),
        Some(Some("full")) => Ok(Scale::Full),
        Some(Some("slow")) => Ok(Scale::Slow),
        Some(_) => Err(format!("{SCALE} is {:?}; it can be `small`, `full` or `slow`", value.unwrap_or_default())),
    }
}

/// The numeric value of a variable, or `None` where it is unset.
fn parse_number(variable: &str, value: Option<&str>) -> Result<Option<u64>, String> {
    let parse = |value: &str| value.parse().map_err(|_| format!("{variable} is {value:?}; it must be a whole number"));
    value.map(parse).transpose()
}

/// Whether `full` applies to `package` at the Unix time `now`.
fn is_full(packages: Option<&str>, package: Option<&str>, until: Option<u64>, now: u64) -> bool {
    let named = |packages: &str| package.is_some_and(|package| packages.split_whitespace().any(|name| name == package));
    packages.is_none_or(named) && until.is_none_or(|until| now < until)
}

/// The scale that applies to the running test program now.
///
/// # Panics
/// When `DENIABLE_SCALE` is neither `small`, `full` nor `slow`, or `DENIABLE_FULL_UNTIL` is not a number: a misspelt
/// value must not pass for another.
#[must_use]
pub fn scale() -> Scale {
    let scale = expect(parse_scale(std::env::var_os(SCALE).as_deref()));
    if scale != Scale::Full {
        return scale;
    }
    let variable = |name| std::env::var(name).ok();
    let until = expect(parse_number(UNTIL, variable(UNTIL).as_deref()));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(u64::MAX, |since| since.as_secs());
    if is_full(variable(PACKAGES).as_deref(), variable("CARGO_PKG_NAME").as_deref(), until, now) {
        return Scale::Full;
    }
    if until.is_some_and(|until| now >= until) {
        static REPORTED: Once = Once::new();
        REPORTED.call_once(|| crate::skipped("full scale: the time for it has passed", "unset DENIABLE_FULL_UNTIL"));
    }
    Scale::Small
}

/// The seed of a random generator whose own fixed seed is `own`.
///
/// At the scale `small`, or without `DENIABLE_SEED`, it is `own`, so that the same cases are drawn everywhere. At a
/// larger scale it depends on both, so that each commit draws its own cases; CI prints the variables that repeat a run.
///
/// # Panics
/// As [`scale`], and when `DENIABLE_SEED` is not a number.
#[must_use]
pub fn seed(own: u64) -> u64 {
    match expect(parse_number(SEED, std::env::var(SEED).ok().as_deref())) {
        Some(of_run) if scale() != Scale::Small => mixed(of_run, own),
        _ => own,
    }
}

/// The output function of SplitMix64: for a fixed `of_run`, different seeds stay different.
fn mixed(of_run: u64, own: u64) -> u64 {
    let mut word = own.wrapping_add(of_run.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[expect(clippy::panic, reason = "only tests call it, and a test fails by panicking")]
fn expect<T>(parsed: Result<T, String>) -> T {
    parsed.unwrap_or_else(|wrong| panic!("{wrong}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_words_are_scales() {
        let parse = |text: &str| parse_scale(Some(OsStr::new(text)));
        assert_eq!(parse_scale(None), Ok(Scale::Small));
        assert_eq!(
            (parse("small"), parse("full"), parse("slow")),
            (Ok(Scale::Small), Ok(Scale::Full), Ok(Scale::Slow))
        );
        for wrong in ["", "Full", "ful", "1", "large"] {
            assert!(parse(wrong).is_err_and(|message| message.contains(SCALE) && message.contains(wrong)), "{wrong}");
        }
    }

    #[test]
    fn full_scale_applies_to_named_packages_before_the_deadline() {
        assert!(is_full(None, None, None, 7));
        assert!(is_full(Some("deniable-sql deniable-core"), Some("deniable-core"), Some(8), 7));
        assert!(!is_full(Some("deniable-sql deniable-core"), Some("deniable"), None, 7));
        assert!(!is_full(Some(""), Some("deniable-core"), None, 7) && !is_full(Some("deniable-core"), None, None, 7));
        assert!(!is_full(None, Some("deniable-core"), Some(7), 7));
    }

    #[test]
    fn numbers_are_whole_or_refused() {
        assert_eq!((parse_number(SEED, None), parse_number(SEED, Some("12"))), (Ok(None), Ok(Some(12))));
        for wrong in ["", "-1", "1.5", "x"] {
            assert!(parse_number(SEED, Some(wrong)).is_err_and(|message| message.contains(SEED)), "{wrong}");
        }
    }

    #[test]
    fn seeds_of_one_run_differ_and_depend_on_the_run() {
        let of_run = |run| (0..1_000).map(|own| mixed(run, own)).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(of_run(5).len(), 1_000);
        assert!(of_run(5).is_disjoint(&of_run(6)));
    }
}
