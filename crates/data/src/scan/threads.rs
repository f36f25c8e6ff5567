//! Batches for several threads, and how they end together.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use super::{Batch, Opened, Read, Scan, ScanError, Slice, Wanted, read};
use crate::error::SourceError;
use crate::meter::Meter;
use crate::parquet::Unit;
use crate::reading::ColumnReader;
use crate::text::{Chunk, Layout, Records};
use arrow_array::ArrayRef;
use deniable_core::schema::Column as Declared;
use deniable_expression::LONGEST_TEXT;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Most files of text that are decoded at the same time; a table may have more than a process may have open.
const MOST_DECODERS: usize = 8;
/// Chunks that wait to be taken, of each file that is being decoded.
const CHUNKS_AHEAD: usize = 2;

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
}
