//! Answers whose sizes are fixed beforehand: the distribution of the sum of their losses (C-11).

use super::coins::{Coins, Interpolation, even_masses};
use super::distribution::LossDistribution;
use super::fixed::{Fixed, Sum};
use super::lattice::Lattice;
use super::{LossError, filter};
use crate::budget::Spend;
use crate::exact::{Rational, whole};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// Most steps of a lattice that losses may reach, which limits time and memory.
pub const MOST_POINTS: usize = 1 << 18;
/// Largest loss, as a natural logarithm: even masses are rounded by `2^−252`, and a mass by `e^(loss/2)` times that.
const LARGEST_LOSS: u32 = 256;

/// Coins of sizes that are fixed before the first answer that is read with them.
///
/// Answers may be left out, or taken in any order, also by earlier answers; their questions may depend on earlier
/// answers too (C-11). Sizes that depend on earlier answers are charged to a [`filter`].
#[derive(Debug, Clone)]
pub struct Walk {
    lattice: Lattice,
    /// The number of coins by exponent.
    coins: BTreeMap<Rational, u32>,
}

impl Walk {
    /// No coins yet, below a promise of odds `R`.
    ///
    /// # Errors
    /// When the promise is of odds 1.
    pub fn new(promise: &Spend) -> Result<Self, LossError> {
        Ok(Self::on(Lattice::new(promise)?))
    }

    /// No coins yet, on this lattice.
    #[must_use]
    pub fn on(lattice: Lattice) -> Self {
        Self { lattice, coins: BTreeMap::new() }
    }

    /// Adds coins.
    pub fn add(&mut self, coins: &Coins) {
        let known = self.coins.remove(coins.exponent()).unwrap_or(0);
        let (count, exponent) = match known.checked_add(coins.count()) {
            Some(count) => (count, coins.exponent().clone()),
            // More coins than are counted: one coin of all their odds dominates them.
            None => (1, coins.total() + coins.exponent() * whole(known)),
        };
        *self.coins.entry(exponent).or_insert(0) += count;
    }

    /// The lattice of its losses.
    #[must_use]
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Whether there are no coins.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.coins.is_empty()
    }

    /// The coins, by ascending exponent.
    pub fn coins(&self) -> impl Iterator<Item = (&Rational, u32)> {
        self.coins.iter().map(|(exponent, count)| (exponent, *count))
    }

    /// The sum of all exponents: the coins together keep odds of `R^total` for certain.
    #[must_use]
    pub fn total(&self) -> Rational {
        self.coins().map(|(exponent, count)| exponent * whole(count)).sum()
    }

    /// `ρ` of all coins, in multiples of `(ln R)²`, rounded up (C-12).
    #[must_use]
    pub fn rho_upper(&self) -> Rational {
        self.coins().map(|(exponent, count)| filter::rho_upper(self.lattice.promise(), exponent) * whole(count)).sum()
    }

    /// The distribution of the loss of all coins together, with masses rounded up.
    ///
    /// # Errors
    /// When the losses reach more than [`MOST_POINTS`] steps, or more than 256 as a natural logarithm.
    pub fn distribution(&self) -> Result<LossDistribution, LossError> {
        checked_reach(&self.lattice, &self.total())?;
        let parts = Interpolation::new(&self.lattice);
        let mut all: Option<Vec<Fixed>> = None;
        // Small exponents first: many coins that reach little are composed while the range is small.
        for (exponent, count) in self.coins() {
            let group = even_masses(&self.lattice, parts.as_ref(), &Coins::new(count, exponent.clone())?)?;
            all = Some(all.map_or_else(|| group.clone(), |all| convolved(&all, &group)));
        }
        Ok(LossDistribution::new(&self.lattice, all))
    }
}

/// The number of steps that coins of this exponent in all can reach, rounded up.
///
/// # Errors
/// When that is more than `MOST_POINTS`, or the loss is more than `LARGEST_LOSS`.
pub(super) fn checked_reach(lattice: &Lattice, total: &Rational) -> Result<usize, LossError> {
    let steps = total * whole(lattice.steps());
    let is_near = lattice.loss(&steps).high() <= whole(LARGEST_LOSS);
    let reach = steps.ceil().to_integer().to_usize().filter(|reach| is_near && *reach <= MOST_POINTS);
    reach.ok_or_else(|| LossError::TooWide(total.clone()))
}

/// The convolution of two lists of even masses, indexed by losses of `k ≥ 0` steps, rounded up.
fn convolved(all: &[Fixed], group: &[Fixed]) -> Vec<Fixed> {
    let steps: Vec<(usize, Fixed)> = group.iter().copied().enumerate().filter(|(_, mass)| !mass.is_zero()).collect();
    let length = all.len() + group.len() - 1;
    // Zeros as far as the largest loss and step together reach.
    let mut at = all.to_vec();
    at.resize(length + group.len() - 1, Fixed::ZERO);
    let sum_at = |loss: usize| {
        let mut sum = Sum::default();
        for (step, mass) in &steps {
            // From both sides, unless the step is 0.
            let from = if *step == 0 { at[loss] } else { at[loss.abs_diff(*step)].plus(at[loss + step]) };
            sum.add_product(from, *mass);
        }
        sum.rounded_up()
    };
    (0..length).map(sum_at).collect()
}
