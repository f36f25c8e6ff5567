//! The distribution nearest to several others: the best answer of a simulator that cannot distinguish them.
//!
//! Two-sided, the smallest `R` such that some `q` satisfies `P_j/R ≤ q ≤ R·P_j` for every `j` has a closed form. With
//! `max` and `min` over `j`, `q` exists exactly if `max/R ≤ R·min` for every outcome, `Σ max/R ≤ 1` and `1 ≤ R·Σ min`.
//! So `R = max(Σ max, 1/Σ min, √(largest max/min))`. One-sided (`q ≤ R·P_j`, I-SMC), `R = 1/Σ min`.

use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, Rounding, square_root, whole};
use num_traits::{One, Zero};

/// Decimals of an irrational root. Roots of ratios are at least 1, so this bounds the relative width of a bracket too.
const PLACES: u32 = 12;

/// The largest and the smallest probability of each outcome, over several distributions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) most: Vec<Rational>,
    pub(crate) least: Vec<Rational>,
}

/// The constraint that determines the ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The largest probabilities of all outcomes sum to more than 1: `Σ max`.
    TooMuch,
    /// The smallest probabilities sum to less than 1: `1/Σ min`.
    TooLittle,
    /// The probabilities of this outcome are far apart: `√(max/min)`.
    Apart(usize),
}

/// The nearest distribution and its ratio.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NearestDistribution {
    /// A lower bound of the ratio.
    pub(crate) low: Bound,
    /// An upper bound of the ratio, which the simulator attains; equal to `low` unless the ratio is an irrational root.
    pub(crate) high: Bound,
    pub(crate) reason: Reason,
    /// `None` if the ratio is infinite.
    pub(crate) simulator: Option<Vec<Rational>>,
}

impl Span {
    /// The span of distributions on `outcomes` outcomes; `outcomes` is at least 1.
    pub(crate) fn of<'a>(distributions: impl IntoIterator<Item = &'a [Rational]>, outcomes: usize) -> Self {
        let mut all = distributions.into_iter();
        let first = all.next().map_or_else(|| vec![Rational::zero(); outcomes], <[Rational]>::to_vec);
        let mut span = Self { most: first.clone(), least: first };
        for distribution in all {
            for (outcome, value) in distribution.iter().enumerate() {
                if *value > span.most[outcome] {
                    span.most[outcome].clone_from(value);
                }
                if *value < span.least[outcome] {
                    span.least[outcome].clone_from(value);
                }
            }
        }
        span
    }

    /// The nearest distribution, one-sided: at most `R` times each of them.
    pub(crate) fn below(&self) -> NearestDistribution {
        let sum: Rational = self.least.iter().sum();
        let reason = Reason::TooLittle;
        if sum.is_zero() {
            return NearestDistribution { low: Bound::Infinite, high: Bound::Infinite, reason, simulator: None };
        }
        let simulator = self.least.iter().map(|least| least / &sum).collect();
        let ratio = Bound::Finite(sum.recip());
        NearestDistribution { low: ratio.clone(), high: ratio, reason, simulator: Some(simulator) }
    }

    /// The nearest distribution, two-sided: within a factor `R` of each of them.
    pub(crate) fn between(&self) -> NearestDistribution {
        let pairs = || self.most.iter().zip(&self.least);
        if let Some(outcome) = pairs().position(|(most, least)| least.is_zero() && !most.is_zero()) {
            let reason = Reason::Apart(outcome);
            return NearestDistribution { low: Bound::Infinite, high: Bound::Infinite, reason, simulator: None };
        }
        let much: Rational = self.most.iter().sum();
        let little = self.least.iter().sum::<Rational>().recip();
        let (mut reason, sum) = if much >= little { (Reason::TooMuch, much) } else { (Reason::TooLittle, little) };
        let mut square = &sum * &sum;
        for (outcome, (most, least)) in pairs().enumerate().filter(|(_, (most, _))| !most.is_zero()) {
            let apart = most / least;
            if apart > square {
                (reason, square) = (Reason::Apart(outcome), apart);
            }
        }
        let [low, high] = [Rounding::Down, Rounding::Up].map(|side| square_root(&square, PLACES, side));
        let simulator = Some(self.within(&high));
        NearestDistribution { low: Bound::Finite(low), high: Bound::Finite(high), reason, simulator }
    }

    /// A distribution from `most/ratio` to `ratio·least`; the ratio is large enough for one to exist.
    fn within(&self, ratio: &Rational) -> Vec<Rational> {
        let low: Vec<Rational> = self.most.iter().map(|most| most / ratio).collect();
        let high = self.least.iter().map(|least| least * ratio);
        let room: Vec<Rational> = high.zip(&low).map(|(high, low)| high - low).collect();
        let (missing, rooms) = (Rational::one() - low.iter().sum::<Rational>(), room.iter().sum::<Rational>());
        let share = if rooms.is_zero() { whole(0) } else { missing / rooms };
        low.into_iter().zip(room).map(|(low, room)| low + &share * room).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    fn span(rows: &[&[i64]], of: i64) -> Span {
        let rows: Vec<Vec<Rational>> =
            rows.iter().map(|row| row.iter().map(|part| ratio(*part, of)).collect()).collect();
        Span::of(rows.iter().map(Vec::as_slice), rows[0].len())
    }

    #[test]
    fn each_reason_can_be_the_worst() {
        // (½,½) and (¼,¾): √2.
        let root = span(&[&[2, 2], &[1, 3]], 4).between();
        assert_eq!(root.reason, Reason::Apart(0));
        let (Bound::Finite(low), Bound::Finite(high)) = (&root.low, &root.high) else { panic!("{root:?}") };
        assert!(low * low < whole(2) && high * high > whole(2) && (high - low) < ratio(1, 1_000_000_000));
        // Independent answers about two bits: 1/Σ min is 4, Σ max 9/4, √(max/min) 3.
        let bits = span(&[&[9, 3, 3, 1], &[3, 9, 1, 3], &[3, 1, 9, 3], &[1, 3, 3, 9]], 16);
        assert_eq!((bits.between().high, bits.between().reason), (Bound::Finite(whole(4)), Reason::TooLittle));
        assert_eq!(bits.below().high, Bound::Finite(whole(4)));
        // In each of three rows another outcome is likeliest: Σ max is 3/2, 1/Σ min 4/3, √2 less.
        let favourites = span(&[&[2, 1, 1], &[1, 2, 1], &[1, 1, 2]], 4);
        assert_eq!(
            (favourites.between().high, favourites.between().reason),
            (Bound::Finite(ratio(3, 2)), Reason::TooMuch)
        );
        assert_eq!(span(&[&[1, 0], &[0, 1]], 1).between().high, Bound::Infinite);
        assert_eq!(span(&[&[1, 0, 1], &[1, 1, 0]], 2).below().high, Bound::Finite(whole(2)));
        assert_eq!(span(&[&[1, 2], &[1, 2]], 3).between().high, Bound::one());
    }

    #[test]
    fn simulators_reach_what_they_promise() {
        for rows in
            [[[2, 1, 1], [1, 2, 1], [1, 1, 2]], [[2, 2, 0], [1, 3, 0], [1, 2, 1]], [[1, 1, 2], [1, 1, 2], [1, 2, 1]]]
        {
            let rows = rows.map(|row: [i64; 3]| row.map(|part| ratio(part, 4)));
            let span = Span::of(rows.iter().map(<[Rational; 3]>::as_slice), 3);
            for (middle, both) in [(span.between(), true), (span.below(), false)] {
                let Some(simulator) = middle.simulator else { continue };
                assert!(simulator.iter().sum::<Rational>().is_one());
                for (q, p) in rows.iter().flat_map(|row| simulator.iter().zip(row)) {
                    assert!(Bound::of(q, p).is_none_or(|ratio| ratio <= middle.high));
                    assert!(!both || Bound::of(p, q).is_none_or(|ratio| ratio <= middle.high));
                }
            }
        }
    }
}
