//! What can go wrong between a question and its exact answer.
//!
//! Nothing here quotes a value of the data: refusals depend on the SQL and the policy alone, and failures while
//! reading are reduced to what a curator needs in order to look for themselves.

use std::path::PathBuf;

/// A stretch of SQL text, 1-based, ends included as the parser reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Line of the first character.
    pub line: u64,
    /// Column of the first character.
    pub column: u64,
    /// Line of the last character.
    pub end_line: u64,
    /// Column just after the last character.
    pub end_column: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A word of the SQL that a complaint is about, where its place is not known otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// A name, keyword or operator, in any case.
    Name(String),
    /// A text between single quotes.
    Text(String),
}

/// A question that cannot be answered, for reasons that are public.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Not SQL.
    #[error("the SQL cannot be read: {message}")]
    Syntax {
        /// The parser's complaint.
        message: String,
        /// Where it stumbled, when it says so.
        place: Option<Place>,
    },
    /// SQL that refers to something that is not there, or mixes types that do not mix.
    #[error("{message}")]
    Meaning {
        /// The planner's complaint.
        message: String,
        /// What to do about it, where that is known.
        help: Option<String>,
        /// Where, when known.
        place: Option<Place>,
        /// A word that stands there.
        word: Option<Word>,
    },
    /// SQL outside the allow-list.
    #[error("{construct} is not supported")]
    Refused {
        /// What was found.
        construct: String,
        /// What to write instead, or why it cannot be.
        help: String,
        /// Where, when known.
        place: Option<Place>,
        /// A word that stands there.
        word: Option<Word>,
    },
}

const AMISS: &str = "look at this word and the one before it: a comma, a parenthesis, a quote or a keyword is amiss";
const A_WORD_MORE: &str = "look at this word and the one before it: a comma, a parenthesis, a quote or a keyword is amiss; \
                           a column's name with spaces stands in double quotes, as \"hours per week\"";

/// Whether the parser had read an expression and met another word: so it sees a name with spaces.
fn one_word_too_many(message: &str) -> bool {
    let found =
        message.strip_prefix("Expected: ), found: ").or(message.strip_prefix("Expected: end of statement, found: "));
    found.is_some_and(|found| found.starts_with(char::is_alphabetic))
}

impl QueryError {
    pub(crate) fn meaning(message: impl Into<String>) -> Self {
        Self::Meaning { message: message.into(), help: None, place: None, word: None }
    }

    pub(crate) fn refused(construct: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused { construct: construct.into(), help: help.into(), place: None, word: None }
    }

    /// The same about this name, keyword or operator, unless a place or word is known.
    pub(crate) fn about(self, name: impl Into<String>) -> Self {
        self.about_word(Word::Name(name.into()))
    }

    /// The same about this text, unless a place or word is known.
    pub(crate) fn about_text(self, text: impl Into<String>) -> Self {
        self.about_word(Word::Text(text.into()))
    }

    fn about_word(mut self, new: Word) -> Self {
        match &mut self {
            Self::Syntax { .. } => {}
            Self::Meaning { word, place: None, .. } | Self::Refused { word, place: None, .. } => {
                word.get_or_insert(new);
            }
            Self::Meaning { .. } | Self::Refused { .. } => {}
        }
        self
    }

    /// The same about this keyword alone, where all that is known is the clause or the question that it stands in.
    pub(crate) fn narrowed_to(mut self, keyword: impl Into<String>) -> Self {
        match &mut self {
            Self::Syntax { .. } => {}
            Self::Meaning { word, .. } | Self::Refused { word, .. } => *word = Some(Word::Name(keyword.into())),
        }
        self
    }

    /// The same at this place, unless one is known: whoever is nearest to the matter speaks first.
    pub(crate) fn at(mut self, new: Option<Place>) -> Self {
        match &mut self {
            Self::Syntax { place, .. } | Self::Meaning { place, .. } | Self::Refused { place, .. } => {
                *place = place.or(new);
            }
        }
        self
    }

    /// The same at the only place where its word stands. A word that stands in several places tells none.
    pub(crate) fn found_by(mut self, places: impl Fn(&Word) -> Vec<Place>) -> Self {
        if let Self::Meaning { place, word: Some(word), .. } | Self::Refused { place, word: Some(word), .. } = &mut self
            && let [only] = places(word).as_slice()
        {
            *place = Some(*only);
        }
        self
    }

    /// The mend.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Refused { help, .. } => Some(help),
            Self::Meaning { help, .. } => help.as_deref(),
            Self::Syntax { message, .. } => Some(if one_word_too_many(message) { A_WORD_MORE } else { AMISS }),
        }
    }

    /// Where in the SQL.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Syntax { place, .. } | Self::Meaning { place, .. } | Self::Refused { place, .. } => *place,
        }
    }
}

/// Data that cannot be read. For the curator only: it may name files, lines and columns, never values.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// No file matches.
    #[error("no {extension} file at {path}")]
    NoFile {
        /// The path as declared.
        path: PathBuf,
        /// What was looked for.
        extension: &'static str,
    },
    /// A file or folder could not be opened or read.
    #[error("{path} cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's words.
        reason: String,
    },
    /// A file is something else by its first bytes.
    #[error("{path} is {found}, and not {wanted}")]
    NotTable {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
        /// What it should be.
        wanted: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// A file's first line cannot be the names of its columns. Nothing of it is quoted.
    #[error("{path} does not begin with the names of its columns: {problem}")]
    NoNames {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The path is not a usable pattern.
    #[error("`{pattern}` is not a usable file pattern: {reason}")]
    Pattern {
        /// The pattern as declared.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A declared column is not in the file.
    #[error("{path} has no column `{column}`; it has {found}")]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The declared column.
        column: String,
        /// The columns that are there.
        found: String,
    },
    /// A file has no header, or an empty one.
    #[error("{path} is empty; it should start with a line of column names")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Files of one table disagree about their columns.
    #[error("{path} does not have the same columns as {first}")]
    ColumnsDiffer {
        /// The first file.
        first: PathBuf,
        /// The other file.
        path: PathBuf,
    },
    /// A column is there twice.
    #[error("{path} has two columns named `{column}`")]
    TwoColumns {
        /// The file.
        path: PathBuf,
        /// The name.
        column: String,
    },
    /// A Parquet column of a kind that cannot be read as declared.
    #[error("{path}: column `{column}` is stored as {stored}, which cannot be read as {declared}")]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// Its type in the file.
        stored: String,
        /// Its declared type.
        declared: &'static str,
    },
    /// A file without a usable value for a partition.
    #[error("{path}: the partition `{column}` {problem}")]
    Partition {
        /// The file.
        path: PathBuf,
        /// The partition column.
        column: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// More had to be held in memory at once than is allowed.
    #[error("the rows of {table} do not fit into the memory that is allowed")]
    Memory {
        /// The table.
        table: String,
    },
    /// Temporary files could not be written: most often the disk is full.
    #[error("{table} does not fit into memory, and temporary files could not be written or read back: {reason}")]
    Spill {
        /// The table.
        table: String,
        /// The operating system's words.
        reason: String,
    },
    /// The engine failed while reading rows. The engine's own words may quote rows and are left out.
    #[error("the rows of {table} could not be read to the end")]
    Rows {
        /// The table.
        table: String,
    },
}
