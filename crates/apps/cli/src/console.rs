//! Messages to the curator, on standard error.

use deniable_core::text::{printable, printable_lines};
use std::io::{BufRead, IsTerminal};
use std::path::Path;

/// Prints a message for the curator. Of invisible characters, only line breaks and tabs are not escaped.
#[expect(clippy::print_stderr, reason = "messages for the curator go to standard error")]
pub fn say(text: impl AsRef<str>) {
    eprintln!("{}", printable_lines(text.as_ref()));
}

/// A path for messages, relative to the working folder if it is below it.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let name = here
        .and_then(|here| path.strip_prefix(here).ok().map(|short| short.display().to_string()))
        .unwrap_or_else(|| path.display().to_string());
    printable(&name).into_owned()
}

/// Asks a question that a person at a terminal may answer with yes; `None` where standard input or standard error is not a terminal.
pub fn confirmed(question: &str) -> Option<bool> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() || !std::io::stderr().is_terminal() {
        return None;
    }
    say(question);
    let mut line = String::new();
    stdin.lock().read_line(&mut line).ok()?;
    Some(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}
