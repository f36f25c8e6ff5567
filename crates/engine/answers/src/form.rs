//! Linear forms: answers as sums of noisy numbers, and ratios of such sums, if the distribution of their noise is
//! known.

use crate::exact::{common_unit, product, sum};
use deniable_core::exact::{Rational, whole};
use deniable_query::output::Operator;
use num_traits::Zero;
use std::collections::{BTreeMap, BTreeSet};

/// Most ratios in one form: the interval of each number visits all of them.
const MOST_RATIOS: usize = 200;

/// Most bits of a weight or constant in a form.
const MOST_BITS: u64 = 2_048;

/// A noisy number: a measure, and a cell of its level.
pub(crate) type At = (usize, usize);

/// A weighted sum of noisy numbers, in integer units, and a constant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Linear {
    constant: Rational,
    weights: BTreeMap<At, Rational>,
}

/// A number whose interval follows from the distribution of its noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    Linear(Linear),
    Ratio {
        over: Linear,
        under: Linear,
    },
    /// A sum of several ratios and a linear form.
    Ratios {
        parts: Vec<(Linear, Linear)>,
        rest: Linear,
    },
}

impl Linear {
    pub(crate) fn constant(value: Rational) -> Self {
        Self { constant: value, weights: BTreeMap::new() }
    }

    /// A measure in a cell, with the value of its unit.
    pub(crate) fn measure(at: At, unit: Rational) -> Self {
        Self { constant: Rational::zero(), weights: BTreeMap::from([(at, unit)]) }
    }

    fn as_constant(&self) -> Option<&Rational> {
        self.weights.is_empty().then_some(&self.constant)
    }

    pub(crate) fn plus(&self, other: &Self, times: &Rational) -> Self {
        #[cfg(test)]
        super::exact::counted::add((self.weights.len() + other.weights.len()) as u64);
        let mut all = self.clone();
        all.constant = sum(&all.constant, &product(&other.constant, times));
        for (at, weight) in &other.weights {
            let known = all.weights.entry(*at).or_default();
            *known = sum(known, &product(weight, times));
        }
        all.weights.retain(|_, weight| !weight.is_zero());
        all
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.constant = sum(&self.constant, &other.constant);
        for (at, weight) in &other.weights {
            let known = self.weights.entry(*at).or_default();
            *known = sum(known, weight);
        }
    }

    pub(crate) fn times(&self, factor: &Rational) -> Self {
        Self::default().plus(self, factor)
    }

    /// The measures and their weights.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (At, &Rational)> {
        self.weights.iter().map(|(at, weight)| (*at, weight))
    }

    /// The only measure and its weight; `None` if there are several, or a constant.
    pub(crate) fn alone(&self) -> Option<(At, &Rational)> {
        let (at, weight) = self.weights.first_key_value()?;
        (self.weights.len() == 1 && self.constant.is_zero()).then_some((*at, weight))
    }

    fn is_short(&self) -> bool {
        self.weights
            .values()
            .chain([&self.constant])
            .all(|part| part.numer().bits().max(part.denom().bits()) <= MOST_BITS)
    }

    /// The constant that is added to the measures.
    pub(crate) fn constant_part(&self) -> &Rational {
        &self.constant
    }
}

impl Form {
    /// Combines two forms; `None` if the distribution of the result is unknown or its numbers exceed [`MOST_BITS`].
    pub(crate) fn combine(self, operator: Operator, other: Self) -> Option<Self> {
        self.combined(operator, other).filter(Self::is_short)
    }

    /// Whether all weights and constants are within [`MOST_BITS`].
    pub(crate) fn is_short(&self) -> bool {
        match self {
            Self::Linear(sum) => sum.is_short(),
            Self::Ratio { over, under } => over.is_short() && under.is_short(),
            Self::Ratios { parts, rest } => {
                rest.is_short() && parts.iter().all(|(over, under)| over.is_short() && under.is_short())
            }
        }
    }

    fn combined(self, operator: Operator, other: Self) -> Option<Self> {
        use Form::{Linear as Sum, Ratio};
        if let Operator::Add | Operator::Subtract = operator
            && !self.is_one_ratio_with(&other)
        {
            let sign = if operator == Operator::Add { whole(1) } else { -whole(1) };
            let (mut parts, mut rest) = self.into_parts();
            let (others, also) = other.times(&sign).into_parts();
            parts.extend(others);
            rest.add(&also);
            return (parts.len() <= MOST_RATIOS).then_some(Self::Ratios { parts, rest });
        }
        let one = whole(1);
        Some(match (operator, self, other) {
            (Operator::Add, Sum(left), Sum(right)) => Sum(left.plus(&right, &one)),
            (Operator::Subtract, Sum(left), Sum(right)) => Sum(left.plus(&right, &-one)),
            (Operator::Add, Ratio { over, under }, Sum(sum)) | (Operator::Add, Sum(sum), Ratio { over, under }) => {
                Ratio { over: over.plus(&under, sum.as_constant()?), under }
            }
            (Operator::Subtract, Ratio { over, under }, Sum(sum)) => {
                Ratio { over: over.plus(&under, &-sum.as_constant()?.clone()), under }
            }
            (Operator::Subtract, Sum(sum), Ratio { over, under }) => {
                Ratio { over: under.times(sum.as_constant()?).plus(&over, &-one), under }
            }
            (Operator::Add | Operator::Subtract, Ratio { over, under }, Ratio { over: other, under: same }) => {
                let sign = if operator == Operator::Add { one } else { -one };
                (under == same).then_some(())?;
                Ratio { over: over.plus(&other, &sign), under }
            }
            (Operator::Multiply, Sum(left), Sum(right)) => match (left.as_constant(), right.as_constant()) {
                (Some(factor), _) => Sum(right.times(factor)),
                (_, Some(factor)) => Sum(left.times(factor)),
                (None, None) => return None,
            },
            (Operator::Multiply, Ratio { over, under }, Sum(sum))
            | (Operator::Multiply, Sum(sum), Ratio { over, under }) => {
                Ratio { over: over.times(sum.as_constant()?), under }
            }
            (Operator::Divide, Sum(left), Sum(right)) => match right.as_constant() {
                Some(factor) => Sum(left.times(&nonzero(factor)?.recip())),
                None => Ratio { over: left, under: right },
            },
            (Operator::Divide, Ratio { over, under }, Sum(sum)) => {
                Ratio { over: over.times(&nonzero(sum.as_constant()?)?.recip()), under }
            }
            (Operator::Multiply, ratios, Sum(sum)) | (Operator::Multiply, Sum(sum), ratios) => {
                ratios.times(sum.as_constant()?)
            }
            (Operator::Divide, ratios, Sum(sum)) => ratios.times(&nonzero(sum.as_constant()?)?.recip()),
            (Operator::Multiply | Operator::Divide, ..) | (Operator::Add | Operator::Subtract, ..) => return None,
        })
    }

    /// Whether their sum has at most one ratio.
    fn is_one_ratio_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Linear(_), Self::Linear(_)) => true,
            (Self::Ratio { .. }, Self::Linear(sum)) | (Self::Linear(sum), Self::Ratio { .. }) => {
                sum.as_constant().is_some()
            }
            (Self::Ratio { under, .. }, Self::Ratio { under: same, .. }) => under == same,
            (Self::Ratios { .. }, _) | (_, Self::Ratios { .. }) => false,
        }
    }

    fn into_parts(self) -> (Vec<(Linear, Linear)>, Linear) {
        match self {
            Self::Linear(rest) => (Vec::new(), rest),
            Self::Ratio { over, under } => (vec![(over, under)], Linear::default()),
            Self::Ratios { parts, rest } => (parts, rest),
        }
    }

    pub(crate) fn times(self, factor: &Rational) -> Self {
        match self {
            Self::Linear(sum) => Self::Linear(sum.times(factor)),
            Self::Ratio { over, under } => Self::Ratio { over: over.times(factor), under },
            Self::Ratios { parts, rest } => Self::Ratios {
                parts: parts.into_iter().map(|(over, under)| (over.times(factor), under)).collect(),
                rest: rest.times(factor),
            },
        }
    }

    /// The grid of all its values, as one value and the step, if it has one.
    pub(crate) fn grid(&self) -> Option<(&Rational, Rational)> {
        let Self::Linear(Linear { constant, weights }) = self else { return None };
        let step = weights.values().cloned().reduce(|one, other| common_unit(&one, &other))?;
        Some((constant, step))
    }

    /// Number of noisy numbers that it depends on.
    pub(crate) fn measures(&self) -> usize {
        match self {
            Self::Linear(sum) => sum.weights.len(),
            Self::Ratio { over, under } => {
                over.weights.keys().chain(under.weights.keys()).collect::<BTreeSet<_>>().len()
            }
            Self::Ratios { parts, rest } => {
                let of_parts = parts.iter().flat_map(|(over, under)| over.weights.keys().chain(under.weights.keys()));
                of_parts.chain(rest.weights.keys()).collect::<BTreeSet<_>>().len()
            }
        }
    }
}

fn nonzero(value: &Rational) -> Option<&Rational> {
    (!value.is_zero()).then_some(value)
}
