//! The destination of the server's reports on its data. A report has exact counts of private rows, and a service's
//! standard error is stored in logs that are not for the curator alone. So the report goes to a terminal, or to the
//! file
//! `check_log` of serve.toml, which only its owner can read.

use crate::commands::answers::teller;
use crate::console::say;
use crate::error::Failure;
use crate::progress::Progress;
use deniable::{DataError, Error, Event, Step};
use deniable_core::text::printable_lines;
use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// The message without a terminal or a file.
const ELSEWHERE: &str = "the findings contain exact counts, which are written only to a terminal or a file: `deniable \
                         data check` prints them, and check_log = \"FILE\" in serve.toml stores them";

/// The file of `check_log`, if any.
#[derive(Debug, Clone)]
pub struct Checks(pub Option<PathBuf>);

impl Checks {
    /// Writes the private report to the terminal or the file, and the public message to the log.
    fn found(&self, public: &str, private: &str) {
        if std::io::stderr().is_terminal() {
            say(private.trim_end());
        } else if self.0.is_none() {
            say(format!("{public}; {ELSEWHERE}"));
        }
        let Some(path) = &self.0 else { return };
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options
            .open(path)
            .and_then(|mut file| file.write_all(format!("{}\n", printable_lines(private.trim_end())).as_bytes()));
        say(match written {
            Ok(()) => format!("{public}; the findings are in {}", path.display()),
            Err(error) => format!("{public}; the findings cannot be written to {}: {error}", path.display()),
        });
    }

    /// Reports the events of a session.
    pub fn teller(&self, progress: Arc<Progress>) -> impl Fn(Event<'_>) + Send + Sync + 'static + use<> {
        let (checks, tell) = (self.clone(), teller(progress.clone()));
        move |event| match event {
            Event::Step(Step::Scanned { table, report }) => {
                progress.done();
                let public = format!("the data of `{}` were checked", table.source.table().name);
                checks.found(&public, &deniable::ScanReport::new(table, report).to_string());
            }
            other => tell(other),
        }
    }

    /// The public failure of a registration. The private findings go to the terminal or the file.
    pub fn refused(&self, error: Error) -> Failure {
        let public = match &error {
            Error::Data(DataError::Unusable(_) | DataError::Bad { .. }) => {
                "the data cannot be read as the policy declares"
            }
            Error::Data(DataError::KnownEntities { .. }) => {
                "the versions of a table with `new_entities_only` have entities in common"
            }
            Error::Data(DataError::Losses { .. }) => "caps or bounds leave out much of the policy's queries",
            _ => return error.into(),
        };
        let private = Failure::from(error);
        if std::io::stderr().is_terminal() {
            return private;
        }
        self.found(public, &private.in_words());
        Failure::refused(public, "run `deniable data check` to see where; nothing was registered or charged")
    }
}
