//! Rows of files as columns of the six types, on several threads.
//!
//! Everything that can be refused is refused before a row is read. After that only a file that cannot be read to its end stops
//! a scan, with an error that says nothing about rows.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use crate::error::SourceError;
use crate::meter::Meter;
use crate::parquet::{self, Place, Unit};
use crate::reading::ColumnReader;
use crate::text::{Chunk, Layout, Records};
use crate::{Rows, Source};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;
use deniable_expression::{Column, LONGEST_TEXT, Type};
use deniable_policy::{Column as Declared, Format};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Most rows of a batch.
pub const BATCH_ROWS: usize = 8_192;
/// Most files of text that are decoded at the same time; a table may have more than a process may have open.
const MOST_DECODERS: usize = 8;
/// Chunks that wait to be taken, of each file that is being decoded.
const CHUNKS_AHEAD: usize = 2;

/// A column that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Its position among the declared ones.
    pub column: usize,
    /// How its values are given.
    pub form: Form,
}

/// How the values of a column are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As values of one of the six types.
    Typed,
    /// Texts as they are in memory, for whoever only compares and shows them: see [`ColumnReader::stored`]. Other columns as
    /// [`Form::Typed`].
    Stored,
}

impl Wanted {
    /// A column as values.
    #[must_use]
    pub fn typed(column: usize) -> Self {
        Self { column, form: Form::Typed }
    }

    /// A column that is only compared and shown.
    #[must_use]
    pub fn stored(column: usize) -> Self {
        Self { column, form: Form::Stored }
    }
}

/// Some rows: at most [`BATCH_ROWS`].
#[derive(Debug, Clone)]
pub struct Batch {
    /// How many. There may be no columns.
    pub rows: usize,
    /// The wanted columns, in their order.
    pub columns: Vec<Read>,
}

/// The values of a column.
#[derive(Debug, Clone)]
pub enum Read {
    /// As values.
    Typed(Column),
    /// Texts, as `Utf8View` or as a dictionary of any kind of text. One batch may have the one, the next the other.
    Stored(ArrayRef),
}

impl Read {
    /// The values, if they are typed.
    #[must_use]
    pub fn typed(&self) -> Option<&Column> {
        match self {
            Self::Typed(column) => Some(column),
            Self::Stored(_) => None,
        }
    }

    /// The values as an array.
    #[must_use]
    pub fn to_array(&self) -> ArrayRef {
        match self {
            Self::Typed(column) => column.to_array(),
            Self::Stored(array) => array.clone(),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Typed(column) => column.len(),
            Self::Stored(array) => array.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Why a scan ended early.
#[derive(Debug)]
pub enum ScanError<E> {
    /// The rows cannot be read to their end.
    Source(SourceError),
    /// Whoever took the rows wanted no more.
    Work(E),
}

/// A scan that is about to begin. Its files have the wanted columns, in types that can be read.
#[derive(Debug)]
pub struct Scan {
    table: String,
    declared: Vec<Declared>,
    wanted: Vec<Wanted>,
    meter: Arc<Meter>,
    rows: Opened,
}

#[derive(Debug)]
enum Opened {
    Memory(Vec<Slice>),
    Text { files: Vec<PathBuf>, layout: Arc<Layout>, readers: Vec<ColumnReader> },
    Parquet(Vec<Unit>),
}

/// Some rows in memory: the wanted columns alone.
#[derive(Debug)]
struct Slice {
    rows: RecordBatch,
    readers: Arc<[ColumnReader]>,
}

/// What [`Scan::in_order`] comes across.
#[derive(Debug)]
pub enum Seen<'a> {
    /// A record that is no row: it has more or fewer fields than there are columns, or is no text.
    Broken {
        /// The file.
        path: &'a Path,
        /// The line on which it begins, counted from 1.
        line: u64,
        /// What is wrong with it, without a value.
        what: String,
    },
    /// Rows.
    Rows {
        /// The file; `memory` for rows in memory.
        path: &'a Path,
        /// The line of each (CSV), or its number in the file (Parquet) or in memory; counted from 1.
        lines: &'a [u64],
        /// The wanted columns, in their order.
        columns: &'a [Looked],
    },
}

/// A column, and where its values should be.
#[derive(Debug, Clone)]
pub struct Looked {
    /// Whether something that should be a value stands there. Where it does and the value is NULL, it cannot be read.
    pub present: BooleanArray,
    /// The values.
    pub values: Column,
}

impl Source {
    /// Opens the files for these columns. `meter` counts what will be read.
    ///
    /// # Errors
    /// When files are missing, unreadable, empty, or do not hold the declared columns in types that can be read as theirs.
    pub fn scan(&self, wanted: &[Wanted], meter: &Arc<Meter>) -> Result<Scan, SourceError> {
        let declared = &self.table().columns;
        let table = self.table().name.clone();
        if wanted.iter().any(|wanted| wanted.column >= declared.len()) {
            return Err(SourceError::Rows { table });
        }
        let rows = match &self.rows {
            Rows::Memory(batches) => Opened::Memory(memory(batches, declared, wanted)?),
            Rows::Files { files, format: Format::Csv(options), .. } => {
                let layout = Layout::of(files, options, declared)?;
                let layout = Arc::new(layout.project(wanted.iter().map(|wanted| wanted.column)));
                let columns = wanted.iter().filter_map(|wanted| declared.get(wanted.column));
                let readers = columns.map(|column| ColumnReader::from_text(column, options)).collect();
                Opened::Text { files: files.clone(), layout, readers }
            }
            Rows::Files { files, format: Format::Parquet, partitions } => {
                Opened::Parquet(parquet::units(files, declared, partitions, wanted)?)
            }
        };
        Ok(Scan { table, declared: declared.clone(), wanted: wanted.to_vec(), meter: meter.clone(), rows })
    }
}

/// Batches, cut into pieces.
fn memory(batches: &[RecordBatch], declared: &[Declared], wanted: &[Wanted]) -> Result<Vec<Slice>, SourceError> {
    let path = Path::new("memory");
    let mut slices = Vec::new();
    for batch in batches {
        let schema = batch.schema_ref();
        let mut all = Vec::new();
        for column in declared {
            let position = parquet::find(schema, column, path)?;
            let stored = schema.fields().get(position).map_or(&DataType::Null, |field| field.data_type());
            all.push((position, ColumnReader::from_stored(column, stored, path)?));
        }
        let (positions, readers): (Vec<usize>, Vec<ColumnReader>) =
            wanted.iter().filter_map(|wanted| all.get(wanted.column).cloned()).unzip();
        let readers: Arc<[ColumnReader]> = readers.into();
        let whole = batch.project(&positions).map_err(|_| SourceError::Rows { table: path.display().to_string() })?;
        let mut begin = 0_usize;
        while begin < whole.num_rows() {
            let rows = whole.num_rows().saturating_sub(begin).min(BATCH_ROWS);
            slices.push(Slice { rows: whole.slice(begin, rows), readers: readers.clone() });
            begin = begin.saturating_add(rows);
        }
    }
    Ok(slices)
}

/// What threads take from.
enum Supply {
    Memory {
        slices: Vec<Slice>,
        next: AtomicUsize,
    },
    /// Chunks of texts; none where a file cannot be read on.
    Text {
        chunks: Mutex<Option<Receiver<Option<Chunk>>>>,
        readers: Vec<ColumnReader>,
    },
    Parquet {
        units: Vec<Unit>,
        next: AtomicUsize,
    },
}

/// Files of text that one thread decodes, one after the other.
struct Decoder {
    files: Vec<PathBuf>,
    layout: Arc<Layout>,
    chunks: SyncSender<Option<Chunk>>,
}

impl Opened {
    fn supply(self, threads: usize) -> (Supply, Vec<Decoder>) {
        match self {
            Self::Memory(slices) => (Supply::Memory { slices, next: AtomicUsize::new(0) }, Vec::new()),
            Self::Parquet(units) => (Supply::Parquet { units, next: AtomicUsize::new(0) }, Vec::new()),
            Self::Text { files, layout, readers } => {
                let decoders = threads.min(MOST_DECODERS).min(files.len());
                let (sender, receiver) = sync_channel(decoders.saturating_mul(CHUNKS_AHEAD));
                let decoder = |first| {
                    let files = files.iter().skip(first).step_by(decoders).cloned().collect();
                    Decoder { files, layout: layout.clone(), chunks: sender.clone() }
                };
                let decoders = (0..decoders).map(decoder).collect();
                (Supply::Text { chunks: Mutex::new(Some(receiver)), readers }, decoders)
            }
        }
    }
}

impl Decoder {
    /// Decodes until the end, or until nobody wants more. Neither the operating system's words nor the place would help: the
    /// check has both.
    fn run(self, meter: &Arc<Meter>) {
        for path in &self.files {
            let Ok(mut records) = Records::open(path, self.layout.clone(), LONGEST_TEXT, meter.clone()) else {
                drop(self.chunks.send(None));
                return;
            };
            loop {
                let mut keep = |line: u64, record: &csv::ByteRecord| {
                    if record.len() == self.layout.width() {
                        return Ok(true);
                    }
                    let reason = format!("line {line} has more or fewer fields than there are columns");
                    Err(SourceError::Unreadable { path: path.clone(), reason })
                };
                match records.next(&mut keep) {
                    Ok(None) => break,
                    Ok(Some(chunk)) => {
                        if self.chunks.send(Some(chunk)).is_err() {
                            return;
                        }
                    }
                    Err(_) => {
                        drop(self.chunks.send(None));
                        return;
                    }
                }
            }
        }
    }
}

/// What the threads of a scan share.
struct Work {
    declared: Vec<Declared>,
    wanted: Vec<Wanted>,
    meter: Arc<Meter>,
    supply: Supply,
    stopped: AtomicBool,
}

/// Why a thread ends early.
enum Stop<E> {
    /// The rows cannot be read on.
    Damaged,
    /// Whoever takes the rows wants no more.
    Work(E),
}

/// Stops all threads when it goes, unless its thread came to the end.
struct Guard<'a> {
    work: &'a Work,
    is_done: bool,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        self.work.stopped.store(true, Ordering::Relaxed);
        if let Supply::Text { chunks, .. } = &self.work.supply {
            // Whoever decodes finds out that nobody takes any more.
            drop(chunks.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

impl Work {
    fn run<W, E>(&self, start: &impl Fn() -> W, take: &impl Fn(&mut W, Batch) -> Result<(), E>) -> Result<W, Stop<E>> {
        let mut guard = Guard { work: self, is_done: false };
        let mut made = start();
        self.batches(&mut |batch| take(&mut made, batch))?;
        guard.is_done = true;
        Ok(made)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Takes batches until there are none, or the scan is stopped.
    fn batches<E>(&self, take: &mut dyn FnMut(Batch) -> Result<(), E>) -> Result<(), Stop<E>> {
        match &self.supply {
            Supply::Memory { slices, next } => {
                while let Some(slice) = slices.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if self.is_stopped() {
                        return Ok(());
                    }
                    let rows = slice.rows.num_rows();
                    self.meter.add_rows(rows);
                    let columns = self.read(&slice.readers, slice.rows.columns());
                    take(Batch { rows, columns }).map_err(Stop::Work)?;
                }
            }
            Supply::Text { chunks, readers } => loop {
                let chunk = match &*chunks.lock().unwrap_or_else(PoisonError::into_inner) {
                    Some(chunks) => chunks.recv(),
                    None => return Ok(()),
                };
                // Nothing comes any more once all decoders are at their end.
                let Ok(chunk) = chunk else { return Ok(()) };
                let chunk = chunk.ok_or(Stop::Damaged)?;
                let columns = self.read(readers, &chunk.texts);
                take(Batch { rows: chunk.lines.len(), columns }).map_err(Stop::Work)?;
            },
            Supply::Parquet { units, next } => {
                while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut reader = unit.open(&self.declared, &self.meter).ok_or(Stop::Damaged)?;
                    while let Some((rows, stored)) = reader.next().ok_or(Stop::Damaged)? {
                        if self.is_stopped() {
                            return Ok(());
                        }
                        let columns = unit.places().iter().map(|place| place.read(rows, &stored));
                        let columns = columns.collect::<Option<_>>().ok_or(Stop::Damaged)?;
                        take(Batch { rows, columns }).map_err(Stop::Work)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn read(&self, readers: &[ColumnReader], stored: &[ArrayRef]) -> Vec<Read> {
        let all = readers.iter().zip(stored).zip(&self.wanted);
        all.map(|((reader, stored), wanted)| read(reader, wanted.form, stored)).collect()
    }
}

fn read(reader: &ColumnReader, form: Form, stored: &ArrayRef) -> Read {
    match form {
        Form::Stored if reader.kind() == Type::Text => Read::Stored(reader.stored(stored)),
        Form::Stored | Form::Typed => Read::Typed(reader.read(stored)),
    }
}

impl Place {
    /// The values of some rows, of which these are the columns that are read of the file.
    fn read(&self, rows: usize, stored: &[ArrayRef]) -> Option<Read> {
        Some(match self {
            Self::Folder { value, .. } => Read::Typed(Column::repeat(value.kind(), value.value(0).as_ref(), rows)),
            Self::File { position, reader, form } => read(reader, *form, stored.get(*position)?),
        })
    }

    fn look(&self, rows: usize, stored: &[ArrayRef]) -> Option<Looked> {
        Some(match self {
            Self::Folder { value, is_present } => {
                let present = if *is_present { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) };
                let values = Column::repeat(value.kind(), value.value(0).as_ref(), rows);
                Looked { present: BooleanArray::new(present, None), values }
            }
            Self::File { position, reader, .. } => look(reader, stored.get(*position)?),
        })
    }
}

fn look(reader: &ColumnReader, stored: &ArrayRef) -> Looked {
    Looked { present: reader.present(stored), values: reader.read(stored) }
}

impl Scan {
    /// Reads all rows on so many threads. Each makes something with `start`, takes batches into it, and hands it back. There is
    /// no order of rows but with one thread, where it is that of the files.
    ///
    /// # Errors
    /// When the rows cannot be read to their end, or `take` says so; the other threads stop, too.
    pub fn run<W: Send, E: Send>(
        self,
        threads: usize,
        start: impl Fn() -> W + Sync,
        take: impl Fn(&mut W, Batch) -> Result<(), E> + Sync,
    ) -> Result<Vec<W>, ScanError<E>> {
        let Self { table, declared, wanted, meter, rows } = self;
        let threads = threads.max(1);
        let (supply, decoders) = rows.supply(threads);
        let work = Work { declared, wanted, meter, supply, stopped: AtomicBool::new(false) };
        let (done, is_whole) = std::thread::scope(|scope| {
            let (work, start, take) = (&work, &start, &take);
            let mut is_whole = true;
            let mut decoding = Vec::new();
            for decoder in decoders {
                let thread = std::thread::Builder::new().spawn_scoped(scope, move || decoder.run(&work.meter));
                match thread {
                    Ok(thread) => decoding.push(thread),
                    Err(_) => is_whole = false,
                }
            }
            let mut working = Vec::new();
            let mut done = Vec::new();
            for _ in 0..threads {
                match std::thread::Builder::new().spawn_scoped(scope, move || work.run(start, take)) {
                    Ok(thread) => working.push(thread),
                    // Fewer threads do the same work.
                    Err(_) => break,
                }
            }
            if working.is_empty() {
                done.push(work.run(start, take));
            }
            // A thread that panicked has stopped the others on its way out.
            done.extend(working.into_iter().map(|thread| thread.join().unwrap_or(Err(Stop::Damaged))));
            for thread in decoding {
                is_whole &= thread.join().is_ok();
            }
            (done, is_whole)
        });
        let mut made = Vec::with_capacity(done.len());
        let mut is_whole = is_whole;
        for done in done {
            match done {
                Ok(one) => made.push(one),
                // Says more than that rows cannot be read.
                Err(Stop::Work(error)) => return Err(ScanError::Work(error)),
                Err(Stop::Damaged) => is_whole = false,
            }
        }
        if is_whole { Ok(made) } else { Err(ScanError::Source(SourceError::Rows { table })) }
    }

    /// Looks at all rows in the order of the files, on this thread, with their places: for the curator. `see` is given typed
    /// columns, whatever the form that was wanted.
    ///
    /// # Errors
    /// When a file cannot be read to its end, or `see` says so.
    pub fn in_order(self, see: &mut dyn FnMut(Seen<'_>) -> Result<(), SourceError>) -> Result<(), SourceError> {
        match self.rows {
            Opened::Memory(slices) => {
                let mut before = 0_u64;
                for slice in slices {
                    let rows = slice.rows.num_rows();
                    let lines = lines(&mut before, rows);
                    self.meter.add_rows(rows);
                    let columns = slice.readers.iter().zip(slice.rows.columns());
                    let columns: Vec<Looked> = columns.map(|(reader, stored)| look(reader, stored)).collect();
                    see(Seen::Rows { path: Path::new("memory"), lines: &lines, columns: &columns })?;
                }
            }
            Opened::Text { files, layout, readers } => {
                for path in &files {
                    let mut records = Records::open(path, layout.clone(), LONGEST_TEXT, self.meter.clone())?;
                    loop {
                        let mut keep = |line: u64, record: &csv::ByteRecord| {
                            let Some(what) = layout.broken(record) else { return Ok(true) };
                            see(Seen::Broken { path, line, what }).map(|()| false)
                        };
                        let Some(chunk) = records.next(&mut keep)? else { break };
                        let columns = readers.iter().zip(&chunk.texts);
                        let columns: Vec<Looked> = columns.map(|(reader, stored)| look(reader, stored)).collect();
                        see(Seen::Rows { path, lines: &chunk.lines, columns: &columns })?;
                    }
                }
            }
            Opened::Parquet(units) => {
                let mut before = (PathBuf::new(), 0_u64);
                for unit in &units {
                    let path = unit.path();
                    let damaged = || {
                        let reason = "its rows cannot be read to the end".to_owned();
                        SourceError::Unreadable { path: path.to_owned(), reason }
                    };
                    if before.0 != path {
                        before = (path.to_owned(), 0);
                    }
                    let mut reader = unit.open(&self.declared, &self.meter).ok_or_else(damaged)?;
                    while let Some((rows, stored)) = reader.next().ok_or_else(damaged)? {
                        let lines = lines(&mut before.1, rows);
                        let columns = unit.places().iter().map(|place| place.look(rows, &stored));
                        let columns: Vec<Looked> = columns.collect::<Option<_>>().ok_or_else(damaged)?;
                        see(Seen::Rows { path, lines: &lines, columns: &columns })?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The numbers of the next rows.
fn lines(before: &mut u64, rows: usize) -> Vec<u64> {
    let first = before.saturating_add(1);
    *before = before.saturating_add(rows as u64);
    (first..=*before).collect()
}
