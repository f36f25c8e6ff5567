//! Small exact mechanisms: made by hand, derived from others, or random.

use super::dice::Dice;
use deniable_check::Bound;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_core::exact::{Rational, ratio, whole};

/// Entities `t0`, `t1` and so on; outputs `o0`, `o1` and so on.
pub fn partial(entities: usize, outputs: usize, row: impl FnMut(Dataset) -> Option<Vec<Rational>>) -> Mechanism {
    let names = |count: usize, letter: &str| (0..count).map(|k| format!("{letter}{k}")).collect();
    let rows = (0..1_u32 << entities).map(row).collect();
    Mechanism::partial(names(entities, "t"), names(outputs, "o"), rows).unwrap()
}

pub fn mechanism(entities: usize, outputs: usize, mut row: impl FnMut(Dataset) -> Vec<Rational>) -> Mechanism {
    partial(entities, outputs, |data| Some(row(data)))
}

/// A mechanism with two answers, the first with probability `chance`.
pub fn yes(entities: usize, mut chance: impl FnMut(Dataset) -> Rational) -> Mechanism {
    mechanism(entities, 2, |data| {
        let yes = chance(data);
        let no = whole(1) - &yes;
        vec![yes, no]
    })
}

/// A deterministic function of the data.
pub fn exact(entities: usize, outputs: usize, function: impl Fn(Dataset) -> usize) -> Mechanism {
    mechanism(entities, outputs, |data| (0..outputs).map(|output| whole(i32::from(function(data) == output))).collect())
}

pub fn row(mechanism: &Mechanism, data: Dataset) -> Vec<Rational> {
    (0..mechanism.outputs().len()).map(|output| mechanism.probability(output, data)).collect()
}

/// Both answers, with independent randomness.
pub fn and(one: &Mechanism, other: &Mechanism) -> Mechanism {
    let outputs = one.outputs().len() * other.outputs().len();
    mechanism(one.size(), outputs, |data| {
        let others = row(other, data);
        row(one, data).iter().flat_map(|p| others.iter().map(move |q| p * q).collect::<Vec<_>>()).collect()
    })
}

/// One mechanism or the other by a coin; if `public`, the output shows which.
pub fn mixture(one: &Mechanism, other: &Mechanism, public: bool) -> Mechanism {
    let half = |row: Vec<Rational>| row.into_iter().map(|p| p / whole(2)).collect::<Vec<_>>();
    let outputs = one.outputs().len() * if public { 2 } else { 1 };
    mechanism(one.size(), outputs, |data| {
        let (first, second) = (half(row(one, data)), half(row(other, data)));
        if public { [first, second].concat() } else { first.iter().zip(&second).map(|(p, q)| p + q).collect() }
    })
}

/// Post-processing of the answer by a random kernel.
pub fn then(first: &Mechanism, kernel: &[Vec<Rational>]) -> Mechanism {
    let outputs = kernel[0].len();
    mechanism(first.size(), outputs, |data| {
        (0..outputs).map(|out| row(first, data).iter().zip(kernel).map(|(p, to)| p * &to[out]).sum()).collect()
    })
}

/// The largest `Pr[o|more]/Pr[o|less]`.
pub fn one_way(mechanism: &Mechanism, more: Dataset, less: Dataset) -> Bound {
    let (more, less) = (row(mechanism, more), row(mechanism, less));
    more.iter().zip(&less).filter_map(|(p, q)| Bound::of(p, q)).max().unwrap()
}

/// The largest ratio between two datasets, in both directions.
pub fn apart(mechanism: &Mechanism, left: Dataset, right: Dataset) -> Bound {
    one_way(mechanism, left, right).max(one_way(mechanism, right, left))
}

/// All pairs of datasets with rows, in both orders and with themselves.
pub fn pairs(mechanism: &Mechanism) -> impl Iterator<Item = (Dataset, Dataset)> {
    mechanism.datasets().flat_map(|a| mechanism.datasets().map(move |b| (a, b)))
}

/// Whether one entity was exchanged for another.
pub fn exchanged(a: Dataset, b: Dataset) -> bool {
    a.count_ones() == b.count_ones() && (a ^ b).count_ones() == 2
}

/// Random mechanisms and their parts.
impl Dice {
    /// An index below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.between(0, i64::try_from(end).unwrap() - 1)).unwrap()
    }

    /// A distribution from weights of 1 to 9, of which about one in `zeros` is replaced by 0 (none if `zeros` is 0).
    pub fn sparse(&mut self, outcomes: usize, zeros: usize) -> Vec<Rational> {
        assert_ne!(zeros, 1, "everything would be 0");
        self.weighted(outcomes, |dice| if zeros > 0 && dice.below(zeros) == 0 { 0 } else { dice.between(1, 9) })
    }

    /// A mechanism with rows from [`Dice::distribution`].
    pub fn mechanism(&mut self, entities: usize, outputs: usize, least: i64, most: i64) -> Mechanism {
        mechanism(entities, outputs, |_| self.distribution(outputs, least, most))
    }

    /// A mechanism with rows from [`Dice::sparse`], of which about one in `missing` is missing (none if `missing` is
    /// 0).
    pub fn partial(&mut self, entities: usize, outputs: usize, zeros: usize, missing: usize) -> Mechanism {
        partial(entities, outputs, |data| {
            let gone = missing > 0 && data > 0 && self.below(missing) == 0;
            (!gone).then(|| self.sparse(outputs, zeros))
        })
    }

    /// Mechanisms of several kinds: without zeros, with some, with many, partial ones, and with denominators without a
    /// common multiple.
    pub fn several(&mut self, entities: usize, count: usize) -> Vec<Mechanism> {
        self.bag(entities, count, [0, 0, 0, 5])
    }

    /// As [`Dice::several`], without partial ones.
    pub fn complete(&mut self, entities: usize, count: usize) -> Vec<Mechanism> {
        self.bag(entities, count, [0; 4])
    }

    fn bag(&mut self, entities: usize, count: usize, missing: [usize; 4]) -> Vec<Mechanism> {
        let mut all: Vec<_> =
            (0..count).map(|k| self.partial(entities, 2 + k % 2, [0, 0, 6, 3][k % 4], missing[k / 2 % 4])).collect();
        all.push(self.awkward(entities));
        all
    }

    /// A mechanism whose denominators have no common multiple of 63 bits.
    fn awkward(&mut self, entities: usize) -> Mechanism {
        yes(entities, |data| {
            let data = i64::from(data);
            ratio(self.between(1, 900_000), 1_000_003 + 2 * data * data)
        })
    }
}
