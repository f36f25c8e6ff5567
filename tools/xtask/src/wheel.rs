//! `wheel`: builds the Python package with maturin in a separate virtual environment.

use crate::{Failure, files};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, SystemTime};

/// Most bytes of a distributed wheel.
const MOST_WHEEL: u64 = 30_000_000;

/// Build profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Like tests: compiled in minutes, for tests alone.
    Dev,
    /// For distribution: small and fast, with its symbols in a separate file.
    Dist,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Dist => "dist",
        }
    }
}

/// Builds the wheel into a folder. Returns its path, size and minutes.
pub fn run(profile: Profile, out: Option<&Path>) -> Result<String, Failure> {
    let begun = (Instant::now(), SystemTime::now());
    let out = out.map_or_else(|| target().join("wheels"), Path::to_owned);
    let mut maturin = Command::new(tools()?.join("bin/maturin"));
    maturin.args(["build", "--locked", "--profile", profile.name(), "--out"]).arg(&out);
    if profile == Profile::Dev {
        // Four fifths of it are symbols.
        maturin.arg("--strip");
    }
    done(files::without_package_variables(&mut maturin).current_dir(files::root()), "maturin")?;
    let wheel = newest(&out, begun.1)?;
    let bytes = wheel.metadata().map_err(|error| at(&wheel, &error))?.len();
    let minutes = begun.0.elapsed().as_secs_f64() / 60.0;
    let mut said =
        format!("{}\n{:.1} MB in {minutes:.1} min, profile {}", wheel.display(), bytes as f64 / 1e6, profile.name());
    if profile == Profile::Dist {
        let symbols = target().join("dist/lib_deniable.so.dwp");
        if symbols.is_file() {
            let beside = wheel.with_extension("dwp");
            std::fs::copy(&symbols, &beside).map_err(|error| at(&beside, &error))?;
            said += &format!("\nits symbols: {}", beside.display());
        }
        if bytes > MOST_WHEEL {
            return Err(Failure::Found(format!("{said}\na wheel has at most {:.0} MB", MOST_WHEEL as f64 / 1e6)));
        }
    }
    Ok(said)
}

/// The folder for builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| files::root().join("target"), PathBuf::from)
}

/// The environment with maturin, which `scripts/environment` creates once.
fn tools() -> Result<PathBuf, Failure> {
    let output = Command::new(files::root().join("scripts/environment")).arg("maturin").output();
    let output = output.map_err(|error| Failure::Found(format!("scripts/environment cannot be run: {error}")))?;
    if !output.status.success() {
        return Err(Failure::Found(format!(
            "scripts/environment maturin: {}",
            String::from_utf8_lossy(&output.stderr)
        )));
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

fn at(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Found(format!("{}: {error}", path.display()))
}

fn done(command: &mut Command, what: &str) -> Result<(), Failure> {
    let status = command.stdout(std::io::stderr()).status();
    let status = status.map_err(|error| Failure::Found(format!("{what} cannot be run: {error}")))?;
    if status.success() { Ok(()) } else { Err(Failure::Found(format!("{what} failed ({status})"))) }
}

/// The newest wheel since the build began.
fn newest(folder: &Path, begun: SystemTime) -> Result<PathBuf, Failure> {
    let all = std::fs::read_dir(folder).map_err(|error| at(folder, &error))?;
    let wheels = all.filter_map(|entry| Some(entry.ok()?.path()));
    let wheels = wheels.filter(|path| path.extension().is_some_and(|ending| ending == "whl"));
    let written = |path: PathBuf| Some((path.metadata().ok()?.modified().ok()?, path));
    let newest = wheels.filter_map(written).filter(|(at, _)| *at >= begun).max();
    newest.map(|(_, path)| path).ok_or_else(|| Failure::Found(format!("no wheel was written to {}", folder.display())))
}
