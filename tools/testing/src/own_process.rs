//! Tests that read counters of a whole process, and so need a process of their own.

use std::process::Command;

/// Name of the test, set in the process that runs it alone.
const VARIABLE: &str = "DENIABLE_OWN_PROCESS";

/// Whether this process runs the test of this name (with its modules) alone. If not, the test first runs in a separate
/// process, and this function fails if that fails.
///
/// # Panics
/// When the test failed, or there is no such test.
#[must_use]
pub fn in_own_process(test: &str) -> bool {
    if std::env::var(VARIABLE).is_ok_and(|alone| alone == test) {
        return true;
    }
    let run = |program| Command::new(program).args(["--exact", test, "--nocapture"]).env(VARIABLE, test).output();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (passed, written) = match std::env::current_exe().and_then(run) {
        // The harness does not fail for a name without a test.
        Ok(output) => {
            let written = text(&output.stdout);
            (output.status.success() && written.contains("1 passed"), written + &text(&output.stderr))
        }
        Err(error) => (false, error.to_string()),
    };
    assert!(passed, "{test}:\n{written}");
    false
}
