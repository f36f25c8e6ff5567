//! Whether the rows of each entity are consecutive, which spares scattering and sorting all rows.
//!
//! A run is one batch of rows whose entity keys do not decrease. While no two runs overlap but at their ends, an entity
//! whose key is strictly between the first and the last key of a run has all of its rows there. The first runs that
//! overlap, or the first batch with a decrease, end this for all threads: every row is then scattered.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The runs of all threads so far.
#[derive(Default)]
pub(super) struct KeyOrder {
    /// The last key of each run, by its first; of runs with the same first key the greatest.
    runs: Mutex<BTreeMap<i64, i64>>,
    is_broken: AtomicBool,
}

impl KeyOrder {
    /// Whether no two runs overlap so far.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_broken.load(Ordering::Relaxed)
    }

    /// Ends the use of runs.
    pub(super) fn give_up(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }

    /// Adds a run with these ends; false if it overlaps another, or runs are no longer used.
    pub(super) fn add(&self, (first, last): (i64, i64)) -> bool {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let before = runs.range(..=first).next_back();
        let is_after = before.is_none_or(|(begin, end)| *end <= first || last <= *begin);
        let is_before = runs.range((Excluded(first), Unbounded)).next().is_none_or(|(begin, _)| last <= *begin);
        if !self.is_whole() || !is_after || !is_before {
            self.give_up();
            return false;
        }
        let end = runs.entry(first).or_insert(last);
        *end = last.max(*end);
        true
    }
}

/// The first and the last key of the rows that count, if keys do not decrease.
pub(super) fn ends(mut keys: impl Iterator<Item = i64>) -> Option<(i64, i64)> {
    let first = keys.next()?;
    let last = keys.try_fold(first, |last, key| (last <= key).then_some(key))?;
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All lists of three runs that begin and end at five keys.
    #[test]
    fn runs_are_refused_exactly_if_a_key_inside_one_is_in_another() {
        let all: Vec<(i64, i64)> = (0..5).flat_map(|first| (first..5).map(move |last| (2 * first, 2 * last))).collect();
        let is_inside = |key: i64, (first, last): (i64, i64)| first < key && key < last;
        let meets = |one: (i64, i64), other: (i64, i64)| (one.0..=one.1).any(|key| is_inside(key, other));
        let overlap = |one, other| meets(one, other) || meets(other, one);
        for (one, two, three) in
            all.iter().flat_map(|one| all.iter().flat_map(|two| all.iter().map(|three| (*one, *two, *three))))
        {
            let order = KeyOrder::default();
            assert!(order.add(one));
            assert_eq!(order.add(two), !overlap(one, two), "{one:?} {two:?}");
            let is_whole = !overlap(one, two) && !overlap(one, three) && !overlap(two, three);
            assert_eq!(order.add(three), is_whole, "{one:?} {two:?} {three:?}");
            assert_eq!(order.is_whole(), is_whole);
        }
    }

    #[test]
    fn a_run_ends_at_the_first_decrease() {
        assert_eq!(ends([3, 3, 5, 9].into_iter()), Some((3, 9)));
        assert_eq!(ends([3, 5, 4, 9].into_iter()), None);
        assert_eq!(ends([i64::MIN, i64::MAX].into_iter()), Some((i64::MIN, i64::MAX)));
        assert_eq!(ends(std::iter::empty()), None);
    }
}
