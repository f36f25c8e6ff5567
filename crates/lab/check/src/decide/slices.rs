//! The observers of F-DB[a,b] that a table has: those whose datasets all have rows.
//!
//! For independent entities with a given number of members, every set of that size among the uncertain entities is
//! possible. So an observer is a *slice*: entities that are certainly in, uncertain entities, and the number of members
//! among these. The beliefs in the uncertain entities sum to that number, so suitable beliefs in a range exist exactly
//! if equal beliefs fit.

use crate::mechanism::{Dataset, Mechanism};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::whole;
use num_traits::{One, Zero};

/// An observer's datasets: `sure` together with any `size` of the entities in `open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) sure: Dataset,
    pub(super) open: Dataset,
    pub(super) size: u32,
}

impl Slice {
    pub(super) fn datasets(self) -> impl Iterator<Item = Dataset> {
        let parts = std::iter::successors(Some(self.open), move |part| (*part != 0).then(|| (part - 1) & self.open));
        parts.filter(move |part| part.count_ones() == self.size).map(move |part| self.sure | part)
    }
}

/// Whether beliefs in `uncertain` entities, all in the range, can sum to `size`.
pub(crate) fn fits(uncertain: usize, size: usize, range: &PriorRange) -> bool {
    let (uncertain, size) = (whole(uncertain), whole(size));
    let (least, most) = (&uncertain * range.low(), &uncertain * range.high());
    // Ends of the range that are 0 or 1 are not beliefs in uncertain entities.
    let above = least < size || (least == size && !range.low().is_zero());
    let below = size < most || (most == size && !range.high().is_one());
    above && below
}

/// Whether some of `entities` entities can have such beliefs, if every dataset has a row.
pub(crate) fn exists(entities: usize, range: &PriorRange) -> bool {
    (2..=entities).any(|uncertain| (1..uncertain).any(|size| fits(uncertain, size, range)))
}

/// A slice with rows for all its datasets, and with beliefs in the range.
pub(super) fn find(mechanism: &Mechanism, range: &PriorRange) -> Option<Slice> {
    let n = mechanism.size();
    if !exists(n, range) {
        return None;
    }
    let rows = (0..1 << n).map(|data| if mechanism.gives(data) { u32::MAX } else { u32::MAX - 1 }).collect();
    Search { range }.find(rows, Slice { sure: 0, open: 0, size: 0 })
}

struct Search<'a> {
    range: &'a PriorRange,
}

impl Search<'_> {
    /// Assigns the entities from the highest to the lowest: out, in, or uncertain.
    ///
    /// `rows` has a word for each subset of the unassigned entities, indexed by its bits: bit `k` is clear if some
    /// dataset of that subset, the certain entities and `k` of the uncertain ones has no row.
    fn find(&self, rows: Vec<u32>, so_far: Slice) -> Option<Slice> {
        let uncertain = so_far.open.count_ones();
        let within = ((1_u64 << (uncertain + 1)) - 1) as u32;
        if rows.iter().all(|row| row & within == 0) {
            return None;
        }
        if rows.len() == 1 {
            let size = (1..uncertain)
                .find(|size| rows[0] >> size & 1 == 1 && fits(uncertain as usize, *size as usize, self.range))?;
            return Some(Slice { size, ..so_far });
        }
        let half = rows.len() / 2;
        let entity = half.trailing_zeros() as usize;
        let (out, inside) = rows.split_at(half);
        // With one more uncertain entity, `k` are in when it is in and `k − 1` others are, or when it is out and `k`
        // others are.
        let both = out.iter().zip(inside).map(|(out, inside)| out & (inside << 1 | 1)).collect();
        let open = Slice { open: so_far.open | 1 << entity, ..so_far };
        self.find(both, open)
            .or_else(|| self.find(out.to_vec(), so_far))
            .or_else(|| self.find(inside.to_vec(), Slice { sure: so_far.sure | 1 << entity, ..so_far }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn beliefs_of_a_public_size_sum_to_it() {
        let range = |low, high| PriorRange::new(Some(ratio(low, 20)), Some(ratio(high, 20))).unwrap();
        // With beliefs from 2/5 to 9/20, up to four never sum to 1; five of 2/5 sum to 2.
        assert!(!exists(4, &range(8, 9)));
        assert!(exists(5, &range(8, 9)));
        assert!(exists(2, &range(10, 10)));
        assert!(!exists(3, &range(1, 6)) && exists(4, &range(1, 6)));
        assert!(exists(2, &PriorRange::any()) && !exists(1, &PriorRange::any()));
        // Three beliefs of 1/3 sum to 1, two never do.
        let third = PriorRange::new(None, Some(ratio(1, 3))).unwrap();
        assert!(exists(3, &third) && exists(3, &third.of_absence()) && !exists(2, &third));
    }
}
