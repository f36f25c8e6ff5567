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
    /// DuckDB, whose SQL is tested soonest.
    DuckDb,
    /// Snowflake: written by its manual, and run by nobody so far.
    Snowflake,
    /// BigQuery: written by its manual, and run by nobody so far.
    BigQuery,
    /// Trino: written by its manual, and run by nobody so far.
    Trino,
}

/// Before and behind.
type Around = (&'static str, &'static str);

/// The spellings of one dialect.
pub(super) struct Spellings {
    /// Types; the wide one holds whole numbers of 38 digits, in which no two of 64 bits overflow.
    pub(super) integer: &'static str,
    pub(super) wide: &'static str,
    pub(super) double: &'static str,
    pub(super) text: &'static str,
    pub(super) boolean: &'static str,
    /// The salt, a text of hexadecimal digits, wherever it is used.
    pub(super) salt: &'static str,
    /// Whether a text is in UTF-8, its bytes, the text of bytes, and how many bytes there are.
    pub(super) is_text: Around,
    pub(super) bytes_of: Around,
    pub(super) text_of: Around,
    pub(super) length_of: Around,
    /// Bytes, written as hexadecimal digits; and hexadecimal digits of bytes, in small letters.
    pub(super) bytes: Around,
    pub(super) digits_of: Around,
    /// SHA-256 of a text in ASCII: as bytes, which are ordered as bytes, and as hexadecimal digits in small letters.
    pub(super) hash: Around,
    pub(super) hash_digits: Around,
    /// A whole number of 24 bits for six hexadecimal digits: that of the digits, or of a hash of them.
    pub(super) number_of: Around,
    /// The days from 1 January 1970 to a day.
    pub(super) days: Around,
    /// Around and between two whole numbers of which the second divides the first.
    pub(super) quotient: (&'static str, &'static str, &'static str),
    /// Whether LEAST and GREATEST pass over NULL.
    pub(super) least_of_present: bool,
    /// Whether rows that stand in a statement are `VALUES`; if not, they are queries of one row each.
    pub(super) has_values: bool,
}

/// An expression with what stands around it.
pub(super) fn around(around: Around, inner: &str) -> String {
    format!("{}{inner}{}", around.0, around.1)
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Spark, Self::Postgres, Self::DuckDb, Self::Snowflake, Self::BigQuery, Self::Trino];
    /// Those that tests run.
    pub const TESTED: [Self; 3] = [Self::Spark, Self::Postgres, Self::DuckDb];

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
            Self::Snowflake => &tables::SNOWFLAKE,
            Self::BigQuery => &tables::BIG_QUERY,
            Self::Trino => &tables::TRINO,
        }
    }

    /// A name as the engine takes it letter by letter.
    #[must_use]
    pub fn name(self, name: &str) -> String {
        match self {
            Self::Spark => EngineKind::Spark.quoted(name),
            Self::DuckDb => EngineKind::DuckDb.quoted(name),
            Self::Postgres | Self::Snowflake | Self::Trino => quoted(name),
            // Names are written as texts are.
            Self::BigQuery => format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`")),
        }
    }

    /// Bytes as a constant.
    pub(super) fn bytes(self, bytes: &[u8]) -> String {
        around(self.spellings().bytes, &hexadecimal(bytes))
    }
}
