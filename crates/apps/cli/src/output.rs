//! Where results go: standard output, or files that appear whole or not at all.

use crate::args::output::{LedgerFormat, Results};
use crate::console::{say, shown};
use crate::error::{Failure, write_failure};
use deniable_core::text::printable_lines;
use serde::Serialize;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes what may be published: to standard output, or to a file that appears whole or not at all. Whatever hidden character
/// reaches this place is escaped; JSON comes with its own escapes.
pub fn publish(text: &str, out: Option<&PathBuf>) -> Result<(), Failure> {
    let text = &*printable_lines(text);
    let Some(path) = out else {
        let mut stdout = std::io::stdout().lock();
        return stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
            .map_err(|error| write_failure(&error, None));
    };
    // What a link names is written, not the link; and what is no file, such as a pipe, is written to and not replaced.
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
            // Temporary files are private; what is written here is meant to be read.
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

/// Writes a report as it is asked for, and its page where one is wanted.
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

/// Writes a page beside the results, and says where it is.
pub fn publish_page(html: &str, path: &PathBuf) -> Result<(), Failure> {
    publish(html, Some(path))?;
    say(format!("the page is {}", shown(path)));
    Ok(())
}

/// Refuses files, each with its flag, that could not be written, or would overwrite each other or something that is needed:
/// data, policies, ledgers with their keys. For before anything is charged.
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
                format!("{flag} {}: its folder is not there", path.display()),
                "make the folder first, or name another",
            );
        }
        if path.is_dir() {
            return usage(format!("{flag} {} is a folder", path.display()), "name a file in it");
        }
        let same = |(_, other): &&(&str, &Path)| place(path).is_some_and(|path| Some(path) == place(other));
        if let Some((other, _)) = outs.iter().take(at).find(same) {
            return usage(format!("{other} and {flag} both name {}", path.display()), "give each a file of its own");
        }
        spare(flag, path, own)?;
    }
    Ok(())
}

/// Refuses to write over files that are needed, and over the keys and heads beside them.
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
    Err(Failure::usage(format!("{flag} would overwrite {}, which is needed", out.display()), "name another file"))
}
