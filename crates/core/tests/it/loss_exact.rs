//! Pairs of distributions and their trade-off curves in exact fractions, by their definitions.

use super::world::{Dataset, Mechanism};
use deniable_core::exact::{Rational, power, ratio, whole};
use num_traits::{One, Signed, Zero};

/// The law of everything released with a person in (first) and without (second), outcome by outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair(pub Vec<(Rational, Rational)>);

impl Pair {
    pub fn nothing() -> Self {
        Self(vec![(whole(1), whole(1))])
    }

    /// The coin of odds `r`.
    pub fn coin(r: &Rational) -> Self {
        let (more, less) = (r / (whole(1) + r), (whole(1) + r).recip());
        Self(vec![(more.clone(), less.clone()), (less, more)])
    }

    /// Two-sided geometric noise of this decay, without and with a shift, by the sufficient statistic: at or below 0,
    /// each whole number up to the shift, at or above the shift.
    pub fn shifted_noise(decay: &Rational, shift: u32) -> Self {
        if shift == 0 {
            return Self::nothing();
        }
        let side = (whole(1) + decay).recip();
        let far = &side * power(decay, shift);
        let between = (1..shift).map(|at| {
            let peak = (whole(1) - decay) * &side;
            (&peak * power(decay, at), &peak * power(decay, shift - at))
        });
        let ends = [(side.clone(), far.clone()), (far.clone(), side.clone())];
        Self(ends.into_iter().chain(between).collect())
    }

    /// Both, independently; outcomes of equal odds are merged, which changes no curve.
    pub fn and(&self, other: &Self) -> Self {
        let product = self.0.iter().flat_map(|(p, q)| other.0.iter().map(move |(r, s)| (p * r, q * s)));
        Self(product.collect()).merged()
    }

    pub fn times(&self, count: u32) -> Self {
        (0..count).fold(Self::nothing(), |all, _| all.and(self))
    }

    /// This pair for each outcome of the first one.
    pub fn then(&self, after: &[Self]) -> Self {
        assert_eq!(self.0.len(), after.len());
        let each = self.0.iter().zip(after);
        let longer = each.flat_map(|((p, q), next)| next.0.iter().map(move |(r, s)| (p * r, q * s)));
        Self(longer.collect()).merged()
    }

    /// The pair about absence.
    pub fn exchanged(&self) -> Self {
        Self(self.0.iter().map(|(p, q)| (q.clone(), p.clone())).collect())
    }

    /// Outcomes by descending odds, those of equal odds as one.
    fn merged(mut self) -> Self {
        self.0.retain(|(p, q)| !(p.is_zero() && q.is_zero()));
        self.0.sort_by(|(p, q), (r, s)| (r * q).cmp(&(p * s)));
        let mut all: Vec<(Rational, Rational)> = Vec::new();
        for (p, q) in self.0 {
            match all.last_mut() {
                Some((r, s)) if &p * &*s == &q * &*r => {
                    *r += p;
                    *s += q;
                }
                _ => all.push((p, q)),
            }
        }
        Self(all)
    }

    pub fn curve(&self) -> Curve {
        Curve::hull(std::slice::from_ref(self))
    }

    /// `Pr[loss > ln odds]` under P.
    pub fn tail(&self, odds: &Rational) -> Rational {
        self.0.iter().filter(|(p, q)| *p > odds * q).map(|(p, _)| p).sum()
    }
}

/// The vertices of a trade-off curve `g`, from (0, 0) on: convex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve(Vec<(Rational, Rational)>);

impl Curve {
    /// The lower convex hull of the curves of all pairs.
    pub fn hull(pairs: &[Pair]) -> Self {
        let mut points: Vec<(Rational, Rational)> = vec![(whole(0), whole(0))];
        for pair in pairs {
            let (mut x, mut g) = (whole(0), whole(0));
            for (p, q) in pair.clone().merged().0 {
                x += p;
                g += q;
                points.push((x.clone(), g.clone()));
            }
        }
        points.sort();
        let mut hull: Vec<(Rational, Rational)> = Vec::new();
        for (x, g) in points {
            // Of several values at one chance, the least.
            if hull.last().is_some_and(|last| last.0 == x) {
                continue;
            }
            while let [.., (a, b), (c, d)] = hull.as_slice() {
                if (d - b) * (&x - a) < (&g - b) * (c - a) {
                    break;
                }
                hull.pop();
            }
            hull.push((x, g));
        }
        Self(hull)
    }

    /// `g(x)`, the least chance under Q of a test of chance `x` under P.
    pub fn at(&self, x: &Rational) -> Rational {
        let next = self.0.iter().position(|(end, _)| end >= x).unwrap();
        let (end, high) = &self.0[next];
        let Some((start, low)) = next.checked_sub(1).map(|last| &self.0[last]) else { return high.clone() };
        low + (x - start) / (end - start) * (high - low)
    }

    /// The certified bound `sup { x : g(x) ≤ x/odds }`.
    pub fn beta(&self, odds: &Rational) -> Rational {
        let surplus = |(x, g): &(Rational, Rational)| x - odds * g;
        let last = self.0.iter().rposition(|point| !surplus(point).is_negative()).unwrap();
        let Some(next) = self.0.get(last + 1) else { return self.0[last].0.clone() };
        let (here, there) = (surplus(&self.0[last]), surplus(next));
        &self.0[last].0 + &here / (&here - there) * (&next.0 - &self.0[last].0)
    }

    /// `sup { P(φ) : P(φ) > odds·Q(φ) }`, 0 if there is none.
    pub fn beta_strict(&self, odds: &Rational) -> Rational {
        let is_above = |(x, g): &(Rational, Rational)| *x > odds * g;
        if self.0.iter().any(is_above) { self.beta(odds) } else { whole(0) }
    }

    /// The hockey stick `δ(odds)`.
    pub fn delta(&self, odds: &Rational) -> Rational {
        self.0.iter().map(|(x, g)| x - odds * g).max().unwrap()
    }

    /// `inf { δ(R)·odds/(odds − R) : R < odds }`, at the kinks of δ, and at most 1.
    pub fn slack(&self, odds: &Rational) -> Rational {
        let kinks = self
            .0
            .windows(2)
            .filter(|ends| ends[1].1 > ends[0].1)
            .map(|ends| (&ends[1].0 - &ends[0].0) / (&ends[1].1 - &ends[0].1));
        let each = kinks.filter(|kink| kink < odds).map(|kink| self.delta(&kink) * odds / (odds - kink));
        each.min().unwrap_or_else(Rational::one).min(whole(1))
    }

    /// The vertices.
    pub fn points(&self) -> &[(Rational, Rational)] {
        &self.0
    }

    /// Whether this curve is nowhere above the other.
    pub fn dominates(&self, other: &Self) -> bool {
        // Both are convex and piecewise linear: a difference at all vertices of both is one everywhere.
        let ends = self.0.iter().chain(&other.0).map(|(x, _)| x);
        ends.into_iter().all(|x| self.at(x) <= other.at(x))
    }
}

/// The pair of a mechanism's answers on two datasets.
pub fn rows(mechanism: &Mechanism, with: Dataset, without: Dataset) -> Pair {
    Pair(mechanism.row(with).iter().cloned().zip(mechanism.row(without).iter().cloned()).collect())
}

/// `10^−60`.
pub fn tiny() -> Rational {
    power(&ratio(1, 10), 60)
}

/// Asserts that a bound is not below the exact value, and above it by at most `10^−60`.
pub fn assert_tight(bound: &Rational, exact: &Rational, of: &str) {
    assert!(bound >= exact, "{of}: {bound} is below {exact}");
    assert!(bound <= &(exact + tiny()), "{of}: {bound} is above {exact}");
}

#[test]
fn curves_of_a_coin() {
    let curve = Pair::coin(&whole(3)).curve();
    assert_eq!(curve.points(), [(whole(0), whole(0)), (ratio(3, 4), ratio(1, 4)), (whole(1), whole(1))]);
    assert_eq!((curve.delta(&whole(2)), curve.beta(&whole(2))), (ratio(1, 4), ratio(4, 5)));
    assert_eq!((curve.beta(&whole(3)), curve.beta_strict(&whole(3))), (ratio(3, 4), whole(0)));
    assert!(Pair::coin(&whole(4)).curve().dominates(&curve) && !curve.dominates(&Pair::coin(&whole(4)).curve()));
}
