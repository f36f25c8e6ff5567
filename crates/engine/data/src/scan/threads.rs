//! Batches for several threads, and their common end.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use super::piece::{Lines, Piece, StoredColumns};
use super::{BATCH_ROWS, Batch, Kind, Scan, ScanError, ScanInput, Slice};
use crate::error::SourceError;
use crate::files::DataFile;
use crate::meter::Meter;
use crate::parquet::Unit;
use crate::reading::ColumnReader;
use crate::rows::{RemoteRows, RemoteScan};
use crate::text::{BLOCK, Block, Blocks, Layout, Parser, Remarks, UnevenRecords};
use arrow_array::ArrayRef;
use deniable_core::schema::Column as DeclaredColumn;
use deniable_expression::LONGEST_TEXT;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of text files open at the same time; a table may have more files than a process may open.
const MOST_OPEN: usize = 8;

enum Supply {
    Memory {
        slices: Vec<Slice>,
        next: AtomicUsize,
    },
    Text {
        /// Files read at the same time, if there are several. The thread that takes a block cuts it off, and parses it
        /// while other threads cut the next.
        lanes: Vec<Mutex<Lane>>,
        layout: Arc<Layout>,
        readers: Vec<ColumnReader>,
    },
    Parquet {
        units: Vec<Unit>,
        next: AtomicUsize,
    },
    Remote(Box<dyn RemoteScan>),
}

/// Text files, read one after the other.
struct Lane {
    files: std::vec::IntoIter<(usize, DataFile)>,
    blocks: Option<Blocks>,
}

impl ScanInput {
    fn supply(self, threads: usize) -> Supply {
        match self.0 {
            Kind::Memory(slices) => Supply::Memory { slices, next: AtomicUsize::new(0) },
            Kind::Parquet(units) => Supply::Parquet { units, next: AtomicUsize::new(0) },
            Kind::Remote(scan) => Supply::Remote(scan),
            Kind::Text { files, layout, readers } => {
                let lanes = threads.min(MOST_OPEN).min(files.len());
                let lane = |first| {
                    let files: Vec<_> = files.iter().cloned().enumerate().skip(first).step_by(lanes).collect();
                    Mutex::new(Lane { files: files.into_iter(), blocks: None })
                };
                Supply::Text { lanes: (0..lanes).map(lane).collect(), layout, readers }
            }
        }
    }
}

impl Supply {
    /// Compares the rows with the registered ones, for sources where only a complete scan can do so.
    fn finish(self) -> Result<(), SourceError> {
        match self {
            Self::Remote(scan) => scan.finish(),
            Self::Memory { .. } | Self::Text { .. } | Self::Parquet { .. } => Ok(()),
        }
    }
}

impl Lane {
    /// The next block of these files.
    fn next(&mut self, layout: &Arc<Layout>, meter: &Arc<Meter>) -> Result<Option<Block>, SourceError> {
        loop {
            if let Some(blocks) = &mut self.blocks {
                if let Some(block) = blocks.next()? {
                    return Ok(Some(block));
                }
                self.blocks = None;
            }
            let Some((file, stored)) = self.files.next() else { return Ok(None) };
            self.blocks = Some(Blocks::open((file, &stored), layout.clone(), BLOCK, meter)?);
        }
    }
}

/// The shared state of a scan's threads.
struct Work {
    declared: Vec<DeclaredColumn>,
    meter: Arc<Meter>,
    supply: Supply,
    uneven: UnevenRecords,
    stopped: AtomicBool,
    /// The reason why a file cannot be read on: for the curator's check, and not for a release, where neither the
    /// operating system's message nor the place would help.
    failed: Mutex<Option<SourceError>>,
}

/// The reason why a thread ends early.
enum Stop<E> {
    /// The rows cannot be read on.
    Damaged,
    /// The consumer of the rows returned an error.
    Work(E),
}

/// Stops all threads on drop, unless its thread has finished.
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
    }
}

/// The consumer of batches; it returns `None` if the rows are malformed.
type TakePiece<'a, E> = &'a mut dyn FnMut(&Piece<'_>) -> Option<Result<(), E>>;

impl Work {
    fn run<W, E>(
        &self,
        own: usize,
        start: &impl Fn() -> W,
        take: &impl Fn(&mut W, &Piece<'_>) -> Option<Result<(), E>>,
    ) -> Result<W, Stop<E>> {
        let mut guard = Guard { work: self, is_done: false };
        let mut made = start();
        self.pieces(own, &mut |piece| take(&mut made, piece))?;
        guard.is_done = true;
        Ok(made)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn fail(&self, error: SourceError) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn damaged(&self, path: &Path) {
        let reason = "its rows cannot be read to the end".to_owned();
        self.fail(SourceError::Unreadable { path: path.to_owned(), reason });
    }

    /// Passes rows to `take` until none remain or the scan is stopped; `own` is the index of this thread.
    fn pieces<E>(&self, own: usize, take: TakePiece<'_, E>) -> Result<(), Stop<E>> {
        let mut take = |piece: &Piece<'_>| match take(piece) {
            Some(taken) => taken.map_err(Stop::Work),
            None => Err(Stop::Damaged),
        };
        match &self.supply {
            Supply::Memory { slices, next } => {
                while let Some(slice) = slices.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if self.is_stopped() {
                        return Ok(());
                    }
                    let rows = slice.rows.num_rows();
                    self.meter.add_rows(rows);
                    let stored = StoredColumns::Arrays(&slice.readers, slice.rows.columns());
                    take(&Piece {
                        rows,
                        file: 0,
                        lines: Lines::After(slice.before),
                        remarks: Remarks::default(),
                        stored,
                    })?;
                }
            }
            Supply::Text { lanes, layout, readers } => {
                // Each thread begins at its own file, if there are enough files, and then helps with the others.
                let (before, after) = lanes.split_at(own.checked_rem(lanes.len()).unwrap_or(0));
                for lane in after.iter().chain(before) {
                    loop {
                        if self.is_stopped() {
                            return Ok(());
                        }
                        let next = lane.lock().unwrap_or_else(PoisonError::into_inner).next(layout, &self.meter);
                        let next = next.map_err(|error| {
                            self.fail(error);
                            Stop::Damaged
                        })?;
                        let Some(block) = next else { break };
                        self.block(&block, layout, readers, &mut take)?;
                    }
                }
            }
            Supply::Parquet { units, next } => {
                while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                    self.unit(unit, &mut take).inspect_err(|_| self.damaged(unit.path()))?;
                }
            }
            Supply::Remote(scan) => self.receive(scan.as_ref(), &mut take)?,
        }
        Ok(())
    }

    fn receive<E>(
        &self,
        scan: &dyn RemoteScan,
        take: &mut dyn FnMut(&Piece<'_>) -> Result<(), Stop<E>>,
    ) -> Result<(), Stop<E>> {
        let mut before = 0_u64;
        let mut taken = Ok(());
        let mut hand_over = |received: &RemoteRows<'_>| {
            self.meter.add_rows(received.rows);
            self.meter.add_bytes(received.bytes);
            // Rows without places are all in one part.
            let lines = if received.places.is_empty() { Lines::After(before) } else { Lines::On(received.places) };
            before = before.saturating_add(received.rows as u64);
            let stored = StoredColumns::Arrays(scan.readers(), received.columns);
            taken =
                take(&Piece { rows: received.rows, file: received.file, lines, remarks: Remarks::default(), stored });
            taken.is_ok() && !self.is_stopped()
        };
        let received = scan.receive(self.uneven == UnevenRecords::Told, BATCH_ROWS, &mut hand_over);
        taken?;
        received.map_err(|error| {
            self.fail(error);
            Stop::Damaged
        })
    }

    fn block<E>(
        &self,
        block: &Block,
        layout: &Layout,
        readers: &[ColumnReader],
        take: &mut dyn FnMut(&Piece<'_>) -> Result<(), Stop<E>>,
    ) -> Result<(), Stop<E>> {
        let mut parser = Parser::new(block, layout, self.uneven, LONGEST_TEXT);
        while let Some(chunk) = parser.next().ok_or(Stop::Damaged)? {
            self.meter.add_rows(chunk.rows);
            let stored = StoredColumns::Fields(readers, chunk.columns);
            let (lines, remarks) = (Lines::On(chunk.lines), chunk.remarks);
            take(&Piece { rows: chunk.rows, file: block.file, lines, remarks, stored })?;
        }
        Ok(())
    }

    fn unit<E>(&self, unit: &Unit, take: &mut dyn FnMut(&Piece<'_>) -> Result<(), Stop<E>>) -> Result<(), Stop<E>> {
        let mut reader = unit.open(&self.declared, &self.meter).map_err(|error| {
            error.into_iter().for_each(|error| self.fail(error));
            Stop::Damaged
        })?;
        let (file, mut before) = unit.begin();
        while let Some((rows, stored)) = reader.next().ok_or(Stop::Damaged)? {
            if self.is_stopped() {
                return Ok(());
            }
            let stored = StoredColumns::Places(unit.places(), &stored);
            take(&Piece { rows, file, lines: Lines::After(before), remarks: Remarks::default(), stored })?;
            before = before.saturating_add(rows as u64);
        }
        Ok(())
    }
}

impl Scan {
    /// Reads all rows on this number of threads. Each thread creates a state with `start`, updates it with every batch,
    /// and returns it. Rows have no order, except with one thread, where it is that of the files.
    ///
    /// # Errors
    /// When the rows cannot be read completely, or `take` returns an error; the other threads stop, too.
    pub fn run<W: Send, E: Send>(
        self,
        threads: usize,
        start: impl Fn() -> W + Sync,
        take: impl Fn(&mut W, Batch) -> Result<(), E> + Sync,
    ) -> Result<Vec<W>, ScanError<E>> {
        let (table, wanted) = (self.table.clone(), self.wanted.clone());
        let done = self.pieces(threads, UnevenRecords::Ends, start, |made, piece| {
            let columns = piece.read(&wanted)?;
            Some(take(made, Batch { rows: piece.rows, columns }))
        });
        done.map_err(|error| match error {
            // Errors of databases help their administrators, and quote nothing.
            ScanError::Source(Some(error @ (SourceError::Remote { .. } | SourceError::Changed { .. }))) => {
                ScanError::Source(error)
            }
            ScanError::Source(_) => ScanError::Source(SourceError::Rows { table }),
            ScanError::Work(error) => ScanError::Work(error),
        })
    }

    /// As [`Self::run`], for rows in memory or in a database with the arrays in which they are stored; other rows
    /// cannot be read in this way.
    pub(crate) fn stored<W: Send, E: Send>(
        self,
        threads: usize,
        start: impl Fn() -> W + Sync,
        take: impl Fn(&mut W, usize, &[ArrayRef]) -> Result<(), E> + Sync,
    ) -> Result<Vec<W>, ScanError<E>> {
        let table = self.table.clone();
        let done = self.pieces(threads, UnevenRecords::Ends, start, |made, piece| match &piece.stored {
            StoredColumns::Arrays(_, arrays) => Some(take(made, piece.rows, arrays)),
            StoredColumns::Fields(..) | StoredColumns::Places(..) => None,
        });
        done.map_err(|error| match error {
            ScanError::Source(error) => ScanError::Source(error.unwrap_or(SourceError::Rows { table })),
            ScanError::Work(error) => ScanError::Work(error),
        })
    }

    /// As [`Self::run`], with rows in stored form. If they cannot be read completely, the error has the reason, if
    /// known.
    pub(super) fn pieces<W: Send, E: Send>(
        self,
        threads: usize,
        uneven: UnevenRecords,
        start: impl Fn() -> W + Sync,
        take: impl Fn(&mut W, &Piece<'_>) -> Option<Result<(), E>> + Sync,
    ) -> Result<Vec<W>, ScanError<E, Option<SourceError>>> {
        let Self { declared, meter, rows, .. } = self;
        let threads = threads.max(1);
        let supply = rows.supply(threads);
        let (stopped, failed) = (AtomicBool::new(false), Mutex::new(None));
        let work = Work { declared, meter, supply, uneven, stopped, failed };
        let done = std::thread::scope(|scope| {
            let (work, start, take) = (&work, &start, &take);
            let mut working = Vec::new();
            let mut done = Vec::new();
            for own in 0..threads {
                match std::thread::Builder::new().spawn_scoped(scope, move || work.run(own, start, take)) {
                    Ok(thread) => working.push(thread),
                    // Fewer threads do the same work.
                    Err(_) => break,
                }
            }
            if working.is_empty() {
                done.push(work.run(0, start, take));
            }
            // A thread that panicked has stopped the others when it unwound.
            done.extend(working.into_iter().map(|thread| thread.join().unwrap_or(Err(Stop::Damaged))));
            done
        });
        let mut made = Vec::with_capacity(done.len());
        let mut is_whole = true;
        for done in done {
            match done {
                Ok(one) => made.push(one),
                // More informative than the error that rows cannot be read.
                Err(Stop::Work(error)) => return Err(ScanError::Work(error)),
                Err(Stop::Damaged) => is_whole = false,
            }
        }
        if !is_whole {
            return Err(ScanError::Source(work.failed.into_inner().unwrap_or_else(PoisonError::into_inner)));
        }
        work.supply.finish().map_err(|error| ScanError::Source(Some(error)))?;
        Ok(made)
    }
}
