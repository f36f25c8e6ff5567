//! How engines spell what the statement is made of: a table, and no rules.
//!
//! A spelling is the text before and the text behind what it is about. Whatever stands between is an expression that was written here, a
//! name that [`Dialect::name`] has quoted, or a constant.

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
}

/// Before and behind.
type Around = (&'static str, &'static str);

/// The spellings of one dialect.
pub(super) struct Spellings {
    /// Types.
    pub(super) integer: &'static str,
    pub(super) double: &'static str,
    pub(super) text: &'static str,
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
    /// The whole number of at most 15 hexadecimal digits.
    pub(super) number_of: Around,
    /// The days from 1 January 1970 to a day.
    pub(super) days: Around,
    /// Between two whole numbers of which the second divides the first.
    pub(super) quotient: &'static str,
}

const SPARK: Spellings = Spellings {
    integer: "BIGINT",
    double: "DOUBLE",
    text: "STRING",
    salt: ":salt",
    is_text: ("is_valid_utf8(", ")"),
    // `encode` fails on texts that are not in UTF-8.
    bytes_of: ("CAST(", " AS BINARY)"),
    text_of: ("CAST(", " AS STRING)"),
    length_of: ("octet_length(", ")"),
    bytes: ("X'", "'"),
    digits_of: ("lower(hex(", "))"),
    hash: ("unhex(sha2(", ", 256))"),
    hash_digits: ("sha2(", ", 256)"),
    number_of: ("CAST(conv(", ", 16, 10) AS BIGINT)"),
    days: ("CAST(datediff(", ", DATE '1970-01-01') AS BIGINT)"),
    quotient: " DIV ",
};

const POSTGRES: Spellings = Spellings {
    integer: "BIGINT",
    double: "DOUBLE PRECISION",
    text: "TEXT",
    salt: "CAST($1 AS TEXT)",
    is_text: ("(", " IS NOT NULL)"),
    bytes_of: ("convert_to(CAST(", " AS TEXT), 'UTF8')"),
    text_of: ("convert_from(", ", 'UTF8')"),
    length_of: ("octet_length(CAST(", " AS TEXT))"),
    bytes: ("CAST('\\x", "' AS BYTEA)"),
    digits_of: ("encode(", ", 'hex')"),
    hash: ("sha256(convert_to(", ", 'UTF8'))"),
    hash_digits: ("encode(sha256(convert_to(", ", 'UTF8')), 'hex')"),
    number_of: ("CAST(CAST('x' || ", " AS BIT(60)) AS BIGINT)"),
    days: ("CAST((", " - DATE '1970-01-01') AS BIGINT)"),
    quotient: " / ",
};

const DUCK_DB: Spellings = Spellings {
    integer: "BIGINT",
    double: "DOUBLE",
    text: "VARCHAR",
    salt: "$salt",
    is_text: ("(", " IS NOT NULL)"),
    bytes_of: ("encode(CAST(", " AS VARCHAR))"),
    text_of: ("decode(", ")"),
    length_of: ("octet_length(encode(CAST(", " AS VARCHAR)))"),
    bytes: ("from_hex('", "')"),
    digits_of: ("lower(hex(", "))"),
    hash: ("from_hex(sha256(", "))"),
    hash_digits: ("sha256(", ")"),
    number_of: ("CAST('0x' || ", " AS BIGINT)"),
    days: ("CAST((", " - DATE '1970-01-01') AS BIGINT)"),
    quotient: " // ",
};

/// An expression with what stands around it.
pub(super) fn around(around: Around, inner: &str) -> String {
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
            Self::Spark => &SPARK,
            Self::Postgres => &POSTGRES,
            Self::DuckDb => &DUCK_DB,
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
