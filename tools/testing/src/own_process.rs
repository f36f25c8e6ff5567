//! Tests that read what a whole process counts, and so share their process with no other test.

use std::process::Command;

/// Set to the name of the test in the process that runs it alone.
const VARIABLE: &str = "DENIABLE_OWN_PROCESS";

/// Whether this process runs the test of this name (with its modules) alone. Where it does not, the test is run in a process of its own
/// first, and this fails if that fails.
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
        // A name that no test has is no failure of the harness.
        Ok(output) => {
            let written = text(&output.stdout);
            (output.status.success() && written.contains("1 passed"), written + &text(&output.stderr))
        }
        Err(error) => (false, error.to_string()),
    };
    assert!(passed, "{test}:\n{written}");
    false
}
