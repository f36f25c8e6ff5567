//! Blocks of text taken apart into the fields of the columns that are read.
//!
//! Where all of a block is text, fields are pieces of it. From the first record on in which something stands that is no piece, as a doubled
//! quote, it is taken apart by the reader of delimited text, record by record; what it says is the law for both.

use super::blocks::is_end;
use super::{Block, Layout, REPLACEMENT};
use csv::ByteRecord;
use deniable_core::schema::CsvOptions;
use memchr::{memchr, memchr3_iter, memmem};
use std::io::Read;

/// Most rows of a chunk.
const CHUNK_ROWS: usize = 8_192;
/// Bytes of fields after which a chunk is complete, whatever its rows.
const CHUNK_BYTES: usize = 8 << 20;

/// The fields of one column, one for each row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a> {
    text: &'a str,
    /// Where each begins and ends.
    spans: &'a [(usize, usize)],
}

/// In place of a field that is no text of a value's length.
const NOTHING: (usize, usize) = (usize::MAX, 0);

impl<'a> Fields<'a> {
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Each, NULL where it is no text of a value's length; an empty field is an empty text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&'a str>> + Clone + use<'a> {
        let (text, spans) = (self.text, self.spans);
        // What is no field begins behind all text.
        spans.iter().map(move |(start, end)| text.get(*start..*end))
    }
}

/// A record that is no row: the line on which it begins, counted from 1, and what is wrong with it, without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) line: u64,
    pub(crate) what: String,
}

/// Some records: where they begin, and their columns.
pub(crate) struct Chunk<'a> {
    pub(crate) rows: usize,
    /// The line of each, counted from 1; none where nobody asks.
    pub(crate) lines: &'a [u64],
    /// The records among them that are no rows; none where nobody asks.
    pub(crate) broken: &'a [Broken],
    pub(crate) columns: Vec<Fields<'a>>,
}

/// What is done about records that are no rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Uneven {
    /// One with more or fewer fields than there are columns ends the reading; one that is no text has NULL there. Nobody asks for lines.
    Ends,
    /// They are told, with their lines, and left out.
    Told,
}

/// Takes a block apart.
pub(crate) struct Parser<'a> {
    layout: &'a Layout,
    block: &'a Block,
    uneven: Uneven,
    longest: usize,
    way: Way<'a>,
    lines: Vec<u64>,
    broken: Vec<Broken>,
    /// Of each column, where its fields are in the text.
    spans: Vec<Vec<(usize, usize)>>,
    /// Bytes of these fields.
    bytes: usize,
}

enum Way<'a> {
    /// The block itself is the text; `at` is where it goes on, in this line. `ends` are those of the fields of a record, and `turns` says
    /// that the next record must be read.
    Direct { text: &'a str, at: usize, line: u64, skips_header: bool, ends: Vec<(usize, usize)>, turns: bool },
    /// Fields are copied into a text.
    Copied { reader: Box<csv::Reader<Box<dyn Read + 'a>>>, record: ByteRecord, text: String, counted: Counted },
}

/// How many line ends are before a place of the block.
struct Counted {
    at: usize,
    lines: u64,
    /// Where the reader began, and bytes that it was given before.
    start: usize,
    before: u64,
}

impl Counted {
    /// The line of what begins behind a place that the reader names, and the ends of lines there.
    fn line(&mut self, block: &[u8], place: u64) -> u64 {
        let read = usize::try_from(place.saturating_sub(self.before)).unwrap_or(usize::MAX);
        let mut place = self.start.saturating_add(read);
        while block.get(place).is_some_and(|byte| is_end(*byte)) {
            place += 1;
        }
        let new = block.get(self.at..place).unwrap_or_default();
        self.lines += memchr::memchr_iter(b'\n', new).count() as u64;
        self.at = place;
        self.lines
    }
}

impl<'a> Parser<'a> {
    /// `longest` is how many bytes a value may have.
    pub(crate) fn new(block: &'a Block, layout: &'a Layout, uneven: Uneven, longest: usize) -> Self {
        let way = direct(block, layout, uneven).unwrap_or_else(|| copied(block, layout, 0, block.line, block.is_first));
        let spans = vec![Vec::new(); layout.positions.len()];
        Self { layout, block, uneven, longest, way, lines: Vec::new(), broken: Vec::new(), spans, bytes: 0 }
    }

    /// The next records; `Some(None)` after the last, `None` where one of them ends the reading.
    pub(crate) fn next(&mut self) -> Option<Option<Chunk<'_>>> {
        self.lines.clear();
        self.broken.clear();
        self.bytes = 0;
        self.spans.iter_mut().for_each(Vec::clear);
        let mut rows = self.next_direct()?;
        if let Way::Direct { at, line, skips_header, turns: true, .. } = self.way
            && rows == 0
            && self.broken.is_empty()
        {
            self.way = copied(self.block, self.layout, at, line, skips_header);
        }
        if let Way::Copied { .. } = self.way {
            rows = self.next_copied()?;
        }
        if rows == 0 && self.broken.is_empty() {
            return Some(None);
        }
        let text = match &self.way {
            Way::Direct { text, .. } => text,
            Way::Copied { text, .. } => text.as_str(),
        };
        let columns = self.spans.iter().map(|spans| Fields { text, spans }).collect();
        Some(Some(Chunk { rows, lines: &self.lines, broken: &self.broken, columns }))
    }

    fn next_direct(&mut self) -> Option<usize> {
        let Way::Direct { text, at, line, skips_header, ends, turns } = &mut self.way else { return Some(0) };
        let CsvOptions { delimiter, quote, .. } = self.layout.options;
        let mut rows = 0;
        let (mut record, mut field) = (*at, *at);
        // Line ends between the quotes of the record.
        let mut quoted_lines = 0;
        let bytes = text.as_bytes();
        let mut stops = memchr3_iter(delimiter, b'\n', b'\r', &bytes[*at..]).map(|stop| stop + *at);
        while record < bytes.len() && rows < CHUNK_ROWS && self.bytes < CHUNK_BYTES && self.broken.len() < CHUNK_ROWS {
            let mut stop = stops.next().unwrap_or(bytes.len());
            let mut span = (field, stop);
            if self.block.has_quotes && bytes.get(field) == Some(&quote) {
                let Some(end) = end_of_quoted(bytes, field + 1, delimiter, quote) else {
                    *turns = true;
                    ends.clear();
                    break;
                };
                span = (field + 1, end);
                // What stands between quotes ends nothing.
                while stop < end {
                    quoted_lines += u64::from(bytes[stop] == b'\n');
                    stop = stops.next().unwrap_or(bytes.len());
                }
            }
            let byte = bytes.get(stop).copied().unwrap_or(b'\n');
            if byte == delimiter {
                ends.push(span);
                field = stop + 1;
                continue;
            }
            let is_blank = ends.is_empty() && field == stop;
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
                    if self.uneven == Uneven::Told {
                        self.lines.push(*line);
                    }
                } else if self.uneven == Uneven::Ends {
                    return None;
                } else {
                    let what = self.layout.uneven(ends.len());
                    self.broken.push(Broken { line: *line, what });
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
        let Way::Copied { reader, record, text, counted } = &mut self.way else { return Some(0) };
        text.clear();
        let mut rows = 0;
        while rows < CHUNK_ROWS && text.len() < CHUNK_BYTES && self.broken.len() < CHUNK_ROWS {
            // Bytes in memory are always read, and fields are bytes, of any number.
            if !reader.read_byte_record(record).ok()? {
                break;
            }
            if self.uneven == Uneven::Told {
                let place = record.position().map_or(0, csv::Position::byte);
                let line = counted.line(&self.block.bytes, place);
                if let Some(what) = self.layout.broken(record) {
                    self.broken.push(Broken { line, what });
                    continue;
                }
                self.lines.push(line);
            } else if record.len() != self.layout.width {
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

/// The block as it is, where fields are pieces of it.
fn direct<'a>(block: &'a Block, layout: &Layout, uneven: Uneven) -> Option<Way<'a>> {
    let options = &layout.options;
    let is_plain = options.delimiter.is_ascii() && options.quote.is_ascii();
    let text = std::str::from_utf8(&block.bytes).ok().filter(|_| is_plain)?;
    // A decoder may have put something in the place of what is no text: the check looks at each field.
    if uneven == Uneven::Told && !layout.is_utf_8() && memmem::find(text.as_bytes(), REPLACEMENT).is_some() {
        return None;
    }
    let skips_header = block.is_first && options.columns.is_none();
    Some(Way::Direct { text, at: 0, line: block.line, skips_header, ends: Vec::new(), turns: false })
}

/// The reader of delimited text, from a place of the block on, which is on this line; `is_first` says whether no record comes before.
fn copied<'a>(block: &'a Block, layout: &Layout, start: usize, line: u64, is_first: bool) -> Way<'a> {
    // The reader takes a byte order mark at the beginning of what it reads for that of a file, unless something comes before: a line
    // without anything.
    let before: &[u8] = b"\n";
    let bytes: Box<dyn Read + 'a> = Box::new(before.chain(&block.bytes[start..]));
    let has_header = is_first && layout.options.columns.is_none();
    let mut builder = super::builder(&layout.options);
    let reader = Box::new(builder.has_headers(has_header).from_reader(bytes));
    let counted = Counted { at: start, lines: line, start, before: before.len() as u64 };
    Way::Copied { reader, record: ByteRecord::new(), text: String::new(), counted }
}

/// Where a quoted field ends that is a piece of the text: `None` where a quote in it is doubled, or something follows the last.
fn end_of_quoted(bytes: &[u8], start: usize, delimiter: u8, quote: u8) -> Option<usize> {
    let end = start + memchr(quote, &bytes[start..])?;
    let is_last = bytes.get(end + 1).is_none_or(|next| *next == delimiter || is_end(*next));
    is_last.then_some(end)
}

#[cfg(test)]
mod tests {
    use super::super::Blocks;
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;
    use std::path::Path;
    use std::sync::Arc;

    /// What a file says: rows with their lines, what is no row, and whether it can be read to its end.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct Said {
        rows: Vec<(u64, Vec<Option<String>>)>,
        broken: Vec<Broken>,
        is_whole: bool,
    }

    fn layout(encoding: &str, has_header: bool) -> Layout {
        let columns = (!has_header).then(|| ["a", "b", "c"].map(str::to_owned).to_vec());
        let options = CsvOptions { encoding: encoding.to_owned(), columns, ..CsvOptions::with_delimiter(b',') };
        Layout { options, width: 3, positions: vec![2, 0] }
    }

    /// Longer fields are no values.
    const LONGEST: usize = 5;

    /// Record by record, as the reader of delimited text has them.
    fn plainly(text: &[u8], layout: &Layout, uneven: Uneven) -> Said {
        let mut builder = crate::text::builder(&layout.options);
        let mut reader = builder.has_headers(layout.options.columns.is_none()).from_reader(text);
        let (mut said, mut record) = (Said::default(), ByteRecord::new());
        while reader.read_byte_record(&mut record).unwrap() {
            let mut place = usize::try_from(record.position().unwrap().byte()).unwrap();
            if place == 0 && text.starts_with(crate::text::BYTE_ORDER_MARK.as_slice()) {
                place = 3;
            }
            while text.get(place).is_some_and(|byte| is_end(*byte)) {
                place += 1;
            }
            let line = 1 + text[..place].iter().filter(|byte| **byte == b'\n').count() as u64;
            let value = |position: &usize| {
                let field = record.get(*position).filter(|field| field.len() <= LONGEST)?;
                std::str::from_utf8(field).ok().map(str::to_owned)
            };
            match (uneven, layout.broken(&record)) {
                (Uneven::Told, Some(what)) => said.broken.push(Broken { line, what }),
                (Uneven::Ends, _) if record.len() != layout.width => return said,
                _ => said.rows.push((line, layout.positions.iter().map(value).collect())),
            }
        }
        said.is_whole = true;
        said
    }

    fn in_blocks(text: &[u8], layout: &Layout, uneven: Uneven, size: usize) -> Said {
        let layout = Arc::new(layout.clone());
        let reader = Box::new(Cursor::new(text.to_vec()));
        let mut blocks = Blocks::of(reader, (0, &Path::new("t").into()), layout.clone(), size);
        let mut said = Said::default();
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
                said.broken.extend(chunk.broken.iter().cloned());
            }
        }
        said.is_whole = true;
        said
    }

    fn agree(text: &[u8], layout: &Layout, size: usize) -> Result<(), TestCaseError> {
        let told = plainly(text, layout, Uneven::Told);
        prop_assert_eq!(in_blocks(text, layout, Uneven::Told, size), told, "{:?}", String::from_utf8_lossy(text));
        // Without lines; the rows before one that ends the reading may have come or not.
        let mut ends = plainly(text, layout, Uneven::Ends);
        ends.rows.iter_mut().for_each(|(line, _)| *line = 0);
        let found = in_blocks(text, layout, Uneven::Ends, size);
        prop_assert_eq!(found.is_whole, ends.is_whole, "{:?}", String::from_utf8_lossy(text));
        prop_assert!(ends.rows.starts_with(&found.rows) && (!ends.is_whole || found.rows == ends.rows));
        Ok(())
    }

    /// Pieces of text that mean something to a reader of delimited text, and some that do not.
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

    /// Rows of three fields, some of them quoted, and few of them anything else.
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
        #![proptest_config(ProptestConfig::with_cases(deniable_testing::sized(2_000, 40_000)))]

        /// Wherever a file is cut, it says what it says as a whole.
        #[test]
        fn blocks_say_what_the_file_says(
            text in prop_oneof![hostile(), usual()],
            size in 1_usize..80,
            encoding in prop::sample::select(vec!["UTF-8", "windows-1252"]),
            has_header in any::<bool>(),
        ) {
            agree(&text, &layout(encoding, has_header), size)?;
        }
    }

    #[test]
    fn many_rows_come_in_several_chunks() {
        let mut text = b"a,b,c\n".to_vec();
        (0..3 * CHUNK_ROWS).for_each(|row| text.extend(format!("{row},\"\",x\n").as_bytes()));
        agree(&text, &layout("UTF-8", true), 1 << 20).unwrap();
        let plain: Vec<u8> = text.into_iter().filter(|byte| *byte != b'"').collect();
        agree(&plain, &layout("UTF-8", true), 1 << 20).unwrap();
    }
}
