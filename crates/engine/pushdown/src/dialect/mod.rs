//! How engines spell what the statement is made of: a table for each (`tables`), and no rules.
//!
//! A spelling is the text before and the text behind what it is about. Whatever stands between is an expression that was written here, a
//! name that [`Dialect::name`] has quoted, or a constant.

mod tables;

use deniable_core::schema::{EngineKind, quoted};
use deniable_core::text::hexadecimal;

/// An engine's SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// Apache Spark.
    Spark,
    /// PostgreSQL.
    Postgres,
    /// DuckDB, which tests run most often.
    DuckDb,
}

/// The type of whole numbers of 64 bits, in all dialects.
pub(super) const INTEGER: &str = "BIGINT";
/// The type of whole numbers of 38 digits, in all dialects: sums and products of two numbers of 64 bits do not overflow
/// it.
pub(super) const WIDE: &str = "DECIMAL(38,0)";

/// SQL text before and after an operand.
type Affixes = (&'static str, &'static str);

/// The spellings of one dialect.
pub(super) struct Spellings {
    pub(super) double: &'static str,
    pub(super) text: &'static str,
    /// The salt, a text of hexadecimal digits, wherever it is used.
    pub(super) salt: &'static str,
    /// Whether a text is in UTF-8, its bytes, the text of bytes, and how many bytes there are.
    pub(super) is_text: Affixes,
    pub(super) bytes_of: Affixes,
    pub(super) text_of: Affixes,
    pub(super) length_of: Affixes,
    /// Bytes, written as hexadecimal digits; and hexadecimal digits of bytes, in small letters.
    pub(super) bytes: Affixes,
    pub(super) digits_of: Affixes,
    /// SHA-256 of a text in ASCII: as bytes, which are ordered as bytes, and as hexadecimal digits in small letters.
    pub(super) hash: Affixes,
    pub(super) hash_digits: Affixes,
    /// A whole number of 24 bits for six hexadecimal digits: that of the digits, or of a hash of them.
    pub(super) number_of: Affixes,
    /// The days from 1 January 1970 to a day.
    pub(super) days: Affixes,
    /// Around and between two whole numbers of which the second divides the first.
    pub(super) quotient: (&'static str, &'static str, &'static str),
}

/// An expression with what stands around it.
pub(super) fn around(around: Affixes, inner: &str) -> String {
    format!("{}{inner}{}", around.0, around.1)
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Spark, Self::Postgres, Self::DuckDb];

    /// What an engine speaks.
    #[must_use]
    pub fn of(engine: EngineKind) -> Self {
        match engine {
            EngineKind::Spark => Self::Spark,
            EngineKind::DuckDb => Self::DuckDb,
        }
    }

    pub(super) fn spellings(self) -> &'static Spellings {
        match self {
            Self::Spark => &tables::SPARK,
            Self::Postgres => &tables::POSTGRES,
            Self::DuckDb => &tables::DUCK_DB,
        }
    }

    /// A name as the engine takes it letter by letter.
    #[must_use]
    pub fn name(self, name: &str) -> String {
        match self {
            Self::Spark => EngineKind::Spark.quoted(name),
            Self::DuckDb => EngineKind::DuckDb.quoted(name),
            Self::Postgres => quoted(name),
        }
    }

    /// Bytes as a constant.
    pub(super) fn bytes(self, bytes: &[u8]) -> String {
        around(self.spellings().bytes, &hexadecimal(bytes))
    }
}
