//! Built-in mechanisms on counts: the number of members in steps, exactly, with randomised response, or with geometric
//! noise.

use super::model::{CountMechanism, Group};
use crate::mechanism::{BuiltinError, Noise};
use deniable_core::exact::{Rational, whole};
use num_traits::ToPrimitive;

/// Most entities with geometric noise: powers of the ratio have as many digits.
const MOST_GEOMETRIC: u32 = 4096;

impl CountMechanism {
    /// The step that contains the number of members: below the first threshold, from there to below the second, and so
    /// on.
    ///
    /// # Errors
    /// When thresholds are not in ascending order, or there are too many combinations of counts.
    pub fn size(groups: Vec<Group>, thresholds: &[u32]) -> Result<Self, BuiltinError> {
        ascending(thresholds)?;
        let at = |counts: &[u32], output: usize| u64::from(step(thresholds, counts.iter().sum()) == output);
        Ok(Self::from_parts(groups, steps(thresholds), 1, at)?)
    }

    /// The step of the number of members by randomised response: the true step is `odds` times as likely as each other
    /// (M-RR).
    ///
    /// # Errors
    /// As for [`CountMechanism::size`]; when the odds are below 1 or have too many digits.
    pub fn response(groups: Vec<Group>, thresholds: &[u32], odds: &Rational) -> Result<Self, BuiltinError> {
        ascending(thresholds)?;
        let whole_parts = (odds.numer().to_u64(), odds.denom().to_u64());
        let (Some(keep), Some(other)) = whole_parts else { return Err(odds_range(odds)) };
        let of = other.checked_mul(thresholds.len() as u64).and_then(|rest| rest.checked_add(keep));
        let Some(of) = of.filter(|of| *of < 1 << 63 && *odds >= whole(1)) else { return Err(odds_range(odds)) };
        let at = |counts: &[u32], output: usize| {
            if step(thresholds, counts.iter().sum()) == output { keep } else { other }
        };
        Ok(Self::from_parts(groups, steps(thresholds), of, at)?)
    }

    /// The step of the number of members after two-sided geometric noise (M-GEO).
    ///
    /// # Errors
    /// As for [`CountMechanism::size`]; when the odds are not above 1, or there are more than 4096 entities.
    pub fn geometric(groups: Vec<Group>, thresholds: &[u32], odds: &Rational) -> Result<Self, BuiltinError> {
        ascending(thresholds)?;
        let total = groups.iter().try_fold(0_u32, |total, group| total.checked_add(group.size));
        if *odds <= whole(1) || total.is_none_or(|total| total > MOST_GEOMETRIC) {
            return Err(BuiltinError::Conflict(format!(
                "geometric noise on counts needs odds above 1 and at most {MOST_GEOMETRIC} entities"
            )));
        }
        let noise = Noise { ratio: odds.recip() };
        let rows: Vec<Vec<Rational>> =
            (0..=total.unwrap_or(0)).map(|size| noisy_steps(&noise, thresholds, i64::from(size))).collect();
        Ok(Self::from_fn(groups, steps(thresholds), |counts| rows[counts.iter().sum::<u32>() as usize].clone())?)
    }
}

/// The probabilities of all steps where the true number is `size`.
fn noisy_steps(noise: &Noise, thresholds: &[u32], size: i64) -> Vec<Rational> {
    let mut at_least: Vec<Rational> =
        thresholds.iter().map(|threshold| noise.at_least(i64::from(*threshold) - size)).collect();
    at_least.insert(0, whole(1));
    at_least.push(whole(0));
    at_least.windows(2).map(|pair| &pair[0] - &pair[1]).collect()
}

fn step(thresholds: &[u32], size: u32) -> usize {
    thresholds.partition_point(|threshold| *threshold <= size)
}

fn steps(thresholds: &[u32]) -> Vec<String> {
    let Some(first) = thresholds.first() else { return vec!["any".to_owned()] };
    let between = thresholds.windows(2).map(|pair| format!("{} to {}", pair[0], pair[1] - 1));
    let last = thresholds.last().map(|last| format!("from {last}"));
    std::iter::once(format!("below {first}")).chain(between).chain(last).collect()
}

fn ascending(thresholds: &[u32]) -> Result<(), BuiltinError> {
    if thresholds.windows(2).all(|pair| pair[0] < pair[1]) {
        Ok(())
    } else {
        Err(BuiltinError::Conflict("thresholds must be in ascending order, each once".to_owned()))
    }
}

fn odds_range(odds: &Rational) -> BuiltinError {
    let range = "a number of at least 1 with few digits".to_owned();
    BuiltinError::OutOfRange { parameter: "odds", range, value: odds.to_string() }
}
