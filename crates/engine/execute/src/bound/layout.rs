//! The layout of a row: a fixed number of 64-bit words, so that rows are sorted, moved and spilled without conversion.
//!
//! ```text
//! wide     identity     1 word, or 2 where identities have 128 bits
//!          combination  of all groups' keys, in the low half of a word; above it one bit for each of the first 32
//!                       arguments that has a value, and for more arguments more words of bits
//!          units        1 word for each argument with a grid, 0 where it is NULL
//!
//! packed   identity     1 word
//!          all others   1 word, from its highest bits: the combination, one bit for each argument that has a value, the
//!                       last argument first, and the units of each argument with a grid above its least
//! ```
//!
//! Packed rows are their own sort keys: by entity, combination and values. The layout follows from the query and the
//! policy alone: rows are packed where the declared ranges fit and caps are applied to the combinations of one level.

use super::Identity;
use super::decode::Values;
use arrow_buffer::{BooleanBuffer, NullBuffer};
use std::cmp::Ordering;

/// Number of arguments whose bits fit in the word of the combination of a wide row.
const BESIDE: usize = 32;

#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// Number of words of the identity, and of the row.
    identity: usize,
    words: usize,
    /// The first word of signed units, which wide rows alone have.
    signed: usize,
    /// The lowest bit of the combination, in the word after the identity.
    combination: u32,
    /// The lowest bit of the cell in an entry.
    cell: u32,
    arguments: Vec<Place>,
    is_packed: bool,
}

/// The bits of an argument.
#[derive(Debug, Clone)]
struct Place {
    /// The word and the bit that record whether there is a value.
    word: usize,
    bit: u32,
    units: Option<Units>,
}

/// The bits of an argument's units.
#[derive(Debug, Clone)]
struct Units {
    word: usize,
    bit: u32,
    mask: u64,
    /// The units of a field of zeros.
    low: i64,
}

impl Units {
    /// The bits of a value. Units are within the grid; a value beyond it would change no other field.
    #[inline]
    fn bits(&self, value: i64) -> u64 {
        (value.wrapping_sub(self.low).cast_unsigned() & self.mask) << self.bit
    }
}

/// The values of an argument of packed entries, column by column.
fn read_packed(entries: &[u128], bit: u32, units: &Units, values: &mut Values) {
    let is_present = |entry: &u128| *entry as u64 >> bit & 1 == 1;
    let value = |entry: &u128| (*entry as u64 >> units.bit & units.mask).cast_signed().wrapping_add(units.low);
    values.units.clear();
    let mut present = 0;
    values.units.extend(entries.iter().map(|entry| {
        present += usize::from(is_present(entry));
        if is_present(entry) { value(entry) } else { 0 }
    }));
    let nulls = || NullBuffer::new(BooleanBuffer::collect_bool(entries.len(), |at| is_present(&entries[at])));
    values.nulls = (present < entries.len()).then(nulls);
}

impl Layout {
    /// `text` is whether identities have 128 bits. `grids` are the least and the greatest units of each argument with a
    /// grid. `combinations` is their number where rows may be packed.
    pub(super) fn new(text: bool, combinations: Option<usize>, grids: &[Option<(i64, i64)>]) -> Self {
        let packed = combinations.filter(|_| !text).and_then(|combinations| Self::packed(combinations, grids));
        packed.unwrap_or_else(|| Self::wide(if text { 2 } else { 1 }, grids))
    }

    fn wide(identity: usize, grids: &[Option<(i64, i64)>]) -> Self {
        let signed = identity + 1 + grids.len().saturating_sub(BESIDE).div_ceil(64);
        let mut words = signed;
        let arguments = grids.iter().enumerate().map(|(argument, grid)| {
            let (word, bit) = match argument.checked_sub(BESIDE) {
                None => (identity, BESIDE + argument),
                Some(further) => (identity + 1 + further / 64, further % 64),
            };
            let units = grid.map(|_| Units { word: words, bit: 0, mask: u64::MAX, low: 0 });
            words += usize::from(units.is_some());
            Place { word, bit: bit as u32, units }
        });
        let arguments = arguments.collect();
        Self { identity, words, signed, combination: 0, cell: 32, arguments, is_packed: false }
    }

    /// `None` if the ranges do not fit in a word.
    fn packed(combinations: usize, grids: &[Option<(i64, i64)>]) -> Option<Self> {
        let bits = |most: u64| u64::BITS - most.leading_zeros();
        let range = |(low, high): (i64, i64)| high.wrapping_sub(low).cast_unsigned();
        let mut below: u32 = grids.iter().flatten().map(|grid| bits(range(*grid))).sum();
        let presence = below;
        let combination = presence + u32::try_from(grids.len()).ok()?;
        // At least one bit, so that every shift is by less than 64.
        if grids.len() > BESIDE || combination + bits(combinations as u64) > u64::BITS {
            return None;
        }
        let arguments = (presence..).zip(grids).map(|(bit, grid)| {
            let units = grid.map(|grid| {
                below -= bits(range(grid));
                Units { word: 1, bit: below, mask: (1 << bits(range(grid))) - 1, low: grid.0 }
            });
            Place { word: 1, bit, units }
        });
        let arguments = arguments.collect();
        Some(Self { identity: 1, words: 2, signed: 2, combination, cell: combination, arguments, is_packed: true })
    }

    /// Number of words in a row.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Number of arguments in a row.
    pub(super) fn arguments(&self) -> usize {
        self.arguments.len()
    }

    /// Whether identities have two words.
    pub(super) fn has_long_identities(&self) -> bool {
        self.identity == 2
    }

    /// Whether rows are their own entries.
    pub(super) fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// Bytes of a row in [`super::walk::KeptRows`], with its entry.
    pub(super) fn kept_bytes(&self) -> usize {
        let units = self.arguments.iter().filter(|place| place.units.is_some()).count();
        size_of::<u128>() + (2 + units + self.arguments.len().div_ceil(64)) * size_of::<u64>()
    }

    /// Appends one row of a batch to `words`, with as many of its first arguments as fit.
    #[inline]
    pub(super) fn write(
        &self,
        identity: Identity,
        combination: u32,
        values: &[Values],
        row: usize,
        words: &mut Vec<u64>,
    ) {
        let start = words.len();
        words.resize(start + self.words, 0);
        let written = &mut words[start..];
        written[..self.identity].copy_from_slice(&identity[..self.identity]);
        written[self.identity] = u64::from(combination) << self.combination;
        for (values, place) in values.iter().zip(&self.arguments).filter(|(values, _)| values.is_present(row)) {
            written[place.word] |= 1 << place.bit;
            if let Some(units) = &place.units {
                written[units.word] |= units.bits(values.units[row]);
            }
        }
    }

    /// The second word of each packed row of a batch, column by column.
    pub(super) fn pack(&self, combinations: &[u32], values: &[Values]) -> Vec<u64> {
        let mut words: Vec<u64> = combinations.iter().map(|at| u64::from(*at) << self.combination).collect();
        for (values, place) in values.iter().zip(&self.arguments) {
            let present = 1 << place.bit;
            match (&place.units, &values.nulls) {
                (Some(units), None) => {
                    let all = words.iter_mut().zip(&values.units);
                    all.for_each(|(word, value)| *word |= present | units.bits(*value));
                }
                (units, _) => {
                    for (row, word) in words.iter_mut().enumerate().filter(|(row, _)| values.is_present(*row)) {
                        *word |= present | units.as_ref().map_or(0, |units| units.bits(values.units[row]));
                    }
                }
            }
        }
        words
    }

    /// The units of an argument in a row, 0 if it has none; `None` if the argument is NULL.
    #[inline]
    pub(super) fn value(&self, row: &[u64], argument: usize) -> Option<i64> {
        let units = |units: &Units| (row[units.word] >> units.bit & units.mask).cast_signed().wrapping_add(units.low);
        let place = &self.arguments[argument];
        (row[place.word] >> place.bit & 1 == 1).then(|| place.units.as_ref().map_or(0, units))
    }

    /// 1 if the argument of a packed entry has a value, otherwise 0.
    #[inline]
    pub(super) fn presence(&self, entry: u128, argument: usize) -> u64 {
        entry as u64 >> self.arguments[argument].bit & 1
    }

    /// The values of an argument in the rows of some entries.
    pub(super) fn read(&self, rows: &[u64], entries: &[u128], argument: usize, values: &mut Values) {
        if let (true, Place { bit, units: Some(units), .. }) = (self.is_packed, &self.arguments[argument]) {
            return read_packed(entries, *bit, units, values);
        }
        let value = |entry: &u128| self.row(rows, *entry, |row| self.value(row, argument));
        values.units.clear();
        let mut absent = 0;
        values.units.extend(entries.iter().map(|entry| {
            let value = value(entry);
            absent += usize::from(value.is_none());
            value.unwrap_or(0)
        }));
        let present = || BooleanBuffer::collect_bool(entries.len(), |at| value(&entries[at]).is_some());
        values.nulls = (absent > 0).then(|| NullBuffer::new(present()));
    }

    /// The sort key of a row: the first word of its identity, its cell, and its position; or all of a packed row.
    #[inline]
    pub(super) fn entry(&self, row: &[u64], position: u32, cell: impl FnOnce() -> u32) -> u128 {
        let first = u128::from(row[0]) << 64;
        first | if self.is_packed { u128::from(row[1]) } else { u128::from(cell()) << 32 | u128::from(position) }
    }

    /// The cell of an entry.
    #[inline]
    pub(super) fn cell(&self, entry: u128) -> u32 {
        (entry as u64 >> self.cell) as u32
    }

    /// Passes on the row of an entry.
    #[inline]
    pub(super) fn row<T>(&self, rows: &[u64], entry: u128, read: impl FnOnce(&[u64]) -> T) -> T {
        if self.is_packed {
            read(&[(entry >> 64) as u64, entry as u64])
        } else {
            read(&rows[entry as u32 as usize * self.words..][..self.words])
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
        (row[self.identity] >> self.combination) as u32
    }

    /// The order of an entity's rows in a cell by their values: by the word of the combination and of the bits, then by
    /// units. Rows that are neither less nor greater are equal in all used values.
    #[inline]
    pub(super) fn order(&self, one: &[u64], other: &[u64]) -> Ordering {
        one[..self.signed].cmp(&other[..self.signed]).then_with(|| {
            let signed = |word: &u64| word.cast_signed();
            one[self.signed..].iter().map(signed).cmp(other[self.signed..].iter().map(signed))
        })
    }

    /// Gives a row of words whose own order is that of [`Self::order`], or from it the row.
    pub(super) fn flip(&self, row: &mut [u64]) {
        row[self.signed..].iter_mut().for_each(|word| *word ^= 1 << 63);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_buffer::NullBuffer;

    #[test]
    fn flipped_rows_have_the_order_of_their_values() {
        let layout = Layout::new(true, None, &[Some((0, 9)), None, Some((0, 9))]);
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
        let grids: Vec<_> = (0..200).map(|argument| (argument % 3 != 0).then_some((-200, 200))).collect();
        let values: Vec<Values> = (0..200)
            .map(|argument| Values {
                units: vec![0, if argument % 5 == 0 { 0 } else { 1 - argument }],
                nulls: (argument % 5 == 0).then(|| NullBuffer::from(vec![true, false])),
            })
            .collect();
        for text in [false, true] {
            let layout = Layout::new(text, None, &grids);
            let identity = [u64::MAX, if text { 9 } else { 0 }];
            let mut words = vec![77; 3];
            layout.write(identity, u32::MAX - 1, &values, 1, &mut words);
            let row = &words[3..];
            assert_eq!(row.len(), layout.words());
            assert_eq!((layout.identity(row), layout.combination(row)), (identity, u32::MAX - 1));
            let expected = |argument: usize| {
                let units = grids[argument].map_or(0, |_| 1 - argument as i64);
                (!argument.is_multiple_of(5)).then_some(units)
            };
            (0..200).for_each(|argument| assert_eq!(layout.value(row, argument), expected(argument)));
        }
    }

    #[test]
    fn small_rows_are_small() {
        let words = |text, combinations, grids: &[_]| Layout::new(text, combinations, grids).words();
        assert_eq!(words(false, None, &[]), 2);
        assert_eq!(words(false, None, &[Some((0, 1)); 2]), 4);
        assert_eq!(words(true, None, &[None; 33]), 4);
        assert_eq!(words(true, Some(1), &[Some((0, 1)); 2]), 5);
        assert_eq!(words(false, Some(1), &[Some((0, 1)); 2]), 2);
    }
}
