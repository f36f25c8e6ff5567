//! Sensitivity: the largest change of the answers by one entity (S-ADD, S-REP, S-CAP, S-RANK).
//!
//! All quantities are whole numbers of grid units: counts are in ones, sums in the unit of their column, ranks in rows
//! or, for a share, in the fractions of a row by which the share is stated.

use crate::adversary::Adjacency;
use crate::noise::rank::Rank;
use num_bigint::BigInt;

/// Contribution bounds: the rows of one entity that may count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// At most this many rows of one entity in each group (`r`), at least 1.
    pub rows_per_group: u32,
    /// At most this many groups for one entity (`g`), at least 1.
    pub groups: u32,
}

impl Caps {
    /// One row is one person: one row in one group.
    pub const ONE_ROW: Self = Self { rows_per_group: 1, groups: 1 };
}

/// Range of a counted row's contribution to its cell, in grid units: 1 to 1 for a count, the clamped range for a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowRange {
    /// The smallest contribution of a row.
    pub low: i64,
    /// The largest contribution of a row.
    pub high: i64,
}

impl RowRange {
    /// Every row adds exactly one.
    pub const COUNT: Self = Self { low: 1, high: 1 };

    /// `s`: the largest change of a cell by adding or removing one row.
    #[must_use]
    pub fn single(self) -> BigInt {
        BigInt::from(self.low).magnitude().max(BigInt::from(self.high).magnitude()).clone().into()
    }

    /// `e`: the largest change of a cell by replacing one row with another, or with none.
    #[must_use]
    pub fn exchanged(self) -> BigInt {
        BigInt::from(self.high.max(0)) - BigInt::from(self.low.min(0))
    }
}

/// The largest L1 change of a vector of additive cells when one entity is added, removed or replaced (S-CAP).
///
/// `cells` is the number of declared groups, at least 1; an ungrouped answer has one. The published form,
/// `rg·max(|lo|,|hi|)` and twice that for replacement, is attained when there are at least `g` (or `2g`) cells. With
/// fewer, the old and the new rows of a replaced entity must share some cells, and the bound shrinks to the one given
/// here; the ungrouped replace-one case `r·(max(0,hi) − min(0,lo))` is the limiting case. Both bounds are attained, as
/// tests show exhaustively.
#[must_use]
pub fn additive(adjacency: Adjacency, caps: Caps, row: RowRange, cells: usize) -> BigInt {
    over_cells(adjacency, caps, cells, &row.single(), &row.exchanged())
}

/// The largest change of the distances in a vector of cells when one entity is added, removed or replaced (S-RANK).
///
/// In each cell the change is that of the candidate whose distance changes most; the sensitivity is the sum over the
/// `cells ≥ 1` declared groups. A row may be filtered away or be NULL, so the number of values in a cell may change as
/// well. All cases are attained, as tests show exhaustively. Some candidates may come closer while others move away, so
/// a choice by distance needs the decay `R^(−1/2Δ)` (M-EXP, M-PF).
#[must_use]
pub fn ranked(adjacency: Adjacency, caps: Caps, rank: &Rank, cells: usize) -> BigInt {
    let (single, exchanged) = rank_changes(rank);
    over_cells(adjacency, caps, cells, &single, &exchanged)
}

/// The most by which a row changes the distance of a candidate by coming or going, and by becoming another row or none.
#[must_use]
pub fn rank_changes(rank: &Rank) -> (BigInt, BigInt) {
    let (single, exchanged) = match *rank {
        // A row on one side of a candidate counts `whole − part` against it, one on the other side `part`.
        Rank::Share { part, whole } => (part.max(whole.abs_diff(part)), whole.max(part)),
        // In both cases the change is one row more or less on one side of the candidate.
        Rank::FromBelow(_) | Rank::FromAbove(_) => (1, 1),
    };
    (single.into(), exchanged.into())
}

/// The largest total contribution of an entity's rows over all cells, if one row changes a cell by at most `single`
/// when added or removed, and by at most `exchanged` when replaced; `single ≤ exchanged ≤ 2·single`.
fn over_cells(adjacency: Adjacency, caps: Caps, cells: usize, single: &BigInt, exchanged: &BigInt) -> BigInt {
    let cells = BigInt::from(cells);
    let rows = BigInt::from(caps.rows_per_group);
    let groups = BigInt::from(caps.groups).min(cells.clone());
    match adjacency {
        Adjacency::AddRemove => rows * groups * single,
        Adjacency::ReplaceOne => {
            let slots: BigInt = groups * 2;
            // Cells that both the old and the new rows must use, if there are fewer than `2g`.
            let shared = (&slots - &cells).max(BigInt::ZERO);
            let alone = slots - &shared * 2;
            rows * (alone * single + shared * exchanged)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every contribution vector that one entity can make: at most `r` rows in each of at most `g` of `k` cells.
    fn contributions(caps: Caps, row: RowRange, cells: usize) -> BTreeSet<Vec<i64>> {
        let mut per_cell: BTreeSet<i64> = BTreeSet::from([0]);
        let mut sums: BTreeSet<i64> = BTreeSet::from([0]);
        for _ in 0..caps.rows_per_group {
            sums = sums.iter().flat_map(|sum| (row.low..=row.high).map(move |value| sum + value)).collect();
            per_cell.extend(&sums);
        }
        let mut all: BTreeSet<(Vec<i64>, u32)> = BTreeSet::from([(vec![], 0)]);
        for _ in 0..cells {
            all = all
                .into_iter()
                .flat_map(|(vector, used)| {
                    per_cell.iter().map(move |value| {
                        let mut next = vector.clone();
                        next.push(*value);
                        (next, used + u32::from(*value != 0))
                    })
                })
                .filter(|(_, used)| *used <= caps.groups)
                .collect();
        }
        all.into_iter().map(|(vector, _)| vector).collect()
    }

    fn distance(left: &[i64], right: &[i64]) -> i64 {
        left.iter().zip(right).map(|(a, b)| (a - b).abs()).sum()
    }

    #[test]
    fn every_small_case_is_bounded_and_attained() {
        let mut checked = 0;
        for (low, high) in [(1, 1), (0, 2), (-1, 2), (-2, 0), (1, 2), (-2, -1), (-1, 1)] {
            let row = RowRange { low, high };
            for rows_per_group in 1..=2 {
                for groups in 1..=3 {
                    for cells in 1..=4 {
                        let caps = Caps { rows_per_group, groups };
                        let all = contributions(caps, row, cells);
                        let zero = vec![0; cells];
                        let added = all.iter().map(|v| distance(v, &zero)).max().unwrap();
                        assert_eq!(additive(Adjacency::AddRemove, caps, row, cells), added.into());
                        if all.len() < 700 {
                            let replaced =
                                all.iter().flat_map(|a| all.iter().map(move |b| distance(a, b))).max().unwrap();
                            let declared = additive(Adjacency::ReplaceOne, caps, row, cells);
                            assert_eq!(declared, replaced.into(), "{row:?} {caps:?} {cells} cells");
                            checked += 1;
                        }
                    }
                }
            }
        }
        assert!(checked > 100, "only {checked} replace-one cases were small enough");
    }

    #[test]
    fn the_published_forms() {
        let caps = Caps { rows_per_group: 3, groups: 2 };
        let hours = RowRange { low: 17, high: 90 };
        let delta = |adjacency, row, cells| additive(adjacency, caps, row, cells);
        assert_eq!(delta(Adjacency::AddRemove, RowRange::COUNT, 10), 6.into()); // rg
        assert_eq!(delta(Adjacency::AddRemove, hours, 10), 540.into()); // rg·max(|lo|,|hi|)
        assert_eq!(delta(Adjacency::ReplaceOne, RowRange::COUNT, 10), 12.into()); // twice
        assert_eq!(delta(Adjacency::ReplaceOne, RowRange::COUNT, 1), 3.into()); // r
        // With a WHERE one replaced person moves the sum by 90, not by 73.
        assert_eq!(additive(Adjacency::ReplaceOne, Caps::ONE_ROW, hours, 1), 90.into());
    }

    #[test]
    fn extremes_do_not_overflow() {
        let caps = Caps { rows_per_group: u32::MAX, groups: u32::MAX };
        let row = RowRange { low: i64::MIN, high: i64::MAX };
        assert!(additive(Adjacency::ReplaceOne, caps, row, usize::MAX) > BigInt::from(i128::MAX));
    }

    /// The number of values of a cell at each place of a small grid.
    type Cell = [u64; GRID];
    const GRID: usize = 3;

    /// Every cell of at most this many values.
    fn cells_up_to(most: u64) -> Vec<Cell> {
        let counts = || 0..=most;
        let all = counts().flat_map(|a| counts().flat_map(move |b| counts().map(move |c| [a, b, c])));
        all.filter(|cell| cell.iter().sum::<u64>() <= most).collect()
    }

    fn with(base: &Cell, more: &Cell) -> Cell {
        std::array::from_fn(|place| base[place] + more[place])
    }

    /// The distances of the three places and of the gaps around them, which bound the distances of all candidates of
    /// any grid.
    fn distances(cell: &Cell, rank: &Rank) -> Vec<i64> {
        let all: u64 = cell.iter().sum();
        let mut less = 0;
        let mut found = vec![rank.distance(0, 0, all)];
        for times in cell {
            found.push(rank.distance(less, less + times, all));
            less += times;
            found.push(rank.distance(less, less, all));
        }
        found.into_iter().map(|distance| i64::try_from(distance).unwrap()).collect()
    }

    /// All ways in which one entity can fill its cells: the index of each cell's rows in `kinds`, 0 for no rows.
    fn fillings(kinds: usize, cells: usize, groups: u32) -> Vec<Vec<usize>> {
        (0..cells).fold(vec![vec![]], |all, _| {
            let longer = all.iter().flat_map(|filling: &Vec<usize>| {
                (0..kinds).map(|kind| filling.iter().copied().chain([kind]).collect::<Vec<_>>())
            });
            longer.filter(|filling| filling.iter().filter(|kind| **kind > 0).count() <= groups as usize).collect()
        })
    }

    /// Cells are independent, so the worst table has in each cell the worst other rows for the entity's rows there;
    /// every way to fill the cells, before and after, is tried.
    #[test]
    fn every_small_rank_is_bounded_and_attained() {
        let bases = cells_up_to(9);
        let shares = [(0, 1), (1, 1), (1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (2, 5), (9, 10)];
        let mut ranks: Vec<Rank> =
            shares.iter().map(|(part, whole)| Rank::Share { part: *part, whole: *whole }).collect();
        ranks.extend((1..=4).flat_map(|k| [Rank::FromBelow(k), Rank::FromAbove(k)]));
        for (rank, rows_per_group) in ranks.iter().flat_map(|rank| [(rank, 1), (rank, 2)]) {
            let mine = cells_up_to(rows_per_group.into());
            assert_eq!(mine[0], [0; GRID], "the first is to have no row");
            let change = |old: &Cell, new: &Cell| {
                let each = bases.iter().flat_map(|base| {
                    let (before, after) = (distances(&with(base, old), rank), distances(&with(base, new), rank));
                    before.into_iter().zip(after).map(|(x, y)| (x - y).abs())
                });
                each.max().unwrap()
            };
            let changes: Vec<Vec<i64>> =
                mine.iter().map(|old| mine.iter().map(|new| change(old, new)).collect()).collect();
            let total =
                |one: &[usize], other: &[usize]| one.iter().zip(other).map(|(x, y)| changes[*x][*y]).sum::<i64>();
            for (groups, cells) in (1..=2).flat_map(|groups| (1..=3).map(move |cells| (groups, cells))) {
                let caps = Caps { rows_per_group, groups };
                let all = fillings(mine.len(), cells, groups);
                let none = vec![0; cells];
                let added = all.iter().map(|filling| total(filling, &none)).max().unwrap();
                assert_eq!(ranked(Adjacency::AddRemove, caps, rank, cells), added.into(), "{rank:?} {caps:?} {cells}");
                let replaced = all.iter().flat_map(|one| all.iter().map(|other| total(one, other))).max().unwrap();
                assert_eq!(
                    ranked(Adjacency::ReplaceOne, caps, rank, cells),
                    replaced.into(),
                    "{rank:?} {caps:?} {cells}"
                );
            }
        }
    }
}
