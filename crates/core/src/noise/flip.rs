//! Permute-and-flip (M-PF): candidates in random order, each accepted with probability `r̂^beyond`, until one is.
//!
//! `beyond` is a candidate's distance beyond the nearest, so the nearest are accepted at once. An order of 2^53
//! candidates cannot be enumerated. Instead, consider visits to candidates drawn with replacement, each with its own
//! coin, where only the first visit to a candidate counts: the order of first visits is uniformly random. Visits with
//! heads are choices of the exponential mechanism, which [`super::choice`] draws from classes of candidates. Of the
//! other visits only one fact matters: whether the candidate with heads had tails at an earlier visit. A few exact
//! coins decide it. The algorithm uses at most 1.3 such choices on average.

use super::choice::{Pick, STEP, Segment, classes, located, pick};
use super::ratio::Decay;
use super::weights::{Bounds, Class, Weights};
use crate::exact::{Rational, power, whole};
use num_bigint::BigUint;
use num_traits::Zero;
use rand_core::Rng;

/// Chooses a candidate as permute-and-flip does, with exactly its probabilities (M-PF).
///
/// Returns the index of its segment and its offset there, below the segment's size; `None` if there is no candidate. It
/// takes less than twice as long as [`super::choose`].
pub fn permute_and_flip<R: Rng>(segments: &[Segment], decay: &Decay, rng: &mut R) -> Option<(usize, u64)> {
    let classes = classes(segments);
    let taken = first_taken(&classes, decay, rng)?;
    located(segments, classes.get(taken.class)?.distance, taken.offset)
}

/// The candidate whose first coin is the first with heads.
fn first_taken<R: Rng>(classes: &[Class], decay: &Decay, rng: &mut R) -> Option<Pick> {
    // Candidates with tails at their first visit.
    let mut refused: Vec<Pick> = Vec::new();
    // Number of visits so far, counting only those with heads and those to a refused candidate.
    let mut visits = 0_u64;
    let mut coins: Option<Coins<'_>> = None;
    loop {
        let found = pick(classes, decay, rng)?;
        // The nearest candidates always have heads.
        if found.class == 0 {
            return Some(found);
        }
        let coins = coins.get_or_insert_with(|| Coins::new(classes, decay));
        // Before this visit with heads, refused candidates may have had more visits with tails.
        while !refused.is_empty() && coins.toss(&refused, &[], rng) {
            visits += 1;
        }
        visits += 1;
        if refused.contains(&found) {
            continue;
        }
        // Before each of the visits, this candidate may have had any number of visits with tails.
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

/// Coins that decide the kind of the next visit.
///
/// With `p` for `r̂^beyond`, a visit to a candidate has heads with probability `p` and tails with `1 − p`, and all
/// candidates are visited equally often. So visits with heads have the total weight `W = Σp`, and visits to one
/// candidate with tails have weight `1 − p`.
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

    /// Whether a visit is to a candidate of `these` with tails, among those visits, visits with heads, and visits to a
    /// candidate of `those` with tails: heads with probability `N(these) / (N(these) + W + N(those))`, where `N` is the
    /// sum of `1 − p`.
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

/// `Some(true)` if every uniform number in `[drawn, drawn + 1) / 2^bits` is below the probability of heads,
/// `Some(false)` if none is, and `None` if that is not certain.
fn decide(
    weights: &Weights<'_>,
    total: &Bounds,
    these: &[Pick],
    those: &[Pick],
    drawn: &BigUint,
    bits: u32,
) -> Option<bool> {
    let (heads, other) = (noes(weights, these), noes(weights, those));
    // heads / (heads + tails) is smallest with the smallest heads and the largest tails.
    let least_tails = &total.low + other.low;
    let most_tails = &total.high + other.high;
    if (drawn + 1_u32) * (&heads.low + most_tails) <= &heads.low << bits {
        return Some(true);
    }
    (drawn * (&heads.high + least_tails) >= &heads.high << bits).then_some(false)
}

/// The weight of the visits to these candidates with tails.
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
/// Let each candidate have its turn at a uniform time in `[0, 1]`. The candidate at time `t` is reached if each other
/// one has its turn later or has tails, with probability `1 − p·t`: its probability is `p·∫₀¹ Π(1 − p_s·t) dt` over all
/// others.
#[must_use]
pub fn flip_probabilities(segments: &[Segment], decay: &Decay) -> Vec<Rational> {
    let occupied = || segments.iter().filter(|segment| segment.size > 0);
    let Some(least) = occupied().map(|segment| segment.distance).min() else { return vec![] };
    let coin = |segment: &Segment| power(decay.ratio(), u32::try_from(segment.distance - least).unwrap_or(u32::MAX));
    // The probability of the one candidate if it has its turn.
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

/// A polynomial times `1 − p·t`; coefficients from the constant upwards.
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
