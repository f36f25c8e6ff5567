//! Why a query is refused. Refusals depend on the SQL and the policy alone, and quote no value of the data.

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

/// A name in a query that the policy does not declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// No table has it.
    Table,
    /// No column has it.
    Column,
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
        /// Whether a table or column is missing.
        missing: Option<Missing>,
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
    /// SQL that refers to something that is not there, or mixes types that do not mix.
    pub fn meaning(message: impl Into<String>) -> Self {
        Self::Meaning { message: message.into(), help: None, place: None, word: None, missing: None }
    }

    /// A table, or a column, that the policy does not declare, and what to write instead.
    pub fn missing(missing: Missing, message: impl Into<String>, help: impl Into<String>) -> Self {
        let (message, help) = (message.into(), Some(help.into()));
        Self::Meaning { message, help, place: None, word: None, missing: Some(missing) }
    }

    /// SQL outside the allow-list, and what to do instead.
    pub fn refused(construct: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused { construct: construct.into(), help: help.into(), place: None, word: None }
    }

    /// The same with another hint. The hint of a syntax error stays.
    pub fn with_help(mut self, new: String) -> Self {
        match &mut self {
            Self::Refused { help, .. } => *help = new,
            Self::Meaning { help, .. } => *help = Some(new),
            Self::Syntax { .. } => {}
        }
        self
    }

    /// The same about this name, keyword or operator, unless a place or word is known.
    pub fn about(self, name: impl Into<String>) -> Self {
        self.about_word(Word::Name(name.into()))
    }

    /// The same about this text, unless a place or word is known.
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

    /// The same about this keyword alone, where all that is known is the clause or the question that it stands in.
    pub fn narrowed_to(mut self, keyword: impl Into<String>) -> Self {
        match &mut self {
            Self::Syntax { .. } => {}
            Self::Meaning { word, .. } | Self::Refused { word, .. } => *word = Some(Word::Name(keyword.into())),
        }
        self
    }

    /// The same at this place, unless one is known: whoever is nearest to the matter speaks first.
    pub fn at(mut self, new: Option<Place>) -> Self {
        match &mut self {
            Self::Syntax { place, .. } | Self::Meaning { place, .. } | Self::Refused { place, .. } => {
                *place = place.or(new);
            }
        }
        self
    }

    /// The same at the only place where its word stands. A word that stands in several places tells none.
    pub fn found_by(mut self, places: impl Fn(&Word) -> Vec<Place>) -> Self {
        if let Self::Meaning { place, word: Some(word), .. } | Self::Refused { place, word: Some(word), .. } = &mut self
            && let [only] = places(word).as_slice()
        {
            *place = Some(*only);
        }
        self
    }

    /// The hint.
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
