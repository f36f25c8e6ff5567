//! What the tests of all crates share; nothing but tests depends on it.
//!
//! | question | function |
//! |---|---|
//! | how much is done, on a developer's machine and in CI? | [`sized`] |
//! | which random cases are drawn? | [`seed`] |
//! | at which step does a run end, and did it request random bits? | [`Steps`], [`Sampler`] |
//! | how does a test read what a whole process counts? | [`in_own_process`] |
//! | how does a test say that it was not run? | [`skipped`] |
//! | where are the data that do not come with the project? | [`adult`], [`gwas`] |
//! | where may things be left to be looked at? | [`scratch`] |

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

/// One of three sizes, for what CI does not do whole.
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

/// Says that a test, or a part of it, was not run, and how to change that.
///
/// The test harness keeps to itself what tests that pass print; what is written past the macros reaches the reader.
pub fn skipped(what: &str, how: &str) {
    let thread = std::thread::current();
    // The harness names threads after their tests; there is none with one thread for all.
    let test = thread.name().filter(|name| *name != "main").map(|name| format!(" {name}")).unwrap_or_default();
    // In one piece, so that lines of tests that run beside each other stay whole. A closed stderr skips nothing more.
    let _ = std::io::stderr().write_all(format!("SKIPPED{test}: {what}; {how}\n").as_bytes());
}

/// The folder of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Where `variable` says, or beside the project.
fn named(variable: &str, default: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| root().join("../shared/data").join(default), PathBuf::from)
}

/// UCI Adult: `DENIABLE_ADULT`, or `../shared/data/adult/adult.data`. Where it is not, the test says that it is skipped.
#[must_use]
pub fn adult() -> Option<PathBuf> {
    let found = named("DENIABLE_ADULT", "adult/adult.data").canonicalize().ok().filter(|path| path.is_file());
    if found.is_none() {
        skipped("there is no UCI Adult", "set DENIABLE_ADULT to the path of adult.data");
    }
    found
}

/// The simulated study, without its extensions: `DENIABLE_GWAS`, or `../shared/data/gwas/hs`. Where it is not, the test
/// says that it is skipped.
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

/// A folder in the target folder, for what is looked at after a test: pictures, the input that a test failed on.
///
/// # Errors
/// When the running program is in no folder, or the folder cannot be made.
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

    /// What a skipped test says comes through the harness; what it prints does not.
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
        // The name is there unless all tests run on one thread, which the number of processors can decide.
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
