//! An S3 server for tests: `scripts/s3` runs them beside one.

use crate::skipped;
use std::io::Write;
use std::process::{Command, Stdio};

/// The address of the server of `scripts/s3`; `None` if it is not set, and then reports that the test is skipped. With
/// `DENIABLE_S3_REQUIRED` that is an error.
///
/// # Panics
/// When it is required and not set.
#[must_use]
#[expect(clippy::panic, reason = "only tests call it, and a test fails by panicking")]
pub fn s3() -> Option<String> {
    if let Ok(address) = std::env::var("DENIABLE_S3") {
        return Some(address);
    }
    if std::env::var_os("DENIABLE_S3_REQUIRED").is_some() {
        panic!("there is no S3 server: run the tests by scripts/s3");
    }
    skipped("there is no S3 server", "run scripts/s3 cargo test ...");
    None
}

/// Puts an object into the bucket `deniable`.
///
/// # Panics
/// When that fails.
#[expect(clippy::panic, reason = "only tests call it, and a test fails by panicking")]
pub fn s3_put(key: &str, bytes: &[u8]) {
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let url = format!("{}/deniable/{key}", of("DENIABLE_S3"));
    let user = format!("{}:{}", of("AWS_ACCESS_KEY_ID"), of("AWS_SECRET_ACCESS_KEY"));
    let arguments = [
        "--silent",
        "--fail",
        "--globoff",
        "--output",
        "/dev/null",
        "--aws-sigv4",
        "aws:amz:us-east-1:s3",
        "--user",
        &user,
    ];
    let mut command = Command::new("curl");
    command.args(arguments).args(["--upload-file", "-", &url]).stdin(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => panic!("curl: {error}"),
    };
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(bytes));
    match child.wait() {
        Ok(status) if status.success() => {}
        ended => panic!("curl {url}: {ended:?} ({written:?})"),
    }
}
