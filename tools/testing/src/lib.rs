//! Helpers of the tests of all crates; only tests depend on this crate.
//!
//! | content | function |
//! |---|---|
//! | size of a suite, on a developer's machine and in CI | [`sized`] |
//! | seeds of random cases | [`seed`] |
//! | runs that end at a step, and requests for random bits | [`Steps`], [`Sampler`] |
//! | tests that read counters of a whole process | [`in_own_process`] |
//! | report of a skipped test | [`skipped`] |
//! | data that is not part of the project | [`adult`], [`gwas`] |
//! | folder for output that people inspect | [`scratch`] |

mod database;
mod engines;
mod own_process;
mod scale;
mod steps;
mod store;

pub use database::{postgres, psql};
pub use engines::{engine_python, lying_python, run_python};
pub use own_process::in_own_process;
pub use scale::{SCALE, Scale, scale, seed};
pub use steps::{Sampler, Steps};
pub use store::{s3, s3_put};

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// One of two sizes, by the scale.
///
/// # Panics
/// As [`scale`].
#[must_use]
pub fn sized<T>(small: T, full: T) -> T {
    match scale() {
        Scale::Small => small,
        Scale::Full | Scale::Slow => full,
    }
}

/// One of three sizes, for suites that CI runs in part.
///
/// # Panics
/// As [`scale`].
#[must_use]
pub fn sized_to_slow<T>(small: T, full: T, slow: T) -> T {
    match scale() {
        Scale::Small => small,
        Scale::Full => full,
        Scale::Slow => slow,
    }
}

/// Reports that a test, or a part of it, was not run, and how to change that.
///
/// The test harness hides the output of passing tests; output that bypasses the macros is visible.
pub fn skipped(what: &str, how: &str) {
    let thread = std::thread::current();
    // The harness names threads after their tests, unless it runs all tests on one thread.
    let test = thread.name().filter(|name| *name != "main").map(|name| format!(" {name}")).unwrap_or_default();
    // In one write, so that lines of parallel tests are not interleaved. A closed stderr is ignored.
    let _ = std::io::stderr().write_all(format!("SKIPPED{test}: {what}; {how}\n").as_bytes());
}

/// The folder of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The path in `variable`, or the default beside the project.
fn named(variable: &str, default: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| root().join("../shared/data").join(default), PathBuf::from)
}

/// UCI Adult: `DENIABLE_ADULT`, or `../shared/data/adult/adult.data`. If missing, reports that the test is skipped.
#[must_use]
pub fn adult() -> Option<PathBuf> {
    let found = named("DENIABLE_ADULT", "adult/adult.data").canonicalize().ok().filter(|path| path.is_file());
    if found.is_none() {
        skipped("there is no UCI Adult", "set DENIABLE_ADULT to the path of adult.data");
    }
    found
}

/// The simulated study, without its extensions: `DENIABLE_GWAS`, or `../shared/data/gwas/hs`. If missing, reports that
/// the test is skipped.
#[must_use]
pub fn gwas() -> Option<PathBuf> {
    let prefix = named("DENIABLE_GWAS", "gwas/hs");
    let folder = prefix.parent().and_then(|folder| folder.canonicalize().ok());
    let found = folder.zip(prefix.file_name()).map(|(folder, name)| folder.join(name));
    let found = found.filter(|prefix| prefix.with_extension("bed").is_file());
    if found.is_none() {
        skipped("there is no simulated study", "set DENIABLE_GWAS to the path of its files, without .bed");
    }
    found
}

/// A folder in the target folder, for output that people inspect after a test: screenshots, the input of a failed test.
///
/// # Errors
/// When the program's folder is unknown, or the folder cannot be created.
pub fn scratch() -> std::io::Result<PathBuf> {
    // <target>/<profile>/deps/<program>
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(3).ok_or_else(|| std::io::Error::other("this program is in no folder"))?;
    let folder = target.join("tmp");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report of a skipped test is visible through the harness; printed output is not.
    #[test]
    fn a_skipped_test_is_seen() -> std::io::Result<()> {
        const CHILD: &str = "DENIABLE_TEST_SKIPS";
        if std::env::var_os(CHILD).is_some() {
            println_captured();
            skipped("nothing", "this line is what a test looks for");
            return Ok(());
        }
        let test = "tests::a_skipped_test_is_seen";
        let mut again = std::process::Command::new(std::env::current_exe()?);
        let run = again.args(["--exact", test]).env(CHILD, "1").output()?;
        assert!(run.status.success());
        let said = String::from_utf8_lossy(&run.stderr);
        // The name is missing only if all tests run on one thread, which the number of processors can decide.
        assert!(said.contains("SKIPPED") && said.contains("nothing; this line is what a test looks for\n"), "{said}");
        assert!(!said.contains("kept by the harness"), "{said}");
        Ok(())
    }

    #[expect(clippy::print_stderr, reason = "to see that the harness keeps it")]
    fn println_captured() {
        eprintln!("kept by the harness");
    }

    #[test]
    fn things_are_left_in_the_target_folder() -> std::io::Result<()> {
        let folder = scratch()?;
        assert!(folder.is_dir() && folder.ends_with("tmp"));
        let target = folder.parent().map(Path::to_path_buf).unwrap_or_default();
        assert!(std::env::current_exe()?.starts_with(&target), "{}", target.display());
        Ok(())
    }
}
