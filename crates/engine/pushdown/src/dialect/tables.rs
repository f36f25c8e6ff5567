//! The spellings of each dialect; tests run all of them.

use super::Spellings;

pub(super) const SPARK: Spellings = Spellings {
    double: "DOUBLE",
    text: "STRING",
    salt: ":salt",
    is_text: ("is_valid_utf8(", ")"),
    // `encode` fails on invalid UTF-8.
    bytes_of: ("CAST(", " AS BINARY)"),
    text_of: ("CAST(", " AS STRING)"),
    length_of: ("octet_length(", ")"),
    bytes: ("X'", "'"),
    digits_of: ("lower(hex(", "))"),
    hash: ("unhex(sha2(", ", 256))"),
    hash_digits: ("sha2(", ", 256)"),
    // By far the fastest function of Spark for this.
    number_of: ("(xxhash64(", ") & 16777215)"),
    large_number_of: ("CAST(conv(", ", 16, 10) AS BIGINT)"),
    days: ("CAST(datediff(", ", DATE '1970-01-01') AS BIGINT)"),
    quotient: ("", " DIV ", ""),
};

pub(super) const POSTGRES: Spellings = Spellings {
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
    number_of: ("CAST(CAST('x' || ", " AS BIT(24)) AS BIGINT)"),
    large_number_of: ("CAST(CAST('x0' || ", " AS BIT(64)) AS BIGINT)"),
    days: ("CAST((", " - DATE '1970-01-01') AS BIGINT)"),
    quotient: ("", " / ", ""),
};

pub(super) const DUCK_DB: Spellings = Spellings {
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
    large_number_of: ("CAST('0x' || ", " AS BIGINT)"),
    days: ("CAST((", " - DATE '1970-01-01') AS BIGINT)"),
    quotient: ("", " // ", ""),
};
