//! Promises but for a chance: the distribution of the privacy loss of many answers (B-7, C-11, C-12).
//!
//! Answers of odds `r₁, r₂, …` together give odds of `r₁·r₂·…` for certain (C-1). Odds that high need every answer to
//! point the same way, which is rare. For a stated chance δ, this module computes smaller odds `R′` that are exceeded
//! with a chance of at most δ: belief rises above the posterior of `R′` with that chance, also after any computation from
//! the answers (B-7).
//!
//! | content | module |
//! |---|---|
//! | chances of failure | [`mod@chance`] |
//! | the lattice of losses, and the powers of its odds | [`lattice`] |
//! | coins: pairs of distributions that dominate pure answers | [`coins`] |
//! | coins of a measure, by its sensitivity | [`measure`] |
//! | sizes fixed beforehand: products of coins | [`walk`] |
//! | bounds that a distribution of losses implies | [`distribution`] |
//! | sizes chosen from earlier answers | [`filter`] |
//! | fixed sizes beside chosen ones | `beside` |
//! | the account of all answers | [`account`] |
//!
//! No floating-point number decides a bound. Every bound is rounded to the safe side, which its name states: `_upper`
//! for chances and odds, `_lower` for what an account may still spend.
//!
//! ```
//! use deniable_core::budget::Spend;
//! use deniable_core::exact::{Rounding, decimal, ratio, whole};
//! use deniable_core::loss::{Chance, Coins, Walk};
//!
//! // 100 answers that share odds of 3 equally.
//! let mut walk = Walk::new(&Spend::odds(whole(3))?)?;
//! walk.add(&Coins::new(100, ratio(1, 100))?);
//! let odds = walk.distribution()?.odds_but_for(&Chance::new(ratio(1, 1_000_000))?);
//! assert_eq!(decimal(&odds.unwrap_or_default(), 2, Rounding::Up), "1.72");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod account;
mod beside;
pub mod chance;
pub mod coins;
pub mod distribution;
pub mod filter;
mod fixed;
pub mod lattice;
pub mod measure;
pub mod walk;

pub use account::LossAccount;
pub use chance::{Chance, ChanceError};
pub use coins::Coins;
pub use distribution::LossDistribution;
pub use filter::Filter;
pub use lattice::Lattice;
pub use measure::{Level, Measure, Shape};
pub use walk::Walk;

use crate::exact::{Enclosure, Rational, whole};

/// Fractional bits of rounded chances and odds.
const BITS: u32 = 256;

/// A promise or coins without a distribution of losses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LossError {
    /// A promise of odds 1, which has no shares to spend.
    #[error("a promise of odds 1 has no losses; state odds above 1")]
    NoPromise,
    /// A lattice without points between 1 and the odds of the promise.
    #[error("a lattice needs at least one step")]
    NoSteps,
    /// An exponent of 0 or less.
    #[error("an exponent of {0} is not positive")]
    ExponentNotPositive(Rational),
    /// No coins.
    #[error("the number of coins is 0; it must be at least 1")]
    NoCoins,
    /// Odds too large for the walk that computes the distribution.
    #[error("the odds of all coins are the promise to the power of {0}, too large for a walk; charge them to a filter")]
    TooWide(Rational),
}

/// A dyadic rational at least `value`, and larger by less than `2^−BITS`.
fn rounded_up(value: &Rational) -> Rational {
    Enclosure::of(value, BITS).high()
}

/// A dyadic rational at most `value`, and smaller by less than `2^−BITS`.
fn rounded_down(value: &Rational) -> Rational {
    Enclosure::of(value, BITS).low()
}

/// At least `e^value`, and at most 1; `value ≤ 0`.
fn exp_upper(value: &Rational) -> Rational {
    Enclosure::of(value, BITS).exp().high().min(whole(1))
}
