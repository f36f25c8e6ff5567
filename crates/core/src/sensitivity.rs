//! How far one entity can move the answers (S-ADD, S-REP, S-CAP).
//!
//! All quantities are whole numbers of grid units: counts count in ones, sums in the unit of their column.

use crate::adversary::Adjacency;
use num_bigint::BigInt;

/// How many rows of one entity may count.
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

/// What one counted row may add to its cell, in grid units: 1 to 1 for a count, the clamped range for a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowRange {
    /// The least that one row adds.
    pub low: i64,
    /// The most that one row adds.
    pub high: i64,
}

impl RowRange {
    /// Every row adds exactly one.
    pub const COUNT: Self = Self { low: 1, high: 1 };

    /// The most one row can move a cell by appearing or vanishing.
    fn single(self) -> BigInt {
        BigInt::from(self.low).magnitude().max(BigInt::from(self.high).magnitude()).clone().into()
    }

    /// The most one row's exchange for another, or for none, can move a cell.
    fn exchanged(self) -> BigInt {
        BigInt::from(self.high.max(0)) - BigInt::from(self.low.min(0))
    }
}

/// The largest L1 change of a vector of additive cells when one entity is added, removed or replaced (S-CAP).
///
/// `cells` is the number of declared groups, at least 1; an ungrouped answer has one. The published form,
/// `rg·max(|lo|,|hi|)` and twice that for replacement, is attained when there are at least `g` (or `2g`) cells.
/// With fewer, the old and the new rows of a replaced entity must meet in some cells, and the bound shrinks to
/// the one given here; the ungrouped replace-one case `r·(max(0,hi) − min(0,lo))` is the end of that line. Both
/// are attained, which tests show by exhaustion.
#[must_use]
pub fn additive(adjacency: Adjacency, caps: Caps, row: RowRange, cells: usize) -> BigInt {
    let cells = BigInt::from(cells);
    let rows = BigInt::from(caps.rows_per_group);
    let groups = BigInt::from(caps.groups).min(cells.clone());
    match adjacency {
        Adjacency::AddRemove => rows * groups * row.single(),
        Adjacency::ReplaceOne => {
            let slots: BigInt = groups * 2;
            // Cells that both the old and the new rows must touch, because there are not `2g` of them.
            let shared = (&slots - &cells).max(BigInt::ZERO);
            let alone = slots - &shared * 2;
            rows * (alone * row.single() + shared * row.exchanged())
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
}
