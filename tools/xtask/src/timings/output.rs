//! Parses the output of `cargo test`, line by line.

use std::time::Duration;

/// A test program that was run.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    pub name: String,
    /// Its reported duration.
    pub took: Duration,
}

/// The progress of a run of `cargo test`, parsed from its output.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// The time of the first program's start: until then everything was compiled.
    pub begun: Option<Duration>,
    pub programs: Vec<Program>,
}

impl RunProgress {
    /// Adds a line, seen this long after the command was started.
    ///
    /// Doctests are not separate programs; they count with the time of running tests.
    pub fn line(&mut self, line: &str, at: Duration) {
        if let Some(name) =
            line.trim_start().strip_prefix("Running ").and_then(name_of).filter(|_| line.starts_with(' '))
        {
            self.begun.get_or_insert(at);
            self.programs.push(Program { name, took: Duration::ZERO });
        } else if line.trim_start().starts_with("Doc-tests ") && line.starts_with(' ') {
            self.begun.get_or_insert(at);
            self.programs_are_over();
        } else if let Some(took) = finished_in(line)
            && let Some(program) = self.programs.last_mut()
            && program.took.is_zero()
        {
            program.took = took;
        }
    }

    /// Later results belong to no program: the last one keeps its time, or has taken hardly any.
    fn programs_are_over(&mut self) {
        if let Some(program) = self.programs.last_mut()
            && program.took.is_zero()
        {
            program.took = Duration::from_nanos(1);
        }
    }
}

/// `unittests src/lib.rs (target/debug/deps/deniable_core-0123)` is `deniable_core (unittests src/lib.rs)`.
fn name_of(rest: &str) -> Option<String> {
    let (what, path) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let file = path.rsplit(['/', '\\']).next()?;
    let name = file.rsplit_once('-').map_or(file, |(name, _)| name);
    Some(format!("{name} ({what})"))
}

/// The seconds of `test result: ok. 3 passed; ...; finished in 1.25s`.
fn finished_in(line: &str) -> Option<Duration> {
    let (_, seconds) = line.strip_prefix("test result: ")?.rsplit_once("finished in ")?;
    Duration::try_from_secs_f64(seconds.strip_suffix('s')?.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "   Compiling deniable-core v0.1.0 (/crates/core)
    Finished `test` profile [unoptimized + debuginfo] target(s) in 1.00s
     Running unittests src/lib.rs (target/debug/deps/deniable_core-0a1b)
running 1 test
test Running away (from-here) ... ok
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.25s

     Running tests/it/main.rs (/somewhere else/debug/deps/it-77ff)
test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests deniable_core
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 9.00s
";

    #[test]
    fn programs_are_recognised_by_their_output() {
        let mut seen = RunProgress::default();
        for (at, line) in OUTPUT.lines().enumerate() {
            seen.line(line, Duration::from_secs(at as u64));
        }
        let names: Vec<(&str, u128)> =
            seen.programs.iter().map(|program| (program.name.as_str(), program.took.as_millis())).collect();
        assert_eq!(names, [("deniable_core (unittests src/lib.rs)", 1250), ("it (tests/it/main.rs)", 0)]);
        assert_eq!(seen.begun, Some(Duration::from_secs(2)));
    }
}
