//! Delimited text, decoded layer by layer: compression, encoding, delimiters and quotes.
//!
//! The header, the curator's check and the scan of a release all read files through this module, so that they agree on
//! the contents.
//!
//! One thread cuts the text of a file into blocks at the ends of records ([`blocks`]), and others parse them
//! ([`fields`]).

mod blocks;
mod fields;
mod gzip;
mod record;

pub(crate) use blocks::{BLOCK, Block, Blocks};
pub(crate) use fields::{Fields, Parser, Remarks, UnevenRecords};
pub(crate) use record::{Marks, Record};
pub use record::{Quirk, broken_quotes};

use crate::error::SourceError;
use crate::files::{DataFile, FileReader};
use crate::header::Header;
use crate::meter::{Meter, MeteredReader};
use deniable_core::schema::{Column, Compression, CsvOptions};
use encoding_rs::{Encoding, UTF_8};
use encoding_rs_io::DecodeReaderBytesBuilder;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

const BUFFER: usize = 64 << 10;
/// The replacement of invalid bytes by decoders.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();
pub(crate) const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// The bytes of a file as UTF-8, without a byte order mark. A file declared as UTF-8 is passed on unchanged: a decoder
/// would hide its faults from the check.
pub(crate) fn open(stored: &DataFile, options: &CsvOptions, meter: &Arc<Meter>) -> Result<FileReader, SourceError> {
    let broken = |error: std::io::Error| stored.unreadable(&error);
    let file = MeteredReader { inner: stored.open().map_err(broken)?, meter: meter.clone() };
    let file = BufReader::with_capacity(BUFFER, file);
    let bytes: Box<dyn Read + Send> = match options.compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(gzip::Members::new(file)),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(file).map_err(broken)?),
    };
    let label = options.encoding.as_bytes();
    let encoding = Encoding::for_label_no_replacement(label)
        .ok_or_else(|| broken(std::io::Error::other("its declared encoding is not known")))?;
    if encoding != UTF_8 {
        return Ok(Box::new(DecodeReaderBytesBuilder::new().encoding(Some(encoding)).build(bytes)));
    }
    let (mut start, bytes) = peek(bytes, BYTE_ORDER_MARK.len()).map_err(broken)?;
    if start == BYTE_ORDER_MARK {
        start.clear();
    }
    Ok(Box::new(Cursor::new(start).chain(bytes)))
}

/// The first bytes, at most `most`, and a reader of the rest.
fn peek(bytes: Box<dyn Read + Send>, most: usize) -> std::io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut start = Vec::with_capacity(most);
    let mut first = bytes.take(most as u64);
    first.read_to_end(&mut start)?;
    Ok((start, first.into_inner()))
}

/// The mapping from records of a table's files to columns of text.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    options: CsvOptions,
    width: usize,
    /// The positions of the columns to read within a record.
    positions: Vec<usize>,
}

impl Layout {
    /// The declared columns, in their declared order.
    ///
    /// # Errors
    /// When the files have no common header, or it lacks a column.
    pub(crate) fn of(files: &[DataFile], options: &CsvOptions, columns: &[Column]) -> Result<Self, SourceError> {
        let header = Header::of(files, options)?;
        let first = files.first().map_or(Path::new(""), DataFile::path);
        let positions = columns.iter().map(|column| header.position(&column.name, first));
        let positions = positions.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { options: options.clone(), width: header.len(), positions })
    }

    /// A layout of some of these columns; missing ones are left out.
    pub(crate) fn project(&self, columns: impl Iterator<Item = usize>) -> Self {
        let positions = columns.filter_map(|column| self.positions.get(column).copied()).collect();
        Self { positions, ..self.clone() }
    }

    fn is_utf_8(&self) -> bool {
        self.options.encoding == UTF_8.name()
    }

    /// The fault of a record with this number of fields.
    fn uneven(&self, fields: usize) -> String {
        format!("{fields} fields where {} are expected", self.width)
    }

    /// The fault of the record, if any.
    fn broken(&self, record: &Record) -> Option<String> {
        if let Some(fault) = record.fault() {
            return Some(fault);
        }
        if record.len() != self.width {
            return Some(self.uneven(record.len()));
        }
        let is_utf_8 = self.is_utf_8();
        let not_text = |field: &[u8]| match std::str::from_utf8(field) {
            Err(_) => true,
            Ok(_) => !is_utf_8 && field.windows(REPLACEMENT.len()).any(|part| part == REPLACEMENT),
        };
        let position = record.iter().position(not_text)?;
        Some(format!("field {} is not {}", position + 1, self.options.encoding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], options: &CsvOptions) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, bytes).unwrap();
        let mut all = Vec::new();
        open(&path.into(), options, &Arc::default()).unwrap().read_to_end(&mut all).unwrap();
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
