//! Failures, with the place and the help, on standard error.

mod policy;

pub use policy::plan_failure;

use crate::exit::Exit;
use deniable::Error;
use deniable_core::exact::Rational;
use deniable_core::text::{printable, printable_lines, printable_source, without_secrets};
use deniable_data::SourceError;
use deniable_ledger::{AcceptHeadError, AccountError, ChargeError, OpenError, StoreError, VerifyError};
use deniable_policy::QueryError;
use deniable_protocol::ProtocolError;
use deniable_release::{DataError, ReleaseError, UnacceptedFinding};
use deniable_report::ReportError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::fmt::Display;
use std::io::IsTerminal;
use std::path::PathBuf;

/// A command that did not succeed.
pub enum Failure {
    /// Refused or failed: exit code 1.
    Refused(Vec<Complaint>),
    /// Refused because the budget does not pay for it: exit code 1.
    OverBudget(Complaint),
    /// Bad usage: exit code 2.
    Usage(Complaint),
    /// Nobody reads standard output any more: nothing to say.
    ClosedPipe,
}

/// One thing that is wrong, where, and what to do, in words that a terminal can show: whatever is not seen is escaped when it is put
/// in, so that the colours of a report can be told from it.
#[derive(Debug)]
pub struct Complaint {
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    label: Option<LabeledSpan>,
}

impl Complaint {
    /// A complaint without a place.
    pub fn new(message: impl Display) -> Self {
        Self { message: printable_lines(&message.to_string()).into_owned(), help: None, source: None, label: None }
    }

    /// What is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    #[must_use]
    pub fn what_to_do(&self) -> Option<&str> {
        self.help.as_deref().filter(|help| !help.is_empty())
    }

    /// Where it is: the file's name, and the line and column, counted from 1.
    #[must_use]
    pub fn place(&self) -> Option<(&str, usize, usize)> {
        let (source, label) = (self.source.as_ref()?, self.label.as_ref()?);
        let before = source.inner().get(..label.offset())?;
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        Some((source.name(), line, column))
    }

    /// The text that it is in, with what is wrong underlined, as a terminal without colours shows it.
    #[must_use]
    pub fn shown(&self) -> String {
        drawn(self, GraphicalTheme::unicode_nocolor())
    }

    /// Adds the help.
    #[must_use]
    pub fn help(mut self, help: impl Display) -> Self {
        self.help = Some(printable_lines(&help.to_string()).into_owned());
        self
    }

    /// Adds where it is. The text is shown with escapes, and the place stays that of the same characters.
    pub fn at(mut self, name: &str, text: &str, start: usize, length: usize) -> Self {
        let (text, place) = printable_source(&without_secrets(text), start..start.saturating_add(length));
        let length = place.len().max(1).min(text.len().saturating_sub(place.start));
        self.source = Some(NamedSource::new(printable(name), text));
        self.label = Some(LabeledSpan::new(None, place.start, length));
        self
    }
}

impl Display for Complaint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Complaint {}

impl Diagnostic for Complaint {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.label.clone().map(|label| Box::new(std::iter::once(label)) as Box<dyn Iterator<Item = LabeledSpan>>)
    }
}

impl Failure {
    /// Says what is wrong on standard error.
    pub fn tell(&self) {
        match self {
            Self::Refused(complaints) => complaints.iter().for_each(print),
            Self::OverBudget(complaint) | Self::Usage(complaint) => print(complaint),
            Self::ClosedPipe => {}
        }
    }

    /// Says what is wrong on standard error and gives the exit code.
    pub fn report(self) -> Exit {
        match self {
            Self::Refused(complaints) => {
                complaints.iter().for_each(print);
                Exit::Refused
            }
            Self::OverBudget(complaint) => {
                print(&complaint);
                Exit::Refused
            }
            Self::Usage(complaint) => {
                print(&complaint);
                Exit::Usage
            }
            Self::ClosedPipe => Exit::Refused,
        }
    }

    /// Words that are no command.
    pub(crate) fn words(error: &clap::Error) -> Self {
        let text = error.to_string();
        let message = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
        let tips = text.lines().filter_map(|line| line.trim().strip_prefix("tip: ")).collect::<Vec<_>>().join("; ");
        Self::usage(message, tips)
    }

    /// Everything that is wrong, each thing with its place and its help; nothing where nobody listens any more.
    #[must_use]
    pub fn complaints(&self) -> &[Complaint] {
        match self {
            Self::Refused(complaints) => complaints,
            Self::OverBudget(complaint) | Self::Usage(complaint) => std::slice::from_ref(complaint),
            Self::ClosedPipe => &[],
        }
    }

    /// What is wrong, without places and help.
    #[cfg(feature = "serve")]
    pub fn in_words(&self) -> String {
        match self {
            Self::Refused(complaints) => {
                complaints.iter().map(|complaint| complaint.message.clone()).collect::<Vec<_>>().join("; ")
            }
            Self::OverBudget(complaint) | Self::Usage(complaint) => complaint.message.clone(),
            Self::ClosedPipe => String::new(),
        }
    }

    /// One refusal without a place.
    pub fn refused(message: impl Display, help: impl Display) -> Self {
        Self::Refused(vec![Complaint::new(message).help(help)])
    }

    /// Bad usage, without a place.
    pub fn usage(message: impl Display, help: impl Display) -> Self {
        Self::Usage(Complaint::new(message).help(help))
    }
}

#[expect(clippy::print_stderr, reason = "this is where the program speaks to the curator")]
fn print(complaint: &Complaint) {
    let fancy = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let theme = if fancy { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    eprintln!("{}", drawn(complaint, theme));
}

fn drawn(complaint: &Complaint, theme: GraphicalTheme) -> String {
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(110).with_links(false);
    match handler.render_report(&mut text, complaint) {
        Ok(()) => text.trim_end().to_owned(),
        Err(_) => format!("error: {complaint}"),
    }
}

impl From<Complaint> for Failure {
    fn from(complaint: Complaint) -> Self {
        Self::Refused(vec![complaint])
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        let help = source_help(&error);
        Self::refused(error, help)
    }
}

/// What to do about a first line that is no header.
pub const NO_NAMES: &str = "nothing of it was copied or shown. A file that begins with a row needs names: put a line of names on top, or \
                            write a policy by hand with `header = false` and `columns = [...]` under [data.csv]. If these are the \
                            names, give the columns plainer ones";

fn source_help(error: &SourceError) -> &'static str {
    match error {
        SourceError::NoFile { .. } => {
            "check `path` in [data]; a relative path starts at the policy's folder. --data names another place"
        }
        SourceError::Unreadable { .. } => "check that the file exists, is what its ending says, and may be read",
        SourceError::NoRow { help, .. }
        | SourceError::NotTable { help, .. }
        | SourceError::Url { help, .. }
        | SourceError::Remote { help, .. }
        | SourceError::NotBuilt { help, .. } => help,
        SourceError::Zone { problem, .. } => problem.help(),
        SourceError::NoDatabase { .. } => "only rows of a database are pulled: leave the table out",
        SourceError::Unwritten { .. } => "name a folder that may be written to, and has room",
        SourceError::Changed { .. } => {
            "nothing was stored or shown, and what is paid for stays paid for: put the registered rows back and run the same again. Other \
             rows are another `version`, and are asked anew; `deniable data pull` keeps a copy of a database's rows that does not change, and \
             an engine writes one as Parquet"
        }
        SourceError::Lied { .. } => {
            "nothing of its answer was stored or shown, and what is paid for stays paid for. The engine is asked again once it passes its \
             trial on rows that nobody is in: look at its version and settings, or let it write the rows as Parquet and ask these files"
        }
        SourceError::NoNames { .. } => NO_NAMES,
        SourceError::Pattern { .. } => "patterns use *, ? and [abc], as in data/*.csv",
        SourceError::NoColumn { .. } => {
            "check the column's name. Of CSV, check the delimiter, too; without a header, set header = false and list the columns in [data.csv]"
        }
        SourceError::Empty { .. } => "name the right file, or add a header",
        SourceError::ColumnsDiffer { .. } => "all files of a table need the same columns in the same order",
        SourceError::TwoColumns { .. } => "rename one of them in the file",
        SourceError::ColumnType { .. } => "declare the type that the data have, or convert them",
        SourceError::Partition { .. } => {
            "folders name partitions as in year=2024/region=north/; list them under `partitions`, and not in the files"
        }
        SourceError::Key { .. } => {
            "a public table must have one row for each key: fix the file, or name another column as its `key`; nothing was charged"
        }
        SourceError::PublicKeys { .. } => {
            "fix that file: each key stands in one row, and has a label of its own if it has any; nothing was charged"
        }
        SourceError::Memory { .. } => {
            "allow more with --memory, or lower rows_per_group and groups: what is kept of one entity, and the totals of \
             all cells, must fit"
        }
        SourceError::Spill { .. } => "name a folder with more room with --spill, or allow more memory with --memory",
        SourceError::Rows { .. } => "run `deniable data check` to see where",
    }
}

/// A finding that must be accepted, with its table.
fn in_table(bad: &UnacceptedFinding) -> String {
    format!("{}: {}", bad.table, bad.found.in_words())
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ':');
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        match error {
            DataError::Source(error) => error.into(),
            DataError::Unusable(report) => {
                let mut complaints: Vec<Complaint> = report.problems.iter().map(Complaint::new).collect();
                let is_quoting = report.problems.iter().any(|problem| problem.what.contains("quote"));
                let unquoted = if is_quoting {
                    ": `quote = \"none\"` under [data.csv] where it is written without quoting"
                } else {
                    ""
                };
                let help = format!(
                    "fix the file (the first places are listed above), or how the policy reads it{unquoted}; nothing was registered \
                     and nothing charged"
                );
                complaints.push(Complaint::new(DataError::Unusable(report)).help(help));
                Self::Refused(complaints)
            }
            DataError::Bad { ref found, registered } => {
                let each = found.iter().map(|bad| Complaint::new(in_table(bad)).help(bad.found.help()));
                let so_far = if registered {
                    "the version stays registered, and nothing was added"
                } else {
                    "nothing was registered and nothing charged"
                };
                let accept: Vec<String> = found.iter().map(|bad| format!("--accept {}", quoted(&bad.name()))).collect();
                let help = format!(
                    "{so_far}. Fix the policy or the file, or remove what nobody needs from [columns]. If the data are meant to \
                     be like this, accept it by name; the ledger keeps the names, and not what was found:\n\
                     deniable data check <policy> {}",
                    accept.join(" ")
                );
                Self::Refused(each.chain([Complaint::new(&error).help(help)]).collect())
            }
            DataError::Changed { .. } => Self::refused(
                error,
                "bring the registered files or rows back, or the table's columns and its name; or declare a new `version` and run \
                 `deniable data check <policy>`; nothing was charged",
            ),
            DataError::Ledger(error) => Self::Refused(vec![Complaint::new(error)]),
        }
    }
}

impl From<ReleaseError> for Failure {
    fn from(error: ReleaseError) -> Self {
        match error {
            ReleaseError::Data(error) => error.into(),
            ReleaseError::Protocol(error) => protocol_failure(error, &|fits| {
                let fits = match fits {
                    Some(share) => format!("a share of {share} still fits: --spend {share}, or share = \"{share}\""),
                    None => "no share fits any more".to_owned(),
                };
                format!(
                    "{fits}. What was answered before stays free at the share it had, which `deniable ledger show` tells; \
                     nothing was charged"
                )
            }),
            ReleaseError::Rows { ref error, .. } => {
                let help = format!("{}; then the same query resumes at no cost", source_help(error));
                Self::refused(error, help)
            }
            ReleaseError::OnlyRegistered => Self::refused(
                error,
                "nothing was charged. Read what was found, above; if it is as it should be, the same command now releases. \
                 --register does both in one run",
            ),
            ReleaseError::NotAsked { .. } => {
                Self::refused(error, "see what is said of the query before; then the same is asked again")
            }
            ReleaseError::EngineUnrecorded(error) => Self::refused(error, "the same again tries the engine once more"),
            ReleaseError::LabelsPromised(_) => Self::refused(
                error,
                "keep another ledger for these answers, if their table says nothing of who is a case; nothing was charged",
            ),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Policy(errors) => errors.into(),
            Error::Source(error) => error.into(),
            Error::Data(error) => error.into(),
            Error::Release(error) => error.into(),
            Error::Open(error) => error.into(),
            Error::Ledger(error) => error.into(),
            Error::Report(error) => error.into(),
            Error::Entropy(error) => error.into(),
            Error::Memory { query, least, .. } => {
                let least = least.div_ceil(1_000_000);
                let help = format!("allow at least --memory {least}MB, or ask for fewer; nothing was charged");
                Self::usage(format!("\"{query}\" has more groups than --memory can hold"), help)
            }
            Error::NoQuery(unknown) => {
                let help = match unknown.known.as_slice() {
                    [] => "the policy has no queries; ask one of your own".to_owned(),
                    known => format!("the policy has \"{}\"", known.join("\", \"")),
                };
                Self::usage(unknown, help)
            }
            Error::PublicRows { .. } => Self::refused(
                error,
                "leave its rows out, and name its file in the policy: it is read when queries are planned",
            ),
            Error::Query(error @ QueryError::LongName(_)) => Self::usage(error, "give it a short name"),
            Error::Query(error @ QueryError::LongShare) => Self::usage(error, "write 1/40, for example"),
            Error::Query(error @ QueryError::Share(_)) => Self::usage(error, "write --spend 1/40, for example"),
            Error::Query(error @ QueryError::Blank) => {
                Self::usage(error, "write it in quotes: 'SELECT COUNT(*) FROM visits'")
            }
            nothing @ Error::NothingToAdvise { .. } => Self::refused(
                nothing,
                "ask about other queries with --query; where one row is one person, [entity] is missing and nothing is capped",
            ),
            other => Self::Refused(vec![Complaint::new(other)]),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::Refused(vec![Complaint::new(error)])
    }
}

/// What the ledger does not allow, or could not record; `over_budget` says what to do with the share that still fits.
pub fn protocol_failure(error: ProtocolError, over_budget: &dyn Fn(Option<&Rational>) -> String) -> Failure {
    match error {
        // The promise holds more than the policy may spend of it.
        ProtocolError::OverBudget { fits: None, beyond_spend: Some(ref left), .. } => {
            let help = format!(
                "this policy's spend is used up, and the promise is not: {left} of it is left. Raise `spend` under [budget], or ask with \
                 `deniable ask`, which no policy's spend limits. What was answered before stays free; nothing was charged"
            );
            Failure::OverBudget(Complaint::new(error).help(help))
        }
        ProtocolError::OverBudget { ref fits, .. } => {
            let help = over_budget(fits.as_ref());
            Failure::OverBudget(Complaint::new(error).help(help))
        }
        // Another process spent the rest of the budget after the ledger was read and before the charge.
        ProtocolError::Charge { error: ChargeError::OverBudget { .. }, .. } => {
            Failure::OverBudget(Complaint::new(error))
        }
        ProtocolError::Stored { .. } => Failure::refused(error, "check the ledger with `deniable ledger verify`"),
        ProtocolError::Answer { .. } | ProtocolError::Finish { .. } => {
            Failure::refused(error, "fix that; then the same command shows the answer at no cost")
        }
        ProtocolError::Draw { .. } => {
            Failure::refused(error, "fix that; then repeat the command: it says what it costs")
        }
        ProtocolError::Account(_)
        | ProtocolError::Charge { .. }
        | ProtocolError::TooManyNumbers { .. }
        | ProtocolError::Spend(_) => Failure::Refused(vec![Complaint::new(error)]),
    }
}

impl From<AccountError> for Failure {
    fn from(error: AccountError) -> Self {
        Self::Refused(vec![Complaint::new(error)])
    }
}

impl From<AcceptHeadError> for Failure {
    fn from(error: AcceptHeadError) -> Self {
        Self::Refused(vec![Complaint::new(error)])
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Refused(vec![Complaint::new(error)])
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        let help = match error {
            ReportError::Unreadable { .. } => {
                "no page was written; the ledger or its folder of answers was changed by something else, so go back to a backup \
                 of both"
            }
            ReportError::Form { .. } => "no page was written; use a newer version of deniable",
        };
        Self::refused(error, help)
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        Self::Refused(vec![Complaint::new(error)])
    }
}

impl From<deniable_core::noise::EntropyError> for Failure {
    fn from(error: deniable_core::noise::EntropyError) -> Self {
        Self::refused(error, "nothing can be released without it")
    }
}

/// Failures to write results.
pub fn write_failure(error: &std::io::Error, path: Option<&PathBuf>) -> Failure {
    // The operating system's own words, without the temporary file's name.
    let reason = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    let reason = reason.split(" at path ").next().unwrap_or_default();
    match path {
        None if error.kind() == std::io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        None => Failure::refused(
            format!("standard output cannot be written: {reason}"),
            "the answers are stored: ask again at no cost",
        ),
        Some(path) => Failure::refused(
            format!("{} cannot be written: {reason}", path.display()),
            "name another file; what was released is stored: ask again at no cost",
        ),
    }
}
