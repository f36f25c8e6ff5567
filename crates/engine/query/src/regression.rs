//! What covariances, correlations and least squares are worked out of (S-LS): sums of centred values and of their products.

use crate::Moments;
use deniable_core::exact::Rational;
use std::collections::BTreeMap;

/// What is asked of values that go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regression {
    /// Which number.
    pub statistic: Statistic,
    /// The measure of the number of rows that have all values.
    pub count: usize,
    /// The values: y first, then what it is explained by.
    pub values: Vec<Moments>,
    /// The sums of products of two centred values, by the positions of both, the smaller first.
    pub products: BTreeMap<(usize, usize), Product>,
}

/// The sum of a product of two centred values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Product {
    /// The measure of it.
    Measure(usize),
    /// So much for each row: the square of a value that is one of two.
    EachRow(Rational),
}

/// A number about values that go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// The covariance of y and x; with `sample` divided by n − 1.
    Covariance {
        /// Whether it is an estimate for a larger population.
        sample: bool,
    },
    /// Their correlation.
    Correlation,
    /// The sum of the products of the differences of these two values from their means.
    Products(usize, usize),
    /// The coefficient of the first x in the fit.
    Slope,
    /// The fitted y where all x are 0.
    Intercept,
    /// The part of the variance of y that the fit explains.
    Explained,
}

impl Regression {
    /// The measures it rests on, each once.
    #[must_use]
    pub fn measures(&self) -> Vec<usize> {
        let products = self.products.values().filter_map(|product| match product {
            Product::Measure(measure) => Some(*measure),
            Product::EachRow(_) => None,
        });
        std::iter::once(self.count).chain(self.values.iter().map(|value| value.sum)).chain(products).collect()
    }

    pub(crate) fn moved(self, place: impl Fn(usize) -> usize) -> Self {
        let moments = |moments: Moments| Moments { sum: place(moments.sum), count: place(moments.count), ..moments };
        let product = |product| match product {
            Product::Measure(measure) => Product::Measure(place(measure)),
            Product::EachRow(square) => Product::EachRow(square),
        };
        Self {
            statistic: self.statistic,
            count: place(self.count),
            values: self.values.into_iter().map(moments).collect(),
            products: self.products.into_iter().map(|(of, found)| (of, product(found))).collect(),
        }
    }
}
