//! Report noisy max: the candidate with the largest count after geometric noise, exactly.

use super::error::BuiltinError;
use super::geometric::{Noise, RATIO};
use super::parameters::{Builtin, BuiltinArguments, ODDS, Parameter};
use super::rows::by_kind;
use crate::mechanism::dataset::Dataset;
use crate::mechanism::limits::{MOST_ENTITIES, size_fits};
use crate::mechanism::model::Mechanism;
use deniable_core::exact::{Rational, power, whole};
use std::collections::HashMap;

/// The number of entities that vote for each candidate.
pub(super) const GROUPS: Parameter = Parameter {
    name: "groups",
    about: "how many entities vote for each candidate, with commas between them",
    range: "2 to 8 candidates, 24 entities in all",
    default: Some("2,1"),
};

pub(super) static NOISY_MAX: Builtin = Builtin {
    name: "noisy-max",
    about: "each candidate's votes get two-sided geometric noise, the largest wins, the first of equals",
    theorem: "M-GEO",
    parameters: &[GROUPS, ODDS, RATIO],
    build,
};

fn build(given: BuiltinArguments<'_>) -> Result<Mechanism, BuiltinError> {
    let noise = Noise { ratio: given.noise_ratio()? };
    let groups = Groups::of(given)?;
    groups.mechanism(|counts| (0..counts.len()).map(|winner| wins(&noise, counts, winner)).collect())
}

/// Entities in groups, one for each candidate.
pub(super) struct Groups {
    sizes: Vec<usize>,
}

impl Groups {
    pub(super) fn of(given: BuiltinArguments<'_>) -> Result<Self, BuiltinError> {
        let sizes: Vec<usize> =
            given.list("groups", 0, MOST_ENTITIES as i64)?.into_iter().map(|size| size as usize).collect();
        let total = sizes.iter().sum::<usize>();
        if !(2..=8).contains(&sizes.len()) || !(1..=MOST_ENTITIES).contains(&total) {
            return Err(BuiltinError::OutOfRange {
                parameter: "groups",
                range: GROUPS.range.to_owned(),
                value: given.text("groups").unwrap_or_default().to_owned(),
            });
        }
        size_fits(total, sizes.len())?;
        Ok(Self { sizes })
    }

    /// A mechanism over the candidates that depends only on their votes.
    pub(super) fn mechanism(&self, row: impl Fn(&[i64]) -> Vec<Rational>) -> Result<Mechanism, BuiltinError> {
        let mut rows: Vec<Vec<Rational>> = Vec::new();
        let mut known: HashMap<Vec<i64>, usize> = HashMap::new();
        let entities = self.sizes.iter().sum();
        for data in 0..1_u32 << entities {
            known.entry(self.counts(data)).or_insert_with_key(|counts| {
                rows.push(row(counts));
                rows.len() - 1
            });
        }
        let candidate = |number: usize| format!("candidate {}", number + 1);
        by_kind(entities, (0..self.sizes.len()).map(candidate).collect(), &rows, |data| known[&self.counts(data)])
    }

    fn counts(&self, data: Dataset) -> Vec<i64> {
        let mut first = 0;
        let count = |size: &usize| {
            let votes = (data >> first & ((1 << size) - 1)).count_ones();
            first += size;
            i64::from(votes)
        };
        self.sizes.iter().map(count).collect()
    }
}

/// The probability that one candidate's noisy count `v` beats all others; strictly, for the candidates before it.
///
/// Between the smallest and the largest count, `v` is summed term by term. Below, every factor is a power of `r`;
/// above, every factor is a constant, or 1 less a constant times `r^v`: both infinite sums over `v` are geometric
/// series.
fn wins(noise: &Noise, counts: &[i64], winner: usize) -> Rational {
    let least = counts.iter().min().copied().unwrap_or(0);
    let most = counts.iter().max().copied().unwrap_or(0);
    // The largest noise with which another candidate loses to the winner's `v`.
    let room = |other: usize, v: i64| v - counts[other] - i64::from(other < winner);
    let others = || (0..counts.len()).filter(|other| *other != winner);
    let middle = (least..=most).map(|v| {
        others().map(|other| noise.at_most(room(other, v))).product::<Rational>() * noise.exactly(v - counts[winner])
    });

    // v = least − 1 − s: all factors are multiplied by r with each step down, the winner's own included.
    let down = least - 1;
    let start: Rational = others().map(|other| noise.at_most(room(other, down))).product();
    let all = power(&noise.ratio, counts.len() as u32);
    let below = start * noise.exactly(down - counts[winner]) / (whole(1) - all);

    // v = most + 1 + s, x = r^s: the winner's factor is exactly(start)·x, another's 1 − at_least(start)·x, a polynomial
    // in x. Its term in x^m, times the winner's factor, sums to 1/(1 − r^(m+1)).
    let up = most + 1;
    let mut polynomial = vec![whole(1)];
    for other in others() {
        let beaten = noise.at_least(room(other, up) + 1);
        let mut next = polynomial.clone();
        next.push(whole(0));
        for (m, coefficient) in polynomial.iter().enumerate() {
            next[m + 1] -= coefficient * &beaten;
        }
        polynomial = next;
    }
    let series = |(m, coefficient): (usize, &Rational)| coefficient / (whole(1) - power(&noise.ratio, m as u32 + 1));
    let above: Rational = polynomial.iter().enumerate().map(series).sum();
    middle.sum::<Rational>() + below + above * noise.exactly(up - counts[winner])
}
