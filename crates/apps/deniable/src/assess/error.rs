//! Errors in the options or the tables of an assessment.

use super::EmptyCells;
use deniable_assess::AssessError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::Rational;
use deniable_core::text::meant_as_percentage;
use deniable_data::{Quirk, SourceError};
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// An invalid option. Options are named as the fields of [`Options`](super::Options).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionError {
    /// An option names a column twice.
    Twice {
        /// The option.
        option: &'static str,
        /// The column.
        column: String,
    },
    /// A column would be both known and secret.
    BothRoles {
        /// The column.
        column: String,
    },
    /// An option names a column that is not assessed.
    Misplaced {
        /// The option.
        option: &'static str,
        /// The column.
        column: String,
        /// The options; one of them must name the column as well.
        wanted: &'static [&'static str],
    },
    /// A text that is not a distance.
    Distance {
        /// The column.
        column: String,
        /// The text.
        text: String,
    },
    /// A distance by a hierarchy that is not given.
    NoHierarchy {
        /// The column.
        column: String,
        /// The distance.
        text: String,
    },
    /// Priors that cannot be parsed, or reach 0 or 1.
    Prior(String),
    /// Priors without the background that they are about.
    PriorWithoutBackground,
    /// A threshold below 0 or above 1.
    Threshold(Rational),
    /// An `l` below 2 or above 1000.
    Recursive(u64),
    /// An encoding that is not in the WHATWG standard.
    Encoding(String),
    /// A character that cannot separate fields.
    Delimiter(u8),
    /// A name that is not the name of a quirk.
    Accept(String),
    /// Column names for a file whose first line contains them.
    Header {
        /// The file.
        table: String,
    },
}

/// An assessment that failed.
#[derive(Debug)]
pub enum Error {
    /// An option is invalid.
    Option(OptionError),
    /// The columns, values or demands cannot be used.
    Assess(AssessError),
    /// A table cannot be read.
    Source(SourceError),
    /// The file of a hierarchy cannot be read.
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The operating system's message.
        reason: String,
    },
    /// The file of a hierarchy has an invalid line.
    Hierarchy {
        /// The file.
        file: PathBuf,
        /// The fault.
        error: AssessError,
    },
    /// The auxiliary table has no column of the quasi-identifiers.
    NoCommonColumn {
        /// The table.
        table: String,
        /// Its columns.
        columns: Vec<String>,
    },
    /// A column has values that are not UTF-8, or that are too long.
    NotText {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// Sensitive columns contain `*`.
    Hidden {
        /// The table.
        table: String,
        /// The columns, with the number of rows of each.
        columns: Vec<(String, u64)>,
    },
    /// Columns contain empty cells.
    Empty {
        /// The table.
        table: String,
        /// The columns, with the number of rows of each.
        columns: Vec<(String, u64)>,
        /// The meaning of empty cells in the options.
        empty: EmptyCells,
        /// Whether cells of this table may be suppressed, which raw values may not.
        may_be_suppressed: bool,
    },
}

impl From<OptionError> for Error {
    fn from(error: OptionError) -> Self {
        Self::Option(error)
    }
}

impl From<AssessError> for Error {
    fn from(error: AssessError) -> Self {
        Self::Assess(error)
    }
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Self {
        Self::Source(error)
    }
}

/// The message, with options as the library names them.
impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.diagnostics(Surface::Library).iter().try_for_each(|diagnostic| f.write_str(diagnostic.message()))
    }
}

impl std::error::Error for Error {}

impl OptionError {
    /// The message and the remedy.
    fn words(&self, surface: Surface) -> (String, String) {
        let option = |name: &str| surface.option(name);
        let either = |names: &[&str]| names.iter().map(|name| option(name)).collect::<Vec<_>>().join(" or ");
        match self {
            Self::Twice { option: name, column } => {
                (format!("{} names `{column}` twice", option(name)), "name it once".to_owned())
            }
            Self::BothRoles { column } => (
                format!("`{column}` is in {} and in {}", option("quasi"), option("sensitive")),
                "a column is known to others or secret: keep it in one of them".to_owned(),
            ),
            Self::Misplaced { option: name, column, wanted } => (
                format!("{} names `{column}`, which is not among {}", option(name), either(wanted)),
                format!("check its spelling, or add it to {}", either(wanted)),
            ),
            Self::Distance { column, text } => (
                format!("{}: `{text}` of `{column}` is not a distance", option("distance")),
                "write equal, ordered, ordered:low|mid|high, or hierarchy".to_owned(),
            ),
            Self::NoHierarchy { column, text } => (
                format!("{}: `{text}` of `{column}`, but there is no hierarchy of {column}", option("distance")),
                format!("name the file with {}", option("hierarchy")),
            ),
            Self::Prior(text) => (
                format!("{}: priors must be above 0, below 1, and the lower one first", surface.set("prior", text)),
                format!("write {} or {}", surface.set("prior", "1/2"), surface.set("prior", "1/10..1/2")),
            ),
            Self::PriorWithoutBackground => (
                format!("{} needs {}", option("prior"), option("background")),
                "priors are about people of a background: name one".to_owned(),
            ),
            Self::Threshold(threshold) => {
                let meant =
                    meant_as_percentage(threshold).map_or_else(String::new, |meant| format!("did you mean {meant}?"));
                (format!("{} is not from 0 to 1", surface.set("threshold", threshold)), meant)
            }
            Self::Recursive(l) => {
                (format!("{} is not from 2 to 1000", surface.set("recursive", l)), "write 2 or 3".to_owned())
            }
            Self::Encoding(name) => (
                format!("{}: {name:?} is not known", option("encoding")),
                "name one as browsers do, such as utf-8, latin1 or windows-1252".to_owned(),
            ),
            Self::Delimiter(byte) => (
                format!("{}: {:?} cannot be between fields", option("delimiter"), char::from(*byte)),
                "name one ASCII character, such as ';'".to_owned(),
            ),
            Self::Accept(name) => (
                format!("{}: `{name}` is not the name of a quirk", option("accept")),
                format!("the names are {}", Quirk::ALL.map(Quirk::name).join(", ")),
            ),
            Self::Header { table } => {
                let columns = option("columns");
                let help = format!("leave {columns} out: it is for files whose first line is a row");
                (format!("the first line of {table} has the names of {columns}"), help)
            }
        }
    }
}

/// Columns, with the number of rows of each.
fn in_rows(columns: &[(String, u64)]) -> String {
    let one =
        |(name, count): &(String, u64)| format!("`{name}` in {count} {}", if *count == 1 { "row" } else { "rows" });
    columns.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A source's help, without the policy that releases have.
fn source_help(error: &SourceError, surface: Surface) -> String {
    let is_command = surface == Surface::Command;
    match error {
        SourceError::NoFile { .. } => {
            "check the path; a file, a folder of files that are alike, or a pattern".to_owned()
        }
        SourceError::NoColumn { .. } if is_command => {
            "check the column's name; --delimiter states what is between fields, --columns names them where the first line is a row".to_owned()
        }
        SourceError::NoColumn { .. } => "check the column's name".to_owned(),
        SourceError::Empty { .. } => "name the right file".to_owned(),
        SourceError::Memory { .. } if is_command => "allow more with --memory".to_owned(),
        SourceError::Memory { .. } => "assess fewer columns, or a part of the table".to_owned(),
        SourceError::Spill { .. } if is_command => {
            "name a folder with more space with --spill, or allow more with --memory".to_owned()
        }
        SourceError::Rows { .. } => "check that the file is whole, and what its ending says".to_owned(),
        SourceError::NotTable { .. } | SourceError::Url { .. } | SourceError::NoRow { .. } => error.help(surface),
        _ => "check that the file exists, has the format of its extension, and is readable".to_owned(),
    }
}

impl Error {
    fn words(&self, surface: Surface) -> (String, String) {
        match self {
            Self::Option(error) => error.words(surface),
            Self::Assess(error) => (error.to_string(), error.help().to_owned()),
            Self::Source(error) => (error.to_string(), source_help(error, surface)),
            Self::Unreadable { file, reason } => {
                (format!("{}: {reason}", file.display()), "check the path and the permissions".to_owned())
            }
            Self::Hierarchy { file, error } => {
                let lines =
                    "a hierarchy has a line for each value: the value, what is wider, up to the widest, with ; between";
                let help = error.help();
                let help = if help.is_empty() { lines.to_owned() } else { format!("{help}; {lines}") };
                (format!("{}: {error}", file.display()), help)
            }
            Self::NoCommonColumn { table, columns } => (
                format!("{table} has no column of {}", surface.option("quasi")),
                format!("it has {}; name the columns as in the published table", columns.join(", ")),
            ),
            Self::NotText { table, column } => {
                let help = match surface {
                    Surface::Command => "name the encoding, as --encoding latin1, or save the file as UTF-8",
                    Surface::Python | Surface::Library => "save the file as UTF-8",
                };
                (
                    format!("{table}: column `{column}` has values that are not UTF-8, or longer than 64 KiB"),
                    help.to_owned(),
                )
            }
            Self::Hidden { table, columns } => (
                format!("{table} has `*` among sensitive values: {}", in_rows(columns)),
                format!(
                    "a sensitive value cannot be suppressed: fill it, leave the rows out, or take `*` as a value with {}",
                    surface.option("literal")
                ),
            ),
            Self::Empty { table, columns, empty, may_be_suppressed } => {
                let value = surface.set("empty", "value");
                let help = if *may_be_suppressed {
                    format!(
                        "a sensitive value cannot be suppressed: fill it, leave the rows out, or take emptiness as a value with {value}"
                    )
                } else if *empty == EmptyCells::Suppressed {
                    "raw values cannot be suppressed: fill them, or leave the rows out".to_owned()
                } else {
                    let suppressed = surface.set("empty", "suppressed");
                    format!("state the meaning: {suppressed} if it is as *, {value} if it is a value like any other")
                };
                (format!("{table} has empty cells: {}", in_rows(columns)), help)
            }
        }
    }
}

impl Diagnose for Error {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let code = match self {
            Self::Option(_) => Code::Usage,
            Self::Assess(error) => error.code(),
            _ => Code::Data,
        };
        let (message, help) = self.words(surface);
        vec![Diagnostic::new(code, message).with_help(help)]
    }
}
