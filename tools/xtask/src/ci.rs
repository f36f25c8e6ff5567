//! `ci`: `.ci/run`; `ci --fast`: the part of it that fits the inner loop.

use crate::changed::{is_heavy, touched};
use crate::prose::options::{Options, Output, Source};
use crate::{Failure, api, clinic, docs, files, layout, notions, prose, theorems};
use std::process::Command;

/// The extent of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    All,
    Fast,
}

/// Runs the steps in order, and ends at the first that fails.
pub fn run(mode: Mode) -> Result<String, Failure> {
    match mode {
        Mode::All => {
            step(Command::new(".ci/run"))?;
            Ok("ci: everything passed".to_owned())
        }
        Mode::Fast => fast(),
    }
}

fn fast() -> Result<String, Failure> {
    step(cargo(&["fmt", "--all", "--", "--check"]))?;
    theorems::run(theorems::Mode::Check)?;
    api::run(api::Mode::Check)?;
    layout::run(layout::Mode::Check)?;
    notions::run(notions::Mode::Check)?;
    clinic::run(clinic::Mode::Check)?;
    docs::run()?;
    prose::run(&Options { root: None, source: Source::Working, output: Output::Check })?;
    step(cargo(&["clippy", "--locked", "--all-targets", "--", "-D", "warnings"]))?;
    let (mut light, mut heavy) = (Vec::new(), Vec::new());
    for name in touched()? {
        if is_heavy(&name)? { &mut heavy } else { &mut light }.push(name);
    }
    if !light.is_empty() {
        let mut test = cargo(&["test", "--locked"]);
        for name in &light {
            test.args(["-p", name]);
        }
        step(test)?;
    }
    let tested =
        if light.is_empty() { "no light package changed".to_owned() } else { format!("tested {}", light.join(", ")) };
    let rest = if heavy.is_empty() {
        String::new()
    } else {
        format!("; not tested, since they build DataFusion or servers: {} (`cargo test -p ...`)", heavy.join(", "))
    };
    Ok(format!("ci --fast: {tested}{rest}; sources, server, python and research were not compiled"))
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(files::cargo());
    files::without_package_variables(&mut command).args(arguments);
    command
}

/// Runs one command at the root, with its output on the terminal.
fn step(mut command: Command) -> Result<(), Failure> {
    let name = format!("{command:?}");
    let status = command.current_dir(files::root()).status();
    let status = status.map_err(|error| Failure::Found(format!("{name}: {error}")))?;
    if status.success() { Ok(()) } else { Err(Failure::Found(format!("ci: {name} failed"))) }
}
