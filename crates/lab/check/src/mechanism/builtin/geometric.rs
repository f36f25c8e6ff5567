//! Counts with two-sided geometric noise (M-GEO).
//!
//! The noise has `Pr[k] = (1−r)/(1+r)·r^|k|`, so infinitely many outputs. Their columns beyond the possible counts are
//! proportional to each other: for `j < 0` and every count `s ≥ 0`, `Pr[j|s] = r^(−1−j)·Pr[−1|s]`, and likewise above
//! `n`. So all outputs below 0 have the same likelihood ratio under every prior and between every pair, and so has a
//! single output that replaces them, with the sum of their probabilities. Merging them is post-processing that a coin
//! can undo, since
//! which `j < 0` it was does not depend on the data: by C-3 in both directions, every notion has the same parameter.
//! Output 0 itself is proportional to the tail too, which is why clamping to `0..n` loses nothing either.

use super::error::BuiltinError;
use super::parameters::{Builtin, BuiltinArguments, ENTITIES, ODDS, Parameter};
use super::rows::{by_size, counts, entities};
use crate::mechanism::model::Mechanism;
use deniable_core::exact::{Rational, power, whole};

/// The ratio of the probabilities of successive noise values, an alternative to odds.
pub(super) const RATIO: Parameter = Parameter {
    name: "ratio",
    about: "how much less likely each further step of noise is, in place of `odds`",
    range: "0 to 1, both excluded",
    default: None,
};

pub(super) static GEOMETRIC: Builtin = Builtin {
    name: "geometric",
    about: "the number of members with two-sided geometric noise; all outputs below 0 are one, and all above n",
    theorem: "M-GEO",
    parameters: &[ENTITIES, ODDS, RATIO],
    build: whole_noise,
};

pub(super) static TRUNCATED_GEOMETRIC: Builtin = Builtin {
    name: "truncated-geometric",
    about: "the number of members with two-sided geometric noise, clamped to 0..n",
    theorem: "M-GEO",
    parameters: &[ENTITIES, ODDS, RATIO],
    build: clamped,
};

#[derive(Debug, Clone)]
pub(crate) struct Noise {
    pub(crate) ratio: Rational,
}

impl Noise {
    /// `Pr[noise = steps]`.
    pub(super) fn exactly(&self, steps: i64) -> Rational {
        self.center() * self.steps(steps.unsigned_abs())
    }

    /// `Pr[noise ≥ steps]`.
    pub(crate) fn at_least(&self, steps: i64) -> Rational {
        if steps > 0 {
            self.steps(steps.unsigned_abs()) / (whole(1) + &self.ratio)
        } else {
            // The complement is `noise ≤ steps − 1`, which has the same probability as `noise ≥ 1 − steps`.
            whole(1) - self.at_least(1 - steps)
        }
    }

    /// `Pr[noise ≤ steps]`.
    pub(super) fn at_most(&self, steps: i64) -> Rational {
        self.at_least(-steps)
    }

    /// `Pr[noise = 0]`.
    pub(super) fn center(&self) -> Rational {
        (whole(1) - &self.ratio) / (whole(1) + &self.ratio)
    }

    /// `r` to the power of some steps.
    pub(super) fn steps(&self, steps: u64) -> Rational {
        power(&self.ratio, u32::try_from(steps).unwrap_or(u32::MAX))
    }
}

fn whole_noise(given: BuiltinArguments<'_>) -> Result<Mechanism, BuiltinError> {
    let noise = Noise { ratio: given.noise_ratio()? };
    let n = entities(given, |n| n + 3)?;
    let row = |size: i64| {
        let inside = (0..=n as i64).map(|output| noise.exactly(output - size));
        let (below, above) = (noise.at_most(-1 - size), noise.at_least(n as i64 + 1 - size));
        std::iter::once(below).chain(inside).chain([above]).collect()
    };
    let outputs = [vec!["below 0".to_owned()], counts(n), vec![format!("above {n}")]].concat();
    by_size(outputs, &(0..=n as i64).map(row).collect::<Vec<_>>())
}

fn clamped(given: BuiltinArguments<'_>) -> Result<Mechanism, BuiltinError> {
    let noise = Noise { ratio: given.noise_ratio()? };
    let n = entities(given, |n| n + 1)?;
    by_size(counts(n), &(0..=n).map(|size| clamped_row(&noise, size, n)).collect::<Vec<_>>())
}

/// The probabilities of 0 to `n` where the count is `size`, with at least one entity.
pub(super) fn clamped_row(noise: &Noise, size: usize, n: usize) -> Vec<Rational> {
    let chance = |output: usize| {
        let steps = output as i64 - size as i64;
        match output {
            0 => noise.at_most(steps),
            _ if output == n => noise.at_least(steps),
            _ => noise.exactly(steps),
        }
    };
    (0..=n).map(chance).collect()
}
