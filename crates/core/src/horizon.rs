//! Intervals of periods over a stated horizon, from whose answers running totals are added up (C-10).
//!
//! A horizon has `T` periods. A *node* is a run of consecutive periods whose rows are measured together. Level `l` has
//! the nodes of `k^l` periods, so level 0 has the periods themselves. All nodes have noise of one scale: a node whose
//! sensitivity is `w` times that of a period costs `w` times as much. A running total is the sum of the fewest nodes
//! that make it up.

use crate::exact::{Rational, whole};

/// Most periods of a horizon.
pub const MOST_PERIODS: u32 = 1_000;

/// A run of consecutive periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first period, from 0.
    pub first: u32,
    /// The number of periods, at least 1.
    pub length: u32,
}

impl Span {
    /// One period.
    #[must_use]
    pub fn period(first: u32) -> Self {
        Self { first, length: 1 }
    }

    /// The first period after it.
    #[must_use]
    pub fn end(self) -> u32 {
        self.first + self.length
    }

    /// Its periods.
    pub fn periods(self) -> impl Iterator<Item = u32> {
        self.first..self.end()
    }
}

/// The growth of a node's sensitivity with its number of periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// An entity may have as many rows in every period, so `n` periods have `n` times the sensitivity of one.
    EveryPeriod,
    /// An entity is in one period at most, because it is one row.
    OnePeriod,
}

impl Weight {
    /// The sensitivity of a node of this many periods, relative to that of a period.
    #[must_use]
    pub fn sensitivity(self, periods: u32) -> u32 {
        match self {
            Self::EveryPeriod => periods,
            Self::OnePeriod => 1,
        }
    }
}

/// The nodes that are measured over a horizon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    periods: u32,
    branching: u32,
    levels: u32,
    weight: Weight,
}

impl Schedule {
    /// Periods alone. `periods` is from 1 to [`MOST_PERIODS`].
    #[must_use]
    pub fn flat(periods: u32, weight: Weight) -> Self {
        Self { periods, branching: 2, levels: 1, weight }
    }

    /// This many levels, each node with `branching` of the level below. `None` unless both are positive, the branching is
    /// at least 2, and the highest level has a node.
    #[must_use]
    pub fn with_levels(periods: u32, branching: u32, levels: u32, weight: Weight) -> Option<Self> {
        let highest = branching.checked_pow(levels.checked_sub(1)?)?;
        (branching >= 2 && highest <= periods).then_some(Self { periods, branching, levels, weight })
    }

    /// The levels and the branching with the smallest mean variance of the running totals at the same cost; of equal
    /// ones, that with the fewest levels, then with the smallest branching.
    #[must_use]
    pub fn best(periods: u32, weight: Weight) -> Self {
        let all = (2..=periods)
            .flat_map(|branching| (2..).map_while(move |levels| Self::with_levels(periods, branching, levels, weight)));
        let key = |schedule: &Self| (schedule.variances().iter().sum::<u64>(), schedule.levels, schedule.branching);
        std::iter::once(Self::flat(periods, weight)).chain(all).min_by_key(key).unwrap_or(Self::flat(periods, weight))
    }

    /// The number of periods.
    #[must_use]
    pub fn periods(&self) -> u32 {
        self.periods
    }

    /// The number of levels; 1 if periods alone are measured.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The number of nodes of a level in one node of the next.
    #[must_use]
    pub fn branching(&self) -> u32 {
        self.branching
    }

    /// The periods of a node of a level.
    #[must_use]
    pub fn length(&self, level: u32) -> u32 {
        self.branching.pow(level)
    }

    /// All nodes, level by level.
    pub fn nodes(&self) -> impl Iterator<Item = Span> + '_ {
        (0..self.levels).flat_map(|level| {
            let length = self.length(level);
            (0..self.periods / length).map(move |at| Span { first: at * length, length })
        })
    }

    /// The nodes whose last period is this one, the longest first: those that a release of the period measures.
    #[must_use]
    pub fn ending_with(&self, period: u32) -> Vec<Span> {
        let ends = (0..self.levels)
            .rev()
            .map(|level| self.length(level))
            .filter(|length| (period + 1).is_multiple_of(*length));
        ends.map(|length| Span { first: period + 1 - length, length }).collect()
    }

    /// The part of the cost of the whole horizon that a node has: its weight over the sum of all weights.
    #[must_use]
    pub fn part(&self, node: Span) -> Rational {
        whole(self.weight.sensitivity(node.length)) / whole(self.total_weight())
    }

    /// The part of the cost of the whole horizon that the release of a period has.
    #[must_use]
    pub fn part_of_release(&self, period: u32) -> Rational {
        self.ending_with(period).into_iter().map(|node| self.part(node)).sum()
    }

    fn total_weight(&self) -> u64 {
        self.nodes().map(|node| u64::from(self.weight.sensitivity(node.length))).sum()
    }

    /// The fewest of the nodes that are held which make up the periods from the first to `last`, in order.
    ///
    /// # Errors
    /// The first period that no held node contains.
    pub fn total(&self, last: u32, is_held: &dyn Fn(Span) -> bool) -> Result<Vec<Span>, u32> {
        let mut nodes = Vec::new();
        let mut next = 0;
        while next <= last {
            let fits = |length: &u32| {
                let node = Span { first: next, length: *length };
                next.is_multiple_of(*length) && node.end() <= last + 1 && is_held(node)
            };
            let length = (0..self.levels).rev().map(|level| self.length(level)).find(fits).ok_or(next)?;
            nodes.push(Span { first: next, length });
            next += length;
        }
        Ok(nodes)
    }

    /// The variance of each running total, in units of that of one period with the whole share for itself: the number of
    /// its nodes times the square of the sum of all weights, as the scale is proportional to that sum.
    #[must_use]
    pub fn variances(&self) -> Vec<u64> {
        let scale = self.total_weight();
        let nodes = (1..=self.periods).map(|mut periods| {
            let top = self.length(self.levels - 1);
            let mut nodes = u64::from(periods / top);
            periods %= top;
            while periods > 0 {
                nodes += u64::from(periods % self.branching);
                periods /= self.branching;
            }
            nodes
        });
        nodes.map(|nodes| nodes * scale * scale).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_all_nodes_add_up_to_the_share() {
        for periods in 1..60 {
            for schedule in [Schedule::flat(periods, Weight::EveryPeriod), Schedule::best(periods, Weight::OnePeriod)] {
                let nodes: Rational = schedule.nodes().map(|node| schedule.part(node)).sum();
                let releases: Rational = (0..periods).map(|period| schedule.part_of_release(period)).sum();
                assert_eq!((nodes, releases), (whole(1), whole(1)), "{schedule:?}");
            }
        }
    }

    #[test]
    fn totals_are_made_of_disjoint_nodes_that_were_measured_before() {
        for schedule in [
            Schedule { periods: 50, branching: 3, levels: 4, weight: Weight::EveryPeriod },
            Schedule { periods: 50, branching: 7, levels: 2, weight: Weight::OnePeriod },
        ] {
            let variances = schedule.variances();
            for last in 0..50 {
                let nodes = schedule.total(last, &|_| true).unwrap();
                let covered: Vec<u32> = nodes.iter().flat_map(|node| node.periods()).collect();
                assert_eq!(covered, (0..=last).collect::<Vec<_>>());
                assert!(nodes.iter().all(|node| schedule.ending_with(node.end() - 1).contains(node)));
                let scale = schedule.total_weight();
                assert_eq!(variances[last as usize], nodes.len() as u64 * scale * scale);
            }
            // A node that is not held is replaced by its parts, and a period without a node is reported.
            let top = schedule.length(schedule.levels - 1);
            let parts = schedule.total(top - 1, &|node| node.length < top).unwrap();
            assert_eq!(parts.len(), schedule.branching as usize);
            assert_eq!(schedule.total(9, &|node| node.length == 1 && node.first != 4), Err(4));
        }
    }

    /// The figures of the entry C-10.
    #[test]
    fn flat_is_best_for_short_horizons_alone() {
        let first = |weight| (1..200).find(|periods| Schedule::best(*periods, weight).levels() > 1);
        assert_eq!((first(Weight::EveryPeriod), first(Weight::OnePeriod)), (Some(34), Some(4)));
        let best = |periods, weight| {
            let best = Schedule::best(periods, weight);
            (best.levels(), best.branching())
        };
        assert_eq!([12, 24, 36].map(|periods| best(periods, Weight::EveryPeriod).0), [1, 1, 1]);
        assert_eq!([52, 365].map(|periods| best(periods, Weight::EveryPeriod)), [(2, 9), (2, 23)]);
        assert_eq!([12, 52, 365].map(|periods| best(periods, Weight::OnePeriod)), [(2, 5), (3, 6), (5, 4)]);
    }
}
