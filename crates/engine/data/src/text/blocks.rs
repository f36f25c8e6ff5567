//! Cuts the text of a file into blocks at the ends of records, so that several threads can parse it.
//!
//! Records end as in the parser: at `\r`, `\n` or `\r\n` outside of quotes, and a quote has a meaning only at the
//! beginning of a field.

use super::{BYTE_ORDER_MARK, Layout};
use crate::error::SourceError;
use crate::files::DataFile;
use crate::meter::Meter;
use arrow_buffer::Buffer;
use memchr::{memchr, memchr_iter, memchr3, memrchr};
use std::io::Read;
use std::sync::Arc;

/// Bytes of a block, unless a record is longer.
pub(crate) const BLOCK: usize = 1 << 20;

/// A block of whole records of a file.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// The file, by its index in the table.
    pub(crate) file: usize,
    /// The line on which it begins, counted from 1.
    pub(crate) line: u64,
    /// Whether it contains the first record of the file.
    pub(crate) is_first: bool,
    /// Whether it contains a quote.
    pub(crate) has_quotes: bool,
    pub(crate) bytes: Buffer,
}

/// An iterator over the blocks of a file.
pub(crate) struct Blocks {
    stored: DataFile,
    file: usize,
    text: Box<dyn Read + Send>,
    layout: Arc<Layout>,
    /// Bytes of a block, unless a record is longer.
    size: usize,
    /// Bytes read but not in a block yet; they begin at a record.
    left: Vec<u8>,
    line: u64,
    is_first: bool,
    is_start: bool,
    is_at_end: bool,
}

impl Blocks {
    /// # Errors
    /// When the file cannot be opened.
    pub(crate) fn open(
        (file, stored): (usize, &DataFile),
        layout: Arc<Layout>,
        size: usize,
        meter: &Arc<Meter>,
    ) -> Result<Self, SourceError> {
        let text = super::open(stored, &layout.options, meter)?;
        Ok(Self::of(text, (file, stored), layout, size))
    }

    /// For an open text.
    pub(super) fn of(
        text: Box<dyn Read + Send>,
        (file, stored): (usize, &DataFile),
        layout: Arc<Layout>,
        size: usize,
    ) -> Self {
        let (stored, left) = (stored.clone(), Vec::new());
        Self { stored, file, text, layout, size, left, line: 1, is_first: true, is_start: true, is_at_end: false }
    }

    /// The next block.
    ///
    /// # Errors
    /// When the file cannot be read on.
    pub(crate) fn next(&mut self) -> Result<Option<Block>, SourceError> {
        let mut size = self.size.max(BYTE_ORDER_MARK.len());
        loop {
            self.fill(size)?;
            // The parser of delimited text skips one byte order mark at the beginning of a file.
            if std::mem::take(&mut self.is_start) && self.left.starts_with(&BYTE_ORDER_MARK) {
                self.left.drain(..BYTE_ORDER_MARK.len());
            }
            if self.left.is_empty() && self.is_at_end {
                return Ok(None);
            }
            let has_quotes = self.layout.options.quote.is_some_and(|quote| memchr(quote, &self.left).is_some());
            let end = if self.is_at_end { Some(self.left.len()) } else { self.end_of_records(has_quotes) };
            match end {
                Some(end) => {
                    // No byte of the next block is copied twice: the rest is shorter than a record.
                    let rest = self.left.split_off(end);
                    let bytes = std::mem::replace(&mut self.left, rest);
                    let line = self.line;
                    self.line += memchr_iter(b'\n', &bytes).count() as u64;
                    // Empty lines are not records.
                    if self.is_first && bytes.iter().all(|byte| is_end(*byte)) {
                        continue;
                    }
                    let is_first = std::mem::replace(&mut self.is_first, false);
                    let bytes = Buffer::from_vec(bytes);
                    return Ok(Some(Block { file: self.file, line, is_first, has_quotes, bytes }));
                }
                // The record is longer than the block.
                None => size = size.max(self.left.len()).saturating_mul(2),
            }
        }
    }

    /// Reads until this many bytes are available, or to the end.
    fn fill(&mut self, size: usize) -> Result<(), SourceError> {
        let wanted = size.saturating_sub(self.left.len());
        if self.is_at_end || wanted == 0 {
            return Ok(());
        }
        self.left.reserve(wanted);
        let read = self.text.by_ref().take(wanted as u64).read_to_end(&mut self.left);
        let read = read.map_err(|error| self.stored.unreadable(&error))?;
        self.is_at_end = read < wanted;
        Ok(())
    }

    /// The end of the last whole record in the buffer.
    fn end_of_records(&self, has_quotes: bool) -> Option<usize> {
        // A line feed may follow a carriage return, and belongs to the same block.
        let known = self.left.strip_suffix(b"\r").unwrap_or(&self.left);
        if let Some(quote) = self.layout.options.quote.filter(|_| has_quotes) {
            return last_end(known, self.layout.options.delimiter, quote);
        }
        let end = memrchr(b'\n', known).or_else(|| memrchr(b'\r', known));
        end.map(|end| end + 1)
    }
}

/// Whether a byte ends a record, outside quotes.
pub(crate) fn is_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// The end of the last whole record of a text.
fn last_end(text: &[u8], delimiter: u8, quote: u8) -> Option<usize> {
    let mut last = None;
    // The beginning of a field.
    let mut at = 0;
    while at < text.len() {
        if text[at] == quote {
            // Skips to a quote that is not doubled.
            at += 1;
            loop {
                let Some(next) = memchr(quote, &text[at..]) else { return last };
                at += next + 1;
                match text.get(at) {
                    Some(next) if *next == quote => at += 1,
                    Some(_) => break,
                    None => return last,
                }
            }
        }
        let Some(end) = memchr3(delimiter, b'\r', b'\n', &text[at..]) else { return last };
        at += end + 1;
        if is_end(text[at - 1]) {
            last = Some(at);
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_end_outside_quotes() {
        for (text, end) in [
            ("a,b\nc", Some(4)),
            ("a,b", None),
            ("\"a\nb", None),
            ("\"a\n\"\"b\"\nc", Some(8)),
            ("x\"a\nb\"", Some(4)),
            ("\"a\"x\"\n\"", Some(6)),
            ("\"a\",\"b\r\"", None),
            ("\"a\"", None),
            ("a\r\"", Some(2)),
            ("a\r\n\"b\n\"\n", Some(8)),
        ] {
            assert_eq!(last_end(text.as_bytes(), b',', b'"'), end, "{text:?}");
        }
    }
}
