//! What is measured, and how answers are worked out of measures.

use crate::Regression;
use deniable_core::exact::Rational;
use deniable_core::sensitivity::RowRange;
use deniable_expression::Type;

/// A vector of whole numbers, one or more for each cell of its level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// What is added up or looked for.
    pub kind: MeasureKind,
    /// What one unit of a released number is worth: 1 for counts.
    pub unit: Rational,
    /// The level whose cells it has.
    pub level: usize,
    /// Its part of the share, relative to those of other measures.
    pub weight: Rational,
}

/// What a measure adds up or looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeasureKind {
    /// Rows.
    Rows,
    /// Rows where an argument is not NULL.
    NotNull {
        /// The argument's position.
        argument: usize,
    },
    /// Entities with at least one row; with `present`, one where that argument is not NULL.
    Entities {
        /// The argument's position.
        present: Option<usize>,
    },
    /// Values on their grid, less a public centre.
    Sum {
        /// The values.
        of: CentredArgument,
        /// The range of what one row adds, in units, centre subtracted.
        range: RowRange,
    },
    /// Products of two such values in one row; squares, where both are the same.
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
        /// The rank that is wanted.
        target: Target,
    },
    /// Several quantiles, read off noisy counts of the intervals of a tree over the grid.
    Tree {
        /// The argument's position.
        argument: usize,
        /// The wanted shares, ascending.
        shares: Vec<QuantileShare>,
    },
}

/// Values of an argument, less a public centre: `times · value − centre`, in units of `1/times` of its grid's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CentredArgument {
    /// The argument's position.
    pub argument: usize,
    /// How many steps its unit is cut into: 1, or 2 where the centre lies between two values.
    pub times: i64,
    /// The centre, in these steps.
    pub centre: i64,
}

impl CentredArgument {
    /// The values themselves.
    #[must_use]
    pub fn nowhere(argument: usize) -> Self {
        Self { argument, times: 1, centre: 0 }
    }

    /// What a value of so many grid units adds.
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

/// Which value is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The one below which this share of the values lies.
    Share(QuantileShare),
    /// One near the lowest.
    Lowest,
    /// One near the highest.
    Highest,
}

/// An aggregate of the question, by the positions of its measures.
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
    /// An average: centre + sum / count, between the bounds.
    Average(Moments),
    /// A weighted average: centre + sum of weighted values / sum of weights, between the bounds. The count is that of the weights.
    Weighted(Moments),
    /// A variance, or its root.
    Variance {
        /// Sum, count, centre and bounds.
        moments: Moments,
        /// The measure of the sum of squares.
        squares: usize,
        /// Whether it is an estimate for a larger population: divided by n − 1.
        sample: bool,
        /// Whether its root is wanted.
        root: bool,
    },
    /// A number about values that go together.
    Regression(Box<Regression>),
    /// A quantile.
    Quantile {
        /// The measure.
        measure: usize,
        /// Which of the measure's quantiles.
        position: usize,
        /// What kind of value it is.
        value: ValueKind,
    },
}

/// What averages and variances rest on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moments {
    /// The measure of the centred sum.
    pub sum: usize,
    /// The measure of the count; of a weighted average that of the sum of the weights.
    pub count: usize,
    /// The centre.
    pub centre: Rational,
    /// The lower bound of the values.
    pub low: Rational,
    /// The upper bound of the values.
    pub high: Rational,
}

/// What the whole numbers of a quantile stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Multiples of the grid's unit.
    Number,
    /// Days since 1970-01-01.
    Date,
    /// Microseconds since then.
    Timestamp,
}

impl Estimator {
    /// The measures it rests on.
    #[must_use]
    pub fn measures(&self) -> Vec<usize> {
        match self {
            Self::Count { measure } | Self::Sum { measure } | Self::Quantile { measure, .. } => vec![*measure],
            Self::Average(moments) | Self::Weighted(moments) => vec![moments.sum, moments.count],
            Self::Variance { moments, squares, .. } => vec![moments.sum, moments.count, *squares],
            Self::Regression(regression) => regression.measures(),
        }
    }

    /// The same answer after its measures have moved to other positions.
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
    /// What values of a type are.
    pub fn of(kind: Type) -> Self {
        match kind {
            Type::Date => Self::Date,
            Type::Timestamp => Self::Timestamp,
            Type::Boolean | Type::Integer | Type::Decimal | Type::Text => Self::Number,
        }
    }
}
