//! The measures of an answer's effect on a belief, as quotients of quadratics along a line of observers.
//!
//! An observer for whom exactly one of several worlds is true gives the own world the probability `q`; the answer has
//! probability `f` there, and the other worlds contribute the sum `L = Σ p·f`. The posterior belief in the own world is
//! `qf/(qf+L)`, and every measure of it, or of its opposite, is a quotient of polynomials in `q` and `L`, of degree two
//! at most.

use super::numbers::one;
use deniable_core::belief::{posterior, tight_gain};
use deniable_core::exact::{Bound, Rational, Rounding, power, ratio as fraction, square_root, whole};
use num_traits::{Signed, Zero};

/// Decimals of an irrational maximiser; the value is then accurate to twice as many.
const PLACES: u32 = 20;

/// A measure of the belief in the event on top of the ratio, and its likelihood ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// The gain of PMP or NMP (B-2).
    Gain,
    /// The posterior belief (B-4).
    Belief,
    /// The factor by which belief in the opposite falls (I-IND).
    Fall,
}

impl Measure {
    pub(crate) fn of(self, belief: &Rational, odds: &Bound) -> Bound {
        match self {
            Self::Gain => odds.map(|odds| tight_gain(belief, odds), Bound::Infinite),
            Self::Belief => odds.map(|odds| posterior(belief, odds), Bound::one()),
            Self::Fall => odds.map(|odds| one() + belief * (odds - one()), Bound::Infinite).max(Bound::one()),
        }
    }

    /// The value of the measure where no observer learns anything.
    pub(crate) fn least(self) -> Bound {
        match self {
            Self::Belief => Bound::Finite(whole(0)),
            Self::Gain | Self::Fall => Bound::one(),
        }
    }

    /// Whether uncertain observers attain the value of the certain limit, which they otherwise only approach. They do
    /// at infinite odds, where a belief from any prior is proved or ruled out, and for a factor of 1, which every prior
    /// has.
    pub(crate) fn is_reached_inside(self, odds: &Bound) -> bool {
        *odds == Bound::Infinite || (self != Self::Belief && *odds <= Bound::one())
    }

    /// Quotients of which the measure is the maximum; `own_on_top` selects whether the own world or all others are on
    /// top.
    fn quotients(self, own_on_top: bool, Point { own, alone, rest }: &Point) -> Vec<(Rational, Rational)> {
        let all = own * alone + rest;
        let others = (one() - own) * &all;
        let up = || if own_on_top { (alone.clone(), all.clone()) } else { (rest.clone(), others.clone()) };
        let down = || if own_on_top { (others.clone(), rest.clone()) } else { (all.clone(), alone.clone()) };
        match self {
            Self::Gain => vec![up(), down()],
            Self::Fall => vec![down()],
            Self::Belief => vec![(if own_on_top { own * alone } else { rest.clone() }, all)],
        }
    }
}

/// An observer: the probability of the own world, the probability of the answer there, and the sum over all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) own: Rational,
    pub(super) alone: Rational,
    pub(super) rest: Rational,
}

/// All observers between two; the sum over the others is linear in the probability of the own world.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) measure: Measure,
    pub(super) own_on_top: bool,
    pub(super) ends: [Point; 2],
}

/// `c_0 + c_1·x + c_2·x²`.
type Quadratic = [Rational; 3];

impl Segment {
    /// The observer at a fraction of the segment.
    pub(super) fn at(&self, part: &Rational) -> Point {
        let [first, last] = &self.ends;
        let between = |first: &Rational, last: &Rational| first + (last - first) * part;
        Point {
            own: between(&first.own, &last.own),
            alone: first.alone.clone(),
            rest: between(&first.rest, &last.rest),
        }
    }

    /// Each quotient by the coefficients of its two quadratics along the segment, from three values of each.
    fn quotients(&self) -> Vec<(Quadratic, Quadratic)> {
        let at = [whole(0), fraction(1, 2), one()].map(|part| self.measure.quotients(self.own_on_top, &self.at(&part)));
        let through = |values: [&Rational; 3]| {
            let [first, middle, last] = values;
            [first.clone(), whole(4) * middle - whole(3) * first - last, whole(2) * (first + last) - whole(4) * middle]
        };
        (0..at[0].len())
            .map(|k| {
                let parts = [&at[0][k], &at[1][k], &at[2][k]];
                (through(parts.map(|part| &part.0)), through(parts.map(|part| &part.1)))
            })
            .collect()
    }

    /// Fractions of the segment; the worst observer is at one of them, or within [`PLACES`] decimals of it.
    pub(super) fn worst_parts(&self) -> Vec<Rational> {
        let mut parts = vec![whole(0), one()];
        for ([a, b, c], [d, e, f]) in self.quotients() {
            // The numerator of the derivative.
            let (square, linear, constant) = (&c * &e - &b * &f, whole(2) * (&c * &d - &a * &f), &b * &d - &a * &e);
            if square.is_zero() {
                if !linear.is_zero() {
                    parts.push(-constant / linear);
                }
                continue;
            }
            let under = &linear * &linear - whole(4) * &square * constant;
            if !under.is_negative() {
                let root = square_root(&under, PLACES, Rounding::Down);
                parts.extend([&root - &linear, -&root - &linear].map(|top| top / (whole(2) * &square)));
            }
        }
        parts.retain(|part| !part.is_negative() && *part <= one());
        parts
    }

    /// Whether no observer of the segment exceeds this value: `N − claim·D` is never above zero.
    pub(super) fn keeps(&self, claim: &Rational) -> bool {
        self.quotients().into_iter().all(|(top, bottom)| {
            let [constant, linear, square] = [0, 1, 2].map(|k| &top[k] - claim * &bottom[k]);
            let ends = !constant.is_positive() && !(&constant + &linear + &square).is_positive();
            // If concave with its vertex inside the segment, the vertex is the maximum.
            let inside = square.is_negative() && linear.is_positive() && linear < whole(-2) * &square;
            ends && (!inside || &linear * &linear <= whole(4) * constant * square)
        })
    }
}

/// The least number near `low` that no segment exceeds; `low` itself if possible.
pub(super) fn least_kept(segments: &[Segment], low: &Bound) -> Bound {
    let Bound::Finite(low) = low else { return Bound::Infinite };
    let keeps = |claim: &Rational| segments.iter().all(|segment| segment.keeps(claim));
    if keeps(low) {
        return Bound::Finite(low.clone());
    }
    let tries = (1..=2 * PLACES).rev().map(|digits| low + low * power(&fraction(1, 10), digits));
    tries.into_iter().find(keeps).map_or(Bound::Infinite, Bound::Finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(measure: Measure, own_on_top: bool, ends: [(i64, i64, i64); 2]) -> Segment {
        let ends = ends.map(|(own, alone, rest)| Point {
            own: fraction(own, 100),
            alone: fraction(alone, 100),
            rest: fraction(rest, 100),
        });
        Segment { measure, own_on_top, ends }
    }

    /// `(1−q)(1 + q/L)`, with `L` from 1/10 to 9/100, has its maximum inside, at an irrational point.
    #[test]
    fn a_largest_fall_between_the_ends_is_found_and_enclosed() {
        let way = segment(Measure::Fall, true, [(10, 100, 10), (90, 100, 9)]);
        let value = |part: &Rational| {
            let Point { own, alone, rest } = way.at(part);
            let odds = &alone * (one() - &own) / &rest;
            Measure::Fall.of(&own, &Bound::Finite(odds))
        };
        let low = way.worst_parts().iter().map(value).max().unwrap();
        let plain = (0..=1000).map(|k| value(&fraction(k, 1000))).max().unwrap();
        assert!(low >= plain && plain > value(&whole(0)).max(value(&one())));
        let high = least_kept(std::slice::from_ref(&way), &low);
        let (Bound::Finite(low), Bound::Finite(high)) = (low, high) else { panic!("infinite") };
        assert!(high > low && high < &low + power(&fraction(1, 10), 25));
        assert!(way.keeps(&high) && !way.keeps(&(&low - power(&fraction(1, 10), 25))));
    }

    /// The quotients agree with the measures.
    #[test]
    fn quotients_are_the_measures() {
        for measure in [Measure::Gain, Measure::Belief, Measure::Fall] {
            for own_on_top in [true, false] {
                let way = segment(measure, own_on_top, [(20, 70, if own_on_top { 5 } else { 76 }); 2]);
                let Point { own, alone, rest } = way.at(&whole(0));
                let others = &rest / (one() - &own);
                let (belief, odds) = if own_on_top { (own, alone / others) } else { (one() - own, others / alone) };
                assert!(odds > one());
                let Bound::Finite(value) = measure.of(&belief, &Bound::Finite(odds)) else { panic!("infinite") };
                assert!(way.keeps(&value) && !way.keeps(&(&value - fraction(1, 1 << 20))));
            }
        }
    }
}
