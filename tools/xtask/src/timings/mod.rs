//! `timings`: the times of the README's two commands, and of the slowest test programs.

mod output;

use crate::{Failure, files};
use output::RunProgress;
use std::io::{BufRead as _, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The README's first command, as arguments of cargo.
const FIRST: [&str; 5] = ["run", "--", "release", "examples/clinic/policy.toml", "--register"];
const TESTS: [&str; 1] = ["test"];
/// Most test programs that may be linked.
const MOST_PROGRAMS: usize = 34;
/// Number of listed programs.
const SLOWEST: usize = 10;

/// Whether everything is compiled from scratch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// In a clean clone, into an empty target folder.
    Cold,
    /// In the working tree, with the existing target folder.
    Warm,
}

/// Runs both commands, shows their output on standard error, and reports their times.
pub fn run(mode: Mode) -> Result<String, Failure> {
    let folder = Folder::new()?;
    let mut progress = std::io::stderr();
    let (clone, target) = (folder.0.join("clone"), folder.0.join("target"));
    let ledger = folder.0.join("clinic.ledger").to_string_lossy().into_owned();
    let mut first: Vec<&str> = FIRST.to_vec();
    let (place, target) = match mode {
        Mode::Cold => {
            let mut git = Command::new("git");
            git.args(["clone", "--quiet"]).arg(files::root()).arg(&clone);
            timed(&mut git, &mut progress)?;
            (clone, Some(target))
        }
        Mode::Warm => {
            // The commands must not change this clone.
            first.extend(["--ledger", &ledger]);
            (files::root(), None)
        }
    };
    let (release, _) = timed(&mut cargo(&first, &place, target.as_deref()), &mut progress)?;
    let (tests, seen) = timed(&mut cargo(&TESTS, &place, target.as_deref()), &mut progress)?;
    let report = report(release, tests, &seen);
    if seen.programs.len() > MOST_PROGRAMS {
        return Err(Failure::Found(format!("{report}\nmore than {MOST_PROGRAMS} test programs are linked")));
    }
    Ok(report)
}

/// Cargo as a reader of the README runs it: at the default scale.
fn cargo(arguments: &[&str], place: &Path, target: Option<&Path>) -> Command {
    let mut cargo = Command::new(files::cargo());
    files::without_package_variables(&mut cargo);
    cargo.args(arguments).current_dir(place).env_remove("DENIABLE_SCALE").env("CARGO_TERM_COLOR", "never");
    if let Some(target) = target {
        cargo.env("CARGO_TARGET_DIR", target);
    }
    cargo
}

/// Runs a command to its end, and passes on its output.
fn timed(command: &mut Command, progress: &mut dyn Write) -> Result<(Duration, RunProgress), Failure> {
    let name = format!("{command:?}");
    let failed = |error: std::io::Error| Failure::Found(format!("{name}: {error}"));
    let begun = Instant::now();
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    let other = writer.try_clone().map_err(failed)?;
    let mut child = command.stdout(writer).stderr(other).spawn().map_err(failed)?;
    // The pipe closes when its last writer ends, and the command itself is one of them.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut seen = RunProgress::default();
    for line in BufReader::new(reader).split(b'\n') {
        let line = line.map_err(failed)?;
        let line = String::from_utf8_lossy(&line);
        seen.line(&line, begun.elapsed());
        // A failure only hides the progress.
        let _ = writeln!(progress, "{line}");
    }
    let status = child.wait().map_err(failed)?;
    if status.success() { Ok((begun.elapsed(), seen)) } else { Err(Failure::Found(format!("{name}: {status}"))) }
}

fn report(release: Duration, tests: Duration, seen: &RunProgress) -> String {
    let running = seen.begun.map_or(Duration::ZERO, |begun| tests.saturating_sub(begun));
    let own: Duration = seen.programs.iter().map(|program| program.took).sum();
    let mut lines = vec![
        format!("first command                {:>7.1} s", release.as_secs_f64()),
        format!("test command                 {:>7.1} s", tests.as_secs_f64()),
        format!("  of it, running tests       {:>7.1} s", running.as_secs_f64()),
        format!("  of that, as they report    {:>7.1} s", own.as_secs_f64()),
        format!("test programs                {:>5}", seen.programs.len()),
        "the slowest:".to_owned(),
    ];
    let mut slowest: Vec<_> = seen.programs.iter().collect();
    slowest.sort_by_key(|program| std::cmp::Reverse(program.took));
    lines.extend(
        slowest
            .into_iter()
            .take(SLOWEST)
            .map(|program| format!("  {:>7.1} s  {}", program.took.as_secs_f64(), program.name)),
    );
    lines.join("\n")
}

/// A temporary folder, removed at the end: also when a command fails.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("deniable-timings-{}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|error| Failure::Found(format!("{}: {error}", folder.display())))?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed stays among the temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::output::Program;
    use super::*;

    #[test]
    fn the_slowest_come_first_and_compiling_does_not_count_as_running() {
        let second = Duration::from_secs;
        let program = |name: &str, took| Program { name: name.to_owned(), took: second(took) };
        let seen = RunProgress {
            begun: Some(second(30)),
            programs: vec![program("quick", 1), program("slow", 7), program("middling", 3)],
        };
        let told = report(second(100), second(50), &seen);
        assert!(
            told.contains("running tests          20.0 s") && told.contains("as they report       11.0 s"),
            "{told}"
        );
        assert!(told.ends_with("    7.0 s  slow\n      3.0 s  middling\n      1.0 s  quick"), "{told}");
    }

    #[cfg(unix)]
    #[test]
    fn both_streams_of_a_command_are_seen_in_order() {
        // Passed on to standard error, it would be taken for a program when this test is itself run by `timings`.
        let mut said = Vec::new();
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            "echo '     Running unittests src/lib.rs (deps/a-0)' >&2; echo 'test result: ok. finished in 2.50s'",
        ]);
        let Ok((_, seen)) = timed(&mut shell, &mut said) else { unreachable!("a shell that echoes") };
        assert_eq!((seen.programs.len(), said.iter().filter(|byte| **byte == b'\n').count()), (1, 2));
        assert_eq!(seen.programs[0].took, Duration::from_millis(2500));
        let mut failing = Command::new("sh");
        assert!(timed(failing.args(["-c", "exit 3"]), &mut said).is_err());
    }
}
