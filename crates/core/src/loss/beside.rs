//! A walk beside a filtered part (C-12): `δ(e^λ) ≤ E[h(λ − L)]`, with the loss `L` of the walk under P and the tail bound
//! `h` of the filter; then the slack rule (B-8).

use super::distribution::{LossDistribution, mass};
use super::filter::{Filter, float, guessed_tail, least_guess, slack_chance_upper, slack_odds_upper, tail_upper};
use super::fixed::ceil_shift;
use super::lattice::Lattice;
use super::{Chance, exp_upper};
use crate::exact::{Enclosure, Rational, whole};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};

/// Fractional bits of the tail bounds.
const TAIL_BITS: u32 = 256;

/// Most steps for which tail bounds are computed, which limits time and memory; beyond, the other bounds are read.
const MOST_TAILS: usize = 4 * super::walk::MOST_POINTS;

/// The losses of a walk and of answers whose sizes depend on earlier answers, interleaved in any way.
pub(super) struct Beside<'a> {
    walk: &'a LossDistribution,
    filter: &'a Filter,
    rho: Rational,
    /// A step as a natural logarithm, for guesses.
    step: f64,
    /// P-masses by loss in steps, for guesses.
    masses: Vec<(f64, f64)>,
}

impl<'a> Beside<'a> {
    pub(super) fn new(walk: &'a LossDistribution, filter: &'a Filter) -> Self {
        let near = |units: &BigUint| float(&mass(units));
        let masses = walk.points().iter().map(|point| (point.loss as f64, near(&point.mass))).collect();
        Self { walk, filter, rho: filter.rho_bound(), step: float(&walk.lattice().loss(&whole(1)).low()), masses }
    }

    /// At least the least odds that are exceeded with at most this chance; `None` where this bounds none.
    pub(super) fn odds_but_for(&self, chance: &Chance) -> Option<Rational> {
        let wanted = float(chance.value());
        let guess = |at: f64| {
            let rest = 1.0 - self.guessed_delta(at) / wanted;
            if rest > 0.0 { at * self.step - rest.ln() } else { f64::INFINITY }
        };
        // No loss of the walk is above its highest one, and the filter alone keeps its own odds at this chance.
        let alone = float(&Enclosure::ln(&self.filter.odds_but_for(chance)?, 64).high());
        let highest = self.masses.first().map_or(0.0, |(loss, _)| *loss);
        let at = least_guess(0.0, highest + 2.0 * alone / self.step + 1.0, guess);
        let (odds, delta) = self.delta_upper(at)?;
        slack_odds_upper(&odds, &delta, chance)
    }

    /// At least the chance of an event of odds above `odds`, at most 1.
    pub(super) fn chance_upper(&self, odds: &Rational) -> Rational {
        let lambda = float(&Enclosure::ln(odds, 64).low());
        let guess = |at: f64| {
            let part = 1.0 - (at * self.step - lambda).exp();
            if part > 0.0 { self.guessed_delta(at) / part } else { f64::INFINITY }
        };
        // The last step below λ is a candidate as well; guesses above it are infinite.
        let at = least_guess(0.0, (lambda / self.step).max(0.0), guess).min((lambda / self.step).ceil() - 1.0);
        let bound = self.delta_upper(at).and_then(|(smaller, delta)| slack_chance_upper(&smaller, &delta, odds));
        bound.unwrap_or_else(|| whole(1))
    }

    fn guessed_delta(&self, at: f64) -> f64 {
        let rho = float(&self.rho);
        let walk: f64 = self.masses.iter().map(|(loss, mass)| mass * guessed_tail((at - loss) * self.step, rho)).sum();
        walk + float(self.filter.failures())
    }

    /// At least the odds of a loss of about `at` whole steps, and at least the hockey stick at that loss.
    fn delta_upper(&self, at: f64) -> Option<(Rational, Rational)> {
        let at = at.floor().max(0.0).to_i64()?;
        let lattice = self.walk.lattice();
        let lowest = self.walk.points().last()?.loss;
        let most = usize::try_from(at.saturating_sub(lowest)).ok().filter(|most| *most <= MOST_TAILS)?;
        let tails = tails_upper(lattice, &self.rho, most);
        let mut sum = BigUint::ZERO;
        for point in self.walk.points() {
            // The loss that the filtered part must exceed, in steps.
            let beyond = at - point.loss;
            match usize::try_from(beyond) {
                Ok(beyond) => {
                    let tail = tails.get(beyond).or(tails.last())?;
                    sum += ceil_shift(&(&point.mass * tail), TAIL_BITS);
                }
                // The walk alone is beyond this loss.
                Err(_) => sum += &point.mass,
            }
        }
        let delta = (mass(&sum) + self.filter.failures()).min(whole(1));
        Some((lattice.odds(&whole(at)).high(), delta))
    }
}

/// At least the tail bound `exp(−(y−ρ)²/(4ρ))` for losses `y` of 0 to `most` steps, in units of `2^−TAIL_BITS`; 1 where
/// `y ≤ ρ`. Ends early at a bound of one unit, which further ones are at most.
fn tails_upper(lattice: &Lattice, rho: &Rational, most: usize) -> Vec<BigUint> {
    let one = BigUint::one() << TAIL_BITS;
    let step = lattice.loss(&whole(1));
    let mut tails = vec![one.clone()];
    // The logarithm of the bound falls from y to y + u by ((2y+u)·u/(4ρ) − u/2), which grows by u²/(2ρ) from step to step.
    let growth = ceil_units(&exp_upper(&-(step.low() * step.low() / (whole(2) * rho))));
    let mut factor = None;
    while tails.len() <= most {
        let last = tails.last().cloned().unwrap_or_else(|| one.clone());
        if last == one {
            // Up to here losses were within ρ.
            tails.push(ceil_units(&tail_upper(&(step.low() * whole(tails.len())), rho)));
            continue;
        }
        if last.is_one() {
            break;
        }
        let fall = factor.take().unwrap_or_else(|| {
            let before = step.low() * whole(tails.len() - 1);
            let fall = (whole(2) * &before + step.low()) * step.low() / (whole(4) * rho) - step.high() / whole(2);
            ceil_units(&exp_upper(&-fall.max(Rational::zero())))
        });
        tails.push(ceil_shift(&(last * &fall), TAIL_BITS));
        factor = Some(ceil_shift(&(fall * &growth), TAIL_BITS));
    }
    tails
}

/// A rational from 0 to 1 in units of `2^−TAIL_BITS`, rounded up.
fn ceil_units(value: &Rational) -> BigUint {
    (value * whole(BigInt::one() << TAIL_BITS)).ceil().to_integer().into_parts().1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Spend;
    use crate::exact::ratio;
    use num_traits::Signed;

    #[test]
    fn recurrent_tails_are_those_of_the_formula() {
        for (odds, steps, rho) in [(3, 100, ratio(1, 50)), (3, 1000, ratio(1, 2)), (16, 4, ratio(1, 3))] {
            let lattice = Lattice::with_steps(&Spend::odds(whole(odds)).unwrap(), steps).unwrap();
            let tails = tails_upper(&lattice, &rho, 400);
            let step = lattice.loss(&whole(1));
            for (at, tail) in tails.iter().enumerate() {
                let exact = tail_upper(&(step.high() * whole(at)), &rho);
                let bound = Rational::new(tail.clone().into(), BigInt::one() << TAIL_BITS);
                let tolerance = Rational::new(1.into(), BigInt::one() << 230);
                assert!(bound <= &exact + &tolerance, "{at} of {steps} steps to {odds}");
                assert!(bound >= exact - tolerance, "{at} of {steps} steps to {odds}");
                assert!(bound.is_positive(), "a lost mass");
            }
        }
    }
}
