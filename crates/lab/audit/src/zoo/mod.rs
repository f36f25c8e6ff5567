//! Mechanisms for testing an audit: correct ones, and ones with published or common bugs.
//!
//! | family | module |
//! |---|---|
//! | a count with noise: geometric, Laplace, floating point, (α,β) | [`additive`] |
//! | histograms and prefix sums | [`histogram`] |
//! | report noisy max | [`noisy_max`] |
//! | permute-and-flip | [`selection`] |
//! | the sparse vector technique | [`sparse_vector`] |
//! | RAPPOR | [`rappor`] |
//! | k-Max under uniform priors | [`kmax`] |
//!
//! Noise is exact and geometric unless floating point is the bug: every statement on Laplace noise for integer counts
//! also holds for geometric noise, with rational probabilities, so most suprema are known exactly.

pub mod additive;
pub mod histogram;
pub mod kmax;
pub mod noisy_max;
pub mod rappor;
pub mod selection;
pub mod sparse_vector;

use crate::mechanism::{Mechanism, MechanismError, Outputs};
use crate::neighbours::Neighbours;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal, ratio};
use deniable_core::noise::{Decay, SystemRng, TwoSidedGeometric};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::fmt;

/// The exact supremum of the odds ratio, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Supremum {
    /// Exactly this ratio (up to the rounding of the noise's decay, less than one part in 10¹⁰).
    Exactly(Spend),
    /// Proved to be at most this ratio.
    AtMost(Spend),
    /// No finite odds ratio.
    Unbounded,
    /// Not known here; it grows without bound with the number of queries.
    Grows,
}

impl Supremum {
    /// A proved upper bound, if there is one.
    #[must_use]
    pub fn ceiling(&self) -> Option<&Spend> {
        match self {
            Self::Exactly(odds) | Self::AtMost(odds) => Some(odds),
            Self::Unbounded | Self::Grows => None,
        }
    }
}

impl fmt::Display for Supremum {
    /// As an ε with three decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(odds) => write!(f, "{}", epsilon(odds)),
            Self::AtMost(odds) => write!(f, "≤ {}", epsilon(odds)),
            Self::Unbounded => f.write_str("∞"),
            Self::Grows => f.write_str("grows with queries"),
        }
    }
}

/// An odds ratio as an ε with three decimals, rounded to nearest.
#[must_use]
pub fn epsilon(odds: &Spend) -> String {
    decimal(&odds.ln(64).low(), 3, Rounding::Nearest)
}

type Build = Box<dyn Fn(ChaCha20Rng) -> Box<dyn Mechanism> + Send + Sync>;

/// A mechanism of the zoo.
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// The claimed odds ratio.
    pub claim: Spend,
    /// The true odds ratio.
    pub supremum: Supremum,
    /// Whether the claim is wrong.
    pub broken: bool,
    /// Its inputs.
    pub neighbours: Neighbours,
    build: Build,
}

impl Member {
    /// An instance with randomness from the operating system.
    ///
    /// # Errors
    /// If it has no random bits.
    pub fn start(&self) -> Result<Box<dyn Mechanism>, MechanismError> {
        let mut seed = [0; 32];
        SystemRng::new()?.fill_bytes(&mut seed);
        Ok((self.build)(ChaCha20Rng::from_seed(seed)))
    }

    /// An instance with a fixed seed, for tests.
    #[must_use]
    pub fn seeded(&self, seed: u64) -> Box<dyn Mechanism> {
        (self.build)(ChaCha20Rng::seed_from_u64(seed))
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("name", &self.name).field("claim", &self.claim).finish_non_exhaustive()
    }
}

/// All mechanisms, correct and broken, by family.
///
/// # Errors
/// Never: the odds ratios and decays are valid constants.
pub fn members() -> Result<Vec<Member>, ZooError> {
    let mut all = additive::members()?;
    all.extend(histogram::members()?);
    all.extend(noisy_max::members()?);
    all.extend(selection::members()?);
    all.extend(sparse_vector::members()?);
    all.extend(rappor::members()?);
    all.extend(kmax::members()?);
    Ok(all)
}

/// The mechanism of this name; `None` if there is no such mechanism.
///
/// # Errors
/// As for [`members`].
pub fn find(name: &str) -> Result<Option<Member>, ZooError> {
    Ok(members()?.into_iter().find(|member| member.name == name))
}

/// A constant of the zoo is out of range.
#[derive(Debug, thiserror::Error)]
pub enum ZooError {
    /// An invalid odds ratio.
    #[error(transparent)]
    Spend(#[from] deniable_core::budget::SpendError),
    /// An invalid decay.
    #[error(transparent)]
    Decay(#[from] deniable_core::noise::DecayError),
    /// A ratio that is not a decay.
    #[error("{0} is not between 0 and 1")]
    Ratio(Rational),
}

/// Draws one output per call of a function of the input and a generator.
struct OneByOne<F> {
    rng: ChaCha20Rng,
    one: F,
}

impl<F: FnMut(&[i64], &mut ChaCha20Rng, &mut Outputs) + Send> Mechanism for OneByOne<F> {
    fn sample(&mut self, input: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
        for _ in 0..times {
            (self.one)(input, &mut self.rng, out);
            out.end();
        }
        Ok(())
    }
}

/// A builder of mechanisms that write the cells of one output at a time.
fn one_by_one<F>(one: F) -> Build
where
    F: FnMut(&[i64], &mut ChaCha20Rng, &mut Outputs) + Clone + Send + Sync + 'static,
{
    Box::new(move |rng| Box::new(OneByOne { rng, one: one.clone() }))
}

/// Two-sided geometric noise with `Pr[k] ∝ r^|k|`, `r` the fraction of two numbers.
fn geometric(numerator: i64, denominator: i64) -> Result<TwoSidedGeometric, ZooError> {
    let r = ratio(numerator, denominator);
    Ok(TwoSidedGeometric::new(Decay::exactly(r.clone()).ok_or(ZooError::Ratio(r))?))
}

/// Noise that hides a change of `sensitivity` up to these odds.
fn hiding(odds: &Spend, sensitivity: i64) -> Result<TwoSidedGeometric, ZooError> {
    Ok(TwoSidedGeometric::new(Decay::hiding(odds, &sensitivity.into())?))
}

/// One draw; the noise of the zoo never exceeds the range.
fn noise(sampler: &TwoSidedGeometric, rng: &mut ChaCha20Rng) -> i64 {
    i64::try_from(sampler.sample(rng)).unwrap_or(i64::MAX / 4)
}

/// The odds ratio `(numerator/denominator)^power`.
fn odds(numerator: i64, denominator: i64, power: u32) -> Result<Spend, ZooError> {
    Ok(Spend::odds(deniable_core::exact::power(&ratio(numerator, denominator), power))?)
}

/// A uniform number above 0 and at most 1, a multiple of 2^−53, as floating-point programs draw it.
fn unit(rng: &mut ChaCha20Rng) -> f64 {
    ((rng.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

/// Heads with probability `share/64`, exactly.
fn coin(share: u64, rng: &mut ChaCha20Rng) -> bool {
    rng.next_u64() >> 58 < share
}

/// `e^ε` for a fraction.
fn exponential(numerator: i64, denominator: i64) -> Result<Spend, ZooError> {
    Ok(Spend::epsilon(ratio(numerator, denominator))?)
}
