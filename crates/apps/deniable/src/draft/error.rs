//! Errors of drafts. No message quotes a row.

use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::schema::NotNames;
use deniable_core::text::shown;
use deniable_data::{NO_NAMES, SourceError};
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// A policy that was not drafted.
#[derive(Debug)]
#[non_exhaustive]
pub enum DraftError {
    /// The policy's file exists already.
    Exists(PathBuf),
    /// The policy's file cannot be written.
    Write(PathBuf, std::io::Error),
    /// There is no such file.
    NoFile {
        /// The path.
        data: PathBuf,
        /// Whether it is a folder.
        is_folder: bool,
        /// Whether it could be the name of a table of a database.
        is_relation: bool,
    },
    /// The file is a policy.
    Policy(PathBuf),
    /// The table's name is not a plain name.
    TableName(String),
    /// No file or table is named.
    NoData,
    /// Two files or tables would have this name in queries.
    SameTable(String),
    /// The data have no such column.
    NoColumn {
        /// The name.
        name: String,
        /// The nearest name of a column.
        nearest: Option<String>,
    },
    /// The database is not named by an environment variable.
    Connect,
    /// The file is compressed Parquet.
    CompressedParquet(String),
    /// An option of CSV, for a file that is Parquet.
    OfCsv(&'static str),
    /// A character that cannot separate fields.
    Delimiter(char),
    /// An encoding with an unknown name.
    Encoding(String),
    /// The header reads as one column, so that the draft would be useless.
    SingleColumn {
        /// The file.
        data: String,
        /// The likely delimiter.
        other: char,
        /// The usual delimiter, which confirms that there is one column.
        usual: char,
    },
    /// The data do not name their columns.
    NoNames {
        /// The file or table.
        data: String,
        /// The problem.
        problem: NotNames,
        /// Whether the columns have types, as in Parquet and databases.
        is_typed: bool,
        /// Whether it is a table of a database.
        is_relation: bool,
    },
    /// The data cannot be read.
    Source(SourceError),
    /// The codebook is invalid: every fault with its line.
    Codebook(Vec<Diagnostic>),
}

impl From<SourceError> for DraftError {
    fn from(error: SourceError) -> Self {
        Self::Source(error)
    }
}

impl std::error::Error for DraftError {}

impl Display for DraftError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let diagnostics = self.diagnostics(Surface::Library);
        let messages: Vec<&str> = diagnostics.iter().map(Diagnostic::message).collect();
        f.write_str(&messages.join("; "))
    }
}

impl Diagnose for DraftError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let (option, set) = (|name| surface.option(name), |name, value: &str| surface.set(name, value));
        let (code, message, help) = match self {
            Self::Source(error) => return error.diagnostics(surface),
            Self::Codebook(faults) => return faults.clone(),
            Self::Exists(out) => {
                let help = format!("name another {}, or move that file: a policy is never overwritten", option("out"));
                (Code::Other, format!("{} exists already", out.display()), help)
            }
            Self::Write(out, error) => {
                let help = format!("name another {}, in an existing folder", option("out"));
                (Code::Other, format!("{} cannot be written: {error}", out.display()), help)
            }
            Self::NoFile { data, is_folder, is_relation } => {
                let what = if *is_folder { "is a folder" } else { "does not exist" };
                let help = if *is_relation {
                    format!(
                        "name one CSV or Parquet file; for a table of PostgreSQL add {}, the variable with the \
                        database's address",
                        set("connect", "env:NAME")
                    )
                } else {
                    "name one CSV or Parquet file; `path` in the policy may be changed to a folder or pattern later"
                        .to_owned()
                };
                (Code::Other, format!("{} {what}", data.display()), help)
            }
            Self::Policy(data) => (
                Code::Usage,
                format!("{} is a policy, not data", data.display()),
                "name a CSV or Parquet file; `deniable plan` reads policies".to_owned(),
            ),
            Self::TableName(name) => (
                Code::Usage,
                format!("{} is not a plain name", set("table", name)),
                "use lower-case letters, digits and _, as in visits".to_owned(),
            ),
            Self::NoData => (Code::Usage, "no data are named".to_owned(), "name a file or a table".to_owned()),
            Self::SameTable(name) => (
                Code::Usage,
                format!("two files or tables would be `{name}` in queries"),
                format!("rename one of them, or name the first table with {}", set("table", "visits")),
            ),
            Self::NoColumn { name, nearest } => {
                let columns = option("columns");
                let help = nearest.as_ref().map_or_else(
                    || format!("`deniable init` without {columns} lists all"),
                    |near| format!("did you mean `{}`?", shown(near)),
                );
                (Code::Usage, format!("{columns}: the data have no column `{}`", shown(name)), help)
            }
            Self::Connect => (
                Code::Usage,
                format!("{} does not name an environment variable", option("connect")),
                format!(
                    "put the database's address into a variable and name it, as in {}",
                    set("connect", "env:CLINIC_PG")
                ),
            ),
            Self::CompressedParquet(data) => (
                Code::Other,
                format!("{data} is compressed Parquet"),
                "decompress the file; Parquet compresses its columns itself".to_owned(),
            ),
            Self::OfCsv(name) => (
                Code::Usage,
                format!("{} is for CSV, and this file is Parquet", option(name)),
                format!("leave {} out", option(name)),
            ),
            Self::Delimiter(character) => (
                Code::Usage,
                format!("{} {character:?} cannot separate fields", option("delimiter")),
                "name one ASCII character, such as ';'".to_owned(),
            ),
            Self::Encoding(label) => (
                Code::Usage,
                format!("{} {} is not known", option("encoding"), shown(label)),
                "name an encoding of the WHATWG standard, such as latin1, windows-1252 or utf-16le".to_owned(),
            ),
            Self::SingleColumn { data, other, usual } => {
                let flag = |delimiter: char| match (delimiter, surface) {
                    ('\t', _) => set("delimiter", "tab"),
                    (_, Surface::Command) => format!("{} '{delimiter}'", option("delimiter")),
                    _ => set("delimiter", &delimiter.to_string()),
                };
                let what = if *other == '\t' { "tabs".to_owned() } else { format!("`{other}`") };
                (
                    Code::Other,
                    format!("{data} has a single column, and its name contains {what}"),
                    format!(
                        "if that is the delimiter, add {}; if it is one column, add {}",
                        flag(*other),
                        flag(*usual)
                    ),
                )
            }
            Self::NoNames { data, problem, is_typed, is_relation } => {
                let help = match problem {
                    NotNames::Twice { .. } => {
                        "rename one of them in the file: a policy identifies columns by their names"
                    }
                    _ if *is_relation => {
                        "give the columns plain names, in a view if necessary. No part of the table was copied or shown"
                    }
                    _ if *is_typed => {
                        "give the columns plain names; the program that wrote the file may have taken a row for the \
                        names. No part of the file was copied or shown"
                    }
                    _ => NO_NAMES,
                };
                let what = if *is_typed {
                    "does not name its columns"
                } else {
                    "does not begin with the names of its columns"
                };
                (Code::Other, format!("{data} {what}: {problem}"), help.to_owned())
            }
        };
        vec![Diagnostic::new(code, message).with_help(help)]
    }
}
