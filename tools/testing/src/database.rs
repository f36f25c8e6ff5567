//! A PostgreSQL server that tests may use: `scripts/postgres` runs them beside one.

use crate::skipped;
use std::io::Write;
use std::process::{Command, Stdio};

/// The database of `scripts/postgres`, as a variable for `connect`; `None` if it is not set, and then reports that the
/// test is skipped. With `DENIABLE_POSTGRES_REQUIRED` that is an error.
///
/// # Panics
/// When it is required and not set.
#[must_use]
#[expect(clippy::panic, reason = "only tests call it, and a test fails by panicking")]
pub fn postgres() -> Option<&'static str> {
    const VARIABLE: &str = "DENIABLE_POSTGRES";
    if std::env::var_os(VARIABLE).is_some() {
        return Some(VARIABLE);
    }
    if std::env::var_os("DENIABLE_POSTGRES_REQUIRED").is_some() {
        panic!("there is no PostgreSQL server: run the tests by scripts/postgres");
    }
    skipped("there is no PostgreSQL server", "install postgresql, and run scripts/postgres cargo test ...");
    None
}

/// Runs SQL on that database as its owner, and returns the output.
///
/// # Panics
/// When it fails.
#[must_use]
#[expect(clippy::panic, reason = "only tests call it, and a test fails by panicking")]
pub fn psql(sql: &str) -> String {
    let address = std::env::var("DENIABLE_POSTGRES").unwrap_or_default();
    let arguments =
        ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--dbname", &address];
    let mut child = match Command::new("psql").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => panic!("psql: {error}"),
    };
    // psql reads all input before it prints much.
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(sql.as_bytes()));
    match child.wait_with_output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim_end().to_owned(),
        Ok(output) => panic!("psql: {} ({written:?})", output.status),
        Err(error) => panic!("psql: {error}"),
    }
}
