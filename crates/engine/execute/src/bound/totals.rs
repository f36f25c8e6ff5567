//! Totals of cells.
//!
//! Sums are integers of grid units in 128 bits: at most 2^63 rows of at most 2^53 units each, squares included, stay
//! below 2^117, so sums never overflow. Counts of rows fit in 64 bits.

use super::decode::Values;
use super::exact::{Cells, Exact};
use super::keep::FIRST;
use super::levels::Levels;
use super::lookup::NOWHERE;
use super::pile::Pile;
use super::walk::KeptRows;
use deniable_query::{CentredArgument, Measure, MeasureKind, Query, presence};

/// Number of rows whose units, at most 2^52 each, are summed in 64 bits.
const BLOCK: usize = 512;

/// Running totals. Rows without a cell are added to an extra cell, which is dropped at the end: that is faster than a
/// branch.
pub struct Totals {
    levels: Levels,
    gathered: Vec<LevelTotals>,
    measures: Vec<Recipe>,
    /// The cells of a level.
    buffer: Vec<u32>,
    /// Number of bytes of all piles.
    piled: usize,
}

/// Totals over the cells of a level, shared by all measures that are computed from them.
struct LevelTotals {
    what: TotalKind,
    level: usize,
    vector: Vector,
}

/// The quantity that is totalled in the cells of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TotalKind {
    /// Number of rows.
    Rows,
    /// Number of rows with a value of an argument.
    Present(usize),
    /// Number of entities, by the bit of a mark; with an argument, of those with a value of it.
    Entities {
        /// The bit.
        bit: u32,
        /// The argument.
        present: Option<usize>,
    },
    /// Sum of the units of an argument.
    Units(usize),
    /// Sum of the products of two centred arguments.
    Products([CentredArgument; 2]),
    /// The values themselves.
    Pile(usize),
}

enum Vector {
    Counts(Vec<u64>),
    Sums(Vec<i128>),
    Piles(Vec<Pile>),
}

/// The computation of a measure from totals.
#[derive(Clone, Copy)]
struct Recipe {
    /// The position of its total.
    of: usize,
    /// For centred sums: the centre, in fractions of a unit, which is subtracted for each row counted in the total at
    /// this position.
    centre: Option<(CentredArgument, usize)>,
}

/// The position of a total, which is added if it is new.
fn gather(gathered: &mut Vec<LevelTotals>, what: TotalKind, level: usize, cells: usize) -> usize {
    let known = gathered.iter().position(|known| known.what == what && known.level == level);
    known.unwrap_or_else(|| {
        let vector = match what {
            TotalKind::Rows | TotalKind::Present(_) | TotalKind::Entities { .. } => Vector::Counts(vec![0; cells + 1]),
            TotalKind::Units(_) | TotalKind::Products(_) => Vector::Sums(vec![0; cells + 1]),
            TotalKind::Pile(_) => Vector::Piles(vec![Pile::default(); cells]),
        };
        gathered.push(LevelTotals { what, level, vector });
        gathered.len() - 1
    })
}

impl Totals {
    /// Starts at zero.
    #[must_use]
    pub fn new(query: &Query) -> Self {
        let present = presence(query.measures());
        let mut gathered = Vec::new();
        let mut recipe = |Measure { kind, level, .. }: &Measure| {
            let mut of = |what| gather(&mut gathered, what, *level, query.cells(*level));
            let plain = |of| Recipe { of, centre: None };
            match kind {
                MeasureKind::Rows => plain(of(TotalKind::Rows)),
                MeasureKind::NotNull { argument } => plain(of(TotalKind::Present(*argument))),
                MeasureKind::Entities { present: wanted } => {
                    let bit = present.iter().position(|known| Some(known) == wanted.as_ref());
                    let bit = bit.map_or(0, |bit| 1 + bit as u32);
                    plain(of(TotalKind::Entities { bit, present: *wanted }))
                }
                MeasureKind::Sum { of: CentredArgument { argument, times: 1, centre: 0 }, .. } => {
                    plain(of(TotalKind::Units(*argument)))
                }
                MeasureKind::Sum { of: centred @ CentredArgument { argument, .. }, .. } => {
                    let count = of(TotalKind::Present(*argument));
                    Recipe { of: of(TotalKind::Units(*argument)), centre: Some((*centred, count)) }
                }
                MeasureKind::Product { of: both, .. } => plain(of(TotalKind::Products(*both))),
                MeasureKind::Ranked { argument, .. } | MeasureKind::Tree { argument, .. } => {
                    plain(of(TotalKind::Pile(*argument)))
                }
            }
        };
        let measures = query.measures().iter().map(&mut recipe).collect();
        Self {
            levels: Levels::new(query.groups(), query.levels(), query.nesting(), query.is_capped_together()),
            gathered,
            measures,
            buffer: Vec::new(),
            piled: 0,
        }
    }

    /// The totals, in order.
    #[must_use]
    pub fn wanted(&self) -> Vec<TotalKind> {
        self.gathered.iter().map(|gathered| gathered.what).collect()
    }

    /// Sets the totals of a cell of the only level to sums that were computed elsewhere; false if they are not sums of
    /// rows.
    pub fn set(&mut self, cell: usize, sums: &[i128]) -> bool {
        let mut fits = sums.len() == self.gathered.len();
        for (LevelTotals { vector, .. }, sum) in self.gathered.iter_mut().zip(sums) {
            // The last element is for rows without a cell.
            match vector {
                Vector::Counts(counts) if cell + 1 < counts.len() => match u64::try_from(*sum) {
                    Ok(count) => counts[cell] = count,
                    Err(_) => fits = false,
                },
                Vector::Sums(all) if cell + 1 < all.len() && sum.unsigned_abs() < 1 << 120 => all[cell] = *sum,
                Vector::Counts(_) | Vector::Sums(_) | Vector::Piles(_) => fits = false,
            }
        }
        fits
    }

    /// Most bytes of the totals of a query, whatever the rows.
    pub(crate) fn bytes(query: &Query) -> usize {
        // A centred sum may need a separate count.
        let cell = size_of::<i128>().max(size_of::<Pile>()) + size_of::<u64>();
        query.measures().iter().map(|measure| (query.cells(measure.level) + 1).saturating_mul(cell)).sum()
    }

    /// Number of bytes of the values that are collected for ranks.
    pub(crate) fn piled(&self) -> usize {
        self.piled
    }

    /// Adds rows to all levels, each row as a separate entity. `combinations` are those of all groups' keys.
    pub(super) fn add(&mut self, combinations: &[u32], arguments: &[Values]) {
        let (levels, mut buffer) = (self.levels.clone(), std::mem::take(&mut self.buffer));
        for level in 0..levels.count() {
            self.add_to_level(level, levels.cells_of(level, combinations, &mut buffer), None, arguments);
        }
        self.buffer = buffer;
    }

    /// Adds a batch of rows that [`super::CapRows`] has kept.
    pub(crate) fn add_kept(&mut self, kept: &KeptRows) {
        self.add_to_level(kept.level, &kept.cells, Some(&kept.marks), &kept.values);
    }

    /// Adds rows to one level. `marks` record which rows represent their entity in their cell; without marks, all do.
    fn add_to_level(&mut self, level: usize, cells: &[u32], marks: Option<&[u64]>, arguments: &[Values]) {
        for LevelTotals { what, vector, .. } in self.gathered.iter_mut().filter(|gathered| gathered.level == level) {
            match (*what, vector) {
                (TotalKind::Rows, Vector::Counts(counts)) => count(cells, counts),
                (TotalKind::Present(argument), Vector::Counts(counts)) => {
                    count_present(cells, &arguments[argument], counts)
                }
                (TotalKind::Entities { bit, present }, Vector::Counts(counts)) => match (marks, present) {
                    (Some(marks), _) => {
                        let end = counts.len() - 1;
                        let rows = cells.iter().zip(marks);
                        rows.for_each(|(cell, mark)| counts[(*cell as usize).min(end)] += mark >> bit & FIRST);
                    }
                    (None, None) => count(cells, counts),
                    (None, Some(argument)) => count_present(cells, &arguments[argument], counts),
                },
                (TotalKind::Units(argument), Vector::Sums(sums)) => add_up(cells, &arguments[argument], sums),
                (TotalKind::Products(of), Vector::Sums(sums)) => add_products(cells, of, arguments, sums),
                (TotalKind::Pile(argument), Vector::Piles(piles)) => {
                    let values = &arguments[argument];
                    for (row, cell) in cells.iter().enumerate().filter(|(_, cell)| **cell != NOWHERE) {
                        if let (true, Some(pile)) = (values.is_present(row), piles.get_mut(*cell as usize)) {
                            let before = pile.bytes();
                            pile.push(values.units[row]);
                            self.piled = self.piled + pile.bytes() - before;
                        }
                    }
                }
                // Not reached: each total has its own kind of vector.
                (_, Vector::Counts(_) | Vector::Sums(_) | Vector::Piles(_)) => {}
            }
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (mine, other) in self.gathered.iter_mut().zip(other.gathered) {
            match (&mut mine.vector, other.vector) {
                (Vector::Counts(mine), Vector::Counts(others)) => {
                    mine.iter_mut().zip(others).for_each(|(mine, other)| *mine += other);
                }
                (Vector::Sums(mine), Vector::Sums(others)) => {
                    mine.iter_mut().zip(others).for_each(|(mine, other)| *mine += other);
                }
                (Vector::Piles(mine), Vector::Piles(others)) => {
                    mine.iter_mut().zip(others).for_each(|(mine, other)| mine.merge(other));
                }
                (Vector::Counts(_) | Vector::Sums(_) | Vector::Piles(_), _) => {}
            }
        }
    }

    /// The totals after the last row.
    #[must_use]
    pub fn finish(self) -> Exact {
        let gathered = self.gathered.into_iter().map(|gathered| match gathered.vector {
            Vector::Counts(mut counts) => {
                counts.pop();
                Cells::Sums(counts.into_iter().map(i128::from).collect())
            }
            Vector::Sums(mut sums) => {
                sums.pop();
                Cells::Sums(sums)
            }
            Vector::Piles(piles) => Cells::Values(piles.into_iter().map(Pile::finish).collect()),
        });
        let gathered: Vec<Cells> = gathered.collect();
        let cells = self.measures.into_iter().map(|Recipe { of, centre }| match (&gathered[of], centre) {
            (Cells::Sums(sums), Some((centre, count))) => match &gathered[count] {
                Cells::Sums(counts) => {
                    let (times, centre) = (i128::from(centre.times), i128::from(centre.centre));
                    let centred = |(sum, count): (&i128, &i128)| times * sum - centre * count;
                    Cells::Sums(sums.iter().zip(counts).map(centred).collect())
                }
                Cells::Values(_) => Cells::Sums(sums.clone()),
            },
            (Cells::Sums(sums), None) => Cells::Sums(sums.clone()),
            (Cells::Values(values), _) => Cells::Values(values.clone()),
        });
        Exact { cells: cells.collect() }
    }
}

fn count(cells: &[u32], counts: &mut [u64]) {
    let end = counts.len() - 1;
    cells.iter().for_each(|cell| counts[(*cell as usize).min(end)] += 1);
}

fn count_present(cells: &[u32], values: &Values, counts: &mut [u64]) {
    let end = counts.len() - 1;
    match &values.nulls {
        None => count(cells, counts),
        Some(nulls) => {
            let rows = cells.iter().zip(nulls.iter());
            rows.for_each(|(cell, is_present)| counts[(*cell as usize).min(end)] += u64::from(is_present));
        }
    }
}

/// Adds an argument's units, which are 0 for NULL.
fn add_up(cells: &[u32], values: &Values, sums: &mut [i128]) {
    let end = sums.len() - 1;
    if end == 1 && cells.iter().all(|cell| *cell == 0) {
        let blocks = values.units.chunks(BLOCK).map(|block| i128::from(block.iter().sum::<i64>()));
        sums[0] += blocks.sum::<i128>();
        return;
    }
    for (cell, units) in cells.iter().zip(&values.units) {
        sums[(*cell as usize).min(end)] += i128::from(*units);
    }
}

/// Adds the products of two arguments' differences from their centres, in rows where both are present.
fn add_products(cells: &[u32], of: [CentredArgument; 2], arguments: &[Values], sums: &mut [i128]) {
    let end = sums.len() - 1;
    let [one, other] = of.map(|of| &arguments[of.argument]);
    for (row, cell) in cells.iter().enumerate() {
        let is_present = one.is_present(row) && other.is_present(row);
        let product = if is_present { of[0].of(one.units[row]) * of[1].of(other.units[row]) } else { 0 };
        sums[(*cell as usize).min(end)] += product;
    }
}
