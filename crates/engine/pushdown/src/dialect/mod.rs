//! Spellings of SQL in each engine: a table for each (`tables`), without rules.
//!
//! A spelling is the text before and after an operand. The operand is an expression that this crate wrote, a name
//! quoted by [`Dialect::name`], or a constant.

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

/// The type of 64-bit integers, in all dialects.
pub(super) const INTEGER: &str = "BIGINT";
/// The type of integers of 38 digits, in all dialects: sums and products of two 64-bit integers fit in it.
pub(super) const WIDE: &str = "DECIMAL(38,0)";

/// SQL text before and after an operand.
type Affixes = (&'static str, &'static str);

/// The spellings of one dialect.
pub(super) struct Spellings {
    pub(super) double: &'static str,
    pub(super) text: &'static str,
    /// The salt, a text of hexadecimal digits, wherever it is used.
    pub(super) salt: &'static str,
    /// Whether a text is valid UTF-8, the bytes of a text, the text of bytes, and the number of bytes.
    pub(super) is_text: Affixes,
    pub(super) bytes_of: Affixes,
    pub(super) text_of: Affixes,
    pub(super) length_of: Affixes,
    /// Bytes from hexadecimal digits, and lower-case hexadecimal digits of bytes.
    pub(super) bytes: Affixes,
    pub(super) digits_of: Affixes,
    /// SHA-256 of an ASCII text: as bytes, which compare as bytes, and as lower-case hexadecimal digits.
    pub(super) hash: Affixes,
    pub(super) hash_digits: Affixes,
    /// An integer of 24 bits from six hexadecimal digits: the value of the digits, or a hash of them.
    pub(super) number_of: Affixes,
    /// The integer of fifteen hexadecimal digits.
    pub(super) large_number_of: Affixes,
    /// The number of days from 1 January 1970 to a date.
    pub(super) days: Affixes,
    /// Before, between and after two integers of 64 bits, at least 0: the whole part of their quotient.
    pub(super) quotient: (&'static str, &'static str, &'static str),
}

/// Surrounds an expression with a spelling.
pub(super) fn around(around: Affixes, inner: &str) -> String {
    format!("{}{inner}{}", around.0, around.1)
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 3] = [Self::Spark, Self::Postgres, Self::DuckDb];

    /// The dialect of an engine.
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

    /// A quoted name, which the engine takes literally.
    #[must_use]
    pub fn name(self, name: &str) -> String {
        match self {
            Self::Spark => EngineKind::Spark.quoted(name),
            Self::DuckDb => EngineKind::DuckDb.quoted(name),
            Self::Postgres => quoted(name),
        }
    }

    /// A constant of bytes.
    pub(super) fn bytes(self, bytes: &[u8]) -> String {
        around(self.spellings().bytes, &hexadecimal(bytes))
    }
}
