//! Chores of the project, run as `cargo xtask <chore>`.
//!
//! | chore | what it does |
//! |---|---|
//! | `api` | fails when the public items of the library differ from `docs/reference/api.txt` |
//! | `api --write` | rewrites the list |
//! | `clinic` | writes `examples/clinic/visits.csv`, the same bytes every time |
//! | `clinic --check` | fails when the committed file differs from what would be written |
//! | `notions` | fails when the aliases or the table of `docs/notions` differ from the table in `crates/core/src/notion` |
//! | `notions --write` | rewrites them |
//! | `docs` | fails on broken links, long lines, and documents that are not in `docs/README.md` |
//! | `docs --book FOLDER` | writes the sources of the book of documents, for mdBook |
//! | `features` | fails when the README's commands, or all tests and the Python package, compile a package twice |
//! | `crates [--against REV]` | the lines, public items and tests of every crate, beside those of a commit |
//! | `ci` | runs `.ci/run` |
//! | `ci --fast` | formatting, lints, documents, and the tests of light packages that changed: the inner loop |
//! | `layout` | fails when a crate depends on one that its house may not use, or `ARCHITECTURE.md` differs from the manifests |
//! | `layout --write` | rewrites the tables of `ARCHITECTURE.md` |
//! | `changed` | the packages whose suites CI runs at full scale |
//! | `prose` | marks of the project's dialect per 1,000 words of comments and documents |
//! | `prose --check` | fails when a crate or document has more of them than recorded |
//! | `prose --write` | records them |
//! | `theorems` | checks `docs/theorems` against the code and the tests that it cites |
//! | `theorems --write` | also regenerates `docs/theorems/README.md` |
//! | `timings` | runs both commands of the README in a clean clone, and says how long they take |
//! | `timings --warm` | the same here, with what is compiled already |
//! | `wheel` | builds the Python package for tests |
//! | `wheel --dist` | builds the one that is handed to people, with its symbols beside it; fails where it is too large |
//!
//! Exit codes are those of the product: 0 for success, 1 for a check that failed, 2 for bad usage.

mod api;
mod changed;
mod ci;
mod clinic;
mod crates;
mod docs;
mod features;
mod files;
mod layout;
mod notions;
mod prose;
mod theorems;
mod timings;
mod tree;
mod wheel;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <chore>

  api [--write]        compare the public items of the library with docs/reference/api.txt (or write it)
  clinic [--check]     write (or compare) examples/clinic/visits.csv
  notions [--write]    check the names in docs/notions against the table of the code (and regenerate them)
  docs [--book FOLDER] check the links, the index and the line lengths of all Markdown (or write the sources of
                       the book for mdBook)
  features             check that the first command compiles nothing that the tests compile again
  crates [--against REV]
                       print the lines, public items and tests of every crate (beside those of a commit)
  ci [--fast]          run everything that CI runs (or what takes a minute)
  layout [--write]     check the houses of the crates, their dependencies and ARCHITECTURE.md (or rewrite its tables)
  changed              print the packages whose suites CI runs at full scale
  prose [--at REV | --folder PATH] [--root PATH] [--json | --show [CRATE|FILE] [--hints]]
  prose --marks | --check | --write
                       count marks of the dialect (of a commit, of any folder of Rust code; as JSON; with their
                       places); explain them, compare the counts with the record, or write it
  theorems [--write]   check docs/theorems against code and tests (and regenerate its table)
  timings [--warm]     time the README's two commands in a clean clone (or here)
  wheel [--dist] [OUT] build the Python package for tests (or as it is handed to people) into a folder
";

#[derive(Debug, thiserror::Error)]
enum Failure {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] files::FileError),
    /// A check found something; the text names every place.
    #[error("{0}")]
    Found(String),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["api"] => api::run(api::Mode::Check),
        ["api", "--write"] => api::run(api::Mode::Write),
        ["clinic"] => clinic::run(clinic::Mode::Write),
        ["clinic", "--check"] => clinic::run(clinic::Mode::Check),
        ["notions"] => notions::run(notions::Mode::Check),
        ["notions", "--write"] => notions::run(notions::Mode::Write),
        ["docs"] => docs::run(),
        ["docs", "--book", folder] => docs::write_book(Path::new(folder)),
        ["features"] => features::run(),
        ["crates"] => crates::run(None),
        ["crates", "--against", revision] => crates::run(Some(revision)),
        ["ci"] => ci::run(ci::Mode::All),
        ["ci", "--fast"] => ci::run(ci::Mode::Fast),
        ["layout"] => layout::run(layout::Mode::Check),
        ["layout", "--write"] => layout::run(layout::Mode::Write),
        ["changed"] => changed::run(),
        ["prose", options @ ..] => match prose::Options::new(options) {
            Some(options) => prose::run(&options),
            None => return usage(),
        },
        ["theorems"] => theorems::run(theorems::Mode::Check),
        ["theorems", "--write"] => theorems::run(theorems::Mode::Write),
        ["timings"] => timings::run(timings::Mode::Cold),
        ["timings", "--warm"] => timings::run(timings::Mode::Warm),
        ["wheel"] => wheel::run(wheel::Profile::Dev, None),
        ["wheel", "--dist"] => wheel::run(wheel::Profile::Dist, None),
        ["wheel", "--dist", out] => wheel::run(wheel::Profile::Dist, Some(Path::new(out))),
        ["wheel", out] if !out.starts_with('-') => wheel::run(wheel::Profile::Dev, Some(Path::new(out))),
        ["help" | "--help" | "-h"] => Ok(USAGE.trim_end().to_owned()),
        _ => return usage(),
    };
    match outcome {
        Ok(summary) => {
            say(&mut std::io::stdout(), &summary);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            say(&mut std::io::stderr(), &failure.to_string());
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    say(&mut std::io::stderr(), USAGE.trim_end());
    ExitCode::from(2)
}

/// Prints one message. A closed pipe must not turn a successful chore into a failed one.
fn say(to: &mut dyn Write, message: &str) {
    let _ = writeln!(to, "{message}");
}
