//! Prior beliefs over all datasets of a small universe.

use super::dice::grid;
use super::world::Dataset;
use deniable_core::exact::{Rational, whole};
use num_traits::Zero;

/// A distribution over datasets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prior {
    /// The possible datasets in order, with probabilities that sum up to 1.
    worlds: Vec<(Dataset, Rational)>,
}

impl Prior {
    /// Scales weights to a sum of 1; `None` if they are all zero.
    pub fn weighted(worlds: impl IntoIterator<Item = (Dataset, Rational)>) -> Option<Self> {
        scaled(worlds.into_iter().collect()).map(|worlds| Self { worlds })
    }

    /// Exactly two datasets, the first with this probability.
    pub fn two(first: Dataset, second: Dataset, belief: &Rational) -> Self {
        let mut worlds = vec![(first, belief.clone()), (second, whole(1) - belief)];
        worlds.sort();
        Self { worlds }
    }

    /// Groups that are independent of each other: each group is a distribution over sets of people.
    pub fn product(groups: &[Vec<(Dataset, Rational)>]) -> Self {
        let start = vec![(0, whole(1))];
        let mut worlds = groups.iter().fold(start, |worlds, group| {
            let each = worlds.iter().flat_map(|(data, weight)| {
                group.iter().filter(|(_, p)| !p.is_zero()).map(move |(set, p)| (data | set, weight * p))
            });
            each.collect::<Vec<_>>()
        });
        worlds.sort();
        Self { worlds }
    }

    /// Independent people.
    pub fn independent(beliefs: &[Rational]) -> Self {
        let person = |(t, p): (usize, &Rational)| vec![(1 << t, p.clone()), (0, whole(1) - p)];
        Self::product(&beliefs.iter().enumerate().map(person).collect::<Vec<_>>())
    }

    /// The same for an observer who knows the size; `None` if that size is impossible.
    pub fn of_size(&self, size: u32) -> Option<Self> {
        Self::weighted(self.worlds.iter().filter(|(data, _)| data.count_ones() == size).cloned())
    }

    pub fn belief(&self, t: usize) -> Rational {
        self.worlds.iter().filter(|(data, _)| data >> t & 1 == 1).map(|(_, p)| p).sum()
    }

    /// The distribution given that `t` is in, or is not; `None` if that is impossible.
    pub fn given(&self, t: usize, present: bool) -> Option<Vec<(Dataset, Rational)>> {
        self.given_that(|data| (data >> t & 1 == 1) == present)
    }

    /// The distribution given that the dataset is one of these; `None` if that is impossible.
    pub fn given_that(&self, holds: impl Fn(Dataset) -> bool) -> Option<Vec<(Dataset, Rational)>> {
        scaled(self.worlds.iter().filter(|(data, _)| holds(*data)).cloned().collect())
    }
}

fn scaled(mut worlds: Vec<(Dataset, Rational)>) -> Option<Vec<(Dataset, Rational)>> {
    worlds.retain(|(_, weight)| !weight.is_zero());
    worlds.sort();
    let sum: Rational = worlds.iter().map(|(_, weight)| weight).sum();
    if sum.is_zero() {
        return None;
    }
    Some(worlds.into_iter().map(|(data, weight)| (data, weight / &sum)).collect())
}

/// Independent people, each with one of these beliefs.
pub fn independent_grid(people: usize, values: &[Rational]) -> Vec<Prior> {
    grid(people, values).iter().map(|beliefs| Prior::independent(beliefs)).collect()
}

/// The same for every possible public size.
pub fn sized_grid(people: usize, values: &[Rational]) -> Vec<Prior> {
    let sizes = 0..=u32::try_from(people).unwrap();
    let priors = independent_grid(people, values);
    priors.iter().flat_map(|prior| sizes.clone().filter_map(|size| prior.of_size(size))).collect()
}
