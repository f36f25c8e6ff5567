//! Measures: exact vectors of integers, and the estimators that compute answers from them.

use crate::Regression;
use deniable_core::exact::Rational;
use deniable_core::noise::Rank;
use deniable_core::sensitivity::RowRange;
use deniable_expression::Type;

/// A vector of integers, one or more for each cell of its level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// The aggregate.
    pub kind: MeasureKind,
    /// The value of one unit of a released number: 1 for counts.
    pub unit: Rational,
    /// The level whose cells the measure has.
    pub level: usize,
    /// Its weight within the query's share, relative to other measures.
    pub weight: Rational,
}

/// The aggregate of a measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeasureKind {
    /// Number of rows.
    Rows,
    /// Number of rows where an argument is not NULL.
    NotNull {
        /// The argument's position.
        argument: usize,
    },
    /// Number of entities with at least one row; with `present`, with a row where that argument is not NULL.
    Entities {
        /// The argument's position.
        present: Option<usize>,
    },
    /// Sum of values on their grid, minus a public centre.
    Sum {
        /// The values.
        of: CentredArgument,
        /// The range of what one row adds, in units, centre subtracted.
        range: RowRange,
    },
    /// Sum of the products of two such values in one row; of squares if both are the same.
    Product {
        /// The values.
        of: [CentredArgument; 2],
        /// The range of what one row adds, in units.
        range: RowRange,
    },
    /// A value near a rank, chosen among all values of the grid (M-PF).
    Ranked {
        /// The argument's position.
        argument: usize,
        /// The wanted rank.
        target: Target,
    },
    /// Several quantiles, computed from noisy counts of the intervals of a tree over the grid.
    Tree {
        /// The argument's position.
        argument: usize,
        /// The wanted quantiles, ascending.
        shares: Vec<QuantileShare>,
    },
}

/// Values of an argument, minus a public centre: `times · value − centre`, in units of `1/times` of its grid's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CentredArgument {
    /// The argument's position.
    pub argument: usize,
    /// The number of steps in a unit: 1, or 2 where the centre is halfway between two values.
    pub times: i64,
    /// The centre, in steps.
    pub centre: i64,
}

impl CentredArgument {
    /// The values themselves, with centre 0.
    #[must_use]
    pub fn nowhere(argument: usize) -> Self {
        Self { argument, times: 1, centre: 0 }
    }

    /// The contribution of a value of this many grid units.
    #[must_use]
    pub fn of(&self, units: i64) -> i128 {
        i128::from(units) * i128::from(self.times) - i128::from(self.centre)
    }
}

/// A share of the values, as a fraction in `[0, 1]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuantileShare {
    /// Its numerator.
    pub part: u64,
    /// Its denominator.
    pub whole: u64,
}

impl From<QuantileShare> for (u64, u64) {
    fn from(share: QuantileShare) -> Self {
        (share.part, share.whole)
    }
}

/// The rank of a wanted value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The value below which this share of the values is.
    Share(QuantileShare),
    /// A value near the lowest.
    Lowest,
    /// A value near the highest.
    Highest,
}

impl Target {
    /// Its rank, where a value near an end is the `place`-th from there.
    pub(crate) fn rank_from_end(self, place: u64) -> Rank {
        match self {
            Self::Share(QuantileShare { part, whole }) => Rank::Share { part, whole },
            Self::Lowest => Rank::FromBelow(place),
            Self::Highest => Rank::FromAbove(place),
        }
    }
}

/// An aggregate of the query, by the positions of its measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Estimator {
    /// A number of rows or entities.
    Count {
        /// The measure.
        measure: usize,
    },
    /// A sum.
    Sum {
        /// The measure.
        measure: usize,
    },
    /// An average: centre + sum / count, clamped to the bounds.
    Average(Moments),
    /// A weighted average: centre + sum of weighted values / sum of weights, clamped to the bounds. The count is that
    /// of the weights.
    Weighted(Moments),
    /// A variance, or its square root.
    Variance {
        /// Sum, count, centre and bounds.
        moments: Moments,
        /// The measure of the sum of squares.
        squares: usize,
        /// Whether it is the sample variance, divided by n − 1.
        sample: bool,
        /// Whether the square root is wanted.
        root: bool,
    },
    /// A statistic of several values of a row.
    Regression(Box<Regression>),
    /// A quantile.
    Quantile {
        /// The measure.
        measure: usize,
        /// The position among the measure's quantiles.
        position: usize,
        /// The type of the value.
        value: ValueKind,
    },
}

/// The inputs of averages and variances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moments {
    /// The measure of the centred sum.
    pub sum: usize,
    /// The measure of the count; for a weighted average, of the sum of the weights.
    pub count: usize,
    /// The centre.
    pub centre: Rational,
    /// The lower bound of the values.
    pub low: Rational,
    /// The upper bound of the values.
    pub high: Rational,
}

/// The meaning of the integers of a quantile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Multiples of the grid's unit.
    Number,
    /// Days since 1970-01-01.
    Date,
    /// Microseconds since 1970-01-01.
    Timestamp,
}

impl Estimator {
    /// The measures that the estimator depends on.
    #[must_use]
    pub fn measures(&self) -> Vec<usize> {
        match self {
            Self::Count { measure } | Self::Sum { measure } | Self::Quantile { measure, .. } => vec![*measure],
            Self::Average(moments) | Self::Weighted(moments) => vec![moments.sum, moments.count],
            Self::Variance { moments, squares, .. } => vec![moments.sum, moments.count, *squares],
            Self::Regression(regression) => regression.measures(),
        }
    }

    /// The same estimator after its measures have moved to other positions.
    pub fn moved(self, place: impl Fn(usize) -> usize) -> Self {
        let all = |moments: Moments| Moments { sum: place(moments.sum), count: place(moments.count), ..moments };
        match self {
            Self::Count { measure } => Self::Count { measure: place(measure) },
            Self::Sum { measure } => Self::Sum { measure: place(measure) },
            Self::Quantile { measure, position, value } => Self::Quantile { measure: place(measure), position, value },
            Self::Average(moments) => Self::Average(all(moments)),
            Self::Weighted(moments) => Self::Weighted(all(moments)),
            Self::Regression(regression) => Self::Regression(Box::new(regression.moved(place))),
            Self::Variance { moments, squares, sample, root } => {
                Self::Variance { squares: place(squares), moments: all(moments), sample, root }
            }
        }
    }
}

impl ValueKind {
    /// The kind of the values of a type.
    pub fn of(kind: Type) -> Self {
        match kind {
            Type::Date => Self::Date,
            Type::Timestamp => Self::Timestamp,
            Type::Boolean | Type::Integer | Type::Decimal | Type::Text => Self::Number,
        }
    }
}
