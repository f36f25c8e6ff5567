//! The spellings of each dialect. Those of Spark, PostgreSQL and DuckDB are run by the tests; the others are written by their manuals.

use super::Spellings;

pub(super) const SPARK: Spellings = Spellings {
    integer: "BIGINT",
    wide: "DECIMAL(38,0)",
    double: "DOUBLE",
    text: "STRING",
    boolean: "BOOLEAN",
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
    // By far the fastest that Spark has.
    number_of: ("(xxhash64(", ") & 16777215)"),
    days: ("CAST(datediff(", ", DATE '1970-01-01') AS BIGINT)"),
    quotient: ("", " DIV ", ""),
    least_of_present: true,
    has_values: true,
};

pub(super) const POSTGRES: Spellings = Spellings {
    integer: "BIGINT",
    wide: "DECIMAL(38,0)",
    double: "DOUBLE PRECISION",
    text: "TEXT",
    boolean: "BOOLEAN",
    salt: "CAST($1 AS TEXT)",
    is_text: ("(", " IS NOT NULL)"),
    bytes_of: ("convert_to(CAST(", " AS TEXT), 'UTF8')"),
    text_of: ("convert_from(", ", 'UTF8')"),
    length_of: ("octet_length(CAST(", " AS TEXT))"),
    bytes: ("CAST('\\x", "' AS BYTEA)"),
    digits_of: ("encode(", ", 'hex')"),
    hash: ("sha256(convert_to(", ", 'UTF8'))"),
    hash_digits: ("encode(sha256(convert_to(", ", 'UTF8')), 'hex')"),
    number_of: ("CAST(CAST('x' || ", " AS BIT(24)) AS BIGINT)"),
    days: ("CAST((", " - DATE '1970-01-01') AS BIGINT)"),
    quotient: ("", " / ", ""),
    least_of_present: true,
    has_values: true,
};

pub(super) const DUCK_DB: Spellings = Spellings {
    integer: "BIGINT",
    wide: "DECIMAL(38,0)",
    double: "DOUBLE",
    text: "VARCHAR",
    boolean: "BOOLEAN",
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
    quotient: ("", " // ", ""),
    least_of_present: true,
    has_values: true,
};

/// By its manual.
pub(super) const SNOWFLAKE: Spellings = Spellings {
    integer: "BIGINT",
    wide: "DECIMAL(38,0)",
    double: "DOUBLE",
    text: "VARCHAR",
    boolean: "BOOLEAN",
    // A variable of the session.
    salt: "$SALT",
    is_text: ("(", " IS NOT NULL)"),
    bytes_of: ("TO_BINARY(", ", 'UTF-8')"),
    text_of: ("TO_VARCHAR(", ", 'UTF-8')"),
    length_of: ("OCTET_LENGTH(", ")"),
    bytes: ("TO_BINARY('", "', 'HEX')"),
    digits_of: ("HEX_ENCODE(", ", 0)"),
    hash: ("SHA2_BINARY(", ", 256)"),
    hash_digits: ("SHA2(", ", 256)"),
    number_of: ("TO_NUMBER(", ", 'XXXXXX')"),
    days: ("DATEDIFF('day', DATE '1970-01-01', ", ")"),
    // Its division gives fractions.
    quotient: ("CAST(", " / ", " AS BIGINT)"),
    least_of_present: false,
    has_values: false,
};

/// By its manual.
pub(super) const BIG_QUERY: Spellings = Spellings {
    integer: "INT64",
    wide: "BIGNUMERIC(38,0)",
    double: "FLOAT64",
    text: "STRING",
    boolean: "BOOL",
    salt: "@salt",
    is_text: ("(", " IS NOT NULL)"),
    bytes_of: ("CAST(", " AS BYTES)"),
    text_of: ("CAST(", " AS STRING)"),
    length_of: ("BYTE_LENGTH(", ")"),
    bytes: ("FROM_HEX('", "')"),
    digits_of: ("TO_HEX(", ")"),
    hash: ("SHA256(", ")"),
    hash_digits: ("TO_HEX(SHA256(", "))"),
    number_of: ("CAST(CONCAT('0x', ", ") AS INT64)"),
    days: ("DATE_DIFF(", ", DATE '1970-01-01', DAY)"),
    quotient: ("DIV(", ", ", ")"),
    least_of_present: false,
    has_values: false,
};

/// By its manual.
pub(super) const TRINO: Spellings = Spellings {
    integer: "BIGINT",
    wide: "DECIMAL(38,0)",
    double: "DOUBLE",
    text: "VARCHAR",
    boolean: "BOOLEAN",
    // Each is a parameter of its own, and all of them are the salt.
    salt: "?",
    is_text: ("(", " IS NOT NULL)"),
    bytes_of: ("to_utf8(CAST(", " AS VARCHAR))"),
    text_of: ("from_utf8(", ")"),
    length_of: ("length(to_utf8(CAST(", " AS VARCHAR)))"),
    bytes: ("X'", "'"),
    digits_of: ("lower(to_hex(", "))"),
    hash: ("sha256(to_utf8(", "))"),
    hash_digits: ("lower(to_hex(sha256(to_utf8(", "))))"),
    number_of: ("from_base(", ", 16)"),
    days: ("date_diff('day', DATE '1970-01-01', ", ")"),
    quotient: ("", " / ", ""),
    least_of_present: false,
    has_values: true,
};
