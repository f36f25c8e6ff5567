//! Reasons to reject a query. They depend on the SQL and the policy alone, and quote no value of the data.

/// A range of SQL text, 1-based, with the ends that the parser reports.
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

/// The word of the SQL that an error is about, for errors whose place is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// A name, keyword or operator, in any case.
    Name(String),
    /// A text between single quotes.
    Text(String),
}

/// A name in a query that the policy does not declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// A table.
    Table,
    /// A column.
    Column,
}

/// A query that cannot be answered, for a public reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Not SQL.
    #[error("the SQL cannot be read: {message}")]
    Syntax {
        /// The parser's message.
        message: String,
        /// The position of the error, if the parser reports it.
        place: Option<Place>,
    },
    /// SQL that refers to an undeclared name, or mixes types that do not mix.
    #[error("{message}")]
    Meaning {
        /// The planner's message.
        message: String,
        /// The hint how to correct the query, if known.
        help: Option<String>,
        /// The place in the SQL, if known.
        place: Option<Place>,
        /// The word of the SQL that the error is about.
        word: Option<Word>,
        /// Whether a table or column is missing.
        missing: Option<Missing>,
    },
    /// SQL outside the allow-list.
    #[error("{construct} is not supported")]
    Refused {
        /// The rejected construct.
        construct: String,
        /// The hint what to write instead, or why the query cannot be answered.
        help: String,
        /// The place in the SQL, if known.
        place: Option<Place>,
        /// The word of the SQL that the error is about.
        word: Option<Word>,
    },
}

const AMISS: &str = "check this word and the one before it for a wrong or missing comma, parenthesis, quote or keyword";
const A_WORD_MORE: &str = "check this word and the one before it for a wrong or missing comma, parenthesis, quote or \
                           keyword; write a column's name with spaces in double quotes, as \"hours per week\"";

/// Whether the parser had read an expression and met another word, as it does where a name contains spaces.
fn one_word_too_many(message: &str) -> bool {
    let found =
        message.strip_prefix("Expected: ), found: ").or(message.strip_prefix("Expected: end of statement, found: "));
    found.is_some_and(|found| found.starts_with(char::is_alphabetic))
}

impl QueryError {
    /// An error about an undeclared name, or about types that do not mix.
    pub fn meaning(message: impl Into<String>) -> Self {
        Self::Meaning { message: message.into(), help: None, place: None, word: None, missing: None }
    }

    /// An error about a table or column that the policy does not declare, and what to write instead.
    pub fn missing(missing: Missing, message: impl Into<String>, help: impl Into<String>) -> Self {
        let (message, help) = (message.into(), Some(help.into()));
        Self::Meaning { message, help, place: None, word: None, missing: Some(missing) }
    }

    /// An error about SQL outside the allow-list, and what to write instead.
    pub fn refused(construct: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused { construct: construct.into(), help: help.into(), place: None, word: None }
    }

    /// Replaces the hint. The hint of a syntax error stays.
    pub fn with_help(mut self, new: String) -> Self {
        match &mut self {
            Self::Refused { help, .. } => *help = new,
            Self::Meaning { help, .. } => *help = Some(new),
            Self::Syntax { .. } => {}
        }
        self
    }

    /// Attaches this name, keyword or operator, unless a place or word is known.
    pub fn about(self, name: impl Into<String>) -> Self {
        self.about_word(Word::Name(name.into()))
    }

    /// Attaches this text, unless a place or word is known.
    pub fn about_text(self, text: impl Into<String>) -> Self {
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

    /// Narrows the error to this keyword, if only the clause or the query around it is known.
    pub fn narrowed_to(mut self, keyword: impl Into<String>) -> Self {
        match &mut self {
            Self::Syntax { .. } => {}
            Self::Meaning { word, .. } | Self::Refused { word, .. } => *word = Some(Word::Name(keyword.into())),
        }
        self
    }

    /// Attaches this place, unless one is known: the innermost caller knows the place best.
    pub fn at(mut self, new: Option<Place>) -> Self {
        match &mut self {
            Self::Syntax { place, .. } | Self::Meaning { place, .. } | Self::Refused { place, .. } => {
                *place = place.or(new);
            }
        }
        self
    }

    /// Attaches the place of the error's word, if the word occurs exactly once.
    pub fn found_by(mut self, places: impl Fn(&Word) -> Vec<Place>) -> Self {
        if let Self::Meaning { place, word: Some(word), .. } | Self::Refused { place, word: Some(word), .. } = &mut self
            && let [only] = places(word).as_slice()
        {
            *place = Some(*only);
        }
        self
    }

    /// The hint how to correct the query.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Refused { help, .. } => Some(help),
            Self::Meaning { help, .. } => help.as_deref(),
            Self::Syntax { message, .. } => Some(if one_word_too_many(message) { A_WORD_MORE } else { AMISS }),
        }
    }

    /// The place in the SQL, if known.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Syntax { place, .. } | Self::Meaning { place, .. } | Self::Refused { place, .. } => *place,
        }
    }
}
