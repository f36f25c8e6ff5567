//! Output of results: to standard output, or to files that are written atomically.

use crate::args::output::{LedgerFormat, Results};
use crate::console::{say, shown};
use crate::error::{Failure, write_failure};
use deniable_core::text::printable_lines;
use serde::Serialize;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes publishable text to standard output, or atomically to a file. Invisible characters are escaped; JSON already
/// has its own escapes.
pub fn publish(text: &str, out: Option<&PathBuf>) -> Result<(), Failure> {
    let text = &*printable_lines(text);
    let Some(path) = out else {
        let mut stdout = std::io::stdout().lock();
        return stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
            .map_err(|error| write_failure(&error, None));
    };
    // Links are followed, and a target that is not a regular file, such as a pipe, is written to and not replaced.
    let path = &path.canonicalize().unwrap_or_else(|_| path.clone());
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        let opened = std::fs::OpenOptions::new().write(true).open(path);
        return opened
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| write_failure(&error, Some(path)));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    tempfile::NamedTempFile::new_in(folder)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            // Temporary files are private by default; results may be read by others.
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
            }
            file.persist(path).map_err(|error| error.error)
        })
        .map(drop)
        .map_err(|error| write_failure(&error, Some(path)))
}

/// Writes a report of the library to standard output, as text or as JSON.
pub fn publish_report(report: &(impl Display + Serialize), format: LedgerFormat) -> Result<(), Failure> {
    publish(&rendered(report, format), None)
}

fn rendered(report: &(impl Display + Serialize), format: LedgerFormat) -> String {
    match format {
        LedgerFormat::Table => report.to_string(),
        LedgerFormat::Json => deniable::json(report),
    }
}

/// Writes a report in the format and to the files of the flags, with its page if `--report` is given.
pub fn results(
    args: &Results,
    report: &(impl Display + Serialize),
    page: impl FnOnce() -> String,
) -> Result<(), Failure> {
    publish(&rendered(report, args.format), args.out.as_ref())?;
    if let Some(report) = &args.report {
        publish_page(&page(), report)?;
    }
    Ok(())
}

/// Writes a page and prints its path.
pub fn publish_page(html: &str, path: &PathBuf) -> Result<(), Failure> {
    publish(html, Some(path))?;
    say(format!("the page is {}", shown(path)));
    Ok(())
}

/// Refuses output files, each with its flag, that cannot be written, or would overwrite each other or an input: data,
/// policies, ledgers with their keys. To be called before anything is charged.
pub fn writable(outs: &[(&str, Option<&Path>)], own: &[PathBuf]) -> Result<(), Failure> {
    let usage = |message: String, help: &str| Err(Failure::usage(message, help));
    let place = |path: &Path| {
        let path = std::path::absolute(path).ok()?;
        Some((path.parent()?.canonicalize().ok()?, path.file_name()?.to_owned()))
    };
    let outs: Vec<(&str, &Path)> = outs.iter().filter_map(|(flag, path)| Some((*flag, (*path)?))).collect();
    for (at, (flag, path)) in outs.iter().enumerate() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return usage(
                format!("{flag} {}: the folder does not exist", path.display()),
                "create the folder first, or name another",
            );
        }
        if path.is_dir() {
            return usage(format!("{flag} {} is a folder", path.display()), "name a file in it");
        }
        let same = |(_, other): &&(&str, &Path)| place(path).is_some_and(|path| Some(path) == place(other));
        if let Some((other, _)) = outs.iter().take(at).find(same) {
            return usage(format!("{other} and {flag} both name {}", path.display()), "name two different files");
        }
        spare(flag, path, own)?;
    }
    Ok(())
}

/// Refuses an output file that would overwrite an input, or the key or head beside an input.
fn spare(flag: &str, out: &Path, own: &[PathBuf]) -> Result<(), Failure> {
    let Ok(out) = out.canonicalize() else { return Ok(()) };
    let with_files_beside = |path: &PathBuf| {
        let path = path.clone();
        ["", ".key", ".head"].map(move |ending| {
            let mut file = path.clone().into_os_string();
            file.push(ending);
            PathBuf::from(file)
        })
    };
    if own.iter().flat_map(with_files_beside).filter_map(|path| path.canonicalize().ok()).all(|path| path != out) {
        return Ok(());
    }
    Err(Failure::usage(format!("{flag} would overwrite {}, which is an input", out.display()), "name another file"))
}
