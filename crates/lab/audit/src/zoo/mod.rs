//! Mechanisms to try an audit on: correct ones, and ones that are broken in ways that were published or are often met.
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
//! Noise is exact and geometric wherever floating point is not the point: what holds for Laplace noise on integer counts holds
//! for it, with rational probabilities, so that most suprema are known exactly.

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

/// The least odds ratio that a mechanism keeps to, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Supremum {
    /// Exactly this (up to the rounding of the noise's decay, less than one part in 10¹⁰).
    Exactly(Spend),
    /// Proved to be at most this.
    AtMost(Spend),
    /// No odds ratio at all.
    Unbounded,
    /// Not known here; it grows without bound with the number of queries.
    Grows,
}

impl Supremum {
    /// An odds ratio that is certainly not exceeded, if there is one.
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

/// An odds ratio as an ε with three decimals, to the nearest.
#[must_use]
pub fn epsilon(odds: &Spend) -> String {
    decimal(&odds.ln(64).low(), 3, Rounding::Nearest)
}

type Build = Box<dyn Fn(ChaCha20Rng) -> Box<dyn Mechanism> + Send + Sync>;

/// A mechanism of the zoo.
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The odds ratio that it is said to keep to.
    pub claim: Spend,
    /// The odds ratio that it really keeps to.
    pub supremum: Supremum,
    /// Whether the claim is wrong.
    pub broken: bool,
    /// Its inputs.
    pub neighbours: Neighbours,
    build: Build,
}

impl Member {
    /// An instance with its own randomness from the operating system.
    ///
    /// # Errors
    /// When there is none.
    pub fn start(&self) -> Result<Box<dyn Mechanism>, MechanismError> {
        let mut seed = [0; 32];
        SystemRng::new()?.fill_bytes(&mut seed);
        Ok((self.build)(ChaCha20Rng::from_seed(seed)))
    }

    /// An instance that repeats itself, for tests.
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

/// All mechanisms, correct ones and broken ones, family by family.
///
/// # Errors
/// None that can happen: the odds ratios and decays are constants that fit.
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

/// The mechanism of this name, if there is one.
///
/// # Errors
/// As for [`members`].
pub fn find(name: &str) -> Result<Option<Member>, ZooError> {
    Ok(members()?.into_iter().find(|member| member.name == name))
}

/// A constant of the zoo is out of range.
#[derive(Debug, thiserror::Error)]
pub enum ZooError {
    /// An odds ratio.
    #[error(transparent)]
    Spend(#[from] deniable_core::budget::SpendError),
    /// A decay.
    #[error(transparent)]
    Decay(#[from] deniable_core::noise::DecayError),
    /// A ratio that is no decay.
    #[error("{0} is not between 0 and 1")]
    Ratio(Rational),
}

/// Draws outputs one by one with a function of the input and a generator.
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

/// A builder of mechanisms that write one output's cells at a time.
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

/// A draw; noise of the zoo never leaves the range.
fn noise(sampler: &TwoSidedGeometric, rng: &mut ChaCha20Rng) -> i64 {
    i64::try_from(sampler.sample(rng)).unwrap_or(i64::MAX / 4)
}

/// The odds ratio `(numerator/denominator)^power`.
fn odds(numerator: i64, denominator: i64, power: u32) -> Result<Spend, ZooError> {
    Ok(Spend::odds(deniable_core::exact::power(&ratio(numerator, denominator), power))?)
}

/// A uniform number above 0 and at most 1, a multiple of 2^−53: how a program in floating point draws one.
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
