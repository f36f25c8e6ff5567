//! Permute-and-flip (M-PF): candidates in random order, each taken with probability `r̂^beyond`, until one is.
//!
//! `beyond` is how much further a candidate is than the nearest, so the nearest are taken as soon as their turn comes. An
//! order of 2^53 candidates cannot be gone through one by one. So think of visits to candidates drawn with replacement,
//! each with a coin of its own, where only the first visit to a candidate counts: the order of first visits is a random
//! one. Visits whose coin says yes are choices of the exponential mechanism, which [`super::choice`] draws from classes
//! of candidates. All that must be known of the others is whether the candidate that says yes has said no before, and that
//! is a matter of a few exact coins. It takes at most 1.3 such choices on average.

use super::choice::{Pick, STEP, Segment, classes, located, pick};
use super::ratio::Decay;
use super::weights::{Bounds, Class, Weights};
use crate::exact::{Rational, power, whole};
use num_bigint::BigUint;
use num_traits::Zero;
use rand_core::Rng;

/// Chooses a candidate as permute-and-flip does, with exactly its probabilities (M-PF).
///
/// Returns the index of its segment and its offset there, from 0 up to the segment's size, or nothing where there is
/// no candidate. It takes less than twice as long as [`super::choose`].
pub fn permute_and_flip<R: Rng>(segments: &[Segment], decay: &Decay, rng: &mut R) -> Option<(usize, u64)> {
    let classes = classes(segments);
    let taken = first_taken(&classes, decay, rng)?;
    located(segments, classes.get(taken.class)?.distance, taken.offset)
}

/// The candidate whose first coin is the first to say yes.
fn first_taken<R: Rng>(classes: &[Class], decay: &Decay, rng: &mut R) -> Option<Pick> {
    // Candidates that have said no at their first visit.
    let mut refused: Vec<Pick> = Vec::new();
    // Visits so far, of those alone that said yes or that were to a refused candidate.
    let mut visits = 0_u64;
    let mut coins: Option<Coins<'_>> = None;
    loop {
        let found = pick(classes, decay, rng)?;
        // The nearest never say no.
        if found.class == 0 {
            return Some(found);
        }
        let coins = coins.get_or_insert_with(|| Coins::new(classes, decay));
        // Before this yes, refused candidates may have said no again.
        while !refused.is_empty() && coins.toss(&refused, &[], rng) {
            visits += 1;
        }
        visits += 1;
        if refused.contains(&found) {
            continue;
        }
        // Before each of the visits, this candidate may have said no any number of times.
        let mut noes = 0;
        for _ in 0..visits {
            while coins.toss(&[found], &refused, rng) {
                noes += 1;
            }
        }
        if noes == 0 {
            return Some(found);
        }
        visits += noes;
        refused.push(found);
    }
}

/// Coins that tell what the next visit is, among visits of some kinds.
///
/// With `p` for `r̂^beyond`, a visit to a candidate says yes in `p` and no in `1 − p` of the cases, and all candidates
/// are visited equally often. So all that say yes weigh `W = Σp` together, and those to one candidate that say no `1 − p`.
struct Coins<'a> {
    classes: &'a [Class],
    decay: &'a Decay,
    /// The weights at the precision that decides all but one toss in 2^60, and their total.
    coarse: Weights<'a>,
    total: Bounds,
}

impl<'a> Coins<'a> {
    fn new(classes: &'a [Class], decay: &'a Decay) -> Self {
        let coarse = Weights::at(classes, decay, STEP);
        let total = coarse.total();
        Self { classes, decay, coarse, total }
    }

    /// Whether a visit is one at which a candidate of `these` says no, and not one that says yes or at which a candidate
    /// of `those` says no: heads with probability `N(these) / (N(these) + W + N(those))`, where `N` adds up `1 − p`.
    fn toss<R: Rng>(&self, these: &[Pick], those: &[Pick], rng: &mut R) -> bool {
        let mut bits = STEP;
        let mut drawn = BigUint::from(rng.next_u64());
        let mut decided = decide(&self.coarse, &self.total, these, those, &drawn, bits);
        loop {
            if let Some(heads) = decided {
                return heads;
            }
            bits += STEP;
            drawn = (drawn << STEP) + rng.next_u64();
            let finer = Weights::at(self.classes, self.decay, bits);
            decided = decide(&finer, &finer.total(), these, those, &drawn, bits);
        }
    }
}

/// Whether every uniform number in `[drawn, drawn + 1) / 2^bits` is below the probability of heads, or none is; nothing where
/// that is not certain.
fn decide(
    weights: &Weights<'_>,
    total: &Bounds,
    these: &[Pick],
    those: &[Pick],
    drawn: &BigUint,
    bits: u32,
) -> Option<bool> {
    let (heads, other) = (noes(weights, these), noes(weights, those));
    // heads / (heads + tails) is least with the least heads and the most tails.
    let least_tails = &total.low + other.low;
    let most_tails = &total.high + other.high;
    if (drawn + 1_u32) * (&heads.low + most_tails) <= &heads.low << bits {
        return Some(true);
    }
    (drawn * (&heads.high + least_tails) >= &heads.high << bits).then_some(false)
}

/// The weight of the visits at which one of these candidates says no.
fn noes(weights: &Weights<'_>, picks: &[Pick]) -> Bounds {
    let one = weights.one();
    let nothing = Bounds { low: BigUint::zero(), high: BigUint::zero() };
    picks.iter().fold(nothing, |sum, pick| {
        let Bounds { low, high } = weights.candidate(pick.class);
        Bounds { low: sum.low + (&one - high), high: sum.high + (&one - low) }
    })
}

/// The exact probability of every candidate, segment by segment: for small cases, with few candidates and distances below
/// 2^32.
///
/// Let each candidate have its turn at an even time in `[0, 1]`. The one at time `t` is reached if each other one has its
/// turn later or says no, in `1 − p·t` of the cases: its chance is `p·∫₀¹ Π(1 − p_s·t) dt` over all others.
#[must_use]
pub fn flip_probabilities(segments: &[Segment], decay: &Decay) -> Vec<Rational> {
    let occupied = || segments.iter().filter(|segment| segment.size > 0);
    let Some(least) = occupied().map(|segment| segment.distance).min() else { return vec![] };
    let coin = |segment: &Segment| power(decay.ratio(), u32::try_from(segment.distance - least).unwrap_or(u32::MAX));
    // The chance that the one candidate has its turn.
    let turn = |at: usize| -> Rational {
        let mut reached = vec![whole(1)];
        for (other, segment) in occupied().enumerate() {
            for _ in u64::from(other == at)..segment.size {
                reached = times_one_less(&reached, &coin(segment));
            }
        }
        reached.iter().enumerate().map(|(m, coefficient)| coefficient / whole(m + 1)).sum()
    };
    let each = occupied().enumerate().map(|(at, segment)| (coin(segment) * turn(at), segment.size));
    each.flat_map(|(chance, size)| (0..size).map(move |_| chance.clone())).collect()
}

/// A polynomial times `1 − p·t`, coefficients from the constant one upwards.
fn times_one_less(polynomial: &[Rational], p: &Rational) -> Vec<Rational> {
    let mut product = polynomial.to_vec();
    product.push(Rational::zero());
    for (m, coefficient) in polynomial.iter().enumerate() {
        product[m + 1] -= coefficient * p;
    }
    product
}

#[cfg(test)]
mod tests;
