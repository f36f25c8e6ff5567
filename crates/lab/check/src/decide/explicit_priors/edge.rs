//! Mixtures of two priors: the weight along the edge at which the gain is largest.
//!
//! With weight `s` for the first prior, both quantities of membership privacy are `N/D` with one of `N` and `D` linear
//! and the other a product of two linear functions, all above zero inside the edge. The derivative has the sign of
//! `N'·D − N·D'`, whose cubic terms cancel. Its roots are rational, or enclosed by rationals to any precision; at an
//! irrational root the gain is irrational too, so a fine enough bracket excludes every rational value.

use super::super::numbers::one;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, Rounding, ratio as fraction, square_root, whole};
use num_traits::{One, Signed, Zero};

/// An entity and an output under one prior: the belief and the joint probabilities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::decide) struct Moment {
    /// Prior belief in the event on top of the ratio: presence, or absence.
    pub(in crate::decide) belief: Rational,
    /// The joint probability of that event and the output.
    pub(in crate::decide) top: Rational,
    /// The joint probability of the opposite event and the output.
    pub(in crate::decide) bottom: Rational,
}

impl Moment {
    /// Whether the observer is uncertain of the entity.
    pub(in crate::decide) fn is_uncertain(&self) -> bool {
        !self.belief.is_zero() && !self.belief.is_one()
    }

    /// The probability of the output.
    pub(in crate::decide) fn total(&self) -> Rational {
        &self.top + &self.bottom
    }

    /// The gain; `None` for an observer who is certain, or to whom the output is impossible.
    pub(super) fn gain(&self) -> Option<Bound> {
        if !self.is_uncertain() {
            return None;
        }
        let total = self.total();
        let up = Bound::of(&self.top, &(&total * &self.belief))?;
        let down = Bound::of(&(&total * (one() - &self.belief)), &self.bottom)?;
        Some(up.max(down))
    }

    fn mix(&self, other: &Self, weight: &Rational) -> Self {
        let at = |first: &Rational, second: &Rational| first * weight + second * (one() - weight);
        Self {
            belief: at(&self.belief, &other.belief),
            top: at(&self.top, &other.top),
            bottom: at(&self.bottom, &other.bottom),
        }
    }
}

/// `constant + slope·s`.
#[derive(Debug, Clone)]
struct Line {
    constant: Rational,
    slope: Rational,
}

impl Line {
    /// The line with the values `first` at 1 and `second` at 0.
    fn through(first: &Rational, second: &Rational) -> Self {
        Self { constant: second.clone(), slope: first - second }
    }

    fn at(&self, s: &Rational) -> Rational {
        &self.constant + &self.slope * s
    }

    /// The value at an end, or the slope there if the value is zero; true for the value.
    fn near(&self, s: &Rational) -> (Rational, bool) {
        let value = self.at(s);
        if value.is_zero() { (self.slope.abs(), false) } else { (value, true) }
    }
}

/// One of the two quantities of membership privacy along an edge: a quotient of products of lines.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    first: Moment,
    second: Moment,
    tops: Vec<Line>,
    bottoms: Vec<Line>,
}

impl Edge {
    /// Both quantities; none where all mixtures are equal, certain, or give the output probability 0.
    pub(super) fn both(first: &Moment, second: &Moment) -> Vec<Self> {
        let middle = first.mix(second, &fraction(1, 2));
        if first == second || !middle.is_uncertain() || middle.total().is_zero() {
            return vec![];
        }
        let line = |of: &dyn Fn(&Moment) -> Rational| Line::through(&of(first), &of(second));
        let edge = |tops, bottoms| Self { first: first.clone(), second: second.clone(), tops, bottoms };
        let total = line(&Moment::total);
        let mut edges = vec![];
        if !middle.top.is_zero() {
            let top = line(&|moment| moment.top.clone());
            edges.push(edge(vec![top], vec![total.clone(), line(&|moment| moment.belief.clone())]));
        }
        let absence = line(&|moment| one() - &moment.belief);
        edges.push(edge(vec![absence, total], vec![line(&|moment| moment.bottom.clone())]));
        edges
    }

    /// The value inside the edge.
    fn at(&self, s: &Rational) -> Option<Bound> {
        let product = |lines: &[Line]| lines.iter().fold(one(), |product, line| product * line.at(s));
        Bound::of(&product(&self.tops), &product(&self.bottoms))
    }

    /// Limits at the ends where observers are certain or cannot see the output, and rational peaks: each with its
    /// value, whether it is attained, and the weight of an observer who attains it or comes near.
    pub(super) fn exact(&self) -> Vec<(Bound, bool, Rational)> {
        // The denominator is zero along the whole edge: the gain is infinite at every mixture.
        if self.bottoms.iter().any(|line| line.constant.is_zero() && line.slope.is_zero()) {
            return vec![(Bound::Infinite, true, fraction(1, 2))];
        }
        let mut found = vec![];
        for (end, moment, near) in
            [(whole(0), &self.second, fraction(1, 1 << 20)), (one(), &self.first, one() - fraction(1, 1 << 20))]
        {
            if !moment.is_uncertain() || moment.total().is_zero() {
                found.extend(self.limit(&end).map(|value| (value, false, near)));
            }
        }
        for root in self.stationary() {
            if let Root::At(s) = root {
                found.extend(self.at(&s).map(|value| (value, true, s)));
            }
        }
        found
    }

    /// The limit of the quotient at an end: factors that vanish above and below cancel, by their slopes.
    fn limit(&self, end: &Rational) -> Option<Bound> {
        let product = |lines: &[Line]| {
            lines
                .iter()
                .map(|line| line.near(end))
                .fold((one(), 0), |(product, zeros), (value, nonzero)| (product * value, zeros + i32::from(!nonzero)))
        };
        let ((top, above), (bottom, below)) = (product(&self.tops), product(&self.bottoms));
        match above.cmp(&below) {
            std::cmp::Ordering::Less => Some(Bound::Infinite),
            std::cmp::Ordering::Equal => Bound::of(&top, &bottom),
            std::cmp::Ordering::Greater => Some(Bound::Finite(Rational::zero())),
        }
    }

    pub(super) fn peaks(&self) -> Vec<Peak> {
        let peak = |root| match root {
            Root::Irrational(surd) if surd.sign.is_negative() => Some(Peak { edge: self.clone(), surd }),
            Root::Irrational(_) | Root::At(_) => None,
        };
        self.stationary().into_iter().filter_map(peak).collect()
    }

    /// `N'·D − N·D'` as constant, linear and quadratic coefficient.
    fn derivative(&self) -> [Rational; 3] {
        let (above, below) = (expand(&self.tops), expand(&self.bottoms));
        let [a0, a1, a2] = above;
        let [b0, b1, b2] = below;
        // The cubic term, `a2·b1·...`, cancels since one of a2 and b2 is zero.
        [&a1 * &b0 - &a0 * &b1, whole(2) * (&a2 * &b0 - &a0 * &b2), &a2 * &b1 - &a1 * &b2]
    }

    /// The roots of the derivative inside the edge, unless it vanishes everywhere.
    fn stationary(&self) -> Vec<Root> {
        let [c, b, a] = self.derivative();
        let inside = |s: &Rational| s.is_positive() && *s < one();
        if a.is_zero() {
            if b.is_zero() {
                return vec![];
            }
            let root = -c / b;
            return if inside(&root) { vec![Root::At(root)] } else { vec![] };
        }
        let discriminant = &b * &b - whole(4) * &a * &c;
        if discriminant.is_negative() {
            return vec![];
        }
        let twice = whole(2) * &a;
        let near = |places, side| square_root(&discriminant, places, side);
        let below = near(0, Rounding::Down);
        if &below * &below == discriminant {
            let roots = [(-&b - &below) / &twice, (-&b + &below) / &twice];
            return roots.into_iter().filter(inside).map(Root::At).collect();
        }
        let mut roots = vec![];
        for sign in [whole(-1), one()] {
            // The quadratic rises at the root with the positive sign, which is a valley; the other root is a peak.
            let surd = Surd { minus: -&b, sign, discriminant: discriminant.clone(), twice: twice.clone() };
            if surd.is_inside() {
                roots.push(Root::Irrational(surd));
            }
        }
        roots
    }

    /// An upper bound of the gain between these two weights: each line is largest and smallest at an end.
    fn ceiling(&self, low: &Rational, high: &Rational) -> Bound {
        let most = self.tops.iter().fold(one(), |product, line| product * line.at(low).max(line.at(high)));
        let least = self.bottoms.iter().fold(one(), |product, line| product * line.at(low).min(line.at(high)));
        Bound::of(&most, &least).unwrap_or(Bound::Infinite)
    }
}

fn expand(lines: &[Line]) -> [Rational; 3] {
    lines.iter().fold([one(), whole(0), whole(0)], |[c, b, a], line| {
        let Line { constant, slope } = line;
        [&c * constant, &b * constant + c * slope, a * constant + b * slope]
    })
}

#[derive(Debug, Clone)]
enum Root {
    At(Rational),
    Irrational(Surd),
}

/// `(minus ± √discriminant) / twice`, irrational.
#[derive(Debug, Clone)]
struct Surd {
    minus: Rational,
    sign: Rational,
    discriminant: Rational,
    twice: Rational,
}

impl Surd {
    /// Two rationals that enclose the root, from `places` digits of the square root.
    fn between(&self, places: u32) -> (Rational, Rational) {
        let [x, y] = [Rounding::Down, Rounding::Up]
            .map(|side| (&self.sign * square_root(&self.discriminant, places, side) + &self.minus) / &self.twice);
        if x < y { (x, y) } else { (y, x) }
    }

    /// Whether the root is between 0 and 1. It equals neither, so enough digits decide.
    fn is_inside(&self) -> bool {
        let mut places = 8;
        loop {
            let (low, high) = self.between(places);
            if high <= whole(0) || low >= one() {
                return false;
            }
            if low >= whole(0) && high <= one() {
                return true;
            }
            places *= 2;
        }
    }
}

/// A largest gain at an irrational mixture.
#[derive(Debug, Clone)]
pub(super) struct Peak {
    edge: Edge,
    surd: Surd,
}

/// Bounds of the gain at a peak, and the weight that attains the lower bound.
#[derive(Debug, Clone)]
pub(super) struct PeakBounds {
    /// The gain at the weight.
    pub(super) low: Bound,
    /// An upper bound of the peak.
    pub(super) high: Bound,
    pub(super) weight: Rational,
}

impl Peak {
    /// A bracket from `places` digits.
    pub(super) fn near(&self, places: u32) -> PeakBounds {
        let (low, high) = self.surd.between(places);
        let (weight, end) = (low.max(whole(0)), high.min(one()));
        // At an end of the edge the output may be impossible; inside, the gain is defined.
        let inside = weight.is_positive() && weight < one();
        let gain = if inside { self.edge.at(&weight) } else { None };
        PeakBounds { low: gain.unwrap_or_else(Bound::one), high: self.edge.ceiling(&weight, &end), weight }
    }

    /// Doubles the digits until the bracket is narrow and above `best`; `None` once it is below.
    pub(super) fn settle(&self, best: &Bound, width: &Rational) -> Option<PeakBounds> {
        let mut places = 16;
        loop {
            let near = self.near(places);
            if near.high <= *best {
                return None;
            }
            if let (Bound::Finite(least), Bound::Finite(most)) = (&near.low, &near.high)
                && near.low > *best
                && most - least < *width
            {
                return Some(near);
            }
            places *= 2;
        }
    }
}
