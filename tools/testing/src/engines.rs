//! External engines, each by its Python client: `scripts/engines` runs tests beside them.

use crate::skipped;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// An interpreter of `scripts/engines`, from the variable `DENIABLE_DUCKDB_PYTHON` or `DENIABLE_SPARK_PYTHON`; `None`
/// if it is not set, and then reports that the test is skipped. With `DENIABLE_ENGINES_REQUIRED` that is an error.
///
/// # Panics
/// When it is required and not set.
#[must_use]
#[expect(clippy::panic, reason = "only tests call it, and a test fails by panicking")]
pub fn engine_python(variable: &str) -> Option<String> {
    let python = std::env::var(variable).ok();
    if python.is_none() {
        if std::env::var_os("DENIABLE_ENGINES_REQUIRED").is_some() {
            panic!("{variable} names no interpreter: run the tests by scripts/engines");
        }
        skipped("there is no such engine for Python", "run scripts/engines cargo test ...");
    }
    python
}

/// Runs a Python program, and returns its output.
///
/// # Panics
/// When it fails.
#[must_use]
#[expect(clippy::panic, reason = "only tests call it, and a test fails by panicking")]
pub fn run_python(python: &str, program: &str) -> String {
    let mut command = Command::new(python);
    let child = command.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let output = child.and_then(|mut child| {
        child.stdin.take().map(|mut stdin| stdin.write_all(program.as_bytes())).transpose()?;
        child.wait_with_output()
    });
    match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        other => panic!("{python}: {other:?}"),
    }
}

/// A program between this one and an engine's client, to be named as the interpreter. It changes each answer by `lie`,
/// a Python statement about `answer`, its `totals`, and the `question`, whose `is_private` is true for queries about
/// private rows.
///
/// # Panics
/// When it cannot be written.
#[must_use]
pub fn lying_python(folder: &Path, python: &str, lie: &str) -> String {
    let program = format!(
        r#"#!{python}
import json, subprocess, sys
client = subprocess.Popen([{python:?}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for question in sys.stdin:
    client.stdin.write(question)
    client.stdin.flush()
    line = client.stdout.readline()
    answer = json.loads(line).get("answer")
    question = json.loads(question)
    is_private = question.get("ask") == "rows" and question["salt"] != "07" * 32
    if answer is not None:
        totals = [row for row in answer if row[0] != "-1"] if question.get("ask") == "rows" else []
        {lie}
        line = json.dumps({{"answer": answer}})
    print(line.strip(), flush=True)
client.kill()
"#
    );
    let path = folder.join("lying-python").display().to_string();
    // Set by another process: while this process has the file open for writing, a program that another thread starts
    // inherits it, and the file cannot be executed.
    let write = format!(
        "import os\nwith open({path:?}, 'w') as file:\n    file.write({program:?})\nos.chmod({path:?}, 0o700)\n"
    );
    let _ = run_python(python, &write);
    path
}
