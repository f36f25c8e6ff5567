//! Detection of headers that may be a row of data, which must not be copied into a policy.
//!
//! Errors do not quote a first line, because it may be a row: they name a column by its position alone.

use crate::text::is_hidden;
use std::collections::BTreeSet;
use std::fmt;

/// Most columns of a table for `deniable init`.
pub const MOST_COLUMNS: usize = 10_000;
/// Longest name of a column for `deniable init`, in characters.
pub const LONGEST_NAME: usize = 128;

/// Reason why names of columns are rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotNames {
    /// Too many columns, or no columns.
    Columns {
        /// Their number.
        found: usize,
    },
    /// A name that looks like a value.
    Column {
        /// Its position, from 1.
        column: usize,
        /// The kind of value.
        looks: Looks,
    },
    /// Two equal names.
    Twice {
        /// The position of the first, from 1.
        first: usize,
        /// The position of the second.
        second: usize,
    },
}

/// Kind of value that a text looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// An empty text.
    Empty,
    /// Longer than [`LONGEST_NAME`].
    Long,
    /// Text with line breaks or other invisible characters.
    Hidden,
    /// A part of JSON.
    Json,
    /// An e-mail address.
    Address,
    /// A day or a time.
    Time,
    /// A number, or anything else without a letter.
    Number,
    /// An identifier: many digits, or none but hexadecimal ones.
    Identifier,
    /// A keyword value: `true`, `NULL`.
    Word,
}

impl fmt::Display for NotNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Columns { found: 0 } => f.write_str("it has no columns"),
            Self::Columns { found } => {
                write!(f, "it has {found} columns; at most {MOST_COLUMNS} are taken for a table")
            }
            Self::Column { column, looks } => write!(f, "what should be the name of column {column} {looks}"),
            Self::Twice { first, second } => write!(f, "columns {first} and {second} have the same name"),
        }
    }
}

impl fmt::Display for Looks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("is empty"),
            Self::Long => write!(f, "is longer than {LONGEST_NAME} characters"),
            Self::Hidden => f.write_str("contains line breaks or other characters that are not seen"),
            Self::Json => f.write_str("looks like JSON"),
            Self::Address => f.write_str("looks like an e-mail address"),
            Self::Time => f.write_str("looks like a day or a time"),
            Self::Number => f.write_str("reads as a number, or has no letter in it"),
            Self::Identifier => f.write_str("looks like an identifier"),
            Self::Word => f.write_str("is a word for a value"),
        }
    }
}

/// Checks that these look like the names of a table's columns, and not like a row of it.
///
/// Only the first name may be empty: pandas and R write row numbers in this form.
///
/// # Errors
/// The position of the first rejected column, and the reason.
pub fn are_names(names: &[String]) -> Result<(), NotNames> {
    if names.is_empty() || names.len() > MOST_COLUMNS {
        return Err(NotNames::Columns { found: names.len() });
    }
    let is_row_number = |at: usize, name: &str| at == 0 && names.len() > 1 && name.is_empty();
    for (at, name) in names.iter().enumerate() {
        if let Some(looks) = looks(name).filter(|_| !is_row_number(at, name)) {
            return Err(NotNames::Column { column: at + 1, looks });
        }
    }
    let mut seen = BTreeSet::new();
    for (at, name) in names.iter().enumerate() {
        if !seen.insert(name.trim()) {
            let first = names.iter().position(|other| other.trim() == name.trim()).unwrap_or_default();
            return Err(NotNames::Twice { first: first + 1, second: at + 1 });
        }
    }
    Ok(())
}

/// The kind of value that a name looks like, if any.
fn looks(name: &str) -> Option<Looks> {
    let name = name.trim();
    let digits = name.chars().filter(|c| c.is_numeric()).count();
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    let is_hex = |c: char| c.is_ascii_hexdigit() || c == '-';
    Some(match () {
        () if name.is_empty() => Looks::Empty,
        () if name.chars().nth(LONGEST_NAME).is_some() => Looks::Long,
        () if name.contains(is_hidden) => Looks::Hidden,
        () if name.contains(['{', '}', '"']) || name.starts_with(['[', ':', ']']) => Looks::Json,
        () if name.contains('@') => Looks::Address,
        () if has_day(name) || is_time_in_words(name) => Looks::Time,
        () if letters == 0 || is_scientific(name) => Looks::Number,
        () if longest_run(name) >= 6 || (longest_run(name) >= 5 && letters <= 2) => Looks::Identifier,
        () if digits > 0 && name.len() >= 16 && name.chars().all(is_hex) => Looks::Identifier,
        () if ["true", "false", "null", "nan", "none", "n/a"].contains(&name.to_ascii_lowercase().as_str()) => {
            Looks::Word
        }
        () if name == "NA" => Looks::Word,
        () => return None,
    })
}

fn longest_run(name: &str) -> usize {
    name.split(|c: char| !c.is_numeric()).map(|run| run.chars().count()).max().unwrap_or_default()
}

/// `-1.5e-7`, `1E6`, `0x1F`.
fn is_scientific(name: &str) -> bool {
    name.parse::<f64>().is_ok()
        || name.strip_prefix("0x").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_hexdigit()))
}

/// Whether it contains `2024-12-31` or `31.12.24`: three numbers of up to four digits with one kind of mark between
/// them.
fn has_day(name: &str) -> bool {
    ['-', '/', '.'].into_iter().any(|mark| {
        let parts: Vec<&str> = name.split(mark).collect();
        parts.windows(3).any(|part| {
            let [first, middle, last] = part else { return false };
            let number = |text: &str| (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            // The digits next to the marks.
            let first = first.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            let last = last.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            number(first) && middle.len() <= 2 && number(middle) && number(last) && (first.len() + last.len() > 2)
        })
    })
}

/// `5 Jan 2024`, `Monday, 10:30 pm`: digits, and words of the calendar alone.
fn is_time_in_words(name: &str) -> bool {
    const BEGIN: [&str; 19] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mon", "tue", "wed", "thu",
        "fri", "sat", "sun",
    ];
    const WHOLE: [&str; 8] = ["am", "pm", "t", "z", "utc", "gmt", "h", "st"];
    let name = name.to_ascii_lowercase();
    let has_digit = name.contains(|c: char| c.is_ascii_digit());
    let mut words = name.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).peekable();
    let long = [
        "uary", "ruary", "ch", "il", "e", "y", "ust", "tember", "t", "ober", "ember", "day", "sday", "nesday", "rsday",
        "urday",
    ];
    let of_calendar = |word: &str| {
        WHOLE.contains(&word)
            || word.get(..3).is_some_and(|begin| BEGIN.contains(&begin))
                && word.get(3..).is_some_and(|rest| rest.is_empty() || long.contains(&rest))
    };
    // `5 pm` is a time, `PM2.5` is not.
    let is_day = |word: &str| !WHOLE.contains(&word) && of_calendar(word);
    let begins = name.starts_with(|c: char| c.is_ascii_digit()) || words.clone().any(is_day);
    has_digit && begins && words.peek().is_some() && words.all(of_calendar)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(names: &[&str]) -> Result<(), NotNames> {
        are_names(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names() {
        for name in [
            "a",
            "patient",
            "hours per week",
            "Größe (cm)",
            "of_1990",
            "born2",
            "x_01",
            "icd10",
            "Weight [kg]",
            "F",
            "Na",
            "no",
            "名前",
            "bp.systolic",
            "sales_may",
            "may",
            "second",
            "date",
            "q1_2024",
            "PM2.5",
            "v1.2",
            "rs1234",
            "May",
            "p-value",
            "30-day mortality",
            "HLA-DRB1*04:01",
            "日本2024",
            "e",
            "ward 3",
            "7-day-avg",
        ] {
            assert_eq!(looks(name), None, "{name}");
        }
        assert_eq!(checked(&["", "a", "b"]), Ok(()));
    }

    #[test]
    fn values() {
        for (looked, values) in [
            (Looks::Empty, &["", "  "] as &[&str]),
            (Looks::Hidden, &["a\nb", "a\u{1b}[2J", "a\u{202e}b", "a\0"]),
            (Looks::Json, &["{a: 1", "\"a\"", "[1", "a}", ":1", "{\"name\":\"Miller\""]),
            (Looks::Address, &["miller@example.org", "@home"]),
            (
                Looks::Time,
                &[
                    "2024-12-31",
                    "31.12.2024",
                    "1/2/24",
                    "2024-12-31T10:00:00Z",
                    "2024-01-01 12:00",
                    "5 Jan 2024",
                    "05-MAR-2021",
                    "January 5",
                    "Mon 10:30 pm",
                    "12 September 1985",
                    "born 1985-05-07",
                    "Tuesday 7",
                    "5 pm",
                ],
            ),
            (
                Looks::Number,
                &["1", "-1.5", "12,50", "1.0", "1e5", "75%", "$5", "+49 170 1234567", "10:30", "-", "?", "1.5E-7"],
            ),
            (
                Looks::Identifier,
                &["P123456", "A12345", "PT00123", "123456789X", "DE89370400440532013000", "deadbeef00112233"],
            ),
            (Looks::Identifier, &["123e4567-e89b-12d3-a456-426614174000"]),
            (Looks::Word, &["true", "FALSE", "null", "NaN", "NA", "N/A", "None"]),
        ] {
            for value in values {
                let found = looks(value);
                assert!(found == Some(looked) || (*value == "NaN" && found.is_some()), "{value}: {found:?}");
            }
        }
        assert_eq!((looks(&"n".repeat(128)), looks(&"ä".repeat(129))), (None, Some(Looks::Long)));
    }

    #[test]
    fn errors_quote_no_names() {
        let said = |names: &[&str]| checked(names).unwrap_err().to_string();
        assert_eq!(
            said(&["Miller", "1985"]),
            "what should be the name of column 2 reads as a number, or has no letter in it"
        );
        assert_eq!(said(&["zip", "age", "zip "]), "columns 1 and 3 have the same name");
        assert_eq!(said(&["a", ""]), "what should be the name of column 2 is empty");
        assert_eq!(said(&[""]), "what should be the name of column 1 is empty");
        assert_eq!(said(&[]), "it has no columns");
        let many: Vec<String> = (0..=MOST_COLUMNS).map(|at| format!("col{at}")).collect();
        assert!(are_names(&many[1..]).is_ok());
        assert_eq!(
            are_names(&many).unwrap_err().to_string(),
            "it has 10001 columns; at most 10000 are taken for a table"
        );
    }
}
