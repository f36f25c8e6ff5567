//! Bounds that a distribution of losses implies: β*, hockey stick, total variation, and least odds.

use super::fixed::{FRACTION_BITS, Fixed, ceil_shift};
use super::lattice::{Lattice, Powers, WORK_BITS};
use super::{Chance, rounded_up};
use crate::exact::{Rational, whole};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

/// Fractional bits of the P-masses and Q-masses.
const MASS_BITS: u32 = 320;

/// The trade-off between the P-mass and the Q-mass of events, by descending loss.
///
/// P-masses are upper bounds; the Q-mass of a loss `x` is its P-mass times `e^−x`, rounded down. An event of a given
/// chance under P has at least this chance under Q: more mass at the highest losses only lowers it. All bounds follow
/// from this one inequality.
#[derive(Debug, Clone)]
pub struct LossDistribution {
    lattice: Lattice,
    points: Vec<Point>,
}

/// A loss of positive mass.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// In steps of the lattice.
    pub(super) loss: i64,
    /// P-mass of this loss, in units of `2^−MASS_BITS`, rounded up.
    pub(super) mass: BigUint,
    /// P-mass of this loss and all higher ones, rounded up.
    with: BigUint,
    /// Q-mass of the same, rounded down.
    without: BigUint,
}

impl LossDistribution {
    /// The distribution with these even masses at losses of `k ≥ 0` steps; `None` is a loss of 0 for certain.
    pub(super) fn new(lattice: &Lattice, even: Option<Vec<Fixed>>) -> Self {
        let one = || BigUint::one() << FRACTION_BITS;
        let even: Vec<BigUint> = even.map_or_else(|| vec![one()], |all| all.into_iter().map(Fixed::units).collect());
        // P- and Q-masses of the losses k and −k.
        let mut gains: Vec<(i64, BigUint, BigUint)> = Vec::new();
        let mut drops: Vec<(i64, BigUint, BigUint)> = Vec::new();
        let mut powers = Powers::of_half_step(lattice);
        let shift = FRACTION_BITS + WORK_BITS - MASS_BITS;
        for (loss, mass) in (0_i64..).zip(&even) {
            if !mass.is_zero() {
                gains.push((loss, ceil_shift(&(mass * &powers.up_upper), shift), (mass * &powers.down_lower) >> shift));
                if loss > 0 {
                    drops.push((
                        -loss,
                        ceil_shift(&(mass * &powers.down_upper), shift),
                        (mass * &powers.up_lower) >> shift,
                    ));
                }
            }
            powers.advance();
        }
        let (mut with, mut without) = (BigUint::ZERO, BigUint::ZERO);
        let points = gains.into_iter().rev().chain(drops).map(|(loss, mass, other)| {
            with += &mass;
            without += other;
            Point { loss, mass, with: with.clone(), without: without.clone() }
        });
        Self { lattice: lattice.clone(), points: points.collect() }
    }

    /// The lattice of the losses.
    #[must_use]
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The points by descending loss.
    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    /// At least `β*(odds)`: the largest chance, with the person in the data, of an event of odds above `odds > 0`.
    ///
    /// The certified bound `sup { x : g(x) ≤ x/odds }` of the trade-off curve `g`, from 0 to 1. Events may be decided by
    /// a coin.
    #[must_use]
    pub fn beta_upper(&self, odds: &Rational) -> Rational {
        // The last point that an event of all higher losses reaches at these odds; the next one counts in part.
        let margin = |point: &Point| self.surplus(point, odds);
        let Some(last) = self.points.iter().rposition(|point| !margin(point).is_negative()) else {
            return self.part_of(0, &BigInt::ZERO, odds);
        };
        let surplus = margin(&self.points[last]);
        self.part_of(last + 1, &surplus, odds)
    }

    /// `denom(odds)·with − numer(odds)·without`.
    fn surplus(&self, point: &Point, odds: &Rational) -> BigInt {
        BigInt::from(point.with.clone()) * odds.denom() - BigInt::from(point.without.clone()) * odds.numer()
    }

    /// The P-mass of all points before `next` and of the part of `next` that uses up `surplus`.
    fn part_of(&self, next: usize, surplus: &BigInt, odds: &Rational) -> Rational {
        let before = next.checked_sub(1).map_or(BigUint::ZERO, |last| self.points[last].with.clone());
        let Some(point) = self.points.get(next) else { return mass(&before).min(whole(1)) };
        let deficit = surplus - self.surplus(point, odds);
        let taken = Rational::new(surplus * BigInt::from(point.mass.clone()), deficit);
        (mass(&before) + rounded_up(&(taken / unit()))).min(whole(1))
    }

    /// At least the hockey stick `δ(odds)`, the largest `P(φ) − odds·Q(φ)` of any event φ; from 0 to 1, `odds > 0`.
    #[must_use]
    pub fn delta_upper(&self, odds: &Rational) -> Rational {
        let best = self.points.iter().map(|point| self.surplus(point, odds)).max().unwrap_or_default();
        let scaled = Rational::new(best.max(BigInt::ZERO), BigInt::from(unit_size()) * odds.denom());
        rounded_up(&scaled).min(whole(1))
    }

    /// At least the total variation: the largest difference between the chances of an event with and without the
    /// person, from 0 to 1.
    #[must_use]
    pub fn advantage_upper(&self) -> Rational {
        self.delta_upper(&whole(1))
    }

    /// At least the chance of a loss above `ln(odds)`, from 0 to 1, `odds > 0`. **A diagnostic, not a promise**: it may
    /// increase under post-processing (E-7), unlike [`beta_upper`](Self::beta_upper).
    #[must_use]
    pub fn tail_upper(&self, odds: &Rational) -> Rational {
        // e^loss ≤ odds for certain, where the upper end is at most the odds; losses fall along the points.
        let is_above = |point: &Point| self.lattice.odds(&whole(point.loss)).high() > *odds;
        let above = self.points.partition_point(is_above);
        above.checked_sub(1).map_or_else(Rational::zero, |last| mass(&self.points[last].with).min(whole(1)))
    }

    /// At least the least odds `R′` with `β*(R′) ≤ chance`; `None` where this distribution bounds no odds at this chance.
    ///
    /// `g(x)/x` is nondecreasing, so that these odds are `chance/g(chance)`, without a search.
    #[must_use]
    pub fn odds_but_for(&self, chance: &Chance) -> Option<Rational> {
        let wanted = chance.value() * whole(unit_size());
        let next = self.points.partition_point(|point| whole(point.with.clone()) < wanted);
        let point = self.points.get(next)?;
        let (with, without) = next.checked_sub(1).map_or((BigUint::ZERO, BigUint::ZERO), |last| {
            (self.points[last].with.clone(), self.points[last].without.clone())
        });
        let part = (&wanted - whole(with)) / whole(point.mass.clone());
        let least = whole(without.clone()) + part * whole(&point.without - without);
        least.is_positive().then(|| rounded_up(&(wanted / least)).max(whole(1)))
    }
}

fn unit_size() -> BigUint {
    BigUint::one() << MASS_BITS
}

fn unit() -> Rational {
    whole(unit_size())
}

/// Units of mass as a chance.
pub(super) fn mass(units: &BigUint) -> Rational {
    whole(units.clone()) / unit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Spend;

    /// Steps of odds 2, so that the square of a mass is exact: `T²·2^k`.
    #[test]
    fn masses_are_rounded_up_and_those_without_the_person_down() {
        let lattice = Lattice::with_steps(&Spend::odds(whole(16)).unwrap(), 4).unwrap();
        let even: Vec<Fixed> =
            (1..40_u32).map(|k| Fixed::ceil(&(BigUint::from(k) << 200_u32), FRACTION_BITS)).collect();
        let distribution = LossDistribution::new(&lattice, Some(even.clone()));
        assert_eq!(distribution.points.len(), 2 * even.len() - 1);
        let mut before = BigUint::ZERO;
        for point in &distribution.points {
            let even = even[usize::try_from(point.loss.abs()).unwrap()].units() << (MASS_BITS - FRACTION_BITS);
            let other = &point.without - &before;
            before.clone_from(&point.without);
            let scaled = |loss: i64| (&even * &even) << (40 + loss);
            let size = |mass: &BigUint| (mass * mass) << 40;
            assert!(size(&point.mass) >= scaled(point.loss) && size(&other) <= scaled(-point.loss), "{}", point.loss);
            // By at most a unit.
            assert!(size(&(&point.mass - 1_u32)) <= scaled(point.loss), "{}", point.loss);
            assert!(size(&(other + 1_u32)) >= scaled(-point.loss), "{}", point.loss);
        }
    }
}
