//! One of `m` equally likely entities is in, on counts: F-DCm and (ρ,m)-differential identifiability.
//!
//! All candidates of one group give the same counts: the certain members, and one more of the group. So an observer is
//! given by the counts of the certain members and the number of candidates in each group.

use super::decide::entities;
use super::model::CountMechanism;
use crate::decide::{CheckError, LargestRatio, Part, WorstObserver, numerators, vacuous};
use crate::family::OtherEntities;
use crate::mechanism::{Column, Dataset};
use crate::notion::Direction;
use crate::verdict::{CountPlace, CountWitness, Value, Verdict, Witness};
use deniable_core::exact::{Bound, Rational, whole};
use num_traits::{FromPrimitive, NumAssign};

/// (ρ,m)-differential identifiability (B-5).
pub(super) fn rho(mechanism: &CountMechanism, among: usize) -> Result<Verdict, CheckError> {
    let theorems = vec!["F-DCm", "B-5", "X-COUNT"];
    let Some(WorstObserver { ratio, witness, .. }) =
        worst(mechanism, among, OtherEntities::Certain, Direction::Presence)?
    else {
        return Ok(vacuous(Bound::Finite(whole(0)), theorems));
    };
    let rho = ratio.map(|ratio| ratio / (ratio + whole(among - 1)), Bound::one());
    Ok(Verdict { value: Value::Attained(rho), witness: Some(witness), theorems })
}

/// The largest likelihood ratio of any observer of F-DCm, as [`crate::decide`] defines it on tables; `None` if there is
/// no such observer.
pub(super) fn worst(
    mechanism: &CountMechanism,
    among: usize,
    others: OtherEntities,
    direction: Direction,
) -> Result<Option<WorstObserver>, CheckError> {
    if among < 2 {
        return Err(CheckError::OutOfRange { name: "m", value: whole(among), range: "at least 2" });
    }
    if entities(mechanism) < among {
        return Ok(None);
    }
    let found = (0..mechanism.outputs.len()).filter_map(|output| {
        let (ratio, certain) = match mechanism.table.column(output) {
            // A part below 2^63, times fewer than 2^64 candidates.
            Column::Parts { parts, .. } => {
                let values: Vec<u128> = parts.iter().map(|part| u128::from(*part)).collect();
                of_column(mechanism, &values, (among, others), direction)?
            }
            Column::Fractions(values) => of_column(mechanism, &numerators(values).0, (among, others), direction)?,
        };
        Some((ratio, output, certain))
    });
    // Ties go to the first output.
    let worst = found.reduce(|best, next| if next.0 > best.0 { next } else { best });
    Ok(worst
        .and_then(|(ratio, output, certain)| observed(mechanism, ratio, output, certain, (among, others), direction)))
}

/// The largest ratio, and the cell of the certain members.
fn of_column<P>(
    mechanism: &CountMechanism,
    values: &[P],
    (among, others): (usize, OtherEntities),
    direction: Direction,
) -> Option<(Bound, usize)>
where
    P: Part + NumAssign + FromPrimitive + Ord,
{
    let mut worst = LargestRatio::new();
    let all_others = P::from_usize(among - 1)?;
    for certain in 0..mechanism.cells() {
        let value = |cell: usize| values[cell].clone();
        let Some(chosen) = ExtremeCandidates::new(mechanism, certain, (among, others), direction, value) else {
            continue;
        };
        let mut sum = P::zero();
        for (group, count) in &chosen.rest {
            sum += values[certain + mechanism.stride(*group)].clone() * P::from_u32(*count)?;
        }
        let alone = values[certain + mechanism.stride(chosen.lone)].clone() * all_others.clone();
        let (top, bottom) = if direction == Direction::Presence { (&alone, &sum) } else { (&sum, &alone) };
        worst.offer(top, bottom, 0, certain as Dataset, 0);
    }
    let (ratio, place) = worst.found()?;
    Some((ratio, place.more as usize))
}

/// The candidates with the largest ratio: one with the extreme probability against those with the opposite extremes.
struct ExtremeCandidates {
    lone: usize,
    /// Each group with its number of candidates.
    rest: Vec<(usize, u32)>,
}

impl ExtremeCandidates {
    /// `None` where too few candidates have datasets with rows.
    fn new<V: Ord>(
        mechanism: &CountMechanism,
        certain: usize,
        (among, others): (usize, OtherEntities),
        direction: Direction,
        value: impl Fn(usize) -> V,
    ) -> Option<Self> {
        let groups = mechanism.groups.iter().enumerate();
        let outside = groups.map(|(group, each)| (group, each.size - mechanism.count(certain, group)));
        let with = |group: usize| certain + mechanism.stride(group);
        let outside: Vec<(usize, u32)> = outside.collect();
        if others == OtherEntities::In && outside.iter().map(|(_, count)| *count as usize).sum::<usize>() != among {
            return None;
        }
        let mut outside: Vec<(usize, u32)> =
            outside.into_iter().filter(|(group, count)| *count > 0 && mechanism.gives(with(*group))).collect();
        if outside.iter().map(|(_, count)| *count as usize).sum::<usize>() < among {
            return None;
        }
        outside.sort_by(|left, right| value(with(left.0)).cmp(&value(with(right.0))).then(left.0.cmp(&right.0)));
        if direction == Direction::Presence {
            outside.reverse();
        }
        let lone = outside.first()?.0;
        let mut needed = among - 1;
        let mut rest = Vec::new();
        for (group, count) in outside.iter().rev() {
            let taken = needed.min(*count as usize);
            if taken > 0 {
                rest.push((*group, taken as u32));
            }
            needed -= taken;
        }
        Some(Self { lone, rest })
    }
}

fn observed(
    mechanism: &CountMechanism,
    ratio: Bound,
    output: usize,
    certain: usize,
    (among, others): (usize, OtherEntities),
    direction: Direction,
) -> Option<WorstObserver> {
    let chance = |cell: usize| mechanism.probability(output, cell);
    let ExtremeCandidates { lone, rest } =
        ExtremeCandidates::new(mechanism, certain, (among, others), direction, chance)?;
    let present = chance(certain + mechanism.stride(lone));
    let each = rest.iter().map(|(group, count)| chance(certain + mechanism.stride(*group)) * whole(*count));
    let absent = each.sum::<Rational>() / whole(among - 1);
    let mut candidates = vec![0; mechanism.groups.len()];
    rest.iter().chain([&(lone, 1)]).for_each(|(group, count)| candidates[*group] += count);
    let share = whole(among).recip();
    let belief = if direction == Direction::Presence { share } else { whole(1) - share };
    let witness = Witness::Counts(CountWitness {
        groups: mechanism.names(),
        output: mechanism.outputs[output].clone(),
        place: CountPlace::OneOf { certain: mechanism.counts(certain), candidates, group: lone },
        probabilities: (present, absent),
    });
    Some(WorstObserver { ratio, belief, witness })
}
