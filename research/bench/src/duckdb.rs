//! DuckDB (`pip install duckdb`) as a baseline: one process for all queries, whose start is not measured.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Answers each input line, a number of threads and a query, with a line.
const PROGRAM: &str = "
import sys, duckdb
duckdb.execute('SET enable_progress_bar = false')
print('ready', flush=True)
for line in sys.stdin:
    threads, sql = line.split(' ', 1)
    duckdb.execute('SET threads = ' + threads)
    print(''.join(' '.join(map(str, row)) + ';' for row in duckdb.execute(sql).fetchall()), flush=True)
";

/// The process.
#[derive(Debug)]
pub struct DuckDb {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl DuckDb {
    /// Starts it; `None` without a `python3` with the package.
    #[must_use]
    pub fn start() -> Option<Self> {
        let mut process = Command::new("python3")
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let questions = process.stdin.take()?;
        let mut answers = BufReader::new(process.stdout.take()?);
        let mut ready = String::new();
        answers.read_line(&mut ready).ok()?;
        if ready.trim() != "ready" {
            process.wait().ok()?;
            return None;
        }
        Some(Self { process, questions, answers })
    }

    /// The rows of an answer: values separated by spaces, with a semicolon after each row. `sql` is one line.
    ///
    /// # Errors
    /// When the process has ended, as it does after an invalid query.
    pub fn ask(&mut self, threads: usize, sql: &str) -> std::io::Result<String> {
        writeln!(self.questions, "{threads} {sql}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        if answer.ends_with('\n') { Ok(answer.trim().to_owned()) } else { Err(std::io::Error::other("DuckDB ended")) }
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    /// When waiting fails.
    pub fn end(self) -> std::io::Result<()> {
        let Self { mut process, questions, .. } = self;
        drop(questions);
        process.wait().map(drop)
    }
}
