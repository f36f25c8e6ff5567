//! The values of a cell for ranks, with the number of occurrences of each.

use deniable_core::noise::counted;

/// Least number of values in the buffer before they are counted.
const WAITING: usize = 256;

/// A multiset of values. Its size is that of the distinct values, plus a small buffer.
#[derive(Debug, Clone, Default)]
pub(super) struct Pile {
    /// Ascending.
    counted: Vec<(i64, u64)>,
    waiting: Vec<i64>,
}

impl Pile {
    #[inline]
    pub(super) fn push(&mut self, value: i64) {
        self.waiting.push(value);
        // The buffer grows with the counted values, so that each value is moved only a few times.
        if self.waiting.len() >= WAITING.max(self.counted.len()) {
            self.count();
        }
    }

    /// Number of bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.counted.capacity() * size_of::<(i64, u64)>() + self.waiting.capacity() * size_of::<i64>()
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.counted = merged(std::mem::take(&mut self.counted), other.counted);
        other.waiting.into_iter().for_each(|value| self.push(value));
    }

    /// All values, ascending, with their multiplicities.
    pub(super) fn finish(mut self) -> Vec<(i64, u64)> {
        self.count();
        self.counted
    }

    fn count(&mut self) {
        let waiting = counted(std::mem::take(&mut self.waiting));
        self.counted = merged(std::mem::take(&mut self.counted), waiting);
    }
}

/// Merges two ascending lists.
fn merged(left: Vec<(i64, u64)>, right: Vec<(i64, u64)>) -> Vec<(i64, u64)> {
    if left.is_empty() || right.is_empty() {
        return if left.is_empty() { right } else { left };
    }
    let mut all = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    loop {
        all.push(match (left.peek(), right.peek()) {
            (Some((a, n)), Some((b, m))) if a == b => {
                let both = (*a, n + m);
                left.next();
                right.next();
                both
            }
            (Some((a, n)), other) if other.is_none_or(|(b, _)| a < b) => {
                let only = (*a, *n);
                left.next();
                only
            }
            (_, Some((b, m))) => {
                let only = (*b, *m);
                right.next();
                only
            }
            (_, None) => break,
        });
    }
    all.shrink_to_fit();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn piles_count_the_values_put_in(
            left in prop::collection::vec(-40_i64..40, 0..2_000),
            right in prop::collection::vec(-4_000_i64..4_000, 0..2_000),
        ) {
            let pile = |values: &[i64]| {
                let mut pile = Pile::default();
                values.iter().for_each(|value| pile.push(*value));
                pile
            };
            let mut both = pile(&left);
            both.merge(pile(&right));
            let all: Vec<i64> = left.into_iter().chain(right).collect();
            prop_assert_eq!(both.finish(), counted(all));
        }
    }

    #[test]
    fn few_different_values_take_little_room() {
        let mut pile = Pile::default();
        (0..100_000).for_each(|number| pile.push(number % 7));
        assert!(pile.bytes() < 10_000, "{}", pile.bytes());
        assert_eq!(pile.finish().iter().map(|(_, count)| count).sum::<u64>(), 100_000);
    }
}
