//! Errors of the tables that an attack reads: the place, the problem and the remedy.

use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::text::shown;
use deniable_genome::FileError;
use std::path::{Path, PathBuf};

/// A problem of a table, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; `None` if the whole file is invalid.
    pub line: Option<u64>,
    /// The problem.
    pub kind: TableErrorKind,
}

/// `file:line: problem`, and the help on its own line.
impl std::fmt::Display for TableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}\n  help: {}", self.kind, self.kind.help())
    }
}

impl std::error::Error for TableError {}

impl Diagnose for TableError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        let line = self.line.map_or_else(String::new, |line| format!(":{line}"));
        let message = format!("{}{line}: {}", self.file.display(), self.kind);
        vec![Diagnostic::new(Code::Data, message).with_help(self.kind.help())]
    }
}

/// A problem of a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableErrorKind {
    /// A file that is missing, forbidden, or on a failing disk.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// A compressed file.
    #[error("this file is compressed")]
    Compressed,
    /// A file of another format.
    #[error("this is a Parquet file, not text")]
    Parquet,
    /// People listed as outside the data who are in it.
    #[error("{0} of these people are in the released table, by the column of truth, and cannot be outside it")]
    Inside(u64),
    /// A line that is not text.
    #[error("this line is not text")]
    NotText,
    /// A line that is longer than any plausible one.
    #[error("this line is longer than {0} bytes")]
    LongLine(usize),
    /// A missing column.
    #[error("there is no column {wanted}; there are: {found}")]
    NoColumn {
        /// The columns requested.
        wanted: String,
        /// The columns of the table.
        found: String,
    },
    /// A missing column that the user named.
    #[error("there is no column `{wanted}`{}; there are: {found}", .near.as_ref().map_or_else(String::new, |near| format!(", did you mean `{near}`?")))]
    Unknown {
        /// The column requested.
        wanted: String,
        /// The column with the most similar name.
        near: Option<String>,
        /// The columns of the table.
        found: String,
    },
    /// A name that several columns have.
    #[error("several columns are called `{0}`")]
    TwoColumns(String),
    /// Too few or too many values.
    #[error("this line has {found} values, and the header names {expected} columns")]
    Values {
        /// The number of values.
        found: usize,
        /// The number of columns.
        expected: usize,
    },
    /// A line that does not name a person.
    #[error(
        "this line has {0} words, and a person is named by one or two: the family and the individual, or the individual alone"
    )]
    Person(usize),
    /// A list without any person of the genotype file.
    #[error("no person of the genotype file is named here{}", .0.as_ref().map_or_else(String::new, |name| format!("; it has no person {name}")))]
    Nobody(Option<String>),
    /// An invalid frequency.
    #[error("the frequency `{0}` is not a number from 0 to 1")]
    Frequency(String),
    /// An invalid number.
    #[error("the {what} `{found}` is not {expected}")]
    Number {
        /// The kind of value.
        what: &'static str,
        /// The text found.
        found: String,
        /// The expected form.
        expected: &'static str,
    },
    /// A duplicate SNP.
    #[error("duplicate SNP {name}; the first is in line {first}")]
    Twice {
        /// Its name.
        name: String,
        /// The line of the first.
        first: u64,
    },
    /// An empty table.
    #[error("there are no {0} in this file")]
    Empty(&'static str),
    /// Invalid genotype files.
    #[error("{0}")]
    Genotypes(FileError),
}

impl TableErrorKind {
    /// The remedy.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "check the path and the permissions",
            Self::Compressed => "unpack it first",
            Self::Parquet => "write it as CSV first",
            Self::Inside(_) => "leave them out of the list of outsiders",
            Self::NotText => "save the file as UTF-8",
            Self::LongLine(_) => "check that this is the right file, and that its lines end with line feeds",
            Self::NoColumn { .. } => {
                "frequencies are read from what `deniable gwas --counts` writes, and from PLINK's --freq (.frq) and --assoc \
                 (.assoc)"
            }
            Self::Unknown { .. } => {
                "name one of these; columns are separated by commas, or by tabs in files named .tsv"
            }
            Self::TwoColumns(_) => "rename one of the two",
            Self::Values { .. } => {
                "fix the line; if blanks separate the columns, no value may contain a blank or be empty"
            }
            Self::Person(_) => "write FID and IID with a blank between, as in the .fam file",
            Self::Nobody(_) => {
                "check that list and genotypes belong together; the format of a list is that of PLINK's --keep"
            }
            Self::Frequency(_) => "write a number from 0 to 1, or NA if it is missing",
            Self::Number { .. } => "fix the line, or name another column",
            Self::Twice { .. } => "keep one of the two lines",
            Self::Empty(_) => "check that this is the right file, and that it was written to the end",
            Self::Genotypes(error) => error.help(),
        }
    }
}

impl TableError {
    /// An error of a file as a whole.
    pub(crate) fn whole(file: &Path, kind: TableErrorKind) -> Self {
        Self { file: file.to_owned(), line: None, kind }
    }

    /// Opens a text file; a compressed one is an error.
    pub(crate) fn open(file: &Path) -> Result<std::fs::File, Self> {
        use std::io::{Read, Seek};
        let refused = |error: std::io::Error| Self::unreadable(file, &error);
        let mut opened = std::fs::File::open(file).map_err(refused)?;
        let mut begin = Vec::new();
        (&mut opened).take(4).read_to_end(&mut begin).map_err(refused)?;
        if begin.starts_with(&[0x1f, 0x8b]) || begin == [0x28, 0xb5, 0x2f, 0xfd] {
            return Err(Self::whole(file, TableErrorKind::Compressed));
        }
        if begin == *b"PAR1" {
            return Err(Self::whole(file, TableErrorKind::Parquet));
        }
        // A pipe cannot be rewound.
        opened.rewind().map_err(refused)?;
        Ok(opened)
    }

    pub(crate) fn at(file: &Path, line: u64, kind: TableErrorKind) -> Self {
        Self { file: file.to_owned(), line: Some(line), kind }
    }

    /// An error of the operating system.
    pub(crate) fn unreadable(file: &Path, error: &std::io::Error) -> Self {
        Self::whole(file, TableErrorKind::Unreadable(shown(&error.to_string())))
    }

    /// An error of the CSV reader.
    pub(crate) fn csv(file: &Path, error: &csv::Error) -> Self {
        let line = error.position().map(csv::Position::line);
        let kind = match error.kind() {
            csv::ErrorKind::Utf8 { .. } => TableErrorKind::NotText,
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => TableErrorKind::Values {
                found: usize::try_from(*len).unwrap_or(usize::MAX),
                expected: usize::try_from(*expected_len).unwrap_or(usize::MAX),
            },
            csv::ErrorKind::Io(error) => return Self::unreadable(file, error),
            _ => TableErrorKind::Unreadable(shown(&error.to_string())),
        };
        Self { file: file.to_owned(), line, kind }
    }
}

impl From<FileError> for TableError {
    fn from(error: FileError) -> Self {
        Self { file: error.file.clone(), line: error.line, kind: TableErrorKind::Genotypes(error) }
    }
}
