//! The twenty queries, their values and sensitivities (S-ID, S-ADD, S-REP).

use crate::adult::{Adult, Column};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, whole};
use deniable_core::sensitivity::{Caps, RowRange, additive};
use num_bigint::BigInt;

/// An aggregate over all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aggregate {
    /// The sum.
    Sum,
    /// The sum over the number of rows, which is public: the worlds of (α,β)-identifiability have one size.
    Avg,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The median; of an even number of values the lower of the two in the middle.
    Median,
}

impl Aggregate {
    /// In the order of the table.
    pub const ALL: [Self; 5] = [Self::Sum, Self::Avg, Self::Min, Self::Max, Self::Median];

    fn name(self) -> &'static str {
        match self {
            Self::Sum => "SUM",
            Self::Avg => "AVG",
            Self::Min => "MIN",
            Self::Max => "MAX",
            Self::Median => "MEDIAN",
        }
    }
}

/// An aggregate of a column.
///
/// Noise is added in whole units of [`Query::unit`]: 1, and for an average `1/n`, since the noise is added to the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Query {
    /// The aggregate.
    pub aggregate: Aggregate,
    /// Its column.
    pub column: Column,
}

impl Query {
    /// All twenty, by aggregate and then by column.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let of = |aggregate| Column::ALL.map(|column| Self { aggregate, column });
        Aggregate::ALL.into_iter().flat_map(of).collect()
    }

    /// `SUM(age)`.
    #[must_use]
    pub fn name(self) -> String {
        format!("{}({})", self.aggregate.name(), self.column.name())
    }

    /// `sum-age`, for names of files.
    #[must_use]
    pub fn slug(self) -> String {
        format!("{}-{}", self.aggregate.name().to_lowercase(), self.column.name().replace('_', "-"))
    }

    /// The step of the grid of the noise.
    #[must_use]
    pub fn unit(self, adult: &Adult) -> Rational {
        match self.aggregate {
            Aggregate::Avg => whole(adult.rows()).recip(),
            Aggregate::Sum | Aggregate::Min | Aggregate::Max | Aggregate::Median => whole(1),
        }
    }

    /// The value on the data, in units.
    #[must_use]
    pub fn units(self, adult: &Adult) -> BigInt {
        let values = adult.sorted(self.column);
        match self.aggregate {
            Aggregate::Sum | Aggregate::Avg => values.iter().copied().map(BigInt::from).sum(),
            Aggregate::Min => values.iter().copied().min().unwrap_or_default().into(),
            Aggregate::Max => values.iter().copied().max().unwrap_or_default().into(),
            Aggregate::Median => lower_median(values).unwrap_or_default().into(),
        }
    }

    /// The exact value on the data.
    #[must_use]
    pub fn value(self, adult: &Adult) -> Rational {
        whole(self.units(adult)) * self.unit(adult)
    }

    /// Θ in units: the largest difference of two answers on data sets that arise from one data set by leaving out one
    /// record each (S-ID). It is `hi − lo` for all five:
    ///
    /// * sums and averages, because the two records left out may have the values `lo` and `hi`;
    /// * MIN and MAX, because the only `hi` (or `lo`) among records that are all at the other end may be left out or
    ///   not;
    /// * MEDIAN, because about half of the records may have the value `lo` and the others `hi`, and then the omitted
    ///   record determines at which end the median is. On the actual data a median hardly moves, but a promise about
    ///   every data set cannot use that.
    #[must_use]
    pub fn theta_units(self) -> BigInt {
        let (low, high) = self.column.domain();
        BigInt::from(high) - BigInt::from(low)
    }

    /// Θ in the column's own unit.
    #[must_use]
    pub fn theta(self, adult: &Adult) -> Rational {
        whole(self.theta_units()) * self.unit(adult)
    }

    /// Δ in units: the largest change of the answer when one record is added or removed (S-ADD) or replaced (S-REP).
    ///
    /// Data is not empty, every record counts, and the divisor of an average is a public constant. Replacing one record
    /// of a data set is the same as leaving out one of two records of a data set one larger, so Δ is then Θ.
    #[must_use]
    pub fn delta_units(self, adjacency: Adjacency) -> BigInt {
        let (low, high) = self.column.domain();
        match (adjacency, self.aggregate) {
            (Adjacency::AddRemove, Aggregate::Sum | Aggregate::Avg) => {
                additive(adjacency, Caps::ONE_ROW, RowRange { low, high }, 1)
            }
            (Adjacency::AddRemove, Aggregate::Min | Aggregate::Max | Aggregate::Median)
            | (Adjacency::ReplaceOne, _) => self.theta_units(),
        }
    }

    /// Δ in the column's own unit.
    #[must_use]
    pub fn delta(self, adult: &Adult, adjacency: Adjacency) -> Rational {
        whole(self.delta_units(adjacency)) * self.unit(adult)
    }
}

/// The middle of sorted values, the lower one of two.
fn lower_median(sorted: &[i64]) -> Option<i64> {
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(aggregate: Aggregate, sorted: &[i64]) -> i64 {
        match aggregate {
            Aggregate::Sum | Aggregate::Avg => sorted.iter().sum(),
            Aggregate::Min => sorted[0],
            Aggregate::Max => sorted[sorted.len() - 1],
            Aggregate::Median => lower_median(sorted).unwrap(),
        }
    }

    /// Every sorted list of `length` values from `low` to `high`.
    fn every(length: usize, low: i64, high: i64) -> Vec<Vec<i64>> {
        if length == 0 {
            return vec![vec![]];
        }
        let grow = |list: Vec<i64>| {
            let from = *list.last().unwrap_or(&low);
            (from..=high).map(move |next| [list.clone(), vec![next]].concat())
        };
        every(length - 1, low, high).into_iter().flat_map(grow).collect()
    }

    fn without(list: &[i64], index: usize) -> Vec<i64> {
        let mut rest = list.to_vec();
        rest.remove(index);
        rest
    }

    /// By exhaustion over all small data sets: Θ is `hi − lo`, and attained, for data of every size.
    #[test]
    fn theta_is_attained_and_never_exceeded() {
        for (low, high) in [(0, 3), (1, 4), (-2, 1)] {
            for aggregate in Aggregate::ALL {
                for size in 2..=6 {
                    let mut widest = 0;
                    for data in every(size, low, high) {
                        let answers: Vec<i64> =
                            (0..size).map(|index| answer(aggregate, &without(&data, index))).collect();
                        widest = widest.max(answers.iter().max().unwrap() - answers.iter().min().unwrap());
                    }
                    assert_eq!(widest, high - low, "{aggregate:?} of {size} in {low}..{high}");
                }
            }
        }
    }

    /// By exhaustion: adding or removing a record moves sums by `max(|lo|,|hi|)`, and the others by `hi − lo`.
    #[test]
    fn delta_is_attained_and_never_exceeded() {
        for (low, high) in [(0, 3), (1, 4), (-2, 1)] {
            for aggregate in Aggregate::ALL {
                let mut widest = 0;
                for size in 2..=6 {
                    for data in every(size, low, high) {
                        let whole = answer(aggregate, &data);
                        let parts = (0..size).map(|index| answer(aggregate, &without(&data, index)));
                        widest = widest.max(parts.map(|part| (whole - part).abs()).max().unwrap());
                    }
                }
                let sums = matches!(aggregate, Aggregate::Sum | Aggregate::Avg);
                assert_eq!(widest, if sums { low.abs().max(high.abs()) } else { high - low }, "{aggregate:?}");
            }
        }
    }

    #[test]
    fn twenty_queries_with_their_sensitivities() {
        let all = Query::all();
        assert_eq!(all.len(), 20);
        let hours = Query { aggregate: Aggregate::Sum, column: Column::HoursPerWeek };
        assert!(all.contains(&hours));
        assert_eq!((hours.name().as_str(), hours.slug().as_str()), ("SUM(hours_per_week)", "sum-hours-per-week"));
        assert_eq!(hours.theta_units(), 98.into());
        assert_eq!(hours.delta_units(Adjacency::AddRemove), 99.into());
        assert_eq!(hours.delta_units(Adjacency::ReplaceOne), 98.into());
        let loss = Query { aggregate: Aggregate::Max, column: Column::CapitalLoss };
        assert_eq!((loss.theta_units(), loss.delta_units(Adjacency::AddRemove)), (4356.into(), 4356.into()));
    }
}
