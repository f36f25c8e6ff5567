//! One entity whose rows do not fit in memory: sorted runs of its rows in a temporary file.
//!
//! Which rows of a cell are kept follows from the number of them all, so nothing can be dropped before the last row was
//! read. Then the runs are merged: the rows pass by in the order of their values, and those at the chosen positions of
//! the kept cells remain.

use super::choice::Choice;
use super::keep::{Keeper, KeptOfOne};
use super::layout::Layout;
use super::shards::{Disk, FilePart};
use super::{ComputeError, Identity};
use std::cmp::Ordering;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::Arc;

/// Most runs, each an open file; then they are merged to one. Few, so that every thread may have an entity of this kind.
const MOST_RUNS: usize = 32;
/// Most words of a run's buffer while runs are merged.
const BUFFER: usize = 1 << 12;

/// The rows of an entity, and the cells that will be kept of it.
pub(crate) struct LargeEntity {
    identity: Identity,
    layout: Layout,
    /// For each cut the cells of lowest rank so far, by rank.
    cells: Vec<BTreeMap<u64, KnownCell>>,
    runs: Vec<FilePart>,
    disk: Arc<Disk>,
    /// Number of words of a run's buffer.
    buffer: usize,
}

/// The rows of the entity in a cell.
struct KnownCell {
    cell: u32,
    rows: u64,
    mark: u64,
}

/// A kept cell, with the number of its rows that passed by.
struct OpenCell {
    choice: Choice,
    passed: u64,
}

impl LargeEntity {
    /// `allowance` is the number of bytes for buffers.
    pub(super) fn new(identity: Identity, keeper: &Keeper, disk: &Arc<Disk>, allowance: usize) -> Self {
        let layout = keeper.layout().clone();
        let width = layout.words();
        let buffer = (allowance / size_of::<u64>() / MOST_RUNS).clamp(width, BUFFER.max(width)) / width * width;
        let cells = (0..keeper.cuts()).map(|_| BTreeMap::new()).collect();
        Self { identity, layout, cells, runs: Vec::new(), disk: disk.clone(), buffer }
    }

    pub(crate) fn identity(&self) -> Identity {
        self.identity
    }

    /// Moves rows of the entity to the file.
    pub(super) fn add(&mut self, rows: &mut Vec<u64>, keeper: &Keeper) -> Result<(), ComputeError> {
        if rows.is_empty() {
            return Ok(());
        }
        let width = self.layout.words();
        let (seed, most) = (keeper.seed(self.identity), keeper.most_cells());
        for (cut, cells) in self.cells.iter_mut().enumerate() {
            for row in rows.chunks_exact(width) {
                let cell = keeper.capped_by(cut, row);
                let known = cells.entry(seed.rank(cell)).or_insert(KnownCell { cell, rows: 0, mark: 0 });
                known.rows += 1;
                known.mark |= keeper.mark_of(row);
                if cells.len() > most {
                    // It does not return: as many cells have lower ranks.
                    cells.pop_last();
                }
            }
        }
        rows.chunks_exact_mut(width).for_each(|row| self.layout.flip(row));
        let mut order: Vec<u32> = (0..(rows.len() / width) as u32).collect();
        let row = |at: u32| &rows[at as usize * width..][..width];
        order.sort_unstable_by(|one, other| row(*one).cmp(row(*other)));
        let mut run = self.disk.write()?;
        order.into_iter().try_for_each(|at| run.push(row(at)))?;
        self.runs.push(run.finish()?);
        rows.clear();
        if self.runs.len() < MOST_RUNS {
            return Ok(());
        }
        let mut run = self.disk.write()?;
        merge(std::mem::take(&mut self.runs), (width, self.buffer), &mut |row| run.push(row))?;
        self.runs.push(run.finish()?);
        Ok(())
    }

    /// The kept rows, for each cut, if there are at most `room` in all.
    pub(super) fn finish(self, keeper: &Keeper, mut room: usize) -> Result<Vec<KeptOfOne>, ComputeError> {
        let (mut kept, mut open) = (Vec::new(), Vec::new());
        for cells in &self.cells {
            let marks = cells.values().map(|known| (known.cell, known.mark)).collect();
            kept.push(KeptOfOne { rows: Vec::new(), marks });
            let start = |known: &KnownCell| OpenCell {
                choice: keeper.choice(self.identity, known.cell, known.rows),
                passed: 0,
            };
            open.push(cells.values().map(|known| (known.cell, start(known))).collect::<HashMap<u32, OpenCell>>());
        }
        let mut row = Vec::new();
        merge(self.runs, (self.layout.words(), self.buffer), &mut |flipped| {
            row.clear();
            row.extend_from_slice(flipped);
            self.layout.flip(&mut row);
            for (cut, (open, kept)) in open.iter_mut().zip(&mut kept).enumerate() {
                let Some(open) = open.get_mut(&keeper.capped_by(cut, &row)) else { continue };
                if open.choice.keeps(open.passed) {
                    room = room.checked_sub(1).ok_or(ComputeError::Memory)?;
                    kept.rows.extend_from_slice(&row);
                }
                open.passed += 1;
            }
            Ok(())
        })?;
        Ok(kept)
    }
}

/// The first row of a run that has not passed by.
#[derive(PartialEq, Eq)]
struct First {
    row: Vec<u64>,
    run: usize,
}

impl Ord for First {
    /// A heap's greatest element is the lowest row.
    fn cmp(&self, other: &Self) -> Ordering {
        other.row.cmp(&self.row)
    }
}

impl PartialOrd for First {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Reads a run row by row.
struct RunReader {
    part: FilePart,
    rows: Vec<u64>,
    at: usize,
}

impl RunReader {
    /// Moves the next row to `row`; false at the end.
    fn next(&mut self, row: &mut Vec<u64>, (width, buffer): (usize, usize)) -> Result<bool, ComputeError> {
        if self.at == self.rows.len() {
            self.rows.clear();
            self.at = 0;
            self.part.take(&mut self.rows, buffer)?;
        }
        let Some(next) = self.rows.get(self.at..self.at + width) else { return Ok(false) };
        row.clear();
        row.extend_from_slice(next);
        self.at += width;
        Ok(true)
    }
}

/// Passes on the rows of sorted runs in order. `size` is the number of words of a row, and of each run's buffer.
fn merge(
    runs: Vec<FilePart>,
    size: (usize, usize),
    visit: &mut dyn FnMut(&[u64]) -> Result<(), ComputeError>,
) -> Result<(), ComputeError> {
    let mut readers: Vec<RunReader> =
        runs.into_iter().map(|part| RunReader { part, rows: Vec::new(), at: 0 }).collect();
    let mut firsts = BinaryHeap::new();
    for (run, reader) in readers.iter_mut().enumerate() {
        let mut row = Vec::new();
        if reader.next(&mut row, size)? {
            firsts.push(First { row, run });
        }
    }
    while let Some(mut first) = firsts.peek_mut() {
        visit(&first.row)?;
        let run = first.run;
        if !readers[run].next(&mut first.row, size)? {
            PeekMut::pop(first);
        }
    }
    Ok(())
}
