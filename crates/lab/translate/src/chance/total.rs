//! All releases together.

use super::normal;
use super::statement::{Loss, Releases};
use deniable_core::budget::Spend;
use deniable_core::exact::{Enclosure, Rational, Rounding, ratio, square_root, whole};
use deniable_core::loss::filter::rho_upper;
use deniable_core::loss::{Coins, Filter, LossDistribution, LossError, Walk};
use num_traits::Zero;

/// Decimal places of square roots.
const ROOT_PLACES: u32 = 60;
/// Bits of logarithms.
const BITS: u32 = 256;
/// Most `ρ` of all releases together: the odds that they keep but for one chance in a million are then of 76 digits.
const MOST_RHO: u32 = 100;

/// Releases that protect nobody, with bounds that are too large to compute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("together these releases have a ρ above {MOST_RHO}, which protects nobody")]
pub struct TooLarge;

impl From<LossError> for TooLarge {
    fn from(_: LossError) -> Self {
        Self
    }
}

/// What is known of several releases together.
pub(super) struct Total {
    /// The product of all odds, which hold but for the sum of `failures`; `None` if a release has no such odds.
    pub(super) odds: Option<Spend>,
    /// The sum of the chances with which a release may prove presence or absence.
    pub(super) failures: Rational,
    /// At least the sum of all `ρ` (C-12).
    pub(super) rho: Rational,
    /// Whether `rho` is that sum, and not above it.
    pub(super) is_rho_exact: bool,
    /// At least the distance of the two normal distributions, of releases that are all Gaussian and not too near.
    pub(super) mu: Option<Rational>,
    /// The distribution of the loss of releases that are all pure (C-11), unless it reaches too far.
    pub(super) walk: Option<LossDistribution>,
}

impl Total {
    /// The sum of all releases, of which there is at least one.
    ///
    /// # Errors
    /// When their `ρ` is too large to compute with.
    pub(super) fn of(all: &[Releases]) -> Result<Self, TooLarge> {
        let mut total = Self {
            odds: Some(Spend::nothing()),
            failures: Rational::zero(),
            rho: Rational::zero(),
            is_rho_exact: true,
            mu: None,
            walk: None,
        };
        for Releases { count, loss } in all {
            let count = whole(*count);
            let odds = match loss {
                Loss::Pure(odds) => Some(odds),
                Loss::Approximate(odds, chance) | Loss::Probabilistic(odds, chance) | Loss::ButFor(odds, chance) => {
                    total.failures += chance.value() * &count;
                    Some(odds)
                }
                Loss::Concentrated(rho) => {
                    total.rho += rho * &count;
                    None
                }
                // The Rényi divergence of the two normal distributions is `α·μ²/2`.
                Loss::Gaussian(mu) => {
                    total.rho += mu * mu * &count * ratio(1, 2);
                    None
                }
            };
            match odds.map(|odds| (odds, odds.share(&count))) {
                Some((odds, Ok(product))) => {
                    total.odds = total.odds.map(|all| all.and(&product));
                    let ln = odds.ln(BITS).high();
                    total.rho += rho_upper(odds, &whole(1)) * &ln * ln * count;
                    total.is_rho_exact = false;
                }
                _ => total.odds = None,
            }
        }
        if total.rho > whole(MOST_RHO) {
            return Err(TooLarge);
        }
        if all.iter().all(|releases| matches!(releases.loss, Loss::Gaussian(_))) {
            // Independent normal distributions are one whose squared distances add up: twice the sum of `ρ`.
            let mu = square_root(&(whole(2) * &total.rho), ROOT_PLACES, Rounding::Up);
            total.mu = Some(mu).filter(normal::is_computed_for);
        }
        total.walk = walk(all, total.odds.as_ref())?;
        Ok(total)
    }

    /// A filter that holds the sum of all `ρ` and all chances.
    pub(super) fn filter(&self) -> Result<Filter, TooLarge> {
        // `ρ` is counted in multiples of the squared logarithm of a promise: here of 1.
        let mut filter = Filter::new(&Spend::epsilon(whole(1)).unwrap_or_else(|_| Spend::nothing()))?;
        filter.charge_rho(&self.rho);
        filter.charge_failures(&self.failures);
        Ok(filter)
    }

    /// The odds of all releases, if they hold surely.
    pub(super) fn surely(&self) -> Option<&Spend> {
        self.odds.as_ref().filter(|_| self.failures.is_zero())
    }
}

/// The distribution of the loss of pure releases.
fn walk(all: &[Releases], product: Option<&Spend>) -> Result<Option<LossDistribution>, LossError> {
    let Some(product) = product.filter(|product| !product.is_nothing()) else { return Ok(None) };
    let mut walk = Walk::new(product)?;
    for Releases { count, loss } in all {
        let Loss::Pure(odds) = loss else { return Ok(None) };
        let exponent = match all {
            [_] => whole(*count).recip(),
            // The logarithms of two odds have no rational quotient in general: rounded up.
            _ => Enclosure::of(&(odds.ln(BITS).high() / product.ln(BITS).low()), BITS).high(),
        };
        walk.add(&Coins::new(*count, exponent)?);
    }
    // Losses that reach too far are left to the filter.
    Ok(walk.distribution().ok())
}
