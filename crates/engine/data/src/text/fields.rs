//! Parses blocks of text into the fields of the columns that are read.
//!
//! In blocks of valid text, fields are slices of the block. From the first record on with a field that is not a slice,
//! such as one with a doubled quote, the block is parsed record by record ([`Record`]); tests compare both with the
//! `csv` crate.

use super::blocks::is_end;
use super::record::{Marks, Quirk, Quirks, Record};
use super::{Block, Layout, REPLACEMENT};
use memchr::{memchr, memchr3_iter, memmem};

/// Maximum number of rows of a chunk.
const CHUNK_ROWS: usize = 8_192;
/// Bytes of fields that complete a chunk, whatever the number of its rows.
const CHUNK_BYTES: usize = 8 << 20;

/// The fields of one column, one per row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a> {
    text: &'a str,
    /// The begin and end of each field in the text.
    spans: &'a [(usize, usize)],
}

/// The span of a field that is not valid text, or is too long for a value.
const NOTHING: (usize, usize) = (usize::MAX, 0);

impl<'a> Fields<'a> {
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The fields; NULL for a field that is not valid text or is too long for a value; an empty field is an empty text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&'a str>> + Clone + use<'a> {
        let (text, spans) = (self.text, self.spans);
        // The span of an invalid field begins beyond the text.
        spans.iter().map(move |(start, end)| text.get(*start..*end))
    }
}

/// A broken record: the line on which it begins, counted from 1, and its fault, without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrokenRecord {
    pub(crate) line: u64,
    pub(crate) what: String,
}

/// The findings of a check on some records; empty for other readers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Remarks<'a> {
    /// The broken records.
    pub(crate) broken: &'a [BrokenRecord],
    /// The records with quirks, by the line on which they begin, counted from 1, including the header.
    pub(crate) quirks: &'a [(u64, Quirks)],
}

/// A batch of records: their lines, and their columns.
pub(crate) struct Chunk<'a> {
    pub(crate) rows: usize,
    /// The line of each record, counted from 1; empty if not requested.
    pub(crate) lines: &'a [u64],
    pub(crate) remarks: Remarks<'a>,
    pub(crate) columns: Vec<Fields<'a>>,
}

/// The treatment of broken records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnevenRecords {
    /// A record with a wrong number of fields, or with broken quotes, ends the reading; a field that is not valid text
    /// is NULL. Lines are not counted.
    Ends,
    /// Such records are reported with their lines, and left out. Quirks are reported as well.
    Told,
}

/// Parses a block into chunks of records.
pub(crate) struct Parser<'a> {
    layout: &'a Layout,
    block: &'a Block,
    uneven: UnevenRecords,
    longest: usize,
    way: Way<'a>,
    lines: Vec<u64>,
    broken: Vec<BrokenRecord>,
    quirks: Vec<(u64, Quirks)>,
    /// For each column, the spans of its fields in the text.
    spans: Vec<Vec<(usize, usize)>>,
    /// Bytes of these fields.
    bytes: usize,
}

enum Way<'a> {
    /// The block itself is the text; `at` is the current offset, on line `line`. `ends` are the ends of the fields of a
    /// record, and `turns` means that the next record must be parsed as a [`Record`].
    Direct { text: &'a str, at: usize, line: u64, skips_header: bool, ends: Vec<(usize, usize)>, turns: bool },
    /// Fields are copied into a text.
    Copied { at: usize, line: u64, skips_header: bool, record: Record, text: String },
}

impl<'a> Parser<'a> {
    /// `longest` is the maximum length of a value in bytes.
    pub(crate) fn new(block: &'a Block, layout: &'a Layout, uneven: UnevenRecords, longest: usize) -> Self {
        let skips_header = block.is_first && layout.options.columns.is_none();
        let way = direct(block, layout, uneven).map_or_else(
            || copied(0, block.line, skips_header),
            |text| {
                let ends = Vec::new();
                Way::Direct { text, at: 0, line: block.line, skips_header, ends, turns: false }
            },
        );
        let (lines, broken, quirks) = (Vec::new(), Vec::new(), Vec::new());
        let spans = vec![Vec::new(); layout.positions.len()];
        Self { layout, block, uneven, longest, way, lines, broken, quirks, spans, bytes: 0 }
    }

    /// The next records; `Some(None)` after the last, `None` if one of them ends the reading.
    pub(crate) fn next(&mut self) -> Option<Option<Chunk<'_>>> {
        self.lines.clear();
        self.broken.clear();
        self.quirks.clear();
        self.bytes = 0;
        self.spans.iter_mut().for_each(Vec::clear);
        let mut rows = self.next_direct()?;
        if let Way::Direct { at, line, skips_header, turns: true, .. } = self.way
            && rows == 0
            && self.has_no_remarks()
        {
            self.way = copied(at, line, skips_header);
        }
        if let Way::Copied { .. } = self.way {
            rows = self.next_copied()?;
        }
        if rows == 0 && self.has_no_remarks() {
            return Some(None);
        }
        let text = match &self.way {
            Way::Direct { text, .. } => text,
            Way::Copied { text, .. } => text.as_str(),
        };
        let columns = self.spans.iter().map(|spans| Fields { text, spans }).collect();
        let remarks = Remarks { broken: &self.broken, quirks: &self.quirks };
        Some(Some(Chunk { rows, lines: &self.lines, remarks, columns }))
    }

    fn has_no_remarks(&self) -> bool {
        self.broken.is_empty() && self.quirks.is_empty()
    }

    fn next_direct(&mut self) -> Option<usize> {
        let Way::Direct { text, at, line, skips_header, ends, turns } = &mut self.way else { return Some(0) };
        let delimiter = self.layout.options.delimiter;
        // A block without quotes need not be searched for them.
        let quote = self.layout.options.quote.filter(|_| self.block.has_quotes);
        let is_told = self.uneven == UnevenRecords::Told;
        let mut quirks = Quirks::default();
        let mut rows = 0;
        let (mut record, mut field) = (*at, *at);
        // Line ends between the quotes of the record.
        let mut quoted_lines = 0;
        let bytes = text.as_bytes();
        // The next quote, searched for only to distinguish fields without quotes from fields that contain one.
        let mut next_quote = None;
        let mut stops = memchr3_iter(delimiter, b'\n', b'\r', &bytes[*at..]).map(|stop| stop + *at);
        while record < bytes.len() && rows < CHUNK_ROWS && self.bytes < CHUNK_BYTES && self.broken.len() < CHUNK_ROWS {
            let mut stop = stops.next().unwrap_or(bytes.len());
            let mut span = (field, stop);
            if let Some(quote) = quote
                && bytes.get(field) == Some(&quote)
            {
                let Some(end) = end_of_quoted(bytes, field + 1, delimiter, quote) else {
                    *turns = true;
                    ends.clear();
                    break;
                };
                span = (field + 1, end);
                // Delimiters and line ends between quotes have no meaning.
                while stop < end {
                    quoted_lines += u64::from(bytes[stop] == b'\n');
                    if is_told && is_end(bytes[stop]) {
                        quirks.add(Quirk::LineEnd);
                    }
                    stop = stops.next().unwrap_or(bytes.len());
                }
            } else if let Some(quote) = quote.filter(|_| is_told) {
                let known = next_quote.filter(|at| *at >= field);
                let at = known.unwrap_or_else(|| memchr(quote, &bytes[field..]).map_or(bytes.len(), |at| field + at));
                next_quote = Some(at);
                if at < stop {
                    quirks.add(Quirk::BareQuote);
                }
            }
            let byte = bytes.get(stop).copied().unwrap_or(b'\n');
            if byte == delimiter {
                ends.push(span);
                field = stop + 1;
                continue;
            }
            let is_blank = ends.is_empty() && field == stop;
            if is_told && !is_blank {
                if byte == b'\r' && bytes.get(stop + 1) != Some(&b'\n') {
                    quirks.add(Quirk::LoneReturn);
                }
                if !quirks.is_empty() {
                    self.quirks.push((*line, std::mem::take(&mut quirks)));
                }
            }
            if !is_blank && std::mem::take(skips_header) {
                ends.clear();
            } else if !is_blank {
                ends.push(span);
                if ends.len() == self.layout.width {
                    for (spans, position) in self.spans.iter_mut().zip(&self.layout.positions) {
                        let (start, end) = ends.get(*position).copied().unwrap_or(NOTHING);
                        let is_short = end.saturating_sub(start) <= self.longest;
                        spans.push(if is_short { (start, end) } else { NOTHING });
                    }
                    self.bytes += stop - record;
                    rows += 1;
                    if is_told {
                        self.lines.push(*line);
                    }
                } else if !is_told {
                    return None;
                } else {
                    let what = self.layout.uneven(ends.len());
                    self.broken.push(BrokenRecord { line: *line, what });
                }
                ends.clear();
            }
            *line += std::mem::take(&mut quoted_lines) + u64::from(byte == b'\n');
            record = stop + 1;
            field = record;
        }
        *at = record.min(bytes.len());
        Some(rows)
    }

    fn next_copied(&mut self) -> Option<usize> {
        let Way::Copied { at, line, skips_header, record, text } = &mut self.way else { return Some(0) };
        let bytes = self.block.bytes.as_slice();
        let is_told = self.uneven == UnevenRecords::Told;
        let marks = Marks::of(&self.layout.options);
        text.clear();
        let mut rows = 0;
        while rows < CHUNK_ROWS && text.len() < CHUNK_BYTES && self.broken.len() < CHUNK_ROWS {
            let Some(byte) = bytes.get(*at) else { break };
            if is_end(*byte) {
                *line += u64::from(*byte == b'\n');
                *at += 1;
                continue;
            }
            let begin = *line;
            let end = record.read(bytes, *at, marks);
            *line += memchr::memchr_iter(b'\n', &bytes[*at..end]).count() as u64;
            *at = end;
            if is_told && !record.quirks().is_empty() {
                self.quirks.push((begin, record.quirks()));
            }
            if std::mem::take(skips_header) {
                continue;
            }
            if is_told {
                if let Some(what) = self.layout.broken(record) {
                    self.broken.push(BrokenRecord { line: begin, what });
                    continue;
                }
                self.lines.push(begin);
            } else if record.len() != self.layout.width || record.fault().is_some() {
                return None;
            }
            for (spans, position) in self.spans.iter_mut().zip(&self.layout.positions) {
                let field = record.get(*position).filter(|field| field.len() <= self.longest);
                let field = field.and_then(|field| std::str::from_utf8(field).ok());
                spans.push(field.map_or(NOTHING, |field| {
                    let start = text.len();
                    text.push_str(field);
                    (start, text.len())
                }));
            }
            rows += 1;
        }
        Some(rows)
    }
}

/// The text of a block, if its fields are slices of it.
fn direct<'a>(block: &'a Block, layout: &Layout, uneven: UnevenRecords) -> Option<&'a str> {
    let is_plain = layout.options.delimiter.is_ascii() && layout.options.quote.is_none_or(|quote| quote.is_ascii());
    let text = std::str::from_utf8(&block.bytes).ok().filter(|_| is_plain)?;
    // A decoder may have replaced invalid bytes: the check inspects each field.
    if uneven == UnevenRecords::Told && !layout.is_utf_8() && memmem::find(text.as_bytes(), REPLACEMENT).is_some() {
        return None;
    }
    Some(text)
}

/// Parses record by record, from this offset and line of the block on.
fn copied<'a>(at: usize, line: u64, skips_header: bool) -> Way<'a> {
    Way::Copied { at, line, skips_header, record: Record::default(), text: String::new() }
}

/// The end of a quoted field that is a slice of the text; `None` if it contains a doubled quote, or text follows the
/// closing quote.
fn end_of_quoted(bytes: &[u8], start: usize, delimiter: u8, quote: u8) -> Option<usize> {
    let end = start + memchr(quote, &bytes[start..])?;
    let is_last = bytes.get(end + 1).is_none_or(|next| *next == delimiter || is_end(*next));
    is_last.then_some(end)
}

#[cfg(test)]
mod tests {
    use super::super::Blocks;
    use super::*;
    use csv::ByteRecord;
    use deniable_core::schema::CsvOptions;
    use proptest::prelude::*;
    use std::io::Cursor;
    use std::path::Path;
    use std::sync::Arc;

    /// The content of a file: rows with their lines, broken records, quirks, and whether the file can be read
    /// completely.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct ParsedText {
        rows: Vec<(u64, Vec<Option<String>>)>,
        broken: Vec<BrokenRecord>,
        quirks: Vec<(u64, Quirks)>,
        is_whole: bool,
    }

    fn layout(encoding: &str, has_header: bool) -> Layout {
        let columns = (!has_header).then(|| ["a", "b", "c"].map(str::to_owned).to_vec());
        let options = CsvOptions { encoding: encoding.to_owned(), columns, ..CsvOptions::with_delimiter(b',') };
        Layout { options, width: 3, positions: vec![2, 0] }
    }

    /// Longer fields are not values.
    const LONGEST: usize = 5;

    /// The faults and quirks that a strict reader reports of a record, byte by byte.
    fn strictly(record: &[u8], next: Option<u8>, options: &CsvOptions) -> (Option<&'static str>, Quirks) {
        let (mut fault, mut quirks) = (None, Quirks::default());
        let (mut is_start, mut is_within, mut is_after) = (true, false, false);
        let mut at = 0;
        while let Some(byte) = record.get(at).copied() {
            let is_quote = Some(byte) == options.quote;
            at += 1;
            if is_within && is_quote && record.get(at) == Some(&byte) {
                at += 1;
            } else if is_within && is_quote {
                (is_within, is_after) = (false, true);
            } else if is_within {
                if is_end(byte) {
                    quirks.add(Quirk::LineEnd);
                }
            } else if is_start && is_quote {
                is_within = true;
            } else if byte == options.delimiter {
                (is_start, is_after) = (true, false);
                continue;
            } else if is_end(byte) {
                if byte == b'\r' && next != Some(b'\n') {
                    quirks.add(Quirk::LoneReturn);
                }
            } else if is_after {
                fault = fault.or(Some("goes on after"));
            } else if is_quote {
                quirks.add(Quirk::BareQuote);
            }
            is_start = false;
        }
        (if is_within { fault.or(Some("never closed")) } else { fault }, quirks)
    }

    /// Parses record by record with the `csv` crate.
    fn plainly(text: &[u8], layout: &Layout, uneven: UnevenRecords) -> ParsedText {
        let mut builder = csv::ReaderBuilder::new();
        builder.delimiter(layout.options.delimiter).flexible(true).has_headers(false);
        match layout.options.quote {
            Some(quote) => builder.quote(quote),
            None => builder.quoting(false),
        };
        let mut reader = builder.from_reader(text);
        let (mut said, mut record) = (ParsedText::default(), ByteRecord::new());
        let mut skips_header = layout.options.columns.is_none();
        while reader.read_byte_record(&mut record).unwrap() {
            let mut place = usize::try_from(record.position().unwrap().byte()).unwrap();
            if place == 0 && text.starts_with(crate::text::BYTE_ORDER_MARK.as_slice()) {
                place = 3;
            }
            while text.get(place).is_some_and(|byte| is_end(*byte)) {
                place += 1;
            }
            let line = 1 + text[..place].iter().filter(|byte| **byte == b'\n').count() as u64;
            let end = usize::try_from(reader.position().byte()).unwrap();
            let (fault, quirks) = strictly(&text[place..end], text.get(end).copied(), &layout.options);
            if uneven == UnevenRecords::Told && !quirks.is_empty() {
                said.quirks.push((line, quirks));
            }
            if std::mem::take(&mut skips_header) {
                continue;
            }
            let value = |position: &usize| {
                let field = record.get(*position).filter(|field| field.len() <= LONGEST)?;
                std::str::from_utf8(field).ok().map(str::to_owned)
            };
            let is_even = record.len() == layout.width;
            let not_text = |field: &[u8]| {
                let is_replaced = !layout.is_utf_8() && memmem::find(field, REPLACEMENT).is_some();
                std::str::from_utf8(field).is_err() || is_replaced
            };
            let what = match fault {
                Some(fault) => Some(fault.to_owned()),
                None if !is_even => Some("fields where".to_owned()),
                None => record.iter().any(not_text).then(|| "is not".to_owned()),
            };
            match (uneven, what) {
                (UnevenRecords::Told, Some(what)) => said.broken.push(BrokenRecord { line, what }),
                (UnevenRecords::Ends, _) if !is_even || fault.is_some() => return said,
                _ => said.rows.push((line, layout.positions.iter().map(value).collect())),
            }
        }
        said.is_whole = true;
        said
    }

    fn in_blocks(text: &[u8], layout: &Layout, uneven: UnevenRecords, size: usize) -> ParsedText {
        let layout = Arc::new(layout.clone());
        let reader = Box::new(Cursor::new(text.to_vec()));
        let mut blocks = Blocks::of(reader, (0, &Path::new("t").into()), layout.clone(), size);
        let mut said = ParsedText::default();
        while let Some(block) = blocks.next().unwrap() {
            let mut parser = Parser::new(&block, &layout, uneven, LONGEST);
            loop {
                let Some(chunk) = parser.next() else { return said };
                let Some(chunk) = chunk else { break };
                let mut columns: Vec<_> = chunk.columns.iter().map(Fields::iter).collect();
                for row in 0..chunk.rows {
                    let values = columns.iter_mut().map(|column| column.next().unwrap().map(str::to_owned)).collect();
                    said.rows.push((chunk.lines.get(row).copied().unwrap_or_default(), values));
                }
                assert!(columns.iter_mut().all(|column| column.next().is_none()));
                said.broken.extend(chunk.remarks.broken.iter().cloned());
                said.quirks.extend(chunk.remarks.quirks);
            }
        }
        said.is_whole = true;
        said
    }

    fn agree(text: &[u8], layout: &Layout, size: usize) -> Result<(), TestCaseError> {
        let mut told = plainly(text, layout, UnevenRecords::Told);
        let found = in_blocks(text, layout, UnevenRecords::Told, size);
        prop_assert_eq!(found.broken.len(), told.broken.len(), "{:?}", String::from_utf8_lossy(text));
        for (known, found) in told.broken.iter_mut().zip(&found.broken) {
            prop_assert!(found.what.contains(&known.what), "{found:?} is not {known:?}");
            known.what.clone_from(&found.what);
        }
        prop_assert_eq!(found, told, "{:?}", String::from_utf8_lossy(text));
        // Without lines; rows before a record that ends the reading may or may not be returned.
        let mut ends = plainly(text, layout, UnevenRecords::Ends);
        ends.rows.iter_mut().for_each(|(line, _)| *line = 0);
        let found = in_blocks(text, layout, UnevenRecords::Ends, size);
        prop_assert_eq!(found.is_whole, ends.is_whole, "{:?}", String::from_utf8_lossy(text));
        prop_assert!(ends.rows.starts_with(&found.rows) && (!ends.is_whole || found.rows == ends.rows));
        Ok(())
    }

    /// Pieces of text with a meaning in delimited text, and some without.
    fn hostile() -> impl Strategy<Value = Vec<u8>> {
        let pieces: [&[u8]; 17] = [
            b"a",
            b"bc",
            b",",
            b",",
            b",",
            b"\n",
            b"\n",
            b"\r",
            b"\r\n",
            b"\"",
            b"\"\"",
            b" ",
            b"longer",
            b"\xc3\xa4",
            b"\xff",
            b"\xef\xbb\xbf",
            b"\xef\xbf\xbd",
        ];
        let all = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..60);
        all.prop_map(|pieces| pieces.concat())
    }

    /// Rows of three fields, a few quoted, and rarely anything else.
    fn usual() -> impl Strategy<Value = Vec<u8>> {
        let field = prop::sample::select(vec![
            "",
            "a",
            "12",
            "longer text",
            "\"q\"",
            "\"a,\nb\"",
            "\"\"\"\"",
            "x\"",
            "\u{fffd}",
        ]);
        let end = prop::sample::select(vec!["\n", "\n", "\r\n", "\r", "\n\n", ",\n"]);
        let row = (field.clone(), field.clone(), field, end).prop_map(|(a, b, c, end)| format!("{a},{b},{c}{end}"));
        prop::collection::vec(row, 0..20).prop_map(|rows| rows.concat().into_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(deniable_testing::sized(500, 40_000)))]

        /// The records of a file do not depend on the boundaries of blocks.
        #[test]
        fn blocks_have_the_records_of_the_file(
            text in prop_oneof![hostile(), usual()],
            size in 1_usize..80,
            encoding in prop::sample::select(vec!["UTF-8", "windows-1252"]),
            has_header in any::<bool>(),
            quote in prop::sample::select(vec![Some(b'"'), Some(b'"'), None]),
        ) {
            let mut layout = layout(encoding, has_header);
            layout.options.quote = quote;
            agree(&text, &layout, size)?;
        }
    }

    #[test]
    fn many_rows_are_split_into_chunks() {
        let mut text = b"a,b,c\n".to_vec();
        (0..3 * CHUNK_ROWS).for_each(|row| text.extend(format!("{row},\"\",x\n").as_bytes()));
        agree(&text, &layout("UTF-8", true), 1 << 20).unwrap();
        let plain: Vec<u8> = text.into_iter().filter(|byte| *byte != b'"').collect();
        agree(&plain, &layout("UTF-8", true), 1 << 20).unwrap();
    }
}
