//! Mechanisms as tables, and the odds ratios of their answers.

use super::dice::Dice;
use super::prior::Prior;
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, power, ratio, whole};
use num_traits::{One, Signed, Zero};

/// A set of people in the data: bit `t` is person `t`.
pub type Dataset = usize;

/// A ratio of probabilities that may be zero or infinite.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    Finite(Rational),
    Infinite,
}

impl Bound {
    /// `top/bottom`; `None` if both are zero, because such an answer has probability zero.
    pub fn of(top: &Rational, bottom: &Rational) -> Option<Self> {
        match (top.is_zero(), bottom.is_zero()) {
            (true, true) => None,
            (false, true) => Some(Self::Infinite),
            _ => Some(Self::Finite(top / bottom)),
        }
    }

    /// The product of two non-zero bounds.
    pub fn times(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(a * b),
            _ => Self::Infinite,
        }
    }

    pub fn power(&self, exponent: u32) -> Self {
        match self {
            Self::Finite(value) => Self::Finite(power(value, exponent)),
            Self::Infinite => Self::Infinite,
        }
    }
}

/// A finite bound, for comparisons.
pub fn finite(top: i64, bottom: i64) -> Bound {
    Bound::Finite(ratio(top, bottom))
}

/// The observer's hypothesis: that a person is in (PMP), or is not (NMP).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    Presence,
    Absence,
}

pub const BOTH: [About; 2] = [About::Presence, About::Absence];

/// For every dataset, the probability of every answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mechanism {
    pub people: usize,
    rows: Vec<Vec<Rational>>,
}

impl Mechanism {
    pub fn new(people: usize, row: impl FnMut(Dataset) -> Vec<Rational>) -> Self {
        let rows: Vec<Vec<Rational>> = (0..1 << people).map(row).collect();
        for row in &rows {
            assert!(row.len() == rows[0].len() && row.iter().all(|p| !p.is_negative()));
            assert!(row.iter().sum::<Rational>().is_one(), "{row:?} is no distribution");
        }
        Self { people, rows }
    }

    /// Two answers, of which the first has this probability.
    pub fn yes(people: usize, chance: impl Fn(Dataset) -> Rational) -> Self {
        Self::new(people, |data| {
            let yes = chance(data);
            let no = whole(1) - &yes;
            vec![yes, no]
        })
    }

    /// The exact value of a function of the data, with values `0..values`.
    pub fn exact(people: usize, values: usize, function: impl Fn(Dataset) -> usize) -> Self {
        Self::new(people, |data| (0..values).map(|value| whole(u8::from(function(data) == value))).collect())
    }

    pub fn random(people: usize, answers: usize, least: i64, dice: &mut Dice) -> Self {
        Self::new(people, |_| dice.distribution(answers, least, 9))
    }

    /// Mechanisms of all kinds: without zeros, with zeros, and the exact size.
    pub fn several(people: usize, count: usize, dice: &mut Dice) -> Vec<Self> {
        let mut all = vec![Self::exact(people, people + 1, |data| data.count_ones() as usize)];
        for number in 0..count {
            all.push(Self::random(people, 2 + number % 2, i64::from(number % 4 != 0), dice));
        }
        all
    }

    pub fn row(&self, data: Dataset) -> &[Rational] {
        &self.rows[data]
    }

    /// The largest ratio of the probabilities of one answer, over all (upper, lower) pairs; 1 without pairs.
    pub fn strength(&self, pairs: &[(Dataset, Dataset)]) -> Bound {
        let cells = pairs.iter().flat_map(|(upper, lower)| self.rows[*upper].iter().zip(&self.rows[*lower]));
        cells.filter_map(|(upper, lower)| Bound::of(upper, lower)).max().unwrap_or_else(|| finite(1, 1))
    }

    /// The odds ratio `R` that the mechanism keeps between adjacent datasets.
    pub fn odds(&self, adjacency: Adjacency) -> Bound {
        self.strength(&adjacent(self.people, adjacency))
    }

    /// `Pr[answer | t]` and `Pr[answer | ¬t]` (exchanged for absence); `None` if `t` is certain.
    fn evidence(&self, prior: &Prior, t: usize, about: About) -> Option<Vec<(Rational, Rational)>> {
        let (present, absent) = (prior.given(t, true)?, prior.given(t, false)?);
        let (first, second) = if about == About::Presence { (present, absent) } else { (absent, present) };
        let chance = |beliefs: &[(Dataset, Rational)], answer: usize| -> Rational {
            beliefs.iter().map(|(data, weight)| weight * &self.rows[*data][answer]).sum()
        };
        Some((0..self.rows[0].len()).map(|answer| (chance(&first, answer), chance(&second, answer))).collect())
    }

    /// The largest likelihood ratio of any answer about `t` for this observer.
    pub fn likelihood(&self, prior: &Prior, t: usize, about: About) -> Option<Bound> {
        let evidence = self.evidence(prior, t, about)?;
        evidence.iter().filter_map(|(top, bottom)| Bound::of(top, bottom)).max()
    }

    /// The smallest γ at which membership privacy holds for this prior and person, by Bayes' rule and the definition.
    pub fn gain(&self, prior: &Prior, t: usize, about: About) -> Option<Bound> {
        let belief = prior.belief(t);
        let belief = if about == About::Presence { belief } else { whole(1) - belief };
        let evidence = self.evidence(prior, t, about)?;
        let gains = evidence.iter().filter_map(|(top, bottom)| {
            let total = &belief * top + (whole(1) - &belief) * bottom;
            // Pr[t|o]/Pr[t] and Pr[¬t]/Pr[¬t|o]; the second is infinite when absence is ruled out.
            Some(Bound::of(top, &total)?.max(Bound::of(&total, bottom)?))
        });
        gains.max()
    }

    /// The largest gain about any person of whom the observer is not certain.
    pub fn worst_gain(&self, prior: &Prior, about: About) -> Option<Bound> {
        (0..self.people).filter_map(|t| self.gain(prior, t, about)).max()
    }

    /// The largest likelihood ratio over priors and people.
    pub fn worst_likelihood<'a>(&self, priors: impl IntoIterator<Item = &'a Prior>, about: About) -> Option<Bound> {
        let each = priors.into_iter().flat_map(|prior| {
            (0..self.people).filter_map(move |t| self.likelihood(prior, t, about)).collect::<Vec<_>>()
        });
        each.max()
    }

    /// Both answers, with independent noise.
    pub fn and(&self, other: &Self) -> Self {
        Self::new(self.people, |data| {
            self.row(data).iter().flat_map(|p| other.row(data).iter().map(move |q| p * q)).collect()
        })
    }

    /// Post-processing: `kernel[answer]` is a distribution.
    pub fn then(&self, kernel: &[Vec<Rational>]) -> Self {
        let mixed = |data, out: usize| self.row(data).iter().zip(kernel).map(|(p, to)| p * &to[out]).sum();
        Self::new(self.people, |data| (0..kernel[0].len()).map(|out| mixed(data, out)).collect())
    }
}

/// All (upper, lower) pairs of adjacent datasets, in both directions.
pub fn adjacent(people: usize, adjacency: Adjacency) -> Vec<(Dataset, Dataset)> {
    let all = 0..1 << people;
    let near = |a: Dataset, b: Dataset| match adjacency {
        Adjacency::AddRemove => (a ^ b).count_ones() == 1,
        Adjacency::ReplaceOne => replacements(a, b) == Some(1),
    };
    all.clone().flat_map(|a| all.clone().filter(move |b| near(a, *b)).map(move |b| (a, b))).collect()
}

/// The number of exchanges that turn one dataset into the other; `None` if their sizes differ.
pub fn replacements(a: Dataset, b: Dataset) -> Option<u32> {
    (a.count_ones() == b.count_ones()).then(|| (a & !b).count_ones())
}

/// The pairs (with, without) of adding one person; reversed for absence.
pub fn one_more(people: usize, about: About) -> Vec<(Dataset, Dataset)> {
    let pairs = adjacent(people, Adjacency::AddRemove);
    pairs.into_iter().filter(|(a, b)| (a > b) == (about == About::Presence)).collect()
}
