//! S-ID: the difference of the answers on two datasets that both lack one record of the same larger one.

use super::prior::Prior;
use super::world::{About, Bound, Dataset, Mechanism, adjacent, finite};
use deniable_core::adversary::Adjacency::{AddRemove, ReplaceOne};
use deniable_core::exact::{power, ratio};
use deniable_core::sensitivity::{Caps, RowRange, additive};

/// Every person has exactly one row; its value is fixed, and each value occurs twice.
struct Table {
    values: Vec<i64>,
}

impl Table {
    fn new(low: i64, high: i64) -> Self {
        Self { values: (low..=high).flat_map(|value| [value, value]).collect() }
    }

    fn rows(&self, data: Dataset) -> impl Iterator<Item = i64> {
        self.values.iter().enumerate().filter(move |(t, _)| data >> t & 1 == 1).map(|(_, value)| *value)
    }

    /// Θ: the largest difference over all datasets of `size` and all pairs of their records.
    fn theta(&self, size: u32, query: impl Fn(&[i64]) -> i64) -> i64 {
        let answer = |data| query(&self.rows(data).collect::<Vec<_>>());
        let people = self.values.len();
        let all = (0..1 << people).filter(|data: &Dataset| data.count_ones() == size);
        let each = all.flat_map(|data| {
            let members = (0..people).filter(move |t| data >> t & 1 == 1);
            members.clone().flat_map(move |x| members.clone().map(move |y| (data & !(1 << x), data & !(1 << y))))
        });
        each.map(|(one, other)| (answer(one) - answer(other)).abs()).max().unwrap()
    }

    /// The replace-one sensitivity over datasets of `size`, from the adjacency.
    fn replaced(&self, size: u32, query: impl Fn(&[i64]) -> i64) -> i64 {
        let answer = |data| query(&self.rows(data).collect::<Vec<_>>());
        let pairs = adjacent(self.values.len(), ReplaceOne).into_iter().filter(|(a, _)| a.count_ones() == size);
        pairs.map(|(one, other)| (answer(one) - answer(other)).abs()).max().unwrap()
    }
}

fn count(rows: &[i64]) -> i64 {
    i64::try_from(rows.len()).unwrap()
}

fn sum(rows: &[i64]) -> i64 {
    rows.iter().sum()
}

fn lowest(rows: &[i64]) -> i64 {
    *rows.iter().min().unwrap()
}

fn highest(rows: &[i64]) -> i64 {
    *rows.iter().max().unwrap()
}

/// A name, a query, and its sensitivity in the entry.
type Case<'a> = (&'a str, &'a dyn Fn(&[i64]) -> i64, i64);

#[test]
fn identifiability_sensitivity_is_replace_one_of_one_size_less() {
    for (low, high) in [(0, 2), (-1, 1), (2, 4), (1, 2)] {
        let table = Table::new(low, high);
        let large = move |rows: &[i64]| count(&rows.iter().copied().filter(|v| *v == high).collect::<Vec<_>>());
        for size in 2..=3 {
            let queries: [Case<'_>; 5] = [
                ("all rows", &count, 0),
                ("rows with a property", &large, 1),
                ("sum", &sum, high - low),
                ("minimum", &lowest, high - low),
                ("maximum", &highest, high - low),
            ];
            for (name, query, expected) in queries {
                let theta = table.theta(size, query);
                assert_eq!((theta, table.replaced(size - 1, query)), (expected, expected), "{name} of {size} rows");
            }
        }
    }
}

/// A filter removes the certain row: Θ of a sum is then that of S-CAP for replace-one, not `hi − lo`.
#[test]
fn a_filter_costs_what_the_capped_bound_says() {
    for (low, high) in [(2, 4), (-1, 1), (-4, -2)] {
        let mut table = Table::new(low, high);
        // Two people whose row the filter removes; adding 0 is the same as adding nothing.
        table.values.extend([0, 0]);
        let theta = table.theta(2, sum);
        let declared = additive(ReplaceOne, Caps::ONE_ROW, RowRange { low, high }, 1);
        assert_eq!(declared, theta.into(), "values from {low} to {high}");
    }
    let kept = |rows: &[i64]| count(&rows.iter().copied().filter(|value| *value > 0).collect::<Vec<_>>());
    let declared = additive(ReplaceOne, Caps::ONE_ROW, RowRange::COUNT, 1);
    assert_eq!(declared, Table::new(0, 1).theta(2, kept).into());
}

/// Θ = 0 releases the count exactly: no information to observers who know the size, all of it to the others.
#[test]
fn the_exact_count_is_private_for_a_public_size_only() {
    let exact = Mechanism::exact(3, 4, |data| data.count_ones() as usize);
    assert_eq!((exact.odds(ReplaceOne), exact.odds(AddRemove)), (finite(1, 1), Bound::Infinite));
    let people = Prior::independent(&[ratio(1, 2), ratio(1, 3), ratio(1, 4)]);
    assert_eq!(exact.likelihood(&people.of_size(2).unwrap(), 0, About::Presence), Some(finite(1, 1)));
    assert_eq!(exact.likelihood(&people, 0, About::Presence), Some(Bound::Infinite));
    assert_eq!(additive(AddRemove, Caps::ONE_ROW, RowRange::COUNT, 1), 1.into());
}

/// AB-DI Theorem 4: two-sided geometric noise is Laplace noise on whole numbers. With ratio `r` it costs `r^−Δ`, so
/// noise of scale Θ for odds of `R`, `r = R^(−1/Θ)`, costs `R^(Δ/Θ)`: more than `R` if Δ exceeds Θ.
#[test]
fn noise_scaled_to_identifiability_costs_its_ratio_of_sensitivities() {
    // The contributions of three people to the answer; θ by exchanges, Δ by adding one person.
    for (values, theta, delta) in [([3, 3, 1], 2, 3), ([2, 0, 1], 2, 2), ([4, 3, 3], 1, 4)] {
        let answer = |data: Dataset| (0..3).filter(|t| data >> t & 1 == 1).map(|t| values[t]).sum::<i64>();
        let differences = |pairs: &[(Dataset, Dataset)]| {
            pairs.iter().map(|(one, other)| (answer(*one) - answer(*other)).abs()).max().unwrap()
        };
        assert_eq!((differences(&adjacent(3, ReplaceOne)), differences(&adjacent(3, AddRemove))), (theta, delta));
        for r in [ratio(1, 2), ratio(2, 3)] {
            let most = values.iter().sum::<i64>();
            // Outputs beyond the answers are clamped, which is post-processing.
            let mechanism = Mechanism::new(3, |data| {
                let at = |output: i64| {
                    let far = u32::try_from((output - answer(data)).abs()).unwrap();
                    let own = if output == 0 || output == most { ratio(1, 1) } else { ratio(1, 1) - &r };
                    own / (ratio(1, 1) + &r) * power(&r, far)
                };
                (0..=most).map(at).collect()
            });
            let costs = |steps: i64| Bound::Finite(power(&r.recip(), u32::try_from(steps).unwrap()));
            // R is the cost of Θ steps, the promise; ε·(Δ/Θ) is its cost as DP.
            assert_eq!((mechanism.odds(ReplaceOne), mechanism.odds(AddRemove)), (costs(theta), costs(delta)));
            let (Bound::Finite(promised), Bound::Finite(paid)) = (costs(theta), mechanism.odds(AddRemove)) else {
                panic!()
            };
            assert_eq!(power(&paid, u32::try_from(theta).unwrap()), power(&promised, u32::try_from(delta).unwrap()));
        }
    }
}
