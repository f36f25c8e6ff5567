//! The layout of a row: a fixed number of 64-bit words, so that rows are sorted, moved and spilled without conversion.
//!
//! ```text
//! identity     1 word, or 2 where the entity key is a text
//! combination  of all groups' keys, in the low half of a word; above it one bit for each of the first 32 arguments
//!              that has a value, and for more arguments more words of bits
//! units        1 word for each argument with a grid, 0 where it is NULL
//! ```

use super::Identity;
use super::decode::Values;
use std::cmp::Ordering;

/// Number of arguments whose bits fit in the word of the combination.
const BESIDE: usize = 32;

#[derive(Debug, Clone)]
pub(super) struct Layout {
    identity: usize,
    bits: usize,
    /// For each argument, whether it has units.
    grids: Vec<bool>,
    units: usize,
}

impl Layout {
    /// `text` is whether the entity key is a text.
    pub(super) fn new(text: bool, grids: Vec<bool>) -> Self {
        let bits = 1 + grids.len().saturating_sub(BESIDE).div_ceil(64);
        let units = grids.iter().filter(|has_grid| **has_grid).count();
        Self { identity: if text { 2 } else { 1 }, bits, grids, units }
    }

    /// Number of words in a row.
    pub(super) fn words(&self) -> usize {
        self.identity + self.bits + self.units
    }

    /// Number of arguments in a row.
    pub(super) fn arguments(&self) -> usize {
        self.grids.len()
    }

    /// Appends one row of a batch to `words`, with as many of its first arguments as fit.
    pub(super) fn write(
        &self,
        identity: Identity,
        combination: u32,
        values: &[Values],
        row: usize,
        words: &mut Vec<u64>,
    ) {
        words.push(identity[0]);
        if self.identity == 2 {
            words.push(identity[1]);
        }
        let bits = words.len();
        words.push(u64::from(combination));
        (1..self.bits).for_each(|_| words.push(0));
        for (argument, (values, has_grid)) in values.iter().zip(&self.grids).enumerate() {
            if values.is_present(row) {
                let (word, bit) = bit_of(argument);
                words[bits + word] |= 1 << bit;
            }
            if *has_grid {
                words.push(values.units[row] as u64);
            }
        }
    }

    /// Passes on the argument values of a row, in order: 0 for an argument without a grid that is present.
    #[inline]
    pub(super) fn read(&self, row: &[u64], mut visit: impl FnMut(usize, Option<i64>)) {
        let mut units = self.identity + self.bits;
        for (argument, has_grid) in self.grids.iter().enumerate() {
            let value = if *has_grid { row[units] as i64 } else { 0 };
            units += usize::from(*has_grid);
            visit(argument, self.is_present(row, argument).then_some(value));
        }
    }

    /// The entity of a row.
    #[inline]
    pub(super) fn identity(&self, row: &[u64]) -> Identity {
        [row[0], if self.identity == 2 { row[1] } else { 0 }]
    }

    /// The combination of its keys.
    #[inline]
    pub(super) fn combination(&self, row: &[u64]) -> u32 {
        row[self.identity] as u32
    }

    /// The order of an entity's rows by their values: by the word of the combination and of the bits, then by units.
    /// Rows that are neither less nor greater are equal in all used values.
    #[inline]
    pub(super) fn order(&self, one: &[u64], other: &[u64]) -> Ordering {
        let units = self.identity + self.bits;
        one[..units].cmp(&other[..units]).then_with(|| {
            let signed = |word: &u64| word.cast_signed();
            one[units..].iter().map(signed).cmp(other[units..].iter().map(signed))
        })
    }

    /// Gives a row of words whose own order is that of [`Self::order`], or from it the row.
    pub(super) fn flip(&self, row: &mut [u64]) {
        row[self.identity + self.bits..].iter_mut().for_each(|word| *word ^= 1 << 63);
    }

    /// Whether an argument has a value.
    #[inline]
    pub(super) fn is_present(&self, row: &[u64], argument: usize) -> bool {
        let (word, bit) = bit_of(argument);
        row[self.identity + word] >> bit & 1 == 1
    }
}

/// The word, counted from the combination's, and the bit that record whether an argument has a value.
#[inline]
fn bit_of(argument: usize) -> (usize, usize) {
    match argument.checked_sub(BESIDE) {
        None => (0, BESIDE + argument),
        Some(further) => (1 + further / 64, further % 64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_buffer::NullBuffer;

    #[test]
    fn flipped_rows_have_the_order_of_their_values() {
        let layout = Layout::new(true, vec![true, false, true]);
        let rows: Vec<Vec<u64>> =
            [[3, 0, 0], [3, u64::MAX, 5], [3, 1, u64::MAX], [3 | 1 << 63, 7, 7], [2, 9, 9], [3, 1, 0]]
                .map(|[bits, first, second]| vec![8, 9, bits, first, second])
                .to_vec();
        let flipped = |row: &Vec<u64>| {
            let mut row = row.clone();
            layout.flip(&mut row);
            row
        };
        for one in &rows {
            for other in &rows {
                assert_eq!(layout.order(one, other), flipped(one).cmp(&flipped(other)));
            }
            assert_eq!(flipped(&flipped(one)), *one);
        }
        assert_eq!(layout.order(&rows[1], &rows[0]), Ordering::Less, "-1 is before 0");
    }

    #[test]
    fn reading_returns_the_written_values() {
        // 200 arguments: every third has no grid, every fifth no value.
        let grids: Vec<bool> = (0..200).map(|argument| argument % 3 != 0).collect();
        let values: Vec<Values> = (0..200)
            .map(|argument| Values {
                units: vec![0, if argument % 5 == 0 { 0 } else { 1 - argument }],
                nulls: (argument % 5 == 0).then(|| NullBuffer::from(vec![true, false])),
            })
            .collect();
        for text in [false, true] {
            let layout = Layout::new(text, grids.clone());
            let identity = [u64::MAX, if text { 9 } else { 0 }];
            let mut words = vec![77; 3];
            layout.write(identity, u32::MAX - 1, &values, 1, &mut words);
            let row = &words[3..];
            assert_eq!(row.len(), layout.words());
            assert_eq!((layout.identity(row), layout.combination(row)), (identity, u32::MAX - 1));
            assert!(layout.is_present(row, 199) && !layout.is_present(row, 5));
            let mut read = Vec::new();
            layout.read(row, |argument, value| read.push((argument, value)));
            let expected = |argument: usize| {
                let units = if grids[argument] { 1 - argument as i64 } else { 0 };
                (argument, (!argument.is_multiple_of(5)).then_some(units))
            };
            assert_eq!(read, (0..200).map(expected).collect::<Vec<_>>());
        }
    }

    #[test]
    fn small_rows_are_small() {
        assert_eq!(Layout::new(false, vec![]).words(), 2);
        assert_eq!(Layout::new(false, vec![true; 2]).words(), 4);
        assert_eq!(Layout::new(true, vec![false; 33]).words(), 4);
    }
}
