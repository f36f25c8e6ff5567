//! Inputs of covariances, correlations and least squares (S-LS): sums of centred values and of their products.

use crate::Moments;
use deniable_core::exact::Rational;
use std::collections::BTreeMap;

/// A statistic of several values of a row, and the measures it is computed from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regression {
    /// The statistic.
    pub statistic: Statistic,
    /// The measure of the number of rows where all values are present.
    pub count: usize,
    /// The values: y first, then the explanatory values.
    pub values: Vec<Moments>,
    /// The sums of products of two centred values, by the positions of both, the smaller first.
    pub products: BTreeMap<(usize, usize), Product>,
}

/// The sum of a product of two centred values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Product {
    /// The measure of the sum.
    Measure(usize),
    /// This constant for each row: the square of a centred value with only two possible values.
    EachRow(Rational),
}

/// A statistic of several values of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// The covariance of y and x; the sample covariance, divided by n − 1, with `sample`.
    Covariance {
        /// Whether it is the sample covariance.
        sample: bool,
    },
    /// The correlation of y and x.
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
    /// The measures that it depends on, without duplicates.
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
