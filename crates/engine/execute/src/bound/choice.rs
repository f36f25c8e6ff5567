//! Which of an entity's rows in a cell are kept if there are more than the cap allows: systematic sampling.
//!
//! The rows are sorted by their values. From a start between them, every (rows / most)-th is kept. Over all starts each
//! row is kept equally often, rows that are equal in all values included, so shares and averages of the kept rows are
//! right on average; and any one choice is spread over the values.

use std::ops::Range;

/// A choice of `most` rows among more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    rows: u64,
    most: u64,
    /// Less than `rows`.
    start: u64,
}

impl Choice {
    /// All rows, if there are at most `most`. The start is the remainder of `draw`.
    pub(super) fn new(rows: u64, most: u32, draw: u64) -> Self {
        let most = u64::from(most).min(rows);
        Self { rows, most, start: if most == 0 { 0 } else { draw % rows } }
    }

    /// How many rows are kept before a position.
    fn kept_before(&self, position: u64) -> u128 {
        let sum = u128::from(position) * u128::from(self.most) + u128::from(self.rows - 1 - self.start);
        sum / u128::from(self.rows)
    }

    /// Whether the row at a position in sorted order, less than `rows`, is kept.
    pub(super) fn keeps(&self, position: u64) -> bool {
        self.kept_before(position + 1) > self.kept_before(position)
    }

    /// The positions of the kept rows, ascending.
    pub(super) fn positions(self) -> impl Iterator<Item = u64> {
        let kept: Range<u64> = 0..self.most;
        let of = move |number| u128::from(self.start) + u128::from(self.rows) * u128::from(number);
        // Less than `rows`, as the number is less than `most`.
        kept.map(move |number| (of(number) / u128::from(self.most)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_kept_from_equally_many_starts() {
        for rows in 1..40_u64 {
            for most in 1..45_u32 {
                let mut times = vec![0; rows as usize];
                for start in 0..rows {
                    let choice = Choice::new(rows, most, start + 7 * rows);
                    let kept: Vec<u64> = choice.positions().collect();
                    assert!(kept.is_sorted_by(|one, next| one < next), "{rows} {most} {start}");
                    assert_eq!(kept.len() as u64, rows.min(most.into()));
                    assert_eq!(kept, (0..rows).filter(|at| choice.keeps(*at)).collect::<Vec<_>>());
                    kept.iter().for_each(|at| times[*at as usize] += 1);
                }
                assert!(times.iter().all(|times| *times == u64::from(most).min(rows)), "{rows} {most} {times:?}");
            }
        }
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        for start in [0, 1, u64::MAX - 1] {
            let choice = Choice::new(u64::MAX, 3, start);
            assert!(choice.positions().all(|position| choice.keeps(position)));
        }
        assert_eq!(Choice::new(0, 3, 5).positions().count(), 0);
    }
}
