//! Delimited text, undone layer by layer: compression, encoding, delimiters and quotes.
//!
//! The header, the curator's check and the scan of a release all read through here, so that they cannot differ about
//! what a file says.

use crate::error::SourceError;
use crate::header::Header;
use crate::meter::{Meter, Metered};
use arrow_array::ArrayRef;
use arrow_array::builder::StringViewBuilder;
use csv::ByteRecord;
use deniable_core::schema::{Column, Compression, CsvOptions};
use encoding_rs::{Encoding, UTF_8};
use encoding_rs_io::DecodeReaderBytesBuilder;
use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most rows of a chunk.
const CHUNK_ROWS: usize = 8_192;
/// Bytes after which a chunk is complete, whatever its rows.
const CHUNK_BYTES: usize = 8 << 20;
const BUFFER: usize = 64 << 10;
/// What decoders put in the place of bytes that are no text.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// The bytes of a file as UTF-8, without a byte order mark. A file that is declared to be UTF-8 is passed on as it is: a
/// decoder would hide what is wrong with it from the check.
pub(crate) fn open(path: &Path, options: &CsvOptions, meter: &Arc<Meter>) -> Result<Box<dyn Read + Send>, SourceError> {
    let unreadable = |reason: String| SourceError::Unreadable { path: path.to_owned(), reason };
    let broken = |error: std::io::Error| unreadable(error.to_string());
    let file = Metered { inner: File::open(path).map_err(broken)?, meter: meter.clone() };
    let file = BufReader::with_capacity(BUFFER, file);
    let bytes: Box<dyn Read + Send> = match options.compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(file)),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(file).map_err(broken)?),
    };
    let label = options.encoding.as_bytes();
    let encoding = Encoding::for_label_no_replacement(label)
        .ok_or_else(|| unreadable("its declared encoding is not known".to_owned()))?;
    if encoding != UTF_8 {
        return Ok(Box::new(DecodeReaderBytesBuilder::new().encoding(Some(encoding)).build(bytes)));
    }
    let (mut start, bytes) = peek(bytes, BYTE_ORDER_MARK.len()).map_err(broken)?;
    if start == BYTE_ORDER_MARK {
        start.clear();
    }
    Ok(Box::new(Cursor::new(start).chain(bytes)))
}

/// The first bytes, as many as there are, and the reader of those after them.
fn peek(bytes: Box<dyn Read + Send>, most: usize) -> std::io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut start = Vec::with_capacity(most);
    let mut first = bytes.take(most as u64);
    first.read_to_end(&mut start)?;
    Ok((start, first.into_inner()))
}

/// How the records of a table's files become columns of text.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    options: CsvOptions,
    /// Fields of a record.
    width: usize,
    /// Where the columns that are read stand in a record.
    positions: Vec<usize>,
}

impl Layout {
    /// The declared columns, in their declared order.
    ///
    /// # Errors
    /// When the files have no common header, or it lacks a column.
    pub(crate) fn of(files: &[PathBuf], options: &CsvOptions, columns: &[Column]) -> Result<Self, SourceError> {
        let header = Header::of(files, options)?;
        let first = files.first().map_or(Path::new(""), PathBuf::as_path);
        let positions = columns.iter().map(|column| header.position(&column.name, first));
        let positions = positions.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { options: options.clone(), width: header.len(), positions })
    }

    /// Some of the columns only; those that are not there are left out.
    pub(crate) fn project(&self, columns: impl Iterator<Item = usize>) -> Self {
        let positions = columns.filter_map(|column| self.positions.get(column).copied()).collect();
        Self { positions, ..self.clone() }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// What is wrong with a record as such.
    pub(crate) fn broken(&self, record: &ByteRecord) -> Option<String> {
        if record.len() != self.width {
            return Some(format!("{} fields where {} are expected", record.len(), self.width));
        }
        let encoding = &self.options.encoding;
        let is_utf_8 = encoding == UTF_8.name();
        let not_text = |field: &[u8]| match std::str::from_utf8(field) {
            Err(_) => true,
            Ok(_) => !is_utf_8 && field.windows(REPLACEMENT.len()).any(|part| part == REPLACEMENT),
        };
        let position = record.iter().position(not_text)?;
        Some(format!("field {} is not {encoding}", position + 1))
    }
}

/// Records of one file.
pub(crate) struct Records {
    path: PathBuf,
    reader: csv::Reader<Box<dyn Read + Send>>,
    record: ByteRecord,
    /// Lines that the reader is behind after the first record: it takes a record to begin after `\r`, not after `\r\n`.
    behind: u64,
    longest: usize,
    layout: Arc<Layout>,
    meter: Arc<Meter>,
}

/// Some records: where they begin, and their columns.
pub(crate) struct Chunk {
    pub(crate) lines: Vec<u64>,
    /// NULL is what is no text of a value's length; an empty field is an empty text.
    pub(crate) texts: Vec<ArrayRef>,
}

impl Records {
    /// `longest` is how many bytes a value may have.
    pub(crate) fn open(
        path: &Path,
        layout: Arc<Layout>,
        longest: usize,
        meter: Arc<Meter>,
    ) -> Result<Self, SourceError> {
        let options = &layout.options;
        let (start, bytes) = peek(open(path, options, &meter)?, BUFFER)
            .map_err(|error| SourceError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
        let end = start.iter().position(|byte| *byte == b'\n').and_then(|end| end.checked_sub(1));
        let behind = u64::from(end.is_some_and(|before| start.get(before) == Some(&b'\r')));
        let bytes: Box<dyn Read + Send> = Box::new(Cursor::new(start).chain(bytes));
        let mut reader = builder(options);
        let reader = reader.has_headers(options.columns.is_none()).buffer_capacity(BUFFER).from_reader(bytes);
        Ok(Self { path: path.to_owned(), reader, record: ByteRecord::new(), behind, longest, layout, meter })
    }

    /// The next records of those that `keep` keeps; it is told the line and sees every one.
    ///
    /// # Errors
    /// When the file cannot be read on, or `keep` says so.
    pub(crate) fn next(
        &mut self,
        keep: &mut dyn FnMut(u64, &ByteRecord) -> Result<bool, SourceError>,
    ) -> Result<Option<Chunk>, SourceError> {
        let unreadable = |reason: String| SourceError::Unreadable { path: self.path.clone(), reason };
        let mut lines = Vec::new();
        let builder = |_| StringViewBuilder::with_capacity(CHUNK_ROWS);
        let mut columns: Vec<StringViewBuilder> = self.layout.positions.iter().map(builder).collect();
        let mut bytes = 0;
        while lines.len() < CHUNK_ROWS && bytes < CHUNK_BYTES {
            // Of the errors this could be, only those of the file itself are left: fields are bytes, of any number.
            if !self.reader.read_byte_record(&mut self.record).map_err(|error| unreadable(error.to_string()))? {
                break;
            }
            let line = self
                .record
                .position()
                .map_or(0, |place| if place.byte() == 0 { place.line() } else { place.line() + self.behind });
            if !keep(line, &self.record)? {
                continue;
            }
            for (column, position) in columns.iter_mut().zip(&self.layout.positions) {
                let field = self.record.get(*position).filter(|field| field.len() <= self.longest);
                let text = field.and_then(|field| std::str::from_utf8(field).ok());
                bytes += text.map_or(0, str::len);
                column.append_option(text);
            }
            lines.push(line);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        self.meter.add_rows(lines.len());
        let texts = columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef).collect();
        Ok(Some(Chunk { lines, texts }))
    }
}

/// A reader that takes records of any number of fields.
pub(crate) fn builder(options: &CsvOptions) -> csv::ReaderBuilder {
    let mut builder = csv::ReaderBuilder::new();
    builder.delimiter(options.delimiter).quote(options.quote).flexible(true);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], options: &CsvOptions) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, bytes).unwrap();
        let mut all = Vec::new();
        open(&path, options, &Arc::default()).unwrap().read_to_end(&mut all).unwrap();
        all
    }

    #[test]
    fn utf_8_passes_unchanged_and_the_rest_is_decoded() {
        let utf_8 = CsvOptions::with_delimiter(b',');
        let in_encoding = |name: &str| CsvOptions { encoding: name.to_owned(), ..utf_8.clone() };
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"\xff\xfe", b"\xef\xbb", b"a\xff\xef\xbb\xbf"] {
            assert_eq!(decoded(bytes, &utf_8), bytes);
        }
        assert_eq!(decoded(b"\xef\xbb\xbfab\xff", &utf_8), b"ab\xff");
        assert_eq!(decoded(b"\xef\xbb\xbf", &utf_8), b"");
        assert_eq!(decoded(b"\xe4\x80", &in_encoding("windows-1252")), "ä€".as_bytes());
        assert_eq!(decoded(b"\xff\xfea\0", &in_encoding("UTF-16LE")), b"a");
        assert_eq!(decoded(b"\xfe\xff\0a", &in_encoding("UTF-16BE")), b"a");
        assert_eq!(decoded(b"a\0\x3d", &in_encoding("UTF-16LE")), "a\u{fffd}".as_bytes(), "half a character");
        let long = "ä".repeat(100_000);
        let bytes: Vec<u8> = long.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoded(&bytes, &in_encoding("UTF-16LE")), long.as_bytes());
    }
}
