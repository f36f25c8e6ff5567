//! What an answer makes of a belief, as a fraction of two quadratics along a line of observers.
//!
//! Observers to whom exactly one of several worlds is true give their own world the probability `q`, with the probability `f` of
//! the answer there, and all others together the sum `L = Σ p·f` over them. Then belief in the own world becomes `qf/(qf+L)`, and
//! all that is measured of it, or of its reverse, is a quotient of polynomials in `q` and `L`, of degree two at most.

use super::numbers::one;
use deniable_core::belief::{posterior, tight_gain};
use deniable_core::exact::{Bound, Rational, Rounding, power, ratio as fraction, square_root, whole};
use num_traits::{Signed, Zero};

/// Decimals of an irrational place of a maximum, whose value is then right to twice as many.
const PLACES: u32 = 20;

/// What is measured of a belief in what is on top, and its likelihood ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// The gain of PMP or NMP (B-2).
    Gain,
    /// The belief afterwards (B-4).
    Belief,
    /// By what factor belief in the reverse falls (I-IND).
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

    /// Where nothing is learned by anybody.
    pub(crate) fn least(self) -> Bound {
        match self {
            Self::Belief => Bound::Finite(whole(0)),
            Self::Gain | Self::Fall => Bound::one(),
        }
    }

    /// Whether what certainty would have is had by uncertain beliefs, too, which otherwise only come near: whoever is proved right was
    /// uncertain before, and a belief that is ruled out was ruled out from anywhere; a factor of 1 is everybody's.
    pub(crate) fn is_reached_inside(self, odds: &Bound) -> bool {
        *odds == Bound::Infinite || (self != Self::Belief && *odds <= Bound::one())
    }

    /// The measure is the largest of these quotients, whether the own world is on top or all others are.
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

/// An observer: the probability of the own world, that of the answer there, and the sum over all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) own: Rational,
    pub(super) alone: Rational,
    pub(super) rest: Rational,
}

/// All observers between two, along whom the sum over the others is linear in the probability of the own world.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) measure: Measure,
    pub(super) own_on_top: bool,
    pub(super) ends: [Point; 2],
}

/// `c_0 + c_1·x + c_2·x²`.
type Quadratic = [Rational; 3];

impl Segment {
    /// The observer at a part of the way.
    pub(super) fn at(&self, part: &Rational) -> Point {
        let [first, last] = &self.ends;
        let between = |first: &Rational, last: &Rational| first + (last - first) * part;
        Point {
            own: between(&first.own, &last.own),
            alone: first.alone.clone(),
            rest: between(&first.rest, &last.rest),
        }
    }

    /// Each quotient by the coefficients of its two quadratics along the way, from three values of each.
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

    /// Parts of the way of which one is the worst, or as near to it as [`PLACES`] decimals.
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

    /// Whether nobody on the way has more than this: `N − claim·D` is never above zero.
    pub(super) fn keeps(&self, claim: &Rational) -> bool {
        self.quotients().into_iter().all(|(top, bottom)| {
            let [constant, linear, square] = [0, 1, 2].map(|k| &top[k] - claim * &bottom[k]);
            let ends = !constant.is_positive() && !(&constant + &linear + &square).is_positive();
            // Concave with its vertex on the way: that is the largest.
            let inside = square.is_negative() && linear.is_positive() && linear < whole(-2) * &square;
            ends && (!inside || &linear * &linear <= whole(4) * constant * square)
        })
    }
}

/// The least number near `low` that all segments keep; `low` itself where they do.
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

    /// `(1−q)(1 + q/L)`, with `L` from 1/10 to 9/100, is largest inside, at an irrational place.
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

    /// The quotients are what the measures say.
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
