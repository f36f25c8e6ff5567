//! What is said to the curator: on standard error by the program, and to whoever called where the program is called as a function.

use deniable_core::text::{printable, printable_lines};
use std::cell::RefCell;
use std::path::Path;

/// The kind of a message, and its text.
pub type ConsoleMessage = (&'static str, String);

/// The kind of what says that a ledger begins.
pub const NEW_LEDGER: &str = "new ledger";

thread_local! {
    /// What was said on this thread to somebody who called; nothing where the program speaks for itself.
    static HEARD: RefCell<Option<Vec<ConsoleMessage>>> = const { RefCell::new(None) };
}

/// Speaks to the curator. Of what is not seen, line breaks and tabs alone pass as they are.
pub fn say(text: impl AsRef<str>) {
    say_of("told", text);
}

/// Says something of a kind that callers know.
#[expect(clippy::print_stderr, reason = "this is where the program speaks to the curator")]
pub fn say_of(kind: &'static str, text: impl AsRef<str>) {
    let text = printable_lines(text.as_ref());
    let spoken = HEARD.with_borrow_mut(|heard| match heard {
        Some(heard) => {
            heard.push((kind, text.clone().into_owned()));
            true
        }
        None => false,
    });
    if !spoken {
        eprintln!("{text}");
    }
}

/// What work on this thread comes to, and what is said on the way, in place of standard error.
pub fn hearing<T>(work: impl FnOnce() -> T) -> (T, Vec<ConsoleMessage>) {
    HEARD.set(Some(Vec::new()));
    let found = work();
    (found, HEARD.take().unwrap_or_default())
}

/// A path as it is said: below the working folder, without that.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let name = here
        .and_then(|here| path.strip_prefix(here).ok().map(|short| short.display().to_string()))
        .unwrap_or_else(|| path.display().to_string());
    printable(&name).into_owned()
}
