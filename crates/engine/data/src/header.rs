//! The columns of CSV files, from their first line or from the declaration.

use crate::error::SourceError;
use crate::files::DataFile;
use crate::text::{self, BYTE_ORDER_MARK, Marks, Record};
use deniable_core::schema::CsvOptions;
use deniable_core::text::printable;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Bytes read at once.
const PART: usize = 16 << 10;

/// The names of all columns in a table's CSV files, in their order, which is the same in all files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header(Vec<String>);

impl Header {
    /// The columns of these files.
    ///
    /// # Errors
    /// When a file is empty or unreadable, or the files disagree.
    pub(crate) fn of(files: &[DataFile], options: &CsvOptions) -> Result<Self, SourceError> {
        if let Some(columns) = &options.columns {
            return Ok(Self(columns.clone()));
        }
        let mut known: Option<(&Path, Self)> = None;
        for file in files {
            let path = file.path();
            let header = Self(first_line(file, options)?);
            match &known {
                None => known = Some((path, header)),
                Some((first, columns)) if *columns != header => {
                    return Err(SourceError::ColumnsDiffer { first: (*first).to_owned(), path: path.to_owned() });
                }
                Some(_) => {}
            }
        }
        Ok(known.map_or_else(|| Self(Vec::new()), |(_, header)| header))
    }

    /// The number of columns.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The position of a declared column.
    ///
    /// # Errors
    /// When it is missing, or occurs twice.
    pub(crate) fn position(&self, column: &str, path: &Path) -> Result<usize, SourceError> {
        let mut positions = self.0.iter().enumerate().filter(|(_, name)| *name == column).map(|(position, _)| position);
        match (positions.next(), positions.next()) {
            (Some(position), None) => Ok(position),
            (Some(_), Some(_)) => Err(SourceError::TwoColumns { path: path.to_owned(), column: column.to_owned() }),
            (None, _) => Err(SourceError::NoColumn {
                path: path.to_owned(),
                column: column.to_owned(),
                found: listed(&self.0, column),
            }),
        }
    }
}

/// At most a dozen names, escaped for a terminal: a header may be a row of data, or not text at all.
fn listed(names: &[String], wanted: &str) -> String {
    let shown = |name: &str| format!("`{}`", printable(&name.chars().take(40).collect::<String>()));
    if let Some(near) = names.iter().find(|name| name.trim().eq_ignore_ascii_case(wanted)) {
        return format!("{}: names must match exactly, including case", shown(near));
    }
    match names {
        [one] => format!("the single column {}: is the delimiter right?", shown(one)),
        names => {
            let mut all: Vec<String> = names.iter().take(12).map(|name| shown(name)).collect();
            if names.len() > all.len() {
                all.push(format!("and {} more", names.len() - all.len()));
            }
            all.join(", ")
        }
    }
}

fn first_line(file: &DataFile, options: &CsvOptions) -> Result<Vec<String>, SourceError> {
    let (record, _) = first_record(file, options, text::open(file, options, &Arc::default())?)?;
    names(file, options, &record)
}

/// The names in a first line of at most `most` bytes, with at least one line after it.
pub(crate) fn names_within(file: &DataFile, options: &CsvOptions, most: u64) -> Result<Vec<String>, SourceError> {
    let no_names = |problem| Err(SourceError::NoNames { path: file.path().to_owned(), problem });
    let open = || text::open(file, options, &Arc::default());
    let (record, end) = first_record(file, options, Box::new(open()?.take(most + 1)))?;
    if end > most {
        return no_names("its first line is longer than 1 MiB");
    }
    let names = names(file, options, &record)?;
    let mut rest = Vec::new();
    open()?.take(end + 64).read_to_end(&mut rest).map_err(|error| file.unreadable(&error))?;
    // Only whether there is anything; the contents are not inspected.
    if rest.iter().skip(usize::try_from(end).unwrap_or(usize::MAX)).all(u8::is_ascii_whitespace) {
        return no_names("there is nothing below its first line, which may be a row as well");
    }
    Ok(names)
}

/// The first record, and the offset of the byte after it. Reads no more of the file than the record needs: later errors
/// are for the readers of rows.
fn first_record(
    file: &DataFile,
    options: &CsvOptions,
    mut text: Box<dyn Read + Send>,
) -> Result<(Record, u64), SourceError> {
    let (mut bytes, mut looked_at) = (Vec::new(), 0);
    let mut part = vec![0; PART];
    let mut record = Record::default();
    loop {
        let read = text.read(&mut part).map_err(|error| file.unreadable(&error))?;
        bytes.extend_from_slice(part.get(..read).unwrap_or_default());
        // A long line is parsed again only after its length has doubled.
        if read > 0 && bytes.len() < 2 * looked_at {
            continue;
        }
        looked_at = bytes.len();
        let mark = if bytes.starts_with(&BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let is_line_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let start = mark + bytes.iter().skip(mark).take_while(is_line_end).count();
        if start < bytes.len() {
            let end = record.read(&bytes, start, Marks::of(options));
            if read == 0 || end < bytes.len() {
                return Ok((record, end as u64));
            }
        } else if read == 0 {
            return Err(SourceError::Empty { path: file.path().to_owned() });
        }
    }
}

/// The fields of a first line. Its quotes must not be broken, or the following lines would become a part of a name.
fn names(file: &DataFile, options: &CsvOptions, record: &Record) -> Result<Vec<String>, SourceError> {
    let unreadable = |reason: String| SourceError::Unreadable { path: file.path().to_owned(), reason };
    if let Some(fault) = record.fault() {
        let help =
            "close the quote, or state `quote = \"none\"` under [data.csv] where the file is written without quoting";
        return Err(unreadable(format!("{fault} in its first line; {help}")));
    }
    let name = |field| {
        match std::str::from_utf8(field) {
        Ok(text) if options.trim => Ok(text.trim_ascii().to_owned()),
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(unreadable("its first line is not UTF-8; state the file's encoding, such as `encoding = \"latin1\"` under [data.csv], or `init --encoding latin1`".to_owned())),
    }
    };
    record.iter().map(name).collect()
}
