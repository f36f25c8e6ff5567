//! Counts genotypes 32 at a time: PLINK's two bits for each person, masked by cases and by controls.
//!
//! Two bits are 00 for two copies of A1, 10 for one, 11 for none, and 01 for a missing call. So with `low` and `high`
//! bits, masked: none = |low ∧ high|, one = |high| − none, missing = |low| − none, and two is the remainder.

use crate::cohort::{Counts, MissingCalls};
use crate::table::ContingencyTable;

const PEOPLE: usize = 32;

/// A set of people: the low one of a member's two bits is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    words: Vec<u64>,
    size: u32,
}

impl Mask {
    fn new(people: usize) -> Self {
        Self { words: vec![0; people.div_ceil(PEOPLE)], size: 0 }
    }

    /// Adds a person, if not yet in the set; ignores indices beyond the last person.
    pub fn add(&mut self, person: usize) {
        if let Some(word) = self.words.get_mut(person / PEOPLE) {
            let bit = 1 << (2 * (person % PEOPLE));
            self.size += u32::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// The number of people in the set.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.size
    }
}

/// The cases, the controls and the founders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masks {
    /// The cases.
    pub cases: Mask,
    /// The controls.
    pub controls: Mask,
    /// The founders.
    pub founders: Mask,
    people: usize,
    /// Whether the founders are exactly the cases and controls, so they need not be counted again.
    same: bool,
}

impl Masks {
    /// Empty sets, among this many people.
    #[must_use]
    pub fn new(people: usize) -> Self {
        let mask = Mask::new(people);
        Self { cases: mask.clone(), controls: mask.clone(), founders: mask, people, same: true }
    }

    /// Determines whether founders are exactly the cases and controls. Call it after the last person is added.
    pub fn settle(&mut self) {
        let both = self.cases.words.iter().zip(&self.controls.words).map(|(case, control)| case | control);
        self.same = both.eq(self.founders.words.iter().copied());
    }

    /// Number of people in the file.
    #[must_use]
    pub fn people(&self) -> usize {
        self.people
    }
}

/// Bytes of one SNP in a .bed file.
#[must_use]
pub fn row_bytes(people: usize) -> usize {
    people.div_ceil(4)
}

/// Converts the bytes of a SNP to words, the first person in the lowest bits; `words` is reused.
pub fn to_words(bytes: &[u8], words: &mut Vec<u64>) {
    words.clear();
    let (whole, rest) = bytes.as_chunks::<8>();
    words.extend(whole.iter().map(|chunk| u64::from_le_bytes(*chunk)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        words.push(u64::from_le_bytes(last));
    }
}

/// Counts one SNP. Bits of people in no mask are ignored.
#[must_use]
pub fn count(row: &[u64], masks: &Masks) -> Counts {
    count_words(row, |word| word, None, masks)
}

/// Counts one SNP in the buffer of the .bed reader: a copy as words would cost a tenth of counting.
pub(crate) fn count_bytes(row: &[u8], masks: &Masks) -> Counts {
    let (whole, rest) = row.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    let last = (!rest.is_empty()).then_some(u64::from_le_bytes(last));
    count_words(whole, u64::from_le_bytes, last, masks)
}

/// Counts one SNP in words of any form, with an optional last word.
#[inline]
fn count_words<W: Copy>(row: &[W], word: impl Fn(W) -> u64 + Copy, last: Option<u64>, masks: &Masks) -> Counts {
    let of = |mask| genotypes(row, word, last, mask);
    let (cases, missing_cases) = of(&masks.cases);
    let (controls, missing_controls) = of(&masks.controls);
    let founders = if masks.same { sum(cases, controls) } else { of(&masks.founders).0 };
    Counts {
        table: ContingencyTable { cases, controls },
        missing: MissingCalls { cases: missing_cases, controls: missing_controls },
        founders,
    }
}

fn sum(left: [u32; 3], right: [u32; 3]) -> [u32; 3] {
    let [a, b, c] = left;
    let [d, e, f] = right;
    [a + d, b + e, c + f]
}

/// People with 0, 1 and 2 copies of A1, and those with a missing call.
#[inline]
fn genotypes<W: Copy>(row: &[W], word: impl Fn(W) -> u64, last: Option<u64>, mask: &Mask) -> ([u32; 3], u32) {
    let [low, high, both] = totals(row, word, last, &mask.words);
    let (one, missing) = (high - both, low - both);
    ([both, one, mask.size - high - missing], missing)
}

/// Set low bits, set high bits, and pairs with both, within the mask. Sums of three words fit into pairs of bits, two
/// such sums into half a byte, and 21 of those into a byte, so bits are gathered once per 63 words. Four columns of
/// words are summed side by side, which compilers turn into vector instructions.
#[inline]
fn totals<W: Copy>(row: &[W], word: impl Fn(W) -> u64, last: Option<u64>, mask: &[u64]) -> [u32; 3] {
    const BLOCK: usize = 21 * GROUP;
    let (mask, last_mask) = mask.split_at(row.len().min(mask.len()));
    let mut totals = [0; 3];
    let mut gather = |bytes: [[u64; LANES]; 3]| {
        for (total, bytes) in totals.iter_mut().zip(bytes) {
            *total += bytes.into_iter().map(across).sum::<u32>();
        }
    };
    for (row, mask) in row.chunks(BLOCK).zip(mask.chunks(BLOCK)) {
        let mut bytes = [[0; LANES]; 3];
        let (row_groups, row_rest) = row.as_chunks::<GROUP>();
        let (mask_groups, mask_rest) = mask.as_chunks::<GROUP>();
        for (row, mask) in row_groups.iter().zip(mask_groups) {
            add(&mut bytes, &row.map(&word), mask);
        }
        if !row_rest.is_empty() {
            let mut row = [0; GROUP];
            let mut mask = [0; GROUP];
            row.iter_mut().zip(row_rest).for_each(|(to, from)| *to = word(*from));
            mask.iter_mut().zip(mask_rest).for_each(|(to, from)| *to = *from);
            add(&mut bytes, &row, &mask);
        }
        gather(bytes);
    }
    if let (Some(last), Some(mask)) = (last, last_mask.first()) {
        let of_one = |word| std::array::from_fn(|place| if place == 0 { word } else { 0 });
        let mut bytes = [[0; LANES]; 3];
        add(&mut bytes, &of_one(last), &of_one(*mask));
        gather(bytes);
    }
    totals
}

/// Columns of words that are summed side by side.
const LANES: usize = 4;
const GROUP: usize = 3 * LANES;

#[inline]
fn add(bytes: &mut [[u64; LANES]; 3], row: &[u64; GROUP], mask: &[u64; GROUP]) {
    let (mut low, mut high, mut both) = ([0; LANES], [0; LANES], [0; LANES]);
    let (row, _) = row.as_chunks::<LANES>();
    let (mask, _) = mask.as_chunks::<LANES>();
    for (words, masks) in row.iter().zip(mask) {
        let sums = low.iter_mut().zip(&mut high).zip(&mut both);
        for ((word, mask), ((low, high), both)) in words.iter().zip(masks).zip(sums) {
            let (word_low, word_high) = (word & mask, (word >> 1) & mask);
            *low += word_low;
            *high += word_high;
            *both += word_low & word_high;
        }
    }
    for (bytes, pairs) in bytes.iter_mut().zip([low, high, both]) {
        for (bytes, pairs) in bytes.iter_mut().zip(pairs) {
            *bytes += in_bytes(pairs);
        }
    }
}

/// Pairs of bits, up to 3 each, summed within their byte: up to 12.
#[inline]
fn in_bytes(pairs: u64) -> u64 {
    const PAIRS: u64 = 0x3333_3333_3333_3333;
    const HALVES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    let halves = (pairs & PAIRS) + ((pairs >> 2) & PAIRS);
    (halves & HALVES) + ((halves >> 4) & HALVES)
}

/// The sum of eight bytes.
#[inline]
fn across(bytes: u64) -> u32 {
    const SHORTS: u64 = 0x00ff_00ff_00ff_00ff;
    let shorts = (bytes & SHORTS) + ((bytes >> 8) & SHORTS);
    let sum = shorts.wrapping_mul(0x0001_0001_0001_0001) >> 48;
    u32::try_from(sum).unwrap_or(u32::MAX)
}

/// Builds a SNP person by person, for readers of formats other than .bed.
#[derive(Debug, Default)]
pub struct Packer {
    words: Vec<u64>,
    people: usize,
}

/// A genotype: copies of A1, or a missing call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Genotype {
    /// Two copies of A1.
    Two,
    /// One copy.
    One,
    /// No copy.
    None,
    /// A missing call.
    Missing,
}

impl Genotype {
    /// The number of copies of A1; `None` for a missing call.
    #[must_use]
    pub fn copies(self) -> Option<u8> {
        match self {
            Self::Two => Some(2),
            Self::One => Some(1),
            Self::None => Some(0),
            Self::Missing => None,
        }
    }
}

/// The genotypes in a row of a .bed file, four per byte. The last byte may contain fewer people than that.
pub(crate) fn unpack(row: &[u8]) -> impl Iterator<Item = Genotype> {
    row.iter().flat_map(|byte| {
        [0, 2, 4, 6].map(|shift| match (byte >> shift) & 0b11 {
            0b00 => Genotype::Two,
            0b01 => Genotype::Missing,
            0b10 => Genotype::One,
            _ => Genotype::None,
        })
    })
}

impl Packer {
    /// Removes all people.
    pub fn clear(&mut self) {
        self.words.clear();
        self.people = 0;
    }

    /// Adds the next person.
    pub fn push(&mut self, genotype: Genotype) {
        let bits: u64 = match genotype {
            Genotype::Two => 0b00,
            Genotype::Missing => 0b01,
            Genotype::One => 0b10,
            Genotype::None => 0b11,
        };
        let place = self.people % PEOPLE;
        if place == 0 {
            self.words.push(0);
        }
        if let Some(word) = self.words.last_mut() {
            *word |= bits << (2 * place);
        }
        self.people += 1;
    }

    /// The number of people.
    #[must_use]
    pub fn people(&self) -> usize {
        self.people
    }

    /// The words of the SNP.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

#[cfg(test)]
mod tests;
