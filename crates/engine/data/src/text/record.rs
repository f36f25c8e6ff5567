//! Parsing of one record of delimited text at a time, with the faults and quirks of its quotes and line ends.
//!
//! The `csv` crate accepts every text: a quote that is never closed extends to the end of the file without an error,
//! and so removes the rows of other people. This parser ends records and fields exactly where that crate does (a test
//! compares them), and reports the errors of a strict parser.

use super::blocks::is_end;
use deniable_core::schema::CsvOptions;
use memchr::{memchr, memchr2, memchr3};

/// A use of quotes that leaves the ends of fields and records unknown. A curator cannot accept it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The text ends within quotes.
    Unclosed,
    /// Text follows a closing quote within the same field.
    AfterQuote,
}

/// A deviation of a record that can be parsed nevertheless. A curator may accept it by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quirk {
    /// A quote within a field that does not begin with one. It is a character of the value.
    BareQuote,
    /// A line end between quotes. It is a character of the value.
    LineEnd,
    /// A record that ends with a carriage return without a line feed.
    LoneReturn,
}

impl Quirk {
    /// Every quirk.
    pub const ALL: [Self; 3] = [Self::BareQuote, Self::LineEnd, Self::LoneReturn];

    /// The name by which a curator accepts it. A column with this name is accepted together with it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BareQuote => "csv:bare-quotes",
            Self::LineEnd => "csv:line-ends",
            Self::LoneReturn => "csv:lone-returns",
        }
    }

    /// The quirk of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quirk| quirk.name() == name)
    }

    /// Describes the quirk of `count` records of a file.
    #[must_use]
    pub fn in_words(self, count: u64) -> String {
        let records = if count == 1 { "record has" } else { "records have" };
        match self {
            Self::BareQuote => format!("{count} {records} a quote within a field that does not begin with one"),
            Self::LineEnd => format!("{count} {records} a line end within a quoted field"),
            Self::LoneReturn => format!("{count} {records} a carriage return without a line feed as their end"),
        }
    }

    /// Describes the quirk of one record.
    #[must_use]
    pub(crate) fn of_a_record(self) -> &'static str {
        match self {
            Self::BareQuote => "a field has a quote within it, and does not begin with one",
            Self::LineEnd => "a quoted field has a line end within it",
            Self::LoneReturn => "the row ends with a carriage return without a line feed",
        }
    }

    /// Suggests a correction in the policy or the file.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::BareQuote => {
                "look there. If the file is written without quoting, state `quote = \"none\"` under [data.csv]; otherwise its writer must \
                 quote the field and double the quotes in it"
            }
            Self::LineEnd => {
                "look there. Most often an unclosed quote absorbs the lines after it; if the file is written without quoting, \
                 state `quote = \"none\"` under [data.csv]"
            }
            Self::LoneReturn => {
                "look there. A carriage return within a text cuts its row in two: quote the field, or replace the character"
            }
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Quirks(u8);

impl Quirks {
    pub(crate) fn add(&mut self, quirk: Quirk) {
        self.0 |= 1 << quirk as u8;
    }

    pub(crate) fn has(self, quirk: Quirk) -> bool {
        self.0 & 1 << quirk as u8 != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The characters with a meaning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marks {
    delimiter: u8,
    quote: Option<u8>,
    /// Whether spaces around fields are trimmed, including those after a closing quote.
    trims: bool,
}

impl Marks {
    pub(crate) fn of(options: &CsvOptions) -> Self {
        Self { delimiter: options.delimiter, quote: options.quote, trims: options.trim }
    }
}

/// The fields of a record without their quotes.
#[derive(Debug, Default)]
pub(crate) struct Record {
    text: Vec<u8>,
    /// The end of each field in the text.
    ends: Vec<usize>,
    /// The first field with a fault.
    fault: Option<(usize, Fault)>,
    quirks: Quirks,
}

impl Record {
    /// Parses the record that begins at `at`, which is not a line end, and returns the offset after its line end. The
    /// bytes end with a whole record or with the file.
    pub(crate) fn read(&mut self, bytes: &[u8], mut at: usize, marks: Marks) -> usize {
        let Marks { delimiter, quote, trims } = marks;
        self.text.clear();
        self.ends.clear();
        self.fault = None;
        self.quirks = Quirks::default();
        loop {
            let opening = quote.filter(|quote| bytes.get(at) == Some(quote));
            if let Some(quote) = opening {
                at = self.quoted(bytes, at + 1, quote);
            }
            let rest = bytes.get(at..).unwrap_or_default();
            let length = memchr3(delimiter, b'\n', b'\r', rest).unwrap_or(rest.len());
            let bare = &rest[..length];
            if opening.is_some() && !bare.iter().all(|byte| trims && *byte == b' ') {
                self.fault.get_or_insert((self.ends.len(), Fault::AfterQuote));
            } else if opening.is_none() && quote.is_some_and(|quote| memchr(quote, bare).is_some()) {
                self.quirks.add(Quirk::BareQuote);
            }
            self.text.extend_from_slice(bare);
            self.ends.push(self.text.len());
            at += length;
            match bytes.get(at) {
                Some(byte) if *byte == delimiter => at += 1,
                Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => return at + 2,
                Some(end) => {
                    if *end == b'\r' {
                        self.quirks.add(Quirk::LoneReturn);
                    }
                    return at + 1;
                }
                None => return at,
            }
        }
    }

    /// Parses a quoted field from `at` on, and returns the offset after the closing quote.
    fn quoted(&mut self, bytes: &[u8], mut at: usize, quote: u8) -> usize {
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let end = memchr(quote, rest);
            let part = &rest[..end.unwrap_or(rest.len())];
            if memchr2(b'\n', b'\r', part).is_some() {
                self.quirks.add(Quirk::LineEnd);
            }
            self.text.extend_from_slice(part);
            at += part.len();
            if end.is_none() {
                self.fault.get_or_insert((self.ends.len(), Fault::Unclosed));
                return at;
            }
            at += 1;
            if bytes.get(at) != Some(&quote) {
                return at;
            }
            self.text.push(quote);
            at += 1;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, field: usize) -> Option<&[u8]> {
        let start = if field == 0 { 0 } else { *self.ends.get(field - 1)? };
        self.text.get(start..*self.ends.get(field)?)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|field| self.get(field))
    }

    pub(crate) fn quirks(&self) -> Quirks {
        self.quirks
    }

    /// Describes the fault of the quotes, without quoting a value.
    pub(crate) fn fault(&self) -> Option<String> {
        let (field, fault) = self.fault?;
        Some(match fault {
            Fault::Unclosed => format!("field {} begins with a quote that is never closed", field + 1),
            Fault::AfterQuote => format!("field {} goes on after its closing quote", field + 1),
        })
    }
}

/// The first record of a text with broken quotes: its line, counted from 1, and its fault, without a value.
#[must_use]
pub fn broken_quotes(text: &[u8], delimiter: u8, quote: u8) -> Option<(u64, String)> {
    let marks = Marks { delimiter, quote: Some(quote), trims: true };
    let (mut at, mut line, mut record) = (0, 1, Record::default());
    while let Some(byte) = text.get(at) {
        if is_end(*byte) {
            line += u64::from(*byte == b'\n');
            at += 1;
            continue;
        }
        let end = record.read(text, at, marks);
        if let Some(fault) = record.fault() {
            return Some((line, fault));
        }
        line += memchr::memchr_iter(b'\n', &text[at..end]).count() as u64;
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_and_quirks_are_distinguished() {
        let marks = Marks::of(&CsvOptions::with_delimiter(b','));
        let read = |text: &str| {
            let mut record = Record::default();
            let end = record.read(text.as_bytes(), 0, marks);
            let fields: Vec<String> = record.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
            let quirks: Vec<Quirk> = Quirk::ALL.into_iter().filter(|quirk| record.quirks().has(*quirk)).collect();
            (fields.join("|"), end, record.fault.map(|(_, fault)| fault), quirks)
        };
        let plain = |fields: &str, end| (fields.to_owned(), end, None, Vec::new());
        assert_eq!(read("a,b\nc"), plain("a|b", 4));
        assert_eq!(read("\"a\",\"\"\r\n"), plain("a|", 8));
        assert_eq!(read("\"a\"\"b\",c"), plain("a\"b|c", 8));
        assert_eq!(read("\"\"\"\"\n"), plain("\"", 5));
        assert_eq!(read("a,\"b"), ("a|b".to_owned(), 4, Some(Fault::Unclosed), vec![]));
        assert_eq!(read("\"a\"\"\n"), ("a\"\n".to_owned(), 5, Some(Fault::Unclosed), vec![Quirk::LineEnd]));
        assert_eq!(read("\"a\"b,c\n"), ("ab|c".to_owned(), 7, Some(Fault::AfterQuote), vec![]));
        assert_eq!(read("\"a\" ,c\n").2, Some(Fault::AfterQuote));
        assert_eq!(read("a\"b,c\n"), ("a\"b|c".to_owned(), 6, None, vec![Quirk::BareQuote]));
        assert_eq!(read("\"a\nb\",c\n"), ("a\nb|c".to_owned(), 8, None, vec![Quirk::LineEnd]));
        assert_eq!(read("a\rb\n"), ("a".to_owned(), 2, None, vec![Quirk::LoneReturn]));
        let mut record = Record::default();
        let unquoted = Marks { delimiter: b'\t', quote: None, trims: false };
        assert_eq!(record.read(b"\"a\tb\"\n", 0, unquoted), 6);
        assert_eq!((record.get(0), record.get(1), record.fault), (Some(&b"\"a"[..]), Some(&b"b\""[..]), None));
        record.read(b"\"a\"  ,\"b\" c", 0, Marks { trims: true, ..marks });
        assert_eq!((record.get(0), record.fault), (Some(&b"a  "[..]), Some((1, Fault::AfterQuote))));
    }

    #[test]
    fn broken_quotes_have_a_line() {
        let line = |text: &str| broken_quotes(text.as_bytes(), b',', b'"').map(|(line, _)| line);
        assert_eq!(line("a,b\n\n\"1\n2\",3\n4,\"5\n"), Some(5));
        assert_eq!(line("a,b\n1,\"2\"x\n"), Some(2));
        assert_eq!(line("a,b\n1,\"2\"\n3,4\"\n"), None);
    }
}
