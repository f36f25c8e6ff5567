//! Failures, with the place and the help, on standard error.

use deniable_core::exact::Rational;
use deniable_core::text::{printable, printable_lines, printable_source};
use deniable_ledger::{AccountError, OpenError, StoreError, VerifyError};
use deniable_policy::PolicyErrors;
use deniable_protocol::ProtocolError;
use deniable_release::plan::{PlanError, PlanErrorKind};
use deniable_release::{BadColumn, DataError, ReleaseError};
use deniable_report::ReportError;
use deniable_sql::{Place, SourceError};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::fmt::Display;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

/// A command that did not succeed.
pub enum Failure {
    /// Refused or failed: exit code 1.
    Refused(Vec<Complaint>),
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

    /// Adds the help.
    #[must_use]
    pub fn help(mut self, help: impl Display) -> Self {
        self.help = Some(printable_lines(&help.to_string()).into_owned());
        self
    }

    /// Adds where it is. The text is shown with escapes, and the place stays that of the same characters.
    pub fn at(mut self, name: &str, text: &str, start: usize, length: usize) -> Self {
        let (text, place) = printable_source(text, start..start.saturating_add(length));
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
            Self::Usage(complaint) => print(complaint),
            Self::ClosedPipe => {}
        }
    }

    /// Says what is wrong on standard error and gives the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Refused(complaints) => {
                complaints.iter().for_each(print);
                ExitCode::from(1)
            }
            Self::Usage(complaint) => {
                print(&complaint);
                ExitCode::from(2)
            }
            Self::ClosedPipe => ExitCode::from(1),
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
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(110).with_links(false);
    match handler.render_report(&mut text, complaint) {
        Ok(()) => eprintln!("{}", text.trim_end()),
        Err(_) => eprintln!("error: {complaint}"),
    }
}

impl From<Complaint> for Failure {
    fn from(complaint: Complaint) -> Self {
        Self::Refused(vec![complaint])
    }
}

impl From<PolicyErrors> for Failure {
    fn from(errors: PolicyErrors) -> Self {
        let name = errors.file().display().to_string();
        let complaints = errors.errors().iter().map(|error| {
            let complaint = match &error.help {
                Some(help) => Complaint::new(&error.kind).help(help),
                None => Complaint::new(&error.kind),
            };
            match &error.place {
                Some(place) => complaint.at(&name, errors.source(), place.span.start, place.span.len()),
                None => Complaint { message: format!("{}: {}", printable(&name), complaint.message), ..complaint },
            }
        });
        Self::Refused(complaints.collect())
    }
}

/// The byte offset of a line and column, counted in characters from 1.
fn offset(text: &str, line: u64, column: u64) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    start + rest.chars().take(column.saturating_sub(1) as usize).map(char::len_utf8).sum::<usize>()
}

/// Complaints about asks, each with its SQL and the line of the policy where that begins.
pub fn plan_failure(errors: &[PlanError], policy: &deniable_policy::Policy) -> Failure {
    let complaints = errors.iter().map(|error| {
        let sql = error.sql.as_str();
        let (name, text, base) = whereabouts(error, policy);
        match &error.kind {
            PlanErrorKind::Query(query) => {
                let complaint = match query.help() {
                    Some(help) => Complaint::new(query).help(help),
                    None => Complaint::new(query),
                };
                let (start, length) = match query.place() {
                    Some(Place { line, column, end_line, end_column }) => {
                        let start = offset(sql, line, column);
                        (start, offset(sql, end_line, end_column).saturating_sub(start))
                    }
                    None => (sql.len() - sql.trim_start().len(), sql.trim().len()),
                };
                complaint.at(&name, text, base + start, length)
            }
            kind @ (PlanErrorKind::Noise(_)
            | PlanErrorKind::Spend(_)
            | PlanErrorKind::Target(_)
            | PlanErrorKind::Targets(_)) => {
                let complaint = match kind {
                    PlanErrorKind::Target(target) => Complaint::new(kind).help(target.help()),
                    _ => Complaint::new(kind),
                };
                // A target is wrong where it is written.
                let is_target = matches!(kind, PlanErrorKind::Target(_) | PlanErrorKind::Targets(_));
                let ask = policy.asks().iter().find(|ask| is_target && ask.name == error.ask);
                match ask.and_then(|ask| ask.size_at.clone()) {
                    Some(at) => complaint.at(&policy.file().display().to_string(), policy.source(), at.start, at.len()),
                    None => complaint.at(&name, text, base + sql.len() - sql.trim_start().len(), sql.trim().len()),
                }
            }
        }
    });
    Failure::Refused(complaints.collect())
}

/// What to show an ask's error in: the policy itself, where its SQL stands there letter by letter, and otherwise (TOML
/// escapes) the SQL alone. The last part is where the SQL begins in it.
fn whereabouts<'a>(error: &'a PlanError, policy: &'a deniable_policy::Policy) -> (String, &'a str, usize) {
    let file = policy.file().display().to_string();
    let Some(ask) = policy.asks().iter().find(|ask| ask.name == error.ask) else { return (file, &error.sql, 0) };
    let from = offset(policy.source(), ask.line as u64, ask.column as u64);
    if policy.source().get(from..).is_some_and(|rest| rest.starts_with(&error.sql)) {
        return (file, policy.source(), from);
    }
    (format!("{file}, line {}, ask \"{}\"", ask.line, error.ask), &error.sql, 0)
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
        SourceError::NotTable { help, .. } => help,
        SourceError::NoNames { .. } => NO_NAMES,
        SourceError::Pattern { .. } => "patterns use *, ? and [abc], as in data/*.csv",
        SourceError::NoColumn { .. } => {
            "check the column's name and the delimiter; without a header, set header = false and list the columns in [data.csv]"
        }
        SourceError::Empty { .. } => "name the right file, or add a header",
        SourceError::ColumnsDiffer { .. } => "all files of a table need the same columns in the same order",
        SourceError::TwoColumns { .. } => "rename one of them in the file",
        SourceError::ColumnType { .. } => "declare the type that the file has, or convert the file",
        SourceError::Partition { .. } => {
            "folders name partitions as in year=2024/region=north/; list them under `partitions`, and not in the files"
        }
        SourceError::Key { .. } => {
            "a public table must have one row for each key: fix the file, or name another column as its `key`; nothing was charged"
        }
        SourceError::Memory { .. } => {
            "allow more with --memory, or lower rows_per_group and groups: what is kept of one entity, and the totals of \
             all cells, must fit"
        }
        SourceError::Spill { .. } => "name a folder with more room with --spill, or allow more memory with --memory",
        SourceError::Rows { .. } => "run `deniable data check` to see where",
    }
}

/// What is wrong with a column, with its table.
fn in_table(bad: &BadColumn) -> String {
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
                let help = "fix the file (the first places are listed above), or how the policy reads it; nothing was registered \
                            and nothing charged";
                complaints.push(Complaint::new(DataError::Unusable(report)).help(help));
                Self::Refused(complaints)
            }
            DataError::Bad { ref columns, registered } => {
                let each = columns.iter().map(|bad| Complaint::new(in_table(bad)).help(bad.found.help()));
                let so_far = if registered {
                    "the version stays registered, and nothing was added"
                } else {
                    "nothing was registered and nothing charged"
                };
                let accept: Vec<String> =
                    columns.iter().map(|bad| format!("--accept {}", quoted(&bad.name()))).collect();
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
                "bring the registered files back, or declare a new `version` and run `deniable data check <policy>`; nothing was charged",
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
                    Some(share) => format!(
                        "a share of {share} of the whole promise fits, as in --spend {share} or share = \"{share}\""
                    ),
                    None => "no share fits any more".to_owned(),
                };
                format!(
                    "{fits}; ask less, for less, or only what is answered already. An ask is a new one when its share \
                     changed, for instance because another was added, and when the data has a new version: give answered \
                     asks their old share, as in share = \"1/4\", which `deniable ledger show` tells; nothing was charged"
                )
            }),
            ReleaseError::AnsweredEarlier(_) => Self::refused(
                error,
                "what was shown then stays true and can be seen with `deniable ledger show` and `deniable report`. To ask again, \
                 with new noise and paid again, add --again; nothing was charged",
            ),
            ReleaseError::Rows { ref error, .. } => {
                let help = format!("{}; then the same ask resumes at no cost", source_help(error));
                Self::refused(error, help)
            }
            ReleaseError::OnlyRegistered => Self::refused(
                error,
                "nothing was charged. Read what was found, above; if it is as it should be, the same command now releases. \
                 --register does both in one run",
            ),
            ReleaseError::LabelsPromised(_) => Self::refused(
                error,
                "keep another ledger for these answers, if their table says nothing of who is a case; nothing was charged",
            ),
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
        ProtocolError::OverBudget { ref fits, .. } => {
            let help = over_budget(fits.as_ref());
            Failure::refused(error, help)
        }
        ProtocolError::Stored { .. } => Failure::refused(error, "check the ledger with `deniable ledger verify`"),
        ProtocolError::Answer { .. } => Failure::refused(error, "fix that; then the same command resumes at no cost"),
        ProtocolError::Account(_) | ProtocolError::Charge { .. } | ProtocolError::Spend(_) => {
            Failure::Refused(vec![Complaint::new(error)])
        }
    }
}

impl From<AccountError> for Failure {
    fn from(error: AccountError) -> Self {
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
