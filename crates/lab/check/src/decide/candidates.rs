//! One of `m` equally likely entities is in, all others are certain: F-DCm and (ρ,m)-differential identifiability.

use super::error::CheckError;
use super::gain::vacuous;
use super::gain::{self, WorstObserver};
use super::largest_ratio::LargestRatio;
use super::numbers::{one, zero};
use super::part::Part;
use super::product::numerators;
use crate::family::{OtherEntities, Prior};
use crate::mechanism::{Column, Dataset, Mechanism};
use crate::notion::Direction;
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, whole};
use num_traits::{FromPrimitive, NumAssign};

/// Membership privacy over F-DCm: the gain at prior `1/m` (B-2) of the largest likelihood ratio.
pub(super) fn one_of(
    mechanism: &Mechanism,
    among: usize,
    others: OtherEntities,
    direction: Direction,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    Ok(gain::at(worst(mechanism, among, others, direction)?, direction, theorems))
}

/// (ρ,m)-differential identifiability: the highest belief in any of the `m` (B-5), `LR / (LR + m − 1)`.
pub(super) fn rho(mechanism: &Mechanism, among: usize) -> Result<Verdict, CheckError> {
    let theorems = vec!["F-DCm", "B-5"];
    let Some(WorstObserver { ratio, witness, .. }) =
        worst(mechanism, among, OtherEntities::Certain, Direction::Presence)?
    else {
        return Ok(vacuous(zero(), theorems));
    };
    let rho = ratio.map(|ratio| ratio / (ratio + whole(among - 1)), Bound::one());
    Ok(Verdict { value: Value::Attained(rho), witness: Some(witness), theorems })
}

/// The largest likelihood ratio of any observer of F-DCm; `None` if no `m` entities have rows for all datasets that
/// differ by which of them is in.
///
/// For fixed certain members, `Pr[o|t]` is one value and `Pr[o|¬t]` the mean of `m − 1` others. So the ratio is largest
/// for the entity with the largest value against those with the `m − 1` smallest, and its inverse for the smallest
/// against the largest: sorting replaces the search over all sets of candidates.
pub(super) fn worst(
    mechanism: &Mechanism,
    among: usize,
    others: OtherEntities,
    direction: Direction,
) -> Result<Option<WorstObserver>, CheckError> {
    if among < 2 {
        return Err(CheckError::OutOfRange { name: "m", value: whole(among), range: "at least 2" });
    }
    if mechanism.size() < among {
        return Ok(None);
    }
    let found = (0..mechanism.outputs().len()).filter_map(|output| {
        let (ratio, place) = match mechanism.table().column(output) {
            // At most 24 parts below 2^63 fit into 128 bits.
            Column::Parts { parts, .. } => {
                let values: Vec<u128> = parts.iter().map(|part| u128::from(*part)).collect();
                of_column(mechanism, &values, among, others, direction).found()?
            }
            Column::Fractions(values) => {
                of_column(mechanism, &numerators(values).0, among, others, direction).found()?
            }
        };
        Some((ratio, output, place.more, place.less))
    });
    // Ties go to the first output.
    let worst = found.reduce(|best, next| if next.0 > best.0 { next } else { best });
    Ok(worst.map(|(ratio, output, lone, rest)| observed(mechanism, ratio, output, (lone, rest), direction)))
}

fn of_column<P>(
    mechanism: &Mechanism,
    values: &[P],
    among: usize,
    others: OtherEntities,
    direction: Direction,
) -> LargestRatio<P>
where
    P: Part + NumAssign + FromPrimitive + Ord,
{
    let mut worst = LargestRatio::new();
    let all_others = P::from_usize(among - 1).unwrap_or_else(P::one);
    let mut lone: Vec<Dataset> = Vec::with_capacity(mechanism.size());
    for certain in 0..1_u32 << mechanism.size() {
        if others == OtherEntities::In && certain.count_ones() as usize + among != mechanism.size() {
            continue;
        }
        lone.clear();
        let outside = (0..mechanism.size()).map(|t| 1 << t).filter(|bit| certain & bit == 0);
        lone.extend(outside.map(|bit| certain | bit).filter(|data| mechanism.gives(*data)));
        if lone.len() < among {
            continue;
        }
        lone.sort_by(|left, right| values[*left as usize].cmp(&values[*right as usize]).then(left.cmp(right)));
        if direction == Direction::Presence {
            lone.reverse();
        }
        // The first dataset against the last `m − 1`.
        let rest = &lone[lone.len() - (among - 1)..];
        let sum = rest.iter().fold(P::zero(), |sum, data| sum + values[*data as usize].clone());
        let all = rest.iter().fold(certain, |all, data| all | data);
        let alone = values[lone[0] as usize].clone() * all_others.clone();
        match direction {
            Direction::Presence => worst.offer(&alone, &sum, 0, lone[0], all),
            Direction::Absence => worst.offer(&sum, &alone, 0, lone[0], all),
        }
    }
    worst
}

/// The observer, from the dataset with the entity and the union of the datasets of the other candidates.
fn observed(
    mechanism: &Mechanism,
    ratio: Bound,
    output: usize,
    (lone, rest): (Dataset, Dataset),
    direction: Direction,
) -> WorstObserver {
    let certain = lone & rest;
    let candidates = (lone | rest) & !certain;
    let bits = (0..mechanism.size()).map(|t| 1 << t).filter(|bit| candidates & bit != 0);
    let each = whole(candidates.count_ones()).recip();
    let worlds: Vec<(Dataset, Rational)> = bits.map(|bit: Dataset| (certain | bit, each.clone())).collect();
    let others = worlds.iter().filter(|(data, _)| *data != lone);
    let absent = others.map(|(data, _)| mechanism.probability(output, *data)).sum::<Rational>()
        / whole(candidates.count_ones() - 1);
    let belief = if direction == Direction::Presence { each } else { one() - each };
    let witness = Witness::Prior {
        prior: Prior::Table(worlds),
        entity: (lone & !rest).trailing_zeros() as usize,
        output,
        likelihoods: (mechanism.probability(output, lone), absent),
    };
    WorstObserver { ratio, belief, witness }
}
