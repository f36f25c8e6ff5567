//! Ranks as scores: the number of rows by which a candidate misses the quantile, or the k-th value.
//!
//! Of `n` values, let `L` be the number below a candidate and `E` the number not above it. It is the k-th smallest when
//! `L ≤ k−1` and `k ≤ E`, and the q-quantile when `L ≤ q·n ≤ E`; its distance is the amount by which this fails. One
//! row changes a distance by a bounded amount whatever its value (S-RANK), so ranks can be private where values cannot.

use super::choice::Segment;

/// The rank of the requested value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rank {
    /// The quantile `q = part/whole`, with `part ≤ whole` and `whole ≥ 1`; distances count in `1/whole` of a row.
    Share {
        /// The numerator of `q`.
        part: u64,
        /// The denominator of `q`, at most a million.
        whole: u64,
    },
    /// The k-th smallest, `k ≥ 1`.
    FromBelow(u64),
    /// The k-th largest, `k ≥ 1`.
    FromAbove(u64),
}

impl Rank {
    /// The distance of a candidate with `less` values below it and `upto` not above it, out of `all`.
    ///
    /// There is no overflow below 2^40 values and a million parts. Beyond, distances saturate, which never increases
    /// their differences.
    #[must_use]
    pub fn distance(&self, less: u64, upto: u64, all: u64) -> u64 {
        let [less, upto, all] = [less, upto, all].map(i128::from);
        let (too_high, too_low) = match *self {
            Self::Share { part, whole } => {
                let wanted = i128::from(part).saturating_mul(all);
                let times = |rows: i128| i128::from(whole).saturating_mul(rows);
                (times(less).saturating_sub(wanted), wanted.saturating_sub(times(upto)))
            }
            Self::FromBelow(k) => (less - (i128::from(k) - 1), i128::from(k) - upto),
            Self::FromAbove(k) => (i128::from(k) - (all - less), all - upto - (i128::from(k) - 1)),
        };
        u64::try_from(too_high.max(too_low).max(0)).unwrap_or(u64::MAX)
    }
}

/// The candidates `low..=high` by distance, ascending: each segment with its first candidate.
///
/// `values` are the distinct values of a cell, ascending, within `low..=high`, with their multiplicities. Each is a
/// separate segment, and so is each gap before, between and after them; the size of the domain costs nothing. In an
/// empty cell all candidates have the same distance, so a random choice reveals nothing but the domain.
#[must_use]
pub fn segments(values: &[(i64, u64)], low: i64, high: i64, rank: &Rank) -> Vec<(i64, Segment)> {
    let all = values.iter().fold(0_u64, |sum, (_, times)| sum.saturating_add(*times));
    let mut found = Vec::with_capacity(2 * values.len() + 1);
    let mut less = 0_u64;
    // The first candidate without a segment; `None` beyond the largest number.
    let mut next = Some(low);
    for (value, times) in values {
        if let (Some(first), Some(last)) = (next, value.checked_sub(1)) {
            gap(&mut found, first, last, rank.distance(less, less, all));
        }
        let upto = less.saturating_add(*times);
        found.push((*value, Segment { size: 1, distance: rank.distance(less, upto, all) }));
        less = upto;
        next = value.checked_add(1);
    }
    if let Some(first) = next {
        gap(&mut found, first, high, rank.distance(less, less, all));
    }
    found
}

/// A segment of the candidates `first..=last`, if there are any; two segments if their number has more than 64 bits.
fn gap(found: &mut Vec<(i64, Segment)>, first: i64, last: i64, distance: u64) {
    if first > last {
        return;
    }
    match last.abs_diff(first).checked_add(1) {
        Some(size) => found.push((first, Segment { size, distance })),
        None => {
            gap(found, first, -1, distance);
            gap(found, 0, last, distance);
        }
    }
}

/// Distinct values, ascending, with their multiplicities.
#[must_use]
pub fn counted(mut values: Vec<i64>) -> Vec<(i64, u64)> {
    values.sort_unstable();
    let mut counted: Vec<(i64, u64)> = Vec::new();
    for value in values {
        match counted.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => counted.push((value, 1)),
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANKS: [Rank; 11] = [
        Rank::Share { part: 0, whole: 1 },
        Rank::Share { part: 1, whole: 2 },
        Rank::Share { part: 1, whole: 3 },
        Rank::Share { part: 9, whole: 10 },
        Rank::Share { part: 2, whole: 2 },
        Rank::FromBelow(1),
        Rank::FromBelow(2),
        Rank::FromBelow(4),
        Rank::FromAbove(1),
        Rank::FromAbove(2),
        Rank::FromAbove(4),
    ];

    /// Every multiset of up to `most` values on `low..=high`, as sorted values with multiplicities.
    fn cells(low: i64, high: i64, most: u64) -> Vec<Vec<(i64, u64)>> {
        (low..=high).fold(vec![vec![]], |cells, value| {
            let longer = cells.iter().flat_map(|cell: &Vec<(i64, u64)>| {
                let used: u64 = cell.iter().map(|(_, times)| times).sum();
                (0..=most - used).map(move |times| {
                    let more = (times > 0).then_some((value, times));
                    cell.iter().copied().chain(more).collect()
                })
            });
            longer.collect()
        })
    }

    /// The distance by definition, from the list of all values.
    fn defined(values: &[i64], candidate: i64, rank: &Rank) -> i64 {
        let count = |keep: &dyn Fn(i64) -> bool| i64::try_from(values.iter().filter(|v| keep(**v)).count()).unwrap();
        let (below, above) = (count(&|v| v < candidate), count(&|v| v > candidate));
        let (upto, from) = (count(&|v| v <= candidate), count(&|v| v >= candidate));
        let signed = |k: u64| i64::try_from(k).unwrap();
        match *rank {
            Rank::Share { part, whole } => {
                let (part, whole, all) = (signed(part), signed(whole), count(&|_| true));
                // The distance of q·n from the interval [L, E], in parts of a row.
                if part * all < whole * below {
                    whole * below - part * all
                } else if part * all > whole * upto {
                    part * all - whole * upto
                } else {
                    0
                }
            }
            Rank::FromBelow(k) => 0.max(below - (signed(k) - 1)).max(signed(k) - upto),
            Rank::FromAbove(k) => 0.max(above - (signed(k) - 1)).max(signed(k) - from),
        }
    }

    #[test]
    fn segments_give_every_candidate_its_distance() {
        for cell in cells(-1, 3, 4) {
            let rows: Vec<i64> =
                cell.iter().flat_map(|(v, times)| std::iter::repeat_n(*v, usize::try_from(*times).unwrap())).collect();
            for (low, high) in [(-1, 3), (-3, 3), (-1, 5), (-4, 6)] {
                for rank in &RANKS {
                    let found = segments(&cell, low, high, rank);
                    assert!(found.len() <= 2 * cell.len() + 1);
                    let mut next = low;
                    for (first, segment) in &found {
                        assert_eq!(*first, next, "segments follow each other");
                        assert!(segment.size > 0);
                        next += i64::try_from(segment.size).unwrap();
                        for candidate in *first..next {
                            let distance = i64::try_from(segment.distance).unwrap();
                            assert_eq!(distance, defined(&rows, candidate, rank), "{candidate} in {rows:?}, {rank:?}");
                        }
                    }
                    assert_eq!(next, high + 1, "segments cover the domain");
                }
            }
        }
    }

    /// The nearest candidates are the right answers: the values at these ranks, and the values between them for a
    /// quantile that is between two rows.
    #[test]
    fn the_nearest_candidates_are_the_answers() {
        let nearest = |rank: &Rank| -> Vec<i64> {
            let found = segments(&[(3, 1), (5, 2), (9, 1)], 0, 12, rank);
            let zero = found.iter().filter(|(_, segment)| segment.distance == 0);
            zero.flat_map(|(first, segment)| *first..*first + i64::try_from(segment.size).unwrap()).collect()
        };
        assert_eq!(nearest(&Rank::FromBelow(1)), [3]);
        assert_eq!(nearest(&Rank::FromBelow(3)), [5]);
        assert_eq!(nearest(&Rank::FromAbove(1)), [9]);
        assert_eq!(nearest(&Rank::FromAbove(3)), [5]);
        assert_eq!(nearest(&Rank::Share { part: 1, whole: 2 }), [5]);
        assert_eq!(nearest(&Rank::Share { part: 1, whole: 4 }), [3, 4, 5]);
        assert_eq!(nearest(&Rank::Share { part: 0, whole: 4 }), [0, 1, 2, 3]);
        assert_eq!(nearest(&Rank::Share { part: 4, whole: 4 }), [9, 10, 11, 12]);
        assert!(nearest(&Rank::FromBelow(5)).is_empty());
    }

    #[test]
    fn an_empty_cell_is_one_segment() {
        for rank in &RANKS {
            let found = segments(&[], -5, 5, rank);
            assert_eq!(found.len(), 1);
            assert_eq!((found[0].0, found[0].1.size), (-5, 11));
        }
    }

    #[test]
    fn the_ends_of_the_numbers() {
        let rank = Rank::Share { part: 1, whole: 2 };
        let sizes = |values: &[(i64, u64)]| -> u128 {
            segments(values, i64::MIN, i64::MAX, &rank).iter().map(|(_, segment)| u128::from(segment.size)).sum()
        };
        assert_eq!(sizes(&[]), 1 << 64);
        assert_eq!(sizes(&[(i64::MIN, 2), (i64::MAX, 3)]), 1 << 64);
        let million = Rank::Share { part: 999_999, whole: 1_000_000 };
        assert_eq!(million.distance(1 << 40, 1 << 40, 1 << 40), 1 << 40);
        assert_eq!(million.distance(0, 0, 1 << 40), 999_999 << 40);
        assert_eq!(Rank::FromBelow(u64::MAX).distance(0, 0, u64::MAX), u64::MAX);
        assert_eq!(Rank::Share { part: u64::MAX, whole: u64::MAX }.distance(0, 0, u64::MAX), u64::MAX);
    }
}
