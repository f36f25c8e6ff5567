//! Lines of bounded length: reading any file takes no more memory than its longest permitted line.

use crate::file_error::{FileError, FileErrorKind};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Longest line of .bim, .fam and phenotype files, in bytes. Alleles of thousands of bases fit.
pub const LONGEST_LINE: usize = 1 << 20;

/// The byte order mark that some editors and spreadsheets write at the beginning of a text in UTF-8.
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Reads a file line by line.
pub(crate) struct Lines {
    file: PathBuf,
    input: Box<dyn BufRead>,
    limit: usize,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    /// Opens the lines of a file.
    pub(crate) fn open(file: &Path) -> Result<Self, FileError> {
        let opened = File::open(file).map_err(|error| FileError::unreadable(file, &error))?;
        Ok(Self::of(file, Box::new(BufReader::with_capacity(1 << 16, opened)), LONGEST_LINE))
    }

    /// The lines of an input; `file` is its name in errors.
    pub(crate) fn of(file: &Path, input: Box<dyn BufRead>, limit: usize) -> Self {
        Self { file: file.to_owned(), input, limit, line: Vec::new(), number: 0 }
    }

    /// The file, as it was named.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The number of the current line, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// An error at the current line.
    pub(crate) fn error(&self, kind: FileErrorKind) -> FileError {
        FileError::at(&self.file, self.number, kind)
    }

    /// The current line, without its end (a line feed, or a carriage return and a line feed).
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.line
    }

    /// Reads the next line; `false` at the end of the file.
    pub(crate) fn advance(&mut self) -> Result<bool, FileError> {
        self.line.clear();
        self.number += 1;
        loop {
            let here = match self.input.fill_buf() {
                Ok(here) => here,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.unreadable(&error)),
            };
            if here.is_empty() {
                return Ok(!self.line.is_empty());
            }
            let end = here.iter().position(|byte| *byte == b'\n');
            let (part, used) = match end {
                Some(end) => (here.get(..end).unwrap_or_default(), end + 1),
                None => (here, here.len()),
            };
            if self.line.len() + part.len() > self.limit {
                return Err(self.error(FileErrorKind::LongLine { limit: self.limit }));
            }
            self.line.extend_from_slice(part);
            self.input.consume(used);
            if end.is_some() {
                if self.line.last() == Some(&b'\r') {
                    self.line.pop();
                }
                return Ok(true);
            }
        }
    }

    /// Reads the next line of names and numbers that is not blank.
    pub(crate) fn advance_filled(&mut self) -> Result<bool, FileError> {
        while self.advance_ascii()? {
            if words(self.text()).next().is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads the next line of names and numbers, in files whose line numbers carry meaning: blank lines are allowed
    /// only at the end of the file.
    pub(crate) fn advance_to_end(&mut self) -> Result<bool, FileError> {
        if !self.advance_ascii()? {
            return Ok(false);
        }
        if words(self.text()).next().is_some() {
            return Ok(true);
        }
        let blank = self.number;
        if self.advance_filled()? {
            return Err(FileError::at(&self.file, blank, FileErrorKind::Blank));
        }
        Ok(false)
    }

    /// Reads the next line of names and numbers: ASCII without control characters other than tabs. A byte order mark
    /// before the first line is ignored.
    pub(crate) fn advance_ascii(&mut self) -> Result<bool, FileError> {
        if !self.advance()? {
            return Ok(false);
        }
        if self.number == 1 && self.line.starts_with(&BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        match self.line.iter().position(|byte| !matches!(byte, b' '..=b'~' | b'\t')) {
            None => Ok(true),
            Some(at) => {
                let control = self.line.get(at).is_some_and(u8::is_ascii);
                let what = if control { "a control character" } else { "a character outside ASCII" };
                Err(self.error(FileErrorKind::Character { what, column: at + 1 }))
            }
        }
    }

    /// The current line as text; empty if it is not text, which [`Lines::advance_ascii`] rejects.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.line).unwrap_or_default()
    }

    fn unreadable(&self, error: &std::io::Error) -> FileError {
        // Errors inside compressed blocks are errors of the file.
        let kind = match error.kind() {
            std::io::ErrorKind::InvalidData => FileErrorKind::Damaged { line: self.number },
            std::io::ErrorKind::UnexpectedEof => FileErrorKind::Truncated,
            _ => return FileError::unreadable(&self.file, error),
        };
        FileError::whole(&self.file, kind)
    }
}

/// The words of a line of [`Lines::advance_ascii`], separated by tabs and spaces.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    // Such a line has no other white space of ASCII.
    line.split_ascii_whitespace()
}

/// Exactly `N` words; the error is their actual number.
pub(crate) fn exactly<const N: usize>(line: &str) -> Result<[&str; N], usize> {
    let mut columns = [""; N];
    let mut found = 0;
    for word in words(line) {
        if let Some(column) = columns.get_mut(found) {
            *column = word;
        }
        found += 1;
    }
    if found == N { Ok(columns) } else { Err(found) }
}
