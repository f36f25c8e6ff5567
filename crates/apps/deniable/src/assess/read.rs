//! Tables as counts of their distinct rows (`deniable_data::groups`).

use super::error::{Error, OptionError};
use super::{EmptyCells, Options, Quote, Step, Table, Warning};
use deniable_assess::Counts;
use deniable_assess::interval::plain;
use deniable_data::groups::{self, Layout, groups};
use deniable_data::{Quirk, Source, SourceError};
use std::collections::BTreeMap;

/// Reads the tables of one assessment.
pub struct Reader<'a> {
    options: &'a Options,
    layout: Layout,
    accepted: Vec<Quirk>,
    progress: &'a dyn Fn(Step<'_>),
    warnings: Vec<Warning>,
}

impl<'a> Reader<'a> {
    /// Checks the options about the layout of CSV.
    pub fn new(options: &'a Options, progress: &'a dyn Fn(Step<'_>)) -> Result<Self, OptionError> {
        let encoding = options.encoding.clone();
        if let Some(unknown) = encoding.as_deref().filter(|name| !groups::is_encoding(name)) {
            return Err(OptionError::Encoding(unknown.to_owned()));
        }
        let is_wrong = |byte: &u8| !byte.is_ascii() || matches!(byte, b'"' | b'\n' | b'\r' | b'?');
        if let Some(wrong) = options.delimiter.filter(is_wrong) {
            return Err(OptionError::Delimiter(wrong));
        }
        let named = |name: &String| Quirk::named(name).ok_or_else(|| OptionError::Accept(name.clone()));
        let accepted = options.accept.iter().map(named).collect::<Result<_, _>>()?;
        let (delimiter, names) = (options.delimiter, options.columns.clone());
        let layout = Layout { delimiter, names, encoding, is_unquoted: options.quote == Quote::None };
        Ok(Self { options, layout, accepted, progress, warnings: Vec::new() })
    }

    /// Possible mistakes in the tables that were read.
    pub fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }

    /// Counts the published table, which must contain all columns.
    pub fn published(&mut self) -> Result<Counts, Error> {
        let columns: Vec<String> = self.options.quasi.iter().chain(&self.options.sensitive).cloned().collect();
        self.read(&self.options.table, &columns, self.options.empty == EmptyCells::Suppressed)
    }

    /// Counts a table of raw values: all quasi-identifiers, and the sensitive columns that it has.
    pub fn raw(&mut self, table: &Table) -> Result<Counts, Error> {
        let there = self.names(table)?;
        let known = self.options.sensitive.iter().filter(|name| there.contains(name));
        let columns: Vec<String> = self.options.quasi.iter().chain(known).cloned().collect();
        self.read(table, &columns, false)
    }

    /// Counts a table of raw values: the quasi-identifiers that it has.
    pub fn some(&mut self, table: &Table) -> Result<Counts, Error> {
        let there = self.names(table)?;
        let known: Vec<String> = self.options.quasi.iter().filter(|name| there.contains(name)).cloned().collect();
        if known.is_empty() {
            return Err(Error::NoCommonColumn { table: table.name(), columns: there });
        }
        self.read(table, &known, false)
    }

    fn names(&self, table: &Table) -> Result<Vec<String>, SourceError> {
        match table {
            Table::File(path) => groups::names(path, &self.layout),
            Table::Memory { rows, .. } => {
                let fields = rows.first().map(|batch| batch.schema().fields().clone());
                Ok(fields
                    .into_iter()
                    .flat_map(|fields| fields.iter().map(|field| field.name().clone()).collect::<Vec<_>>())
                    .collect())
            }
        }
    }

    fn source(&self, table: &Table, columns: &[String]) -> Result<Source, SourceError> {
        match table {
            Table::File(path) => groups::open(path, columns, &self.layout),
            Table::Memory { name, rows } => Ok(groups::of_memory(name, columns, rows.clone())),
        }
    }

    fn read(&mut self, table: &Table, columns: &[String], may_be_suppressed: bool) -> Result<Counts, Error> {
        self.expect_row_first(table)?;
        let resources = &self.options.resources;
        let (name, mut counts) = (table.name(), Counts::new(columns)?);
        let source = self.source(table, columns)?;
        groups::expect_rows(&source, resources, &self.accepted)?;
        let mut faults = Faults::new(columns.len());
        let mut failed = None;
        let mut row_codes = vec![0; columns.len()];
        let is_text = matches!(table, Table::File(path) if groups::is_text(path));
        let told = |read| (self.progress)(Step::Reading(&name, read));
        groups(&source, resources, &told, &mut |rows| {
            // Each value is read once, however many rows have it. The first place is that of NULL.
            let mut read: Vec<Vec<ReadValue>> = vec![vec![ReadValue::default()]; columns.len()];
            for (at, read) in read.iter_mut().enumerate() {
                rows.each_value(at, &mut |number, value| {
                    let (value, fault) = self.value(value, at, columns, may_be_suppressed, is_text);
                    match counts.intern(at, value) {
                        Ok(code) if number == 0 => read[0] = ReadValue { code, fault, rows: 0 },
                        Ok(code) => read.push(ReadValue { code, fault, rows: 0 }),
                        Err(error) => failed = Some(error),
                    }
                });
            }
            rows.each(&mut |numbers, times| {
                for (code, (number, read)) in row_codes.iter_mut().zip(numbers.iter().zip(&mut read)) {
                    // Without a code the table has failed.
                    let Some(value) = read.get_mut(*number as usize) else { return };
                    *code = value.code;
                    value.rows += times;
                }
                if let Err(error) = counts.push_codes(&row_codes, times) {
                    failed = Some(error);
                }
            });
            for (at, value) in
                read.into_iter().enumerate().flat_map(|(at, read)| read.into_iter().map(move |one| (at, one)))
            {
                faults.add(at, value);
            }
        })?;
        self.report(faults, &name, columns, may_be_suppressed)?;
        failed.map_or(Ok(counts), |error| Err(error.into()))
    }

    /// A value as it is counted, and its fault.
    fn value<'v>(
        &self,
        value: Option<&'v str>,
        at: usize,
        columns: &[String],
        may_be_suppressed: bool,
        is_text: bool,
    ) -> (&'v str, Option<Fault>) {
        let Options { quasi, empty, nulls, literal, .. } = self.options;
        let is_quasi = at < quasi.len();
        let means_something = match empty {
            EmptyCells::Value => true,
            EmptyCells::Suppressed => may_be_suppressed && is_quasi,
            EmptyCells::Refuse => false,
        };
        let is_literal = || columns.get(at).is_some_and(|name| literal.contains(name));
        match if is_null(value, nulls) { Some("") } else { value } {
            None if is_text => ("", Some(Fault::Unreadable)),
            None | Some("") if !means_something => ("", Some(Fault::Empty)),
            None | Some("") if *empty == EmptyCells::Suppressed => ("*", None),
            Some(value) if is_literal() => (value, None),
            // To an observer of the class, a hidden value is as unknown as an empty cell.
            Some("*") if !is_quasi => ("*", Some(Fault::Star)),
            Some(value) => (plain(value.trim()), null_word(value).map(|word| Fault::Null(word.to_owned()))),
            None => ("", None),
        }
    }

    /// If column names are given, the first line is a row; if it contains these very names, it is a header.
    fn expect_row_first(&self, table: &Table) -> Result<(), OptionError> {
        let (Some(stated), Table::File(path)) = (&self.layout.names, table) else { return Ok(()) };
        let first = groups::names(path, &Layout { names: None, ..self.layout.clone() });
        // A first line that cannot be a header is not an error here.
        if first.is_ok_and(|first| first.iter().map(|name| name.trim()).eq(stated.iter().map(String::as_str))) {
            return Err(OptionError::Header { table: table.name() });
        }
        Ok(())
    }

    /// Rejects unusable values, and records warnings about possible mistakes.
    fn report(
        &mut self,
        faults: Faults,
        table: &str,
        columns: &[String],
        may_be_suppressed: bool,
    ) -> Result<(), Error> {
        let (table, name) = (table.to_owned(), |at: usize| columns.get(at).cloned().unwrap_or_default());
        let some = |counts: &[u64]| -> Vec<(String, u64)> {
            columns.iter().cloned().zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect()
        };
        if let Some(at) = faults.unreadable {
            return Err(Error::NotText { table, column: name(at) });
        }
        let (hidden, columns) = (some(&faults.stars), some(&faults.empty));
        if !hidden.is_empty() {
            return Err(Error::Hidden { table, columns: hidden });
        }
        if !columns.is_empty() {
            return Err(Error::Empty { table, columns, empty: self.options.empty, may_be_suppressed });
        }
        self.warnings.extend(faults.nulls.into_iter().map(|((at, word), rows)| Warning::NullWord {
            table: table.clone(),
            column: name(at),
            word,
            rows,
        }));
        Ok(())
    }
}

/// Whether a cell contains one of the texts declared as empty.
fn is_null(value: Option<&str>, nulls: &[String]) -> bool {
    value.is_some_and(|value| nulls.iter().any(|null| null == value.trim()))
}

/// A text that programs often write for a missing value.
fn null_word(value: &str) -> Option<&str> {
    const WORDS: [&str; 8] = ["na", "n/a", "<na>", "null", "nan", "nat", ".", "?"];
    let value = value.trim();
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(value)).then_some(value)
}

/// A value that cannot be used, or is possibly a mistake.
#[derive(Clone)]
enum Fault {
    /// A field that is not valid text.
    Unreadable,
    Empty,
    /// `*` in a sensitive column.
    Star,
    /// A text that often denotes a missing value.
    Null(String),
}

/// A value of a column that was read: its code, its fault, and the number of its rows.
#[derive(Clone, Default)]
struct ReadValue {
    code: u32,
    fault: Option<Fault>,
    rows: u64,
}

/// Counts of faulty values of a table.
struct Faults {
    /// Rows without a value, by column.
    empty: Vec<u64>,
    /// Rows with `*` in a sensitive column, by column.
    stars: Vec<u64>,
    /// Rows with a text that often denotes a missing value, by column and text.
    nulls: BTreeMap<(usize, String), u64>,
    /// The first column with a field that is not valid text.
    unreadable: Option<usize>,
}

impl Faults {
    fn new(columns: usize) -> Self {
        Self { empty: vec![0; columns], stars: vec![0; columns], nulls: BTreeMap::new(), unreadable: None }
    }

    /// Adds the fault of a value of a column, if it has one.
    fn add(&mut self, at: usize, value: ReadValue) {
        let ReadValue { fault, rows, .. } = value;
        match fault {
            None => {}
            Some(Fault::Unreadable) => {
                self.unreadable.get_or_insert(at);
            }
            Some(Fault::Empty) => self.empty[at] += rows,
            Some(Fault::Star) => self.stars[at] += rows,
            Some(Fault::Null(word)) => *self.nulls.entry((at, word)).or_default() += rows,
        }
    }
}
